"""The base measures: one list, one need. Operators make diversity measures of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irdiv.errors import IrdivError, examples
from irdiv.kernels import base as kernels
from irdiv.kernels.lists import (
    Floats,
    Ints,
    Lists,
    at,
    count,
    jk_discount,
    log_discount,
    ordered_sum,
    ratio,
)
from irdiv.measures.declaration import Parameter, boolean, choice, number
from irdiv.measures.parameters import BETA_BLENDED, GAIN, GAIN_IF_GRADED, GAIN_OF_STOP, MAX_GRADE, REL, STOP

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Base:
    """A base measure: a curve over the hits of a list, divided by what the ideal list and the cutoff give."""

    name: str
    summary: str
    formula: str
    references: tuple[str, ...]
    curve: Callable[[Lists, Lists, Values], Floats] = field(repr=False)
    norm: Callable[[Lists, Lists, Values, int | None], Floats | Ints | int] = field(repr=False)
    parameters: tuple[Parameter, ...] = ()
    under_d: tuple[Parameter, ...] | None = ()
    """Parameters that remain where only global gains exist; None where the measure needs grades."""
    takes_cutoff: bool = True
    alone: bool = False
    """Whether the name, on its own, is ours and not one of ir_measures."""
    others: str = ""
    formula_of_gains: str = ""
    """The formula where only global gains exist, if it is another."""
    norm_needs_list: bool = False
    """Whether what divides the curve depends on the list, and not on the collection alone."""


def gain_table(gain: str | Mapping[int, float], levels: Ints) -> Floats:
    """Return the gain of each grade from 0 to the highest of the levels that occur."""
    max_grade = int(levels.max(initial=0))
    grades = np.arange(max_grade + 1)
    if gain == "linear":
        return grades.astype(np.float64)
    if gain == "exp":
        if max_grade > 1000:
            raise IrdivError(f"gain='exp' is 2^x − 1, which grades up to {max_grade} overflow; use gain='linear'.")
        return np.ldexp(1.0, grades) - 1.0
    assert not isinstance(gain, str)
    missing = [level for level in levels.tolist() if level not in gain]
    if missing:
        raise IrdivError(f"gain={gain!r} says nothing of the grades {examples(missing)} of the qrels.")
    return np.array([gain.get(grade, 0.0) for grade in grades.tolist()])


def _stop(lists: Lists, ideal: Lists, values: Values) -> Floats:
    if lists.grade is None or values["stop"] == "linear":
        return kernels.stop_by_gain(lists.gain, ideal)
    return kernels.stop_by_grade(lists.grade, values["H"])


def _discount(lists: Lists, values: Values) -> Floats:
    if values["discount"] == "jk":
        return jk_discount(lists.last, values["b"])
    return log_discount(lists.last)


def _dcg(lists: Lists, ideal: Lists, values: Values) -> Floats:
    return kernels.dcg(lists, _discount(lists, values))


def _err(lists: Lists, ideal: Lists, values: Values) -> Floats:
    return kernels.err(lists.rank, _stop(lists, ideal, values))


def _gap(lists: Lists, ideal: Lists, values: Values) -> Floats:
    assert lists.grade is not None
    return kernels.gap(lists.rank, lists.grade)


def _rbp(lists: Lists, ideal: Lists, values: Values) -> Floats:
    if lists.grade is None or values["graded"]:
        value = ratio(lists.gain, ideal.gain[..., :1])
    else:
        value = lists.relevant.astype(np.float64)
    return kernels.rbp(lists, value, values["p"])


def _one(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> int:
    return 1


def _relevant(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Ints:
    return count(ideal.relevant)


def _cutoff_or_relevant(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Ints:
    R = count(ideal.relevant)
    return R if cutoff is None else np.minimum(cutoff, R)


def _ap_norm(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Ints:
    norm = _cutoff_or_relevant if values["norm"] == "cutoff" else _relevant
    return norm(lists, ideal, values, cutoff)


def _of_ideal(curve: Callable[[Lists, Lists, Values], Floats]) -> Any:
    def norm(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Floats:
        return at(curve(ideal, ideal, values), ideal.rank, cutoff)

    return norm


def _cutoff_or_length(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Ints | int:
    return lists.length if cutoff is None else cutoff


def _gap_total(lists: Lists, ideal: Lists, values: Values, cutoff: int | None) -> Floats:
    assert ideal.grade is not None
    return ordered_sum(ideal.grade * (ideal.grade + 1.0))


_P = Parameter("p", 0.8, "persistence: the probability of going on to the next rank", number(0, 1))
_GRADED = Parameter("graded", False, "use gain over the ideal's highest gain instead of 0 and 1", boolean)
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
    number(1, 1e6, open_low=True),
    only_with=("discount", "jk"),
)

_SAKAI_SONG = "Sakai and Song, SIGIR 2011"
_ERR = "Σ_{r≤l} (1/r)·Pr(r)·Π_{j<r}(1−Pr(j))"
_EBR = "Σ_{r≤l} (C(r)+β·cg(r))/(r+β·cg*(r)) · Pr(r)·Π_{j<r}(1−Pr(j))"
_PR = "Pr(r) = (2^x−1)/2^H"
_PR_OF_GAINS = "Pr(r) = GG(r)/(g*+1)"

BASES = (
    Base(
        "nDCG",
        "Normalised discounted cumulative gain.",
        "Σ_{r≤l} g(r)/log2(r+1), over the same of the ideal list",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002", "Burges et al., ICML 2005 (discount log2(r+1))"),
        curve=_dcg,
        norm=_of_ideal(_dcg),
        parameters=(GAIN, _DISCOUNT, _B),
        under_d=(_DISCOUNT, _B),
        others="NTCIREVAL calls the default MSnDCG and discount='jk' nDCG, both with gain='linear'. trec_eval has "
        "gain='linear' and the default discount. ranx has both gains as ndcg and ndcg_burges.",
    ),
    Base(
        "Q",
        "Q-measure: average precision on the blended ratio of precision and cumulative gain.",
        "1/min(l,R) · Σ_{r≤l} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r))",
        ("Sakai, SIGIR 2004", _SAKAI_SONG),
        curve=lambda lists, ideal, v: kernels.q_measure(lists, ideal, v["beta"]),
        norm=_cutoff_or_relevant,
        parameters=(GAIN, REL, BETA_BLENDED),
        under_d=(BETA_BLENDED,),
        alone=True,
        others="NTCIREVAL computes it with gain='linear'.",
    ),
    Base(
        "P+",
        "P-plus: mean blended ratio down to the preferred rank, the first with the highest gain in the list.",
        "1/C(r_p) · Σ_{r≤r_p} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r)), r_p in the first l",
        ("Sakai, AIRS 2006",),
        curve=lambda lists, ideal, v: kernels.p_plus(lists, ideal, v["beta"]),
        norm=_one,
        parameters=(GAIN, REL, BETA_BLENDED),
        under_d=(BETA_BLENDED,),
        alone=True,
        others="NTCIREVAL computes it with gain='linear'.",
    ),
    Base(
        "ERR",
        "Expected reciprocal rank of the document that satisfies the user.",
        f"{_ERR}, {_PR}",
        ("Chapelle et al., CIKM 2009",),
        curve=_err,
        norm=_one,
        parameters=(STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_of_gains=f"{_ERR}, {_PR_OF_GAINS}",
        others="gdeval fixes H = 4. NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'.",
    ),
    Base(
        "nERR",
        "Expected reciprocal rank over that of the ideal list.",
        f"{_ERR}, {_PR}, over the same of the ideal list",
        ("Chapelle et al., CIKM 2009", _SAKAI_SONG),
        curve=_err,
        norm=_of_ideal(_err),
        parameters=(STOP, GAIN_OF_STOP, MAX_GRADE),
        formula_of_gains=f"{_ERR}, {_PR_OF_GAINS}, over the same of the ideal list",
        alone=True,
        others="NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'.",
    ),
    Base(
        "GAP",
        "Graded average precision with equal weight on every step of the grade scale.",
        "Σ_{r≤l} (1/r) Σ_{j≤r} M(M+1), M = min(x(r),x(j)), over Σ_d x(x+1) of all relevant documents",
        ("Robertson, Kanoulas and Yilmaz, SIGIR 2010",),
        curve=_gap,
        norm=_gap_total,
        under_d=None,
        alone=True,
    ),
    Base(
        "nGAP",
        "Graded average precision over that of the ideal's first l.",
        "Σ_{r≤l} (1/r) Σ_{j≤r} M(M+1), M = min(x(r),x(j)), over the same of the ideal list",
        ("Robertson, Kanoulas and Yilmaz, SIGIR 2010", _SAKAI_SONG),
        curve=_gap,
        norm=_of_ideal(_gap),
        under_d=None,
        alone=True,
    ),
    Base(
        "AP",
        "Average precision.",
        "1/R · Σ_{r≤l} J(r)·C(r)/r",
        ("Buckley and Voorhees, SIGIR 2000",),
        curve=lambda lists, ideal, v: kernels.average_precision(lists.relevant, lists.rank),
        norm=_ap_norm,
        parameters=(REL, _NORM),
        under_d=(_NORM,),
        others="trec_eval's map_cut divides by R too; NTCIREVAL's AP@l divides by min(l, R), norm='cutoff'.",
    ),
    Base(
        "P",
        "Precision: the share of relevant documents among the first l.",
        "C(l)/l, also where the list is shorter; without a cutoff, over the length of the list",
        ("van Rijsbergen, Information Retrieval, 1979",),
        curve=lambda lists, ideal, v: kernels.relevant_retrieved(lists.relevant),
        norm=_cutoff_or_length,
        norm_needs_list=True,
        parameters=(REL,),
    ),
    Base(
        "Recall",
        "The share of the relevant documents that are among the first l.",
        "C(l)/R",
        ("van Rijsbergen, Information Retrieval, 1979",),
        curve=lambda lists, ideal, v: kernels.relevant_retrieved(lists.relevant),
        norm=_relevant,
        parameters=(REL,),
    ),
    Base(
        "RR",
        "Reciprocal rank of the first relevant document.",
        "1/r_1 if r_1 ≤ l, else 0",
        ("Kantor and Voorhees, Information Retrieval 2(2), 2000",),
        curve=lambda lists, ideal, v: kernels.first_relevant(lists, 1.0 / lists.rank),
        norm=_one,
        parameters=(REL,),
    ),
    Base(
        "Hit",
        "Whether there is a relevant document among the first l.",
        "1 if C(l) > 0, else 0",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=lambda lists, ideal, v: kernels.first_relevant(lists, np.ones(lists.rank.shape)),
        norm=_one,
        parameters=(REL,),
        alone=True,
        others="trec_eval and ir_measures call it success.",
    ),
    Base(
        "Rprec",
        "Precision at rank R.",
        "C(R)/R",
        ("Buckley and Voorhees, SIGIR 2000",),
        curve=lambda lists, ideal, v: kernels.relevant_within_r(lists, ideal),
        norm=_relevant,
        parameters=(REL,),
        takes_cutoff=False,
    ),
    Base(
        "RBP",
        "Rank-biased precision.",
        "(1−p) Σ_{r≤l} p^{r−1} J(r), with graded=True g(r)/g* for J(r)",
        ("Moffat and Zobel, TOIS 27(1), 2008",),
        curve=_rbp,
        norm=_one,
        parameters=(_P, _GRADED, REL, GAIN_IF_GRADED),
        formula_of_gains="(1−p) Σ_{r≤l} p^{r−1} GG(r)/g*",
        under_d=(_P,),
        others="NTCIREVAL has graded=True, p=0.95 and gain='linear'.",
    ),
    Base(
        "EBR",
        "Expected blended ratio: ERR with the blended ratio for the reciprocal rank.",
        f"{_EBR}, {_PR}",
        ("Sakai, Laboratory Experiments in Information Retrieval, 2018",),
        curve=lambda lists, ideal, v: kernels.ebr(lists, ideal, _stop(lists, ideal, v), v["beta"]),
        norm=_one,
        parameters=(GAIN, REL, BETA_BLENDED, STOP, MAX_GRADE),
        formula_of_gains=f"{_EBR}, {_PR_OF_GAINS}",
        under_d=(BETA_BLENDED,),
        alone=True,
        others="NTCIREVAL stops with g/(g*+1), which is stop='linear' with gain='linear'.",
    ),
)
