"""Parquet files behind a Spark frame, which Python workers read in less time than Spark turns their rows into Arrow."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from irdiv.plugins.spark_inputs import FOOTER_COUNT, INTEGER_TYPES
from irdiv.plugins.spark_tables import FilePart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ID_TYPES = ("string", *INTEGER_TYPES)
"""Types of ids that Spark and pyarrow turn into the same strings."""
_PART_BYTES = 1 << 22, 1 << 27
"""Least and largest size of what a task reads of a file, as of Spark's own tasks."""
_PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_BUCKET_OF_FILE = re.compile(r".*_(\d+)(?:\.[^/]*)?$")
"""How Spark writes the bucket of a table into the names of its files."""


class BucketFiles(NamedTuple):
    """The files of some buckets of two tables, which have all rows of their topics."""

    qrels: Sequence[FilePart]
    runs: Sequence[FilePart]


class ParquetFiles(NamedTuple):
    """The Parquet files that are all of a frame."""

    sizes: Mapping[str, int]
    """The bytes of each file, by its URI."""
    topic_type: str
    """Spark's type of topics, by which it hashes them."""
    bucket_count: int
    """Into how many buckets Spark has partitioned the rows by topic, or 0."""

    def parts(self, parallelism: int) -> list[FilePart]:
        """Return parts of files for tasks to read, at least some for each core."""
        least, most = _PART_BYTES
        size = min(max(sum(self.sizes.values()) // parallelism, least), most)
        counts = {uri: max(-(-bytes_of_file // size), 1) for uri, bytes_of_file in self.sizes.items()}
        return [FilePart(uri, first, count) for uri, count in counts.items() for first in range(count)]

    def bucket_parts(self, count: int) -> list[list[FilePart]]:
        """Return the files of each of so many groups of buckets, whose number divides that of the buckets."""
        groups: list[list[FilePart]] = [[] for _ in range(count)]
        for uri in self.sizes:
            groups[_bucket(uri) % count].append(FilePart(uri, 0, 1))
        return groups


def find_files(frame: DataFrame, names: Mapping[str, str]) -> ParquetFiles | None:
    """Return the files of a frame that is a scan of them and no more; None if only Spark can read them as it does.

    ``names`` are the columns that are read, by what they hold.
    """
    relation = _parquet_relation(frame)
    types = dict(frame.dtypes)
    if relation is None or any(types[names[name]] not in _ID_TYPES for name in ("query_id", "doc_id")):
        return None
    uris = sorted(frame.inputFiles())
    try:
        sizes = _sizes(uris, names.values())
    except (pa.ArrowException, OSError):  # a file system that pyarrow does not know or may not read
        return None
    if sizes is None:
        return None
    topic = names["query_id"]
    return ParquetFiles(sizes, types[topic], _bucket_count(relation, topic, uris))


def _sizes(uris: Sequence[str], columns: Collection[str]) -> dict[str, int] | None:
    """Return the bytes of files; None if there are none, or one lacks a column, as all do of those named by folders.

    Of many files only the first is opened here, and the tasks raise an error for others.
    """
    opened = [pyarrow.fs.FileSystem.from_uri(uri) for uri in uris]
    if not opened:
        return None
    for filesystem, path in opened if len(opened) <= FOOTER_COUNT else opened[:1]:
        if not set(columns) <= set(pq.read_schema(path, filesystem=filesystem).names):
            return None
    filesystem, _ = opened[0]
    found = filesystem.get_file_info([path for _, path in opened])
    return {uri: info.size for uri, info in zip(uris, found, strict=True)}


def shared_buckets(qrels: ParquetFiles | None, runs: ParquetFiles | None) -> list[BucketFiles]:
    """Return groups of buckets that have the same topics in both tables; none if they are not bucketed alike.

    Topics are in the bucket of their hash modulo the number of buckets, so that buckets of two tables with the same
    remainder modulo a common divisor have the same topics. Spark hashes integers of other widths to other buckets.
    """
    if qrels is None or runs is None or qrels.topic_type != runs.topic_type:
        return []
    if qrels.bucket_count == 0 or runs.bucket_count == 0:
        return []
    count = gcd(qrels.bucket_count, runs.bucket_count)
    return [BucketFiles(*files) for files in zip(qrels.bucket_parts(count), runs.bucket_parts(count), strict=True)]


def _parquet_relation(frame: DataFrame) -> Any:
    """Return Spark's relation of Parquet files, None if the frame is anything else, such as one with a filter."""
    plan = frame._jdf.queryExecution().analyzed()
    while plan.getClass().getSimpleName() == "SubqueryAlias":
        plan = plan.child()
    if plan.getClass().getSimpleName() != "LogicalRelation":
        return None
    relation = plan.relation()
    is_of_files = relation.getClass().getSimpleName() == "HadoopFsRelation"
    return relation if is_of_files and relation.fileFormat().getClass().getName() == _PARQUET else None


def _bucket_count(relation: Any, topic: str, uris: list[str]) -> int:
    if not relation.bucketSpec().isDefined():
        return 0
    buckets = relation.bucketSpec().get()
    is_by_topic = buckets.bucketColumnNames().mkString("\n") == topic
    return int(buckets.numBuckets()) if is_by_topic and all(map(_BUCKET_OF_FILE.match, uris)) else 0


def _bucket(uri: str) -> int:
    found = _BUCKET_OF_FILE.match(uri)
    assert found is not None
    return int(found[1])
