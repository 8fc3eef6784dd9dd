"""Rank correlations with bootstrap intervals over topics, between measures or between leaderboards."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd

from irdiv.checks import require
from irdiv.errors import IrdivError
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.progress import progress_bar
from irdiv.stats.intervals import percentile_interval
from irdiv.stats.names import only_one_has
from irdiv.stats.options import CONFIDENCE_LEVEL, N_RESAMPLES, SAMPLE_COUNT, Rng, require_interval, require_two_topics
from irdiv.stats.rank_correlation import Correlation, CorrelationName, correlation_function, has_gold
from irdiv.stats.resampling import Counts, bootstrap_counts, sample_means
from irdiv.stats.study import for_each_collection
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats


@returns_callers_frame
@for_each_collection
def correlation_intervals(
    evaluation: EvaluationLike,
    method: CorrelationName = "tau",
    *,
    top: int | None = None,
    measures: MeasuresLike | None = None,
    confidence_level: float = CONFIDENCE_LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
) -> pd.DataFrame:
    """Return rank correlations of measures over the means of runs, with bootstrap intervals over topics.

    The interval holds the middle share of the correlations on samples of the topics, drawn with replacement. It is the
    percentile interval: a correlation is bounded and takes few values near 1, where a correction of bias is not
    defined. Means over few topics are noisy, so that the interval tends to lie low.

    Parameters
    ----------
    evaluation, method, top, measures
        As in `irdiv.stats.correlate`.
    confidence_level
        The confidence level of the intervals.
    rng
        A seed or a `numpy.random.Generator`; None for another result each time.
    n_resamples
        How many samples of the topics.

    Returns
    -------
    DataFrame
        ``measure, other, correlation, low, high``: a row for each pair of measures; for ``"tau_ap"`` and with ``top``
        two, where ``other`` is gold.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10", "ERR-IA@10"])
    >>> irdiv.stats.correlation_intervals(evaluation).round(4)
         measure      other  correlation     low  high
    0   I-rec@10  D-nDCG@10       0.6667  0.3333   1.0
    1   I-rec@10  ERR-IA@10       1.0000  0.6667   1.0
    2  D-nDCG@10  ERR-IA@10       0.6667  0.6667   1.0
    """
    correlation = correlation_function(method, top)
    table = as_table(evaluation, measures).larger_is_better()
    table.require_two_runs()
    counts = _samples_of_topics(table, confidence_level, rng, n_resamples)
    means, samples = _means_and_samples(table, counts)
    pairs = (permutations if has_gold(method, top) else combinations)(range(len(table.measures)), 2)
    rows = [
        (
            table.measures[one],
            table.measures[other],
            *_with_interval(correlation, means[one], means[other], samples[one], samples[other], confidence_level),
        )
        for one, other in progress_bar(list(pairs), "pair", "pairs of measures")
    ]
    return pd.DataFrame(rows, columns=["measure", "other", "correlation", "low", "high"])


@returns_callers_frame
def compare_leaderboards(
    estimate: EvaluationLike,
    gold: EvaluationLike,
    method: CorrelationName = "tau",
    *,
    top: int | None = None,
    measures: MeasuresLike | None = None,
    confidence_level: float = CONFIDENCE_LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
) -> pd.DataFrame:
    """Return how alike two leaderboards of the same systems rank them, such as those of two judges.

    Each measure is compared with itself: its means over topics by one set of judgments rank the systems, and so do
    those by another. Samples of the topics are the same for both. To compare different measures, put the values of both
    judges into one frame, and use `irdiv.stats.correlation_intervals`.

    Parameters
    ----------
    estimate, gold
        Values of the same runs and topics by the judgments that are evaluated, and by those that are taken as true:
        evaluations, tidy frames, or files that `irdiv.stats.read_values` reads.
    method, top, confidence_level, rng, n_resamples
        As in `irdiv.stats.correlation_intervals`.
    measures
        Some of the measures; by default all, which both leaderboards must have.

    Returns
    -------
    DataFrame
        ``measure, runs, topics, correlation, low, high``, a row for each measure.
    """
    correlation = correlation_function(method, top)
    tables = [as_table(one, measures).larger_is_better() for one in (estimate, gold)]
    for table in tables:
        table.require_two_runs()
    aligned = [tables[0], _align(tables[1], tables[0])]
    counts = _samples_of_topics(tables[0], confidence_level, rng, n_resamples)
    (x, x_samples), (y, y_samples) = (_means_and_samples(table, counts) for table in aligned)
    n_runs, _, n_topics = tables[0].values.shape
    rows = [
        (name, n_runs, n_topics, *_with_interval(correlation, x[m], y[m], x_samples[m], y_samples[m], confidence_level))
        for m, name in enumerate(progress_bar(tables[0].measures, "measure"))
    ]
    return pd.DataFrame(rows, columns=["measure", "runs", "topics", "correlation", "low", "high"])


def _align(table: Table, other: Table) -> Table:
    """Return a table with runs, measures and topics in the order of another, which must have the same."""
    indices = []
    for what in ("runs", "measures", "topics"):
        ours, theirs = getattr(table, what), getattr(other, what)
        only = only_one_has({"the estimate has": theirs, "gold has": ours})
        if only:
            raise IrdivError(f"the leaderboards have different {what}: {only}. Leave out the {what} that only one has.")
        indices.append([ours.index(label) for label in theirs])
    return other._replace(values=table.values[np.ix_(*indices)])


def _samples_of_topics(table: Table, confidence_level: float, rng: Rng, n_resamples: int) -> Counts:
    require_interval("percentile", confidence_level)
    require_two_topics(table.values.shape[2], "an interval")
    return bootstrap_counts(table.values.shape[2], require(SAMPLE_COUNT, n_resamples=n_resamples), rng)


def _means_and_samples(table: Table, counts: Counts) -> tuple[Floats, Floats]:
    """Return the means of runs ``[measure, run]``, and those on samples of the topics ``[measure, sample, run]``."""
    n_runs, n_measures, n_topics = table.values.shape
    samples = sample_means(table.values.reshape(-1, n_topics), counts).reshape(n_runs, n_measures, -1)
    return table.values.mean(axis=2).T, samples.transpose(1, 2, 0)


def _with_interval(
    correlation: Correlation, x: Floats, y: Floats, x_samples: Floats, y_samples: Floats, confidence_level: float
) -> tuple[float, float, float]:
    """Return a correlation and the ends of its interval."""
    ends = percentile_interval(correlation(x_samples, y_samples), confidence_level)
    return float(correlation(x[None], y[None])[0]), *ends
