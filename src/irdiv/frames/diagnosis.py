"""Which line of a text file does not fit its layout: files are read again line by line to find it."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.layouts import COMMENT, JSON_READERS, LEVEL, TREC_QRELS, TREC_RUN, Layout, seek_first_row
from irdiv.frames.text import BLANKS, open_maybe_gzip, split_cells
from irdiv.types import PathLike

_SNIPPET = 60
"""How many characters of a cell errors show."""


def layout_error(path: Path, layout: Layout, cause: Exception | None) -> IrdivError:
    """Return the error that names the first line of a file that does not fit its layout."""
    expected = f"expected {len(layout.columns)} columns as in '{layout.example}'"
    number = 0
    try:
        for number, line, separator in _numbered_lines(path, layout):
            problem = _find_problem(line, layout, separator)
            if problem and line.lstrip()[:1] in (b"{", b"["):
                return IrdivError(
                    f"{path}, line {number}: JSON, and not a TREC {layout.role} file; read it by irdiv.rag."
                    f"{JSON_READERS.get(layout.role, 'read_nuggets')} first (on the command line, by irdiv coverage)."
                )
            if problem:
                return IrdivError(f"{path}, line {number}: {problem}; {expected}.")
    except (EOFError, OSError, zlib.error) as error:
        return IrdivError(f"{path}, after line {number}: the file is truncated or damaged ({error}).")
    if number == 0 or cause is None or isinstance(cause, pd.errors.EmptyDataError):
        return IrdivError(f"{path}: the {layout.role} file is empty; {expected}.")
    return IrdivError(f"{path}: not a {layout.role} file ({cause}); {expected}.")


def find_line(path: PathLike, layout: Layout, first_cells: Sequence[str]) -> int:
    """Return the number of the line that starts with some cells."""
    for number, line, separator in _numbered_lines(Path(path), layout):
        if _cells(line, separator)[: len(first_cells)] == list(first_cells):
            return number
    raise LookupError(first_cells)


def _numbered_lines(path: Path, layout: Layout) -> Iterator[tuple[int, bytes, str | None]]:
    """Yield each line of a file that is no comment, with its number and the separator of its cells."""
    with open_maybe_gzip(path, layout.role) as file:
        skipped, separator = seek_first_row(file, layout)
        for number, line in enumerate(file, start=skipped + 1):
            if not COMMENT.match(line):
                yield number, line.removeprefix(codecs.BOM_UTF8), separator


def _cells(line: bytes, separator: str | None) -> list[str]:
    text = line.decode("utf-8")
    return split_cells(text, separator) if text.strip(BLANKS) else []


def _find_problem(line: bytes, layout: Layout, separator: str | None) -> str | None:
    """Return why a line does not fit a layout, or None."""
    try:
        cells = _cells(line, separator)
    except UnicodeDecodeError as error:
        return f"byte {line[error.start]:#04x} is not UTF-8"
    if cells and len(cells) != len(layout.columns):
        other = next((o for o in (TREC_QRELS, TREC_RUN) if o is not layout and len(o.columns) == len(cells)), None)
        hint = "" if other is None else f", as {'qrels have' if other is TREC_QRELS else 'a run has'}"
        if len(cells) == 1 and cells[0].count(",") >= 2:
            hint = " with commas (give a CSV file as a frame, as pandas.read_csv(path) reads it)"
        return f"found {len(cells)} column{'s' if len(cells) != 1 else ''}{hint}"
    if "" in cells:
        return f"the {layout.columns[cells.index('')]} is empty"
    for name, cell in zip(layout.columns, cells, strict=False):
        # Python reads digits and white space of Unicode in numbers, the parsers of files do not.
        if name in layout.types and not (cell.isascii() and layout.types[name].accepts(cell)):
            hint = (
                " (irdiv.datasets.read_ntcir_qrels reads Dqrels)"
                if layout is TREC_QRELS and LEVEL.accepts(cell)
                else ""
            )
            shown = f"{cell[:_SNIPPET]!r}{'…' if len(cell) > _SNIPPET else ''}"
            return f"{name} is {shown}, not {layout.types[name].description}{hint}"
    return None
