"""Novelty: α-DCG and α-nDCG, NRBP, and ndeval's nine."""

from __future__ import annotations

from fractions import Fraction
from math import log2

from .flat import of_intent
from .lists import ap, over
from .topic import Topic

HALF = Fraction(1, 2)


def intent_weights(topic: Topic, weighted: bool) -> dict[str, Fraction]:
    """Return 1 for each intent that counts, or N·Pr(i|q); exact, as the greedy ideal depends on ties."""
    intents = topic.intents()
    given = {intent: topic.weight(intent) for intent in intents}
    if not weighted or any(weight is None for weight in given.values()):
        return dict.fromkeys(intents, Fraction(1))
    exact = {intent: Fraction(weight) for intent, weight in given.items()}
    return {intent: len(intents) * weight / sum(exact.values()) for intent, weight in exact.items()}


def novelty_gains(topic: Topic, docs: list[str], alpha: Fraction, weighted: bool = False) -> list[Fraction]:
    """Return NG(r) = Σ_i w_i·J_i(r)·(1−α)^{C_i(r−1)}."""
    weights = intent_weights(topic, weighted)
    seen = dict.fromkeys(weights, 0)
    gains = []
    for doc in docs:
        gains.append(_gain(topic, doc, weights, seen, alpha))
        _see(topic, doc, seen)
    return gains


def _gain(topic: Topic, doc: str, weights: dict[str, Fraction], seen: dict[str, int], alpha: Fraction) -> Fraction:
    relevant = [intent for intent in weights if topic.grade(intent, doc) >= 1]
    return sum((weights[intent] * (1 - alpha) ** seen[intent] for intent in relevant), Fraction(0))


def _see(topic: Topic, doc: str, seen: dict[str, int]) -> None:
    for intent in seen:
        seen[intent] += topic.grade(intent, doc) >= 1


def greedy_ideal(topic: Topic, alpha: Fraction, weighted: bool = False) -> list[str]:
    """Return the judged documents, each time the one with the largest gain, of equal ones that with the largest id."""
    weights = intent_weights(topic, weighted)
    seen = dict.fromkeys(weights, 0)
    chosen: list[str] = []
    left = topic.documents
    while left:
        best = max(left, key=lambda doc: (_gain(topic, doc, weights, seen, alpha), doc))
        _see(topic, best, seen)
        chosen.append(best)
        left = [doc for doc in left if doc != best]
    return chosen


def discounted(gains: list[Fraction], cutoff: int | None, discount: str) -> float:
    seen = gains if cutoff is None else gains[:cutoff]
    return sum(float(g) / (log2(r + 1) if discount == "log2" else r) for r, g in enumerate(seen, 1))


def alpha_dcg(
    topic: Topic, cutoff: int | None, alpha: Fraction = HALF, weighted: bool = False, discount: str = "log2"
) -> float:
    return discounted(novelty_gains(topic, topic.ranking, alpha, weighted), cutoff, discount)


def alpha_ndcg(
    topic: Topic, cutoff: int | None, alpha: Fraction = HALF, weighted: bool = False, discount: str = "log2"
) -> float:
    ideal = novelty_gains(topic, greedy_ideal(topic, alpha, weighted), alpha, weighted)
    return over(alpha_dcg(topic, cutoff, alpha, weighted, discount), discounted(ideal, cutoff, discount))


def _rank_biased(gains: list[Fraction], beta: float) -> float:
    return sum(beta ** (rank - 1) * float(gain) for rank, gain in enumerate(gains, 1))


def nrbp(topic: Topic, cutoff: int | None, weighted: bool = False, beta: float = 0.5) -> float:
    """Return (1 − (1−α)β)/N · Σ_r β^{r−1}·NG(r)."""
    gains = novelty_gains(topic, topic.ranking, HALF, weighted)
    return over((1 - float(1 - HALF) * beta) * _rank_biased(gains, beta), len(topic.intents()))


def nnrbp(topic: Topic, cutoff: int | None, weighted: bool = False, beta: float = 0.5) -> float:
    ranked = novelty_gains(topic, topic.ranking, HALF, weighted)
    ideal = novelty_gains(topic, greedy_ideal(topic, HALF, weighted), HALF, weighted)
    return over(_rank_biased(ranked, beta), _rank_biased(ideal, beta))


def _over_best_possible(topic: Topic, cutoff: int | None, discount: str) -> float:
    """Return the discounted gains over Σ_{r≤k} N(1−α)^{r−1} of the same discount."""
    depth = len(topic.ranking) if cutoff is None else cutoff
    best = [len(topic.intents()) * (1 - HALF) ** (rank - 1) for rank in range(1, depth + 1)]
    return over(alpha_dcg(topic, cutoff, discount=discount), discounted(best, cutoff, discount))


def ndeval_err_ia(topic: Topic, cutoff: int | None) -> float:
    return _over_best_possible(topic, cutoff, "rank")


def ndeval_nerr_ia(topic: Topic, cutoff: int | None) -> float:
    return alpha_ndcg(topic, cutoff, discount="rank")


def ndeval_alpha_dcg(topic: Topic, cutoff: int | None) -> float:
    return _over_best_possible(topic, cutoff, "log2")


def ndeval_ap_ia(topic: Topic, cutoff: int | None) -> float:
    intents = topic.intents()
    return over(sum(ap(of_intent(topic, intent), None) for intent in intents), len(intents))


def ndeval_p_ia(topic: Topic, cutoff: int) -> float:
    intents = topic.intents()
    found = sum(topic.grade(intent, doc) >= 1 for doc in topic.ranking[:cutoff] for intent in intents)
    return over(found, cutoff * len(intents))
