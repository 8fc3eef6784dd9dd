"""Qrels and runs of any size, partitioned by topic into buckets that fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import narwhals as nw
import numpy as np
import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.files import TemporaryFile
from irdiv.frames.columns import (
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    find_columns,
    order_column,
    raise_if_empty,
)
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import Column, Ids, as_ids, factorize_grouped
from irdiv.frames.inputs import Frame, QrelsLike, RunLike, as_frame, unwrap_qrels
from irdiv.frames.prefetch import prefetch
from irdiv.frames.streams import Streamable, is_stream, stream_batches, stream_columns, stream_row_count
from irdiv.frames.values import (
    are_adhoc_iterations,
    float_values,
    floats_or_none,
    integer_grades,
    raise_if_fractional,
    strings_or_none,
)
from irdiv.progress import progress_counter
from irdiv.types import Floats, Ints

_CHUNK_ROWS = 1 << 20
_FIELDS = {"qrels": QRELS_COLUMNS, "run": RUN_COLUMNS}


class RowSource:
    """The rows of qrels or of a run in any form, read chunk by chunk."""

    def __init__(self, data: QrelsLike | RunLike, role: str, ties: str = "input") -> None:
        self.role = role
        rows = unwrap_qrels(data) if role == "qrels" else data
        self._data: Streamable | Frame = rows if is_stream(rows) else as_frame(rows, role, _FIELDS[role])
        self.columns: list[str]
        self.row_count: int | None
        """The count of rows, or None if it is not known before they are read."""
        if isinstance(self._data, nw.DataFrame):
            self.columns, self.row_count = self._data.columns, len(self._data)
        else:
            self.columns, self.row_count = stream_columns(self._data, role), stream_row_count(self._data, role)
        value_column = "relevance" if role == "qrels" else order_column(self.columns, ties)
        optional = OPTIONAL_QRELS_COLUMNS if role == "qrels" else () if value_column == "rank" else ("rank",)
        self._value_column = value_column
        self._names = find_columns(self.columns, role, ("query_id", "doc_id", value_column), optional)
        self.is_single_pass = isinstance(rows, pa.RecordBatchReader)
        """Whether the rows can be read only once."""

    def chunks(self) -> Iterator[tuple[int, Frame]]:
        """Yield the rows in chunks, each with the index of its first row."""
        start = 0
        for frame in self._frames():
            for offset in range(0, len(frame), _CHUNK_ROWS):
                chunk = frame[offset : offset + _CHUNK_ROWS]
                yield start, chunk
                start += len(chunk)

    def _frames(self) -> Iterable[Frame]:
        if isinstance(self._data, nw.DataFrame):
            return [self._data]
        batches = stream_batches(self._data, self.role, list(self._names.values()))
        return (nw.from_native(pa.Table.from_batches([batch]), eager_only=True) for batch in batches)

    def to_table(self, start: int, chunk: Frame) -> pa.Table:
        """Return a chunk as a table of checked columns under irdiv's names."""
        try:
            return pa.table({ours: self._convert(ours, chunk[theirs]) for ours, theirs in self._names.items()})
        except IrdivError as error:
            where = f" (rows counted from row {start} of the {self.role})" if start else ""
            raise IrdivError(f"{error}{where}") from None

    def _convert(self, name: str, column: Column) -> pa.Array | Ints | Floats:
        # A chunk is small enough for 32-bit offsets and integers, and most of the work is writing them.
        if name in ("query_id", "doc_id", "intent_id"):
            raise_if_fractional(column, self.role)
            return as_ids(column, self.role).cast(pa.string())
        if name in ("relevance", "max_grade"):
            return integer_grades(column).astype(np.int32)
        if name == "rank" != self._value_column:
            ranks = floats_or_none(column)
            return pa.array(np.full(len(column), np.nan) if ranks is None else ranks, from_pandas=True)
        if name in ("score", "rank", "probability"):
            values = float_values(column, self.role, allow_missing=name == "probability")
            return pa.array(values, from_pandas=True)
        return pa.array(strings_or_none(column), pa.string())

    def has_adhoc_iterations(self, table: pa.Table) -> bool:
        """Return whether the intent column of a table only has the iterations of ad hoc qrels."""
        return self._names.get("intent_id") == ITERATION and are_adhoc_iterations(table["intent_id"].combine_chunks())


