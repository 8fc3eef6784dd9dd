"""Reasons why an operator is not defined for a measure."""

from __future__ import annotations

import ir_measures

from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry

_BASES = {base.name: base for base in BASES}
OTHER_NAMES = {"R": "Recall", "Success": "Hit"}
"""Base measures that ir_measures calls otherwise."""
_ON_GAINS = ("D", "DIN", "HD")
_SHARPENED = ("D#", "DIN#", "LD#", "HD#", "LAD#")


def why_undefined(name: str) -> str | None:
    """Return why no measure has a name that puts a known measure under an operator; None for any other name.

    >>> why_undefined("P+Q-LA")
    'P+Q needs the types of intents, which the nodes of a layer do not have.'
    """
    if name.endswith("-LA"):
        return _why_not_on_layers(name.removesuffix("-LA"))
    operator, _, measure = name.partition("-")
    if operator not in (*_ON_GAINS, *_SHARPENED):
        return _why_no_base(name.removesuffix("-IA"), "IA") if name.endswith("-IA") else None
    base = _BASES.get(measure)
    if base is None:
        return _why_no_base(measure, operator)
    if base.needs_grades:
        return "it needs grades, and under D there are only global gains."
    if operator in _SHARPENED and not base.bounded:
        return f"values of {measure} exceed 1, and I-rec and N-rec sharpen only what lies between 0 and 1."
    return None


def _why_not_on_layers(name: str) -> str | None:
    declaration = registry.get(name)
    if declaration is None:
        return _why_not_without_intents(name) if name in _BASES else why_undefined(name)
    if not declaration.needs_intents:
        return _why_not_without_intents(name)
    if "hierarchy" in declaration.by_name:
        return f"{name} is a measure of all layers already."
    if not declaration.on_layers:
        what = "importance" if declaration.needs_importance else "types"
        return f"{name} needs the {what} of intents, which the nodes of a layer do not have."
    return None


def _why_not_without_intents(name: str) -> str:
    example = f", as {name}-IA does in {name}-IA-LA" if name in _BASES else ""
    return f"{name} does not use intents, and M in M-LA must{example}."


def _why_no_base(name: str, operator: str) -> str | None:
    if name in OTHER_NAMES:
        return f"the base measure is called {OTHER_NAMES[name]}."
    declaration = registry.get(name)
    if declaration is None and name not in ir_measures.measures.registry:
        return why_undefined(name)
    bases = [
        base.name
        for base in BASES
        if operator == "IA" or (not base.needs_grades and (operator in _ON_GAINS or base.bounded))
    ]
    is_of_all_intents = declaration is not None and declaration.needs_intents
    kind = "is a measure of all intents already" if is_of_all_intents else "is not one"
    return f"{operator} needs one of the base measures {', '.join(bases)}, and {name} {kind}."
