"""Operators as Python objects: ``DSharp(nDCG) @ 10`` is ``D#-nDCG@10``."""

from __future__ import annotations

from dataclasses import dataclass

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv.measures.measure import Measure
from irdiv.measures.undefined import OTHER_NAMES, why_undefined


@dataclass(frozen=True)
class Operator:
    """An operator, which turns a measure with its parameters and cutoff into a diversity measure.

    >>> from ir_measures import nDCG, RBP
    >>> DSharp(nDCG) @ 10
    D#-nDCG@10
    >>> IA(RBP(p=0.95) @ 20)
    RBP-IA(p=0.95)@20
    >>> DSharp("Q", gamma=0.3)
    D#-Q(gamma=0.3)
    >>> LA(DSharp(nDCG) @ 10)
    D#-nDCG-LA@10
    >>> LA(ir_measures.ERR_IA @ 20)
    ERR_IA-LA@20
    """

    pattern: str

    def __call__(self, base: ir_measures.Measure | str, **params: object) -> Measure:
        """Return the measure for a base given by name or as a measure of ir_measures or irdiv."""
        if not isinstance(base, str | ir_measures.Measure):
            raise IrdivError(f"a base measure is a name or a measure, as in DSharp(nDCG), not {base!r}.")
        name = OTHER_NAMES.get(_name(base), _name(base))
        stem, at, fixed_cutoff = name.partition("@")
        declaration = registry.get(self.pattern.format(stem) + at + fixed_cutoff)
        if declaration is None:
            start, end = self.pattern.split("{}")
            takes = [n[len(start) : len(n) - len(end)] for n in registry if n.startswith(start) and n.endswith(end)]
            shown = [name for name in takes if name in _SHOWN] or takes[:12]
            reason = why_undefined(self.pattern.format(name)) or f"M is one of {', '.join(shown)}."
            raise IrdivError(f"{self.pattern.format('M')} is not defined for {base}; {reason}")
        return Measure(declaration, **{**({} if isinstance(base, str) else base.params), **params})


def _name(measure: ir_measures.Measure | str) -> str:
    if isinstance(measure, Measure):
        return measure.declaration.name
    return measure if isinstance(measure, str) else measure.NAME or ""


_SHOWN = {base.name for base in BASES}

IA = Operator("{}-IA")
D = Operator("D-{}")
DSharp = Operator("D#-{}")
HD = Operator("HD-{}")
LDSharp = Operator("LD#-{}")
HDSharp = Operator("HD#-{}")
LADSharp = Operator("LAD#-{}")
LA = Operator("{}-LA")


def _measure(name: str) -> Measure:
    return Measure(registry[name])


Q = _measure("Q")
PPlus = _measure("P+")
nERR = _measure("nERR")
GAP = _measure("GAP")
nGAP = _measure("nGAP")
Hit = _measure("Hit")
EBR = _measure("EBR")
nEBR = _measure("nEBR")
iRBU = _measure("iRBU")
niRBU = _measure("niRBU")
IRec = _measure("I-rec")
NRec = _measure("N-rec")
AlphaDCG = _measure("alpha-DCG")
AlphanDCG = _measure("alpha-nDCG")
Coverage = _measure("Coverage")
AllCovered = _measure("All-covered")
VitalCoverage = _measure("Vital-coverage")
ARecall = _measure("A-Recall")
MRecall = _measure("MRecall")
