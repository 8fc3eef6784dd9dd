"""Values with their sums written out on a few documents, and those printed in the papers."""

from __future__ import annotations

from math import log2

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import TOPIC_85, by_intents, ranked, value
from irdiv import IrdivError


def judged(rows: dict[str, dict[str, int]], **columns) -> pd.DataFrame:
    """Return qrels of topic 85 from document to intent to grade, with columns that describe intents."""
    table = [("85", intent, doc, grade) for doc, of in rows.items() for intent, grade in of.items()]
    qrels = pd.DataFrame(table, columns=["query_id", "intent_id", "doc_id", "relevance"])
    if not columns:
        return qrels
    return irdiv.with_intents(qrels, pd.DataFrame(columns).rename_axis("intent_id").reset_index().assign(query_id="85"))


def score(qrels, docs: str, spec, **parameters) -> float:
    return value(qrels, ranked(docs.split()), spec, **parameters)


TWO = judged({"a": {"i": 1}, "A": {"i": 1}, "b": {"j": 1}, "B": {"j": 1}})
GRADED = judged({"a": {"i": 2}, "A": {"i": 1}, "b": {"j": 2}})
LOW_FIRST = judged({"a": {"i": 1}, "A": {"i": 2}, "b": {"j": 1}})
DEEP = judged({d: {"i": 3} for d in "abc"})
MANY = judged({f"d{n}": {"i": 1} for n in range(9)})
FINE = judged({f"d{n}": {"i": 1} for n in range(9)} | {"e": {"j": 10}})
SKEWED = judged({"a": {"i": 1}, "b": {"j": 1}}, probability={"i": 0.9, "j": 0.1})
THRESHOLD = judged({"a": {"i": 1}, "b": {"i": 2}, "c": {"j": 3}})
TYPED = judged(
    {"a": {"i": 1}, "A": {"i": 1}, "b": {"j": 1}, "B": {"j": 1}},
    probability={"i": 0.5, "j": 0.5},
    type={"i": "nav", "j": "inf"},
)
# the shortest cover is {ab, cx}; greedy would take abc first
COVER = judged({"abc": dict.fromkeys("bcx", 1), "ab": dict.fromkeys("ab", 1), "cx": dict.fromkeys("cx", 1)})
# MIR's first example: ten relevant documents, found at ranks 1, 3, 6, 10 and 15
MIR = judged({f"d{n}": {"0": int(n not in (84, 6))} for n in (3, 5, 9, 25, 39, 44, 56, 71, 89, 123, 84, 6)})
RUN = "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3"
F_AT_5 = 5 / (4 / 0.2 + 1 / 0.4)
IDEAL = 0.5 + 0.5 / log2(3)
# d answers 1 well and 2 a little, e answers 2: GG(d) = .8·3 + .2·1 = 2.6, GG(e) = .2·1 = .2
GAINS = judged({"d": {"1": 2, "2": 1}, "e": {"2": 1}}, probability={"1": 0.8, "2": 0.2})
D_NDCG = (2.6 / log2(3)) / (2.6 + 0.2 / log2(3))
# Pr = 2.6/3.6, .2/3.6
D_IRBU = 0.99**2 * 2.6 / 3.6 + 0.99**3 * 0.2 / 3.6 * 1 / 3.6
STOP = judged({"x": {"a": 2}, "y": {"b": 1}}, probability={"a": 0.5, "b": 0.5})
LIKELY = judged({"a": {"1": 1}, "b": {"2": 1}}, probability={"1": 0.8, "2": 0.2})
SHARED = judged({"a": {"1": 1, "2": 1}, "b": {"1": 1}}, probability={"1": 0.8, "2": 0.2})
EXACT = 1 - 0.6 * 0.9 + 0.8 / 4 / log2(3)
ONE = judged({"d": {"1": 2}})
FOUR = judged({"d": {"1": 2}, "p": {"2": 1}, "q": {"3": 1}, "r": {"4": 1}})
NEVER = judged({"a": {"1": 1}}, probability={"1": 0.5, "2": 0.5})
ZERO = judged({"a": {"1": 1}, "b": {"0": 0}})
HIGHEST = judged({"a": {"1": 1, "2": 2}})

