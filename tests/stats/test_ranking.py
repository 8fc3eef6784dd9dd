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


def random_pairs(seed: int, n: int, share: float) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T


def members_by_group(labels: list[str]) -> dict[str, set[int]]:
    members: dict[str, set[int]] = {}
    for run, label in enumerate(labels):
        for group in groups_of(label):
            members.setdefault(group, set()).add(run)
    return members


def maximal_cliques(alike: np.ndarray) -> list[set[int]]:
    """Return all maximal sets of runs that do not differ, by trying all sets."""
    n = len(alike)
    sets = [set(s) for size in range(1, n + 1) for s in combinations(range(n), size)]
    cliques = [s for s in sets if all(alike[i, j] for i, j in combinations(s, 2))]
    return [s for s in cliques if not any(s < other for other in cliques)]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(n, share):
    for seed in range(5):
        differ = random_pairs(seed, n, share)
        labels = compact_letters(differ)
        for i, j in combinations(range(n), 2):
            assert (not groups_of(labels[i]) & groups_of(labels[j])) == differ[i, j], (seed, i, j)
        assert all(labels)


def test_groups_are_maximal_and_none_is_redundant():
    for seed in range(60):
        differ = random_pairs(seed, 7, 0.4)
        found = list(members_by_group(compact_letters(differ)).values())
        cliques = maximal_cliques(~differ)
        assert all(group in cliques for group in found)
        assert len(found) <= len(cliques)
        for left_out in range(len(found)):
            rest = [group for i, group in enumerate(found) if i != left_out]
            pairs = {pair for group in rest for pair in combinations(sorted(group), 2)}
            runs = {run for group in rest for run in group}
            needed = set(combinations(sorted(found[left_out]), 2))
            assert not (needed <= pairs and found[left_out] <= runs)


def test_letters_of_a_threshold_are_consecutive_stretches():
    # Differences of .25 and more are significant: {.9, .85, .7}, {.7, .6} and {.2}.
    means = np.array([0.9, 0.85, 0.7, 0.6, 0.2])
    differ = np.abs(means[:, None] - means[None]) >= 0.25 - 1e-12
    assert compact_letters(differ) == ["a", "a", "ab", "b", "c"]


def test_runs_after_a_pair_join_its_group_before_those_above_it():
    differ = np.zeros((6, 6), dtype=bool)
    for one, other in [(0, 2), (0, 3), (1, 3), (4, 5)]:
        differ[one, other] = differ[other, one] = True
    # Of runs 4 and 5, which differ, the first is in the group of 1 and 2.
    assert compact_letters(differ) == ["ab", "abc", "cde", "de", "acd", "be"]


def test_more_groups_than_letters_are_numbered():
    assert compact_letters(~np.eye(60, dtype=bool)) == [str(i + 1) for i in range(60)]
    assert compact_letters(~np.eye(52, dtype=bool))[-1] == "Z"


def test_runs_in_order_with_intervals_and_groups():
    evaluation = random_evaluation(seed=3, runs=8, topics=150)
    frame = evaluation.rank("D#-nDCG@10")
    assert list(frame.columns) == ["measure", "rank", "run", "mean", "low", "high", "group"]
    means = evaluation.summary()["D#-nDCG@10"].sort_values(ascending=False)
    assert frame["run"].tolist() == means.index.tolist()
    np.testing.assert_allclose(frame["mean"], means)
    board = leaderboard(evaluation, measures="D#-nDCG@10")
    pd.testing.assert_frame_equal(frame[["low", "high"]], board[["low", "high"]])
    p = compare(evaluation, measures="D#-nDCG@10", test="tukey").set_index(["run", "other"])["p"]
    groups = dict(zip(frame["run"], frame["group"], strict=True))
    for pair, value in p.items():
        assert (value < 0.05) == (not groups_of(groups[pair[0]]) & groups_of(groups[pair[1]]))
    assert (p < 0.05).any()
    assert (p >= 0.05).any()


@pytest.mark.parametrize(("test", "correction"), [("t", "holm"), ("bootstrap", None), ("randomization", "fdr_bh")])
def test_groups_of_other_tests(test, correction):
    evaluation = random_evaluation(seed=4, runs=7)
    frame = rank_runs(evaluation, "I-rec@10", test=test, correction=correction, level=0.2)
    tests = compare(evaluation, measures="I-rec@10", test=test, correction=correction)
    groups = dict(zip(frame["run"], frame["group"], strict=True))
    shared = [
        bool(groups_of(groups[a]) & groups_of(groups[b])) for a, b in zip(tests["run"], tests["other"], strict=True)
    ]
    assert shared == (tests["p_adjusted"] >= 0.2).tolist()
    assert 0 < sum(shared) < len(shared)


def test_equal_means_have_equal_ranks():
    values = np.array([[0.2, 0.4], [0.6, 0.8], [0.4, 0.2], [0.8, 0.6], [0.0, 0.1]])[:, None, :]
    frame = rank_runs(evaluation_of(values))
    assert frame["rank"].tolist() == [1, 1, 3, 3, 5]
    assert frame["run"].tolist() == ["r1", "r3", "r0", "r2", "r4"]


