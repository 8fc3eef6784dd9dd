"""Entry points inside other packages: ir_measures, PyTerrier and Spark."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

import irdiv

from .case import Case
from .naive_values import Values
from .points_frames import pandas_qrels, pandas_runs
from .spark_session import local_session


def by_ir_measures(case: Case, folder: Path) -> Values:
    irdiv.set_ndeval_provider("irdiv")
    try:
        measures = {ir_measures.parse_measure(spec): spec for spec in case.specs}
        qrels, values = pandas_qrels(case), {}
        for name, run in pandas_runs(case).items():
            for metric in ir_measures.iter_calc(list(measures), qrels, run):
                values[name, metric.query_id, measures[metric.measure]] = metric.value
        return values
    finally:
        irdiv.set_ndeval_provider("pyndeval")


@cache
def _pyterrier() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyterrier
    return pyterrier


def by_pyterrier(case: Case, folder: Path) -> Values:
    pt = _pyterrier()
    qrels = pandas_qrels(case).rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label", "intent_id": "subtopic_id"}
    )
    runs = {name: pt.model.from_ir_measures(run) for name, run in pandas_runs(case).items()}
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "a topic"})
    irdiv.set_ndeval_provider("irdiv")
    try:
        table = pt.Experiment(
            list(runs.values()), topics, qrels, case.specs, names=list(runs), perquery=True, validate="ignore"
        )
    finally:
        irdiv.set_ndeval_provider("pyndeval")
    return {(row.name, row.qid, row.measure): row.value for row in table.itertuples(index=False)}


@cache
def _spark() -> Any:
    return local_session(Path(tempfile.mkdtemp()))


def by_spark(case: Case, folder: Path) -> Values:
    from irdiv.plugins import spark

    together = pd.concat([frame.assign(run=name) for name, frame in pandas_runs(case).items()])
    frames = [frame.astype(object).where(frame.notna(), None) for frame in (pandas_qrels(case), together)]
    qrels, runs = map(_spark().createDataFrame, frames)
    table = spark.evaluate(qrels, runs, case.specs, tasks=2, **case.options).toPandas()
    return {(row.run, row.query_id, row.measure): row.value for row in table.itertuples(index=False)}
