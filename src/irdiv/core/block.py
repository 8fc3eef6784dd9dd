"""Consecutive topics as padded arrays, the form in which kernels take them: what was judged, and what a run ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from irdiv.core.collection import Collection
from irdiv.core.index import argsort_by_topic
from irdiv.core.memo import Memo, memoized
from irdiv.errors import IrdivError
from irdiv.io.columns import IMPORTANCE_WEIGHTS
from irdiv.io.ids import argsort_ids
from irdiv.kernels.lists import ordered_sum, pad, safe_divide
from irdiv.types import Bools, Floats, Ints, Objects

BLOCK_CELLS = 4_000_000
"""How many (topic, document, intent) cells are scored at once; it bounds memory and changes no value."""
MOST_CELLS = 500_000_000
"""How many grades a block may have, a row for each relevant document and a column for each intent; 8 bytes each."""


class JudgedTopics(Memo):
    """Topics ``start`` to ``stop`` of a collection as padded arrays; what runs share is computed once and kept.

    Attributes
    ----------
    row_base, row_count
        The first row of the relevant documents in the arrays of the collection, and how many there are.
    grade_slice, intent_slice
        The grades and the intents in the arrays of the collection.
    relevant_per_topic, intents_per_topic
        The counts of relevant documents and of all intents of each topic.
    """

    def __init__(self, collection: Collection, start: int, stop: int) -> None:
        super().__init__()
        self.collection = collection
        self.start, self.stop = start, stop
        self.row_base = int(collection.row_start[start])
        self.row_count = int(collection.row_start[stop]) - self.row_base
        self.grade_slice = slice(*collection.grade_start[[start, stop]])
        self.intent_slice = slice(*collection.intent_start[[start, stop]])
        self.relevant_per_topic: Ints = np.diff(collection.row_start[start : stop + 1])
        self.intents_per_topic: Ints = np.diff(collection.intent_start[start : stop + 1])

    def __len__(self) -> int:
        return self.stop - self.start

    @cached_property
    def grades(self) -> Ints:
        """Grades as ``[row, intent]``: a row for each relevant document, then one of zeros that padding points at."""
        c, judged = self.collection, self.grade_slice
        intent_count = int(self.intents_per_topic.max())
        # Only a topic that is a block of its own has more cells than blocks are made for.
        if self.row_count * intent_count > MOST_CELLS:
            raise IrdivError(
                f"topic {c.topics[self.start]!r} has {self.row_count} relevant documents and {intent_count} intents: a "
                f"grade for each pair of them would take more than {MOST_CELLS * 8 / 1e9:.0f} GB. Evaluate groups of "
                "its intents as topics of their own, or leave documents that no run retrieves out of the qrels."
            )
        grades = np.zeros((self.row_count + 1, intent_count), dtype=np.int64)
        grades[c.grade_row[judged] - self.row_base, c.grade_intent[judged]] = c.grade[judged]
        return grades

    @cached_property
    def relevant_rows(self) -> Ints:
        """Rows of `grades` of the relevant documents as ``[topic, document]``, in arbitrary order."""
        return pad(np.arange(len(self.grades) - 1), self.relevant_per_topic, fill=len(self.grades) - 1)

    @cached_property
    def relevant_rows_by_id(self) -> Ints:
        """Rows of `grades` of the relevant documents as ``[topic, document]``, ordered by doc id."""
        rows = np.arange(len(self.grades) - 1)
        by_id = argsort_ids(self.collection.relevant_doc_ids(self.row_base + rows))
        topic = np.repeat(np.arange(len(self)), self.relevant_per_topic)
        return pad(by_id[argsort_by_topic(topic[by_id])], self.relevant_per_topic, fill=len(rows))

    @memoized
    def eligible_intents(self, rel: int, intents: str) -> Bools:
        """Return which intents count, ``[topic, intent]``.

        These are the intents with a document of grade ``rel`` or more, and all declared ones with ``intents="all"``.
        """
        counted = self.collection.intent_best_grade[self.intent_slice] >= rel
        if intents == "all":
            counted = counted | self.collection.intent_declared[self.intent_slice]
        return pad(counted, self.intents_per_topic, fill=False)

    def eligible_intent_count(self, rel: int, intents: str) -> Ints:
        """Return the number of eligible intents of each topic."""
        return np.count_nonzero(self.eligible_intents(rel, intents), axis=1)

    @cached_property
    def navigational(self) -> Bools:
        """Which intents are navigational, ``[topic, intent]``."""
        return pad(self.collection.intent_navigational[self.intent_slice], self.intents_per_topic, fill=False)

    @cached_property
    def importance(self) -> Objects | None:
        """The importance of each intent, ``[topic, intent]``; None if the qrels have no such column."""
        importance = self.collection.intent_importance
        return None if importance is None else pad(importance[self.intent_slice], self.intents_per_topic, fill=None)

    @cached_property
    def best_grade(self) -> Ints:
        """The highest grade of each intent, ``[topic, intent]``."""
        return self.grades[self.relevant_rows].max(axis=1)

    @memoized
    def intent_weights(self, rel: int, intents: str, renormalize: bool) -> Floats:
        """Return Pr(i|q) of the intents that count, ``[topic, intent]``; 0 for the others."""
        weight, uniform = self._given_weights(rel, intents)
        sizes = self.intents_per_topic
        inside = np.arange(sizes.max(initial=1)) < sizes[:, None]
        self.raise_if_missing_probabilities(np.isnan(weight)[inside])
        total = ordered_sum(weight)
        self.raise_if_zero_weights(self.eligible_intents(rel, intents).any(axis=1) & (total == 0))
        return safe_divide(weight, np.where(uniform | renormalize, total, 1.0)[:, None])

    def intent_shares(self, rel: int, intents: str) -> Floats:
        """Return Pr(i|q) as `intent_weights` does with ``renormalize``, but NaN in topics where some are missing."""
        weight, _ = self._given_weights(rel, intents)
        return safe_divide(weight, ordered_sum(weight)[:, None])

    def _given_weights(self, rel: int, intents: str) -> tuple[Floats, Bools]:
        """Return the weights of intents, NaN for missing ones, and which topics have none, whose intents weigh 1."""
        counted = self.eligible_intents(rel, intents)
        probability = pad(self.collection.intent_probability[self.intent_slice], self.intents_per_topic, fill=np.nan)
        weight = np.where(counted, probability, 0.0)
        uniform: Bools = (np.isnan(weight) == counted).all(axis=1)
        weight[uniform] = counted[uniform]
        return weight, uniform

    def raise_if_missing_probabilities(self, missing: Bools) -> None:
        """Raise an error for the first intent whose probability is missing; one flag for each intent."""
        if missing.any():
            c = self.collection
            first = int(c.intent_start[self.start] + np.argmax(missing))
            label = None if c.intent_importance is None else c.intent_importance[first]
            is_unknown = label is not None and label not in IMPORTANCE_WEIGHTS
            has = f"its importance {label!r} has no weight" if is_unknown else "has no probability"
            raise IrdivError(
                f"{c.describe_intent(first)} counts but {has}, while other intents of the topic have one; give the "
                "probabilities of all intents, with ids spelled as in the qrels, or of none for uniform ones."
            )

    def raise_if_zero_weights(self, zero: Bools) -> None:
        """Raise an error for the first topic whose intents all have the probability 0; one flag for each topic."""
        if zero.any():
            topic = self.collection.topics[self.start + np.flatnonzero(zero)[0]]
            raise IrdivError(
                f"all intents that count in topic {topic!r} have the probability 0; raise one of them, or leave the "
                "probabilities out for uniform ones."
            )


@memoized
def blocks_of(collection: Collection) -> list[JudgedTopics]:
    """Return consecutive topics in blocks that are small enough to be scored at once."""
    documents, intents = (np.maximum(np.diff(edges), 1) for edges in (collection.row_start, collection.intent_start))
    blocks, start = [], 0
    while start < len(documents):
        rest = slice(start, start + max(BLOCK_CELLS // int(documents[start] * intents[start]), 1))
        most_documents, most_intents = (np.maximum.accumulate(counts[rest]) for counts in (documents, intents))
        cells = most_documents * most_intents * np.arange(1, len(most_intents) + 1)
        # A tree has no more layers than nodes, and the grades of all layers have to fit into memory.
        layers = 1 if collection.intent_parent is None else most_intents
        is_full = cells > np.minimum(BLOCK_CELLS, MOST_CELLS // layers)
        stop = start + max(int(np.argmax(is_full)) if is_full.any() else len(cells), 1)
        blocks.append(JudgedTopics(collection, start, stop))
        start = stop
    return blocks


@memoized
def single_topics(collection: Collection) -> list[JudgedTopics]:
    """Return a block for each topic, by which the rankings of many runs for it are scored at once."""
    return [JudgedTopics(collection, topic, topic + 1) for topic in range(len(collection.topics))]


class Block(Memo):
    """Topics with the hits of their rankings: all that a measure needs.

    A ranking is what a run has for a topic. One run is scored on many topics at once, or many runs on one topic; then
    what depends on the topic alone is ``[1, …]`` and broadcasts over the runs.

    Attributes
    ----------
    topics
        The judged topics.
    rank, max_rank, length
        As in `irdiv.kernels.lists.HitLists`, ``[ranking, hit]``.
    rows
        The row of each hit in the grades of the topics, ``[ranking, hit]``.
    judged_counts
        A function from a depth, None for all documents, to the count of judged documents in each ranking.
    """

    def __init__(
        self,
        topics: JudgedTopics,
        rank: Ints,
        rows: Ints,
        max_rank: int,
        length: Ints,
        judged_counts: Callable[[int | None], Ints] | None = None,
    ) -> None:
        super().__init__()
        self.topics, self.judged_counts = topics, judged_counts
        self.rank, self.max_rank, self.length = rank, max_rank, length
        self.rows = rows
        self.grades = topics.grades[rows].swapaxes(1, 2)
        """Grades as ``[ranking, intent, hit]``."""

    @memoized
    def with_intents_of(self, layer: JudgedTopics) -> Block:
        """Return the same hits with the grades for other intents of the same documents."""
        return Block(layer, self.rank, self.rows, self.max_rank, self.length, self.judged_counts)

    @memoized
    def relevant(self, rel: int) -> Bools:
        """Return which hits are relevant to which intents, ``[ranking, intent, hit]``."""
        return self.grades >= rel
