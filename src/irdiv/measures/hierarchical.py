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
from irdiv.measures.declaration import Declaration, Score
from irdiv.measures.novelty import covered_intent_counts
from irdiv.measures.operators import (
    OperatorDeclaration,
    Recall,
    d_measure,
    gain_score,
    merge_parameters,
    relevant_grades,
)
from irdiv.measures.parameters import INTENTS, JUDGED_ONLY, REL, Parameter, ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics
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


def declarations() -> Iterable[Declaration]:
    """Yield N-rec."""
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


def _layers(topics: JudgedTopics, params: ParameterValues) -> Layers:
    from irdiv.intents.layers import layers_of

    # Without weights of nodes in use, any scheme that needs no probabilities will do.
    scheme = params.get("weights", "UB") if params.get("weighted", True) else "UB"
    return layers_of(topics, params["rel"], params.get("intents", "relevant"), params["hierarchy"], scheme)


def node_recall(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return the share of nodes covered."""
    layers, rel = _layers(block.topics, params).layers, params["rel"]
    covered = [
        value_at_cutoff(block.with_intents_of(layer).cached(covered_intent_counts, rel), block.rank, cutoff)
        for layer in layers
    ]
    return safe_divide(ordered_sum(np.stack(covered), axis=0), sum(layer.node_count for layer in layers))


def _la_score(score: Score, block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """Σ_v w_v · M_v; the weights of a layer sum to 1."""
    params = params.replace(renormalize=True)
    found = _layers(block.topics, params)
    w = found.weights(params["layer_weights"])
    scores = (score(block.with_intents_of(layer), params, cutoff) for layer in found.layers)
    return ordered_sum(np.stack([w[:, index] * of_layer for index, of_layer in enumerate(scores)]), axis=0)


def _hd_score(base: BaseMeasure, block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """M on GG_h(r) = Σ_v w_v · GG_v(r)."""
    on = params.only("gain", "rel", "intents", "hierarchy", "weights", "layer_weights")
    return gain_score(base, block, params, cutoff, on, _run_layer_gain, _ideal_layer_gain)


def _run_layer_gain(block: Block, params: ParameterValues) -> Floats:
    return _layer_gain(block.topics, params, lambda layer: block.with_intents_of(layer).grades)


def _ideal_layer_gain(topics: JudgedTopics, params: ParameterValues) -> Floats:
    return _layer_gain(topics, params, relevant_grades)


def _layer_gain(topics: JudgedTopics, params: ParameterValues, grades: Callable[[JudgedTopics], Ints]) -> Floats:
    """GG_h = Σ_v w_v · GG_v, with GG_v = Σ_n W(n) · g_n, for the grades of some documents on each layer."""
    found = _layers(topics, params)
    w = found.weights(params["layer_weights"])
    g = gain_table(params["gain"], topics.collection.positive_grades)
    gains = (ordered_sum(layer.node_weight[:, :, None] * g[grades(layer)], axis=1) for layer in found.layers)
    return ordered_sum(np.stack([w[:, index, None] * GG for index, GG in enumerate(gains)]), axis=0)


def why_not_on_layers(declaration: Declaration) -> str | None:
    """Return why M-LA is not defined for a measure; None if it is."""
    name = declaration.name
    if not declaration.needs_intents:
        example = f", as {name}-IA does in {name}-IA-LA" if name in (base.name for base in BASES) else ""
        return f"{name} does not use intents, and M in M-LA must{example}."
    if "hierarchy" in declaration.by_name:
        return f"{name} is a measure of all layers already."
    if not declaration.on_layers:
        what = "importance" if declaration.needs_importance else "types"
        return f"{name} needs the {what} of intents, which the nodes of a layer do not have."
    return None


def layer_aware(declaration: Declaration) -> Declaration:
    """Return M-LA for a measure of intents."""
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
        score=lambda block, params, cutoff: _la_score(declaration.score, block, params, cutoff),
        score_by_intent=None,
        parameters=merge_parameters((HIERARCHY, *weighing, _LAYER_WEIGHTS), own),
        other_programs=_NO_OTHER_PROGRAM + _SAME_NAMES.get(declaration.name, ""),
        namesake="",
        components=(),
        owner="irdiv",
        keywords=(),
    )


def _hd(base: BaseMeasure) -> Declaration:
    return replace(
        layer_aware(d_measure(base)),
        family="HD-M: gains averaged over the layers of the intent hierarchy, then the list scored once",
        name=f"HD-{base.name}",
        summary=f"{base.summary[:-1]}, on gains averaged over nodes and layers.",
        formula=f"{base.formula_on_gains or base.formula}, on GG_h(r) = Σ_v w_v·GG_v(r) for g(r), GG_v(r) = "
        "Σ_n W(n)·g_n(r) over the nodes n of layer v; J(r) = 1 iff GG_h(r) > 0",
        score=lambda block, params, cutoff: _hd_score(base, block, params, cutoff),
    )


def _d_on_leaves(base: BaseMeasure) -> Declaration:
    flat = d_measure(base)

    def score(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
        leaves = block.with_intents_of(_layers(block.topics, params).leaves)
        return flat.score(leaves, params.replace(renormalize=True), cutoff)

    on_layers = layer_aware(flat)
    return replace(
        on_layers,
        family="",
        name=f"D-{base.name} on the leaves",
        formula=flat.formula,
        score=score,
        parameters=tuple(p for p in on_layers.parameters if p is not _LAYER_WEIGHTS),
    )


def _d_on_layers(base: BaseMeasure) -> Declaration:
    return layer_aware(d_measure(base))


_NODE_RECALL = Recall("N-rec", "node recall", "nodes covered in the first l / nodes", node_recall)

OPERATORS = (
    OperatorDeclaration("HD-{}", _hd),
    OperatorDeclaration(
        "LD#-{}", _d_on_leaves, _NODE_RECALL, "LD#-M: D-M on the leaves, sharpened by the share of nodes covered"
    ),
    OperatorDeclaration("HD#-{}", _hd, _NODE_RECALL, "HD#-M: HD-M sharpened by the share of nodes covered"),
    OperatorDeclaration(
        "LAD#-{}",
        _d_on_layers,
        _NODE_RECALL,
        "LAD#-M: D-M of each layer, averaged, and sharpened by the share of nodes covered",
    ),
)
