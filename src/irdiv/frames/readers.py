"""The file formats of qrels and runs: a format is added by one more entry of `READERS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import pyarrow as pa

from irdiv.frames.ntcir import is_dqrels, read_dqrels
from irdiv.frames.parquet import PARQUET_SUFFIXES, is_parquet, open_parquet
from irdiv.frames.trec import read_plain_trec_run, read_trec, read_trec_tag
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset


class Reader(NamedTuple):
    """How files of one format are recognized and read.

    ``role`` is what a file holds: ``"qrels"``, ``"run"`` or ``"intents"``. A table has the columns that
    `irdiv.frames.columns.ALIASES` lists, under any of their names.
    """

    name: str
    suffixes: tuple[str, ...]
    """Endings of file names, which are not part of the name of a run."""
    recognizes: Callable[[Path], bool]
    """Return whether a path, which need not exist, is that of a file of this format."""
    read: Callable[[Path, str], pa.Table | pd.DataFrame]
    """Return the table of ``(path, role)``."""
    open: Callable[[Path, str, Sequence[str]], Dataset] | None = None
    """Return a dataset of ``(path, role, encoded)`` that is read in batches, if the format allows it.

    Columns that are named as encoded have few distinct strings, which may be read as Arrow dictionaries.
    """
    read_run_in_thread: Callable[[Path], pa.Table | None] | None = None
    """Return the table of a run, or None where it must be read in the main thread."""
    read_tag: Callable[[Path], str] | None = None
    """Return the tag of a run, its name inside the file, if the format has one."""


PARQUET = Reader(
    "Parquet",
    PARQUET_SUFFIXES,
    is_parquet,
    read=lambda path, role: open_parquet(path, role).to_table(),
    open=open_parquet,
)
NTCIREVAL = Reader(
    "NTCIREVAL",
    (),
    is_dqrels,
    read=lambda path, role: read_dqrels(path) if role == "qrels" else read_trec(path, role),
)
TREC = Reader(
    "TREC",
    (".txt", ".run", ".res", ".trec"),
    lambda path: True,
    read=read_trec,
    read_run_in_thread=read_plain_trec_run,
    read_tag=read_trec_tag,
)
READERS = (PARQUET, NTCIREVAL, TREC)
"""The first that recognizes a file reads it; the last one takes all others."""


def reader_of(path: PathLike) -> Reader:
    """Return the reader of a file."""
    return next(reader for reader in READERS if reader.recognizes(Path(path)))


def without_suffixes(name: str) -> str:
    """Return the name of a file without the endings of gzip and of all formats.

    >>> without_suffixes("bm25.v2.txt.gz")
    'bm25.v2'
    """
    for suffix in (".gz", *(suffix for reader in reversed(READERS) for suffix in reader.suffixes)):
        name = name.removesuffix(suffix)
    return name
