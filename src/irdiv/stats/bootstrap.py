"""The paired bootstrap test of many rows of differences.

Samples are computed in single precision first, in less than half the time. Those whose verdict rounding could change
are computed again in double precision, so that the results are those of double precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from irdiv.progress import progress_bar
from irdiv.stats.resampling import (
    FEW_TOPICS,
    MAX_CELLS,
    Counts,
    NullSamples,
    ObservedStatistics,
    Singles,
    chunk_size,
    chunks,
    count_extreme,
    null_samples,
    observed_statistics,
    p_values,
    samples_of,
    shifted_to_zero,
)
from irdiv.stats.table import Differences
from irdiv.types import Bools, Floats, Ints

_MAX_ERROR = 1e-3
"""Single precision is of no use if its errors may be larger than this."""
_MANY = 0.02
"""From this share of samples to repeat on, all samples of a pair are computed again."""
_REPEATED_CELLS = 1_000_000


def bootstrap_p(z: Floats, counts: Counts, plus_one: bool) -> Floats:
    """Return the achieved significance level of each row of differences ``[pair, topic]``."""
    n_extreme = np.concatenate([tested.n_extreme for tested in _test(_scaled(z)[0], counts)])
    return p_values(n_extreme, len(counts), plus_one)


def bootstrap_p_and_delta(
    differences: Differences, counts: Counts, level: float, plus_one: bool
) -> tuple[Floats, Floats]:
    """Return p as ``[measure, pair]`` and the largest difference required for significance, ``[measure]``.

    The difference required by a pair is the mean of the sample with the (B·level)-th largest abs(t).
    """
    B = len(counts)
    # The index of the (B·level)-th largest of B values in ascending order.
    index = B - min(max(int(np.floor(B * level + 1e-9)), 1), B)
    p, delta = [], []
    for measure in progress_bar(range(differences.n_measures), "measure"):
        z, scale = _scaled(differences.of_measure(measure))
        n_extreme, bounds = [], []
        for tested in _test(z, counts):
            n_extreme.append(tested.n_extreme)
            bounds.append(_bounds_of_delta(tested.samples, index, z.shape[1]))
        p.append(p_values(np.concatenate(n_extreme), B, plus_one))
        pairs = _find_largest(np.concatenate(bounds, axis=1) * scale)
        if chunk_size(B) < len(pairs) < len(z) / 4:
            again = [_bounds_of_delta(samples, index, z.shape[1]) for samples in null_samples(z[pairs], counts)]
            pairs = pairs[_find_largest(np.concatenate(again, axis=1) * scale[pairs])]
        delta.append(_largest_delta(differences, counts, index, differences.n_pairs * measure + pairs))
    return np.stack(p), np.array(delta)


def _scaled(z: Floats) -> tuple[Floats, Floats]:
    """Return differences of at most 1, and the powers of 2 by which those of each pair were divided, without error."""
    exponent = np.frexp(np.abs(z).max(axis=1))[1]
    scale = np.ldexp(1.0, np.minimum(exponent, 1023))
    return z / scale[:, None], scale


class _Tested(NamedTuple):
    n_extreme: Ints
    """How many samples of each pair are extreme."""
    samples: NullSamples


def _test(z: Floats, counts: Counts) -> Iterator[_Tested]:
    """Yield the samples of some pairs at a time, of differences of at most 1; in single precision if it is enough."""
    n = z.shape[1]
    observed = observed_statistics(z)
    pairs_at_a_time = chunks(len(z), len(counts), "test")
    if n < FEW_TOPICS or counts.size > MAX_CELLS or _error(n, np.float32) > _MAX_ERROR:
        for samples in null_samples(z, counts, pairs_at_a_time):
            yield _Tested(count_extreme(observed, samples), samples)
        return
    factors = counts.T.astype(np.float32, order="C")  # products with its transpose take half as long again
    for pairs in pairs_at_a_time:
        w = shifted_to_zero(z[pairs])
        samples = samples_of(pairs, w, lambda rows: rows.astype(np.float32) @ factors)
        yield _Tested(_count_extreme(w, counts, observed.of(pairs), samples), samples)


def _error(n: int, dtype: DTypeLike) -> float:
    """Return a bound of the error of √ratio, and of half the mean, for n differences of at most 1.

    A sum of n products is off by n units of rounding of the sum of their absolute values; by the inequality of Cauchy
    and Schwarz that of the mean is at most √(mean of squares). Rounding before and after the sum adds a few units.
    """
    return float((n + 8) * np.finfo(dtype).eps)


def _count_extreme(w: Floats, counts: Counts, observed: ObservedStatistics, samples: NullSamples) -> Ints:
    """Return how many samples in single precision are extreme, as `count_extreme` does in double precision."""
    error = _error(w.shape[1], np.float32)
    root = np.sqrt(observed.ratio)[:, None]
    is_certain = samples.ratio >= ((root + error) ** 2).astype(np.float32)
    is_possible = ~(samples.ratio < (np.maximum(root - error, 0.0) ** 2).astype(np.float32))
    rows = np.flatnonzero(observed.samples_may_lack_t)
    if len(rows):
        may_lack_t = ~(samples.ratio[rows] < np.float32((1 - error) ** 2)) | ~observed.has_t[rows, None]
        if may_lack_t.any():
            is_certain[rows] &= ~may_lack_t
            is_possible[rows] |= may_lack_t
    n_extreme = _count(is_certain)
    n_unknown = _count(is_possible) - n_extreme
    rows = np.flatnonzero(n_unknown > _MANY * len(counts))
    if len(rows):
        of_rows = observed.of(rows)
        n_extreme[rows] = np.concatenate([count_extreme(of_rows, again) for again in null_samples(w[rows], counts)])
        n_unknown[rows] = 0
    rows = np.flatnonzero(n_unknown)
    row, sample = _find_true(is_possible[rows] ^ is_certain[rows])
    extreme = _are_extreme(w, counts, observed, rows[row], sample)
    return n_extreme + np.bincount(rows[row][extreme], minlength=len(w))


def _are_extreme(w: Floats, counts: Counts, observed: ObservedStatistics, row: Ints, sample: Ints) -> Bools:
    """Return whether samples, each of a row, are extreme."""
    found = np.empty(len(row), dtype=bool)
    step = max(1, _REPEATED_CELLS // w.shape[1])
    for start in range(0, len(row), step):
        of_row, count = row[start : start + step], counts[sample[start : start + step]].astype(np.float64)
        mean = np.einsum("st,st->s", w[of_row], count)[:, None] / w.shape[1]
        square = np.einsum("st,st->s", w[of_row] ** 2, count)[:, None] / w.shape[1]
        with np.errstate(invalid="ignore"):
            null = NullSamples(slice(None), mean**2, mean**2 / square)
        found[start : start + step] = count_extreme(observed.of(of_row), null) > 0
    return found


def _count(is_true: Bools) -> Ints:
    return is_true.view(np.uint8).sum(axis=1, dtype=np.int64)


def _find_true(is_true: Bools) -> tuple[Ints, Ints]:
    """Return the same as ``np.nonzero``, which takes ten times as long if there are few."""
    row, column = np.divmod(np.flatnonzero(is_true), is_true.shape[1])
    return row, column


def _bounds_of_delta(samples: NullSamples, index: int, n: int) -> Floats:
    """Return bounds of the difference that each pair requires, with errors of rounding, as ``[low/high, pair]``."""
    ratio = _without_nan(samples.ratio)
    error = _error(n, ratio.dtype)
    root = np.sqrt(_partition(ratio, index)[:, None])
    # Both the sample and the one at the threshold may be off.
    low = np.maximum(root - 2 * error, 0.0) ** 2
    row, sample = _find_true((ratio >= low) & (ratio <= (root + 2 * error) ** 2))
    mean = np.sqrt(samples.squared_mean[row, sample].astype(np.float64))
    starts = np.searchsorted(row, np.arange(len(ratio)))
    return np.stack([np.minimum.reduceat(mean, starts) - 2 * error, np.maximum.reduceat(mean, starts) + 2 * error])


def _partition(ratio: Floats | Singles, index: int) -> Floats | Singles:
    """Return the value at an index of each row in ascending order."""
    # Numbers from 0 on are in the order of their bits as integers, which compare faster.
    bits = ratio.view(np.int32 if ratio.dtype == np.float32 else np.int64)
    return np.partition(bits, index, axis=1)[:, index].view(ratio.dtype)


def _find_largest(bounds: Floats) -> Ints:
    """Return the indices of values that may be the largest, from their bounds ``[low/high, value]``."""
    low, high = bounds
    return np.flatnonzero(high >= low.max())


def _largest_delta(differences: Differences, counts: Counts, index: int, rows: Ints) -> float:
    """Return the largest difference that some rows, of all measures, require for significance."""
    size = chunk_size(len(counts))
    largest = 0.0
    # Other chunks would round differently.
    for start in np.unique(rows // size) * size:
        (null,) = null_samples(differences.rows(slice(start, start + size)), counts)
        ratio = _without_nan(null.ratio)
        sample = (ratio == _partition(ratio, index)[:, None]).argmax(axis=1)
        delta = np.sqrt(null.squared_mean[np.arange(len(sample)), sample])
        largest = max(largest, delta[rows[rows // size == start // size] - start].max())
    return float(largest)


def _without_nan(ratio: Floats | Singles) -> Floats | Singles:
    """Return ratios with 0 for samples of zeros, which have no t and no difference; it changes them in place."""
    if np.isnan(ratio.max()):
        ratio[np.isnan(ratio)] = 0.0
    return ratio
