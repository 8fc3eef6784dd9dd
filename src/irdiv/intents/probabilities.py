"""Probabilities of intents by their order, for collections that have none of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.intents.files import read_intents
from irdiv.io.columns import ALIASES, QRELS_COLUMNS, find_columns, raise_if_empty
from irdiv.io.ids import as_ids, natural_argsort
from irdiv.io.tables import IntentsLike, QrelsLike, as_frame, returns_callers_frame, unwrap_qrels
from irdiv.io.values import float_values, ids_or_none

_KEYS = ("query_id", "intent_id")


@returns_callers_frame
def descending_weights(intent_table: IntentsLike | QrelsLike) -> pd.DataFrame:
    """Return descending probabilities for the intents of each topic, as Sakai and Song have them.

    The j-th of the n intents of a topic, in the natural order of their ids, has the probability
    2^(n−j+1) / Σ_{k=1..n} 2^k. With qrels, this is what ``irdiv.load(…, probabilities="descending")`` does.

    Parameters
    ----------
    intent_table
        A frame with ``query_id``, an intent column and a row for each intent that counts, or the path of such a file;
        or qrels as a frame or a `Dataset`, of which the intents with a relevant document count.

    Returns
    -------
    DataFrame
        ``query_id, intent_id, probability``, an intent table for `irdiv.with_intents`.

    Examples
    --------
    >>> import pandas as pd
    >>> descending_weights(pd.DataFrame({"query_id": "1", "intent_id": ["1", "2", "10"]})).round(4)
      query_id intent_id  probability
    0        1         1       0.5714
    1        1         2       0.2857
    2        1        10       0.1429
    """
    frame = as_frame(unwrap_qrels(intent_table), "intents", QRELS_COLUMNS, read_intents)
    raise_if_empty(len(frame), _KEYS, "intents")
    is_qrels = any(alias in frame.columns for alias in ALIASES["doc_id"])
    role, required = ("qrels", (*QRELS_COLUMNS, "intent_id")) if is_qrels else ("intents", _KEYS)
    names = find_columns(frame.columns, role, required, ("parent_id",))
    table = pd.DataFrame({key: as_ids(frame[names[key]], role).to_numpy(zero_copy_only=False) for key in _KEYS})
    if is_qrels:
        table = table[float_values(frame[names["relevance"]], role) > 0].drop_duplicates()
    elif "parent_id" in names and any(parent is not None for parent in ids_or_none(frame[names["parent_id"]])):
        raise IrdivError(
            "the intents are a hierarchy (some have a parent_id), of which all nodes together have no distribution; "
            "give the qrels, or only the leaves without the column parent_id."
        )
    repeated = table[table.duplicated()]
    if len(repeated):
        query, intent = repeated.iloc[0]
        raise IrdivError(f"the intent table has two rows for intent {intent!r} of topic {query!r}; keep one.")
    for key in reversed(_KEYS):
        table = _in_natural_order(table, key)
    j = table.groupby("query_id").cumcount() + 1
    n = table.groupby("query_id")["intent_id"].transform("size")
    # Σ_{k=1..n} 2^k = 2^{n+1} − 2, and the quotient by 2^{n+1}, which cannot overflow
    return table.assign(probability=np.exp2(-j.astype(float)) / (1 - np.exp2(-n.astype(float)))).reset_index(drop=True)


def _in_natural_order(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the rows sorted by a column of ids in natural order; stable."""
    codes, ids = pd.factorize(table[column])
    position = np.argsort(natural_argsort(ids.tolist()))
    return table.iloc[np.argsort(position[codes], kind="stable")]
