"""A run compiled against a collection: which relevant documents it has, and at which ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from irdiv.arrays.block import Block, Memo, by_topic, pad
from irdiv.arrays.collection import Collection
from irdiv.arrays.pairs import Numbers, repeats
from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import RunColumns, RunLike, run_columns
from irdiv.frames.fingerprints import fingerprints
from irdiv.frames.ids import Ids, factorize, find, order, pick, starts
from irdiv.kernels.lists import Bools, Floats, Ints

Ties: TypeAlias = Literal["docid_desc", "docid_asc", "input", "rank"]
Duplicates: TypeAlias = Literal["error", "first"]


class Ordered(NamedTuple):
    """A run's documents in the order they are ranked, topic by topic; topics outside the collection are gone."""

    collection: Collection
    topic: Ints
    row: Ints
    """The row of the run frame each document comes from."""
    numbers: Numbers
    """`fingerprints` of the documents."""
    columns: RunColumns

    def ranking(self, *, judged_only: bool = False, depth: int | None = None) -> Ranking:
        """Return the ranks of relevant documents, down to a depth, among all or only judged documents."""
        topic, row, numbers = self.topic, self.row, self.numbers
        if judged_only:
            judged = np.flatnonzero(self.collection.is_judged(topic, pick(self.columns.doc, row), numbers))
            topic, row, numbers = topic[judged], row[judged], numbers[judged]
        topics = len(self.collection.topics)
        start = np.searchsorted(topic, np.arange(topics + 1))
        rank = np.arange(1, len(topic) + 1) - start[topic]
        if depth is not None:
            within = np.flatnonzero(rank <= depth)
            topic, row, rank, numbers = topic[within], row[within], rank[within], numbers[within]
        found = self.collection.rows(topic, pick(self.columns.doc, row), numbers)
        hit = np.flatnonzero(found >= 0)
        hits = np.searchsorted(topic.take(hit), np.arange(topics + 1))
        return Ranking(found.take(hit), rank.take(hit), hits, np.diff(start))


class Ranking(NamedTuple):
    """Relevant documents of a run by topic and rank: their rows in the collection, and how long each list is."""

    row: Ints
    rank: Ints
    start: Ints
    length: Ints


class Scene(Memo):
    """A block of topics with a run's ranking of them: all that a measure needs."""

    def __init__(self, block: Block, rank: Ints, rows: Ints, last: int, length: Ints) -> None:
        super().__init__()
        self.block = block
        self.rank, self.last, self.length = rank, last, length
        self.rows = rows
        self.grades = np.moveaxis(block.grades[rows], 2, 1)
        """Grades as ``[topic, intent, hit]``."""

    @classmethod
    def of(cls, block: Block, ranking: Ranking) -> Scene:
        """Return the block's part of a ranking."""
        mine = slice(ranking.start[block.start], ranking.start[block.stop])
        sizes = np.diff(ranking.start[block.start : block.stop + 1])
        last = int(ranking.rank[mine].max(initial=0))
        rank = pad(ranking.rank[mine], sizes, fill=last + 1)
        rows = pad(ranking.row[mine] - block.row_base, sizes, fill=len(block.grades) - 1)
        return cls(block, rank, rows, last, ranking.length[block.start : block.stop])

    def on(self, layer: Block) -> Scene:
        """Return the same ranking with other intents of the same documents."""
        return self.keep(layer, lambda: Scene(layer, self.rank, self.rows, self.last, self.length))

    def relevant(self, rel: int) -> Bools:
        """Tell which hits are relevant to which intents, ``[topic, intent, hit]``."""
        return self.keep(("relevant", rel), lambda: self.grades >= rel)


