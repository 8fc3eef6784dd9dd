"""Tests of two systems on the same topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irdiv.checks import require
from irdiv.errors import IrdivError
from irdiv.stats.bootstrap import bootstrap_p
from irdiv.stats.effect_sizes import effect_sizes
from irdiv.stats.intervals import confidence_intervals
from irdiv.stats.options import (
    CONFIDENCE_LEVEL,
    N_RESAMPLES,
    N_SIGN_FLIPS,
    SAMPLE_COUNT,
    IntervalName,
    PairedTestName,
    Rng,
    random_generator,
    require_finite,
    require_two_topics,
    resampling_options,
)
from irdiv.stats.resampling import (
    TIE_TOLERANCE,
    bootstrap_counts,
    chunks_of_samples,
    mean_and_sd,
    p_values,
    sign_flips,
    t_statistic,
)
from irdiv.types import Floats


@dataclass(frozen=True, repr=False)
class PairedTestResult:
    """The result of a test of two systems; it unpacks as ``(statistic, p)``, as results of scipy do."""

    statistic: float
    """t = mean / (sd/√n) of the differences; for the randomization test their mean."""
    p: float
    difference: float
    """The mean difference, first minus second."""
    interval: tuple[float, float]
    """A confidence interval of the mean difference."""
    effect_size: float
    """Mean over standard deviation of the differences; 0 if all are 0, and ±∞ if all are equal but not 0."""
    effect_interval: tuple[float, float]
    """A confidence interval of the effect size, by the noncentral t distribution."""
    n: int
    """How many topics."""
    test: PairedTestName

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.p))

    def __getitem__(self, index: int) -> float:
        return (self.statistic, self.p)[index]

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        low, high = self.interval
        effect_low, effect_high = self.effect_interval
        return (
            f"PairedTestResult({self.test}, n={self.n}, difference={self.difference:.4f} [{low:.4f}, {high:.4f}], "
            f"statistic={self.statistic:.4f}, p={self.p:.4g}, "
            f"effect_size={self.effect_size:.4f} [{effect_low:.4f}, {effect_high:.4f}])"
        )


class PairedTestResults(NamedTuple):
    """Results of tests of many pairs, each field ``[pair]``, the intervals ``[pair, 2]``."""

    statistic: Floats
    p: Floats
    difference: Floats
    interval: Floats
    effect_size: Floats
    effect_interval: Floats


def bootstrap_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
    plus_one: bool = False,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> PairedTestResult:
    """Test two systems by the paired bootstrap (Sakai, SIGIR 2006).

    With the differences z and w = z − mean(z), the achieved significance level p is the share of samples w* of w with
    abs(t(w*)) ≥ abs(t(z)), t = mean/(sd/√n). A sample of equal values has no t and is compared by its mean.

    Parameters
    ----------
    x, y
        Values of the two systems, topic by topic.
    rng
        A seed or a `numpy.random.Generator`; None for another result each time.
    n_resamples
        How many samples, B.
    plus_one
        Whether p is (c+1)/(B+1), which is never 0, instead of c/B, for c samples with such a t.
    interval
        ``"bca"``, ``"percentile"`` or ``"t"``, of the mean difference.
    confidence_level
        The confidence level of the intervals of the mean difference and of the effect size.

    Examples
    --------
    >>> bootstrap_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5])
    PairedTestResult(bootstrap, n=4, difference=0.2500 [0.1500, 0.3500], statistic=3.8730, p=0.035,
    effect_size=1.9365 [0.1458, 3.6717])
    >>> statistic, p = bootstrap_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5])
    """
    return _paired_test(x, y, "bootstrap", rng, n_resamples, plus_one, interval, confidence_level)


def randomization_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    n_resamples: int = N_SIGN_FLIPS,
    plus_one: bool = True,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> PairedTestResult:
    """Test two systems by paired randomization, which flips the signs of differences at random.

    p is the share of draws of signs whose mean difference is at least as far from 0 as the observed one, (c+1)/(B+1);
    where there are at most n_resamples combinations of signs, all are tried and p is exact. Parameters are those of
    `bootstrap_test`.

    Examples
    --------
    >>> randomization_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]).p
    0.125
    """
    return _paired_test(x, y, "randomization", rng, n_resamples, plus_one, interval, confidence_level)


def t_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    n_resamples: int | None = None,
    interval: IntervalName = "t",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> PairedTestResult:
    """Test two systems by the paired t test.

    Parameters are those of `bootstrap_test`. ``rng`` and ``n_resamples``, by default 1000, serve a bootstrap interval
    only; without one, it is an error to give ``n_resamples``.

    Examples
    --------
    >>> round(t_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]).p, 4)
    0.0305
    """
    n_resamples, plus_one = resampling_options("t", n_resamples, None, interval)
    return _paired_test(x, y, "t", rng, n_resamples, plus_one, interval, confidence_level)


def _paired_test(
    x: ArrayLike,
    y: ArrayLike,
    test: PairedTestName,
    rng: Rng,
    n_resamples: int,
    plus_one: bool,
    interval: IntervalName,
    confidence_level: float,
) -> PairedTestResult:
    first = require_finite(x, "x must hold", "topic")
    second = require_finite(y, "y must hold", "topic")
    if len(first) != len(second):
        raise IrdivError(
            f"the systems have {len(first)} and {len(second)} values; a paired test needs the same topics."
        )
    arrays = paired_tests((first - second)[None], test, rng, n_resamples, plus_one, interval, confidence_level)
    statistic, p, difference, ends, effect_size, effect_ends = (array[0].tolist() for array in arrays)
    return PairedTestResult(
        statistic, p, difference, tuple(ends), effect_size, tuple(effect_ends), n=len(first), test=test
    )


def paired_tests(
    z: Floats,
    test: PairedTestName,
    rng: Rng,
    n_resamples: int,
    plus_one: bool,
    interval: IntervalName,
    confidence_level: float,
) -> PairedTestResults:
    """Test many rows of differences ``[pair, topic]``, all on the same samples of topics."""
    n = z.shape[1]
    require_two_topics(n)
    n_resamples = require(SAMPLE_COUNT, n_resamples=n_resamples)
    mean, sd = mean_and_sd(z)
    generator = random_generator(rng)
    needs_counts = test == "bootstrap" or interval != "t"
    counts = bootstrap_counts(n, n_resamples, generator) if needs_counts else None
    statistic = mean if test == "randomization" else t_statistic(mean, sd, n)
    if test == "bootstrap":
        assert counts is not None
        p = bootstrap_p(z, counts, plus_one)
    elif test == "randomization":
        p = _randomization_p(z, sign_flips(n, n_resamples, generator), plus_one)
    else:
        p = _t_p(statistic, n)
    ends = confidence_intervals(z, counts, interval, confidence_level)
    return PairedTestResults(statistic, p, mean, ends, *effect_sizes(z, confidence_level))


def _randomization_p(z: Floats, signs: NDArray[np.int8], plus_one: bool) -> Floats:
    observed = np.abs(z.sum(axis=1))
    tolerance = TIE_TOLERANCE * np.abs(z).sum(axis=1)
    n_extreme = np.zeros(len(z), dtype=np.int64)
    for samples in chunks_of_samples(len(signs), max(z.shape)):
        total = np.abs(signs[samples].astype(np.float64) @ z.T)
        n_extreme += np.count_nonzero(total >= observed - tolerance, axis=0)
    n = z.shape[1]
    is_exact = n < 31 and len(signs) == 2**n
    return p_values(n_extreme, len(signs), plus_one and not is_exact)


def _t_p(statistic: Floats, n: int) -> Floats:
    from scipy import special  # scipy.stats takes a second to import

    return np.asarray(2 * special.stdtr(n - 1, -np.abs(statistic)), dtype=np.float64)
