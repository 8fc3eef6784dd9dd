"""TREC qrels and runs and NTCIR's Dqrels: text files with a row in each line, parsed by Arrow."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from irdiv.errors import IrdivError
from irdiv.io.streams import is_parquet
from irdiv.io.text import read_bytes, split_cells
from irdiv.types import PathLike

_SMALL_BYTES = 1 << 22
"""Files up to this size are parsed by one thread, which takes less time in all if there are many of them."""
_BLOCK_BYTES = 1 << 20
_CACHED_BYTES = 1 << 16
"""How many bytes are scanned at a time: few enough for the processor's cache."""
_SNIPPET = 60
"""How many characters of a cell errors show."""


class ColumnType(NamedTuple):
    """What the cells of a column hold."""

    dtype: pa.DataType
    pattern: str
    description: str

    def accepts(self, cell: str) -> bool:
        """Return whether a cell is of this type."""
        matches = re.fullmatch(self.pattern, cell) is not None
        return matches and (self.dtype != pa.float64() or math.isfinite(float(cell)))


class Layout(NamedTuple):
    """What each line of a file holds; columns without a type are ids.

    Columns are separated by white space, or by semicolons where ids contain spaces, as in INTENT's subtopic mining.
    """

    role: str
    columns: tuple[str, ...]
    example: str
    types: dict[str, ColumnType]


