"""Spark against the local evaluation, bit for bit, on a real local session."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from irdiv import IrdivError
from irdiv.plugins import spark as irdiv_spark
from spark_helpers import ALL_RUNS, QRELS, RUNS, SPECS, as_spark, assert_equals_local

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("tasks", [None, 1, 40])
def test_the_local_result_bit_for_bit(spark, tasks):
    found = irdiv_spark.evaluate(as_spark(spark, QRELS), as_spark(spark, ALL_RUNS), SPECS, tasks=tasks)
    assert_equals_local(found, QRELS, RUNS)


def test_the_highest_grade_is_that_of_all_tasks(spark):
    rows = [(str(topic), "a", "d", 4 if topic == 3 else 1) for topic in range(8)]
    qrels = pd.DataFrame(rows, columns=["qid", "subtopic_id", "docno", "label"])
    run = pd.DataFrame({"query_id": [str(topic) for topic in range(8)], "doc_id": "d", "score": 1.0})
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "ERR-IA@1", tasks=8).toPandas()
    assert sorted(found["value"]) == [1 / 16] * 7 + [15 / 16]
    assert set(found["run"]) == {"run"}


def test_skewed_topics(spark):
    rng = np.random.default_rng(0)
    sizes = [3000, 5, 5, 1]
    rows = [
        (f"t{t}", str(rng.integers(4)), f"d{n}", int(rng.integers(3)))
        for t, size in enumerate(sizes)
        for n in range(size)
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    run = qrels[["query_id", "doc_id"]].assign(score=rng.random(len(qrels)))
    specs = ["D#-nDCG@10", "AP"]
    assert_equals_local(irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), specs), qrels, run, specs)


def test_a_failing_task_is_tried_again(spark):
    def flaky(batches):
        from pyspark import TaskContext

        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("lost")
        yield from batches

    run = as_spark(spark, RUNS["system 0"])
    found = irdiv_spark.evaluate(as_spark(spark, QRELS), run.mapInPandas(flaky, run.schema), "D#-nDCG@10")
    assert_equals_local(found, QRELS, RUNS["system 0"], "D#-nDCG@10")


def test_bad_input(spark):
    qrels, run = as_spark(spark, QRELS), as_spark(spark, RUNS["system 0"])
    for call, message in [
        (lambda: irdiv_spark.evaluate(qrels.drop("intent_id"), run, "D-nDCG"), "expected 'intent_id' or"),
        (lambda: irdiv_spark.evaluate(qrels, run.drop("doc_id"), "D-nDCG"), "expected 'doc_id' or 'docno'"),
        (
            lambda: irdiv_spark.evaluate(qrels.withColumn("qid", qrels["query_id"]), run, "D-nDCG"),
            "the qrels have two columns for one thing: 'query_id', 'qid'",
        ),
        (
            lambda: irdiv_spark.evaluate(qrels, run.withColumn("docno", run["doc_id"]), "D-nDCG"),
            "the run has two columns for one thing: 'doc_id', 'docno'",
        ),
        (lambda: irdiv_spark.evaluate(qrels.limit(0), run, "D-nDCG"), "the qrels are empty"),
        (lambda: irdiv_spark.evaluate(qrels, run, "D-nDGC"), "no measure is called"),
        (lambda: irdiv_spark.evaluate(qrels, run, "D-nDCG", tasks=0), "tasks=0 is not an integer of 1 or more"),
        (lambda: irdiv_spark.evaluate(qrels, run, "D-nDCG", ties="x"), "^ties='x' is not one of"),
    ]:
        with pytest.raises(IrdivError, match=message):
            call()


def test_iterations_that_are_0_in_some_tasks_only(spark):
    rows = [(str(topic), "0" if topic < 6 else "2", "d", 1) for topic in range(8)]
    qrels = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    run = pd.DataFrame({"query_id": [str(topic) for topic in range(8)], "doc_id": "d", "score": 1.0, "text": "x"})
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "I-rec@1", tasks=8)
    assert_equals_local(found, qrels, run, "I-rec@1")


def test_ids_and_grades_of_other_types(spark):
    qrels = pd.DataFrame(
        [(1, "1", "a", "2"), (1, "2", "b", "1"), (2, "1", "a", "10"), (3, "1", "b", "0")],
        columns=["query_id", "intent_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        {"query_id": [1.0, 1.0, 2.0, 7.0], "doc_id": ["b", "a", "a", "a"], "score": [2.0, 1.0, 1.0, 1.0]}
    )
    specs = ["ERR-IA@5", "P@2"]
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), specs, tasks=8)
    assert_equals_local(found, qrels, run, specs)


def test_runs_that_cannot_be_scored(spark):
    qrels = as_spark(spark, pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]}))
    run = pd.DataFrame({"query_id": ["x", "y"], "doc_id": "a", "score": 1.0, "run": ["s", None]})
    with pytest.raises(IrdivError, match="no topic in common: the qrels have '1' and the run has '.'"):
        irdiv_spark.evaluate(qrels, as_spark(spark, run.drop(columns="run")), "P@1")
    with pytest.raises(IrdivError, match="column 'run' is null"):
        irdiv_spark.evaluate(qrels, as_spark(spark, run), "P@1")


def test_ranks_order_runs_without_scores(spark):
    order = RUNS["system 0"].sort_values("score", ascending=False, kind="stable")
    ranked = order.assign(rank=order.groupby("query_id").cumcount()).drop(columns="score")
    assert_equals_local(irdiv_spark.evaluate(as_spark(spark, QRELS), as_spark(spark, ranked), SPECS), QRELS, ranked)


def test_the_order_of_rows_is_refused():
    pytest.importorskip("pyspark")
    with pytest.raises(IrdivError, match="rows on Spark have no order, which ties='input' needs: use ties='rank' or"):
        irdiv_spark.evaluate("qrels.parquet", "run.parquet", "D-nDCG", ties="input")


def test_paths_need_an_active_session(monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    with pytest.raises(IrdivError, match="no Spark session is active"):
        irdiv_spark.evaluate("qrels.parquet", "run.parquet", "P@1")


def test_missing_ids_are_an_error_of_the_task(spark):
    qrels = as_spark(spark, QRELS)
    missing = qrels.limit(1).selectExpr(*[f"cast(null as string) {c}" if c == "query_id" else c for c in qrels.columns])
    with pytest.raises(Exception, match="column 'query_id' of the qrels has a missing id"):
        irdiv_spark.evaluate(qrels.union(missing), as_spark(spark, RUNS["system 0"]), "D-nDCG").collect()


def test_missing_topics_that_are_numbers(spark):
    qrels = spark.createDataFrame(
        [(1.0, "a", 1), (float("nan"), "b", 1)], "query_id double, doc_id string, relevance int"
    )
    run = as_spark(spark, pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}))
    with pytest.raises(Exception, match="column 'query_id' of the qrels has a missing id"):
        irdiv_spark.evaluate(qrels, run, "P@1").collect()
