"""TREC qrels and run files."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.frames.layouts import TREC_QRELS, TREC_RUN
from irdiv.frames.parquet import is_parquet
from irdiv.frames.parsing import read_columns, read_plain_table, read_table
from irdiv.types import PathLike

_LAYOUTS = {"qrels": TREC_QRELS, "run": TREC_RUN}


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read a TREC qrels file, ``topic intent document grade``, compressed by gzip or not.

    Returns the columns ``query_id, iteration, doc_id, relevance``; in diversity qrels ``iteration`` is
    the intent. Lines that start with ``#`` are comments.
    """
    _raise_if_parquet(path)
    return read_columns(path, TREC_QRELS)


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run file, ``topic Q0 document rank score tag``, compressed by gzip or not.

    Returns the columns ``query_id, doc_id, rank, score`` in the order of the file. A description of the system
    at the start, ``<SYSDESC>…</SYSDESC>`` as in runs of NTCIR, is skipped, and so are lines that start with ``#``.
    """
    _raise_if_parquet(path)
    return read_columns(path, TREC_RUN)[["query_id", "doc_id", "rank", "score"]]


def read_trec_tag(path: Path) -> str:
    """Return the tag in the last column of a TREC run file."""
    return str(read_columns(path, TREC_RUN)["run"].iloc[0])


def read_trec(path: Path, role: str) -> pa.Table | pd.DataFrame:
    """Read a TREC file, as a run or else as qrels by its role, into the frame that takes the least time."""
    return read_table(path, _LAYOUTS.get(role, TREC_QRELS))


def read_plain_trec_run(path: Path) -> pa.Table | None:
    """Read a TREC run file in a thread, if it is plain enough; None for any other file, valid or not."""
    return read_plain_table(path, TREC_RUN)


def _raise_if_parquet(path: PathLike) -> None:
    if is_parquet(Path(path)):
        raise IrdivError(
            f"{os.fspath(path)!r} is Parquet, not a TREC file; give it to irdiv.evaluate, or to pandas.read_parquet."
        )
