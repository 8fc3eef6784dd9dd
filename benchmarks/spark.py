"""(h) What a topic costs on Spark, and how much of that is Spark's own: needs the extra ``spark`` and Java.

Times of a core are those of Python, Java and the workers of Spark together, read from Linux's ``/proc``.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import irdiv.plugins.spark
from benchmarks import data
from benchmarks.timing import Call, Comparison, Side, compare
from irdiv.plugins.spark import SCHEMA as ARROW_SCHEMA
from irdiv.plugins.spark import SPARK_SCHEMA as SCHEMA

TOPICS = 100_000
SPEC = "D#-nDCG@10"
TOPICS_PER_TASK = 2000
BUCKETS = 16


def spark() -> Iterator[Comparison]:
    """D#-nDCG@10 of 100,000 topics, against the same rows sent to tasks that do nothing, and against this machine.

    Spark compares the size of an Arrow batch with a limit after each row, unless there is no limit.
    """
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
        shuffled = [shuffle(path) for path in paths]
        qrels, run = (session.read.parquet(str(path)) for path in paths)
        # With a filter, a frame is more than files.
        judged, ranked = qrels.filter("relevance >= 0"), run.filter("score >= 0")
        for frame, name in ((qrels, "qrels"), (run, "run")):
            path = f"{folder}/bucketed {name}"
            frame.write.option("path", path).bucketBy(BUCKETS, "query_id").saveAsTable(name)
        tables = session.table("qrels"), session.table("run")

        def done(frame: Any) -> None:
            frame.write.format("noop").mode("overwrite").save()

        def partitioned(frame: Any) -> Any:
            bucket = functions.pmod(functions.xxhash64("query_id"), functions.lit(TOPICS // TOPICS_PER_TASK))
            return frame.withColumn("bucket", bucket).groupBy("bucket")

        def with_limit(limit: str, call: Call) -> Call:
            def limited() -> None:
                session.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", limit)
                call()

            return limited

        def nothing(judged: pa.Table, ranked: pa.Table) -> pa.Table:
            return ARROW_SCHEMA.empty_table()

        def score(judgments: Any, results: Any) -> None:
            done(irdiv.plugins.spark.evaluate(judgments, results, SPEC))

        def send_rows() -> None:
            pairs = partitioned(qrels).cogroup(partitioned(run))
            done(pairs.applyInArrow(nothing, schema=SCHEMA))

        yield from compare_with_core_time(
            f"{SPEC} of {TOPICS:,} topics from Parquet",
            {
                "irdiv on Spark, files ordered by topic": lambda: score(*paths),
                "irdiv on Spark, files in random order": lambda: score(*shuffled),
                "irdiv on Spark, tables bucketed by topic": lambda: score(*tables),
                "irdiv on Spark, frames": with_limit("64m", lambda: score(judged, ranked)),
                "irdiv on Spark, frames, batches of any size": with_limit("2147483647", lambda: score(judged, ranked)),
                "Spark alone, tasks that do nothing, batches of any size": with_limit("2147483647", send_rows),
                "irdiv without Spark": lambda: irdiv.evaluate(*paths, SPEC),
            },
        )
    session.stop()


def shuffle(path: Path) -> Path:
    """Write the rows of a Parquet file in random order to another one; return its path."""
    rows = pq.read_table(path)
    shuffled = path.with_name(f"shuffled {path.name}")
    pq.write_table(rows.take(np.random.default_rng(0).permutation(len(rows))), shuffled)
    return shuffled


def compare_with_core_time(name: str, sides: Mapping[str, Call], repetitions: int = 3) -> Iterator[Comparison]:
    """Yield a comparison of times, and one of what the cores took, all processes together."""
    taken: dict[str, list[float]] = defaultdict(list)

    def measured(side: str, call: Call) -> Call:
        def call_measured() -> None:
            before = core_seconds()
            call()
            taken[side].append(core_seconds() - before)

        return call_measured

    calls = {side: measured(side, call) for side, call in sides.items()}
    yield compare("h", name, calls, repetitions=repetitions, memory=False)
    core = [Side(side, taken[side][-repetitions:]) for side in sides]
    yield Comparison("h", f"{name}: time of a core", core)


def core_seconds() -> float:
    """Return the processor time that this process and its descendants have taken."""
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children[int(fields[1])].append(int(folder.name))
        # of its own and of children that have ended
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    found, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        found += ticks.get(process, 0)
        waiting += children[process]
    return found / os.sysconf("SC_CLK_TCK")
