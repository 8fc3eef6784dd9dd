"""TREC qrels and run files as pandas frames."""

from __future__ import annotations

import gzip
import os
import warnings
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


class _Layout(NamedTuple):
    kind: str
    columns: tuple[str, ...]
    example: str
    numbers: dict[str, type]


_QRELS = _Layout(
    "qrels",
    ("query_id", "iteration", "doc_id", "relevance"),
    "151 1 clueweb09-en0000-00-03430 2",
    {"relevance": int},
)
_RUN = _Layout(
    "run",
    ("query_id", "q0", "doc_id", "rank", "score", "run"),
    "151 Q0 clueweb09-en0000-00-03430 1 -2.28 mysystem",
    {"rank": int, "score": float},
)


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read a TREC qrels file, ``topic intent document grade``, gzip too.

    Returns the columns ``query_id, iteration, doc_id, relevance``; in diversity qrels ``iteration`` is
    the intent.
    """
    return _read(path, _QRELS)


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run file, ``topic Q0 document rank score tag``, gzip too.

    Returns the columns ``query_id, doc_id, rank, score`` in the order of the file.
    """
    return _read(path, _RUN)[["query_id", "doc_id", "rank", "score"]]


def _read(path: PathLike, layout: _Layout) -> pd.DataFrame:
    path = Path(path)
    if not path.is_file():
        raise IrdivError(f"no such {layout.kind} file: {str(path)!r}")
    dtypes: dict[str, Any] = dict.fromkeys(layout.columns, str) | layout.numbers
    with _open(path, layout) as file:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                frame = pd.read_csv(
                    file,
                    sep=r"\s+",
                    names=list(layout.columns),
                    dtype=dtypes,
                    header=None,
                    index_col=False,
                    quoting=3,
                    **_EXACT_FLOATS,
                    na_filter=False,
                    encoding="utf-8",
                )
        except (ValueError, pd.errors.ParserError, pd.errors.ParserWarning, EOFError, OSError) as error:
            raise _diagnosis(path, layout, error) from None
    last = frame[layout.columns[-1]]
    if frame.empty or last.isna().any() or (last == "").any():
        raise _diagnosis(path, layout, None)
    return frame


def _open(path: Path, layout: _Layout) -> Any:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if packed else path.open("rb")
    except OSError as error:
        raise IrdivError(f"cannot read the {layout.kind} file {str(path)!r}: {error.strerror}") from None


def _diagnosis(path: Path, layout: _Layout, error: Exception | None) -> IrdivError:
    """Read again line by line, to say which line is at fault."""
    expected = f"expected {len(layout.columns)} columns as in '{layout.example}'"
    number = 0
    try:
        with _open(path, layout) as file:
            for number, line in enumerate(file, start=1):
                fault = _fault(line, layout)
                if fault:
                    return IrdivError(f"{path}, line {number}: {fault}; {expected}.")
    except (EOFError, OSError) as broken:
        return IrdivError(f"{path}, after line {number}: the file is truncated or damaged ({broken}).")
    if number == 0 or error is None or isinstance(error, pd.errors.EmptyDataError):
        return IrdivError(f"{path}: the {layout.kind} file is empty; {expected}.")
    return IrdivError(f"{path}: not a {layout.kind} file ({error}); {expected}.")


def _fault(raw: bytes, layout: _Layout) -> str | None:
    try:
        cells = raw.decode("utf-8").split()
    except UnicodeDecodeError as error:
        return f"byte {raw[error.start]:#04x} is not UTF-8"
    if cells and len(cells) != len(layout.columns):
        return f"found {len(cells)} columns"
    for name, cell in zip(layout.columns, cells, strict=False):
        kind: Callable[[str], object] = layout.numbers.get(name, str)
        try:
            kind(cell)
        except ValueError:
            return f"{name} is {cell!r}, not {'an integer' if kind is int else 'a number'}"
    return None


def read_intents(path: PathLike) -> pd.DataFrame:
    """Read what is known of intents.

    The file has a header with ``query_id, intent_id`` and one or more of ``probability, type, parent_id,
    description``, separated by tabs or commas; or no header and ``topic intent probability [type]``
    separated by spaces, as NTCIREVAL's Iprob and DINprob files.
    """
    path = Path(path)
    if not path.is_file():
        raise IrdivError(f"no such intents file: {str(path)!r}")
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    header = lines[0] if lines else ""
    sep = next((s for s in "\t," if s in header and not header.split(s)[0].strip().isdigit()), None)
    names = None if sep else ["query_id", "intent_id", "probability", "type"][: len(header.split())]
    if not lines or (names is not None and len(names) < 3):
        raise IrdivError(f"{path}: expected 'topic intent probability' in each line, or a header of columns.")
    try:
        return pd.read_csv(
            path,
            sep=sep or r"\s+",
            names=names,
            dtype={"query_id": str, "intent_id": str, "parent_id": str, "type": str, "description": str},
            encoding="utf-8-sig",
        )
    except (ValueError, pd.errors.ParserError) as error:
        raise IrdivError(f"{path}: not an intents file ({error}).") from None