CUBE_TEST = [
    # the example of the properties paper: CT(a) = ½·(½·1)/5 = .05, CT(ab) = .1, CT(abx) = .1
    (TWO, "a b", {"CT": 0.1, "ACT": 0.075}),
    (TWO, "a b x", {"CT": 0.1, "ACT": 0.25 / 3, "ACT@2": 0.075}),
    # repeated intents fill less: heights ½ + ¼ of i, p = ½: ½ · ¾ / 5; γ = .8: .8 + .64
    (TWO, "a A", {"CT": 0.075, "CT(gamma=0.8)": 0.5 * 1.44 / 5}),
    # a full intent gains no more: 3γ + 3γ² + … reaches MH = 2 with the second document
    (DEEP, "a", {"CT(height=2)": 1.5 / 2}),
    (DEEP, "a b", {"CT(height=2)": 1}),
    (DEEP, "a b c", {"CT(height=2)": 1}),
    # time by documents, prefixes: .05/1, .1/2, .1/3, .1/4
    (TWO, "a b x y", {"CT(time='rank')": 0.1 / 4, "ACT(time='rank')": (0.05 + 0.1 / 2 + 0.1 / 3 + 0.1 / 4) / 4}),
    # normalized by two documents of each intent: ½·(1 + ½)/5 for each; by the six best: Σ_{j<6} ½^j = 63/32
    (TWO, "a b", {"nCT": 0.1 / (1.5 / 5)}),
    (MANY, "d0", {"nCT": (0.5 / 5) / (63 / 32 / 5)}),
    (THRESHOLD, "b c", {"nCT(rel=2)": 0.5}),
    # the paper's form, H = 2: ½·(1·1 + ½·½) for i and ½·1 for j; with height 1, i is full after the first document
    (GRADED, "a A b", {"CT(form='paper')": 1.125, "CT(form='paper',time='rank')": 1.125 / 3}),
    (GRADED, "a A b", {"CT(form='paper',height=1)": 0.5 * 1 + 0.5}),
    # tenths of grades add up to .8 only but for rounding
    (FINE, " ".join(f"d{n}" for n in range(9)), {"CT(form='paper',height=0.8,gamma=1)": 0.5 * 0.8}),
    (SKEWED, "a", {"CT": 0.05, "CT(weighted=True)": 0.09}),
]
RANK_BIASED_UTILITY = [
    # H = 1 in each intent: R = ½. ½·(1−p)·½ for a, and p times that for b, less e·(1 − p²)
    (TWO, "a b", {"RBU": 0.5 * 0.2 * 0.5 + 0.5 * 0.2 * 0.8 * 0.5 - 0.03 * (1 - 0.8**2)}),
    # satisfied users gain less from the second document of i: p·½·(1 − ½)
    (TWO, "a A", {"RBU": 0.5 * 0.2 * (0.5 + 0.8 * 0.25) - 0.03 * (1 - 0.64)}),
    # reading in vain costs
    (TWO, "x y", {"RBU(e=0.1)": -0.1 * 0.36, "RBU(e=0.1)@1": -0.1 * 0.2}),
    # the highest grade is that of the intent: R_i(a) = 1/4, R_j(b) = 1/2
    (LOW_FIRST, "a", {"RBU(e=0)": 0.5 * 0.2 / 4}),
    (LOW_FIRST, "b", {"RBU(e=0)": 0.5 * 0.2 / 2, "RBU(e=0,max_grade=3)": 0.5 * 0.2 / 8}),
]
NAVIGATIONAL = [
    # a navigational intent gains once. D: ½, ½ of the ideal ½ ½; DIN: ½, 0
    (TYPED, "a A", {"D-nDCG@2": 1, "DIN-nDCG@2": 0.5 / IDEAL, "DIN#-nDCG@2": (0.5 + 0.5 / IDEAL) / 2}),
    (TYPED, "b B", {"D-nDCG@2": 1, "DIN-nDCG@2": 1}),
]
SET_COVER = [
    # all of a, b, c, x: 2 documents at best, here at rank 4; half of the intents: one document does
    (COVER, "abc u ab cx", {"S-precision": 2 / 3}),
    (COVER, "ab cx", {"S-precision": 1, "S-recall@min": 1, "WS-precision": 1}),
    (COVER, "ab u", {"S-precision": 0}),
    (COVER, "u ab", {"S-precision(recall=0.5)": 1 / 2}),
    # K* = 2: a and b of four intents are covered
    (COVER, "u ab cx", {"S-precision@2": 0, "S-recall@min": 2 / 4, "I-rec@2": 2 / 4}),
    (COVER, "u u2 ab cx", {"S-recall@min": 0}),
    # cost of ab, cx: 2·1 + 4·1; of abc, u, ab: 3 documents and 5 mentions
    (COVER, "abc u ab cx", {"WS-precision": 6 / 8}),
    (COVER, "abc ab", {"WS-precision(b=2)": (2 + 8) / (2 + 10)}),
]
TEXTBOOK = [
    # at 10: recall 4/10, precision 4/10
    (MIR, RUN, {"F@10": 0.4, "E@10": 0.6}),
    # at 5: recall .2, precision .4: 2/(1/.2 + 1/.4); b = 2: 5/(4/.2 + 1/.4)
    (MIR, RUN, {"F@5": 2 / (1 / 0.2 + 1 / 0.4), "F(b=2)@5": F_AT_5, "E(b=2)@5": 1 - F_AT_5}),
    (MIR, "x y", {"F": 0, "E": 1}),
    # in the book .57: (1 + .66 + .5 + .4 + .33)/5
    (MIR, RUN, {"AP-seen": (1 + 2 / 3 + 3 / 6 + 4 / 10 + 5 / 15) / 5}),
    # d84 and d6 are judged irrelevant; R = 10: d123 has none above, d56 one, d9, d25 and d3 two
    (MIR, RUN, {"bpref-R": (1 + 0.9 + 3 * 0.8) / 10, "bpref-10": (1 + (1 - 1 / 20) + 3 * (1 - 2 / 20)) / 10}),
    # trec_eval divides by the smaller of R and the number judged irrelevant
    (MIR, RUN, {"Bpref": (1 + 0.5 + 3 * 0) / 10}),
]
D_MEASURES = [
    # list x d: I-rec 2/2
    (GAINS, "x d", {"D-nDCG@10": D_NDCG, "D#-nDCG@10": (1 + D_NDCG) / 2, "D#-nDCG(gamma=0.3)@10": 0.3 + 0.7 * D_NDCG}),
    # linear: GG(d) = .8·2 + .2 = 1.8; {1: 10, 2: 20}: GG(d) = .8·20 + .2·10 = 18
    (GAINS, "x d", {"D-nDCG(gain='linear')@10": (1.8 / log2(3)) / (1.8 + 0.2 / log2(3))}),
    (GAINS, "x d", {"D-nDCG(gain={1: 10, 2: 20})@10": (18 / log2(3)) / (18 + 2 / log2(3))}),
    # one relevant document at rank 2: C = 1, cg = 2.6, cg*(2) = 2.8; R = 2
    (GAINS, "x d", {"D-Q@10": (1 + 2.6) / (2 + 2.8) / 2, "D-Q(beta=0)@10": 1 / 2 / 2}),
    # the gain over the highest gain plus one
    (GAINS, "x d", {"D-ERR@10": 2.6 / 3.6 / 2}),
    # iRBU: the ideal list has the two documents one rank above
    (GAINS, "x d e", {"D-iRBU@3": D_IRBU, "D-niRBU@3": 0.99, "D#-iRBU@3": (1 + D_IRBU) / 2}),
    (GAINS, "x d e", {"D-CG": 2.8, "D-DCG@2": 2.6 / log2(3), "CG-IA": 0.8 * 3 + 0.2 * 2}),
]
INTENT_AWARE = [
    # case G of Sakai and Song: one L2 document at rank 2 is the only relevant one; three other intents see nothing
    (ONE, "x d", {"nDCG-IA@10": 1 / log2(3)}),
    (FOUR, "x d", {"nDCG-IA@10": 1 / log2(3) / 4}),
    # h = 2; intent 1: d at rank 1 stops with 3/4; intent 2: d with 1/4, then e with 1/4
    (GAINS, "d e", {"ERR-IA": 0.8 * 3 / 4 + 0.2 * (1 / 4 + 3 / 4 * 1 / 4 / 2)}),
    # h = 4
    (GAINS, "d e", {"ERR-IA(max_grade=4)": 0.8 * 3 / 16 + 0.2 * (1 / 16 + 15 / 16 * 1 / 16 / 2)}),
    # (2^x − 1) / 2^H with H = 2: 3/4 at rank 1 and 1/4 at rank 2
    (STOP, "x y", {"ERR-IA@2": (3 / 4 + 1 / 4 / 2) / 2}),
    # g / (g* + 1): 3/4 and 1/2, with linear gains 2/3 and 1/2
    (STOP, "x y", {"ERR-IA(stop='linear')@2": (3 / 4 + 1 / 2 / 2) / 2}),
    (STOP, "x y", {"ERR-IA(stop='linear',gain='linear')@2": (2 / 3 + 1 / 2 / 2) / 2}),
    # the discount of Järvelin and Kekäläinen leaves the first two ranks alone
    (by_intents(dict.fromkeys("abc", "1")), "a x b", {
        "nDCG-IA(discount=jk)@3": (1 + 1 / log2(3)) / (1 + 1 + 1 / log2(3)),
    }),
    (by_intents(dict.fromkeys("abcd", "1")), "x a y b", {
        "P-IA@10": 2 / 10, "P-IA": 2 / 4, "Recall-IA@2": 1 / 4, "RR-IA": 1 / 2, "RR-IA@1": 0, "Hit-IA@2": 1,
        "Rprec-IA": 2 / 4, "AP-IA": (1 / 2 + 2 / 4) / 4, "AP-IA(norm='cutoff')@2": 1 / 2 / 2,
        "RBP-IA": 0.2 * (0.8 + 0.8**3),
    }),
    # intents without relevant documents count only with intents='all'; subtopic 0 without them is no intent
    (NEVER, "a", {"I-rec@1": 1, "I-rec(intents='all')@1": 0.5, "P-IA@1": 1, "P-IA(renormalize=False)@1": 0.5}),
    (ZERO, "a", {"I-rec(intents='all')@1": 1}),
    # with rel=2 only d for intent 1 is relevant, so intent 2 is gone
    (GAINS, "e", {"I-rec(rel=2)": 0}),
    (GAINS, "d e", {"I-rec(rel=2)": 1, "P-IA(rel=2)@2": 0.5}),
]  # fmt: skip
GRADES_12 = {"85": {"a": 1, "b": 2}}
GRADES_120 = {"85": {"a": 1, "b": 2, "c": 0}}
GRADES_122 = {"85": {"a": 1, "b": 2, "c": 2}}
AD_HOC = [
    # grades 1, 2: rank 1: M(M+1) = 2; rank 2: (min(2,1): 2) + (2·3 = 6), halved; over 2 + 6
    (GRADES_12, "a b", {"GAP": (2 + (2 + 6) / 2) / 8, "GAP@1": 2 / 8, "nGAP@1": 2 / 6, "GAP(thresholds=(1,2))": 6 / 8}),
    # Σ_{m≤M} p_m is 1 for M = 1 and 2 for M = 2 with "uniform", .3 and 1 with (.3, .7)
    (GRADES_12, "a b", {"GAP(thresholds='uniform')": (1 + (1 + 2) / 2) / 3, "nGAP(thresholds='uniform')@1": 1 / 2}),
    (GRADES_12, "a b", {"GAP(thresholds=(0.3,0.7))": (0.3 + (0.3 + 1) / 2) / 1.3, "nGAP(thresholds=(0.3,0.7))@1": 0.3}),
    # grade 1 of a scale up to 1 stops with Pr = ½; at rank 3: .99³ · ½; the ideal has it at rank 1
    ({"85": {"a": 1}}, "x y a", {"iRBU@3": 0.4851495, "iRBU@2": 0, "iRBU(p=0.5)": 1 / 16, "niRBU": 0.99**2}),
    # one document of gain 1 with Pr = ½ at rank 2: blended ratio (1 + 1)/(2 + 1); the ideal has 1 at rank 1
    ({"85": {"a": 1}}, "x a", {"EBR": 2 / 3 / 2, "nEBR": 2 / 3}),
    # gains 3, 1 at ranks 2, 3
    (GRADES_12, "x b a", {"CG@2": 3, "CG(gain='linear')": 3, "CG": 4, "DCG@3": 3 / log2(3) + 1 / 2}),
    (GRADES_12, "x b a", {"DCG(discount='jk')@3": 3 + 1 / log2(3)}),
    # gains 1, 3, 3 at ranks 1 … 3; ideal 3, 3, 1. r_p = 2: mean of (1+1)/(1+3) and (2+4)/(2+6)
    (GRADES_122, "a b c", {"P+": (2 / 4 + 6 / 8) / 2, "P+@1": 2 / 4}),
    (GRADES_122, "x", {"P+": 0}),
    # H = 2: a stops with 1/4 at rank 2, b with 3/4 at rank 3; H = 4: 1/16 and 3/16
    (GRADES_120, "x a b c", {
        "ERR": 1 / 4 / 2 + 3 / 4 * 3 / 4 / 3, "ERR@5000": 1 / 4 / 2 + 3 / 4 * 3 / 4 / 3, "ERR@2": 1 / 4 / 2,
        "ERR(max_grade=4)@10": 1 / 16 / 2 + 15 / 16 * 3 / 16 / 3,
        "RBP": 0.2 * (0.8 + 0.8**2), "RBP(p=0.5)@2": 0.5 * 0.5, "RBP(rel=2)": 0.2 * 0.8**2,
        # gains 1 and 3 over 3
        "RBP(graded=True)": 0.2 * (0.8 / 3 + 0.8**2),
        "nDCG(gain='exp')@10": (1 / log2(3) + 3 / log2(4)) / (3 / log2(2) + 1 / log2(3)),
        "nDCG@10": (1 / log2(3) + 2 / log2(4)) / (2 / log2(2) + 1 / log2(3)),
    }),
    # the highest grade of a document over intents
    (HIGHEST, "a", {"ERR": 3 / 4, "RBP": 0.2}),
    (GAINS, "e d", {"Q@5": ((1 + 1) / (1 + 3) + (2 + 4) / (2 + 4)) / 2}),
]  # fmt: skip
NOVELTY = [
    # Clarke et al. 2008, topic 85: G = 2, ½, ¼, 0, 2, ½, 1, ¼
    (by_intents(TOPIC_85), "a b c d e f g h i j", {
        "α-DCG@10": sum(g / log2(r + 1) for r, g in enumerate([2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4], start=1)),
    }),
    # NG = 2, ½ at ranks 1, 3; N = 2: (1 − ¼)/2 · (2 + ½·¼)
    (by_intents({"a": "12", "b": "1"}), "a x b", {
        "NRBP": 0.75 / 2 * (2 + 1 / 8), "nNRBP": (2 + 1 / 8) / (2 + 1 / 4),
    }),
    # ndeval divides the values at 1 by the number of intents
    (by_intents({"a": "12", "b": "3"}), "a", {"ERR_IA@1": 2 / 3, "alpha_DCG@1": 2 / 3}),
    # N·Pr(i|q) = 1.6 and .4; the ideal has a first
    (LIKELY, "b a", {
        "α-DCG(weighted=True)": 0.4 + 1.6 / log2(3),
        "α-nDCG(weighted=True)": (0.4 + 1.6 / log2(3)) / (1.6 + 0.4 / log2(3)),
        "NRBP(weighted=True)": 0.75 / 2 * (0.4 + 1.6 / 2),
        "nNRBP(weighted=True)": (0.4 + 1.6 / 2) / (1.6 + 0.4 / 2),
    }),
    # α = ½: a serves either intent with ½, b then intent 1 with ¼; p_i = ½ halves each; p_i = .8, .2
    (SHARED, "a b", {
        "α-DCG(model=exact)": 1 - 1 / 4 + 1 / 4 / log2(3),
        "α-DCG(model=exact,gamma=0.5)": 1 - (3 / 4) ** 2 + 1 / 8 / log2(3),
        "α-DCG(model=exact,weighted=True)": EXACT, "α-nDCG(model=exact,weighted=True)": 1,
    }),
    (SHARED, "b a", {"α-nDCG(model=exact,weighted=True)": (0.4 + (1 - 0.8 * 0.9) / log2(3)) / EXACT}),
    # all tie at 2 for rank 1; z, with the largest id, comes first, then m brings two new intents
    (by_intents({"a": "12", "m": "14", "z": "23"}), "a", {"α-nDCG@2": 2 / (2 + 2 / log2(3))}),
    # z comes first, and neither of the others brings more than one new intent and one seen; a and m bring 2 each
    (by_intents({"a": "23", "m": "14", "z": "12"}), "a m", {
        "α-nDCG@2": (2 + 2 / log2(3)) / (2 + 1.5 / log2(3)), "α-nDCG(cap=True)@2": 1, "α-nDCG(ideal='exact')@2": 1,
    }),
    (by_intents({"a": "23", "m": "14", "z": "12"}), "z", {"α-nDCG(cap=True)@2": 2 / (2 + 1.5 / log2(3))}),
]  # fmt: skip
FAMILIES = {
    "cube test": CUBE_TEST, "utility": RANK_BIASED_UTILITY, "navigational": NAVIGATIONAL, "set cover": SET_COVER,
    "textbook": TEXTBOOK, "D": D_MEASURES, "intent-aware": INTENT_AWARE, "ad hoc": AD_HOC, "novelty": NOVELTY,
}  # fmt: skip
BY_HAND = [
    pytest.param(*case, id=f"{family} {number}")
    for family, cases in FAMILIES.items()
    for number, case in enumerate(cases, start=1)
]


