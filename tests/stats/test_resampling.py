"""Samples of topics and signs, and intervals from them, against what numpy draws and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irdiv.stats import intervals, resampling


class TestSamples:
    @pytest.mark.parametrize("cells", [1_000_000, 40, 1])
    def test_counts_are_those_of_topics_drawn_at_random(self, cells, monkeypatch):
        monkeypatch.setattr(resampling, "_SAMPLE_CELLS", cells)
        for seed in range(5):
            found = resampling.bootstrap_counts(7, 30, seed)
            drawn = np.random.default_rng(seed).integers(0, 7, (30, 7))
            assert found.tolist() == [[(row == topic).sum() for topic in range(7)] for row in drawn]
            assert found.dtype == np.uint16

    @pytest.mark.parametrize("cells", [1_000_000, 40, 1])
    def test_signs_at_random(self, cells, monkeypatch):
        monkeypatch.setattr(resampling, "_SAMPLE_CELLS", cells)
        found = resampling.sign_flips(7, 127, 3)
        numbers = np.random.default_rng(3).random((127, 7))
        assert found.tolist() == np.where(numbers < 0.5, -1, 1).tolist()
        assert found.dtype == np.int8

    def test_all_combinations_of_signs(self):
        assert resampling.sign_flips(2, 4, 0).tolist() == [[1, 1], [-1, 1], [1, -1], [-1, -1]]
        assert sorted(resampling.sign_flips(3, 100, 0).tolist()) == [
            [a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)
        ]
        assert resampling.sign_flips(3, 8, 0).dtype == np.int8
        assert resampling.sign_flips(3, 7, 0).shape == (7, 3)

    def test_p_values(self):
        assert resampling.p_values(np.array([0, 5, 10]), 10, False).tolist() == [0, 0.5, 1]
        assert resampling.p_values(np.array([0, 5, 10]), 10, True).tolist() == [1 / 11, 6 / 11, 1]

    def test_chunks(self):
        assert [resampling.chunk_size(n) for n in (1, 160_000, 166_667, 8_000_000, 8_000_001, 10**9)] == [
            96, 96, 95, 2, 1, 1,
        ]  # fmt: skip
        assert list(resampling.chunks(5, 8_000_000, "row")) == [slice(0, 2), slice(2, 4), slice(4, 5)]
        assert list(resampling.chunks_of_samples(5, 500_000)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
        assert list(resampling.chunks_of_samples(2, 10**9)) == [slice(0, 1), slice(1, 2)]

    def test_t(self):
        mean, sd = np.array([0.5, -0.5, 0.0, 0.3, -0.3, 0.0]), np.array([2.0, 2.0, 1.0, 0.0, 0.0, 0.0])
        found = resampling.t_statistic(mean, sd, 16)
        assert found.tolist() == [1, -1, 0, math.inf, -math.inf, 0]

    def test_rounding_is_no_mean_and_no_deviation(self):
        z = np.array([[1.0, -1.0 + 1e-14], [1.0, -1.0 + 1e-12], [0.3, 0.3 + 1e-14], [0.3, 0.3 + 1e-12]])
        mean, sd = resampling.mean_and_sd(z)
        assert mean[0] == 0 < mean[1]
        assert sd[2] == 0 < sd[3]
        assert sd[0] == pytest.approx(math.sqrt(2))
        shifted = resampling.shifted_to_zero(z)
        assert (shifted[2] == 0).all()
        assert (shifted[3] != 0).all()
        assert shifted[0].tolist() == pytest.approx([1, -1])

    @pytest.mark.parametrize(("cells", "step"), [(279, 39), (50, 7), (5, 1)])
    def test_slices_of_samples_that_do_not_fit(self, cells, step, monkeypatch):
        asked, slices = [], resampling.progress_slices
        counts = resampling.bootstrap_counts(7, 40, 1)
        monkeypatch.setattr(resampling, "MAX_CELLS", cells)
        monkeypatch.setattr(resampling, "progress_slices", lambda *given: asked.append(given) or slices(*given))
        resampling.sample_means(np.ones((3, 7)), counts)
        assert asked == [(40, step, "sample")]
        # 280 cells do fit
        monkeypatch.setattr(resampling, "MAX_CELLS", 280)
        resampling.sample_means(np.ones((3, 7)), counts)
        assert len(asked) == 1

    @pytest.mark.parametrize("cells", [16_000_000, 50])
    def test_means_of_samples(self, cells, monkeypatch):
        monkeypatch.setattr(resampling, "MAX_CELLS", cells)
        z = np.random.default_rng(0).random((3, 7))
        drawn = np.random.default_rng(1).integers(0, 7, (40, 7))
        counts = resampling.bootstrap_counts(7, 40, 1)
        assert resampling.sample_means(z, counts) == pytest.approx(z[:, drawn].mean(axis=2))


class TestIntervals:
    Z = np.random.default_rng(4).random((5, 9))

    def test_percentiles(self):
        counts = resampling.bootstrap_counts(9, 51, 2)
        found = intervals.confidence_intervals(self.Z, counts, "percentile", 0.8)
        means = (self.Z @ counts.T) / 9
        assert found == pytest.approx(np.quantile(means, [0.1, 0.9], axis=1).T, abs=1e-14)
        # a level so high that the ends are the smallest and the largest
        ends = intervals.confidence_intervals(self.Z, counts, "percentile", 1 - 1e-15)
        assert ends == pytest.approx(np.stack([means.min(axis=1), means.max(axis=1)], axis=1))

    def test_of_runs_and_measures(self):
        values = self.Z[:4].reshape(2, 2, 9)
        counts = resampling.bootstrap_counts(9, 51, 2)
        found = intervals.intervals_of_means(values, counts, "percentile", 0.8)
        assert found.shape == (2, 2, 2)
        alone = intervals.confidence_intervals(self.Z[:4], counts, "percentile", 0.8)
        assert found.reshape(4, 2).tolist() == alone.tolist()
        one_topic = intervals.intervals_of_means(values[..., :1], None)
        assert one_topic[..., 0].tolist() == one_topic[..., 1].tolist() == values[..., 0].tolist()

    def test_of_equal_values(self):
        z = np.array([np.full(9, 0.3), self.Z[0]])
        counts = resampling.bootstrap_counts(9, 51, 2)
        for interval in ("bca", "percentile", "t"):
            found = intervals.confidence_intervals(z, counts, interval, 0.95)
            assert found[0] == pytest.approx([0.3, 0.3], abs=1e-12)
            assert found[1, 0] < self.Z[0].mean() < found[1, 1]

    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_chunks_change_nothing(self, rows, monkeypatch):
        counts = resampling.bootstrap_counts(9, 51, 2)
        expected = intervals.confidence_intervals(self.Z, counts, "bca", 0.8)
        monkeypatch.setattr(resampling, "_MAX_CHUNK", rows)
        assert intervals.confidence_intervals(self.Z, counts, "bca", 0.8) == pytest.approx(expected, abs=1e-14)

    def test_quantiles_are_numpys_to_the_last_bit(self):
        ascending = np.sort(np.random.default_rng(0).random((200, 21)), axis=1)
        # positions 0.5, 19.5, 4.2, 15.8 and both ends
        for probabilities in ([0.025, 0.975], [0.21, 0.79], [0.0, 1.0]):
            found = intervals._quantiles(ascending, np.array(probabilities))
            assert found.tolist() == np.quantile(ascending, probabilities, axis=1).T.tolist()
