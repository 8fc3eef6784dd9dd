"""Guards against silent mistakes: swapped arguments, ids that do not match, several runs in one frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from numbers import Integral, Real

import narwhals as nw

from irdiv.errors import IrdivError, examples, warn
from irdiv.io.columns import QRELS_COLUMNS, RUN_COLUMNS, RUN_NAMES, find_columns, order_column
from irdiv.io.ids import Column
from irdiv.io.runs import named_runs
from irdiv.io.streams import is_stream, stream_columns
from irdiv.io.tables import QrelsObject, RunLike, as_frame, is_ranked_list

MANY = 0.1
"""What share of topics or intents without a counterpart is worth a warning."""
_SEPARATORS = "#:/|@_-. "
_MOST_IDS = 1000
_USUAL_RUN_COLUMNS = ("run", "run_id", "tag", "name", "system", "model", "method", "experiment", "retriever")


@contextmanager
def explain_swapped_arguments(qrels: object, runs: Iterable[object]) -> Iterator[None]:
    """Replace an error by one that says so if the first argument is a run and the second are qrels."""
    try:
        yield
    except IrdivError:
        first = list(named_runs(qrels).values()) if isinstance(qrels, Mapping) and qrels else [qrels]
        if all(_role_of(one) == "run" for one in first) and all(_role_of(one) == "qrels" for one in runs):
            raise IrdivError(
                "the arguments are swapped: the first is a run, and the second are qrels. Give the qrels first, then "
                "the runs, then the measures."
            ) from None
        raise


def _role_of(data: object) -> str | None:
    """Return whether data has the columns, or as a dict the values, of qrels only or of a run only; None if unclear."""
    if isinstance(data, QrelsObject):
        return "qrels"
    if isinstance(data, Mapping):
        return "run" if data and all(map(is_ranked_list, data.values())) else _role_of_dicts(data)
    roles = []
    for role, required in (("qrels", QRELS_COLUMNS), ("run", RUN_COLUMNS)):
        with suppress(IrdivError):
            columns = stream_columns(data, role) if is_stream(data) else as_frame(data, role, required).columns
            by = required[2] if role == "qrels" else order_column(columns, "input")
            find_columns(columns, role, (*required[:2], by))
            roles.append(role)
    return roles[0] if len(roles) == 1 else None


def _role_of_dicts(data: Mapping[object, object]) -> str | None:
    """Return what a dict of dicts is: with fractions a run, with integers only qrels; None if unclear."""
    rows = [row for row in data.values() if isinstance(row, Mapping)]
    values = list(chain.from_iterable(row.values() for row in rows))
    if len(rows) < len(data) or not values or not all(isinstance(value, Real) for value in values):
        return None
    if all(isinstance(value, Integral) for value in values):
        return "qrels"
    return None if all(float(value).is_integer() for value in values) else "run"


def first_names(column: Column, seen: list[object]) -> list[object]:
    """Return the first two different names of runs in a column that follows others; none if it does not hold names."""
    names = column.drop_nulls()
    if len(seen) == 2 or not (names.dtype.is_integer() or names.dtype in (nw.String, nw.Categorical, nw.Enum)):
        return seen
    seen = seen or names.head(1).to_list()
    return seen + names.filter(names != seen[0]).head(1).to_list() if seen else []


def warn_about_several_names(names: list[object]) -> None:
    """Warn if a run has more than one name in its column of names."""
    if len(names) > 1:
        warn(
            f"the column {RUN_NAMES!r} of the run has several names, such as {examples(names)}, but all rows are "
            f"scored as one run; to score each, give irdiv.evaluate run_column={RUN_NAMES!r} (on the command line, "
            f"irdiv eval --run-column {RUN_NAMES}), else drop the column."
        )


def run_column_remedy(run: RunLike) -> str:
    """Return what to do first about a run that repeats documents: name the column that tells the repetitions apart."""
    if is_stream(run):
        return " If these are several runs, irdiv.evaluate(…, run_column=…) takes the column that names them."
    frame = as_frame(run, "run", RUN_COLUMNS)
    pair = list(find_columns(frame.columns, "run", RUN_COLUMNS[:2]).values())
    repeated = len(frame) - len(frame.select(pair).unique())
    candidates = [name for name in frame.columns if name not in (*pair, "score", "rank")]
    for name in sorted(candidates, key=_USUAL_RUN_COLUMNS.__contains__, reverse=True):
        dtype = frame[name].dtype
        if not dtype.is_numeric() and dtype not in (nw.String, nw.Categorical, nw.Enum):
            continue
        # As many names as rows would be numbers of rows.
        count = frame[name].n_unique()
        left = len(frame) - len(frame.select(*pair, name).unique())
        if 1 < count <= len(frame) // 2 and left <= repeated // 10:
            return (
                f" The column {name!r} tells them apart: if it names runs, irdiv.evaluate(…, run_column={name!r}) "
                f"scores all {count} (on the command line, --run-column {name})."
            )
    return ""


def _part(text: str, separator: str, *, last: bool) -> str:
    """Return a text up to the last separator, or from behind the first one."""
    return text.rpartition(separator)[0] if last else text.partition(separator)[2]


_CHANGES: dict[str, Callable[[str], str]] = {
    "white space around them": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: text.lstrip("0"),
    **{f"the part from the last {sep!r} on": partial(_part, separator=sep, last=True) for sep in _SEPARATORS},
    **{f"the part up to the first {sep!r}": partial(_part, separator=sep, last=False) for sep in _SEPARATORS},
    "letters at the start": lambda text: text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
}


def describe_difference(ids: Iterable[str], others: Iterable[str]) -> str:
    """Return by what some ids differ from others that they may stand for, as a sentence; empty if it is not clear.

    >>> describe_difference(["p1", "p2"], ["p2#3"])
    " Some are the same but for the part from the last '#' on."
    >>> describe_difference(["p1"], ["p1", "p2"])
    ''
    """
    sides = set(islice(ids, _MOST_IDS)), set(islice(others, _MOST_IDS))
    for what, change in _CHANGES.items():
        # Only one side is changed, so that ids of which the same is left do not match.
        for one, other in (sides, sides[::-1]):
            changed = {new for text in one if (new := change(text)) not in ("", text)}
            if not changed.isdisjoint(other):
                return f" Some are the same but for {what}."
    return ""
