"""Operators as Python objects: ``DSharp(nDCG) @ 10`` is ``D#-nDCG@10``."""

from __future__ import annotations

from dataclasses import dataclass

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv.measures.measure import Measure


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
    """

    pattern: str

    def __call__(self, base: ir_measures.Measure | str, **params: object) -> Measure:
        """Return the measure for a base given by name or as a measure of ir_measures or irdiv."""
        if not isinstance(base, str | ir_measures.Measure):
            raise IrdivError(f"a base measure is a name or a measure, as in DSharp(nDCG), not {base!r}.")
        name: str = base if isinstance(base, str) else base.NAME or ""
        name = {"R": "Recall"}.get(name, name)
        declaration = registry.get(self.pattern.format(name))
        if declaration is None:
            start, end = self.pattern.split("{}")
            takes = [n[len(start) : len(n) - len(end)] for n in registry if n.startswith(start) and n.endswith(end)]
            shown = [name for name in takes if name in _SHOWN] or takes[:12]
            raise IrdivError(f"{self.pattern.format('M')} is not defined for {base}; M is one of {', '.join(shown)}.")
        return Measure(declaration, **{**({} if isinstance(base, str) else base.params), **params})


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
