"""Ids as strings in Arrow's memory, which pandas, polars and Arrow frames share without a copy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar, cast

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.errors import IrdivError, short, warn
from irdiv.types import Ints, Objects

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ids: TypeAlias = pa.LargeStringArray
"""Ids without nulls."""

Column: TypeAlias = "nw.Series[Any]"

T = TypeVar("T", bound="Ids | NDArray[np.generic]")

FIRST_ROUNDED = 2**53
"""Floats hold all integers up to here."""
_STRING = pa.large_string()


@dataclass(frozen=True)
class EncodedIds:
    """Ids of rows of which many are equal."""

    code: Ints
    """The index of each row's id."""
    ids: Ids
    """Distinct ids."""

    def __len__(self) -> int:
        return len(self.code)

    def take(self, rows: Ints) -> EncodedIds:
        """Return the ids of some rows."""
        return EncodedIds(self.code.take(rows), self.ids)

    def decode(self) -> Ids:
        """Return the id of each row."""
        return self.ids.take(self.code)


def as_ids(column: Column, role: str) -> Ids:
    """Return a column of strings or numbers as ids; ``role`` names the frame in errors."""
    ids = _without_nulls(column, role)
    _warn_about_outer_spaces(ids, column.name, role)
    return ids


def as_encoded_ids(column: Column, role: str) -> EncodedIds:
    """Return a column of strings or numbers as encoded ids; an Arrow column with a dictionary keeps its codes."""
    native = column.to_native()
    is_encoded = is_dictionary_of_ids(native)
    ids = native.unify_dictionaries().combine_chunks() if is_encoded else _without_nulls(column, role)
    encoded = EncodedIds(*factorize_grouped(ids))
    _warn_about_outer_spaces(encoded.ids, column.name, role)
    return encoded


def _without_nulls(column: Column, role: str) -> Ids:
    ids = as_strings(column, role)
    if ids.null_count:
        row = pc.index(ids.is_null(), True).as_py()
        raise IrdivError(
            f"column {column.name!r} of the {role} has a missing id: it is null in row {row}. "
            "Every row needs an id there; drop the rows without one."
        )
    return ids


def _warn_about_outer_spaces(ids: Ids, column: str, role: str) -> None:
    """Warn if some ids start or end with a space, and others do not."""
    _, _, text = ids.buffers()
    if text is None or b" " not in memoryview(text).tobytes():
        return
    spaced = pc.or_(pc.starts_with(ids, " "), pc.ends_with(ids, " "))
    if 0 < pc.sum(spaced).as_py() < pc.sum(pc.greater(pc.binary_length(ids), 0)).as_py():
        shown = short(ids[pc.index(spaced, True).as_py()].as_py())
        warn(
            f"column {column!r} of the {role} has some ids with spaces around them, such as {shown}; with and without "
            "spaces they are different ids, so strip them unless that is meant."
        )


def is_dictionary_of_ids(native: object) -> TypeGuard[pa.ChunkedArray]:
    """Return whether a column is one of Arrow that encodes strings, none of them missing."""
    return (
        isinstance(native, pa.ChunkedArray)
        and pa.types.is_dictionary(native.type)
        and native.type.value_type in (pa.string(), _STRING)
        and native.num_chunks > 0  # pyarrow 18 cannot combine none
        and native.null_count == 0
        and all(chunk.dictionary.null_count == 0 for chunk in native.chunks)
    )


