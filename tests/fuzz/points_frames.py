"""Entry points that take data in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import duckdb
import ir_measures
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

import irdiv

from .case import Case, ranking
from .naive_values import Values
from .storage import arrow_table, intent_columns, pandas_frame, polars_frame, qrels_columns, run_columns


def values_of(case: Case, qrels: Any, runs: Any, **options: object) -> Values:
    """Return the values of a case whose qrels and runs are in some form."""
    evaluation = irdiv.evaluate(qrels, runs, case.specs, **case.options, **options)
    return {
        (run, topic, spec): value
        for run, of_run in zip(evaluation.runs, evaluation.values.tolist(), strict=True)
        for spec, of_spec in zip(case.specs, of_run, strict=True)
        for topic, value in zip(evaluation.query_ids.tolist(), of_spec, strict=True)
    }


@lru_cache(maxsize=1)
def pandas_qrels(case: Case) -> pd.DataFrame:
    """Return the qrels with intents folded in, all columns as pandas has them by default."""
    frame = pandas_frame(qrels_columns(case))
    return irdiv.with_intents(frame, pandas_frame(intent_columns(case))) if case.intents else frame


@lru_cache(maxsize=1)
def pandas_runs(case: Case) -> dict[str, pd.DataFrame]:
    return {name: pandas_frame(run_columns(case, name)) for name in case.runs}


def by_pandas(case: Case, folder: Path) -> Values:
    return values_of(case, pandas_qrels(case), pandas_runs(case))


def by_typed_pandas(case: Case, folder: Path) -> Values:
    qrels = pandas_frame(qrels_columns(case), case.types, "qrels")
    if case.intents:
        qrels = irdiv.with_intents(qrels, pandas_frame(intent_columns(case)))
    runs = {name: pandas_frame(run_columns(case, name), case.types, "run") for name in case.runs}
    return values_of(case, qrels, runs)


def by_polars(case: Case, folder: Path) -> Values:
    qrels = polars_frame(qrels_columns(case), case.types, "qrels")
    if case.intents:
        qrels = irdiv.with_intents(qrels, polars_frame(intent_columns(case), {}, ""))
    runs = {name: polars_frame(run_columns(case, name), case.types, "run") for name in case.runs}
    return values_of(case, qrels, runs)


@lru_cache(maxsize=1)
def arrow_qrels(case: Case) -> pa.Table:
    qrels = arrow_table(qrels_columns(case), case.types, "qrels")
    return irdiv.with_intents(qrels, arrow_table(intent_columns(case), {}, "")) if case.intents else qrels


@lru_cache(maxsize=1)
def arrow_runs(case: Case) -> dict[str, pa.Table]:
    return {name: arrow_table(run_columns(case, name), case.types, "run") for name in case.runs}


def by_arrow(case: Case, folder: Path) -> Values:
    return values_of(case, arrow_qrels(case), arrow_runs(case))


def dict_runs(case: Case) -> dict[str, dict[str, dict[str, float]]]:
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in case.runs}
    for name, rows in case.runs.items():
        for row in rows:
            runs[name].setdefault(row.topic, {})[row.doc] = row.score
    return runs


def by_dicts(case: Case, folder: Path) -> Values:
    """Return the values of dicts of dicts: of runs, and of qrels that have no intents."""
    qrels: Any = pandas_qrels(case)
    if not case.has_intents:
        qrels = {}
        for row in case.judgments:
            qrels.setdefault(row.topic, {})[row.doc] = row.grade
    return values_of(case, qrels, dict_runs(case))


def by_ranked_lists(case: Case, folder: Path) -> Values:
    lists = {name: ranking(case, name) for name in case.runs}
    return values_of(case, pandas_qrels(case), lists)


def by_namedtuples(case: Case, folder: Path) -> Values:
    qrels: Any = [
        ir_measures.Qrel(row.topic, row.doc, row.grade, "0" if row.intent is None else row.intent)
        for row in case.judgments
    ]
    if case.intents:
        qrels = irdiv.with_intents(qrels, pandas_frame(intent_columns(case)))
    runs = {name: [ir_measures.ScoredDoc(*row[:3]) for row in rows] for name, rows in case.runs.items()}
    return values_of(case, qrels, runs)


def by_batches(case: Case, folder: Path) -> Values:
    return values_of(case, pandas_qrels(case), pandas_runs(case), batch_rows=case.batch_rows)


def by_stream(case: Case, folder: Path) -> Values:
    def stream(table: pa.Table) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=case.batch_rows))

    runs = {name: stream(table) for name, table in arrow_runs(case).items()}
    return values_of(case, stream(arrow_qrels(case)), runs, batch_rows=case.batch_rows)


def by_dataset(case: Case, folder: Path) -> Values:
    runs = {name: ds.dataset(table) for name, table in arrow_runs(case).items()}
    return values_of(case, ds.dataset(arrow_qrels(case)), runs)


def by_duckdb(case: Case, folder: Path) -> Values:
    runs = {name: _connection().from_arrow(table) for name, table in arrow_runs(case).items()}
    return values_of(case, _connection().from_arrow(arrow_qrels(case)), runs, batch_rows=case.batch_rows)


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def by_run_column(case: Case, folder: Path) -> Values:
    runs = pd.concat([frame.assign(system=name) for name, frame in pandas_runs(case).items()])
    return values_of(case, pandas_qrels(case), runs, run_column="system")


def by_collection(case: Case, folder: Path) -> Values:
    """Return the values of a collection that was saved and loaded again."""
    irdiv.Collection(arrow_qrels(case)).save(folder / "collection")
    loaded = irdiv.Collection.load(folder / "collection")
    return values_of(case, loaded, pandas_runs(case))


def by_score(case: Case, folder: Path) -> Values:
    """Return the values of ``Collection.score`` for ranked lists."""
    collection = irdiv.Collection(pandas_qrels(case))
    return dict(_scores(collection, case))


def _scores(collection: irdiv.Collection, case: Case) -> Iterator[tuple[tuple[str, str, str], float]]:
    for name in case.runs:
        lists = ranking(case, name)
        rankings = [lists.get(topic, []) for topic in collection.topics]
        table = collection.score(rankings, case.specs, duplicates=case.duplicates)
        for spec, of_spec in zip(case.specs, table.tolist(), strict=True):
            for topic, value in zip(collection.topics.tolist(), of_spec, strict=True):
                yield (name, topic, spec), value