INTEGER = ColumnType(pa.int64(), "[+-]?[0-9]{1,18}", "an integer of up to 18 digits")
FLOAT = ColumnType(pa.float64(), r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", "a finite number")
LEVEL = ColumnType(pa.int64(), "L[0-9]{1,5}", "a level such as L2")
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


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read a TREC qrels file, ``topic intent document grade``, compressed by gzip or not.

    Returns the columns ``query_id, iteration, doc_id, relevance``; in diversity qrels ``iteration`` is
    the intent. Lines that start with ``#`` are comments.
    """
    return _read(path, TREC_QRELS)


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run file, ``topic Q0 document rank score tag``, compressed by gzip or not.

    Returns the columns ``query_id, doc_id, rank, score`` in the order of the file. A description of the system
    at the start, ``<SYSDESC>…</SYSDESC>`` as in runs of NTCIR, is skipped, and so are lines that start with ``#``.
    """
    return _read(path, TREC_RUN)[["query_id", "doc_id", "rank", "score"]]


def _read(path: PathLike, layout: Layout) -> pd.DataFrame:
    if is_parquet(Path(path)):
        raise IrdivError(
            f"{os.fspath(path)!r} is Parquet, not a TREC file; give it to irdiv.evaluate, or to pandas.read_parquet."
        )
    return read_table(path, layout).to_pandas()


def is_dqrels(path: PathLike) -> bool:
    """Return whether the first line of a file that is no comment is one of Dqrels, ``topic intent document Lx``."""
    try:
        content = _without_comments(path, read_bytes(path, DQRELS.role, 4096))
    except (IrdivError, OSError):
        return False
    line = content.strip().partition(b"\n")[0].decode("utf-8", errors="replace")
    return any(
        len(cells) == len(DQRELS.columns) and LEVEL.accepts(cells[-1])
        for cells in (split_cells(line, None), split_cells(line, ";"))
    )


def read_table(path: PathLike, layout: Layout) -> pa.Table:
    """Read a file; an error names the file and the first line that does not fit the layout."""
    content = _without_comments(path, read_bytes(path, layout.role))
    separator = _separator(content, layout)
    table = _parse_plain(content, layout) if separator is None else None
    if table is None:
        table = _parse_any(content, layout, separator)
    if table is None:
        raise _layout_error(path, content, layout, separator)
    return table


def _without_comments(path: PathLike, content: bytes) -> bytes:
    """Return the content with blank lines in place of comments and of the description of a system at the start."""
    content = content.removeprefix(codecs.BOM_UTF8)
    if content.startswith(b"<SYSDESC>"):
        description, end, rows = content.partition(b"</SYSDESC>")
        rest, line_break, rows = rows.partition(b"\n")
        if not end or rest.strip():
            fault = f"found {rest.strip()[:40]!r} after </SYSDESC>; put it on a line of its own"
            fault = fault if end else "<SYSDESC> without </SYSDESC>"
            raise IrdivError(f"{path}: the file is truncated or damaged ({fault}).")
        content = b"\n" * description.count(b"\n") + line_break + rows
    return re.sub(rb"(?<![^\r\n])[ \t]*#[^\r\n]*", b"", content) if b"#" in content else content


def _parse_plain(content: bytes, layout: Layout) -> pa.Table | None:
    """Return the columns of lines with one space, or one tab, between cells; None if any line differs."""
    separator, other = (" ", b"\t") if b" " in content else ("\t", b" ")
    if layout is DQRELS or other in content or b"\r" in content or _has_hexadecimal(content):
        return None
    return _parse(content, separator, layout, {name: kind.dtype for name, kind in layout.types.items()})


def _has_hexadecimal(content: bytes) -> bool:
    """Return whether 0x occurs anywhere, which starts a number for Arrow."""
    if b"x" not in content and b"X" not in content:
        return False
    letters = np.frombuffer(content, dtype=np.uint8)
    parts = (letters[start : start + _CACHED_BYTES + 1] for start in range(0, len(letters), _CACHED_BYTES))
    return any((((part[1:] | 0x20) == ord("x")) & (part[:-1] == ord("0"))).any() for part in parts)


def _parse_any(content: bytes, layout: Layout, separator: str | None) -> pa.Table | None:
    """Return the columns of lines with any blanks around cells; None if any line does not fit the layout."""
    between = rb"[ \t]*;[ \t]*" if separator else rb"[ \t]+"
    cells = re.sub(between, (separator or " ").encode(), content)
    table = _parse(re.sub(rb"[ \t\r\n]*[\r\n][ \t\r\n]*", b"\n", cells).strip(), separator or " ", layout, {})
    if table is None:
        return None
    for name, kind in layout.types.items():
        if not pc.all(pc.match_substring_regex(table[name], f"^(?:{kind.pattern})$")).as_py():
            return None
        values = pc.replace_substring_regex(table[name], "^[+L]", "").cast(kind.dtype)
        table = table.set_column(layout.columns.index(name), name, values)
    return table if _is_finite(table, layout) else None


def _parse(content: bytes, separator: str, layout: Layout, types: dict[str, pa.DataType]) -> pa.Table | None:
    """Return the columns of a file; None if a line has more or fewer, or a cell is empty or not of its type."""
    # Arrow refuses a line that is longer than a block; all lines are in one if some did not fit.
    block_size = _BLOCK_BYTES if types else min(max(len(content), _BLOCK_BYTES), 2**31 - 1)
    types = {name: types.get(name, pa.large_string()) for name in layout.columns}
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(
                column_names=layout.columns, use_threads=len(content) > _SMALL_BYTES, block_size=block_size
            ),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    strings = (name for name, dtype in types.items() if dtype == pa.large_string())
    has_rows = len(table) and all(pc.min(pc.binary_length(table[name])).as_py() for name in strings)
    return table if has_rows and _is_finite(table, layout) else None


def _is_finite(table: pa.Table, layout: Layout) -> bool:
    floats = (table[name] for name in layout.columns if table.schema.field(name).type == pa.float64())
    return all(pc.all(pc.is_finite(column)).as_py() for column in floats)


def _separator(content: bytes, layout: Layout) -> str | None:
    """Return a semicolon if it separates the cells of the first line, None for white space."""
    first_line = re.search(rb"\S[^\r\n]*", content)
    cells = split_cells(first_line[0].decode("utf-8", errors="replace"), ";") if first_line else []
    fits = len(cells) == len(layout.columns)
    is_semicolon = fits and all(t.accepts(cells[layout.columns.index(name)]) for name, t in layout.types.items())
    return ";" if is_semicolon else None


def find_line(path: PathLike, layout: Layout, first_cells: Sequence[str]) -> int:
    """Return the number of the line that starts with some cells."""
    content = _without_comments(path, read_bytes(path, layout.role))
    separator, count = _separator(content, layout), len(first_cells)
    lines = enumerate(content.decode("utf-8").split("\n"), 1)
    return next(number for number, line in lines if split_cells(line, separator)[:count] == list(first_cells))


def _layout_error(path: PathLike, content: bytes, layout: Layout, separator: str | None) -> IrdivError:
    """Return the error that names the first line of a file that does not fit its layout."""
    expected = f"expected {len(layout.columns)} columns as in '{layout.example}'"
    for number, line in enumerate(content.splitlines(), 1):
        problem = _find_problem(line, layout, separator) if line.strip() else None
        if problem and line.lstrip()[:1] in (b"{", b"["):
            return IrdivError(
                f"{path}, line {number}: JSON, and not a TREC {layout.role} file; read it by irdiv.rag."
                f"{JSON_READERS.get(layout.role, 'read_nuggets')} first (on the command line, by irdiv coverage)."
            )
        if problem:
            return IrdivError(f"{path}, line {number}: {problem}; {expected}.")
    fault = f"not a {layout.role} file" if content.strip() else f"the {layout.role} file is empty"
    return IrdivError(f"{path}: {fault}; {expected}.")


def _find_problem(line: bytes, layout: Layout, separator: str | None) -> str | None:
    """Return why a line does not fit a layout, or None."""
    try:
        cells = split_cells(line.decode("utf-8"), separator)
    except UnicodeDecodeError as error:
        return f"byte {line[error.start]:#04x} is not UTF-8"
    if len(cells) != len(layout.columns):
        other = next((o for o in (TREC_QRELS, TREC_RUN) if o is not layout and len(o.columns) == len(cells)), None)
        hint = "" if other is None else f", as {'qrels have' if other is TREC_QRELS else 'a run has'}"
        if len(cells) == 1 and cells[0].count(",") >= 2:
            hint = " with commas (give a CSV file as a frame, as pandas.read_csv(path) reads it)"
        return f"found {len(cells)} column{'s' if len(cells) != 1 else ''}{hint}"
    if "" in cells:
        return f"the {layout.columns[cells.index('')]} is empty"
    for name, cell in zip(layout.columns, cells, strict=True):
        kind = layout.types.get(name)
        if kind is not None and not kind.accepts(cell):
            is_level = layout is TREC_QRELS and LEVEL.accepts(cell)
            hint = " (irdiv.datasets.read_ntcir_qrels reads Dqrels)" if is_level else ""
            shown = f"{cell[:_SNIPPET]!r}{'…' if len(cell) > _SNIPPET else ''}"
            return f"{name} is {shown}, not {kind.description}{hint}"
    return None
