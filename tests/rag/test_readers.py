"""Readers of assignments, ratings and contexts by hand; test_nuggets.py has nuggets."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import polars as pl
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.rag import read_assignments, read_contexts, read_crux, read_nuggets, score_answers


def write_lines(path, records) -> str:
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


# Assignments


def assigned(run: str | None, topic: str, labels: dict[str, str], **fields: object) -> dict[str, object]:
    nuggets = [{"text": text, "importance": "vital", "assignment": label} for text, label in labels.items()]
    return {"qid": topic, **({} if run is None else {"run_id": run}), "nuggets": nuggets, **fields}


def test_assignments_to_answers():
    records = [assigned("a", "1", {"x": "support", "y": "Partial_Support"}), assigned("b", "1", {"x": "not_support"})]
    made = read_assignments(records)
    assert list(made.columns) == ["run", "query_id", "intent_id", "description", "importance", "assignment"]
    assert made["run"].tolist() == ["a", "a", "b"]
    assert made["assignment"].tolist() == ["support", "partial_support", "not_support"]
    assert made["intent_id"][0] == made["intent_id"][2] == read_nuggets({"1": ["x"]})["intent_id"][0]
    flat = made.rename(columns={"run": "run_id", "query_id": "topic_id", "intent_id": "nugget_id"})
    pd.testing.assert_frame_equal(read_assignments(flat), made)
    assert isinstance(read_assignments(pl.from_pandas(made)), pl.DataFrame)


def test_weights_of_assignments():
    rows = [
        {"query_id": "1", "rubric_id": "x", "weight": 3, "assignment": "Satisfied"},
        {"query_id": "1", "rubric_id": "y", "weight": 1, "assignment": "Not Satisfied"},
        {"query_id": "1", "rubric_id": "z", "weight": -2, "assignment": "Satisfied"},
    ]
    made = read_assignments([{**row, "run": "a"} for row in rows])
    assert list(made.columns) == ["run", "query_id", "intent_id", "weight", "assignment"]
    # (3 − 2) / (3 + 1)
    assert score_answers(made).values.tolist() == [[[0.25]]]
    labels = {"Satisfied": "support", "Not Satisfied": "not_support"}
    qrels = read_assignments([{**row, "doc_id": "d"} for row in rows[:2]], labels=labels)
    assert qrels["probability"].tolist() == [3, 1]
    assert irdiv.evaluate(qrels, {"1": ["d"]}, "A-Recall@1").values.tolist() == [[[0.75]]]
    nested = {"qid": "1", "run_id": "a", "nuggets": [{"text": "x", "weight": "2", "assignment": "support"}]}
    assert read_assignments([nested])["weight"].tolist() == [2]
    with pytest.raises(IrdivError, match="weight -2.0: a penalty"):
        read_assignments([{**row, "doc_id": "d"} for row in rows], labels=labels)


def test_runs_are_named_by_the_caller_the_record_or_the_file(tmp_path):
    named = write_lines(tmp_path / "x.jsonl", [assigned("in-record", "1", {"x": "support"})])
    unnamed = write_lines(tmp_path / "y.jsonl.gz", [assigned(None, "1", {"x": "support"})])
    assert read_assignments([named, unnamed])["run"].tolist() == ["in-record", "y"]
    assert read_assignments({"mine": named, "yours": unnamed})["run"].tolist() == ["mine", "yours"]
    with pytest.raises(IrdivError, match="run 'in-record' has topic '1' already in"):
        read_assignments([named, named])


def test_unknown_labels_of_answers_are_kept_and_counted():
    records = [assigned("a", "1", {"w": "supporter", "x": "", "y": "include", "z": "support"})]
    with pytest.warns(IrdivWarning, match=r"3 .*scored 0: 'supporter' \(1\), '' \(1\), 'include' \(1\)"):
        made = read_assignments(records)
    assert made["assignment"].tolist() == ["supporter", "", "include", "support"]
    labels = {"supporter": "support", "": "not_support", "include": "partial_support"}
    assert read_assignments(records, labels=labels)["assignment"].tolist() == [*labels.values(), "support"]
    with pytest.raises(IrdivError, match="'include': 1} maps to a grade"):
        read_assignments(records, labels={"include": 1})


def test_repeated_nuggets_of_an_answer_are_all_kept():
    records = [assigned("a", "1", {"x": "support", "x ": "not_support"})]
    with pytest.warns(IrdivWarning, match="1 nugget repeats .*all are kept"):
        made = read_assignments(records)
    assert made["assignment"].tolist() == ["support", "not_support"]
    assert made["intent_id"][1] == made["intent_id"][0] + "-2"


def test_assignments_to_documents_are_qrels():
    labels = {"d1": {"x": "support", "y": "not_support"}, "d2": {"x": "partial_support", "y": "include"}}
    records = [assigned(None, "1", label, docid=doc, candidate_text="…") for doc, label in labels.items()]
    with pytest.warns(IrdivWarning, match=r"1 support label is unknown and left out: 'include'"):
        qrels = read_assignments(records)
    found = {(row.description, row.doc_id): row.relevance for row in qrels.itertuples()}
    assert found == {("x", "d1"): 2, ("y", "d1"): 0, ("x", "d2"): 1}
    assert set(qrels["probability"]) == {1.0}
    made = irdiv.evaluate(qrels, {"1": ["d2", "d1"]}, ["I-rec(intents='all')@1", "I-rec(intents='all',rel=2)@1"])
    assert made.values.ravel().tolist() == [0.5, 0.0]
    with pytest.raises(IrdivError, match="no document, but .* has one"):
        read_assignments([*records, assigned("a", "1", {"x": "support"})])


@pytest.mark.parametrize(
    ("nugget", "message"),
    [
        ({"text": "a", "importance": "vital"}, r"nuggets\[0\]: no assignment, found .*'text', 'importance'"),
        ("a", r"nuggets\[0\]: no assignment, found 'a'"),
        ({"assignment": "support"}, r"nuggets\[0\]: .*neither an id nor a text"),
    ],
)
def test_nuggets_that_are_no_assignments(nugget, message):
    with pytest.raises(IrdivError, match=message):
        read_assignments([{"qid": "1", "nuggets": [nugget]}])


# Ratings


RATINGS = {"q": [[5, 0, -1], [2, 3, -1]]}


def test_ratings_in_the_order_of_a_run():
    with pytest.warns(IrdivWarning, match=r"2 ratings are not from 0 to 5 and left out, as if not judged: -1 \(2\)"):
        qrels = read_crux(RATINGS, {"q": ["d7", "d3"]})
    assert list(qrels.itertuples(index=False, name=None)) == [
        ("q", "1", "d7", 5),
        ("q", "2", "d7", 0),
        ("q", "1", "d3", 2),
        ("q", "2", "d3", 3),
        ("q", "3", "_no_document_", 0),
    ]


@pytest.mark.filterwarnings("ignore:2 ratings")
@pytest.mark.parametrize(("threshold", "coverage"), [(None, 2 / 3), (3, 2 / 3), (4, 1 / 3)])
def test_the_threshold_makes_ratings_binary(threshold, coverage):
    run = {"q": ["d7", "d3"]}
    qrels = read_crux(RATINGS, run, threshold=threshold)
    assert qrels["relevance"].max() == (5 if threshold is None else 1)
    assert irdiv.evaluate(qrels, run, "I-rec(intents='all')@2").values.item() == pytest.approx(coverage)


@pytest.mark.filterwarnings("ignore:2 ratings")
def test_forms_of_ratings_and_runs(tmp_path):
    frame = pd.DataFrame({"qid": "q", "docno": ["d3", "d7"], "score": [1.0, 2.0]})
    expected = read_crux(RATINGS, frame)
    (tmp_path / "r.json").write_text(json.dumps(RATINGS))
    lines = [{"id": "q", "pid": doc, "rating": row} for doc, row in zip(("d7", "d3"), RATINGS["q"], strict=True)]
    path = write_lines(tmp_path / "r.jsonl.gz", lines)
    for ratings, run in (
        (tmp_path / "r.json", frame.assign(rank=[2, 1])),
        (RATINGS, frame.assign(rank=[1, 0]).drop(columns="score")),
        (path, None),
        (path, frame),
        ([{**line, "docid": line["pid"]} for line in lines], None),
        ({"q": {"d7": RATINGS["q"][0], "d3": RATINGS["q"][1]}}, None),
    ):
        pd.testing.assert_frame_equal(read_crux(ratings, run), expected)
    assert isinstance(read_crux(RATINGS, pl.from_pandas(frame)), pl.DataFrame)
    contradicting = frame.assign(rank=[1, 2])
    with pytest.raises(IrdivError, match="ranks of topic 'q' contradict its scores"):
        read_crux(RATINGS, contradicting)


def test_subquestions_are_descriptions():
    texts = {"q": ["Who?", "When?"], "other": ["Why?"]}
    with pytest.warns(IrdivWarning, match="1 topic has sub-questions but no ratings.*'other'"):
        qrels = read_crux({"q": [[0, 4]]}, {"q": ["d"]}, subquestions=texts)
    assert qrels["description"].tolist() == ["Who?", "When?"]
    lines = [{"example_id": "q", "questions": ["Who?", "When?"]}]
    pd.testing.assert_frame_equal(read_crux({"q": [[0, 4]]}, {"q": ["d"]}, subquestions=lines), qrels)


RATED = {"id": "q", "pid": "d", "rating": [1]}


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ({"q": [[1]]}, {"run": None}, "in the order of a run"),
        ({"q": [[1], [2]]}, {}, "2 documents are rated, but the run has 1 for topic 'q'"),
        ({"q": [[1]]}, {"run": {"r": ["d"]}}, "run lacks topic 'q'.*'r'"),
        ({"q": [[1], [2, 3]]}, {"run": {"q": ["d", "e"]}}, "topic 'q' are rated for 1, 2 sub-questions"),
        ({"q": [[1]]}, {"subquestions": {"q": ["a", "b"]}}, "2 sub-questions, but .* 1 ratings"),
        ({"q": [[1]]}, {"subquestions": {"r": ["a"]}}, "topic 'q' has ratings but no sub-questions"),
        ({"q": [["high"]]}, {}, "an integer for each sub-question"),
        ({"q": [[2**70]]}, {}, "an integer for each sub-question"),
        ({"q": []}, {}, "no document of topic 'q' is rated"),
        ({"q": [[1]]}, {"subquestions": {"q": [7]}}, "must be a text, found '7'"),
        ({"q": [3]}, {}, "document 'd' must be a list, found '3'"),
        ({"q": [[1]]}, {"threshold": 0}, "threshold=0"),
        ([{"id": "q", "rating": [1]}], {"run": None}, "'id', 'pid' .* found 'id', 'rating'"),
        ([RATED, RATED], {"run": None}, "document 'd' of topic 'q' is rated twice"),
        ([RATED], {"run": {"r": ["d"]}}, "no topic in common"),
    ],
)
def test_ratings_that_do_not_fit(ratings, options, message):
    with pytest.raises(IrdivError, match=message):
        read_crux(ratings, **{"run": {"q": ["d"]}, **options})


# Contexts


ANSWER = {
    "run_id": "a",
    "topic_id": "1",
    "references": ["d3", "d1", "d2"],
    "answer": [{"text": "…", "citations": [2, 0]}, {"text": "…", "citations": []}, {"text": "…", "citations": [0, 1]}],
}


def test_answers_are_runs():
    runs = read_contexts([ANSWER, {**ANSWER, "run_id": "b", "references": ["d9"]}])
    assert list(runs) == ["a", "b"]
    assert list(runs["a"].itertuples(index=False, name=None)) == [("1", "d3", 1), ("1", "d1", 2), ("1", "d2", 3)]
    qrels = pd.DataFrame({"query_id": "1", "intent_id": ["x", "y"], "doc_id": ["d3", "d9"], "relevance": 1})
    assert irdiv.evaluate(qrels, runs, "I-rec(intents='all')@3").values.ravel().tolist() == [0.5, 0.5]
    with pytest.raises(IrdivError, match="run 'a' has topic '1' already in record 0"):
        read_contexts([ANSWER, ANSWER])


def test_citations_are_ordered_by_their_first_use():
    assert read_contexts([ANSWER], source="citations")["a"]["doc_id"].tolist() == ["d2", "d3", "d1"]
    metadata = {"metadata": {"team_id": "t", "run_id": "r", "topic_id": "7"}}
    by_id = {**metadata, "responses": [{"text": "…", "citations": ["d5", "d4"]}, {"text": "…", "citations": ["d5"]}]}
    expected = {"query_id": ["7", "7"], "doc_id": ["d5", "d4"], "rank": [1, 2]}
    assert read_contexts([by_id])["r"].to_dict("list") == expected
    scored = {**metadata, "responses": [{"text": "…", "citations": {"d5": 0.1, "d4": 0.9}}]}
    assert read_contexts([scored])["r"]["doc_id"].tolist() == ["d4", "d5"]


def test_retrieved_documents_are_runs(tmp_path):
    candidates = [{"docid": "d1", "score": 9.5, "doc": {"segment": "…"}}, {"docid": "d2", "score": 3}]
    path = write_lines(tmp_path / "bm25.jsonl.gz", [{"query": {"qid": "1", "text": "?"}, "candidates": candidates}])
    expected = {"query_id": ["1", "1"], "doc_id": ["d1", "d2"], "rank": [1, 2]}
    assert read_contexts(path)["bm25"].to_dict("list") == {**expected, "score": [9.5, 3.0]}
    for data in ([{"question_id": 1, "contexts": ["d1", "d2"]}], {"1": ["d1", "d2"]}):
        assert read_contexts(data)["run"].to_dict("list") == expected
    objects = [{"question_id": "1", "passages": [{"passage_id": "d1", "score": 2}, {"passage_id": "d2", "score": 1}]}]
    assert read_contexts(objects)["run"]["doc_id"].tolist() == ["d1", "d2"]
    assert read_contexts({"1": {"d2": 3, "d1": 9.5}})["run"]["doc_id"].tolist() == ["d1", "d2"]


def test_rows_are_runs():
    ids = {"question_id": [1, 1, 1], "passage_id": list("abc")}
    frame = pd.DataFrame({**ids, "rank": [2, 1, 1], "system": list("xxy")})
    runs = read_contexts(frame)
    assert {name: run["doc_id"].tolist() for name, run in runs.items()} == {"x": ["a", "b"], "y": ["c"]}
    assert irdiv.evaluate({"1": {"b": 1}}, runs, "P@1").values.ravel().tolist() == [1.0, 0.0]
    assert isinstance(read_contexts(pl.from_pandas(frame))["y"], pl.DataFrame)


def test_documents_that_are_listed_twice():
    passages = [{"docid": "d1", "score": 3}, {"docid": "d1", "score": 2}, {"docid": "d2", "score": 1}]
    (run,) = read_contexts([{"qid": "1", "candidates": passages}], duplicates="first").values()
    assert run[["doc_id", "rank", "score"]].values.tolist() == [["d1", 1, 3.0], ["d2", 2, 1.0]]
    (run,) = read_contexts([{**ANSWER, "references": ["d1", "d1", "d2"]}], duplicates="first").values()
    assert run["doc_id"].tolist() == ["d1", "d2"]


TOO_LARGE = [{"id": "a", "score": 2**53 + 1}, {"id": "b", "score": 0.5}]


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        ({**ANSWER, "references": ["d1"]}, {"source": "citations"}, "citation 2 is not .* the 1 references"),
        ({**ANSWER, "references": ["d1", "d1"]}, {}, "document 'd1' is listed twice"),
        ({**ANSWER, "references": []}, {}, "run 'a' has no documents"),
        ({"topic_id": "1", "answer": [{"text": "…"}]}, {"source": "references"}, "no references"),
        ({"topic_id": "1", "answer": "words"}, {}, "no references and no citations"),
        ({"topic_id": "1", "answer": [{"citations": {"d1": "high"}}]}, {}, "citations: .*finite number, found 'high'"),
        ({"topic_id": "1", "doc_id": "d"}, {}, "contexts lack a column: expected 'score'"),
        ({"topic_id": "1", "doc_id": "d", "rank": 1}, {"source": "citations"}, "source='citations' .*for answers"),
        ({"topic_id": "1", "documents": TOO_LARGE}, {}, "9007199254740993, which a 64-bit float cannot hold"),
        (ANSWER, {"source": "links"}, "source='links'"),
        (ANSWER, {"duplicates": "last"}, "duplicates='last'"),
    ],
)
def test_contexts_that_do_not_fit(record, options, message):
    with pytest.raises(IrdivError, match=message):
        read_contexts([record], **options)
