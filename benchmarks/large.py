"""Collections that are large in one way only: one topic, one tree, many runs, many measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import irdiv
from benchmarks import data

SPEC = "D#-nDCG@10"


def documents(count: int) -> tuple[Any, ...]:
    """Return a topic with so many relevant documents, and a run that ranks them all."""
    numbers = np.arange(count)
    qrels = _topic(intents=numbers % 5, docs=numbers, grades=1 + numbers % 2)
    return qrels, _run(np.random.default_rng(0).permutation(count))


def intents(count: int) -> tuple[Any, ...]:
    """Return a topic with so many intents, which have a document each, and a run of a thousand documents."""
    numbers = np.arange(count)
    return _topic(numbers, numbers, 1 + numbers % 2), _run(np.random.default_rng(0).permutation(count)[:1000])


def runs(count: int) -> tuple[Any, ...]:
    """Return so many runs of two documents in a frame."""
    qrels = _topic(np.array([1, 2, 1]), np.arange(3), np.array([1, 2, 1]))
    number = np.repeat(np.arange(count), 2)
    rank = np.tile([0, 1], count)
    frame = pd.DataFrame(
        {
            "run": number.astype(str),
            "query_id": "1",
            "doc_id": np.where(rank == 0, number % 3, 9).astype(str),
            "score": 1.0 - rank,
        }
    )
    return qrels, frame, SPEC, "run"


def mapping_of_runs(count: int) -> tuple[Any, ...]:
    """Return the same runs in a mapping."""
    runs = {str(number): {"1": {str(number % 3): 1.0, "9": 0.0}} for number in range(count)}
    return _topic(np.array([1, 2, 1]), np.arange(3), np.array([1, 2, 1])), runs


def measures(count: int) -> tuple[Any, ...]:
    """Return a collection, a run and so many measures, up to 460: 23 at up to 20 cutoffs."""
    qrels, run = data.grown(50, 5, 200, 200)
    bases = ["nDCG", "Q", "ERR", "nERR", "AP", "P", "RBP", "EBR", "RR", "Hit"]
    names = [f"{prefix}{base}{suffix}" for base in bases for prefix, suffix in (("", "-IA"), ("D-", ""))]
    names = [*(name for name in names if name in irdiv.measures.registry), "I-rec", "alpha-nDCG", "alpha-DCG"]
    return qrels, run, [f"{name}@{cutoff}" for cutoff in range(5, 105, 5) for name in names][:count]


def layers(count: int) -> tuple[Any, ...]:
    """Return a tree of so many layers, with a leaf in every tenth and in the last, and a run that finds all leaves."""
    inner = [("1", f"n{layer}", f"n{layer - 1}" if layer else None) for layer in range(count - 1)]
    leaves = [("1", f"leaf{layer}", f"n{layer}") for layer in [*range(0, count - 2, 10), count - 2]]
    table = pd.DataFrame([*inner, *leaves], columns=["query_id", "intent_id", "parent_id"])
    judged = pd.DataFrame({"query_id": "1", "intent_id": [leaf for _, leaf, _ in leaves], "relevance": 1})
    judged["doc_id"] = judged["intent_id"]
    return irdiv.with_intents(judged, table), {"1": list(judged["doc_id"])}, "HD#-nDCG@10"


LARGE: dict[str, Callable[[int], tuple[Any, ...]]] = {
    "documents": documents,
    "intents of one": intents,
    "runs": runs,
    "runs of a mapping": mapping_of_runs,
    "measures": measures,
    "layers": layers,
}
"""What is evaluated, by what grows: qrels, run, and if they are others than usual, the measures and the run column."""


def _topic(intents: np.ndarray, docs: np.ndarray, grades: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {"query_id": "1", "intent_id": intents.astype(str), "doc_id": docs.astype(str), "relevance": grades}
    )


def _run(docs: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"query_id": "1", "doc_id": docs.astype(str), "score": -np.arange(len(docs), dtype=float)})
