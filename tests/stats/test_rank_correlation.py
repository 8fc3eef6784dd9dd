"""Rank correlations with ties, of the best systems and with intervals, against scipy, R's ircor and by hand."""

from __future__ import annotations

import io
import itertools
import math
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.stats import compare_leaderboards, correlate, correlation_intervals, rank_correlation, tau, tau_ap, tau_ap_b
from irdiv_cli import main

# The data of the tests and the examples of ircor, by Urbano and Marrero, and the values that it gives.
X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
IRCOR = [
    (X, Y.round(1), 0.3317019),
    (X.round(1), Y.round(1), 0.339418),
    ([0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1], [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1], 0.7321),
    ([0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4], [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6], 0.297),
    ([0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4], [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2], -0.7047),
]

CORRELATIONS = {
    "tau": lambda x, y: scipy_stats.kendalltau(x, y).statistic,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": lambda x, y: (tau_ap(x, y) + tau_ap(y, x)) / 2,
    "tau_ap_b": tau_ap_b,
}


class TestTauApB:
    @pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
    def test_against_ircor(self, x, y, expected):
        assert (tau_ap_b(x, y), tau_ap_b(y, x)) == pytest.approx((expected, expected), abs=5e-5)

    def test_tau_ap_against_ircor(self):
        # ircor's first argument is gold
        assert tau_ap(Y, X) == pytest.approx(0.3928571, abs=5e-8)

    def test_by_hand(self):
        # x has groups {a}, {b, c}; y ranks a b c. From x: above b and c is a, as in y: 1 and 1, so 2/2 · 2 − 1 = 1.
        # From y: above b is a, as in x: 1 of 1; above c are a, as in x, and b, tied in x: 1 of 2; 2/2 · 1.5 − 1 = 0.5
        assert tau_ap_b([2, 1, 1], [3, 2, 1]) == pytest.approx((1 + 0.5) / 2)

    def test_against_a_loop(self):
        def one_direction(x, y):
            above = [[j for j in range(len(x)) if x[j] > x[i]] for i in range(len(x))]
            parts = [sum(y[j] > y[i] for j in js) / len(js) for i, js in enumerate(above) if js]
            return 2 * sum(parts) / len(parts) - 1

        rng = np.random.default_rng(1)
        for _ in range(30):
            x, y = rng.integers(0, 4, (2, 8))
            expected = (one_direction(x, y) + one_direction(y, x)) / 2
            assert tau_ap_b(x, y) == pytest.approx(expected), (x, y)
            x, y = rng.random((2, 9))  # without ties
            assert tau_ap_b(x, y) == pytest.approx(CORRELATIONS["tau_ap_symmetric"](x, y)), (x, y)

    def test_constant_rankings_and_rounding(self):
        assert (tau_ap_b([1, 1, 1], [1, 2, 3]), tau_ap_b([1, 2, 3], [1, 1, 1])) == (0, 0)
        assert tau_ap_b([1, 1, 1], [2, 2, 2]) == 1
        assert tau_ap_b([0.3, 0.1 + 0.2, 0.1], [2, 2, 1]) == 1


class TestTopSystems:
    gold = np.array([9, 8, 7, 6, 5, 4])
    estimate = np.array([9, 7, 8, 1, 2, 3])

    def test_by_hand(self):
        # of a, b, c the estimate swaps b and c: 2 pairs of 3 are concordant; all 15 pairs have 4 discordant ones
        expected = {3: (2 - 1) / 3, 4: (5 - 1) / 6, 5: (8 - 2) / 10, 6: (11 - 4) / 15, None: (11 - 4) / 15}
        assert {top: tau(self.estimate, self.gold, top=top) for top in expected} == pytest.approx(expected)
        # the best three of the estimate as gold are the same systems, its fourth is f: 5 of 6 pairs
        assert tau(self.gold, self.estimate, top=4) == pytest.approx((5 - 1) / 6)

    def test_systems_tied_with_the_last_are_compared_too(self):
        gold = [4, 3, 3, 1]
        for estimate in ([4, 3, 2, 1], [4, 2, 3, 1]):
            assert tau(estimate, gold, top=2) == tau(estimate[:3], gold[:3])

    def test_other_correlations(self):
        for function in (tau_ap, tau_ap_b):
            assert function(self.estimate, self.gold, top=3) == function(self.estimate[:3], self.gold[:3])

    def test_of_measures(self):
        evaluation = random_evaluation(runs=9)
        matrix = correlate(evaluation, top=4)
        means = evaluation.values.mean(axis=2)
        expected = [[tau(means[:, i], means[:, j], top=4) for j in range(3)] for i in range(3)]
        np.testing.assert_array_equal(matrix, expected)
        assert (matrix.columns.name, correlate(evaluation).columns.name) == ("gold", "measure")


