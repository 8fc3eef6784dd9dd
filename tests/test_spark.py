"""Spark against the local evaluation, bit for bit, on a real local session."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError

pytest.importorskip("pyspark", reason="Spark is not installed here: pip install 'irdiv[spark]'")
if shutil.which("java") is None:
    pytest.skip("no Java here for Spark to run on", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
SPECS = ["D#-nDCG@10", "ERR-IA@20", "alpha-nDCG@5", "LAD#-Q@10", "NRBP", "nDCG@10", "I-rec@3", "RBU"]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    # Workers are to be of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def data():
    qrels = random_collection(0, topics=11)
    runs = {f"system {seed}": random_run(seed, topics=12) for seed in range(3)}
    # a topic missing from a run, and one without judgments
    runs["system 1"] = runs["system 1"][runs["system 1"]["query_id"] != "4"]
    return qrels, runs


def as_spark(spark, frame):
    return spark.createDataFrame(frame.astype(object).where(frame.notna(), None))


def table(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["run", "measure", "query_id"], ignore_index=True).astype({"value": float})


@pytest.mark.parametrize("tasks", [None, 1, 2, 40])
def test_the_local_result_bit_for_bit(spark, data, tasks):
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    together = pd.concat([run.assign(run=name) for name, run in runs.items()])
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, together), SPECS, tasks=tasks).toPandas()
    expected = irdiv.evaluate(qrels, runs, SPECS).frame
    ours, theirs = table(found), table(expected)
    assert (
        ours[["run", "query_id", "measure"]].values.tolist() == theirs[["run", "query_id", "measure"]].values.tolist()
    )
    np.testing.assert_array_equal(ours["value"], theirs["value"])


def test_the_highest_grade_is_that_of_all_tasks(spark):
    from irdiv.plugins import spark as irdiv_spark

    rows = [(str(topic), "a", "d", 4 if topic == 3 else 1) for topic in range(8)]
    qrels = pd.DataFrame(rows, columns=["qid", "subtopic_id", "docno", "label"])
    run = pd.DataFrame({"query_id": [str(topic) for topic in range(8)], "doc_id": "d", "score": 1.0})
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "ERR-IA@1", tasks=8).toPandas()
    assert sorted(found["value"]) == [1 / 16] * 7 + [15 / 16]
    assert set(found["run"]) == {"run"}


def test_skewed_topics(spark):
    from irdiv.plugins import spark as irdiv_spark

    rng = np.random.default_rng(0)
    sizes = [3000, 5, 5, 1]
    rows = [
        (f"t{t}", str(rng.integers(4)), f"d{n}", int(rng.integers(3)))
        for t, size in enumerate(sizes)
        for n in range(size)
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    run = qrels[["query_id", "doc_id"]].assign(score=rng.random(len(qrels)))
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), ["D#-nDCG@10", "AP"]).toPandas()
    expected = irdiv.evaluate(qrels, run, ["D#-nDCG@10", "AP"]).frame
    np.testing.assert_array_equal(table(found)["value"], table(expected)["value"])


def test_a_failing_task_is_tried_again(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    def flaky(batches):
        from pyspark import TaskContext

        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("lost")
        yield from batches

    qrels, runs = data
    run = as_spark(spark, runs["system 0"])
    found = irdiv_spark.evaluate(as_spark(spark, qrels), run.mapInPandas(flaky, run.schema), "D#-nDCG@10").toPandas()
    expected = irdiv.evaluate(qrels, runs["system 0"], "D#-nDCG@10").frame
    np.testing.assert_array_equal(table(found)["value"], table(expected)["value"])


def test_bad_input(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    qrels, run = as_spark(spark, data[0]), as_spark(spark, data[1]["system 0"])
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
    from irdiv.plugins import spark as irdiv_spark

    rows = [(str(topic), "0" if topic < 6 else "2", "d", 1) for topic in range(8)]
    qrels = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    run = pd.DataFrame({"query_id": [str(topic) for topic in range(8)], "doc_id": "d", "score": 1.0, "text": "x"})
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "I-rec@1", tasks=8).toPandas()
    expected = irdiv.evaluate(qrels, run, "I-rec@1").frame
    assert table(found)["value"].tolist() == table(expected)["value"].tolist()


def test_ids_and_grades_of_other_types(spark):
    from irdiv.plugins import spark as irdiv_spark

    qrels = pd.DataFrame(
        [(1, "1", "a", "2"), (1, "2", "b", "1"), (2, "1", "a", "10"), (3, "1", "b", "0")],
        columns=["query_id", "intent_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        {"query_id": [1.0, 1.0, 2.0, 7.0], "doc_id": ["b", "a", "a", "a"], "score": [2.0, 1.0, 1.0, 1.0]}
    )
    specs = ["ERR-IA@5", "P@2"]
    found = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), specs, tasks=8).toPandas()
    assert table(found)["value"].tolist() == table(irdiv.evaluate(qrels, run, specs).frame)["value"].tolist()


def test_runs_that_cannot_be_scored(spark):
    from irdiv.plugins import spark as irdiv_spark

    qrels = as_spark(spark, pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]}))
    run = pd.DataFrame({"query_id": ["x", "y"], "doc_id": "a", "score": 1.0, "run": ["s", None]})
    with pytest.raises(IrdivError, match="no topic in common: the qrels have '1' and the run has '.'"):
        irdiv_spark.evaluate(qrels, as_spark(spark, run.drop(columns="run")), "P@1")
    with pytest.raises(IrdivError, match="column 'run' is null"):
        irdiv_spark.evaluate(qrels, as_spark(spark, run), "P@1")


def test_ranks_order_runs_without_scores(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    order = runs["system 0"].sort_values("score", ascending=False, kind="stable")
    ranked = order.assign(rank=order.groupby("query_id").cumcount()).drop(columns="score")
    made = irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, ranked), SPECS).toPandas()
    expected = irdiv.evaluate(qrels, ranked, SPECS).frame
    pd.testing.assert_frame_equal(table(made), table(expected))


def write_parts(frame: pd.DataFrame, folder: Path) -> Path:
    """Write a folder of two Parquet files, of several row groups, in which the rows of a topic are spread."""
    folder.mkdir(parents=True)
    for part in range(2):
        table = pa.Table.from_pandas(frame.iloc[part::2], preserve_index=False)
        pq.write_table(table, folder / f"part {part}.parquet", row_group_size=7)
    return folder


def plan_of(frame) -> str:
    return frame._jdf.queryExecution().executedPlan().toString()


def test_parquet_files_are_read_by_the_tasks(spark, data, tmp_path):
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    together = pd.concat([run.assign(run=name) for name, run in runs.items()])
    coded = together.astype({"run": "category"}).rename(columns={"query_id": "qid", "doc_id": "docno"})
    paths = write_parts(qrels.assign(text="x"), tmp_path / "all qrels"), write_parts(coded, tmp_path / "runs")
    found = irdiv_spark.evaluate(*paths, SPECS, tasks=3)
    assert "FileScan" not in plan_of(found)
    pd.testing.assert_frame_equal(table(found.toPandas()), table(irdiv.evaluate(qrels, runs, SPECS).frame))
    mixed = irdiv_spark.evaluate(as_spark(spark, qrels), str(paths[1]), SPECS)
    assert plan_of(mixed).count("Range") == 1
    np.testing.assert_array_equal(table(mixed.toPandas())["value"], table(found.toPandas())["value"])


def test_large_files_are_shared_by_tasks(spark, data, tmp_path, monkeypatch):
    from irdiv.plugins import spark as irdiv_spark
    from irdiv.plugins import spark_files

    monkeypatch.setattr(spark_files, "_PART_BYTES", (1, 3000))
    qrels, runs = data
    paths = write_parts(qrels, tmp_path / "qrels"), write_parts(runs["system 0"], tmp_path / "run")
    found = irdiv_spark.evaluate(*paths, SPECS)
    assert "splits=2)" not in plan_of(found)
    expected = irdiv.evaluate(qrels, runs["system 0"], SPECS).frame
    pd.testing.assert_frame_equal(table(found.toPandas()), table(expected))


def test_files_that_only_spark_reads_alike(spark, data, tmp_path):
    """Names of runs in the names of folders, and ids that are floats."""
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    for name, run in runs.items():
        write_parts(run, tmp_path / "runs" / f"run={name}")
    floats = write_parts(qrels.astype({"query_id": float}), tmp_path / "qrels")
    found = irdiv_spark.evaluate(floats, tmp_path / "runs", SPECS)
    assert plan_of(found).count("FileScan") == 2
    pd.testing.assert_frame_equal(table(found.toPandas()), table(irdiv.evaluate(qrels, runs, SPECS).frame))


def test_a_file_that_lacks_a_column(spark, data, tmp_path):
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    folder = write_parts(qrels, tmp_path / "qrels")
    qrels.drop(columns="intent_id").to_parquet(folder / "z.parquet")
    with pytest.raises(Exception, match=r"z.parquet has no column 'intent_id', which other files"):
        irdiv_spark.evaluate(folder, as_spark(spark, runs["system 0"]), "D-nDCG").collect()


def test_paths_need_an_active_session(monkeypatch):
    from pyspark.sql import SparkSession

    from irdiv.plugins import spark as irdiv_spark

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    with pytest.raises(IrdivError, match="no Spark session is active"):
        irdiv_spark.evaluate("qrels.parquet", "run.parquet", "P@1")


def test_only_packed_tables_of_needed_columns_are_exchanged(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    qrels, run = data[0].assign(text="x"), data[1]["system 0"].assign(text="x")
    plan = plan_of(irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "P@1"))
    assert plan.count("Exchange") == plan.count("Exchange hashpartitioning(bucket") == plan.count("MapInArrow") == 2
    assert plan.count("Project [bucket#") == 2
    packing = [line for line in plan.splitlines() if "MapInArrow" in line]
    assert all("doc_id" in line and "text" not in line for line in packing)


@pytest.mark.parametrize("judgments", [1, 10, 10**6])
def test_many_topics_of_a_task_are_scored_in_parts(data, monkeypatch, judgments):
    from irdiv.plugins import spark_tasks
    from irdiv.plugins.spark_tables import TableColumns, pack

    monkeypatch.setattr(spark_tasks, "JUDGMENTS_PER_TASK", judgments)
    qrels, run = data[0], data[1]["system 1"]
    highest = int(qrels["relevance"].max())
    run_schema = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()})
    specs = {spec: spec for spec in SPECS}
    judged = TableColumns("qrels", "query_id", "doc_id", ["intent_id"])
    ranked = TableColumns("run", "query_id", "doc_id", [])
    task = spark_tasks.Task([None], specs, highest, judged, ranked, run_schema, "docid_desc", "error").score_packed
    packed = [
        pa.Table.from_batches(pack(pa.Table.from_pandas(frame, preserve_index=False).to_batches(9), columns, 1))
        for frame, columns in ((qrels, judged), (run[["query_id", "doc_id", "score"]], ranked))
    ]
    expected = table(irdiv.evaluate(qrels, run, SPECS).frame)
    pd.testing.assert_frame_equal(table(task(*packed).to_pandas()), expected, check_dtype=False)
    other = pa.table({"query_id": ["other"], "doc_id": ["d"], "score": [1.0]})
    of_other_topics = pa.Table.from_batches(pack(other.to_batches(), ranked, 1))
    assert task(packed[0], packed[1].slice(0, 0)).equals(task(packed[0], of_other_topics))
    assert len(task(packed[0].slice(0, 0), packed[1])) == 0


def test_missing_ids_are_an_error_of_the_task(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    qrels = as_spark(spark, data[0])
    missing = qrels.limit(1).selectExpr(*[f"cast(null as string) {c}" if c == "query_id" else c for c in qrels.columns])
    with pytest.raises(Exception, match="column 'query_id' of the qrels has a missing id"):
        irdiv_spark.evaluate(qrels.union(missing), as_spark(spark, data[1]["system 0"]), "D-nDCG").collect()


def assert_equal_to_local(found, qrels, runs, specs=SPECS):
    pd.testing.assert_frame_equal(table(found.toPandas()), table(irdiv.evaluate(qrels, runs, specs).frame))


def write_table(frame, name: str, buckets: int, column: str):
    """Write a table of which each bucket has rows in two files, and return it."""
    frame.repartition(2).write.bucketBy(buckets, column).mode("overwrite").saveAsTable(name)
    return frame.sparkSession.table(name)


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    ("topic_type", "qrels_buckets", "run_buckets"),
    [("string", 4, 4), ("bigint", 8, 4), ("int", 6, 4), ("string", 40, 40)],
)
def test_tables_bucketed_by_topic_are_not_exchanged(spark, data, adaptive, topic_type, qrels_buckets, run_buckets):
    """The numbers of buckets need only a common divisor; of 40, some are empty."""
    from irdiv.plugins import spark as irdiv_spark

    qrels, runs = data
    repeated = pd.concat([qrels, qrels[:5]])
    together = pd.concat([run.assign(run=name) for name, run in runs.items()]).rename(columns={"query_id": "qid"})
    judged = as_spark(spark, repeated).withColumn("query_id", as_spark(spark, repeated)["query_id"].cast(topic_type))
    ranked = as_spark(spark, together).withColumn("qid", as_spark(spark, together)["qid"].cast(topic_type))
    tables = write_table(judged, "q", qrels_buckets, "query_id"), write_table(ranked, "r", run_buckets, "qid")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        found = irdiv_spark.evaluate(*tables, SPECS)
        assert "Exchange" not in plan_of(found)
        assert_equal_to_local(found, qrels, runs)
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")


def test_tables_that_are_not_bucketed_alike_are_exchanged(spark, data):
    from irdiv.plugins import spark as irdiv_spark

    qrels, run = data[0].astype({"query_id": int}), data[1]["system 0"].astype({"query_id": int})
    judged, ranked = as_spark(spark, qrels), as_spark(spark, run)
    by_topic = write_table(judged, "q", 4, "query_id")
    others = {
        "without a common divisor": write_table(ranked, "r3", 3, "query_id"),
        "by document": write_table(ranked, "rd", 4, "doc_id"),
        "topics of another width": write_table(
            ranked.selectExpr("int(query_id) query_id", "doc_id", "score"), "ri", 4, "query_id"
        ),
        "not in buckets": ranked,
        "more than a table": write_table(ranked, "r", 4, "query_id").filter("score > -1e9"),
    }
    for kind, other in others.items():
        found = irdiv_spark.evaluate(by_topic, other, "D#-nDCG@10")
        assert plan_of(found).count("Exchange") == 2, kind
        assert_equal_to_local(found, qrels, run, "D#-nDCG@10")
    given = irdiv_spark.evaluate(by_topic, spark.table("r"), "D#-nDCG@10", tasks=3)
    assert plan_of(given).count("Exchange") == 2


def test_large_buckets_are_exchanged(spark, data, monkeypatch):
    from irdiv.plugins import spark as irdiv_spark

    tables = [
        write_table(as_spark(spark, frame), name, 4, "query_id")
        for frame, name in ((data[0], "q"), (data[1]["system 0"], "r"))
    ]
    monkeypatch.setattr(irdiv_spark, "MAX_JUDGMENTS", len(data[0]) // 4 - 1)
    assert plan_of(irdiv_spark.evaluate(*tables, "P@1")).count("Exchange") == 2


def test_mistakes_in_rows_that_are_apart(spark, tmp_path):
    """Contradictions and duplicates are found where their rows are in other files or partitions."""
    from irdiv.plugins import spark as irdiv_spark

    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "a"], "relevance": [0, 1, 1]})
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "b"], "score": [3.0, 2.0, 1.0]})
    frames = [as_spark(spark, frame).repartition(3) for frame in (qrels[:2], qrels, run)]
    paths = [write_parts(frame, tmp_path / name) for frame, name in ((qrels[:2], "good"), (qrels, "bad"), (run, "run"))]
    tables = [
        write_table(frame, name, 2, "query_id") for frame, name in zip(frames, ("good", "bad", "run"), strict=True)
    ]
    for good, bad, ranked in (frames, paths, tables):
        with pytest.raises(Exception, match="the qrels contradict themselves: document 'a' of topic '1'"):
            irdiv_spark.evaluate(bad, ranked, "P@2", duplicates="first").collect()
        with pytest.raises(Exception, match="the run repeats documents, 1 in all"):
            irdiv_spark.evaluate(good, ranked, "P@2").collect()
        assert irdiv_spark.evaluate(good, ranked, "P@2", duplicates="first").collect()[0]["value"] == 0.5


def test_frames_that_are_files_are_read_by_the_tasks(spark, data, tmp_path):
    from irdiv.plugins import spark as irdiv_spark

    qrels, run = data[0].astype({"query_id": int}), data[1]["system 0"]
    folders = write_parts(qrels, tmp_path / "qrels"), write_parts(run, tmp_path / "run")
    judged, ranked = (spark.read.parquet(str(folder)) for folder in folders)
    found = irdiv_spark.evaluate(judged, ranked, SPECS)
    assert "FileScan" not in plan_of(found)
    assert_equal_to_local(found, qrels, run)
    some = irdiv_spark.evaluate(judged.filter("query_id < 5"), ranked, SPECS)
    assert plan_of(some).count("FileScan") == 1
    assert_equal_to_local(some, qrels[qrels["query_id"] < 5], run)


def test_files_without_statistics_or_rows(spark, data, tmp_path):
    from irdiv.plugins import spark as irdiv_spark

    qrels, run = data[0], data[1]["system 0"]
    folder = write_parts(qrels.assign(relevance=1), tmp_path / "qrels")
    rows = pa.Table.from_pandas(qrels.assign(query_id="x"), preserve_index=False)
    pq.write_table(rows, folder / "without.parquet", write_statistics=False)
    pq.write_table(rows.slice(0, 0), folder / "empty.parquet")
    together = pd.concat([qrels.assign(relevance=1), qrels.assign(query_id="x")])
    assert_equal_to_local(irdiv_spark.evaluate(folder, as_spark(spark, run), "ERR-IA@5"), together, run, "ERR-IA@5")
    pq.write_table(rows.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(IrdivError, match="the qrels are empty"):
        irdiv_spark.evaluate(tmp_path / "none.parquet", as_spark(spark, run), "P@1")


def test_packed_tables_have_dictionaries_of_their_own_topics():
    from irdiv.plugins.spark_tables import TableColumns, pack, unpack

    topics = [f"topic {n}" for n in range(50)] * 2
    rows = pa.table({"q": topics, "d": [f"d{n}" for n in range(100)], "i": ["1", "2"] * 50, "g": pa.array(range(100))})
    rows = rows.set_column(3, "g", pa.array([300 if n == 7 else 1 for n in range(100)]))
    packed = pa.Table.from_batches(pack(rows.to_batches(9), TableColumns("qrels", "q", "d", ["i"]), 8))
    assert len(packed) == len(set(packed["bucket"].to_pylist())) > 1
    found = []
    for index in range(len(packed)):
        part = unpack(packed.slice(index, 1))
        assert set(part["q"].chunk(0).dictionary.to_pylist()) == set(part["q"].to_pylist())
        assert pa.types.is_dictionary(part["i"].type)
        assert part["g"].type == pa.int16()
        found += part.select(rows.column_names).to_pylist()
    key = lambda row: int(row["d"][1:])  # noqa: E731
    assert sorted(found, key=key) == rows.to_pylist()


@pytest.mark.parametrize("small_qrels", [0, 10**5])
def test_rows_of_topics_without_judgments(spark, data, tmp_path, monkeypatch, small_qrels):
    from irdiv.plugins import spark as irdiv_spark

    monkeypatch.setattr(irdiv_spark, "SMALL_QRELS", small_qrels)
    qrels, runs = data[0][data[0]["query_id"].isin(["1", "4"])], data[1]
    together = pd.concat([run.assign(run=name) for name, run in runs.items()])
    for ranked in (as_spark(spark, together), write_parts(together, tmp_path / "runs")):
        assert_equal_to_local(irdiv_spark.evaluate(as_spark(spark, qrels), ranked, SPECS), qrels, runs)


def test_rows_of_other_topics_are_checked_and_not_kept():
    from irdiv.plugins.spark_tables import keep_topics

    topics = pa.array(["1", "3"], pa.large_string())
    rows = pa.table({"qid": ["1", "2", "3", "1"], "docno": ["a", "b", "c", "d"], "score": [1.0, 2.0, 3.0, 4.0]})
    kept = pa.Table.from_batches(keep_topics(rows.to_batches(2), topics, "docid_desc"))
    assert kept["docno"].to_pylist() == ["a", "c", "d"]
    bad = rows.set_column(2, "score", pa.array([1.0, float("nan"), 3.0, 4.0]))
    with pytest.raises(IrdivError, match="column 'score' of the run must hold finite numbers"):
        list(keep_topics(bad.to_batches(), topics, "docid_desc"))


def test_missing_topics_that_are_numbers(spark):
    from irdiv.plugins import spark as irdiv_spark

    qrels = spark.createDataFrame(
        [(1.0, "a", 1), (float("nan"), "b", 1)], "query_id double, doc_id string, relevance int"
    )
    run = as_spark(spark, pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}))
    with pytest.raises(Exception, match="column 'query_id' of the qrels has a missing id"):
        irdiv_spark.evaluate(qrels, run, "P@1").collect()
