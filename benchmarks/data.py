"""Made-up collections and runs of the size of a TREC Web track, and of any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

TOPICS, DEPTH = 50, 1000
POOL, INTENTS = 320, 4
DEMO_SHARES = (0.8, 0.12, 0.06, 0.02)


def qrels(seed: int = 0) -> pd.DataFrame:
    """Return about 60,000 judgments, a fifth of them relevant, with ir_measures' names."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(151, 151 + TOPICS), POOL * INTENTS)
    intent = np.tile(np.arange(1, INTENTS + 1), TOPICS * POOL)
    doc = np.tile(np.repeat(np.arange(POOL), INTENTS), TOPICS)
    relevance = rng.choice(4, size=len(topic), p=DEMO_SHARES)
    frame = pd.DataFrame(
        {"query_id": topic, "doc_id": doc_ids(topic, doc), "relevance": relevance, "iteration": intent}
    )
    return frame.astype({"query_id": str, "iteration": str}).sample(frac=1, random_state=seed, ignore_index=True)


def run(seed: int = 0) -> pd.DataFrame:
    """Return 1000 documents for each of 50 topics, best first; about a fifth are judged."""
    rng = np.random.default_rng(seed + 1)
    topic = np.repeat(np.arange(151, 151 + TOPICS), DEPTH)
    doc = np.concatenate([rng.permutation(POOL * 5)[:DEPTH] for _ in range(TOPICS)])
    score = np.tile(np.linspace(-2, -9, DEPTH), TOPICS).round(5)
    return pd.DataFrame({"query_id": topic.astype(str), "doc_id": doc_ids(topic, doc), "score": score})


def many_runs(runs: int, depth: int = 20) -> pd.DataFrame:
    """Return runs of 50 topics in one frame, by run and topic, best first; about half of the documents are judged."""
    rng = np.random.default_rng(2)
    topic = np.repeat(np.arange(151, 151 + TOPICS), POOL * 2)
    ids = np.array(doc_ids(topic, np.tile(np.arange(POOL * 2), TOPICS)), dtype=object).reshape(TOPICS, -1)
    picked = rng.random((runs, TOPICS, POOL * 2)).argpartition(depth, axis=2)[:, :, :depth]
    return pd.DataFrame(
        {
            "run": np.repeat([f"run{number}" for number in range(runs)], TOPICS * depth),
            "query_id": np.tile(np.repeat(np.arange(151, 151 + TOPICS).astype(str), depth), runs),
            "doc_id": ids[np.arange(TOPICS)[:, None], picked].ravel(),
            "score": -np.sort(rng.random((runs, TOPICS, depth)), axis=2).ravel(),
        }
    )


def adhoc(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return plain qrels: the highest grade of each document."""
    return judgments.groupby(["query_id", "doc_id"])["relevance"].max().reset_index()


def as_dicts(frame: pd.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """Return a frame as a dict of dicts."""
    return {
        str(query): dict(zip(rows["doc_id"].tolist(), rows[value].tolist(), strict=True))
        for query, rows in frame.groupby("query_id")
    }


def hierarchy(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return a tree of three layers for each topic: {{{1, 2}, 3}, 4}."""
    parents = {"1": "m", "2": "m", "m": "n", "3": "n", "n": None, "4": None}
    rows = [(query, *node) for query in judgments["query_id"].unique() for node in parents.items()]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id"])


def doc_ids(topic: np.ndarray, doc: np.ndarray) -> list[str]:
    """Return ids of the length of those of ClueWeb."""
    return [f"clueweb09-en{t:04}-{d % 89:02}-{d:05}" for t, d in zip(topic.tolist(), doc.tolist(), strict=True)]


def write_qrels(folder: Path) -> str:
    """Write `qrels` as a file and return its path."""
    path = folder / "qrels.txt"
    qrels()[["query_id", "iteration", "doc_id", "relevance"]].to_csv(path, sep=" ", header=False, index=False)
    return str(path)


def write_run(folder: Path, number: int, depth: int = DEPTH) -> str:
    """Write a run file of so many documents a topic and return its path."""
    frame = run(number)
    frame = frame.assign(q0="Q0", rank=frame.groupby("query_id").cumcount() + 1, tag=f"run{number}")
    frame = frame[frame["rank"] <= depth]
    path = folder / f"run{number}.txt"
    frame[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(path, sep=" ", header=False, index=False)
    return str(path)


def grown(
    topics: int, intents: int = 5, judged: int = 20, depth: int = 20, first: int = 0
) -> tuple[pa.Table, pa.Table]:
    """Return qrels, in which every document is judged for every intent, and a run of any size."""
    rng = np.random.default_rng(first)
    topic = np.arange(first, first + topics)
    q = np.repeat(topic, judged * intents)
    d = np.tile(np.repeat(np.arange(judged), intents), topics)
    table = pa.table(
        {
            "query_id": _strings(q),
            "intent_id": _strings(np.tile(np.arange(1, intents + 1), topics * judged)),
            "doc_id": _strings((q * 7919 + d * 104729) % 10_000_019),
            "relevance": rng.choice(3, size=len(q), p=(0.7, 0.2, 0.1)),
        }
    )
    q, d = np.repeat(topic, depth), np.tile(np.arange(depth), topics)
    ranked = pa.table(
        {
            "query_id": _strings(q),
            "doc_id": _strings((q * 7919 + d * 104729) % 10_000_019),
            "score": rng.random(len(q)),
        }
    )
    return table, ranked


def _strings(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def write_parquet(folder: Path, topics: int, step: int = 50_000) -> tuple[Path, Path]:
    """Write `grown` data of many topics as two Parquet files, some topics at a time."""
    paths = _parquet_paths(folder, topics)
    writers: list[pq.ParquetWriter] = []
    for first in range(0, topics, step):
        tables = grown(min(step, topics - first), first=first)
        if not writers:
            writers = [pq.ParquetWriter(path, table.schema) for path, table in zip(paths, tables, strict=True)]
        for writer, table in zip(writers, tables, strict=True):
            writer.write_table(table)
    for writer in writers:
        writer.close()
    return paths


def _parquet_paths(folder: Path, topics: int) -> tuple[Path, Path]:
    return folder / f"qrels{topics}.parquet", folder / f"run{topics}.parquet"


def write_parquet_elsewhere(folder: Path, topics: int) -> tuple[Path, Path]:
    """Do what `write_parquet` does in another process, so that this one does not grow."""
    subprocess.run([sys.executable, "-m", "benchmarks.data", str(folder), str(topics)], check=True)
    return _parquet_paths(folder, topics)


if __name__ == "__main__":
    write_parquet(Path(sys.argv[1]), int(sys.argv[2]))
