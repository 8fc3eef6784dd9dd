"""Qrels and runs as checked columns, the form in which they are compiled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.errors import IrdivError, examples
from irdiv.io.columns import (
    ALIASES,
    INTENT_COLUMNS,
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    RUN_NAMES,
    find_columns,
    guess_columns,
    order_column,
    raise_if_empty,
)
from irdiv.io.guards import first_names, warn_about_several_names
from irdiv.io.ids import EncodedIds, Ids, as_encoded_ids, as_ids, as_strings, factorize_grouped
from irdiv.io.runs import is_folder_of_runs
from irdiv.io.tables import Frame, QrelsLike, RunLike, as_frame, unwrap_qrels
from irdiv.io.values import (
    are_adhoc_iterations,
    float_values,
    floats_or_none,
    ids_or_none,
    integer_grades,
    is_given,
    max_grade_of_tops,
    order_values,
    raise_if_fractional,
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
    intent_guess: str = ""
    """Which column may be meant as intents, if there are none, for errors."""


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
    run: Ints | None = None
    """The index of each row's run among the names; None where there is one run."""
    names: tuple[str, ...] = ("run",)

    def take(self, rows: Ints) -> RunColumns:
        """Return the columns of some rows."""
        return self._replace(
            query=self.query.take(rows),
            doc=self.doc.take(rows),
            key=self.key.take(rows),
            rank=None if self.rank is None else self.rank.take(rows),
            run=None if self.run is None else self.run.take(rows),
        )

    def groups(self, most_rows: int) -> Iterator[RunColumns]:
        """Yield the columns of some runs at a time, with at most so many rows, but at least one run."""
        if self.run is None or len(self.run) <= most_rows:
            yield self
            return
        by_run = np.argsort(self.run, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(self.run, minlength=len(self.names)))])
        first = 0
        while first < len(self.names):
            last = max(int(np.searchsorted(start, start[first] + most_rows, side="right")) - 1, first + 1)
            rows = self.take(by_run[start[first] : start[last]])
            assert rows.run is not None
            yield rows._replace(run=rows.run - first, names=self.names[first:last])
            first = last


def qrels_columns(qrels: QrelsLike, *, may_be_empty: bool = False) -> QrelsColumns:
    """Check qrels in any form and return their columns."""
    frame = as_frame(unwrap_qrels(qrels), "qrels", QRELS_COLUMNS)
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
    probability = columns.get("probability")
    if "grades_below_max" in columns:
        below = float_values(columns["grades_below_max"], "qrels", allow_missing=True)
        max_grade = max(max_grade, max_grade_of_tops(*tops_of_scale(grade, below)))
    return QrelsColumns(
        query=as_encoded_ids(columns["query_id"], "qrels"),
        doc=as_ids(columns["doc_id"], "qrels"),
        grade=grade,
        intent=intent,
        probability=None if probability is None else float_values(probability, "qrels", allow_missing=True),
        parent=ids_or_none(columns["parent_id"]) if "parent_id" in columns else None,
        type=ids_or_none(columns["type"]) if "type" in columns else None,
        max_grade=max_grade,
        has_intent_info=has_intent_info,
        description=as_strings(columns["description"]) if "description" in columns else None,
        importance=strings_or_none(columns["importance"]) if "importance" in columns else None,
        intent_guess="" if intent is not None else guess_columns(frame.columns, "qrels", ["intent_id"]),
    )


def require_one_meaning_of_intents(qrels: Frame, names: Mapping[str, str]) -> None:
    """Raise an error if two columns of intents contradict each other: do not tell apart the same rows of a topic."""
    used, topic = names.get("intent_id", ITERATION), names["query_id"]
    for other in other_intent_columns(qrels.columns, used):
        ids = pa.table({name: as_strings(qrels[name]) for name in (topic, used, other)})
        pairs = ids.drop_null().group_by([topic, used, other], use_threads=False).aggregate([])
        for one, two in ((used, other), (other, used)):
            counts = pairs.group_by([topic, one], use_threads=False).aggregate(
                [(two, "count"), (two, "min"), (two, "max")]
            )
            for row in counts.filter(pc.greater(counts[f"{two}_count"], 1)).slice(0, 1).to_pylist():
                raise IrdivError(
                    f"the qrels have two columns of intents that contradict each other: in topic {row[topic]!r}, "
                    f"{one} {row[one]!r} has the {two} {row[f'{two}_min']!r} and {row[f'{two}_max']!r}. "
                    "Drop one of the columns."
                )


