"""How measures rank systems alike, and which are closer to gold measures where they disagree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from irdiv.errors import IrdivError, examples
from irdiv.frames.sources import answers_in_kind
from irdiv.kernels.lists import Floats
from irdiv.stats.table import NO_DIFFERENCE, EvaluationLike, as_list, as_table

Correlation: TypeAlias = Literal["tau", "tau_ap", "tau_ap_symmetric"]


def tau_ap(estimate: ArrayLike, gold: ArrayLike) -> float:
    """Return Yilmaz, Aslam and Robertson's τ_ap of the ranking by one set of scores against that by another.

    τ_ap = 2/(N−1) · Σ_{i=2..N} C(i)/(i−1) − 1, C(i) the systems above rank i of the estimate that are above that
    system in the gold ranking too. A tie in gold counts one half, and in both rankings one. Of systems tied in the
    estimate, the mean of their best and their worst order is taken, so that names and order do not matter.

    Parameters
    ----------
    estimate, gold
        Scores of the same systems, larger is better.

    Examples
    --------
    >>> tau_ap([3, 2, 1], [3, 2, 1]), tau_ap([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    one, two = _scores(estimate), _scores(gold)
    if len(one) != len(two):
        raise IrdivError(f"the rankings have {len(one)} and {len(two)} systems; give scores of the same ones.")
    if len(one) < 2:
        raise IrdivError("a correlation of rankings needs at least two systems.")
    orders = [np.lexsort((-sign * two, -one)) for sign in (1, -1)]
    return float(np.mean([_tau_ap_of(one[order], two[order]) for order in orders]))


def _tau_ap_of(estimate: Floats, gold: Floats) -> float:
    """Return τ_ap for systems in the order of the estimate."""
    above = gold[None, :] - gold[:, None]
    tied = np.where(estimate[None, :] == estimate[:, None], 1.0, 0.5)
    concordant = np.tril(np.where(above == 0, tied, above > 0), -1).sum(axis=1)
    N = len(gold)
    return float(2.0 / (N - 1) * (concordant[1:] / np.arange(1, N)).sum() - 1.0)


def _scores(values: ArrayLike) -> Floats:
    try:
        out = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise IrdivError(f"a ranking is given by scores, one for each system; found {values!r}.") from None
    if out.ndim != 1 or not np.isfinite(out).all():
        raise IrdivError(f"a ranking is given by finite scores, one for each system; found {values!r}.")
    # Scores that differ by rounding only are ties.
    return np.round(out, 12)


def tau(estimate: ArrayLike, gold: ArrayLike) -> float:
    """Return Kendall's τ-b of the rankings by two sets of scores; 1 where both are constant, 0 where one is."""
    from scipy import stats

    one, two = _scores(estimate), _scores(gold)
    constant = [len(np.unique(scores)) == 1 for scores in (one, two)]
    return float(all(constant)) if any(constant) else float(stats.kendalltau(one, two).statistic)


_CORRELATIONS: dict[str, Callable[[Floats, Floats], float]] = {
    "tau": tau,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": lambda one, two: (tau_ap(one, two) + tau_ap(two, one)) / 2,
}


@answers_in_kind
def correlate(evaluation: EvaluationLike, method: Correlation = "tau", *, measures: Any = None) -> pd.DataFrame:
    """Return how alike measures rank the runs by their means, as a matrix over measures.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame.
    method
        ``"tau"`` for Kendall's τ; ``"tau_ap"``, in which swaps near the top count more, of the row's measure against
        the column's as gold; or ``"tau_ap_symmetric"``, the mean of both directions.
    measures
        Some of the measures; all by default.
    """
    if method not in _CORRELATIONS:
        raise IrdivError(f"method={method!r} is not known; choose one of {examples(_CORRELATIONS)}.")
    table = as_table(evaluation, measures)
    table.pairs()
    means = list(table.values.mean(axis=2).T)
    of = _CORRELATIONS[method]
    matrix = [[of(one, two) for two in means] for one in means]
    names = pd.Index(table.measures, name="measure")
    return pd.DataFrame(matrix, index=names, columns=names.rename("gold" if method == "tau_ap" else "measure"))


@answers_in_kind
def concordance(evaluation: EvaluationLike, gold: Any, *, measures: Any = None) -> pd.DataFrame:
    """Return which of two measures agrees more often with gold measures where the two disagree (Sakai, WWW 2012).

    Over all topics and pairs of runs for which two measures prefer different runs, a measure agrees with gold where no
    gold measure prefers the other run; with several, all must agree.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame, gold measures included.
    gold
        One or several measures.
    measures
        Some of the measures; by default all but the gold ones.

    Returns
    -------
    pandas.DataFrame
        ``measure, other, disagreements, concordance, other_concordance``, the last two shares of the disagreements,
        missing where there are none.
    """
    table = as_table(evaluation)
    golden = [table.measure_number(measure) for measure in as_list(gold)]
    if not golden:
        raise IrdivError("no gold measure given; name one or several that were evaluated.")
    names = [m for i, m in enumerate(table.measures) if i not in golden] if measures is None else measures
    chosen = [table.measure_number(measure) for measure in as_list(names)]
    if len(chosen) < 2:
        raise IrdivError("a concordance test compares at least two measures besides the gold ones.")
    z = np.stack([z for _, z in table.differences(table.pairs())]).reshape(len(table.measures), -1)
    sign = np.where(np.abs(z) <= NO_DIFFERENCE, 0, np.sign(z)).astype(np.int8)
    agrees = [(sign[m] * sign[golden] >= 0).all(axis=0) for m in chosen]
    rows = []
    for i, one in enumerate(chosen):
        for j in range(i + 1, len(chosen)):
            two = chosen[j]
            disagree = sign[one] * sign[two] < 0
            count = int(np.count_nonzero(disagree))
            parts = [np.count_nonzero(agrees[k] & disagree) / count if count else np.nan for k in (i, j)]
            rows.append((table.measures[one], table.measures[two], count, *parts))
    return pd.DataFrame(rows, columns=["measure", "other", "disagreements", "concordance", "other_concordance"])
