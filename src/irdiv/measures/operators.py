"""Operators that make diversity measures of base measures: M-IA, D-M and D#-M, and M alone on ad hoc grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import Floats, Ints, Lists, ideal_lists, ordered_sum
from irdiv.measures.bases import BASES, Base, Values, gain_table
from irdiv.measures.declaration import Declaration, Parameter
from irdiv.measures.novelty import intent_recall
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL, RENORMALISE

if TYPE_CHECKING:
    from irdiv.arrays.block import Aspects, Block
    from irdiv.arrays.ranking import Scene


def declarations() -> Iterable[Declaration]:
    """Yield every base measure under every operator that makes sense for it."""
    for base in BASES:
        yield _intent_aware(base)
        if base.under_d is not None:
            yield _d_measure(base)
            yield _d_sharp(base)
        if base.alone:
            yield _alone(base)


def _merged(*groups: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    return tuple({parameter.name: parameter for group in groups for parameter in group}.values())


def _intent_aware(base: Base) -> Declaration:
    def score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        aspects = scene.aspects(values["rel"], values["intents"], values["renormalise"])
        per_intent = _graded_score(base, scene, values, cutoff, adhoc=False)
        return ordered_sum(aspects.weight * per_intent)

    return Declaration(
        name=f"{base.name}-IA",
        summary=f"Intent-aware {base.name}: the mean of {base.name} over intents, by probability.",
        formula=f"Σ_i Pr(i|q) · {base.name}_i, with {base.name} = {base.formula}",
        reference=f"Agrawal et al., WSDM 2009; {base.reference}",
        score=score,
        parameters=_merged(base.parameters, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=" ".join(filter(None, [_IA_OTHERS.get(base.name, ""), base.others])),
    )


_IA_OTHERS = {
    "ERR": "ndeval's ERR-IA, here ERR_IA, is binary and divides by the best any collection could give.",
    "nERR": "ndeval's nERR-IA, here nERR_IA, is binary and divides by the greedy ideal of all intents at once.",
    "AP": "ndeval's MAP-IA, here AP_IA, is the same with uniform probabilities.",
    "P": "ndeval's P-IA, here P_IA, is the same with uniform probabilities.",
}


def _alone(base: Base) -> Declaration:
    def score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        return _graded_score(base, scene, values, cutoff, adhoc=True)[:, 0]

    return Declaration(
        name=base.name,
        summary=base.summary,
        formula=f"{base.formula}; on qrels with intents, a document's grade is its highest over intents",
        reference=base.reference,
        score=score,
        parameters=_merged(base.parameters, (JUDGED_ONLY,)),
        takes_cutoff=base.takes_cutoff,
        needs_intents=False,
        others=base.others,
    )


def _graded_score(base: Base, scene: Scene, values: Values, cutoff: int | None, *, adhoc: bool) -> Floats:
    """Return scores ``[topic, intent]`` on the grades of each intent, or on the ad hoc grades as one intent."""
    block = scene.block
    values = {"rel": 1, "gain": "exp", **values, "h": _highest(values, block)}
    key = (base.name, adhoc, tuple(sorted((k, v) for k, v in values.items() if k != "renormalise")))

    def lists_of(grade: Ints, rank: Ints, last: int, length: Ints) -> Lists:
        gain = gain_table(values["gain"], block.collection.levels)[grade]
        return Lists(rank, gain, grade >= values["rel"], grade, last, length)

    def run_lists() -> Lists:
        grade = scene.grades.max(axis=1, keepdims=True) if adhoc else scene.grades
        return lists_of(grade, scene.rank[:, None, :], scene.last, scene.length[:, None])

    def best_lists() -> Lists:
        grade = np.moveaxis(block.grades[block.pool], 2, 1)
        grade = grade.max(axis=1, keepdims=True) if adhoc else grade
        pool = lists_of(grade, np.zeros(0, dtype=np.int64), 0, np.zeros(0, dtype=np.int64))
        return ideal_lists(pool.gain, pool.relevant, grade)

    shape = (adhoc, values["gain"], values["rel"])
    lists = scene.keep(("graded", *shape), run_lists)
    ideal = block.keep(("graded ideal", *shape), best_lists)
    return _with_base(base, scene, lists, ideal, values, cutoff, key)


def _highest(values: Mapping[str, Any], block: Block) -> int:
    """Return h, the highest grade of the scale."""
    given: int | None = values.get("max_grade")
    if given is not None and given < block.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {block.collection.max_grade}.")
    return block.collection.max_grade if given is None else given


def _with_base(
    base: Base, scene: Scene, lists: Lists, ideal: Lists, values: Values, cutoff: int | None, key: Any
) -> Floats:
    curve = scene.keep((*key, "curve"), lambda: base.curve(lists, ideal, values))
    return base.score(lists, ideal, values, cutoff, curve)


def _d_measure(base: Base) -> Declaration:
    assert base.under_d is not None
    return Declaration(
        name=f"D-{base.name}",
        summary=f"{base.name} on global gains: gains are averaged over intents, then the list is scored once.",
        formula=f"{base.name} on GG(r) = Σ_i Pr(i|q)·g_i(r), ideal = judged documents by GG, with "
        f"{base.name} = {base.formula}; J(r) = 1 iff GG(r) > 0, Pr(r) = GG/(h+1), h the ideal's highest gain",
        reference=f"Sakai and Song, SIGIR 2011; {base.reference}",
        score=lambda scene, values, cutoff: d_score(base, scene, values, cutoff),
        parameters=_merged((GAIN,), base.under_d, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=_D_OTHERS,
    )


def _d_sharp(base: Base) -> Declaration:
    assert base.under_d is not None

    def score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        gamma = values["gamma"]
        return gamma * intent_recall(scene, values, cutoff) + (1.0 - gamma) * d_score(base, scene, values, cutoff)

    return Declaration(
        name=f"D#-{base.name}",
        summary=f"D-{base.name} sharpened by intent recall.",
        formula=f"γ · I-rec + (1−γ) · D-{base.name}",
        reference=f"Sakai and Song, SIGIR 2011; {base.reference}",
        score=score,
        parameters=_merged((GAMMA, GAIN), base.under_d, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=_D_OTHERS,
        components=("I-rec", f"D-{base.name}"),
    )


_D_OTHERS = "NTCIREVAL has gain='linear' and takes probabilities as they are, renormalise=False."


def d_score(base: Base, scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """Return scores ``[topic]`` on global gains."""
    block = scene.block
    shape = ("global", values["gain"], values["rel"], values["intents"], values["renormalise"])
    aspects = scene.aspects(values["rel"], values["intents"], values["renormalise"])

    def run_lists() -> Lists:
        GG = _global_gain(scene.grades, aspects, values, block)
        return Lists(scene.rank, GG, GG > 0, None, scene.last, scene.length)

    def best_lists() -> Lists:
        GG = _global_gain(np.moveaxis(block.grades[block.pool], 2, 1), aspects, values, block)
        return ideal_lists(GG, GG > 0, None)

    lists = scene.keep(shape, run_lists)
    ideal = block.keep(shape, best_lists)
    own = tuple((p.name, values[p.name]) for p in base.under_d or ())
    return _with_base(base, scene, lists, ideal, values, cutoff, (base.name, shape, own))


def _global_gain(grade: Ints, aspects: Aspects, values: Values, block: Block) -> Floats:
    """GG(r) = Σ_i Pr(i|q) · g_i(r)."""
    g = gain_table(values["gain"], block.collection.levels)[grade]
    return ordered_sum(aspects.weight[:, :, None] * g, axis=1)
