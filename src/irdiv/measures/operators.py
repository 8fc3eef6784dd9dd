"""Operators that make diversity measures of base measures: M-IA, D-M and D#-M, and M alone on ad hoc grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import HitLists, ideal_hit_lists, ordered_sum, safe_divide, value_at_cutoff
from irdiv.measures.base import BaseMeasure, GainLike, gain_table
from irdiv.measures.declaration import Declaration, Score
from irdiv.measures.novelty import intent_recall, intent_weights_for
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL, RENORMALIZE, Parameter, ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

T = TypeVar("T")
GainOf: TypeAlias = Callable[[T, ParameterValues], Floats]
"""From a block, or its judged topics, and values of parameters to the global gains of the documents."""


class Recall(NamedTuple):
    """A share of intents or nodes covered, by which a measure is sharpened."""

    measure: str
    """The name of the share as a measure of its own, as I-rec."""
    words: str
    formula: str
    score: Score


INTENT_RECALL = Recall("I-rec", "intent recall", "intents covered in the first l / intents", intent_recall)


class OperatorDeclaration(NamedTuple):
    """What makes a diversity measure of a base measure; it is applied when a spec is parsed."""

    pattern: str
    """The name of the measure, with {} for the base measure, as in D#-{}."""
    plain: Callable[[BaseMeasure], Declaration]
    """The measure of a base measure, before it is sharpened."""
    sharpened_by: Recall | None = None
    family: str = ""
    """The heading under which lists show the sharpened measures."""
    on_gains: bool = True
    """Whether it replaces grades by global gains."""

    def declare(self, base: BaseMeasure) -> Declaration:
        """Return the measure of a base measure."""
        plain = self.plain(base)
        if self.sharpened_by is None:
            return plain
        return sharpen(plain, self.sharpened_by, self.pattern.format(base.name), self.family)

    @property
    def name(self) -> str:
        """The operator alone, as D#."""
        return self.pattern.replace("{}", "").strip("-")

    def operand(self, name: str) -> str | None:
        """Return what a name puts under the operator, None if it does not."""
        start, end = self.pattern.split("{}")
        is_match = name.startswith(start) and name.endswith(end) and len(name) > len(start + end)
        return name[len(start) : len(name) - len(end)] if is_match else None

    def why_not(self, base: BaseMeasure) -> str | None:
        """Return why it is not defined for a base measure; None if it is."""
        if self.on_gains and base.needs_grades:
            return "it needs grades, and under D there are only global gains."
        if self.sharpened_by is not None and not base.bounded:
            return f"values of {base.name} exceed 1, and I-rec and N-rec sharpen only what lies between 0 and 1."
        return None


