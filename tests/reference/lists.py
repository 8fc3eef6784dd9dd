"""Base measures: one ranked list and one need."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, log, log2


@dataclass
class Document:
    """What a document at some rank is worth."""

    gain: float
    relevant: bool
    stop: float
    """The probability that the user is satisfied and stops."""
    grade: int = 0


@dataclass
class Need:
    """A ranked list, and the judged documents in their ideal order."""

    ranked: list[Document]
    ideal: list[Document]
    R: int


def first(documents: list[Document], cutoff: int | None) -> list[Document]:
    return documents if cutoff is None else documents[:cutoff]


def over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def dcg(documents: list[Document]) -> float:
    return sum(d.gain / log2(rank + 1) for rank, d in enumerate(documents, 1))


def dcg_jk(documents: list[Document], b: float) -> float:
    return sum(d.gain if rank < b else d.gain / log(rank, b) for rank, d in enumerate(documents, 1))


def ndcg(need: Need, cutoff: int | None) -> float:
    return over(dcg(first(need.ranked, cutoff)), dcg(first(need.ideal, cutoff)))


def ndcg_jk(need: Need, cutoff: int | None, b: float = 2) -> float:
    return over(dcg_jk(first(need.ranked, cutoff), b), dcg_jk(first(need.ideal, cutoff), b))


def blended_ratio(need: Need, rank: int, beta: float = 1) -> float:
    """Return (C(r) + β·cg(r)) / (r + β·cg*(r)), in which cg* stays flat past R."""
    count = sum(d.relevant for d in need.ranked[:rank])
    cg = sum(d.gain for d in need.ranked[:rank])
    ideal_cg = sum(d.gain for d in need.ideal[:rank])
    return (count + beta * cg) / (rank + beta * ideal_cg)


def q_measure(need: Need, cutoff: int | None) -> float:
    ratios = [blended_ratio(need, r) for r, d in enumerate(first(need.ranked, cutoff), 1) if d.relevant]
    return over(sum(ratios), need.R if cutoff is None else min(cutoff, need.R))


def p_plus(need: Need, cutoff: int | None) -> float:
    seen = first(need.ranked, cutoff)
    highest = max((d.gain for d in seen if d.relevant), default=None)
    if highest is None:
        return 0.0
    # Global gains that are equal differ by the rounding of their sums.
    preferred = next(rank for rank, d in enumerate(seen, 1) if d.relevant and isclose(d.gain, highest, rel_tol=1e-12))
    ratios = [blended_ratio(need, r) for r, d in enumerate(seen[:preferred], 1) if d.relevant]
    return sum(ratios) / len(ratios)


def stopped(documents: list[Document], need: Need, utility: str, p: float = 0.99) -> float:
    """Return Σ_r u(r)·Pr(r)·Π_{k<r}(1 − Pr(k)), u being 1/r, p^r or the blended ratio."""
    total, going_on = 0.0, 1.0
    for rank, document in enumerate(documents, 1):
        if utility == "reciprocal":
            worth = 1 / rank
        elif utility == "power":
            worth = p**rank
        else:
            worth = blended_ratio(Need(documents, need.ideal, need.R), rank)
        total += worth * document.stop * going_on
        going_on *= 1 - document.stop
    return total


def err(need: Need, cutoff: int | None) -> float:
    return stopped(first(need.ranked, cutoff), need, "reciprocal")


def nerr(need: Need, cutoff: int | None) -> float:
    return over(err(need, cutoff), stopped(first(need.ideal, cutoff), need, "reciprocal"))


def ebr(need: Need, cutoff: int | None) -> float:
    return stopped(first(need.ranked, cutoff), need, "ratio")


def nebr(need: Need, cutoff: int | None) -> float:
    return over(ebr(need, cutoff), stopped(first(need.ideal, cutoff), need, "ratio"))


def irbu(need: Need, cutoff: int | None) -> float:
    return stopped(first(need.ranked, cutoff), need, "power")


def nirbu(need: Need, cutoff: int | None) -> float:
    return over(irbu(need, cutoff), stopped(first(need.ideal, cutoff), need, "power"))


def _gap_sum(documents: list[Document], steps: str) -> float:
    total = 0.0
    for rank, document in enumerate(documents, 1):
        for earlier in documents[:rank]:
            m = min(document.grade, earlier.grade)
            total += (m * (m + 1) if steps == "growing" else m) / rank
    return total


def gap(need: Need, cutoff: int | None, steps: str = "growing") -> float:
    norm = sum(d.grade * (d.grade + 1) if steps == "growing" else d.grade for d in need.ideal)
    return over(_gap_sum(first(need.ranked, cutoff), steps), norm)


def gap_uniform(need: Need, cutoff: int | None) -> float:
    return gap(need, cutoff, "uniform")


def ngap(need: Need, cutoff: int | None) -> float:
    return over(_gap_sum(first(need.ranked, cutoff), "growing"), _gap_sum(first(need.ideal, cutoff), "growing"))


def ap(need: Need, cutoff: int | None) -> float:
    return over(_precisions(need, cutoff), need.R)


def ap_cutoff(need: Need, cutoff: int | None) -> float:
    return over(_precisions(need, cutoff), need.R if cutoff is None else min(cutoff, need.R))


def _precisions(need: Need, cutoff: int | None) -> float:
    seen = first(need.ranked, cutoff)
    return sum(sum(d.relevant for d in seen[:r]) / r for r, d in enumerate(seen, 1) if d.relevant)


def precision(need: Need, cutoff: int | None) -> float:
    return over(sum(d.relevant for d in first(need.ranked, cutoff)), len(need.ranked) if cutoff is None else cutoff)


def recall(need: Need, cutoff: int | None) -> float:
    return over(sum(d.relevant for d in first(need.ranked, cutoff)), need.R)


def rr(need: Need, cutoff: int | None) -> float:
    return next((1 / rank for rank, d in enumerate(first(need.ranked, cutoff), 1) if d.relevant), 0.0)


def hit(need: Need, cutoff: int | None) -> float:
    return float(any(d.relevant for d in first(need.ranked, cutoff)))


def rprec(need: Need, cutoff: int | None) -> float:
    return recall(need, need.R)


def rbp(need: Need, cutoff: int | None, p: float = 0.8) -> float:
    return (1 - p) * sum(p ** (r - 1) for r, d in enumerate(first(need.ranked, cutoff), 1) if d.relevant)


def rbp_graded(need: Need, cutoff: int | None, p: float = 0.8) -> float:
    highest = max((d.gain for d in need.ideal), default=0.0)
    gains = sum(p ** (r - 1) * d.gain for r, d in enumerate(first(need.ranked, cutoff), 1))
    return over((1 - p) * gains, highest)


def cg(need: Need, cutoff: int | None) -> float:
    return float(sum(d.gain for d in first(need.ranked, cutoff)))


def dcg_measure(need: Need, cutoff: int | None) -> float:
    return dcg(first(need.ranked, cutoff))
