"""Runs from the best to the worst, with groups that do not differ: letters, ties, directions and files."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv.demo import demo_qrels_and_runs
from irdiv.errors import IrdivError
from irdiv.stats import compare, leaderboard, rank_runs
from irdiv.stats.ranking import compact_letters


def groups_of(label: str) -> set[str]:
    return set(label.split(",")) if label[0].isdigit() else set(label)


def share_a_letter(one: str, other: str) -> bool:
    return bool(groups_of(one) & groups_of(other))


def random_pairs(seed: int, n: int, share: float) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T


class TestLetters:
    @pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
    @pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
    def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(self, n, share):
        for start in range(5):
            differ = random_pairs(start, n, share)
            labels = compact_letters(differ)
            shared = [[share_a_letter(one, other) for other in labels] for one in labels]
            np.testing.assert_array_equal(shared, ~differ, err_msg=str(labels))

    def test_groups_are_maximal_and_none_is_redundant(self):
        for start in range(60):
            differ = random_pairs(start, 7, 0.4)
            labels = compact_letters(differ)
            names = sorted(set.union(*map(groups_of, labels)))
            found = [{run for run, label in enumerate(labels) if name in label} for name in names]
            for group in found:
                outside = set(range(7)) - group
                assert [run for run in outside if not differ[run, list(group)].any()] == [], (labels, group)
                # without the group, two of its runs, or the only one, would share nothing
                rest = [set(pair) for other in found if other is not group for pair in combinations(sorted(other), 2)]
                rest += [{run} for other in found if other is not group for run in other]
                needed = [set(pair) for pair in combinations(group, min(2, len(group)))]
                assert not all(pair in rest for pair in needed), (labels, group)

    def test_groups_are_stretches_of_the_ranking_where_the_test_allows_it(self):
        # Differences of .25 and more are significant: {.9, .85, .7}, {.7, .6} and {.2}.
        means = np.array([0.9, 0.85, 0.7, 0.6, 0.2])
        differ = np.abs(means[:, None] - means[None]) >= 0.25 - 1e-12
        assert compact_letters(differ) == ["a", "a", "ab", "b", "c"]
        differ = np.zeros((6, 6), dtype=bool)
        for one, other in [(0, 2), (0, 3), (1, 3), (4, 5)]:
            differ[one, other] = differ[other, one] = True
        # Of runs 4 and 5, which differ, the first is in the group of 1 and 2.
        assert compact_letters(differ) == ["ab", "abc", "cde", "de", "acd", "be"]

    def test_more_groups_than_letters_are_numbered(self):
        assert compact_letters(~np.eye(53, dtype=bool)) == [str(i + 1) for i in range(53)]
        assert compact_letters(~np.eye(52, dtype=bool))[-1] == "Z"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "t", "correction": "holm", "level": 0.2},
        {"test": "bootstrap", "level": 0.2, "n_resamples": 200},
        {"test": "randomization", "correction": "fdr_bh", "level": 0.2, "n_resamples": 2000},
    ],
    ids=lambda options: options.get("test", "tukey"),
)
def test_groups_are_those_of_the_test(options):
    evaluation = random_evaluation(seed=4, runs=7, topics=60)
    frame = rank_runs(evaluation, "I-rec@10", **options)
    means = evaluation.summary()["I-rec@10"].sort_values(ascending=False)
    assert frame["run"].tolist() == means.index.tolist()
    np.testing.assert_allclose(frame["mean"], means)
    n_resamples = {name: value for name, value in options.items() if name == "n_resamples"}
    board = leaderboard(evaluation, measures="I-rec@10", **n_resamples)
    pd.testing.assert_frame_equal(frame[["low", "high"]], board[["low", "high"]])
    level = options.pop("level", 0.05)
    tests = compare(evaluation, measures="I-rec@10", **{"test": "tukey", **options})
    group = dict(zip(frame["run"], frame["group"], strict=True))
    shared = {(a, b): share_a_letter(group[a], group[b]) for a, b in zip(tests["run"], tests["other"], strict=True)}
    expected = tests.set_index(["run", "other"])["p_adjusted"] >= level
    assert shared == expected.to_dict()
    assert 0 < sum(shared.values()) < len(shared)


def test_equal_means_have_equal_ranks():
    values = np.array([[0.2, 0.4], [0.6, 0.8], [0.4, 0.2], [0.8, 0.6], [0.0, 0.1]])[:, None, :]
    frame = rank_runs(evaluation_of(values))
    assert frame["rank"].tolist() == [1, 1, 3, 3, 5]
    assert frame["run"].tolist() == ["r1", "r3", "r0", "r2", "r4"]


def test_the_smallest_value_is_first_where_less_is_better():
    values = np.array([[[0.1, 0.11, 0.12]], [[0.9, 0.91, 0.92]]])
    assert rank_runs(evaluation_of(values, ["E@10"]))["run"].tolist() == ["r0", "r1"]
    assert rank_runs(evaluation_of(values, ["F@10"]))["run"].tolist() == ["r1", "r0"]


def test_one_run_is_a_group_and_one_topic_allows_no_test():
    assert rank_runs(evaluation_of(np.full((1, 1, 3), 0.5)))["group"].tolist() == ["a"]
    with pytest.raises(IrdivError, match="at least two topics"):
        rank_runs(evaluation_of(np.full((3, 1, 1), 0.5)))


def test_the_measure_that_ranks():
    evaluation = random_evaluation(runs=5)
    pd.testing.assert_frame_equal(evaluation.rank(), evaluation.rank("I_rec@10"))
    pd.testing.assert_frame_equal(evaluation.rank("D♯-nDCG@10"), rank_runs(evaluation.frame, "D#-nDCG@10"))
    with pytest.raises(IrdivError, match="expected one measure"):
        evaluation.rank(["I-rec@10", "D#-nDCG@10"])
    # A frame of several measures has no first one.
    for call in (rank_runs, irdiv.stats.worst_topics):
        with pytest.raises(IrdivError, match="several measures; name one of .*'I-rec@10'"):
            call(evaluation.frame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "D#-nDCG@5"}, "D#-nDCG@5 was not evaluated; did you mean 'D#-nDCG@10'"),
        ({"test": "anova"}, "test='anova'"),
        ({"level": 2}, "level=2"),
        ({"correction": "holm"}, "leave the correction out"),
        ({"n_resamples": 0}, "n_resamples=0"),
        ({"rng": "x"}, "rng='x'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(IrdivError, match=message):
        random_evaluation(runs=3).rank(**options)


def test_a_corrected_test_draws_enough_samples():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    with pytest.warns(irdiv.IrdivWarning, match="n_resamples=100 is too few .* 6 comparisons"):
        evaluation.rank(test="bootstrap", correction="holm", n_resamples=100)
    assert evaluation.rank(test="bootstrap", correction="holm")["group"].tolist() == ["a", "a", "b", "b"]
    # The t test draws no samples, but the intervals do.
    few = evaluation.rank(test="t", correction="holm", n_resamples=500)
    assert few["group"].tolist() == ["a", "a", "b", "b"]


class TestEvaluations:
    def test_methods_answer_in_the_callers_library(self):
        qrels, runs = demo_qrels_and_runs()
        in_pandas = irdiv.evaluate(qrels, runs, ["D#-nDCG@10", "E@10"])
        polars_runs = {name: pl.from_pandas(run) for name, run in runs.items()}
        in_polars = irdiv.evaluate(pl.from_pandas(qrels), polars_runs, ["D#-nDCG@10", "E@10"])
        for frame, expected in (
            (in_polars.rank(), in_pandas.rank()),
            (in_polars.compare(baseline="spammy"), in_pandas.compare(baseline="spammy")),
            (in_polars["E@10"], in_pandas["E@10"].reset_index()),
        ):
            assert isinstance(frame, pl.DataFrame)
            pd.testing.assert_frame_equal(frame.to_pandas(), expected, check_dtype=False, check_names=False)

    def test_unknown_runs_get_near_names(self):
        with pytest.raises(IrdivError, match="no run is called 'spamy'; did you mean 'spammy'"):
            irdiv.evaluate(*demo_qrels_and_runs(), "I-rec@10").compare(baseline="spamy")

    @pytest.mark.parametrize("kind", ["parquet", "csv"])
    def test_values_written_are_read_back_by_statistics(self, kind, tmp_path):
        evaluation = random_evaluation()
        path = tmp_path / f"values.{kind}"
        getattr(evaluation, f"to_{kind}")(path)
        pd.testing.assert_frame_equal(rank_runs(path, "D#-nDCG@10"), rank_runs(evaluation, "D#-nDCG@10"))
        written = pd.read_parquet(path) if kind == "parquet" else pd.read_csv(path, dtype={"query_id": str})
        pd.testing.assert_frame_equal(written, evaluation.frame, check_dtype=False)
