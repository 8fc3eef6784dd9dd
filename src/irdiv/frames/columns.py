"""What a qrels, a run and an intents frame is: the only place that knows the names of columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irdiv.errors import IrdivError, examples
from irdiv.frames import sources, trec
from irdiv.frames.ids import Ids, as_ids, strings
from irdiv.frames.sources import is_stream

QrelsLike: TypeAlias = Any
"""A frame, a dict of dicts, an iterable of namedtuples, or the path of a TREC qrels file."""
RunLike: TypeAlias = Any
"""A frame, a dict of dicts, an iterable of namedtuples, or the path of a TREC run file."""
IntentsLike: TypeAlias = Any
"""A frame, an iterable of namedtuples, or the path of a CSV or TSV file."""

# The first name is ours; the others are those of ir_measures, PyTerrier and ir_datasets.
# An intent column comes in many names: a more telling one wins over `iteration`.
ALIASES: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid"),
    "doc_id": ("doc_id", "docno"),
    "relevance": ("relevance", "label"),
    "intent_id": ("intent_id", "intent", "subtopic_id", "subtopic", "iteration"),
    "score": ("score",),
    "rank": ("rank",),
    "probability": ("probability",),
    "type": ("type",),
    "parent_id": ("parent_id",),
    "description": ("description",),
    "max_grade": ("max_grade",),
}

INTENT_FACTS = ("probability", "type", "parent_id", "description")

# ir_measures and trec_eval fill the iteration of ad hoc qrels with these; they name no intent.
NO_ITERATION = ("0", "Q0")

MOST_GRADE = 100_000
"""Grades index tables of gains; what is larger is no grade."""

NO_DOCUMENT = "_no_document_"
"""The document of the rows by which `with_intents` keeps intents that have no judged document."""


NO_PARENT = "_root_"
"""The parent that `with_intents` gives to intents of the first layer, to tell them from those nothing is known of."""


class QrelsColumns(NamedTuple):
    """Judgments by column; ``intent`` is None where the qrels know no intents."""

    query: Ids
    doc: Ids
    grade: NDArray[np.int64]
    intent: Ids | None
    probability: NDArray[np.float64] | None
    parent: NDArray[np.object_] | None
    type: NDArray[np.object_] | None
    max_grade: int
    """The highest grade of the scale as a column tells it, which a part of the qrels may not show; else 0."""
    declared: NDArray[np.bool_]
    """Whether a row tells something of its intent beside a judgment."""


class RunColumns(NamedTuple):
    """A ranking by column; the smallest key stands first."""

    query: Ids
    doc: Ids
    key: NDArray[np.float64]


def qrels_columns(qrels: QrelsLike, *, may_be_empty: bool = False) -> QrelsColumns:
    """Check qrels of any kind and return their columns."""
    frame = as_frame(qrels, "qrels", trec.qrels_frame, ("query_id", "doc_id", "relevance"))
    names = find_columns(
        frame.columns, "qrels", ("query_id", "doc_id", "relevance"), ("intent_id", *INTENT_FACTS, "max_grade")
    )
    if not may_be_empty:
        refuse_empty(len(frame), frame.columns, "qrels")
    intent = as_ids(frame[names["intent_id"]], "qrels") if "intent_id" in names else None
    if names.get("intent_id") == "iteration" and names_no_intent(intent):
        intent = None
    return QrelsColumns(
        query=as_ids(frame[names["query_id"]], "qrels"),
        doc=as_ids(frame[names["doc_id"]], "qrels"),
        grade=grades(frame[names["relevance"]]),
        intent=intent,
        probability=numbers(frame[names["probability"]], "qrels", nulls=True) if "probability" in names else None,
        parent=optional_ids(frame[names["parent_id"]]) if "parent_id" in names else None,
        type=optional_ids(frame[names["type"]]) if "type" in names else None,
        max_grade=int(grades(frame[names["max_grade"]]).max(initial=0)) if "max_grade" in names else 0,
        declared=_any_known([frame[names[fact]] for fact in INTENT_FACTS if fact in names], len(frame)),
    )


def run_columns(run: RunLike, *, by: Literal["score", "rank"] = "score", may_be_empty: bool = False) -> RunColumns:
    """Check a run of any kind and return its columns; ``by`` says which of them orders the documents."""
    frame = as_frame(run, "run", trec.run_frame, ("query_id", "doc_id", "score"))
    names = find_columns(frame.columns, "run", ("query_id", "doc_id", by), ())
    if not may_be_empty:
        refuse_empty(len(frame), frame.columns, "run")
    return RunColumns(
        query=as_ids(frame[names["query_id"]], "run"),
        doc=as_ids(frame[names["doc_id"]], "run"),
        key=numbers(frame[names[by]], "run") * (-1.0 if by == "score" else 1.0),
    )


def as_frame(
    data: Any,
    kind: str,
    read: Callable[[str | os.PathLike[str]], Any],
    nested: Sequence[str],
) -> nw.DataFrame[Any]:
    """Return data of any kind we take as a frame; ``nested`` names the two keys and the value of a dict of dicts."""
    if is_stream(data):
        return nw.from_native(sources.table(data, kind), eager_only=True)
    if isinstance(data, str | os.PathLike):
        return nw.from_native(read(data), eager_only=True)
    if isinstance(data, Mapping):
        return nw.from_native(_from_dicts(data, kind, nested), eager_only=True)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    try:
        native = nw.from_native(data, pass_through=True)
        if isinstance(native, nw.LazyFrame):
            with sources.reading(data, kind):
                native.collect_schema()
    except nw.exceptions.DuplicateError as error:
        raise IrdivError(f"the {kind} has two columns of the same name: {' '.join(str(error).split())}") from None
    if isinstance(native, nw.LazyFrame):
        with sources.reading(data, kind):
            return native.collect()
    if isinstance(native, nw.DataFrame):
        return native
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return nw.from_native(_from_namedtuples(data, kind, nested), eager_only=True)
    raise IrdivError(
        f"cannot read the {kind} from {type(data).__name__!r}. Give a pandas, polars or pyarrow frame, an Arrow "
        "dataset or stream, a DuckDB relation, a dict of dicts, an iterable of namedtuples, or the path of a TREC or "
        "Parquet file."
    )


def _from_dicts(data: Mapping[Any, Any], kind: str, nested: Sequence[str]) -> Any:
    outer, inner, value = nested
    if not all(isinstance(row, Mapping) for row in data.values()):
        raise IrdivError(
            f"cannot read the {kind} from this dict: expected {{{outer}: {{{inner}: {value}}}}}, found values "
            f"of type {examples(sorted({type(row).__name__ for row in data.values()}))}."
        )
    rows = list(data.values())
    values = list(chain.from_iterable(row.values() for row in rows))
    array = np.array(values) if set(map(type, values)) <= {int, float} else np.array([None])
    if array.dtype.kind not in "if" or not set(map(type, chain(data, *rows))) <= {str, int}:
        triples = [(key, inside, v) for key, row in data.items() for inside, v in row.items()]
        return pd.DataFrame(triples, columns=list(nested))
    of_row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    keys, inside = strings(list(data)).take(of_row), strings(list(chain.from_iterable(rows)))
    return pa.table({outer: keys, inner: inside, value: array})


def _from_namedtuples(data: Iterable[Any], kind: str, nested: Sequence[str]) -> pd.DataFrame:
    rows = list(data)
    if not rows:
        return pd.DataFrame(columns=list(nested))
    stranger = next((row for row in rows if not hasattr(row, "_fields")), None)
    if stranger is not None:
        raise IrdivError(
            f"cannot read the {kind} from an iterable of {type(stranger).__name__!r}: expected namedtuples "
            f"such as ir_measures.Qrel or ir_measures.ScoredDoc, with the fields {', '.join(nested)}. Several runs go "
            "in a mapping from name to run; ir_measures itself takes pandas frames only."
        )
    return pd.DataFrame(rows, columns=list(rows[0]._fields))


def find_columns(present: Sequence[str], kind: str, needed: Sequence[str], optional: Sequence[str]) -> dict[str, str]:
    """Return our name → the frame's name for what the frame has; an error names what it lacks."""
    found: dict[str, str] = {}
    for name in (*needed, *optional):
        hits = [alias for alias in ALIASES[name] if alias in present]
        if len(hits) > 1 and name != "intent_id":
            raise IrdivError(f"the {kind} has two columns for one thing: {examples(hits)}. Drop or rename one of them.")
        if hits:
            found[name] = hits[0]
    missing = [name for name in needed if name not in found]
    if missing:
        wanted = "; ".join(" or ".join(repr(alias) for alias in ALIASES[name]) for name in missing)
        lack = "lacks" if kind == "run" else "lack"
        raise IrdivError(f"the {kind} {lack} a column: expected {wanted}, found {examples(present, 12)}.")
    return found


