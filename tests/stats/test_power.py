"""Discriminative power, power by number of topics, and swap rates, by hand and against loops."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import stats

PAIRS = (("r0", "r1"), ("r0", "r2"), ("r1", "r2"))
NAN = pytest.approx(math.nan, nan_ok=True)
BETTER, WORSE = [0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]
TWO_MEASURES = evaluation_of(np.array([[BETTER, WORSE], [WORSE, BETTER]]), ["P@5", "E@5"])


def power_of(p, difference=None, direction=None, pairs=PAIRS, **options) -> stats.DiscriminativePower:
    p = np.array(p)
    difference = np.full(p.shape, 0.1) if difference is None else np.array(difference)
    direction = np.ones(len(p)) if direction is None else np.array(direction)
    delta = np.linspace(0.12345, 0.5, len(p))
    return stats.DiscriminativePower(("A", "B", "C")[: len(p)], pairs, p, difference, delta, direction, **options)


class TestDiscriminativePower:
    @pytest.mark.parametrize("test", ["bootstrap", "randomization", "t", "tukey"])
    def test_it_is_the_share_of_significant_pairs(self, test):
        evaluation = random_evaluation()
        found = stats.discriminative_power(evaluation, test=test, rng=3, level=0.1)
        # the randomization test draws signs first, as it needs no samples for intervals
        tests = stats.compare(evaluation, test=test, rng=3, interval="bca" if test == "bootstrap" else "t")
        curves = found.asl()
        for row in found.summary().to_dict("records"):
            of_measure = tests[tests["measure"] == row["measure"]].sort_values("p", kind="stable")
            is_significant = of_measure["p"] < 0.1
            assert row["significant"] == is_significant.sum()
            assert row["power"] == is_significant.mean()
            curve = curves[curves["measure"] == row["measure"]]
            assert curve["rank"].tolist() == list(range(1, 16))
            names = ["run", "other", "p"]
            assert curve[names].values.tolist() == of_measure[names].values.tolist()
            assert curve["difference"].tolist() == pytest.approx(of_measure["difference"].tolist())
        assert np.isnan(found.delta).tolist() == [test != "bootstrap"] * 3

    def test_of_two_runs(self):
        found = stats.discriminative_power(TWO_MEASURES, test="t")
        assert (found.measures, found.pairs, found.level) == (("P@5", "E@5"), (("r0", "r1"),), 0.05)
        summary = found.summary()
        assert summary.columns.tolist() == ["measure", "pairs", "significant", "power", "delta"]
        assert summary.iloc[:, :4].values.tolist() == [["P@5", 1, 1, 1.0], ["E@5", 1, 1, 1.0]]
        assert found.asl().columns.tolist() == ["measure", "rank", "run", "other", "difference", "p"]
        # r0 has less of E, which is better
        assert found.agreement().values.tolist() == [["P@5", "E@5", 0, 1, 0, 0, 1.0]]

    @pytest.mark.parametrize(
        ("n_resamples", "level", "place"),
        [(90, 0.05, 4), (100, 0.29, 29), (100, 0.05, 5), (50, 0.001, 1), (40, 0.04, 1), (1, 0.5, 1)],
    )
    @pytest.mark.parametrize("n_topics", [6, 15])
    def test_the_required_difference(self, n_resamples, level, place, n_topics):
        """It is the mean of the sample with the (B·level)-th largest t, of at least the largest."""
        values = np.random.default_rng(0).random((3, 2, n_topics)) * np.array([1, 100])[:, None]
        drawn = np.random.default_rng(2).integers(0, n_topics, (n_resamples, n_topics))
        expected = []
        for measure in range(2):
            needed = []
            for one, two in itertools.combinations(range(3), 2):
                z = values[one, measure] - values[two, measure]
                samples = (z - z.mean())[drawn]
                means = np.abs(samples.mean(axis=1))
                with np.errstate(divide="ignore"):
                    t = means / samples.std(axis=1)
                needed.append(means[np.argsort(-t)[place - 1]])
            expected.append(max(needed))
        options = {"level": level, "n_resamples": n_resamples, "rng": 2}
        found = stats.discriminative_power(evaluation_of(values, ["P@5", "AP"]), **options)
        assert found.delta.tolist() == pytest.approx(expected)
        without = stats.discriminative_power(evaluation_of(values, ["P@5", "AP"]), delta=False, **options)
        np.testing.assert_array_equal(without.p, found.p)
        assert np.isnan(without.delta).tolist() == [True, True]

    @pytest.mark.parametrize("shift", [0, 0.1])
    def test_the_required_difference_where_samples_are_of_zeros_only(self, shift):
        # less their mean, the differences are again 0 but for rounding
        z = np.array([1, -1] + [0] * 8) / 2
        trials = []
        for topics in np.random.default_rng(0).integers(0, 10, (1000, 10)):
            sample = z[topics]
            is_flat = np.ptp(sample) == 0
            t = (np.inf if sample[0] else 0) if is_flat else abs(sample.mean() / (sample.std(ddof=1) / math.sqrt(10)))
            trials.append((round(t, 9), abs(sample.mean())))
        found = stats.discriminative_power(evaluation_of(np.stack([z + shift, 0 * z])[:, None]), rng=0).delta[0]
        assert found == pytest.approx(sorted(trials, reverse=True)[49][1])

    @pytest.mark.parametrize(
        ("p", "difference", "direction", "expected"),
        [
            (
                [(0.01, 0.2, 0.04), (0.01, 0.01, 0.9), (0.5, 0.5, 0.05)], None, None,
                [["A", "B", 1, 1, 1, 0, 1 / 3], ["A", "C", 2, 0, 0, 0, 0], ["B", "C", 2, 0, 0, 0, 0]],
            ),
            # They agree on the first pair, contradict each other on the second, and only one decides the third.
            (
                [(0.01, 0.01, 0.01), (0.01, 0.01, 0.9)], [(0.1, 0.1, 0.1), (0.2, -0.2, -0.2)], None,
                [["A", "B", 1, 1, 0, 1, 1 / 3]],
            ),
            # Less is better for B, so that the first and the second pair change places.
            (
                [(0.01, 0.01, 0.01), (0.01, 0.9, 0.01)], [(0.1, 0.1, 0.1), (0.2, -0.2, -0.2)], [1, -1],
                [["A", "B", 1, 1, 0, 1, 1 / 3]],
            ),
            ([(0.5, 0.6, 0.7)] * 2, None, None, [["A", "B", 0, 0, 0, 0, NAN]]),
            ([(0.01, 0.01, 0.01)] * 2, [(0, 0, 0)] * 2, None, [["A", "B", 0, 0, 0, 0, NAN]]),
        ],
        ids=["counts", "conflicts", "less is better", "nothing found", "no difference"],
    )  # fmt: skip
    def test_agreement_by_hand(self, p, difference, direction, expected):
        found = power_of(p, difference, direction).agreement()
        columns = ["measure", "other", "only_first", "both", "only_second", "conflicts", "agreement"]
        assert found.columns.tolist() == columns
        assert found.values.tolist() == expected

    def test_it_prints_as_its_summary_in_every_library(self):
        found = power_of([[0.01, 0.02, 0.5], [0.5, 0.6, 0.7]])
        assert [line.split() for line in repr(found).splitlines()] == [
            ["measure", "pairs", "significant", "power", "delta"],
            ["A", "3", "2", "66.67%", "0.1235"],
            ["B", "3", "0", "0.00%", "0.5000"],
        ]
        page = found._repr_html_()
        assert [cell for cell in ("0.6667", "0.1235", "0.5000") if f"<td>{cell}</td>" not in page] == []
        in_polars = replace(found, backend="polars")
        assert (repr(in_polars), in_polars._repr_html_()) == (repr(found), page)
        # without delta
        without = stats.discriminative_power(TWO_MEASURES, test="t", level=0.01)
        assert repr(without).splitlines()[1].split() == ["P@5", "1", "0", "0.00%"]
        assert "<td>0.0000</td>\n      <td></td>" in without._repr_html_()
        assert "<th>0</th>" not in without._repr_html_()

    def test_equal_p_keep_the_order_of_pairs(self):
        found = power_of([np.tile([0.5, 0.1], 20)], pairs=tuple((f"r{i}", "x") for i in range(40)), level=0.1)
        assert found.asl()["run"].tolist() == [f"r{i}" for i in (*range(1, 40, 2), *range(0, 40, 2))]
        # p at the level is not below it
        assert found.summary()["significant"].tolist() == [0]


class TestPowerByTopics:
    @pytest.mark.parametrize(("n_resamples", "level"), [(60, 0.2), (4, 0.5)])
    def test_against_a_loop(self, n_resamples, level):
        values = np.random.default_rng(3).normal(0, 1, (3, 2, 9)) + np.array([0, 0.5, 1])[:, None, None]
        rng, expected = np.random.default_rng(6), []
        for size in (8, 5):
            shares = np.zeros((2, 4))
            for trial in range(4):
                topics = rng.choice(9, size, replace=False)
                drawn = rng.integers(0, size, (n_resamples, size))
                for m, (one, two) in itertools.product(range(2), itertools.combinations(range(3), 2)):
                    z = (values[one, m] - values[two, m])[topics]
                    w = (z - z.mean())[drawn]
                    with np.errstate(divide="ignore"):
                        t = np.abs(w.mean(axis=1) / w.std(axis=1, ddof=1))
                    shares[m, trial] += ((t >= abs(z.mean() / z.std(ddof=1))).mean() < level) / 3
            expected += [[measure, size, *share] for measure, share in zip(("P@5", "AP"), shares, strict=True)]
        options = {"sizes": [8, 5], "trials": 4, "n_resamples": n_resamples, "rng": 6, "level": level}
        found = stats.power_by_topics(evaluation_of(values, ["P@5", "AP"]), **options)
        assert found.columns.tolist() == ["measure", "topics", "power", "low", "high"]
        assert found.values.tolist() == [
            [measure, size, *map(pytest.approx, (np.mean(shares), min(shares), max(shares)))]
            for measure, size, *shares in expected
        ]
        assert len({share for _, _, *shares in expected for share in shares}) > 2

    def test_pairs_without_an_extreme_sample_are_significant(self):
        # p = 0/10, where (0 + 1)/(10 + 1) would not be below 0.05
        base = np.linspace(0.1, 0.5, 20)
        better = base + 0.3 + np.tile([-0.01, 0.01], 10)
        evaluation = evaluation_of(np.stack([better, base])[:, None])
        assert stats.power_by_topics(evaluation, sizes=[20], trials=1, n_resamples=10)["power"].tolist() == [1]

    @pytest.mark.parametrize(
        ("function", "n_topics", "sizes"),
        [
            # ten from five topics up to all, fewer if there are fewer sizes, and all where there are not five
            (stats.power_by_topics, 50, [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]),
            (stats.power_by_topics, 8, [5, 6, 7, 8]),
            (stats.power_by_topics, 3, [3]),
            (stats.swap_rates, 100, [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]),
            (stats.swap_rates, 9, [4]),
        ],
    )
    def test_default_sizes(self, function, n_topics, sizes):
        values = np.random.default_rng(0).random((2, 1, n_topics))
        options = {"n_resamples": 2} if function is stats.power_by_topics else {}
        assert function(evaluation_of(values), trials=1, **options)["topics"].unique().tolist() == sizes

    def test_default_options(self):
        evaluation = random_evaluation(runs=2, topics=6)
        explicit = stats.power_by_topics(evaluation, trials=20, n_resamples=1000, level=0.05, rng=0)
        assert stats.power_by_topics(evaluation).equals(explicit)
        assert stats.swap_rates(evaluation).equals(stats.swap_rates(evaluation, trials=100, bin_width=0.01, rng=0))


class TestSwapRates:
    def test_against_a_loop(self):
        evaluation = random_evaluation(runs=3, topics=9)
        expected = {}
        for trial in np.random.default_rng(7).random((30, 9)).argsort(axis=1):
            for one, two in itertools.combinations(range(3), 2):
                z = evaluation.values[one, 0] - evaluation.values[two, 0]
                first, second = z[trial[:4]].mean(), z[trial[4:8]].mean()
                counts = expected.setdefault(int(abs(first) / 0.05), [0, 0])
                counts[0] += 1
                counts[1] += first * second < 0
        found = stats.swap_rates(evaluation, sizes=[4], trials=30, bin_width=0.05, measures="I-rec@10", rng=7)
        assert found.columns.tolist() == ["measure", "topics", "low", "high", "comparisons", "swaps", "rate"]
        assert found.values.tolist() == [
            ["I-rec@10", 4, pytest.approx(0.05 * b), pytest.approx(0.05 * (b + 1)), n, swaps, swaps / n]
            for b, (n, swaps) in sorted(expected.items())
        ]

    @pytest.mark.parametrize("rounding", [0, 1e-14, 1e-12])
    def test_sets_without_a_difference_are_left_out(self, rounding):
        # on sets of one topic: no difference on one of the two
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.3, rounding, -rounding, 0]
        assert stats.swap_rates(evaluation_of(values), sizes=[1], trials=50).empty

    def test_bins(self):
        # .1 + .2 is a little more than .3, and .3/.1 a little less than 3: both are in the bin from .3
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.3, 0.3, -0.1 - 0.2, -0.3]
        found = stats.swap_rates(evaluation_of(values), sizes=[1], trials=30, bin_width=0.1)
        assert found[["low", "high"]].values.tolist() == [pytest.approx([0.3, 0.4])]


class TestTopicSetSizes:
    def test_systems_are_those_of_the_largest_collection(self):
        two, three = (random_evaluation(runs=runs) for runs in (2, 3))
        assert stats.topic_set_size({"two": two, "three": three}, 0.2)["systems"].tolist() == [3] * 3

    def test_a_variance_by_rounding_is_none(self):
        values = np.array([[[0.5, 0.5 + 1e-13]], [[0.5, 0.5]]])
        with pytest.raises(irdiv.IrdivError, match="has the same value for all topics"):
            stats.topic_set_size(evaluation_of(values), 0.1)
        values[0, 0, 1] = 0.5 + 1e-10
        assert stats.topic_set_size(evaluation_of(values), 0.1)["t_test"].tolist() == [2]

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_few_topics(self, n):
        """The width that exactly n topics are expected to have takes n, and a little less takes more."""
        expected_sd = scipy_stats.chi(n - 1).mean() / math.sqrt(n - 1)
        width = 2 * scipy_stats.t.ppf(0.975, n - 1) * expected_sd / math.sqrt(n)
        found = [stats.topics_for_interval(1, width * 1.0001), stats.topics_for_interval(1, width * 0.9999)]
        assert found == [n, n + 1]
