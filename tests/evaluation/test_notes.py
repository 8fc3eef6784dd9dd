"""What is said about qrels and runs without a warning: below tables, in reports and on standard error."""

from __future__ import annotations

import re
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_run

QRELS = pd.DataFrame(
    [("1", "i", "a", 2), ("1", "j", "b", 1), ("1", "k", "c", 0), ("2", "i", "a", 1), ("3", "i", "z", 0)],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)
RUN = pd.DataFrame(
    [("1", "a", 3.0), ("1", "x", 2.0), ("1", "c", 2.0), ("1", "y", 1.0), ("2", "a", 2.0), ("3", "z", 1.0)],
    columns=["query_id", "doc_id", "score"],
)
RANKED = RUN.drop(columns="score").assign(rank=[1, 2, 2, 3, 1, 1])
IMPORTANT = QRELS.assign(importance=["vital", "okay", "okay", "okay", "vital"])
OTHER_TOPICS = RUN.assign(query_id=RUN["query_id"].replace({"3": "20", "2": "4"}))
WEIGHTED = irdiv.with_intents(
    QRELS, pd.DataFrame({"query_id": "1", "intent_id": list("ijk"), "weight": [0.5, 0.3, 0.2]})
)


def notes(run=RUN, measures="D#-nDCG@3", qrels=QRELS, **options) -> str:
    return "\n".join(irdiv.evaluate(qrels, run, measures, **options).notes)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".* lacks")
        yield


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}], ids=["whole", "in batches"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "1 of 3 topics have no relevant document .*: '3'"),
        ({}, "2 of 5 declared intents have no relevant document and do not count; intents='all'"),
        # One note for each lowest grade, and which measures where only some leave intents out.
        ({"measures": ["D#-nDCG(rel=2)@3", "I-rec@3"]}, "2 of 5 declared intents have no relevant document and"),
        (
            {"measures": ["D#-nDCG(rel=2)@3", "I-rec@3"]},
            "4 of 5 declared intents .* of grade 2 or more and do not count",
        ),
        ({"measures": ["D#-nDCG(rel=2)@3", "I-rec@3", "Coverage@3"]}, r"do not count in I-rec@3; intents='all'"),
        (
            {"measures": ["D#-nDCG(rel=2)@3", "I-rec@3", "Coverage@3"]},
            r"grade 2 .* count in D#-nDCG\(rel=2\)@3; intents",
        ),
        ({"measures": ["Coverage@3", "alpha-nDCG@3", "ERR-IA@2"]}, "2 of 5 .* count in alpha-nDCG@3, ERR-IA@2;"),
        # ndeval leaves them out too, and has no option to count them.
        ({"measures": ["ERR_IA@3", "Coverage@3"]}, r"do not count in ERR_IA@3\.$"),
        ({"measures": "ERR_IA@3"}, r"2 of 5 declared intents have no relevant document and do not count\.$"),
        ({"measures": ["AP(rel=2)", "nDCG@3"]}, "1 of 3 topics have no document of grade 2 .* score 0 with rel=2"),
        ({"measures": "D#-nDCG(rel=2)@3"}, "1 of 3 topics have no document of grade 2 .* score 0 with rel=2"),
        ({"measures": ["Vital-coverage@3", "Coverage@3"], "qrels": IMPORTANT[:4]}, r"1 of 2 .*vital.*'2'.* Vital-cov"),
        ({"qrels": WEIGHTED}, "2 of 3 topics have no probabilities"),
        ({"measures": ["A-Recall@3", "Coverage@3"]}, "no intent has a probability or importance.* A-Recall@3, as in"),
        ({"run": OTHER_TOPICS}, r"not in the qrels do not count: 2 \('4', '20'\)"),
        ({"run": {"one": RUN, "two": OTHER_TOPICS}}, r"not in the qrels do not count: 2 \('4', '20'\)"),
        ({"run": RUN[RUN["query_id"] != "2"]}, r"topics that a run lacks score 0: 1 of 3 topics\.$"),
        ({"run": {"all": RUN, "some": RUN[:4]}}, "a run lacks score 0: 2 of 3 topics in some"),
        # Equal scores meet at ranks 2 and 3 of topic 1.
        ({}, r"equal scores among the first 3 .*doc id, desc.*'docid_desc'; 'rank'.*: 1 of 3 topics\.$"),
        ({"measures": "D#-nDCG@2"}, "equal scores among the first 2 "),
        ({"measures": ["D#-nDCG@1", "AP"]}, "documents with equal scores are ordered"),
        ({"ties": "docid_asc"}, r"by doc id, ascending \(ties='docid_asc'"),
        ({"ties": "input"}, r"as the rows are \(ties='input'\)"),
        (
            {"run": {"one": RUN, "two": RUN.assign(score=1.0), "three": RUN[RUN["doc_id"] != "x"]}},
            r"equal scores .*: up to 1 of 3 topics \(one\), in 2 of 3 runs\.$",
        ),
        ({"run": RUN.assign(rank=RANKED["rank"]), "ties": "rank"}, "equal ranks .* by doc id, descending: 1"),
        # ties='rank' would change nothing
        ({"run": RANKED}, r"equal ranks among the first 3 .*\(ties='docid_desc'\): 1 of 3 topics\.$"),
        ({"run": {"scored": RUN, "ranked": RANKED}}, r"equal scores .*; 'rank' .*: 1 of 3 topics in scored\.$"),
        ({"run": {"scored": RUN, "ranked": RANKED}}, r"equal ranks .*: 1 of 3 topics in ranked\.$"),
    ],
)
def test_what_is_said(given, said, options):
    assert re.search(said, notes(**given, **options), re.MULTILINE)


