"""Data in any form that irdiv takes as a table, and results as frames of the caller's library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, overload

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.errors import IrdivError, examples, near_names
from irdiv.io.columns import ALIASES, QRELS_COLUMNS, RUN_COLUMNS
from irdiv.io.ids import FIRST_ROUNDED
from irdiv.io.streams import (
    ArrowDataset,
    ArrowStream,
    is_stream,
    read_stream,
    reading_errors,
    rename_stream,
    stream_columns,
)
from irdiv.io.trec import DQRELS, JSON_READERS, TREC_QRELS, TREC_RUN, is_dqrels, read_table
from irdiv.types import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoFrame

P = ParamSpec("P")
FrameT = TypeVar("FrameT", bound="IntoDataFrame")
FrameT_co = TypeVar("FrameT_co", bound="IntoDataFrame", covariant=True)
Frame: TypeAlias = nw.DataFrame[Any]
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
"""A frame library, by the name of its package."""


class FrameHolder(Generic[FrameT_co]):
    """An object whose frames are all of one library."""

    backend: Backend


class QrelsObject:
    """An object that is accepted in place of qrels, but not of a run."""


class QrelsHolder(QrelsObject):
    """An object with qrels, which is accepted in place of the qrels."""

    qrels: object
    """Qrels in any form."""


NestedDict: TypeAlias = Mapping[Any, Mapping[Any, float]]
"""``{query_id: {doc_id: grade or score}}``."""
FrameLike: TypeAlias = "IntoFrame | ArrowStream | ArrowDataset | Iterable[tuple[object, ...]] | PathLike"
"""A pandas, polars or Arrow frame, a DuckDB relation, an iterable of namedtuples, or the path of a file."""
QrelsLike: TypeAlias = "FrameLike | NestedDict | QrelsHolder"
"""A frame, a dict of dicts, an iterable of namedtuples, the path of a file, or an object that holds qrels."""
RankedLists: TypeAlias = Mapping[Any, Sequence[Any]]
"""``{query_id: [doc_id, …]}``, the best document first."""
RunLike: TypeAlias = "FrameLike | NestedDict | RankedLists"
"""A frame, a dict of dicts or of lists, an iterable of namedtuples, or the path of a file."""
IntentsLike: TypeAlias = "FrameLike"
"""A frame, an iterable of namedtuples, or the path of a CSV, TSV or Parquet file."""


def qrels_frame(qrels: QrelsLike) -> Frame:
    """Return qrels in any form as a frame of their own library, or of pandas if they are no frame, such as a file."""
    data = unwrap_qrels(qrels)
    frame = as_frame(data, "qrels", QRELS_COLUMNS)
    if backend_of(data) is None and frame.implementation.is_pyarrow():
        return nw.from_native(frame.to_pandas(), eager_only=True)
    return frame


def unwrap_qrels(data: object) -> object:
    """Return the qrels that an object holds, and other data as it is."""
    return data.qrels if isinstance(data, QrelsHolder) else data


def as_frame(
    data: object,
    role: str,
    fields: Sequence[str],
    read_text: Callable[[PathLike], IntoDataFrame] | None = None,
) -> Frame:
    """Return data in any form that irdiv takes as a frame, of whichever library takes the least time.

    Parameters
    ----------
    data
        A frame, a stream, a path, a dict of dicts or an iterable of namedtuples.
    role
        What the data is, for errors: ``"qrels"``, ``"run"``, ``"intents"``, ….
    fields
        Names for the two keys and the value of a dict of dicts.
    read_text
        A function that reads text files of this role; by default they are read as TREC files, or as Dqrels.
    """
    if isinstance(data, QrelsObject) and role != "qrels":
        raise IrdivError(
            f"cannot read the {role} from {type(data).__name__!r}, which holds qrels; expected the columns "
            f"{', '.join(fields)}."
        )
    native: Any = data
    with reading_errors(data, role):
        if is_stream(data):
            native = read_stream(data, role)
        elif isinstance(data, str | os.PathLike):
            native = _read_text_file(data, role) if read_text is None else read_text(data)
        elif isinstance(data, Mapping):
            native = _from_dicts(data, role, fields)
        elif isinstance(data, pa.RecordBatch):
            native = pa.Table.from_batches([data])
        frame = _wrap(native, role)
        if isinstance(frame, nw.LazyFrame):
            return frame.collect()
    if isinstance(frame, nw.DataFrame):
        return frame
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return nw.from_native(_from_namedtuples(data, role, fields), eager_only=True)
    lists = " (for a run, of lists too)" if role == "run" else ""
    raise IrdivError(
        f"cannot read the {role} from {type(data).__name__!r}. Give a pandas, polars or pyarrow frame, an Arrow "
        f"dataset or stream, a DuckDB relation, a dict of dicts{lists}, an iterable of namedtuples, or the path of a "
        "TREC, NTCIREVAL or Parquet file."
    )


def _wrap(native: Any, role: str) -> object:
    try:
        return nw.from_native(native, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise IrdivError(f"two columns of the {role} have the same name: {' '.join(str(error).split())}") from None


def _read_text_file(path: PathLike, role: str) -> pa.Table:
    if role == "run":
        return read_table(path, TREC_RUN)
    return read_table(path, DQRELS if role == "qrels" and is_dqrels(path) else TREC_QRELS)


def _from_dicts(data: Mapping[object, object], role: str, fields: Sequence[str]) -> pd.DataFrame:
    rows: list[Any] = list(data.values())
    are_lists = role == "run" and bool(data) and all(map(is_ranked_list, rows))
    outer, inner, value = (*fields[:2], "rank") if are_lists else fields
    if not are_lists and not all(isinstance(row, Mapping) for row in rows):
        lists = f" or {{{outer}: [{inner}, …]}}" if role == "run" else ""
        raise IrdivError(
            f"cannot read the {role} from this dict: expected {{{outer}: {{{inner}: {value}}}}}{lists}, found values "
            f"of type {examples(sorted({type(row).__name__ for row in rows}))}."
        )
    values = (range(1, len(row) + 1) if are_lists else row.values() for row in rows)
    outer_ids = [key for key, row in zip(data, rows, strict=True) for _ in range(len(row))]
    columns = (outer_ids, list(chain.from_iterable(rows)), list(chain.from_iterable(values)))
    return _from_columns(dict(zip((outer, inner, value), columns, strict=True)))


def is_ranked_list(value: object) -> bool:
    """Return whether a value is a list of ids: of strings and integers only, and not a list of namedtuples."""
    return isinstance(value, list | tuple | np.ndarray) and all(
        issubclass(type_, str | int | np.integer) and type_ is not bool for type_ in set(map(type, value))
    )


def _from_namedtuples(data: Iterable[object], role: str, fields: Sequence[str]) -> pd.DataFrame:
    rows: list[Any] = list(data)
    if not rows:
        return pd.DataFrame(columns=list(fields))
    unknown = next((row for row in rows if not hasattr(row, "_fields")), None)
    if unknown is not None:
        remedy = "Several runs go in a mapping from name to run; ir_measures itself takes pandas frames only."
        if isinstance(unknown, str | os.PathLike):
            remedy = "Several runs go in a mapping from name to run or path; irdiv.rag.read_contexts reads JSON files."
        elif isinstance(unknown, Mapping) and role in JSON_READERS and not any(map(backend_of, unknown.values())):
            reader = JSON_READERS[role]
            remedy = f"irdiv.rag.{reader} reads records of JSON, and pandas.DataFrame(records) makes a frame."
        raise IrdivError(
            f"cannot read the {role} from an iterable of {type(unknown).__name__!r}: expected namedtuples such as "
            f"ir_measures.Qrel or ir_measures.ScoredDoc, with the fields {', '.join(fields)}. {remedy}"
        )
    return _from_columns(dict(zip(rows[0]._fields, map(list, zip(*rows, strict=True)), strict=True)))


def _from_columns(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Return a frame, of Python's objects if pandas would round integers that are among floats."""
    # Integers that exceed all floats are an error of pandas 2.2, and half characters one of newer ones.
    with suppress(OverflowError, UnicodeEncodeError):
        frame = pd.DataFrame(columns)
        if not (frame.select_dtypes("float").abs() >= FIRST_ROUNDED).any(axis=None):
            return frame
    return pd.DataFrame(columns, dtype=object)


