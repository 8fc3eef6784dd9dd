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
from irdiv.measures.operators import (
    OTHER_D_PROGRAMS,
    d_measure,
    d_references,
    gain_score,
    graded_score,
    intent_weights_for,
    relevant_gain,
    sharpen,
)
from irdiv.measures.parameters import BETA_BLENDED, GAIN, INTENTS, JUDGED_ONLY, REL, RENORMALIZE
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats

if TYPE_CHECKING:
    from irdiv.arrays.ranking import RankedBlock

_SAKAI = "Sakai, WWW 2012 (intents informational or navigational)"
_TYPES = "an intent is navigational where its type is 'nav', else informational"


def declarations() -> Iterable[Declaration]:
    """Yield the measures that depend on the types of intents."""
    for base in BASES:
        if not base.needs_grades:
            plain = _din(base)
            yield plain
            if base.bounded:
                yield sharpen(plain, f"DIN#-{base.name}", "DIN#-M: DIN-M sharpened by the share of intents covered")
    plain = _p_plus_q()
    yield plain
    yield sharpen(plain, "P+Q#", plain.family)


def _din(base: BaseMeasure) -> Declaration:
    return replace(
        d_measure(base),
        family="DIN-M: as D-M, but a navigational intent gains only the first time it is met",
        name=f"DIN-{base.name}",
        summary=f"D-{base.name} in which a navigational intent adds gain only the first time it is met.",
        formula=f"{base.formula_on_gains or base.formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r), over informational "
        f"intents and navigational ones met for the first time; the ideal list is that of D-{base.name}; {_TYPES}",
        references=(_SAKAI, *d_references(base)),
        score=lambda ranked, params, cutoff: _din_score(base, ranked, params, cutoff),
        uses_types=True,
        on_layers=False,
    )


def _din_score(base: BaseMeasure, ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    on = params.only("gain", "rel", "intents", "renormalize")
    return gain_score(base, ranked, params, cutoff, (_run_gain, on), (relevant_gain, on))


def _run_gain(ranked: RankedBlock, params: ParameterValues) -> Floats:
    """GG(r) over informational intents and navigational ones met for the first time."""
    block = ranked.block
    g = gain_table(params["gain"], block.collection.positive_grades)[ranked.grades]
    counts = ~block.navigational[:, :, None] | first_hit_of_intent(ranked.grades > 0)
    return ordered_sum(intent_weights_for(block, params)[:, :, None] * np.where(counts, g, 0.0), axis=1)


_Q, _P_PLUS = (next(base for base in BASES if base.name == name) for name in ("Q", "P+"))


def _p_plus_q_score(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    weight = intent_weights_for(ranked.block, params)
    of_each = [graded_score(base, ranked, params, cutoff, adhoc=False) for base in (_Q, _P_PLUS)]
    return ordered_sum(weight * np.where(ranked.block.navigational, of_each[1], of_each[0]))


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
