"""Values that can be checked by hand, and those printed in the papers."""

from __future__ import annotations

from math import log2

import ir_measures
import pandas as pd
import pytest

import irdiv
from helpers import TOPIC_85, by_intents, ranked, value


# Clarke et al. 2008, topic 85: the documents a … j and the needs they answer.
@pytest.mark.parametrize(("k", "expected"), [(1, 1.0), (2, 0.710), (3, 0.649)])
def test_alpha_ndcg_of_clarkes_topic_85(k, expected):
    assert value(by_intents(TOPIC_85), ranked("abcdefghij"), f"α-nDCG@{k}") == pytest.approx(expected, abs=5e-4)


def test_alpha_dcg_of_clarkes_topic_85_gain_by_gain():
    # G = 2, ½, ¼, 0, 2, ½, 1, ¼
    G = [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4]
    expected = sum(g / log2(r + 1) for r, g in enumerate(G, start=1))
    assert value(by_intents(TOPIC_85), ranked("abcdefghij"), "α-DCG@10") == pytest.approx(expected)


def test_case_g_of_sakai_and_song():
    # One L2 document at rank 2 is the only relevant one: nDCG = 1/log2(3) = .631; three other intents see nothing.
    one = by_intents({"d": "1"}, grade=2)
    assert value(one, ranked("xd"), "nDCG-IA@10") == pytest.approx(0.631, abs=5e-4)
    four = pd.concat([one, by_intents({"p": "2", "q": "3", "r": "4"})])
    assert value(four, ranked("xd"), "nDCG-IA@10") == pytest.approx(0.158, abs=5e-4)


def two_intents() -> pd.DataFrame:
    # d answers 1 well and 2 a little, e answers 2; Pr(1) = .8, Pr(2) = .2
    rows = [("85", "1", "d", 2, 0.8), ("85", "2", "d", 1, 0.2), ("85", "2", "e", 1, 0.2)]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "probability"])


def test_d_sharp_ndcg_by_its_sum():
    # GG(d) = .8·3 + .2·1 = 2.6, GG(e) = .2·1 = .2; list x d: I-rec 2/2
    d_ndcg = (2.6 / log2(3)) / (2.6 + 0.2 / log2(3))
    assert value(two_intents(), ranked("xd"), "D-nDCG@10") == pytest.approx(d_ndcg)
    assert value(two_intents(), ranked("xd"), "D#-nDCG@10") == pytest.approx((1 + d_ndcg) / 2)
    assert value(two_intents(), ranked("xd"), "D#-nDCG(gamma=0.3)@10") == pytest.approx(0.3 + 0.7 * d_ndcg)


def test_d_measures_with_given_and_linear_gains():
    # linear: GG(d) = .8·2 + .2 = 1.8; {1: 10, 2: 20}: GG(d) = .8·20 + .2·10 = 18
    assert value(two_intents(), ranked("xd"), "D-nDCG(gain='linear')@10") == pytest.approx(
        (1.8 / log2(3)) / (1.8 + 0.2 / log2(3))
    )
    assert value(two_intents(), ranked("xd"), "D-nDCG(gain={1: 10, 2: 20})@10") == pytest.approx(
        (18 / log2(3)) / (18 + 2 / log2(3))
    )


def test_d_q_by_its_sum():
    # one relevant document at rank 2: C = 1, cg = 2.6, cg*(2) = 2.8; R = 2
    assert value(two_intents(), ranked("xd"), "D-Q@10") == pytest.approx((1 + 2.6) / (2 + 2.8) / 2)
    assert value(two_intents(), ranked("xd"), "D-Q(beta=0)@10") == pytest.approx(1 / 2 / 2)


def test_d_err_stops_by_gain_over_highest_gain_plus_one():
    assert value(two_intents(), ranked("xd"), "D-ERR@10") == pytest.approx(2.6 / 3.6 / 2)


def test_err_ia_by_its_sum():
    # h = 2; intent 1: d at rank 1 stops with 3/4; intent 2: d with 1/4, then e with 1/4
    expected = 0.8 * 3 / 4 + 0.2 * (1 / 4 + 3 / 4 * 1 / 4 / 2)
    assert value(two_intents(), ranked("de"), "ERR-IA") == pytest.approx(expected)
    # h = 4
    expected = 0.8 * 3 / 16 + 0.2 * (1 / 16 + 15 / 16 * 1 / 16 / 2)
    assert value(two_intents(), ranked("de"), "ERR-IA(max_grade=4)") == pytest.approx(expected)


