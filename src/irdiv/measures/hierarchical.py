"""Measures on intent hierarchies: N-rec, M-LA, HD-M, and the sharpened LD#-M, HD#-M and LAD#-M."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.kernels.lists import Floats, Ints, at, ratio
from irdiv.measures.bases import BASES, Base, Values
from irdiv.measures.declaration import Declaration, Parameter, choice, optional, weights
from irdiv.measures.novelty import covered_intents
from irdiv.measures.operators import d_formula, d_references, d_score, gain_score, global_gain, merged, pool_grades
from irdiv.measures.parameters import GAIN, GAMMA, INTENTS, JUDGED_ONLY, REL

if TYPE_CHECKING:
    from irdiv.arrays.block import Block
    from irdiv.arrays.ranking import Scene
    from irdiv.hierarchy.layers import Layers

_WANG = "Wang, Wen, Dou, Sakai and Zhang, TKDE 30(1), 2018"
_NOBODY = "No other program computes it."

_HIERARCHY = Parameter(
    "hierarchy",
    "EIH",
    "'EIH' extends leaves above the deepest layer by chains of single children down to it, 'OIH' takes trees as given",
    choice("EIH", "OIH"),
)
_WEIGHTS = Parameter(
    "weights",
    None,
    "weights of nodes: 'UT' child = parent / siblings, 'UB' leaves equal and parent = sum of children, 'NT' child = "
    "its share of the siblings' probabilities, 'NB' leaves by probability and parent = sum; None for 'NB' in topics "
    "with probabilities, else 'UB'",
    optional(choice("UT", "UB", "NT", "NB")),
)
_LAYER_WEIGHTS = Parameter(
    "layer_weights",
    None,
    "weights of the layers from the top, as (0.3,0.7); a topic's last layer has those of the layers it lacks; None for "
    "uniform ones",
    optional(weights),
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
        parameters=(_HIERARCHY, REL, INTENTS, JUDGED_ONLY),
        others=_NOBODY,
    )
    bases = [base for base in BASES if base.under_d is not None]
    yield from (_hd(base) for base in bases)
    yield from (_ld_sharp(base) for base in bases)
    yield from (_hd_sharp(base) for base in bases)
    yield from (_lad_sharp(base) for base in bases)
    yield from (_layer_aware(declaration) for declaration in flat if _has_layers(declaration))


def _has_layers(declaration: Declaration) -> bool:
    # The other names of ndeval's are one with names of irdiv's but for '-' and '_', which a name of irdiv's has as one.
    ours = declaration.owner == "irdiv" or declaration.name in ("NRBP", "nNRBP")
    return declaration.needs_intents and declaration.on_layers and ours


def _layers(block: Block, values: Values) -> Layers:
    from irdiv.hierarchy.layers import layers

    intents, scheme = values.get("intents", "relevant"), values.get("weights", "UB")
    return layers(block, values["rel"], intents, values["hierarchy"], scheme)


def node_recall(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """Return the share of nodes covered."""
    found, rel = _layers(scene.block, values).layers, values["rel"]
    covered = sum(at(covered_intents(scene.on(layer), rel), scene.rank, cutoff) for layer in found)
    return ratio(np.asarray(covered), sum(layer.number_of_nodes for layer in found))


def _la_score(
    score: Callable[[Scene, Values, int | None], Floats], scene: Scene, values: Values, cutoff: int | None
) -> Floats:
    """Σ_v w_v · M_v."""
    found = _layers(scene.block, values)
    w = found.weights(values["layer_weights"])
    total: Any = 0.0
    for number, layer in enumerate(found.layers):
        total = total + w[:, number] * score(scene.on(layer), _flat(values), cutoff)
    return total


def _flat(values: Values) -> Values:
    # The weights of a layer are taken as they are, and sum to 1.
    return {**values, "renormalise": True}


def _hd_score(base: Base, scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """M on GG_h(r) = Σ_v w_v · GG_v(r)."""
    found = _layers(scene.block, values)
    w = found.weights(values["layer_weights"])
    own = ("gain", "rel", "intents", "hierarchy", "weights", "layer_weights")

    def gains(grades: Callable[[Block], Ints]) -> Floats:
        total: Any = 0.0
        for number, layer in enumerate(found.layers):
            GG = global_gain(grades(layer), layer.node_weight, values, layer)
            total = total + w[:, number, None] * GG
        return total

    return gain_score(
        base,
        scene,
        values,
        cutoff,
        ("hierarchical", *(values[name] for name in own)),
        lambda: gains(lambda layer: scene.on(layer).grades),
        lambda: gains(pool_grades),
    )


def _ld_score(base: Base, scene: Scene, values: Values, cutoff: int | None) -> Floats:
    return d_score(base, scene.on(_layers(scene.block, values).leaves), _flat(values), cutoff)


def _sharpened(
    score: Callable[[Scene, Values, int | None], Floats],
) -> Callable[[Scene, Values, int | None], Floats]:
    """γ · N-rec + (1−γ) · M."""

    def sharpened(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        gamma = values["gamma"]
        return gamma * node_recall(scene, values, cutoff) + (1.0 - gamma) * score(scene, values, cutoff)

    return sharpened


def _layer_aware(declaration: Declaration) -> Declaration:
    own = tuple(p for p in declaration.parameters if p.name != "renormalise")
    # A measure that looks at no probabilities looks at no weights of nodes either.
    weighing = (_WEIGHTS,) if len(own) < len(declaration.parameters) else ()
    return replace(
        declaration,
        family="M-LA: every layer of the intent hierarchy scored on its own, then the mean of the scores",
        name=f"{declaration.name}-LA",
        summary=f"{declaration.name} of each layer of the intent hierarchy, averaged over layers.",
        formula=f"Σ_v w_v · {declaration.name}_v over layers v, with {declaration.name} = {declaration.formula}, on "
        "the nodes of layer v for intents",
        references=tuple(dict.fromkeys([_WANG, *declaration.references])),
        score=lambda scene, values, cutoff: _la_score(declaration.score, scene, values, cutoff),
        parameters=merged((_HIERARCHY, *weighing, _LAYER_WEIGHTS), own),
        others=_NOBODY,
        components=(),
        owner="irdiv",
    )


def _on_gains(
    base: Base, name: str, summary: str, formula: str, score: Any, *, layered: bool, sharp: tuple[str, ...] = ()
) -> Declaration:
    tree = (_HIERARCHY, _WEIGHTS, *((_LAYER_WEIGHTS,) if layered else ()))
    assert base.under_d is not None
    return Declaration(
        family=_FAMILIES[name.split("-")[0]],
        name=name,
        summary=summary,
        formula=formula,
        references=(_WANG, *d_references(base)),
        score=_sharpened(score) if sharp else score,
        parameters=merged((_NODE_GAMMA,) if sharp else (), tree, (GAIN,), base.under_d, (REL, INTENTS, JUDGED_ONLY)),
        takes_cutoff=base.takes_cutoff,
        others=_NOBODY,
        components=sharp,
    )


_FAMILIES = {
    "HD": "HD-M: gains averaged over the layers of the intent hierarchy, then the list scored once",
    "LD#": "LD#-M: D-M on the leaves, sharpened by the share of nodes covered",
    "HD#": "HD#-M: HD-M sharpened by the share of nodes covered",
    "LAD#": "LAD#-M: D-M of each layer, averaged, and sharpened by the share of nodes covered",
}


def _hd_formula(base: Base) -> str:
    formula = base.formula_of_gains or base.formula
    return f"{formula}, on GG_h(r) = Σ_v w_v·GG_v(r) for g(r), {_GG}; J(r) = 1 iff GG_h(r) > 0"


def _hd(base: Base) -> Declaration:
    return _on_gains(
        base,
        f"HD-{base.name}",
        f"{base.summary[:-1]}, on gains averaged over nodes and layers.",
        _hd_formula(base),
        lambda scene, values, cutoff: _hd_score(base, scene, values, cutoff),
        layered=True,
    )


def _ld_sharp(base: Base) -> Declaration:
    return _on_gains(
        base,
        f"LD#-{base.name}",
        f"D-{base.name} on the leaves of the intent hierarchy, sharpened by node recall.",
        f"γ · N-rec + (1−γ) · D-{base.name} on the leaves, with N-rec = nodes covered in the first l / nodes and "
        f"D-{base.name} = {d_formula(base)}",
        lambda scene, values, cutoff: _ld_score(base, scene, values, cutoff),
        layered=False,
        sharp=("N-rec",),
    )


def _hd_sharp(base: Base) -> Declaration:
    return _on_gains(
        base,
        f"HD#-{base.name}",
        f"HD-{base.name} sharpened by node recall.",
        f"γ · N-rec + (1−γ) · HD-{base.name}, with N-rec = nodes covered in the first l / nodes and HD-{base.name} = "
        f"{_hd_formula(base)}",
        lambda scene, values, cutoff: _hd_score(base, scene, values, cutoff),
        layered=True,
        sharp=("N-rec", f"HD-{base.name}"),
    )


def _lad_sharp(base: Base) -> Declaration:
    def of_layers(scene: Scene, values: Values, cutoff: int | None) -> Floats:
        return _la_score(lambda *given: d_score(base, *given), scene, values, cutoff)

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
