"""The base measures: curves over the hits of lists, and what divides them.

A curve holds the unnormalized value of the measure for each prefix that ends at a hit, so that all
cutoffs come from one pass; `irdiv.kernels.lists` describes shapes and padding. J(r), g(r) and x(r) are the relevance,
gain and grade at rank r; C(r) and cg(r) are the count of relevant documents and the gain up to r; a star marks the
ideal list.
"""

from __future__ import annotations

import numpy as np

from irdiv.kernels.lists import HitLists, count_relevant, ordered_sum, powers
from irdiv.types import Bools, Floats, Ints

_ROUNDING = 1e-12
"""Global gains that are equal may differ by this share, as they are summed over different intents."""


def cumulative_gain_curve(lists: HitLists) -> Floats:
    """Σ g(r)."""
    return np.cumsum(lists.gain, axis=-1)


def dcg_curve(lists: HitLists, discount: Floats) -> Floats:
    """Σ g(r) · discount(r)."""
    return np.cumsum(lists.gain * discount[lists.rank], axis=-1)


def _blended_ratio(lists: HitLists, ideal: HitLists, beta: float) -> Floats:
    """J(r) · (C(r) + β·cg(r)) / (r + β·cg*(r))."""
    C = np.cumsum(lists.relevant, axis=-1)
    cg = np.cumsum(lists.gain, axis=-1)
    cg_star = np.cumsum(ideal.gain, axis=-1)
    index = np.broadcast_to(np.minimum(lists.rank, ideal.max_rank) - 1, lists.gain.shape)
    cg_star_r = np.take_along_axis(cg_star, index, axis=-1)
    return np.where(lists.relevant, (C + beta * cg) / (lists.rank + beta * cg_star_r), 0.0)


def q_measure_curve(lists: HitLists, ideal: HitLists, beta: float) -> Floats:
    """Σ blended ratio(r)."""
    return np.cumsum(_blended_ratio(lists, ideal, beta), axis=-1)


def p_plus_curve(lists: HitLists, ideal: HitLists, beta: float) -> Floats:
    """Mean blended ratio over relevant ranks up to r_p, the first whose gain is the highest so far, up to rounding."""
    best_before = np.concatenate(
        [np.zeros((*lists.gain.shape[:-1], 1)), np.maximum.accumulate(lists.gain, axis=-1)[..., :-1]], axis=-1
    )
    hit = np.arange(lists.gain.shape[-1])
    r_p = np.maximum.accumulate(np.where(lists.gain > best_before * (1 + _ROUNDING), hit, 0), axis=-1)
    total = np.cumsum(_blended_ratio(lists, ideal, beta), axis=-1)
    C = np.cumsum(lists.relevant, axis=-1)
    mean = np.divide(total, C, out=np.zeros_like(total), where=C > 0)
    return np.take_along_axis(mean, r_p, axis=-1)


def stop_probability_by_grade(grade: Ints, H: int | Ints) -> Floats:
    """Pr(r) = (2^x − 1) / 2^H, as a difference of two powers, neither of which overflows."""
    return np.ldexp(1.0, grade - H) - np.ldexp(1.0, np.negative(H))


def stop_probability_by_gain(gain: Floats, ideal: HitLists) -> Floats:
    """Pr(r) = g / (g* + 1), g* the highest gain of the ideal list."""
    return gain / (ideal.gain[..., :1] + 1.0)


def stop_distribution(stop_probability: Floats) -> Floats:
    """Pr(r) · Π_{k<r} (1 − Pr(k)): the probability that the user stops at r and not before."""
    survival = np.cumprod(1.0 - stop_probability, axis=-1)
    out = stop_probability.copy()
    out[..., 1:] *= survival[..., :-1]
    return out


def err_curve(rank: Ints, stop_probability: Floats) -> Floats:
    """Σ (1/r) · Pr(r) · Π_{k<r} (1 − Pr(k))."""
    return np.cumsum(stop_distribution(stop_probability) / rank, axis=-1)


def irbu_curve(lists: HitLists, stop_probability: Floats, p: float) -> Floats:
    """Σ p^r · Pr(r) · Π_{k<r} (1 − Pr(k))."""
    return np.cumsum(stop_distribution(stop_probability) * powers(p, lists.max_rank)[lists.rank], axis=-1)


def ebr_curve(lists: HitLists, ideal: HitLists, stop_probability: Floats, beta: float) -> Floats:
    """Σ blended ratio(r) · Pr(r) · Π_{k<r} (1 − Pr(k))."""
    return np.cumsum(stop_distribution(stop_probability) * _blended_ratio(lists, ideal, beta), axis=-1)


def graded_average_precision_curve(rank: Ints, grade: Ints, step_weight: Floats) -> Floats:
    """Σ (1/r) Σ_{k≤r} Σ_{m≤M} p_m, M = min(x(r), x(k)), p_m = ``step_weight[m - 1]``.

    The inner sums count, for each level m up to x(r), the documents so far of that level or a higher one.
    """
    inner = np.zeros(grade.shape)
    for m in range(1, int(grade.max()) + 1):
        reaches = grade >= m
        inner += np.where(reaches, step_weight[m - 1] * np.cumsum(reaches, axis=-1), 0.0)
    return np.cumsum(inner / rank, axis=-1)


def graded_average_precision_total(grade: Ints, step_weight: Floats) -> Floats:
    """Σ_d Σ_{m≤x} p_m, p_m = ``step_weight[m - 1]``."""
    return ordered_sum(np.concatenate([[0.0], np.cumsum(step_weight)])[grade])


def average_precision_curve(relevant: Bools, rank: Ints) -> Floats:
    """Σ J(r) · C(r) / r."""
    C = np.cumsum(relevant, axis=-1)
    return np.cumsum(relevant * (C / rank), axis=-1)


def cumulative_relevant(relevant: Bools) -> Floats:
    """C(r)."""
    return np.cumsum(relevant, axis=-1, dtype=np.float64)


def first_relevant_curve(lists: HitLists, value: Floats) -> Floats:
    """Return the value at the first relevant rank; 0 before it."""
    first = lists.relevant & (np.cumsum(lists.relevant, axis=-1) == 1)
    return np.cumsum(np.where(first, value, 0.0), axis=-1)


def relevant_in_first_R(lists: HitLists, ideal: HitLists) -> Floats:
    """C(R): the relevant documents among the first R."""
    R = count_relevant(ideal.relevant)[..., None]
    return np.cumsum(lists.relevant & (lists.rank <= R), axis=-1, dtype=np.float64)


def rbp_curve(lists: HitLists, value: Floats, p: float) -> Floats:
    """(1 − p) Σ p^{r−1} · value(r)."""
    return np.cumsum((1.0 - p) * powers(p, lists.max_rank)[lists.rank - 1] * value, axis=-1)
