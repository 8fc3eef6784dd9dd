"""Data that comes in batches and need not be in memory as a whole: Parquet, DuckDB, Arrow datasets and streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard

import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.frames.readers import reader_of
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset, Scanner


class ArrowStream(Protocol):
    """An Arrow stream, or an object that exports one, such as a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule of the stream."""


class ArrowDataset(Protocol):
    """An Arrow dataset, or a scanner of one."""

    def to_batches(self) -> Iterable[object]:
        """Return the batches of rows."""

    def to_table(self) -> object:
        """Return all rows."""


class Relation(ArrowStream, Protocol):
    """A DuckDB relation."""

    columns: list[str]

    def aggregate(self, expression: str) -> Relation:
        """Return a relation of aggregates."""

    def fetchall(self) -> list[tuple[int, ...]]:
        """Return all rows."""


Streamable: TypeAlias = PathLike | ArrowStream | ArrowDataset


def is_stream(data: object) -> TypeGuard[Streamable]:
    """Return whether data comes in batches that need not all be in memory."""
    if isinstance(data, str | os.PathLike):
        return reader_of(data).open is not None
    return _is_dataset(data) or _is_relation(data) or isinstance(data, pa.RecordBatchReader)


def _is_dataset(data: object) -> bool:
    return type(data).__module__ == "pyarrow._dataset" and hasattr(data, "to_batches")


def _is_relation(data: object) -> TypeGuard[Relation]:
    return type(data).__name__ == "DuckDBPyRelation"


@contextmanager
def reading_errors(data: object, role: str) -> Iterator[None]:
    """Turn errors of other packages while data is read into errors of irdiv."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.split(".")[0] not in _PACKAGES:
            raise
        name = repr(os.fspath(data)) if isinstance(data, str | os.PathLike) else type(data).__name__
        message = str(error).strip().split("\n")[0]
        raise IrdivError(f"cannot read the {role} from {name}: {message or type(error).__name__}") from error


_PACKAGES = ("pyarrow", "duckdb", "_duckdb", "polars", "narwhals")


def read_stream(data: Streamable, role: str) -> pa.Table:
    """Return all rows of a stream."""
    with reading_errors(data, role):
        stream = _open(data, role)
        return stream.read_all() if isinstance(stream, pa.RecordBatchReader) else stream.to_table()


def is_in_files(data: object) -> bool:
    """Return whether data is in files, whose rows are in the same order whenever they are read."""
    return isinstance(data, str | os.PathLike) or type(data).__name__ == "FileSystemDataset"


def stream_batches(
    data: Streamable, role: str, columns: list[str], encoded: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a stream with some of its columns; some of these may be encoded as dictionaries."""
    with reading_errors(data, role):
        stream = _open(data, role, encoded)
        if hasattr(stream, "scanner"):
            stream = stream.scanner(columns=columns, batch_readahead=4, fragment_readahead=1)
        batches = stream if isinstance(stream, pa.RecordBatchReader) else stream.to_batches()
    while True:
        with reading_errors(data, role):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch.select(columns)


def stream_columns(data: Streamable, role: str) -> list[str]:
    """Return the names of the columns of a stream."""
    with reading_errors(data, role):
        if _is_relation(data):
            return list(data.columns)
        stream = _open(data, role)
        return list((stream.projected_schema if hasattr(stream, "projected_schema") else stream.schema).names)


def stream_row_count(data: Streamable, role: str) -> int | None:
    """Return the count of rows of a stream, or None where it is not known before the stream is read."""
    with reading_errors(data, role):
        if _is_relation(data):
            return int(data.aggregate("count(*)").fetchall()[0][0])
        stream = _open(data, role)
        return None if isinstance(stream, pa.RecordBatchReader) else int(stream.count_rows())


def _open(data: Streamable, role: str, encoded: Sequence[str] = ()) -> Dataset | Scanner | pa.RecordBatchReader:
    """Return a stream as a dataset, a scanner of one, or a reader of batches."""
    if isinstance(data, str | os.PathLike):
        open_file = reader_of(data).open
        assert open_file is not None
        return open_file(Path(data), role, encoded)
    return pa.RecordBatchReader.from_stream(data) if _is_relation(data) else data
