"""Frames that hold many runs, each row with the name of its run in a column."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.errors import IrdivError, examples
from irdiv.frames.checked import RunColumns, checked_run_columns
from irdiv.frames.columns import find_columns, order_column, raise_if_empty
from irdiv.frames.ids import Column, Ids, as_ids, factorize_grouped
from irdiv.frames.inputs import Frame, RunLike, run_frame
from irdiv.frames.runs import is_folder_of_runs
from irdiv.frames.streams import Streamable, is_stream, stream_batches, stream_columns
from irdiv.frames.values import raise_if_fractional
from irdiv.types import Ints

_ROLE = "runs"


class RunGroup(NamedTuple):
    """The rows of some of the runs of a frame."""

    names: list[str]
    run: Ints
    """The index of each row's run among the names."""
    columns: RunColumns


class RunsFrame:
    """A frame with many runs as checked columns.

    Parameters
    ----------
    runs
        A frame, a stream, the path of a file, or an iterable of namedtuples; a stream is read into memory, as far as
        its columns are used.
    run_column
        The column with the names of runs.
    ties
        The rule for ties, as ``ties="rank"`` orders by another column.

    Attributes
    ----------
    names
        The names of the runs, in order of first occurrence.
    """

    def __init__(self, runs: RunLike | Mapping[str, RunLike], run_column: object, ties: str) -> None:
        if isinstance(runs, Mapping):
            raise IrdivError(
                f"run_column={run_column!r} is for one frame that holds many runs, but the runs are a mapping: leave "
                "run_column out, as the keys name the runs, or the topics of one run."
            )
        if isinstance(runs, str | os.PathLike) and is_folder_of_runs(runs):
            raise IrdivError(
                f"run_column={run_column!r} is for one file that holds many runs, but {os.fspath(runs)!r} is a folder "
                "of runs, which are named after their files: leave run_column out."
            )
        frame = _read_columns(runs, run_column, ties) if is_stream(runs) else run_frame(runs)
        name = _require_run_column(frame.columns, run_column, ties)
        raise_if_empty(len(frame), frame.columns, _ROLE)
        for column in _ids(frame.columns):
            raise_if_fractional(frame[column], _ROLE)
        self._columns = checked_run_columns(frame, ties=ties)
        self._run, names = factorize_grouped(_run_names(frame[name]))
        self.names: list[str] = names.to_pylist()

    def groups(self, max_rows: int) -> Iterator[RunGroup]:
        """Yield groups of runs with at most so many rows, but at least one run."""
        if len(self._run) <= max_rows:
            yield RunGroup(self.names, self._run, self._columns)
            return
        is_grouped = bool((self._run[1:] >= self._run[:-1]).all())
        order = None if is_grouped else np.argsort(self._run, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(self._run))])
        first = 0
        while first < len(self.names):
            last = max(int(np.searchsorted(start, start[first] + max_rows, side="right")) - 1, first + 1)
            of_group = slice(int(start[first]), int(start[last]))
            # Runs that are one after the other in the frame are not copied.
            rows = of_group if order is None else order[of_group]
            columns = self._columns.slice_rows(of_group) if order is None else self._columns.take(order[of_group])
            yield RunGroup(self.names[first:last], self._run[rows] - first, columns)
            first = last


def _read_columns(runs: Streamable, run_column: object, ties: str) -> Frame:
    """Return those columns of a stream that are used."""
    present = stream_columns(runs, "run")
    name = _require_run_column(present, run_column, ties)
    columns = [*_used(present, ties), name]
    batches = list(stream_batches(runs, "run", columns))
    table = pa.Table.from_batches(batches) if batches else pa.table({column: [] for column in columns})
    return nw.from_native(table, eager_only=True)


def _used(present: list[str], ties: str) -> list[str]:
    by = order_column(present, ties)
    return list(find_columns(present, "run", ("query_id", "doc_id", by), () if by == "rank" else ("rank",)).values())


def _ids(present: list[str]) -> list[str]:
    return list(find_columns(present, "run", ("query_id", "doc_id")).values())


def _require_run_column(present: list[str], run_column: object, ties: str) -> str:
    """Return the name of the column of run names; it is an error if it is missing or has another meaning."""
    if not isinstance(run_column, str):
        raise IrdivError(f"run_column={run_column!r} is not the name of a column; expected a text such as 'run'.")
    if run_column not in present:
        raise IrdivError(
            f"the runs lack a column {run_column!r}, which run_column says has their names; found "
            f"{examples(present, 12)}."
        )
    used = _used(present, ties)
    if run_column in used:
        others = examples([column for column in present if column not in used], 12)
        raise IrdivError(
            f"run_column={run_column!r} is the column of topics, documents, scores or ranks; expected the one with the "
            f"names of runs{f', such as one of {others}' if others else ', and there is no other column'}."
        )
    return run_column


def _run_names(column: Column) -> Ids:
    """Return names of runs as strings; two names that differ only in type are an error."""
    native = column.to_native()
    if isinstance(native, pd.Series) and native.dtype == object:
        types = sorted({type(value).__name__ for value in native[native.notna()]})
        if len(types) > 1:
            raise IrdivError(
                f"column {column.name!r} of the {_ROLE} has names of several types, {examples(types)}; make them "
                "strings, as 1 and '1' would be one run."
            )
    return as_ids(column, _ROLE)
