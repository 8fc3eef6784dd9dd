"""Whole results of statistics on a few values: every column, by hand or by scipy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of
from irdiv import stats
from irdiv.stats import leaderboards, ranking
from irdiv.stats.ranking import compact_letters, group_letters
from irdiv.stats.significance import significant_differences

# Differences .1, .2, .3, .4: mean .25, sd √(.05/3), t = .25/(sd/2) = 3.873.
BETTER, WORSE = [0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]
SD = math.sqrt(0.05 / 3)
T = 0.25 / (SD / 2)
P = 2 * scipy_stats.t.sf(T, 3)
MARGIN = scipy_stats.t.ppf(0.975, 3) * SD / 2
PAIR = evaluation_of(np.array([[BETTER], [WORSE]]), ["P@5"])
TWO_MEASURES = evaluation_of(np.array([[BETTER, WORSE], [WORSE, BETTER]]), ["P@5", "E@5"])


def effect_ends(t: float, n: int) -> list[float]:
    """Return the δ for which t is at the quantiles .975 and .025 of its noncentral distribution, by bisection."""

    def solve(probability):
        low, high = -20.0, 20.0
        for _ in range(60):
            middle = (low + high) / 2
            if scipy_stats.nct.cdf(t, n - 1, middle) > probability:
                low = middle
            else:
                high = middle
        return low / math.sqrt(n)

    return [solve(0.975), solve(0.025)]


def records(frame: pd.DataFrame) -> list[dict]:
    return [
        {name: pytest.approx(value, nan_ok=True) if isinstance(value, float) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


class TestComparisons:
    def test_t_test_of_two_runs(self):
        effect_low, effect_high = effect_ends(T, 4)
        expected = {
            "measure": "P@5",
            "run": "r0",
            "other": "r1",
            "mean": 0.675,
            "other_mean": 0.425,
            "difference": 0.25,
            "low": 0.25 - MARGIN,
            "high": 0.25 + MARGIN,
            "statistic": T,
            "p": P,
            "p_adjusted": P,
            "effect_size": 0.25 / SD,
            "effect_low": effect_low,
            "effect_high": effect_high,
        }
        found = stats.compare(PAIR, test="t", interval="t")
        assert found.columns.tolist() == list(expected)
        assert records(found) == [expected]
        assert stats.compare(PAIR, test="t", interval="t", baseline="r0").to_dict("records")[0]["run"] == "r1"

    def test_pairs_and_measures_are_in_order(self):
        values = np.random.default_rng(0).random((3, 2, 5))
        found = stats.compare(evaluation_of(values, ["P@5", "AP"]), test="t")
        keys = found[["measure", "run", "other"]].values.tolist()
        pairs = [["r0", "r1"], ["r0", "r2"], ["r1", "r2"]]
        assert keys == [[measure, *pair] for measure in ("P@5", "AP") for pair in pairs]
        assert found.index.tolist() == list(range(6))

    def test_randomization(self):
        found = stats.compare(PAIR, test="randomization", interval="t")
        # 2 of the 16 combinations of signs are as far from 0
        assert found[["statistic", "p", "p_adjusted"]].values.tolist() == [[pytest.approx(0.25), 0.125, 0.125]]

    def test_tukey_keeps_what_the_t_test_says_but_p(self):
        by_t, by_tukey = (stats.compare(PAIR, test=test, interval="t") for test in ("t", "tukey"))
        pd.testing.assert_frame_equal(
            by_t.drop(columns=["p", "p_adjusted"]), by_tukey.drop(columns=["p", "p_adjusted"])
        )
        assert abs(by_tukey["p"][0] - 0.125) < 4 * math.sqrt(0.125 * 0.875 / 1000)

    def test_holm_by_hand(self):
        from irdiv.stats.comparison import _holm

        # in order .01 · 4, .02 · 3, .03 · 2, .6 · 1; the third is not below the second
        assert _holm(np.array([0.03, 0.01, 0.6, 0.02])).tolist() == pytest.approx([0.06, 0.04, 0.6, 0.06])
        assert _holm(np.array([0.5, 0.6])).tolist() == [1, 1]

    def test_a_small_effect(self):
        # differences −.1, .3, .1, −.1: mean .05, sd √(.11/3), t = .52
        z = np.array([-0.1, 0.3, 0.1, -0.1])
        t = 0.05 / (math.sqrt(0.11 / 3) / 2)
        for sign in (1, -1):
            result = stats.t_test(sign * z, np.zeros(4))
            ends = effect_ends(t, 4)
            assert result.effect_interval == pytest.approx(ends if sign > 0 else [-end for end in reversed(ends)])

    def test_two_systems(self):
        result = stats.t_test(BETTER, WORSE)
        assert (result.n, result.test) == (4, "t")
        assert result.difference == pytest.approx(0.25)
        assert result.interval == pytest.approx((0.25 - MARGIN, 0.25 + MARGIN))
        assert tuple(result) == pytest.approx((T, P))
        assert result.effect_size == pytest.approx(0.25 / SD)
        low, high = effect_ends(T, 4)
        assert result.effect_interval == pytest.approx((low, high))
        assert repr(result) == (
            f"PairedTestResult(t, n=4, difference=0.2500 [{0.25 - MARGIN:.4f}, {0.25 + MARGIN:.4f}], "
            f"statistic=3.8730, p={P:.4g}, effect_size=1.9365 [{low:.4f}, {high:.4f}])"
        )


class TestLeaderboard:
    def test_against_a_baseline(self):
        found = stats.leaderboard(PAIR, baseline="r1", test="t", interval="t", level=0.04)
        margins = {
            name: scipy_stats.t.ppf(0.975, 3) * np.std(values, ddof=1) / 2
            for name, values in (("r0", BETTER), ("r1", WORSE))
        }
        expected = [
            {
                "measure": "P@5", "run": "r0", "mean": 0.675, "low": 0.675 - margins["r0"],
                "high": 0.675 + margins["r0"], "best": True, "difference": 0.25, "p": P, "p_adjusted": P,
                "significant": True,
            },
            {
                "measure": "P@5", "run": "r1", "mean": 0.425, "low": 0.425 - margins["r1"],
                "high": 0.425 + margins["r1"], "best": False, "difference": math.nan, "p": math.nan,
                "p_adjusted": math.nan, "significant": False,
            },
        ]  # fmt: skip
        assert found.columns.tolist() == list(expected[0])
        assert records(found) == expected
        # p is .0305
        assert not stats.leaderboard(PAIR, baseline="r1", test="t", interval="t", level=0.03)["significant"].any()

    @pytest.mark.parametrize("test", ["bootstrap", "randomization", "tukey"])
    def test_tests_are_those_of_comparisons(self, test):
        evaluation = evaluation_of(np.random.default_rng(2).random((3, 2, 9)), ["P@5", "AP"])
        options = {"baseline": "r1", "test": test, "rng": 5, "n_resamples": 40, "interval": "percentile"}
        board = stats.leaderboard(evaluation, **options).set_index(["measure", "run"])
        tests = stats.compare(evaluation, **options).set_index(["measure", "run"])
        assert board.loc[tests.index, ["difference", "p", "p_adjusted"]].equals(
            tests[["difference", "p", "p_adjusted"]]
        )

    def test_a_correction(self):
        values = np.array([BETTER, WORSE, [0.45, 0.4, 0.3, 0.6]])[:, None]
        found = stats.leaderboard(evaluation_of(values), baseline="r1", test="t", correction="bonferroni")
        p = found.set_index("run")["p"]
        assert found.set_index("run").loc[["r0", "r2"], "p_adjusted"].tolist() == pytest.approx(
            [min(1, 2 * p["r0"]), min(1, 2 * p["r2"])]
        )

    def test_measures_where_less_is_better(self):
        found = stats.leaderboard(TWO_MEASURES, baseline="r1", test="t", interval="t")
        assert found[["measure", "run", "best"]].values.tolist() == [
            ["P@5", "r0", True], ["P@5", "r1", False], ["E@5", "r0", True], ["E@5", "r1", False],
        ]  # fmt: skip
        assert found["difference"].tolist() == pytest.approx([0.25, math.nan, -0.25, math.nan], nan_ok=True)

    def test_one_topic(self):
        found = stats.leaderboard(evaluation_of(np.array([[[0.5]], [[0.7]]])), baseline="r0")
        assert found[["run", "mean", "low", "high"]].values.tolist() == [["r1", 0.7, 0.7, 0.7], ["r0", 0.5, 0.5, 0.5]]
        assert found[["difference", "p", "p_adjusted"]].isna().all(axis=None)

    def test_two_topics_are_tested(self):
        found = stats.leaderboard(evaluation_of(np.array([[[0.5, 0.6]], [[0.7, 0.9]]])), baseline="r0", test="t")
        assert found["p"].notna().tolist() == [True, False]

    def test_many_runs_with_equal_means_keep_their_order(self):
        values = np.tile([[[0.2, 0.4]], [[0.6, 0.8]]], (20, 1, 1))
        found = stats.leaderboard(evaluation_of(values), interval="t")
        assert found["run"].tolist() == [f"r{i}" for i in (*range(1, 40, 2), *range(0, 40, 2))]

    def test_means_by_collection(self):
        def values(*means):
            return np.array([[[mean - 0.1, mean + 0.1], [1 - mean, 1 - mean]] for mean in means])

        one = evaluation_of(values(0.3, 0.6, 0.5), ["P@5", "E@5"])
        two = evaluation_of(values(0.4, 0.2), ["P@5", "E@5"])
        found = leaderboards.means_by_collection({"one": one, "two": two})
        # r0 and r1 are in both, with means .35 and .4 over collections; r2 is in one only
        assert found.runs == ["r1", "r0", "r2"]
        assert found.collections == ("one", "two")
        np.testing.assert_allclose(found.means[..., 0], [[0.6, 0.2], [0.3, 0.4], [0.5, math.nan]])
        np.testing.assert_allclose(found.means[..., 1], [[0.4, 0.8], [0.7, 0.6], [0.5, math.nan]])
        assert found.best.tolist() == [[[True] * 2, [False] * 2], [[False] * 2, [True] * 2], [[False] * 2] * 2]
        assert found.best.dtype == bool
        # the same by E, where less is better
        by_e = [evaluation_of(one.values[:, ::-1], ["E@5", "P@5"]) for one in (one, two)]
        assert leaderboards.means_by_collection(dict(zip("ab", by_e, strict=True))).runs == ["r1", "r0", "r2"]


class TestRanking:
    def test_runs_in_order(self):
        found = stats.rank_runs(PAIR, test="t", interval="t")
        assert found.columns.tolist() == ["measure", "rank", "run", "mean", "low", "high", "group"]
        assert found[["rank", "run", "group"]].values.tolist() == [[1, "r0", "a"], [2, "r1", "b"]]
        # p is .0305
        strict = stats.rank_runs(PAIR, test="t", interval="t", level=0.03)
        assert strict["group"].tolist() == ["a", "a"]

    def test_options_are_those_of_leaderboards_and_comparisons(self, monkeypatch):
        evaluation = evaluation_of(np.random.default_rng(2).random((4, 1, 9)) + 0.2 * np.arange(4)[:, None, None])
        asked = []
        monkeypatch.setattr(ranking, "compare", lambda table, **o: asked.append(o) or stats.compare(table, **o))
        of_means = {"rng": 5, "n_resamples": 60, "interval": "percentile", "confidence_level": 0.6}
        found = stats.rank_runs(evaluation, test="randomization", level=0.01, plus_one=False, **of_means)
        board = stats.leaderboard(evaluation, **of_means)
        pd.testing.assert_frame_equal(found[["run", "mean", "low", "high"]], board[["run", "mean", "low", "high"]])
        of_tests = {"test": "randomization", "correction": None, "rng": 5, "n_resamples": 60, "plus_one": False}
        assert asked == [{**of_tests, "interval": "t"}]
        tests = stats.compare(evaluation, **asked[0])
        group = found.set_index("run")["group"]
        shared = [bool(set(group[a]) & set(group[b])) for a, b in zip(tests["run"], tests["other"], strict=True)]
        assert shared == (tests["p"] >= 0.01).tolist()
        assert len(set(shared)) == 2
        stats.rank_runs(evaluation, test="t", correction="holm")
        assert asked[1] == {**of_tests, "test": "t", "correction": "holm", "rng": 0, "n_resamples": None,
                            "plus_one": None, "interval": "t"}  # fmt: skip

    def test_a_correction_over_all_pairs(self):
        evaluation = evaluation_of(np.random.default_rng(2).random((4, 1, 9)))
        with pytest.warns(irdiv.IrdivWarning, match="n_resamples=99 is too few for a correction over 6 comparisons"):
            stats.rank_runs(evaluation, test="bootstrap", correction="holm", n_resamples=99)

    def test_means_that_differ_by_rounding_have_one_rank(self):
        values = np.array([0.5, 0.5 + 1e-13, 0.5 - 1e-9])[:, None, None] + np.zeros(3)
        found = stats.rank_runs(evaluation_of(values), test="t", interval="t")
        assert found["rank"].tolist() == [1, 1, 3]

    def test_groups_are_stretches_where_the_test_allows_it(self):
        # of the runs that do not differ from 0 and 3, the one between them comes first; 4 differs from 1
        alike = np.eye(5, dtype=bool)
        for one, other in [(0, 1), (0, 3), (1, 3), (0, 4), (3, 4), (2, 4)]:
            alike[one, other] = alike[other, one] = True
        assert compact_letters(~alike) == ["ab", "a", "c", "ab", "bc"]

    def test_groups_without_order(self):
        # a cycle 0 1 2 3: each run is like its neighbors only
        alike = np.eye(4, dtype=bool)
        for one, other in [(0, 1), (1, 2), (2, 3), (0, 3)]:
            alike[one, other] = alike[other, one] = True
        assert compact_letters(~alike) == ["ab", "ac", "cd", "bd"]

    def test_numbers_have_commas_between(self):
        # run 0 is like all others, which all differ
        differ = ~np.eye(55, dtype=bool)
        differ[0] = differ[:, 0] = False
        labels = compact_letters(differ)
        assert labels[0] == ",".join(str(i) for i in range(1, 55))
        assert labels[1:] == [str(i) for i in range(1, 55)]
        # 52 groups have letters, 53 have numbers
        assert compact_letters(differ[:53, :53])[0] == "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        assert compact_letters(differ[:54, :54])[1] == "1"

    def test_differences_of_one_run_from_itself(self):
        with pytest.raises(irdiv.IrdivError, match="a comparison needs at least two runs, found 'r0'"):
            significant_differences(evaluation_of(np.zeros((1, 1, 3))), baseline="r0")

    def test_letters_of_significant_differences(self):
        significance = significant_differences(TWO_MEASURES, test="t")
        assert group_letters(significance, "P@5", ["r0", "r1"]) == ["a", "b"]
        assert group_letters(significance, "AP", ["r0", "r1"]) == ["a", "a"]


class TestSignificance:
    def test_all_fields(self):
        found = significant_differences(TWO_MEASURES, test="t")
        assert found.different == {(m, *pair) for m in ("P@5", "E@5") for pair in (("r0", "r1"), ("r1", "r0"))}
        # r0 has less of E, which is better
        assert found.better == {("P@5", "r0", "r1"), ("E@5", "r0", "r1")}
        assert found.p == {("P@5", "r0", "r1"): pytest.approx(P), ("E@5", "r0", "r1"): pytest.approx(P)}
        assert (found.test, found.correction, found.level) == ("t", None, 0.05)
        assert (found.n_topics, found.n_comparisons, found.n_resamples, found.seed) == (4, 1, None, None)

    def test_level(self):
        assert significant_differences(PAIR, test="t", level=0.03).different == frozenset()
        assert significant_differences(PAIR, test="t", level=0.031).better == {("P@5", "r0", "r1")}

    @pytest.mark.parametrize(("options", "comparisons"), [({}, 3), ({"baseline": "r1"}, 2)])
    def test_several_comparisons_are_corrected(self, options, comparisons):
        values = np.random.default_rng(0).random((3, 1, 6))
        found = significant_differences(evaluation_of(values), **options)
        assert (found.correction, found.n_comparisons) == ("holm", comparisons)
        assert (found.n_resamples, found.seed) == (1000, 0)
        assert significant_differences(evaluation_of(values), **options, correction=None).correction is None
        plain = stats.compare(evaluation_of(values), correction="holm", interval="t", **options)
        assert list(found.p.values()) == plain["p_adjusted"].tolist()

    def test_tukey_corrects_by_itself(self):
        values = np.random.default_rng(0).random((3, 1, 6))
        found = significant_differences(evaluation_of(values), test="tukey", rng=np.int64(7), n_resamples=50)
        assert (found.correction, found.n_resamples, found.seed) == (None, 50, 7)
        given = significant_differences(evaluation_of(values), test="tukey", rng=np.random.default_rng(7))
        assert (given.n_resamples, given.seed) == (1000, None)

    def test_all_combinations_of_signs_are_no_samples(self):
        found = significant_differences(PAIR, test="randomization", n_resamples=16)
        assert (found.n_resamples, found.seed) == (None, None)
        assert found.p["P@5", "r0", "r1"] == 0.125
        found = significant_differences(PAIR, test="randomization", n_resamples=15)
        assert (found.n_resamples, found.seed) == (15, 0)

    def test_p_is_that_of_comparisons_with_intervals_which_draw_samples_first(self):
        evaluation = evaluation_of(np.random.default_rng(1).random((4, 1, 9)))
        options = {"test": "randomization", "n_resamples": 40}
        found = list(significant_differences(evaluation, correction=None, **options).p.values())
        assert found == stats.compare(evaluation, **options)["p"].tolist()
        assert found != stats.compare(evaluation, interval="t", **options)["p"].tolist()


def test_p_at_the_level_is_not_significant():
    # p is 2/16, as all differences have one sign
    options = {"test": "randomization", "level": 0.125}
    assert not stats.leaderboard(PAIR, baseline="r1", **options)["significant"].any()
    assert stats.rank_runs(PAIR, **options)["group"].tolist() == ["a", "a"]
    assert significant_differences(PAIR, **options).different == frozenset()
    assert stats.discriminative_power(PAIR, **options).summary()["significant"].tolist() == [0]
    opposite = evaluation_of(np.array([[BETTER, WORSE], [WORSE, BETTER]]), ["P@5", "AP"])
    assert stats.disagreements(opposite, "P@5", "AP", significant="both", **options).empty
    options["level"] = 0.126
    assert stats.leaderboard(PAIR, baseline="r1", **options)["significant"].tolist() == [True, False]
    assert stats.rank_runs(PAIR, **options)["group"].tolist() == ["a", "b"]
    assert len(significant_differences(PAIR, **options).different) == 2
    assert len(stats.disagreements(opposite, "P@5", "AP", significant="both", **options)) == 4


class TestPower:
    def test_runs_without_a_difference_agree_on_nothing(self):
        found = stats.discriminative_power(evaluation_of(np.full((2, 2, 3), 0.5), ["P@5", "AP"]), test="t")
        assert found.agreement().iloc[0, 2:6].tolist() == [0, 0, 0, 0]

    def test_summary_and_curve(self):
        found = stats.discriminative_power(TWO_MEASURES, test="t")
        assert found.backend == "pandas"
        assert found.level == 0.05
        assert found.measures == ("P@5", "E@5")
        assert found.pairs == (("r0", "r1"),)
        assert found.direction.tolist() == [1, -1]
        summary = found.summary()
        assert summary.columns.tolist() == ["measure", "pairs", "significant", "power", "delta"]
        assert summary.drop(columns="delta").values.tolist() == [["P@5", 1, 1, 1.0], ["E@5", 1, 1, 1.0]]
        assert summary["delta"].isna().all()
        curve = found.asl()
        assert curve.columns.tolist() == ["measure", "rank", "run", "other", "difference", "p"]
        assert curve.values.tolist() == [
            ["P@5", 1, "r0", "r1", pytest.approx(0.25), pytest.approx(P)],
            ["E@5", 1, "r0", "r1", pytest.approx(-0.25), pytest.approx(P)],
        ]
        agreement = found.agreement()
        assert agreement.columns.tolist() == [
            "measure", "other", "only_first", "both", "only_second", "conflicts", "agreement",
        ]  # fmt: skip
        assert agreement.values.tolist() == [["P@5", "E@5", 0, 1, 0, 0, 1.0]]

    def test_a_measure_that_finds_nothing(self):
        found = stats.discriminative_power(TWO_MEASURES, test="t", level=0.01)
        assert found.agreement().iloc[0, 2:6].tolist() == [0, 0, 0, 0]
        assert math.isnan(found.agreement()["agreement"][0])
        assert [line.split() for line in repr(found).splitlines()] == [
            ["measure", "pairs", "significant", "power", "delta"],
            ["P@5", "1", "0", "0.00%"],
            ["E@5", "1", "0", "0.00%"],
        ]
        assert "<td>0.0000</td>\n      <td></td>" in found._repr_html_()
        assert "<th>0</th>" not in found._repr_html_()

    def test_it_prints_as_its_summary(self):
        pairs = (("a", "b"), ("a", "c"), ("b", "c"))
        p = np.array([[0.01, 0.02, 0.5], [0.5, 0.6, 0.7]])
        found = stats.DiscriminativePower(("P@5", "AP"), pairs, p, p, np.array([0.12345, 0.5]), np.ones(2))
        assert [line.split() for line in repr(found).splitlines()] == [
            ["measure", "pairs", "significant", "power", "delta"],
            ["P@5", "3", "2", "66.67%", "0.1235"],
            ["AP", "3", "0", "0.00%", "0.5000"],
        ]
        page = found._repr_html_()
        assert [cell for cell in ("<td>0.6667</td>", "<td>0.1235</td>", "<td>0.5000</td>") if cell not in page] == []

    def test_equal_p_keep_the_order_of_pairs(self):
        pairs = tuple((f"r{i}", "x") for i in range(40))
        p = np.tile([0.5, 0.1], 20)[None]
        found = stats.DiscriminativePower(("A",), pairs, p, p * 0, np.full(1, 0.5), np.ones(1))
        assert found.asl()["run"].tolist() == [f"r{i}" for i in (*range(1, 40, 2), *range(0, 40, 2))]
        assert found.asl()["rank"].tolist() == list(range(1, 41))
        # p at the level is not below it
        at_level = stats.DiscriminativePower(("A",), pairs, p, p * 0, np.full(1, 0.5), np.ones(1), level=0.1)
        assert at_level.summary()["significant"].tolist() == [0]
        assert at_level.summary()["delta"].tolist() == [0.5]

    def test_without_delta(self):
        with_delta, without = (stats.discriminative_power(PAIR, delta=delta, n_resamples=99) for delta in (True, False))
        assert with_delta.p.tolist() == without.p.tolist()
        assert np.isnan(without.delta).all()
        assert (with_delta.delta > 0).all()


class TestTopics:
    def test_topic_set_size(self):
        found = stats.topic_set_size(PAIR, 0.2)
        variance = (np.var(BETTER, ddof=1) + np.var(WORSE, ddof=1)) / 2
        expected = {
            "measure": "P@5",
            "variance": pytest.approx(variance),
            "difference": 0.2,
            "systems": 2,
            "t_test": stats.topics_for_t_test(2 * variance, 0.2),
            "anova": stats.topics_for_anova(variance, 0.2, 2),
            "interval": stats.topics_for_interval(2 * variance, 0.2),
        }
        assert found.columns.tolist() == list(expected)
        assert found.to_dict("records") == [expected]
        changed = stats.topic_set_size(PAIR, 0.2, systems=5, level=0.01, power=0.9, confidence_level=0.8).iloc[0]
        assert changed["systems"] == 5
        assert changed["t_test"] == stats.topics_for_t_test(2 * variance, 0.2, level=0.01, power=0.9)
        assert changed["anova"] == stats.topics_for_anova(variance, 0.2, 5, level=0.01, power=0.9)
        assert changed["interval"] == stats.topics_for_interval(2 * variance, 0.2, confidence_level=0.8)

    def test_systems_are_those_of_the_largest_collection(self):
        three = evaluation_of(np.random.default_rng(0).random((3, 1, 5)), ["P@5"])
        assert stats.topic_set_size({"two": PAIR, "three": three}, 0.2)["systems"].tolist() == [3]

    def test_pilot_variance(self):
        found = stats.pilot_variance(PAIR)
        assert found.columns.tolist() == ["measure", "variance", "degrees_of_freedom"]
        assert found["degrees_of_freedom"].tolist() == [6]
        two_way = stats.pilot_variance(PAIR, model="two-way")
        # half the variance of the differences, .05/3
        assert two_way.values.tolist() == [["P@5", pytest.approx(0.05 / 3 / 2), 3]]

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_few_topics(self, n):
        """The width that exactly n topics are expected to have takes n, and a little less takes more."""
        expected_sd = stats_chi_mean(n - 1) / math.sqrt(n - 1)
        width = 2 * scipy_stats.t.ppf(0.975, n - 1) * expected_sd / math.sqrt(n)
        assert stats.topics_for_interval(1, width * 1.0001) == n
        assert stats.topics_for_interval(1, width * 0.9999) == n + 1
        assert stats.topics_for_interval(4, 2 * width * 1.0001) == n

    def test_power_by_topics(self):
        found = stats.power_by_topics(TWO_MEASURES, sizes=[4, 3], trials=2, n_resamples=20)
        assert found.columns.tolist() == ["measure", "topics", "power", "low", "high"]
        keys = [["P@5", 4], ["E@5", 4], ["P@5", 3], ["E@5", 3]]
        assert found[["measure", "topics"]].values.tolist() == keys

    @pytest.mark.parametrize(("n_resamples", "level"), [(60, 0.2), (4, 0.5)])
    def test_power_by_topics_against_a_loop(self, n_resamples, level):
        values = np.random.default_rng(3).normal(0, 1, (3, 2, 9)) + np.array([0, 0.5, 1])[:, None, None]
        found = stats.power_by_topics(
            evaluation_of(values, ["P@5", "AP"]), sizes=[5, 8], trials=4, n_resamples=n_resamples, rng=6, level=level
        )
        rng, expected = np.random.default_rng(6), []
        for _ in (5, 8):
            expected.append([])
            for _ in range(4):
                size = (5, 8)[len(expected) - 1]
                topics = rng.choice(9, size, replace=False)
                drawn = rng.integers(0, size, (n_resamples, size))
                shares = [0, 0]
                for m in range(2):
                    for one, two in ((0, 1), (0, 2), (1, 2)):
                        z = (values[one, m] - values[two, m])[topics]
                        w = (z - z.mean())[drawn]
                        with np.errstate(divide="ignore"):
                            t = np.abs(w.mean(axis=1) / (w.std(axis=1, ddof=1) / math.sqrt(size)))
                        observed = abs(z.mean() / (z.std(ddof=1) / math.sqrt(size)))
                        shares[m] += ((t >= observed).mean() < level) / 3
                expected[-1].append(shares)
        by_size = np.array(expected).transpose(0, 2, 1).reshape(4, 4)
        assert found["power"].tolist() == pytest.approx(by_size.mean(axis=1).tolist())
        assert found["low"].tolist() == pytest.approx(by_size.min(axis=1).tolist())
        assert found["high"].tolist() == pytest.approx(by_size.max(axis=1).tolist())
        assert len(set(by_size.ravel())) > 2

    def test_default_sizes(self):
        def sizes(function, topics, **given):
            values = np.random.default_rng(0).random((2, 1, topics))
            return function(evaluation_of(values), trials=1, **given)["topics"].unique().tolist()

        # ten from five topics up to all, fewer if there are fewer sizes, and all where there are not five
        assert sizes(stats.power_by_topics, 50, n_resamples=2) == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
        assert sizes(stats.power_by_topics, 8, n_resamples=2) == [5, 6, 7, 8]
        assert sizes(stats.power_by_topics, 3, n_resamples=2) == [3]
        assert sizes(stats.swap_rates, 100) == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
        assert sizes(stats.swap_rates, 9) == [4]

    def test_swap_rates(self):
        # r0 is better by .25 on all topics but the last, where it is worse by .5
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.25, 0.25, 0.25, -0.5]
        found = stats.swap_rates(evaluation_of(values), sizes=[2], trials=50, bin_width=0.125)
        assert found.columns.tolist() == ["measure", "topics", "low", "high", "comparisons", "swaps", "rate"]
        # halves differ by .25 and −.125, in one order or the other: all are swaps
        assert found.drop(columns=["comparisons", "swaps"]).values.tolist() == [
            ["D#-nDCG@10", 2, 0.125, 0.25, 1.0],
            ["D#-nDCG@10", 2, 0.25, 0.375, 1.0],
        ]
        assert found["comparisons"].sum() == found["swaps"].sum() == 50
        assert (found["comparisons"] > 0).all()

    def test_sets_without_a_difference_are_left_out(self):
        # on sets of one topic: no difference on half of them, and on the others either sign
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.3, 0, 0, 0]
        assert stats.swap_rates(evaluation_of(values), sizes=[1], trials=50).empty
        values[0, 0] = [0.3, 1e-14, -1e-14, 0]
        assert stats.swap_rates(evaluation_of(values), sizes=[1], trials=50).empty


def stats_chi_mean(degrees: int) -> float:
    return scipy_stats.chi(degrees).mean()


class TestAgreement:
    def test_columns(self):
        values = np.random.default_rng(0).random((4, 3, 5))
        evaluation = evaluation_of(values, ["P@5", "AP", "I-rec@5"])
        found = stats.concordance(evaluation, "I-rec@5")
        assert found.columns.tolist() == ["measure", "other", "disagreements", "concordance", "other_concordance"]
        three = evaluation_of(np.random.default_rng(0).random((4, 4, 5)), ["P@5", "AP", "I-rec@5", "RR"])
        assert stats.concordance(three, "AP")[["measure", "other"]].values.tolist() == [
            ["P@5", "I-rec@5"], ["P@5", "RR"], ["I-rec@5", "RR"],
        ]  # fmt: skip
        # measures in the order given, gold among them or not
        assert stats.concordance(three, "AP", measures=["RR", "P@5"])[["measure", "other"]].values.tolist() == [
            ["RR", "P@5"]
        ]

    def test_correlations(self):
        # means .1 < .2 < .3, and .2 > .1 < .3: one of three pairs is swapped
        values = np.array([[[0.1], [0.2]], [[0.2], [0.1]], [[0.3], [0.3]]])
        evaluation = evaluation_of(values, ["P@5", "AP"])
        found = stats.correlate(evaluation)
        assert found.index.tolist() == found.columns.tolist() == ["P@5", "AP"]
        assert (found.index.name, found.columns.name) == ("measure", "measure")
        assert found.values.tolist() == [[1, pytest.approx(1 / 3)], [pytest.approx(1 / 3), 1]]
        by_collection = stats.correlate({"web": evaluation}, by_collection=True)
        assert by_collection.index.names == ["collection", "measure"]

    def test_intervals_of_correlations(self):
        values = np.random.default_rng(2).random((4, 2, 6))
        evaluation = evaluation_of(values, ["P@5", "AP"])
        found = stats.correlation_intervals(evaluation, n_resamples=30, rng=3, confidence_level=0.5)
        assert found.columns.tolist() == ["measure", "other", "correlation", "low", "high"]
        drawn = np.random.default_rng(3).integers(0, 6, (30, 6))
        taus = [scipy_stats.kendalltau(*values[:, :, topics].mean(axis=2).T).statistic for topics in drawn]
        tau = scipy_stats.kendalltau(*values.mean(axis=2).T).statistic
        low, high = np.quantile(taus, [0.25, 0.75])
        assert found.values.tolist() == [["P@5", "AP", pytest.approx(tau), pytest.approx(low), pytest.approx(high)]]
        both = stats.correlation_intervals(evaluation, "tau_ap", n_resamples=5)
        assert both[["measure", "other"]].values.tolist() == [["P@5", "AP"], ["AP", "P@5"]]
        assert low < high

    def test_leaderboards_of_two_judges(self):
        x, y = np.random.default_rng(2).random((2, 4, 2, 6))
        found = stats.compare_leaderboards(
            evaluation_of(x, ["P@5", "AP"]),
            evaluation_of(y, ["P@5", "AP"]),
            n_resamples=30,
            rng=3,
            confidence_level=0.5,
        )
        assert found.columns.tolist() == ["measure", "runs", "topics", "correlation", "low", "high"]
        drawn = np.random.default_rng(3).integers(0, 6, (30, 6))
        for m, row in enumerate(found.to_dict("records")):
            taus = [
                scipy_stats.kendalltau(x[:, m][:, s].mean(axis=1), y[:, m][:, s].mean(axis=1)).statistic for s in drawn
            ]
            low, high = np.quantile(taus, [0.25, 0.75])
            tau = scipy_stats.kendalltau(x[:, m].mean(axis=1), y[:, m].mean(axis=1)).statistic
            assert (row["measure"], row["runs"], row["topics"]) == (("P@5", "AP")[m], 4, 6)
            assert (row["correlation"], row["low"], row["high"]) == pytest.approx((tau, low, high))


class TestCurves:
    CURVES = pd.DataFrame(
        {
            "run": ["b"] * 4 + ["a"] * 4,
            "query_id": ["1", "2"] * 4,
            "rank": [2, 2, 1, 1] * 2,
            "value": [0.2, 0.4, 0.1, 0.1, 1.0, 0.5, 0.0, 0.5],
        }
    )

    def test_order_and_columns(self):
        found = stats.mean_curves(self.CURVES, interval="t")
        assert found.columns.tolist() == ["run", "rank", "mean", "low", "high"]
        margin = {spread: scipy_stats.t.ppf(0.975, 1) * spread / 2 for spread in (0.2, 0, 0.5)}
        assert found.values.tolist() == [
            ["b", 2, *map(pytest.approx, (0.3, 0.3 - margin[0.2], 0.3 + margin[0.2]))],
            ["b", 1, *map(pytest.approx, (0.1, 0.1, 0.1))],
            ["a", 2, *map(pytest.approx, (0.75, 0.75 - margin[0.5], 0.75 + margin[0.5]))],
            ["a", 1, *map(pytest.approx, (0.25, 0.25 - margin[0.5], 0.25 + margin[0.5]))],
        ]
        assert stats.mean_curves(self.CURVES, interval=None).columns.tolist() == ["run", "rank", "mean"]
        narrow = stats.mean_curves(self.CURVES, interval="t", confidence_level=0.5)
        assert narrow["high"][0] == pytest.approx(0.3 + scipy_stats.t.ppf(0.75, 1) * 0.1)

    @pytest.mark.parametrize("value", ["value", "precision"])
    def test_measures_and_other_values(self, value):
        given = self.CURVES.assign(measure="P").rename(columns={"value": value, "rank": "recall"})
        found = stats.mean_curves(given, interval=None)
        assert found.columns.tolist() == ["run", "measure", "recall", "mean"]
        assert found["mean"].tolist() == pytest.approx([0.3, 0.1, 0.75, 0.25])

    def test_runs_that_are_categories(self):
        given = self.CURVES.assign(run=pd.Categorical(self.CURVES["run"], categories=["a", "b", "none"]))
        found = stats.mean_curves(given, interval=None)
        assert found["run"].tolist() == ["b", "b", "a", "a"]
        assert found["mean"].tolist() == pytest.approx([0.3, 0.1, 0.75, 0.25])

    def test_samples(self):
        found = stats.mean_curves(self.CURVES, interval="percentile", n_resamples=500, rng=2)
        means = np.array([0.2, 0.4])[np.random.default_rng(2).integers(0, 2, (500, 2))].mean(axis=1)
        assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(np.quantile(means, [0.025, 0.975]).tolist())

    @pytest.mark.parametrize("column", ["run", "query_id", "rank", "value"])
    def test_a_column_that_is_missing(self, column):
        with pytest.raises(irdiv.IrdivError):
            stats.mean_curves(self.CURVES.drop(columns=column))
        if column in ("rank", "value"):
            with pytest.raises(irdiv.IrdivError, match="curves are what"):
                stats.mean_curves(self.CURVES.assign(precision=1.0, depth=1).drop(columns=column).assign(more=1))
