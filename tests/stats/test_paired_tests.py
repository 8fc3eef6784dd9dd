"""Tests of two systems, against scipy, R, loops over samples, and theory."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.stats
from scipy import integrate
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of, random_collection, random_run
from irdiv import stats

X = np.array([0.5, 0.7, 0.6, 0.9, 0.2, 0.4])
Y = np.array([0.4, 0.5, 0.3, 0.95, 0.2, 0.1])
LONG_X, LONG_Y = np.random.default_rng(3).random((2, 40))
TESTS = [stats.bootstrap_test, stats.randomization_test, stats.t_test]


def p_of_samples(z: np.ndarray, rng: int, n_resamples: int) -> float:
    """Return the share of bootstrap samples that are as extreme, by t or, where there is none, by the mean."""
    drawn = np.random.default_rng(rng).integers(0, len(z), (n_resamples, len(z)))
    samples = (z - z.mean())[drawn]
    mean = np.abs(samples.mean(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_t = mean / samples.std(axis=1, ddof=1) >= abs(z.mean()) / z.std(ddof=1) - 1e-9
    has_t = (np.ptp(samples, axis=1) > 1e-12) & (np.ptp(z) > 1e-12)
    return np.where(has_t, by_t, mean >= abs(z.mean()) - 1e-12).mean()


@pytest.mark.parametrize(
    ("test", "options", "x", "y", "p"),
    [
        ("bootstrap", {}, X, Y, 0.069),
        ("bootstrap", {}, LONG_X, LONG_Y, 0.292),
        ("bootstrap", {"rng": 7, "n_resamples": 333, "plus_one": True}, LONG_X, LONG_Y, 98 / 334),
        ("randomization", {}, X, Y, 8 / 64),
        ("randomization", {}, LONG_X, LONG_Y, 2898 / 10_001),
        ("randomization", {"rng": 7, "n_resamples": 333, "plus_one": False}, LONG_X, LONG_Y, 94 / 333),
    ],
)
def test_p_by_seed(test, options, x, y, p):
    """These are frozen: another p for the same seed would change published results."""
    assert getattr(stats, f"{test}_test")(x, y, **options).p == p


class TestBootstrap:
    @pytest.mark.parametrize("n_topics", [3, 5, 11, 12, 13, 20, 30])
    @pytest.mark.parametrize("scale", [1, 1e-50, 1e50])
    def test_p_against_a_loop(self, n_topics, scale):
        """Samples of equal differences have no t, and are compared by their means."""
        rng = np.random.default_rng(1)
        most = np.ones(n_topics - 1)
        differences = {
            "positive": rng.random(n_topics),
            "shifted": rng.random(n_topics) - 0.4,
            "normal": rng.normal(size=n_topics),
            "0 or 1": rng.integers(0, 2, n_topics) * 1.0,
            "one is not 0": np.r_[1, 0 * most],
            "one is larger": np.r_[5, most],
            "equal": np.full(n_topics, 0.25),
            "zeros": np.zeros(n_topics),
            "mean of 0": np.resize([0.25, 0.75, -0.75, -0.25], n_topics // 4 * 4)
            if n_topics > 3
            else np.r_[-1, 0, 1.0],
        }
        found, expected = (
            {name: p(z) for name, z in differences.items()}
            for p in (
                lambda z: stats.bootstrap_test(z * scale, 0 * z, rng=2, n_resamples=300).p,
                lambda z: p_of_samples(z, 2, 300),
            )
        )
        assert found == expected
        # differences that are equal but for rounding are equal
        close = np.r_[5, most + 3e-13 * (np.arange(n_topics - 1) % 2)] * scale
        assert stats.bootstrap_test(close, 0 * close, rng=2, n_resamples=300).p == expected["one is larger"]

    @pytest.mark.parametrize(("ours", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
    @pytest.mark.parametrize("level", [0.95, 0.8])
    def test_intervals_against_scipy(self, ours, theirs, level):
        rng = np.random.default_rng(3)
        x, y = rng.gamma(2, size=25), rng.gamma(1.5, size=25)
        expected = scipy_stats.bootstrap(
            (x - y,), np.mean, n_resamples=999, method=theirs, confidence_level=level, rng=np.random.default_rng(7)
        ).confidence_interval
        found = stats.bootstrap_test(x, y, rng=7, n_resamples=999, interval=ours, confidence_level=level).interval
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)

    @pytest.mark.parametrize("level", [0.95, 0.58, 1 - 1e-15])
    def test_percentiles_are_numpys_to_the_last_bit(self, level):
        # multiples of 1/8 on eight topics have exact means
        z = np.random.default_rng(0).integers(-20, 20, (30, 8)) / 8
        for seed, row in enumerate(z):
            means = row[np.random.default_rng(seed).integers(0, 8, (21, 8))].mean(axis=1)
            options = {"rng": seed, "n_resamples": 21, "interval": "percentile", "confidence_level": level}
            expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
            assert stats.bootstrap_test(row, 0 * row, **options).interval == tuple(expected)

    def test_bca_of_tied_differences_against_exact_arithmetic(self):
        # means of samples that equal the observed one must count half, whatever rounding does to them
        rng = np.random.default_rng(0)
        for seed in range(20):
            z = rng.integers(-3, 4, 12)
            totals, total = z[np.random.default_rng(seed).integers(0, 12, (200, 12))].sum(axis=1), z.sum()
            below = (np.count_nonzero(totals < total) + np.count_nonzero(totals <= total)) / 400
            u = z - z.mean()
            a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
            z0 = scipy_stats.norm.ppf(below)
            shifted = z0 + scipy_stats.norm.ppf([0.025, 0.975])
            at = scipy_stats.norm.cdf(z0 + shifted / (1 - a * shifted))
            for scale in (1, 1e-20):
                found = stats.bootstrap_test(z / 10 * scale, np.zeros(12), rng=seed, n_resamples=200).interval
                assert found == pytest.approx(np.quantile(totals / 120, at) * scale, abs=1e-9 * scale), seed


class TestRandomization:
    def test_all_signs_against_scipy(self):
        expected = scipy_stats.permutation_test((X - Y,), np.mean, permutation_type="samples", n_resamples=np.inf)
        assert stats.randomization_test(X, Y).p == pytest.approx(expected.pvalue, abs=1e-12)
        assert stats.randomization_test(X, Y, n_resamples=64, rng=1).p == stats.randomization_test(X, Y, rng=2).p

    @pytest.mark.parametrize("plus_one", [False, True])
    def test_ties_of_all_signs(self, plus_one):
        # only all signs or none are as far from 0; the sums of ties differ by rounding
        for scale in (1, 0.1, 1 / 3, 1e-9):
            z = np.array([1, 2, 3]) * scale
            assert stats.randomization_test(z, np.zeros(3), n_resamples=8, plus_one=plus_one).p == 2 / 8
            # of 1 + 2 − 3 all sums are at least as far from 0
            assert stats.randomization_test(z * [1, 1, -1], np.zeros(3), plus_one=plus_one).p == 1

    @pytest.mark.parametrize("plus_one", [False, True])
    @pytest.mark.parametrize("n_resamples", [50, 127])
    def test_random_signs(self, plus_one, n_resamples):
        z = np.random.default_rng(0).random(7) - 0.3
        sums = np.where(np.random.default_rng(5).random((n_resamples, 7)) < 0.5, -1, 1) @ z
        c = np.count_nonzero(np.abs(sums) >= abs(z.sum()) - 1e-12)
        options = {"rng": 5, "n_resamples": n_resamples, "plus_one": plus_one, "interval": "t"}
        result = stats.randomization_test(z, np.zeros(7), **options)
        assert result.p == ((c + 1) / (n_resamples + 1) if plus_one else c / n_resamples)
        assert result.statistic == pytest.approx(z.mean())


class TestT:
    def test_against_scipy(self):
        expected = scipy_stats.ttest_rel(X, Y)
        result = stats.t_test(X, Y, confidence_level=0.9)
        ends = expected.confidence_interval(0.9)
        assert tuple(result) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
        assert result.interval == pytest.approx((ends.low, ends.high), abs=1e-12)

    def test_it_draws_samples_for_a_bootstrap_interval(self):
        few, default, as_default = (
            stats.t_test(X, Y, interval="percentile", **given).interval
            for given in ({"n_resamples": 20}, {}, {"n_resamples": 1000})
        )
        assert few != default == as_default


class TestEffectSizes:
    def test_against_r(self):
        # R's data set sleep: effectsize::cohens_d(..., paired = TRUE) gives -1.28 [-2.12, -0.41]
        first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
        second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
        result = stats.t_test(first, second)
        assert np.round([result.effect_size, *result.effect_interval], 2).tolist() == [-1.28, -2.12, -0.41]

    @pytest.mark.parametrize("level", [0.95, 0.8])
    @pytest.mark.parametrize("n", [2, 5, 50])
    def test_ends_are_where_t_is_at_its_quantiles_by_integration(self, n, level):
        s = scipy_stats.chi(n - 1)

        def probability(t, end):
            """Return P(T ≤ t) for T = (Z + noncentrality) / (s/√(n−1)), Z normal and s of a χ distribution."""
            density = lambda x: s.pdf(x) * scipy_stats.norm.cdf(t * x / math.sqrt(n - 1) - end * math.sqrt(n))  # noqa: E731
            return integrate.quad(density, 0, s.isf(1e-15), limit=200)[0]

        for z in np.random.default_rng(n).normal([[0.0], [0.3], [-0.5], [2.0]], 1, (4, n)):
            t = scipy_stats.ttest_1samp(z, 0).statistic
            result = stats.t_test(z, np.zeros(n), confidence_level=level)
            assert result.effect_size == pytest.approx(t / math.sqrt(n))
            found = [probability(t, end) for end in result.effect_interval]
            assert found == pytest.approx([(1 + level) / 2, (1 - level) / 2], abs=1e-6)


@pytest.mark.parametrize(("test", "interval"), [("bootstrap", "bca"), ("randomization", "percentile"), ("t", "t")])
def test_p_is_uniform_and_intervals_cover_the_mean_as_often_as_in_theory(test, interval):
    values = np.zeros((1001, 1, 30))
    values[1:, 0] = np.random.default_rng(0).normal(size=(1000, 30))
    options = {"test": test, "interval": interval, "n_resamples": None if test == "t" else 1000}
    found = stats.compare(evaluation_of(values), baseline="r0", rng=1, confidence_level=0.9, **options)
    assert scipy_stats.kstest(found["p"], "uniform").statistic < 0.05
    covered = {
        "mean": ((found["low"] <= 0) & (found["high"] >= 0)).mean(),
        "effect": ((found["effect_low"] <= 0) & (found["effect_high"] >= 0)).mean(),
    }
    assert covered == pytest.approx({"mean": 0.9, "effect": 0.9}, abs=4 * math.sqrt(0.09 / 1000))


class TestEqualDifferences:
    @pytest.mark.parametrize("interval", ["bca", "percentile", "t"])
    @pytest.mark.parametrize("test", TESTS)
    def test_every_field(self, test, interval):
        same, more, less = (test(X + shift, X, interval=interval) for shift in (0, 0.1, -0.1))
        assert (same.p, same.statistic, same.difference, same.interval) == (1, 0, 0, (0, 0))
        assert (same.effect_size, same.effect_interval) == (0, (0, 0))
        assert more.difference == pytest.approx(0.1)
        assert more.interval == pytest.approx((0.1, 0.1))
        assert more.p == {"bootstrap": 0, "randomization": 2 / 2**6, "t": 0}[more.test]
        assert more.effect_size == -less.effect_size == math.inf
        assert more.effect_interval == (math.inf, math.inf)
        assert less.effect_interval == (-math.inf, -math.inf)
        assert less.statistic == -more.statistic == (-more.difference if more.test == "randomization" else -math.inf)

    @pytest.mark.parametrize("scale", [1, 1e-20])
    def test_what_is_0_but_for_rounding_is_0(self, scale):
        def result(*z):
            return stats.t_test(np.array(z) * scale, np.zeros(len(z)))

        assert result(1, -1 + 1e-14).difference == result(0.1 + 0.2, -0.3, 0).difference == 0
        assert result(1, -1 + 1e-12).difference > 0
        assert result(0.3, 0.3 + 1e-14).effect_size == result(0.3, 0.1 + 0.2, 0.3).effect_size == math.inf
        nearly_equal = result(0.3, 0.3 + 1e-12)
        # noncentral t = noncentrality / χ, so that the ends are d·√(χ²/ν), here with one degree of freedom
        ends = nearly_equal.effect_size * np.sqrt(scipy.stats.chi2.ppf([0.025, 0.975], 1))
        assert nearly_equal.effect_interval == pytest.approx(tuple(ends))
        assert result(1, 3, 2).difference == pytest.approx(2 * scale)
        assert result(1, 3, 2).effect_size == pytest.approx(2)


class TestResults:
    def test_they_unpack_as_two_items_and_pickle(self):
        result = stats.bootstrap_test(X, Y)
        assert (result[0], result[1], result[-1]) == (result.statistic, result.p, result.p)
        assert tuple(result) == (result.statistic, result.p)
        assert (len(result), result.n, result.test) == (2, 6, "bootstrap")
        with pytest.raises(IndexError):
            result[2]
        with pytest.raises(FrozenInstanceError):
            result.p = 0
        assert pickle.loads(pickle.dumps(result)) == result != stats.bootstrap_test(X, Y, confidence_level=0.5)

    def test_they_print_their_fields(self):
        result = stats.t_test(X, Y)
        (low, high), (effect_low, effect_high) = result.interval, result.effect_interval
        assert repr(result) == (
            f"PairedTestResult(t, n=6, difference=0.1417 [{low:.4f}, {high:.4f}], statistic={result.statistic:.4f}, "
            f"p={result.p:.4g}, effect_size={result.effect_size:.4f} [{effect_low:.4f}, {effect_high:.4f}])"
        )

    @pytest.mark.filterwarnings("ignore")  # PyTerrier and what it imports warn of their own affairs
    def test_in_a_pyterrier_experiment(self):
        pt = pytest.importorskip("pyterrier")
        qrels = irdiv.datasets.to_pyterrier(random_collection(0))
        topics = qrels[["qid"]].drop_duplicates().assign(query="a topic")
        runs = [pt.model.from_ir_measures(random_run(seed)) for seed in (0, 1)]
        table = pt.Experiment(runs, topics, qrels, ["D#-nDCG@10"], baseline=0, test=stats.bootstrap_test)
        one, two = (irdiv.evaluate(random_collection(0), random_run(s), "D#-nDCG@10").values[0, 0] for s in (0, 1))
        assert table["D#-nDCG@10 p-value"][1] == stats.bootstrap_test(two, one).p
