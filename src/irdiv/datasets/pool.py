"""Judgments as deep as a pool of runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import order_run
from irdiv.errors import IrdivError
from irdiv.evaluation import named_runs
from irdiv.frames.columns import NO_DOCUMENT, RunLike


def pooled(qrels: pd.DataFrame, runs: RunLike | Mapping[str, RunLike], depth: int | None) -> pd.DataFrame:
    """Return the judgments of documents that some run ranks among its first ``depth``.

    A row without a document keeps each intent that has none left.
    """
    if depth is not None and (not isinstance(depth, int) or depth < 1):
        raise IrdivError(f"depth={depth!r} is no depth of a pool; give a whole number from 1.")
    collection = Collection(qrels)
    pool = {(query, NO_DOCUMENT) for query in collection.topics}
    for run in named_runs(runs).values():
        ordered = order_run(collection, run)
        above = np.arange(len(ordered.topic)) - np.searchsorted(ordered.topic, ordered.topic)
        within = above < (len(above) if depth is None else depth)
        docs = ordered.columns.doc.take(ordered.row[within])
        pool.update(zip(collection.topics[ordered.topic[within]], docs.to_pylist(), strict=True))
    judged = qrels[[pair in pool for pair in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
    keys = ["query_id", "intent_id"]
    left = set(judged[keys].itertuples(index=False, name=None))
    once = qrels.drop_duplicates(keys)
    bare = once[[pair not in left for pair in once[keys].itertuples(index=False, name=None)]]
    return pd.concat([judged, bare.assign(doc_id=NO_DOCUMENT, relevance=0)])