def test_gap_by_its_double_sum():
    # grades 1, 2: rank 1: M(M+1) = 2; rank 2: (min(2,1): 2) + (2·3 = 6), halved; over 2 + 6
    qrels = {"85": {"a": 1, "b": 2}}
    assert value(qrels, ranked("ab"), "GAP") == pytest.approx((2 + (2 + 6) / 2) / 8)
    assert value(qrels, ranked("ab"), "nGAP@1") == pytest.approx(2 / 6)
    assert value(qrels, ranked("ab"), "GAP@1") == pytest.approx(2 / 8)


def test_gap_weighs_the_steps_of_the_scale_by_its_thresholds():
    # grades 1, 2: Σ_{m≤M} p_m is 1 for M = 1 and 2 for M = 2 with "uniform", .3 and 1 with (.3, .7)
    qrels, run = {"85": {"a": 1, "b": 2}}, ranked("ab")
    assert value(qrels, run, "GAP(thresholds='uniform')") == pytest.approx((1 + (1 + 2) / 2) / 3)
    assert value(qrels, run, "GAP(thresholds=(0.3,0.7))") == pytest.approx((0.3 + (0.3 + 1) / 2) / 1.3)
    assert value(qrels, run, "nGAP(thresholds='uniform')@1") == pytest.approx(1 / 2)
    assert value(qrels, run, "nGAP(thresholds=(0.3,0.7))@1") == pytest.approx(0.3)
    # the default weighs step m by m
    assert value(qrels, run, "GAP(thresholds=(1,2))") == value(qrels, run, "GAP") == 6 / 8
    with pytest.raises(irdiv.IrdivError, match="weights for 1 steps of the scale, but the qrels have grades up to 2"):
        value(qrels, run, "GAP(thresholds=(1,))")
    assert "weighs step m of the scale by m" in " ".join(irdiv.explain("GAP").split())


def test_irbu_by_its_sum():
    # grade 1 of a scale up to 1 stops with Pr = ½; at rank 3: .99³ · ½; the ideal has it at rank 1
    qrels = {"85": {"a": 1}}
    assert value(qrels, ranked("xya"), "iRBU@3") == pytest.approx(0.4851495, abs=1e-12)
    assert value(qrels, ranked("xya"), "iRBU@2") == 0
    assert value(qrels, ranked("xya"), "iRBU(p=0.5)") == pytest.approx(1 / 16)
    assert value(qrels, ranked("xya"), "niRBU") == pytest.approx(0.99**2)
    # GG(d) = 2.6, GG(e) = .2, g* = 2.6: Pr = 2.6/3.6, .2/3.6
    expected = 0.99**2 * 2.6 / 3.6 + 0.99**3 * 0.2 / 3.6 * 1 / 3.6
    assert value(two_intents(), ranked("xde"), "D-iRBU@3") == pytest.approx(expected)
    assert value(two_intents(), ranked("xde"), "D-niRBU@3") == pytest.approx(0.99)
    assert value(two_intents(), ranked("xde"), "D#-iRBU@3") == pytest.approx((1 + expected) / 2)


def test_nebr_is_ebr_over_that_of_the_ideal():
    # one document of gain 1 with Pr = ½ at rank 2: blended ratio (1 + 1)/(2 + 1); the ideal has 1 at rank 1
    qrels = {"85": {"a": 1}}
    assert value(qrels, ranked("xa"), "EBR") == pytest.approx(2 / 3 / 2)
    assert value(qrels, ranked("xa"), "nEBR") == pytest.approx(2 / 3)


def test_cumulative_gain_by_its_sum():
    # gains 3, 1 at ranks 2, 3
    qrels, run = {"85": {"a": 1, "b": 2}}, ranked("xba")
    assert value(qrels, run, "CG@2") == 3
    assert value(qrels, run, "CG(gain='linear')") == 3
    assert value(qrels, run, "CG") == 4
    assert value(qrels, run, "DCG@3") == pytest.approx(3 / log2(3) + 1 / 2)
    assert value(qrels, run, "DCG(discount='jk')@3") == pytest.approx(3 + 1 / log2(3))
    # GG(d) = 2.6, GG(e) = .2; by intent .8·3 and .2·(1 + 1)
    assert value(two_intents(), ranked("xde"), "D-CG") == pytest.approx(2.8)
    assert value(two_intents(), ranked("xde"), "D-DCG@2") == pytest.approx(2.6 / log2(3))
    assert value(two_intents(), ranked("xde"), "CG-IA") == pytest.approx(0.8 * 3 + 0.2 * 2)


