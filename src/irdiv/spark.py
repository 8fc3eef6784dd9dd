"""Evaluation on Spark: topics are scored where they lie, many at once, with the values of `irdiv.evaluate` bit for bit.

Needs the extra ``spark``, and Java 17 or newer for Spark itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ties, no_topic_in_common
from irdiv.errors import IrdivError, examples
from irdiv.evaluation import MeasureLike, resolve
from irdiv.frames.columns import ALIASES, INTENT_FACTS, NO_ITERATION, qrels_columns
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import parse
from irdiv.results import Evaluation
from irdiv.scoring import Scorer

SCHEMA = "run string, query_id string, measure string, value double"
ARROW_SCHEMA = pa.schema({"run": pa.string(), "query_id": pa.string(), "measure": pa.string(), "value": pa.float64()})
_RUN = "run"
_BUCKET = "_irdiv_bucket"
TOPICS_A_TASK = 2000
"""How many topics a task scores at once, about, where the number of tasks is not given."""


def evaluate(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    ties: Ties = "docid_desc",
    duplicates: Duplicates = "error",
    components: bool = False,
    tasks: int | None = None,
    **parameters: Any,
) -> Any:
    """Score runs as `irdiv.evaluate` does, on Spark frames.

    Topics are dealt to tasks by their id. What depends on all of them, the highest grade and the names of runs, is
    found first; a topic that a run misses scores 0, one without judgments is left out.

    Parameters
    ----------
    qrels, runs
        Spark frames with the columns that `irdiv.evaluate` knows. Several systems are told apart by a column ``run``.
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
    asked = resolve(measures, components, parameters)
    by = "rank" if ties == "rank" else "score"
    query = _column(qrels, "qrels", "query_id")
    qrels = _needed(qrels, "qrels", ("query_id", "doc_id", "relevance"), ("intent_id", *INTENT_FACTS, "max_grade"))
    runs = _needed(runs, "run", ("query_id", "doc_id", by), (_RUN,))
    runs = runs.withColumnRenamed(_column(runs, "run", "query_id"), query)
    qrels = _spelt(_spelt(qrels, query, functions), _column(qrels, "qrels", "doc_id"), functions)
    runs = _spelt(_spelt(runs, query, functions), _column(runs, "run", "doc_id"), functions)
    if any(isinstance(m, Measure) and m.declaration.needs_intents for m in asked):
        _column(qrels, "qrels", "intent_id")
    highest, topics = _facts(qrels, query, functions)
    names = [row[0] for row in runs.select(_RUN).distinct().collect()] if _RUN in runs.columns else [None]
    if not names:
        raise IrdivError("the runs are empty: expected at least one row.")
    if _RUN in runs.columns and None in names:
        raise IrdivError("the runs have a missing name: column 'run' is null in some row. Give every row its system.")
    _refuse_strange_runs(qrels, runs, query, functions)
    qrels = _with_intents_told_apart(qrels, functions)
    number = _tasks(tasks, topics, qrels.sparkSession.sparkContext.defaultParallelism)

    def dealt(frame: Any) -> Any:
        return frame.withColumn(_BUCKET, functions.pmod(functions.xxhash64(query), functions.lit(number)))

    judged = dealt(qrels).withColumn("max_grade", functions.lit(highest))
    specs = [str(measure) for measure in asked]
    task = _task(sorted(names, key=str), specs, ties, duplicates)
    return judged.groupBy(_BUCKET).cogroup(dealt(runs).groupBy(_BUCKET)).applyInArrow(task, schema=SCHEMA)


def _functions() -> Any:
    try:
        from pyspark.sql import functions
    except ImportError:
        raise IrdivError(
            "Spark 4 is not installed: pip install 'irdiv[spark]'; it needs Java 17 or newer too."
        ) from None
    return functions


def _needed(frame: Any, kind: str, needed: Sequence[str], optional: Sequence[str]) -> Any:
    """Return the columns of a frame that are looked at; others need not travel."""
    found = [_find(frame, name) for name in optional]
    return frame.select(*[_column(frame, kind, name) for name in needed], *[name for name in found if name is not None])


