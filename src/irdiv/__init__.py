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
    from irdiv.evaluation import evaluate
    from irdiv.frames.intent_files import read_intents
    from irdiv.frames.intents import with_intents
    from irdiv.frames.trec import read_qrels, read_run
    from irdiv.hierarchy.sources import nested_intents, with_paths
    from irdiv.oracles import ideal_gaps, oracle
    from irdiv.plugins.ir_datasets_plugin import register_imine
    from irdiv.plugins.pyterrier_plugin import oracle_transformer
    from irdiv.results import Evaluation
    from irdiv.stats.agreement import concordance, correlate, tau_ap
    from irdiv.stats.compare import compare
    from irdiv.stats.paired import PairedTest, bootstrap_test, randomisation_test, t_test
    from irdiv.stats.power import DiscriminativePower, discriminative_power, power_by_topics, swap_rates
    from irdiv.traditional import gain_vectors, precision_recall, summary_statistics, user_measures
    from irdiv.views.hierarchy import Hierarchy

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
    "DiscriminativePower": "irdiv.stats.power",
    "Evaluation": "irdiv.results",
    "Hierarchy": "irdiv.views.hierarchy",
    "PairedTest": "irdiv.stats.paired",
    "TestCollection": "irdiv.datasets.irds",
    "bootstrap_test": "irdiv.stats.paired",
    "compare": "irdiv.stats.compare",
    "concordance": "irdiv.stats.agreement",
    "correlate": "irdiv.stats.agreement",
    "discriminative_power": "irdiv.stats.power",
    "evaluate": "irdiv.evaluation",
    "gain_vectors": "irdiv.traditional",
    "ideal_gaps": "irdiv.oracles",
    "load": "irdiv.datasets.irds",
    "nested_intents": "irdiv.hierarchy.sources",
    "oracle": "irdiv.oracles",
    "oracle_transformer": "irdiv.plugins.pyterrier_plugin",
    "power_by_topics": "irdiv.stats.power",
    "precision_recall": "irdiv.traditional",
    "randomisation_test": "irdiv.stats.paired",
    "read_heval": "irdiv.datasets.heval",
    "read_imine": "irdiv.datasets.imine",
    "read_intents": "irdiv.frames.intent_files",
    "read_ntcir_qrels": "irdiv.datasets.ntcir",
    "read_qrels": "irdiv.frames.trec",
    "read_run": "irdiv.frames.trec",
    "register_imine": "irdiv.plugins.ir_datasets_plugin",
    "summary_statistics": "irdiv.traditional",
    "swap_rates": "irdiv.stats.power",
    "t_test": "irdiv.stats.paired",
    "tau_ap": "irdiv.stats.agreement",
    "to_adhoc": "irdiv.datasets.export",
    "to_heval": "irdiv.datasets.heval",
    "to_ir_measures": "irdiv.datasets.export",
    "to_ndeval": "irdiv.datasets.export",
    "to_ntcir": "irdiv.datasets.export",
    "to_pyterrier": "irdiv.datasets.export",
    "user_measures": "irdiv.traditional",
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
    "DiscriminativePower",
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
    "PairedTest",
    "Q",
    "Recall",
    "Rprec",
    "TestCollection",
    "bootstrap_test",
    "compare",
    "concordance",
    "correlate",
    "discriminative_power",
    "evaluate",
    "gain_vectors",
    "hand_back",
    "ideal_gaps",
    "load",
    "nDCG",
    "nERR",
    "nGAP",
    "nested_intents",
    "oracle",
    "oracle_transformer",
    "parse",
    "power_by_topics",
    "precision_recall",
    "randomisation_test",
    "read_heval",
    "read_imine",
    "read_intents",
    "read_ntcir_qrels",
    "read_qrels",
    "read_run",
    "register_imine",
    "summary_statistics",
    "swap_rates",
    "t_test",
    "take_over",
    "tau_ap",
    "to_adhoc",
    "to_heval",
    "to_ir_measures",
    "to_ndeval",
    "to_ntcir",
    "to_pyterrier",
    "user_measures",
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
