"""Scores and values that differ by rounding alone are equal, to statistics."""

from __future__ import annotations

import numpy as np
import pytest

import irdiv
from helpers import evaluation_of
from irdiv import stats
from irdiv.stats.intervals import confidence_intervals
from irdiv.stats.resampling import bootstrap_counts, mean_and_sd, observed_statistics, shifted_to_zero
from irdiv.stats.scores import best_runs


class TestRounding:
    """Scores are compared to 12 decimals, values to 10⁻¹²."""

    @pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b])
    def test_rankings(self, function):
        tied, close, apart = [0.5, 0.5, 0.1], [0.5 + 2e-13, 0.5, 0.1], [0.5 + 2e-12, 0.5, 0.1]
        for other in ([3, 2, 1], [3, 1, 2]):
            assert function(close, other) == function(tied, other) != function(apart, other)
            assert function(other, close) == function(other, tied) != function(other, apart)

    @pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b])
    def test_two_systems(self, function):
        assert function([True, False], [0.2, 0.1]) == function([1, 2], [1, 2], top=2) == 1
        assert function([1, 2], [2, 1]) == -1

    def test_best_runs(self):
        means = np.array([[0.5, 0.2], [0.5 - 5e-13, 0.2 + 5e-13], [0.5 - 2e-12, 0.2 + 2e-12]])
        assert best_runs(means, [False, True]).T.tolist() == [[True, True, False]] * 2
        assert best_runs(np.array([[1e-12], [0.0]]), [False]).tolist() == [[True], [True]]

    def test_concordance_and_disagreements(self):
        # on the first topic the first measure differs by 10⁻¹² exactly, which is no preference
        values = np.zeros((2, 3, 2))
        values[0] = [[1e-12, 0.3], [-0.3, -0.3], [0.5, 0.5]]
        evaluation = evaluation_of(values, ["P@5", "AP", "RR"])
        assert stats.concordance(evaluation, "RR")["disagreements"].tolist() == [1]
        assert stats.disagreements(evaluation, "P@5", "AP")["query_id"].tolist() == ["1"]

    def test_swaps(self):
        values = np.zeros((2, 1, 4))
        values[0, 0] = [1e-12, -1e-12, 1e-12, -1e-12]
        assert stats.swap_rates(evaluation_of(values), sizes=[1], trials=20).empty

    def test_losses(self):
        values = np.array([[[0.0, 0.0, 0.0]], [[1e-12, 2e-12, 0.0]]])
        found = stats.worst_topics(evaluation_of(values), run="r0", baseline="r1")
        assert found["query_id"].tolist() == ["1"]

    def test_topics_that_differ_by_rounding_keep_their_order(self):
        values = np.array([[[0.5 + 2e-13, 0.5, 0.5 - 2e-12]]])
        assert stats.worst_topics(evaluation_of(values))["query_id"].tolist() == ["2", "0", "1"]
        values = np.zeros((2, 2, 3))
        values[0, 0] = [0.5 - 2e-13, 0.5, 0.5 + 2e-12]
        values[0, 1] = -1
        found = stats.disagreements(evaluation_of(values, ["P@5", "AP"]), "P@5", "AP")
        assert found["query_id"].tolist() == ["2", "0", "1"]

    def test_ranks(self):
        values = np.array([1e-12, 0.0, -2e-12])[:, None, None] + np.zeros(2)
        assert stats.rank_runs(evaluation_of(values), test="t", interval="t")["rank"].tolist() == [1, 1, 3]

    def test_a_variance_by_rounding_is_none(self):
        values = np.array([[[0.5, 0.5 + 1e-13]], [[0.5, 0.5]]])
        with pytest.raises(irdiv.IrdivError, match="has the same value for all topics"):
            stats.topic_set_size(evaluation_of(values), 0.1)
        values[0, 0, 1] = 0.5 + 1e-10
        assert stats.topic_set_size(evaluation_of(values), 0.1)["t_test"].tolist() == [2]

    def test_bins_of_swaps(self):
        # .1 + .2 is a little more than .3, and .3/.1 a little less than 3: both are in the bin from .3
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.3, 0.3, -0.1 - 0.2, -0.3]
        found = stats.swap_rates(evaluation_of(values), sizes=[1], trials=30, bin_width=0.1)
        assert found[["low", "high"]].values.tolist() == [pytest.approx([0.3, 0.4])]


class TestDifferencesOfPairs:
    """What is 0 but for rounding is so by the largest difference of its own pair, whatever others there are."""

    def test_means(self):
        mean, sd = mean_and_sd(np.array([[0.1 + 0.2, -0.3, 0.0], [1e-20, 3e-20, 2e-20], [0.3, 0.1 + 0.2, 0.3]]))
        assert (mean[0], sd[2]) == (0.0, 0.0)
        assert mean[1] == pytest.approx(2e-20)
        assert sd[1] == pytest.approx(1e-20)

    def test_shifted_differences(self):
        shifted = shifted_to_zero(np.array([[0.0, 0.2, 0.1], [1e-20, 3e-20, 2e-20]]))
        assert shifted[0, 2] == 0.0
        assert shifted[1].tolist() == pytest.approx([-1e-20, 1e-20, 0], abs=1e-30)

    def test_intervals(self):
        z, counts = np.array([0.1, 0.2, 0.3, 0.4, 0.0]), bootstrap_counts(5, 200, 0)
        large, small = confidence_intervals(np.stack([z, 1e-20 * z]), counts, "bca", 0.95)
        assert (1e20 * small).tolist() == pytest.approx(large.tolist())

    def test_equal_differences(self):
        apart = np.arange(13.0)
        close = np.where(apart == 5, 4 * (1 + 1e-15), apart)
        observed = observed_statistics(np.stack([apart, close, 1e-20 * apart]))
        assert observed.samples_may_lack_t.tolist() == [False, True, False]
