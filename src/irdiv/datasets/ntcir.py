"""Read files of NTCIR's diversity tasks in the formats of NTCIREVAL."""

from __future__ import annotations

from typing import cast

import pandas as pd

from irdiv.errors import IrdivError
from irdiv.intents.files import read_intents
from irdiv.intents.folding import ID_COLUMNS, fold, normalize_intent_table
from irdiv.io.trec import DQRELS, find_line, read_table
from irdiv.types import PathLike


def read_ntcir_qrels(path: PathLike, intent_table: PathLike | None = None) -> pd.DataFrame:
    """Read NTCIREVAL's Dqrels, ``topic intent document Lx``, compressed by gzip or not.

    Columns are separated by spaces, or by semicolons as in INTENT's files.

    Parameters
    ----------
    path
        The Dqrels file.
    intent_table
        An Iprob file, ``topic intent probability``, or a DINprob file, which adds the type ``inf`` or ``nav``; it is
        folded in by `irdiv.with_intents`. It must have each intent that has a relevant document.

    Returns
    -------
    pandas.DataFrame
        With ``query_id, intent_id, doc_id, relevance`` and the columns of the second file.
    """
    frame: pd.DataFrame = read_table(path, DQRELS).to_pandas()
    if intent_table is None:
        return frame
    table = normalize_intent_table(read_intents(intent_table))
    known = set(zip(*(table[name].to_list() for name in ID_COLUMNS), strict=True))
    relevant = frame[frame["relevance"] > 0]
    pairs = zip(relevant["query_id"], relevant["intent_id"], strict=True)
    unknown = relevant[[pair not in known for pair in pairs]]
    if len(unknown):
        row = unknown.iloc[0]
        line = find_line(path, DQRELS, (row["query_id"], row["intent_id"], row["doc_id"]))
        raise IrdivError(
            f"{path}, line {line}: intent {row['intent_id']!r} of topic {row['query_id']!r} is not in {intent_table}."
        )
    return cast("pd.DataFrame", fold(frame, table))
