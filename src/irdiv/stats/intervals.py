"""Confidence intervals of means and of other statistics on samples."""

from __future__ import annotations

import numpy as np

from irdiv.stats.options import CONFIDENCE_LEVEL, IntervalName, require_interval
from irdiv.stats.resampling import TIE_TOLERANCE, Counts, chunks, mean_and_sd, sample_means
from irdiv.types import Floats


def confidence_intervals(z: Floats, counts: Counts | None, interval: IntervalName, confidence_level: float) -> Floats:
    """Return low and high ends of an interval of the mean of each row, ``[row, 2]``; ``"t"`` needs no counts."""
    require_interval(interval, confidence_level)
    tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    if interval == "t":
        return _t_intervals(z, tails)
    assert counts is not None
    ends = np.empty((len(z), 2))
    for rows in chunks(len(z), len(counts), "interval"):
        means = np.sort(sample_means(z[rows], counts), axis=1)
        ends[rows] = _quantiles(means, tails if interval == "percentile" else _bca_tails(z[rows], means, tails))
    return ends


def percentile_interval(samples: Floats, confidence_level: float) -> tuple[float, float]:
    """Return the ends of the middle share of samples."""
    low, high = np.quantile(samples, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return float(low), float(high)


def intervals_of_means(
    values: Floats,
    counts: Counts | None,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Floats:
    """Return intervals of means over topics, ``[run, measure, 2]``, of values ``[run, measure, topic]``.

    That of a single topic is its value.
    """
    rows = values.reshape(-1, values.shape[2])
    ends = (
        np.repeat(rows, 2, axis=1)
        if values.shape[2] == 1
        else confidence_intervals(rows, counts, interval, confidence_level)
    )
    return ends.reshape(*values.shape[:2], 2)


def _t_intervals(z: Floats, tails: Floats) -> Floats:
    from scipy import special

    mean, sd = mean_and_sd(z)
    n = z.shape[1]
    return mean[:, None] + special.stdtrit(n - 1, tails) * (sd / np.sqrt(n))[:, None]


def _bca_tails(z: Floats, means: Floats, tails: Floats) -> Floats:
    """Return the probabilities at the ends of bias-corrected and accelerated intervals (Efron 1987), ``[row, 2]``."""
    from scipy import special

    n = z.shape[1]
    observed = z.mean(axis=1)
    # Means of samples that equal the observed one differ from it by rounding, to either side.
    tolerance = TIE_TOLERANCE * np.abs(z).max(axis=1)
    below = np.count_nonzero(means < (observed - tolerance)[:, None], axis=1)
    below += np.count_nonzero(means <= (observed + tolerance)[:, None], axis=1)
    bias = special.ndtri(below / (2.0 * means.shape[1]))
    jackknife = (z.sum(axis=1, keepdims=True) - z) / (n - 1)
    u = jackknife.mean(axis=1, keepdims=True) - jackknife
    square = (u**2).sum(axis=1)
    acceleration = np.divide(
        (u**3).sum(axis=1), 6.0 * square**1.5, out=np.zeros(len(z)), where=square > np.finfo(float).tiny
    )
    with np.errstate(invalid="ignore"):
        shifted = bias[:, None] + special.ndtri(tails)
        corrected = special.ndtr(bias[:, None] + shifted / (1 - acceleration[:, None] * shifted))
    # If all samples are on one side of the mean, as those of constant differences, any quantile is the mean itself.
    return np.where(np.isfinite(bias)[:, None], corrected, tails)


def _quantiles(ascending: Floats, probabilities: Floats) -> Floats:
    """Return quantiles of each row by linear interpolation, as ``numpy.quantile`` does."""
    last = ascending.shape[1] - 1
    position = np.broadcast_to(probabilities * last, (len(ascending), 2))
    index = np.floor(position).astype(np.int64)
    below = np.take_along_axis(ascending, index, axis=1)
    above = np.take_along_axis(ascending, np.minimum(index + 1, last), axis=1)
    fraction = position - index
    # numpy interpolates from the nearer end
    return np.where(fraction < 0.5, below + (above - below) * fraction, above - (above - below) * (1 - fraction))
