"""(i) Logs: Parquet files of many topics, against queries that a user would write in DuckDB or polars.

Each side is a process of its own, which imports its packages, then reads the files and computes the values of all
topics, and tells its seconds, seconds of all processors and peak of memory; the sides take turns. Before that, their
values are compared at the smallest size.

The greedy ideal list of α-nDCG, where each document depends on those chosen before, cannot be said in SQL without a
recursion for each topic: the ten measures are those that can.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.timing import Comparison, Side, peak

SIZES = [10_000, 100_000, 1_000_000]
ONE = ["D#-nDCG@10"]
TEN = [f"{name}@{k}" for name in ("D#-nDCG", "D-nDCG", "I-rec", "D-Q", "ERR-IA") for k in (5, 10)]
MEASURES = {"one": ONE, "ten": TEN}
_TURNS = 3
_TOLERANCE = 1e-9

_BASE = """
WITH judged AS (SELECT DISTINCT query_id, intent_id, doc_id, relevance FROM '{qrels}' WHERE relevance > 0),
intents AS (SELECT query_id, count(DISTINCT intent_id) AS n FROM judged GROUP BY query_id),
gains AS (SELECT query_id, doc_id, sum(2 ** relevance - 1) AS gain FROM judged GROUP BY query_id, doc_id),
ideal AS (
    SELECT query_id, gain, row_number() OVER (PARTITION BY query_id ORDER BY gain DESC) AS r FROM gains QUALIFY r <= 10
),
ranked AS (
    SELECT query_id, doc_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, doc_id DESC) AS r
    FROM '{run}' QUALIFY r <= 10
),
topics AS (SELECT DISTINCT query_id FROM '{qrels}'),
"""
_ONE_SQL = (
    _BASE
    + """
ideal_dcg AS (SELECT query_id, sum(gain / log2(r + 1)) AS best FROM ideal GROUP BY query_id),
dcg AS (
    SELECT query_id, sum(gain / log2(r + 1)) AS dcg FROM ranked JOIN gains USING (query_id, doc_id) GROUP BY query_id
),
covered AS (
    SELECT query_id, count(DISTINCT intent_id) AS covered FROM ranked JOIN judged USING (query_id, doc_id)
    GROUP BY query_id
)
SELECT query_id, coalesce(0.5 * covered / n + 0.5 * dcg / best, 0)
FROM topics LEFT JOIN intents USING (query_id) LEFT JOIN ideal_dcg USING (query_id) LEFT JOIN dcg USING (query_id)
LEFT JOIN covered USING (query_id)
"""
)
_AT = {
    "best{k}": "sum(gain / log2(r + 1)) FILTER (r <= {k})",
    "dcg{k}": "sum(gain / log2(r + 1)) FILTER (r <= {k})",
    "covered{k}": "count(DISTINCT intent_id) FILTER (r <= {k})",
    "q{k}": "sum((hits + total / n) / (r + best / n)) FILTER (r <= {k})",
    "err{k}": "sum(stop * going_on / r) FILTER (r <= {k})",
}


def _at(name: str) -> str:
    return ", ".join(f"{_AT[name].format(k=k)} AS {name.format(k=k)}" for k in (5, 10))


_VALUES = ", ".join(
    f"coalesce({value.format(k=k)}, 0)"
    for value in (
        "0.5 * covered{k} / n + 0.5 * dcg{k} / best{k}",
        "dcg{k} / best{k}",
        "covered{k} / n",
        "q{k} / least({k}, relevant)",
        "err{k} / n",
    )
    for k in (5, 10)
)
_TEN_SQL = (
    _BASE
    + f"""