def other_intent_columns(present: Iterable[str], used: str) -> list[str]:
    """Return the columns of intents beside the one that is used, without iterations."""
    return [name for name in ALIASES["intent_id"] if name in present and name not in (used, ITERATION)]


def run_columns(run: RunLike, *, ties: str = "input", may_be_empty: bool = False) -> RunColumns:
    """Check a run in any form and return its columns, ordered by `order_column`."""
    frame = as_frame(run, "run", RUN_COLUMNS)
    if RUN_NAMES in frame.columns:
        warn_about_several_names(first_names(frame[RUN_NAMES], []))
    return _run_columns(frame, "run", ties, may_be_empty=may_be_empty)


def _run_columns(frame: Frame, role: str, ties: str, *, may_be_empty: bool = False) -> RunColumns:
    by = order_column(frame.columns, ties)
    names = find_columns(frame.columns, "run", ("query_id", "doc_id", by), () if by == "rank" else ("rank",))
    if not may_be_empty:
        raise_if_empty(len(frame), frame.columns, role)
    return RunColumns(
        query=as_encoded_ids(frame[names["query_id"]], "run"),
        doc=as_ids(frame[names["doc_id"]], "run"),
        key=order_values(frame[names[by]], "run") * (-1.0 if by == "score" else 1.0),
        rank=floats_or_none(frame[names["rank"]]) if by == "score" and "rank" in names else None,
        by_rank=by == "rank",
    )


def columns_of_runs(runs: RunLike | Mapping[str, RunLike], run_column: object, ties: str) -> RunColumns:
    """Check a frame of many runs and return its columns; runs are in order of first occurrence.

    Parameters
    ----------
    runs
        A frame, a stream, the path of a file, or an iterable of namedtuples; a stream is read into memory.
    run_column
        The column with the names of runs.
    ties
        The rule for ties, as ``ties="rank"`` orders by another column.
    """
    if isinstance(runs, Mapping):
        raise IrdivError(
            f"run_column={run_column!r} is for one frame that holds many runs, but the runs are a mapping: leave "
            "run_column out, as the keys name the runs, or the topics of one run."
        )
    if isinstance(runs, str | os.PathLike) and is_folder_of_runs(runs):
        raise IrdivError(
            f"run_column={run_column!r} is for one file that holds many runs, but {os.fspath(runs)!r} is a folder "
            "of runs, which are named after their files: leave run_column out."
        )
    if not isinstance(run_column, str):
        raise IrdivError(f"run_column={run_column!r} is not the name of a column; expected a text such as 'run'.")
    frame = as_frame(runs, "run", RUN_COLUMNS)
    present = frame.columns
    if run_column not in present:
        raise IrdivError(
            f"the runs lack a column {run_column!r}, which run_column says has their names; found "
            f"{examples(present, 12)}."
        )
    by = order_column(present, ties)
    used = find_columns(present, "run", ("query_id", "doc_id", by), () if by == "rank" else ("rank",))
    if run_column in used.values():
        others = examples([column for column in present if column not in used.values()], 12)
        raise IrdivError(
            f"run_column={run_column!r} is the column of topics, documents, scores or ranks; expected the one with the "
            f"names of runs{f', such as one of {others}' if others else ', and there is no other column'}."
        )
    for name in ("query_id", "doc_id"):
        raise_if_fractional(frame[used[name]], "runs")
    names = frame[run_column].to_native()
    types = set(map(type, names.dropna())) if isinstance(names, pd.Series) and names.dtype == object else set()
    if len(types) > 1:
        raise IrdivError(
            f"column {run_column!r} of the runs has names of several types, "
            f"{examples(sorted(kind.__name__ for kind in types))}; make them strings, as 1 and '1' would be one run."
        )
    columns = _run_columns(frame, "runs", ties)
    run, distinct = factorize_grouped(as_ids(frame[run_column], "runs"))
    return columns._replace(run=run, names=tuple(distinct.to_pylist()))