@pytest.mark.parametrize(("qrels", "docs", "expected"), BY_HAND)
def test_values_by_hand(qrels, docs, expected):
    assert {spec: score(qrels, docs, spec) for spec in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("k", "printed"), [(1, 1.0), (2, 0.710), (3, 0.649)])
def test_alpha_ndcg_of_clarkes_topic_85(k, printed):
    assert value(by_intents(TOPIC_85), ranked("abcdefghij"), f"α-nDCG@{k}") == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize("docs", ["a A b", "b a B"])
def test_without_types_all_intents_are_informational(docs):
    for din, d in [("DIN-Q@3", "D-Q@3"), ("DIN#-ERR@3", "D#-ERR@3")]:
        assert score(TWO, docs, din) == score(TWO, docs, d), din


def test_p_plus_for_navigational_and_q_for_informational():
    docs = "x a b A"
    only_i, only_j = (TYPED[TYPED["intent_id"] == intent] for intent in "ij")
    by_hand = 0.5 * score(only_i, docs, "P+-IA") + 0.5 * score(only_j, docs, "Q-IA")
    assert score(TYPED, docs, "P+Q") == pytest.approx(by_hand)
    assert by_hand not in (score(TYPED, docs, "Q-IA"), score(TYPED, docs, "P+-IA"))
    sharpened = 0.25 * score(TYPED, docs, "I-rec@2") + 0.75 * score(TYPED, docs, "P+Q@2")
    assert score(TYPED, docs, "P+Q#(gamma=0.25)@2") == pytest.approx(sharpened)


