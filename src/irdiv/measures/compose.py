"""Operators as Python objects: ``DSharp(nDCG) @ 10`` is ``D#-nDCG@10``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures import registry
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Measure


@dataclass(frozen=True)
class Operator:
    """Makes a diversity measure of a base measure, or of another one, which may carry parameters and a cutoff.

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

    def __call__(self, base: ir_measures.Measure | str, **params: Any) -> Measure:
        """Return the measure for a base given by name or as a measure of ir_measures or irdiv."""
        if not isinstance(base, str | ir_measures.Measure):
            raise IrdivError(f"a base measure is a name or a measure, as in DSharp(nDCG), not {base!r}.")
        name: str = base if isinstance(base, str) else base.NAME or ""
        name = {"R": "Recall"}.get(name, name)
        made = registry.get(self.pattern.format(name))
        if made is None:
            start, end = self.pattern.split("{}")
            takes = [n[len(start) : len(n) - len(end)] for n in registry if n.startswith(start) and n.endswith(end)]
            shown = [name for name in takes if name in _SHOWN] or takes[:12]
            raise IrdivError(f"{self.pattern.format('M')} is not defined for {base}; M is one of {', '.join(shown)}.")
        return Measure(made, **{**({} if isinstance(base, str) else base.params), **params})


_SHOWN = {base.name for base in BASES}

IA = Operator("{}-IA")
D = Operator("D-{}")
DSharp = Operator("D#-{}")
HD = Operator("HD-{}")
LDSharp = Operator("LD#-{}")
HDSharp = Operator("HD#-{}")
LADSharp = Operator("LAD#-{}")
LA = Operator("{}-LA")


def measure(name: str) -> Measure:
    """Return a measure of the catalogue without parameters."""
    return Measure(registry[name])
