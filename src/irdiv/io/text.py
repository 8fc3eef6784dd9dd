"""Text files as bytes, as lines and as rows of cells."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from irdiv.errors import IrdivError, examples
from irdiv.types import PathLike

if TYPE_CHECKING:
    import pandas as pd

BLANKS = " \t\r\n"
"""White space around cells; other white space of Unicode belongs to ids, as in TREC files."""
LARGEST_EXPANSION = 100
"""How many times its size a gzip file may expand to; qrels and runs expand to 3 to 20 times theirs."""
ALWAYS_ALLOWED = 1 << 28
"""Bytes to which any gzip file may expand."""


def read_bytes(path: PathLike, role: str, most: int | None = None) -> bytes:
    """Return the content of a file, compressed by gzip or not, or at least its first ``most`` bytes."""
    path = Path(path)
    if path.is_dir():
        raise IrdivError(
            f"{str(path)!r} is a folder without Parquet; expected a {role} file, or a folder of Parquet files."
        )
    if not path.exists():
        raise IrdivError(f"no such {role} file: {str(path)!r}")
    if not path.is_file():
        raise IrdivError(
            f"cannot read the {role} from {str(path)!r}, which is a pipe or a device; expected a file that can be read "
            "more than once."
        )
    try:
        # Without a buffer, as joining what it holds takes longer than reading.
        with path.open("rb", buffering=0) as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            return _expand(path, file, most) if is_compressed else file.read(-1 if most is None else most)
    except OSError as error:
        raise IrdivError(f"cannot read the {role} file {str(path)!r}: {error.strerror}") from None


def _expand(path: Path, file: BinaryIO, most: int | None) -> bytes:
    """Return the expanded content of a gzip file, which may not be beyond measure."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=file) as expanded:
            while (most is None or size < most) and (part := expanded.read(1 << 16)):
                parts.append(part)
                size += len(part)
                if size > max(ALWAYS_ALLOWED, LARGEST_EXPANSION * file.tell()):
                    raise IrdivError(
                        f"{path}: the file expands to more than {LARGEST_EXPANSION} times its size, and more than "
                        f"{ALWAYS_ALLOWED >> 20} MB, which qrels and runs do not; if this is right, expand it by "
                        "gunzip first."
                    )
    except (EOFError, OSError, zlib.error) as error:
        lines = b"".join(parts).count(b"\n")
        raise IrdivError(f"{path}, after line {lines}: the file is truncated or damaged ({error}).") from None
    return b"".join(parts)


def text_lines(path: PathLike, role: str) -> list[str]:
    """Return the lines of a text file in UTF-8, compressed by gzip or not; ``role`` names the file in errors."""
    content = read_bytes(path, role)
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line, byte = content[: error.start].count(b"\n") + 1, content[error.start]
        raise IrdivError(f"{path}, line {line}: byte {byte:#04x} is not UTF-8; save the file in UTF-8.") from None


def split_cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line without the white space around them; None separates cells at white space."""
    if separator is None:
        return re.findall(f"[^{BLANKS}]+", line)
    return [cell.strip(BLANKS) for cell in line.split(separator)]


def rows_with_line_numbers(lines: list[str], separator: str | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
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
    """Raise an `IrdivError` for what Python's CSV writer refuses: the null character, before Python 3.11."""
    try:
        yield
    except csv.Error as error:
        raise IrdivError(
            f"cannot write a null character to a text file of columns ({error}); use Python 3.11 or newer, or remove "
            "it from the ids and names."
        ) from None