@pytest.mark.parametrize("top", [None, 3])
@pytest.mark.parametrize("method", CORRELATIONS)
def test_many_rankings_at_once_are_those_one_by_one(monkeypatch, method, top):
    x, y = np.random.default_rng(0).integers(0, 4, (2, 60, 6)).astype(float)
    x[0] = y[0] = y[1] = x[2] = 1
    function = rank_correlation.correlation_function(method, top)
    one_by_one = [float(function(a[None], b[None])[0]) for a, b in zip(x, y, strict=True)]
    assert np.isfinite(one_by_one).all()
    assert function(x, y).tolist() == one_by_one
    monkeypatch.setattr(rank_correlation, "_MAX_CELLS", 100)
    assert function(x, y).tolist() == one_by_one


@pytest.mark.parametrize("method", CORRELATIONS)
def test_intervals_are_those_of_scipys_bootstrap(method):
    evaluation = random_evaluation(runs=7, topics=25)
    found = correlation_intervals(evaluation, method, rng=7, n_resamples=100, confidence_level=0.9)
    specs = [str(m) for m in evaluation.measures]
    pairs = (itertools.permutations if method == "tau_ap" else itertools.combinations)(specs, 2)
    assert found[["measure", "other"]].values.tolist() == [list(pair) for pair in pairs]
    matrix = correlate(evaluation, method)
    for row in found.to_dict("records"):
        x, y = (evaluation.values[:, specs.index(row[name])] for name in ("measure", "other"))
        expected = scipy_stats.bootstrap(
            (np.arange(25),),
            lambda topics, x=x, y=y: CORRELATIONS[method](x[:, topics].mean(axis=1), y[:, topics].mean(axis=1)),
            vectorized=False,
            n_resamples=100,
            confidence_level=0.9,
            method="percentile",
            rng=np.random.default_rng(7),
        ).confidence_interval
        assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-9), row
        assert row["correlation"] == matrix.loc[row["measure"], row["other"]], row
    # the best systems are those of one of both measures
    assert len(correlation_intervals(evaluation, method, top=3, n_resamples=10)) == 6


