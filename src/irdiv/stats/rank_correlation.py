"""Rank correlations of two sets of scores of the same systems."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from irdiv.checks import Integer, Optional, choice, require
from irdiv.errors import IrdivError
from irdiv.progress import progress_slices
from irdiv.stats.options import require_finite
from irdiv.types import Floats, Ints

CorrelationName: TypeAlias = Literal["tau", "tau_ap", "tau_ap_symmetric", "tau_ap_b"]
Correlation: TypeAlias = Callable[[Floats, Floats], Floats]
"""A function of scores of an estimate and of gold, both ``[ranking, system]``, with a value for each ranking."""


def tau(estimate: ArrayLike, gold: ArrayLike, *, top: int | None = None) -> float:
    """Return Kendall's τ-b of the rankings by two sets of scores; 1 where both are constant, 0 where one is.

    Parameters
    ----------
    estimate, gold
        Scores of the same systems, larger is better.
    top
        τ@k: compare only the k best systems of gold, and those tied with the last of them; all by default.

    Examples
    --------
    >>> round(tau([4, 3, 1, 2], [4, 3, 2, 1]), 4), tau([4, 3, 1, 2], [4, 3, 2, 1], top=2)
    (0.6667, 1.0)
    """
    return _correlation(estimate, gold, "tau", top)


def tau_ap(estimate: ArrayLike, gold: ArrayLike, *, top: int | None = None) -> float:
    """Return Yilmaz, Aslam and Robertson's τ_ap of the ranking by one set of scores against that by another.

    τ_ap = 2/(N−1) · Σ_{i=2..N} C(i)/(i−1) − 1, where C(i) counts the systems above rank i of the estimate that are
    also above that system in the gold ranking. A tie in gold counts one half, a tie in both rankings one. For systems
    tied in the estimate, the value is the mean over their best and their worst order, so that names and the order of
    systems do not matter.

    Parameters
    ----------
    estimate, gold, top
        As in `irdiv.stats.tau`.

    Examples
    --------
    >>> tau_ap([3, 2, 1], [3, 2, 1]), tau_ap([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    return _correlation(estimate, gold, "tau_ap", top)


def tau_ap_b(estimate: ArrayLike, gold: ArrayLike, *, top: int | None = None) -> float:
    """Return Urbano and Marrero's τ_ap,b, for two rankings which may both have ties (ICTIR 2017).

    It is the mean of both directions of 2/(N−t₁) · Σ_{i not in the first group} C(i)/(p(i)−1) − 1. Systems with equal
    scores in the first ranking are a group, t₁ is the size of the best group, p(i) the rank of the first system of
    the group of i, and C(i) counts the systems above that group that are above i in the other ranking too. Ties within
    a group do not count, those in the other ranking only are not concordant. Without ties it is the symmetric τ_ap.
    Where all systems are tied in one ranking, it is undefined, and 0 here; 1 where they are in both.

    Parameters
    ----------
    estimate, gold, top
        As in `irdiv.stats.tau`; without ``top`` their order does not matter.

    Examples
    --------
    >>> round(tau_ap_b([2, 1, 1], [3, 2, 1]), 4)
    0.75
    """
    return _correlation(estimate, gold, "tau_ap_b", top)


def _correlation(estimate: ArrayLike, gold: ArrayLike, method: CorrelationName, top: int | None) -> float:
    x, y = (require_finite(scores, "a ranking is given by", "system") for scores in (estimate, gold))
    if len(x) != len(y):
        raise IrdivError(f"the rankings have {len(x)} and {len(y)} systems; give scores of the same systems.")
    if len(x) < 2:
        raise IrdivError("a correlation of rankings needs at least two systems.")
    return float(correlation_function(method, top)(x[None], y[None])[0])


def correlation_function(method: CorrelationName, top: int | None = None) -> Correlation:
    """Return the function of a correlation, for the best systems of gold if their count is given."""
    require(choice(*get_args(CorrelationName)), method=method)
    function = _FUNCTIONS[method]
    count = require(Optional(Integer(2)), top=top)

    def correlation(estimate: Floats, gold: Floats) -> Floats:
        # Scores that differ only by rounding are ties.
        x, y = np.round(estimate, 12), np.round(gold, 12)
        step = max(1, _MAX_CELLS // x.shape[1] ** 2)
        of_chunk = function if count is None else partial(_of_best_systems, function, count)
        return np.concatenate([of_chunk(x[rows], y[rows]) for rows in progress_slices(len(x), step, "sample")])

    return correlation


def _of_best_systems(function: Correlation, count: int, x: Floats, y: Floats) -> Floats:
    """Return a correlation of the best systems by y, and those tied with the last of them."""
    n_systems = y.shape[1]
    if count > n_systems:
        raise IrdivError(f"top={count}, but there are only {n_systems} systems; leave it out to compare all.")
    order = np.argsort(-y, axis=1, kind="stable")
    x, y = (np.take_along_axis(scores, order, axis=1) for scores in (x, y))
    n_best = np.count_nonzero(y >= y[:, [count - 1]], axis=1)
    values = np.empty(len(y))
    for n in np.unique(n_best):
        rows = n_best == n
        values[rows] = function(x[rows, :n], y[rows, :n])
    return values


def has_gold(method: CorrelationName, top: int | None) -> bool:
    """Return whether a correlation depends on which ranking is gold."""
    return method == "tau_ap" or top is not None


_MAX_CELLS = 200_000
"""How many pairs of systems are held at once; they fit into the processor's cache."""


def _tau(x: Floats, y: Floats) -> Floats:
    # Written out, since scipy takes one pair of rankings at a time, and intervals need thousands.
    one, other = np.triu_indices(x.shape[1], 1)
    x_sign, y_sign = (np.sign(scores[:, one] - scores[:, other]) for scores in (x, y))
    untied = np.sqrt((x_sign**2).sum(axis=1) * (y_sign**2).sum(axis=1))
    return np.divide((x_sign * y_sign).sum(axis=1), untied, out=_values_of_constant(x, y), where=untied > 0)


def _values_of_constant(x: Floats, y: Floats) -> Floats:
    """Return 1 where two rankings are constant, and 0 elsewhere."""
    is_constant = [(scores == scores[:, :1]).all(axis=1) for scores in (x, y)]
    return (is_constant[0] & is_constant[1]).astype(np.float64)


def _tau_ap(estimate: Floats, gold: Floats) -> Floats:
    orders = [np.lexsort((-sign * gold, -estimate), axis=1) for sign in (1, -1)]
    in_order = [[np.take_along_axis(scores, order, axis=1) for scores in (estimate, gold)] for order in orders]
    return (_tau_ap_in_order(*in_order[0]) + _tau_ap_in_order(*in_order[1])) / 2


def _tau_ap_in_order(estimate: Floats, gold: Floats) -> Floats:
    """Return τ_ap of systems in the order of the estimate."""
    lead = gold[:, None, :] - gold[:, :, None]
    credit_of_tie = np.where(estimate[:, None, :] == estimate[:, :, None], 1.0, 0.5)
    concordant = np.tril(np.where(lead == 0, credit_of_tie, lead > 0), -1).sum(axis=2)
    N = gold.shape[1]
    return 2.0 / (N - 1) * (concordant[:, 1:] / np.arange(1, N)).sum(axis=1) - 1.0


def _tau_ap_symmetric(one: Floats, other: Floats) -> Floats:
    return (_tau_ap(one, other) + _tau_ap(other, one)) / 2


def _tau_ap_b(one: Floats, other: Floats) -> Floats:
    is_above = [scores[:, None, :] > scores[:, :, None] for scores in (one, other)]
    concordant = np.count_nonzero(is_above[0] & is_above[1], axis=2)
    both = [_tau_ap_of_groups(np.count_nonzero(above, axis=2), concordant) for above in is_above]
    values = (both[0] + both[1]) / 2
    return np.where(np.isfinite(values), values, _values_of_constant(one, other))


def _tau_ap_of_groups(above: Ints, concordant: Ints) -> Floats:
    """Return one direction of τ_ap,b, from how many systems are above the group of each, and how many of them in both.

    It is NaN where all systems are tied.
    """
    share = np.divide(concordant, above, out=np.zeros(above.shape), where=above > 0)
    n_below_first = np.count_nonzero(above, axis=1)
    mean = np.divide(share.sum(axis=1), n_below_first, out=np.full(len(above), np.nan), where=n_below_first > 0)
    return 2.0 * mean - 1.0


_FUNCTIONS: dict[CorrelationName, Correlation] = {
    "tau": _tau,
    "tau_ap": _tau_ap,
    "tau_ap_symmetric": _tau_ap_symmetric,
    "tau_ap_b": _tau_ap_b,
}
