"""Data that comes in batches and need not be in memory as a whole: Parquet, DuckDB, Arrow datasets and streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset, Scanner

PARQUET_SUFFIXES = (".parquet", ".pq")
_PACKAGES = ("pyarrow", "duckdb", "_duckdb", "polars", "narwhals")


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


Streamable: TypeAlias = PathLike | ArrowStream | ArrowDataset


def is_parquet(path: PathLike) -> bool:
    """Return whether a path is that of a Parquet file, or of a folder with such files."""
    path = Path(path)
    try:
        if path.is_dir():
            return bool(_parquet_files(path))
        if path.suffix.lower() in PARQUET_SUFFIXES or not path.is_file():
            return path.suffix.lower() in PARQUET_SUFFIXES
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def _parquet_files(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() in PARQUET_SUFFIXES and path.name[0] not in "._")
    return sorted(map(str, files))


def is_stream(data: object) -> TypeGuard[Streamable]:
    """Return whether data comes in batches that need not all be in memory."""
    if isinstance(data, str | os.PathLike):
        return is_parquet(data)
    is_dataset = type(data).__module__ == "pyarrow._dataset" and hasattr(data, "to_batches")
    return is_dataset or _is_relation(data) or isinstance(data, pa.RecordBatchReader)


def _is_relation(data: object) -> TypeGuard[Any]:
    return type(data).__name__ == "DuckDBPyRelation"


def is_in_files(data: object) -> bool:
    """Return whether data is in files, whose rows are in the same order whenever they are read."""
    return isinstance(data, str | os.PathLike) or type(data).__name__ == "FileSystemDataset"


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


def read_stream(data: Streamable, role: str) -> pa.Table:
    """Return all rows of a stream."""
    with reading_errors(data, role):
        stream = _open(data, role)
        return stream.read_all() if isinstance(stream, pa.RecordBatchReader) else stream.to_table()


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


def rename_stream(data: Streamable, role: str, new_names: Mapping[str, str]) -> Scanner | pa.RecordBatchReader:
    """Return a stream with other names of some columns."""
    from pyarrow import dataset

    names = {new_names.get(name, name): dataset.field(name) for name in stream_columns(data, role)}
    stream = _open(data, role)
    if hasattr(stream, "scanner"):
        return stream.scanner(columns=names)
    batches = stream if isinstance(stream, pa.RecordBatchReader) else stream.to_reader()
    schema = pa.schema([field.with_name(name) for name, field in zip(names, batches.schema, strict=True)])
    return pa.RecordBatchReader.from_batches(schema, (batch.rename_columns(list(names)) for batch in batches))


def _open(data: Streamable, role: str, encoded: Sequence[str] = ()) -> Dataset | Scanner | pa.RecordBatchReader:
    """Return a stream as a dataset, a scanner of one, or a reader of batches.

    Of a single Parquet file, the strings of columns that are named as encoded are read as dictionaries.
    """
    from pyarrow import dataset

    if not isinstance(data, str | os.PathLike):
        return pa.RecordBatchReader.from_stream(data) if _is_relation(data) else data
    path = Path(data)
    if path.is_dir():
        # Values may be in the names of folders, and other files beside those of Parquet.
        options = {"format": "parquet", "partitioning": "hive", "partition_base_dir": str(path)}
        files = _parquet_files(path)
        return dataset.dataset(files, schema=_common_schema(dataset.dataset(files, **options)), **options)
    if not path.exists():
        raise IrdivError(f"no such {role} file: {str(path)!r}")
    file = dataset.dataset(str(path), format="parquet")
    strings = [name for name in encoded if file.schema.field(name).type in (pa.string(), pa.large_string())]
    if not strings:
        return file
    return dataset.dataset(str(path), format=dataset.ParquetFileFormat(dictionary_columns=strings))


def _common_schema(files: Dataset) -> pa.Schema:
    """Return a schema that fits all files of a dataset, where Arrow would take the schema of the first."""
    schemas = [*(fragment.physical_schema for fragment in files.get_fragments()), files.schema]
    types: dict[str, pa.DataType] = {}
    for field in (field for schema in schemas for field in schema):
        both = [pa.schema({"": types.get(field.name, field.type)}), pa.schema({"": field.type})]
        try:
            types[field.name] = pa.unify_schemas(both, promote_options="permissive").types[0]
        except pa.ArrowTypeError:
            types[field.name] = pa.string()  # ids are numbers in one file and names in another
    return pa.schema(types)
