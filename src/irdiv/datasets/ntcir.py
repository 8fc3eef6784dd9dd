"""Files of NTCIR's diversity tasks as NTCIREVAL takes them."""

from __future__ import annotations

import re

import pandas as pd

from irdiv.frames.intents import with_intents
from irdiv.frames.trec import Kind, Layout, PathLike, read_columns

_LEVEL = Kind(str, lambda cell: re.fullmatch("L[0-9]{1,5}", cell) is not None, "a level such as L2")
_DQRELS = Layout(
    "Dqrels",
    ("query_id", "intent_id", "doc_id", "relevance"),
    "0001 2 clueweb09-en0000-00-03430 L1",
    {"relevance": _LEVEL},
)


def read_ntcir_qrels(path: PathLike, intents: PathLike | None = None) -> pd.DataFrame:
    """Read NTCIREVAL's Dqrels, ``topic intent document Lx``, gzip too.

    Parameters
    ----------
    path
        The Dqrels file.
    intents
        An Iprob file, ``topic intent probability``, or a DINprob file with ``inf`` or ``nav`` behind, which is
        folded in by `irdiv.with_intents`.

    Returns
    -------
    pandas.DataFrame
        With ``query_id, intent_id, doc_id, relevance`` and what the second file tells.
    """
    frame = read_columns(path, _DQRELS)
    frame["relevance"] = frame["relevance"].str[1:].astype(int)
    return frame if intents is None else with_intents(frame, intents)
