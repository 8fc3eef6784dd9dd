"""Base measures of precision and recall: binary, graded, and blended with gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irdiv.checks import Optional, Thresholds, choice
from irdiv.errors import IrdivError
from irdiv.kernels import base as kernels
from irdiv.kernels.lists import HitLists
from irdiv.measures.base import BaseMeasure, cutoff_or_relevant, one, relevant_count, value_of_ideal
from irdiv.measures.parameters import BETA_BLENDED, GAIN, REL, Parameter, ParameterValues
from irdiv.types import Floats, Ints


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


def _gap_total(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Floats:
    assert ideal.grade is not None
    return kernels.graded_average_precision_total(ideal.grade, _step_weights(params))


def _ap_norm(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    norm = cutoff_or_relevant if params["norm"] == "cutoff" else relevant_count
    return norm(ideal, params, cutoff)


def _cutoff_or_length(lists: HitLists, cutoff: int | None) -> Ints | int:
    return lists.length if cutoff is None else cutoff


_NORM = Parameter(
    "norm", "relevant", "divide by R ('relevant') or by min(l, R) ('cutoff')", choice("relevant", "cutoff")
)
_THRESHOLDS = Parameter(
    "thresholds",
    None,
    "weights p_m of the steps of the grade scale: 'uniform' for 1 each, or a sequence p_1, p_2, … from the lowest "
    "grade; None for p_m = 2m, as in Sakai and Song's equation 5",
    Optional(Thresholds()),
)
_SAKAI_SONG = "Sakai and Song, SIGIR 2011"
_GAP_SUM = "Σ_{r≤l} (1/r) Σ_{j≤r} Σ_{m≤M} p_m, M = min(x(r),x(j))"
_P_M = "p_m = 2m by default, so that Σ_{m≤M} p_m = M(M+1)"
_GAP = BaseMeasure(
    "GAP",
    "Graded average precision: each step of the grade scale is in turn the least grade that is relevant.",
    f"{_GAP_SUM}, over Σ_d Σ_{{m≤x}} p_m of all relevant documents; {_P_M}",
    ("Robertson, Kanoulas and Yilmaz, SIGIR 2010", _SAKAI_SONG),
    curve=_gap,
    norm=_gap_total,
    parameters=(_THRESHOLDS,),
    parameters_on_gains=None,
    standalone=True,
    other_programs="The default is equation 5 of Sakai and Song as printed: its M(M+1) weighs step m of the scale by "
    "m, although the text there says that all steps weigh the same, as they do in Robertson et al., "
    "thresholds='uniform'.",
)

BASES = (
    BaseMeasure(
        "Q",
        "Q-measure: average precision on the blended ratio of precision and cumulative gain.",
        "1/min(l,R) · Σ_{r≤l} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r))",
        ("Sakai, SIGIR 2004", _SAKAI_SONG),
        curve=lambda lists, ideal, params: kernels.q_measure_curve(lists, ideal, params["beta"]),
        norm=cutoff_or_relevant,
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
        norm=one,
        parameters=(GAIN, REL, BETA_BLENDED),
        parameters_on_gains=(BETA_BLENDED,),
        standalone=True,
        other_programs="NTCIREVAL computes it with gain='linear'.",
    ),
    _GAP,
    replace(
        _GAP,
        name="nGAP",
        summary="Graded average precision over that of the ideal's first l.",
        formula=f"{_GAP_SUM}, over the same of the ideal list; {_P_M}",
        norm=value_of_ideal(_gap),
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
        norm=one,
        list_norm=_cutoff_or_length,
        parameters=(REL,),
    ),
    BaseMeasure(
        "Recall",
        "The share of the relevant documents that are among the first l.",
        "C(l)/R",
        ("van Rijsbergen, Information Retrieval, 1979",),
        curve=lambda lists, ideal, params: kernels.cumulative_relevant(lists.relevant),
        norm=relevant_count,
        parameters=(REL,),
    ),
    BaseMeasure(
        "RR",
        "Reciprocal rank of the first relevant document.",
        "1/r_1 if r_1 ≤ l, else 0",
        ("Kantor and Voorhees, Information Retrieval 2(2), 2000",),
        curve=lambda lists, ideal, params: kernels.first_relevant_curve(lists, 1.0 / lists.rank),
        norm=one,
        parameters=(REL,),
    ),
    BaseMeasure(
        "Hit",
        "Whether there is a relevant document among the first l.",
        "1 if C(l) > 0, else 0",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=lambda lists, ideal, params: kernels.first_relevant_curve(lists, np.ones(lists.rank.shape)),
        norm=one,
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
        norm=relevant_count,
        parameters=(REL,),
        takes_cutoff=False,
    ),
)
