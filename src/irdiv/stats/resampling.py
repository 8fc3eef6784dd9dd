"""Resampling of topics for many differences at once.

A bootstrap sample of n topics is a row of counts, how often each topic was drawn; the mean of a sample is then
a product of counts and values, and all samples of all pairs of systems are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from irdiv.errors import IrdivError
from irdiv.evaluation import shown_progress
from irdiv.kernels.lists import Bools, Floats, Ints

Rng: TypeAlias = np.random.Generator | int | None

CELLS = 16_000_000
"""How many (sample, difference) cells are held at once; it bounds memory."""
TIE = 1e-10
"""Statistics that differ by less than this share of them are equal but for rounding."""
_NO_SPREAD = 1e-13
_TILE = 96
_FEW = 12
"""With fewer topics a sample of one topic only is not out of the question."""

Counts: TypeAlias = NDArray[np.uint16]
"""How often each topic is in each sample, ``[sample, topic]``."""


def bootstrap_counts(n: int, B: int, rng: Rng) -> Counts:
    """Return how often each of n topics is drawn in B samples of n, as ``[sample, topic]``."""
    generator = random_generator(rng)
    out = np.empty((B, n), dtype=np.uint16)
    step = max(1, CELLS // n)
    for start in range(0, B, step):
        drawn = generator.integers(0, n, size=(min(step, B - start), n))
        flat = drawn + n * np.arange(len(drawn))[:, None]
        out[start : start + step] = np.bincount(flat.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return out


def signs(n: int, B: int, rng: Rng) -> NDArray[np.int8]:
    """Return all signs of n differences where there are at most B, else B at random, as ``[sample, topic]``."""
    if n < 31 and 2**n <= B:
        return np.where((np.arange(2**n)[:, None] >> np.arange(n)) & 1, -1, 1).astype(np.int8)
    generator = random_generator(rng)
    out = np.empty((B, n), dtype=np.int8)
    step = max(1, CELLS // n)
    for start in range(0, B, step):
        drawn = generator.random((min(step, B - start), n)) < 0.5
        out[start : start + step] = np.where(drawn, -1, 1)
    return out


def t_statistic(mean: Floats, spread: Floats, n: int) -> Floats:
    """Return mean / (sd/√n); ±∞ where the sd is 0, and 0 where the mean is too."""
    flat = spread == 0
    t = np.divide(mean * np.sqrt(n), spread, out=np.zeros(len(mean)), where=~flat)
    return np.where(flat & (mean != 0), np.copysign(np.inf, mean), t)


def mean_and_spread(z: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of differences ``[pair, topic]``, 0 where they are all one."""
    mean = z.mean(axis=1)
    spread = z.std(axis=1, ddof=1)
    scale = np.abs(z).max(axis=1)
    return np.where(np.abs(mean) <= _NO_SPREAD * scale, 0.0, mean), np.where(spread <= _NO_SPREAD * scale, 0.0, spread)


class Null(NamedTuple):
    """Samples of some pairs under the null, both ``[pair, sample]``.

    ``ratio`` is mean² over the mean of squares, of which t² = (n−1) · ratio / (1−ratio) is a rising function; it is 1,
    or missing, for a sample of one value only, which has no t.
    """

    pairs: slice
    mean_square: Floats
    ratio: Floats


