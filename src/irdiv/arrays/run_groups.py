"""Many runs ordered and matched at once: what costs time for each run otherwise is done once for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irdiv.arrays.blocks import JudgedBlock
from irdiv.arrays.collection import BLOCK_CELLS, Collection
from irdiv.arrays.memo import Memo
from irdiv.arrays.padding import argsort_by_topic, pad
from irdiv.arrays.pairs import find_duplicates
from irdiv.arrays.ranking import Duplicates, OrderedRun, RankedBlock, Ties, find_topics, order_columns, sort_by_key
from irdiv.arrays.run_checks import RunFindings, find_rank_contradiction, ids_of_both_sides
from irdiv.errors import prefix_errors_with_run
from irdiv.frames.checked import RunColumns
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import take_rows
from irdiv.frames.run_column import RunGroup
from irdiv.types import Bools, Hashes, Ints


class OrderedRuns(Memo):
    """The documents of several runs by run, topic and rank, without topics that the collection does not have.

    Attributes
    ----------
    ranking
        The ranking of each document, as an index: that of the run, times the count of topics, plus that of the topic.
    row, hashes, columns
        As in `OrderedRun`, for all runs together.
    """

    def __init__(
        self, collection: Collection, run_count: int, ranking: Ints, row: Ints, hashes: Hashes, columns: RunColumns
    ) -> None:
        super().__init__()
        self.collection, self.run_count = collection, run_count
        self.ranking, self.row, self.hashes, self.columns = ranking, row, hashes, columns
        self._start = np.searchsorted(ranking, np.arange(run_count * len(collection.topics) + 1))

    def __len__(self) -> int:
        return self.run_count

    def __getitem__(self, index: int) -> OrderedRun:
        """Return one run; its rows are those of the columns that all runs share."""
        if not 0 <= index < self.run_count:
            raise IndexError(index)
        topic_count = len(self.collection.topics)
        rows = slice(self._start[index * topic_count], self._start[(index + 1) * topic_count])
        topic = self.ranking[rows] - index * topic_count
        return OrderedRun(self.collection, topic, self.row[rows], self.hashes[rows], self.columns)

    def __iter__(self) -> Iterator[OrderedRun]:
        return map(self.__getitem__, range(self.run_count))

    def first(self, depth: int) -> OrderedRuns:
        """Return the runs with only the first documents of each topic."""
        within = np.flatnonzero(self.ranks() <= depth)
        if len(within) == len(self.row):
            return self
        ranking, row, hashes = self.ranking.take(within), self.row.take(within), self.hashes.take(within)
        columns = self.columns.take(row)
        return OrderedRuns(self.collection, self.run_count, ranking, np.arange(len(row)), hashes, columns)

    def ranks(self) -> Ints:
        """Return the rank of each document."""
        return np.arange(1, len(self.ranking) + 1) - self._start.take(self.ranking)

    def lengths(self) -> Ints:
        """Return the count of documents as ``[run, topic]``."""
        return np.diff(self._start).reshape(self.run_count, -1)

    def is_judged(self) -> Bools:
        """Return for each document whether it is in the qrels."""
        return self.cached(_is_judged)

    def judged_counts(self, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, as ``[run, topic]``."""
        return self.cached(_judged_counts, depth)

    def hits(self, judged_only: bool, depth: int | None) -> HitsByTopic:
        """Return the relevant documents down to a depth, with their ranks among all or only the judged documents."""
        return self.cached(_hits, judged_only, depth)


