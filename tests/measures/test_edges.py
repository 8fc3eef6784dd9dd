"""Measures where there is little to score: one intent, one document, nothing relevant; and values at limits."""

from __future__ import annotations

from math import log2

import pandas as pd
import pytest

import irdiv
from helpers import by_intents, ranked, value
from irdiv import IrdivError
from irdiv.measures import operators

ONE = by_intents({"a": "1"})
TWO = by_intents({"a": "1", "b": "2"})
GRADED = pd.concat([by_intents({"a": "1"}, 2), by_intents({"b": "12"}, 1)])
# the second topic has judged documents, and none is relevant
NOTHING = pd.concat([ONE, ONE.assign(query_id="86", relevance=0)])


def test_a_single_intent_and_document():
    specs = {
        "RBU(e=0)": 0.2 / 2,
        "All-covered": 1,
        "MRecall@1": 1,
        "Coverage": 1,
        "S-recall@min": 1,
        "S-precision": 1,
        "WS-precision(a=0)": 1,
        "CT(form='paper')": 1,
        "E": 0,
        "alpha-nDCG(ideal='exact')@1": 1,
        "P+-IA": 1,
        "nGAP-IA": 1,
    }
    assert {spec: value(ONE, ranked("a"), spec) for spec in specs} == pytest.approx(specs)
    assert value(ONE, ranked("x"), "E") == 1


def test_a_topic_without_relevant_documents_scores_0_whatever_is_read():
    specs = [
        "RBU", "E", "All-covered(intents='relevant')", "MRecall(intents='relevant')@1", "S-precision@9",
        "WS-precision@9", "S-recall@min", "alpha-nDCG(ideal='exact')@2", "CT(form='paper')", "GAP", "nNRBP", "bpref-10",
    ]  # fmt: skip
    evaluation = irdiv.evaluate(NOTHING, ranked("a") | ranked("abc", "86"), specs)
    assert dict(zip(specs, evaluation.values[0, :, 1].tolist(), strict=True)) == dict.fromkeys(specs, 0)


def test_a_relevance_threshold_counts_grades_of_its_own():
    # a has grade 2 for intent 1, b grade 1 for both
    specs = {
        "alpha-nDCG(ideal='exact',rel=2)@2": 1,
        "S-precision(rel=2)": 1,
        "S-recall(rel=2)@min": 1,
        "AP_IA(rel=2)": 1,
        "F(rel=2)@1": 1,
        "nCT(rel=2,gamma=1,height=2)": 1,
        "P+-IA(rel=2)": 1,
        "ERR-IA(max_grade=2)@1": 0.5 * 3 / 4,
        "RBU(max_grade=2,e=0)@1": 0.5 * 0.2 * 3 / 4,
    }
    assert {spec: value(GRADED, ranked("ab"), spec) for spec in specs} == pytest.approx(specs)


def test_weights_of_intents_that_count_add_up_to_1():
    table = pd.DataFrame({"query_id": "85", "intent_id": list("123"), "probability": [0.3, 0.2, 0.5]})
    qrels = irdiv.with_intents(TWO, table)
    # intent 3 has no relevant document: .3 and .2 are .6 and .4
    assert value(qrels, ranked("a"), "CT(weighted=True)") == pytest.approx(0.6 * 0.5 / 5)
    ideal = 1.2 + 0.8 / log2(3)
    assert value(qrels, ranked("a"), "alpha-nDCG(weighted=True)@2") == pytest.approx(1.2 / ideal)
    assert value(qrels, ranked("a"), "Coverage(weighted=True,intents='relevant')") == pytest.approx(0.6)