def order_run(
    collection: Collection,
    run: RunLike,
    *,
    ties: Ties = "docid_desc",
    duplicates: Duplicates = "error",
    may_be_empty: bool = False,
    part: bool = False,
) -> Ordered:
    """Put the documents of a run in order, once for all measures.

    A run may be empty, or a part of one that has no topic of the collection, where that is said.
    """
    for value, name, kinds in ((ties, "ties", Ties), (duplicates, "duplicates", Duplicates)):
        if value not in get_args(kinds):
            raise IrdivError(f"{name}={value!r} is not known; choose one of {examples(get_args(kinds), 4)}.")
    columns = run_columns(run, by="rank" if ties == "rank" else "score", may_be_empty=may_be_empty or part)
    topic, row = _topics(collection, columns, part)
    topic, row = _in_order(topic, row, pick(columns.key, row), columns.doc, ties)
    numbers = pick(fingerprints(columns.doc), row)
    again = repeats(pick(columns.doc, row), topic, numbers)
    if len(again):
        if duplicates == "error":
            _refuse_duplicates(collection, columns.doc, topic[again], row[again])
        topic, row, numbers = np.delete(topic, again), np.delete(row, again), np.delete(numbers, again)
    return Ordered(collection, topic, row, numbers, columns)


def _topics(collection: Collection, columns: RunColumns, part: bool) -> tuple[Ints, Ints]:
    """Return the topic number and row of the run's rows that belong to topics of the collection."""
    start, found = starts(columns.query)
    number = find(found, collection.topic_ids)
    if len(found) and len(collection.topics) and (number < 0).all() and not part:
        raise no_topic_in_common(collection.topics, dict.fromkeys(found.to_pylist()))
    topic = np.repeat(number, np.diff(start, append=len(columns.query)))
    if (number >= 0).all():
        return topic, np.arange(len(topic))
    row = np.flatnonzero(topic >= 0)
    return topic.take(row), row


def no_topic_in_common(qrels: Iterable[str], run: Iterable[str]) -> IrdivError:
    """Return the error for topics of qrels and a run that are all different."""
    return IrdivError(
        f"no topic in common: the qrels have {examples(qrels)} and the run has {examples(run)}. "
        "Check that both use the same topic ids."
    )


def _in_order(topic: Ints, row: Ints, key: Floats, docs: Ids, ties: Ties) -> tuple[Ints, Ints]:
    """Return topics and rows by topic, then by key, then by the rule for ties."""
    same_topic = topic[1:] == topic[:-1]
    if not ((topic[1:] > topic[:-1]) | (same_topic & (key[1:] >= key[:-1]))).all():
        # Most runs come in order, and sorting costs more than looking.
        by_key = np.argsort(key)
        by_key = by_key.take(by_topic(topic.take(by_key)))
        topic, row, key = topic.take(by_key), row.take(by_key), key.take(by_key)
        same_topic = topic[1:] == topic[:-1]
    tied_with_next = same_topic & (key[1:] == key[:-1])
    if tied_with_next.any():
        row = row.copy()
        tied = np.concatenate([[False], tied_with_next]) | np.concatenate([tied_with_next, [False]])
        group = np.cumsum(np.concatenate([[True], ~tied_with_next]))[tied]
        row[tied] = row[tied][np.lexsort((_tie_order(docs, row[tied], ties), group))]
    return topic, row


def _tie_order(docs: Ids, rows: Ints, ties: Ties) -> Ints:
    """Return numbers in the order that the rule for ties gives some rows."""
    if ties == "input":
        return rows
    code, distinct = factorize(docs.take(rows))
    by_id = np.empty(len(distinct), dtype=np.int64)
    by_id[order(distinct)] = np.arange(len(distinct))
    return by_id[code] if ties == "docid_asc" else -by_id[code]


def _refuse_duplicates(collection: Collection, docs: Ids, topic: Ints, row: Ints) -> None:
    by_row = np.argsort(row)
    pairs = zip(collection.topics[topic[by_row]], docs.take(row[by_row]).to_pylist(), strict=True)
    named = examples((f"{query} {doc}" for query, doc in pairs), 3)
    raise IrdivError(
        f"the run repeats documents, {len(row)} in all (topic and document): {named}. Remove them, or keep the "
        "best-ranked of each with duplicates='first' (on the command line, --duplicates first)."
    )
