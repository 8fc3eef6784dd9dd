"""Qrels and runs that were given in each other's place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from numbers import Integral, Real

from irdiv.errors import IrdivError
from irdiv.frames.backends import QrelsObject
from irdiv.frames.columns import QRELS_COLUMNS, RUN_COLUMNS, find_columns, order_column
from irdiv.frames.inputs import as_frame, is_ranked_list
from irdiv.frames.runs import named_runs
from irdiv.frames.streams import is_stream, stream_columns

_COLUMNS = {"qrels": QRELS_COLUMNS, "run": RUN_COLUMNS}


@contextmanager
def explain_swapped_arguments(qrels: object, runs: Iterable[object]) -> Iterator[None]:
    """Replace an error by one that says so if the first argument is a run and the second are qrels."""
    try:
        yield
    except IrdivError:
        first = list(named_runs(qrels).values()) if isinstance(qrels, Mapping) and qrels else [qrels]
        if _all_are(first, "run", "qrels") and _all_are(runs, "qrels", "run"):
            raise IrdivError(
                "the arguments are swapped: the first is a run, and the second are qrels. Give the qrels first, then "
                "the runs, then the measures."
            ) from None
        raise


def _all_are(data: Iterable[object], role: str, other: str) -> bool:
    """Return whether all data has one role, and none of it the other."""
    return all(_fits(one, role) and not _fits(one, other) for one in data)


def _fits(data: object, role: str) -> bool:
    """Return whether data has the columns of a role, or as a dict of dicts the values of it."""
    if isinstance(data, QrelsObject):
        return role == "qrels"
    if isinstance(data, Mapping) and data and all(map(is_ranked_list, data.values())):
        return role == "run"
    if isinstance(data, Mapping):
        return role == _role_of_dicts(data)
    try:
        columns = stream_columns(data, role) if is_stream(data) else as_frame(data, role, _COLUMNS[role]).columns
        required = _COLUMNS[role] if role == "qrels" else (*RUN_COLUMNS[:2], order_column(columns, "input"))
        find_columns(columns, role, required)
    except IrdivError:
        return False
    return True


def _role_of_dicts(data: Mapping[object, object]) -> str | None:
    """Return what a dict of dicts is: with fractions a run, with integers only qrels; None if unclear."""
    rows = [row for row in data.values() if isinstance(row, Mapping)]
    values = list(chain.from_iterable(row.values() for row in rows))
    if len(rows) < len(data) or not values or not all(isinstance(value, Real) for value in values):
        return None
    if any(not isinstance(value, Integral) and not float(value).is_integer() for value in values):
        return "run"
    return "qrels" if all(isinstance(value, Integral) for value in values) else None
