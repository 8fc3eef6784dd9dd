"""Parquet files that the tasks of Spark read."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from irdiv import IrdivError
from irdiv.plugins import spark as irdiv_spark
from irdiv.plugins import spark_files
from spark_helpers import ALL_RUNS, QRELS, RUNS, SPECS, as_spark, assert_equals_local, plan_of, write_parts, write_table

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_parquet_files_are_read_by_the_tasks(spark, tmp_path):
    coded = ALL_RUNS.astype({"run": "category"}).rename(columns={"query_id": "qid", "doc_id": "docno"})
    paths = write_parts(QRELS.assign(text="x"), tmp_path / "all qrels"), write_parts(coded, tmp_path / "runs")
    found = irdiv_spark.evaluate(*paths, SPECS, tasks=3)
    assert "FileScan" not in plan_of(found)
    assert_equals_local(found, QRELS, RUNS)
    mixed = irdiv_spark.evaluate(as_spark(spark, QRELS), str(paths[1]), SPECS)
    assert plan_of(mixed).count("Range") == 1
    assert_equals_local(mixed, QRELS, RUNS)


def test_frames_that_are_files_are_read_by_the_tasks(spark, tmp_path):
    qrels, run = QRELS.astype({"query_id": int}), RUNS["system 0"]
    folders = write_parts(qrels, tmp_path / "qrels"), write_parts(run, tmp_path / "run")
    judged, ranked = (spark.read.parquet(str(folder)) for folder in folders)
    found = irdiv_spark.evaluate(judged, ranked, SPECS)
    assert "FileScan" not in plan_of(found)
    assert_equals_local(found, qrels, run)
    some = irdiv_spark.evaluate(judged.filter("query_id < 5"), ranked, SPECS)
    assert plan_of(some).count("FileScan") == 1
    assert_equals_local(some, qrels[qrels["query_id"] < 5], run)


def test_large_files_are_shared_by_tasks(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_files, "_PART_BYTES", (1, 3000))
    paths = write_parts(QRELS, tmp_path / "qrels"), write_parts(RUNS["system 0"], tmp_path / "run")
    found = irdiv_spark.evaluate(*paths, SPECS)
    assert "splits=2)" not in plan_of(found)
    assert_equals_local(found, QRELS, RUNS["system 0"])


def test_files_that_only_spark_reads_alike(spark, tmp_path):
    """Names of runs in the names of folders, and ids that are floats."""
    for name, run in RUNS.items():
        write_parts(run, tmp_path / "runs" / f"run={name}")
    floats = write_parts(QRELS.astype({"query_id": float}), tmp_path / "qrels")
    found = irdiv_spark.evaluate(floats, tmp_path / "runs", SPECS)
    assert plan_of(found).count("FileScan") == 2
    assert_equals_local(found, QRELS, RUNS)


def test_a_file_that_lacks_a_column(spark, tmp_path, monkeypatch):
    """Spark takes it as missing in all rows; where the driver does not open all files, it is an error."""
    folder = write_parts(QRELS, tmp_path / "qrels")
    QRELS[:9].drop(columns="probability").to_parquet(folder / "z.parquet")
    found = irdiv_spark.evaluate(folder, as_spark(spark, RUNS["system 0"]), SPECS)
    assert plan_of(found).count("FileScan") == 1
    assert_equals_local(found, QRELS, RUNS["system 0"])
    QRELS.drop(columns="intent_id").to_parquet(folder / "z.parquet")
    monkeypatch.setattr(spark_files, "FOOTER_COUNT", 2)
    with pytest.raises(Exception, match=r"z.parquet has no column 'intent_id', which other files"):
        irdiv_spark.evaluate(folder, as_spark(spark, RUNS["system 0"]), "D-nDCG").collect()


def test_files_without_statistics_or_rows(spark, tmp_path):
    known, run = QRELS.assign(relevance=1), as_spark(spark, RUNS["system 0"])
    folder = write_parts(known, tmp_path / "qrels")
    other = known[known["query_id"] == "1"].assign(query_id="x", relevance=3)
    rows = pa.Table.from_pandas(other, preserve_index=False)
    pq.write_table(rows, folder / "without.parquet", write_statistics=False)
    pq.write_table(rows.slice(0, 0), folder / "empty.parquet")
    found = irdiv_spark.evaluate(folder, run, "ERR-IA@5")
    assert_equals_local(found, pd.concat([known, other]), RUNS["system 0"], "ERR-IA@5")
    pq.write_table(rows.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(IrdivError, match="the qrels are empty"):
        irdiv_spark.evaluate(tmp_path / "none.parquet", run, "P@1")


def test_mistakes_in_rows_that_are_apart(spark, tmp_path):
    """Contradictions and duplicates are found where their rows are in other files, exchanged or of one bucket."""
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
