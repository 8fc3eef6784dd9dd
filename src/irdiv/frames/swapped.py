"""Qrels and runs that were given in each other's place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from irdiv.errors import IrdivError
from irdiv.frames.backends import QrelsHolder
from irdiv.frames.columns import QRELS_COLUMNS, RUN_COLUMNS, find_columns
from irdiv.frames.inputs import as_frame
from irdiv.frames.streams import is_stream, stream_columns

_COLUMNS = {"qrels": QRELS_COLUMNS, "run": RUN_COLUMNS}


@contextmanager
def explain_swapped_arguments(qrels: object, runs: Iterable[object]) -> Iterator[None]:
    """Replace an error by one that says so if the first argument is a run and the second are qrels."""
    try:
        yield
    except IrdivError:
        first = list(qrels.values()) if isinstance(qrels, Mapping) else [qrels]
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
    """Return whether data has the columns of a role; a dict of dicts fits none, as its values have no name."""
    if isinstance(data, Mapping | QrelsHolder):
        return isinstance(data, QrelsHolder) and role == "qrels"
    try:
        columns = stream_columns(data, role) if is_stream(data) else as_frame(data, role, _COLUMNS[role]).columns
        find_columns(columns, role, _COLUMNS[role])
    except IrdivError:
        return False
    return True
