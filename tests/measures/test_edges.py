"""Measures where there is little to score: one intent, one document, nothing relevant; and ideals that are bounds."""

from __future__ import annotations

from math import log2
from unittest.mock import MagicMock

import pandas as pd
import pytest
from scipy.optimize import OptimizeResult

import irdiv
from helpers import by_intents, ranked, value
from irdiv import IrdivError, progress
from irdiv.measures import novelty

ONE = by_intents({"a": "1"})
TWO = by_intents({"a": "1", "b": "2"})
GRADED = pd.concat([by_intents({"a": "1"}, 2), by_intents({"b": "12"}, 1)])
# the second topic has judged documents, and none is relevant
NOTHING = pd.concat([ONE, ONE.assign(query_id="86", relevance=0)])


def of_second_topic(spec: str, docs: str = "abc") -> float:
    evaluation = irdiv.evaluate(NOTHING, ranked("a") | ranked(docs, "86"), spec)
    return float(evaluation.values[0, 0, 1])


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


@pytest.mark.parametrize("name", ["RBU", "E", "All-covered(intents='relevant')", "MRecall(intents='relevant')@1",
                                  "S-precision@9", "WS-precision@9", "S-recall@min", "alpha-nDCG(ideal='exact')@2",
                                  "CT(form='paper')", "GAP", "nNRBP", "bpref-10"])  # fmt: skip
def test_a_topic_without_relevant_documents_scores_0_whatever_is_read(name):
    assert of_second_topic(name) == 0


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


@pytest.mark.parametrize("cutoff", [63, 64, 65, 66, 100, 128, 129])
def test_ideal_lists_reach_the_cutoff(cutoff):
    docs = [f"d{n:03}" for n in range(150)]
    qrels = by_intents(dict.fromkeys(docs, "1"))
    assert value(qrels, ranked(docs), f"alpha-nDCG(alpha=0)@{cutoff}") == pytest.approx(1, abs=1e-12)


def test_gains_that_the_exact_ideal_does_not_have():
    plain = (
        "alpha-nDCG(ideal='exact') is computed for the plain gain only; use ideal='greedy' with weighted=True and with "
        "model='exact'."
    )
    messages = {
        "alpha-nDCG(ideal='exact',weighted=True)@2": plain,
        "alpha-nDCG(ideal='exact',model='exact')@2": plain,
        "alpha-nDCG(ideal='exact')": "alpha-nDCG(ideal='exact') needs a cutoff, as in alpha-nDCG(ideal='exact')@10.",
        "alpha-DCG(model='exact',alpha=0)": "with model='exact', alpha=0 makes every gain 0; give an alpha above 0.",
        "RBU(max_grade=1)": "max_grade=1, but the qrels have grades up to 2.",
        "ERR-IA(max_grade=1)": "max_grade=1, but the qrels have grades up to 2.",
        "GAP(thresholds=(1,))": "thresholds=(1.0,) has weights for 1 steps of the scale, but the qrels have grades up "
        "to 2; give 2 weights.",
        "nDCG-IA(gain={1:1})": "gain={1:1.0} has no gain for the grades 2 of the qrels.",
    }
    for spec, message in messages.items():
        with pytest.raises(IrdivError) as caught:
            value(GRADED, ranked("ab"), spec)
        assert str(caught.value) == message
    assert value(GRADED, ranked("ab"), "alpha-DCG(model='sum',alpha=0)") > 0
    assert value(GRADED, ranked("ab"), "GAP(thresholds=(1,1))") == value(
        GRADED, ranked("ab"), "GAP(thresholds='uniform')"
    )


TIES = {"a": "23", "m": "14", "z": "12"}
"""Three sets of four intents: at cutoff 2 the program has 3·2 + 4·2² variables."""


