"""The rows of qrels or of a run in any form, read chunk by chunk as checked columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.io.checked import other_intent_columns, require_one_meaning_of_intents
from irdiv.io.columns import (
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    RUN_NAMES,
    SCALE_COLUMNS,
    find_columns,
    order_column,
    raise_if_empty,
)
from irdiv.io.guards import first_names, warn_about_several_names
from irdiv.io.ids import Column, as_ids, is_dictionary_of_ids
from irdiv.io.streams import (
    Streamable,
    is_in_files,
    is_stream,
    stream_batches,
    stream_columns,
    stream_row_count,
)
from irdiv.io.tables import Frame, QrelsLike, RunLike, as_frame, unwrap_qrels
from irdiv.io.values import (
    are_adhoc_iterations,
    float_values,
    floats_or_none,
    integer_grades,
    max_grade_of_tops,
    order_values,
    raise_if_fractional,
    strings_or_none,
    tops_of_scale,
)
from irdiv.types import Floats, Ints

_CHUNK_ROWS = 1 << 20
_FIELDS = {"qrels": QRELS_COLUMNS, "run": RUN_COLUMNS}


class Chunk(NamedTuple):
    """Consecutive rows of a source."""

    start: int
    """The index of the first row."""
    rows: Frame


class RowSource:
    """The rows of qrels or of a run in any form, read chunk by chunk."""

    def __init__(self, data: QrelsLike | RunLike, role: str, ties: str = "input", name: str | None = None) -> None:
        self.role, self.name = role, name
        rows = unwrap_qrels(data) if role == "qrels" else data
        self.is_single_pass = isinstance(rows, pa.RecordBatchReader)
        """Whether the rows can be read only once."""
        self.is_in_files = is_stream(rows) and is_in_files(rows)
        """Whether the rows can be read twice, in the same order, and not all are in memory."""
        self._data: Streamable | Frame = rows if is_stream(rows) else as_frame(rows, role, _FIELDS[role])
        self.columns: list[str]
        self.row_count: int | None
        """The count of rows, or None if it is not known before they are read."""
        if isinstance(self._data, nw.DataFrame):
            self.columns, self.row_count = self._data.columns, len(self._data)
        else:
            self.columns, self.row_count = stream_columns(self._data, role), stream_row_count(self._data, role)
        self._by = "relevance" if role == "qrels" else order_column(self.columns, ties)
        optional = OPTIONAL_QRELS_COLUMNS if role == "qrels" else () if self._by == "rank" else ("rank",)
        self._names = find_columns(self.columns, role, ("query_id", "doc_id", self._by), optional)
        used = self._names.get("intent_id", ITERATION)
        self._other_intents = other_intent_columns(self.columns, used) if role == "qrels" else []
        self._first_names: list[object] = []

    def chunks(self, *, for_totals: bool = False) -> Iterator[Chunk]:
        """Yield the rows in chunks, with all columns that are used, or only those that topics and `Totals` need."""
        columns = [*self._names.values(), *self._other_intents]
        if for_totals:
            used = {name: self._names.get(name) for name in ("query_id", "relevance", *SCALE_COLUMNS)}
            intent = [ITERATION] if self._names.get("intent_id") == ITERATION else []
            columns = [*(theirs for theirs in used.values() if theirs is not None), *intent]
        elif self.role == "run" and RUN_NAMES in self.columns:
            columns.append(RUN_NAMES)
        start = 0
        for frame in self._frames(columns):
            for offset in range(0, len(frame), _CHUNK_ROWS):
                rows = frame[offset : offset + _CHUNK_ROWS]
                if RUN_NAMES in columns:
                    self._first_names = first_names(rows[RUN_NAMES], self._first_names)
                if self._other_intents and not for_totals:
                    require_one_meaning_of_intents(rows, self._names)
                yield Chunk(start, rows)
                start += len(rows)

    def _frames(self, columns: list[str]) -> Iterable[Frame]:
        if isinstance(self._data, nw.DataFrame):
            return [self._data]
        few_distinct = [self._names.get("query_id"), self._names.get("intent_id"), RUN_NAMES]
        encoded = [name for name in columns if name in few_distinct]
        batches = stream_batches(self._data, self.role, columns, encoded)
        return (nw.from_native(pa.Table.from_batches([batch]), eager_only=True) for batch in batches)

    def warn_if_several_runs(self) -> None:
        """Warn about a run in which several names were seen when its rows were read."""
        warn_about_several_names(self._first_names)

    def to_table(self, chunk: Chunk) -> pa.Table:
        """Return a chunk as a table of checked columns under irdiv's names.

        Ids that the source has as dictionaries stay such.
        """
        try:
            return pa.table(
                {
                    ours: self._convert(ours, chunk.rows[theirs])
                    for ours, theirs in self._names.items()
                    if theirs in chunk.rows.columns
                }
            )
        except IrdivError as error:
            where = f" (rows counted from row {chunk.start} of the {self.role})" if chunk.start else ""
            raise IrdivError(f"{error}{where}") from None

    def _convert(self, name: str, column: Column) -> pa.Array | pa.ChunkedArray | Ints | Floats:
        if name in ("query_id", "doc_id", "intent_id"):
            raise_if_fractional(column, self.role)
            native = column.to_native()
            return native if is_dictionary_of_ids(native) else as_ids(column, self.role)
        if name in ("relevance", "max_grade"):
            return integer_grades(column)
        if name == "rank" != self._by:
            ranks = floats_or_none(column)
            return pa.array(np.full(len(column), np.nan) if ranks is None else ranks, from_pandas=True)
        if name in ("score", "rank"):
            return pa.array(order_values(column, self.role))
        if name in ("probability", "grades_below_max"):
            return pa.array(float_values(column, self.role, allow_missing=True), from_pandas=True)
        return pa.array(strings_or_none(column), pa.string())

    def has_adhoc_iterations(self, table: pa.Table) -> bool:
        """Return whether the intent column of a table only has the iterations of ad hoc qrels."""
        return self._names.get("intent_id") == ITERATION and are_adhoc_iterations(table["intent_id"].unique())

    def raise_if_empty(self, row_count: int) -> None:
        """Raise an error if the source has turned out to have no rows."""
        if row_count == 0 and self.is_single_pass:
            raise IrdivError(f"the {self.role} came as an Arrow stream without rows; one can be read only once.")
        raise_if_empty(row_count, self.columns, self.role)


@dataclass
class Totals:
    """What depends on all rows of a source."""

    row_count: int = 0
    highest_grade: int = 0
    """The highest grade that occurs or that the column ``max_grade`` states."""
    tops: tuple[float, float] = (np.inf, -np.inf)
    """What `tops_of_scale` returns for all rows."""
    has_only_adhoc_iterations: bool = True
    empty: pa.Table | None = None
    """The columns, without rows."""

    def add(self, table: pa.Table, source: RowSource) -> None:
        """Add the rows of a table that the source has converted."""
        if self.row_count == 0:
            self.empty = table.slice(0, 0)
        self.row_count += len(table)
        self.has_only_adhoc_iterations &= source.has_adhoc_iterations(table)
        for name in {"relevance", "max_grade"} & set(table.column_names):
            self.highest_grade = max(self.highest_grade, int(table[name].to_numpy().max(initial=0)))
        if "grades_below_max" in table.column_names:
            low, high = tops_of_scale(table["relevance"].to_numpy(), table["grades_below_max"].to_numpy())
            self.tops = min(self.tops[0], low), max(self.tops[1], high)

    @property
    def max_grade(self) -> int:
        """The highest grade of the scale, once all rows were added; with a warning if grades contradict it."""
        return max(self.highest_grade, max_grade_of_tops(*self.tops))

    def without_known_columns(self, table: pa.Table) -> pa.Table:
        """Return a table without its scale, and without intents if those of all rows are iterations of ad hoc qrels."""
        known = [*SCALE_COLUMNS, *(["intent_id"] if self.has_only_adhoc_iterations else [])]
        return table.drop_columns([name for name in known if name in table.column_names])