@pytest.mark.parametrize("docs", ["a c b", "b c a"])
def test_p_plus_stops_at_the_first_of_global_gains_that_differ_by_rounding(docs):
    # GG(a) = 1/7 + 1/7 + 4/7 and GG(b) = 1/7 + 4/7 + 1/7 are 6/7, and GG(c) = 1/7: r_p = 1, where (1 + 6/7)/(1 + 6/7)
    answers = {doc: dict.fromkeys(intents, 1) for doc, intents in {"a": "123", "b": "234", "c": "2"}.items()}
    qrels = judged(answers, probability={"1": 0.125, "2": 0.125, "3": 0.5, "4": 0.125})
    assert score(qrels, docs, "D-P+") == pytest.approx(1)


def test_f_and_bpref_are_trec_evals_where_they_should_be():
    assert score(MIR, RUN, "F") == pytest.approx(score(MIR, RUN, "SetF"), abs=1e-12)
    rng = np.random.default_rng(1)
    qrels = judged({f"d{n:02}": {"0": int(n < 6)} for n in range(30)})
    for _ in range(5):
        docs = " ".join(f"d{n:02}" for n in rng.permutation(40))
        assert score(qrels, docs, "bpref-R") == pytest.approx(score(qrels, docs, "Bpref"), abs=1e-9), docs


