"""Whether the coverage of contexts predicts the coverage of answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, examples
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.stats.intervals import percentile_interval
from irdiv.stats.names import only_one_has
from irdiv.stats.options import CONFIDENCE_LEVEL, N_RESAMPLES, SAMPLE_COUNT, Rng, require_interval
from irdiv.stats.resampling import Counts, bootstrap_counts
from irdiv.stats.sample_correlation import SampleCorrelationName, correlations_over_runs, correlations_over_topics
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats

MissingTopics: TypeAlias = Literal["error", "drop"]

_FEWEST = 3
"""A correlation of two values is always 1 or −1."""


@returns_callers_frame
def correlate_with_answers(
    contexts: EvaluationLike,
    answers: EvaluationLike,
    *,
    context_of: Mapping[str, str] | None = None,
    measures: MeasuresLike | None = None,
    answer_measures: MeasuresLike | None = None,
    method: SampleCorrelationName | Iterable[SampleCorrelationName] = ("pearson", "tau"),
    missing: MissingTopics = "error",
    confidence_level: float = CONFIDENCE_LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
) -> pd.DataFrame:
    """Return how the values of contexts correlate with those of the answers that were made of them.

    Over topics: does a system answer a question better if its context covers more? Over runs: are the means over topics
    of systems with better contexts higher? Intervals are percentile intervals over bootstrap samples of the topics, the
    same for all rows. They state what other topics would change; other systems are not sampled.

    Parameters
    ----------
    contexts
        Values of the contexts, which `irdiv.evaluate` returns: an evaluation, a tidy frame with ``run, query_id,
        measure, value``, or a file of values.
    answers
        Values of the answers, which `irdiv.rag.score_answers` returns, in the same forms.
    context_of
        For each run of the answers, the run of its contexts, where they do not have the same name. Several may have the
        same contexts.
    measures, answer_measures
        Some of the measures of contexts and of answers; all by default.
    method
        One or several of ``"pearson"`` (r), ``"spearman"`` (ρ) and ``"tau"`` (Kendall's τ-b).
    missing
        ``"error"`` to raise an error if only one of the two evaluations has a topic, ``"drop"`` to leave it out.
    confidence_level, rng, n_resamples
        As in `irdiv.stats.correlation_intervals`.

    Returns
    -------
    DataFrame
        ``measure, answer_measure, method, over, run, n, correlation, low, high``. With ``over="topics"`` there is a row
        for each run of the answers, and for several one without a run, the mean of their correlations; with
        ``over="runs"`` a row over the means of all runs, if there are at least three. ``n`` counts what the correlation
        is over. It is missing where all values are equal, and means and intervals leave out runs and samples in which
        they are.

    Examples
    --------
    >>> import irdiv
    >>> import pandas as pd
    >>> def values(measure, *values):
    ...     return pd.DataFrame({"run": "a", "query_id": ["1", "2", "3", "4"], "measure": measure, "value": values})
    >>> contexts, answers = values("I-rec@10", 0.2, 0.4, 0.6, 0.8), values("vital_score", 0.1, 0.5, 0.4, 0.6)
    >>> columns = ["answer_measure", "method", "over", "run", "n", "correlation"]
    >>> irdiv.rag.correlate_with_answers(contexts, answers)[columns].round(4)
      answer_measure   method    over run  n  correlation
    0    vital_score  pearson  topics   a  4       0.8367
    1    vital_score      tau  topics   a  4       0.6667
    """
    methods = [method] if isinstance(method, str) else list(method)
    if not methods:
        raise IrdivError("no method given; name one or several of 'pearson', 'spearman' and 'tau'.")
    for name in methods:
        require(choice(*get_args(SampleCorrelationName)), method=name)
    require(choice(*get_args(MissingTopics)), missing=missing)
    require_interval("percentile", confidence_level)
    of_contexts = as_table(contexts, measures).larger_is_better()
    of_answers = as_table(answers, answer_measures).larger_is_better()
    topics = _common_topics(of_contexts, of_answers, missing)
    runs = _context_of(of_contexts, of_answers, context_of)
    x = _values(of_contexts, list(runs.values()), topics)
    y = _values(of_answers, list(runs), topics)
    counts = bootstrap_counts(len(topics), require(SAMPLE_COUNT, n_resamples=n_resamples), rng)
    rows = []
    for name in methods:
        parts = list(_correlations(x, y, counts, name, list(runs)))
        for (m, measure), (a, answer_measure) in product(
            enumerate(of_contexts.measures), enumerate(of_answers.measures)
        ):
            for part in parts:
                ends = _interval(part.samples[m, a], confidence_level)
                rows.append((measure, answer_measure, name, part.over, part.run, part.n, part.observed[m, a], *ends))
    columns = ["measure", "answer_measure", "method", "over", "run", "n", "correlation", "low", "high"]
    return pd.DataFrame(rows, columns=columns).astype({"run": object})


def _common_topics(contexts: Table, answers: Table, missing: MissingTopics) -> list[str]:
    answered = set(answers.topics)
    common = [topic for topic in contexts.topics if topic in answered]
    only = only_one_has({"the contexts have": contexts.topics, "the answers have": answers.topics})
    if not common or (only and missing == "error"):
        hint = "missing='drop' leaves out the topics that only one has." if common else "Are the ids the same?"
        raise IrdivError(f"contexts and answers have {len(common)} topics in common: {only}. {hint}")
    if len(common) < _FEWEST:
        raise IrdivError(f"a correlation over topics needs at least {_FEWEST}, found {examples(common)}.")
    return common


def _context_of(contexts: Table, answers: Table, given: Mapping[str, str] | None) -> dict[str, str]:
    """Return the run of contexts for each run of answers."""
    if given is None:
        only = only_one_has({"the contexts have": contexts.runs, "the answers have": answers.runs})
        if only:
            raise IrdivError(
                f"contexts and answers have different runs: {only}. Leave out the runs that only one has, or give "
                "context_of={'answer run': 'context run'}."
            )
        return {run: run for run in answers.runs}
    for answer, context in given.items():
        answers.run_index(answer)
        contexts.run_index(context)
    missing = [run for run in answers.runs if run not in given]
    if missing:
        raise IrdivError(f"context_of has no contexts for the runs {examples(missing)} of the answers; add them.")
    return {run: given[run] for run in answers.runs}


def _values(table: Table, runs: Sequence[str], topics: Sequence[str]) -> Floats:
    """Return the values ``[run, measure, topic]`` of some runs and topics, in their order."""
    index = {topic: i for i, topic in enumerate(table.topics)}
    return table.values[[table.run_index(run) for run in runs]][:, :, [index[topic] for topic in topics]]


class _Correlations(NamedTuple):
    """Correlations of each two measures over the same items."""

    over: Literal["topics", "runs"]
    run: str | None
    n: int
    observed: Floats
    """As ``[measure, answer measure]``."""
    samples: Floats
    """As ``[measure, answer measure, sample]``."""


def _correlations(
    x: Floats, y: Floats, counts: Counts, method: SampleCorrelationName, runs: Sequence[str]
) -> Iterator[_Correlations]:
    n_topics = x.shape[2]
    all_topics = np.ones((1, n_topics), dtype=counts.dtype)
    observed, samples = (
        np.stack([correlations_over_topics(*of_run, each, method) for of_run in zip(x, y, strict=True)])
        for each in (all_topics, counts)
    )
    for index, run in enumerate(runs):
        yield _Correlations("topics", run, n_topics, observed[index, ..., 0], samples[index])
    if len(runs) > 1:
        yield _Correlations("topics", None, n_topics, _mean_of_defined(observed)[..., 0], _mean_of_defined(samples))
    if len(runs) >= _FEWEST:
        observed, samples = (correlations_over_runs(x, y, each, method) for each in (all_topics, counts))
        yield _Correlations("runs", None, len(runs), observed[..., 0], samples)


def _mean_of_defined(correlations: Floats) -> Floats:
    """Return the mean over the first axis of all values but NaN, NaN where there are no others."""
    defined = ~np.isnan(correlations)
    count = defined.sum(axis=0)
    total = np.where(defined, correlations, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _interval(samples: Floats, confidence_level: float) -> tuple[float, float]:
    defined = samples[~np.isnan(samples)]
    return percentile_interval(defined, confidence_level) if len(defined) else (np.nan, np.nan)