def null_samples(z: Floats, counts: Counts, progress: bool = False) -> Iterator[Null]:
    """Yield the samples of all pairs, some pairs at a time, of differences shifted to the mean 0."""
    w = z - z.mean(axis=1, keepdims=True)
    w[np.abs(w) <= _NO_SPREAD * np.abs(z).max(axis=1, keepdims=True)] = 0.0
    drawn = _as_factors(counts)
    for pairs in shown_progress(list(tiles(len(z), len(counts))), "pairs of runs", progress):
        both = _products(np.concatenate([w[pairs], w[pairs] ** 2]) / z.shape[1], drawn)
        mean, square = both[: len(both) // 2], both[len(both) // 2 :]
        np.multiply(mean, mean, out=mean)
        with np.errstate(invalid="ignore"):
            np.divide(mean, square, out=square)
        yield Null(pairs, mean, square)


def tiles(pairs: int, B: int) -> Iterator[slice]:
    """Yield slices of pairs whose samples fit a processor's cache, and memory."""
    step = max(1, min(_TILE, CELLS // B))
    return (slice(start, min(start + step, pairs)) for start in range(0, pairs, step))


def sample_means(z: Floats, counts: Counts) -> Floats:
    """Return the mean of each sample, ``[pair, sample]``."""
    return _products(z / z.shape[1], _as_factors(counts))


def _as_factors(counts: Counts) -> Any:
    """Return counts as ``[topic, sample]``, and as floats where there are not too many."""
    return counts.T.astype(np.float64) if counts.size <= CELLS else counts.T


def _products(z: Floats, drawn: Any) -> Floats:
    n, B = drawn.shape
    if drawn.dtype == np.float64:
        return z @ drawn
    out = np.empty((len(z), B))
    step = max(1, CELLS // n)
    for start in range(0, B, step):
        np.matmul(z, drawn[:, start : start + step].astype(np.float64), out=out[:, start : start + step])
    return out


class Observed(NamedTuple):
    """What was observed of each pair: the mean difference, the ratio that t belongs to, and whether there is a t."""

    mean: Floats
    ratio: Floats
    has_t: Bools
    may_be_flat: Bools
    """Whether a sample may be of one value only."""


def observe(z: Floats) -> Observed:
    """Return what samples are compared with, see `Null`."""
    n = z.shape[1]
    mean, spread = mean_and_spread(z)
    t2 = t_statistic(mean, spread, n) ** 2
    # t² = (n−1) · ratio / (1−ratio)
    ratio = np.divide(t2, n - 1 + t2, out=np.ones(len(t2)), where=np.isfinite(t2))
    return Observed(mean, ratio, spread > 0, _may_be_flat(z, n))


def far_from_null(observed: Observed, null: Null) -> Ints:
    """Return how many samples of each pair are at least as far from 0 as what was observed.

    They are compared by t, or by the mean where a sample, or what was observed, has no t.
    """
    far = null.ratio >= (observed.ratio[null.pairs] * (1 - TIE))[:, None]
    flat = np.flatnonzero(observed.may_be_flat[null.pairs])
    if len(flat):
        mean, has_t = observed.mean[null.pairs][flat], observed.has_t[null.pairs][flat]
        no_t = ~(null.ratio[flat] < 1 - _NO_SPREAD) | ~has_t[:, None]
        by_mean = null.mean_square[flat] >= (mean**2 * (1 - TIE))[:, None]
        far[flat] = np.where(no_t, by_mean, far[flat])
    return far.view(np.uint8).sum(axis=1, dtype=np.int64)


def _may_be_flat(z: Floats, n: int) -> Bools:
    """Tell which pairs may have samples of one value only: those with few topics, or with equal differences."""
    if n < _FEW:
        return np.ones(len(z), dtype=bool)
    in_order = np.sort(z, axis=1)
    return (np.diff(in_order, axis=1) <= _NO_SPREAD * np.abs(z).max(axis=1, keepdims=True)).any(axis=1)


def share(count: Ints, B: int, plus_one: bool) -> Floats:
    """Return count / B, or (count + 1) / (B + 1)."""
    return np.asarray((count + 1.0) / (B + 1.0) if plus_one else count / float(B), dtype=np.float64)


def random_generator(rng: Rng) -> np.random.Generator:
    """Return a generator from a seed, or a generator as it is."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise IrdivError(f"rng={rng!r} is neither a seed, a whole number from 0, nor a numpy Generator.") from None


def require_topics(n: int) -> None:
    """Refuse a single topic, of which nothing can be inferred."""
    if n < 2:
        raise IrdivError(f"a test needs at least two topics, found {n}.")
