"""The bootstrap and the randomized Tukey HSD test, against loops over samples; batches change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from helpers import evaluation_of
from irdiv import stats
from irdiv.stats import bootstrap, paired, rank_correlation, resampling, sample_correlation, tukey
from irdiv.stats.table import as_table


def random_values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


class TestBootstrap:
    @pytest.mark.parametrize(
        ("n_resamples", "level", "place"),
        [(90, 0.05, 4), (100, 0.29, 29), (100, 0.05, 5), (50, 0.001, 1), (40, 0.04, 1), (1, 0.5, 1)],
    )
    @pytest.mark.parametrize("n_topics", [6, 15])
    def test_the_required_difference(self, n_resamples, level, place, n_topics):
        """It is the mean of the sample with the (B·level)-th largest t, of at least the largest."""
        values = random_values(3, 2, n_topics) * np.array([1, 100])[:, None]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        drawn = np.random.default_rng(2).integers(0, n_topics, (n_resamples, n_topics))
        expected = []
        for measure in range(2):
            needed = []
            for one, two in ((0, 1), (0, 2), (1, 2)):
                z = values[one, measure] - values[two, measure]
                samples = (z - z.mean())[drawn]
                means = np.abs(samples.mean(axis=1))
                with np.errstate(divide="ignore"):
                    t = means / samples.std(axis=1)
                needed.append(means[np.argsort(-t)[place - 1]])
            expected.append(max(needed))
        found = stats.discriminative_power(evaluation, level=level, n_resamples=n_resamples, rng=2)
        assert found.delta.tolist() == pytest.approx(expected)

    @pytest.mark.parametrize("n_topics", [3, 11, 12, 13, 30])
    @pytest.mark.parametrize("scale", [1, 1e-5, 1e200, 1.7e308])
    def test_p(self, n_topics, scale):
        z = (random_values(5, n_topics) - 0.4) * scale
        drawn = np.random.default_rng(2).integers(0, n_topics, (300, n_topics))
        counts = resampling.bootstrap_counts(n_topics, 300, 2)
        expected = []
        for row in z / scale:
            samples = (row - row.mean())[drawn]
            t = np.abs(samples.mean(axis=1)) / np.maximum(samples.std(axis=1, ddof=1), 1e-300)
            by_t = t >= abs(row.mean() / row.std(ddof=1)) - 1e-12
            by_mean = np.abs(samples.mean(axis=1)) >= abs(row.mean()) - 1e-12
            is_constant = np.ptp(samples, axis=1) == 0
            expected.append(np.where(is_constant, by_mean, by_t).mean())
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == pytest.approx(expected)

    @pytest.mark.parametrize("n_topics", [5, 11, 12, 20])
    def test_few_values(self, n_topics):
        """Samples of equal differences have no t and are compared by their means, among pairs that have none."""
        rng = np.random.default_rng(1)
        rest = np.ones(n_topics - 1)
        z = np.stack([rng.integers(0, 2, n_topics), rng.normal(size=n_topics), np.r_[1, 0 * rest], np.r_[5, rest]])
        z = np.concatenate([z, np.full((1, n_topics), 0.25), np.zeros((1, n_topics))]).astype(float)
        counts = resampling.bootstrap_counts(n_topics, 500, 2)
        expected = []
        for row in z:
            w, c = row - row.mean(), 0
            for count in counts:
                sample = np.repeat(w, count)
                if np.ptp(sample) < 1e-12 or np.ptp(row) < 1e-12:
                    c += abs(sample.mean()) >= abs(row.mean()) - 1e-12
                else:
                    c += abs(sample.mean() / sample.std(ddof=1)) >= abs(row.mean() / row.std(ddof=1)) - 1e-9
            expected.append(c / 500)
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == expected
        # differences that are equal but for rounding are equal
        close = np.r_[5, rest + 3e-13 * (np.arange(n_topics - 1) % 2)]
        assert bootstrap.bootstrap_p(close[None], counts, False)[0] == expected[3]
        together = bootstrap.bootstrap_p(z, counts, True)
        assert together.tolist() == [(500 * p + 1) / 501 for p in expected]

    @pytest.mark.parametrize("n_topics", [4, 12, 16, 20])
    def test_means_of_0(self, n_topics):
        """All samples are at least as far from 0 as a mean of 0, also those whose mean is 0."""
        z = np.array([np.tile([1.0, -1.0], n_topics // 2), np.tile([0.25, 0.75, -0.75, -0.25], n_topics // 4)])
        counts = resampling.bootstrap_counts(n_topics, 400, 2)
        assert ((z @ counts.T) == 0).any()
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == [1, 1]


class TestRandomization:
    @pytest.mark.parametrize("plus_one", [False, True])
    def test_random_signs(self, plus_one):
        z = random_values(7) - 0.3
        sums = np.where(np.random.default_rng(5).random((50, 7)) < 0.5, -1, 1) @ z
        c = np.count_nonzero(np.abs(sums) >= abs(z.sum()))
        result = stats.randomization_test(z, np.zeros(7), rng=5, n_resamples=50, plus_one=plus_one, interval="t")
        assert result.p == ((c + 1) / 51 if plus_one else c / 50)
        assert result.statistic == pytest.approx(z.mean())

    @pytest.mark.parametrize("plus_one", [False, True])
    def test_all_signs(self, plus_one):
        # only all signs or none are as far from 0; the sums of ties differ by rounding
        for scale in (1, 0.1, 1 / 3, 1e-9):
            z = np.array([1, 2, 3]) * scale
            assert stats.randomization_test(z, np.zeros(3), n_resamples=8, plus_one=plus_one).p == 2 / 8
            # of 1 + 2 − 3 all sums are at least as far from 0
            assert stats.randomization_test(z * [1, 1, -1], np.zeros(3), plus_one=plus_one).p == 1

    @pytest.mark.parametrize("cells", [1_000_000, 30, 1])
    def test_pairs_do_not_matter_to_each_other(self, cells, monkeypatch):
        monkeypatch.setattr(resampling, "_SAMPLE_CELLS", cells)
        z = (random_values(4, 9) - 0.4) * np.array([[1e-9], [1], [1e6], [1e12]])
        signs = resampling.sign_flips(9, 60, 1)
        together = paired._randomization_p(z, signs, True)
        assert together.tolist() == [paired._randomization_p(row[None], signs, True)[0] for row in z]
        assert len(set(together)) > 2


class TestTukey:
    def test_ties_count(self):
        # Whole numbers have exact means, of which many are equal; scaled, they differ by rounding to either side.
        values, pairs = np.array([[[3, 1, 2]], [[2, 0, 1]], [[0, 1, 1]]], dtype=float), [(0, 1), (0, 2), (1, 2)]
        exact = tukey.tukey_p(values, pairs, n_resamples=60)
        for scale in np.random.default_rng(0).random(60) * 10:
            assert tukey.tukey_p(values * scale, pairs, n_resamples=60).tolist() == exact.tolist()
        # two runs that differ by 1 on two topics: in half of the permutations their means differ by 1 again
        p = tukey.tukey_p(np.array([[[3.0, 2.0]], [[2.0, 1.0]]]), [(0, 1)], n_resamples=2000)[0, 0]
        assert abs(p - 0.5) < 4 * math.sqrt(0.25 / 2000)

    def test_measures_do_not_matter_to_each_other(self):
        values = random_values(3, 2, 6)
        values[:, 1] *= 1e9
        together = tukey.tukey_p(values, [(0, 1), (1, 2)], n_resamples=200)
        alone = [tukey.tukey_p(values[:, [m]], [(0, 1), (1, 2)], n_resamples=200)[0] for m in range(2)]
        assert together.tolist() == [one.tolist() for one in alone]

    @pytest.mark.parametrize("rng", [3, np.int64(3), np.random.default_rng(3)])
    def test_options_reach_every_measure(self, rng):
        values = random_values(3, 2, 6)
        found = list(tukey.tukey_p_by_measure(values, [(0, 1)], rng=rng, n_resamples=9, plus_one=True))
        assert len(found) == 2
        # (c + 1)/10
        assert all(one.shape == (1,) and (one * 10) % 1 == pytest.approx(0) and one >= 0.1 for one in found)
        first = tukey.tukey_p(values[:, :1], [(0, 1)], rng=3, n_resamples=9, plus_one=True)
        assert found[0].tolist() == first[0].tolist()

    def test_comparisons_with_options(self):
        evaluation = evaluation_of(random_values(3, 1, 6))
        options = {"test": "tukey", "rng": 3, "n_resamples": 9}
        found = stats.compare(evaluation, **options, plus_one=True)["p"].tolist()
        table = as_table(evaluation)
        expected = tukey.tukey_p(table.values, table.pairs(), rng=3, n_resamples=9, plus_one=True)[0].tolist()
        assert found == expected
        assert stats.discriminative_power(evaluation, **options, plus_one=True).p.tolist() == [expected]
        assert stats.discriminative_power(evaluation, **options).p.tolist() != [expected]

    @pytest.mark.parametrize("n", [2, 1024, 1025, 2000])
    def test_order_of_random_numbers(self, n):
        numbers = random_values(2, 3, n)
        assert tukey._argsort_random(numbers.copy()).tolist() == numbers.argsort(axis=-1).tolist()


class TestBatches:
    """What is held at once is bounded, and batches change no value."""

    def test_rankings(self, monkeypatch):
        sizes, tau = [], rank_correlation._tau
        monkeypatch.setitem(rank_correlation._FUNCTIONS, "tau", lambda x, y: sizes.append(len(x)) or tau(x, y))
        x, y = random_values(2, 4500, 10)
        found = rank_correlation.correlation_function("tau")(x, y)
        # 200,000 cells of 10 · 10 pairs
        assert sizes == [2000, 2000, 500]
        assert found[[0, 2000, 4499]].tolist() == pytest.approx(
            [scipy_stats.kendalltau(x[i], y[i]).statistic for i in (0, 2000, 4499)]
        )
        sizes.clear()
        monkeypatch.setattr(rank_correlation, "_MAX_CELLS", 50)
        rank_correlation.correlation_function("tau")(x[:3], y[:3])
        assert sizes == [1, 1, 1]

    def test_correlations_over_topics(self, monkeypatch):
        sizes, function = [], sample_correlation._pearson_over_topics
        monkeypatch.setitem(
            sample_correlation._OVER_TOPICS, "pearson", lambda x, y, w: sizes.append(len(w)) or function(x, y, w)
        )
        monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 200)
        x, y = random_values(2, 8), random_values(3, 8, seed=1)
        counts = resampling.bootstrap_counts(8, 12, 0)
        found = sample_correlation.correlations_over_topics(x, y, counts, "pearson")
        # 200 cells of 5 measures and 8 topics
        assert sizes == [5, 5, 2]
        assert found.shape == (2, 3, 12)
        sizes.clear()
        monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 10)
        sample_correlation.correlations_over_topics(x, y, counts[:2], "pearson")
        assert sizes == [1, 1]

    @pytest.mark.parametrize("cells", [1_000_000, 50, 1])
    def test_tukey(self, cells, monkeypatch):
        values = random_values(4, 2, 5)
        monkeypatch.setattr(resampling, "_SAMPLE_CELLS", cells)
        found = tukey._largest_differences(values, 3, 20)
        rng = np.random.default_rng(3)
        order = rng.random((20, 5, 4)).argsort(axis=2)
        for measure in range(2):
            ascending = np.sort(values[:, measure], axis=0)
            for sample, trial in enumerate(order):
                dealt = np.array([ascending[trial[topic], topic] for topic in range(5)])
                assert found[measure, sample] == pytest.approx(np.ptp(dealt.mean(axis=0)))

    @pytest.mark.parametrize("cells", [1_000_000, 30, 1])
    def test_samples_that_are_computed_again(self, cells, monkeypatch):
        monkeypatch.setattr(bootstrap, "_REPEATED_CELLS", cells)
        w = random_values(3, 9) - 0.5
        counts = resampling.bootstrap_counts(9, 20, 1)
        row, sample = np.array([0, 2, 1, 2, 0, 1, 1]), np.array([3, 19, 0, 7, 7, 11, 12])
        squared_mean, ratio = bootstrap._samples_of_rows(w, counts, row, sample)
        drawn = [np.repeat(w[r], counts[s]) for r, s in zip(row, sample, strict=True)]
        assert squared_mean.tolist() == pytest.approx([one.mean() ** 2 for one in drawn])
        assert ratio.tolist() == pytest.approx([one.mean() ** 2 / (one**2).mean() for one in drawn])

    def test_the_error_of_single_precision(self):
        assert bootstrap._error(12, np.float32) == 20 * 2.0**-23
        assert bootstrap._error(12, np.float64) == 20 * 2.0**-52