def rename_columns(columns: Mapping[str, str] | None, *data: tuple[Any, str]) -> list[Any]:
    """Return data with irdiv's names of columns in place of the user's; ``data`` are pairs of data and its role.

    Text files, dicts and compiled collections have irdiv's names. A name that no data has is an error.
    """
    if not columns:
        return [one for one, _ in data]
    for ours in columns.values():
        if ours not in ALIASES:
            raise IrdivError(
                f"columns={dict(columns)!r}: irdiv has no column {ours!r}; {near_names(ours, list(ALIASES))}"
            )
    renamed, seen = [], list[str]()
    for given, role in data:
        one = unwrap_qrels(given)
        if is_stream(one):
            present = stream_columns(one, role)
        elif isinstance(one, str | os.PathLike | Mapping | QrelsObject):
            present = []
        else:
            one = as_frame(one, role, QRELS_COLUMNS if role == "qrels" else RUN_COLUMNS)
            present = one.columns
        new_names = {theirs: ours for theirs, ours in columns.items() if theirs in present}
        twice = [ours for theirs, ours in new_names.items() if ours != theirs and ours in present]
        if twice or len(set(new_names.values())) < len(new_names):
            raise IrdivError(
                f"columns={dict(columns)!r} would give the {role} two columns {(twice or [*new_names.values()])[0]!r}; "
                f"found {examples(present, 12)}."
            )
        seen += present
        if isinstance(one, nw.DataFrame):
            one = one.rename(new_names).to_native()
        renamed.append(rename_stream(one, role, new_names) if new_names and is_stream(one) else one)
    missing = [theirs for theirs in columns if theirs not in seen]
    if missing:
        raise IrdivError(
            f"columns={dict(columns)!r} names {examples(missing)}, which no frame has; found "
            f"{examples(dict.fromkeys(seen), 12) or 'no frames'}."
        )
    return renamed


