"""Operators over base measures: one list on the best grades, M-IA, D-M, D#-M, DIN-M and P+Q."""

from __future__ import annotations

from collections.abc import Callable

from .lists import Document, Need, p_plus, q_measure
from .topic import Topic

Base = Callable[[Need, int | None], float]


def exponential(grade: int) -> int:
    return 2**grade - 1 if grade > 0 else 0


def linear(grade: int) -> int:
    return max(grade, 0)


def need_of_grades(topic: Topic, grades: dict[str, int], gain: Callable[[int], int] = exponential) -> Need:
    """Return the need with a grade for each judged document; ERR stops with (2^x − 1)/2^h."""

    def document(grade: int) -> Document:
        stop = exponential(grade) / 2**topic.max_grade
        return Document(float(gain(grade)), grade >= 1, stop, max(grade, 0))

    ranked = [document(grades.get(doc, 0)) for doc in topic.ranking]
    ideal = sorted((document(grade) for grade in grades.values()), key=lambda d: d.gain, reverse=True)
    return Need(ranked, ideal, sum(d.relevant for d in ideal))


def adhoc(base: Base, topic: Topic, cutoff: int | None, gain: Callable[[int], int] = exponential) -> float:
    """Return a base measure on the highest grade of each document over intents."""
    return base(need_of_grades(topic, {doc: topic.best_grade(doc) for doc in topic.documents}, gain), cutoff)


def of_intent(topic: Topic, intent: str, gain: Callable[[int], int] = exponential) -> Need:
    return need_of_grades(topic, topic.grades[intent], gain)


def intent_aware(base: Base, topic: Topic, cutoff: int | None, gain: Callable[[int], int] = exponential) -> float:
    """Return Σ_i Pr(i|q)·M_i."""
    weights = topic.probabilities(topic.intents())
    return sum(weight * base(of_intent(topic, intent, gain), cutoff) for intent, weight in weights.items())


def global_gain(topic: Topic, doc: str, weights: dict[str, float], gain: Callable[[int], int] = exponential) -> float:
    """Return GG = Σ_i Pr(i|q)·g_i."""
    return sum(weight * gain(topic.grade(intent, doc)) for intent, weight in weights.items())


def need_of_gains(ranked_gains: list[float], judged_gains: list[float]) -> Need:
    """Return the need of global gains: J is GG > 0, and ERR stops with GG/(h + 1), h the highest of the ideal."""
    highest = max(judged_gains, default=0.0)

    def document(gain: float) -> Document:
        return Document(gain, gain > 0, gain / (highest + 1))

    ideal = [document(gain) for gain in sorted(judged_gains, reverse=True)]
    return Need([document(gain) for gain in ranked_gains], ideal, sum(d.relevant for d in ideal))


def d_measure(base: Base, topic: Topic, cutoff: int | None, gain: Callable[[int], int] = exponential) -> float:
    """Return a base measure on gains that are averaged over intents."""
    weights = topic.probabilities(topic.intents())
    judged = [global_gain(topic, doc, weights, gain) for doc in topic.documents]
    ranked = [global_gain(topic, doc, weights, gain) for doc in topic.ranking]
    return base(need_of_gains(ranked, judged), cutoff)


def covers(topic: Topic, intent: str, cutoff: int | None) -> bool:
    docs = topic.ranking if cutoff is None else topic.ranking[:cutoff]
    return any(topic.grade(intent, doc) >= 1 for doc in docs)


def i_rec(topic: Topic, cutoff: int | None) -> float:
    intents = topic.intents()
    return sum(covers(topic, intent, cutoff) for intent in intents) / len(intents) if intents else 0.0


def d_sharp(base: Base, topic: Topic, cutoff: int | None, gamma: float = 0.5) -> float:
    """Return γ·I-rec + (1−γ)·D-M."""
    return gamma * i_rec(topic, cutoff) + (1 - gamma) * d_measure(base, topic, cutoff)


def din(base: Base, topic: Topic, cutoff: int | None) -> float:
    """Return D-M where a navigational intent adds gain only the first time it is seen; the ideal stays D's."""
    weights = topic.probabilities(topic.intents())
    judged = [global_gain(topic, doc, weights) for doc in topic.documents]
    seen: set[str] = set()
    ranked = []
    for doc in topic.ranking:
        new = {i: weight for i, weight in weights.items() if not (topic.is_navigational(i) and i in seen)}
        ranked.append(global_gain(topic, doc, new))
        seen |= {intent for intent in weights if topic.grade(intent, doc) >= 1}
    return base(need_of_gains(ranked, judged), cutoff)


def din_sharp(base: Base, topic: Topic, cutoff: int | None, gamma: float = 0.5) -> float:
    return gamma * i_rec(topic, cutoff) + (1 - gamma) * din(base, topic, cutoff)


def p_plus_q(topic: Topic, cutoff: int | None) -> float:
    """Return Σ_i Pr(i|q)·(Q of an informational intent, P+ of a navigational one)."""
    total = 0.0
    for intent, weight in topic.probabilities(topic.intents()).items():
        base = p_plus if topic.is_navigational(intent) else q_measure
        total += weight * base(of_intent(topic, intent), cutoff)
    return total


def p_plus_q_sharp(topic: Topic, cutoff: int | None, gamma: float = 0.5) -> float:
    return gamma * i_rec(topic, cutoff) + (1 - gamma) * p_plus_q(topic, cutoff)
