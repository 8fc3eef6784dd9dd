"""A run compiled against a collection: the relevant documents that it ranks, and their ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np

from irdiv.arrays.blocks import JudgedBlock
from irdiv.arrays.collection import Collection
from irdiv.arrays.memo import Memo
from irdiv.arrays.padding import argsort_by_topic, pad
from irdiv.arrays.pairs import find_duplicates
from irdiv.checks import choice, require
from irdiv.errors import IrdivError, examples
from irdiv.frames.checked import RunColumns, run_columns
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import Ids, argsort_ids, factorize, find_positions, take_rows
from irdiv.frames.inputs import RunLike
from irdiv.frames.mismatch import describe_difference
from irdiv.frames.run_names import run_column_remedy
from irdiv.types import Bools, Floats, Hashes, Ints

Ties: TypeAlias = Literal["docid_desc", "docid_asc", "input", "rank"]
Duplicates: TypeAlias = Literal["error", "first"]
DEFAULT_TIES: Ties = "docid_desc"
DEFAULT_DUPLICATES: Duplicates = "error"


class OrderedRun(NamedTuple):
    """The documents of a run by topic and rank, without topics that the collection does not have."""

    collection: Collection
    topic: Ints
    """The index of each document's topic."""
    row: Ints
    """The row of each document in the columns of the run."""
    hashes: Hashes
    """The `hash_ids` of the documents."""
    columns: RunColumns

    def first(self, depth: int) -> OrderedRun:
        """Return the run with only the first documents of each topic."""
        within = np.flatnonzero(self.ranks() <= depth)
        if len(within) == len(self.topic):
            return self
        topic, row, hashes = self.topic.take(within), self.row.take(within), self.hashes.take(within)
        return OrderedRun(self.collection, topic, np.arange(len(row)), hashes, self.columns.take(row))

    def ranks(self) -> Ints:
        """Return the rank of each document."""
        start = np.searchsorted(self.topic, np.arange(len(self.collection.topics)))
        return np.arange(1, len(self.topic) + 1) - start[self.topic]

    def judged_counts(self, start: int, stop: int, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, for each topic from ``start`` to ``stop``."""
        begin, end = np.searchsorted(self.topic, [start, stop])
        within = np.arange(begin, end)
        if depth is not None:
            within = within[self.ranks()[begin:end] <= depth]
        topic, docs = self.topic[within], take_rows(self.columns.doc, self.row[within])
        judged = self.collection.is_judged(topic, docs, self.hashes[within])
        return np.bincount(topic[judged] - start, minlength=stop - start)

    def hits(self, *, judged_only: bool = False, depth: int | None = None) -> RankedHits:
        """Return the relevant documents down to a depth, with their ranks among all or only the judged documents."""
        topic, row, hashes = self.topic, self.row, self.hashes
        if judged_only:
            judged = np.flatnonzero(self.collection.is_judged(topic, take_rows(self.columns.doc, row), hashes))
            topic, row, hashes = topic[judged], row[judged], hashes[judged]
        topic_edges = np.arange(len(self.collection.topics) + 1)
        start = np.searchsorted(topic, topic_edges)
        rank = np.arange(1, len(topic) + 1) - start[topic]
        if depth is not None:
            within = np.flatnonzero(rank <= depth)
            topic, row, rank, hashes = topic[within], row[within], rank[within], hashes[within]
        relevant_row = self.collection.find_relevant(topic, take_rows(self.columns.doc, row), hashes)
        hit = np.flatnonzero(relevant_row >= 0)
        hit_start = np.searchsorted(topic.take(hit), topic_edges)
        return RankedHits(relevant_row.take(hit), rank.take(hit), hit_start, np.diff(start), self)


class RankedHits(NamedTuple):
    """The relevant documents of a run by topic and rank."""

    row: Ints
    """The row of each hit among the relevant documents of the collection."""
    rank: Ints
    start: Ints
    """The hits of topic t are those from ``start[t]`` to ``start[t + 1]``."""
    length: Ints
    """The count of documents that the run ranks for each topic, relevant or not."""
    run: CountsJudged


class CountsJudged(Protocol):
    """Rankings of which judged documents can be counted."""

    def judged_counts(self, start: int, stop: int, depth: int | None) -> Ints:
        """Return how many of the first documents of each ranking are judged, for topics ``start`` to ``stop``."""


class RankedBlock(Memo):
    """A block of topics with a run's hits for them: all that a measure needs.

    Attributes
    ----------
    block
        The judged topics.
    rank, max_rank, length
        As in `irdiv.kernels.lists.HitLists`, ``[topic, hit]``.
    rows
        The row of each hit in the grades of the block, ``[topic, hit]``.
    run
        The run, or whatever the rankings are of; None for lists without ids, of which all documents are judged.
    """

    def __init__(
        self,
        block: JudgedBlock,
        rank: Ints,
        rows: Ints,
        max_rank: int,
        length: Ints,
        run: CountsJudged | None = None,
    ) -> None:
        super().__init__()
        self.block, self.run = block, run
        self.rank, self.max_rank, self.length = rank, max_rank, length
        self.rows = rows
        self.grades = block.grades[rows].swapaxes(1, 2)
        """Grades as ``[topic, intent, hit]``."""

    @classmethod
    def from_hits(cls, block: JudgedBlock, hits: RankedHits) -> RankedBlock:
        """Return a block with the hits of its topics."""
        of_block = slice(hits.start[block.start], hits.start[block.stop])
        sizes = np.diff(hits.start[block.start : block.stop + 1])
        max_rank = int(hits.rank[of_block].max(initial=0))
        rank = pad(hits.rank[of_block], sizes, fill=max_rank + 1)
        rows = pad(hits.row[of_block] - block.row_base, sizes, fill=len(block.grades) - 1)
        return cls(block, rank, rows, max_rank, hits.length[block.start : block.stop], hits.run)

    def with_intents_of(self, layer: JudgedBlock) -> RankedBlock:
        """Return the same hits with the grades for other intents of the same documents."""
        return self.cached(_with_intents_of, layer)

    def relevant(self, rel: int) -> Bools:
        """Return which hits are relevant to which intents, ``[topic, intent, hit]``."""
        return self.cached(_relevant, rel)


def _with_intents_of(ranked: RankedBlock, layer: JudgedBlock) -> RankedBlock:
    return RankedBlock(layer, ranked.rank, ranked.rows, ranked.max_rank, ranked.length, ranked.run)


def _relevant(ranked: RankedBlock, rel: int) -> Bools:
    return ranked.grades >= rel


def require_order_options(ties: object, duplicates: object) -> None:
    """Raise an error unless the rules for ties and duplicates are known by these names."""
    require(choice(*get_args(Ties)), ties=ties)
    require(choice(*get_args(Duplicates)), duplicates=duplicates)


def order_run(
    collection: Collection,
    run: RunLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    may_be_empty: bool = False,
    is_part: bool = False,
) -> OrderedRun:
    """Sort the documents of a run by topic and rank, once for all measures.

    A run without rows is an error unless it ``may_be_empty``; one without any topic of the collection is an error
    unless it ``is_part`` of a run, which may also be empty.
    """
    require_order_options(ties, duplicates)
    columns = run_columns(run, ties=ties, may_be_empty=may_be_empty or is_part)
    remedy = partial(run_column_remedy, run, is_part=is_part)
    return order_columns(collection, columns, ties, duplicates, is_part=is_part, remedy=remedy)


def order_columns(
    collection: Collection,
    columns: RunColumns,
    ties: Ties,
    duplicates: Duplicates,
    *,
    is_part: bool = False,
    remedy: Callable[[], str] | None = None,
) -> OrderedRun:
    """Do what `order_run` does for a run that is given as checked columns.

    ``remedy`` returns what an error about repeated documents recommends first.
    """
    topic, row = find_topics(collection, columns)
    if len(columns.query) and len(row) == 0 and len(collection.topics) and not is_part:
        raise no_common_topic_error(collection.topics, dict.fromkeys(columns.query.decode().to_pylist()))
    topic, row = sort_by_key(topic, row, take_rows(columns.key, row), columns.doc, ties)
    hashes = take_rows(hash_ids(columns.doc), row)
    repeated = find_duplicates(take_rows(columns.doc, row), topic, hashes)
    if len(repeated):
        if duplicates == "error":
            raise _duplicates_error(collection, columns.doc, topic[repeated], row[repeated], remedy() if remedy else "")
        topic, row, hashes = np.delete(topic, repeated), np.delete(row, repeated), np.delete(hashes, repeated)
    return OrderedRun(collection, topic, row, hashes, columns)


def find_topics(collection: Collection, columns: RunColumns) -> tuple[Ints, Ints]:
    """Return the topic and the row of those rows of a run whose topics are in the collection."""
    index = find_positions(columns.query.ids, collection.topic_ids)
    topic = index.take(columns.query.code)
    if (index >= 0).all():
        return topic, np.arange(len(topic))
    row = np.flatnonzero(topic >= 0)
    return topic.take(row), row


def no_common_topic_error(qrels_topics: Iterable[str], run_topics: Iterable[str]) -> IrdivError:
    """Return the error for qrels and a run that have no topic in common."""
    judged, ranked = list(qrels_topics), list(run_topics)
    return IrdivError(
        f"no topic in common: the qrels have {examples(judged)} and the run has {examples(ranked)}. "
        f"Check that both use the same topic ids.{describe_difference(judged, ranked)}"
    )


def sort_by_key(topic: Ints, row: Ints, key: Floats, docs: Ids, ties: Ties) -> tuple[Ints, Ints]:
    """Return topics and rows sorted by topic, then by key, then by the rule for ties.

    In place of topics, there may be other integers that are 0 or more, such as those of runs and topics.
    """
    same_topic = topic[1:] == topic[:-1]
    if not ((topic[1:] > topic[:-1]) | (same_topic & (key[1:] >= key[:-1]))).all():
        # Most runs are sorted, and sorting costs more than the check.
        by_key = np.argsort(key)
        by_key = by_key.take(argsort_by_topic(topic.take(by_key)))
        topic, row, key = topic.take(by_key), row.take(by_key), key.take(by_key)
        same_topic = topic[1:] == topic[:-1]
    tied_with_next = same_topic & (key[1:] == key[:-1])
    if tied_with_next.any():
        row = row.copy()
        tied = np.concatenate([[False], tied_with_next]) | np.concatenate([tied_with_next, [False]])
        group = np.cumsum(np.concatenate([[True], ~tied_with_next]))[tied]
        row[tied] = row[tied][np.lexsort((_tie_key(docs, row[tied], ties), group))]
    return topic, row


def _tie_key(docs: Ids, rows: Ints, ties: Ties) -> Ints:
    """Return keys that sort rows by the rule for ties."""
    if ties == "input":
        return rows
    code, distinct = factorize(docs.take(rows))
    position = np.empty(len(distinct), dtype=np.int64)
    position[argsort_ids(distinct)] = np.arange(len(distinct))
    return position[code] if ties == "docid_asc" else -position[code]


def _duplicates_error(collection: Collection, docs: Ids, topic: Ints, row: Ints, remedy: str) -> IrdivError:
    by_row = np.argsort(row)
    pairs = zip(collection.topics[topic[by_row]], docs.take(row[by_row]).to_pylist(), strict=True)
    shown = examples((f"{query} {doc}" for query, doc in pairs), 3)
    return IrdivError(
        f"the run repeats documents, {len(row)} in all (topic and document): {shown}.{remedy} "
        f"{'Else remove' if remedy else 'Remove'} them, or keep the best-ranked of each with duplicates='first' (on "
        "the command line, --duplicates first)."
    )
