"""Agreement of measures: rank correlations, and concordance with gold measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irdiv.errors import IrdivError
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike, as_measure_list
from irdiv.stats.rank_correlation import Correlation, CorrelationName, correlation_function, has_gold
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.study import as_study
from irdiv.stats.table import StudyLike, Table
from irdiv.types import Floats

Signs: TypeAlias = NDArray[np.int8]


@returns_callers_frame
def correlate(
    evaluation: StudyLike,
    method: CorrelationName = "tau",
    *,
    top: int | None = None,
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
        column's as gold; ``"tau_ap_symmetric"``, the mean of both directions; or ``"tau_ap_b"`` for rankings with
        ties, as in `irdiv.stats.tau_ap_b`.
    top
        τ@k: compare only the k best runs by the column's measure, and those tied with the last of them; all by default.
    measures
        Some of the measures; all by default.
    by_collection
        Return a matrix for each of the collections instead of the mean; rows begin with the name of the collection.
    """
    correlation = correlation_function(method, top)
    study = as_study(evaluation, measures)
    names = pd.Index(study.measures, name="measure")

    def mean_matrix(matrices: Sequence[Floats]) -> pd.DataFrame:
        # The exact sum does not depend on the order of collections.
        mean = np.apply_along_axis(math.fsum, 0, np.stack(matrices)) / len(matrices)
        return pd.DataFrame(mean, index=names, columns=names.rename("gold" if has_gold(method, top) else "measure"))

    matrices = study.analyze(lambda table, _: _correlations(table, correlation))
    return study.frame(matrices, mean_matrix, by_collection)


def _correlations(table: Table, correlation: Correlation) -> Floats:
    """Return the correlation of each two measures over the means of runs, ``[measure, measure]``."""
    table.require_two_runs()
    means = table.larger_is_better().values.mean(axis=2).T
    n_measures = len(means)
    return correlation(np.repeat(means, n_measures, axis=0), np.tile(means, (n_measures, 1))).reshape(-1, n_measures)


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