@pytest.mark.parametrize(
    ("given", "unsaid"),
    [
        ({}, "of grade|probabilities|vital|not in the qrels|lacks"),
        ({"intents": "all"}, "declared"),
        ({"measures": "nDCG@3"}, "declared"),
        ({"measures": "Coverage@3", "qrels": IMPORTANT[:4]}, "vital"),
        ({"measures": "Vital-coverage@3", "qrels": IMPORTANT[:3]}, "vital"),
        ({"measures": "Coverage@3"}, "no intent has"),
        ({"measures": "A-Recall@3", "qrels": IMPORTANT}, "no intent has"),
        ({"run": RUN[~RUN["doc_id"].isin(["x", "y"])]}, "unjudged"),
        ({"measures": "D#-nDCG@1"}, "equal scores"),
        ({"run": RANKED}, "equal scores"),
    ],
)
def test_what_is_not_said(given, unsaid):
    assert re.search(unsaid, notes(**given)) is None


def test_topics_of_a_run_column_that_are_not_in_the_qrels():
    runs = pd.concat([RUN.assign(run="one"), OTHER_TOPICS.assign(run="two")])
    assert "do not count: 2 ('4', '20')" in notes(runs, run_column="run")


def test_topics_of_parquet_that_are_not_in_the_qrels(tmp_path):
    run = pd.concat([RUN, RUN[-1:].assign(query_id="4")])
    for name, frame in {"qrels": QRELS, "grouped": run, "mixed": run[::-1]}.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    for name in ("grouped", "mixed"):
        found = notes(tmp_path / f"{name}.parquet", qrels=tmp_path / "qrels.parquet")
        assert "do not count: 1 ('4')" in found, name


def test_topics_without_vital_intents_score_0():
    evaluation = irdiv.evaluate(IMPORTANT[:4], RUN, "Vital-coverage@3")
    assert evaluation["Vital-coverage@3"]["run"].to_dict() == {"1": 1, "2": 0}


def test_unjudged_documents():
    # of the first three, x is unjudged: 1 of 5; y is the fourth
    assert "20.0% of the first 3 documents are unjudged; the measure Judged@3" in notes()
    assert "33.3% of the first 10 documents are unjudged" in notes(measures="I-rec")
    # a, x, a and z; a, c, a and z
    two = {"one": RUN, "two": RUN[RUN["doc_id"] != "x"]}
    assert "0.0% (two) to 25.0% (one) of the first 2 documents are unjudged" in notes(two, "D#-nDCG@2")
    assert notes({"one": RUN, "two": RUN}).count("20.0%") == 1


def test_batches_have_the_same_notes_but_for_unjudged_documents():
    runs = {"one": RUN, "two": RUN[:3]}
    kept, streamed = (irdiv.evaluate(QRELS, runs, "D#-nDCG@3", **options).notes for options in ({}, {"batch_rows": 1}))
    assert len(kept) == 5
    assert [note for note in kept if "unjudged" not in note] == [note for note in streamed if "unjudged" not in note]
    assert "unjudged documents was not counted; the measure Judged@3 gives it" in "\n".join(streamed)


def test_judged_follows_the_order_of_ties():
    # x and c are tied: x is second by doc id descending, c ascending
    found = {
        ties: irdiv.evaluate(QRELS, RUN, "Judged@2", ties=ties).values[0, 0, 0] for ties in ("docid_desc", "docid_asc")
    }
    assert found == {"docid_desc": 1 / 2, "docid_asc": 1}


@pytest.mark.parametrize("seed", range(3))
def test_judged_is_that_of_ir_measures_without_ties(seed):
    qrels, run = random_collection(seed), random_run(seed)
    run = run.assign(score=run["score"] + np.arange(len(run)) * 1e-6)
    plain = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Judged @ 5], plain, run)}
    ours = irdiv.evaluate(qrels, run, "Judged@5", batch_rows=40)
    assert ours.values[0, 0].tolist() == [theirs.get(query, 0.0) for query in ours.query_ids]


def test_documents_that_are_not_kept_change_no_note():
    long = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(300)], "score": -np.arange(300.0)})
    long = pd.concat([long, RUN[RUN["query_id"] == "2"], RUN[:1].assign(query_id="4")])
    assert "75.0% of the first 3 documents are unjudged" in notes(long, "I-rec@3")
    assert "do not count: 1 ('4')" in notes(long, "I-rec@3")


def test_nothing_to_say():
    made = irdiv.evaluate(QRELS[QRELS["query_id"] == "2"], RUN[RUN["query_id"] == "2"], "I-rec@1")
    assert made.notes == ()
    assert "note" not in repr(made)
    assert "<ul>" not in made._repr_html_()


def test_notes_are_below_the_table_and_in_the_report(tmp_path):
    runs = {"<b>": RUN, "c": RUN[:1]}
    made = irdiv.evaluate(QRELS, runs, "D#-nDCG@3")
    assert repr(made).splitlines()[-len(made.notes) :] == [f"note: {note}" for note in made.notes]
    assert made._repr_html_().count("<li>") == len(made.notes)
    assert "(&lt;b&gt;)" in made._repr_html_()
    page = irdiv.report.write_report(QRELS, runs, tmp_path / "page.html").read_text()
    assert "1 of 3 topics have no relevant document" in page
    assert "are unjudged; the measure Judged@10" in page