counts AS (SELECT query_id, count(*) AS relevant FROM gains GROUP BY query_id),
ideal_dcg AS (SELECT query_id, {_at("best{k}")} FROM ideal GROUP BY query_id),
hits AS (
    SELECT query_id, r, gain,
        count(*) OVER (PARTITION BY query_id ORDER BY r) AS hits,
        sum(gain) OVER (PARTITION BY query_id ORDER BY r) AS total
    FROM ranked JOIN gains USING (query_id, doc_id)
),
ideal_gain AS (SELECT query_id, r, sum(gain) OVER (PARTITION BY query_id ORDER BY r) AS best FROM ideal),
ideal_end AS (SELECT query_id, max(best) AS best FROM ideal_gain GROUP BY query_id),
dcg AS (SELECT query_id, {_at("dcg{k}")} FROM hits GROUP BY query_id),
q AS (
    SELECT query_id, {_at("q{k}")}
    FROM (
        SELECT hits.*, n, coalesce(ideal_gain.best, ideal_end.best) AS best
        FROM hits JOIN intents USING (query_id) JOIN ideal_end USING (query_id)
        LEFT JOIN ideal_gain USING (query_id, r)
    ) GROUP BY query_id
),
by_intent AS (
    SELECT query_id, intent_id, r, (2 ** relevance - 1) / 2 ** (SELECT max(relevance) FROM judged) AS stop
    FROM ranked JOIN judged USING (query_id, doc_id)
),
covered AS (SELECT query_id, {_at("covered{k}")} FROM by_intent GROUP BY query_id),
users AS (
    SELECT *, coalesce(exp(sum(ln(1 - stop)) OVER (
        PARTITION BY query_id, intent_id ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )), 1) AS going_on
    FROM by_intent
),
err AS (SELECT query_id, {_at("err{k}")} FROM users GROUP BY query_id)
SELECT query_id, {_VALUES}
FROM topics LEFT JOIN intents USING (query_id) LEFT JOIN counts USING (query_id) LEFT JOIN ideal_dcg USING (query_id)
LEFT JOIN dcg USING (query_id) LEFT JOIN q USING (query_id) LEFT JOIN covered USING (query_id)
LEFT JOIN err USING (query_id)
"""
)


def _duckdb(qrels: str, run: str, measures: str) -> tuple[list[str], np.ndarray]:
    import duckdb

    sql = {"one": _ONE_SQL, "ten": _TEN_SQL}[measures]
    relation: Any = duckdb.sql(sql.format(qrels=qrels, run=run))
    table: pa.Table = relation.to_arrow_table()
    return table[0].to_pylist(), np.column_stack([column.to_numpy() for column in table.columns[1:]])


def _polars(qrels: str, run: str, measures: str) -> tuple[list[str], np.ndarray]:
    import polars as pl

    topic, pair = "query_id", ["query_id", "doc_id"]
    judged = pl.scan_parquet(qrels).filter(pl.col("relevance") > 0).unique([topic, "intent_id", "doc_id"])
    topics = pl.scan_parquet(qrels).select(topic).unique()
    intents = judged.group_by(topic).agg(n=pl.col("intent_id").n_unique())
    gain = (2.0 ** pl.col("relevance") - 1).sum().alias("gain")
    gains = judged.group_by(pair).agg(gain)
    rank = pl.int_range(1, pl.len() + 1).over(topic)
    ideal = gains.sort("gain", descending=True).with_columns(r=rank).filter(pl.col("r") <= 10)
    ranked = (
        pl.scan_parquet(run)
        .sort(["score", "doc_id"], descending=True)
        .with_columns(r=rank)
        .filter(pl.col("r") <= 10)
        .select(*pair, "r")
    )
    hits = ranked.join(gains, on=pair).sort(topic, "r")
    by_intent = ranked.join(judged, on=pair).sort(topic, "r")

    def totals(frame: pl.LazyFrame, value: pl.Expr, name: str) -> pl.LazyFrame:
        return (
            frame.with_columns(value=value)
            .group_by(topic)
            .agg([pl.col("value").filter(pl.col("r") <= k).sum().alias(f"{name}{k}") for k in (5, 10)])
        )

    discounted = pl.col("gain") / (pl.col("r") + 1).log(2)
    parts = [
        intents,
        totals(ideal, discounted, "best"),
        totals(hits, discounted, "dcg"),
        by_intent.group_by(topic).agg(
            [pl.col("intent_id").filter(pl.col("r") <= k).n_unique().alias(f"covered{k}") for k in (5, 10)]
        ),
    ]
    if measures == "ten":
        ideal_gain = ideal.sort(topic, "r").select(topic, "r", best=pl.col("gain").cum_sum().over(topic))
        blended = (
            hits.with_columns(
                hits=pl.int_range(1, pl.len() + 1).over(topic), total=pl.col("gain").cum_sum().over(topic)
            )
            .join(intents, on=topic)
            .join(ideal_gain, on=[topic, "r"], how="left")
            .join(ideal_gain.group_by(topic).agg(end=pl.col("best").max()), on=topic)
            .with_columns(best=pl.col("best").fill_null(pl.col("end")))
        )
        ratio = (pl.col("hits") + pl.col("total") / pl.col("n")) / (pl.col("r") + pl.col("best") / pl.col("n"))
        highest = judged.select(highest=pl.col("relevance").max())
        users = (
            by_intent.join(highest, how="cross")
            .sort(topic, "intent_id", "r")
            .with_columns(stop=(2.0 ** pl.col("relevance") - 1) / 2.0 ** pl.col("highest"))
            .with_columns(going_on=(1 - pl.col("stop")).cum_prod().shift(1, fill_value=1.0).over([topic, "intent_id"]))
        )
        parts += [
            gains.group_by(topic).agg(relevant=pl.len()),
            totals(blended, ratio, "q"),
            totals(users, pl.col("stop") * pl.col("going_on") / pl.col("r"), "err"),
        ]
    whole = topics
    for part in parts:
        whole = whole.join(part, on=topic, how="left")
    col = pl.col
    values = {
        "D#-nDCG": lambda k: 0.5 * col(f"covered{k}") / col("n") + 0.5 * col(f"dcg{k}") / col(f"best{k}"),
        "D-nDCG": lambda k: col(f"dcg{k}") / col(f"best{k}"),
        "I-rec": lambda k: col(f"covered{k}") / col("n"),
        "D-Q": lambda k: col(f"q{k}") / pl.min_horizontal(pl.lit(k), col("relevant")),
        "ERR-IA": lambda k: col(f"err{k}") / col("n"),
    }
    wanted = (spec.split("@") for spec in MEASURES[measures])
    frame = whole.select(topic, *(values[name](int(k)).fill_null(0).alias(f"{name}@{k}") for name, k in wanted))
    table = frame.collect(engine="streaming")
    return table[topic].to_list(), table.drop(topic).to_numpy()


def _irdiv(qrels: str, run: str, measures: str) -> tuple[list[str], np.ndarray]:
    import irdiv

    evaluation = irdiv.evaluate(qrels, run, MEASURES[measures])
    return list(evaluation.query_ids), evaluation.values[0].T


SIDES: dict[str, Callable[[str, str, str], tuple[list[str], np.ndarray]]] = {
    "irdiv": _irdiv,
    "DuckDB": _duckdb,
    "polars": _polars,
}


def logs(quick: bool = False) -> Iterator[Comparison]:
    """(i) Parquet files of many topics, by queries in DuckDB and polars too."""
    for topics in SIZES[:-1] if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = (str(path) for path in data.write_parquet_elsewhere(Path(folder), topics))
            for measures, target in (("one", 2.0), ("ten", 6.0)):
                if topics == SIZES[0]:
                    _require_equal_values(qrels, run, measures)
                sides = [Side(side) for side in SIDES]
                for _ in range(_TURNS):
                    for side in sides:
                        _add_turn(side, qrels, run, measures)
                name = f"{topics:,} topics from Parquet, {measures} measure{'s' * (measures == 'ten')}"
                yield Comparison("i", name, sides, target if topics > SIZES[0] else None)


def _add_turn(side: Side, *arguments: str) -> None:
    command = [sys.executable, "-m", "benchmarks.logs", side.name, *arguments]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    side.seconds.append(found["seconds"])
    side.cpu_seconds.append(found["cpu_seconds"])
    side.megabytes = max(side.megabytes or 0.0, found["megabytes"])


def _require_equal_values(qrels: str, run: str, measures: str) -> None:
    values = {}
    for side, compute in SIDES.items():
        topics, found = compute(qrels, run, measures)
        values[side] = found[np.argsort(np.array(topics, dtype=object))]
    for side in SIDES:
        difference = np.abs(values[side] - values["irdiv"]).max()
        if not difference <= _TOLERANCE:
            raise AssertionError(f"{side} differs from irdiv by {difference}")


def _tell(name: str, qrels: str, run: str, measures: str) -> None:
    """Print what one side takes once its packages are imported."""
    with tempfile.TemporaryDirectory() as folder:
        small_qrels, small_run = (str(path) for path in data.write_parquet(Path(folder), 10))
        SIDES[name](small_qrels, small_run, measures)
    start, cpu_start = time.perf_counter(), time.process_time()
    SIDES[name](qrels, run, measures)
    found = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu_start}
    print(json.dumps({**found, "megabytes": peak() * 1024}))


if __name__ == "__main__":
    _tell(*sys.argv[1:])
