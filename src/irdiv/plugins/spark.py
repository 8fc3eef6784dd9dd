"""Evaluation on Spark: many topics are scored at once in each task, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = ", ".join(f"{name} {'double' if name == 'value' else 'string'}" for name in EVALUATION_COLUMNS)
ARROW_SCHEMA = pa.schema({name: pa.float64() if name == "value" else pa.string() for name in EVALUATION_COLUMNS})
_RUN = "run"
_BUCKET = "_irdiv_bucket"
TOPICS_PER_TASK = 2000
"""About how many topics a task scores at once, if the number of tasks is not given."""


def evaluate(
    qrels: DataFrame,
    runs: DataFrame,
    measures: NamedMeasures,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    components: bool = False,
    tasks: int | None = None,
    **parameters: object,
) -> DataFrame:
    """Score runs as `irdiv.evaluate` does, on Spark frames.

    Topics are assigned to tasks by a hash of their ids. What depends on all topics, the highest grade and the names of
    runs, is computed first. A topic that is missing from a run scores 0; one without judgments is ignored.

    Runs without any topic of the qrels are an error, as in `irdiv.evaluate`, but only if that holds for all of them.
    What would need another pass over the runs is not checked: there are no warnings about ranks that contradict scores
    or about runs without a judged document, and no notes.

    Parameters
    ----------
    qrels, runs
        Spark frames with the columns that `irdiv.evaluate` knows. With several systems, a column ``run`` names them.
    measures, ties, duplicates, components, **parameters
        As of `irdiv.evaluate`.
    tasks
        How many tasks share the topics; by default about one for 2000 topics, and not fewer than the session's
        parallelism.

    Returns
    -------
    pyspark.sql.DataFrame
        ``run, query_id, measure, value``.
    """
    functions = _functions()
    requested = requested_measures(measures, parameters, components=components)
    require_order_options(ties, duplicates)
    by = order_column(runs.columns, ties)
    needs_intents = any(isinstance(m, Measure) and m.declaration.needs_intents for m in requested)
    required = (*QRELS_COLUMNS, "intent_id") if needs_intents else QRELS_COLUMNS
    qrels_names = find_columns(qrels.columns, "qrels", required, OPTIONAL_QRELS_COLUMNS)
    run_names = find_columns(runs.columns, "run", ("query_id", "doc_id", by), (_RUN,))
    query = qrels_names["query_id"]
    # Other columns need not be sent to the tasks.
    qrels = qrels.select(*qrels_names.values())
    runs = runs.select(*run_names.values()).withColumnRenamed(run_names["query_id"], query)
    if _RUN in run_names:
        runs = runs.withColumnRenamed(run_names[_RUN], _RUN)
    qrels = _normalize_ids(_normalize_ids(qrels, query, functions), qrels_names["doc_id"], functions)
    runs = _normalize_ids(_normalize_ids(runs, query, functions), run_names["doc_id"], functions)
    grade_columns = [qrels_names[name] for name in ("relevance", "max_grade") if name in qrels_names]
    highest, topics = _highest_grade_and_topic_count(qrels, query, grade_columns, functions)
    names = [row[0] for row in runs.select(_RUN).distinct().collect()] if _RUN in runs.columns else [None]
    if not names:
        raise IrdivError("the runs are empty: expected at least one row.")
    if _RUN in runs.columns and None in names:
        raise IrdivError("the runs have a missing name: column 'run' is null in some row. Give every row its system.")
    _require_common_topics(qrels, runs, query, functions)
    if qrels_names.get("intent_id") == ITERATION:
        qrels = _rename_intents(qrels, functions)
    n_tasks = _task_count(tasks, topics, qrels.sparkSession.sparkContext.defaultParallelism)

    def with_bucket(frame: DataFrame) -> DataFrame:
        return frame.withColumn(_BUCKET, functions.pmod(functions.xxhash64(query), functions.lit(n_tasks)))

    judged = with_bucket(qrels).withColumn("max_grade", functions.lit(highest))
    given_names = requested_names(measures, parameters)
    specs = {str(measure): given_names.get(measure, str(measure)) for measure in requested}
    task = _task(sorted(names, key=str), specs, ties, duplicates)
    return judged.groupBy(_BUCKET).cogroup(with_bucket(runs).groupBy(_BUCKET)).applyInArrow(task, schema=SCHEMA)


def _functions() -> ModuleType:
    try:
        from pyspark.sql import functions
    except ImportError:
        raise IrdivError(
            "Spark 4 is not installed: pip install 'irdiv[spark]'; it needs Java 17 or newer too."
        ) from None
    return functions


def _highest_grade_and_topic_count(
    qrels: DataFrame, query: str, grade_columns: Sequence[str], functions: ModuleType
) -> tuple[int, int]:
    """Return the highest grade of all topics, which ERR needs, and an approximate count of the topics."""
    grades = [functions.max(functions.col(name).cast("double")) for name in grade_columns]
    topics, *found = qrels.agg(functions.approx_count_distinct(query), *grades).collect()[0]
    found = [value for value in found if value is not None]
    if not found:
        raise IrdivError("the qrels are empty: expected at least one row.")
    return max(int(max(found)), 0), int(topics)


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


def _task_count(tasks: int | None, topics: int, parallelism: int) -> int:
    if tasks is None:
        return max(topics // TOPICS_PER_TASK, parallelism, 1)
    return require(Integer(1), tasks=tasks)


def _task(
    names: Sequence[str | None], specs: Mapping[str, str], ties: Ties, duplicates: Duplicates
) -> Callable[[pa.Table, pa.Table], pa.Table]:
    """Return the function that scores the topics of one task by specs, which are mapped to names of measures."""

    def score(qrels: pa.Table, runs: pa.Table) -> pa.Table:
        if len(qrels) == 0:
            return ARROW_SCHEMA.empty_table()
        collection = Collection.from_columns(qrels_columns(qrels.drop_columns([_BUCKET])))
        measures = [parse(spec) for spec in specs]
        scorer = Scorer(collection, measures, ties, duplicates)
        parts = [runs if name is None else runs.filter(pc.equal(runs[_RUN], name)) for name in names]
        values = [scorer.score(scorer.order(part, is_part=True)) for part in parts]
        measure_names = dict(zip(measures, specs.values(), strict=True))
        titles = tuple("run" if name is None else str(name) for name in names)
        evaluation: Evaluation[pa.Table] = Evaluation(
            titles,
            collection.topics,
            tuple(measures),
            np.stack(values),
            "pyarrow",
            names=measure_names,
        )
        return evaluation.frame.cast(ARROW_SCHEMA)

    return score