def as_strings(column: Column, role: str | None = None) -> pa.LargeStringArray:
    """Return a column as strings; missing values are null. ``role`` names the frame in errors."""
    native = column.to_native()
    try:
        if isinstance(native, pd.Series):
            return _from_pandas(native)
        # Arrow gets the addresses of Python objects in frames of polars.
        return string_array(column.to_list()) if column.dtype == nw.Object else _from_arrow(column.to_arrow())
    except (IrdivError, pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        found = f"found the type {native.type if isinstance(native, pa.ChunkedArray) else native.dtype}."
        if isinstance(error, IrdivError):
            found = str(error)
        elif "UTF8" in str(error):
            found = "found bytes that are not UTF-8."
        frame = f" of the {role}" if role else ""
        raise IrdivError(f"column {column.name!r}{frame} must hold strings or numbers; {found}") from error


def string_array(values: Sequence[object] | Objects | pd.Series[Any]) -> pa.LargeStringArray:
    """Return the ``str`` of each value; missing values are null."""
    try:
        try:
            return _combine_chunks(pa.array(values, type=_STRING, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            return pa.array([None if pd.isna(cast("Any", v)) is True else _text(v) for v in values], _STRING)
    except UnicodeEncodeError as error:
        raise IrdivError(
            f"{error.object!r} is not valid Unicode: {error.object[error.start]!r} is half of a surrogate pair, and no "
            "character; rename it, or decode the file that it comes from with errors='replace'."
        ) from None


def _text(value: object) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise IrdivError("found bytes that are not UTF-8.") from None
    is_address = type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__
    if is_address or (isinstance(value, Collection) and not isinstance(value, str)):
        raise IrdivError(f"found {short(value)} of type {type(value).__name__}.")
    return str(value)


def _from_pandas(series: pd.Series[Any]) -> pa.LargeStringArray:
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        return string_array(series.cat.categories.tolist()).take(pa.array(codes, mask=codes < 0))
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "mM":
        return string_array(series.astype(str).astype(object).where(series.notna(), None))
    return string_array(series) if series.dtype == object else _from_arrow(pa.array(series))


def _from_arrow(values: pa.Array | pa.ChunkedArray) -> pa.LargeStringArray:
    if pa.types.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    if pa.types.is_dictionary(values.type):
        values = values.cast(_STRING)  # Arrow cannot combine chunks of which a dictionary has a null
    values = _combine_chunks(values)
    if pa.types.is_floating(values.type):
        floats = values.to_numpy(zero_copy_only=False)
        missing = np.isnan(floats)
        # Undo what a merge does to integer ids: 51.0 is the topic 51.
        if (missing | ((floats == np.rint(floats)) & (np.abs(floats) < FIRST_ROUNDED))).all():
            return pa.array(np.where(missing, 0, floats).astype(np.int64), mask=missing).cast(_STRING)
    if pa.types.is_floating(values.type) or pa.types.is_boolean(values.type):
        return string_array(values.to_pylist())
    return values.cast(_STRING)


def _combine_chunks(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def factorize(ids: Ids | pa.DictionaryArray) -> tuple[Ints, Ids]:
    """Return a code for each id and the distinct ids, in order of first occurrence unless there is a dictionary."""
    if not isinstance(ids, pa.DictionaryArray):
        encoded = ids.dictionary_encode()
        return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary
    # A dictionary may have values that are equal, or that do not occur.
    index = ids.indices.to_numpy()
    occurs = np.zeros(len(ids.dictionary), dtype=bool)
    occurs[index] = True
    used = np.flatnonzero(occurs)
    code_of_used, distinct = factorize(ids.dictionary.take(used).cast(_STRING))
    code = np.zeros(len(occurs), dtype=np.int64)
    code[used] = code_of_used
    return code.take(index), distinct


def factorize_grouped(ids: Ids | pa.DictionaryArray) -> tuple[Ints, Ids]:
    """Return the same as `factorize`, in less time if equal ids are mostly consecutive."""
    if len(group_starts(ids[:1000])[0]) * 8 > min(len(ids), 1000):
        return factorize(ids)
    start, first_ids = group_starts(ids)
    codes, distinct = factorize(first_ids)
    return np.repeat(codes, np.diff(start, append=len(ids))), distinct


def group_starts(ids: Ids | pa.DictionaryArray) -> tuple[Ints, Ids]:
    """Return the positions where groups of consecutive equal ids start, and the id of each group."""
    values = ids.indices if isinstance(ids, pa.DictionaryArray) else ids
    differ = pc.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False)
    start = np.concatenate([np.zeros(min(len(ids), 1), dtype=np.int64), np.flatnonzero(differ) + 1])
    return start, ids.take(start).cast(_STRING)


def take_rows(values: T, rows: Ints) -> T:
    """Return the values of some rows, without copying if that is all rows in order."""
    is_all = len(rows) == len(values) and np.array_equal(rows, np.arange(len(values)))
    return values if is_all else cast("T", values.take(rows))


def find_positions(ids: Ids, known: Ids) -> Ints:
    """Return the position of each id among known ones, which are distinct; -1 for unknown ids."""
    return pc.index_in(ids, value_set=known).fill_null(-1).to_numpy().astype(np.int64)


def argsort_ids(ids: Ids) -> Ints:
    """Return the indices that sort ids by code point, which for UTF-8 is the byte order of the C programs; stable."""
    return pc.sort_indices(ids).to_numpy().astype(np.int64)


def natural_argsort(ids: Sequence[str] | Ids) -> Ints:
    """Return the indices that sort ids in natural order: integers by value, then other ids by code point.

    >>> natural_argsort(["10", "b", "9", "a"]).tolist()
    [2, 0, 3, 1]
    """
    array = ids if isinstance(ids, pa.LargeStringArray) else pa.array(ids, _STRING)
    if pc.all(pc.and_(pc.match_substring_regex(array, "^[0-9]+$"), pc.less(pc.binary_length(array), 19))).as_py():
        values = array.cast(pa.int64()).to_numpy()
        return np.lexsort((pc.rank(array).to_numpy(), values))
    keys = [(0, int(i), i) if i.isascii() and i.isdigit() and len(i) < 100 else (1, 0, i) for i in array.to_pylist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
