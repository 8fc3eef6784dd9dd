"""Measures that tell informational from navigational intents: DIN-M, DIN#-M, P+Q and P+Q#."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irdiv.kernels.lists import Floats, ordered_sum
from irdiv.kernels.novelty import first_met
from irdiv.measures.bases import BASES, Base, Values, gain_table
from irdiv.measures.declaration import Declaration
from irdiv.measures.operators import (
    D_OTHERS,
    d_references,
    gain_score,
    global_gain,
    graded_score,
    merged,
    pool_grades,
    sharpened,
)
from irdiv.measures.parameters import BETA_BLENDED, GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL, RENORMALISE

if TYPE_CHECKING:
    from irdiv.arrays.ranking import Scene

_SAKAI = "Sakai, WWW 2012 (intents informational or navigational)"
_TYPES = "an intent is navigational where its type is 'nav', else informational"


def declarations() -> Iterable[Declaration]:
    """Yield the measures that look at types of intents."""
    for base in BASES:
        if base.under_d is not None:
            yield _din(base)
            yield _din_sharp(base)
    yield _p_plus_q()
    yield _p_plus_q_sharp()


def _din(base: Base) -> Declaration:
    assert base.under_d is not None
    return Declaration(
        family="DIN-M: as D-M, but a navigational intent gains only the first time it is met",
        name=f"DIN-{base.name}",
        summary=f"D-{base.name} in which a navigational intent adds gain only the first time it is met.",
        formula=f"{base.formula_of_gains or base.formula}, on GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r), over informational "
        f"intents and navigational ones met for the first time; the ideal list is that of D-{base.name}; {_TYPES}",
        references=(_SAKAI, *d_references(base)),
        score=lambda scene, values, cutoff: _din_score(base, scene, values, cutoff),
        parameters=merged((GAIN,), base.under_d, (REL, INTENTS, RENORMALISE, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=D_OTHERS,
        on_layers=False,
    )


def _din_score(base: Base, scene: Scene, values: Values, cutoff: int | None) -> Floats:
    block = scene.block
    own = ("gain", "rel", "intents", "renormalise")

    def of_run() -> Floats:
        weight = block.weight(values["rel"], values["intents"], values["renormalise"])
        g = gain_table(values["gain"], block.collection.levels)[scene.grades]
        counts = ~block.navigational[:, :, None] | first_met(scene.grades > 0)
        return ordered_sum(weight[:, :, None] * np.where(counts, g, 0.0), axis=1)

    def of_pool() -> Floats:
        weight = block.weight(values["rel"], values["intents"], values["renormalise"])
        return global_gain(pool_grades(block), weight, values, block)

    shape = ("informational and navigational", *(values[name] for name in own))
    return gain_score(base, scene, values, cutoff, shape, of_run, of_pool)


def _din_sharp(base: Base) -> Declaration:
    plain = _din(base)

    return replace(
        plain,
        family="DIN#-M: DIN-M sharpened by the share of intents covered",
        name=f"DIN#-{base.name}",
        summary=f"DIN-{base.name} sharpened by intent recall.",
        formula=f"γ · I-rec + (1−γ) · DIN-{base.name}, with I-rec = intents covered in the first l / intents and "
        f"DIN-{base.name} = {plain.formula}",
        score=sharpened(plain.score),
        parameters=(GAMMA, *plain.parameters),
        components=("I-rec", f"DIN-{base.name}"),
    )


_Q, _P_PLUS = (next(base for base in BASES if base.name == name) for name in ("Q", "P+"))


def _p_plus_q_score(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    weight = scene.block.weight(values["rel"], values["intents"], values["renormalise"])
    of_each = [graded_score(base, scene, values, cutoff, adhoc=False) for base in (_Q, _P_PLUS)]
    return ordered_sum(weight * np.where(scene.block.navigational, of_each[1], of_each[0]))


def _p_plus_q() -> Declaration:
    return Declaration(
        family="P+Q: navigational intents by P+, informational ones by Q",
        name="P+Q",
        summary="P-plus of navigational and Q-measure of informational intents, averaged by probability.",
        formula=f"Σ_i Pr(i|q) · (Q_i if i is informational, P+_i if navigational), with Q = {_Q.formula} and "
        f"P+ = {_P_PLUS.formula}; {_TYPES}",
        references=(_SAKAI,),
        score=_p_plus_q_score,
        parameters=(GAIN, BETA_BLENDED, REL, INTENTS, RENORMALISE, JUDGED_ONLY),
        others=D_OTHERS,
        on_layers=False,
    )


def _p_plus_q_sharp() -> Declaration:
    plain = _p_plus_q()

    return replace(
        plain,
        name="P+Q#",
        summary="P+Q sharpened by intent recall.",
        formula="γ · I-rec + (1−γ) · P+Q, with I-rec = intents covered in the first l / intents and "
        f"P+Q = {plain.formula}",
        score=sharpened(plain.score),
        parameters=(GAMMA, *plain.parameters),
        components=("I-rec", "P+Q"),
    )
