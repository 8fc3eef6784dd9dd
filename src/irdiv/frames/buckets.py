"""Qrels and runs of any size, partitioned by topic into buckets that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import narwhals as nw
import numpy as np
import pyarrow as pa

from irdiv.files import TemporaryFile
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import Ids, as_ids, factorize_grouped
from irdiv.frames.prefetch import prefetch
from irdiv.frames.sources import RowSource, Totals
from irdiv.progress import progress_counter
from irdiv.types import Ints

Load: TypeAlias = Callable[[], pa.Table]
"""A function that returns the rows of a bucket."""


class BucketPlan:
    """The bucket of each topic.

    Topics whose rows are contiguous fill one bucket after the other, so that their rows need not be moved; others are
    spread by hash over as many buckets as their rows will fill.
    """

    def __init__(self, bucket_rows: int, expected_rows: int) -> None:
        self._bucket_rows, self._bucket_count = bucket_rows, max(-(-expected_rows // bucket_rows), 1)
        self._bucket: dict[str, int] = {}
        self._assigned_rows = 0
        self.buckets: set[int] = set()
        """The buckets that have topics."""

    @property
    def topic_count(self) -> int:
        """How many topics have a bucket."""
        return len(self._bucket)

    def assign(self, topics: Ids, row_counts: Ints, contiguous: bool) -> Ints:
        """Return the bucket of each topic of the qrels, after assigning one to those that are new."""
        names = topics.to_pylist()
        new = np.flatnonzero([name not in self._bucket for name in names])
        if contiguous:
            ends = self._assigned_rows + np.cumsum(row_counts[new])
            bucket = (ends - row_counts[new]) // self._bucket_rows
            self._assigned_rows = int(ends[-1]) if len(ends) else self._assigned_rows
        else:
            bucket = (hash_ids(topics.take(new)) % np.uint64(self._bucket_count)).astype(np.int64)
        self._bucket.update(zip(topics.take(new).to_pylist(), bucket.tolist(), strict=True))
        self.buckets.update(np.unique(bucket).tolist())
        return bucket if len(new) == len(names) else self.buckets_of(topics)

    def buckets_of(self, topics: Ids) -> Ints:
        """Return the bucket of each topic, -1 for those that are not in the qrels."""
        return np.array([self._bucket.get(topic, -1) for topic in topics.to_pylist()], dtype=np.int64)


class TopicBuckets:
    """The rows of a source in a temporary file, from which one bucket at a time is read."""

    def __init__(self, source: RowSource, plan: BucketPlan, file: TemporaryFile) -> None:
        self._file = file
        self._batches_of: dict[int, list[slice]] = {}
        self._schema: pa.Schema | None = None
        self.totals = Totals()
        self.unjudged_topics: set[str] = set()
        """The topics of a run that are not in the qrels."""
        with progress_counter(source.row_count, "row", f"rows of the {source.role}") as advance:
            for table in prefetch(source.to_table, source.chunks()):
                self._schema = table.schema if self._schema is None else self._schema
                self.totals.add(table, source)
                self._partition(table.cast(self._schema), source, plan)
                advance(len(table))
        source.raise_if_empty(self.totals.row_count)

    def _partition(self, table: pa.Table, source: RowSource, plan: BucketPlan) -> None:
        """Write the rows of a table bucket by bucket; those of topics without a bucket are left out."""
        code, topics = factorize_grouped(as_ids(nw.from_native(table["query_id"], series_only=True), source.role))
        if source.role == "qrels":
            contiguous = bool(np.count_nonzero(np.diff(code)) < len(topics))
            topic_bucket = plan.assign(topics, np.bincount(code, minlength=len(topics)), contiguous)
        else:
            topic_bucket = plan.buckets_of(topics)
            self.unjudged_topics.update(topics.take(np.flatnonzero(topic_bucket < 0)).to_pylist())
        bucket = topic_bucket.take(code)
        if (np.diff(bucket) < 0).any():
            by_bucket = np.argsort(bucket, kind="stable")
            table, bucket = table.take(by_bucket), bucket.take(by_bucket)
        edges = [0, *(np.flatnonzero(np.diff(bucket)) + 1).tolist(), len(bucket)]
        for start, stop in pairwise(edges):
            if stop > start and bucket[start] >= 0:
                batches = table.slice(start, stop - start).to_batches()
                written = [self._file.append(memoryview(batch.serialize())) for batch in batches]
                self._batches_of.setdefault(int(bucket[start]), []).extend(written)

    def loads(self, buckets: Sequence[int]) -> Iterator[Load]:
        """Yield functions that load some buckets."""
        return (partial(self._load, bucket) for bucket in buckets)

    def _load(self, bucket: int) -> pa.Table:
        table = pa.Table.from_batches(map(self._read, self._batches_of.get(bucket, [])), self._schema)
        return self.totals.without_known_columns(table)

    def _read(self, part: slice) -> pa.RecordBatch:
        # Memory that is given back after use, unlike pages of a file that is mapped.
        buffer = pa.allocate_buffer(part.stop - part.start)
        self._file.read_into(part.start, memoryview(buffer))
        return pa.ipc.read_record_batch(buffer, self._schema)
