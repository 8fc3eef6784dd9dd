"""Measures on a run of a collection: the one way from arrays to values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ordered, Scene, Ties, order_run
from irdiv.errors import IrdivError
from irdiv.frames.columns import RunLike
from irdiv.kernels.lists import Floats
from irdiv.measures.adhoc import stand_in
from irdiv.measures.declaration import Measure


def score(run: Ordered, measures: Sequence[Measure]) -> Floats:
    """Return values as ``[measure, topic]``."""
    collection = run.collection
    for measure in measures:
        if measure.declaration.needs_intents:
            collection.require_intents(measure)
    out = np.zeros((len(measures), len(collection.topics)))
    for judged_only in (False, True):
        mine = [i for i, m in enumerate(measures) if _looks_at_judged_only(m) is judged_only]
        if not mine:
            continue
        depths = [measures[i].cutoff for i in mine]
        depth = None if None in depths else max(d for d in depths if d is not None)
        ranking = run.ranking(judged_only=judged_only, depth=depth)
        for block in collection.blocks:
            scene = Scene.of(block, ranking)
            for i in mine:
                m = measures[i]
                out[i, block.start : block.stop] = m.declaration.score(scene, m.values(), m.cutoff)
    return out


def _looks_at_judged_only(measure: Measure) -> bool:
    return measure.declaration.condensed or measure.values().get("judged_only", False)


class Scorer:
    """Measures, ours and others, ready to score runs of a collection."""

    def __init__(self, collection: Collection, measures: Sequence[Any], ties: Ties, duplicates: Duplicates) -> None:
        self._collection, self._ties, self._duplicates = collection, ties, duplicates
        self._measures = [stand_in(measure) or measure for measure in measures]
        self._ours = [i for i, m in enumerate(self._measures) if isinstance(m, Measure)]
        self._others = [i for i, m in enumerate(self._measures) if not isinstance(m, Measure)]
        foreign = [measures[i] for i in self._others]
        self._foreign = _foreign_evaluator(collection, foreign) if foreign else None

    def order(self, run: RunLike, *, part: bool = False) -> Ordered:
        """Put the documents of a run in order; ``part`` says that it may lack all topics."""
        return order_run(self._collection, run, ties=self._ties, duplicates=self._duplicates, part=part)

    def score(self, ordered: Ordered) -> Floats:
        """Return values as ``[measure, topic]``."""
        values = np.zeros((len(self._measures), len(self._collection.topics)))
        values[self._ours] = score(ordered, [self._measures[i] for i in self._ours])
        if self._foreign is not None and len(ordered.topic):
            others = [self._measures[i] for i in self._others]
            values[self._others] = _foreign_score(self._foreign, ordered, others, self._ties)
        return values


def _foreign_evaluator(collection: Collection, measures: Sequence[ir_measures.Measure]) -> Any:
    topic, doc, grade = collection.adhoc()
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
        raise IrdivError(f"ir_measures cannot compute this: {error}") from error


def _foreign_score(evaluator: Any, run: Ordered, measures: Sequence[ir_measures.Measure], ties: Ties) -> Floats:
    """Return the values of ir_measures' own measures as ``[measure, topic]``."""
    values = np.zeros((len(measures), len(run.collection.topics)))
    place = {measure: number for number, measure in enumerate(measures)}
    for metric in evaluator.iter_calc(_foreign_run(run, ties)):
        values[place[metric.measure], run.collection.topic_number[metric.query_id]] = metric.value
    return values


def _foreign_run(run: Ordered, ties: Ties) -> pd.DataFrame:
    """Return the run for ir_measures, with scores that say our order where its own would not.

    trec_eval orders equal scores as our default does, but reads scores in single precision.
    """
    score = -run.columns.key[run.row]
    same_topic = run.topic[1:] == run.topic[:-1]
    blurred = (np.diff(score) != 0) & (np.diff(score.astype(np.float32)) == 0) & same_topic
    if ties != "docid_desc" or blurred.any():
        score = np.searchsorted(run.topic, run.topic, side="right") - np.arange(len(run.topic), dtype=np.float64)
    doc_ids = np.asarray(run.columns.doc.take(run.row), dtype=object)
    return pd.DataFrame({"query_id": run.collection.topics[run.topic], "doc_id": doc_ids, "score": score})