def names_no_intent(iterations: Ids) -> bool:
    """Tell whether iterations are those of ad hoc qrels, and nothing else."""
    first = iterations[:1].to_pylist()
    return bool(first) and first[0] in NO_ITERATION and set(iterations.unique().to_pylist()) <= set(NO_ITERATION)


def refuse_empty(rows: int, columns: Sequence[str], kind: str) -> None:
    """Refuse a frame without rows."""
    if rows == 0:
        verb = "is" if kind == "run" else "are"
        raise IrdivError(f"the {kind} {verb} empty: expected at least one row with {examples(columns, 12)}.")


def grades(column: nw.Series[Any]) -> NDArray[np.int64]:
    """Check grades, and return them as whole numbers."""
    values = column.to_numpy()
    whole = values.dtype.kind == "i"
    if not whole:
        values = numbers(column, "qrels")
    if max(int(values.max(initial=0)), -int(values.min(initial=0))) > MOST_GRADE:
        raise IrdivError(
            f"grades are levels of a scale, but column {column.name!r} holds {_extreme(values)}; "
            f"map them to levels up to {MOST_GRADE} first."
        )
    off = np.zeros(0, dtype=bool) if whole else values != np.rint(values)
    if off.any():
        raise IrdivError(
            f"grades are whole numbers, but column {column.name!r} holds {examples(values[off].tolist())}; "
            "map the grades to integers first, or give gains by the parameter gain={grade: gain}."
        )
    return values.astype(np.int64)


