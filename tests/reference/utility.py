"""Coverage of nuggets, the cube test and rank-biased utility."""

from __future__ import annotations

from .flat import covers, exponential
from .lists import over
from .topic import Topic

MAX_HEIGHT = 5.0


def coverage(topic: Topic, cutoff: int | None) -> float:
    declared = topic.declared()
    return over(sum(covers(topic, intent, cutoff) for intent in declared), len(declared))


def a_recall(topic: Topic, cutoff: int | None) -> float:
    """Return Σ_i Pr(i|q)·covered_i over all declared intents."""
    weights = topic.probabilities(topic.declared())
    return sum(weight for intent, weight in weights.items() if covers(topic, intent, cutoff))


def all_covered(topic: Topic, cutoff: int | None) -> float:
    declared = topic.declared()
    return float(bool(declared) and all(covers(topic, intent, cutoff) for intent in declared))


def vital_coverage(topic: Topic, cutoff: int | None) -> float:
    vital = [i for i in topic.declared() if topic.info.get(i, {}).get("importance") == "vital"]
    return over(sum(covers(topic, intent, cutoff) for intent in vital), len(vital))


def m_recall(topic: Topic, cutoff: int) -> float:
    """Return 1 if all n ≤ k declared intents are covered, or k of them where n > k."""
    declared = topic.declared()
    covered = sum(covers(topic, intent, cutoff) for intent in declared)
    return float(bool(declared) and covered >= min(len(declared), cutoff))


def heights(topic: Topic, docs: list[str], gamma: float) -> dict[str, float]:
    """Return how high the documents fill each intent: by min(γ^{n+1}·x, MH − height), n documents raised it before."""
    height = dict.fromkeys(topic.intents(), 0.0)
    raised = dict.fromkeys(height, 0)
    for doc in docs:
        for intent in height:
            grade = topic.grade(intent, doc)
            if grade >= 1:
                height[intent] += min(gamma ** (raised[intent] + 1) * grade, MAX_HEIGHT - height[intent])
                raised[intent] += 1
    return height


def cube_test(topic: Topic, cutoff: int | None, gamma: float = 0.5) -> float:
    height = heights(topic, topic.ranking if cutoff is None else topic.ranking[:cutoff], gamma)
    return over(sum(height.values()), len(height) * MAX_HEIGHT)


def average_cube_test(topic: Topic, cutoff: int | None) -> float:
    length = len(topic.ranking) if cutoff is None else min(cutoff, len(topic.ranking))
    return over(sum(cube_test(topic, k) for k in range(1, length + 1)), length)


def normalized_cube_test(topic: Topic, cutoff: int | None, gamma: float = 0.5) -> float:
    """Return CT over Σ_i p_i·min(MH, Σ_j γ^j·x_(j))/MH, of the six best grades."""
    best = 0.0
    intents = topic.intents()
    for intent in intents:
        grades = sorted((max(grade, 0) for grade in topic.grades[intent].values()), reverse=True)[:6]
        best += min(MAX_HEIGHT, sum(gamma**j * grade for j, grade in enumerate(grades))) / MAX_HEIGHT
    return over(cube_test(topic, cutoff, gamma), over(best, len(intents)))


def rbu(topic: Topic, cutoff: int | None, p: float = 0.8, e: float = 0.03) -> float:
    """Return what is found less the effort of reading; 0 for a topic without relevant documents."""
    if not topic.intents():
        return 0.0
    docs = topic.ranking if cutoff is None else topic.ranking[:cutoff]
    weights = topic.probabilities(topic.intents())
    total = 0.0
    for intent, weight in weights.items():
        highest = max(topic.grades[intent].values())
        going_on = 1.0
        for rank, doc in enumerate(docs, 1):
            satisfied = exponential(topic.grade(intent, doc)) / 2**highest
            total += weight * (1 - p) * p ** (rank - 1) * satisfied * going_on
            going_on *= 1 - satisfied
    return total - e * (1 - p) * sum(p ** (rank - 1) for rank in range(1, len(docs) + 1))
