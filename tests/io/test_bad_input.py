"""Qrels and runs that do not fit each other or a measure, and arguments that are refused."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning

OPTIONS = pytest.mark.parametrize("options", [{}, {"batch_rows": 2}], ids=["whole", "parts"])


@OPTIONS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, r: (q, r.assign(query_id="t" + r["query_id"])), "no topic in common: .*'1', '2'.*'t1', 't2'"),
        (
            lambda q, r: (pd.concat([q, q.iloc[[0]].assign(relevance=3)]), r),
            "document 'd1' of topic '1' has the grades 2 and 3 for intent '1'",
        ),
    ],
    ids=["topics", "grades"],
)
def test_qrels_and_runs_that_do_not_fit(qrels, run, change, message, options):
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(*change(qrels, run), "I-rec@3", **options)


def test_qrels_that_repeat_themselves(qrels, run):
    specs = ["D#-nDCG@3", "nDCG-IA"]
    twice = irdiv.evaluate(pd.concat([qrels, qrels]), run, specs)
    np.testing.assert_array_equal(twice.values, irdiv.evaluate(qrels, run, specs).values)


def test_a_topic_without_relevant_documents_scores_0_with_a_note(qrels, run):
    more = pd.concat([qrels, pd.DataFrame([("3", "x", 0, "1")], columns=qrels.columns)])
    table = irdiv.evaluate(more.assign(importance="vital"), run, list(irdiv.measures.registry))
    assert [note for note in table.notes if "1 of 3 topics have no relevant document" in note and "'3'" in note]
    with pytest.warns(IrdivWarning, match="1 of 3 topics have no relevant document .*: '3'"):
        irdiv.Collection(more)
    values = dict(zip(table.specs(), table.values[0], strict=True))
    assert {spec: row[2] for spec, row in values.items() if row[2] != 0} == {}
    assert [spec for spec, row in values.items() if not np.isfinite(row).all()] == []


@pytest.mark.parametrize("spec", ["D#-nDCG@10", "ERR-IA", "α-nDCG@5", "ERR_IA@5"])
@pytest.mark.parametrize("iteration", [None, "0"])
@OPTIONS
def test_a_diversity_measure_without_intents(qrels, run, spec, iteration, options):
    """The error is not the fault of a run, so that it names none."""
    flat = qrels[qrels["iteration"] == "1"].drop(columns="iteration")
    flat = flat if iteration is None else flat.assign(iteration=iteration)
    with pytest.raises(IrdivError, match="^(?!run ).*needs intents, but the qrels have no intent column"):
        irdiv.evaluate(flat, {"a": run, "b": run}, spec, **options)
    assert irdiv.evaluate(flat, run, "Q@3", **options).values.max() > 0


@pytest.mark.parametrize(
    ("parameters", "texts"),
    [
        ({"ties": "random"}, ["ties='random'", "'docid_desc', 'docid_asc', 'input', 'rank'"]),
        ({"duplicates": "last"}, ["duplicates='last'", "'error', 'first'"]),
        ({"gamma": 0.3}, ["'gamma'", "intents", "rel"]),
        ({"cutoff": 10}, ["'cutoff'"]),
        ({"rel": 0}, ["rel=0"]),
        ({"intents": pd.DataFrame()}, ["with_intents(qrels, intent_table)"]),
        ({"measures": []}, ["no measures given"]),
        ({"measures": 3}, ["not 3"]),
        ({"measures": [3]}, ["not 3"]),
    ],
    ids=range(9),
)
@OPTIONS
def test_bad_arguments(qrels, run, parameters, texts, options):
    with pytest.raises(IrdivError, match="^(?!run )") as caught:
        irdiv.evaluate(qrels, {"a": run, "b": run}, **{"measures": "I-rec@3", **parameters, **options})
    assert [text for text in texts if text not in str(caught.value)] == []


@pytest.mark.parametrize("option", ["ties", "duplicates"])
def test_bad_arguments_of_analyses(qrels, run, option):
    with pytest.raises(IrdivError, match=f"^{option}='x' is not one of"):
        irdiv.analysis.relevant_documents_by_intent(qrels, {"a": run, "b": run}, **{option: "x"})


def test_a_warning_points_at_the_users_line():
    qrels = pd.DataFrame({"query_id": ["1", "3"], "intent_id": "1", "doc_id": "d1", "relevance": [1, 0]})
    for call in (
        irdiv.Collection,
        irdiv.analysis.intent_probabilities,
        lambda q: ir_measures.evaluator([irdiv.measures.IRec], q),
    ):
        with pytest.warns(IrdivWarning) as caught:
            call(qrels)
        assert not caught[0].filename.startswith(str(Path(irdiv.__file__).parent))


@pytest.mark.parametrize(
    ("spec", "message"),
    [("ERR-IA(max_grade=2)", "max_grade=2, .*grades up to 3"), ("D-nDCG(gain={1: 1})", "no gain for the grades 2, 3")],
)
def test_grades_that_do_not_fit_a_measure(qrels, run, spec, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(qrels, run, spec)


def test_grades_too_high_for_exponential_gains(qrels, run):
    high = qrels.assign(relevance=5000)
    with pytest.raises(IrdivError, match="grades up to 5000 overflow; use gain='linear'"):
        irdiv.evaluate(high, run, "D-nDCG")
    assert irdiv.evaluate(high, run, "D-nDCG(gain=linear)").values.max() > 0
    # these use grades, not gains
    assert irdiv.evaluate(high, run, ["GAP-IA", "ERR-IA"]).values.min(axis=2).max() > 0