def test_p_plus_stops_at_the_first_best_document():
    # gains 1, 3, 3 at ranks 1 … 3; ideal 3, 3, 1. r_p = 2: mean of (1+1)/(1+3) and (2+4)/(2+6)
    qrels = {"85": {"a": 1, "b": 2, "c": 2}}
    assert value(qrels, ranked("abc"), "P+") == pytest.approx((2 / 4 + 6 / 8) / 2)
    # within one document the first is the best there is
    assert value(qrels, ranked("abc"), "P+@1") == pytest.approx(2 / 4)
    assert value(qrels, ranked("x"), "P+") == 0


@pytest.mark.parametrize("run", ["acb", "bca"])
def test_p_plus_stops_at_the_first_of_global_gains_that_differ_by_rounding(run):
    # GG(a) = 1/7 + 1/7 + 4/7 and GG(b) = 1/7 + 4/7 + 1/7 are 6/7, and GG(c) = 1/7: r_p = 1, where (1 + 6/7)/(1 + 6/7)
    weights, judged = {"1": 0.125, "2": 0.125, "3": 0.5, "4": 0.125}, {"a": "123", "b": "234", "c": "2"}
    rows = [("85", intent, doc, 1, weights[intent]) for doc, intents in judged.items() for intent in intents]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "probability"])
    assert value(qrels, ranked(run), "D-P+") == pytest.approx(1)


def test_jk_discount_leaves_the_first_two_ranks_alone():
    qrels = by_intents({"a": "1", "b": "1", "c": "1"})
    expected = (1 + 1 / log2(3)) / (1 + 1 + 1 / log2(3))
    assert value(qrels, ranked("axb"), "nDCG-IA(discount=jk)@3") == pytest.approx(expected)


def test_rank_based_measures_by_hand():
    qrels = by_intents({"a": "1", "b": "1", "c": "1", "d": "1"})
    run = ranked("xayb")
    assert value(qrels, run, "P-IA@10") == pytest.approx(2 / 10)
    assert value(qrels, run, "P-IA") == pytest.approx(2 / 4)
    assert value(qrels, run, "Recall-IA@2") == pytest.approx(1 / 4)
    assert value(qrels, run, "RR-IA") == pytest.approx(1 / 2)
    assert value(qrels, run, "RR-IA@1") == 0
    assert value(qrels, run, "Hit-IA@2") == 1
    assert value(qrels, run, "Rprec-IA") == pytest.approx(2 / 4)
    assert value(qrels, run, "AP-IA") == pytest.approx((1 / 2 + 2 / 4) / 4)
    assert value(qrels, run, "AP-IA(norm='cutoff')@2") == pytest.approx(1 / 2 / 2)
    assert value(qrels, run, "RBP-IA") == pytest.approx(0.2 * (0.8 + 0.8**3))


def test_nrbp_by_its_sum():
    # NG = 2, ½ at ranks 1, 3; N = 2: (1 − ¼)/2 · (2 + ½·¼)
    qrels = by_intents({"a": "12", "b": "1"})
    assert value(qrels, ranked("axb"), "NRBP") == pytest.approx(0.75 / 2 * (2 + 1 / 8))
    assert value(qrels, ranked("axb"), "nNRBP") == pytest.approx((2 + 1 / 8) / (2 + 1 / 4))


def test_ndevals_at_one_is_divided_by_the_number_of_intents():
    qrels = by_intents({"a": "12", "b": "3"})
    assert value(qrels, ranked("a"), "ERR_IA@1") == pytest.approx(2 / 3)
    assert value(qrels, ranked("a"), "alpha_DCG@1") == pytest.approx(2 / 3)


def two_likely_intents(answers: dict[str, str], *probabilities: float) -> pd.DataFrame:
    intents = pd.DataFrame({"intent_id": ["1", "2"], "probability": probabilities, "query_id": "85"})
    return irdiv.with_intents(by_intents(answers), intents)


def test_weighted_novelty_by_its_sum():
    # N·Pr(i|q) = 1.6 and .4; the ideal has a first
    qrels, run = two_likely_intents({"a": "1", "b": "2"}, 0.8, 0.2), ranked("ba")
    assert value(qrels, run, "α-DCG(weighted=True)") == pytest.approx(0.4 + 1.6 / log2(3))
    assert value(qrels, run, "α-nDCG(weighted=True)") == pytest.approx((0.4 + 1.6 / log2(3)) / (1.6 + 0.4 / log2(3)))
    assert value(qrels, run, "NRBP(weighted=True)") == pytest.approx(0.75 / 2 * (0.4 + 1.6 / 2))
    assert value(qrels, run, "nNRBP(weighted=True)") == pytest.approx((0.4 + 1.6 / 2) / (1.6 + 0.4 / 2))
    assert irdiv.oracle(qrels, weighted=True)["doc_id"].tolist() == ["a", "b"]
    assert irdiv.oracle(qrels)["doc_id"].tolist() == ["b", "a"]


