"""What is said about qrels and runs without a warning: below tables, in reports and on standard error."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv.evaluation.sources import KEPT_DEPTH

QRELS = pd.DataFrame(
    [("1", "i", "a", 2), ("1", "j", "b", 1), ("1", "k", "c", 0), ("2", "i", "a", 1), ("3", "i", "z", 0)],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)
RUN = pd.DataFrame(
    [("1", "a", 3.0), ("1", "x", 2.0), ("1", "c", 2.0), ("1", "y", 1.0), ("2", "a", 2.0), ("3", "z", 1.0)],
    columns=["query_id", "doc_id", "score"],
)


def notes(run=RUN, measures="D#-nDCG@3", **options) -> str:
    return "\n".join(irdiv.evaluate(QRELS, run, measures, **options).notes)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".* lacks")
        yield


def test_topics_without_relevant_documents():
    assert "1 of 3 topics have no relevant document and score 0 in measures of relevance: '3'." in notes()


def test_declared_intents_that_do_not_count():
    assert "2 of 5 declared intents have no relevant document and do not count; intents='all' counts them." in notes()
    higher = notes(measures=["D#-nDCG(rel=2)@3", "I-rec@3"])
    assert "2 of 5 declared intents have no relevant document and" in higher
    assert "4 of 5 declared intents have no relevant document of grade 2 or more and do not count" in higher
    assert "declared" not in notes(intents="all")
    assert "declared" not in notes(measures="nDCG@3")
    # which measures, where only some leave them out
    mixed = notes(measures=["D#-nDCG(rel=2)@3", "I-rec@3", "Coverage@3"])
    assert "no relevant document and do not count in I-rec@3; intents='all' counts them." in mixed
    assert "of grade 2 or more and do not count in D#-nDCG(rel=2)@3; intents='all' counts them." in mixed
    assert "do not count in ERR_IA@3." in notes(measures=["ERR_IA@3", "Coverage@3"])
    # ndeval leaves them out too, and has no option to count them
    assert "2 of 5 declared intents have no relevant document and do not count." in notes(measures="ERR_IA@3")
    # beside measures that count them, the note names those that do not
    mixed = notes(measures=["Coverage@3", "alpha-nDCG@3", "ERR-IA@2"])
    assert "2 of 5 declared intents have no relevant document and do not count in alpha-nDCG@3, ERR-IA@2;" in mixed


def test_topics_without_a_document_of_a_grade():
    note = "1 of 3 topics have no document of grade 2 or more and score 0 with rel=2."
    assert note in notes(measures=["AP(rel=2)", "nDCG@3"])
    assert note in notes(measures=["D#-nDCG(rel=2)@3"])
    assert note not in notes()


def test_topics_without_vital_intents():
    importance = ["vital", "okay", "okay", "okay", "vital"]
    qrels = QRELS.assign(importance=importance)[:4]
    evaluation = irdiv.evaluate(qrels, RUN, ["Vital-coverage@3", "Coverage@3"])
    assert "1 of 2 topics have no vital intents ('2') and score 0 in Vital-coverage@3." in evaluation.notes
    assert evaluation["Vital-coverage@3"].to_numpy().tolist() == [[1], [0]]
    assert not any("vital" in note for note in irdiv.evaluate(qrels, RUN, "Coverage@3").notes)
    assert not any("vital" in note for note in irdiv.evaluate(qrels[:3], RUN, "Vital-coverage@3").notes)
    streamed = irdiv.evaluate(qrels, RUN, ["Vital-coverage@3", "Coverage@3"], batch_rows=1)
    assert "1 of 2 topics have no vital intents ('2') and score 0 in Vital-coverage@3." in streamed.notes


def test_topics_without_probabilities():
    table = pd.DataFrame({"query_id": "1", "intent_id": list("ijk"), "weight": [0.5, 0.3, 0.2]})
    weighted = irdiv.evaluate(irdiv.with_intents(QRELS, table), RUN, ["D-nDCG@3"])
    assert "2 of 3 topics have no probabilities, so their intents count equally." in weighted.notes
    assert "probabilities" not in notes()


def test_aspect_recall_without_weights():
    note = "no intent has a probability or importance, so all count equally in A-Recall@3, as in Coverage."
    assert note in notes(measures=["A-Recall@3", "Coverage@3"]).split("\n")
    assert "no intent has" not in notes(measures="Coverage@3")
    weighted = QRELS.assign(importance=["vital", "okay", "okay", "okay", "vital"])
    assert "no intent has" not in "".join(irdiv.evaluate(weighted, RUN, "A-Recall@3").notes)


def test_topics_of_runs_that_are_not_in_the_qrels():
    """They do not count, however the runs are given."""
    other = RUN.assign(query_id=RUN["query_id"].replace({"3": "20", "2": "4"}))
    note = "topics of runs that are not in the qrels do not count: 2 ('4', '20')."
    assert note in notes(other)
    assert note in notes({"one": RUN, "two": other})
    assert note in notes(pd.concat([RUN.assign(run="one"), other.assign(run="two")]), run_column="run")
    assert note in notes({"one": RUN, "two": other}, batch_rows=1)
    assert "not in the qrels" not in notes()
    assert "not in the qrels" not in notes(batch_rows=1)


def test_topics_of_runs_in_parquet_that_are_not_in_the_qrels(tmp_path):
    """Rows that are grouped by topic are read in order, others by way of temporary files."""
    run = pd.concat([RUN, RUN[-1:].assign(query_id="4")])
    for name, frame in {"qrels": QRELS, "grouped": run, "mixed": run[::-1]}.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    for name in ("grouped", "mixed"):
        evaluation = irdiv.evaluate(tmp_path / "qrels.parquet", tmp_path / f"{name}.parquet", "D#-nDCG@3")
        assert "topics of runs that are not in the qrels do not count: 1 ('4')." in evaluation.notes


def test_topics_that_a_run_lacks():
    assert "topics that a run lacks score 0: 1 of 3 topics." in notes(RUN[RUN["query_id"] != "2"])
    assert "lacks" not in notes()
    both = notes({"all": RUN, "some": RUN[:4]})
    assert "topics that a run lacks score 0: 2 of 3 topics in some." in both


def test_unjudged_documents():
    # of the first three, x is unjudged: 1 of 5; y is the fourth
    assert "20.0% of the first 3 documents are unjudged; the measure Judged@3 gives it for each topic." in notes()
    assert "33.3% of the first 10 documents are unjudged" in notes(measures="I-rec")
    two = notes({"one": RUN, "two": RUN[RUN["doc_id"] != "x"]}, "D#-nDCG@2")
    # a, x, a and z; a, c, a and z
    assert "0.0% (two) to 25.0% (one) of the first 2 documents are unjudged" in two
    assert notes({"one": RUN, "two": RUN}).count("20.0%") == 1
    assert "unjudged" not in notes(RUN[~RUN["doc_id"].isin(["x", "y"])])


@pytest.mark.parametrize("cutoff", [1, 2, 3, None])
def test_judged_is_the_share_that_notes_tell(cutoff):
    values = irdiv.evaluate(QRELS, RUN, irdiv.parse("Judged")(cutoff=cutoff)).values[0, 0]
    first = {1: 1, 2: 1 / 2, 3: 2 / 3, None: 2 / 4}[cutoff]
    assert values.tolist() == [first, 1, 1]


def test_judged_follows_the_order_of_ties():
    # x and c are tied: x is second by doc id descending, c ascending
    values = [irdiv.evaluate(QRELS, RUN, "Judged@2", ties=ties).values[0, 0, 0] for ties in ("docid_desc", "docid_asc")]
    assert values == [1 / 2, 1]


@pytest.mark.parametrize("seed", range(3))
def test_judged_is_that_of_ir_measures_without_ties(seed):
    import ir_measures

    qrels, run = random_collection(seed), random_run(seed)
    run = run.assign(score=run["score"] + np.arange(len(run)) * 1e-6)
    plain = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Judged @ 5], plain, run)}
    ours = irdiv.evaluate(qrels, run, "Judged@5", batch_rows=40)
    assert ours.values[0, 0].tolist() == [theirs.get(query, 0.0) for query in ours.query_ids]


def test_ties():
    where = (
        "documents with equal scores among the first 3 are ordered by doc id, descending (ties='docid_desc'; 'rank' "
        "orders by a rank column): "
    )
    assert f"{where}1 of 3 topics." in notes()
    assert "equal scores" not in notes(measures="D#-nDCG@1")
    # one measure sees all documents
    assert "documents with equal scores are ordered by doc id" in notes(measures=["D#-nDCG@1", "AP"])
    # the second document has the score of the third, which is not seen
    assert "equal scores among the first 2 " in notes(measures="D#-nDCG@2")
    assert "ordered as the rows are (ties='input')" in notes(ties="input")
    several = {"one": RUN, "two": RUN.assign(score=1.0), "three": RUN[RUN["doc_id"] != "x"]}
    assert f"{where}up to 1 of 3 topics (one), in 2 of 3 runs." in notes(several)


def test_ties_of_ranks():
    ranked = RUN.assign(rank=[1, 2, 2, 3, 1, 1])
    assert "documents with equal ranks among the first 3 are ordered by doc id, descending: 1" in notes(
        ranked, ties="rank"
    )


@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
def test_ties_of_a_run_without_scores(options):
    ranked = RUN.drop(columns="score").assign(rank=[1, 2, 2, 3, 1, 1])
    by_id = "among the first 3 are ordered by doc id, descending (ties='docid_desc'"
    # ties='rank' would change nothing
    assert f"documents with equal ranks {by_id}): 1 of 3 topics." in notes(ranked, **options)
    assert "equal scores" not in notes(ranked, **options)
    both = notes({"scored": RUN, "ranked": ranked}, **options)
    assert f"equal scores {by_id}; 'rank' orders by a rank column): 1 of 3 topics in scored." in both
    assert f"equal ranks {by_id}): 1 of 3 topics in ranked." in both


def test_nothing_to_say():
    plain = QRELS[QRELS["query_id"] == "2"]
    made = irdiv.evaluate(plain, RUN[RUN["query_id"] == "2"], "I-rec@1")
    assert made.notes == ()
    assert "note" not in repr(made)
    assert "<ul>" not in made._repr_html_()


def test_notes_are_below_the_table():
    made = irdiv.evaluate(QRELS, {"<b>": RUN, "c": RUN[:1]}, "D#-nDCG@3")
    assert repr(made).splitlines()[-len(made.notes) :] == [f"note: {note}" for note in made.notes]
    assert made._repr_html_().count("<li>") == len(made.notes)
    assert "(&lt;b&gt;)" in made._repr_html_()


def test_streams_have_the_same_notes_but_for_unjudged_documents():
    kept = irdiv.evaluate(QRELS, {"one": RUN, "two": RUN[:3]}, "D#-nDCG@3").notes
    streamed = irdiv.evaluate(QRELS, {"one": RUN, "two": RUN[:3]}, "D#-nDCG@3", batch_rows=1).notes
    assert len(kept) == 5
    assert [note for note in kept if "unjudged" not in note] == [note for note in streamed if "unjudged" not in note]
    assert "the share of unjudged documents was not counted; the measure Judged@3 gives it." in streamed


def test_only_the_first_documents_of_a_long_run_are_kept():
    long = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(300)], "score": -np.arange(300.0)})
    long = pd.concat([long, RUN[RUN["query_id"] == "2"], RUN[:1].assign(query_id="4")])
    cut = irdiv.evaluate(QRELS, long, "I-rec@3")
    assert len(cut.sources.runs["run"].topic) == KEPT_DEPTH + 1
    assert "75.0% of the first 3 documents are unjudged" in "\n".join(cut.notes)
    assert "topics of runs that are not in the qrels do not count: 1 ('4')." in cut.notes
    assert len(irdiv.evaluate(QRELS, long, "I-rec").sources.runs["run"].topic) == 301


def test_an_evaluation_can_be_pickled():
    made = irdiv.evaluate(QRELS, RUN, ["D#-nDCG@3", "nDCG(gain='exp')@3", "Judged@3"])
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == repr(made)
    assert again.measures == made.measures


def test_notes_are_in_the_report(tmp_path):
    pytest.importorskip("jinja2")
    page = irdiv.report.write_report(QRELS, {"one": RUN, "two": RUN[:3]}, tmp_path / "page.html").read_text()
    assert "1 of 3 topics have no relevant document" in page
    assert "are unjudged; the measure Judged@10" in page
