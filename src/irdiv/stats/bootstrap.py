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
    index = B - max(int(np.floor(B * level + 1e-9)), 1)
    p, delta = [], []
    for measure in progress_bar(range(differences.n_measures), "measure"):
        z, scale = _scaled(differences.of_measure(measure))
        n_extreme, bounds = [], []
        for tested in _test(z, counts):
            n_extreme.append(tested.n_extreme)
            bounds.append(_bounds_of_delta(tested, counts, index))
        p.append(p_values(np.concatenate(n_extreme), B, plus_one))
        pairs = _find_largest(np.concatenate(bounds, axis=1) * scale)
        delta.append(_largest_delta(differences, counts, index, differences.n_pairs * measure + pairs))
    return np.stack(p), np.array(delta)


def _scaled(z: Floats) -> tuple[Floats, Floats]:
    """Return differences of at most 1, and the powers of 2 by which those of each pair were divided, without error."""
    exponent = np.frexp(np.abs(z).max(axis=1))[1]
    scale = np.ldexp(1.0, np.minimum(exponent, 1023))
    return z / scale[:, None], scale


class _Tested(NamedTuple):
    w: Floats
    """The differences of some pairs, less their mean."""
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
            yield _Tested(shifted_to_zero(z[samples.pairs]), count_extreme(observed, samples), samples)
        return
    factors = counts.T.astype(np.float32, order="C")  # products with its transpose take half as long again
    for pairs in pairs_at_a_time:
        w = shifted_to_zero(z[pairs])
        samples = samples_of(pairs, w, lambda rows: rows.astype(np.float32) @ factors)
        yield _Tested(w, _count_extreme(w, counts, observed.of(pairs), samples), samples)


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
    squared_mean, ratio = _samples_of_rows(w, counts, row, sample)
    return count_extreme(observed.of(row), NullSamples(slice(None), squared_mean[:, None], ratio[:, None])) > 0


def _samples_of_rows(w: Floats, counts: Counts, row: Ints, sample: Ints) -> tuple[Floats, Floats]:
    """Return squared mean and ratio of some samples in double precision, each of one row."""
    mean, square = np.empty((2, len(row)))
    step = max(1, _REPEATED_CELLS // w.shape[1])
    for start in range(0, len(row), step):
        part = slice(start, start + step)
        of_row, count = w[row[part]], counts[sample[part]].astype(np.float64)
        mean[part] = np.einsum("st,st->s", of_row, count) / w.shape[1]
        square[part] = np.einsum("st,st,st->s", of_row, of_row, count) / w.shape[1]
    with np.errstate(invalid="ignore"):
        return mean**2, mean**2 / square


def _count(is_true: Bools) -> Ints:
    return is_true.view(np.uint8).sum(axis=1, dtype=np.int64)


def _find_true(is_true: Bools) -> tuple[Ints, Ints]:
    """Return the same as ``np.nonzero``, which takes ten times as long if there are few."""
    row, column = np.divmod(np.flatnonzero(is_true), is_true.shape[1])
    return row, column


def _bounds_of_delta(tested: _Tested, counts: Counts, index: int) -> Floats:
    """Return bounds of the difference that each pair requires, with errors of rounding, as ``[low/high, pair]``."""
    ratio = _without_nan(tested.samples.ratio)
    n = counts.shape[1]
    root = np.sqrt(_partition(ratio, index)[:, None])
    # Both the sample and the one at the threshold may be off.
    error = 2 * _error(n, ratio.dtype)
    is_above = ratio > (root + error) ** 2
    row, sample = _find_true((ratio >= np.maximum(root - error, 0.0) ** 2) & ~is_above)
    squared_mean, precise_ratio = _samples_of_rows(tested.w, counts, row, sample)
    precise_root = np.sqrt(_without_nan(precise_ratio))
    start = np.searchsorted(row, np.arange(len(ratio)))
    at_threshold = start + len(counts) - index - 1 - _count(is_above)
    threshold = precise_root[np.lexsort((-precise_root, row))][at_threshold]
    error = 2 * _error(n, precise_root.dtype)
    is_close, mean = np.abs(precise_root - threshold[row]) <= error, np.sqrt(squared_mean)
    low = np.minimum.reduceat(np.where(is_close, mean, np.inf), start) - error
    high = np.maximum.reduceat(np.where(is_close, mean, 0.0), start) + error
    return np.stack([low, high])


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
