"""Consecutive topics of a collection as padded arrays, the form in which kernels take them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from irdiv.arrays.compiled import CompiledQrels
from irdiv.arrays.memo import Memo
from irdiv.arrays.padding import argsort_by_topic, pad
from irdiv.errors import IrdivError
from irdiv.frames.columns import IMPORTANCE_WEIGHTS
from irdiv.frames.ids import argsort_ids
from irdiv.kernels.lists import ordered_sum, safe_divide
from irdiv.types import Bools, Floats, Ints, Objects

MOST_CELLS = 500_000_000
"""How many grades a block may have, a row for each relevant document and a column for each intent; 8 bytes each."""


class JudgedBlock(Memo):
    """Topics ``start`` to ``stop`` of a collection as padded arrays; what runs share is computed once and kept."""

    def __init__(self, collection: CompiledQrels, start: int, stop: int) -> None:
        super().__init__()
        self.collection = collection
        self.start, self.stop = start, stop
        self.row_base = int(collection.row_start[start])

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

    @property
    def row_count(self) -> int:
        """How many relevant documents the block has."""
        return int(self.collection.row_start[self.stop]) - self.row_base

    @property
    def grade_slice(self) -> slice:
        """The grades of the block in the arrays of the collection."""
        return slice(*self.collection.grade_start[[self.start, self.stop]])

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

    @property
    def relevant_per_topic(self) -> Ints:
        """The count of relevant documents of each topic."""
        return np.diff(self.collection.row_start[self.start : self.stop + 1])

    def eligible_intents(self, rel: int, intents: str) -> Bools:
        """Return which intents count, ``[topic, intent]``.

        These are the intents with a document of grade ``rel`` or more, and all declared ones with ``intents="all"``.
        """
        return self.cached(_counted_intents, rel, intents)

    def eligible_intent_count(self, rel: int, intents: str) -> Ints:
        """Return the number of eligible intents of each topic."""
        return self.cached(_eligible_intent_count, rel, intents)

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

    def intent_weights(self, rel: int, intents: str, renormalize: bool) -> Floats:
        """Return Pr(i|q) of the intents that count, ``[topic, intent]``; 0 for the others."""
        return self.cached(_intent_weights, rel, intents, renormalize)

    def intent_shares(self, rel: int, intents: str) -> Floats:
        """Return Pr(i|q) as `intent_weights` does with ``renormalize``, but NaN in topics where some are missing."""
        weight, _ = self.cached(_given_weights, rel, intents)
        return safe_divide(weight, ordered_sum(weight)[:, None])

    @property
    def intent_slice(self) -> slice:
        """The intents of the block in the arrays of the collection."""
        start = self.collection.intent_start
        return slice(start[self.start], start[self.stop])

    @property
    def intents_per_topic(self) -> Ints:
        """The count of all intents of each topic."""
        return np.diff(self.collection.intent_start[self.start : self.stop + 1])

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


def _counted_intents(block: JudgedBlock, rel: int, intents: str) -> Bools:
    counted = block.collection.intent_best_grade[block.intent_slice] >= rel
    if intents == "all":
        counted = counted | block.collection.intent_declared[block.intent_slice]
    return pad(counted, block.intents_per_topic, fill=False)


def _eligible_intent_count(block: JudgedBlock, rel: int, intents: str) -> Ints:
    return np.count_nonzero(block.eligible_intents(rel, intents), axis=1)


def _given_weights(block: JudgedBlock, rel: int, intents: str) -> tuple[Floats, Bools]:
    """Return the weights of intents, NaN for missing ones, and which topics have none, whose intents weigh 1."""
    counted = block.eligible_intents(rel, intents)
    probability = pad(block.collection.intent_probability[block.intent_slice], block.intents_per_topic, fill=np.nan)
    weight = np.where(counted, probability, 0.0)
    uniform: Bools = (np.isnan(weight) == counted).all(axis=1)
    weight[uniform] = counted[uniform]
    return weight, uniform


def _intent_weights(block: JudgedBlock, rel: int, intents: str, renormalize: bool) -> Floats:
    weight, uniform = block.cached(_given_weights, rel, intents)
    sizes = block.intents_per_topic
    inside = np.arange(sizes.max(initial=1)) < sizes[:, None]
    block.raise_if_missing_probabilities(np.isnan(weight)[inside])
    total = ordered_sum(weight)
    block.raise_if_zero_weights(block.eligible_intents(rel, intents).any(axis=1) & (total == 0))
    return safe_divide(weight, np.where(uniform | renormalize, total, 1.0)[:, None])
