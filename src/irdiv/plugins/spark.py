"""Evaluation on Spark: many topics are scored at once in each task, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import ir_measures
import pyarrow as pa

from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties, require_order_options
from irdiv.checks import Integer, require
from irdiv.errors import IrdivError, examples
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.frames.checked import other_intent_columns
from irdiv.frames.columns import ITERATION, OPTIONAL_QRELS_COLUMNS, QRELS_COLUMNS, find_columns, order_column
from irdiv.frames.ids import Ids
from irdiv.measures.measure import Measure
from irdiv.measures.spec import NamedMeasures
from irdiv.plugins.spark_files import BucketFiles, ParquetFiles, shared_buckets
from irdiv.plugins.spark_inputs import (
    RUN,
    as_frame,
    find_session,
    pyspark_functions,
    read_run_names,
    read_topics,
    require_common_topics,
)
from irdiv.plugins.spark_rows import Rows, integers, pack_rows, prepare_qrels, prepare_runs
from irdiv.plugins.spark_tables import as_table, keep_topics, pack, read_parts
from irdiv.plugins.spark_tasks import JUDGMENTS_PER_TASK, SCHEMA, Task
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL_QRELS = 100_000
"""Qrels of so many judgments at most have few topics, and only the rows of runs for these are exchanged."""
MAX_JUDGMENTS = 5_000_000
"""How many judgments the average bucket of a table may have for a task to read it whole."""
MAX_RUN_BYTES = 1 << 28
"""How many bytes the files of runs may have for the average bucket, which a task reads whole too."""
MAX_TASKS = 10_000
"""How many tasks there are at most, if their number is not given: more of them would get tables of a few rows."""


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
    ties
        As of `irdiv.evaluate`, but for ``"input"``: rows on Spark have no order.
    measures, duplicates, components, **parameters
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
    if ties == "input":
        raise IrdivError("rows on Spark have no order, which ties='input' needs: use ties='rank' or the default.")
    session = find_session(qrels, runs)
    parallelism = session.sparkContext.defaultParallelism
    qrels, runs = as_frame(qrels, session), as_frame(runs, session)
    by = order_column(runs.columns, ties)
    qrels_names = _find_qrels_columns(qrels.columns, requested)
    run_names = find_columns(runs.columns, "run", ("query_id", "doc_id", by), (RUN,))
    judgments, facts = prepare_qrels(qrels, qrels_names)
    n_tasks = _task_count(tasks, facts.row_count, parallelism)
    results = prepare_runs(runs, run_names, judgments.columns.query)
    names = read_run_names(results.frame)
    require_common_topics(judgments.frame, results.frame, judgments.columns.query)
    given_names = requested_names(measures, parameters)
    specs = {str(measure): given_names.get(measure, str(measure)) for measure in requested}
    schema = pa.schema({name: pa.float64() if name == run_names[by] else pa.string() for name in results.frame.columns})
    task = Task(names, specs, facts.highest, judgments.columns, results.columns, schema, ties, duplicates)
    buckets = shared_buckets(judgments.files, results.files)
    if tasks is None and len(buckets) >= parallelism and _fit_memory(len(buckets), facts.row_count, results.files):
        return _score_buckets(judgments, results, task, buckets)
    topics = read_topics(judgments.frame, task.judged.query) if facts.row_count <= SMALL_QRELS else None
    return _exchange_and_score(judgments, results, task, n_tasks, topics)


def _find_qrels_columns(columns: Sequence[str], measures: Sequence[ir_measures.Measure]) -> dict[str, str]:
    needs_intents = any(isinstance(m, Measure) and m.declaration.needs_intents for m in measures)
    required = (*QRELS_COLUMNS, "intent_id") if needs_intents else QRELS_COLUMNS
    names = find_columns(columns, "qrels", required, OPTIONAL_QRELS_COLUMNS)
    unchecked = [
        *other_intent_columns(columns, names.get("intent_id", ITERATION)),
        *{"grades_below_max"} & names.keys(),
    ]
    if unchecked:
        raise IrdivError(
            f"the qrels have the columns {examples(unchecked)}, which are not compared with the others on Spark; drop "
            "them, or state the scale in a column 'max_grade'."
        )
    return names


def _task_count(tasks: int | None, judgments: int, parallelism: int) -> int:
    if tasks is None:
        return max(min(judgments // JUDGMENTS_PER_TASK, MAX_TASKS), parallelism, 1)
    return require(Integer(1), tasks=tasks)


def _fit_memory(buckets: int, judgments: int, runs: ParquetFiles | None) -> bool:
    """Return whether a task can hold the average bucket of judgments and of runs."""
    run_bytes = sum(runs.sizes.values()) if runs else 0
    return judgments <= buckets * MAX_JUDGMENTS and run_bytes <= buckets * MAX_RUN_BYTES


def _score_buckets(judgments: Rows, results: Rows, task: Task, buckets: Sequence[BucketFiles]) -> DataFrame:
    """Return the values of tables that are bucketed by topic, without an exchange: a task reads all rows of a topic."""
    qrels_names, run_names = judgments.names, results.names

    def read_and_score(indices: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for index in integers(indices):
            qrels = as_table(read_parts(buckets[index].qrels, qrels_names, task.judged))
            runs = as_table(read_parts(buckets[index].runs, run_names, task.ranked))
            yield from task.score(qrels, runs).to_batches()

    session = judgments.frame.sparkSession
    return session.range(0, len(buckets), 1, len(buckets)).mapInArrow(read_and_score, SCHEMA)


def _exchange_and_score(judgments: Rows, results: Rows, task: Task, n_tasks: int, topics: Ids | None) -> DataFrame:
    """Return the values of rows that are sent to the tasks of their topics; of runs only the given topics, if any."""

    def pack_results(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept = batches if topics is None else keep_topics(batches, topics, task.ties)
        return pack(kept, task.ranked, n_tasks)

    packed_qrels = pack_rows(judgments, partial(pack, columns=task.judged, buckets=n_tasks))
    packed_runs = pack_rows(results, pack_results)
    pairs = packed_qrels.groupBy("bucket").cogroup(packed_runs.groupBy("bucket"))
    return pairs.applyInArrow(lambda of_qrels, of_runs: task.score_packed(of_qrels, of_runs), SCHEMA)
