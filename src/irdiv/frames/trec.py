"""TREC qrels and run files as pandas frames."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from irdiv.errors import IrdivError
from irdiv.frames.sources import is_parquet

PathLike: TypeAlias = str | os.PathLike[str]


# An inexact reader makes ties of scores that differ, and breaks ties of equal ones; since 3.1 pandas is exact.
_EXACT_FLOATS: Any = (
    {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}
)


class Kind(NamedTuple):
    """What a column of a file holds: its dtype, a check of one cell, and what to call it."""

    dtype: type
    holds: Callable[[str], bool]
    name: str


class Layout(NamedTuple):
    """What each line of a file holds; columns without a kind are ids.

    Columns are separated by white space, or by semicolons where ids hold spaces, as in INTENT's subtopic mining.
    """

    kind: str
    columns: tuple[str, ...]
    example: str
    kinds: dict[str, Kind]


def _is_integer(cell: str) -> bool:
    return re.fullmatch("[+-]?[0-9]{1,18}", cell) is not None


def _is_finite(cell: str) -> bool:
    try:
        return "_" not in cell and math.isfinite(float(cell))
    except ValueError:
        return False


INTEGER = Kind(int, _is_integer, "an integer")
NUMBER = Kind(float, _is_finite, "a finite number")
_QRELS = Layout(
    "qrels",
    ("query_id", "iteration", "doc_id", "relevance"),
    "151 1 clueweb09-en0000-00-03430 2",
    {"relevance": INTEGER},
)
_RUN = Layout(
    "run",
    ("query_id", "q0", "doc_id", "rank", "score", "run"),
    "151 Q0 clueweb09-en0000-00-03430 1 -2.28 mysystem",
    {"rank": INTEGER, "score": NUMBER},
)


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read a TREC qrels file, ``topic intent document grade``, gzip too.

    Returns the columns ``query_id, iteration, doc_id, relevance``; in diversity qrels ``iteration`` is
    the intent.
    """
    return read_columns(path, _QRELS)


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run file, ``topic Q0 document rank score tag``, gzip too.

    Returns the columns ``query_id, doc_id, rank, score`` in the order of the file. A description of the system
    at the start, ``<SYSDESC>…</SYSDESC>`` as in runs of NTCIR, is passed over.
    """
    return read_columns(path, _RUN)[["query_id", "doc_id", "rank", "score"]]


def run_tag(path: PathLike) -> str:
    """Return the tag in the last column of a run file."""
    if is_parquet(path):
        raise IrdivError(f"{os.fspath(path)!r} is Parquet, which has no tag; name runs by their files.")
    return str(read_columns(path, _RUN)["run"].iloc[0])


def read_columns(path: PathLike, layout: Layout) -> pd.DataFrame:
    """Read a file of columns separated by white space; an error names the file and the line at fault."""
    frame = _read(Path(path), layout)
    return frame.to_pandas() if isinstance(frame, pa.Table) else frame


def qrels_frame(path: PathLike) -> Any:
    """Read a TREC qrels file as `read_qrels` does, into the frame that takes the least time."""
    return _read(Path(path), _QRELS)


def run_frame(path: PathLike) -> Any:
    """Read a TREC run file as `read_run` does, into the frame that takes the least time."""
    return _read(Path(path), _RUN)


def plain_run_frame(path: PathLike) -> pa.Table | None:
    """Read a TREC run file that is as plain as most are; None for another, which may be at fault.

    Unlike `run_frame` it may be called in a thread: to look for faults, pandas' warnings become errors everywhere.
    """
    try:
        content, semicolons = _content(Path(path), _RUN)
        return None if semicolons else _by_arrow(content, _RUN)
    except (ValueError, EOFError, OSError, zlib.error):
        return None


def _read(path: Path, layout: Layout) -> pa.Table | pd.DataFrame:
    """Read a file by Arrow if it is as plain as most are, else by pandas, to the same effect."""
    if is_parquet(path):
        raise IrdivError(
            f"{str(path)!r} is Parquet, not a TREC file; give it to irdiv.evaluate, or to pandas.read_parquet."
        )
    try:
        content, semicolons = _content(path, layout)
        table = None if semicolons else _by_arrow(content, layout)
        return _by_pandas(content, layout, semicolons) if table is None else table
    except (ValueError, OverflowError, EOFError, OSError, zlib.error, pd.errors.ParserWarning, RuntimeWarning) as error:
        raise _diagnosis(path, layout, None if isinstance(error, _LayoutError) else error) from None


def _content(path: Path, layout: Layout) -> tuple[bytes, bool]:
    """Return the lines of a file behind what it may start with, and whether semicolons separate their columns."""
    with open_file(path, layout.kind) as file:
        _pass_description(file)
        semicolons = _has_semicolons(file, layout)
        return file.read(), semicolons


def _by_arrow(content: bytes, layout: Layout) -> pa.Table | None:
    """Return the columns of lines with one blank, or one tabulator, between cells; None if any line is another."""
    types = {name: _ARROW[layout.kinds[name].dtype if name in layout.kinds else str] for name in layout.columns}
    checked = any(kind.dtype is str for kind in layout.kinds.values())
    blank, tabulator = b" " in content, b"\t" in content
    if checked or blank is tabulator or b"\r" in content or _may_be_hexadecimal(content):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(column_names=list(types)),
            csv.ParseOptions(delimiter=" " if blank else "\t", quote_char=False),
            csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    # An empty cell is a blank too many, which pandas passes over.
    words = (pc.min(pc.binary_length(table[name])).as_py() for name in types if types[name] == pa.large_string())
    numbers = (pc.all(pc.is_finite(table[name])).as_py() for name in types if types[name] == pa.float64())
    return table if len(table) and all(words) and all(numbers) else None


def _may_be_hexadecimal(content: bytes) -> bool:
    """Tell whether 0x, which begins a number to Arrow only, or a second byte order mark stands anywhere."""
    letters = np.frombuffer(content, dtype=np.uint8)
    x = np.flatnonzero((letters | 0x20) == ord("x"))
    return bool((letters[x - 1] == ord("0")).any()) or content[3:6] == codecs.BOM_UTF8


_ARROW = {str: pa.large_string(), int: pa.int64(), float: pa.float64()}


class _LayoutError(ValueError):
    """Something in a file that pandas reads and the layout does not allow."""


def _by_pandas(content: bytes, layout: Layout, semicolons: bool) -> pd.DataFrame:
    dtypes: dict[str, Any] = {
        name: layout.kinds[name].dtype if name in layout.kinds else str for name in layout.columns
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("error", RuntimeWarning)  # an infinity as an integer
        frame = pd.read_csv(
            io.BytesIO(content),
            sep=";" if semicolons else r"\s+",
            names=list(layout.columns),
            dtype=dtypes,
            header=None,
            index_col=False,
            quoting=3,
            na_filter=False,
            encoding="utf-8-sig",
            **_EXACT_FLOATS,
        )
    words = [name for name, dtype in dtypes.items() if dtype is str]
    if semicolons:
        frame = frame.assign(**{name: frame[name].str.strip() for name in words})
    checked = words if semicolons else [layout.columns[-1]]
    if frame.empty or frame[checked].isin(["", None]).any(axis=None) or not _all_hold(frame, layout):
        raise _LayoutError
    return frame


def _all_hold(frame: pd.DataFrame, layout: Layout) -> bool:
    """Check what pandas reads as strings, whatever it is."""
    words = [name for name, kind in layout.kinds.items() if kind.dtype is str]
    return all(frame[name].drop_duplicates().map(layout.kinds[name].holds).all() for name in words)


def _has_semicolons(file: Any, layout: Layout) -> bool:
    """Tell whether the columns of the line that a file stands at are those that semicolons separate."""
    line: bytes = file.peek(4096).split(b"\n", 1)[0].removeprefix(codecs.BOM_UTF8)
    cells = [cell.strip() for cell in line.decode("utf-8", errors="replace").split(";")]
    return len(cells) == len(layout.columns) and all(
        kind.holds(cells[layout.columns.index(name)]) for name, kind in layout.kinds.items()
    )


def _pass_description(file: Any) -> int:
    """Move a file past the description of a system that it may start with; return the lines passed."""
    lines = 0
    if file.peek(16).removeprefix(codecs.BOM_UTF8).startswith(b"<SYSDESC>"):
        line = b""
        while b"</SYSDESC>" not in line:
            line = file.readline()
            lines += 1
            if not line:
                raise EOFError("<SYSDESC> without </SYSDESC>")
        behind = line.split(b"</SYSDESC>", 1)[1].strip()
        if behind:
            raise EOFError(f"found {behind[:40]!r} behind </SYSDESC>; put it on a line of its own")
    return lines


def _require_file(path: Path, kind: str) -> None:
    if path.is_dir():
        raise IrdivError(
            f"{str(path)!r} is a folder without Parquet; expected a {kind} file, or a folder of Parquet files."
        )
    if not path.exists():
        raise IrdivError(f"no such {kind} file: {str(path)!r}")


def open_file(path: Path, kind: str) -> Any:
    """Open a file of bytes, packed by gzip or not."""
    _require_file(path, kind)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if packed else path.open("rb")
    except OSError as error:
        raise IrdivError(f"cannot read the {kind} file {str(path)!r}: {error.strerror}") from None


def _diagnosis(path: Path, layout: Layout, error: Exception | None) -> IrdivError:
    """Read again line by line, to say which line is at fault."""
    expected = f"expected {len(layout.columns)} columns as in '{layout.example}'"
    number = 0
    try:
        for number, line, sep in _lines(path, layout):
            fault = _fault(line, layout, sep)
            if fault:
                return IrdivError(f"{path}, line {number}: {fault}; {expected}.")
    except (EOFError, OSError, zlib.error) as broken:
        return IrdivError(f"{path}, after line {number}: the file is truncated or damaged ({broken}).")
    if number == 0 or error is None or isinstance(error, pd.errors.EmptyDataError):
        return IrdivError(f"{path}: the {layout.kind} file is empty; {expected}.")
    return IrdivError(f"{path}: not a {layout.kind} file ({error}); {expected}.")


def line_of(path: PathLike, layout: Layout, start: Sequence[str]) -> int:
    """Return the number of the line that starts with these cells."""
    for number, line, sep in _lines(Path(path), layout):
        if _cells(line, sep)[: len(start)] == list(start):
            return number
    raise LookupError(start)


def _lines(path: Path, layout: Layout) -> Iterator[tuple[int, bytes, str | None]]:
    with open_file(path, layout.kind) as file:
        passed = _pass_description(file)
        sep = ";" if _has_semicolons(file, layout) else None
        for number, line in enumerate(file, start=passed + 1):
            yield number, line.removeprefix(codecs.BOM_UTF8), sep


def _cells(raw: bytes, sep: str | None) -> list[str]:
    text = raw.decode("utf-8").strip()
    return [cell.strip() for cell in text.split(sep)] if text else []


def _fault(raw: bytes, layout: Layout, sep: str | None) -> str | None:
    try:
        cells = _cells(raw, sep)
    except UnicodeDecodeError as error:
        return f"byte {raw[error.start]:#04x} is not UTF-8"
    if cells and len(cells) != len(layout.columns):
        other = next((o for o in (_QRELS, _RUN) if o is not layout and len(o.columns) == len(cells)), None)
        as_in = "" if other is None else f", as {'qrels have' if other is _QRELS else 'a run has'}"
        return f"found {len(cells)} column{'s' if len(cells) != 1 else ''}{as_in}"
    if "" in cells:
        return f"the {layout.columns[cells.index('')]} is empty"
    for name, cell in zip(layout.columns, cells, strict=False):
        if name in layout.kinds and not layout.kinds[name].holds(cell):
            return f"{name} is {cell!r}, not {layout.kinds[name].name}"
    return None
