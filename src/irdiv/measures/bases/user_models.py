"""Base measures of users who stop at some rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irdiv.checks import Boolean, Number
from irdiv.kernels import base as kernels
from irdiv.kernels.lists import HitLists, safe_divide
from irdiv.measures.base import BaseMeasure, one, value_of_ideal
from irdiv.measures.parameters import (
    BETA_BLENDED,
    GAIN,
    GAIN_IF_GRADED,
    GAIN_OF_STOP,
    MAX_GRADE,
    REL,
    REL_IF_BINARY,
    STOP,
    Parameter,
    ParameterValues,
)
from irdiv.types import Floats


def _stop(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    if lists.grade is None or params["stop"] == "linear":
        return kernels.stop_probability_by_gain(lists.gain, ideal)
    return kernels.stop_probability_by_grade(lists.grade, params["H"])


def _err(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.err_curve(lists.rank, _stop(lists, ideal, params))


def _ebr(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.ebr_curve(lists, ideal, _stop(lists, ideal, params), params["beta"])


def _irbu(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.irbu_curve(lists, _stop(lists, ideal, params), params["p"])


def _rbp(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    if lists.grade is None or params["graded"]:
        value = safe_divide(lists.gain, ideal.gain[..., :1])
    else:
        value = lists.relevant.astype(np.float64)
    return kernels.rbp_curve(lists, value, params["p"])


def _over_ideal(base: BaseMeasure, summary: str, *references: str) -> BaseMeasure:
    """Return a base measure over its value of the ideal list, as nERR for ERR."""
    return replace(
        base,
        name=f"n{base.name}",
        summary=summary,
        formula=f"{base.formula}, over the same of the ideal list",
        formula_on_gains=f"{base.formula_on_gains}, over the same of the ideal list",
        references=(*base.references, *references),
        norm=value_of_ideal(base.curve),
        reaches_one=True,
        other_programs=_NTCIREVAL_STOPS,
    )


_P = Parameter("p", 0.8, "persistence: the probability of going on to the next rank", Number(0, 1))
_P_OF_IRBU = replace(_P, default=0.99)
_GRADED = Parameter("graded", False, "use gain over the ideal's highest gain instead of 0 and 1", Boolean())
_STOPS = "Pr(r)·Π_{j<r}(1−Pr(j))"
_PR = "Pr(r) = (2^x−1)/2^H"
_PR_OF_GAINS = "Pr(r) = GG(r)/(g*+1)"
_NTCIREVAL_STOPS = "NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'."

_ERR = BaseMeasure(
    "ERR",
    "Expected reciprocal rank of the document that satisfies the user.",
    f"Σ_{{r≤l}} (1/r)·{_STOPS}, {_PR}",
    ("Chapelle et al., CIKM 2009",),
    curve=_err,
    reaches_one=False,
    norm=one,
    parameters=(STOP, GAIN_OF_STOP, MAX_GRADE),
    formula_on_gains=f"Σ_{{r≤l}} (1/r)·{_STOPS}, {_PR_OF_GAINS}",
    standalone=True,
    other_programs="gdeval, which computes ERR inside ir_measures, fixes H = 4 (max_grade=4) and prints five digits. "
    + _NTCIREVAL_STOPS,
)
_EBR_TERM = f"(C(r)+β·cg(r))/(r+β·cg*(r)) · {_STOPS}"
_EBR = BaseMeasure(
    "EBR",
    "Expected blended ratio: ERR with the blended ratio for the reciprocal rank.",
    f"Σ_{{r≤l}} {_EBR_TERM}, {_PR}",
    ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
    curve=_ebr,
    reaches_one=False,
    norm=one,
    parameters=(GAIN, REL, BETA_BLENDED, STOP, MAX_GRADE),
    formula_on_gains=f"Σ_{{r≤l}} {_EBR_TERM}, {_PR_OF_GAINS}",
    parameters_on_gains=(BETA_BLENDED,),
    standalone=True,
    other_programs=_NTCIREVAL_STOPS,
)
_IRBU = BaseMeasure(
    "iRBU",
    "Intentwise rank-biased utility: ERR with p^r for the reciprocal rank.",
    f"Σ_{{r≤l}} p^r·{_STOPS}, {_PR}",
    ("Sakai and Zeng, TOIS 39(2), 2020", "Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018 (RBU)"),
    curve=_irbu,
    reaches_one=False,
    norm=one,
    parameters=(_P_OF_IRBU, STOP, GAIN_OF_STOP, MAX_GRADE),
    formula_on_gains=f"Σ_{{r≤l}} p^r·{_STOPS}, {_PR_OF_GAINS}",
    parameters_on_gains=(_P_OF_IRBU,),
    standalone=True,
    other_programs=_NTCIREVAL_STOPS,
)
_RBP = BaseMeasure(
    "RBP",
    "Rank-biased precision.",
    "(1−p) Σ_{r≤l} p^{r−1} J(r), with graded=True g(r)/g* for J(r)",
    ("Moffat and Zobel, TOIS 27(1), 2008",),
    curve=_rbp,
    reaches_one=False,
    norm=one,
    parameters=(_P, _GRADED, REL_IF_BINARY, GAIN_IF_GRADED),
    formula_on_gains="(1−p) Σ_{r≤l} p^{r−1} GG(r)/g*",
    parameters_on_gains=(_P,),
    standalone=True,
    other_programs="Inside ir_measures, cwl_eval computes RBP, on graded gains unless rel is given. "
    "NTCIREVAL has graded=True, p=0.95 and gain='linear'.",
)

BASES = (
    _ERR,
    _over_ideal(_ERR, "Expected reciprocal rank over that of the ideal list.", "Sakai and Song, SIGIR 2011"),
    _RBP,
    _EBR,
    _over_ideal(_EBR, "Expected blended ratio over that of the ideal list."),
    _IRBU,
    _over_ideal(_IRBU, "Intentwise rank-biased utility over that of the ideal list."),
)
