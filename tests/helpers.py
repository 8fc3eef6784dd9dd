"""Collections, runs and evaluations that several test modules use."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import irdiv
from irdiv.evaluation.results import Evaluation

REAL_DATA = Path(os.environ.get("IRDIV_REAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
"""The browser in which pages are opened; the one without windows takes two thirds of the time."""

TREC_WEB = {
    "2009": ("qrels.diversity", "qrels.all.gz", "wt09.topics.full.xml"),
    "2010": ("10.diversity-qrels.final.txt", "qrels.all", "wt2010-topics.xml"),
    "2011": ("qrels.diversity.txt", "qrels.all", "full-topics.xml"),
    "2012": ("qrels.diversity.txt", "qrels.all", "full-topics.xml"),
}
"""The files of each year: the qrels, their name in the cache of ir_datasets, and the topics."""

NUGGET_JUDGMENTS = [
    ("q1", "n1", "vital", "p1", "support"),
    ("q1", "n1", "vital", "p4", "partial_support"),
    ("q1", "n2", "vital", "p2", "support"),
    ("q1", "n3", "okay", "p3", "support"),
    ("q1", "n4", "vital", "p9", "not_support"),
    ("q2", "n1", "vital", "p1", "support"),
    ("q2", "n2", "okay", "p2", "support"),
    ("q2", "n3", "okay", "p7", "not_support"),
]
"""Question, nugget, importance, passage and label."""

TOPIC_85 = {"a": "24", "b": "2", "c": "2", "e": "16", "f": "1", "g": "3", "h": "1"}


def by_intents(answers: dict[str, str], grade: int = 1) -> pd.DataFrame:
    rows = [("85", i, doc, grade) for doc, intents in answers.items() for i in intents]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])


def ranked(documents: str | list[str], query_id: str = "85") -> dict[str, dict[str, float]]:
    return {query_id: {doc: -float(rank) for rank, doc in enumerate(documents)}}


def value(qrels, run, spec: str, **parameters) -> float:
    evaluation = irdiv.evaluate(qrels, run, spec, **parameters)
    return float(evaluation.values[0, 0, 0])


def random_collection(seed: int, topics: int = 6, weighted: bool = True) -> pd.DataFrame:
    return _random_collection(seed, topics, weighted).copy()


@cache
def _random_collection(seed: int, topics: int, weighted: bool) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(1, topics + 1):
        for intent in range(1, rng.integers(2, 6)):
            for doc in rng.choice(25, size=rng.integers(1, 12), replace=False):
                rows.append((str(topic), f"d{doc:02}", int(rng.integers(-1, 4)), str(intent)))
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "intent_id"])
    # every topic has a relevant document
    sure = [(str(topic), "d00", 1, "9") for topic in range(1, topics + 1)]
    frame = pd.concat([frame, pd.DataFrame(sure, columns=frame.columns)], ignore_index=True)
    if not weighted:
        return frame
    intents = frame[["query_id", "intent_id"]].drop_duplicates()
    # 1 and 2 are below m, which is with 3 below n; others are in the first layer
    parents = intents["intent_id"].map({"1": "m", "2": "m", "3": "n"}).astype(object)
    inner = [
        (query, node, parent) for query in intents["query_id"].unique() for node, parent in (("m", "n"), ("n", None))
    ]
    nodes = pd.concat([intents.assign(parent_id=parents), pd.DataFrame(inner, columns=[*intents.columns, "parent_id"])])
    nodes = nodes.assign(probability=rng.integers(1, 9, len(nodes)) / 8)
    return irdiv.with_intents(frame, nodes.assign(importance=rng.choice(["vital", "okay"], len(nodes))))


def random_run(seed: int, topics: int = 6, length: int = 30) -> pd.DataFrame:
    rng = np.random.default_rng(seed + 1000)
    rows = [
        (str(topic), f"d{doc:02}", float(rng.integers(0, 12)))
        for topic in range(1, topics + 1)
        for doc in rng.permutation(35)[: rng.integers(1, length)]
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def values(qrels, run, measures, **parameters) -> np.ndarray:
    return irdiv.evaluate(qrels, run, measures, **parameters).values[0]


def evaluation_of(values: np.ndarray, measures=("D#-nDCG@10",)) -> Evaluation:
    """Return an evaluation with values [run, measure, topic]."""
    runs = tuple(f"r{run}" for run in range(len(values)))
    topics = np.array([str(topic) for topic in range(values.shape[2])], dtype=object)
    return Evaluation(runs, topics, tuple(map(irdiv.parse, measures)), values)


def random_evaluation(seed=0, runs=6, topics=30, measures=("I-rec@10", "D-nDCG@10", "D#-nDCG@10")) -> Evaluation:
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 0.1, (runs, len(measures), 1))
    return evaluation_of(np.clip(quality + rng.normal(0.5, 0.2, (runs, len(measures), topics)), 0, 1), measures)


def data_of_page(page: str) -> dict[str, Any]:
    """Return the data of a report."""
    (block,) = re.findall(r'<script type="text/plain" id="data">([^<]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(block)))
