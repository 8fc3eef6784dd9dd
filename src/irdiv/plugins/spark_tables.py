"""Rows of many topics packed into Arrow tables, which Spark exchanges in place of the rows: its cost is by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from irdiv.errors import IrdivError
from irdiv.frames.hashes import hash_ids

PACKED_SCHEMA = "bucket int, table binary"
_PACKED_BYTES, _BUCKET_BYTES = 1 << 24, 1 << 14
"""How many bytes of rows are packed at once: at least so many, and for each bucket so many."""
_BATCH_ROWS = 1 << 16


class FilePart(NamedTuple):
    """Those row groups of a Parquet file that one task reads: every ``step``-th from the ``first`` on."""

    uri: str
    first: int
    step: int


def pack(batches: Iterable[pa.RecordBatch], query: str, buckets: int) -> Iterator[pa.RecordBatch]:
    """Yield rows by `PACKED_SCHEMA`: tables of rows, each with the bucket to which its topics belong."""
    for table in _concatenate(batches, max(_PACKED_BYTES, _BUCKET_BYTES * buckets)):
        parts = dict(split_by_topic(table, query, buckets))
        packed = [b"".join(map(memoryview, _stream(part))) for part in parts.values()]
        yield pa.record_batch([pa.array(list(parts), pa.int32()), pa.array(packed, pa.binary())], ["bucket", "table"])


def unpack(packed: pa.Table) -> pa.Table | None:
    """Return the rows of all packed tables, None if there is none."""
    tables = [pa.ipc.open_stream(table.as_buffer()).read_all() for table in packed["table"]]
    # Parquet files of one folder may have integers of different widths.
    return pa.concat_tables(tables, promote_options="permissive") if tables else None


def split_by_topic(table: pa.Table, query: str, count: int, salt: int = 0) -> Iterator[tuple[int, pa.Table]]:
    """Split a table by a hash of the topic; yield those of ``count`` parts that have rows, with their indices."""
    if count == 1:
        yield 0, table
        return
    # A missing id is an error where the rows are scored.
    ids = table[query].combine_chunks().fill_null("")
    part = (hash_ids(ids, salt) % np.uint64(count)).astype(np.int64)
    # Integers of 16 bits are sorted in linear time.
    order = np.argsort(part.astype(np.uint16) if count <= 1 << 16 else part, kind="stable")
    table, part = table.take(order), part.take(order)
    start = np.flatnonzero(np.diff(part, prepend=-1))
    for begin, end in pairwise([*start.tolist(), len(part)]):
        yield int(part[begin]), table.slice(begin, end - begin)


def read_parts(
    indices: Iterable[pa.RecordBatch], parts: Sequence[FilePart], names: Mapping[str, str], ids: Collection[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of those parts of files whose indices are given, with columns renamed and ids as strings."""
    for index in (i for batch in indices for i in batch.column(0).to_pylist()):
        part = parts[index]
        filesystem, path = pyarrow.fs.FileSystem.from_uri(part.uri)
        with filesystem.open_input_file(path) as opened:
            file = pq.ParquetFile(opened)
            missing = [name for name in names if name not in file.schema_arrow.names]
            if missing:
                raise IrdivError(f"{part.uri} has no column {missing[0]!r}, which other files of its folder have.")
            groups = list(range(part.first, file.num_row_groups, part.step))
            for batch in file.iter_batches(_BATCH_ROWS, groups, list(names)):
                columns = [_plain(batch.column(theirs), ours in ids) for theirs, ours in names.items()]
                yield pa.record_batch(columns, list(names.values()))


def _plain(values: pa.Array, is_id: bool) -> pa.Array:
    """Return a column without a dictionary, and as strings if it is of ids."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values.cast(pa.string()) if is_id else values


def _concatenate(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """Yield batches together as tables of at least so many bytes; the last may be smaller."""
    waiting: list[pa.RecordBatch] = []
    waiting_bytes = 0
    for batch in batches:
        waiting.append(batch)
        waiting_bytes += batch.nbytes
        if waiting_bytes >= size:
            yield pa.Table.from_batches(waiting)
            waiting, waiting_bytes = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _stream(table: pa.Table) -> Iterator[pa.Buffer]:
    """Yield the messages of an Arrow stream with a table."""
    yield table.schema.serialize()
    for batch in table.to_batches():
        yield batch.serialize()
