"""Effect sizes with intervals, against R's figures, integration and theory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import irdiv
from helpers import random_evaluation
from irdiv.stats.effect_sizes import effect_sizes


class TestEffectSizes:
    def test_interval_against_r(self):
        # R's data set sleep: effectsize::cohens_d(..., paired = TRUE) gives -1.28 [-2.12, -0.41]
        first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
        second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
        result = irdiv.stats.t_test(first, second)
        assert np.round([result.effect_size, *result.effect_interval], 2).tolist() == [-1.28, -2.12, -0.41]

    @pytest.mark.parametrize("level", [0.95, 0.8])
    @pytest.mark.parametrize("n", [2, 5, 50])
    def test_ends_are_where_t_is_at_its_quantiles_by_integration(self, n, level):
        z = np.random.default_rng(n).normal([[0.0], [0.3], [-0.5], [2.0]], 1, (4, n))
        d, ends = effect_sizes(z, level)
        s = stats.chi(n - 1)
        for row, size, interval in zip(z, d, ends, strict=True):
            t = stats.ttest_1samp(row, 0).statistic
            assert size == pytest.approx(t / math.sqrt(n))
            # P(T ≤ t) for T = (Z + noncentrality) / (s/√(n−1)), Z normal and s of a χ distribution
            found = [
                integrate.quad(
                    lambda x, t=t, end=end: s.pdf(x) * stats.norm.cdf(t * x / math.sqrt(n - 1) - end * math.sqrt(n)),
                    0,
                    s.isf(1e-15),
                    limit=200,
                )[0]
                for end in interval
            ]
            assert found == pytest.approx([(1 + level) / 2, (1 - level) / 2], abs=1e-6)

    def test_interval_covers_the_true_effect_as_often_as_in_theory(self):
        z = np.random.default_rng(0).normal(0.4, 1, (4000, 20))
        low, high = effect_sizes(z, 0.9)[1].T
        assert abs(((low <= 0.4) & (high >= 0.4)).mean() - 0.9) < 4 * math.sqrt(0.09 / 4000)

    def test_swapped_systems_have_the_mirrored_interval(self):
        one, two = (np.random.default_rng(seed).random(12) for seed in (0, 1))
        there, back = irdiv.stats.t_test(one, two), irdiv.stats.t_test(two, one)
        assert back.effect_size == -there.effect_size
        assert back.effect_interval == pytest.approx([-end for end in reversed(there.effect_interval)])

    def test_equal_differences(self):
        x = np.array([0.1, 0.5, 0.9])
        assert irdiv.stats.t_test(x, x).effect_interval == (0, 0)
        assert irdiv.stats.t_test(x + 1, x).effect_interval == (math.inf, math.inf)
        assert irdiv.stats.t_test(x, x + 1).effect_interval == (-math.inf, -math.inf)

    @pytest.mark.parametrize("test", ["bootstrap", "randomization", "t", "tukey"])
    def test_comparisons_have_those_of_two_systems(self, test):
        evaluation = random_evaluation(runs=3)
        frame = irdiv.stats.compare(evaluation, test=test, confidence_level=0.9)
        row = frame[(frame["run"] == "r0") & (frame["other"] == "r2") & (frame["measure"] == "I-rec@10")]
        expected = irdiv.stats.t_test(evaluation.values[0, 0], evaluation.values[2, 0], confidence_level=0.9)
        found = row[["effect_size", "effect_low", "effect_high"]].to_numpy()[0]
        assert found == pytest.approx([expected.effect_size, *expected.effect_interval])
