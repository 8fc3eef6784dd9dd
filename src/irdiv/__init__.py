"""irdiv: the evaluation of diversified search, inside ir_measures and PyTerrier.

>>> import irdiv
>>> irdiv.parse("D#-nDCG@10")
D#-nDCG@10

After ``import irdiv``, ir_measures knows every spec of irdiv.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from ir_measures import AP, ERR, RBP, RR, P, Rprec, nDCG
from ir_measures import R as Recall

from irdiv.errors import IrdivError, IrdivWarning
from irdiv.measures.compose import HD, IA, LA, D, DSharp, HDSharp, LADSharp, LDSharp
from irdiv.measures.compose import measure as _measure
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import parse
from irdiv.plugins.ir_measures_plugin import hand_back, take_over
from irdiv.plugins.ir_measures_plugin import install as _install

if TYPE_CHECKING:
    from irdiv.arrays.collection import Collection
    from irdiv.datasets.export import to_adhoc, to_ir_measures, to_ndeval, to_ntcir, to_pyterrier
    from irdiv.datasets.heval import read_heval, to_heval
    from irdiv.datasets.imine import read_imine
    from irdiv.datasets.irds import TestCollection, load
    from irdiv.datasets.ntcir import read_ntcir_qrels
    from irdiv.evaluation import Evaluation, evaluate
    from irdiv.frames.intent_files import read_intents
    from irdiv.frames.intents import with_intents
    from irdiv.frames.trec import read_qrels, read_run
    from irdiv.hierarchy.sources import nested_intents, with_paths
    from irdiv.hierarchy.view import Hierarchy
    from irdiv.oracles import oracle
    from irdiv.plugins.ir_datasets_plugin import register_imine
    from irdiv.plugins.pyterrier_plugin import oracle_transformer

__version__ = "0.1.0"

Q = _measure("Q")
PPlus = _measure("P+")
nERR = _measure("nERR")
GAP = _measure("GAP")
nGAP = _measure("nGAP")
Hit = _measure("Hit")
EBR = _measure("EBR")
IRec = _measure("I-rec")
NRec = _measure("N-rec")
AlphaDCG = _measure("alpha-DCG")
AlphanDCG = _measure("alpha-nDCG")

_install()

# pandas takes longer to import than all the rest, and the catalogue does not need it.
_LAZY = {
    "Collection": "irdiv.arrays.collection",
    "Evaluation": "irdiv.evaluation",
    "Hierarchy": "irdiv.hierarchy.view",
    "TestCollection": "irdiv.datasets.irds",
    "evaluate": "irdiv.evaluation",
    "load": "irdiv.datasets.irds",
    "nested_intents": "irdiv.hierarchy.sources",
    "oracle": "irdiv.oracles",
    "oracle_transformer": "irdiv.plugins.pyterrier_plugin",
    "read_heval": "irdiv.datasets.heval",
    "read_imine": "irdiv.datasets.imine",
    "read_intents": "irdiv.frames.intent_files",
    "read_ntcir_qrels": "irdiv.datasets.ntcir",
    "read_qrels": "irdiv.frames.trec",
    "read_run": "irdiv.frames.trec",
    "register_imine": "irdiv.plugins.ir_datasets_plugin",
    "to_adhoc": "irdiv.datasets.export",
    "to_heval": "irdiv.datasets.heval",
    "to_ir_measures": "irdiv.datasets.export",
    "to_ndeval": "irdiv.datasets.export",
    "to_ntcir": "irdiv.datasets.export",
    "to_pyterrier": "irdiv.datasets.export",
    "with_intents": "irdiv.frames.intents",
    "with_paths": "irdiv.hierarchy.sources",
}

__all__ = [
    "AP",
    "EBR",
    "ERR",
    "GAP",
    "HD",
    "IA",
    "LA",
    "RBP",
    "RR",
    "AlphaDCG",
    "AlphanDCG",
    "Collection",
    "D",
    "DSharp",
    "Evaluation",
    "HDSharp",
    "Hierarchy",
    "Hit",
    "IRec",
    "IrdivError",
    "IrdivWarning",
    "LADSharp",
    "LDSharp",
    "Measure",
    "NRec",
    "P",
    "PPlus",
    "Q",
    "Recall",
    "Rprec",
    "TestCollection",
    "evaluate",
    "hand_back",
    "load",
    "nDCG",
    "nERR",
    "nGAP",
    "nested_intents",
    "oracle",
    "oracle_transformer",
    "parse",
    "read_heval",
    "read_imine",
    "read_intents",
    "read_ntcir_qrels",
    "read_qrels",
    "read_run",
    "register_imine",
    "take_over",
    "to_adhoc",
    "to_heval",
    "to_ir_measures",
    "to_ndeval",
    "to_ntcir",
    "to_pyterrier",
    "with_intents",
    "with_paths",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(_import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'irdiv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
