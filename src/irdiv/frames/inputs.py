"""Data in any form that irdiv takes, as frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.errors import IrdivError, examples
from irdiv.frames.backends import QrelsHolder, QrelsObject, backend_of
from irdiv.frames.columns import QRELS_COLUMNS, RUN_COLUMNS
from irdiv.frames.ids import string_array
from irdiv.frames.layouts import JSON_READERS
from irdiv.frames.readers import READERS, reader_of
from irdiv.frames.streams import ArrowDataset, ArrowStream, is_stream, read_stream, reading_errors
from irdiv.frames.values import FIRST_ROUNDED
from irdiv.types import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoFrame

Frame: TypeAlias = nw.DataFrame[Any]

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


def qrels_frame(qrels: QrelsLike, *, callers_library: bool = False) -> Frame:
    """Return qrels in any form as a frame, of whichever library takes the least time.

    With ``callers_library`` it is the library of the qrels, or pandas if they are no frame, such as a file.
    """
    data = unwrap_qrels(qrels)
    frame = as_frame(data, "qrels", QRELS_COLUMNS)
    if callers_library and backend_of(data) is None and frame.implementation.is_pyarrow():
        return nw.from_native(frame.to_pandas(), eager_only=True)
    return frame


def unwrap_qrels(data: object) -> object:
    """Return the qrels that an object holds, and other data as it is."""
    return data.qrels if isinstance(data, QrelsHolder) else data


def run_frame(run: RunLike) -> Frame:
    """Return a run in any form as a frame, of whichever library takes the least time."""
    return as_frame(run, "run", RUN_COLUMNS)


def as_frame(
    data: object,
    role: str,
    fields: Sequence[str],
    read_text: Callable[[PathLike], IntoDataFrame] | None = None,
) -> Frame:
    """Return data in any form that irdiv takes as a frame.

    Parameters
    ----------
    data
        A frame, a stream, a path, a dict of dicts or an iterable of namedtuples.
    role
        What the data is, for errors: ``"qrels"``, ``"run"``, ``"intents"``, ….
    fields
        Names for the two keys and the value of a dict of dicts.
    read_text
        A function that reads text files of this role; by default those of `READERS`.
    """
    if isinstance(data, QrelsObject) and role != "qrels":
        raise IrdivError(
            f"cannot read the {role} from {type(data).__name__!r}, which holds qrels; expected the columns "
            f"{', '.join(fields)}."
        )
    if is_stream(data):
        return nw.from_native(read_stream(data, role), eager_only=True)
    if isinstance(data, str | os.PathLike):
        reader = reader_of(data)
        if reader.open is None and read_text is not None:
            return nw.from_native(read_text(data), eager_only=True)
        with reading_errors(data, role):
            return nw.from_native(reader.read(Path(data), role), eager_only=True)
    if isinstance(data, Mapping):
        return nw.from_native(_from_dicts(data, role, fields), eager_only=True)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    try:
        native = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise IrdivError(f"two columns of the {role} have the same name: {' '.join(str(error).split())}") from None
    if isinstance(native, nw.LazyFrame):
        with reading_errors(data, role):
            return native.collect()
    if isinstance(native, nw.DataFrame):
        return native
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return nw.from_native(_from_namedtuples(data, role, fields), eager_only=True)
    formats = " or ".join(reader.name for reader in reversed(READERS))
    lists = " (for a run, of lists too)" if role == "run" else ""
    raise IrdivError(
        f"cannot read the {role} from {type(data).__name__!r}. Give a pandas, polars or pyarrow frame, an Arrow "
        f"dataset or stream, a DuckDB relation, a dict of dicts{lists}, an iterable of namedtuples, or the path of a "
        f"{formats} file."
    )


def _from_dicts(data: Mapping[object, object], role: str, fields: Sequence[str]) -> pa.Table | pd.DataFrame:
    outer, inner, value = fields
    if role == "run" and data and all(map(is_ranked_list, data.values())):
        return _from_ranked_lists(data, outer, inner)
    rows = [row for row in data.values() if isinstance(row, Mapping)]
    if len(rows) < len(data):
        lists = f" or {{{outer}: [{inner}, …]}}" if role == "run" else ""
        raise IrdivError(
            f"cannot read the {role} from this dict: expected {{{outer}: {{{inner}: {value}}}}}{lists}, found values "
            f"of type {examples(sorted({type(row).__name__ for row in data.values()}))}."
        )
    values = list(chain.from_iterable(row.values() for row in rows))
    types = set(map(type, values))
    array = np.array(values) if types in (set(), {int}, {float}) else np.array([None])
    if array.dtype.kind not in "if" or not set(map(type, chain(data, *rows))) <= {str, int}:
        triples = [
            (outer_id, inner_id, v) for outer_id, row in zip(data, rows, strict=True) for inner_id, v in row.items()
        ]
        return _from_rows(triples, fields)
    row_index = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    outer_ids, inner_ids = string_array(list(data)).take(row_index), string_array(list(chain.from_iterable(rows)))
    return pa.table({outer: outer_ids, inner: inner_ids, value: array})


def is_ranked_list(value: object) -> bool:
    """Return whether a value is a list of ids: of strings and integers only, and not a list of namedtuples."""
    return isinstance(value, list | tuple | np.ndarray) and all(
        issubclass(type_, str | int | np.integer) and type_ is not bool for type_ in set(map(type, value))
    )


def _from_ranked_lists(data: Mapping[object, Any], outer: str, inner: str) -> pa.Table:
    lengths = [len(row) for row in data.values()]
    row_index = np.repeat(np.arange(len(lengths)), lengths)
    return pa.table(
        {
            outer: string_array(list(data)).take(row_index),
            inner: string_array(list(chain.from_iterable(data.values()))),
            "rank": np.concatenate([np.arange(1, length + 1) for length in lengths]),
        }
    )


def _remedy_for_items(item: object, role: str) -> str:
    """Return what to do about an iterable of items that are not namedtuples."""
    several = "Several runs go in a mapping from name to run"
    if isinstance(item, Mapping) and role in JSON_READERS and not any(map(backend_of, item.values())):
        return f"irdiv.rag.{JSON_READERS[role]} reads records of JSON, and pandas.DataFrame(records) makes a frame."
    if isinstance(item, str | os.PathLike):
        return f"{several}, or to the path of its file; irdiv.rag.read_contexts reads several JSON files."
    return f"{several}; ir_measures itself takes pandas frames only."


def _from_namedtuples(data: Iterable[object], role: str, fields: Sequence[str]) -> pd.DataFrame:
    rows = list(data)
    if not rows:
        return pd.DataFrame(columns=list(fields))
    unknown = next((row for row in rows if not hasattr(row, "_fields")), None)
    if unknown is not None:
        raise IrdivError(
            f"cannot read the {role} from an iterable of {type(unknown).__name__!r}: expected namedtuples "
            f"such as ir_measures.Qrel or ir_measures.ScoredDoc, with the fields {', '.join(fields)}. "
            f"{_remedy_for_items(unknown, role)}"
        )
    return _from_rows(rows, getattr(rows[0], "_fields", ()))


def _from_rows(rows: list[Any], names: Sequence[str]) -> pd.DataFrame:
    """Return a frame, of Python's objects if pandas would round integers that are among floats."""
    with suppress(OverflowError):  # pandas 2.2, of integers that exceed all floats
        frame = pd.DataFrame(rows, columns=list(names))
        if not (frame.select_dtypes("float").abs() >= FIRST_ROUNDED).any(axis=None):
            return frame
    return pd.DataFrame(rows, columns=list(names), dtype=object)
