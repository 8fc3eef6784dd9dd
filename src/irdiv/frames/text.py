"""Text files as lines and as rows of cells."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from irdiv.errors import IrdivError, examples
from irdiv.frames.compressed import open_gzip
from irdiv.types import PathLike

if TYPE_CHECKING:
    import pandas as pd

BLANKS = " \t\r\n"
"""White space around cells; that of Unicode belongs to ids, as in TREC files."""
LONGEST_LINE = 1 << 20
"""Bytes of a line of a text file; a longer one is not a row of a table."""


def open_maybe_gzip(path: PathLike, role: str) -> BufferedReader:
    """Open a file for reading bytes, compressed by gzip or not; ``role`` names the file in errors."""
    path = Path(path)
    if path.is_dir():
        raise IrdivError(
            f"{str(path)!r} is a folder without Parquet; expected a {role} file, or a folder of Parquet files."
        )
    if not path.exists():
        raise IrdivError(f"no such {role} file: {str(path)!r}")
    require_regular_file(path, role)
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == b"\x1f\x8b"
        return open_gzip(path) if compressed else path.open("rb")
    except OSError as error:
        raise IrdivError(f"cannot read the {role} file {str(path)!r}: {error.strerror}") from None


def require_regular_file(path: Path, role: str) -> None:
    """Raise an error for a pipe or a device: files are read more than once, and have an end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise IrdivError(
            f"cannot read the {role} from {str(path)!r}, which is a pipe or a device; expected a file that can be read "
            "more than once."
        )


def require_short_lines(path: PathLike, content: bytes, limit: int = LONGEST_LINE, first_line: int = 1) -> None:
    """Raise an error if a line has more bytes than the limit; ``first_line`` is the number of the first one."""
    start = 0
    while start + limit < len(content):
        end = content.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            number = first_line + content.count(b"\n", 0, start)
            hint = "Is it another format?"
            if content[start : start + 100].lstrip()[:1] in (b"{", b"["):
                hint = (
                    "JSON is read by irdiv.rag (on the command line, by irdiv coverage), with an object in each line."
                )
            raise IrdivError(
                f"{path}, line {number}: the line has more than {limit:,} bytes, which is the limit. {hint}"
            )
        start = end + 1


def text_lines(path: PathLike, role: str, longest: int | None = LONGEST_LINE) -> list[str]:
    """Return the lines of a text file in UTF-8, compressed by gzip or not; ``role`` names the file in errors.

    A line of more than ``longest`` bytes is an error; None allows any, as for JSON, which may be one line.
    """
    with open_maybe_gzip(path, role) as file:
        try:
            raw = file.read()
        except (EOFError, OSError, zlib.error) as error:
            raise IrdivError(f"{path}: the file is truncated or damaged ({error}).") from None
    if longest is not None:
        require_short_lines(path, raw, longest)
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line_number = raw[: error.start].count(b"\n") + 1
        byte = f"byte {raw[error.start]:#04x}"
        raise IrdivError(f"{path}, line {line_number}: {byte} is not UTF-8; save the file in UTF-8.") from None


def rows_with_line_numbers(lines: list[str], separator: str | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank; None separates cells at white space."""
    return ((number, split_cells(line, separator)) for number, line in enumerate(lines, 1) if line.strip())


def csv_rows(path: PathLike, lines: list[str], separator: str, role: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank, where cells may be quoted."""
    reader = csv.reader([line + "\n" for line in lines], delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            cells = [cell.strip(BLANKS) for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise IrdivError(f"{path}, line {reader.line_num}: not an {role} file ({error}).") from None


def require_separable_ids(frame: pd.DataFrame, columns: Sequence[str], separator: str) -> None:
    """Raise an error for ids that are empty or have the separator, a space or a semicolon, or a line break in them.

    An id of the first column may not start with ``#``, as a comment does.
    """
    pattern = r"[ \t\n\v\f\r]" if separator == " " else r"[;\r\n]|^[ \t]|[ \t]$"
    separated_by = "spaces" if separator == " " else "semicolons"
    for name in columns:
        wrong = frame[name][frame[name].str.contains(pattern) | (frame[name] == "")].drop_duplicates()
        if len(wrong):
            raise IrdivError(
                f"the file separates columns by {separated_by}, but the column {name} has {examples(wrong)}; rename "
                "these ids."
            )
    comments = frame[columns[0]][frame[columns[0]].str.startswith("#")].drop_duplicates()
    if len(comments):
        raise IrdivError(f"a line that starts with '#' is a comment; rename the {columns[0]} {examples(comments)}.")


@contextmanager
def csv_writing_errors() -> Iterator[None]:
    """Raise one of our errors for what Python's writer of CSV refuses: the null character, before Python 3.11."""
    try:
        yield
    except csv.Error as error:
        raise IrdivError(
            f"cannot write a null character to a text file of columns ({error}); use Python 3.11 or newer, or remove "
            "it from the ids and names."
        ) from None


def split_cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line without the white space around them."""
    if separator is None:
        return re.findall(f"[^{BLANKS}]+", line)
    return [cell.strip(BLANKS) for cell in line.split(separator)]