def test_programs_that_are_too_large(monkeypatch):
    spec = "alpha-nDCG(ideal='exact')@2"
    monkeypatch.setattr(novelty, "MOST_VARIABLES", 22)
    assert value(by_intents(TIES), ranked("am"), spec) == pytest.approx(1)
    monkeypatch.setattr(novelty, "MOST_VARIABLES", 21)
    with pytest.raises(IrdivError) as caught:
        value(by_intents(TIES), ranked("am"), spec)
    assert str(caught.value) == (
        "topic '85' has 3 relevant documents of 4 intents, and its exact ideal at cutoff 2 is an integer program of 22 "
        "variables; at most 21 are tried. Use ideal='greedy', or a smaller cutoff."
    )


def test_topics_whose_ideal_is_a_bound(monkeypatch):
    result = OptimizeResult(status=1, x=None, message="stopped")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: result)
    qrels = pd.concat([by_intents(TIES).assign(query_id=str(topic)) for topic in range(10, 21)])
    run = {str(topic): {"a": 2.0, "m": 1.0} for topic in range(10, 21)}
    with pytest.warns(irdiv.IrdivWarning) as caught:
        irdiv.evaluate(qrels, run, "alpha-nDCG(ideal='exact',time_limit=2)@2")
    names = ", ".join(f"'{topic}'" for topic in range(10, 20))
    assert [str(warning.message) for warning in caught] == [
        "the best list of 11 topics was not proven in 2 s, and their alpha-nDCG is divided by a bound, so it may be "
        f"too small: {names}, …"
    ]


@pytest.mark.parametrize(
    ("spec", "description"),
    [("alpha-nDCG(ideal='exact')@2", "topics with exact ideals"), ("S-precision", "topics with cheapest covers")],
)
def test_searches_that_take_long_show_what_they_count(monkeypatch, spec, description):
    display = MagicMock()
    monkeypatch.setattr(progress, "_new_display", lambda: display)
    qrels = pd.concat([TWO, TWO.assign(query_id="86")])
    with progress.show_progress():
        irdiv.evaluate(qrels, ranked("a"), spec)
    assert (2, "topic", description) in [call.args for call in display.open.call_args_list]


VITAL = pd.DataFrame(
    [(topic, intent, doc, 1) for topic in ("1", "2") for intent, doc in (("v", "d"), ("w", "e"))],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)


@pytest.mark.parametrize("cells", [1, 10**6])
def test_importance_that_is_missing_or_unknown_in_a_later_topic(monkeypatch, cells):
    monkeypatch.setattr("irdiv.arrays.collection.BLOCK_CELLS", cells)
    run = {"1": {"d": 1.0}, "2": {"e": 1.0}}
    given = VITAL.assign(importance=["vital", "okay", "okay", "vital"])
    assert irdiv.evaluate(given, run, "Vital-coverage").values.tolist() == [[[1, 1]]]
    messages = {
        ("vital", "okay", "okay", None): "intent 'w' of topic '2' counts but has no importance; give 'vital' or 'okay' "
        "for every intent, with ids spelled as in the qrels.",
        ("vital", "nice", "no", "yes"): "no intent of topic '2' has the importance 'vital' or 'okay'; found 'no', "
        "'yes'. Map these labels to 'vital' and 'okay' first.",
    }
    for labels, message in messages.items():
        with pytest.raises(IrdivError) as caught:
            irdiv.evaluate(VITAL.assign(importance=labels), run, "Vital-coverage")
        assert str(caught.value) == message


def test_gains_of_many_documents_are_computed_in_parts(monkeypatch):
    from irdiv.measures import operators

    docs = [f"d{n}" for n in range(30)]
    qrels = by_intents({doc: "12" if n % 3 else "1" for n, doc in enumerate(docs)})
    whole = value(qrels, ranked(docs[::-1]), "D-nDCG@20")
    monkeypatch.setattr(operators, "_GAINS_AT_ONCE", 8)
    assert value(qrels, ranked(docs[::-1]), "D-nDCG@20") == whole
