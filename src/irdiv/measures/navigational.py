"""Measures that treat navigational and informational intents differently: DIN-M, DIN#-M, P+Q and P+Q#."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irdiv.kernels.lists import ordered_sum
from irdiv.kernels.novelty import first_hit_of_intent
from irdiv.measures.base import BaseMeasure, gain_table
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import intent_weights_for
from irdiv.measures.operators import (
    INTENT_RECALL,
    OTHER_D_PROGRAMS,
    OperatorDeclaration,
    d_measure,
    d_score,
    graded_score,
    sharpen,
)
from irdiv.measures.parameters import BETA_BLENDED, GAIN, INTENTS, JUDGED_ONLY, REL, RENORMALIZE, ParameterValues
from irdiv.types import Floats

if TYPE_CHECKING:
    from irdiv.core.block import Block

_SAKAI = "Sakai, WWW 2012 (intents informational or navigational)"
_TYPES = "an intent is navigational where its type is 'nav', else informational"


def declarations() -> Iterable[Declaration]:
    """Yield P+Q and P+Q#."""
    plain = _p_plus_q()
    yield plain
    yield sharpen(plain, INTENT_RECALL, "P+Q#", plain.family)


def _din(base: BaseMeasure) -> Declaration:
    flat = d_measure(base)
    return replace(
        flat,
        family="DIN-M: as D-M, but a navigational intent gains only the first time it is met",
        name=f"DIN-{base.name}",
        summary=f"D-{base.name} in which a navigational intent adds gain only the first time it is met.",
        formula=f"{base.formula_on_gains or base.formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r), over informational "
        f"intents and navigational ones met for the first time; the ideal list is that of D-{base.name}; {_TYPES}",
        references=(_SAKAI, *flat.references),
        score=lambda block, params, cutoff: d_score(base, block, params, cutoff, _run_gain),
        uses_types=True,
        on_layers=False,
    )


def _run_gain(block: Block, params: ParameterValues) -> Floats:
    """GG(r) over informational intents and navigational ones met for the first time."""
    topics = block.topics
    g = gain_table(params["gain"], topics.collection.positive_grades)[block.grades]
    counts = ~topics.navigational[:, :, None] | first_hit_of_intent(block.grades > 0)
    return ordered_sum(intent_weights_for(topics, params)[:, :, None] * np.where(counts, g, 0.0), axis=1)


_Q, _P_PLUS = (next(base for base in BASES if base.name == name) for name in ("Q", "P+"))


def _p_plus_q_score(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    weight = intent_weights_for(block.topics, params)
    of_each = [graded_score(base, block, params, cutoff, adhoc=False) for base in (_Q, _P_PLUS)]
    return ordered_sum(weight * np.where(block.topics.navigational, of_each[1], of_each[0]))


def _p_plus_q() -> Declaration:
    return Declaration(
        family="P+Q: navigational intents by P+, informational ones by Q",
        name="P+Q",
        summary="P-plus of navigational and Q-measure of informational intents, averaged by probability.",
        formula=f"Σ_i Pr(i|q) · (Q_i if i is informational, P+_i if navigational), with Q = {_Q.formula} and "
        f"P+ = {_P_PLUS.formula}; {_TYPES}",
        references=(_SAKAI,),
        score=_p_plus_q_score,
        parameters=(GAIN, BETA_BLENDED, REL, INTENTS, RENORMALIZE, JUDGED_ONLY),
        other_programs=OTHER_D_PROGRAMS,
        uses_types=True,
        on_layers=False,
    )


OPERATORS = (
    OperatorDeclaration("DIN-{}", _din),
    OperatorDeclaration("DIN#-{}", _din, INTENT_RECALL, "DIN#-M: DIN-M sharpened by the share of intents covered"),
)
