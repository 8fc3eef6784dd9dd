"""Agreement of measures: rank correlations, and concordance with gold measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from irdiv.checks import choice, require
from irdiv.errors import IrdivError
from irdiv.frames.backends import returns_callers_frame
from irdiv.measures.spec import MeasuresLike, as_measure_list
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.study import as_study
from irdiv.stats.table import StudyLike, Table
from irdiv.types import Floats

CorrelationName: TypeAlias = Literal["tau", "tau_ap", "tau_ap_symmetric"]
Signs: TypeAlias = NDArray[np.int8]


def tau_ap(estimate: ArrayLike, gold: ArrayLike) -> float:
    """Return Yilmaz, Aslam and Robertson's τ_ap of the ranking by one set of scores against that by another.

    τ_ap = 2/(N−1) · Σ_{i=2..N} C(i)/(i−1) − 1, where C(i) counts the systems above rank i of the estimate that are
    also above that system in the gold ranking. A tie in gold counts one half, a tie in both rankings one. For systems
    tied in the estimate, the value is the mean over their best and their worst order, so that names and the order of
    systems do not matter.

    Parameters
    ----------
    estimate, gold
        Scores of the same systems, larger is better.

    Examples
    --------
    >>> tau_ap([3, 2, 1], [3, 2, 1]), tau_ap([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    x, y = _scores_of_same_systems(estimate, gold)
    if len(x) < 2:
        raise IrdivError("a correlation of rankings needs at least two systems.")
    orders = [np.lexsort((-sign * y, -x)) for sign in (1, -1)]
    return float(np.mean([_tau_ap_in_order(x[order], y[order]) for order in orders]))


def _tau_ap_in_order(estimate: Floats, gold: Floats) -> float:
    """Return τ_ap of systems in the order of the estimate."""
    lead = gold[None, :] - gold[:, None]
    credit_of_tie = np.where(estimate[None, :] == estimate[:, None], 1.0, 0.5)
    concordant = np.tril(np.where(lead == 0, credit_of_tie, lead > 0), -1).sum(axis=1)
    N = len(gold)
    return float(2.0 / (N - 1) * (concordant[1:] / np.arange(1, N)).sum() - 1.0)


def _scores_of_same_systems(estimate: ArrayLike, gold: ArrayLike) -> tuple[Floats, Floats]:
    x, y = _scores(estimate), _scores(gold)
    if len(x) != len(y):
        raise IrdivError(f"the rankings have {len(x)} and {len(y)} systems; give scores of the same systems.")
    return x, y


def _scores(values: ArrayLike) -> Floats:
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise IrdivError(f"a ranking is given by numbers, one for each system; found {values!r}.") from None
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise IrdivError(f"a ranking is given by finite numbers, one for each system; found {values!r}.")
    # Scores that differ only by rounding are ties.
    return np.round(scores, 12)


def tau(estimate: ArrayLike, gold: ArrayLike) -> float:
    """Return Kendall's τ-b of the rankings by two sets of scores; 1 where both are constant, 0 where one is."""
    from scipy import stats

    x, y = _scores_of_same_systems(estimate, gold)
    is_constant = [len(np.unique(scores)) == 1 for scores in (x, y)]
    return float(all(is_constant)) if any(is_constant) else float(stats.kendalltau(x, y).statistic)


_CORRELATIONS: dict[CorrelationName, Callable[[Floats, Floats], float]] = {
    "tau": tau,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": lambda x, y: (tau_ap(x, y) + tau_ap(y, x)) / 2,
}


@returns_callers_frame
def correlate(
    evaluation: StudyLike,
    method: CorrelationName = "tau",
    *,
    measures: MeasuresLike | None = None,
    by_collection: bool = False,
) -> pd.DataFrame:
    """Return rank correlations of the measures over the means of runs, as a matrix.

    Runs are ranked from the best to the worst, also by measures where less is better.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame; or a mapping from the names of several
        collections to such evaluations, whose runs need not be the same. The correlations are then the mean over
        collections.
    method
        ``"tau"`` for Kendall's τ; ``"tau_ap"``, where swaps near the top count more, of the row's measure against the
        column's as gold; or ``"tau_ap_symmetric"``, the mean of both directions.
    measures
        Some of the measures; all by default.
    by_collection
        Return a matrix for each of the collections instead of the mean; rows begin with the name of the collection.
    """
    require(choice(*_CORRELATIONS), method=method)
    study = as_study(evaluation, measures)
    names = pd.Index(study.measures, name="measure")

    def mean_matrix(matrices: Sequence[Floats]) -> pd.DataFrame:
        # The exact sum does not depend on the order of collections.
        mean = np.apply_along_axis(math.fsum, 0, np.stack(matrices)) / len(matrices)
        return pd.DataFrame(mean, index=names, columns=names.rename("gold" if method == "tau_ap" else "measure"))

    matrices = study.analyze(lambda table, _: _correlations(table, _CORRELATIONS[method]))
    return study.frame(matrices, mean_matrix, by_collection)


def _correlations(table: Table, correlation: Callable[[Floats, Floats], float]) -> Floats:
    """Return the correlation of each two measures over the means of runs, ``[measure, measure]``."""
    table.require_two_runs()
    means = list(table.larger_is_better().values.mean(axis=2).T)
    return np.array([[correlation(x, y) for y in means] for x in means])


@returns_callers_frame
def concordance(
    evaluation: StudyLike,
    gold: MeasuresLike,
    *,
    measures: MeasuresLike | None = None,
    by_collection: bool = False,
) -> pd.DataFrame:
    """Return which of two measures agrees more often with gold measures where the two disagree (Sakai, WWW 2012).

    Over all topics and pairs of runs for which two measures prefer different runs, a measure agrees with gold if no
    gold measure prefers the other run. A measure prefers the run with the larger value, or with the smaller one where
    less is better.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame, gold measures included; or a mapping from the
        names of several collections to such evaluations. Pairs of runs are then formed within each collection, and the
        disagreements are added up.
    gold
        One or several measures.
    measures
        Some of the measures; by default all but the gold ones.
    by_collection
        Return rows for each of the collections instead of their sums, named in the column ``collection``.

    Returns
    -------
    DataFrame
        ``measure, other, disagreements, concordance, other_concordance``, the last two as shares of the disagreements,
        missing where there are none.
    """
    gold_measures = as_measure_list(gold)
    if not gold_measures:
        raise IrdivError("no gold measure given; name one or several that were evaluated.")
    others = None if measures is None else as_measure_list(measures)
    study = as_study(evaluation, None if others is None else [*gold_measures, *others])
    table = study.tables[0]
    gold_indices = [table.measure_index(measure) for measure in gold_measures]
    if others is None:
        chosen = [m for m in range(len(table.measures)) if m not in gold_indices]
    else:
        chosen = [table.measure_index(measure) for measure in others]
    if len(chosen) < 2:
        raise IrdivError("a concordance test compares at least two measures besides the gold ones.")
    return study.frame(
        study.analyze(lambda table, _: _preferences(table)),
        lambda parts: _concordance(study.measures, np.concatenate(parts, axis=1), chosen, gold_indices),
        by_collection,
    )


def _preferences(table: Table) -> Signs:
    """Return 1 where a measure prefers the first run of a pair, −1 where the second: ``[measure, pair and topic]``."""
    z = np.stack([z for _, z in table.larger_is_better().differences(table.pairs())]).reshape(len(table.measures), -1)
    return np.where(np.abs(z) <= VALUE_TOLERANCE, 0, np.sign(z)).astype(np.int8)


def _concordance(
    measures: Sequence[str], sign: Signs, chosen: Sequence[int], gold_indices: Sequence[int]
) -> pd.DataFrame:
    agrees = [(sign[m] * sign[list(gold_indices)] >= 0).all(axis=0) for m in chosen]
    rows = []
    for i, one in enumerate(chosen):
        for j in range(i + 1, len(chosen)):
            two = chosen[j]
            disagree = sign[one] * sign[two] < 0
            count = int(np.count_nonzero(disagree))
            shares = [np.count_nonzero(agrees[k] & disagree) / count if count else np.nan for k in (i, j)]
            rows.append((measures[one], measures[two], count, *shares))
    return pd.DataFrame(rows, columns=["measure", "other", "disagreements", "concordance", "other_concordance"])
