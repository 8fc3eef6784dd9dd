"""Judgments restricted to a pool of runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Optional, require
from irdiv.core.collection import Collection
from irdiv.core.runs import order_run
from irdiv.io.columns import PLACEHOLDER_DOC_ID
from irdiv.io.runs import named_runs
from irdiv.io.tables import RunLike


def restrict_to_pool(qrels: pd.DataFrame, runs: RunLike | Mapping[str, RunLike], depth: int | None) -> pd.DataFrame:
    """Return the judgments of documents that some run ranks among its first ``depth``; None for all it ranks.

    An intent without such documents is kept by a row with the placeholder document and grade 0.
    """
    require(Optional(Integer(1)), depth=depth)
    collection = Collection(qrels)
    pool = {(query, PLACEHOLDER_DOC_ID) for query in collection.topics}
    for run in named_runs(runs).values():
        ordered = order_run(collection, run)
        rank = np.arange(len(ordered.topic)) - np.searchsorted(ordered.topic, ordered.topic) + 1
        within = rank <= (len(rank) if depth is None else depth)
        docs = ordered.columns.doc.take(ordered.row[within])
        pool.update(zip(collection.topics[ordered.topic[within]], docs.to_pylist(), strict=True))
    judged = qrels[[pair in pool for pair in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
    ids = ["query_id", "intent_id"]
    judged_intents = set(judged[ids].itertuples(index=False, name=None))
    intents = qrels.drop_duplicates(ids)
    unjudged = intents[[pair not in judged_intents for pair in intents[ids].itertuples(index=False, name=None)]]
    return pd.concat([judged, unjudged.assign(doc_id=PLACEHOLDER_DOC_ID, relevance=0)])
