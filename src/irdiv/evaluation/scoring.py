"""Scores of runs by measures of irdiv and of ir_measures."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import ir_measures
import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, OrderedRun, Ties, order_run
from irdiv.arrays.run_groups import OrderedRuns, order_runs
from irdiv.errors import IrdivError, examples
from irdiv.frames.inputs import RunLike
from irdiv.frames.run_column import RunGroup
from irdiv.measures.measure import Measure
from irdiv.measures.scoring import require_intents, score, score_runs
from irdiv.measures.trec_eval import irdiv_equivalent
from irdiv.types import Floats


class Scorer:
    """Scores runs of a collection by measures of irdiv and ir_measures."""

    def __init__(
        self, collection: Collection, measures: Sequence[ir_measures.Measure], ties: Ties, duplicates: Duplicates
    ) -> None:
        self._collection, self._ties, self._duplicates = collection, ties, duplicates
        self._measures = [irdiv_equivalent(measure) or measure for measure in measures]
        self._own = {i: m for i, m in enumerate(self._measures) if isinstance(m, Measure)}
        self._others = {i: m for i, m in enumerate(self._measures) if i not in self._own}
        require_intents(collection, list(self._own.values()))
        others = list(self._others.values())
        self._evaluator = _ir_measures_evaluator(collection, others) if others else None

    def order(self, run: RunLike, *, is_part: bool = False) -> OrderedRun:
        """Return a run with its documents in order; one that is only part of a run may lack all topics."""
        return order_run(self._collection, run, ties=self._ties, duplicates=self._duplicates, is_part=is_part)

    @property
    def depth(self) -> int | None:
        """The largest cutoff of the measures, or None if one of them sees all documents."""
        cutoffs: list[int | None] = [
            None if measure.params.get("judged_only") else measure.params.get("cutoff") for measure in self._measures
        ]
        return None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)

    def score(self, ordered: OrderedRun) -> Floats:
        """Return the values of all measures for a run, ``[measure, topic]``."""
        values = np.zeros((len(self._measures), len(self._collection.topics)))
        values[list(self._own)] = score(ordered, list(self._own.values()))
        if self._evaluator is not None and len(ordered.topic):
            others = list(self._others.values())
            values[list(self._others)] = _score_by_ir_measures(self._evaluator, ordered, others)
        return values

    def order_runs(self, group: RunGroup, *, is_one: bool) -> OrderedRuns:
        """Return several runs with their documents in order; the name of one alone is not part of errors."""
        return order_runs(self._collection, group, self._ties, self._duplicates, is_one=is_one)

    def score_runs(self, ordered: OrderedRuns) -> Floats:
        """Return the values of all measures for several runs, ``[run, measure, topic]``."""
        values = np.zeros((len(ordered), len(self._measures), len(self._collection.topics)))
        values[:, list(self._own)] = score_runs(ordered, list(self._own.values()))
        if self._evaluator is not None:
            others = list(self._others.values())
            for index, run in enumerate(ordered):
                values[index, list(self._others)] = _score_by_ir_measures(self._evaluator, run, others)
        return values


def _ir_measures_evaluator(
    collection: Collection, measures: Sequence[ir_measures.Measure]
) -> ir_measures.providers.Evaluator:
    topic, doc, grade = collection.adhoc_judgments()
    qrels = pd.DataFrame(
        {
            "query_id": collection.topics[topic],
            "doc_id": np.asarray(doc, dtype=object),
            "relevance": grade,
        }
    )
    try:
        return ir_measures.evaluator(measures, qrels)
    except (AssertionError, TypeError, ValueError, RuntimeError) as error:
        raise IrdivError(f"ir_measures cannot compute one of {examples(map(str, measures))}: {error}") from error


def _score_by_ir_measures(
    evaluator: ir_measures.providers.Evaluator, run: OrderedRun, measures: Sequence[ir_measures.Measure]
) -> Floats:
    """Return the values of measures of ir_measures, ``[measure, topic]``."""
    values = np.zeros((len(measures), len(run.collection.topics)))
    index = {measure: i for i, measure in enumerate(measures)}
    try:
        for metric in evaluator.iter_calc(_ir_measures_run(run)):
            values[index[metric.measure], run.collection.topic_index[metric.query_id]] = metric.value
    except subprocess.CalledProcessError as error:
        raise IrdivError(
            f"ir_measures cannot compute one of {examples(map(str, measures))}: {error.cmd[0]} failed with exit status "
            f"{error.returncode}. gdeval takes only numbers as topic ids and grades up to 4; nDCG(gain='exp')@k takes "
            "any."
        ) from error
    return values


def _ir_measures_run(run: OrderedRun) -> pd.DataFrame:
    """Return the run for ir_measures, with other scores where its own would be equal in single precision.

    Programs behind ir_measures order equal scores each in its own way, and trec_eval reads single precision.
    """
    score = -run.columns.key[run.row]
    same_topic = run.topic[1:] == run.topic[:-1]
    with np.errstate(over="ignore"):  # larger scores are infinite there, and so equal
        single = score.astype(np.float32)
    if (same_topic & (single[1:] == single[:-1])).any():
        score = np.searchsorted(run.topic, run.topic, side="right") - np.arange(len(run.topic), dtype=np.float64)
    doc_ids = np.asarray(run.columns.doc.take(run.row), dtype=object)
    return pd.DataFrame({"query_id": run.collection.topics[run.topic], "doc_id": doc_ids, "score": score})
