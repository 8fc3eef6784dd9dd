"""(f) How time and memory grow, each size in a process of its own: ``python -m benchmarks.growth topics 1000``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import irdiv
from benchmarks import data
from benchmarks.large import LARGE
from benchmarks.timing import Growth, peak, seconds

SPEC = "D#-nDCG@10"
SIZES = {
    "topics": [100, 1000, 10_000, 100_000, 1_000_000],
    "compiled": [100, 1000, 10_000, 100_000],
    "depth": [10, 100, 1000, 10_000],
    "intents": [2, 20, 200],
    "judged": [100, 1000, 10_000, 100_000],
    "documents": [1000, 10_000, 100_000, 1_000_000],
    "intents of one": [10, 100, 1000, 10_000],
    "runs": [100, 1000, 10_000, 100_000],
    "runs of a mapping": [100, 1000, 10_000, 100_000],
    "measures": [3, 30, 300],
    "layers": [10, 100, 1000],
}
TITLES = {
    "topics": "topics of 5 intents x 20 documents, from Parquet, some at a time",
    "compiled": "topics of 5 intents x 20 documents, in memory, compiled once",
    "depth": "documents a topic in the run (1000 topics, 5 intents x 20 judged)",
    "intents": "intents a topic (1000 topics, 20 documents)",
    "judged": "judged documents a topic (10 topics, 5 intents)",
    "documents": "relevant documents of one topic, all ranked (5 intents)",
    "intents of one": "intents of one topic (a document each, 1000 ranked)",
    "runs": "runs of two documents in one frame",
    "runs of a mapping": "runs of two documents in a mapping",
    "measures": "measures at once (50 topics, 5 intents x 200 documents)",
    "layers": "layers of one tree (a leaf in every tenth)",
}


def growths(quick: bool = False) -> Iterator[Growth]:
    """Measure all sizes, or all but the largest two."""
    for dimension, sizes in SIZES.items():
        growth = Growth("f", TITLES[dimension], dimension)
        for size in sizes[:-2] if quick else sizes:
            command = [sys.executable, "-m", "benchmarks.growth", dimension, str(size)]
            growth.points.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
        yield growth


def measure(dimension: str, size: int) -> dict[str, Any]:
    """Return seconds and the peak of memory for one size."""
    if dimension == "topics":
        return _streamed(size)
    if dimension in LARGE:
        return {"size": size, **_timed(*LARGE[dimension](size)), "gigabytes": peak()}
    topics = size if dimension == "compiled" else 10 if dimension == "judged" else 1000
    judged = size if dimension == "judged" else 20
    depth = size if dimension == "depth" else 20
    qrels, run = data.grown(topics, size if dimension == "intents" else 5, judged, depth)
    return {"size": size, "topics": topics, **_timed(qrels, run), "gigabytes": peak()}


def _timed(qrels: Any, run: Any, specs: str | list[str] = SPEC, run_column: str | None = None) -> dict[str, float]:
    """Return the seconds to compile, to score a first time, with what runs share, such as ideals, and again."""
    collection = irdiv.Collection(qrels)

    def score() -> object:
        return irdiv.evaluate(collection, run, specs, run_column=run_column)

    first = seconds(score)
    return {
        "compile": min(seconds(lambda: irdiv.Collection(qrels)) for _ in range(3)),
        "first": first,
        # Once is enough where it is long.
        "score": min(seconds(score) for _ in range(3)) if first < 10 else first,
    }


def _streamed(topics: int) -> dict[str, Any]:
    """Evaluate files of many topics."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = data.write_parquet_elsewhere(Path(folder), topics)
        start = time.perf_counter()
        irdiv.evaluate(qrels, run, SPEC)
        whole, highest = time.perf_counter() - start, peak()
    return {"size": topics, "topics": topics, "seconds": whole, "gigabytes": highest}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
