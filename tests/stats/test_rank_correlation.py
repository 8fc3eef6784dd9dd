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
from scipy import stats

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.frames.backends import backend_of
from irdiv.stats import rank_correlation
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


class TestTauApB:
    @pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
    def test_against_ircor(self, x, y, expected):
        assert irdiv.stats.tau_ap_b(x, y) == pytest.approx(expected, abs=5e-5)
        assert irdiv.stats.tau_ap_b(y, x) == pytest.approx(expected, abs=5e-5)

    def test_tau_ap_against_ircor(self):
        # ircor's first argument is gold
        assert irdiv.stats.tau_ap(Y, X) == pytest.approx(0.3928571, abs=5e-8)

    def test_by_hand(self):
        # x has groups {a}, {b, c}; y ranks a b c. From x: above b and c is a, as in y: 1 and 1, so 2/2 · 2 − 1 = 1.
        # From y: above b is a, as in x: 1 of 1; above c are a, as in x, and b, tied in x: 1 of 2; 2/2 · 1.5 − 1 = 0.5
        assert irdiv.stats.tau_ap_b([2, 1, 1], [3, 2, 1]) == pytest.approx((1 + 0.5) / 2)

    def test_without_ties_it_is_the_symmetric_tau_ap(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            x, y = rng.random((2, 9))
            expected = (irdiv.stats.tau_ap(x, y) + irdiv.stats.tau_ap(y, x)) / 2
            assert irdiv.stats.tau_ap_b(x, y) == pytest.approx(expected)

    def test_against_a_loop(self):
        def one_direction(x, y):
            parts = []
            for i in range(len(x)):
                above = [j for j in range(len(x)) if x[j] > x[i]]
                if above:
                    parts.append(sum(y[j] > y[i] for j in above) / len(above))
            return 2 * sum(parts) / len(parts) - 1

        rng = np.random.default_rng(1)
        for _ in range(50):
            x, y = rng.integers(0, 4, (2, 8))
            if np.ptp(x) and np.ptp(y):
                expected = (one_direction(x, y) + one_direction(y, x)) / 2
                assert irdiv.stats.tau_ap_b(x, y) == pytest.approx(expected)

    def test_constant_rankings_and_rounding(self):
        assert irdiv.stats.tau_ap_b([1, 1, 1], [1, 2, 3]) == irdiv.stats.tau_ap_b([1, 2, 3], [1, 1, 1]) == 0
        assert irdiv.stats.tau_ap_b([1, 1, 1], [2, 2, 2]) == 1
        assert irdiv.stats.tau_ap_b([0.3, 0.1 + 0.2, 0.1], [2, 2, 1]) == 1


class TestTopSystems:
    gold = np.array([9, 8, 7, 6, 5, 4])
    estimate = np.array([9, 7, 8, 1, 2, 3])

    @pytest.mark.parametrize("top", [2, 3, 4, 6])
    def test_tau_of_the_best_of_gold(self, top):
        expected = stats.kendalltau(self.estimate[:top], self.gold[:top]).statistic
        assert irdiv.stats.tau(self.estimate, self.gold, top=top) == pytest.approx(expected)

    def test_by_hand(self):
        # of a, b, c the estimate swaps b and c: 2 pairs of 3 are concordant; all 15 pairs have 4 discordant ones
        assert irdiv.stats.tau(self.estimate, self.gold, top=3) == pytest.approx((2 - 1) / 3)
        assert irdiv.stats.tau(self.estimate, self.gold) == pytest.approx((11 - 4) / 15)
        # the best three of the estimate as gold are the same systems, but its best four are not
        assert irdiv.stats.tau(self.gold, self.estimate, top=4) == pytest.approx((5 - 1) / 6)
        assert irdiv.stats.tau(self.estimate, self.gold, top=4) == pytest.approx((5 - 1) / 6)
        assert irdiv.stats.tau(self.estimate, self.gold, top=5) == pytest.approx((8 - 2) / 10)

    def test_systems_tied_with_the_last_are_compared_too(self):
        gold = [4, 3, 3, 1]
        for estimate in ([4, 3, 2, 1], [4, 2, 3, 1]):
            found = irdiv.stats.tau(estimate, gold, top=2)
            assert found == irdiv.stats.tau(estimate[:3], gold[:3])

    def test_other_correlations(self):
        for function in (irdiv.stats.tau_ap, irdiv.stats.tau_ap_b):
            assert function(self.estimate, self.gold, top=3) == function(self.estimate[:3], self.gold[:3])

    def test_of_measures(self):
        evaluation = random_evaluation(runs=9)
        matrix = irdiv.stats.correlate(evaluation, top=4)
        means = evaluation.values.mean(axis=2)
        for (i, one), (j, two) in itertools.product(enumerate(matrix.index), repeat=2):
            assert matrix.loc[one, two] == irdiv.stats.tau(means[:, i], means[:, j], top=4)
        assert matrix.columns.name == "gold"
        assert irdiv.stats.correlate(evaluation).columns.name == "measure"


CORRELATIONS = {
    "tau": lambda x, y: stats.kendalltau(x, y).statistic,
    "tau_ap": irdiv.stats.tau_ap,
    "tau_ap_symmetric": lambda x, y: (irdiv.stats.tau_ap(x, y) + irdiv.stats.tau_ap(y, x)) / 2,
    "tau_ap_b": irdiv.stats.tau_ap_b,
}


@pytest.mark.parametrize("method", CORRELATIONS)
class TestIntervals:
    def test_against_scipy(self, method):
        evaluation = random_evaluation(runs=8, topics=25)
        found = irdiv.stats.correlation_intervals(evaluation, method, rng=7, n_resamples=300, confidence_level=0.9)
        matrix = irdiv.stats.correlate(evaluation, method)
        specs = [str(m) for m in evaluation.measures]
        for row in found.to_dict("records"):
            x, y = (evaluation.values[:, specs.index(row[name])] for name in ("measure", "other"))
            expected = stats.bootstrap(
                (np.arange(25),),
                lambda topics, x=x, y=y: CORRELATIONS[method](x[:, topics].mean(axis=1), y[:, topics].mean(axis=1)),
                vectorized=False,
                n_resamples=300,
                confidence_level=0.9,
                method="percentile",
                rng=np.random.default_rng(7),
            ).confidence_interval
            assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-9)
            assert row["correlation"] == matrix.loc[row["measure"], row["other"]]

    def test_pairs_of_measures(self, method):
        found = irdiv.stats.correlation_intervals(random_evaluation(), method, n_resamples=10)
        assert len(found) == (6 if method == "tau_ap" else 3)
        assert (found["low"] <= found["high"]).all()
        assert len(irdiv.stats.correlation_intervals(random_evaluation(), method, top=3, n_resamples=10)) == 6


