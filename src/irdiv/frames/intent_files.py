"""Files that tell what is known of intents."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.trec import NUMBER, PathLike, open_file

_IDS = {
    "query_id": ("query_id", "qid"),
    "intent_id": ("intent_id", "intent", "subtopic_id", "subtopic"),
}
_HEADLESS = ("query_id", "intent_id", "probability", "type")
_TYPES = ("inf", "nav")


def read_intents(path: PathLike) -> pd.DataFrame:
    """Read what is known of intents.

    The file is comma-, tab- or semicolon-separated with a header that names ``query_id``, ``intent_id`` and one or
    more of ``probability, type, parent_id, description``; or it has no header and, separated by one of these or by
    spaces, ``topic intent probability [type]``, as NTCIREVAL's Iprob and DINprob files.
    """
    path = Path(path)
    lines = text_lines(path, "intents")
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise IrdivError(f"{path}: the intents file is empty; expected 'topic intent probability', or a header.")
    named = next((sep for sep in "\t;," if _is_header(_split(first, sep))), None)
    if named is not None:
        rows = list(_quoted_rows(path, lines, named))
        columns = rows.pop(0)[1]
    else:
        rows = list(numbered_rows(lines, _separator(path, lines, first)))
        columns = list(_HEADLESS[: len(rows[0][1])])
    for number, row in rows:
        _check(path, number, row, columns)
    frame = pd.DataFrame([row for _, row in rows], columns=columns, dtype=str)
    frame = frame.where(frame != "", None)
    return frame.assign(probability=frame["probability"].astype(float)) if "probability" in columns else frame


def _is_header(cells: list[str]) -> bool:
    return any(cell in _IDS["query_id"] for cell in cells) and any(cell in _IDS["intent_id"] for cell in cells)


def _separator(path: Path, lines: list[str], first: str) -> str | None:
    """Return what separates the columns of a file without a header; None for white space."""
    for sep in (None, ";", "\t", ","):
        cells = _split(first, sep)
        if len(cells) in (3, 4) and NUMBER.holds(cells[2]) and (len(cells) == 3 or cells[3] in _TYPES):
            return sep
    raise IrdivError(
        f"{path}, line {lines.index(first) + 1}: expected 'topic intent probability [inf|nav]', or a header with the "
        f"columns query_id, intent_id and probability; found {first.strip()[:80]!r}."
    )


def _split(line: str, sep: str | None) -> list[str]:
    return [cell.strip() for cell in line.split(sep)]


def _check(path: Path, number: int, row: list[str], columns: list[str]) -> None:
    if len(row) != len(columns):
        expected = f"expected {len(columns)} columns, {', '.join(columns)}"
        found = f"{len(row)} column{'s' if len(row) != 1 else ''}"
        raise IrdivError(f"{path}, line {number}: found {found}; {expected}.")
    cells = dict(zip(columns, row, strict=True))
    if cells.get("probability") and not NUMBER.holds(cells["probability"]):
        raise IrdivError(f"{path}, line {number}: probability is {cells['probability']!r}, not {NUMBER.name}.")
    if columns == list(_HEADLESS) and cells["type"] not in _TYPES:
        raise IrdivError(f"{path}, line {number}: type is {cells['type']!r}, not inf or nav.")


def numbered_rows(lines: list[str], sep: str | None) -> Iterator[tuple[int, list[str]]]:
    """Return the cells of each line that has some, with its number."""
    return ((number, _split(line, sep)) for number, line in enumerate(lines, 1) if line.strip())


def _quoted_rows(path: Path, lines: list[str], sep: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader([line + "\n" for line in lines], delimiter=sep, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise IrdivError(f"{path}, line {reader.line_num}: not an intents file ({error}).") from None


def text_lines(path: Path, kind: str) -> list[str]:
    """Return the lines of a file in UTF-8, packed by gzip or not."""
    with open_file(path, kind) as file:
        try:
            raw: bytes = file.read()
        except (EOFError, OSError, zlib.error) as error:
            raise IrdivError(f"{path}: the file is truncated or damaged ({error}).") from None
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        number = raw[: error.start].count(b"\n") + 1
        raise IrdivError(f"{path}, line {number}: byte {raw[error.start]:#04x} is not UTF-8.") from None