def backend_of(data: object) -> Backend | None:
    """Return the library of a frame, or of the frames that an object holds; None for anything else, such as a path.

    Arrow datasets and streams and DuckDB relations belong to pyarrow.
    """
    if isinstance(data, pd.DataFrame):
        return "pandas"
    if isinstance(data, FrameHolder):
        return data.backend
    if isinstance(data, QrelsHolder):
        return backend_of(data.qrels)
    if isinstance(data, str | os.PathLike):
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


def common_backend(*data: object) -> Backend:
    """Return the library of the first frame among some data, or pandas if none is a frame."""
    return next((backend for backend in map(backend_of, data) if backend is not None), "pandas")


def callers_backend(data: object) -> Backend:
    """Return the library of a frame, or of the first frame that a mapping holds, or pandas if there is none."""
    values = data.values() if isinstance(data, Mapping) else [data]
    return common_backend(*(value for value in values if not isinstance(value, Mapping)))


def to_backend(table: pa.Table, backend: Backend) -> Any:
    """Return an Arrow table as a frame of a library."""
    if backend == "pyarrow":
        return table
    if backend == "polars":
        import polars

        return polars.from_arrow(table)
    return table.to_pandas()


def from_pandas(frame: pd.DataFrame, backend: Backend) -> Any:
    """Return a pandas frame as one of a library; an index other than a RangeIndex becomes columns."""
    if backend == "pandas":
        return frame
    indexed = not isinstance(frame.index, pd.RangeIndex)
    return to_backend(pa.Table.from_pandas(frame.reset_index() if indexed else frame, preserve_index=False), backend)


class ReturnsCallersFrame(Protocol[P]):
    """A function that returns a frame of the library of its first argument, or of pandas if that is no frame.

    If the first argument is a mapping, it is the library of the first frame in it.
    """

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        data: FrameHolder[FrameT] | Mapping[str, FrameHolder[FrameT]] | FrameT | Mapping[str, FrameT],
        /,
        *args: P.args,
        **options: P.kwargs,
    ) -> FrameT: ...
    @overload
    def __call__(self, data: object, /, *args: P.args, **options: P.kwargs) -> pd.DataFrame: ...


def returns_callers_frame(function: Callable[Concatenate[Any, P], pd.DataFrame]) -> ReturnsCallersFrame[P]:
    """Decorate a function that returns pandas frames to return frames of the library of its first argument."""
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def converted(*args: Any, **options: Any) -> Any:
        data = args[0] if args else options.get(first)
        return from_pandas(function(*args, **options), callers_backend(data))

    return converted
