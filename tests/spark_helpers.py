"""Data, tables and files of the tests on Spark."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import irdiv
from helpers import random_collection, random_run

SPECS = ["D#-nDCG@10", "ERR-IA@20", "alpha-nDCG@5", "LAD#-Q@10", "NRBP", "nDCG@10", "I-rec@3", "RBU"]
QRELS = random_collection(0, topics=11)
RUNS = {f"system {seed}": random_run(seed, topics=12) for seed in range(3)}
"""Runs with a topic without judgments, of which one lacks another topic."""
RUNS["system 1"] = RUNS["system 1"][RUNS["system 1"]["query_id"] != "4"]
ALL_RUNS = pd.concat([run.assign(run=name) for name, run in RUNS.items()])


def as_spark(spark, frame):
    return spark.createDataFrame(frame.astype(object).where(frame.notna(), None))


def table(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["run", "measure", "query_id"], ignore_index=True).astype({"value": float})


def assert_equals_local(found, qrels, runs, specs=SPECS):
    """Assert that values are those of the local evaluation, bit for bit."""
    expected = irdiv.evaluate(qrels, runs, specs).frame
    pd.testing.assert_frame_equal(table(found.toPandas()), table(expected), check_exact=True)


def plan_of(frame) -> str:
    return frame._jdf.queryExecution().executedPlan().toString()


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
