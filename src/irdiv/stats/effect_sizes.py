"""Standardized mean differences of paired values, with confidence intervals."""

from __future__ import annotations

import numpy as np

from irdiv.stats.resampling import mean_and_sd, t_statistic
from irdiv.types import Floats

_LARGEST_T = 1000.0
"""Up to this t, the ends of intervals are those of the noncentral t distribution."""


def effect_sizes(z: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Return d = mean/sd of each row of differences ``[pair, topic]``, and an interval of each, ``[pair, 2]``.

    t = d·√n has a noncentral t distribution with n−1 degrees of freedom and the noncentrality δ·√n, for the true
    effect size δ. The ends of the interval are those δ for which t is at a quantile of its distribution (Steiger and
    Fouladi 1997): exact for normal differences, and without samples. If all differences of a pair are equal, d is 0
    or ±∞ and so are both ends.
    """
    from scipy import special

    n = z.shape[1]
    mean, sd = mean_and_sd(z)
    d = t_statistic(mean, sd, 1)
    is_constant = sd == 0
    t = np.where(is_constant, 0.0, d) * np.sqrt(n)
    tails = np.array([(1 + confidence_level) / 2, (1 - confidence_level) / 2])
    # The distribution of −t is that of t mirrored; scipy's inverse is more precise for t above 0. For a very large t it
    # takes hours; there the noncentral t is the noncentrality over a chi distribution, within 1e-5.
    size = np.abs(t)[:, None]
    noncentrality = np.where(
        size > _LARGEST_T,
        size * np.sqrt(special.chdtri(n - 1, tails) / (n - 1)),
        special.nctdtrinc(n - 1, tails, np.minimum(size, _LARGEST_T)),
    )
    ends = np.where(t < 0, -1.0, 1.0)[:, None] * noncentrality / np.sqrt(n)
    return d, np.where(is_constant[:, None], d[:, None], np.sort(ends, axis=1))
