"""Qrels and runs as checked columns, the form in which they are compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.errors import IrdivError
from irdiv.frames.columns import (
    ALIASES,
    INTENT_COLUMNS,
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    find_columns,
    order_column,
    raise_if_empty,
)
from irdiv.frames.ids import EncodedIds, Ids, as_encoded_ids, as_ids, as_strings
from irdiv.frames.inputs import Frame, QrelsLike, RunLike, qrels_frame, run_frame
from irdiv.frames.run_names import RunNames
from irdiv.frames.values import (
    are_adhoc_iterations,
    float_values,
    floats_or_none,
    ids_or_none,
    integer_grades,
    is_given,
    max_grade_of_tops,
    order_values,
    strings_or_none,
    tops_of_scale,
)
from irdiv.types import Bools, Floats, Ints, Objects


class QrelsColumns(NamedTuple):
    """The columns of qrels, with a row for each judgment."""

    query: EncodedIds
    doc: Ids
    grade: Ints
    intent: EncodedIds | None
    """None if the qrels have no intents."""
    probability: Floats | None
    parent: Objects | None
    type: Objects | None
    max_grade: int
    """The highest grade of the scale, which a part of the qrels need not contain, or 0 if no column states it."""
    has_intent_info: Bools
    """Whether a row has a probability, type, parent, description or importance of its intent."""
    description: pa.LargeStringArray | None = None
    """Null for rows without one."""
    importance: Objects | None = None
    """None for rows without one."""


class RunColumns(NamedTuple):
    """The columns of a run."""

    query: EncodedIds
    doc: Ids
    key: Floats
    """Documents are ranked by ascending key."""
    rank: Floats | None
    """The ranks of a run that is ordered by score, for comparison; None if it has none."""
    by_rank: bool = False
    """Whether the key is the rank, and not the score."""

    def slice_rows(self, rows: slice) -> RunColumns:
        """Return the columns of consecutive rows, without copying them."""
        rank = None if self.rank is None else self.rank[rows]
        return RunColumns(self.query.slice_rows(rows), self.doc[rows], self.key[rows], rank, self.by_rank)

    def take(self, rows: Ints) -> RunColumns:
        """Return the columns of some rows."""
        rank = None if self.rank is None else self.rank.take(rows)
        return RunColumns(self.query.take(rows), self.doc.take(rows), self.key.take(rows), rank, self.by_rank)


def qrels_columns(qrels: QrelsLike, *, may_be_empty: bool = False) -> QrelsColumns:
    """Check qrels in any form and return their columns."""
    frame = qrels_frame(qrels)
    names = find_columns(frame.columns, "qrels", QRELS_COLUMNS, OPTIONAL_QRELS_COLUMNS)
    columns = {name: frame[column] for name, column in names.items()}
    if not may_be_empty:
        raise_if_empty(len(frame), frame.columns, "qrels")
    require_one_meaning_of_intents(frame, names)
    intent = as_encoded_ids(columns["intent_id"], "qrels") if "intent_id" in columns else None
    if intent is not None and names["intent_id"] == ITERATION and are_adhoc_iterations(intent.ids):
        intent = None
    if "importance" in columns and (intent is None or columns["importance"].dtype.is_numeric()):
        # Without intents, and as a number, it may be the importance of a document.
        del columns["importance"]
    has_intent_info = np.zeros(len(frame), dtype=bool)
    for name in INTENT_COLUMNS:
        if name in columns:
            has_intent_info |= is_given(columns[name])
    grade = integer_grades(columns["relevance"])
    max_grade = int(integer_grades(columns["max_grade"]).max(initial=0)) if "max_grade" in columns else 0
    if "grades_below_max" in columns:
        below = float_values(columns["grades_below_max"], "qrels", allow_missing=True)
        max_grade = max(max_grade, max_grade_of_tops(*tops_of_scale(grade, below)))
    return QrelsColumns(
        query=as_encoded_ids(columns["query_id"], "qrels"),
        doc=as_ids(columns["doc_id"], "qrels"),
        grade=grade,
        intent=intent,
        probability=float_values(columns["probability"], "qrels", allow_missing=True)
        if "probability" in columns
        else None,
        parent=ids_or_none(columns["parent_id"]) if "parent_id" in columns else None,
        type=ids_or_none(columns["type"]) if "type" in columns else None,
        max_grade=max_grade,
        has_intent_info=has_intent_info,
        description=as_strings(columns["description"]) if "description" in columns else None,
        importance=strings_or_none(columns["importance"]) if "importance" in columns else None,
    )


def require_one_meaning_of_intents(qrels: Frame, names: Mapping[str, str]) -> None:
    """Raise an error if two columns of intents contradict each other: do not tell apart the same rows of a topic."""
    used, topic = names.get("intent_id", ITERATION), names["query_id"]
    for other in other_intent_columns(qrels.columns, used):
        ids = pa.table(
            {name: as_strings(qrels[column]) for name, column in zip("tio", (topic, used, other), strict=True)}
        )
        pairs = ids.drop_null().group_by(["t", "i", "o"], use_threads=False).aggregate([])
        for one, two, columns in (("i", "o", (used, other)), ("o", "i", (other, used))):
            counts = pairs.group_by(["t", one], use_threads=False).aggregate(
                [(two, "count"), (two, "min"), (two, "max")]
            )
            differ = counts.filter(pc.greater(counts[f"{two}_count"], 1)).slice(0, 1).to_pylist()
            for row in differ:
                raise IrdivError(
                    f"the qrels have two columns of intents that contradict each other: in topic {row['t']!r}, "
                    f"{columns[0]} {row[one]!r} has the {columns[1]} {row[f'{two}_min']!r} and {row[f'{two}_max']!r}. "
                    "Drop one of the columns."
                )


def other_intent_columns(present: Iterable[str], used: str) -> list[str]:
    """Return the columns of intents beside the one that is used, without iterations."""
    return [name for name in ALIASES["intent_id"] if name in present and name not in (used, ITERATION)]


def run_columns(run: RunLike, *, ties: str = "input", may_be_empty: bool = False) -> RunColumns:
    """Check a run in any form and return its columns, ordered by `order_column`."""
    frame = run_frame(run)
    names = RunNames()
    names.add(frame)
    names.warn_if_several()
    return checked_run_columns(frame, ties=ties, may_be_empty=may_be_empty)


def checked_run_columns(frame: Frame, *, ties: str, may_be_empty: bool = False) -> RunColumns:
    """Check a run that is a frame and return its columns, ordered by `order_column`."""
    by = order_column(frame.columns, ties)
    names = find_columns(frame.columns, "run", ("query_id", "doc_id", by), () if by == "rank" else ("rank",))
    if not may_be_empty:
        raise_if_empty(len(frame), frame.columns, "run")
    return RunColumns(
        query=as_encoded_ids(frame[names["query_id"]], "run"),
        doc=as_ids(frame[names["doc_id"]], "run"),
        key=order_values(frame[names[by]], "run") * (-1.0 if by == "score" else 1.0),
        rank=floats_or_none(frame[names["rank"]]) if by == "score" and "rank" in names else None,
        by_rank=by == "rank",
    )
