"""What scores runs for ir_measures; imported when something is evaluated, as it takes pandas and Arrow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import cast

import ir_measures
import pandas as pd
from ir_measures import providers

from irdiv.core.collection import Collection, warn_topics_without_relevant
from irdiv.core.run_checks import SCORES_REMEDY, order_checked_run
from irdiv.io.checked import qrels_columns
from irdiv.io.columns import ALIASES, ITERATION, PLACEHOLDER_DOC_ID, QRELS_COLUMNS, find_columns, has_intent_column
from irdiv.io.ids import as_ids, string_array
from irdiv.io.tables import Frame, QrelsLike, RunLike, qrels_frame
from irdiv.measures.measure import Measure
from irdiv.measures.scoring import score
from irdiv.measures.spec import as_irdiv_measure


class Evaluator(providers.Evaluator):
    """Scores runs for ir_measures against qrels that are compiled once."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> None:
        self._requested = sorted(measures, key=str)
        frame = qrels_frame(qrels)
        self._original_ids = _original_ids(qrels, frame)
        # PyTerrier passes empty qrels for topics without judgments, and with an empty run.
        columns = qrels_columns(frame.to_native(), may_be_empty=True)
        self._collection = Collection.from_columns(columns) if len(columns.query) else None
        if self._collection is not None:
            warn_topics_without_relevant(self._collection.topics_without_relevant, len(self._collection.topics))
        super().__init__(self._requested, set(self._original_ids.values()))

    def _iter_calc(self, run: RunLike) -> Iterator[ir_measures.Metric]:
        if self._collection is None:
            return
        ordered = order_checked_run(self._collection, run, may_be_empty=True, remedy=SCORES_REMEDY)
        values = score(ordered, [_irdiv_measure(measure) for measure in self._requested])[0]
        query_ids = [self._original_ids[topic] for topic in self._collection.topics]
        for measure, row in zip(self._requested, values.tolist(), strict=True):
            for query_id, value in zip(query_ids, row, strict=True):
                yield ir_measures.Metric(query_id=query_id, measure=measure, value=value)


def _irdiv_measure(measure: ir_measures.Measure) -> Measure:
    found = as_irdiv_measure(measure)
    assert found is not None
    return found


def _original_ids(qrels: QrelsLike, frame: Frame) -> dict[str, str]:
    """Return a mapping from topic ids as strings to topic ids as in the qrels, which ir_measures compares unchanged.

    ir_measures declares them as strings, but they may be anything.
    """
    if isinstance(qrels, Mapping):
        judged = [topic for topic, row in qrels.items() if row]
        return dict(zip(string_array(judged).to_pylist(), judged, strict=True))
    topics = frame[find_columns(frame.columns, "qrels", ("query_id",))["query_id"]].unique()
    return dict(zip(as_ids(topics, "qrels").to_pylist(), topics.to_list(), strict=True))


def read_once(qrels: QrelsLike) -> QrelsLike:
    """Return an iterable of namedtuples, which may be read only once, as a list, and other qrels unchanged."""
    if isinstance(qrels, str | Mapping | Sequence) or hasattr(qrels, "columns") or not isinstance(qrels, Iterable):
        return qrels
    return list(qrels)


def hides_intents(qrels: QrelsLike) -> bool:
    """Return whether qrels have a column of intents that pyndeval does not see, as it is not called ``iteration``."""
    return has_intent_column(set(_column_names(qrels)) - {ITERATION})


def highest_grades(qrels: QrelsLike) -> pd.DataFrame | None:
    """Return qrels with the highest grade of each document over intents, without placeholders of intents.

    None if there are none of these, and there is one intent or no document has more than one row, so that the qrels can
    be used as they are.
    """
    names = _column_names(qrels)
    *keys, grade = QRELS_COLUMNS
    if not set(QRELS_COLUMNS) <= set(names) or not has_intent_column(names):
        return None
    frame = pd.DataFrame(cast("pd.DataFrame | list[tuple[Hashable, ...]]", qrels))
    judged = frame[frame[keys[1]] != PLACEHOLDER_DOC_ID]
    intent_columns = [name for name in ALIASES["intent_id"] if name in names]
    has_one_grade = not frame.duplicated(keys).any() or (frame[intent_columns].nunique() <= 1).all()
    if has_one_grade and len(judged) == len(frame):
        return None
    highest: pd.DataFrame = judged.groupby(keys, sort=False, as_index=False, observed=True)[[grade]].max()
    return highest


def _column_names(qrels: QrelsLike) -> Sequence[str]:
    """Return the columns of a pandas frame, or the fields of a sequence of namedtuples; others have none here."""
    if isinstance(qrels, pd.DataFrame):
        return list(qrels.columns)
    return getattr(qrels[0], "_fields", ()) if isinstance(qrels, Sequence) and len(qrels) else ()
