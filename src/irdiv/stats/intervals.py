"""Confidence intervals of the mean difference."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from irdiv.errors import IrdivError, examples
from irdiv.kernels.lists import Floats
from irdiv.stats.resampling import TIE, Counts, mean_and_spread, sample_means, tiles

Interval: TypeAlias = Literal["bca", "percentile", "t"]


def intervals(z: Floats, counts: Counts | None, kind: Interval, level: float) -> Floats:
    """Return low and high ends of an interval of the mean of each row of differences, ``[pair, 2]``."""
    if kind not in get_args(Interval):
        raise IrdivError(f"interval={kind!r} is not known; choose one of {examples(get_args(Interval))}.")
    if not 0 < level < 1:
        raise IrdivError(f"level={level!r} is not a confidence level; give a number between 0 and 1, as 0.95.")
    tail = np.array([(1 - level) / 2, (1 + level) / 2])
    if kind == "t":
        return _of_t(z, tail)
    assert counts is not None
    out = np.empty((len(z), 2))
    for pairs in tiles(len(z), len(counts)):
        means = np.sort(sample_means(z[pairs], counts), axis=1)
        out[pairs] = _quantiles(means, tail if kind == "percentile" else _bca(z[pairs], means, tail))
    return out


def _of_t(z: Floats, tail: Floats) -> Floats:
    from scipy import stats

    mean, spread = mean_and_spread(z)
    n = z.shape[1]
    return mean[:, None] + stats.t.ppf(tail, n - 1) * (spread / np.sqrt(n))[:, None]


def _bca(z: Floats, means: Floats, tail: Floats) -> Floats:
    """Return the quantiles of a bias-corrected and accelerated interval (Efron 1987), ``[pair, 2]``."""
    from scipy import special

    n = z.shape[1]
    observed = z.mean(axis=1)
    # Samples that tie with what was observed differ from it by rounding, to either side.
    room = TIE * np.abs(z).max(axis=1)
    below = np.count_nonzero(means < (observed - room)[:, None], axis=1)
    below += np.count_nonzero(means <= (observed + room)[:, None], axis=1)
    bias = special.ndtri(below / (2.0 * means.shape[1]))
    left_out = (z.sum(axis=1, keepdims=True) - z) / (n - 1)
    u = left_out.mean(axis=1, keepdims=True) - left_out
    square = (u**2).sum(axis=1)
    acceleration = np.divide(
        (u**3).sum(axis=1), 6.0 * square**1.5, out=np.zeros(len(z)), where=square > np.finfo(float).tiny
    )
    normal = special.ndtri(tail)
    with np.errstate(invalid="ignore"):
        shifted = bias[:, None] + normal
        at = special.ndtr(bias[:, None] + shifted / (1 - acceleration[:, None] * shifted))
    # All samples on one side of the mean, as of constant differences: any quantile is the mean itself.
    return np.where(np.isfinite(bias)[:, None], at, tail)


def _quantiles(sorted_values: Floats, at: Floats) -> Floats:
    """Return quantiles of each row by linear interpolation, as ``numpy.quantile``."""
    last = sorted_values.shape[1] - 1
    place = np.broadcast_to(at * last, (len(sorted_values), 2))
    low = np.floor(place).astype(np.int64)
    below = np.take_along_axis(sorted_values, low, axis=1)
    above = np.take_along_axis(sorted_values, np.minimum(low + 1, last), axis=1)
    part = place - low
    # numpy interpolates from the nearer end
    return np.where(part < 0.5, below + (above - below) * part, above - (above - below) * (1 - part))
