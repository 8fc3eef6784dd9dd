"""Files compressed by gzip, which may not expand beyond measure."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LARGEST_EXPANSION = 100
"""How many times its size a file may have when it is expanded; qrels and runs have 3 to 20 times theirs."""
ALWAYS_ALLOWED = 1 << 28
"""Bytes to which any file may expand."""
_PART = 1 << 20


def open_gzip(path: Path) -> io.BufferedReader:
    """Open a compressed file; to read more than it may expand to is an error."""
    return io.BufferedReader(_BoundedGzip(path))


class _BoundedGzip(io.RawIOBase):
    """The expanded bytes of a file, up to a multiple of the compressed bytes that were read for them."""

    def __init__(self, path: Path) -> None:
        self._path, self._expanded = path, 0
        self._compressed = path.open("rb")
        self._gzip = gzip.GzipFile(fileobj=self._compressed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._gzip.readinto(buffer)
        self._expanded += count
        if self._expanded > max(ALWAYS_ALLOWED, LARGEST_EXPANSION * self._compressed.tell()):
            raise IrdivError(
                f"{self._path}: the file expands to more than {LARGEST_EXPANSION} times its size, and more than "
                f"{ALWAYS_ALLOWED >> 20} MB, which qrels and runs do not; if this is right, expand it by gunzip first."
            )
        return count

    def readall(self) -> bytes:
        """Return all that is left, in large parts."""
        return b"".join(iter(lambda: self.read(_PART) or b"", b""))

    def close(self) -> None:
        self._gzip.close()
        self._compressed.close()
        super().close()
