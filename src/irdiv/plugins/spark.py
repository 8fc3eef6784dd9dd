"""Evaluation on Spark: many topics are scored at once in each task, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa

from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties, require_order_options
from irdiv.checks import Integer, require
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.frames.columns import (
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    find_columns,
    order_column,
)
from irdiv.measures.measure import Measure
from irdiv.measures.spec import NamedMeasures
from irdiv.plugins.spark_files import ParquetFiles, find_files, shared_bucket_count
from irdiv.plugins.spark_inputs import (
    RUN,
    as_frame,
    find_session,
    normalize_ids,
    pyspark_functions,
    read_qrels_facts,
    read_run_names,
    read_topics,
    require_common_topics,
)
from irdiv.plugins.spark_tables import PACKED_SCHEMA, TableColumns, as_table, keep_topics, pack, read_part
from irdiv.plugins.spark_tasks import JUDGMENTS_PER_TASK, SCHEMA, Task
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_REPEATED_COLUMNS = ("intent_id", "parent_id", "type", "description", "importance")
"""Columns of qrels with strings that are equal in many rows."""
BatchFunction: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
SMALL_QRELS = 100_000
"""Qrels of so many judgments at most have few topics, and only the rows of runs for these are exchanged."""
MAX_JUDGMENTS = 5_000_000
"""How many judgments the average bucket of a table may have for a task to read it whole."""
MAX_TASKS = 10_000
"""How many tasks there are at most, if their number is not given: more of them would get tables of a few rows."""


class Rows(NamedTuple):
    """The rows of qrels or runs."""

    frame: DataFrame
    files: ParquetFiles | None
    """Files that have the rows, if workers can read them."""
    names: Mapping[str, str]
    """The names of the columns of the frame, by those in the files."""
    columns: TableColumns


def evaluate(
    qrels: DataFrame | PathLike,
    runs: DataFrame | PathLike,
    measures: NamedMeasures,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    components: bool = False,
    tasks: int | None = None,
    **parameters: object,
) -> DataFrame:
    """Score runs as `irdiv.evaluate` does, on Spark frames or Parquet files.

    Topics are assigned to tasks by a hash of their ids, and their rows are sent there as Arrow tables. Rows of tables
    that are both bucketed by topic are not sent: a task reads buckets with the same topics. What depends on all topics,
    the highest grade and the names of runs, is computed first. A topic that is missing from a run scores 0; one without
    judgments is ignored.

    Runs without any topic of the qrels are an error, as in `irdiv.evaluate`, but only if that holds for all of them.
    What would need another pass over the runs is not checked: there are no warnings about ranks that contradict scores
    or about runs without a judged document, and no notes.

    Parameters
    ----------
    qrels, runs
        Spark frames with the columns that `irdiv.evaluate` knows, or paths of Parquet files or folders. With several
        systems, a column ``run`` names them. Files are read by the Python workers, which need access to them, and so
        are those of a frame that is just Parquet files, as ``session.table`` and ``session.read.parquet`` return it.
        Rows of other frames take more time, as Spark turns them into Arrow one by one.
    measures, ties, duplicates, components, **parameters
        As of `irdiv.evaluate`.
    tasks
        How many tasks share the topics; by default one for each common bucket of tables that are bucketed by topic,
        and otherwise about one for 200,000 judgments, and not fewer than the session's parallelism.

    Returns
    -------
    pyspark.sql.DataFrame
        ``run, query_id, measure, value``.
    """
    pyspark_functions()
    requested = requested_measures(measures, parameters, components=components)
    require_order_options(ties, duplicates)
    session = find_session(qrels, runs)
    qrels, runs = as_frame(qrels, session), as_frame(runs, session)
    by = order_column(runs.columns, ties)
    needs_intents = any(isinstance(m, Measure) and m.declaration.needs_intents for m in requested)
    required = (*QRELS_COLUMNS, "intent_id") if needs_intents else QRELS_COLUMNS
    qrels_names = find_columns(qrels.columns, "qrels", required, OPTIONAL_QRELS_COLUMNS)
    run_names = find_columns(runs.columns, "run", ("query_id", "doc_id", by), (RUN,))
    qrels_files, runs_files = find_files(qrels, qrels_names), find_files(runs, run_names)
    facts = read_qrels_facts(qrels, qrels_names, qrels_files is not None)
    # Other columns need not be sent to the tasks, and they get the highest grade of all.
    qrels_names.pop("max_grade", None)
    query = qrels_names["query_id"]
    qrels, runs = qrels.select(*qrels_names.values()), runs.select(*run_names.values())
    renamed_qrels = {ITERATION: "intent_id"} if facts.has_iterations else {}
    renamed_runs = {run_names["query_id"]: query} | ({run_names[RUN]: RUN} if RUN in run_names else {})
    qrels, runs = qrels.withColumnsRenamed(renamed_qrels), runs.withColumnsRenamed(renamed_runs)
    repeated = [qrels_names[name] for name in _REPEATED_COLUMNS if name in qrels_names]
    judged = TableColumns("qrels", query, qrels_names["doc_id"], [renamed_qrels.get(name, name) for name in repeated])
    ranked = TableColumns("run", query, run_names["doc_id"], [RUN] if RUN in run_names else [])
    qrels = normalize_ids(normalize_ids(qrels, query), judged.doc)
    runs = normalize_ids(normalize_ids(runs, query), ranked.doc)
    names = read_run_names(runs)
    require_common_topics(qrels, runs, query)
    given_names = requested_names(measures, parameters)
    specs = {str(measure): given_names.get(measure, str(measure)) for measure in requested}
    run_schema = pa.schema({name: pa.float64() if name == run_names[by] else pa.string() for name in runs.columns})
    task = Task(names, specs, facts.highest, judged, ranked, run_schema, ties, duplicates)
    judgments = Rows(qrels, qrels_files, dict(zip(qrels_names.values(), qrels.columns, strict=True)), judged)
    results = Rows(runs, runs_files, dict(zip(run_names.values(), runs.columns, strict=True)), ranked)
    parallelism = session.sparkContext.defaultParallelism
    buckets = shared_bucket_count(qrels_files, runs_files)
    n_tasks = _task_count(tasks, facts.row_count, parallelism)
    if tasks is None and buckets >= parallelism and facts.row_count <= buckets * MAX_JUDGMENTS:
        return _score_buckets(judgments, results, task, buckets)
    packed_qrels = _pack(judgments, partial(pack, columns=judged, buckets=n_tasks))
    pack_runs = partial(pack, columns=ranked, buckets=n_tasks)
    if facts.row_count <= SMALL_QRELS:
        topics = read_topics(qrels, query)
        packed_runs = _pack(results, lambda batches: pack_runs(keep_topics(batches, topics, ties)))
    else:
        packed_runs = _pack(results, pack_runs)
    pairs = packed_qrels.groupBy("bucket").cogroup(packed_runs.groupBy("bucket"))
    return pairs.applyInArrow(lambda of_qrels, of_runs: task.score_packed(of_qrels, of_runs), SCHEMA)


def _task_count(tasks: int | None, judgments: int, parallelism: int) -> int:
    if tasks is None:
        return max(min(judgments // JUDGMENTS_PER_TASK, MAX_TASKS), parallelism, 1)
    return require(Integer(1), tasks=tasks)


def _pack(rows: Rows, pack_batches: BatchFunction) -> DataFrame:
    """Return rows packed into tables of many topics, some for each task."""
    if rows.files is None:
        return rows.frame.mapInArrow(pack_batches, PACKED_SCHEMA)
    session, names, columns = rows.frame.sparkSession, rows.names, rows.columns
    parts = rows.files.parts(session.sparkContext.defaultParallelism)

    def read_and_pack(indices: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return pack_batches(batch for index in _integers(indices) for batch in read_part(parts[index], names, columns))

    return session.range(0, len(parts), 1, len(parts)).mapInArrow(read_and_pack, PACKED_SCHEMA)


def _score_buckets(qrels: Rows, runs: Rows, task: Task, count: int) -> DataFrame:
    """Return the values of tables that are bucketed by topic, without an exchange: a task reads all rows of a topic."""
    assert qrels.files is not None
    assert runs.files is not None
    tables = list(zip(qrels.files.parts_of_buckets(count), runs.files.parts_of_buckets(count), strict=True))
    qrels_names, runs_names = qrels.names, runs.names

    def read_and_score(indices: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for judged, ranked in map(tables.__getitem__, _integers(indices)):
            judgments = [batch for part in judged for batch in read_part(part, qrels_names, task.judged)]
            results = [batch for part in ranked for batch in read_part(part, runs_names, task.ranked)]
            yield from task.score(as_table(judgments), as_table(results)).to_batches()

    return qrels.frame.sparkSession.range(0, count, 1, count).mapInArrow(read_and_score, SCHEMA)


def _integers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    return (index for batch in batches for index in batch.column(0).to_pylist())
