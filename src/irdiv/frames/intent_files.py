"""Files that tell what is known of intents."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.trec import NUMBER, PathLike, open_file

_NAMES = ("query_id", "qid", "intent_id", "intent", "subtopic_id", "subtopic", "probability", "parent_id")
_HEADLESS = ("query_id", "intent_id", "probability", "type")
_TYPES = ("inf", "nav")


def read_intents(path: PathLike) -> pd.DataFrame:
    """Read what is known of intents.

    The file is comma-, tab- or semicolon-separated with a header that names ``query_id``, ``intent_id`` and one or
    more of ``probability, type, parent_id, description``; or it has no header and, separated by one of these or by
    spaces, ``topic intent probability [type]``, as NTCIREVAL's Iprob and DINprob files.
    """
    path = Path(path)
    lines = list(numbered_rows(path, "intents"))
    if not lines:
        raise IrdivError(f"{path}: the intents file is empty; expected 'topic intent probability', or a header.")
    number, first = lines[0]
    names = first if any(cell in _NAMES for cell in first) else None
    if names is None and (len(first) not in (3, 4) or (len(first) == 4 and first[3] not in _TYPES)):
        raise IrdivError(
            f"{path}, line {number}: expected 'topic intent probability [inf|nav]', or a header with the columns "
            f"query_id, intent_id and probability; found {' '.join(first)[:80]!r}."
        )
    columns = names or list(_HEADLESS[: len(first)])
    rows = lines if names is None else lines[1:]
    for number, row in rows:
        _check(path, number, row, columns)
    frame = pd.DataFrame([row for _, row in rows], columns=columns, dtype=str)
    frame = frame.where(frame != "", None)
    return frame.assign(probability=frame["probability"].astype(float)) if "probability" in columns else frame


def _check(path: Path, number: int, row: list[str], columns: list[str]) -> None:
    if len(row) != len(columns):
        expected = f"expected {len(columns)} columns, {', '.join(columns)}"
        raise IrdivError(f"{path}, line {number}: found {len(row)} columns; {expected}.")
    if "probability" in columns:
        cell = row[columns.index("probability")]
        if cell and not NUMBER.holds(cell):
            raise IrdivError(f"{path}, line {number}: probability is {cell!r}, not {NUMBER.name}.")


def numbered_rows(path: Path, kind: str) -> Iterator[tuple[int, list[str]]]:
    """Return the cells of each line with its number; tabs, semicolons or commas of the first line separate all."""
    lines = _text(path, kind).splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    sep = next((mark for mark in "\t;," if mark in first), None)
    if sep is None:
        yield from ((number, line.split()) for number, line in enumerate(lines, 1) if line.strip())
        return
    reader = csv.reader(lines, delimiter=sep, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise IrdivError(f"{path}, line {reader.line_num}: not an {kind} file ({error}).") from None


def _text(path: Path, kind: str) -> str:
    with open_file(path, kind) as file:
        try:
            raw: bytes = file.read()
        except (EOFError, OSError) as error:
            raise IrdivError(f"{path}: the file is truncated or damaged ({error}).") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw[: error.start].count(b"\n") + 1
        raise IrdivError(f"{path}, line {number}: byte {raw[error.start]:#04x} is not UTF-8.") from None
