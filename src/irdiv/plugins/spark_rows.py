"""The rows of qrels and runs on Spark: of a frame, or of files that workers read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa

from irdiv.frames.columns import ITERATION, SCALE_COLUMNS
from irdiv.plugins.spark_files import ParquetFiles, find_files
from irdiv.plugins.spark_inputs import RUN, QrelsFacts, normalize_ids, read_qrels_facts
from irdiv.plugins.spark_tables import PACKED_SCHEMA, TableColumns, read_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_REPEATED_COLUMNS = ("intent_id", "parent_id", "type", "description", "importance")
"""Columns of qrels with strings that are equal in many rows."""
BatchFunction: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Rows(NamedTuple):
    """The needed columns of qrels or runs, with ids as strings and one name for topics in both."""

    frame: DataFrame
    files: ParquetFiles | None
    """Files that have the rows, if workers can read them."""
    names: Mapping[str, str]
    """The names of the columns of the frame, by those in the files."""
    columns: TableColumns


def prepare_qrels(qrels: DataFrame, names: Mapping[str, str]) -> tuple[Rows, QrelsFacts]:
    """Return the rows of qrels, and what depends on all of them; ``names`` are the columns, by what they hold."""
    files = find_files(qrels, names)
    facts = read_qrels_facts(qrels, names, list(files.sizes) if files else [])
    # Tasks get the highest grade of all.
    kept = {name: column for name, column in names.items() if name not in SCALE_COLUMNS}
    renamed = {ITERATION: "intent_id"} if facts.has_iterations else {}
    repeated = [renamed.get(kept[name], kept[name]) for name in _REPEATED_COLUMNS if name in kept]
    columns = TableColumns("qrels", kept["query_id"], kept["doc_id"], repeated)
    return _as_rows(qrels, files, kept, renamed, columns), facts


def prepare_runs(runs: DataFrame, names: Mapping[str, str], query: str) -> Rows:
    """Return the rows of runs, with topics in the column ``query``; ``names`` are the columns, by what they hold."""
    renamed = {names["query_id"]: query} | ({names[RUN]: RUN} if RUN in names else {})
    columns = TableColumns("run", query, names["doc_id"], [RUN] if RUN in names else [])
    return _as_rows(runs, find_files(runs, names), names, renamed, columns)


def _as_rows(
    frame: DataFrame,
    files: ParquetFiles | None,
    names: Mapping[str, str],
    renamed: Mapping[str, str],
    columns: TableColumns,
) -> Rows:
    frame = frame.select(*names.values()).withColumnsRenamed(dict(renamed))
    frame = normalize_ids(normalize_ids(frame, columns.query), columns.doc)
    return Rows(frame, files, dict(zip(names.values(), frame.columns, strict=True)), columns)


def pack_rows(rows: Rows, pack: BatchFunction) -> DataFrame:
    """Return rows packed into tables of many topics, some for each task."""
    if rows.files is None:
        return rows.frame.mapInArrow(pack, PACKED_SCHEMA)
    session, names, columns = rows.frame.sparkSession, rows.names, rows.columns
    parts = rows.files.parts(session.sparkContext.defaultParallelism)

    def read_and_pack(indices: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return pack(read_parts((parts[index] for index in integers(indices)), names, columns))

    return session.range(0, len(parts), 1, len(parts)).mapInArrow(read_and_pack, PACKED_SCHEMA)


def integers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """Yield the values of the first column, as ``session.range`` has them."""
    return (index for batch in batches for index in batch.column(0).to_pylist())
