"""Generate the demo collection: ``python -m irdiv.demo.make [FOLDER]`` writes the files that ship with the package.

Topics are ambiguous words with two levels of intents. Documents are relevant to one intent, some to a second one of the
same sense. Four systems rank them: by relevance to the likeliest intents, by coverage, for one intent only, and with
spam at the top.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

SEED = 20_260
RUN_LENGTH = 20

# topic: sense: (weight, intents); an intent whose name ends in ! is navigational
TOPICS: dict[str, dict[str, tuple[float, tuple[str, ...]]]] = {
    "jaguar": {
        "car": (0.55, ("models", "dealers", "homepage!")),
        "animal": (0.4, ("habitat", "pictures")),
        "guitar": (0.05, ("reviews",)),
    },
    "mercury": {
        "planet": (0.5, ("facts", "missions")),
        "element": (0.4, ("toxicity", "thermometers")),
        "singer": (0.1, ("songs",)),
    },
    "python": {"language": (0.7, ("tutorial", "download!", "libraries")), "snake": (0.3, ("species", "as a pet"))},
    "amazon": {
        "shop": (0.6, ("homepage!", "orders")),
        "river": (0.25, ("length", "wildlife")),
        "warriors": (0.15, ("myths",)),
    },
    "apple": {"company": (0.7, ("products", "support", "homepage!")), "fruit": (0.3, ("varieties", "recipes"))},
    "java": {
        "language": (0.55, ("download!", "tutorial")),
        "island": (0.3, ("travel", "history")),
        "coffee": (0.15, ("roasting",)),
    },
    "tiger": {"animal": (0.6, ("habitat", "endangered")), "golfer": (0.4, ("biography", "results"))},
    "eclipse": {
        "astronomy": (0.5, ("next dates", "how it works")),
        "software": (0.35, ("download!", "plugins")),
        "car": (0.15, ("models",)),
    },
    "delta": {
        "airline": (0.6, ("check-in!", "baggage")),
        "estuary": (0.25, ("formation",)),
        "letter": (0.15, ("mathematics",)),
    },
    "saturn": {"planet": (0.55, ("rings", "moons")), "car": (0.3, ("parts", "recalls")), "god": (0.15, ("myths",))},
    "orange": {
        "fruit": (0.45, ("nutrition", "juice")),
        "company": (0.4, ("homepage!", "tariffs")),
        "county": (0.15, ("travel",)),
    },
    "crane": {
        "machine": (0.5, ("hire", "types", "safety")),
        "bird": (0.4, ("species", "migration")),
        "origami": (0.1, ("folding",)),
    },
}


class Intent(NamedTuple):
    """A leaf of a topic's tree."""

    intent_id: str
    name: str
    sense: str
    probability: float
    type: str


class Document(NamedTuple):
    """A document with its grades by intent id."""

    doc_id: str
    grades: dict[str, int]


def intents_of(senses: dict[str, tuple[float, tuple[str, ...]]]) -> list[Intent]:
    """Return the leaves of a topic, with probabilities that decrease within each sense."""
    intents: list[Intent] = []
    for sense, (weight, names) in senses.items():
        proportions = np.arange(len(names), 0, -1) / np.arange(1, len(names) + 1).sum()
        for name, proportion in zip(names, proportions.tolist(), strict=True):
            intent_type = "nav" if name.endswith("!") else "inf"
            intent_id = str(len(intents) + 1)
            intents.append(Intent(intent_id, name.rstrip("!"), sense, round(weight * proportion, 4), intent_type))
    return intents


