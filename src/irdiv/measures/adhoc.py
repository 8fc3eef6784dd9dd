"""Measures that ir_measures names and trec_eval computes, computed here on the highest grades over intents.

They keep ir_measures' names and values; a run that is compiled anyway need not be given to another program too.
"""

from __future__ import annotations

from typing import Any

import ir_measures

from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Measure
from irdiv.measures.operators import alone

_BASE_OF = {"nDCG": "nDCG", "AP": "AP", "P": "P", "RR": "RR", "R": "Recall", "Rprec": "Rprec", "Success": "Hit"}
_FIXED: dict[str, dict[str, Any]] = {"nDCG": {"gain": "linear"}}
# judged_only is not ours where it is True: to trec_eval a negative grade is none.
_BY_DEFAULT = (("dcg", "log2"), ("judged_only", False))
_WITHOUT_CUTOFF = ("RR", "Rprec")
_DECLARED = {base.name: alone(base) for base in BASES if base.name in _BASE_OF.values()}


def stand_in(measure: ir_measures.Measure) -> Measure | None:
    """Return the measure of ours that has the values of one of ir_measures; None where there is none."""
    if isinstance(measure, Measure) or measure.NAME not in _BASE_OF:
        return None
    params = {name: value for name, value in measure.params.items() if (name, value) not in _BY_DEFAULT}
    cut = "cutoff" in params and measure.NAME in _WITHOUT_CUTOFF
    if cut or not set(params) <= {"cutoff", "rel"}:
        return None
    return Measure(_DECLARED[_BASE_OF[measure.NAME]], **params, **_FIXED.get(measure.NAME, {}))