def _find(frame: Any, name: str) -> str | None:
    return next((alias for alias in ALIASES.get(name, (name,)) if alias in frame.columns), None)


def _column(frame: Any, kind: str, name: str) -> str:
    """Return the column of a frame for one of our names; an error says what is there."""
    found = _find(frame, name)
    if found is None:
        wanted = " or ".join(repr(alias) for alias in ALIASES[name])
        lack = "lacks" if kind == "run" else "lack"
        raise IrdivError(f"the {kind} {lack} a column: expected {wanted}, found {examples(frame.columns, 12)}.")
    return found


def _facts(qrels: Any, query: str, functions: Any) -> tuple[int, int]:
    """Return the highest grade of all topics, which ERR needs, and about how many topics there are."""
    told = ["max_grade"] if "max_grade" in qrels.columns else []
    grades = [
        functions.max(functions.col(name).cast("double")) for name in [_column(qrels, "qrels", "relevance"), *told]
    ]
    topics, *found = qrels.agg(functions.approx_count_distinct(query), *grades).first()
    found = [value for value in found if value is not None]
    if not found:
        raise IrdivError("the qrels are empty: expected at least one row.")
    return max(int(max(found)), 0), int(topics)


def _spelt(frame: Any, column: str, functions: Any) -> Any:
    """Return a frame with a column of ids as strings, spelt as `irdiv.evaluate` does: 51.0 is the topic 51."""
    values = functions.col(column)
    if (
        dict(frame.dtypes)[column] in ("double", "float")
        and not frame.filter(values != functions.rint(values)).limit(1).count()
    ):
        values = values.cast("bigint")
    return frame.withColumn(column, values.cast("string"))


def _refuse_strange_runs(qrels: Any, runs: Any, query: str, functions: Any) -> None:
    """Refuse runs without any topic of the qrels; a few of their topics mostly tell."""
    some = [row[0] for row in runs.select(query).limit(1000).distinct().collect()]
    if qrels.filter(functions.col(query).isin(some)).limit(1).count():
        return
    if runs.select(query).join(qrels.select(query).distinct(), query, "left_semi").limit(1).count() == 0:
        raise no_topic_in_common([row[0] for row in qrels.select(query).limit(4).collect()], some)


def _with_intents_told_apart(qrels: Any, functions: Any) -> Any:
    """Rename a column of iterations that are intents: those of one task may all be 0, as in ad hoc qrels."""
    if _find(qrels, "intent_id") != "iteration":
        return qrels
    intents = qrels.filter(~functions.col("iteration").cast("string").isin(*NO_ITERATION)).limit(1).count()
    return qrels.withColumnRenamed("iteration", "intent_id") if intents else qrels


def _tasks(tasks: int | None, topics: int, parallelism: int) -> int:
    if tasks is None:
        return max(topics // TOPICS_A_TASK, parallelism, 1)
    if not isinstance(tasks, int) or tasks < 1:
        raise IrdivError(f"tasks={tasks!r} is not a number of tasks; give a whole number from 1.")
    return tasks


def _task(
    names: Sequence[Any], specs: Sequence[str], ties: Ties, duplicates: Duplicates
) -> Callable[[pa.Table, pa.Table], pa.Table]:
    """Return what scores the topics of one task."""

    def score(qrels: pa.Table, runs: pa.Table) -> pa.Table:
        if len(qrels) == 0:
            return ARROW_SCHEMA.empty_table()
        collection = Collection.from_columns(qrels_columns(qrels.drop_columns([_BUCKET])))
        measures = [parse(spec) for spec in specs]
        scorer = Scorer(collection, measures, ties, duplicates)
        parts = [runs if name is None else runs.filter(pc.equal(runs[_RUN], name)) for name in names]
        values = [scorer.score(scorer.order(part, part=True)) for part in parts]
        titles = tuple("run" if name is None else str(name) for name in names)
        made = Evaluation(titles, collection.topics, tuple(measures), np.stack(values), "pyarrow")
        return made.frame.cast(ARROW_SCHEMA)

    return score
