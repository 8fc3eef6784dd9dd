"""The base measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irdiv.checks import Boolean, Number, Optional, Thresholds, choice
from irdiv.errors import IrdivError
from irdiv.kernels import base as kernels
from irdiv.kernels.lists import (
    HitLists,
    count_relevant,
    jarvelin_kekalainen_discount,
    log_discount,
    safe_divide,
    value_at_cutoff,
)
from irdiv.measures.base import BaseMeasure, Curve, Norm
from irdiv.measures.declaration import Parameter
from irdiv.measures.parameters import (
    BETA_BLENDED,
    GAIN,
    GAIN_IF_GRADED,
    GAIN_OF_STOP,
    MAX_GRADE,
    REL,
    REL_IF_BINARY,
    STOP,
)
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats, Ints


def _stop(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    if lists.grade is None or params["stop"] == "linear":
        return kernels.stop_probability_by_gain(lists.gain, ideal)
    return kernels.stop_probability_by_grade(lists.grade, params["H"])


def _discount(lists: HitLists, params: ParameterValues) -> Floats:
    if params["discount"] == "jk":
        return jarvelin_kekalainen_discount(lists.max_rank, params["b"])
    return log_discount(lists.max_rank)


def _dcg(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.dcg_curve(lists, _discount(lists, params))


def _err(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.err_curve(lists.rank, _stop(lists, ideal, params))


def _ebr(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.ebr_curve(lists, ideal, _stop(lists, ideal, params), params["beta"])


def _irbu(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    return kernels.irbu_curve(lists, _stop(lists, ideal, params), params["p"])


def _step_weights(params: ParameterValues) -> Floats:
    """Return the weights p_1 … p_H of the steps of the grade scale."""
    thresholds, H = params["thresholds"], params["H"]
    if thresholds is None:
        return 2.0 * np.arange(1, H + 1)
    if thresholds == "uniform":
        return np.ones(H)
    if len(thresholds) < H:
        raise IrdivError(
            f"thresholds={thresholds!r} has weights for {len(thresholds)} steps of the scale, but the qrels have "
            f"grades up to {H}; give {H} weights."
        )
    return np.array(thresholds)


def _gap(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    assert lists.grade is not None
    return kernels.graded_average_precision_curve(lists.rank, lists.grade, _step_weights(params))


def _rbp(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    if lists.grade is None or params["graded"]:
        value = safe_divide(lists.gain, ideal.gain[..., :1])
    else:
        value = lists.relevant.astype(np.float64)
    return kernels.rbp_curve(lists, value, params["p"])


def _one(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> int:
    return 1


def _relevant_count(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    return count_relevant(ideal.relevant)


def _cutoff_or_relevant(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    R = count_relevant(ideal.relevant)
    return R if cutoff is None else np.minimum(cutoff, R)


def _ap_norm(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    norm = _cutoff_or_relevant if params["norm"] == "cutoff" else _relevant_count
    return norm(ideal, params, cutoff)


def _value_of_ideal(curve: Curve) -> Norm:
    """Return the norm that is the value of the ideal list itself."""

    def norm(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Floats:
        return value_at_cutoff(curve(ideal, ideal, params), ideal.rank, cutoff)

    return norm


def _cutoff_or_length(lists: HitLists, cutoff: int | None) -> Ints | int:
    return lists.length if cutoff is None else cutoff


def _gap_total(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Floats:
    assert ideal.grade is not None
    return kernels.graded_average_precision_total(ideal.grade, _step_weights(params))


_P = Parameter("p", 0.8, "persistence: the probability of going on to the next rank", Number(0, 1))
_P_OF_IRBU = replace(_P, default=0.99)
_GRADED = Parameter("graded", False, "use gain over the ideal's highest gain instead of 0 and 1", Boolean())
_NORM = Parameter(
    "norm", "relevant", "divide by R ('relevant') or by min(l, R) ('cutoff')", choice("relevant", "cutoff")
)
_DISCOUNT = Parameter(
    "discount", "log2", "'log2' for 1/log2(r + 1), 'jk' for 1/log_b r from rank b on", choice("log2", "jk")
)
_B = Parameter(
    "b",
    2.0,
    "base of the logarithm of discount='jk'",
    Number(1, 1e6, open_low=True),
    only_with=(("discount", "jk"),),
)

_THRESHOLDS = Parameter(
    "thresholds",
    None,
    "weights p_m of the steps of the grade scale: 'uniform' for 1 each, or a sequence p_1, p_2, … from the lowest "
    "grade; None for p_m = 2m, as in Sakai and Song's equation 5",
    Optional(Thresholds()),
)

_SAKAI_SONG = "Sakai and Song, SIGIR 2011"
_IRBU_REFERENCES = ("Sakai and Zeng, TOIS 39(2), 2020", "Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018 (RBU)")
_ERR = "Σ_{r≤l} (1/r)·Pr(r)·Π_{j<r}(1−Pr(j))"
_EBR = "Σ_{r≤l} (C(r)+β·cg(r))/(r+β·cg*(r)) · Pr(r)·Π_{j<r}(1−Pr(j))"
_IRBU = "Σ_{r≤l} p^r·Pr(r)·Π_{j<r}(1−Pr(j))"
_PR = "Pr(r) = (2^x−1)/2^H"
_PR_OF_GAINS = "Pr(r) = GG(r)/(g*+1)"
_OVER_IDEAL = "over the same of the ideal list"
_GAP = "Σ_{r≤l} (1/r) Σ_{j≤r} Σ_{m≤M} p_m, M = min(x(r),x(j))"
_P_M = "p_m = 2m by default, so that Σ_{m≤M} p_m = M(M+1)"
_GAP_DEFAULT = (
    "The default is equation 5 of Sakai and Song as printed: its M(M+1) weighs step m of the scale by m, although the "
    "text there says that all steps weigh the same, as they do in Robertson et al., thresholds='uniform'."
)
_NTCIREVAL_STOPS = "NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'."

BASES = (
    BaseMeasure(
        "nDCG",
        "Normalized discounted cumulative gain.",
        "Σ_{r≤l} g(r)/log2(r+1), over the same of the ideal list",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002", "Burges et al., ICML 2005 (discount log2(r+1))"),
        curve=_dcg,
        norm=_value_of_ideal(_dcg),
        parameters=(GAIN, _DISCOUNT, _B),
        parameters_on_gains=(_DISCOUNT, _B),
        adhoc_defaults={"gain": "linear"},
        other_programs="NTCIREVAL calls the default MSnDCG and discount='jk' nDCG, both with gain='linear'. trec_eval "
        "has gain='linear' and the default discount. ranx has both gains as ndcg and ndcg_burges.",
    ),
    BaseMeasure(
        "Q",
        "Q-measure: average precision on the blended ratio of precision and cumulative gain.",
        "1/min(l,R) · Σ_{r≤l} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r))",
        ("Sakai, SIGIR 2004", _SAKAI_SONG),
        curve=lambda lists, ideal, params: kernels.q_measure_curve(lists, ideal, params["beta"]),
        norm=_cutoff_or_relevant,
        parameters=(GAIN, REL, BETA_BLENDED),
        parameters_on_gains=(BETA_BLENDED,),
        standalone=True,
        other_programs="NTCIREVAL computes it with gain='linear'.",
    ),
    BaseMeasure(
        "P+",
        "P-plus: mean blended ratio down to the preferred rank, the first with the highest gain in the list.",
        "1/C(r_p) · Σ_{r≤r_p} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r)), r_p in the first l",
        ("Sakai, AIRS 2006",),
        curve=lambda lists, ideal, params: kernels.p_plus_curve(lists, ideal, params["beta"]),
        norm=_one,
        parameters=(GAIN, REL, BETA_BLENDED),
        parameters_on_gains=(BETA_BLENDED,),
        standalone=True,
        other_programs="NTCIREVAL computes it with gain='linear'.",
    ),
    BaseMeasure(
        "ERR",
        "Expected reciprocal rank of the document that satisfies the user.",
        f"{_ERR}, {_PR}",
        ("Chapelle et al., CIKM 2009",),
        curve=_err,
        reaches_one=False,
        norm=_one,
        parameters=(STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_on_gains=f"{_ERR}, {_PR_OF_GAINS}",
        standalone=True,
        other_programs="gdeval, which computes ERR inside ir_measures, fixes H = 4 (max_grade=4) and prints five "
        "digits. NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'.",
    ),
    BaseMeasure(
        "nERR",
        "Expected reciprocal rank over that of the ideal list.",
        f"{_ERR}, {_PR}, over the same of the ideal list",
        ("Chapelle et al., CIKM 2009", _SAKAI_SONG),
        curve=_err,
        norm=_value_of_ideal(_err),
        parameters=(STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_on_gains=f"{_ERR}, {_PR_OF_GAINS}, over the same of the ideal list",
        standalone=True,
        other_programs=_NTCIREVAL_STOPS,
    ),
    BaseMeasure(
        "GAP",
        "Graded average precision: each step of the grade scale is in turn the least grade that is relevant.",
        f"{_GAP}, over Σ_d Σ_{{m≤x}} p_m of all relevant documents; {_P_M}",
        ("Robertson, Kanoulas and Yilmaz, SIGIR 2010", _SAKAI_SONG),
        curve=_gap,
        norm=_gap_total,
        parameters=(_THRESHOLDS,),
        parameters_on_gains=None,
        standalone=True,
        other_programs=_GAP_DEFAULT,
    ),
    BaseMeasure(
        "nGAP",
        "Graded average precision over that of the ideal's first l.",
        f"{_GAP}, {_OVER_IDEAL}; {_P_M}",
        ("Robertson, Kanoulas and Yilmaz, SIGIR 2010", _SAKAI_SONG),
        curve=_gap,
        norm=_value_of_ideal(_gap),
        parameters=(_THRESHOLDS,),
        parameters_on_gains=None,
        standalone=True,
        other_programs=_GAP_DEFAULT,
    ),
    BaseMeasure(
        "AP",
        "Average precision.",
        "1/R · Σ_{r≤l} J(r)·C(r)/r",
        ("Buckley and Voorhees, SIGIR 2000",),
        curve=lambda lists, ideal, params: kernels.average_precision_curve(lists.relevant, lists.rank),
        norm=_ap_norm,
        parameters=(REL, _NORM),
        parameters_on_gains=(_NORM,),
        other_programs="trec_eval's map_cut divides by R too; NTCIREVAL's AP@l divides by min(l, R), norm='cutoff'.",
    ),
    BaseMeasure(
        "P",
        "Precision: the share of relevant documents among the first l.",
        "C(l)/l, also where the list is shorter; without a cutoff, over the length of the list",
        ("van Rijsbergen, Information Retrieval, 1979",),
        curve=lambda lists, ideal, params: kernels.cumulative_relevant(lists.relevant),
        reaches_one=False,
        norm=_one,
        list_norm=_cutoff_or_length,
        parameters=(REL,),
    ),
    BaseMeasure(
        "Recall",
        "The share of the relevant documents that are among the first l.",
        "C(l)/R",
        ("van Rijsbergen, Information Retrieval, 1979",),
        curve=lambda lists, ideal, params: kernels.cumulative_relevant(lists.relevant),
        norm=_relevant_count,
        parameters=(REL,),
    ),
    BaseMeasure(
        "RR",
        "Reciprocal rank of the first relevant document.",
        "1/r_1 if r_1 ≤ l, else 0",
        ("Kantor and Voorhees, Information Retrieval 2(2), 2000",),
        curve=lambda lists, ideal, params: kernels.first_relevant_curve(lists, 1.0 / lists.rank),
        norm=_one,
        parameters=(REL,),
    ),
    BaseMeasure(
        "Hit",
        "Whether there is a relevant document among the first l.",
        "1 if C(l) > 0, else 0",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=lambda lists, ideal, params: kernels.first_relevant_curve(lists, np.ones(lists.rank.shape)),
        norm=_one,
        parameters=(REL,),
        standalone=True,
        other_programs="trec_eval and ir_measures call it success.",
    ),
    BaseMeasure(
        "Rprec",
        "Precision at rank R.",
        "C(R)/R",
        ("Buckley and Voorhees, SIGIR 2000",),
        curve=lambda lists, ideal, params: kernels.relevant_in_first_R(lists, ideal),
        norm=_relevant_count,
        parameters=(REL,),
        takes_cutoff=False,
    ),
    BaseMeasure(
        "RBP",
        "Rank-biased precision.",
        "(1−p) Σ_{r≤l} p^{r−1} J(r), with graded=True g(r)/g* for J(r)",
        ("Moffat and Zobel, TOIS 27(1), 2008",),
        curve=_rbp,
        reaches_one=False,
        norm=_one,
        parameters=(_P, _GRADED, REL_IF_BINARY, GAIN_IF_GRADED),
        formula_on_gains="(1−p) Σ_{r≤l} p^{r−1} GG(r)/g*",
        parameters_on_gains=(_P,),
        standalone=True,
        other_programs="Inside ir_measures, cwl_eval computes RBP, on graded gains unless rel is given. "
        "NTCIREVAL has graded=True, p=0.95 and gain='linear'.",
    ),
    BaseMeasure(
        "EBR",
        "Expected blended ratio: ERR with the blended ratio for the reciprocal rank.",
        f"{_EBR}, {_PR}",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=_ebr,
        reaches_one=False,
        norm=_one,
        parameters=(GAIN, REL, BETA_BLENDED, STOP, MAX_GRADE),
        formula_on_gains=f"{_EBR}, {_PR_OF_GAINS}",
        parameters_on_gains=(BETA_BLENDED,),
        standalone=True,
        other_programs=_NTCIREVAL_STOPS,
    ),
    BaseMeasure(
        "nEBR",
        "Expected blended ratio over that of the ideal list.",
        f"{_EBR}, {_PR}, {_OVER_IDEAL}",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=_ebr,
        norm=_value_of_ideal(_ebr),
        parameters=(GAIN, REL, BETA_BLENDED, STOP, MAX_GRADE),
        formula_on_gains=f"{_EBR}, {_PR_OF_GAINS}, {_OVER_IDEAL}",
        parameters_on_gains=(BETA_BLENDED,),
        standalone=True,
        other_programs=_NTCIREVAL_STOPS,
    ),
    BaseMeasure(
        "iRBU",
        "Intentwise rank-biased utility: ERR with p^r for the reciprocal rank.",
        f"{_IRBU}, {_PR}",
        _IRBU_REFERENCES,
        curve=_irbu,
        reaches_one=False,
        norm=_one,
        parameters=(_P_OF_IRBU, STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_on_gains=f"{_IRBU}, {_PR_OF_GAINS}",
        parameters_on_gains=(_P_OF_IRBU,),
        standalone=True,
        other_programs=_NTCIREVAL_STOPS,
    ),
    BaseMeasure(
        "niRBU",
        "Intentwise rank-biased utility over that of the ideal list.",
        f"{_IRBU}, {_PR}, {_OVER_IDEAL}",
        _IRBU_REFERENCES,
        curve=_irbu,
        norm=_value_of_ideal(_irbu),
        parameters=(_P_OF_IRBU, STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_on_gains=f"{_IRBU}, {_PR_OF_GAINS}, {_OVER_IDEAL}",
        parameters_on_gains=(_P_OF_IRBU,),
        standalone=True,
        other_programs=_NTCIREVAL_STOPS,
    ),
    BaseMeasure(
        "CG",
        "Cumulative gain.",
        "Σ_{r≤l} g(r)",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002",),
        curve=lambda lists, ideal, params: kernels.cumulative_gain_curve(lists),
        reaches_one=False,
        norm=_one,
        parameters=(GAIN,),
        bounded=False,
        standalone=True,
    ),
    BaseMeasure(
        "DCG",
        "Discounted cumulative gain.",
        "Σ_{r≤l} g(r)/log2(r+1)",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002", "Burges et al., ICML 2005 (discount log2(r+1))"),
        curve=_dcg,
        reaches_one=False,
        norm=_one,
        parameters=(GAIN, _DISCOUNT, _B),
        parameters_on_gains=(_DISCOUNT, _B),
        bounded=False,
        standalone=True,
    ),
)
