"""Ids as strings, in the fastest array at hand: Arrow where pyarrow is installed, Python objects elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.fingerprints import fingerprints

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

Ids: TypeAlias = Any
"""A one-dimensional array of strings without nulls that `pandas.factorize` takes."""

ARROW = find_spec("pyarrow") is not None


@lru_cache(maxsize=1)
def _arrow_dtype() -> Any:
    """Return the string dtype on Arrow that pandas itself gives to strings, which is then not converted."""
    usual = pd.Series(["a"]).dtype
    return usual if isinstance(usual, pd.StringDtype) and usual.storage == "pyarrow" else "string[pyarrow]"


def as_ids(column: nw.Series[Any], kind: str) -> Ids:
    """Return a column of any dtype as ids; ``kind`` names the frame in the error about missing ids."""
    if column.null_count():
        row = column.is_null().arg_true()[0]
        raise IrdivError(
            f"the {kind} has a missing id: column {column.name!r} is null in row {row}. "
            "Every row needs an id there; drop the rows without one."
        )
    native = column.to_native()
    if isinstance(native, pd.Series):
        return strings(_whole_numbers(native))
    if ARROW:
        import pyarrow as pa

        table = column.to_arrow()
        if pa.types.is_floating(table.type):
            return strings(_whole_numbers(pd.Series(table.to_numpy(zero_copy_only=False))))
        chunks = pa.chunked_array([table.cast(pa.large_string())])
        return pd.array(pd.arrays.ArrowStringArray(chunks), dtype=_arrow_dtype())
    return strings(_whole_numbers(pd.Series(column.to_list())))


def strings(values: pd.Series[Any] | Sequence[Any] | NDArray[Any]) -> Ids:
    """Return values as ids, each by its ``str``."""
    series = values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return strings(series.cat.categories.to_series()).take(series.cat.codes.to_numpy())
    if series.dtype == object and pd.api.types.infer_dtype(series, skipna=False) not in ("string", "empty"):
        series = pd.Series([str(value) for value in series], dtype=object)
    if ARROW:
        return series.astype(_arrow_dtype()).array
    return series.astype(str).to_numpy(dtype=object)


def _whole_numbers(series: pd.Series[Any]) -> pd.Series[Any]:
    """Undo what a merge does to integer ids: 51.0 is the topic 51."""
    if pd.api.types.is_float_dtype(series.dtype) and bool(((series == series.round()) & (series.abs() < 2**53)).all()):
        return series.astype("int64")
    return series


def factorize(ids: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return a code for each id, by first appearance, and the distinct ids."""
    codes, distinct = pd.factorize(ids)
    return codes.astype(np.int64, copy=False), distinct


def factorize_grouped(ids: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return the same as `factorize`, sooner where equal ids mostly stand together."""
    change = np.flatnonzero(np.asarray(ids[1:] != ids[:-1], dtype=bool)) + 1
    if len(change) * 8 > len(ids):
        return factorize(ids)
    start = np.concatenate([np.zeros(min(len(ids), 1), dtype=np.int64), change])
    codes, distinct = factorize(ids.take(start))
    return np.repeat(codes, np.diff(start, append=len(ids))), distinct


def pick(ids: Ids, rows: NDArray[np.int64]) -> Ids:
    """Return the ids of some rows, or the ids as they are where that is all of them in order."""
    everything = len(rows) == len(ids) and np.array_equal(rows, np.arange(len(ids)))
    return ids if everything else ids.take(rows)


def find(ids: Ids, known: Ids) -> NDArray[np.int64]:
    """Return the place of each id among known ones, which are distinct, or -1."""
    if isinstance(ids, np.ndarray):
        return pd.Index(known).get_indexer(pd.Index(ids))
    import pyarrow.compute as pc

    places = pc.index_in(ids._pa_array, value_set=known._pa_array)
    return places.fill_null(-1).to_numpy().astype(np.int64)


def repeats(ids: Ids, group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which ids stand again in the same group, where they stood before."""
    again = np.zeros(len(ids), dtype=bool)
    suspects = _share_a_number(_group_numbers(ids, group))
    if suspects is not None:
        codes, distinct = factorize(ids.take(suspects))
        _, first = np.unique(group[suspects] * len(distinct) + codes, return_index=True)
        again[suspects] = True
        again[suspects[first]] = False
    return again


def _group_numbers(ids: Ids, group: NDArray[np.int64]) -> NDArray[Any]:
    """Return a number for each id of a group: the same for the same id, and seldom for another."""
    if isinstance(ids, np.ndarray):
        codes, distinct = factorize(ids)
        return group * len(distinct) + codes
    return fingerprints(ids._pa_array.combine_chunks()) + group.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)


def _share_a_number(numbers: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the places, in order, of numbers that occur more than once; None where none does."""
    in_order = np.sort(numbers)
    shared = in_order[1:][in_order[1:] == in_order[:-1]]
    return np.flatnonzero(np.isin(numbers, shared)) if len(shared) else None


def order(ids: Ids) -> NDArray[np.int64]:
    """Return the stable order of the ids by code point, which for UTF-8 is the byte order of the C programs."""
    if isinstance(ids, np.ndarray):
        return np.argsort(ids, kind="stable")
    return np.asarray(ids.argsort(kind="stable"), dtype=np.int64)


def natural_order(ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the order a person expects: numbers by value, before other ids by code point.

    >>> natural_order(["10", "b", "9", "a"]).tolist()
    [2, 0, 3, 1]
    """
    keys = [(0, int(i), i) if i.isascii() and i.isdigit() and len(i) < 100 else (1, 0, i) for i in ids]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