class TestLeaderboards:
    def test_each_measure_with_itself(self):
        one, two = (random_evaluation(seed, runs=8) for seed in (0, 1))
        found = irdiv.stats.compare_leaderboards(one, two, n_resamples=50)
        for m, row in enumerate(found.to_dict("records")):
            x, y = (evaluation.values[:, m].mean(axis=1) for evaluation in (one, two))
            assert row["correlation"] == pytest.approx(stats.kendalltau(x, y).statistic)
            assert (row["runs"], row["topics"]) == (8, 30)
            assert -1 <= row["low"] <= row["high"] <= 1

    def test_order_of_runs_topics_and_measures_does_not_matter(self):
        one, two = (random_evaluation(seed, runs=8) for seed in (0, 1))
        expected = irdiv.stats.compare_leaderboards(one, two, "tau_ap", n_resamples=50)
        shuffled = two.frame.sample(frac=1, random_state=0)
        pd.testing.assert_frame_equal(
            irdiv.stats.compare_leaderboards(one, shuffled, "tau_ap", n_resamples=50), expected
        )

    def test_samples_of_topics_are_the_same_for_both(self):
        evaluation = random_evaluation()
        found = irdiv.stats.compare_leaderboards(evaluation, evaluation, n_resamples=50)
        assert (found[["correlation", "low", "high"]] == 1).all(axis=None)

    def test_gold_matters(self):
        one, two = (random_evaluation(seed, runs=8, measures=["I-rec@10"]) for seed in (0, 1))
        x, y = (evaluation.values[:, 0].mean(axis=1) for evaluation in (one, two))
        found = [irdiv.stats.compare_leaderboards(*both, "tau_ap", n_resamples=5) for both in ((one, two), (two, one))]
        assert [frame["correlation"][0] for frame in found] == [irdiv.stats.tau_ap(x, y), irdiv.stats.tau_ap(y, x)]
        assert found[0]["correlation"][0] != found[1]["correlation"][0]

    def test_less_is_better_for_some_measures(self):
        values = random_evaluation(runs=6, measures=["P@10"]).values
        found = irdiv.stats.compare_leaderboards(
            evaluation_of(values, ["E@10"]), evaluation_of(values, ["E@10"]), top=2, n_resamples=5
        )
        best = np.argsort(values[:, 0].mean(axis=1))[:2]
        assert found["correlation"][0] == 1
        other = values.copy()
        other[best] = values[best[::-1]]
        swapped = irdiv.stats.compare_leaderboards(
            evaluation_of(other, ["E@10"]), evaluation_of(values, ["E@10"]), top=2, n_resamples=5
        )
        assert swapped["correlation"][0] == -1

    def test_different_systems_topics_or_measures(self):
        evaluation = random_evaluation(runs=3, topics=5)
        frame = evaluation.frame
        for other, message in [
            (
                frame.replace({"run": {"r1": "bm25"}}),
                "different runs: only the estimate has 'r1' and only gold has 'bm25'",
            ),
            (frame[frame["query_id"] != "3"], "different topics: only the estimate has '3'. Leave out the topics"),
            (frame[frame["measure"] != "I-rec@10"], "different measures: only the estimate has 'I-rec@10'"),
        ]:
            with pytest.raises(IrdivError, match=message):
                irdiv.stats.compare_leaderboards(evaluation, other)
        found = irdiv.stats.compare_leaderboards(
            evaluation, frame[frame["measure"] != "I-rec@10"], measures="D-nDCG@10"
        )
        assert found["measure"].tolist() == ["D-nDCG@10"]


