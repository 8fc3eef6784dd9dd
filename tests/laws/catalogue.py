"""What the catalogue has, for tests that hold for all of it: the one place that knows how irdiv stores its measures."""

from __future__ import annotations

from functools import cache

import irdiv
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration

NAMES = list(registry)
"""The names of all measures of runs."""
_EXTENSIONS = {base.name: registry.find(base.name) for base in BASES if not base.standalone}
DECLARATIONS: dict[str, Declaration] = {**registry, **_EXTENSIONS}
"""By name, also those that are irdiv's only with parameters that ir_measures lacks."""
BASE_MEASURES = {base.name: base for base in BASES}
ON_GAINS = [base.name for base in BASES if not base.needs_grades]
"""Base measures that are defined on gains of all intents together."""
SHARPENED = [base.name for base in BASES if not base.needs_grades and base.bounded]
TAKEN_BY = {"{}-IA": list(BASE_MEASURES)}
TAKEN_BY |= dict.fromkeys(["D-{}", "DIN-{}", "HD-{}"], ON_GAINS)
TAKEN_BY |= dict.fromkeys(["D#-{}", "DIN#-{}", "LD#-{}", "HD#-{}", "LAD#-{}"], SHARPENED)
"""The base measures for which each operator is defined."""


def at(name: str, cutoff: int | None) -> irdiv.measures.Measure:
    """Return a measure at a cutoff, if it takes one."""
    measure = irdiv.parse(name)
    return measure @ cutoff if cutoff and measure.declaration.takes_cutoff else measure


@cache
def everything(cutoffs: tuple[int | None, ...] = (None, 1, 5, 10)) -> tuple[irdiv.measures.Measure, ...]:
    """Return all measures at cutoffs."""
    return tuple(dict.fromkeys(at(name, cutoff) for name in NAMES for cutoff in cutoffs))


def with_other_parameters(highest_grade: int) -> list[irdiv.measures.Measure]:
    """Return all measures with each parameter set to each of its samples, one parameter at a time."""
    found = []
    for name in NAMES:
        measure = at(name, 5)
        for parameter in measure.declaration.parameters:
            samples = [s for s in parameter.samples if parameter.name != "max_grade" or s is None or s >= highest_grade]
            # One that counts only beside another parameter's value is tried beside it.
            beside = dict(parameter.only_with)
            found += [measure(**beside, **{parameter.name: sample}) for sample in samples]
    return list(dict.fromkeys(found))
