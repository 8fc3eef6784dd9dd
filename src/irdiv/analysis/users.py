"""Measures of what a list offers to a user who knows some documents already, as in textbooks.

Documents have their highest grade over intents. The reference is Baeza-Yates and Ribeiro-Neto, Modern Information
Retrieval, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Optional, require
from irdiv.core.block import Block, JudgedTopics
from irdiv.core.collection import Collection
from irdiv.core.run_checks import order_checked_run
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties
from irdiv.errors import IrdivError, examples
from irdiv.io.columns import find_columns
from irdiv.io.ids import as_ids, find_positions
from irdiv.io.tables import FrameLike, QrelsLike, RunLike, as_frame, returns_callers_frame
from irdiv.kernels.lists import safe_divide
from irdiv.types import Bools, Floats, Ints, Objects


@returns_callers_frame
def user_oriented_measures(
    qrels: QrelsLike | Collection,
    run: RunLike,
    known: FrameLike | Mapping[str, Iterable[object]],
    *,
    expected: Mapping[str, int] | None = None,
    cutoff: int | None = None,
    rel: int = 1,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return measures that depend on which documents the user knows, and how many are expected.

    Parameters
    ----------
    qrels, run
        In any form that `irdiv.evaluate` takes.
    known
        The documents that the user knows: a frame with ``query_id`` and ``doc_id``, or a mapping from topic to ids.
    expected
        How many relevant documents the user expects to find in each topic; by default as many as are known.
    cutoff
        The last rank that the user examines; by default that of the whole list.
    rel
        The smallest relevant grade.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``query_id, coverage, novelty, relative_recall, recall_effort``. Coverage is the share of the known relevant
        documents that were found; novelty the share of the relevant documents found that were not known; relative
        recall the relevant documents found over those expected; recall effort those expected over the documents
        examined to find them, all of the list where they are not found. A ratio over 0 is 0.
    """
    require(Integer(1), rel=rel)
    require(Optional(Integer(1)), cutoff=cutoff)
    collection = Collection.of(qrels)
    known_rows = _known_rows(known, collection)
    parts = []
    for _, block in order_checked_run(collection, run, ties=ties, duplicates=duplicates).blocks():
        topics = block.topics
        is_known = _in_block(known_rows, topics)
        relevant = topics.grades.max(axis=1) >= rel
        last_rank = block.max_rank if cutoff is None else cutoff
        hit = (block.grades.max(axis=1) >= rel) & (block.rank <= last_rank)
        found, found_known = hit.sum(axis=1), (is_known[block.rows] & hit).sum(axis=1)
        all_known = (is_known & relevant)[topics.relevant_rows].sum(axis=1)
        ids = collection.topics[topics.start : topics.stop]
        expected_counts = all_known if expected is None else _expected_counts(expected, ids)
        examined = _examined(hit, block, expected_counts, cutoff)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": ids,
                    "coverage": safe_divide(found_known.astype(float), all_known),
                    "novelty": safe_divide((found - found_known).astype(float), found),
                    "relative_recall": safe_divide(found.astype(float), expected_counts),
                    "recall_effort": safe_divide(expected_counts.astype(float), examined),
                }
            ).astype({"query_id": str})
        )
    return pd.concat(parts, ignore_index=True)


def _known_rows(known: FrameLike | Mapping[str, Iterable[object]], collection: Collection) -> Ints:
    """Return the rows of known documents among the relevant ones of a collection, -1 for those that are not."""
    if isinstance(known, Mapping):
        wrong = next((docs for docs in known.values() if isinstance(docs, str)), None)
        if wrong is not None:
            raise IrdivError(f"known documents of a topic are a list of ids; found {wrong!r}.")
        pairs = [(query_id, doc_id) for query_id, docs in known.items() for doc_id in docs]
        known = pd.DataFrame(pairs, columns=["query_id", "doc_id"])
    frame = as_frame(known, "known documents", ("query_id", "doc_id", "known"))
    names = find_columns(frame.columns, "known documents", ("query_id", "doc_id"))
    query_ids, doc_ids = (as_ids(frame[names[name]], "known documents") for name in ("query_id", "doc_id"))
    topic = find_positions(query_ids, collection.topic_ids)
    in_collection = np.flatnonzero(topic >= 0)
    return collection.find_relevant(topic[in_collection], doc_ids.take(in_collection))


def _in_block(rows: Ints, topics: JudgedTopics) -> Bools:
    """Return which rows of a block's grades are among some rows of the collection."""
    chosen = np.zeros(len(topics.grades), dtype=bool)
    inside = (rows >= topics.row_base) & (rows < topics.row_base + len(topics.grades) - 1)
    chosen[rows[inside] - topics.row_base] = True
    return chosen


def _expected_counts(expected: Mapping[str, int], topics: Objects) -> Ints:
    counts = {str(query_id): count for query_id, count in expected.items()}
    for query_id, count in counts.items():
        require(Integer(0), **{f"expected[{query_id!r}]": count})
    missing = [query_id for query_id in topics if query_id not in counts]
    if missing:
        raise IrdivError(f"expected has no count for topic {examples(missing)}; give one for each topic of the qrels.")
    return np.array([counts[query_id] for query_id in topics], dtype=np.int64)


def _examined(hit: Bools, block: Block, expected: Ints, cutoff: int | None) -> Floats:
    """Return the rank at which as many relevant documents are found as expected, or else the length of the list."""
    reached = (np.cumsum(hit, axis=1) >= expected[:, None]) & hit
    rank = np.take_along_axis(np.broadcast_to(block.rank, hit.shape), reached.argmax(axis=1)[:, None], axis=1)[:, 0]
    documents = block.length if cutoff is None else np.minimum(block.length, cutoff)
    return np.where(reached.any(axis=1), rank, documents).astype(np.float64)
