"""A made-up collection and runs of the size of a TREC Web track."""

from __future__ import annotations

import numpy as np
import pandas as pd

TOPICS, DEPTH = 50, 1000
POOL, INTENTS = 320, 4


def qrels(seed: int = 0) -> pd.DataFrame:
    """Return about 60,000 judgments, a fifth of them relevant, with ir_measures' names."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(151, 151 + TOPICS), POOL * INTENTS)
    intent = np.tile(np.arange(1, INTENTS + 1), TOPICS * POOL)
    doc = np.tile(np.repeat(np.arange(POOL), INTENTS), TOPICS)
    relevance = rng.choice([0, 1, 2, 3], size=len(topic), p=[0.8, 0.12, 0.06, 0.02])
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


def hierarchy(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return a tree of three layers for each topic: {{{1, 2}, 3}, 4}."""
    parents = {"1": "m", "2": "m", "m": "n", "3": "n", "n": None, "4": None}
    rows = [(query, *node) for query in judgments["query_id"].unique() for node in parents.items()]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id"])


def doc_ids(topic: np.ndarray, doc: np.ndarray) -> list[str]:
    """Return ids of the length of those of ClueWeb."""
    return [f"clueweb09-en{t:04}-{d % 89:02}-{d:05}" for t, d in zip(topic.tolist(), doc.tolist(), strict=True)]
