"""Files of NTCIR's diversity tasks as NTCIREVAL takes them."""

from __future__ import annotations

import re

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.intent_files import read_intents
from irdiv.frames.intents import KEYS, intent_facts, with_intents
from irdiv.frames.trec import Kind, Layout, PathLike, line_of, read_columns

_LEVEL = Kind(str, lambda cell: re.fullmatch("L[0-9]{1,5}", cell) is not None, "a level such as L2")
_DQRELS = Layout(
    "Dqrels",
    ("query_id", "intent_id", "doc_id", "relevance"),
    "0001 2 clueweb09-en0000-00-03430 L1",
    {"relevance": _LEVEL},
)


def read_ntcir_qrels(path: PathLike, intents: PathLike | None = None) -> pd.DataFrame:
    """Read NTCIREVAL's Dqrels, ``topic intent document Lx``, gzip too.

    Columns are separated by spaces, or by semicolons as in INTENT's files.

    Parameters
    ----------
    path
        The Dqrels file.
    intents
        An Iprob file, ``topic intent probability``, or a DINprob file with ``inf`` or ``nav`` behind, which is
        folded in by `irdiv.with_intents`. It must know each intent that has a relevant document.

    Returns
    -------
    pandas.DataFrame
        With ``query_id, intent_id, doc_id, relevance`` and what the second file tells.
    """
    frame = read_columns(path, _DQRELS)
    frame["relevance"] = frame["relevance"].str[1:].astype(int)
    if intents is None:
        return frame
    facts = read_intents(intents)
    told = intent_facts(facts)
    known = set(zip(*(told[key].to_list() for key in KEYS), strict=True))
    relevant = frame[frame["relevance"] > 0]
    pairs = zip(relevant["query_id"], relevant["intent_id"], strict=True)
    unknown = relevant[[pair not in known for pair in pairs]]
    if len(unknown):
        row = unknown.iloc[0]
        line = line_of(path, _DQRELS, (row["query_id"], row["intent_id"], row["doc_id"]))
        raise IrdivError(
            f"{path}, line {line}: intent {row['intent_id']!r} of topic {row['query_id']!r} is not in {intents}."
        )
    return with_intents(frame, facts)