def test_equal_probabilities_weigh_exactly_1():
    """49 · 1/49 is not 1, and a weight that is not 1 would break ties of the ideal list."""
    intents = [f"i{n:02}" for n in range(49)]
    rows = [("85", intent, f"d{n % 7}", 1) for n, intent in enumerate(intents)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    table = pd.DataFrame({"query_id": "85", "intent_id": [*intents, "never"], "probability": 1 / 50})
    qrels, run = irdiv.with_intents(qrels, table), ranked(["d1", "d4", "d0"])
    plain, weighted = (irdiv.evaluate(qrels, run, f"alpha-DCG(weighted={w})").values for w in (False, True))
    assert plain.item() == weighted.item()


def test_equal_probabilities_weigh_exactly_1_beside_topics_of_others():
    equal = pd.DataFrame({"query_id": "1", "intent_id": range(49), "probability": 1 / 49})
    other = pd.DataFrame({"query_id": "2", "intent_id": range(2), "probability": [1 / 64, 63 / 64]})
    qrels = pd.concat([equal, other]).assign(doc_id="d", relevance=1)
    found = irdiv.evaluate(qrels, {"1": ["d"], "2": ["d"]}, "alpha-DCG(weighted=True)").values
    assert found.ravel().tolist() == [49.0, 2.0]


def test_ideal_lists_reach_the_cutoff():
    docs = [f"d{n:03}" for n in range(150)]
    specs = [f"alpha-nDCG(alpha=0)@{cutoff}" for cutoff in (63, 64, 65, 66, 100, 128, 129)]
    found = irdiv.evaluate(by_intents(dict.fromkeys(docs, "1")), ranked(docs), specs).values[0, :, 0].tolist()
    assert dict(zip(specs, found, strict=True)) == pytest.approx(dict.fromkeys(specs, 1), abs=1e-12)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "alpha-nDCG(ideal='exact',weighted=True)@2",
            "plain gain only; use ideal='greedy' with weighted=True and with",
        ),
        (
            "alpha-nDCG(ideal='exact',model='exact')@2",
            "plain gain only; use ideal='greedy' with weighted=True and with",
        ),
        ("alpha-nDCG(ideal='exact')", r"needs a cutoff, as in alpha-nDCG\(ideal='exact'\)@10"),
        ("alpha-DCG(model='exact',alpha=0)", "with model='exact', alpha=0 makes every gain 0"),
        ("RBU(max_grade=1)", "max_grade=1, but the qrels have grades up to 2"),
        ("ERR-IA(max_grade=1)", "max_grade=1, but the qrels have grades up to 2"),
        ("GAP(thresholds=(1,))", r"thresholds=\(1.0,\) has weights for 1 steps .* grades up to 2; give 2 weights"),
        ("nDCG-IA(gain={1:1})", "gain={1:1.0} has no gain for the grades 2"),
    ],
)
def test_parameters_that_do_not_suit_each_other_or_the_qrels(spec, message):
    with pytest.raises(IrdivError, match=message):
        value(GRADED, ranked("ab"), spec)


def test_parameters_beside_those_that_do_not_suit():
    assert value(GRADED, ranked("ab"), "alpha-DCG(model='sum',alpha=0)") > 0
    uniform = value(GRADED, ranked("ab"), "GAP(thresholds='uniform')")
    assert value(GRADED, ranked("ab"), "GAP(thresholds=(1,1))") == uniform


def test_the_highest_grade_with_an_exponential_gain():
    qrels = {"85": {"a": 1000, "b": 1}}
    assert value(qrels, ranked("a"), "nDCG(gain='exp')@1") == 1
    with pytest.raises(IrdivError, match="gain='exp' .* grades up to 1001 overflow; use gain='linear'"):
        value({"85": {"a": 1001, "b": 1}}, ranked("a"), "nDCG(gain='exp')@1")


VITAL = pd.DataFrame(
    [(topic, intent, doc, 1) for topic in ("1", "2") for intent, doc in (("v", "d"), ("w", "e"))],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)


@pytest.mark.parametrize("cells", [1, 10**6])
def test_importance_that_is_missing_or_unknown_in_a_later_topic(monkeypatch, cells):
    monkeypatch.setattr("irdiv.core.block.BLOCK_CELLS", cells)
    run = {"1": {"d": 1.0}, "2": {"e": 1.0}}
    given = VITAL.assign(importance=["vital", "okay", "okay", "vital"])
    assert irdiv.evaluate(given, run, "Vital-coverage").values.tolist() == [[[1, 1]]]
    messages = {
        ("vital", "okay", "okay", None): "intent 'w' of topic '2' counts but has no importance; give 'vital' or 'okay'",
        (
            "vital",
            "nice",
            "no",
            "yes",
        ): "no intent of topic '2' has the importance 'vital' or 'okay'; found 'no', 'yes'",
    }
    for labels, message in messages.items():
        with pytest.raises(IrdivError, match=message):
            irdiv.evaluate(VITAL.assign(importance=labels), run, "Vital-coverage")


def test_gains_of_many_documents_are_computed_in_parts(monkeypatch):
    docs = [f"d{n}" for n in range(30)]
    qrels = by_intents({doc: "12" if n % 3 else "1" for n, doc in enumerate(docs)})
    whole = value(qrels, ranked(docs[::-1]), "D-nDCG@20")
    monkeypatch.setattr(operators, "_GAINS_AT_ONCE", 8)
    assert value(qrels, ranked(docs[::-1]), "D-nDCG@20") == whole
