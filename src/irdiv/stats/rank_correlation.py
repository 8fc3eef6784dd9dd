"""Rank correlations of two sets of scores of the same systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from irdiv.checks import Integer, choice, require
from irdiv.errors import IrdivError
from irdiv.types import Floats

CorrelationName: TypeAlias = Literal["tau", "tau_ap", "tau_ap_symmetric", "tau_ap_b"]
Correlation: TypeAlias = Callable[[Floats, Floats], float]
"""A function of the scores of an estimate and of gold."""


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
    return correlation_function("tau", top)(*_scores_of_same_systems(estimate, gold))


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
    return correlation_function("tau_ap", top)(*_scores_of_same_systems(estimate, gold))


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
    return correlation_function("tau_ap_b", top)(*_scores_of_same_systems(estimate, gold))


def correlation_function(method: CorrelationName, top: int | None = None) -> Correlation:
    """Return the function of a correlation, for the best systems of gold if their count is given."""
    require(choice(*get_args(CorrelationName)), method=method)
    function = _FUNCTIONS[method]
    if top is None:
        return lambda estimate, gold: function(np.round(estimate, _DIGITS), np.round(gold, _DIGITS))
    count = require(Integer(2), top=top)

    def of_best_systems(estimate: Floats, gold: Floats) -> float:
        if count > len(gold):
            raise IrdivError(f"top={count}, but there are only {len(gold)} systems; leave it out to compare all.")
        x, y = np.round(estimate, _DIGITS), np.round(gold, _DIGITS)
        is_best = y >= np.sort(y)[-count]
        return function(x[is_best], y[is_best])

    return of_best_systems


def has_gold(method: CorrelationName, top: int | None) -> bool:
    """Return whether a correlation depends on which ranking is gold."""
    return method == "tau_ap" or top is not None


_DIGITS = 12
"""Scores that differ only beyond these decimal places differ by rounding: they are ties."""


def _tau(estimate: Floats, gold: Floats) -> float:
    # Written out, since intervals take thousands of values, each of which takes scipy ten times as long.
    of_constant = _of_constant(estimate, gold)
    if of_constant is not None:
        return of_constant
    x, y = (np.sign(scores[None, :] - scores[:, None]) for scores in (estimate, gold))
    return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))


def _of_constant(x: Floats, y: Floats) -> float | None:
    """Return 1 for two constant rankings, 0 if one is constant, and None if neither is."""
    is_constant = [bool((scores == scores[0]).all()) for scores in (x, y)]
    return float(all(is_constant)) if any(is_constant) else None


def _tau_ap(estimate: Floats, gold: Floats) -> float:
    orders = [np.lexsort((-sign * gold, -estimate)) for sign in (1, -1)]
    return float(np.mean([_tau_ap_in_order(estimate[order], gold[order]) for order in orders]))


def _tau_ap_in_order(estimate: Floats, gold: Floats) -> float:
    """Return τ_ap of systems in the order of the estimate."""
    lead = gold[None, :] - gold[:, None]
    credit_of_tie = np.where(estimate[None, :] == estimate[:, None], 1.0, 0.5)
    concordant = np.tril(np.where(lead == 0, credit_of_tie, lead > 0), -1).sum(axis=1)
    N = len(gold)
    return float(2.0 / (N - 1) * (concordant[1:] / np.arange(1, N)).sum() - 1.0)


def _tau_ap_symmetric(one: Floats, other: Floats) -> float:
    return (_tau_ap(one, other) + _tau_ap(other, one)) / 2


def _tau_ap_b(one: Floats, other: Floats) -> float:
    of_constant = _of_constant(one, other)
    if of_constant is not None:
        return of_constant
    return (_tau_ap_of_groups(one, other) + _tau_ap_of_groups(other, one)) / 2


def _tau_ap_of_groups(x: Floats, y: Floats) -> float:
    """Return one direction of τ_ap,b: the systems above each group of x that are above in y too."""
    is_above = x[None, :] > x[:, None]
    above = np.count_nonzero(is_above, axis=1)
    concordant = np.count_nonzero(is_above & (y[None, :] > y[:, None]), axis=1)
    is_below_first = above > 0
    return float(2.0 * (concordant[is_below_first] / above[is_below_first]).mean() - 1.0)


_FUNCTIONS: dict[CorrelationName, Correlation] = {
    "tau": _tau,
    "tau_ap": _tau_ap,
    "tau_ap_symmetric": _tau_ap_symmetric,
    "tau_ap_b": _tau_ap_b,
}


def _scores_of_same_systems(estimate: ArrayLike, gold: ArrayLike) -> tuple[Floats, Floats]:
    x, y = _scores(estimate), _scores(gold)
    if len(x) != len(y):
        raise IrdivError(f"the rankings have {len(x)} and {len(y)} systems; give scores of the same systems.")
    if len(x) < 2:
        raise IrdivError("a correlation of rankings needs at least two systems.")
    return x, y


def _scores(values: ArrayLike) -> Floats:
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise IrdivError(f"a ranking is given by numbers, one for each system; found {values!r}.") from None
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise IrdivError(f"a ranking is given by finite numbers, one for each system; found {values!r}.")
    return scores
