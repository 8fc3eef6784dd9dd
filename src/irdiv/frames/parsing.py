"""Text files of columns as tables: parsed by Arrow if they are plain, else by pandas, with the same result."""

from __future__ import annotations

import codecs
import io
import re
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from irdiv.errors import IrdivError
from irdiv.frames.diagnosis import layout_error
from irdiv.frames.layouts import COMMENT, Layout, seek_first_row
from irdiv.frames.text import BLANKS, open_maybe_gzip, require_short_lines
from irdiv.progress import progress_counter
from irdiv.types import PathLike

# An inexact parser makes ties of scores that differ, and breaks ties of equal ones; since 3.1 pandas is exact.
_EXACT_FLOATS: Any = (
    {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}
)
_PIECE_BYTES = 1 << 24
_CACHED_BYTES = 1 << 16
"""How many bytes are scanned at a time: few enough for the processor's cache."""
_SMALL_BYTES = 1 << 22
"""Files up to this size are parsed by one thread, which takes less time in all if there are many of them."""
_ARROW_TYPES = {str: pa.large_string(), int: pa.int64(), float: pa.float64()}


def read_columns(path: PathLike, layout: Layout) -> pd.DataFrame:
    """Read a file of columns into a pandas frame; an error names the file and the line that does not fit."""
    table = read_table(Path(path), layout)
    return table.to_pandas() if isinstance(table, pa.Table) else table


def read_table(path: Path, layout: Layout) -> pa.Table | pd.DataFrame:
    """Read a file of columns into the frame that takes the least time."""
    try:
        content, separator = _content(path, layout)
        table = _parse_by_arrow(content, layout) if separator is None else None
        return _parse_by_pandas(content, layout, separator) if table is None else table
    except IrdivError:
        raise
    except (ValueError, OverflowError, EOFError, OSError, zlib.error, pd.errors.ParserWarning, RuntimeWarning) as error:
        raise layout_error(path, layout, None if isinstance(error, _LayoutError) else error) from None


def read_plain_table(path: Path, layout: Layout) -> pa.Table | None:
    """Read a file of columns that Arrow can parse; None for any other file, valid or not.

    Unlike `read_table` it can be called in a thread: the parser of pandas needs warnings to be errors, everywhere.
    """
    try:
        content, separator = _content(path, layout)
        return _parse_by_arrow(content, layout) if separator is None else None
    except (ValueError, EOFError, OSError, zlib.error):
        return None


def _content(path: Path, layout: Layout) -> tuple[bytes, str | None]:
    """Return the rows of a file, without what precedes them, and the separator of columns; None for white space."""
    with open_maybe_gzip(path, layout.role) as file:
        skipped, separator = seek_first_row(file, layout)
        content = _read_rest(file)
    require_short_lines(path, content, first_line=skipped + 1)
    return _without_comments(content), separator


def _without_comments(content: bytes) -> bytes:
    return re.sub(b"(?<=[\r\n])%b[\r\n]*" % COMMENT.pattern, b"", content) if b"#" in content else content


def _read_rest(file: io.BufferedReader) -> bytes:
    if not file.seekable():
        return file.read()
    # Reading past the buffer takes a seventh of the time of file.read(), which joins what the buffer holds.
    file.raw.seek(file.tell(), io.SEEK_SET)
    return file.raw.read() or b""


def _parse_by_arrow(content: bytes, layout: Layout) -> pa.Table | None:
    """Return the columns of lines with one space, or one tab, between cells; None if any line differs."""
    types = {name: _ARROW_TYPES[layout.dtype(name)] for name in layout.columns}
    has_checked_strings = any(column_type.dtype is str for column_type in layout.types.values())
    has_spaces, has_tabs = b" " in content, b"\t" in content
    if has_checked_strings or has_spaces is has_tabs or b"\r" in content or _may_be_hexadecimal(content):
        return None
    options = (
        csv.ReadOptions(column_names=list(types), use_threads=len(content) > _SMALL_BYTES),
        csv.ParseOptions(delimiter=" " if has_spaces else "\t", quote_char=False),
        csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
    )
    try:
        pieces = _pieces(content, layout.role)
        table = pa.concat_tables([csv.read_csv(pa.BufferReader(lines), *options) for lines in pieces])
    except pa.ArrowInvalid:
        return None
    # An empty cell is a space too many, which pandas skips.
    lengths = (pc.min(pc.binary_length(table[name])).as_py() for name in types if types[name] == pa.large_string())
    finite = (pc.all(pc.is_finite(table[name])).as_py() for name in types if types[name] == pa.float64())
    return table if len(table) and all(lengths) and all(finite) else None


def _pieces(content: bytes, role: str) -> Iterator[pa.Buffer]:
    """Yield pieces of whole lines, so that the progress of a large file can be shown."""
    with progress_counter(len(content), "B", f"reading the {role}") as advance:
        start = 0
        while start < len(content):
            end = content.find(b"\n", start + _PIECE_BYTES) + 1
            stop = end if end > 0 else len(content)
            yield pa.py_buffer(content).slice(start, stop - start)
            advance(stop - start)
            start = stop


def _may_be_hexadecimal(content: bytes) -> bool:
    """Return whether 0x, which starts a number for Arrow only, or a second byte order mark occurs anywhere."""
    if content[3:6] == codecs.BOM_UTF8:
        return True
    if b"x" not in content and b"X" not in content:
        return False
    letters = np.frombuffer(content, dtype=np.uint8)
    for start in range(0, len(letters), _CACHED_BYTES):
        x = start + np.flatnonzero((letters[start : start + _CACHED_BYTES] | 0x20) == ord("x"))
        if (letters[x - 1] == ord("0")).any():
            return True
    return False


class _LayoutError(ValueError):
    """Raised for content that pandas accepts but the file layout does not."""


def _parse_by_pandas(content: bytes, layout: Layout, separator: str | None) -> pd.DataFrame:
    dtypes: dict[str, type] = {name: layout.dtype(name) for name in layout.columns}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("error", RuntimeWarning)  # an infinity as an integer
        frame = pd.read_csv(
            io.BytesIO(content),
            sep=separator or r"\s+",
            names=list(layout.columns),
            dtype=dtypes,
            header=None,
            index_col=False,
            quoting=3,
            na_filter=False,
            encoding="utf-8-sig",
            **_EXACT_FLOATS,
        )
    strings = [name for name, dtype in dtypes.items() if dtype is str]
    if separator is not None:
        frame = frame.assign(**{name: frame[name].str.strip(BLANKS) for name in strings})
    may_be_empty = [layout.columns[-1]] if separator is None else strings
    if frame.empty or frame[may_be_empty].isin(["", None]).any(axis=None) or not _strings_are_valid(frame, layout):
        raise _LayoutError
    # pandas 2.2 reads integers from 2^63 on as unsigned ones.
    if not np.isfinite(frame.select_dtypes(float)).all(axis=None) or not frame.select_dtypes(np.unsignedinteger).empty:
        raise _LayoutError
    return frame


def _strings_are_valid(frame: pd.DataFrame, layout: Layout) -> bool:
    """Return whether the type of each column of strings accepts all its cells; pandas checks the other dtypes."""
    checked = [name for name, column_type in layout.types.items() if column_type.dtype is str]
    return all(frame[name].drop_duplicates().map(layout.types[name].accepts).all() for name in checked)
