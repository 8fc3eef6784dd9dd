"""Measures on intent hierarchies: N-rec, M-LA, HD-M, and the sharpened LD#-M, HD#-M and LAD#-M."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Optional, Weights, choice
from irdiv.kernels.lists import ordered_sum, safe_divide, value_at_cutoff
from irdiv.measures.base import BaseMeasure, gain_table
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Declaration, Parameter, Score
from irdiv.measures.novelty import covered_intent_counts
from irdiv.measures.operators import (
    d_formula,
    d_references,
    d_score,
    gain_score,
    merge_parameters,
    relevant_grades,
)
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.arrays.blocks import JudgedBlock
    from irdiv.arrays.ranking import RankedBlock
    from irdiv.intents.layers import Layers

_WANG = "Wang, Wen, Dou, Sakai and Zhang, TKDE 30(1), 2018"
_NO_OTHER_PROGRAM = "No other program computes it."
_SAME_NAMES = {
    "ERR_IA": " It is what Wang et al. call ERR-IA-LA.",
    "ERR-IA": " What Wang et al. call ERR-IA-LA is ERR_IA-LA here, ndeval's measure on each layer.",
}

HIERARCHY = Parameter(
    "hierarchy",
    "EIH",
    "'EIH' extends leaves above the deepest layer by chains of single children down to it, 'OIH' takes trees as given",
    choice("EIH", "OIH"),
)
WEIGHTS = Parameter(
    "weights",
    None,
    "weights of nodes: 'UT' child = parent / siblings, 'UB' leaves equal and parent = sum of children, 'NT' child = "
    "its share of the siblings' probabilities, 'NB' leaves by probability and parent = sum; None for 'NB' in topics "
    "with probabilities, else 'UB'",
    Optional(choice("UT", "UB", "NT", "NB")),
)
_LAYER_WEIGHTS = Parameter(
    "layer_weights",
    None,
    "weights of the layers from the top, as (0.3,0.7); a topic's last layer has those of the layers it lacks; None for "
    "uniform ones",
    Optional(Weights()),
)
_NODE_GAMMA = replace(GAMMA, meaning="weight of node recall")
_GG = "GG_v(r) = Σ_n W(n)·g_n(r) over the nodes n of layer v"


def declarations(flat: Iterable[Declaration]) -> Iterable[Declaration]:
    """Yield N-rec, the layer-aware form of each diversity measure, and the measures that sharpen by node recall."""
    yield Declaration(
        family="intent hierarchies",
        name="N-rec",
        summary="Node recall: the share of the nodes of the intent hierarchy that the first l documents cover.",
        formula="nodes covered in the first l / nodes, the root not counted",
        references=(_WANG,),
        score=node_recall,
        parameters=(HIERARCHY, REL, INTENTS, JUDGED_ONLY),
        other_programs=_NO_OTHER_PROGRAM,
    )
    bases = [base for base in BASES if not base.needs_grades]
    bounded = [base for base in bases if base.bounded]
    yield from (_hd(base) for base in bases)
    yield from (_ld_sharp(base) for base in bounded)
    yield from (_hd_sharp(base) for base in bounded)
    yield from (_lad_sharp(base) for base in bounded)
    yield from (_layer_aware(declaration) for declaration in flat if _has_layers(declaration))


def _has_layers(declaration: Declaration) -> bool:
    return declaration.needs_intents and declaration.on_layers


def _layers(block: JudgedBlock, params: ParameterValues) -> Layers:
    from irdiv.intents.layers import layers_of

    # Without weights of nodes in use, any scheme that needs no probabilities will do.
    scheme = params.get("weights", "UB") if params.get("weighted", True) else "UB"
    return layers_of(block, params["rel"], params.get("intents", "relevant"), params["hierarchy"], scheme)


def node_recall(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return the share of nodes covered."""
    layers, rel = _layers(ranked.block, params).layers, params["rel"]
    covered = [
        value_at_cutoff(covered_intent_counts(ranked.with_intents_of(layer), rel), ranked.rank, cutoff)
        for layer in layers
    ]
    return safe_divide(ordered_sum(np.stack(covered), axis=0), sum(layer.node_count for layer in layers))


