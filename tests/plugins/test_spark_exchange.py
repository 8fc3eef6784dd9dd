"""What Spark exchanges between tasks, by its plans."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pandas as pd
import pytest

from irdiv.plugins import spark as irdiv_spark
from spark_helpers import ALL_RUNS, QRELS, RUNS, SPECS, as_spark, assert_equals_local, plan_of, write_parts, write_table

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_only_packed_tables_of_needed_columns_are_exchanged(spark):
    qrels, run = QRELS.assign(text="x"), RUNS["system 0"].assign(text="x")
    plan = plan_of(irdiv_spark.evaluate(as_spark(spark, qrels), as_spark(spark, run), "P@1"))
    assert plan.count("Exchange") == plan.count("Exchange hashpartitioning(bucket") == plan.count("MapInArrow") == 2
    assert plan.count("Project [bucket#") == 2
    packing = [line for line in plan.splitlines() if "MapInArrow" in line]
    assert all("doc_id" in line and "text" not in line for line in packing)


@pytest.mark.parametrize("small_qrels", [0, 10**5])
def test_rows_of_topics_without_judgments(spark, tmp_path, monkeypatch, small_qrels):
    monkeypatch.setattr(irdiv_spark, "SMALL_QRELS", small_qrels)
    qrels = QRELS[QRELS["query_id"].isin(["1", "4"])]
    for ranked in (as_spark(spark, ALL_RUNS), write_parts(ALL_RUNS, tmp_path / "runs")):
        assert_equals_local(irdiv_spark.evaluate(as_spark(spark, qrels), ranked, SPECS), qrels, RUNS)


@pytest.mark.parametrize(
    ("topic_type", "qrels_buckets", "run_buckets"),
    [("bigint", 6, 4), ("string", 16, 16)],
)
def test_tables_bucketed_by_topic_are_not_exchanged(spark, topic_type, qrels_buckets, run_buckets):
    """The numbers of buckets need only a common divisor; of 16, some are empty."""
    judged = as_spark(spark, pd.concat([QRELS, QRELS[:5]]))
    ranked = as_spark(spark, ALL_RUNS.rename(columns={"query_id": "qid"}))
    judged = judged.withColumn("query_id", judged["query_id"].cast(topic_type))
    ranked = ranked.withColumn("qid", ranked["qid"].cast(topic_type))
    tables = write_table(judged, "q", qrels_buckets, "query_id"), write_table(ranked, "r", run_buckets, "qid")
    try:
        for adaptive in ("true", "false"):
            spark.conf.set("spark.sql.adaptive.enabled", adaptive)
            found = irdiv_spark.evaluate(*tables, SPECS)
            assert "Exchange" not in plan_of(found)
            assert_equals_local(found, QRELS, RUNS)
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")


def test_tables_that_are_not_bucketed_alike_are_exchanged(spark):
    qrels, run = QRELS.astype({"query_id": int}), RUNS["system 0"].astype({"query_id": int})
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
        assert_equals_local(found, qrels, run, "D#-nDCG@10")
    given = irdiv_spark.evaluate(by_topic, spark.table("r"), "D#-nDCG@10", tasks=3)
    assert plan_of(given).count("Exchange") == 2


def test_large_buckets_are_exchanged(spark, monkeypatch):
    tables = [
        write_table(as_spark(spark, frame), name, 4, "query_id")
        for frame, name in ((QRELS, "q"), (RUNS["system 0"], "r"))
    ]
    files = [Path(url2pathname(urlsplit(uri).path)) for uri in tables[1].inputFiles()]
    run_bytes = sum(file.stat().st_size for file in files)
    for judgments, bytes_of_runs, exchanges in [
        (len(QRELS) / 4, run_bytes / 4, 0),
        (len(QRELS) / 4 - 1, run_bytes / 4, 2),
        (len(QRELS) / 4, run_bytes / 4 - 1, 2),
    ]:
        monkeypatch.setattr(irdiv_spark, "MAX_JUDGMENTS", judgments)
        monkeypatch.setattr(irdiv_spark, "MAX_RUN_BYTES", bytes_of_runs)
        assert plan_of(irdiv_spark.evaluate(*tables, "P@1")).count("Exchange") == exchanges
