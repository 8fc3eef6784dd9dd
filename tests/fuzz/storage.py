"""How columns are stored: types that hold the values of a case without a change, and frames of these types."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

if TYPE_CHECKING:
    from .case import Case

Columns = dict[str, list[Any]]

_STRINGS = ("string", "large_string", "dictionary", "object")
NAMES: dict[str, dict[str, str]] = {
    "irdiv": {},
    "PyTerrier": {"query_id": "qid", "doc_id": "docno", "relevance": "label", "intent_id": "subtopic_id"},
    "RAG": {"query_id": "question_id", "doc_id": "passage_id", "intent_id": "nugget_id"},
}
"""Names of columns by where they come from."""
_BOUNDS = {"int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**62, "uint8": 2**8, "uint64": 2**62}


def qrels_columns(case: Case) -> Columns:
    columns: Columns = {
        "query_id": [row.topic for row in case.judgments],
        "doc_id": [row.doc for row in case.judgments],
        "relevance": [row.grade for row in case.judgments],
    }
    return columns | ({"intent_id": [row.intent for row in case.judgments]} if case.has_intents else {})


def run_columns(case: Case, name: str) -> Columns:
    rows = case.runs[name]
    columns: Columns = {
        "query_id": [row.topic for row in rows],
        "doc_id": [row.doc for row in rows],
        "score": [row.score for row in rows],
    }
    return columns | ({"rank": [row.rank for row in rows]} if case.has_ranks else {})


def intent_columns(case: Case) -> Columns:
    columns: Columns = {
        "query_id": [row.topic for row in case.intents],
        "intent_id": [row.intent for row in case.intents],
    }
    for name in case.intent_columns:
        columns["parent_id" if name == "parent" else name] = [getattr(row, name) for row in case.intents]
    return columns


def types_of(case: Case, rng: Random) -> dict[str, str]:
    """Return a random type for each column, of those that hold its values, and whose names the columns have."""
    types = {f"qrels.{name}": rng.choice(possible_types(values)) for name, values in qrels_columns(case).items()}
    for name in run_columns(case, next(iter(case.runs))):
        cells = [cell for run in case.runs for cell in run_columns(case, run)[name]]
        types[f"run.{name}"] = rng.choice(possible_types(cells))
    return {**types, "names": rng.choice(list(NAMES))}


def _new_names(types: dict[str, str] | None) -> dict[str, str]:
    return NAMES[(types or {}).get("names", "irdiv")]


def possible_types(values: Sequence[Any]) -> list[str]:
    """Return the types that hold values without a change."""
    if isinstance(values[0], str):
        is_number = all(value.isascii() and value.isdigit() and str(int(value)) == value for value in values)
        numbers = _number_types(list(map(int, values))) if is_number else []
        return [*_STRINGS, *(type_ for type_ in numbers if type_ != "bool")]
    return [*_number_types(values), "object"]


def _number_types(values: Sequence[float]) -> list[str]:
    types = ["float64"]
    if all(float(np.float32(value)) == value for value in values if abs(value) < 1e30) and max(map(abs, values)) < 1e30:
        types.append("float32")
    # an integer has no negative zero, and no more than 53 bits in a float
    if all(value == int(value) and abs(value) < 2**53 and str(value) != "-0.0" for value in values):
        signed = [name for name, bound in _BOUNDS.items() if name.startswith("int")]
        fitting = [name for name in _BOUNDS if name in signed or min(values) >= 0]
        types += [name for name in fitting if -_BOUNDS[name] <= min(values) and max(values) < _BOUNDS[name]]
        types += ["bool"] if set(values) <= {0, 1} and not isinstance(values[0], float) else []
    return types


def convert(values: Sequence[Any], type_: str) -> list[Any]:
    """Return values as Python objects of a type: ids that are stored as numbers are numbers."""
    if type_ in _STRINGS:
        return list(values)
    if type_.startswith("float"):
        return list(map(float, values))
    return [bool(int(value)) if type_ == "bool" else int(value) for value in values]


def pandas_frame(columns: Columns, types: dict[str, str] | None = None, role: str = "") -> pd.DataFrame:
    """Return a frame; columns without a type are as pandas has them by default."""
    frame: dict[str, Any] = {}
    for name, values in columns.items():
        type_ = (types or {}).get(f"{role}.{name}")
        if type_ is None:
            frame[name] = values
        else:
            frame[name] = pd.Series(convert(values, type_), dtype=_PANDAS.get(type_, type_))
    return pd.DataFrame(frame).rename(columns=_new_names(types))


_PANDAS: dict[str, Any] = {
    "string": pd.StringDtype("pyarrow"),
    "large_string": pd.ArrowDtype(pa.large_string()),
    "dictionary": "category",
    "object": object,
    "uint8": "UInt8",
    "int16": pd.ArrowDtype(pa.int16()),
}


def polars_frame(columns: Columns, types: dict[str, str], role: str) -> pl.DataFrame:
    frame = pl.from_arrow(arrow_table(columns, types, role))
    assert isinstance(frame, pl.DataFrame)
    return frame


def arrow_table(columns: Columns, types: dict[str, str], role: str) -> pa.Table:
    new = _new_names(types)
    arrays = {name: _arrow_array(values, types.get(f"{role}.{name}")) for name, values in columns.items()}
    return pa.table({new.get(name, name): array for name, array in arrays.items()})


def _arrow_array(values: Sequence[Any], type_: str | None) -> pa.Array:
    if type_ is None or type_ == "object":
        return pa.array(values)
    if type_ == "dictionary":
        return pa.array(values, pa.string()).dictionary_encode()
    names = {"string": pa.string(), "large_string": pa.large_string(), "bool": pa.bool_()}
    return pa.array(convert(values, type_), names.get(type_) or pa.type_for_alias(type_))