def _la_score(score: Score, ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    """Σ_v w_v · M_v."""
    found = _layers(ranked.block, params)
    w = found.weights(params["layer_weights"])
    scores = (score(ranked.with_intents_of(layer), _flat(params), cutoff) for layer in found.layers)
    return ordered_sum(np.stack([w[:, index] * of_layer for index, of_layer in enumerate(scores)]), axis=0)


def _flat(params: ParameterValues) -> ParameterValues:
    # The weights of a layer are taken as they are, and sum to 1.
    return params.replace(renormalize=True)


def _hd_score(base: BaseMeasure, ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    """M on GG_h(r) = Σ_v w_v · GG_v(r)."""
    on = params.only("gain", "rel", "intents", "hierarchy", "weights", "layer_weights")
    return gain_score(base, ranked, params, cutoff, (_run_layer_gain, on), (_pool_layer_gain, on))


def _run_layer_gain(ranked: RankedBlock, params: ParameterValues) -> Floats:
    return _layer_gain(ranked.block, params, lambda layer: ranked.with_intents_of(layer).grades)


def _pool_layer_gain(block: JudgedBlock, params: ParameterValues) -> Floats:
    return _layer_gain(block, params, relevant_grades)


def _layer_gain(block: JudgedBlock, params: ParameterValues, grades: Callable[[JudgedBlock], Ints]) -> Floats:
    """GG_h = Σ_v w_v · GG_v, with GG_v = Σ_n W(n) · g_n, for the grades of some documents on each layer."""
    found = _layers(block, params)
    w = found.weights(params["layer_weights"])
    g = gain_table(params["gain"], block.collection.positive_grades)
    gains = (ordered_sum(layer.node_weight[:, :, None] * g[grades(layer)], axis=1) for layer in found.layers)
    return ordered_sum(np.stack([w[:, index, None] * GG for index, GG in enumerate(gains)]), axis=0)


def _ld_score(base: BaseMeasure, ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    return d_score(base, ranked.with_intents_of(_layers(ranked.block, params).leaves), _flat(params), cutoff)


def _with_node_recall(score: Score) -> Score:
    """γ · N-rec + (1−γ) · M."""

    def with_node_recall(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        gamma = params["gamma"]
        return gamma * node_recall(ranked, params, cutoff) + (1.0 - gamma) * score(ranked, params, cutoff)

    return with_node_recall


def _layer_aware(declaration: Declaration) -> Declaration:
    own = tuple(p for p in declaration.parameters if p.name != "renormalize")
    # A measure that does not use probabilities does not use weights of nodes either.
    if "weighted" in declaration.by_name:
        weighing: tuple[Parameter, ...] = (replace(WEIGHTS, only_with=(("weighted", True),)),)
    else:
        weighing = (WEIGHTS,) if "renormalize" in declaration.by_name else ()
    return replace(
        declaration,
        family="M-LA: every layer of the intent hierarchy scored on its own, then the mean of the scores",
        name=f"{declaration.stem}-LA{declaration.fixed_cutoff}",
        summary=f"{declaration.name} of each layer of the intent hierarchy, averaged over layers.",
        formula=f"Σ_v w_v · {declaration.name}_v over layers v, with {declaration.name} = {declaration.formula}, on "
        "the nodes of layer v for intents",
        references=tuple(dict.fromkeys([_WANG, *declaration.references])),
        score=lambda ranked, params, cutoff: _la_score(declaration.score, ranked, params, cutoff),
        score_by_intent=None,
        parameters=merge_parameters((HIERARCHY, *weighing, _LAYER_WEIGHTS), own),
        other_programs=_NO_OTHER_PROGRAM + _SAME_NAMES.get(declaration.name, ""),
        namesake="",
        components=(),
        owner="irdiv",
        keywords=(),
    )


def _on_gains(
    base: BaseMeasure,
    name: str,
    summary: str,
    formula: str,
    score: Score,
    *,
    layered: bool,
    sharp: tuple[str, ...] = (),
) -> Declaration:
    tree = (HIERARCHY, WEIGHTS, *((_LAYER_WEIGHTS,) if layered else ()))
    assert base.parameters_on_gains is not None
    return Declaration(
        family=_FAMILIES[name.split("-")[0]],
        name=name,
        summary=summary,
        formula=formula,
        references=(_WANG, *d_references(base)),
        score=_with_node_recall(score) if sharp else score,
        parameters=merge_parameters(
            (_NODE_GAMMA,) if sharp else (), tree, (GAIN,), base.parameters_on_gains, (REL, INTENTS, JUDGED_ONLY)
        ),
        takes_cutoff=base.takes_cutoff,
        bounded=base.bounded,
        other_programs=_NO_OTHER_PROGRAM,
        components=sharp,
    )


_FAMILIES = {
    "HD": "HD-M: gains averaged over the layers of the intent hierarchy, then the list scored once",
    "LD#": "LD#-M: D-M on the leaves, sharpened by the share of nodes covered",
    "HD#": "HD#-M: HD-M sharpened by the share of nodes covered",
    "LAD#": "LAD#-M: D-M of each layer, averaged, and sharpened by the share of nodes covered",
}


def _hd_formula(base: BaseMeasure) -> str:
    formula = base.formula_on_gains or base.formula
    return f"{formula}, on GG_h(r) = Σ_v w_v·GG_v(r) for g(r), {_GG}; J(r) = 1 iff GG_h(r) > 0"


def _hd(base: BaseMeasure) -> Declaration:
    return _on_gains(
        base,
        f"HD-{base.name}",
        f"{base.summary[:-1]}, on gains averaged over nodes and layers.",
        _hd_formula(base),
        lambda ranked, params, cutoff: _hd_score(base, ranked, params, cutoff),
        layered=True,
    )


def _ld_sharp(base: BaseMeasure) -> Declaration:
    return _on_gains(
        base,
        f"LD#-{base.name}",
        f"D-{base.name} on the leaves of the intent hierarchy, sharpened by node recall.",
        f"γ · N-rec + (1−γ) · D-{base.name} on the leaves, with N-rec = nodes covered in the first l / nodes and "
        f"D-{base.name} = {d_formula(base)}",
        lambda ranked, params, cutoff: _ld_score(base, ranked, params, cutoff),
        layered=False,
        sharp=("N-rec",),
    )


def _hd_sharp(base: BaseMeasure) -> Declaration:
    return _on_gains(
        base,
        f"HD#-{base.name}",
        f"HD-{base.name} sharpened by node recall.",
        f"γ · N-rec + (1−γ) · HD-{base.name}, with N-rec = nodes covered in the first l / nodes and HD-{base.name} = "
        f"{_hd_formula(base)}",
        lambda ranked, params, cutoff: _hd_score(base, ranked, params, cutoff),
        layered=True,
        sharp=("N-rec", f"HD-{base.name}"),
    )


def _lad_sharp(base: BaseMeasure) -> Declaration:
    def of_layers(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
        return _la_score(lambda *given: d_score(base, *given), ranked, params, cutoff)

    return _on_gains(
        base,
        f"LAD#-{base.name}",
        f"D-{base.name}-LA sharpened by node recall.",
        f"γ · N-rec + (1−γ) · Σ_v w_v · D-{base.name}_v over layers v, with N-rec = nodes covered in the first l / "
        f"nodes and D-{base.name}_v = {d_formula(base)}, on the nodes of layer v for intents",
        of_layers,
        layered=True,
        sharp=("N-rec", f"D-{base.name}-LA"),
    )