class BucketPlan:
    """The bucket of each topic.

    Topics whose rows are contiguous fill one bucket after the other, so that their rows need not be moved; others are
    spread by hash over as many buckets as their rows will fill.
    """

    def __init__(self, bucket_rows: int, expected_rows: int) -> None:
        self._bucket_rows, self._bucket_count = bucket_rows, max(-(-expected_rows // bucket_rows), 1)
        self._bucket: dict[str, int] = {}
        self._assigned_rows = 0
        self.buckets: set[int] = set()
        """The buckets that have topics."""

    @property
    def topic_count(self) -> int:
        """How many topics have a bucket."""
        return len(self._bucket)

    def assign(self, topics: Ids, row_counts: Ints, contiguous: bool) -> Ints:
        """Return the bucket of each topic of the qrels, after assigning one to those that are new."""
        names = topics.to_pylist()
        new = np.flatnonzero([name not in self._bucket for name in names])
        if contiguous:
            ends = self._assigned_rows + np.cumsum(row_counts[new])
            bucket = (ends - row_counts[new]) // self._bucket_rows
            self._assigned_rows = int(ends[-1]) if len(ends) else self._assigned_rows
        else:
            bucket = (hash_ids(topics.take(new)) % np.uint64(self._bucket_count)).astype(np.int64)
        self._bucket.update(zip(topics.take(new).to_pylist(), bucket.tolist(), strict=True))
        self.buckets.update(np.unique(bucket).tolist())
        return bucket if len(new) == len(names) else self.buckets_of(topics)

    def buckets_of(self, topics: Ids) -> Ints:
        """Return the bucket of each topic, -1 for those that are not in the qrels."""
        return np.array([self._bucket.get(topic, -1) for topic in topics.to_pylist()], dtype=np.int64)


class TopicBuckets:
    """The rows of a source in a temporary file, from which one bucket at a time is read."""

    def __init__(self, source: RowSource, plan: BucketPlan, file: TemporaryFile) -> None:
        self._file = file
        self._batches_of: dict[int, list[slice]] = {}
        self._schema: pa.Schema | None = None
        self.row_count = self.max_grade = 0
        self._has_only_adhoc_iterations = True
        with progress_counter(source.row_count, "row", f"rows of the {source.role}") as advance:
            for table in prefetch(lambda chunk: source.to_table(*chunk), source.chunks()):
                self._schema = table.schema if self._schema is None else self._schema
                self._update_totals(table, source)
                self._partition(table.cast(self._schema), source, plan)
                advance(len(table))
        if self.row_count == 0 and source.is_single_pass:
            raise IrdivError(f"the {source.role} came as an Arrow stream without rows; one can be read only once.")
        raise_if_empty(self.row_count, source.columns, source.role)

    def _update_totals(self, table: pa.Table, source: RowSource) -> None:
        """Update what depends on all rows."""
        if self.row_count == 0:
            self.sample_topics: list[str] = table["query_id"][:1000].unique().to_pylist()
        self.row_count += len(table)
        self._has_only_adhoc_iterations &= source.has_adhoc_iterations(table)
        for name in {"relevance", "max_grade"} & set(table.column_names):
            self.max_grade = max(self.max_grade, int(table[name].to_numpy().max(initial=0)))

    def _partition(self, table: pa.Table, source: RowSource, plan: BucketPlan) -> None:
        """Write the rows of a table bucket by bucket; those of topics without a bucket are left out."""
        code, topics = factorize_grouped(as_ids(nw.from_native(table["query_id"], series_only=True), source.role))
        if source.role == "qrels":
            contiguous = bool(np.count_nonzero(np.diff(code)) < len(topics))
            topic_bucket = plan.assign(topics, np.bincount(code, minlength=len(topics)), contiguous)
        else:
            topic_bucket = plan.buckets_of(topics)
        bucket = topic_bucket.take(code)
        if (np.diff(bucket) < 0).any():
            by_bucket = np.argsort(bucket, kind="stable")
            table, bucket = table.take(by_bucket), bucket.take(by_bucket)
        edges = [0, *(np.flatnonzero(np.diff(bucket)) + 1).tolist(), len(bucket)]
        for start, stop in pairwise(edges):
            if stop > start and bucket[start] >= 0:
                batches = table.slice(start, stop - start).to_batches()
                written = [self._file.append(memoryview(batch.serialize())) for batch in batches]
                self._batches_of.setdefault(int(bucket[start]), []).extend(written)

    def load(self, bucket: int) -> pa.Table:
        """Return the rows of a bucket."""
        table = pa.Table.from_batches(map(self._read, self._batches_of.get(bucket, [])), self._schema)
        if self._has_only_adhoc_iterations and "intent_id" in table.column_names:
            return table.drop_columns(["intent_id"])
        return table

    def _read(self, part: slice) -> pa.RecordBatch:
        # Memory that is given back after use, unlike pages of a file that is mapped.
        buffer = pa.allocate_buffer(part.stop - part.start)
        self._file.read_into(part.start, memoryview(buffer))
        return pa.ipc.read_record_batch(buffer, self._schema)
