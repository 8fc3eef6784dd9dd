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
from irdiv.measures.search import find_answer_measures, find_declarations, find_ir_measures
from irdiv.measures.trec_eval import TREC_EVAL_NAMES, irdiv_equivalent
from irdiv.measures.values import ParameterValues
from irdiv.measures.words import has_words


def names(text: str) -> list[str]:
    return [declaration.name for declaration in find_declarations(text)]


def test_measures_by_words():
    # the name itself, names that contain it, then summaries, then keywords
    assert names("coverage")[:3] == ["Coverage", "Vital-coverage", "Coverage-LA"]
    assert names("vital") == ["Vital-coverage"]
    assert names(" S_precision ") == ["S-precision", "WS-precision", "S-precision-LA", "WS-precision-LA"]
    assert names("utility effort") == ["RBU"]
    assert names("cube filled") == ["CT", "ACT", "nCT", "RBU"]
    # the words of summaries and families before those of keywords
    assert names("nuggets rubrics") == ["Coverage", "All-covered", "Vital-coverage", "A-Recall", "MRecall", "I-rec",
                                        "alpha-DCG", "alpha-nDCG"]  # fmt: skip
    assert names("share facts") == ["Coverage", "Vital-coverage"]
    assert names("nothing like it") == []


def test_measures_of_others_by_words():
    assert [str(measure) for measure in find_answer_measures("rubric")][-1] == "rubric_score"
    assert [str(measure) for measure in find_answer_measures("all-score")] == ["strict_all_score", "all_score"]
    assert [str(measure) for measure in find_answer_measures("negative weight")] == ["rubric_score"]
    assert len(find_answer_measures("scores of answers")) == len(find_answer_measures("nuggetizer")) == 7
    assert find_ir_measures("bpref") == ["Bpref"]
    # by name, then by description
    assert find_ir_measures("ndcg") == ["nDCG", "SDCG"]
    assert "Bpref" in find_ir_measures("binary preference")
    assert find_ir_measures("qqqq") == []


def test_words_begin_words():
    assert has_words("Share of nuggets, subtopic recall", "NUGGET recall")
    assert not has_words("Share of unnuggets", "nugget")
    assert not has_words("Share of nuggets", "nugget recall")
    assert not has_words("Share of nuggets", " ")


@pytest.mark.parametrize(
    ("measure", "spec"),
    [
        (nDCG @ 5, "nDCG@5"),
        (nDCG(dcg="log2"), "nDCG"),
        (nDCG(dcg="exp-log2") @ 5, None),
        (nDCG(judged_only=False) @ 5, "nDCG@5"),
        (nDCG(judged_only=True) @ 5, None),
        (AP(rel=2) @ 5, "AP(rel=2)@5"),
        (P @ 5, "P@5"),
        (RR, "RR"),
        (RR @ 5, None),
        (Rprec(rel=2), "Rprec(rel=2)"),
        (Rprec @ 5, None),
        (R @ 5, "Recall@5"),
        (Success @ 5, "Hit@5"),
        (Bpref, None),
        (ir_measures.define(lambda qrels, run: (), name="AP"), None),
    ],
)
def test_equivalents_of_measures_of_trec_eval(measure, spec):
    found = irdiv_equivalent(measure)
    assert (None if found is None else str(found)) == spec
    assert found is None or isinstance(found, irdiv.Measure)


def test_names_of_trec_eval():
    assert TREC_EVAL_NAMES == ("nDCG", "AP", "P", "RR", "R", "Rprec", "Success")


def test_measures_of_answers():
    vital, weighted, everything = (
        "Share of the vital nuggets that the answer supports",
        "Share of the vital and okay nuggets that the answer supports, an okay one with weight ½",
        "Share of all nuggets that the answer supports",
    )
    formulas = {
        "vital_score": (vital, "Σ_vital c_i / n_vital"),
        "weighted_score": (weighted, "(Σ_vital c_i + ½ Σ_okay c_i) / (n_vital + ½ n_okay)"),
        "all_score": (everything, "Σ c_i / n"),
    }
    expected = {}
    for name, (summary, formula) in formulas.items():
        expected[f"strict_{name}"] = (f"{summary}; partial support counts 0.", formula)
        expected[name] = (f"{summary}; partial support counts ½.", formula)
    expected["rubric_score"] = (
        "Weighted share of the criteria that the answer satisfies; criteria with a negative weight are penalties.",
        "Σ w_i c_i / Σ max(w_i, 0)",
    )
    assert {name: (m.summary, m.formula) for name, m in ANSWER_MEASURES.items()} == expected
    assert [str(m) for m in (*NUGGET_MEASURES, *RUBRIC_MEASURES)] == list(expected)
    assert all(m.__doc__ == f"{m.summary}\n\n{m.formula}" for m in ANSWER_MEASURES.values())
    with pytest.raises(IrdivError) as caught:
        AnswerMeasure("all_score")(rel=2, cutoff=3)
    assert str(caught.value) == "all_score has no parameters and no cutoff; found rel, cutoff."
    mean = AnswerMeasure("all_score").aggregator()
    assert isnan(mean.result())
    for value in (0.1, 0.2, 0.3):
        mean.add(value)
    # rounded once; 0.1 + 0.2 + 0.3 is more than 0.6
    assert mean.result() == 0.2


def test_values_of_parameters():
    values = ParameterValues({"rel": 1, "gain": "exp"})
    assert repr(values) == "ParameterValues({'rel': 1, 'gain': 'exp'})"
    assert values == ParameterValues({"gain": "exp", "rel": 1})
    assert values != ParameterValues({"rel": True, "gain": "exp"})
    assert values != {"rel": 1, "gain": "exp"}
    assert dict(values.only("rel").replace(H=3)) == {"rel": 1, "H": 3}


def test_the_highest_grade_with_an_exponential_gain():
    def score(grade: int) -> float:
        qrels = pd.DataFrame({"query_id": "1", "intent_id": "a", "doc_id": ["d", "e"], "relevance": [grade, 1]})
        return irdiv.evaluate(qrels, {"1": {"d": 1.0}}, "nDCG-IA@1").values.item()

    assert score(1000) == 1
    with pytest.raises(IrdivError) as caught:
        score(1001)
    assert str(caught.value) == "gain='exp' is 2^x − 1, which grades up to 1001 overflow; use gain='linear'."
