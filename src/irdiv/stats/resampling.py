"""Resampling of topics for many rows of differences at once.

A bootstrap sample of n topics is a row of counts, how often each topic was drawn; the mean of a sample is then
a product of counts and values, and all samples of all pairs of runs are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from irdiv.progress import progress_slices
from irdiv.stats.options import Rng, random_generator
from irdiv.types import Bools, Floats, Ints

MAX_CELLS = 16_000_000
"""How many (sample, difference) cells are held at once; it bounds memory."""
_SAMPLE_CELLS = 1_000_000
"""How many cells of samples are drawn at once: few enough for the processor's cache, and for a bar that moves."""
TIE_TOLERANCE = 1e-10
"""Statistics whose relative difference is below this differ only by rounding."""
_ZERO_TOLERANCE = 1e-13
"""A mean or standard deviation below this, relative to the largest difference, is 0 but for rounding."""
_MAX_CHUNK = 96
FEW_TOPICS = 12
"""With fewer topics a sample may well hold one topic only."""

Counts: TypeAlias = NDArray[np.uint16]
"""How often each topic is in each sample, ``[sample, topic]``."""
Factors: TypeAlias = Floats | Counts
Singles: TypeAlias = NDArray[np.float32]


def bootstrap_counts(n_topics: int, n_resamples: int, rng: Rng) -> Counts:
    """Return how often each topic is drawn in each bootstrap sample, ``[sample, topic]``."""
    generator = random_generator(rng)
    counts = np.empty((n_resamples, n_topics), dtype=np.uint16)
    for samples in chunks_of_samples(n_resamples, n_topics):
        drawn = generator.integers(0, n_topics, size=(samples.stop - samples.start, n_topics))
        flat = drawn + n_topics * np.arange(len(drawn))[:, None]
        counts[samples] = np.bincount(flat.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return counts


def sign_flips(n_topics: int, n_resamples: int, rng: Rng) -> NDArray[np.int8]:
    """Return all combinations of signs if they are at most n_resamples, else random ones, ``[sample, topic]``."""
    if n_topics < 31 and 2**n_topics <= n_resamples:
        return np.where((np.arange(2**n_topics)[:, None] >> np.arange(n_topics)) & 1, -1, 1).astype(np.int8)
    generator = random_generator(rng)
    signs = np.empty((n_resamples, n_topics), dtype=np.int8)
    for samples in chunks_of_samples(n_resamples, n_topics):
        is_negative = generator.random((samples.stop - samples.start, n_topics)) < 0.5
        signs[samples] = np.where(is_negative, -1, 1)
    return signs


def t_statistic(mean: Floats, sd: Floats, n: int) -> Floats:
    """Return mean / (sd/√n); ±∞ where the sd is 0, and 0 where the mean is also 0."""
    is_constant = sd == 0
    t = np.divide(mean * np.sqrt(n), sd, out=np.zeros(len(mean)), where=~is_constant)
    return np.where(is_constant & (mean != 0), np.copysign(np.inf, mean), t)


def mean_and_sd(z: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each row of ``[pair, topic]``; those that are 0 but for rounding as 0."""
    mean = z.mean(axis=1)
    sd = z.std(axis=1, ddof=1)
    tolerance = _ZERO_TOLERANCE * np.abs(z).max(axis=1)
    return np.where(np.abs(mean) <= tolerance, 0.0, mean), np.where(sd <= tolerance, 0.0, sd)


class NullSamples(NamedTuple):
    """Samples of some pairs under the null hypothesis, both arrays ``[pair, sample]``.

    ``ratio`` is mean² over the mean of squares, of which t² = (n−1) · ratio / (1−ratio) is an increasing function; it
    is 1, or NaN, for a sample of equal values, which has no t.
    """

    pairs: slice
    squared_mean: Floats | Singles
    ratio: Floats | Singles


def shifted_to_zero(z: Floats) -> Floats:
    """Return the differences of each pair less their mean; those that are 0 but for rounding as 0."""
    w = z - z.mean(axis=1, keepdims=True)
    w[np.abs(w) <= _ZERO_TOLERANCE * np.abs(z).max(axis=1, keepdims=True)] = 0.0
    return w


def null_samples(z: Floats, counts: Counts, pairs_at_a_time: Iterable[slice] | None = None) -> Iterator[NullSamples]:
    """Yield the samples of all pairs, some pairs at a time, of differences shifted to mean 0."""
    factors = _as_factors(counts)
    size = chunk_size(len(counts))
    for pairs in pairs_at_a_time or [slice(start, start + size) for start in range(0, len(z), size)]:
        yield samples_of(pairs, shifted_to_zero(z[pairs]), lambda rows: _products(rows, factors))


def samples_of(pairs: slice, w: Floats, sums: Callable[[Floats], Floats | Singles]) -> NullSamples:
    """Return the samples of some pairs with differences of mean 0; ``sums`` returns the sums of rows in each sample."""
    both = sums(np.concatenate([w, w**2]) / w.shape[1])
    mean, square = both[: len(w)], both[len(w) :]
    np.multiply(mean, mean, out=mean)
    with np.errstate(invalid="ignore"):
        np.divide(mean, square, out=square)
    return NullSamples(pairs, mean, square)


def chunks(n_rows: int, n_resamples: int, unit: str) -> Iterator[slice]:
    """Yield slices of rows whose samples fit into the processor's cache, and into memory; ``unit`` names a row."""
    return progress_slices(n_rows, chunk_size(n_resamples), unit)


def chunk_size(n_resamples: int) -> int:
    """Return how many rows a slice of `chunks` has."""
    return max(1, min(_MAX_CHUNK, MAX_CELLS // n_resamples))


def chunks_of_samples(n_resamples: int, cells: int) -> Iterator[slice]:
    """Yield slices of samples, where each has a number of cells."""
    return progress_slices(n_resamples, max(1, _SAMPLE_CELLS // cells), "sample")


def sample_means(z: Floats, counts: Counts) -> Floats:
    """Return the mean of each sample, ``[pair, sample]``."""
    return _products(z / z.shape[1], _as_factors(counts))


def _as_factors(counts: Counts) -> Factors:
    """Return counts as ``[topic, sample]``, as floats unless they are too many."""
    return counts.T.astype(np.float64) if counts.size <= MAX_CELLS else counts.T


def _products(z: Floats, factors: Factors) -> Floats:
    n_topics, n_resamples = factors.shape
    if factors.dtype == np.float64:
        return z @ factors
    products = np.empty((len(z), n_resamples))
    # Other slices would round products differently.
    for samples in progress_slices(n_resamples, max(1, MAX_CELLS // n_topics), "sample"):
        np.matmul(z, factors[:, samples].astype(np.float64), out=products[:, samples])
    return products


class ObservedStatistics(NamedTuple):
    """Statistics of each pair that samples are compared with; `NullSamples` defines the ratio."""

    mean: Floats
    ratio: Floats
    has_t: Bools
    samples_may_lack_t: Bools

    def of(self, pairs: slice | Ints) -> ObservedStatistics:
        """Return the statistics of some pairs."""
        return ObservedStatistics(
            self.mean[pairs], self.ratio[pairs], self.has_t[pairs], self.samples_may_lack_t[pairs]
        )


def observed_statistics(z: Floats) -> ObservedStatistics:
    """Return the statistics of each row of differences."""
    n = z.shape[1]
    mean, sd = mean_and_sd(z)
    t2 = t_statistic(mean, sd, n) ** 2
    # t² = (n−1) · ratio / (1−ratio)
    ratio = np.divide(t2, n - 1 + t2, out=np.ones(len(t2)), where=np.isfinite(t2))
    return ObservedStatistics(mean, ratio, sd > 0, _samples_may_lack_t(z))


def count_extreme(observed: ObservedStatistics, null: NullSamples) -> Ints:
    """Return how many samples of each pair are at least as far from 0 as the observed statistic.

    They are compared by t, or by the mean where the sample or the observed differences have no t.
    """
    is_extreme = null.ratio >= (observed.ratio[null.pairs] * (1 - TIE_TOLERANCE))[:, None]
    rows = np.flatnonzero(observed.samples_may_lack_t[null.pairs])
    if len(rows):
        mean, has_t = observed.mean[null.pairs][rows], observed.has_t[null.pairs][rows]
        lacks_t = ~(null.ratio[rows] < 1 - _ZERO_TOLERANCE) | ~has_t[:, None]
        by_mean = null.squared_mean[rows] >= (mean**2 * (1 - TIE_TOLERANCE))[:, None]
        is_extreme[rows] = np.where(lacks_t, by_mean, is_extreme[rows])
    return is_extreme.view(np.uint8).sum(axis=1, dtype=np.int64)


def _samples_may_lack_t(z: Floats) -> Bools:
    """Return which pairs may have samples of equal values: those with few topics or with equal differences."""
    if z.shape[1] < FEW_TOPICS:
        return np.ones(len(z), dtype=bool)
    ascending = np.sort(z, axis=1)
    return (np.diff(ascending, axis=1) <= _ZERO_TOLERANCE * np.abs(z).max(axis=1, keepdims=True)).any(axis=1)


def p_values(n_extreme: Ints, n_resamples: int, plus_one: bool) -> Floats:
    """Return c/B, or (c+1)/(B+1), for c extreme ones of B samples."""
    return np.asarray(
        (n_extreme + 1.0) / (n_resamples + 1.0) if plus_one else n_extreme / float(n_resamples), dtype=np.float64
    )
