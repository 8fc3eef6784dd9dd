"""Rows of many topics packed into Arrow tables, which Spark exchanges in place of the rows: its cost is by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pyarrow.parquet as pq

from irdiv.arrays.ranking import Ties
from irdiv.errors import IrdivError
from irdiv.frames.checked import checked_run_columns
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import EncodedIds, Ids, as_encoded_ids, find_positions

PACKED_SCHEMA = "bucket int, table binary"
_PACKED_BYTES, _BUCKET_BYTES = 1 << 24, 1 << 14
"""How many bytes of rows are packed at once: at least so many, and for each bucket so many."""
_BATCH_ROWS = 1 << 16
_INTEGERS = [(pa.int8(), 1 << 7), (pa.int16(), 1 << 15), (pa.int32(), 1 << 31)]
"""Types with the count of their values that are 0 or more."""


class FilePart(NamedTuple):
    """Those row groups of a Parquet file that one task reads: every ``step``-th from the ``first`` on."""

    uri: str
    first: int
    step: int


class TableColumns(NamedTuple):
    """What the columns of a table of qrels or runs hold."""

    role: str
    """The name of the table in errors."""
    query: str
    doc: str
    repeated: Collection[str]
    """Columns of other strings, of which many are equal."""

    @property
    def encoded(self) -> list[str]:
        """The columns that are read as dictionaries."""
        return [self.query, *self.repeated]


def pack(batches: Iterable[pa.RecordBatch], columns: TableColumns, buckets: int) -> Iterator[pa.RecordBatch]:
    """Yield rows by `PACKED_SCHEMA`: tables of rows, each with the bucket to which its topics belong.

    Strings of which many are equal are sent as dictionaries, and integers by as few bytes as they need.
    """
    for table in _concatenate(batches, max(_PACKED_BYTES, _BUCKET_BYTES * buckets)):
        parts = dict(split_by_topic(_compact(table, columns), columns, buckets))
        yield pa.record_batch([pa.array(list(parts), pa.int32()), _streams(parts.values())], ["bucket", "table"])


def keep_topics(batches: Iterable[pa.RecordBatch], topics: Ids, ties: Ties) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a run for some topics, after checking all rows as `irdiv.evaluate` does."""
    for batch in batches:
        query = checked_run_columns(
            nw.from_native(pa.table(batch), eager_only=True), ties=ties, may_be_empty=True
        ).query
        is_kept = find_positions(query.ids, topics) >= 0
        yield batch if is_kept.all() else batch.take(np.flatnonzero(is_kept.take(query.code)))


def unpack(packed: pa.Table) -> pa.Table | None:
    """Return the rows of all packed tables, None if there is none."""
    return _concatenate_tables([pa.ipc.open_stream(table.as_buffer()).read_all() for table in packed["table"]])


