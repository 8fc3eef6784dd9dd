"""Qrels and runs whose rows are grouped by topic: read in order, some topics at a time, without temporary files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.frames.buckets import Load
from irdiv.frames.ids import Ids, concatenate_ids, factorize, find_positions, group_starts
from irdiv.frames.sources import Chunk, RowSource, Totals
from irdiv.types import Ints


class TopicGroups(NamedTuple):
    """The topics of a source in the order of its rows, each with all its rows together."""

    topics: Ids
    start: Ints
    """The first row of each topic."""
    totals: Totals

    @property
    def row_counts(self) -> Ints:
        """The count of rows of each topic."""
        return np.diff(self.start, append=self.totals.row_count)

    def buckets(self, rows: int) -> Ints:
        """Return the bucket of each topic, as `BucketPlan` assigns them; one holds about ``rows`` rows."""
        return self.start // rows

    def first_of_buckets(self, rows: int) -> Ints:
        """Return the index of the first topic of each bucket."""
        return np.flatnonzero(np.diff(self.buckets(rows), prepend=-1))


def find_groups(source: RowSource) -> TopicGroups | None:
    """Return the topics of a source; None if rows of a topic are apart, or if they are not in files.

    Only a few columns are read, and only until rows of a topic are seen to be apart.
    """
    if not source.is_in_files:
        return None
    totals, starts, topics = Totals(), [], []
    last_topic = None
    for chunk in source.chunks_of_totals():
        table = source.to_table(chunk, compact=False)
        start, ids = group_starts(table["query_id"].combine_chunks())
        if len(ids.unique()) < len(ids):
            return None
        continues = ids[0].as_py() == last_topic
        starts.append(chunk.start + start[continues:])
        topics.append(ids[continues:])
        last_topic = ids[-1].as_py()
        totals.add(table, source)
    source.raise_if_empty(totals.row_count)
    every_topic = concatenate_ids(topics)
    if len(factorize(every_topic)[1]) < len(every_topic):
        return None
    return TopicGroups(every_topic, np.concatenate(starts), totals)


class GroupedRows:
    """The rows of a source of which each bucket is a range."""

    def __init__(self, source: RowSource, totals: Totals, edges: Ints, unjudged_topics: Iterable[str] = ()) -> None:
        self._source, self._edges, self.totals = source, edges, totals
        self.unjudged_topics = frozenset(unjudged_topics)
        """The topics of a run that are not in the qrels."""

    @classmethod
    def of_qrels(cls, source: RowSource, groups: TopicGroups, rows: int) -> GroupedRows:
        """Return the rows of qrels in the buckets of their topics."""
        return cls(
            source, groups.totals, np.append(groups.start[groups.first_of_buckets(rows)], groups.totals.row_count)
        )

    @classmethod
    def of_run(cls, source: RowSource, judged: TopicGroups, rows: int) -> GroupedRows | None:
        """Return the rows of a run in the buckets of the qrels; None unless it has their topics in the same order.

        Topics that are not in the qrels may be anywhere.
        """
        groups = find_groups(source)
        if groups is None:
            return None
        position = find_positions(groups.topics, judged.topics)
        unjudged_topics = groups.topics.take(np.flatnonzero(position < 0)).to_pylist()
        is_judged = np.flatnonzero(position >= 0)
        position = position[is_judged]
        if (np.diff(position) < 0).any():
            return None
        first = np.searchsorted(position, judged.first_of_buckets(rows)[1:])
        start = np.append(groups.start[is_judged], groups.totals.row_count)
        edges = np.concatenate([[0], start[first], [groups.totals.row_count]])
        return cls(source, groups.totals, edges, unjudged_topics)

    def loads(self, buckets: Sequence[int]) -> Iterator[Load]:
        """Yield functions that load all buckets, one after the other."""
        assert len(buckets) == len(self._edges) - 1
        waiting: list[pa.Table] = []
        bucket, row = 0, 0
        for start, rows in self._source.chunks():
            table = rows.to_arrow()
            row = start + len(table)
            while bucket < len(self._edges) - 1 and self._edges[bucket + 1] <= row:
                head = table.slice(0, len(table) - (row - int(self._edges[bucket + 1])))
                yield partial(self._convert, bucket, pa.concat_tables([*waiting, head]))
                waiting, table = [], table.slice(len(head))
                bucket += 1
            waiting.append(table)
        if row != self.totals.row_count:
            raise IrdivError(f"the {self._source.role} changed while it was read: evaluate it again.")

    def _convert(self, bucket: int, rows: pa.Table) -> pa.Table:
        chunk = Chunk(int(self._edges[bucket]), nw.from_native(rows, eager_only=True))
        return self.totals.without_known_columns(self._source.to_table(chunk, compact=False))
