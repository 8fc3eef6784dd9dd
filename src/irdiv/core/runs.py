"""Runs compiled against a collection: their documents in order, and where the relevant ones are.

One run is a group of one: all runs of a group are sorted, matched and scored at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from irdiv.checks import choice, require
from irdiv.core.block import BLOCK_CELLS, Block, JudgedTopics, blocks_of, single_topics
from irdiv.core.collection import Collection
from irdiv.core.index import argsort_by_topic, find_duplicates
from irdiv.core.memo import Memo, memoized
from irdiv.errors import IrdivError, examples, prefix_errors_with_run
from irdiv.io.checked import RunColumns, run_columns
from irdiv.io.guards import describe_difference, run_column_remedy
from irdiv.io.hashes import hash_ids
from irdiv.io.ids import Ids, argsort_ids, factorize, find_positions, take_rows
from irdiv.io.tables import RunLike
from irdiv.kernels.lists import pad
from irdiv.types import Bools, Floats, Hashes, Ints, Objects

Ties: TypeAlias = Literal["docid_desc", "docid_asc", "input", "rank"]
Duplicates: TypeAlias = Literal["error", "first"]
DEFAULT_TIES: Ties = "docid_desc"
DEFAULT_DUPLICATES: Duplicates = "error"


class Hits(NamedTuple):
    """The relevant documents of runs, by run, topic and rank."""

    row: Ints
    """The row of each hit among the relevant documents of the collection."""
    rank: Ints
    counts: Ints
    """How many hits there are, as ``[run, topic]``."""
    length: Ints
    """How many documents are ranked, relevant or not, as ``[run, topic]``."""


class Runs(Memo):
    """The documents of runs by run, topic and rank, without topics that the collection does not have.

    A ranking is what a run has for a topic; its index is the run's, times the count of topics, plus the topic's.

    Parameters
    ----------
    collection
        The qrels.
    names
        The names of the runs.
    ranking
        The ranking of each document, ascending.
    row
        The row of each document in the columns.
    hashes
        The `hash_ids` of the documents.
    columns
        The rows as they were read.
    """

    def __init__(
        self,
        collection: Collection,
        names: Sequence[str],
        ranking: Ints,
        row: Ints,
        hashes: Hashes,
        columns: RunColumns,
    ) -> None:
        super().__init__()
        self.collection, self.names, self.columns = collection, tuple(names), columns
        self.ranking, self.row, self.hashes = ranking, row, hashes
        self._start = np.searchsorted(ranking, np.arange(len(names) * len(collection.topics) + 1))

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: int) -> Runs:
        """Return one of the runs; its rows are those of the columns that all of them share."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        if len(self) == 1:
            return self
        first = index * len(self.collection.topics)
        part = slice(self._start[first], self._start[first + len(self.collection.topics)])
        ranking = self.ranking[part] - first
        return Runs(
            self.collection, self.names[index : index + 1], ranking, self.row[part], self.hashes[part], self.columns
        )

    def __iter__(self) -> Iterator[Runs]:
        return map(self.__getitem__, range(len(self)))

    @property
    def topic(self) -> Ints:
        """The index of each document's topic."""
        return self.ranking if len(self) == 1 else self.ranking % len(self.collection.topics)

    def docs(self) -> Ids:
        """Return the ids of the documents in order."""
        return take_rows(self.columns.doc, self.row)

    def keys(self) -> Floats:
        """Return what the documents are sorted by, ascending: ranks, or scores times −1."""
        return take_rows(self.columns.key, self.row)

    def ranks(self) -> Ints:
        """Return the rank of each document."""
        return np.arange(1, len(self.ranking) + 1) - self._start.take(self.ranking)

    def lengths(self) -> Ints:
        """Return how many documents there are, as ``[run, topic]``."""
        return np.diff(self._start).reshape(len(self), -1)

    def first(self, depth: int) -> Runs:
        """Return the runs with only the first documents of each topic; the same if there are no others."""
        within = np.flatnonzero(self.ranks() <= depth)
        if len(within) == len(self.row):
            return self
        row, columns = self.row.take(within), self.columns
        # The other rows are given back to the memory.
        return Runs(
            self.collection,
            self.names,
            self.ranking.take(within),
            np.arange(len(row)),
            self.hashes.take(within),
            columns.take(row),
        )

    def missing_topics(self) -> Objects:
        """Return the topics of the qrels that no run has."""
        return self.collection.topics[self.lengths().sum(axis=0) == 0]

    def unjudged_topics(self) -> list[str]:
        """Return the topics of the rows that are not in the qrels."""
        topics = self.columns.query.ids
        return topics.take(np.flatnonzero(find_positions(topics, self.collection.topic_ids) < 0)).to_pylist()

    @memoized
    def is_judged(self) -> Bools:
        """Return for each document whether it is in the qrels, relevant or not."""
        return self.collection.is_judged(self.topic, self.docs(), self.hashes)

    @memoized
    def judged_counts(self, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, as ``[run, topic]``."""
        judged = self.is_judged() if depth is None else self.is_judged() & (self.ranks() <= depth)
        return self._count(self.ranking[judged])

    def _count(self, ranking: Ints) -> Ints:
        """Return how many documents of each ranking there are, as ``[run, topic]``."""
        return np.bincount(ranking, minlength=len(self) * len(self.collection.topics)).reshape(len(self), -1)

    @memoized
    def hits(self, judged_only: bool = False, depth: int | None = None) -> Hits:
        """Return the relevant documents down to a depth, with their ranks among all or only the judged documents."""
        ranking, row, hashes, lengths = self.ranking, self.row, self.hashes, self.lengths()
        if judged_only:
            judged = np.flatnonzero(self.is_judged())
            ranking, row, hashes = ranking.take(judged), row.take(judged), hashes.take(judged)
            lengths = self.judged_counts(None)
        start = np.cumsum(lengths) - lengths.ravel()
        rank = np.arange(1, len(ranking) + 1) - start.take(ranking)
        if depth is not None and lengths.max(initial=0) > depth:
            within = np.flatnonzero(rank <= depth)
            ranking, row, hashes, rank = ranking.take(within), row.take(within), hashes.take(within), rank.take(within)
        topic = ranking if len(self) == 1 else ranking % len(self.collection.topics)
        relevant_row = self.collection.find_relevant(topic, take_rows(self.columns.doc, row), hashes)
        hit = np.flatnonzero(relevant_row >= 0)
        return Hits(relevant_row.take(hit), rank.take(hit), self._count(ranking.take(hit)), lengths)

    def blocks(self, judged_only: bool = False, depth: int | None = None) -> Iterator[tuple[slice, Block]]:
        """Yield all rankings in blocks, each with the runs that it is of: one run on many topics, or many on one."""
        hits = self.hits(judged_only, depth)
        if len(self) <= len(self.collection.topics):
            # All topics of a run are fewer steps than all runs of a topic.
            return self._blocks_by_run(hits)
        return self._blocks_by_topic(hits)

    def _blocks_by_run(self, hits: Hits) -> Iterator[tuple[slice, Block]]:
        start = 0
        for run in range(len(self)):
            for topics in blocks_of(self.collection):
                of_topics = slice(topics.start, topics.stop)
                stop = start + int(hits.counts[run, of_topics].sum())
                found = slice(start, stop)
                yield self._block(topics, hits, hits.row[found], hits.rank[found], slice(run, run + 1), of_topics)
                start = stop

    def _blocks_by_topic(self, hits: Hits) -> Iterator[tuple[slice, Block]]:
        topic = np.repeat(np.tile(np.arange(hits.counts.shape[1]), len(self)), hits.counts.ravel())
        by_topic = argsort_by_topic(topic)
        row, rank = hits.row.take(by_topic), hits.rank.take(by_topic)
        start = 0
        for topics, counts in zip(single_topics(self.collection), hits.counts.T, strict=True):
            step = max(BLOCK_CELLS // (max(int(counts.max(initial=0)), 1) * topics.grades.shape[1]), 1)
            for first in range(0, len(self), step):
                runs = slice(first, min(first + step, len(self)))
                found = slice(start, start + int(counts[runs].sum()))
                yield self._block(topics, hits, row[found], rank[found], runs, slice(topics.start, topics.stop))
                start = found.stop

    def _block(
        self, topics: JudgedTopics, hits: Hits, row: Ints, rank: Ints, runs: slice, of_topics: slice
    ) -> tuple[slice, Block]:
        """Return the block of some runs on some topics, whose hits follow each other, with the runs."""
        counts, length = hits.counts[runs, of_topics].ravel(), hits.length[runs, of_topics].ravel()
        max_rank = int(rank.max(initial=0))
        padded_rank = pad(rank, counts, fill=max_rank + 1)
        rows = pad(row - topics.row_base, counts, fill=len(topics.grades) - 1)
        judged_counts = partial(self._judged_counts_of, runs, of_topics)
        return runs, Block(topics, padded_rank, rows, max_rank, length, judged_counts)

    def _judged_counts_of(self, runs: slice, topics: slice, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, of some runs on some topics."""
        return self.judged_counts(depth)[runs, topics].ravel()


def require_order_options(ties: object, duplicates: object) -> None:
    """Raise an error unless the rules for ties and duplicates are known by these names."""
    require(choice(*get_args(Ties)), ties=ties)
    require(choice(*get_args(Duplicates)), duplicates=duplicates)


def order_run(
    collection: Collection,
    run: RunLike,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    *,
    may_be_empty: bool = False,
) -> Runs:
    """Read one run and sort its documents; one without rows is an error unless it ``may_be_empty``."""
    require_order_options(ties, duplicates)
    columns = run_columns(run, ties=ties, may_be_empty=may_be_empty)
    return order(collection, columns, ties, duplicates, remedy=partial(run_column_remedy, run))


def order(
    collection: Collection,
    columns: RunColumns,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    *,
    is_part: bool = False,
    remedy: Callable[[], str] = str,
) -> Runs:
    """Sort the documents of runs by run, topic and rank, once for all measures.

    A run without any topic of the collection is an error, unless the columns are only part of the runs. ``remedy``
    returns what the error about repeated documents recommends first.
    """
    run_count, topic_count = len(columns.names), len(collection.topics)
    ranking, row = _find_topics(collection, columns)
    if columns.run is not None:
        run = take_rows(columns.run, row)
        ranking = ranking + run * topic_count
        found = np.bincount(run, minlength=run_count)
    else:
        found = np.array([len(row)])
    is_strange = (found == 0) & bool(len(columns.query) and topic_count and not is_part)
    ranking, row = _sort(ranking, row, take_rows(columns.key, row), columns.doc, ties)
    hashes = take_rows(hash_ids(columns.doc), row)
    repeated = find_duplicates(take_rows(columns.doc, row), ranking, hashes)
    is_faulty = is_strange.copy()
    if duplicates == "error":
        is_faulty[ranking[repeated] // max(topic_count, 1)] = True
    for first in np.flatnonzero(is_faulty)[:1].tolist():
        with prefix_errors_with_run(columns.names[first] if run_count > 1 else None):
            if is_strange[first]:
                rows = slice(None) if columns.run is None else columns.run == first
                queries = columns.query.take(np.arange(len(columns.query))[rows])
                raise no_common_topic_error(collection.topics, dict.fromkeys(queries.decode().to_pylist()))
            of_run = repeated[ranking[repeated] // topic_count == first]
            raise _duplicates_error(collection, columns.doc, ranking[of_run] % topic_count, row[of_run], remedy())
    if len(repeated):
        ranking, row, hashes = np.delete(ranking, repeated), np.delete(row, repeated), np.delete(hashes, repeated)
    return Runs(collection, columns.names, ranking, row, hashes, columns)


def _find_topics(collection: Collection, columns: RunColumns) -> tuple[Ints, Ints]:
    """Return the topic and the row of those rows of a run whose topics are in the collection."""
    index = find_positions(columns.query.ids, collection.topic_ids)
    topic = index.take(columns.query.code)
    if (index >= 0).all():
        return topic, np.arange(len(topic))
    row = np.flatnonzero(topic >= 0)
    return topic.take(row), row


def _sort(ranking: Ints, row: Ints, key: Floats, docs: Ids, ties: Ties) -> tuple[Ints, Ints]:
    """Return rankings and rows sorted by ranking, then by key, then by the rule for ties."""
    same = ranking[1:] == ranking[:-1]
    if not ((ranking[1:] > ranking[:-1]) | (same & (key[1:] >= key[:-1]))).all():
        # Most runs are sorted, and sorting costs more than the check.
        by_key = np.argsort(key)
        by_key = by_key.take(argsort_by_topic(ranking.take(by_key)))
        ranking, row, key = ranking.take(by_key), row.take(by_key), key.take(by_key)
        same = ranking[1:] == ranking[:-1]
    tied_with_next = same & (key[1:] == key[:-1])
    if tied_with_next.any():
        row = row.copy()
        tied = np.concatenate([[False], tied_with_next]) | np.concatenate([tied_with_next, [False]])
        group = np.cumsum(np.concatenate([[True], ~tied_with_next]))[tied]
        row[tied] = row[tied][np.lexsort((row[tied], _tie_key(docs, row[tied], ties), group))]
    return ranking, row


def _tie_key(docs: Ids, rows: Ints, ties: Ties) -> Ints:
    """Return keys that sort rows by the rule for ties."""
    if ties == "input":
        return rows
    code, distinct = factorize(docs.take(rows))
    position = np.empty(len(distinct), dtype=np.int64)
    position[argsort_ids(distinct)] = np.arange(len(distinct))
    return position[code] if ties == "docid_asc" else -position[code]


def no_common_topic_error(qrels_topics: Iterable[str], run_topics: Iterable[str]) -> IrdivError:
    """Return the error for qrels and a run that have no topic in common."""
    judged, ranked = list(qrels_topics), list(run_topics)
    return IrdivError(
        f"no topic in common: the qrels have {examples(judged)} and the run has {examples(ranked)}. "
        f"Check that both use the same topic ids.{describe_difference(judged, ranked)}"
    )


def _duplicates_error(collection: Collection, docs: Ids, topic: Ints, row: Ints, remedy: str) -> IrdivError:
    by_row = np.argsort(row)
    pairs = zip(collection.topics[topic[by_row]], docs.take(row[by_row]).to_pylist(), strict=True)
    shown = examples((f"{query} {doc}" for query, doc in pairs), 3)
    return IrdivError(
        f"the run repeats documents, {len(row)} in all (topic and document): {shown}.{remedy} "
        f"{'Else remove' if remedy else 'Remove'} them, or keep the best-ranked of each with duplicates='first' (on "
        "the command line, --duplicates first)."
    )
