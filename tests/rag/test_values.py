"""Values of random judgments of nuggets, from records to measures, against the definitions written out with sets."""

from __future__ import annotations

import json
from itertools import permutations
from math import log2
from typing import NamedTuple

import numpy as np
import pytest

import irdiv
from irdiv.rag import read_contexts, read_nuggets

GRADES = {"not_support": 0, "partial_support": 1, "support": 2}
WEIGHTS = {"vital": 1.0, "okay": 0.5}
DOCS = [f"p{number}" for number in range(6)]


class Nugget(NamedTuple):
    id: str
    importance: str
    labels: dict[str, str]
    """By document; nothing for a nugget that was judged for no document."""


def random_nuggets(rng: np.random.Generator) -> list[Nugget]:
    importance = rng.choice(["vital", "okay", "failed"], size=rng.integers(0, 5), p=[0.4, 0.4, 0.2])
    nuggets = [
        Nugget(
            str(number),
            str(one),
            {doc: str(rng.choice(list(GRADES))) for doc in DOCS if rng.random() < rng.choice([0.0, 0.3, 0.6])},
        )
        for number, one in enumerate(importance)
    ]
    # where all nuggets with support have the weight 0, weighted measures are an error
    return [*nuggets, Nugget("sure", str(rng.choice(["vital", "okay"])), {str(rng.choice(DOCS)): "support"})]


def rows(topic: str, nuggets: list[Nugget]) -> list[dict[str, object]]:
    return [
        {"question_id": topic, "nugget_id": n.id, "importance": n.importance, "passage_id": doc, "label": label}
        for n in nuggets
        for doc, label in (n.labels or {None: None}).items()
    ]


def alpha_dcg(docs: tuple[str, ...], nuggets: list[Nugget], rel: int, weights: dict[str, float]) -> float:
    """Return Σ_r NG(r)/log2(r+1), where α is ½ and nuggets have weights."""
    seen = dict.fromkeys((n.id for n in nuggets), 0)
    total = 0.0
    for rank, doc in enumerate(docs, 1):
        for n in nuggets:
            if is_covered(n, [doc], rel):
                total += weights.get(n.importance, 0.0) * 0.5 ** seen[n.id] / log2(rank + 1)
                seen[n.id] += 1
    return total


def greedy(nuggets: list[Nugget], rel: int, k: int) -> tuple[str, ...]:
    chosen: tuple[str, ...] = ()
    for _ in range(min(k, len(DOCS))):
        # of equal ones that with the largest id
        gain = {doc: alpha_dcg((*chosen, doc), nuggets, rel, WEIGHTS) for doc in DOCS if doc not in chosen}
        chosen = (*chosen, max(gain, key=lambda doc: (round(gain[doc], 9), doc)))
    return chosen


def is_covered(nugget: Nugget, docs: list[str], rel: int) -> bool:
    return any(GRADES[nugget.labels.get(doc, "not_support")] >= rel for doc in docs)


def by_definition(nuggets: list[Nugget], docs: list[str], rel: int, k: int) -> dict[str, float]:
    first = docs[:k]
    covered = {n.id for n in nuggets if is_covered(n, first, rel)}
    vital = {n.id for n in nuggets if n.importance == "vital"}
    weight = {n.id: WEIGHTS.get(n.importance, 0.0) for n in nuggets}
    share = sum(weight[n] for n in covered) / sum(weight.values())
    equal = {"vital": 1.0, "okay": 1.0, "failed": 1.0}
    best = max(alpha_dcg(each, nuggets, rel, equal) for each in permutations(DOCS, min(k, len(DOCS))))
    weighted_best = alpha_dcg(greedy(nuggets, rel, k), nuggets, rel, WEIGHTS)
    return {
        f"Coverage(rel={rel})@{k}": len(covered) / len(nuggets),
        f"Coverage(weighted=True,rel={rel})@{k}": share,
        f"A-Recall(rel={rel})@{k}": share,
        f"All-covered(rel={rel})@{k}": float(len(covered) == len(nuggets)),
        f"Vital-coverage(rel={rel})@{k}": len(covered & vital) / len(vital) if vital else 0.0,
        f"MRecall(rel={rel})@{k}": float(len(covered) >= min(len(nuggets), k)),
        f"alpha-nDCG(weighted=True,rel={rel})@{k}": alpha_dcg(tuple(first), nuggets, rel, WEIGHTS) / weighted_best,
        f"alpha-nDCG(ideal='exact',rel={rel})@{k}": alpha_dcg(tuple(first), nuggets, rel, equal) / best,
    }


@pytest.mark.filterwarnings("ignore:.*importance labels? (is|are) unknown", "ignore:.*judgments? repeats? one")
@pytest.mark.filterwarnings("ignore:.*has no judged document")
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_random_judgments_by_the_definitions(tmp_path, seed, rel, k):
    rng = np.random.default_rng(seed)
    judged = {f"q{number}": random_nuggets(rng) for number in range(6)}
    # unjudged documents, and a question without documents
    run = {q: rng.permutation([*DOCS, "x1", "x2"])[: rng.integers(1, 9)].tolist() for q in judged}
    run["q5"] = []
    records = [row for topic, nuggets in judged.items() for row in rows(topic, nuggets)]
    repeated = [records[index] for index in rng.integers(0, len(records), 3) if records[index]["label"]]
    shuffled = [*records, *repeated]
    rng.shuffle(shuffled)
    (tmp_path / "judgments.jsonl").write_text("".join(json.dumps(row) + "\n" for row in shuffled))
    (tmp_path / "run.jsonl").write_text("".join(json.dumps({"qid": q, "docs": run[q]}) + "\n" for q in run))
    expected = {topic: by_definition(nuggets, run[topic], rel, k) for topic, nuggets in judged.items()}
    qrels = read_nuggets(tmp_path / "judgments.jsonl")
    made = irdiv.evaluate(qrels, read_contexts(tmp_path / "run.jsonl"), list(expected["q0"]))
    table = np.array([list(expected[topic].values()) for topic in made.query_ids]).T
    for index, spec in enumerate(made.specs()):
        np.testing.assert_allclose(made.values[0, index], table[index], rtol=0, atol=1e-12, err_msg=spec)
