"""The column of run names, in a run that is scored as one."""

from __future__ import annotations

import narwhals as nw

from irdiv.errors import examples, warn
from irdiv.frames.columns import RUN_COLUMNS, RUN_NAMES, find_columns
from irdiv.frames.inputs import Frame, RunLike, run_frame
from irdiv.frames.streams import is_stream

_USUAL_NAMES = ("run", "run_id", "tag", "name", "system", "model", "method", "experiment", "retriever")


class RunNames:
    """Two different names in the column of run names, if rows that are seen part by part have them."""

    def __init__(self) -> None:
        self._first: object = None
        self._other: object = None

    def add(self, frame: Frame) -> None:
        """Look for names in the next rows; a column that is missing or not of names is ignored."""
        if self._other is not None or RUN_NAMES not in frame.columns:
            return
        names = frame[RUN_NAMES].drop_nulls()
        if len(names) == 0 or not (names.dtype.is_integer() or names.dtype in (nw.String, nw.Categorical, nw.Enum)):
            return
        if self._first is None:
            self._first = names.head(1).to_list()[0]
        others = names.filter(names != self._first).head(1).to_list()
        self._other = others[0] if others else None

    def warn_if_several(self) -> None:
        """Warn if there are several names."""
        if self._other is not None:
            warn(
                f"the column {RUN_NAMES!r} of the run has several names, such as "
                f"{examples((self._first, self._other))}, but all rows are scored as one run; to score each, give "
                f"irdiv.evaluate run_column={RUN_NAMES!r} (on the command line, irdiv eval --run-column {RUN_NAMES}), "
                "else drop the column."
            )


def run_column_remedy(run: RunLike, *, is_part: bool = False) -> str:
    """Return what to do first about a run that repeats documents: name the column that tells the repetitions apart."""
    if is_part or is_stream(run):
        return " If these are several runs, irdiv.evaluate(…, run_column=…) takes the column that names them."
    frame = run_frame(run)
    pair = list(find_columns(frame.columns, "run", RUN_COLUMNS[:2]).values())
    repeated = len(frame) - len(frame.select(pair).unique())
    candidates = [name for name in frame.columns if name not in (*pair, "score", "rank")]
    for name in sorted(candidates, key=_USUAL_NAMES.__contains__, reverse=True):
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