def merge_parameters(*groups: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return parameters of several groups, each name once."""
    return tuple({parameter.name: parameter for group in groups for parameter in group}.values())


def _intent_aware(base: BaseMeasure) -> Declaration:
    def score_by_intent(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
        return graded_score(base, block, params, cutoff, adhoc=False)

    def score(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
        return ordered_sum(intent_weights_for(block.topics, params) * score_by_intent(block, params, cutoff))

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


def _adhoc(base: BaseMeasure) -> Declaration:
    parameters = tuple(replace(p, default=base.adhoc_defaults.get(p.name, p.default)) for p in base.parameters)

    def score(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
        return graded_score(base, block, params, cutoff, adhoc=True)[:, 0]

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
    """A function of a `Block`, then its other arguments."""
    ideal: tuple[Any, ...]
    """A function of a `JudgedTopics`, then its other arguments."""


def base_score(
    base: BaseMeasure, block: Block, source: HitListSource, params: ParameterValues, cutoff: int | None
) -> Floats:
    """Return the scores of hit lists by a base measure; ``params`` are those of the measure's own parameters."""
    lists: HitLists = block.cached(*source.run)
    curve = block.cached(_base_curve, base, source, params)
    value = value_at_cutoff(curve, lists.rank, cutoff)
    if base.list_norm is not None:
        return safe_divide(value, base.list_norm(lists, cutoff))
    return safe_divide(value, block.topics.cached(_base_norm, base, source.ideal, params, cutoff))


def _base_curve(block: Block, base: BaseMeasure, source: HitListSource, params: ParameterValues) -> Floats:
    return base.curve(block.cached(*source.run), block.topics.cached(*source.ideal), params)


def _base_norm(
    topics: JudgedTopics, base: BaseMeasure, ideal: tuple[Any, ...], params: ParameterValues, cutoff: int | None
) -> Floats | Ints | int:
    return base.norm(topics.cached(*ideal), params, cutoff)


def graded_score(
    base: BaseMeasure, block: Block, params: ParameterValues, cutoff: int | None, *, adhoc: bool
) -> Floats:
    """Return scores ``[topic, intent]`` on the grades of each intent, or on the ad hoc grades as one intent."""
    on = (adhoc, _gain_that_counts(base, params), params.get("rel", 1))
    source = HitListSource((_graded_lists, *on), (_ideal_graded_lists, *on))
    own = params.only(*(p.name for p in base.parameters)).replace(H=_max_grade(params, block.topics))
    return base_score(base, block, source, own, cutoff)


def _graded_lists(block: Block, adhoc: bool, gain: GainLike, rel: int) -> HitLists:
    grade = _of_any_intent(block.grades) if adhoc else block.grades
    gains = gain_table(gain, block.topics.collection.positive_grades)[grade]
    return HitLists(block.rank[:, None, :], gains, grade >= rel, grade, block.max_rank, block.length[:, None])


def _ideal_graded_lists(topics: JudgedTopics, adhoc: bool, gain: GainLike, rel: int) -> HitLists:
    grade = _of_any_intent(relevant_grades(topics)) if adhoc else relevant_grades(topics)
    return ideal_hit_lists(gain_table(gain, topics.collection.positive_grades)[grade], grade >= rel, grade)


def _of_any_intent(grade: Ints) -> Ints:
    """Return the highest grade over intents, as that of one intent."""
    return grade.max(axis=1, keepdims=True)


def _gain_that_counts(base: BaseMeasure, params: ParameterValues) -> GainLike:
    """Return the gain of the parameters, or an arbitrary one where the measure does not use gains."""
    return next((params["gain"] for p in base.parameters if p.name == "gain" and p.has_effect(params)), "linear")


def _max_grade(params: ParameterValues, topics: JudgedTopics) -> int:
    """Return H, the highest grade of the scale."""
    given: int | None = params.get("max_grade")
    if given is not None and given < topics.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {topics.collection.max_grade}.")
    return topics.collection.max_grade if given is None else given


def d_measure(base: BaseMeasure) -> Declaration:
    """Return the declaration of a base measure on global gains."""
    assert base.parameters_on_gains is not None
    return Declaration(
        family="D-M: gains averaged over intents, then the list scored once",
        name=f"D-{base.name}",
        summary=f"{base.summary[:-1]}, on gains averaged over intents.",
        formula=f"{base.formula_on_gains or base.formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r); J(r) = 1 iff "
        "GG(r) > 0; ideal = judged documents by GG",
        references=tuple(dict.fromkeys(["Sakai and Song, SIGIR 2011", *base.references])),
        score=lambda block, params, cutoff: d_score(base, block, params, cutoff, _run_gain),
        parameters=merge_parameters((GAIN,), base.parameters_on_gains, (REL, INTENTS, RENORMALIZE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        bounded=base.bounded,
        other_programs=OTHER_D_PROGRAMS,
    )


def sharpen(plain: Declaration, recall: Recall, name: str, family: str) -> Declaration:
    """Return the declaration of γ · recall + (1−γ) · M for that of M."""

    def sharp(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
        gamma = params["gamma"]
        return gamma * recall.score(block, params, cutoff) + (1.0 - gamma) * plain.score(block, params, cutoff)

    return replace(
        plain,
        family=family,
        name=name,
        summary=f"{plain.name} sharpened by {recall.words}.",
        formula=f"γ · {recall.measure} + (1−γ) · {plain.name}, with {recall.measure} = {recall.formula} and "
        f"{plain.name} = {plain.formula}",
        score=sharp,
        parameters=(replace(GAMMA, meaning=f"weight of {recall.words}"), *plain.parameters),
        # What has no family is not a measure of its own.
        components=(recall.measure, plain.name) if plain.family else (recall.measure,),
    )


_GAINS_AT_ONCE = 4_000_000
"""How many gains of documents for intents are held at once; it bounds memory and changes no value."""
OTHER_D_PROGRAMS = "NTCIREVAL has gain='linear' and takes probabilities as they are, renormalize=False."


def d_score(
    base: BaseMeasure, block: Block, params: ParameterValues, cutoff: int | None, run_gain: GainOf[Block]
) -> Floats:
    """Return scores ``[topic]`` on global gains."""
    on = params.only("gain", "rel", "intents", "renormalize")
    return gain_score(base, block, params, cutoff, on, run_gain, _ideal_gain)


def _run_gain(block: Block, params: ParameterValues) -> Floats:
    return block.topics.cached(gain_by_row, params)[block.rows]


def _ideal_gain(topics: JudgedTopics, params: ParameterValues) -> Floats:
    return topics.cached(gain_by_row, params)[topics.relevant_rows]


def gain_by_row(topics: JudgedTopics, params: ParameterValues) -> Floats:
    """GG = Σ_i Pr(i|q) · g_i of each row of the block's grades; that of padding is 0."""
    weight, grades = intent_weights_for(topics, params), topics.grades[:-1]
    gain = gain_table(params["gain"], topics.collection.positive_grades)
    topic = np.repeat(np.arange(len(weight)), topics.relevant_per_topic)
    # Some documents at a time, as a topic may be much larger than blocks are made for.
    step = max(_GAINS_AT_ONCE // weight.shape[1], 1)
    parts = (slice(start, start + step) for start in range(0, len(topic), step))
    return np.concatenate([*(ordered_sum(weight[topic[part]] * gain[grades[part]]) for part in parts), [0.0]])


def gain_score(
    base: BaseMeasure,
    block: Block,
    params: ParameterValues,
    cutoff: int | None,
    on: ParameterValues,
    run_gain: GainOf[Block],
    ideal_gain: GainOf[JudgedTopics],
) -> Floats:
    """Return scores ``[topic]`` on the gains that two functions return for the parameters ``on``."""
    source = HitListSource((_gain_lists, run_gain, on), (_ideal_gain_lists, ideal_gain, on))
    own = params.only(*(p.name for p in base.parameters_on_gains or ()))
    return base_score(base, block, source, own, cutoff)


def _gain_lists(block: Block, run_gain: GainOf[Block], on: ParameterValues) -> HitLists:
    GG = run_gain(block, on)
    return HitLists(block.rank, GG, GG > 0, None, block.max_rank, block.length)


def _ideal_gain_lists(topics: JudgedTopics, ideal_gain: GainOf[JudgedTopics], on: ParameterValues) -> HitLists:
    GG = ideal_gain(topics, on)
    return ideal_hit_lists(GG, GG > 0, None)


def relevant_grades(topics: JudgedTopics) -> Ints:
    """Return the grades of the relevant documents as ``[topic, intent, document]``."""
    return np.moveaxis(topics.grades[topics.relevant_rows], 2, 1)


OPERATORS = (
    OperatorDeclaration("{}-IA", _intent_aware, on_gains=False),
    OperatorDeclaration("D-{}", d_measure),
    OperatorDeclaration("D#-{}", d_measure, INTENT_RECALL, "D#-M: D-M sharpened by the share of intents covered"),
)
ALONE = OperatorDeclaration("{}", _adhoc, on_gains=False)
"""A base measure on its own."""
