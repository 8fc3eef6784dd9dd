"""Reasons why an operator is not defined for a measure."""

from __future__ import annotations

from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration

_BASES = {base.name: base for base in BASES}
_ON_GAINS = ("D", "DIN", "HD")
_SHARPENED = ("D#", "DIN#", "LD#", "HD#", "LAD#")


def why_undefined(name: str) -> str | None:
    """Return why no measure has a name that puts a known measure under an operator; None for any other name.

    >>> why_undefined("P+Q-LA")
    'P+Q needs the types of intents, which the nodes of a layer do not have.'
    """
    if name.endswith("-LA"):
        return _why_not_on_layers(name.removesuffix("-LA"))
    if name.endswith("-IA"):
        return _why_no_base(name.removesuffix("-IA"), "IA")
    operator, _, measure = name.partition("-")
    if operator not in (*_ON_GAINS, *_SHARPENED):
        return None
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
        return f"{name} needs the types of intents, which the nodes of a layer do not have."
    return None


def _why_not_without_intents(name: str) -> str:
    example = f", as {name}-IA does in {name}-IA-LA" if name in _BASES else ""
    return f"{name} does not use intents, and M in M-LA must{example}."


def _why_no_base(name: str, operator: str) -> str | None:
    declaration = registry.get(name)
    if declaration is None:
        return why_undefined(name)
    return f"{operator} needs one of the base measures {', '.join(_BASES)}, and {name} {_kind(declaration)}."


def _kind(declaration: Declaration) -> str:
    return "is a measure of all intents already" if declaration.needs_intents else "is not one"
