"""Operators that make diversity measures of base measures: M-IA, D-M and D#-M, and M alone on ad hoc grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import HitLists, ideal_hit_lists, ordered_sum, safe_divide, value_at_cutoff
from irdiv.measures.base import BaseMeasure, GainLike, gain_table
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Declaration, Parameter
from irdiv.measures.novelty import intent_recall
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL, RENORMALIZE
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.arrays.blocks import JudgedBlock
    from irdiv.arrays.ranking import RankedBlock


def declarations() -> Iterable[Declaration]:
    """Yield every base measure under every operator that makes sense for it."""
    for base in BASES:
        yield from declare_base(base)


def declare_base(base: BaseMeasure) -> Iterable[Declaration]:
    """Yield the declarations of a base measure with each flat operator, and alone if the name is irdiv's."""
    yield _intent_aware(base)
    if not base.needs_grades:
        plain = d_measure(base)
        yield plain
        if base.bounded:
            yield sharpen(plain, f"D#-{base.name}", "D#-M: D-M sharpened by the share of intents covered")
    if base.standalone:
        yield declare_adhoc(base)


def merge_parameters(*groups: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return parameters of several groups, each name once."""
    return tuple({parameter.name: parameter for group in groups for parameter in group}.values())


def _intent_aware(base: BaseMeasure) -> Declaration:
    def score_by_intent(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        return graded_score(base, ranked, params, cutoff, adhoc=False)

    def score(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        return ordered_sum(intent_weights_for(ranked.block, params) * score_by_intent(ranked, params, cutoff))

    return Declaration(
        family="M-IA: every intent scored on its own, then the mean of the scores",
        name=f"{base.name}-IA",
        summary=f"{base.summary[:-1]}, averaged over intents by probability.",
        formula=f"Σ_i Pr(i|q) · {base.name}_i, with {base.name}_i = {base.formula}, on the grades for intent i",
        references=("Agrawal et al., WSDM 2009", *base.references),
        score=score,
        parameters=merge_parameters(base.parameters, (REL, INTENTS, RENORMALIZE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        bounded=base.bounded,
        other_programs=" ".join(filter(None, [_OTHER_IA_PROGRAMS.get(base.name, ""), base.other_programs])),
        namesake=_NAMESAKES.get(base.name, ""),
        score_by_intent=score_by_intent,
    )


_OTHER_IA_PROGRAMS = {
    "ERR": "ndeval's ERR-IA, here ERR_IA, is binary and divides by the best any collection could give.",
    "nERR": "ndeval's nERR-IA, here nERR_IA, is binary and divides by the greedy ideal of all intents at once.",
    "AP": "ndeval's MAP-IA, here AP_IA, is the same with uniform probabilities.",
    "P": "ndeval's P-IA, here P_IA, is the same with uniform probabilities.",
}
_NAMESAKES = {
    name: f"{name}-IA is graded and weighs intents by Pr(i|q); ndeval's binary {name}-IA is called {name}_IA here."
    for name in ("ERR", "nERR")
}


def adhoc_extensions() -> Iterable[Declaration]:
    """Yield the base measures alone whose names are ir_measures'; it lacks some of their parameters."""
    for base in BASES:
        if not base.standalone:
            yield declare_adhoc(base)


def declare_adhoc(base: BaseMeasure) -> Declaration:
    """Return a base measure on the highest grade of each document over intents."""
    parameters = tuple(replace(p, default=base.adhoc_defaults.get(p.name, p.default)) for p in base.parameters)

    def score(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        return graded_score(base, ranked, params, cutoff, adhoc=True)[:, 0]

    return Declaration(
        family="ad hoc: on the highest grade of a document over intents",
        name=base.name,
        summary=base.summary,
        formula=base.formula,
        references=base.references,
        score=score,
        parameters=merge_parameters(parameters, (JUDGED_ONLY,)),
        takes_cutoff=base.takes_cutoff,
        bounded=base.bounded,
        needs_intents=False,
        owner="irdiv" if base.standalone else "ir_measures",
        other_programs=base.other_programs,
    )


class HitListSource(NamedTuple):
    """How hit lists are made: a function and its arguments for those of a run, and another for the ideal lists."""

    run: tuple[Any, ...]
    """A function of a `RankedBlock`, then its other arguments."""
    ideal: tuple[Any, ...]
    """A function of a `JudgedBlock`, then its other arguments."""


def base_score(
    base: BaseMeasure, ranked: RankedBlock, source: HitListSource, params: ParameterValues, cutoff: int | None
) -> Floats:
    """Return the scores of hit lists by a base measure; ``params`` are those of the measure's own parameters."""
    lists: HitLists = ranked.cached(*source.run)
    curve = ranked.cached(_base_curve, base, source, params)
    value = value_at_cutoff(curve, lists.rank, cutoff)
    if base.list_norm is not None:
        return safe_divide(value, base.list_norm(lists, cutoff))
    return safe_divide(value, ranked.block.cached(_base_norm, base, source.ideal, params, cutoff))


def _base_curve(ranked: RankedBlock, base: BaseMeasure, source: HitListSource, params: ParameterValues) -> Floats:
    return base.curve(ranked.cached(*source.run), ranked.block.cached(*source.ideal), params)


def _base_norm(
    block: JudgedBlock, base: BaseMeasure, ideal: tuple[Any, ...], params: ParameterValues, cutoff: int | None
) -> Floats | Ints | int:
    return base.norm(block.cached(*ideal), params, cutoff)


def graded_score(
    base: BaseMeasure, ranked: RankedBlock, params: ParameterValues, cutoff: int | None, *, adhoc: bool
) -> Floats:
    """Return scores ``[topic, intent]`` on the grades of each intent, or on the ad hoc grades as one intent."""
    on = (adhoc, _gain_that_counts(base, params), params.get("rel", 1))
    source = HitListSource((_graded_lists, *on), (_ideal_graded_lists, *on))
    own = params.only(*(p.name for p in base.parameters)).replace(H=_max_grade(params, ranked.block))
    return base_score(base, ranked, source, own, cutoff)


def _graded_lists(ranked: RankedBlock, adhoc: bool, gain: GainLike, rel: int) -> HitLists:
    grade = _of_any_intent(ranked.grades) if adhoc else ranked.grades
    gains = gain_table(gain, ranked.block.collection.positive_grades)[grade]
    return HitLists(ranked.rank[:, None, :], gains, grade >= rel, grade, ranked.max_rank, ranked.length[:, None])


def _ideal_graded_lists(block: JudgedBlock, adhoc: bool, gain: GainLike, rel: int) -> HitLists:
    grade = _of_any_intent(relevant_grades(block)) if adhoc else relevant_grades(block)
    return ideal_hit_lists(gain_table(gain, block.collection.positive_grades)[grade], grade >= rel, grade)


def _of_any_intent(grade: Ints) -> Ints:
    """Return the highest grade over intents, as that of one intent."""
    return grade.max(axis=1, keepdims=True)


def _gain_that_counts(base: BaseMeasure, params: ParameterValues) -> GainLike:
    """Return the gain of the parameters, or an arbitrary one where the measure does not use gains."""
    return next((params["gain"] for p in base.parameters if p.name == "gain" and p.has_effect(params)), "linear")


def _max_grade(params: ParameterValues, block: JudgedBlock) -> int:
    """Return H, the highest grade of the scale."""
    given: int | None = params.get("max_grade")
    if given is not None and given < block.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {block.collection.max_grade}.")
    return block.collection.max_grade if given is None else given


def d_measure(base: BaseMeasure) -> Declaration:
    """Return the declaration of a base measure on global gains."""
    assert base.parameters_on_gains is not None
    return Declaration(
        family="D-M: gains averaged over intents, then the list scored once",
        name=f"D-{base.name}",
        summary=f"{base.summary[:-1]}, on gains averaged over intents.",
        formula=d_formula(base),
        references=d_references(base),
        score=lambda ranked, params, cutoff: d_score(base, ranked, params, cutoff),
        parameters=merge_parameters((GAIN,), base.parameters_on_gains, (REL, INTENTS, RENORMALIZE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        bounded=base.bounded,
        other_programs=OTHER_D_PROGRAMS,
    )


def d_formula(base: BaseMeasure) -> str:
    """Return the formula of a base measure on global gains."""
    formula = base.formula_on_gains or base.formula
    return f"{formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r); J(r) = 1 iff GG(r) > 0; ideal = judged documents by GG"


def d_references(base: BaseMeasure) -> tuple[str, ...]:
    """Return the references of a base measure on global gains."""
    return tuple(dict.fromkeys(["Sakai and Song, SIGIR 2011", *base.references]))


def sharpen(plain: Declaration, name: str, family: str) -> Declaration:
    """Return the declaration of γ · I-rec + (1−γ) · M for that of M."""

    def sharp(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        gamma = params["gamma"]
        return gamma * intent_recall(ranked, params, cutoff) + (1.0 - gamma) * plain.score(ranked, params, cutoff)

    return replace(
        plain,
        family=family,
        name=name,
        summary=f"{plain.name} sharpened by intent recall.",
        formula=f"γ · I-rec + (1−γ) · {plain.name}, with I-rec = intents covered in the first l / intents and "
        f"{plain.name} = {plain.formula}",
        score=sharp,
        parameters=(GAMMA, *plain.parameters),
        components=("I-rec", plain.name),
    )


_GAINS_AT_ONCE = 4_000_000
"""How many gains of documents for intents are held at once; it bounds memory and changes no value."""
OTHER_D_PROGRAMS = "NTCIREVAL has gain='linear' and takes probabilities as they are, renormalize=False."


def d_score(base: BaseMeasure, ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return scores ``[topic]`` on global gains."""
    on = params.only("gain", "rel", "intents", "renormalize")
    return gain_score(base, ranked, params, cutoff, (_run_gain, on), (relevant_gain, on))


def _run_gain(ranked: RankedBlock, params: ParameterValues) -> Floats:
    return ranked.block.cached(gain_by_row, params)[ranked.rows]


def relevant_gain(block: JudgedBlock, params: ParameterValues) -> Floats:
    """Return the global gains of the relevant documents, ``[topic, document]``."""
    return block.cached(gain_by_row, params)[block.relevant_rows]


def gain_by_row(block: JudgedBlock, params: ParameterValues) -> Floats:
    """GG = Σ_i Pr(i|q) · g_i of each row of the block's grades; that of padding is 0."""
    weight, grades = intent_weights_for(block, params), block.grades[:-1]
    gain = gain_table(params["gain"], block.collection.positive_grades)
    topic = np.repeat(np.arange(len(weight)), block.relevant_per_topic)
    # Some documents at a time, as a topic may be much larger than blocks are made for.
    step = max(_GAINS_AT_ONCE // weight.shape[1], 1)
    parts = (slice(start, start + step) for start in range(0, len(topic), step))
    return np.concatenate([*(ordered_sum(weight[topic[part]] * gain[grades[part]]) for part in parts), [0.0]])


def intent_weights_for(block: JudgedBlock, params: ParameterValues) -> Floats:
    """Return the intent probabilities Pr(i|q) for the given parameters, ``[topic, intent]``."""
    return block.intent_weights(params["rel"], params["intents"], params["renormalize"])


def gain_score(
    base: BaseMeasure,
    ranked: RankedBlock,
    params: ParameterValues,
    cutoff: int | None,
    run_gain: tuple[Callable[[RankedBlock, ParameterValues], Floats], ParameterValues],
    ideal_gain: tuple[Callable[[JudgedBlock, ParameterValues], Floats], ParameterValues],
) -> Floats:
    """Return scores ``[topic]`` on gains; ``run_gain`` and ``ideal_gain`` are a function and its parameters each."""
    source = HitListSource((_gain_lists, *run_gain), (_ideal_gain_lists, *ideal_gain))
    own = params.only(*(p.name for p in base.parameters_on_gains or ()))
    return base_score(base, ranked, source, own, cutoff)


def _gain_lists(
    ranked: RankedBlock, run_gain: Callable[[RankedBlock, ParameterValues], Floats], params: ParameterValues
) -> HitLists:
    GG = run_gain(ranked, params)
    return HitLists(ranked.rank, GG, GG > 0, None, ranked.max_rank, ranked.length)


def _ideal_gain_lists(
    block: JudgedBlock, ideal_gain: Callable[[JudgedBlock, ParameterValues], Floats], params: ParameterValues
) -> HitLists:
    GG = ideal_gain(block, params)
    return ideal_hit_lists(GG, GG > 0, None)


def relevant_grades(block: JudgedBlock) -> Ints:
    """Return the grades of the relevant documents as ``[topic, intent, document]``."""
    return np.moveaxis(block.grades[block.relevant_rows], 2, 1)
