"""The documents that runs rank first, and their grades for the intents that count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from irdiv.analysis.topics import IntentOptions
from irdiv.core.block import blocks_of
from irdiv.core.collection import Collection
from irdiv.core.index import PairIndex
from irdiv.core.runs import Runs
from irdiv.errors import IrdivError
from irdiv.io.ids import Ids
from irdiv.types import Bools, Floats, Ints


class CountedIntents(NamedTuple):
    """The intents of a collection that count for a measure, ordered by topic."""

    intent: Ints
    """Indices among all intents of the collection."""
    start: Ints
    """The intents of topic t are those from ``start[t]`` to ``start[t + 1]``."""
    probability: Floats | None
    """Pr(i|q); None if the qrels lack the probabilities of some intents of a topic."""


class FirstDocuments(NamedTuple):
    """The documents that some run ranks first, each once in its topic, ordered by topic."""

    doc_ids: Ids
    start: Ints
    """The documents of topic t are those from ``start[t]`` to ``start[t + 1]``."""
    is_judged: Bools
    grade_start: Ints
    """The grades of document d are those from ``grade_start[d]`` to ``grade_start[d + 1]``."""
    intent: Ints
    """The intent of each grade, counted from 0 within its topic."""
    grade: Ints
    """Grades above 0."""
    ranked: list[Ints]
    """For each run its documents by topic and rank, counted from 0 within the topic."""
    ranked_start: list[Ints]
    """The documents of run r for topic t are those from ``ranked_start[r][t]`` to ``ranked_start[r][t + 1]``."""


def counted_intents(collection: Collection, options: IntentOptions) -> CountedIntents:
    """Return the intents that count, with their probabilities."""
    parts: list[Ints] = []
    probabilities: list[Floats | None] = []
    for block in blocks_of(collection):
        topic, intent = np.nonzero(block.eligible_intents(options.rel, options.intents))
        parts.append(collection.intent_start[block.start + topic] + intent)
        try:
            probabilities.append(block.intent_weights(*options)[topic, intent])
        except IrdivError:  # measures that need probabilities have raised it before
            probabilities.append(None)
    index = np.concatenate(parts)
    known = [part for part in probabilities if part is not None]
    start = np.searchsorted(collection.intent_topic[index], np.arange(len(collection.topics) + 1))
    return CountedIntents(index, start, np.concatenate(known) if len(known) == len(parts) else None)


def first_documents(
    collection: Collection, runs: Iterable[Runs], intents: CountedIntents, cutoff: int
) -> FirstDocuments:
    """Return the documents of runs down to a cutoff; those of a topic are in the order of the first run that has them.

    Grades for intents that do not count are left out.
    """
    parts = [run.first(cutoff) for run in runs]
    topic = np.concatenate([part.topic for part in parts])
    docs = pa.concat_arrays([part.docs() for part in parts])
    hashes = np.concatenate([part.hashes for part in parts])
    pairs = PairIndex(topic, docs, hashes)
    by_topic = np.argsort(topic[pairs.first_rows], kind="stable")
    rows = pairs.first_rows[by_topic]
    edges = np.arange(len(collection.topics) + 1)
    start = np.searchsorted(topic[rows], edges)
    position = np.empty(len(rows), dtype=np.int64)
    position[by_topic] = np.arange(len(rows)) - start[topic[rows]]
    doc_ids, hashes = docs.take(rows), hashes[rows]
    grade_start, intent, grade = _grades(collection, collection.find_relevant(topic[rows], doc_ids, hashes), intents)
    return FirstDocuments(
        doc_ids,
        start,
        collection.is_judged(topic[rows], doc_ids, hashes),
        grade_start,
        intent,
        grade,
        np.split(position[pairs.inverse], np.cumsum([len(part.topic) for part in parts[:-1]])),
        [np.searchsorted(part.topic, edges) for part in parts],
    )


def _grades(collection: Collection, relevant_row: Ints, intents: CountedIntents) -> tuple[Ints, Ints, Ints]:
    """Return the grades of documents, given by row among the relevant ones or -1, for intents that count."""
    position = np.full(len(collection.intents), -1)
    position[intents.intent] = np.arange(len(intents.intent)) - intents.start[collection.intent_topic[intents.intent]]
    topic = np.repeat(np.arange(len(collection.topics)), np.diff(collection.grade_start))
    intent = position[collection.intent_start[topic] + collection.grade_intent]
    by_row = np.lexsort((intent, collection.grade_row))
    by_row = by_row[intent[by_row] >= 0]
    row_start = np.searchsorted(collection.grade_row[by_row], np.arange(collection.row_start[-1] + 1))
    is_relevant = relevant_row >= 0
    first = np.where(is_relevant, row_start[relevant_row], 0)
    count = np.where(is_relevant, row_start[relevant_row + 1] - first, 0)
    start = np.concatenate([[0], np.cumsum(count)])
    chosen = by_row[np.repeat(first - start[:-1], count) + np.arange(start[-1])]
    return start, intent[chosen], collection.grade[chosen]