def test_exact_novelty_by_its_products():
    # α = ½: a serves either intent with ½, b then intent 1 with ¼
    qrels, run = two_likely_intents({"a": "12", "b": "1"}, 0.8, 0.2), ranked("ab")
    assert value(qrels, run, "α-DCG(model=exact)") == pytest.approx(1 - 1 / 4 + 1 / 4 / log2(3))
    # p_i = ½ halves each
    assert value(qrels, run, "α-DCG(model=exact,gamma=0.5)") == pytest.approx(1 - (3 / 4) ** 2 + 1 / 8 / log2(3))
    # p_i = .8, .2
    weighted = 1 - 0.6 * 0.9 + 0.8 / 4 / log2(3)
    assert value(qrels, run, "α-DCG(model=exact,weighted=True)") == pytest.approx(weighted)
    assert value(qrels, run, "α-nDCG(model=exact,weighted=True)") == pytest.approx(1)
    other = (0.4 + (1 - 0.8 * 0.9) / log2(3)) / weighted
    assert value(qrels, ranked("ba"), "α-nDCG(model=exact,weighted=True)") == pytest.approx(other)


def test_cap_credits_a_list_that_beats_the_greedy_ideal_with_1():
    # greedy takes z and then 1.5; a and m bring 2 each
    qrels, run = by_intents({"a": "23", "m": "14", "z": "12"}), ranked("am")
    assert value(qrels, run, "α-nDCG@2") == pytest.approx((2 + 2 / log2(3)) / (2 + 1.5 / log2(3)))
    assert value(qrels, run, "α-nDCG(cap=True)@2") == 1
    assert value(qrels, run, "α-nDCG(cap=True)@2") != value(qrels, ranked("z"), "α-nDCG(cap=True)@2") < 1


@pytest.mark.parametrize("parameter", ["weighted=True", "model='exact'"])
def test_the_exact_ideal_is_that_of_the_plain_gain(parameter):
    with pytest.raises(irdiv.IrdivError, match="use ideal='greedy'"):
        value(by_intents({"a": "1"}), ranked("a"), f"α-nDCG(ideal='exact',{parameter})@2")


@pytest.mark.parametrize(
    ("documents", "second_gain"),
    [
        # all tie at 2 for rank 1; z comes first, then m brings two new intents
        ({"a": "12", "m": "14", "z": "23"}, 2.0),
        # z comes first, and neither of the others brings more than one new intent and one seen
        ({"a": "23", "m": "14", "z": "12"}, 1.5),
    ],
)
def test_greedy_ideal_breaks_ties_to_the_largest_doc_id(documents, second_gain):
    ideal = 2 + second_gain / log2(3)
    assert value(by_intents(documents), ranked("a"), "α-nDCG@2") == pytest.approx(2 / ideal)


def test_ad_hoc_grade_is_the_highest_over_intents():
    qrels = two_intents()
    flat = {"85": {"d": 2, "e": 1}}
    assert value(qrels, ranked("ed"), "Q@5") == value(flat, ranked("ed"), "Q@5")


def test_intents_without_relevant_documents_count_only_with_intents_all():
    qrels = irdiv.with_intents(
        by_intents({"a": "1"}),
        pd.DataFrame({"query_id": ["85"] * 2, "intent_id": ["1", "2"], "probability": [0.5, 0.5]}),
    )
    assert value(qrels, ranked("a"), "I-rec@1") == 1
    assert value(qrels, ranked("a"), "I-rec(intents='all')@1") == 0.5
    assert value(qrels, ranked("a"), "P-IA@1") == 1
    assert value(qrels, ranked("a"), "P-IA@1", renormalize=False) == 0.5


def test_subtopic_0_without_relevant_documents_is_no_intent():
    qrels = pd.concat([by_intents({"a": "1"}), by_intents({"b": "0"}, grade=0)])
    assert value(qrels, ranked("a"), "I-rec(intents='all')@1") == 1


def test_rel_moves_what_counts_as_relevant():
    qrels = two_intents()
    # only d for intent 1 has grade 2, so intent 2 is gone
    assert value(qrels, ranked("e"), "I-rec(rel=2)") == 0
    assert value(qrels, ranked("d"), "I-rec(rel=2)") == 1
    assert value(qrels, ranked("de"), "P-IA(rel=2)@2") == 0.5


