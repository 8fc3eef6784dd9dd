"""Where frames come from and go to: Parquet, DuckDB, Arrow streams, and the caller's own kind of frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeAlias

import narwhals as nw
import pandas as pd
import pyarrow as pa

from irdiv.errors import IrdivError

P = ParamSpec("P")

Kind: TypeAlias = Literal["pandas", "polars", "pyarrow"]
"""A kind of frame, by the name of its package."""


def is_stream(data: Any) -> bool:
    """Tell whether data comes in batches that need not all be in memory."""
    return is_parquet(data) or _is_dataset(data) or _is_relation(data) or isinstance(data, pa.RecordBatchReader)


def is_parquet(data: Any) -> bool:
    """Tell whether data is the path of a Parquet file, or of a folder of such."""
    if not isinstance(data, str | os.PathLike):
        return False
    path = Path(data)
    try:
        return bool(_parquet_files(path)) if path.is_dir() else path.suffix.lower() in _ENDINGS or _has_magic(path)
    except OSError:
        return False


_ENDINGS = (".parquet", ".pq")


def _parquet_files(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.suffix.lower() in _ENDINGS and path.name[0] not in "._")
    return sorted(map(str, found))


def _has_magic(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _is_dataset(data: Any) -> bool:
    return type(data).__module__ == "pyarrow._dataset" and hasattr(data, "to_batches")


def _is_relation(data: Any) -> bool:
    return type(data).__name__ == "DuckDBPyRelation"


@contextmanager
def reading(data: Any, kind: str) -> Iterator[None]:
    """Let errors of other packages while data is read be ours."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.split(".")[0] not in _READERS:
            raise
        name = repr(os.fspath(data)) if isinstance(data, str | os.PathLike) else type(data).__name__
        told = str(error).strip().split("\n")[0]
        raise IrdivError(f"cannot read the {kind} from {name}: {told or type(error).__name__}") from error


_READERS = ("pyarrow", "duckdb", "_duckdb", "polars", "narwhals")


def table(data: Any, kind: str) -> pa.Table:
    """Return all of a stream."""
    with reading(data, kind):
        stream = _opened(data, kind)
        return stream.read_all() if isinstance(stream, pa.RecordBatchReader) else stream.to_table()


def batches(data: Any, kind: str, columns: list[str]) -> Iterator[Any]:
    """Yield the batches of a stream, some of its columns."""
    with reading(data, kind):
        stream = _opened(data, kind)
        if hasattr(stream, "scanner"):
            stream = stream.scanner(columns=columns, batch_readahead=4, fragment_readahead=1)
        stream = stream if isinstance(stream, pa.RecordBatchReader) else stream.to_batches()
    while True:
        with reading(data, kind):
            batch = next(stream, None)
        if batch is None:
            return
        yield batch.select(columns)


def columns(data: Any, kind: str) -> list[str]:
    """Return the names of a stream's columns."""
    with reading(data, kind):
        if _is_relation(data):
            return list(data.columns)
        stream = _opened(data, kind)
        return list((stream.projected_schema if hasattr(stream, "projected_schema") else stream.schema).names)


def rows(data: Any, kind: str) -> int | None:
    """Return how many rows a stream has, if that is known before it is read."""
    with reading(data, kind):
        if _is_relation(data):
            return int(data.aggregate("count(*)").fetchall()[0][0])
        stream = _opened(data, kind)
        return None if isinstance(stream, pa.RecordBatchReader) else int(stream.count_rows())


def _opened(data: Any, kind: str) -> Any:
    """Return a stream as a dataset, a scanner of one, or a reader of batches."""
    if not is_parquet(data):
        return pa.RecordBatchReader.from_stream(data) if _is_relation(data) else data
    from pyarrow import dataset

    path = Path(data)
    if path.is_dir():
        # Values may stand in the names of folders, and other files beside Parquet.
        folder = {"format": "parquet", "partitioning": "hive", "partition_base_dir": str(path)}
        files = _parquet_files(path)
        return dataset.dataset(files, schema=_common_schema(dataset.dataset(files, **folder)), **folder)
    if not path.exists():
        raise IrdivError(f"no such {kind} file: {os.fspath(data)!r}")
    return dataset.dataset(str(path), format="parquet")


def _common_schema(found: Any) -> pa.Schema:
    """Return a schema that all files of a dataset fit, where Arrow would take that of the first."""
    kinds: dict[str, Any] = {}
    for schema in (*(fragment.physical_schema for fragment in found.get_fragments()), found.schema):
        for name, kind in zip(schema.names, schema.types, strict=True):
            kinds[name] = _common_type(kinds.get(name, kind), kind)
    return pa.schema(kinds)


def _common_type(one: Any, two: Any) -> Any:
    fields = (pa.schema({"": kind}) for kind in (one, two))
    try:
        return one if one == two else pa.unify_schemas(list(fields), promote_options="permissive").types[0]
    except pa.ArrowTypeError:
        return pa.string()  # ids are numbers in one file and names in another


class Framed:
    """What answers with frames of one kind."""

    kind: Kind


def kind_of(data: Any) -> Kind | None:
    """Return the kind of frame that data is; None for what is no frame, and Arrow for a stream of it."""
    if isinstance(data, Framed):
        return data.kind
    if isinstance(data, pd.DataFrame):
        return "pandas"
    if is_parquet(data):
        return None
    if is_stream(data):
        return "pyarrow"
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return None
    implementation = frame.implementation
    return "polars" if implementation.is_polars() else "pyarrow" if implementation.is_pyarrow() else "pandas"


def in_kind(made: pa.Table, kind: Kind) -> Any:
    """Return an Arrow table as the kind of frame."""
    if kind == "pyarrow":
        return made
    if kind == "polars":
        import polars

        return polars.from_arrow(made)
    return made.to_pandas()


def answers_in_kind(function: Callable[P, pd.DataFrame]) -> Callable[P, Any]:
    """Let a function that makes pandas frames answer with the kind of frame that its first argument is."""
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def answer(*arguments: P.args, **options: P.kwargs) -> Any:
        given = arguments[0] if arguments else options.get(first)
        frame = function(*arguments, **options)
        kind = kind_of(given) or "pandas"
        if kind == "pandas":
            return frame
        indexed = not isinstance(frame.index, pd.RangeIndex)
        return in_kind(pa.Table.from_pandas(frame.reset_index() if indexed else frame, preserve_index=False), kind)

    return answer
