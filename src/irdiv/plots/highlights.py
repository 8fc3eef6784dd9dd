"""Which runs are drawn in color and named, where there are many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from irdiv.checks import Integer, require
from irdiv.errors import IrdivError, examples
from irdiv.types import Floats, Ints

Highlight: TypeAlias = "str | Iterable[str] | int | None"
"""Names of runs, how many of the best, or None for all unless there are many."""

_FEW_NAMED = 8


def highlighted(runs: Sequence[str], goodness: Floats, highlight: Highlight, *, most: int) -> Ints:
    """Return the indices of runs to draw in color: those named, or some of the best; by default all, up to ``most``."""
    if highlight is None:
        if len(runs) <= most:
            return np.arange(len(runs))
        highlight = _FEW_NAMED
    if isinstance(highlight, int | np.integer):
        count = require(Integer(1), highlight=int(highlight))
        return np.argsort(-goodness, kind="stable")[:count]
    names = [highlight] if isinstance(highlight, str) else list(highlight)
    unknown = next((name for name in names if name not in runs), None)
    if unknown is not None:
        raise IrdivError(f"no run is called {unknown!r}; there are {examples(runs, 9)}.")
    return np.array([runs.index(name) for name in dict.fromkeys(names)], dtype=np.intp)
