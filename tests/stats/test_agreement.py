"""Agreement of measures: rank correlations and concordance, by hand and against scipy; means of curves."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from helpers import evaluation_of, random_evaluation
from irdiv import stats


class TestCorrelations:
    def test_tau_against_scipy(self):
        evaluation = random_evaluation(runs=9)
        means = evaluation.values.mean(axis=2)
        matrix = stats.correlate(evaluation)
        assert matrix.index.tolist() == matrix.columns.tolist() == evaluation.specs()
        assert (matrix.index.name, matrix.columns.name) == ("measure", "measure")
        expected = [[scipy_stats.kendalltau(x, y).statistic for y in means.T] for x in means.T]
        np.testing.assert_allclose(matrix, expected)
        by_collection = stats.correlate({"web": evaluation}, by_collection=True)
        assert by_collection.index.names == ["collection", "measure"]
        np.testing.assert_array_equal(by_collection, matrix)

    @pytest.mark.parametrize(
        ("estimate", "gold", "expected"),
        [
            # gold a b c d, estimate b a c d: above a at rank 2 is b, which gold has below: 0 of 1; then 2 of 2, 3 of 3
            ([3, 4, 2, 1], [4, 3, 2, 1], 2 / 3 * (0 + 1 + 1) - 1),
            # a swap at the end costs less: 1, 1, 2/3
            ([4, 3, 1, 2], [4, 3, 2, 1], 2 / 3 * (1 + 1 + 2 / 3) - 1),
            # gold has b and c tied: below a, b is right, and c is right of a and half right of b
            ([3, 2, 1], [2, 1, 1], 2 / 2 * (1 + 1.5 / 2) - 1),
            # the estimate has b and c tied: as gold has them 1 + 1, the other way 1 + ½
            ([2, 1, 1], [3, 2, 1], (1 + 1 + 1 + 0.5) / 2 - 1),
            # both have the same tie
            ([2, 1, 1], [5, 4, 4], 1),
        ],
        ids=["swap on top", "swap at the end", "tie of gold", "tie of the estimate", "same tie"],
    )
    def test_tau_ap_by_hand(self, estimate, gold, expected):
        for order in itertools.permutations(range(len(gold))):
            x, y = (np.array(values)[list(order)] for values in (estimate, gold))
            assert stats.tau_ap(x, y) == pytest.approx(expected), order

    @pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b])
    def test_scores_that_differ_by_rounding_are_tied(self, function):
        tied, close, apart = [0.5, 0.5, 0.1], [0.5 + 2e-13, 0.5, 0.1], [0.5 + 2e-12, 0.5, 0.1]
        for other in ([3, 2, 1], [3, 1, 2]):
            assert function(close, other) == function(tied, other) != function(apart, other)
            assert function(other, close) == function(other, tied) != function(other, apart)
        assert function([True, False], [0.2, 0.1]) == function([1, 2], [1, 2], top=2) == 1
        assert function([1, 2], [2, 1]) == -1

    def test_constant_rankings(self):
        values = np.full((2, 3, 4), 0.5)
        values[0, 2] = 1
        matrix = stats.correlate(evaluation_of(values, ["I-rec@10", "D-nDCG@10", "ERR-IA@10"]))
        assert matrix.to_numpy().tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]

    def test_tau_ap_has_the_column_as_gold_and_its_symmetric_form_is_the_mean_of_both(self):
        evaluation = random_evaluation(runs=7)
        plain, symmetric = (stats.correlate(evaluation, method) for method in ("tau_ap", "tau_ap_symmetric"))
        means = evaluation.values.mean(axis=2).T
        np.testing.assert_allclose(plain, [[stats.tau_ap(x, gold) for gold in means] for x in means])
        np.testing.assert_allclose(symmetric, (plain + plain.T) / 2, atol=1e-12)
        assert [frame.columns.name for frame in (plain, symmetric)] == ["gold", "measure"]


class TestConcordance:
    def test_by_hand(self):
        # one pair of runs, five topics; differences of M1, M2 and two gold measures
        M1, M2, G1, G2 = [1, 1, -1, 1, 0], [-1, -1, 1, 1, 1], [1, 0, 1, -1, 1], [1, 1, 1, 1, 1]
        values = np.zeros((2, 4, 5))
        values[0] = [M1, M2, G1, G2]
        evaluation = evaluation_of(values, ["D-nDCG@10", "ERR-IA@10", "I-rec@10", "P-IA@10"])
        # they disagree on the first three topics; gold agrees with M1, is undecided, and agrees with M2
        found = stats.concordance(evaluation, "I-rec@10", measures=["D-nDCG@10", "ERR-IA@10"])
        assert found.columns.tolist() == ["measure", "other", "disagreements", "concordance", "other_concordance"]
        assert found.values.tolist() == [["D-nDCG@10", "ERR-IA@10", 3, 2 / 3, 2 / 3]]
        # differences by rounding alone are none
        values[0, 2, 1] = values[0, 0, 4] = -1e-12
        assert stats.concordance(evaluation, {"I-rec@10"}, measures=["D-nDCG@10", "ERR-IA@10"]).equals(found)
        # both gold measures must agree: topics 1 and 2 for M1, 3 for M2
        both = stats.concordance(evaluation, ["I-rec@10", "P-IA@10"])
        assert both.values.tolist() == [["D-nDCG@10", "ERR-IA@10", 3, 2 / 3, 1 / 3]]

    def test_pairs_of_measures_are_in_order(self):
        evaluation = random_evaluation(measures=["P@5", "AP", "I-rec@5", "RR"])
        found = stats.concordance(evaluation, "AP")[["measure", "other"]].values.tolist()
        assert found == [["P@5", "I-rec@5"], ["P@5", "RR"], ["I-rec@5", "RR"]]
        found = stats.concordance(evaluation, "AP", measures=["RR", "P@5"])[["measure", "other"]].values.tolist()
        assert found == [["RR", "P@5"]]

    def test_measures_that_never_disagree(self):
        values = random_evaluation().values[:, [0, 0, 1]]
        found = stats.concordance(evaluation_of(values, ["Q-IA", "AP-IA", "I-rec"]), "I-rec")
        assert found["disagreements"].tolist() == [0]
        assert found[["concordance", "other_concordance"]].isna().values.tolist() == [[True, True]]


@pytest.mark.parametrize("form", [lambda evaluation: evaluation, lambda evaluation: evaluation.frame])
def test_less_is_better_for_some_measures(form):
    values = random_evaluation(runs=6, measures=["F@10", "P@10", "AP"]).values
    turned = np.concatenate([1 - values[:, :1], values[:, 1:]], axis=1)
    plain, turned = (
        form(evaluation_of(values, ["F@10", "P@10", "AP"])),
        form(evaluation_of(turned, ["E@10", "P@10", "AP"])),
    )
    for method in ("tau", "tau_ap", "tau_ap_symmetric"):
        expected = stats.correlate(plain, method).rename({"F@10": "E@10"}).rename(columns={"F@10": "E@10"})
        found = stats.correlate(turned, method).loc[expected.index, expected.columns]
        pd.testing.assert_frame_equal(found, expected, check_names=False, obj=method)
    for gold, other in (("AP", "AP"), ("F@10", "E@10")):
        expected = stats.concordance(plain, gold).replace("F@10", "E@10")
        pd.testing.assert_frame_equal(stats.concordance(turned, other), expected, obj=gold)


class TestMeanCurves:
    CURVES = pd.DataFrame(
        {
            "run": ["b"] * 4 + ["a"] * 4,
            "query_id": ["1", "2"] * 4,
            "rank": [2, 2, 1, 1] * 2,
            "value": [0.2, 0.4, 0.1, 0.1, 1.0, 0.5, 0.0, 0.5],
        }
    )

    @pytest.mark.parametrize("level", [0.95, 0.5])
    def test_every_column_by_hand(self, level):
        found = stats.mean_curves(self.CURVES, interval="t", confidence_level=level)
        assert found.columns.tolist() == ["run", "rank", "mean", "low", "high"]
        # two values that differ by d have the standard error d/2
        quantile = scipy_stats.t.ppf((1 + level) / 2, 1)
        rows = [("b", 2, 0.3, 0.2), ("b", 1, 0.1, 0), ("a", 2, 0.75, 0.5), ("a", 1, 0.25, 0.5)]
        assert found.values.tolist() == [
            [run, rank, *map(pytest.approx, (mean, mean - quantile * d / 2, mean + quantile * d / 2))]
            for run, rank, mean, d in rows
        ]

    @pytest.mark.parametrize("value", ["value", "precision"])
    def test_names_of_columns_and_categories(self, value):
        runs = pd.Categorical(self.CURVES["run"], categories=["a", "b", "none"])
        given = self.CURVES.assign(measure="P", run=runs).rename(columns={"value": value, "rank": "recall"})
        found = stats.mean_curves(given, interval=None)
        assert found.columns.tolist() == ["run", "measure", "recall", "mean"]
        assert found["run"].tolist() == ["b", "b", "a", "a"]
        assert found["mean"].tolist() == pytest.approx([0.3, 0.1, 0.75, 0.25])

    def test_samples(self):
        found = stats.mean_curves(self.CURVES, interval="percentile", n_resamples=500, rng=2)
        means = np.array([0.2, 0.4])[np.random.default_rng(2).integers(0, 2, (500, 2))].mean(axis=1)
        assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(np.quantile(means, [0.025, 0.975]).tolist())

    def test_one_topic(self):
        found = stats.mean_curves(self.CURVES[self.CURVES["query_id"] == "1"])
        assert found["low"].tolist() == found["high"].tolist() == found["mean"].tolist() == [0.2, 0.1, 1.0, 0.0]
