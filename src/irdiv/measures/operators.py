"""Operators that make diversity measures of base measures: M-IA, D-M and D#-M, and M alone on ad hoc grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import Floats, Ints, Lists, at, ideal_lists, ordered_sum, ratio
from irdiv.measures.bases import BASES, Base, Values, gain_table
from irdiv.measures.declaration import Declaration, Parameter
from irdiv.measures.novelty import intent_recall
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL, RENORMALISE

if TYPE_CHECKING:
    from irdiv.arrays.block import Block
    from irdiv.arrays.ranking import Scene


Score: TypeAlias = "Callable[[Scene, Values, int | None], Floats]"


def declarations() -> Iterable[Declaration]:
    """Yield every base measure under every operator that makes sense for it."""
    for base in BASES:
        yield _intent_aware(base)
        if base.under_d is not None:
            yield _d_measure(base)
            yield _d_sharp(base)
        if base.alone:
            yield alone(base)


def merged(*groups: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return parameters of several groups, each name once."""
    return tuple({parameter.name: parameter for group in groups for parameter in group}.values())


def _intent_aware(base: Base) -> Declaration:
    def score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        weight = scene.block.weight(values["rel"], values["intents"], values["renormalise"])
        return ordered_sum(weight * graded_score(base, scene, values, cutoff, adhoc=False))

    return Declaration(
        family="M-IA: every intent scored on its own, then the mean of the scores",
        name=f"{base.name}-IA",
        summary=f"{base.summary[:-1]}, averaged over intents by probability.",
        formula=f"Σ_i Pr(i|q) · {base.name}_i, with {base.name}_i = {base.formula}, on the grades for intent i",
        references=("Agrawal et al., WSDM 2009", *base.references),
        score=score,
        parameters=merged(base.parameters, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=" ".join(filter(None, [_IA_OTHERS.get(base.name, ""), base.others])),
    )


_IA_OTHERS = {
    "ERR": "ndeval's ERR-IA, here ERR_IA, is binary and divides by the best any collection could give.",
    "nERR": "ndeval's nERR-IA, here nERR_IA, is binary and divides by the greedy ideal of all intents at once.",
    "AP": "ndeval's MAP-IA, here AP_IA, is the same with uniform probabilities.",
    "P": "ndeval's P-IA, here P_IA, is the same with uniform probabilities.",
}


def alone(base: Base) -> Declaration:
    """Return a base measure on the highest grade of each document over intents."""

    def score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        return graded_score(base, scene, values, cutoff, adhoc=True)[:, 0]

    return Declaration(
        family="ad hoc: on the highest grade of a document over intents",
        name=base.name,
        summary=base.summary,
        formula=base.formula,
        references=base.references,
        score=score,
        parameters=merged(base.parameters, (JUDGED_ONLY,)),
        takes_cutoff=base.takes_cutoff,
        needs_intents=False,
        others=base.others,
    )


def graded_score(base: Base, scene: Scene, values: Values, cutoff: int | None, *, adhoc: bool) -> Floats:
    """Return scores ``[topic, intent]`` on the grades of each intent, or on the ad hoc grades as one intent."""
    block = scene.block
    rel, gain = values.get("rel", 1), _gain_that_counts(base, values)
    values = {**values, "H": _highest(values, block)}
    own = tuple((p.name, values[p.name]) for p in base.parameters)
    shape = ("graded", adhoc, gain, rel)

    def of_intents(grade: Ints) -> Ints:
        return grade.max(axis=1, keepdims=True) if adhoc else grade

    def gains(grade: Ints) -> Floats:
        return gain_table(gain, block.collection.levels)[grade]

    def run_lists() -> Lists:
        grade = of_intents(scene.grades)
        return Lists(scene.rank[:, None, :], gains(grade), grade >= rel, grade, scene.last, scene.length[:, None])

    def best_lists() -> Lists:
        grade = of_intents(pool_grades(block))
        return ideal_lists(gains(grade), grade >= rel, grade)

    lists, ideal = scene.keep(shape, run_lists), block.keep(shape, best_lists)
    return _with_base(base, scene, lists, ideal, values, cutoff, (base.name, shape, own))


def _gain_that_counts(base: Base, values: Values) -> Any:
    """Return the gain of the parameters, or any other where the measure looks at none."""
    return next((values["gain"] for p in base.parameters if p.name == "gain" and p.counts(values)), "linear")


def _highest(values: Mapping[str, Any], block: Block) -> int:
    """Return H, the highest grade of the scale."""
    given: int | None = values.get("max_grade")
    if given is not None and given < block.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {block.collection.max_grade}.")
    return block.collection.max_grade if given is None else given


def _with_base(
    base: Base, scene: Scene, lists: Lists, ideal: Lists, values: Values, cutoff: int | None, key: Any
) -> Floats:
    curve = scene.keep((*key, "curve"), lambda: base.curve(lists, ideal, values))
    keeper = scene if base.norm_needs_list else scene.block
    norm = keeper.keep((*key, "norm", cutoff), lambda: base.norm(lists, ideal, values, cutoff))
    return ratio(at(curve, lists.rank, cutoff), norm)


def _d_measure(base: Base) -> Declaration:
    assert base.under_d is not None
    return Declaration(
        family="D-M: gains averaged over intents, then the list scored once",
        name=f"D-{base.name}",
        summary=f"{base.summary[:-1]}, on gains averaged over intents.",
        formula=d_formula(base),
        references=d_references(base),
        score=lambda scene, values, cutoff: d_score(base, scene, values, cutoff),
        parameters=merged((GAIN,), base.under_d, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=D_OTHERS,
    )


def d_formula(base: Base) -> str:
    """Return the formula of a base measure on global gains."""
    formula = base.formula_of_gains or base.formula
    return f"{formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r); J(r) = 1 iff GG(r) > 0; ideal = judged documents by GG"


def d_references(base: Base) -> tuple[str, ...]:
    """Return the references of a base measure on global gains."""
    return tuple(dict.fromkeys(["Sakai and Song, SIGIR 2011", *base.references]))


def sharpened(score: Score) -> Score:
    """γ · I-rec + (1−γ) · M."""

    def sharp(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        gamma = values["gamma"]
        return gamma * intent_recall(scene, values, cutoff) + (1.0 - gamma) * score(scene, values, cutoff)

    return sharp


def _d_sharp(base: Base) -> Declaration:
    assert base.under_d is not None
    return Declaration(
        family="D#-M: D-M sharpened by the share of intents covered",
        name=f"D#-{base.name}",
        summary=f"D-{base.name} sharpened by intent recall.",
        formula=f"γ · I-rec + (1−γ) · D-{base.name}, with I-rec = intents covered in the first l / intents and "
        f"D-{base.name} = {d_formula(base)}",
        references=d_references(base),
        score=sharpened(lambda scene, values, cutoff: d_score(base, scene, values, cutoff)),
        parameters=merged((GAMMA, GAIN), base.under_d, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=D_OTHERS,
        components=("I-rec", f"D-{base.name}"),
    )


D_OTHERS = "NTCIREVAL has gain='linear' and takes probabilities as they are, renormalise=False."


def d_score(base: Base, scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """Return scores ``[topic]`` on global gains."""
    block = scene.block
    shape = ("global", values["gain"], values["rel"], values["intents"], values["renormalise"])

    def gains(grade: Ints) -> Floats:
        weight = block.weight(values["rel"], values["intents"], values["renormalise"])
        return global_gain(grade, weight, values, block)

    return gain_score(
        base, scene, values, cutoff, shape, lambda: gains(scene.grades), lambda: gains(pool_grades(block))
    )


def gain_score(
    base: Base,
    scene: Scene,
    values: Values,
    cutoff: int | None,
    shape: tuple[Any, ...],
    of_run: Callable[[], Floats],
    of_pool: Callable[[], Floats],
) -> Floats:
    """Return scores ``[topic]`` on the gains of the run's hits and of the pool, kept under a key ``shape``."""

    def run_lists() -> Lists:
        GG = of_run()
        return Lists(scene.rank, GG, GG > 0, None, scene.last, scene.length)

    def best_lists() -> Lists:
        GG = of_pool()
        return ideal_lists(GG, GG > 0, None)

    lists, ideal = scene.keep(shape, run_lists), scene.block.keep(shape, best_lists)
    own = tuple((p.name, values[p.name]) for p in base.under_d or ())
    return _with_base(base, scene, lists, ideal, values, cutoff, (base.name, shape, own))


def pool_grades(block: Block) -> Ints:
    """Return the grades of the relevant documents as ``[topic, intent, document]``."""
    return np.moveaxis(block.grades[block.pool], 2, 1)


def global_gain(grade: Ints, weight: Floats, values: Values, block: Block) -> Floats:
    """GG(r) = Σ_i Pr(i|q) · g_i(r)."""
    g = gain_table(values["gain"], block.collection.levels)[grade]
    return ordered_sum(weight[:, :, None] * g, axis=1)
