"""irdiv: the evaluation of diversified search, inside ir_measures and PyTerrier.

>>> import irdiv
>>> irdiv.parse("D#-nDCG@10")
D#-nDCG@10

After ``import irdiv``, ir_measures knows every spec of irdiv. What is used most is here; the rest is in the rooms
``irdiv.measures``, ``irdiv.datasets``, ``irdiv.stats``, ``irdiv.analysis``, ``irdiv.plots``, ``irdiv.report``,
``irdiv.rag``, ``irdiv.properties``, ``irdiv.plugins`` and ``irdiv.demo``.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from irdiv.errors import IrdivError, IrdivWarning
from irdiv.measures.compose import HD, IA, LA, D, DSharp, HDSharp, LADSharp, LDSharp
from irdiv.measures.measure import Measure
from irdiv.measures.spec import parse
from irdiv.plugins.ir_measures import install as _install
from irdiv.plugins.ir_measures import ndeval_provider, set_ndeval_provider
from irdiv.version import __version__ as __version__

if TYPE_CHECKING:
    from irdiv import analysis, datasets, demo, measures, plots, plugins, properties, rag, report, stats
    from irdiv.analysis.oracles import oracle
    from irdiv.datasets.collection import TestCollection
    from irdiv.datasets.loading import load
    from irdiv.evaluation.collection import Collection
    from irdiv.evaluation.evaluate import evaluate
    from irdiv.evaluation.results import Evaluation
    from irdiv.frames.trec import read_qrels, read_run
    from irdiv.intents.files import read_intents
    from irdiv.intents.folding import with_intents
    from irdiv.intents.nested import nested_intents, with_paths
    from irdiv.show.explain import explain, list_measures
    from irdiv.show.hierarchy import Hierarchy

__all__ = [
    "HD",
    "IA",
    "LA",
    "Collection",
    "D",
    "DSharp",
    "Evaluation",
    "HDSharp",
    "Hierarchy",
    "IrdivError",
    "IrdivWarning",
    "LADSharp",
    "LDSharp",
    "Measure",
    "TestCollection",
    "analysis",
    "datasets",
    "demo",
    "evaluate",
    "explain",
    "list_measures",
    "load",
    "measures",
    "ndeval_provider",
    "nested_intents",
    "oracle",
    "parse",
    "plots",
    "plugins",
    "properties",
    "rag",
    "read_intents",
    "read_qrels",
    "read_run",
    "report",
    "set_ndeval_provider",
    "stats",
    "with_intents",
    "with_paths",
]

_install()

# pandas takes longer to import than all the rest, and the catalogue does not need it.
_MODULE_OF = {
    "Collection": "irdiv.evaluation.collection",
    "Evaluation": "irdiv.evaluation.results",
    "Hierarchy": "irdiv.show.hierarchy",
    "TestCollection": "irdiv.datasets.collection",
    "evaluate": "irdiv.evaluation.evaluate",
    "explain": "irdiv.show.explain",
    "list_measures": "irdiv.show.explain",
    "load": "irdiv.datasets.loading",
    "nested_intents": "irdiv.intents.nested",
    "oracle": "irdiv.analysis.oracles",
    "read_intents": "irdiv.intents.files",
    "read_qrels": "irdiv.frames.trec",
    "read_run": "irdiv.frames.trec",
    "with_intents": "irdiv.intents.folding",
    "with_paths": "irdiv.intents.nested",
}

# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        if name not in __all__:
            raise AttributeError(f"module 'irdiv' has no attribute {name!r}")
        module = _import_module(_MODULE_OF.get(name, f"irdiv.{name}"))
        globals()[name] = getattr(module, name) if name in _MODULE_OF else module
        return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)
