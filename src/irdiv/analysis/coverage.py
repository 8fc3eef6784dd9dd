"""Intents, and the documents by which runs cover them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from irdiv.checks import Integer, require
from irdiv.core.block import JudgedTopics, blocks_of
from irdiv.core.collection import Collection
from irdiv.core.run_checks import order_checked_runs
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Runs, Ties, require_order_options
from irdiv.io.tables import QrelsLike, RunLike, returns_callers_frame
from irdiv.types import Ints, Objects


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
    return pd.concat([_probabilities(topics) for topics in blocks_of(collection)], ignore_index=True)


def _probabilities(topics: JudgedTopics) -> pd.DataFrame:
    collection = topics.collection
    topic, intent = np.nonzero(topics.eligible_intents(1, "relevant"))
    return pd.DataFrame(
        {
            "query_id": collection.topics[topics.start + topic],
            "intent_id": collection.intents[collection.intent_start[topics.start + topic] + intent],
            "probability": topics.intent_weights(1, "relevant", True)[topic, intent],
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
    require(Integer(1), cutoff=cutoff)
    return relevant_documents_of_ordered_runs(_ordered_runs(qrels, runs, cutoff, ties, duplicates), cutoff)


def _ordered_runs(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    depth: int,
    ties: Ties,
    duplicates: Duplicates,
) -> dict[str, Runs]:
    """Return runs by name, ordered; warn about what is wrong in the first ``depth`` documents of each."""
    require_order_options(ties, duplicates)
    collection = Collection.of(qrels)
    collection.require_intents("coverage of intents")
    return dict(order_checked_runs(collection, runs, ties=ties, duplicates=duplicates, depth=depth))


def relevant_documents_of_ordered_runs(runs: Mapping[str, Runs], cutoff: int) -> pd.DataFrame:
    """Return the frame of `relevant_documents_by_intent` for runs that are ordered and checked."""
    parts = [part.assign(run=name) for name, run in runs.items() for part in _relevant_documents(run, cutoff)]
    columns = ["run", "query_id", "intent_id", "rank", "doc_id", "grade"]
    return pd.concat(parts, ignore_index=True)[columns].astype(dict.fromkeys(("query_id", "intent_id", "doc_id"), str))


def _relevant_documents(run: Runs, cutoff: int) -> Iterator[pd.DataFrame]:
    collection = run.collection
    for _, block in run.blocks(depth=cutoff):
        topics = block.topics
        # Intents and hits are in order, so that the rows are too.
        topic, intent, hit = np.nonzero(block.grades > 0)
        docs: Objects = np.asarray(collection.relevant_doc_ids(block.rows[topic, hit] + topics.row_base), dtype=object)
        yield pd.DataFrame(
            {
                "query_id": collection.topics[topics.start + topic],
                "intent_id": collection.intents[collection.intent_start[topics.start + topic] + intent],
                "rank": block.rank[topic, hit],
                "doc_id": docs,
                "grade": block.grades[topic, intent, hit],
            }
        )


@returns_callers_frame
def uncovered_intents(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    *,
    cutoff: int = 10,
    rel: int = 1,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return the declared intents that the first documents of runs do not cover: what Coverage counts as missed.

    Intents that no document supports are among them, and all intents of a topic that a run lacks.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    cutoff
        The last rank that is searched.
    rel
        The smallest grade that covers an intent.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``run, query_id, intent_id, description, importance, probability, n_relevant``: a row for each intent that is
        not covered, sorted by run as given, topic and intent. ``description`` and ``importance`` are there if the qrels
        have them. The probabilities of all declared intents of a topic sum to 1, and are missing where some have none.
        ``n_relevant`` counts the documents of grade ``rel`` or more, retrieved or not; with 0, no run can cover the
        intent.

    Examples
    --------
    >>> import pandas as pd
    >>> from irdiv import analysis
    >>> rows = [("85", "1", "e", 1), ("85", "2", "a", 1), ("85", "2", "b", 1), ("85", "4", "a", 2), ("85", "5", "a", 0)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> analysis.uncovered_intents(qrels, {"bm25": {"85": {"b": 3.0, "x": 2.0, "a": 1.0}}}, cutoff=2)
        run query_id intent_id  probability  n_relevant
    0  bm25       85         1         0.25           1
    1  bm25       85         4         0.25           1
    2  bm25       85         5         0.25           0
    """
    require(Integer(1), cutoff=cutoff)
    require(Integer(1), rel=rel)
    ordered = _ordered_runs(qrels, runs, cutoff, ties, duplicates)
    return uncovered_intents_of_ordered_runs(ordered, cutoff, rel)


def uncovered_intents_of_ordered_runs(runs: Mapping[str, Runs], cutoff: int, rel: int) -> pd.DataFrame:
    """Return the frame of `uncovered_intents` for runs that are ordered and checked."""
    parts = [part.assign(run=name) for name, run in runs.items() for part in _uncovered_intents(run, cutoff, rel)]
    frame = pd.concat(parts, ignore_index=True)
    ids = ["run", "query_id", "intent_id"]
    return frame[[*ids, *(name for name in frame if name not in ids)]].astype(dict.fromkeys(ids, str))


def intent_counts(collection: Collection) -> dict[str, int]:
    """Return how many intents each topic has: those that are declared or have a relevant document."""
    counted = collection.intent_declared | (collection.intent_best_grade > 0)
    counts = np.bincount(collection.intent_topic[counted], minlength=len(collection.topics))
    return dict(zip(collection.topics, counts.tolist(), strict=True))


def _uncovered_intents(run: Runs, cutoff: int, rel: int) -> Iterator[pd.DataFrame]:
    c = run.collection
    described = {"description": c.intent_description, "importance": c.intent_importance}
    for _, block in run.blocks(depth=cutoff):
        topics, covered = block.topics, block.relevant(rel).any(axis=-1)
        topic, intent = np.nonzero(topics.eligible_intents(rel, "all") & ~covered)
        index = c.intent_start[topics.start + topic] + intent
        yield pd.DataFrame(
            {
                "query_id": c.topics[topics.start + topic],
                "intent_id": c.intents[index],
                **{name: values[index] for name, values in described.items() if values is not None},
                "probability": topics.intent_shares(rel, "all")[topic, intent],
                "n_relevant": topics.cached(_relevant_counts, rel)[topic, intent],
            }
        )


def _relevant_counts(topics: JudgedTopics, rel: int) -> Ints:
    """Return the count of documents of grade ``rel`` or more of each intent, ``[topic, intent]``."""
    return np.count_nonzero(topics.grades[topics.relevant_rows] >= rel, axis=1)
