"""Spark against the local evaluation, bit for bit, on a real local session."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError
from irdiv.plugins import spark as irdiv_spark

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SPECS = ["D#-nDCG@10", "ERR-IA@20", "alpha-nDCG@5", "LAD#-Q@10", "NRBP", "nDCG@10", "I-rec@3", "RBU"]
QRELS = random_collection(0, topics=11)
RUNS = {f"system {seed}": random_run(seed, topics=12) for seed in range(3)}
"""Runs with a topic without judgments, of which one lacks another topic."""
RUNS["system 1"] = RUNS["system 1"][RUNS["system 1"]["query_id"] != "4"]
RUN = RUNS["system 0"]
ALL_RUNS = pd.concat([run.assign(run=name) for name, run in RUNS.items()])
JUDGED = ["query_id", "intent_id", "doc_id", "relevance"]


def as_spark(spark, frame):
    return spark.createDataFrame(frame.astype(object).where(frame.notna(), None))


def write_parts(frame: pd.DataFrame, folder: Path) -> Path:
    """Write a folder of two Parquet files, of several row groups, in which the rows of a topic are spread."""
    folder.mkdir(parents=True)
    for part in range(2):
        rows = pa.Table.from_pandas(frame.iloc[part::2], preserve_index=False)
        pq.write_table(rows, folder / f"part {part}.parquet", row_group_size=7)
    return folder


def write_table(frame, name: str, buckets: int, column: str):
    """Write a table of which each bucket has rows in two files, and return it."""
    frame.repartition(2).write.bucketBy(buckets, column).mode("overwrite").saveAsTable(name)
    return frame.sparkSession.table(name)


def assert_equals_local(found, qrels, runs, specs=SPECS):
    """Assert that values are those of the local evaluation, bit for bit."""

    def in_order(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.sort_values(["run", "measure", "query_id"], ignore_index=True).astype({"value": float})

    expected = irdiv.evaluate(qrels, runs, specs).frame
    pd.testing.assert_frame_equal(in_order(found.toPandas()), in_order(expected), check_exact=True)


@pytest.mark.parametrize("tasks", [None, 1, 40])
def test_several_runs(spark, tasks):
    found = irdiv_spark.evaluate(as_spark(spark, QRELS), as_spark(spark, ALL_RUNS), SPECS, tasks=tasks)
    assert_equals_local(found, QRELS, RUNS)


def skewed_topics() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(0)
    rows = [
        (f"t{topic}", str(rng.integers(4)), f"d{n}", int(rng.integers(3)))
        for topic, size in enumerate([3000, 5, 5, 1])
        for n in range(size)
    ]
    qrels = pd.DataFrame(rows, columns=JUDGED)
    return qrels, qrels[["query_id", "doc_id"]].assign(score=rng.random(len(qrels)))


def ranked_run() -> pd.DataFrame:
    order = RUN.sort_values("score", ascending=False, kind="stable")
    return order.assign(rank=order.groupby("query_id").cumcount()).drop(columns="score")


EIGHT = [str(topic) for topic in range(8)]
RUN_OF_EIGHT = pd.DataFrame({"query_id": EIGHT, "doc_id": "d", "score": 1.0, "text": "x"})
ALONE = {
    "skewed topics": (*skewed_topics(), ["D#-nDCG@10", "AP"]),
    "ranks without scores": (QRELS, ranked_run(), SPECS),
    "few topics with judgments": (QRELS[QRELS["query_id"].isin(["1", "4"])], RUN, SPECS),
    # the highest grade is that of all tasks: (2^1 − 1)/2^4 in seven topics
    "a high grade in one topic": (
        pd.DataFrame({"qid": EIGHT, "subtopic_id": "a", "docno": "d", "label": [1, 1, 1, 4, 1, 1, 1, 1]}),
        RUN_OF_EIGHT,
        ["ERR-IA@1"],
    ),
    "iterations that are 0 in some tasks only": (
        pd.DataFrame({"query_id": EIGHT, "iteration": ["0"] * 6 + ["2"] * 2, "doc_id": "d", "relevance": 1}),
        RUN_OF_EIGHT,
        ["I-rec@1"],
    ),
    "ids and grades of other types": (
        pd.DataFrame([(1, "1", "a", "2"), (1, "2", "b", "1"), (2, "1", "a", "10"), (3, "1", "b", "0")], columns=JUDGED),
        pd.DataFrame({"query_id": [1.0, 1.0, 2.0, 7.0], "doc_id": list("baaa"), "score": [2.0, 1.0, 1.0, 1.0]}),
        ["ERR-IA@5", "P@2"],
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_one_run(spark, name):
    qrels, run, specs = ALONE[name]
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), specs, tasks=8)
    assert_equals_local(found, qrels, run, specs)


def test_a_failing_task_is_tried_again(spark):
    def flaky(batches):
        from pyspark import TaskContext

        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("lost")
        yield from batches

    run = as_spark(spark, RUN)
    found = irdiv_spark.evaluate(as_spark(spark, QRELS), run.mapInPandas(flaky, run.schema), "D#-nDCG@10")
    assert_equals_local(found, QRELS, RUN, "D#-nDCG@10")


def test_parquet_files(spark, tmp_path):
    coded = ALL_RUNS.astype({"run": "category"}).rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels, runs = write_parts(QRELS.assign(text="x"), tmp_path / "all qrels"), write_parts(coded, tmp_path / "runs")
    assert_equals_local(irdiv_spark.evaluate(qrels, runs, SPECS, tasks=3), QRELS, RUNS)
    assert_equals_local(irdiv_spark.evaluate(as_spark(spark, QRELS), str(runs), SPECS), QRELS, RUNS)
    some = spark.read.parquet(str(qrels)).filter("query_id < 5")
    assert_equals_local(irdiv_spark.evaluate(some, runs, SPECS), QRELS[QRELS["query_id"].astype(int) < 5], RUNS)
    # names of runs in the names of folders, and ids that are floats
    for name, run in RUNS.items():
        write_parts(run, tmp_path / "by name" / f"run={name}")
    floats = write_parts(QRELS.astype({"query_id": float}), tmp_path / "floats")
    assert_equals_local(irdiv_spark.evaluate(floats, tmp_path / "by name", SPECS), QRELS, RUNS)


def test_files_without_a_column_statistics_or_rows(spark, tmp_path):
    """A column that one file lacks is missing in all of its rows, as in Spark; the highest grade is still found."""
    known, run = QRELS.assign(relevance=1), as_spark(spark, RUN)
    folder = write_parts(known, tmp_path / "qrels")
    known[:9].drop(columns="probability").to_parquet(folder / "z.parquet")
    other = known[known["query_id"] == "1"].assign(query_id="x", relevance=3)
    rows = pa.Table.from_pandas(other, preserve_index=False)
    pq.write_table(rows, folder / "without.parquet", write_statistics=False)
    pq.write_table(rows.slice(0, 0), folder / "empty.parquet")
    found = irdiv_spark.evaluate(folder, run, [*SPECS, "ERR-IA@5"])
    assert_equals_local(found, pd.concat([known, other]), RUN, [*SPECS, "ERR-IA@5"])
    with pytest.raises(IrdivError, match="the qrels are empty"):
        irdiv_spark.evaluate(folder / "empty.parquet", run, "P@1")


@pytest.mark.parametrize(("topic_type", "buckets"), [("bigint", (6, 4)), ("string", (16, 16))])
def test_tables_in_buckets(spark, topic_type, buckets):
    """The numbers of buckets differ, or some buckets are empty."""
    judged = as_spark(spark, pd.concat([QRELS, QRELS[:5]]))
    ranked = as_spark(spark, ALL_RUNS.rename(columns={"query_id": "qid"}))
    judged = judged.withColumn("query_id", judged["query_id"].cast(topic_type))
    ranked = ranked.withColumn("qid", ranked["qid"].cast(topic_type))
    by_topic, by_qid = write_table(judged, "q", buckets[0], "query_id"), write_table(ranked, "r", buckets[1], "qid")
    by_document = write_table(ranked, "rd", 4, "doc_id")
    for runs in (by_qid, by_document, by_qid.filter("score > -1e9")):
        assert_equals_local(irdiv_spark.evaluate(by_topic, runs, SPECS), QRELS, RUNS)


# what an error says, and how qrels, the run and options are changed
MISTAKES = {
    "expected 'intent_id' or": (lambda qrels: qrels.drop("intent_id"), None, {}),
    "expected 'doc_id' or 'docno'": (None, lambda run: run.drop("doc_id"), {}),
    "the qrels have two columns for one thing: 'query_id', 'qid'": (
        lambda qrels: qrels.withColumn("qid", qrels["query_id"]), None, {},
    ),
    "the run has two columns for one thing: 'doc_id', 'docno'": (
        None, lambda run: run.withColumn("docno", run["doc_id"]), {},
    ),
    "the qrels are empty": (lambda qrels: qrels.limit(0), None, {}),
    "no topic in common: the qrels have '1'.* and the run has '": (
        None, lambda run: run.selectExpr("concat('x', query_id) query_id", "doc_id", "score"), {},
    ),
    "column 'run' is null": (None, lambda run: run.selectExpr("*", "cast(null as string) run"), {}),
    "no measure is called": (None, None, {"measures": "D-nDGC"}),
    "tasks=0 is not an integer of 1 or more": (None, None, {"tasks": 0}),
    "^ties='x' is not one of": (None, None, {"ties": "x"}),
    "rows on Spark have no order, which ties='input' needs": (None, None, {"ties": "input"}),
}  # fmt: skip


def test_mistakes_are_refused_before_tasks_start(spark):
    for message, (change_qrels, change_run, options) in MISTAKES.items():
        qrels, run = as_spark(spark, QRELS), as_spark(spark, RUN)
        qrels, run = change_qrels(qrels) if change_qrels else qrels, change_run(run) if change_run else run
        with pytest.raises(IrdivError, match=message):
            irdiv_spark.evaluate(qrels, run, **{"measures": "D-nDCG", **options})


def test_paths_need_an_active_session(monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    with pytest.raises(IrdivError, match="no Spark session is active"):
        irdiv_spark.evaluate("qrels.parquet", "run.parquet", "P@1")


def test_missing_ids_are_an_error_of_the_task(spark):
    schema = "doc_id string, relevance int"
    with_null = spark.createDataFrame([("1", "a", 1), (None, "b", 1)], f"query_id string, {schema}")
    with_nan = spark.createDataFrame([(1.0, "a", 1), (float("nan"), "b", 1)], f"query_id double, {schema}")
    run = as_spark(spark, pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}))
    for qrels in (with_null, with_nan):
        with pytest.raises(Exception, match="column 'query_id' of the qrels has a missing id"):
            irdiv_spark.evaluate(qrels, run, "P@1").collect()


def test_mistakes_in_rows_that_are_apart(spark, tmp_path):
    """Contradictions and duplicates are found where their rows are in other files or buckets."""
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["b", "a", "a"], "relevance": [1, 0, 1]})
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "b"], "score": [3.0, 2.0, 1.0]})
    frames = {"good": qrels[:2], "bad": qrels, "run": run}
    paths = [write_parts(frame, tmp_path / name) for name, frame in frames.items()]
    tables = [write_table(as_spark(spark, frame), name, 2, "query_id") for name, frame in frames.items()]
    for good, bad, ranked in (paths, tables):
        with pytest.raises(Exception, match="the qrels contradict themselves: document 'a' of topic '1'"):
            irdiv_spark.evaluate(bad, ranked, "P@2", duplicates="first").collect()
        with pytest.raises(Exception, match="the run repeats documents, 1 in all"):
            irdiv_spark.evaluate(good, ranked, "P@2").collect()
        assert irdiv_spark.evaluate(good, ranked, "P@2", duplicates="first").collect()[0]["value"] == 0.5
