"""Measures that are looked up: by words, as the equivalent of one of trec_eval, and those of answers."""

from __future__ import annotations

from math import isnan

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, RR, Bpref, P, R, Rprec, Success, nDCG

import irdiv
from irdiv import IrdivError
from irdiv.measures.answers import ANSWER_MEASURES, NUGGET_MEASURES, RUBRIC_MEASURES, AnswerMeasure
from irdiv.measures.catalogue import registry
from irdiv.measures.search import find_answer_measures, find_declarations, find_ir_measures
from irdiv.measures.trec_eval import TREC_EVAL_NAMES, irdiv_equivalent
from irdiv.measures.values import ParameterValues
from irdiv.measures.words import has_words


def names(text: str) -> list[str]:
    return [declaration.name for declaration in find_declarations(text)]


@pytest.mark.parametrize(("text", "name"), [("coverage", "Coverage"), (" S_precision ", "S-precision")])
def test_the_name_itself_comes_first_and_then_names_that_contain_it(text, name):
    containing = [other for other in registry if name.lower() in other.lower() and other != name]
    assert containing
    assert names(text)[: len(containing) + 1] == [name, *containing]


def test_words_of_summaries_and_families_come_before_those_of_keywords():
    found = names("nuggets rubrics")
    assert found.index("Coverage") < found.index("MRecall") < found.index("I-rec")
    assert names("cube filled").index("nCT") < names("cube filled").index("RBU")
    assert "RBU" in names("utility effort")
    assert "Coverage" in names("share facts"), "one word in the summary and one in keywords"
    assert names("nothing like it") == []


def test_measures_of_answers_by_words():
    assert find_answer_measures("rubric")[-1] is ANSWER_MEASURES["rubric_score"]
    assert list(map(str, find_answer_measures("all-score"))) == ["strict_all_score", "all_score"]
    assert list(map(str, find_answer_measures("negative weight"))) == ["rubric_score"]
    for keyword in ("scores of answers", "nuggetizer"):
        assert find_answer_measures(keyword) == list(ANSWER_MEASURES.values())


def test_measures_of_ir_measures_by_name_and_then_by_description():
    assert find_ir_measures("bpref") == ["Bpref"]
    assert find_ir_measures("ndcg").index("nDCG") < find_ir_measures("ndcg").index("SDCG")
    assert "Bpref" in find_ir_measures("binary preference")
    assert find_ir_measures("qqqq") == []


def test_words_begin_words():
    assert has_words("Share of nuggets, subtopic recall", "NUGGET recall")
    assert not has_words("Share of unnuggets", "nugget")
    assert not has_words("Share of nuggets", "nugget recall")
    assert not has_words("Share of nuggets", " ")


EQUIVALENTS = [
    (nDCG @ 5, "nDCG@5"),
    (nDCG(dcg="log2"), "nDCG"),
    (nDCG(judged_only=False) @ 5, "nDCG@5"),
    (AP(rel=2) @ 5, "AP(rel=2)@5"),
    (P @ 5, "P@5"),
    (RR, "RR"),
    (Rprec(rel=2), "Rprec(rel=2)"),
    (R @ 5, "Recall@5"),
    (Success @ 5, "Hit@5"),
]


def test_equivalents_of_measures_of_trec_eval():
    assert {measure.NAME for measure, _ in EQUIVALENTS} == set(TREC_EVAL_NAMES)
    for measure, spec in EQUIVALENTS:
        found = irdiv_equivalent(measure)
        assert (type(found), str(found)) == (irdiv.Measure, spec)


@pytest.mark.parametrize("measure", [nDCG(dcg="exp-log2") @ 5, nDCG(judged_only=True) @ 5, RR @ 5, Rprec @ 5, Bpref,
                                     ir_measures.define(lambda qrels, run: (), name="AP")])  # fmt: skip
def test_measures_without_an_equivalent(measure):
    assert irdiv_equivalent(measure) is None


def test_measures_of_answers():
    assert list(map(str, (*NUGGET_MEASURES, *RUBRIC_MEASURES))) == list(ANSWER_MEASURES)
    for strict, lenient in zip(NUGGET_MEASURES[::2], NUGGET_MEASURES[1::2], strict=True):
        assert str(strict) == f"strict_{lenient}"
        assert strict.formula == lenient.formula
        assert strict.summary.replace("partial support counts 0.", "partial support counts ½.") == lenient.summary
    assert [(m.formula.count("vital"), m.formula.count("½")) for m in NUGGET_MEASURES[::2]] == [(2, 0), (2, 2), (0, 0)]
    assert ANSWER_MEASURES["rubric_score"].formula == "Σ w_i c_i / Σ max(w_i, 0)"
    assert all(m.__doc__ == f"{m.summary}\n\n{m.formula}" for m in ANSWER_MEASURES.values())
    with pytest.raises(IrdivError, match="^all_score has no parameters and no cutoff; found rel, cutoff"):
        AnswerMeasure("all_score")(rel=2, cutoff=3)


def test_the_mean_of_answers_is_rounded_once():
    mean = AnswerMeasure("all_score").aggregator()
    assert isnan(mean.result())
    for value in (0.1, 0.2, 0.3):
        mean.add(value)
    assert mean.result() == 0.2, "0.1 + 0.2 + 0.3 is more than 0.6"


def test_values_of_parameters():
    values = ParameterValues({"rel": 1, "gain": "exp"})
    assert repr(values) == "ParameterValues({'rel': 1, 'gain': 'exp'})"
    assert values == ParameterValues({"gain": "exp", "rel": 1})
    assert values not in (ParameterValues({"rel": True, "gain": "exp"}), {"rel": 1, "gain": "exp"})
    assert dict(values.only("rel").replace(H=3)) == {"rel": 1, "H": 3}


def test_the_highest_grade_with_an_exponential_gain():
    def score(grade: int) -> float:
        qrels = pd.DataFrame({"query_id": "1", "intent_id": "a", "doc_id": ["d", "e"], "relevance": [grade, 1]})
        return irdiv.evaluate(qrels, {"1": {"d": 1.0}}, "nDCG-IA@1").values.item()

    assert score(1000) == 1
    with pytest.raises(IrdivError, match="gain='exp' .* grades up to 1001 overflow; use gain='linear'"):
        score(1001)
