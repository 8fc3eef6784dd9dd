"""Layouts of text files: which columns each line has, and what their cells hold."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable
from io import BufferedReader
from typing import NamedTuple

from irdiv.frames.text import split_cells

SYSTEM_DESCRIPTION = (b"<SYSDESC>", b"</SYSDESC>")
"""The tags around the description of a system, with which runs of NTCIR start."""

COMMENT = re.compile(rb"[ \t]*#[^\r\n]*")
"""A line that is no row, as in trec_eval."""


class ColumnType(NamedTuple):
    """What the cells of a column hold: the dtype, a check of one cell, and a description for errors."""

    dtype: type
    accepts: Callable[[str], bool]
    description: str


class Layout(NamedTuple):
    """What each line of a file holds; columns without a type are ids.

    Columns are separated by white space, or by semicolons where ids contain spaces, as in INTENT's subtopic mining.
    """

    role: str
    columns: tuple[str, ...]
    example: str
    types: dict[str, ColumnType]

    def dtype(self, column: str) -> type:
        """Return the dtype of a column."""
        return self.types[column].dtype if column in self.types else str


def _is_integer(cell: str) -> bool:
    return re.fullmatch("[+-]?[0-9]{1,18}", cell) is not None


def _is_finite(cell: str) -> bool:
    try:
        return "_" not in cell and math.isfinite(float(cell))
    except ValueError:
        return False


INTEGER = ColumnType(int, _is_integer, "an integer of up to 18 digits")
FLOAT = ColumnType(float, _is_finite, "a finite number")
LEVEL = ColumnType(str, lambda cell: re.fullmatch("L[0-9]{1,5}", cell) is not None, "a level such as L2")
TREC_QRELS = Layout(
    "qrels",
    ("query_id", "iteration", "doc_id", "relevance"),
    "151 1 clueweb09-en0000-00-03430 2",
    {"relevance": INTEGER},
)
DQRELS = Layout(
    "Dqrels",
    ("query_id", "intent_id", "doc_id", "relevance"),
    "0001 2 clueweb09-en0000-00-03430 L1",
    {"relevance": LEVEL},
)
TREC_RUN = Layout(
    "run",
    ("query_id", "q0", "doc_id", "rank", "score", "run"),
    "151 Q0 clueweb09-en0000-00-03430 1 -2.28 mysystem",
    {"rank": INTEGER, "score": FLOAT},
)
JSON_READERS = {"qrels": "read_nuggets", "run": "read_contexts"}
"""The functions of `irdiv.rag` that read JSON, by role."""


def seek_first_row(file: BufferedReader, layout: Layout) -> tuple[int, str | None]:
    """Move a file past the description of a system and comments at the start.

    Returns the count of lines skipped, and the separator of columns: a semicolon, or None for white space.
    """
    skipped = _skip_description(file)
    while COMMENT.match(file.peek(4096).removeprefix(codecs.BOM_UTF8)):
        file.readline()
        skipped += 1
    return skipped, ";" if _has_semicolons(file, layout) else None


def _skip_description(file: BufferedReader) -> int:
    skipped = 0
    start, end = SYSTEM_DESCRIPTION
    if file.peek(16).removeprefix(codecs.BOM_UTF8).startswith(start):
        line = b""
        while end not in line:
            line = file.readline()
            skipped += 1
            if not line:
                raise EOFError("<SYSDESC> without </SYSDESC>")
        rest = line.split(end, 1)[1].strip()
        if rest:
            raise EOFError(f"found {rest[:40]!r} after </SYSDESC>; put it on a line of its own")
    return skipped


def _has_semicolons(file: BufferedReader, layout: Layout) -> bool:
    """Return whether the next line of a file has the columns of the layout when it is split at semicolons."""
    line = file.peek(4096).split(b"\n", 1)[0].removeprefix(codecs.BOM_UTF8)
    cells = split_cells(line.decode("utf-8", errors="replace"), ";")
    return len(cells) == len(layout.columns) and all(
        column_type.accepts(cells[layout.columns.index(name)]) for name, column_type in layout.types.items()
    )
