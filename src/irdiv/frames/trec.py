"""TREC qrels and run files as pandas frames."""

from __future__ import annotations

import codecs
import gzip
import math
import os
import re
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from irdiv.errors import IrdivError

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
    """What each line of a file holds; columns without a kind are ids."""

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


def read_columns(path: PathLike, layout: Layout) -> pd.DataFrame:
    """Read a file of columns separated by white space; an error names the file and the line at fault."""
    path = Path(path)
    _require_file(path, layout.kind)
    dtypes: dict[str, Any] = {
        name: layout.kinds[name].dtype if name in layout.kinds else str for name in layout.columns
    }
    try:
        with _open(path, layout) as file, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            _pass_description(file)
            frame = pd.read_csv(
                file,
                sep=r"\s+",
                names=list(layout.columns),
                dtype=dtypes,
                header=None,
                index_col=False,
                quoting=3,
                na_filter=False,
                encoding="utf-8-sig",
                **_EXACT_FLOATS,
            )
    except (ValueError, OverflowError, EOFError, OSError, zlib.error, pd.errors.ParserWarning) as error:
        raise _diagnosis(path, layout, error) from None
    last = frame[layout.columns[-1]]
    if frame.empty or last.isna().any() or (last == "").any() or not _all_hold(frame, layout):
        raise _diagnosis(path, layout, None)
    return frame


def _all_hold(frame: pd.DataFrame, layout: Layout) -> bool:
    """Check what pandas reads as strings, whatever it is."""
    words = [name for name, kind in layout.kinds.items() if kind.dtype is str]
    return all(frame[name].drop_duplicates().map(layout.kinds[name].holds).all() for name in words)


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
    return lines


def _require_file(path: Path, kind: str) -> None:
    if path.is_dir():
        raise IrdivError(f"{str(path)!r} is a folder; expected a {kind} file.")
    if not path.exists():
        raise IrdivError(f"no such {kind} file: {str(path)!r}")


def _open(path: Path, layout: Layout) -> Any:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if packed else path.open("rb")
    except OSError as error:
        raise IrdivError(f"cannot read the {layout.kind} file {str(path)!r}: {error.strerror}") from None


def _diagnosis(path: Path, layout: Layout, error: Exception | None) -> IrdivError:
    """Read again line by line, to say which line is at fault."""
    expected = f"expected {len(layout.columns)} columns as in '{layout.example}'"
    number = 0
    try:
        with _open(path, layout) as file:
            for number, line in enumerate(file, start=_pass_description(file) + 1):
                fault = _fault(line.removeprefix(codecs.BOM_UTF8), layout)
                if fault:
                    return IrdivError(f"{path}, line {number}: {fault}; {expected}.")
    except (EOFError, OSError, zlib.error) as broken:
        return IrdivError(f"{path}, after line {number}: the file is truncated or damaged ({broken}).")
    if number == 0 or error is None or isinstance(error, pd.errors.EmptyDataError):
        return IrdivError(f"{path}: the {layout.kind} file is empty; {expected}.")
    return IrdivError(f"{path}: not a {layout.kind} file ({error}); {expected}.")


def _fault(raw: bytes, layout: Layout) -> str | None:
    try:
        cells = raw.decode("utf-8").split()
    except UnicodeDecodeError as error:
        return f"byte {raw[error.start]:#04x} is not UTF-8"
    if cells and len(cells) != len(layout.columns):
        other = next((o for o in (_QRELS, _RUN) if o is not layout and len(o.columns) == len(cells)), None)
        as_in = "" if other is None else f", as {'qrels have' if other is _QRELS else 'a run has'}"
        return f"found {len(cells)} column{'s' if len(cells) != 1 else ''}{as_in}"
    for name, cell in zip(layout.columns, cells, strict=False):
        if name in layout.kinds and not layout.kinds[name].holds(cell):
            return f"{name} is {cell!r}, not {layout.kinds[name].name}"
    return None


def read_intents(path: PathLike) -> pd.DataFrame:
    """Read what is known of intents.

    The file is comma- or tab-separated with a header that names ``query_id``, ``intent_id`` and one or more of
    ``probability, type, parent_id, description``; or it has no header and, separated by commas, tabs or
    spaces, ``topic intent probability [type]``, as NTCIREVAL's Iprob and DINprob files.
    """
    path = Path(path)
    _require_file(path, "intents")
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = file.readline()
        sep = next((mark for mark in "\t," if mark in first), None)
        cells = [cell.strip() for cell in first.split(sep)]
        named = any(cell in _INTENT_NAMES for cell in cells)
        names = None if named else ["query_id", "intent_id", "probability", "type"][: len(cells)]
        if not named and (len(cells) not in (3, 4) or (len(cells) == 4 and cells[3] not in ("inf", "nav"))):
            raise IrdivError(
                f"{path}, line 1: expected 'topic intent probability [inf|nav]', or a header with the columns "
                f"query_id, intent_id and probability; found {first.strip()[:80]!r}."
            )
        frame = pd.read_csv(
            path,
            sep=sep or r"\s+",
            names=names,
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            skipinitialspace=True,
            index_col=False,
            encoding="utf-8-sig",
        )
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise IrdivError(f"{path}: not an intents file ({error}).") from None
    return _numeric_probability(frame.rename(columns=str.strip), path)


_INTENT_NAMES = ("query_id", "qid", "intent_id", "intent", "subtopic_id", "subtopic", "probability", "parent_id")


def _numeric_probability(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    if "probability" in frame.columns:
        numbers = pd.to_numeric(frame["probability"], errors="coerce")
        wrong = numbers.isna() & frame["probability"].notna()
        if wrong.any():
            raise IrdivError(f"{path}: probability is {frame['probability'][wrong].iloc[0]!r}, not a number.")
        frame = frame.assign(probability=numbers)
    return frame
