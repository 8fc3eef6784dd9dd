"""(h) What a topic costs on Spark, and how much of that is Spark's own: needs the extra ``spark`` and Java."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import irdiv.plugins.spark
from benchmarks import data
from benchmarks.timing import Comparison, compare

TOPICS = 100_000
SPEC = "D#-nDCG@10"


def spark() -> Iterator[Comparison]:
    """D#-nDCG@10 of 100,000 topics, against the same rows sent to tasks that do nothing, and against this machine."""
    from pyspark.sql import SparkSession, functions

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[*]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "16")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as folder:
        paths = data.write_parquet(Path(folder), TOPICS)
        qrels, run = (session.read.parquet(str(path)) for path in paths)

        def done(frame: Any) -> None:
            frame.write.format("noop").mode("overwrite").save()

        def partitioned(frame: Any) -> Any:
            bucket = functions.pmod(
                functions.xxhash64("query_id"), functions.lit(TOPICS // irdiv.plugins.spark.TOPICS_PER_TASK)
            )
            return frame.withColumn("bucket", bucket).groupBy("bucket")

        schema = irdiv.plugins.spark.ARROW_SCHEMA

        def nothing(judged: pa.Table, ranked: pa.Table) -> pa.Table:
            return schema.empty_table()

        yield compare(
            "h",
            f"{SPEC} of {TOPICS:,} topics from Parquet",
            {
                "irdiv on Spark": lambda: done(irdiv.plugins.spark.evaluate(qrels, run, SPEC)),
                "Spark alone, tasks that do nothing": lambda: done(
                    partitioned(qrels)
                    .cogroup(partitioned(run))
                    .applyInArrow(nothing, schema=irdiv.plugins.spark.SCHEMA)
                ),
                "irdiv without Spark": lambda: irdiv.evaluate(*paths, SPEC),
            },
            repetitions=3,
            memory=False,
        )
    session.stop()