@pytest.mark.parametrize("judged_only", [False, True])
def test_bpref_beside_a_measure_that_counts_unjudged_documents(judged_only):
    both = irdiv.evaluate(MIR, ranked(RUN.split()), ["bpref-R", "Q"], judged_only=judged_only)
    assert both.values[0, 0, 0] == pytest.approx((1 + 0.9 + 3 * 0.8) / 10)


def test_the_weighted_ideal_orders_the_oracle():
    assert irdiv.oracle(LIKELY, weighted=True)["doc_id"].tolist() == ["a", "b"]
    assert irdiv.oracle(LIKELY)["doc_id"].tolist() == ["b", "a"]


def test_parameters_for_all_measures():
    docs = "x a b c"
    assert score(GRADES_120, docs, ir_measures.ERR @ 2, max_grade=4) == pytest.approx(1 / 16 / 2)
    assert score(GRADES_120, docs, ir_measures.RBP(p=0.5, rel=2)) == pytest.approx(0.5 * 0.5**2)
    both = irdiv.evaluate(GRADES_120, ranked(docs.split()), ["nDCG@10", "ERR@10"], stop="linear", gain="exp")
    assert both.values[0, 0, 0] == score(GRADES_120, docs, "nDCG(gain='exp')@10")
    assert both.specs()[0] == "nDCG(gain='exp')@10"
    linear = irdiv.evaluate(GRADES_120, ranked(docs.split()), ["ERR@3", "nDCG@3"], gain="linear")
    assert linear.specs() == ["ERR@3", "nDCG@3"]
    with pytest.raises(IrdivError, match="gain changes none of these measures: it counts only with stop='linear'"):
        irdiv.evaluate(GRADES_120, ranked(docs.split()), ["ERR@3"], gain="linear")


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"i": "navigational"}, "intent 'i' of topic '85' has the type 'navigational'; .*'inf' or 'nav'"),
        ({"i": "NAV"}, "intent 'i' of topic '85' has the type 'NAV'; .*'inf' or 'nav'"),
        (["inf", "nav", "inf", "inf"], "two types, '(inf' and 'nav|nav' and 'inf)'"),
    ],
)
def test_types_that_are_wrong(types, message):
    column = TWO["intent_id"].map(types).fillna("inf") if isinstance(types, dict) else types
    with pytest.raises(IrdivError, match=message):
        score(TWO.assign(type=column), "a", "DIN-nDCG")


def test_lists_of_different_lengths_have_means_over_their_own_documents():
    # the only hit is the first document, worth γ·1/MH = .1: CT@j by rank is .1/j, over 1 and over 5 documents
    qrels = pd.DataFrame({"query_id": ["1", "2"], "intent_id": "i", "doc_id": "a", "relevance": 1})
    run = {"1": ["a"], "2": ["a", "v", "w", "x", "y"]}
    found = irdiv.evaluate(qrels, run, "ACT(time='rank')").values[0, 0]
    assert found.tolist() == pytest.approx([0.1, 0.1 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5])


def test_weights_of_novelty_are_shares_whatever_the_sum_of_probabilities():
    # of 2 intents with the weights 6 and 2, N·Pr(i|q) is 1.5 and .5
    qrels = judged({"a": {"i": 1}, "b": {"j": 1}}, probability={"i": 6, "j": 2})
    assert score(qrels, "a b", "alpha-DCG(weighted=True)@2") == pytest.approx(1.5 + 0.5 / log2(3))
