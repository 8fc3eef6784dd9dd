"""Files with probabilities, types, parents and descriptions of intents."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.io.columns import ALIASES, INTENT_TYPES, find_columns
from irdiv.io.text import csv_rows, rows_with_line_numbers, split_cells, text_lines
from irdiv.io.trec import FLOAT
from irdiv.types import PathLike

_COLUMNS_WITHOUT_HEADER = ("query_id", "intent_id", "probability", "type")


def read_intents(path: PathLike) -> pd.DataFrame:
    """Read an intent table: one row for each intent, with its probability, type, parent or description.

    The file is separated by commas, tabs or semicolons and has a header that names ``query_id``, ``intent_id`` and one
    or more of ``probability, type, parent_id, description, importance``; the probability may be called ``weight`` or
    ``weights``. A file without a header has the columns ``topic intent probability [type]``, separated by one of these
    or by spaces, as NTCIREVAL's Iprob and DINprob files.
    """
    path = Path(path)
    lines = text_lines(path, "intents")
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise IrdivError(f"{path}: the intents file is empty; expected 'topic intent probability', or a header.")
    header_separator = next((separator for separator in "\t;," if _is_header(split_cells(first, separator))), None)
    if header_separator is not None:
        rows = list(csv_rows(path, lines, header_separator, "intents"))
        columns = rows.pop(0)[1]
    else:
        rows = list(rows_with_line_numbers(lines, _separator_without_header(path, lines, first)))
        columns = list(_COLUMNS_WITHOUT_HEADER[: len(rows[0][1])])
    probability = find_columns(columns, "intents", ("query_id", "intent_id"), ("probability",)).get("probability")
    for line_number, row in rows:
        _check_row(path, line_number, row, columns, probability)
    frame = pd.DataFrame([row for _, row in rows], columns=columns, dtype=str)
    frame = frame.where(frame != "", None)
    return frame if probability is None else frame.astype({probability: float})


def _is_header(cells: list[str]) -> bool:
    return all(any(cell in ALIASES[name] for cell in cells) for name in ("query_id", "intent_id"))


def _separator_without_header(path: Path, lines: list[str], first: str) -> str | None:
    """Return the separator of a file without a header, judging by its first line; None for white space."""
    for separator in (None, ";", "\t", ","):
        cells = split_cells(first, separator)
        if len(cells) in (3, 4) and FLOAT.accepts(cells[2]) and (len(cells) == 3 or cells[3] in INTENT_TYPES):
            return separator
    raise IrdivError(
        f"{path}, line {lines.index(first) + 1}: expected 'topic intent probability [inf|nav]', or a header with the "
        f"columns query_id, intent_id and probability; found {first.strip()[:80]!r}."
    )


def _check_row(path: Path, line_number: int, row: list[str], columns: list[str], probability: str | None) -> None:
    if len(row) != len(columns):
        expected = f"expected {len(columns)} columns, {', '.join(columns)}"
        found = f"{len(row)} column{'s' if len(row) != 1 else ''}"
        raise IrdivError(f"{path}, line {line_number}: found {found}; {expected}.")
    cells = dict(zip(columns, row, strict=True))
    if probability and cells[probability] and not FLOAT.accepts(cells[probability]):
        raise IrdivError(
            f"{path}, line {line_number}: {probability} is {cells[probability]!r}, not {FLOAT.description}."
        )
    if cells.get("type") and cells["type"] not in INTENT_TYPES:
        raise IrdivError(f"{path}, line {line_number}: type is {cells['type']!r}, not inf or nav.")
