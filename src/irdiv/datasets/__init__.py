"""Test collections: load and read them, and convert or write their qrels for other programs.

`load` takes collections of ir_datasets, ``read_*`` reads files of other forms, ``to_*`` converts qrels, and ``write_*``
writes files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irdiv.lazy import names_of_modules

if TYPE_CHECKING:
    from irdiv.datasets.collection import TestCollection
    from irdiv.datasets.export import to_adhoc, to_ir_measures, to_pyterrier, write_ndeval, write_ntcir
    from irdiv.datasets.heval_reader import read_heval
    from irdiv.datasets.heval_writer import write_heval
    from irdiv.datasets.imine import read_imine
    from irdiv.datasets.loading import load
    from irdiv.datasets.ntcir import read_ntcir_qrels
    from irdiv.datasets.trec_web import read_trec_web
    from irdiv.intents.probabilities import descending_weights

__all__ = [
    "TestCollection",
    "descending_weights",
    "load",
    "read_heval",
    "read_imine",
    "read_ntcir_qrels",
    "read_trec_web",
    "to_adhoc",
    "to_ir_measures",
    "to_pyterrier",
    "write_heval",
    "write_ndeval",
    "write_ntcir",
]

_MODULE_OF = {
    "TestCollection": "irdiv.datasets.collection",
    "descending_weights": "irdiv.intents.probabilities",
    "load": "irdiv.datasets.loading",
    "read_heval": "irdiv.datasets.heval_reader",
    "read_imine": "irdiv.datasets.imine",
    "read_ntcir_qrels": "irdiv.datasets.ntcir",
    "read_trec_web": "irdiv.datasets.trec_web",
    "to_adhoc": "irdiv.datasets.export",
    "to_ir_measures": "irdiv.datasets.export",
    "to_pyterrier": "irdiv.datasets.export",
    "write_heval": "irdiv.datasets.heval_writer",
    "write_ndeval": "irdiv.datasets.export",
    "write_ntcir": "irdiv.datasets.export",
}
# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:
    __getattr__, __dir__ = names_of_modules(__name__, _MODULE_OF)