class TestLeaderboards:
    def test_each_measure_with_itself(self):
        one, two = (random_evaluation(seed, runs=8) for seed in (0, 1))
        x, y = (evaluation.values.mean(axis=2) for evaluation in (one, two))
        found = compare_leaderboards(one, two, "tau_ap", n_resamples=50)
        assert found["correlation"].tolist() == [tau_ap(x[:, m], y[:, m]) for m in range(3)]
        assert found[["runs", "topics"]].values.tolist() == [[8, 30]] * 3
        assert (found["low"] < found["correlation"]).all()
        assert (found["correlation"] < found["high"]).all()
        turned = compare_leaderboards(two, one, "tau_ap", n_resamples=5)
        assert turned["correlation"].tolist() == [tau_ap(y[:, m], x[:, m]) for m in range(3)]
        # the order of runs, topics and measures does not matter
        shuffled = two.frame.sample(frac=1, random_state=0)
        pd.testing.assert_frame_equal(compare_leaderboards(one, shuffled, "tau_ap", n_resamples=50), found)

    def test_samples_of_topics_are_the_same_for_both(self):
        evaluation = random_evaluation()
        found = compare_leaderboards(evaluation, evaluation, n_resamples=50)
        assert found[["correlation", "low", "high"]].values.tolist() == [[1, 1, 1]] * 3

    def test_less_is_better_for_some_measures(self):
        values = random_evaluation(runs=6, measures=["P@10"]).values
        best = np.argsort(values[:, 0].mean(axis=1))[:2]
        other = values.copy()
        other[best] = values[best[::-1]]
        gold = evaluation_of(values, ["E@10"])
        for estimate, expected in ((values, 1), (other, -1)):
            found = compare_leaderboards(evaluation_of(estimate, ["E@10"]), gold, top=2, n_resamples=5)
            assert found["correlation"].tolist() == [expected]

    def test_different_systems_topics_or_measures(self):
        evaluation = random_evaluation(runs=3, topics=5)
        frame = evaluation.frame
        without_recall = frame[frame["measure"] != "I-rec@10"]
        for other, message in [
            (frame.replace({"run": {"r1": "bm25"}}), "different runs: .*estimate has 'r1' .*gold has 'bm25'"),
            (frame[frame["query_id"] != "3"], "different topics: only the estimate has '3'"),
            (without_recall, "different measures: only the estimate has 'I-rec@10'"),
        ]:
            with pytest.raises(IrdivError, match=message):
                compare_leaderboards(evaluation, other)
        found = compare_leaderboards(evaluation, without_recall, measures="D-nDCG@10", n_resamples=5)
        assert found["measure"].tolist() == ["D-nDCG@10"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tau([1, 2, 3], [1, 2, 3], top=4), "top=4, but there are only 3 systems"),
        (lambda: tau([1, 2, 3], [1, 2, 3], top=1), "top=1"),
        (lambda: tau([1], [1]), "at least two systems"),
        (lambda: tau_ap_b([1, math.nan], [1, 2]), "finite numbers"),
        (lambda: tau_ap_b([1, 2, 3], [1, 2]), "3 and 2 systems"),
        (lambda: correlate(random_evaluation(), top=7), "top=7, but there are only 6 systems"),
        (lambda: correlation_intervals(random_evaluation(), "rho"), "method='rho' is not one of"),
        (lambda: correlation_intervals(random_evaluation(), confidence_level=95), "confidence_level=95"),
        (lambda: correlation_intervals(random_evaluation(), n_resamples=0), "n_resamples=0"),
        (lambda: correlation_intervals(random_evaluation(runs=1)), "at least two runs"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(IrdivError, match=message):
        call()


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "make",
    [
        lambda data: correlation_intervals(data, n_resamples=10),
        lambda data: compare_leaderboards(data, random_evaluation(1, topics=10), n_resamples=10),
    ],
    ids=["intervals", "leaderboards"],
)
def test_the_result_is_a_frame_of_the_callers_library(backend, make):
    evaluation = random_evaluation(topics=10)
    found = nw.from_native(make(replace(evaluation, backend=backend)), eager_only=True)
    assert found.implementation.name.lower() == backend
    pd.testing.assert_frame_equal(found.to_pandas(), make(evaluation), check_dtype=False)


def test_the_command_line(capsys, tmp_path):
    main(["demo", "--data", str(tmp_path)])
    capsys.readouterr()
    runs = [str(path) for path in sorted(tmp_path.glob("*.run"))]
    measures = ["I-rec@10", "D-nDCG@10"]
    options = ["--method", "tau_ap_b", "--top", "3", "--csv"]
    main(["correlate", str(tmp_path / "qrels.txt"), *runs, "-m", *measures, *options])
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="measure")
    evaluation = irdiv.evaluate(tmp_path / "qrels.txt", {path: path for path in runs}, measures)
    pd.testing.assert_frame_equal(printed, correlate(evaluation, "tau_ap_b", top=3), check_names=False)
