"""Evaluation on Spark: many topics are scored at once in each task, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import ir_measures
import pyarrow as pa

from irdiv.checks import Integer, require
from irdiv.core.collection import Collection
from irdiv.core.runs import (
    DEFAULT_DUPLICATES,
    DEFAULT_TIES,
    Duplicates,
    Ties,
    no_common_topic_error,
    require_order_options,
)
from irdiv.errors import IrdivError, examples
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.scoring import RunTable, score
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.io.checked import other_intent_columns, qrels_columns, run_columns
from irdiv.io.columns import (
    ADHOC_ITERATIONS,
    EVALUATION_COLUMNS,
    ITERATION,
    OPTIONAL_QRELS_COLUMNS,
    QRELS_COLUMNS,
    find_columns,
    order_column,
)
from irdiv.io.ids import find_positions, string_array
from irdiv.measures.measure import Measure
from irdiv.measures.spec import NamedMeasures, parse
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = pa.schema({name: pa.float64() if name == "value" else pa.string() for name in EVALUATION_COLUMNS})
SPARK_SCHEMA = ", ".join(f"{name} {'double' if name == 'value' else 'string'}" for name in EVALUATION_COLUMNS)
_JUDGMENTS_PER_TASK = 200_000
"""About how many judgments are scored at once."""


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

    Topics are assigned to tasks by a hash of their ids. What depends on all topics, the highest grade and the names of
    runs, is computed first. A topic that is missing from a run scores 0; one without judgments is ignored.

    Runs without any topic of the qrels are an error, as in `irdiv.evaluate`, but only if that holds for all of them.
    What would need another pass over the runs is not checked: there are no warnings about ranks that contradict scores
    or about runs without a judged document, and no notes.

    Parameters
    ----------
    qrels, runs
        Spark frames with the columns that `irdiv.evaluate` knows, or paths of Parquet files or folders. With several
        systems, a column ``run`` names them.
    ties
        As of `irdiv.evaluate`, but for ``"input"``: rows on Spark have no order.
    measures, duplicates, components, **parameters
        As of `irdiv.evaluate`.
    tasks
        How many tasks share the topics; by default about one for 200,000 judgments, and not fewer than the session's
        parallelism.

    Returns
    -------
    pyspark.sql.DataFrame
        ``run, query_id, measure, value``.
    """
    try:
        from pyspark.sql import functions
    except ImportError:
        raise IrdivError(
            "Spark 4 is not installed: pip install 'irdiv[spark]'; it needs Java 17 or newer too."
        ) from None
    requested = requested_measures(measures, parameters, components=components)
    given_names = requested_names(measures, parameters)
    specs = {str(measure): given_names.get(measure, str(measure)) for measure in requested}
    require_order_options(ties, duplicates)
    if ties == "input":
        raise IrdivError("rows on Spark have no order, which ties='input' needs: use ties='rank' or the default.")
    qrels, runs = _as_frame(qrels, runs), _as_frame(runs, qrels)
    names = _find_qrels_columns(qrels.columns, requested)
    row_count, highest, has_intents = _read_facts(qrels, names)
    if not has_intents:
        names.pop("intent_id", None)
    judged = _select(qrels, {name: column for name, column in names.items() if name != "max_grade"})
    by = order_column(runs.columns, ties)
    ranked = _select(runs, find_columns(runs.columns, "run", ("query_id", "doc_id", by), ("run",)))
    run_names = _read_run_names(ranked)
    _require_common_topics(judged, ranked)
    parallelism = judged.sparkSession.sparkContext.defaultParallelism
    task_count = max(row_count // _JUDGMENTS_PER_TASK, parallelism)
    if tasks is not None:
        task_count = require(Integer(1), tasks=tasks)
    bucket = functions.pmod(functions.hash("query_id"), functions.lit(task_count)).alias("bucket")

    def score_topics(of_qrels: pa.Table, of_runs: pa.Table) -> pa.Table:
        return _score(of_qrels, of_runs, run_names, specs, highest, ties, duplicates)

    pairs = judged.withColumn("bucket", bucket).groupBy("bucket")
    pairs_with_runs = pairs.cogroup(ranked.withColumn("bucket", bucket).groupBy("bucket"))
    return pairs_with_runs.applyInArrow(score_topics, SPARK_SCHEMA)


def _score(
    qrels: pa.Table,
    runs: pa.Table,
    names: Sequence[str | None],
    specs: Mapping[str, str],
    highest: int,
    ties: Ties,
    duplicates: Duplicates,
) -> pa.Table:
    """Return the values of all runs for all topics of a task."""
    if len(qrels) == 0:
        return SCHEMA.empty_table()
    collection = Collection.from_columns(qrels_columns(qrels.drop_columns("bucket"))._replace(max_grade=highest))
    rows = runs.select([name for name in runs.column_names if name not in ("bucket", "run")])
    columns = run_columns(rows, ties=ties, may_be_empty=True)
    if names[0] is not None:
        run = find_positions(runs["run"].combine_chunks().cast(pa.large_string()), string_array(names))
        columns = columns._replace(run=run, names=tuple(map(str, names)))
    measures = [parse(spec) for spec in specs]
    scored = score(collection, [RunTable(lambda: columns)], measures, ties, duplicates, is_part=True)
    evaluation: Evaluation[pa.Table] = Evaluation(
        columns.names,
        collection.topics,
        tuple(measures),
        scored.values,
        "pyarrow",
        names=dict(zip(measures, specs.values(), strict=True)),
    )
    return evaluation.frame.cast(SCHEMA)


def _as_frame(data: DataFrame | PathLike, other: DataFrame | PathLike) -> DataFrame:
    """Return data as a frame; a path is that of Parquet files, read by the session of the other data or the active."""
    from pyspark.sql import SparkSession

    if not isinstance(data, str | os.PathLike):
        return data
    is_path = isinstance(other, str | os.PathLike)
    session = SparkSession.getActiveSession() if is_path else other.sparkSession  # type: ignore[union-attr]
    if session is None:
        raise IrdivError("no Spark session is active: make one by SparkSession.builder.getOrCreate().")
    return session.read.parquet(os.fspath(data))


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


def _read_facts(qrels: DataFrame, names: Mapping[str, str]) -> tuple[int, int, bool]:
    """Return the count of rows, the highest grade and whether there are intents, and not only ad hoc iterations."""
    from pyspark.sql import functions

    grades = [names[name] for name in ("relevance", "max_grade") if name in names]
    is_intent = functions.lit("intent_id" in names)
    if names.get("intent_id") == ITERATION:
        is_intent = ~functions.col(ITERATION).cast("string").isin(*ADHOC_ITERATIONS)
    highest_grades = [functions.max(functions.col(name).cast("double")) for name in grades]
    found = qrels.agg(functions.count("*"), functions.max(is_intent), *highest_grades)
    row_count, has_intents, *highest = found.collect()[0]
    if row_count == 0:
        raise IrdivError("the qrels are empty: expected at least one row.")
    return row_count, max(int(max(grade for grade in highest if grade is not None)), 0), bool(has_intents)


def _select(frame: DataFrame, names: Mapping[str, str]) -> DataFrame:
    """Return some columns under irdiv's names, with ids as strings, as `irdiv.evaluate` spells them: 51.0 is 51."""
    from pyspark.sql import functions

    types, columns = dict(frame.dtypes), []
    for name, theirs in names.items():
        column = functions.col(theirs)
        if name in ("query_id", "doc_id", "intent_id"):
            is_float = types[theirs] in ("double", "float")
            if is_float and frame.filter(column != functions.rint(column)).select(theirs).isEmpty():
                column = functions.when(~functions.isnan(column), column.cast("bigint"))
            column = column.cast("string")
        columns.append(column.alias(name))
    return frame.select(*columns)


def _read_run_names(runs: DataFrame) -> list[str | None]:
    """Return the names of all runs, or None as the one name where there is no column of them."""
    if "run" not in runs.columns:
        return [None]
    names = [row[0] for row in runs.select("run").distinct().collect()]
    if not names:
        raise IrdivError("the runs are empty: expected at least one row.")
    if None in names:
        raise IrdivError("the runs have a missing name: column 'run' is null in some row. Give every row its system.")
    return sorted(names, key=str)


def _require_common_topics(qrels: DataFrame, runs: DataFrame) -> None:
    """Raise an error if no topic of the runs is in the qrels; a sample of topics decides most cases."""
    from pyspark.sql import functions

    some = list(dict.fromkeys(row[0] for row in runs.select("query_id").take(1000)))
    # One that is found in the first rows ends the search, where a count would go through all of them.
    if not qrels.select("query_id").filter(functions.col("query_id").isin(some)).isEmpty():
        return
    if runs.join(qrels.select("query_id").distinct(), "query_id", "left_semi").isEmpty():
        raise no_common_topic_error([row[0] for row in qrels.select("query_id").take(4)], some)
