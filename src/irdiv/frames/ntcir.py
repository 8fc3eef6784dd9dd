"""NTCIREVAL's Dqrels files."""

from __future__ import annotations

import codecs
import zlib
from pathlib import Path

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.layouts import DQRELS, seek_first_row
from irdiv.frames.parsing import read_columns
from irdiv.frames.text import open_maybe_gzip, split_cells
from irdiv.types import PathLike


def is_dqrels(path: Path) -> bool:
    """Return whether the first line of a file that is no comment is one of Dqrels, ``topic intent document Lx``."""
    try:
        if not path.is_file():
            return False
        with open_maybe_gzip(path, DQRELS.role) as file:
            seek_first_row(file, DQRELS)
            start = file.read(4096).removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    except (EOFError, OSError, zlib.error, IrdivError):
        return False
    line = start.lstrip().partition("\n")[0]
    return any(
        len(cells) == len(DQRELS.columns) and DQRELS.types["relevance"].accepts(cells[-1])
        for cells in (split_cells(line, None), split_cells(line, ";"))
    )


def read_dqrels(path: PathLike) -> pd.DataFrame:
    """Return the rows of Dqrels, with levels such as L2 as the grade 2."""
    frame = read_columns(path, DQRELS)
    return frame.assign(relevance=frame["relevance"].str[1:].astype(int))