def test_the_smallest_value_is_first_where_less_is_better():
    values = np.stack([np.full((1, 4), 0.1), np.full((1, 4), 0.9)])
    values += np.arange(4) / 100
    assert rank_runs(evaluation_of(values, ["E@10"]))["run"].tolist() == ["r0", "r1"]
    assert rank_runs(evaluation_of(values, ["F@10"]))["run"].tolist() == ["r1", "r0"]


def test_one_run_is_a_group_and_one_topic_allows_no_test():
    frame = rank_runs(evaluation_of(np.full((1, 1, 3), 0.5)))
    assert frame["group"].tolist() == ["a"]
    with pytest.raises(IrdivError, match="at least two topics"):
        rank_runs(evaluation_of(np.full((3, 1, 1), 0.5)))


def test_the_first_measure_is_the_default_and_any_spelling_will_do():
    evaluation = random_evaluation(runs=5)
    pd.testing.assert_frame_equal(evaluation.rank(), evaluation.rank("I_rec@10"))
    pd.testing.assert_frame_equal(evaluation.rank("D♯-nDCG@10"), rank_runs(evaluation.frame, "D#-nDCG@10"))


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


def test_the_hub_answers_in_the_callers_library(tmp_path):
    qrels, runs = demo_qrels_and_runs()
    in_pandas = irdiv.evaluate(qrels, runs, ["D#-nDCG@10", "E@10"])
    in_polars = irdiv.evaluate(
        pl.from_pandas(qrels), {n: pl.from_pandas(r) for n, r in runs.items()}, ["D#-nDCG@10", "E@10"]
    )
    for frame, expected in (
        (in_polars.rank(), in_pandas.rank()),
        (in_polars.compare(baseline="spammy"), in_pandas.compare(baseline="spammy")),
        (in_polars["E@10"], in_pandas["E@10"].reset_index()),
    ):
        assert isinstance(frame, pl.DataFrame)
        assert frame.columns == list(expected.columns)
        assert frame.rows() == list(expected.itertuples(index=False, name=None))


def test_values_of_one_measure():
    evaluation = random_evaluation()
    frame = evaluation["D-nDCG@10"]
    assert frame.shape == (30, 6)
    assert frame.loc["7", "r2"] == evaluation.values[2, 1, 7]
    assert frame.index.name == "query_id"
    with pytest.raises(IrdivError, match="D-nDCG@20 was not evaluated; did you mean 'D-nDCG@10'"):
        evaluation["D-nDCG@20"]


def test_unknown_runs_get_near_names():
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, "I-rec@10")
    with pytest.raises(IrdivError, match="no run is called 'spamy'; did you mean 'spammy'"):
        evaluation.compare(baseline="spamy")


def test_values_written_are_read_back_by_statistics(tmp_path):
    evaluation = random_evaluation()
    evaluation.to_parquet(tmp_path / "values.parquet")
    evaluation.to_csv(tmp_path / "values.csv")
    expected = rank_runs(evaluation, "D#-nDCG@10")
    pd.testing.assert_frame_equal(rank_runs(tmp_path / "values.parquet", "D#-nDCG@10"), expected)
    pd.testing.assert_frame_equal(rank_runs(tmp_path / "values.csv", "D#-nDCG@10"), expected)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "values.parquet"), evaluation.frame)
    polars = irdiv.evaluate({"1": {"a": 1}}, pl.DataFrame({"query_id": "1", "doc_id": "a", "score": 1.0}), "P@1")
    polars.to_csv(tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_text() == "run,query_id,measure,value\nrun,1,P@1,1.0\n"


def test_a_frame_of_several_measures_has_no_first_one():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["alpha-nDCG@10", "D#-nDCG@10"])
    assert evaluation.rank().equals(evaluation.rank("alpha-nDCG@10"))
    for call in (irdiv.stats.rank_runs, irdiv.stats.worst_topics):
        with pytest.raises(IrdivError, match="several measures; name one of 'alpha-nDCG@10', 'D#-nDCG@10'|'D#-nDCG"):
            call(evaluation.frame)
    assert irdiv.stats.rank_runs(evaluation.frame, "alpha-nDCG@10").equals(evaluation.rank())
    with pytest.raises(IrdivError, match="expected one measure"):
        evaluation.rank(["alpha-nDCG@10", "D#-nDCG@10"])


def test_a_corrected_test_draws_enough_samples():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    with pytest.warns(irdiv.IrdivWarning, match="n_resamples=100 is too few for a correction over 6 comparisons"):
        evaluation.rank(test="bootstrap", correction="holm", n_resamples=100)
    enough = evaluation.rank(test="bootstrap", correction="holm")
    assert enough["group"].tolist() == ["a", "a", "b", "b"]
    # The t test draws no samples, but the intervals do.
    assert evaluation.rank(test="t", correction="holm", n_resamples=500)["group"].str.len().max() == 1
