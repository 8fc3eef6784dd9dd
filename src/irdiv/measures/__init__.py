"""Measures: the catalogue, operators and base measures as Python objects, and what is needed to declare a measure.

>>> from irdiv.measures import DSharp, IA, nDCG, ERR
>>> DSharp(nDCG, gamma=0.3) @ 10, IA(ERR) @ 20
(D#-nDCG(gamma=0.3)@10, ERR-IA@20)

``nDCG``, ``AP``, ``ERR``, ``P``, ``RBP``, ``RR``, ``Recall`` and ``Rprec`` are the objects of ir_measures; under an
operator they name the base measure of irdiv.
"""

from __future__ import annotations

from ir_measures import AP, ERR, RBP, RR, P, Rprec, nDCG
from ir_measures import R as Recall

from irdiv.kernels.lists import HitLists, safe_divide, value_at_cutoff
from irdiv.measures.base import BaseMeasure
from irdiv.measures.catalogue import registry
from irdiv.measures.compose import (
    EBR,
    GAP,
    HD,
    IA,
    LA,
    AllCovered,
    AlphaDCG,
    AlphanDCG,
    ARecall,
    Coverage,
    D,
    DSharp,
    HDSharp,
    Hit,
    IRec,
    LADSharp,
    LDSharp,
    MRecall,
    NRec,
    PPlus,
    Q,
    VitalCoverage,
    iRBU,
    nEBR,
    nERR,
    nGAP,
    niRBU,
)
from irdiv.measures.declaration import Declaration, Parameter, Score
from irdiv.measures.measure import Measure
from irdiv.measures.operators import declare_base
from irdiv.measures.parameters import GAIN, INTENTS, JUDGED_ONLY, REL, RENORMALIZE
from irdiv.measures.spec import parse
from irdiv.measures.values import ParameterValues

__all__ = [
    "AP",
    "EBR",
    "ERR",
    "GAIN",
    "GAP",
    "HD",
    "IA",
    "INTENTS",
    "JUDGED_ONLY",
    "LA",
    "RBP",
    "REL",
    "RENORMALIZE",
    "RR",
    "ARecall",
    "AllCovered",
    "AlphaDCG",
    "AlphanDCG",
    "BaseMeasure",
    "Coverage",
    "D",
    "DSharp",
    "Declaration",
    "HDSharp",
    "Hit",
    "HitLists",
    "IRec",
    "LADSharp",
    "LDSharp",
    "MRecall",
    "Measure",
    "NRec",
    "P",
    "PPlus",
    "Parameter",
    "ParameterValues",
    "Q",
    "Recall",
    "Rprec",
    "Score",
    "VitalCoverage",
    "declare_base",
    "iRBU",
    "nDCG",
    "nEBR",
    "nERR",
    "nGAP",
    "niRBU",
    "parse",
    "registry",
    "safe_divide",
    "value_at_cutoff",
]
