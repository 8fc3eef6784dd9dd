"""Files of arguments as files that can be read more than once: standard input and pipes are saved first."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from irdiv_cli import output

if TYPE_CHECKING:
    from irdiv.files import TemporaryFile

FILE_ARGUMENTS = ("qrels", "runs", "intent_table", "topics", "heval", "topic_texts", "nuggets", "judgments")
"""Arguments that are a file or a list of files to read; not every command has all of them."""
_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def require_read_once(arguments: argparse.Namespace) -> None:
    """Raise an error if two arguments are standard input, or the same pipe: only one would have its content."""
    from irdiv.errors import IrdivError

    streams = [stream for path in _paths(arguments) if (stream := _name_of_stream(path)) is not None]
    repeated = next((stream for stream in streams if streams.count(stream) > 1), None)
    if repeated is not None:
        raise IrdivError(f"{repeated} can be read only once; give the other files by their paths.")


def _paths(arguments: argparse.Namespace) -> Iterator[str]:
    collections = getattr(arguments, "collection", None) or []
    for _, qrels, runs in collections:
        yield from [qrels, *runs]
    names = [name for name, _, _ in collections]
    for key in FILE_ARGUMENTS:
        given = getattr(arguments, key, None) or []
        for path in [given] if isinstance(given, str) else given:
            owner, _, own_path = path.partition("=")
            yield own_path if owner in names else path


def _name_of_stream(path: str) -> str | None:
    """Return how errors name standard input or a pipe; None for a file, which can be read again."""
    if path in _STANDARD_INPUT:
        return "standard input ('-')"
    return f"the pipe {path!r}" if Path(path).is_fifo() else None


def is_read(path: str, arguments: argparse.Namespace) -> bool:
    """Return whether a path is that of a file which the command reads, also by a pattern or from a folder of runs."""
    from glob import escape, glob

    from irdiv.io.runs import is_folder_of_runs

    if not os.path.exists(path):
        return False
    for given in _paths(arguments):
        pattern = os.path.join(escape(given), "*") if is_folder_of_runs(given) else given
        read = [given] if os.path.isfile(given) else glob(pattern)
        if any(os.path.exists(one) and os.path.samefile(path, one) for one in read):
            return True
    return False


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
    from irdiv.errors import IrdivError

    if sys.stdin is None:
        raise IrdivError("'-' is standard input, which is closed; give it a file or a pipe, or the path of a file.")
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
