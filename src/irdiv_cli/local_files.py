"""Files of arguments as files that can be read more than once: standard input and pipes are saved first."""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from irdiv_cli import output

if TYPE_CHECKING:
    from irdiv.files import TemporaryFile


def local_file(path: str) -> str:
    """Return the path, or for ``-`` or a pipe, such as ``<(zcat run.gz)`` of a shell, a file with its content."""
    if path == "-":
        return str(_saved_standard_input().path)
    return str(_saved_pipe(path).path) if Path(path).is_fifo() else path


def optional_file(path: str | None) -> str | None:
    """Return `local_file` of a path that may be missing."""
    return None if path is None else local_file(path)


@lru_cache(maxsize=1)
def _saved_standard_input() -> TemporaryFile:
    """Return a temporary file with standard input, which can be read only once."""
    return _saved(sys.stdin.buffer, "standard input")


@cache
def _saved_pipe(path: str) -> TemporaryFile:
    """Return a temporary file with the content of a pipe, which can be read only once."""
    with open(path, "rb") as pipe:
        return _saved(pipe, path)


def _saved(stream: BinaryIO, name: str) -> TemporaryFile:
    from irdiv.files import TemporaryFile

    file = TemporaryFile(has_path=True)
    while part := stream.read(1 << 20):
        file.append(part)
    output.name_file_in_messages(str(file.path), name)
    return file