def adhoc_grades() -> dict[str, dict[str, int]]:
    # an id that is not a number, and the grades 1, 2 and 0
    return {"topic/a b": {"a": 1, "b": 2, "c": 0}}


def test_ad_hoc_err_by_its_sum():
    qrels, run = adhoc_grades(), ranked("xabc", "topic/a b")
    # H = 2: a stops with 1/4 at rank 2, b with 3/4 at rank 3
    assert value(qrels, run, "ERR") == pytest.approx(1 / 4 / 2 + 3 / 4 * 3 / 4 / 3)
    assert value(qrels, run, "ERR@2") == pytest.approx(1 / 4 / 2)
    assert value(qrels, run, "ERR@5000") == value(qrels, run, "ERR")
    # H = 4: 1/16 and 3/16
    assert value(qrels, run, "ERR(max_grade=4)@10") == pytest.approx(1 / 16 / 2 + 15 / 16 * 3 / 16 / 3)
    assert value(qrels, run, ir_measures.ERR @ 2, max_grade=4) == pytest.approx(1 / 16 / 2)


def test_ad_hoc_rbp_by_its_sum():
    qrels, run = adhoc_grades(), ranked("xabc", "topic/a b")
    assert value(qrels, run, "RBP") == pytest.approx(0.2 * (0.8 + 0.8**2))
    assert value(qrels, run, "RBP(p=0.5)@2") == pytest.approx(0.5 * 0.5)
    assert value(qrels, run, "RBP(rel=2)") == pytest.approx(0.2 * 0.8**2)
    # gains 1 and 3 over 3
    assert value(qrels, run, "RBP(graded=True)") == pytest.approx(0.2 * (0.8 / 3 + 0.8**2))
    assert value(qrels, run, ir_measures.RBP(p=0.5, rel=2)) == pytest.approx(0.5 * 0.5**2)


def test_ad_hoc_ndcg_with_exponential_gains_by_its_sum():
    qrels, run = adhoc_grades(), ranked("xabc", "topic/a b")
    exponential = (1 / log2(3) + 3 / log2(4)) / (3 / log2(2) + 1 / log2(3))
    linear = (1 / log2(3) + 2 / log2(4)) / (2 / log2(2) + 1 / log2(3))
    assert value(qrels, run, "nDCG(gain='exp')@10") == pytest.approx(exponential)
    assert value(qrels, run, "nDCG@10") == value(qrels, run, "nDCG(gain='linear')@10") == pytest.approx(linear)
    both = irdiv.evaluate(qrels, run, ["nDCG@10", "ERR@10"], stop="linear", gain="exp")
    assert both.values[0, 0, 0] == pytest.approx(exponential)
    assert both.specs()[0] == "nDCG(gain='exp')@10"


def test_a_parameter_for_all_measures_that_changes_none_is_refused():
    qrels, run = adhoc_grades(), ranked("xabc", "topic/a b")
    with pytest.raises(
        irdiv.IrdivError, match="gain changes none of these measures: it counts only with stop='linear'"
    ):
        irdiv.evaluate(qrels, run, ["ERR@3"], gain="linear")
    assert irdiv.evaluate(qrels, run, ["ERR@3", "nDCG@3"], gain="linear").specs() == ["ERR@3", "nDCG@3"]


def test_ad_hoc_err_and_rbp_see_the_highest_grade_over_intents():
    qrels = pd.concat([by_intents({"a": "1"}), by_intents({"a": "2"}, grade=2)])
    assert value(qrels, ranked("a"), "ERR") == pytest.approx(3 / 4)
    assert value(qrels, ranked("a"), "RBP") == pytest.approx(0.2)


def test_stop_probabilities_by_grade_and_by_gain():
    rows = [("1", "a", "x", 2, 0.5), ("1", "b", "y", 1, 0.5)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "probability"])
    specs = ["ERR-IA@2", "ERR-IA(stop='linear')@2", "ERR-IA(stop='linear',gain='linear')@2"]
    found = irdiv.evaluate(qrels, {"1": {"x": 2.0, "y": 1.0}}, specs).values[0, :, 0]
    # (2^x − 1) / 2^H with H = 2: 3/4 at rank 1 and 1/4 at rank 2
    # g / (g* + 1): 3/4 and 1/2, with linear gains 2/3 and 1/2
    expected = [(3 / 4 + 1 / 4 / 2) / 2, (3 / 4 + 1 / 2 / 2) / 2, (2 / 3 + 1 / 2 / 2) / 2]
    assert found.tolist() == pytest.approx(expected, abs=1e-15)
