"""Evaluation on Spark: many topics are scored at once in each task, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pyarrow.parquet as pq

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import (
    DEFAULT_DUPLICATES,
    DEFAULT_TIES,
    Duplicates,
    Ties,
    no_common_topic_error,
    require_order_options,
)
from irdiv.checks import Integer, require
from irdiv.errors import IrdivError
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.scoring import Scorer
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.frames.checked import qrels_columns
from irdiv.frames.columns import (
    ADHOC_ITERATIONS,
    EVALUATION_COLUMNS,
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    find_columns,
    order_column,
)
from irdiv.measures.measure import Measure
from irdiv.measures.spec import NamedMeasures, parse
from irdiv.plugins.spark_tables import PACKED_SCHEMA, FilePart, pack, read_parts, split_by_topic, unpack
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = ", ".join(f"{name} {'double' if name == 'value' else 'string'}" for name in EVALUATION_COLUMNS)
ARROW_SCHEMA = pa.schema({name: pa.float64() if name == "value" else pa.string() for name in EVALUATION_COLUMNS})
_RUN = "run"
_ID_TYPES = ("string", "tinyint", "smallint", "int", "bigint")
"""Types of ids that Spark and pyarrow turn into the same strings."""
_FILE_PART_BYTES = 1 << 22, 1 << 27
"""Least and largest size of what a task reads of a file, as of Spark's own tasks."""
JUDGMENTS_PER_TASK = 200_000
"""About how many judgments are scored at once."""
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

    Topics are assigned to tasks by a hash of their ids, and their rows are sent there as Arrow tables. What depends on
    all topics, the highest grade and the names of runs, is computed first. A topic that is missing from a run scores 0;
    one without judgments is ignored.

    Runs without any topic of the qrels are an error, as in `irdiv.evaluate`, but only if that holds for all of them.
    What would need another pass over the runs is not checked: there are no warnings about ranks that contradict scores
    or about runs without a judged document, and no notes.

    Parameters
    ----------
    qrels, runs
        Spark frames with the columns that `irdiv.evaluate` knows, or paths of Parquet files or folders. With several
        systems, a column ``run`` names them. Files are read by the Python workers, which takes half the time of a
        frame; all workers need access to them.
    measures, ties, duplicates, components, **parameters
        As of `irdiv.evaluate`.
    tasks
        How many tasks share the topics; by default about one for 200,000 judgments, and not fewer than the session's
        parallelism.

    Returns
    -------
    pyspark.sql.DataFrame
        ``run, query_id, measure, value``.
    """
    functions = _functions()
    requested = requested_measures(measures, parameters, components=components)
    require_order_options(ties, duplicates)
    session = _session(qrels, runs)
    qrels_files, runs_files = isinstance(qrels, str | os.PathLike), isinstance(runs, str | os.PathLike)
    qrels, runs = _as_frame(qrels, session), _as_frame(runs, session)
    by = order_column(runs.columns, ties)
    needs_intents = any(isinstance(m, Measure) and m.declaration.needs_intents for m in requested)
    required = (*QRELS_COLUMNS, "intent_id") if needs_intents else QRELS_COLUMNS
    qrels_names = find_columns(qrels.columns, "qrels", required, OPTIONAL_QRELS_COLUMNS)
    run_names = find_columns(runs.columns, "run", ("query_id", "doc_id", by), (_RUN,))
    query = qrels_names["query_id"]
    grade_columns = [qrels_names[name] for name in ("relevance", "max_grade") if name in qrels_names]
    highest, judgment_count = _highest_grade_and_row_count(qrels, grade_columns, functions)
    # Other columns need not be sent to the tasks, and they get the highest grade of all.
    qrels_names.pop("max_grade", None)
    given_qrels, given_runs = qrels.select(*qrels_names.values()), runs.select(*run_names.values())
    qrels, runs = given_qrels, given_runs.withColumnRenamed(run_names["query_id"], query)
    if _RUN in run_names:
        runs = runs.withColumnRenamed(run_names[_RUN], _RUN)
    qrels = _normalize_ids(_normalize_ids(qrels, query, functions), qrels_names["doc_id"], functions)
    runs = _normalize_ids(_normalize_ids(runs, query, functions), run_names["doc_id"], functions)
    names = [row[0] for row in runs.select(_RUN).distinct().collect()] if _RUN in runs.columns else [None]
    if not names:
        raise IrdivError("the runs are empty: expected at least one row.")
    if _RUN in runs.columns and None in names:
        raise IrdivError("the runs have a missing name: column 'run' is null in some row. Give every row its system.")
    _require_common_topics(qrels, runs, query, functions)
    if qrels_names.get("intent_id") == ITERATION:
        qrels = _rename_intents(qrels, functions)
    n_tasks = _task_count(tasks, judgment_count, session.sparkContext.defaultParallelism)
    given_names = requested_names(measures, parameters)
    specs = {str(measure): given_names.get(measure, str(measure)) for measure in requested}
    run_schema = pa.schema({name: pa.float64() if name == run_names[by] else pa.string() for name in runs.columns})
    task = _task(sorted(names, key=str), specs, highest, query, run_schema, ties, duplicates)
    judged = _pack(qrels, given_qrels if qrels_files else None, [query, qrels_names["doc_id"]], n_tasks)
    ranked = _pack(runs, given_runs if runs_files else None, [query, run_names["doc_id"]], n_tasks)
    return judged.groupBy("bucket").cogroup(ranked.groupBy("bucket")).applyInArrow(task, schema=SCHEMA)


def _session(*data: DataFrame | PathLike) -> SparkSession:
    """Return the session of the first frame, or the active one if all data are paths."""
    from pyspark.sql import SparkSession

    frames = [item for item in data if not isinstance(item, str | os.PathLike)]
    session = frames[0].sparkSession if frames else SparkSession.getActiveSession()
    if session is None:
        raise IrdivError("no Spark session is active: make one by SparkSession.builder.getOrCreate().")
    return session


def _as_frame(data: DataFrame | PathLike, session: SparkSession) -> DataFrame:
    return session.read.parquet(os.fspath(data)) if isinstance(data, str | os.PathLike) else data


def _functions() -> ModuleType:
    try:
        from pyspark.sql import functions
    except ImportError:
        raise IrdivError(
            "Spark 4 is not installed: pip install 'irdiv[spark]'; it needs Java 17 or newer too."
        ) from None
    return functions


def _highest_grade_and_row_count(
    qrels: DataFrame, grade_columns: Sequence[str], functions: ModuleType
) -> tuple[int, int]:
    """Return the highest grade of all topics, which ERR needs, and the count of the judgments."""
    grades = [functions.max(functions.col(name).cast("double")) for name in grade_columns]
    rows, *found = qrels.agg(functions.count("*"), *grades).collect()[0]
    found = [value for value in found if value is not None]
    if not found:
        raise IrdivError("the qrels are empty: expected at least one row.")
    return max(int(max(found)), 0), int(rows)


def _normalize_ids(frame: DataFrame, column: str, functions: ModuleType) -> DataFrame:
    """Return a frame with a column of ids as strings, written as `irdiv.evaluate` does: 51.0 is the topic 51."""
    values = functions.col(column)
    if (
        dict(frame.dtypes)[column] in ("double", "float")
        and not frame.filter(values != functions.rint(values)).limit(1).count()
    ):
        values = values.cast("bigint")
    return frame.withColumn(column, values.cast("string"))


def _require_common_topics(qrels: DataFrame, runs: DataFrame, query: str, functions: ModuleType) -> None:
    """Raise an error if no topic of the runs is in the qrels; a sample of topics decides most cases."""
    some = [row[0] for row in runs.select(query).limit(1000).distinct().collect()]
    if qrels.filter(functions.col(query).isin(some)).limit(1).count():
        return
    if runs.select(query).join(qrels.select(query).distinct(), query, "left_semi").limit(1).count() == 0:
        raise no_common_topic_error([row[0] for row in qrels.select(query).limit(4).collect()], some)


def _rename_intents(qrels: DataFrame, functions: ModuleType) -> DataFrame:
    """Rename the column of iterations if they are intents: those of one task may all be 0, as in ad hoc qrels."""
    intents = qrels.filter(~functions.col(ITERATION).cast("string").isin(*ADHOC_ITERATIONS)).limit(1).count()
    return qrels.withColumnRenamed(ITERATION, "intent_id") if intents else qrels


def _task_count(tasks: int | None, judgments: int, parallelism: int) -> int:
    if tasks is None:
        return max(min(judgments // JUDGMENTS_PER_TASK, MAX_TASKS), parallelism, 1)
    return require(Integer(1), tasks=tasks)


def _pack(frame: DataFrame, files: DataFrame | None, ids: Sequence[str], n_tasks: int) -> DataFrame:
    """Return the rows of a frame packed into tables of many topics, some for each task.

    ``ids`` are the columns of topics and documents. The rows are read from the files of a frame that has the same
    columns under the names of the files, if there are such files.
    """
    packing = partial(pack, query=ids[0], buckets=n_tasks)
    parts = _file_parts(files, frame, ids) if files is not None else None
    if files is None or parts is None:
        return frame.mapInArrow(packing, PACKED_SCHEMA)
    names = dict(zip(files.columns, frame.columns, strict=True))
    reading = partial(read_parts, parts=parts, names=names, ids=ids)
    indices = frame.sparkSession.range(0, len(parts), 1, len(parts))
    return indices.mapInArrow(lambda batches: packing(reading(batches)), PACKED_SCHEMA)


def _file_parts(files: DataFrame, frame: DataFrame, ids: Sequence[str]) -> list[FilePart] | None:
    """Return the parts of files that tasks read; None if only Spark can read them as it does."""
    names = dict(zip(frame.columns, files.columns, strict=True))
    types = dict(files.dtypes)
    uris = sorted(files.inputFiles())
    if not uris or any(types[names[name]] not in _ID_TYPES for name in ids):
        return None
    try:
        opened = [pyarrow.fs.FileSystem.from_uri(uri) for uri in uris]
    except (pa.ArrowException, OSError):  # a file system that pyarrow does not know
        return None
    filesystem = opened[0][0]
    # Columns that are named by folders are not in the files.
    if not set(files.columns) <= set(pq.read_schema(opened[0][1], filesystem=filesystem).names):
        return None
    sizes = [info.size for info in filesystem.get_file_info([path for _, path in opened])]
    least, most = _FILE_PART_BYTES
    size = min(max(sum(sizes) // frame.sparkSession.sparkContext.defaultParallelism, least), most)
    counts = [max(-(-bytes_of_file // size), 1) for bytes_of_file in sizes]
    return [FilePart(uri, first, count) for uri, count in zip(uris, counts, strict=True) for first in range(count)]


def _task(
    names: Sequence[str | None],
    specs: Mapping[str, str],
    highest: int,
    query: str,
    run_schema: pa.Schema,
    ties: Ties,
    duplicates: Duplicates,
) -> Callable[[pa.Table, pa.Table], pa.Table]:
    """Return the function that scores the topics of one task by specs, which are mapped to names of measures."""

    def score_packed(packed_qrels: pa.Table, packed_runs: pa.Table) -> pa.Table:
        qrels, runs = unpack(packed_qrels), unpack(packed_runs)
        if qrels is None:
            return ARROW_SCHEMA.empty_table()
        if runs is None:
            runs = run_schema.empty_table()
        count = -(-len(qrels) // (2 * JUDGMENTS_PER_TASK))
        runs_of_part = dict(split_by_topic(runs, query, count, salt=1))
        parts = split_by_topic(qrels, query, count, salt=1)
        return pa.concat_tables([score(rows, runs_of_part.get(part, runs.slice(0, 0))) for part, rows in parts])

    def score(qrels: pa.Table, runs: pa.Table) -> pa.Table:
        collection = Collection.from_columns(qrels_columns(qrels)._replace(max_grade=highest))
        measures = [parse(spec) for spec in specs]
        scorer = Scorer(collection, measures, ties, duplicates)
        of_run = [runs if name is None else runs.filter(pc.equal(runs[_RUN], name)) for name in names]
        values = [scorer.score(scorer.order(rows, is_part=True)) for rows in of_run]
        evaluation: Evaluation[pa.Table] = Evaluation(
            tuple("run" if name is None else str(name) for name in names),
            collection.topics,
            tuple(measures),
            np.stack(values),
            "pyarrow",
            names=dict(zip(measures, specs.values(), strict=True)),
        )
        return evaluation.frame.cast(ARROW_SCHEMA)

    return score_packed
