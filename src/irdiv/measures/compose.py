"""Operators as Python objects: ``DSharp(nDCG) @ 10`` is ``D#-nDCG@10``."""

from __future__ import annotations

from dataclasses import dataclass

import ir_measures
from ir_measures import AP as AP
from ir_measures import ERR as ERR
from ir_measures import RBP as RBP
from ir_measures import RR as RR
from ir_measures import P as P
from ir_measures import Rprec as Rprec
from ir_measures import nDCG as nDCG

from irdiv.errors import IrdivError
from irdiv.measures.catalogue import OTHER_NAMES, registry
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
    >>> LA(ir_measures.ERR_IA @ 20)
    ERR_IA-LA@20
    """

    pattern: str

    def __call__(self, base: ir_measures.Measure | str, **params: object) -> Measure:
        """Return the measure for a base given by name or as a measure of ir_measures or irdiv."""
        if not isinstance(base, str | ir_measures.Measure):
            raise IrdivError(f"a base measure is a name or a measure, as in DSharp(nDCG), not {base!r}.")
        given = base if isinstance(base, str) else (base.NAME or "").removeprefix("irdiv:")
        name = OTHER_NAMES.get(given, given)
        declaration = registry.get(self._name_of(name))
        if declaration is None:
            takes = [name for name in registry.bases if self._name_of(name) in registry]
            takes = takes or [name for name in registry if self._name_of(name) in registry][:12]
            reason = registry.why_undefined(self._name_of(name)) or f"M is one of {', '.join(takes)}."
            raise IrdivError(f"{self.pattern.format('M')} is not defined for {base}; {reason}")
        return Measure(declaration, **{**({} if isinstance(base, str) else base.params), **params})

    def _name_of(self, name: str) -> str:
        stem, at, fixed_cutoff = name.partition("@")
        return self.pattern.format(stem) + at + fixed_cutoff


Recall = ir_measures.R
IA = Operator("{}-IA")
D = Operator("D-{}")
DSharp = Operator("D#-{}")
HD = Operator("HD-{}")
LDSharp = Operator("LD#-{}")
HDSharp = Operator("HD#-{}")
LADSharp = Operator("LAD#-{}")
LA = Operator("{}-LA")

EBR, nEBR, GAP, nGAP, nERR, iRBU, niRBU, Hit, Q, PPlus = (
    Measure(registry[name]) for name in ("EBR", "nEBR", "GAP", "nGAP", "nERR", "iRBU", "niRBU", "Hit", "Q", "P+")
)
IRec, NRec, AlphaDCG, AlphanDCG = (Measure(registry[name]) for name in ("I-rec", "N-rec", "alpha-DCG", "alpha-nDCG"))
Coverage, AllCovered, VitalCoverage, ARecall, MRecall = (
    Measure(registry[name]) for name in ("Coverage", "All-covered", "Vital-coverage", "A-Recall", "MRecall")
)
