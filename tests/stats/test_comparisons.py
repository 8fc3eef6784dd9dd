"""Comparisons of many systems, leaderboards, groups and marks, by hand and against scipy and tests of two systems."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import stats
from irdiv.io.tables import backend_of
from irdiv.stats import leaderboards
from irdiv.stats.ranking import group_letters
from irdiv.stats.significance import resamples_for, significant_differences

# Differences .1, .2, .3, .4: mean .25, sd √(.05/3), t = .25/(sd/2) = 3.873, p = .0305.
BETTER, WORSE = [0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]
SD = math.sqrt(0.05 / 3)
T = 0.25 / (SD / 2)
P = 2 * scipy_stats.t.sf(T, 3)
QUANTILE = scipy_stats.t.ppf(0.975, 3)
PAIR = evaluation_of(np.array([[BETTER], [WORSE]]), ["P@5"])
TWO_MEASURES = evaluation_of(np.array([[BETTER, WORSE], [WORSE, BETTER]]), ["P@5", "E@5"])
TESTS = ["bootstrap", "randomization", "t", "tukey"]


def records(frame: pd.DataFrame) -> list[dict]:
    return [
        {name: pytest.approx(value, nan_ok=True) if isinstance(value, float) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


class TestComparisons:
    def test_every_column_by_hand(self):
        effect_low, effect_high = stats.t_test(BETTER, WORSE).effect_interval
        expected = {
            "measure": "P@5", "run": "r0", "other": "r1", "mean": 0.675, "other_mean": 0.425, "difference": 0.25,
            "low": 0.25 - QUANTILE * SD / 2, "high": 0.25 + QUANTILE * SD / 2, "statistic": T, "p": P, "p_adjusted": P,
            "effect_size": 0.25 / SD, "effect_low": effect_low, "effect_high": effect_high,
        }  # fmt: skip
        found = stats.compare(PAIR, test="t", interval="t")
        assert found.columns.tolist() == list(expected)
        assert records(found) == [expected]

    @pytest.mark.parametrize("test", TESTS)
    def test_pairs_are_what_two_systems_are(self, test):
        evaluation = random_evaluation()
        of_two = stats.t_test if test == "tukey" else getattr(stats, f"{test}_test")
        frame = stats.compare(evaluation, test=test, rng=5, confidence_level=0.9)
        assert frame.index.tolist() == list(range(3 * 15))
        for row in frame.sample(8, random_state=0).to_dict("records"):
            measure = evaluation.specs().index(row["measure"])
            x, y = (evaluation.values[evaluation.runs.index(row[run]), measure] for run in ("run", "other"))
            one = of_two(x, y, rng=5, interval="bca", confidence_level=0.9)
            assert row["p"] == one.p or test == "tukey"
            found = [row[name] for name in ("difference", "low", "high", "effect_size", "effect_low", "effect_high")]
            expected = [one.difference, *one.interval, one.effect_size, *one.effect_interval]
            assert [row["statistic"], *found] == pytest.approx([one.statistic, *expected], abs=1e-12), row

    def test_p_by_seed(self):
        """These are frozen: another p for the same seed would change published results."""
        evaluation = random_evaluation(runs=3, topics=20, measures=["P@5"])
        found = {test: stats.compare(evaluation, test=test)["p"].tolist() for test in TESTS if test != "t"}
        assert found == {
            "bootstrap": [0.51, 0.034, 0.108],
            "randomization": [5085 / 10_001, 438 / 10_001, 1135 / 10_001],
            "tukey": [0.876, 0.08, 0.223],
        }

    def test_pairs_measures_and_baselines_are_in_order(self):
        def keys(**options):
            found = stats.compare(random_evaluation(runs=4), test="t", measures=["D-nDCG@10", "I-rec@10"], **options)
            return [" ".join(key) for key in found[["measure", "run", "other"]].to_numpy()]

        pairs = ["r0 r1", "r0 r2", "r0 r3", "r1 r2", "r1 r3", "r2 r3"]
        assert keys() == [f"{measure} {pair}" for measure in ("D-nDCG@10", "I-rec@10") for pair in pairs]
        with_baselines = ["r1 r3", "r2 r3", "r1 r0", "r2 r0"]
        expected = [f"{measure} {pair}" for measure in ("D-nDCG@10", "I-rec@10") for pair in with_baselines]
        assert keys(baseline=["r3", "r0"]) == expected
        # a baseline that is repeated counts once
        assert keys(baseline=["r3", "r0", "r3"]) == expected

    def test_a_repeated_measure_counts_once(self):
        once, twice = (stats.compare(TWO_MEASURES, test="t", measures=["E@5"] * n) for n in (1, 2))
        pd.testing.assert_frame_equal(once, twice)

    @pytest.mark.parametrize("method", ["holm", "bonferroni", "fdr_bh"])
    def test_corrections_against_statsmodels(self, method):
        frame = stats.compare(random_evaluation(), correction=method)
        for measure, rows in frame.groupby("measure"):
            assert rows["p_adjusted"].tolist() == multipletests(rows["p"], method=method)[1].tolist(), measure

    @pytest.mark.parametrize("test", TESTS)
    def test_identical_runs(self, test):
        evaluation = evaluation_of(np.tile(np.linspace(0, 1, 10), (3, 1, 1)))
        frame = stats.compare(evaluation, test=test, correction=None if test == "tukey" else "holm")
        assert frame["p"].tolist() == frame["p_adjusted"].tolist() == [1, 1, 1]
        assert frame.isna().sum().sum() == 0
        assert stats.discriminative_power(evaluation, test=test).summary()["significant"].tolist() == [0]


class TestInput:
    def test_tidy_frames_of_any_kind_and_order(self):
        frame = random_evaluation().frame
        expected = stats.compare(frame)
        for given in (
            frame.sample(frac=1, random_state=1),
            frame.assign(query_id=frame["query_id"].astype(int)),
            frame.rename(columns={"run": "name", "query_id": "qid"}),
            frame.assign(collection="one"),
        ):
            pd.testing.assert_frame_equal(stats.compare(given), expected)
        of_polars = stats.compare(pl.from_pandas(frame)).to_pandas()
        pd.testing.assert_frame_equal(of_polars, expected, check_dtype=False)

    def test_an_incomplete_measure_that_is_not_used_is_no_error(self):
        frame = random_evaluation(runs=2, topics=5).frame
        missing = (frame["run"] == "r0") & (frame["measure"] == "I-rec@10")
        found = stats.compare(frame[~missing], measures=["D-nDCG@10"])
        pd.testing.assert_frame_equal(found, stats.compare(frame, measures=["D-nDCG@10"]))

    @pytest.mark.parametrize("backend", ["polars", "pyarrow"])
    @pytest.mark.parametrize(
        "make",
        [
            lambda evaluation: stats.compare(evaluation, n_resamples=50),
            lambda evaluation: stats.leaderboard(evaluation, baseline="r0", n_resamples=50),
            lambda evaluation: stats.discriminative_power(evaluation, n_resamples=50).summary(),
            lambda evaluation: stats.discriminative_power(evaluation, test="t").summary(),
            lambda evaluation: stats.discriminative_power(evaluation, n_resamples=50).asl(),
            lambda evaluation: stats.discriminative_power(evaluation, n_resamples=50).agreement(),
            lambda evaluation: stats.power_by_topics(evaluation, trials=1, n_resamples=50),
            lambda evaluation: stats.swap_rates(evaluation, trials=2),
            lambda evaluation: stats.concordance(evaluation, "I-rec@10"),
            stats.correlate,
        ],
    )
    def test_results_are_frames_of_the_callers_library(self, backend, make):
        evaluation = random_evaluation(topics=10)
        expected = make(evaluation)
        theirs = replace(evaluation, backend=backend)
        found = make(theirs)
        assert backend_of(found) == backend_of(make(theirs.frame)) == backend
        in_pandas = nw.from_native(found, eager_only=True).to_pandas()
        if make is stats.correlate:
            in_pandas = in_pandas.set_index("measure")
        pd.testing.assert_frame_equal(in_pandas, expected, check_dtype=False, check_names=False)

    def test_defaults_are_the_same_everywhere(self):
        expected = {"level": {0.05}, "confidence_level": {0.95}, "rng": {0}, "n_resamples": {None, 1000, 10_000}}
        defaults = {name: set() for name in expected}
        for function in (getattr(stats, name) for name in stats.__all__ if name[0].islower()):
            for name, parameter in inspect.signature(function).parameters.items():
                if name in defaults:
                    defaults[name].add(parameter.default)
        assert defaults == expected


class TestLeaderboard:
    def test_means_and_intervals(self):
        evaluation = random_evaluation()
        frame = stats.leaderboard(evaluation, rng=4, confidence_level=0.9)
        assert frame.columns.tolist() == [
            *("measure", "run", "mean", "low", "high", "best", "difference", "p", "p_adjusted", "significant")
        ]
        assert len(frame) == 3 * 6
        for row in frame.to_dict("records"):
            values = evaluation.values[evaluation.runs.index(row["run"]), evaluation.specs().index(row["measure"])]
            alone = stats.bootstrap_test(values, np.zeros(30), rng=4, confidence_level=0.9)
            assert row["mean"] == values.mean()
            assert (row["low"], row["high"]) == pytest.approx(alone.interval, abs=1e-12), row
        assert frame[["difference", "p", "p_adjusted"]].notna().sum().sum() == frame["significant"].sum() == 0

    def test_runs_are_ordered_by_the_first_measure(self):
        values = np.array([[0.1, 0.5], [0.3, 0.9], [0.2, 0.7]])[..., None] + np.array([0.0, 0.01])
        evaluation = evaluation_of(values, ["D#-nDCG@10", "E"])
        frame = stats.leaderboard(evaluation)
        assert frame["run"].tolist() == ["r1", "r2", "r0"] * 2
        assert frame["measure"].tolist() == ["D#-nDCG@10"] * 3 + ["E"] * 3
        assert frame["best"].tolist() == [True, False, False, False, False, True]
        # less is better
        frame = stats.leaderboard(evaluation, measures=["E", "D#-nDCG@10"])
        assert frame["run"].tolist() == ["r0", "r2", "r1"] * 2
        assert frame["best"].tolist() == [True, False, False, False, False, True]
        # in a tidy frame measures are known by name only
        from_frame = stats.leaderboard(evaluation.frame, measures=["E", "D#-nDCG@10"])
        pd.testing.assert_frame_equal(from_frame, frame, check_dtype=False)

    def test_equal_means_are_all_best_and_keep_their_order(self):
        values = np.tile([[[0.2, 0.4]], [[0.6, 0.8]]], (20, 1, 1))
        found = stats.leaderboard(evaluation_of(values), interval="t")
        assert found["run"].tolist() == [f"r{i}" for i in (*range(1, 40, 2), *range(0, 40, 2))]
        assert found["best"].tolist() == [True] * 20 + [False] * 20
        # means that differ by rounding are equal
        means = np.array([[0.5, 0.2], [0.5 - 5e-13, 0.2 + 5e-13], [0.5 - 2e-12, 0.2 + 2e-12]])
        evaluation = evaluation_of(means[..., None], ["P@5", "E"])
        assert stats.leaderboard(evaluation)["best"].tolist() == [True, True, False] * 2
        assert evaluation.best().T.tolist() == [[True, True, False]] * 2

    @pytest.mark.parametrize("test", TESTS)
    def test_tests_are_those_of_comparisons(self, test):
        correction = None if test == "tukey" else "holm"
        options = {"baseline": "r2", "test": test, "correction": correction, "rng": 6, "n_resamples": 500}
        frame = stats.leaderboard(random_evaluation(), **options, level=0.2).set_index(["measure", "run"])
        tests = stats.compare(random_evaluation(), **options).set_index(["measure", "run"])
        names = ["mean", "difference", "p", "p_adjusted"]
        pd.testing.assert_frame_equal(frame.loc[tests.index, names], tests[names], check_exact=True)
        assert frame.loc[tests.index, "significant"].tolist() == (tests["p_adjusted"] < 0.2).tolist()
        assert 0 < frame["significant"].sum() < len(tests)
        baseline = frame.xs("r2", level="run")
        assert baseline[["difference", "p", "p_adjusted"]].notna().sum().sum() == baseline["significant"].sum() == 0

    def test_one_topic_or_one_run_has_no_test(self):
        one_topic = stats.leaderboard(evaluation_of(np.array([[[0.5]], [[0.7]]])), baseline="r0")
        assert one_topic[["run", "mean", "low", "high"]].values.tolist() == [["r1", *[0.7] * 3], ["r0", *[0.5] * 3]]
        assert one_topic[["difference", "p", "p_adjusted"]].notna().sum().sum() == 0
        one_run = stats.leaderboard(random_evaluation(runs=1), baseline="r0")
        assert one_run["best"].tolist() == one_run["p"].isna().tolist() == [True] * 3
        assert (one_run["low"] < one_run["high"]).tolist() == [True] * 3
        two = stats.leaderboard(evaluation_of(np.array([[[0.5, 0.6]], [[0.7, 0.9]]])), baseline="r0", test="t")
        assert two["p"].notna().tolist() == [True, False]

    def test_means_by_collection(self):
        def values(*means):
            return np.array([[[mean - 0.1, mean + 0.1], [1 - mean, 1 - mean]] for mean in means])

        one = evaluation_of(values(0.3, 0.6, 0.5), ["P@5", "E@5"])
        two = evaluation_of(values(0.4, 0.2), ["P@5", "E@5"])
        found = leaderboards.means_by_collection({"one": one, "two": two})
        # r0 and r1 are in both, with means .35 and .4 over collections; r2 is in one only
        assert (found.runs, found.collections) == (["r1", "r0", "r2"], ("one", "two"))
        np.testing.assert_allclose(found.means[..., 0], [[0.6, 0.2], [0.3, 0.4], [0.5, math.nan]])
        np.testing.assert_allclose(found.means[..., 1], [[0.4, 0.8], [0.7, 0.6], [0.5, math.nan]])
        assert found.best.tolist() == [[[True] * 2, [False] * 2], [[False] * 2, [True] * 2], [[False] * 2] * 2]
        # the same by E, where less is better
        by_e = {name: evaluation_of(e.values[:, ::-1], ["E@5", "P@5"]) for name, e in (("one", one), ("two", two))}
        assert leaderboards.means_by_collection(by_e).runs == ["r1", "r0", "r2"]


class TestRanking:
    def test_means_that_differ_by_rounding_have_one_rank(self):
        values = np.array([1e-12, 0.0, -2e-12])[:, None, None] + np.zeros(2)
        found = stats.rank_runs(evaluation_of(values), test="t", interval="t")
        assert found["rank"].tolist() == [1, 1, 3]

    @pytest.mark.parametrize(("test", "correction"), [("randomization", None), ("bootstrap", "bonferroni")])
    def test_options_are_those_of_leaderboards_and_comparisons(self, test, correction):
        evaluation = evaluation_of(np.random.default_rng(2).random((4, 1, 9)) + 0.2 * np.arange(4)[:, None, None])
        of_tests = {"test": test, "correction": correction, "plus_one": test == "bootstrap"}
        of_means = {"rng": 5, "n_resamples": 130, "interval": "percentile", "confidence_level": 0.6}
        found = stats.rank_runs(evaluation, level=0.1, **of_tests, **of_means)
        board = stats.leaderboard(evaluation, **of_means)
        pd.testing.assert_frame_equal(found[["run", "mean", "low", "high"]], board[["run", "mean", "low", "high"]])
        tests = stats.compare(evaluation, **of_tests, rng=5, n_resamples=130, interval="t")
        group = found.set_index("run")["group"]
        shared = [bool(set(group[a]) & set(group[b])) for a, b in zip(tests["run"], tests["other"], strict=True)]
        assert shared == (tests["p_adjusted"] >= 0.1).tolist()
        assert len(set(shared)) == 2

    def test_letters_of_significant_differences(self):
        significance = significant_differences(TWO_MEASURES, test="t")
        assert group_letters(significance, "P@5", ["r0", "r1"]) == ["a", "b"]
        assert group_letters(significance, "AP", ["r0", "r1"]) == ["a", "a"]


class TestSignificance:
    def test_every_field(self):
        found = significant_differences(TWO_MEASURES, test="t")
        assert found.different == {(m, *pair) for m in ("P@5", "E@5") for pair in (("r0", "r1"), ("r1", "r0"))}
        # r0 has less of E, which is better
        assert found.better == {("P@5", "r0", "r1"), ("E@5", "r0", "r1")}
        assert found.p == {("P@5", "r0", "r1"): pytest.approx(P), ("E@5", "r0", "r1"): pytest.approx(P)}
        assert (found.test, found.correction, found.level) == ("t", None, 0.05)
        assert (found.n_topics, found.n_comparisons, found.n_resamples, found.seed) == (4, 1, None, None)

    @pytest.mark.parametrize(
        ("options", "correction", "comparisons", "resamples", "stated_seed"),
        [
            ({}, "holm", 3, 1000, 0),
            ({"baseline": "r1"}, "holm", 2, 1000, 0),
            ({"correction": None}, None, 3, 1000, 0),
            ({"test": "tukey", "rng": np.int64(7), "n_resamples": 50}, None, 3, 50, 7),
            ({"test": "tukey", "rng": np.random.default_rng(7)}, None, 3, 1000, None),
            ({"test": "t"}, "holm", 3, None, None),
            # all combinations of signs are no samples
            ({"test": "randomization", "n_resamples": 512, "correction": None}, None, 3, None, None),
            ({"test": "randomization", "n_resamples": 511, "correction": None}, None, 3, 511, 0),
        ],
    )
    def test_how_it_was_tested(self, options, correction, comparisons, resamples, stated_seed):
        evaluation = evaluation_of(np.random.default_rng(1).random((3, 1, 9)))
        found = significant_differences(evaluation, **options)
        assert (found.correction, found.n_comparisons) == (correction, comparisons)
        assert (found.n_resamples, found.seed) == (resamples, stated_seed)
        if not isinstance(options.get("rng"), np.random.Generator):
            plain = stats.compare(evaluation, **{**options, "correction": correction})
            assert list(found.p.values()) == plain["p_adjusted"].tolist()

    @pytest.mark.parametrize(
        ("test", "correction", "expected"),
        [
            # the next thousand above (n + 1)/level: 49 comparisons need 1000, 50 need 1020
            ("bootstrap", "holm", {49: 1000, 50: 2000, 99: 2000, 100: 3000, 5000: 101_000}),
            ("randomization", "holm", {499: 10_000, 500: 11_000}),
            # no correction, or a test without samples of each pair
            ("bootstrap", None, {5000: 1000}),
            ("tukey", "holm", {5000: 1000}),
            ("t", "holm", {5000: 1000}),
        ],
    )
    def test_samples_by_number_of_comparisons(self, test, correction, expected):
        assert {n: resamples_for(test, None, correction, n, 0.05) for n in expected} == expected

    def test_samples_that_are_too_few_for_a_correction(self):
        # 1/B · 6 comparisons < 0.05 for B > 120
        evaluation = evaluation_of(np.random.default_rng(2).random((4, 1, 9)))
        significant_differences(evaluation, n_resamples=121)
        stats.rank_runs(evaluation, test="bootstrap", correction="holm", n_resamples=121)
        with pytest.warns(irdiv.IrdivWarning, match="n_resamples=120 .*6 comparisons at level 0.05.*Give 1000"):
            assert significant_differences(evaluation, n_resamples=120).n_resamples == 120
        with pytest.warns(irdiv.IrdivWarning, match="n_resamples=120 .*6 comparisons"):
            stats.rank_runs(evaluation, test="bootstrap", correction="holm", n_resamples=120)

    def test_p_at_the_level_is_not_significant(self):
        # p is 2/16, as all differences have one sign
        opposite = evaluation_of(np.array([[BETTER, WORSE], [WORSE, BETTER]]), ["P@5", "AP"])
        for level, is_significant in ((0.125, False), (0.126, True)):
            options = {"test": "randomization", "level": level}
            board = stats.leaderboard(PAIR, baseline="r1", **options)
            assert board["significant"].tolist() == [is_significant, False]
            assert stats.rank_runs(PAIR, **options)["group"].tolist() == (["a", "b"] if is_significant else ["a", "a"])
            assert len(significant_differences(PAIR, **options).different) == 2 * is_significant
            assert stats.discriminative_power(PAIR, **options).summary()["significant"].tolist() == [is_significant]
            cases = stats.disagreements(opposite, "P@5", "AP", significant="both", **options)
            assert len(cases) == 4 * is_significant
