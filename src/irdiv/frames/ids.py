"""Ids as strings in Arrow's memory, which pandas, polars and Arrow frames share without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

Ids: TypeAlias = Any
"""A `pyarrow.LargeStringArray` without nulls."""


def as_ids(column: nw.Series[Any], kind: str) -> Ids:
    """Return a column of any dtype as ids; ``kind`` names the frame in the error about missing ids."""
    native = column.to_native()
    ids = _from_pandas(native) if isinstance(native, pd.Series) else _from_arrow(column.to_arrow())
    if ids.null_count:
        row = int(np.flatnonzero(ids.is_null().to_numpy(zero_copy_only=False))[0])
        raise IrdivError(
            f"the {kind} has a missing id: column {column.name!r} is null in row {row}. "
            "Every row needs an id there; drop the rows without one."
        )
    return ids


def strings(values: Sequence[Any] | NDArray[Any] | pd.Series[Any]) -> Ids:
    """Return values as ids, each by its ``str``; what is missing is null."""
    try:
        return _one_piece(pa.array(values, type=_STRING, from_pandas=True))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if _is_missing(value) else str(value) for value in values], _STRING)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def _from_pandas(series: pd.Series[Any]) -> Any:
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        return strings(series.cat.categories.tolist()).take(pa.array(codes, mask=codes < 0))
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "mM":
        return strings(series.astype(str).astype(object).where(series.notna(), None))
    return strings(series) if series.dtype == object else _from_arrow(pa.array(series))


def _from_arrow(values: Any) -> Any:
    values = _one_piece(values)
    if pa.types.is_floating(values.type):
        numbers = values.to_numpy(zero_copy_only=False)
        # Undo what a merge does to integer ids: 51.0 is the topic 51.
        if ((numbers == np.rint(numbers)) & (np.abs(numbers) < 2**53)).all():
            return pa.array(numbers.astype(np.int64)).cast(_STRING)
        return strings(values.to_pylist())
    if pa.types.is_boolean(values.type):
        return strings(values.to_pylist())
    return values.cast(_STRING)


_STRING = pa.large_string()


def _one_piece(values: Any) -> Any:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def factorize(ids: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return a code for each id, by first appearance, and the distinct ids."""
    encoded = ids.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary


def factorize_grouped(ids: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return the same as `factorize`, sooner where equal ids mostly stand together."""
    if len(starts(ids[:1000])[0]) * 8 > min(len(ids), 1000):
        return factorize(ids)
    start, found = starts(ids)
    codes, distinct = factorize(found)
    return np.repeat(codes, np.diff(start, append=len(ids))), distinct


def starts(ids: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return the places of ids that differ from the one before, and these ids."""
    differ = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
    start = np.concatenate([np.zeros(min(len(ids), 1), dtype=np.int64), np.flatnonzero(differ) + 1])
    return start, ids.take(start)


def pick(values: Any, rows: NDArray[np.int64]) -> Any:
    """Return the ids or numbers of some rows, or all as they are where that is all of them in order."""
    everything = len(rows) == len(values) and np.array_equal(rows, np.arange(len(values)))
    return values if everything else values.take(rows)


def find(ids: Ids, known: Ids) -> NDArray[np.int64]:
    """Return the place of each id among known ones, which are distinct, or -1."""
    return pc.index_in(ids, value_set=known).fill_null(-1).to_numpy().astype(np.int64)


def same(ids: Ids, others: Ids) -> NDArray[np.bool_]:
    """Tell which ids are equal to those in the same places of another array."""
    equal: NDArray[np.bool_] = pc.equal(ids, others).to_numpy(zero_copy_only=False)
    return equal


def concatenated(parts: Sequence[Ids]) -> Ids:
    """Return the ids of all parts."""
    return pa.concat_arrays(parts)


def order(ids: Ids) -> NDArray[np.int64]:
    """Return the stable order of the ids by code point, which for UTF-8 is the byte order of the C programs."""
    return pc.sort_indices(ids).to_numpy().astype(np.int64)


def natural_order(ids: Sequence[str] | Ids) -> NDArray[np.int64]:
    """Return the order a person expects: numbers by value, before other ids by code point.

    >>> natural_order(["10", "b", "9", "a"]).tolist()
    [2, 0, 3, 1]
    """
    array = ids if isinstance(ids, pa.LargeStringArray) else pa.array(ids, _STRING)
    if pc.all(pc.and_(pc.match_substring_regex(array, "^[0-9]+$"), pc.less(pc.binary_length(array), 19))).as_py():
        number = array.cast(pa.int64()).to_numpy()
        return np.lexsort((pc.rank(array).to_numpy(), number))
    keys = [(0, int(i), i) if i.isascii() and i.isdigit() and len(i) < 100 else (1, 0, i) for i in array.to_pylist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