def as_table(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return the rows of batches, None if there is none."""
    return _concatenate_tables([pa.table(batch) for batch in batches if len(batch)])


def _concatenate_tables(tables: list[pa.Table]) -> pa.Table | None:
    # Integers are packed by different widths, and may have different widths in files of one folder.
    return pa.concat_tables(tables, promote_options="permissive") if tables else None


def split_by_topic(table: pa.Table, columns: TableColumns, count: int, salt: int = 0) -> Iterator[tuple[int, pa.Table]]:
    """Split a table by a hash of the topic; yield those of ``count`` parts that have rows, with their indices.

    Rows are ordered by topic, and topics are dictionaries, each only of the topics of its part.
    """
    topics = as_encoded_ids(nw.from_native(table[columns.query], series_only=True).alias(columns.query), columns.role)
    part = (hash_ids(topics.ids, salt) % np.uint64(count)).astype(np.int64)
    by_part = np.argsort(part, kind="stable")
    position = np.empty_like(by_part)
    position[by_part] = np.arange(len(by_part))
    rows, topics = _sort_by_code(
        table.drop_columns([columns.query]), EncodedIds(position.take(topics.code), topics.ids.take(by_part))
    )
    first = np.flatnonzero(np.diff(part.take(by_part), prepend=-1))
    first_row = np.searchsorted(topics.code, first)
    edges = zip([*first.tolist(), len(part)], [*first_row.tolist(), len(rows)], strict=True)
    for (topic, row), (next_topic, next_row) in pairwise(edges):
        codes = pa.array(topics.code[row:next_row] - topic, pa.int32())
        ids = pa.DictionaryArray.from_arrays(codes, topics.ids[topic:next_topic])
        yield int(part[by_part[topic]]), rows.slice(row, next_row - row).append_column(columns.query, ids)


def _sort_by_code(rows: pa.Table, topics: EncodedIds) -> tuple[pa.Table, EncodedIds]:
    """Return rows ordered by the code of the topic; those of a topic keep their order."""
    # Integers of 16 bits are sorted in linear time.
    code = topics.code.astype(np.uint16) if len(topics.ids) <= 1 << 16 else topics.code
    order = np.argsort(code, kind="stable")
    return rows.take(order), topics.take(order)


def _compact(table: pa.Table, columns: TableColumns) -> pa.Table:
    """Return a table with dictionaries of repeated strings, and integers of few bytes."""
    for index, name in enumerate(table.column_names):
        values = table[name]
        if pa.types.is_dictionary(values.type):
            values = values.unify_dictionaries()
        elif name in columns.repeated and pa.types.is_string(values.type):
            values = values.dictionary_encode()
        elif pa.types.is_signed_integer(values.type):
            values = values.cast(_smallest_type(values))
        table = table.set_column(index, name, values.combine_chunks())
    return table


def _smallest_type(values: pa.ChunkedArray) -> pa.DataType:
    """Return the type of integers of the fewest bytes that holds all values."""
    found = pc.min_max(values).as_py()
    largest = max(found["max"] or 0, -1 - (found["min"] or 0))
    return next((type_ for type_, count in _INTEGERS if largest < count), values.type)


def read_parts(parts: Iterable[FilePart], names: Mapping[str, str], columns: TableColumns) -> Iterator[pa.RecordBatch]:
    """Yield the rows of parts of files, with columns renamed and ids as strings."""
    return (batch for part in parts for batch in _read_part(part, names, columns))


def _read_part(part: FilePart, names: Mapping[str, str], columns: TableColumns) -> Iterator[pa.RecordBatch]:
    encoded = [theirs for theirs, ours in names.items() if ours in columns.encoded]
    filesystem, path = pyarrow.fs.FileSystem.from_uri(part.uri)
    with filesystem.open_input_file(path) as opened:
        metadata = pq.read_metadata(opened)
        missing = [name for name in names if name not in metadata.schema.to_arrow_schema().names]
        if missing:
            raise IrdivError(
                f"{part.uri} has no column {missing[0]!r}, which other files of its folder have. Add it, or give the "
                "files as session.read.parquet(path).select('*'), where Spark takes it as missing in all rows."
            )
        file = pq.ParquetFile(opened, metadata=metadata, read_dictionary=encoded)
        groups = list(range(part.first, file.num_row_groups, part.step))
        for batch in file.iter_batches(_BATCH_ROWS, groups, list(names)):
            converted = [_convert(batch.column(theirs), ours, columns) for theirs, ours in names.items()]
            yield pa.record_batch(converted, list(names.values()))


def _convert(values: pa.Array, name: str, columns: TableColumns) -> pa.Array:
    """Return ids as strings, those of topics as a dictionary, and only repeated strings as other dictionaries."""
    if name == columns.query:
        encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        return pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(pa.string()))
    if pa.types.is_dictionary(values.type) and not (
        name in columns.repeated and pa.types.is_string(values.type.value_type)
    ):
        values = values.dictionary_decode()
    return values.cast(pa.string()) if name == columns.doc else values


def _concatenate(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """Yield batches together as tables of at least so many bytes; the last may be smaller."""
    waiting: list[pa.RecordBatch] = []
    waiting_bytes = 0
    for batch in batches:
        if len(batch) == 0:
            continue
        waiting.append(batch)
        waiting_bytes += batch.nbytes
        if waiting_bytes >= size:
            yield pa.Table.from_batches(waiting)
            waiting, waiting_bytes = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _streams(tables: Iterable[pa.Table]) -> pa.BinaryArray:
    """Return Arrow streams of tables with their dictionaries, written to one memory."""
    sink = pa.BufferOutputStream()
    edges = [0]
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        edges.append(sink.tell())
    offsets = pa.py_buffer(np.array(edges, dtype=np.int32))
    return pa.Array.from_buffers(pa.binary(), len(edges) - 1, [None, offsets, sink.getvalue()])
