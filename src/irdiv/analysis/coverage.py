"""Intents, and the documents by which runs cover them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from irdiv.arrays.blocks import JudgedBlock
from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import (
    DEFAULT_DUPLICATES,
    DEFAULT_TIES,
    Duplicates,
    OrderedRun,
    RankedBlock,
    RankedHits,
    Ties,
    order_run,
    require_order_options,
)
from irdiv.arrays.run_checks import check_run, warn_about_runs
from irdiv.checks import Integer, require
from irdiv.errors import prefix_errors_with_run
from irdiv.frames.backends import returns_callers_frame
from irdiv.frames.inputs import QrelsLike, RunLike
from irdiv.frames.runs import named_runs
from irdiv.types import Objects


@returns_callers_frame
def intent_probabilities(qrels: QrelsLike | Collection) -> pd.DataFrame:
    """Return the probabilities of intents as measures use them by default.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.

    Returns
    -------
    DataFrame
        ``query_id, intent_id, probability``: a row for each intent with a relevant document. The probabilities of a
        topic sum to 1, and are equal where none are given.

    Examples
    --------
    >>> import pandas as pd
    >>> from irdiv import analysis
    >>> rows = [("85", "1", "a", 1), ("85", "2", "b", 2), ("85", "3", "c", 0)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> analysis.intent_probabilities(qrels)
      query_id intent_id  probability
    0       85         1          0.5
    1       85         2          0.5
    """
    collection = Collection.of(qrels)
    collection.require_intents("probabilities of intents")
    return pd.concat([_probabilities(block) for block in collection.blocks], ignore_index=True)


def _probabilities(block: JudgedBlock) -> pd.DataFrame:
    collection = block.collection
    topic, intent = np.nonzero(block.eligible_intents(1, "relevant"))
    return pd.DataFrame(
        {
            "query_id": collection.topics[block.start + topic],
            "intent_id": collection.intents[collection.intent_start[block.start + topic] + intent],
            "probability": block.intent_weights(1, "relevant", True)[topic, intent],
        }
    ).astype({"query_id": str, "intent_id": str})


@returns_callers_frame
def relevant_documents_by_intent(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    *,
    cutoff: int = 10,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return the documents of runs that are relevant to each intent, with their ranks and grades.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    cutoff
        The last rank that is searched.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``run, query_id, intent_id, rank, doc_id, grade``: a row for each document and each intent to which its grade is
        above 0, sorted by run as given, topic, intent and rank.

    Examples
    --------
    >>> import pandas as pd
    >>> from irdiv import analysis
    >>> rows = [("85", "2", "a", 1), ("85", "4", "a", 2), ("85", "2", "b", 1), ("85", "1", "e", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> analysis.relevant_documents_by_intent(qrels, {"bm25": {"85": {"b": 3.0, "x": 2.0, "a": 1.0}}})
        run query_id intent_id  rank doc_id  grade
    0  bm25       85         2     1      b      1
    1  bm25       85         2     3      a      1
    2  bm25       85         4     3      a      2
    """
    depth = require(Integer(1), cutoff=cutoff)
    require_order_options(ties, duplicates)
    collection = Collection.of(qrels)
    collection.require_intents("coverage of intents")
    named, ordered = named_runs(runs), {}
    for name, run in named.items():
        shown_name = name if len(named) > 1 else None
        with prefix_errors_with_run(shown_name):
            ordered[name] = order_run(collection, run, ties=ties, duplicates=duplicates)
    warn_about_runs({name: [check_run(run, depth)] for name, run in ordered.items()}, depth)
    return relevant_documents_of_ordered_runs(ordered, depth)


def relevant_documents_of_ordered_runs(runs: Mapping[str, OrderedRun], cutoff: int) -> pd.DataFrame:
    """Return the frame of `relevant_documents_by_intent` for runs that are ordered and checked."""
    parts = [
        part.assign(run=name)
        for name, run in runs.items()
        for part in _relevant_documents(run.collection, run.hits(depth=cutoff))
    ]
    columns = ["run", "query_id", "intent_id", "rank", "doc_id", "grade"]
    return pd.concat(parts, ignore_index=True)[columns].astype(dict.fromkeys(("query_id", "intent_id", "doc_id"), str))


def _relevant_documents(collection: Collection, hits: RankedHits) -> Iterator[pd.DataFrame]:
    for block in collection.blocks:
        ranked = RankedBlock.from_hits(block, hits)
        # Intents and hits are in order, so that the rows are too.
        topic, intent, hit = np.nonzero(ranked.grades > 0)
        docs: Objects = np.asarray(collection.relevant_doc_ids(ranked.rows[topic, hit] + block.row_base), dtype=object)
        yield pd.DataFrame(
            {
                "query_id": collection.topics[block.start + topic],
                "intent_id": collection.intents[collection.intent_start[block.start + topic] + intent],
                "rank": ranked.rank[topic, hit],
                "doc_id": docs,
                "grade": ranked.grades[topic, intent, hit],
            }
        )