def test_bad_arguments():
    evaluation = random_evaluation()
    for call, message in [
        (lambda: irdiv.stats.tau([1, 2, 3], [1, 2, 3], top=4), "top=4, but there are only 3 systems"),
        (lambda: irdiv.stats.tau([1, 2, 3], [1, 2, 3], top=1), "top=1 is not an integer of 2 or more"),
        (lambda: irdiv.stats.tau([1], [1]), "at least two systems"),
        (lambda: irdiv.stats.tau_ap_b([1, math.nan], [1, 2]), "finite numbers"),
        (lambda: irdiv.stats.tau_ap_b([1, 2, 3], [1, 2]), "3 and 2 systems"),
        (lambda: irdiv.stats.correlate(evaluation, top=7), "top=7, but there are only 6 systems"),
        (lambda: irdiv.stats.correlation_intervals(evaluation, "rho"), "method='rho' is not one of"),
        (lambda: irdiv.stats.correlation_intervals(evaluation, confidence_level=95), "confidence_level=95 is not"),
        (lambda: irdiv.stats.correlation_intervals(evaluation, n_resamples=0), "n_resamples=0 is not an integer"),
        (lambda: irdiv.stats.correlation_intervals(random_evaluation(runs=1)), "at least two runs"),
    ]:
        with pytest.raises(IrdivError, match=message):
            call()


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "make",
    [
        lambda data: irdiv.stats.correlation_intervals(data, n_resamples=10),
        lambda data: irdiv.stats.compare_leaderboards(data, random_evaluation(1, topics=10), n_resamples=10),
    ],
)
def test_results_are_frames_of_the_callers_library(backend, make):
    evaluation = random_evaluation(topics=10)
    theirs = replace(evaluation, backend=backend)
    found = make(theirs)
    assert backend_of(found) == backend
    in_pandas = nw.from_native(found, eager_only=True).to_pandas()
    pd.testing.assert_frame_equal(in_pandas, make(evaluation), check_dtype=False)


def test_on_the_command_line(capsys, tmp_path):
    main(["demo", "--data", str(tmp_path)])
    capsys.readouterr()
    runs = [str(path) for path in sorted(tmp_path.glob("*.run"))]
    measures = ["I-rec@10", "D-nDCG@10"]
    main(
        [
            "correlate",
            str(tmp_path / "qrels.txt"),
            *runs,
            "-m",
            *measures,
            "--method",
            "tau_ap_b",
            "--top",
            "3",
            "--csv",
        ]
    )
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="measure")
    evaluation = irdiv.evaluate(tmp_path / "qrels.txt", {path: path for path in runs}, measures)
    expected = irdiv.stats.correlate(evaluation, "tau_ap_b", top=3)
    pd.testing.assert_frame_equal(printed, expected, check_names=False)


@pytest.mark.parametrize("top", [None, 3])
@pytest.mark.parametrize("method", CORRELATIONS)
def test_many_rankings_at_once_are_those_one_by_one(monkeypatch, method, top):
    x, y = np.random.default_rng(0).integers(0, 4, (2, 60, 6)).astype(float)
    x[0] = y[0] = y[1] = x[2] = 1
    function = rank_correlation.correlation_function(method, top)
    one_by_one = [float(function(a[None], b[None])[0]) for a, b in zip(x, y, strict=True)]
    assert function(x, y).tolist() == one_by_one
    assert np.isfinite(one_by_one).all()
    monkeypatch.setattr(rank_correlation, "_MAX_CELLS", 100)
    assert function(x, y).tolist() == one_by_one
