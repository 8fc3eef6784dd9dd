"""Measures beyond the flat core, each by hand on a few documents."""

from __future__ import annotations

import itertools
from math import log2

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import ranked, value
from irdiv import IrdivError
from irdiv.kernels.exact import min_cover_cost


def judged(rows: dict[str, dict[str, int]], **facts) -> pd.DataFrame:
    """Return qrels of topic 85 from document to intent to grade, with facts by intent."""
    table = [("85", intent, doc, grade) for doc, of in rows.items() for intent, grade in of.items()]
    qrels = pd.DataFrame(table, columns=["query_id", "intent_id", "doc_id", "relevance"])
    if not facts:
        return qrels
    return irdiv.with_intents(qrels, pd.DataFrame(facts).rename_axis("intent_id").reset_index().assign(query_id="85"))


def score(qrels: pd.DataFrame, docs: str, spec: str) -> float:
    return value(qrels, ranked(docs.split()), spec)


TWO = judged({"a": {"i": 1}, "A": {"i": 1}, "b": {"j": 1}, "B": {"j": 1}})
GRADED = judged({"a": {"i": 2}, "A": {"i": 1}, "b": {"j": 2}})
LOW_FIRST = judged({"a": {"i": 1}, "A": {"i": 2}, "b": {"j": 1}})
DEEP = judged({d: {"i": 3} for d in "abc"})
MANY = judged({f"d{n}": {"i": 1} for n in range(9)})
FINE = judged({f"d{n}": {"i": 1} for n in range(9)} | {"e": {"j": 10}})
SKEWED = judged({"a": {"i": 1}, "b": {"j": 1}}, probability={"i": 0.9, "j": 0.1})
THRESHOLD = judged({"a": {"i": 1}, "b": {"i": 2}, "c": {"j": 3}})
TYPED = irdiv.with_intents(
    TWO, pd.DataFrame({"query_id": "85", "intent_id": ["i", "j"], "probability": 0.5, "type": ["nav", "inf"]})
)
# the shortest cover is {ab, cx}; greedy would take abc first
COVER = judged({"abc": dict.fromkeys("bcx", 1), "ab": dict.fromkeys("ab", 1), "cx": dict.fromkeys("cx", 1)})
# MIR's first example: ten relevant documents, found at ranks 1, 3, 6, 10 and 15
MIR = judged({f"d{n}": {"0": int(n not in (84, 6))} for n in (3, 5, 9, 25, 39, 44, 56, 71, 89, 123, 84, 6)})
RUN = "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3"
F_AT_5 = 5 / (4 / 0.2 + 1 / 0.4)
IDEAL = 0.5 + 0.5 / log2(3)

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
BY_HAND = [*CUBE_TEST, *RANK_BIASED_UTILITY, *NAVIGATIONAL, *SET_COVER, *TEXTBOOK]


@pytest.mark.parametrize(("qrels", "docs", "expected"), BY_HAND, ids=lambda x: "" if hasattr(x, "columns") else str(x))
def test_values_by_hand(qrels, docs, expected):
    assert {spec: score(qrels, docs, spec) for spec in expected} == pytest.approx(expected, abs=1e-12)


def test_a_highest_grade_below_that_of_the_qrels():
    with pytest.raises(IrdivError, match="max_grade=1, .* grades up to 2"):
        score(LOW_FIRST, "b", "RBU(max_grade=1)")


@pytest.mark.parametrize("docs", ["a A b", "b a B"])
def test_without_types_all_intents_are_informational(docs):
    for din, d in [("DIN-Q@3", "D-Q@3"), ("DIN#-ERR@3", "D#-ERR@3")]:
        assert score(TWO, docs, din) == score(TWO, docs, d)


def test_p_plus_for_navigational_and_q_for_informational():
    docs = "x a b A"
    only_i, only_j = (TYPED[TYPED["intent_id"] == intent] for intent in "ij")
    by_hand = 0.5 * score(only_i, docs, "P+-IA") + 0.5 * score(only_j, docs, "Q-IA")
    assert score(TYPED, docs, "P+Q") == pytest.approx(by_hand)
    assert by_hand not in (score(TYPED, docs, "Q-IA"), score(TYPED, docs, "P+-IA"))
    sharpened = 0.25 * score(TYPED, docs, "I-rec@2") + 0.75 * score(TYPED, docs, "P+Q@2")
    assert score(TYPED, docs, "P+Q#(gamma=0.25)@2") == pytest.approx(sharpened)


@pytest.mark.parametrize("kind", ["navigational", "NAV"])
def test_types_that_are_none(kind):
    with pytest.raises(IrdivError, match=f"intent 'i' of topic '85' has the type '{kind}'; .*'inf' or 'nav'"):
        score(TYPED.assign(type=TYPED["type"].replace("nav", kind)), "a", "DIN-nDCG")


def test_types_that_contradict_each_other():
    with pytest.raises(IrdivError, match="two types, '(inf' and 'nav|nav' and 'inf)'"):
        score(TWO.assign(type=["inf", "nav", "inf", "inf"]), "a", "DIN-nDCG")


def test_the_cheapest_cover_against_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(40):
        relevant = rng.random((6, 4)) < 0.4
        for wanted in range(1, relevant.any(axis=0).sum() + 1):
            best = min(
                sum(1 + 0.7 * relevant[d].sum() for d in chosen)
                for size in range(1, 7)
                for chosen in itertools.combinations(range(6), size)
                if relevant[list(chosen)].any(axis=0).sum() >= wanted
            )
            assert min_cover_cost(relevant, 1, 0.7, wanted) == pytest.approx(best)


def test_f_on_the_whole_list_is_trec_evals():
    assert score(MIR, RUN, "F") == pytest.approx(score(MIR, RUN, "SetF"), abs=1e-12)


@pytest.mark.parametrize("judged_only", [False, True])
def test_bpref_beside_a_measure_that_counts_unjudged_documents(judged_only):
    both = irdiv.evaluate(MIR, ranked(RUN.split()), ["bpref-R", "Q"], judged_only=judged_only)
    assert both.values[0, 0, 0] == pytest.approx((1 + 0.9 + 3 * 0.8) / 10)


def test_bpref_equals_trec_evals_where_enough_is_judged():
    rng = np.random.default_rng(1)
    qrels = judged({f"d{n:02}": {"0": int(n < 6)} for n in range(30)})
    for _ in range(5):
        docs = " ".join(f"d{n:02}" for n in rng.permutation(40))
        assert score(qrels, docs, "bpref-R") == pytest.approx(score(qrels, docs, "Bpref"), abs=1e-9)
