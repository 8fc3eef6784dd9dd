"""Measures that ir_measures names and trec_eval computes, computed here on the highest grades over intents.

They keep ir_measures' names and values; a run that is compiled anyway need not be given to another program too.
"""

from __future__ import annotations

import ir_measures

from irdiv.measures.bases import BASES
from irdiv.measures.measure import Measure, is_of_ir_measures
from irdiv.measures.operators import declare_adhoc

_BASE_OF = {"nDCG": "nDCG", "AP": "AP", "P": "P", "RR": "RR", "R": "Recall", "Rprec": "Rprec", "Success": "Hit"}
# judged_only is not ours where it is True: to trec_eval a negative grade is none.
_DEFAULTS = (("dcg", "log2"), ("judged_only", False))
_WITHOUT_CUTOFF = ("RR", "Rprec")
_DECLARED = {base.name: declare_adhoc(base) for base in BASES if base.name in _BASE_OF.values()}

TREC_EVAL_NAMES = tuple(_BASE_OF)
"""The measures of ir_measures that have an equivalent of ours."""


def irdiv_equivalent(measure: ir_measures.Measure) -> Measure | None:
    """Return the irdiv measure with the values of a measure of ir_measures, or None."""
    if not is_of_ir_measures(measure) or measure.NAME not in _BASE_OF:
        return None
    params = {name: value for name, value in measure.params.items() if (name, value) not in _DEFAULTS}
    cut = "cutoff" in params and measure.NAME in _WITHOUT_CUTOFF
    if cut or not set(params) <= {"cutoff", "rel"}:
        return None
    return Measure(_DECLARED[_BASE_OF[measure.NAME]], **params)