class HitsByTopic(NamedTuple):
    """The relevant documents of several runs by topic, run and rank."""

    runs: OrderedRuns
    row: Ints
    """The row of each hit among the relevant documents of the collection."""
    rank: Ints
    counts: Ints
    """How many hits there are, as ``[topic, run]``."""
    start: Ints
    """The hits of topic t start at ``start[t]``."""
    length: Ints
    """How many documents are ranked, relevant or not, as ``[topic, run]``."""

    def blocks(self, topic: int) -> Iterator[tuple[slice, RankedBlock]]:
        """Yield slices of the runs, each with its rankings for a topic as the lists of a block of one topic.

        What depends on the topic alone is ``[1, …]`` then, and broadcasts over the runs.
        """
        block = self.runs.collection.topic_blocks[topic]
        counts = self.counts[topic]
        start = int(self.start[topic])
        cells = max(int(counts.max(initial=0)), 1) * block.grades.shape[1]
        step = max(BLOCK_CELLS // cells, 1)
        for first in range(0, len(counts), step):
            part = slice(first, min(first + step, len(counts)))
            stop = start + int(counts[part].sum())
            yield part, self._block(block, part, counts[part], slice(start, stop))
            start = stop

    def _block(self, block: JudgedBlock, part: slice, counts: Ints, hits: slice) -> RankedBlock:
        max_rank = int(self.rank[hits].max(initial=0))
        rank = pad(self.rank[hits], counts, fill=max_rank + 1)
        rows = pad(self.row[hits] - block.row_base, counts, fill=len(block.grades) - 1)
        length = self.length[block.start, part]
        return RankedBlock(block, rank, rows, max_rank, length, _Part(self.runs, part))


class _Part(NamedTuple):
    """Some of several runs."""

    runs: OrderedRuns
    part: slice

    def judged_counts(self, start: int, stop: int, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, of each run for the one topic ``start``."""
        assert stop == start + 1
        return self.runs.judged_counts(depth)[self.part, start]


def _is_judged(runs: OrderedRuns) -> Bools:
    topic = runs.ranking % len(runs.collection.topics)
    return runs.collection.is_judged(topic, take_rows(runs.columns.doc, runs.row), runs.hashes)


def _judged_counts(runs: OrderedRuns, depth: int | None) -> Ints:
    judged = runs.is_judged() if depth is None else runs.is_judged() & (runs.ranks() <= depth)
    counts = np.bincount(runs.ranking[judged], minlength=runs.run_count * len(runs.collection.topics))
    return counts.reshape(runs.run_count, -1)


def _hits(runs: OrderedRuns, judged_only: bool, depth: int | None) -> HitsByTopic:
    ranking, row, hashes, lengths = runs.ranking, runs.row, runs.hashes, runs.lengths()
    if judged_only:
        judged = np.flatnonzero(runs.is_judged())
        ranking, row, hashes = ranking.take(judged), row.take(judged), hashes.take(judged)
        lengths = runs.judged_counts(None)
    start = np.cumsum(lengths) - lengths.ravel()
    rank = np.arange(1, len(ranking) + 1) - start.take(ranking)
    if depth is not None and lengths.max(initial=0) > depth:
        within = np.flatnonzero(rank <= depth)
        ranking, row, hashes, rank = ranking.take(within), row.take(within), hashes.take(within), rank.take(within)
    topic_count = len(runs.collection.topics)
    topic = ranking % topic_count
    relevant_row = runs.collection.find_relevant(topic, take_rows(runs.columns.doc, row), hashes)
    hit = np.flatnonzero(relevant_row >= 0)
    hit = hit.take(argsort_by_topic(topic.take(hit)))
    counts = np.bincount(ranking.take(hit), minlength=runs.run_count * topic_count).reshape(runs.run_count, -1)
    counts = np.ascontiguousarray(counts.T)
    of_topic = counts.sum(axis=1)
    hits_before = np.cumsum(of_topic) - of_topic
    return HitsByTopic(runs, relevant_row.take(hit), rank.take(hit), counts, hits_before, lengths.T)


def order_runs(
    collection: Collection, group: RunGroup, ties: Ties, duplicates: Duplicates, *, is_one: bool
) -> OrderedRuns:
    """Sort the documents of several runs by run, topic and rank.

    Errors are those of `order_run` for the first run that has one, with its name unless it ``is_one`` alone.
    """
    columns, run_count = group.columns, len(group.names)
    topic, row = find_topics(collection, columns)
    run = take_rows(group.run, row)
    lacks_topics = np.bincount(run, minlength=run_count) == 0
    ranking, row = sort_by_key(
        run * len(collection.topics) + topic, row, take_rows(columns.key, row), columns.doc, ties
    )
    hashes = take_rows(hash_ids(columns.doc), row)
    repeated = find_duplicates(take_rows(columns.doc, row), ranking, hashes)
    faulty = [*np.flatnonzero(lacks_topics)[:1].tolist()]
    if len(repeated) and duplicates == "error":
        faulty.append(int(ranking[repeated].min()) // max(len(collection.topics), 1))
    if faulty:
        _raise_error_of(collection, group, min(faulty), ties, duplicates, is_one)
    if len(repeated):
        ranking, row, hashes = np.delete(ranking, repeated), np.delete(row, repeated), np.delete(hashes, repeated)
    return OrderedRuns(collection, run_count, ranking, row, hashes, columns)


def _raise_error_of(
    collection: Collection, group: RunGroup, index: int, ties: Ties, duplicates: Duplicates, is_one: bool
) -> None:
    columns = group.columns.take(np.flatnonzero(group.run == index))
    with prefix_errors_with_run(None if is_one else group.names[index]):
        order_columns(collection, columns, ties, duplicates)


def check_runs(runs: OrderedRuns, depth: int | None) -> list[RunFindings]:
    """Return what may be a mistake in each run, as `check_run` does."""
    is_unjudged = runs.hits(False, depth).counts.sum(axis=0) == 0
    if is_unjudged.any():
        # The index of all judged documents is seldom needed otherwise.
        is_unjudged &= runs.judged_counts(depth).sum(axis=1) == 0
    contradicts = _may_contradict(runs)
    return [_findings(runs, index, is_unjudged[index], contradicts[index]) for index in range(len(runs))]


def _findings(runs: OrderedRuns, index: int, is_unjudged: np.bool_, may_contradict: np.bool_) -> RunFindings:
    contradiction = find_rank_contradiction(runs[index]) if may_contradict else None
    return RunFindings(contradiction, ids_of_both_sides(runs[index]) if is_unjudged else None)


def _may_contradict(runs: OrderedRuns) -> Bools:
    """Return which runs have a document with a smaller rank than one above it."""
    out = np.zeros(len(runs), dtype=bool)
    if runs.columns.rank is not None:
        rank, same = take_rows(runs.columns.rank, runs.row), runs.ranking[1:] == runs.ranking[:-1]
        smaller = np.flatnonzero(same & (rank[1:] < rank[:-1]))
        out[runs.ranking.take(smaller) // len(runs.collection.topics)] = True
    return out
