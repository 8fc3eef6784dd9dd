"""Agreement of measures: rank correlations, and concordance with gold measures."""

from __future__ import annotations

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.backends import returns_callers_frame
from irdiv.measures.spec import MeasuresLike, as_measure_list
from irdiv.stats.rank_correlation import CorrelationName, correlation_function, has_gold
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.table import EvaluationLike, as_table


@returns_callers_frame
def correlate(
    evaluation: EvaluationLike,
    method: CorrelationName = "tau",
    *,
    top: int | None = None,
    measures: MeasuresLike | None = None,
) -> pd.DataFrame:
    """Return rank correlations of the measures over the means of runs, as a matrix.

    Runs are ranked from the best to the worst, also by measures where less is better.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame.
    method
        ``"tau"`` for Kendall's τ; ``"tau_ap"``, where swaps near the top count more, of the row's measure against the
        column's as gold; ``"tau_ap_symmetric"``, the mean of both directions; or ``"tau_ap_b"`` for rankings with
        ties, as in `irdiv.stats.tau_ap_b`.
    top
        τ@k: compare only the k best runs by the column's measure, and those tied with the last of them; all by default.
    measures
        Some of the measures; all by default.
    """
    correlation = correlation_function(method, top)
    table = as_table(evaluation, measures).larger_is_better()
    table.require_two_runs()
    means = table.values.mean(axis=2).T
    n_measures = len(means)
    matrix = correlation(np.repeat(means, n_measures, axis=0), np.tile(means, (n_measures, 1))).reshape(-1, n_measures)
    names = pd.Index(table.measures, name="measure")
    return pd.DataFrame(matrix, index=names, columns=names.rename("gold" if has_gold(method, top) else "measure"))


@returns_callers_frame
def concordance(
    evaluation: EvaluationLike, gold: MeasuresLike, *, measures: MeasuresLike | None = None
) -> pd.DataFrame:
    """Return which of two measures agrees more often with gold measures where the two disagree (Sakai, WWW 2012).

    Over all topics and pairs of runs for which two measures prefer different runs, a measure agrees with gold if no
    gold measure prefers the other run. A measure prefers the run with the larger value, or with the smaller one where
    less is better.

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
    DataFrame
        ``measure, other, disagreements, concordance, other_concordance``, the last two as shares of the disagreements,
        missing where there are none.
    """
    table = as_table(evaluation).larger_is_better()
    gold_indices = [table.measure_index(measure) for measure in as_measure_list(gold)]
    if not gold_indices:
        raise IrdivError("no gold measure given; name one or several that were evaluated.")
    if measures is None:
        chosen = [m for m in range(len(table.measures)) if m not in gold_indices]
    else:
        chosen = [table.measure_index(measure) for measure in as_measure_list(measures)]
    if len(chosen) < 2:
        raise IrdivError("a concordance test compares at least two measures besides the gold ones.")
    z = np.stack([z for _, z in table.differences(table.pairs())]).reshape(len(table.measures), -1)
    sign = np.where(np.abs(z) <= VALUE_TOLERANCE, 0, np.sign(z)).astype(np.int8)
    agrees = [(sign[m] * sign[gold_indices] >= 0).all(axis=0) for m in chosen]
    rows = []
    for i, one in enumerate(chosen):
        for j in range(i + 1, len(chosen)):
            two = chosen[j]
            disagree = sign[one] * sign[two] < 0
            count = int(np.count_nonzero(disagree))
            shares = [np.count_nonzero(agrees[k] & disagree) / count if count else np.nan for k in (i, j)]
            rows.append((table.measures[one], table.measures[two], count, *shares))
    return pd.DataFrame(rows, columns=["measure", "other", "disagreements", "concordance", "other_concordance"])
