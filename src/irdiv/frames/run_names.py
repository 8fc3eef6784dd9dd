"""The column of run names, in a run that is scored as one."""

from __future__ import annotations

import narwhals as nw

from irdiv.errors import examples, warn
from irdiv.frames.columns import RUN_NAMES
from irdiv.frames.inputs import Frame


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
