"""The list of relevant documents that scores highest by a measure: of all lists where they are few, else greedily."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from irdiv.core.block import Block, JudgedTopics
from irdiv.measures.measure import Measure
from irdiv.types import Floats, Ints

MAX_LISTS = 50_000
"""If there are no more lists than this for a topic, all are scored."""
_BATCH_SIZE = 5_000
_TOLERANCE = 1e-12


class BestList(NamedTuple):
    """Documents in order, as columns of the block's `relevant_rows_by_id`, and whether no other list is better."""

    documents: Ints
    is_exact: bool


class _Candidates:
    """The relevant documents of a topic, those with the same grades for all intents in one class.

    Which documents of a class are taken changes no value, so lists are sequences of classes.
    """

    def __init__(self, topic: JudgedTopics, measure: Measure) -> None:
        self._topic, self._measure = topic, measure
        rows = topic.relevant_rows_by_id[0]
        _, first, class_of = np.unique(topic.grades[rows], axis=0, return_index=True, return_inverse=True)
        self._row = rows[first]
        # Among equals the largest doc id comes first.
        self._documents = [np.flatnonzero(class_of == index)[::-1] for index in range(len(first))]
        self.sizes = [len(documents) for documents in self._documents]

    def documents(self, sequence: Ints) -> Ints:
        """Return the documents of a sequence of classes."""
        remaining = [iter(documents.tolist()) for documents in self._documents]
        return np.array([next(remaining[index]) for index in sequence], dtype=np.int64)

    def next_document(self, sequence: Ints) -> int:
        """Return the last document of a sequence."""
        return int(self._documents[sequence[-1]][np.count_nonzero(sequence[:-1] == sequence[-1])])

    def score(self, sequences: Ints) -> Floats:
        """Return the value of each sequence, ``[sequence, rank]``."""
        parts = []
        for start in range(0, len(sequences), _BATCH_SIZE):
            batch = sequences[start : start + _BATCH_SIZE]
            count, length = batch.shape
            rank = np.broadcast_to(np.arange(1, length + 1), batch.shape)
            block = Block(self._topic, rank, self._row[batch], length, np.full(count, length))
            score = self._measure.declaration.score
            parts.append(score(block, self._measure.parameter_values(), self._measure.cutoff))
        return np.concatenate(parts)


def best_list(topic: JudgedTopics, measure: Measure, depth: int | None) -> BestList:
    """Return the best list of a topic, which is a block of its own, down to a depth, None for all documents."""
    candidates = _Candidates(topic, measure)
    total = sum(candidates.sizes)
    length = total if depth is None else min(depth, total)
    greedy = _greedy(candidates, length)
    if length == 0 or _count_sequences(candidates.sizes, length) > MAX_LISTS:
        return BestList(candidates.documents(greedy), length == 0)
    sequences = _all_sequences(candidates.sizes, length)
    values = candidates.score(sequences)
    best = int(np.argmax(values))
    is_greedy_best = candidates.score(greedy[None, :])[0] >= values[best] - _TOLERANCE
    return BestList(candidates.documents(greedy if is_greedy_best else sequences[best]), True)


def _greedy(candidates: _Candidates, length: int) -> Ints:
    """Return the sequence that adds the most at each rank; among equals the largest doc id comes first."""
    sequence, left = np.zeros(0, dtype=np.int64), list(candidates.sizes)
    for _ in range(length):
        longer = np.array([[*sequence, index] for index, size in enumerate(left) if size])
        values = candidates.score(longer)
        equal = longer[values >= values.max() - _TOLERANCE]
        sequence = max(equal, key=candidates.next_document)
        left[sequence[-1]] -= 1
    return sequence


def _count_sequences(sizes: list[int], length: int) -> int:
    """Return how many sequences of classes there are, none of which may occur more often than it has documents."""
    counts = [1] + [0] * length
    for size in sizes:
        counts = [
            sum(counts[total - used] * comb(total, used) for used in range(min(size, total) + 1))
            for total in range(length + 1)
        ]
    return counts[length]


def _all_sequences(sizes: list[int], length: int) -> Ints:
    """Return all sequences, ``[sequence, rank]``."""
    sequences, left = np.zeros((1, 0), dtype=np.int64), np.array([sizes])
    for _ in range(length):
        before, index = np.nonzero(left)
        sequences = np.concatenate([sequences[before], index[:, None]], axis=1)
        left = left[before]
        left[np.arange(len(left)), index] -= 1
    return sequences
