"""Where a page comes from: program, date, command and input files."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

import numpy as np

from irdiv.core.collection import Collection
from irdiv.errors import IrdivError
from irdiv.evaluation.results import Evaluation
from irdiv.io.tables import QrelsHolder
from irdiv.version import __version__

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_CHUNK = 1 << 20
_PIPES_OF_SHELLS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


@dataclass(frozen=True)
class Input:
    """Data that a page was made from."""

    role: str
    """What it is: ``"qrels"``, ``"run"``, ``"intent table"``, …."""
    name: str
    """The name of the file as it was given, without the folders of an absolute path; else what the data is."""
    run: str | None = None
    """The name of the run on the page; None for other data."""
    size: int | None = None
    """Bytes of the file; None for data in memory."""
    sha256: str | None = None
    """The SHA-256 hash of the file; None for data in memory."""
    rows: int | None = None
    """Rows of a frame in memory; None for files, and where they were not counted."""


@dataclass(frozen=True)
class Provenance:
    """Where a page comes from."""

    command: str
    """The command line, or the call of Python, without the folders of absolute paths."""
    inputs: tuple[Input, ...]
    version: str
    """The version of irdiv."""
    date: str
    """UTC in ISO 8601; that of the environment variable SOURCE_DATE_EPOCH if it is set."""
    python: str
    numpy: str

    @classmethod
    def now(cls, command: str, inputs: Iterable[Input]) -> Provenance:
        """Return the provenance of a page that is made now."""
        return cls(command, tuple(inputs), __version__, _date(), platform.python_version(), np.__version__)


def _date() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.now(timezone.utc) if epoch is None else datetime.fromtimestamp(int(epoch), timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise IrdivError(f"SOURCE_DATE_EPOCH={epoch!r} is not a count of seconds since 1970.") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def command_line(words: Sequence[str]) -> str:
    """Return the words of a command line as a shell takes them, without the folders of absolute paths."""
    return shlex.join([_shorten_word(word) for word in words])


def shorten(path: str) -> str:
    """Return a path as given, or ``…/name`` for an absolute one: pages do not show the folders of a machine.

    Pipes of a shell are shown as given: their numbers alone say nothing.

    >>> shorten("runs/bm25.run"), shorten("/home/someone/bm25.run"), shorten("/dev/fd/63")
    ('runs/bm25.run', '…/bm25.run', '/dev/fd/63')
    """
    if path.startswith(_PIPES_OF_SHELLS):
        return path
    for kind in (PurePosixPath, PureWindowsPath):
        if kind(path).is_absolute():
            return f"…/{kind(path).name}"
    return path


def _shorten_word(word: str) -> str:
    if re.match("-[^-]", word):  # a short option, whose value may follow it directly
        return f"{word[:2]}{shorten(word[2:])}"
    option, equals, value = word.partition("=")
    return shorten(word) if not equals or shorten(word) != word else f"{option}={shorten(value)}"


def inputs_of(role: str, data: object, *, name: str | None = None, run: str | None = None) -> Iterator[Input]:
    """Yield the files of data that is given by a path, one for each in a folder; else what is known of it in memory.

    ``name`` takes the place of that of the file.
    """
    if not isinstance(data, str | os.PathLike):
        yield Input(role, name or "in memory", run, rows=_row_count(data))
        return
    path = Path(data)
    shown = name or shorten(os.fspath(data))
    for file in sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]:
        size = file.stat().st_size
        yield Input(role, shown if file == path else f"{shown}/{file.name}", run, size, _sha256(file))


def inputs_of_evaluation(evaluation: Evaluation[IntoDataFrame]) -> Iterator[Input]:
    """Yield what is known of the qrels and runs of an evaluation."""
    if evaluation.sources is None:
        yield Input("values", "in memory", rows=evaluation.values.size)
        return
    yield Input("qrels", "in memory")
    for run in evaluation.runs:
        yield Input("run", "in memory", run)


_TEXTS = ("topic_texts", "intent_descriptions")


def call(function: str, options: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Return the call of a function with the options that are not defaults, except long tables of texts."""
    given = [
        f"{name}={_shown(value)}"
        for name, value in options.items()
        if value != defaults.get(name) and name not in _TEXTS
    ]
    return f"{function}({', '.join(['…', *given])})"


def _shown(value: object) -> str:
    """Return a value as in a call; a generator without its address, which differs each time."""
    return str(value) if isinstance(value, np.random.Generator) else repr(value)


def _row_count(data: object) -> int | None:
    if isinstance(data, QrelsHolder):
        data = data.qrels
    if isinstance(data, Collection):
        return None
    if isinstance(data, Mapping):
        return sum(len(values) for values in data.values())
    shape = getattr(data, "shape", None)
    return int(shape[0]) if isinstance(shape, tuple) and shape else None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