def _extreme(values: NDArray[Any]) -> int:
    return max(int(values.max()), int(values.min()), key=abs)


def numbers(column: nw.Series[Any], kind: str, *, nulls: bool = False) -> NDArray[np.float64]:
    """Check numbers, and return them as floats."""
    try:
        numeric = column.dtype.is_numeric() and column.dtype != nw.Decimal
        values = np.asarray((column if numeric else column.cast(nw.Float64())).to_numpy(), dtype=np.float64)
    except Exception as error:
        raise IrdivError(
            f"column {column.name!r} of the {kind} must hold numbers, found "
            f"{examples(dict.fromkeys(map(str, column.head(9).to_list())))}."
        ) from error
    bad = np.isinf(values) if nulls else ~np.isfinite(values)
    if bad.any():
        raise IrdivError(
            f"column {column.name!r} of the {kind} must hold finite numbers, found "
            f"{values[bad][0]} in row {np.flatnonzero(bad)[0]} ({int(bad.sum())} such rows); drop or mend them."
        )
    return values


def check_probabilities(column: nw.Series[Any]) -> None:
    """Refuse probabilities that are no numbers or below 0; a missing one is no mistake."""
    values = numbers(column, "intents", nulls=True)
    if (values < 0).any():
        raise IrdivError(f"column {column.name!r} of the intents holds {values[values < 0][0]}; give 0 or more.")


def _any_known(columns: Sequence[nw.Series[Any]], rows: int) -> NDArray[np.bool_]:
    known = np.zeros(rows, dtype=bool)
    for column in columns:
        missing = np.asarray(column.is_null().to_numpy(), dtype=bool)
        if column.dtype.is_float():
            missing = missing | np.isnan(np.asarray(column.to_numpy(), dtype=np.float64))
        known |= ~missing
    return known


def optional_ids(column: nw.Series[Any]) -> NDArray[np.object_]:
    """Return ids as strings, and None where there is none or an empty one."""
    out = texts(column)
    out[out == ""] = None
    return out


def texts(column: nw.Series[Any]) -> NDArray[np.object_]:
    """Return values as strings, and None where there is none."""
    known = (~column.is_null()).to_numpy()
    out = np.full(len(column), None, dtype=object)
    out[known] = np.asarray(as_ids(column.filter(~column.is_null()), "qrels"), dtype=object)
    return out