def documents_of(topic: str, intents: list[Intent], rng: np.random.Generator) -> list[Document]:
    """Return documents: more for likelier intents, few for navigational ones, and some irrelevant ones."""
    documents: list[Document] = []
    for intent in intents:
        count = 2 if intent.type == "nav" else 3 + round(8 * intent.probability)
        siblings = [other for other in intents if other.sense == intent.sense and other != intent]
        for index in range(1, count + 1):
            grades = {intent.intent_id: int(rng.choice([1, 2, 3], p=[0.45, 0.35, 0.2]))}
            if siblings and rng.random() < 0.2:
                grades[siblings[int(rng.integers(len(siblings)))].intent_id] = 1
            documents.append(Document(f"{topic}-{intent.sense}-{intent.name}-{index}".replace(" ", "_"), grades))
    documents += [Document(f"{topic}-misc-{index}", {str(1 + index % len(intents)): 0}) for index in range(1, 9)]
    return documents


def rankings_of(
    intents: list[Intent], documents: list[Document], rng: np.random.Generator
) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each of the four systems with its ranking of a topic."""
    weight = {intent.intent_id: intent.probability for intent in intents}

    def noisy(gain: float, spread: float) -> float:
        return float(np.log(gain + 0.02) + rng.gumbel(0, spread))

    relevance = {d.doc_id: noisy(sum(weight[i] * (2**g - 1) for i, g in d.grades.items()), 0.45) for d in documents}
    by_relevance = sorted(relevance, key=relevance.__getitem__, reverse=True)
    yield "relevance", by_relevance[:RUN_LENGTH]

    uncovered = dict.fromkeys(weight, 1.0)
    remaining, diverse = list(documents), list[str]()
    while remaining and len(diverse) < RUN_LENGTH:
        gains = [
            noisy(sum(uncovered[i] * weight[i] ** 0.2 * (2**g - 1) for i, g in d.grades.items()), 0.4)
            for d in remaining
        ]
        best = remaining.pop(int(np.argmax(gains)))
        diverse.append(best.doc_id)
        for intent, grade in best.grades.items():
            uncovered[intent] *= 0.3 if grade > 0 else 1.0
    yield "diversified", diverse

    likeliest = max(intents, key=lambda intent: intent.probability).intent_id
    single = {d.doc_id: noisy(2 ** d.grades.get(likeliest, 0) - 1, 0.8) for d in documents}
    yield "one-intent", sorted(single, key=single.__getitem__, reverse=True)[:RUN_LENGTH]

    spam = [f"spam-{int(index)}" for index in rng.choice(np.arange(1, 500), 5, replace=False)]
    mixed = by_relevance[:RUN_LENGTH]
    for position, doc in zip(sorted(rng.choice(10, 5, replace=False).tolist()), spam, strict=True):
        mixed.insert(position, doc)
    yield "spammy", mixed[:RUN_LENGTH]


def make(folder: Path) -> None:
    """Write the files of topics, qrels, intents and runs to a folder."""
    rng = np.random.default_rng(SEED)
    lines: dict[str, list[str]] = {"topics.tsv": ["query_id\tquery"], "qrels.txt": []}
    lines["intents.csv"] = ["query_id,intent_id,parent_id,probability,type,description"]
    for query, (topic, senses) in enumerate(TOPICS.items(), 1):
        intents = intents_of(senses)
        documents = documents_of(topic, intents, rng)
        lines["topics.tsv"].append(f"{query}\t{topic}")
        for sense, (weight, _) in senses.items():
            lines["intents.csv"].append(f"{query},{sense},,{weight},,{topic} the {sense}")
        for i in intents:
            text = f"{topic} the {i.sense}: {i.name}"
            lines["intents.csv"].append(f"{query},{i.intent_id},{i.sense},{i.probability},{i.type},{text}")
        for d in documents:
            lines["qrels.txt"] += [f"{query} {intent} {d.doc_id} {grade}" for intent, grade in sorted(d.grades.items())]
        for system, ranking in rankings_of(intents, documents, rng):
            run = lines.setdefault(f"{system}.run", [])
            run += [f"{query} Q0 {doc} {rank} {RUN_LENGTH - rank + 1} {system}" for rank, doc in enumerate(ranking, 1)]
    for name, content in lines.items():
        (folder / name).write_text("\n".join([*content, ""]), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
