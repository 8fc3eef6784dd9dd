"""Readers of nuggets, assignments, ratings and contexts: by hand, on the real files, and on files with mistakes."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.rag import read_assignments, read_contexts, read_crux, read_nuggets, score_answers

NUGGETS = [
    {
        "qid": "1",
        "query": "jaguar",
        "nuggets": [{"text": "a  cat", "importance": "vital"}, {"text": "a car", "importance": "okay"}],
    },
    {"qid": 2, "nuggets": [{"text": "a cat", "importance": "Vital "}]},
]
FRESHSTACK = [
    {
        "query_id": "7",
        "query_title": "Why?",
        "nuggets": [
            {"_id": "7_0", "text": "first", "relevant_corpus_ids": ["d1", "d2"], "non_relevant_corpus_ids": ["d3"]},
            {"_id": "7_1", "text": "second", "relevant_corpus_ids": [], "non_relevant_corpus_ids": ["d1"]},
            {"_id": "7_2", "text": "third", "relevant_corpus_ids": [], "non_relevant_corpus_ids": []},
        ],
    }
]
ASPECTS = [
    {"id": "biology-0-a1", "content": "one", "weight": 3, "supporting_docs": ["b/1.txt"]},
    {"id": "biology-0-a2", "content": "two", "weight": 1, "supporting_docs": ["b/2.txt", "b/1.txt"]},
    {"id": "biology-1-a1", "content": "one", "weight": 2, "supporting_docs": ["b/3.txt"]},
]


def bank(aggregator: str | None, **fields: object) -> list[dict[str, object]]:
    answers = [{"answer": "north", "references": ["d1", "d2"]}, {"answer": "south", "references": ["d1", "d3"]}]
    question = {"question": "Where?", "aggregator_type": aggregator, "answers": answers, **fields}
    alternative = {"question": "Who?", "aggregator_type": "OR", "answers": [{"answer": "I", "references": ["d2"]}]}
    return [{"metadata": {"topic_id": "9", "run_id": "r"}, "nugget_bank": [question, alternative]}]


def write_lines(path, records) -> str:
    text = "".join(json.dumps(record) + "\n" for record in records)
    data = gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode()
    path.write_bytes(data)
    return str(path)


def grades(qrels: pd.DataFrame) -> dict[tuple[str, str], int]:
    return {(row.description, row.doc_id): row.relevance for row in qrels.itertuples()}


# Nuggets


def test_nuggets_are_an_intent_table():
    table = read_nuggets(NUGGETS)
    assert list(table.columns) == ["query_id", "intent_id", "description", "importance", "probability"]
    assert table["query_id"].tolist() == ["1", "1", "2"]
    assert table["description"].tolist() == ["a cat", "a car", "a cat"]
    assert table["importance"].tolist() == ["vital", "okay", "vital"]
    assert table["probability"].tolist() == [1.0, 0.5, 1.0]
    # the id depends on the text only, and not on white space
    assert table["intent_id"][0] == table["intent_id"][2] != table["intent_id"][1]
    assert table["intent_id"].str.fullmatch("n-[0-9a-f]{8}").all()


def test_the_table_is_folded_into_qrels():
    table = read_nuggets(NUGGETS)
    judged = table.iloc[[0, 2]][["query_id", "intent_id"]].assign(doc_id="d1", relevance=2)
    qrels = irdiv.with_intents(judged, table)
    assert qrels["importance"].tolist() == ["vital", "vital", "okay"]
    recall = irdiv.evaluate(qrels, {"1": ["d1"], "2": ["x", "d1"]}, "I-rec(intents='all')@1")
    assert recall.values.ravel().tolist() == [0.5, 0.0]


def test_weights_of_importance_are_a_choice():
    table = read_nuggets(NUGGETS, importance_weights={"vital": 3, "okay": 1})
    assert table["probability"].tolist() == [3.0, 1.0, 3.0]
    with pytest.raises(IrdivError, match="importance_weights=-1 is not a number from 0"):
        read_nuggets(NUGGETS, importance_weights={"vital": -1})


@pytest.mark.parametrize("name", ["n.jsonl", "n.jsonl.gz"])
def test_paths_records_frames_and_generators(tmp_path, name):
    expected = read_nuggets(NUGGETS)
    path = write_lines(tmp_path / name, NUGGETS)
    one, two = (write_lines(tmp_path / f"{i}-{name}", [record]) for i, record in enumerate(NUGGETS))
    (tmp_path / "list.json").write_text(json.dumps(NUGGETS, indent=1))
    for data in (path, tmp_path / name, [one, two], iter(NUGGETS), tmp_path / "list.json", pd.DataFrame(NUGGETS)):
        pd.testing.assert_frame_equal(read_nuggets(data), expected)
    arrow = pa.Table.from_pylist([{**record, "qid": str(record["qid"])} for record in NUGGETS])
    for data, library in ((pl.from_arrow(arrow), pl.DataFrame), (arrow, pa.Table)):
        made = read_nuggets(data)
        assert isinstance(made, library)
        assert made.to_pandas().astype(object).equals(expected.astype(object))


def test_json_of_lists(tmp_path):
    (tmp_path / "n.json").write_text('{"1": ["a cat", "a car"],\n "2": ["a cat"]}')
    expected = read_nuggets(NUGGETS)[["query_id", "intent_id", "description"]]
    pd.testing.assert_frame_equal(read_nuggets(tmp_path / "n.json"), expected)
    pd.testing.assert_frame_equal(read_nuggets({"1": ["a cat", "a car"], "2": ["a cat"]}), expected)


def test_repeated_nuggets_count_once():
    twice = [{"qid": "1", "nuggets": [{"text": "a cat", "importance": "vital"}, *NUGGETS[0]["nuggets"]]}]
    with pytest.warns(IrdivWarning, match="1 nugget repeats one of the same topic and is left out: '1 a cat'"):
        table = read_nuggets(twice)
    assert table["description"].tolist() == ["a cat", "a car"]


def test_the_first_of_repeated_nuggets_may_be_kept():
    twice = [{"qid": "1", "nuggets": [*NUGGETS[0]["nuggets"], {"text": "a cat ", "importance": "okay"}]}]
    with pytest.warns(IrdivWarning, match="repeat"):
        assert read_nuggets(twice, duplicates="first")["importance"].tolist() == ["vital", "okay"]
    with pytest.raises(IrdivError, match="duplicates='last' is not"):
        read_nuggets(twice, duplicates="last")


def test_unknown_importance_is_named_and_counted_and_weighs_nothing():
    texts = {"a": "failed", "b": "failed", "c": "", "d": "okay"}
    records = [{"qid": "1", "nuggets": [{"text": t, "importance": i} for t, i in texts.items()]}]
    with pytest.warns(
        IrdivWarning, match=r"3 .* weight 0 .*'failed' \(2\), '' \(1\).*'vital', 'okay'.*labels={'failed': …}"
    ):
        table = read_nuggets(records)
    assert table["importance"].tolist() == ["failed", "failed", "", "okay"]
    assert table["probability"].tolist() == [0.0, 0.0, 0.0, 0.5]
    mapped = read_nuggets(records, labels={"failed": "okay", "": "vital"})
    assert mapped["probability"].tolist() == [0.5, 0.5, 1.0, 0.5]


def test_a_topic_without_any_known_importance_counts_equally():
    nuggets = [{"text": t, "importance": "failed"} for t in "ab"]
    with pytest.warns(IrdivWarning, match="'failed'"):
        table = read_nuggets([{"qid": "3", "nuggets": nuggets}, *NUGGETS])
    assert table["probability"].isna().tolist() == [True, True, False, False, False]


def test_measures_of_a_topic_without_any_known_importance():
    found = [
        ("1", "a", "vital", "d1"),
        ("1", "b", "failed", "d2"),
        ("2", "a", "failed", "d1"),
        ("2", "b", "failed", "d2"),
    ]
    rows = [{"qid": q, "text": t, "importance": i, "docid": d, "grade": 1} for q, t, i, d in found]
    with pytest.warns(IrdivWarning, match="3 importance labels are unknown"):
        qrels = read_nuggets(rows)
    runs = {"1": ["d1"], "2": ["d1"]}
    evaluation = irdiv.evaluate(qrels, runs, ["A-Recall@5", "Coverage@5"])
    # the unknown nugget of topic 1 has the weight 0; those of topic 2 count equally
    assert evaluation["A-Recall@5"]["run"].tolist() == [1.0, 0.5]
    assert evaluation["Coverage@5"]["run"].tolist() == [0.5, 0.5]
    assert "1 of 2 topics have no probabilities, so their intents count equally." in evaluation.notes
    with pytest.raises(IrdivError, match="topic '2' has the importance 'vital' or 'okay'; found 'failed'"):
        irdiv.evaluate(qrels, runs, "Vital-coverage@5")


def test_labels_that_map_to_nothing():
    with pytest.raises(
        IrdivError, match="{'failed': 'minor'} .*--label.*unknown labels: .*0 to 100000, or .*'vital', 'okay'"
    ):
        read_nuggets(NUGGETS, labels={"failed": "minor"})


def test_sub_narratives_are_parents():
    nuggets = [
        {"text": "a", "mapped_sub_narrative": '"What is  it?"', "importance": "vital"},
        {"text": "b", "mapped_sub_narrative": "What is it?", "importance": "okay"},
        {"text": "c", "mapped_sub_narrative": "New: what is it?", "importance": "okay"},
        {"text": "d", "importance": "okay"},
    ]
    table = read_nuggets([{"qid": "1", "nuggets": nuggets}])
    assert table["description"].tolist() == ["What is it?", "a", "b", "New: what is it?", "c", "d"]
    by_text = table.set_index("description")
    assert by_text.loc["a", "parent_id"] == by_text.loc["b", "parent_id"] == by_text.loc["What is it?", "intent_id"]
    assert by_text.loc[["What is it?", "d"], "parent_id"].isna().all()
    leaves = table[table["importance"].notna()]
    qrels = irdiv.with_intents(
        leaves[["query_id", "intent_id"]].assign(doc_id=["d1", "d2", "d3", "d4"], relevance=1), table
    )
    # layer 1: d1 covers one of three nodes (two narratives and d); layer 2: one of three nuggets; weights by importance
    made = irdiv.evaluate(qrels, {"1": ["d1"]}, ["N-rec@1", "I-rec-LA@1", "HD-nDCG@4"])
    assert made.values[0, 1, 0] == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert 0 < made.values[0, 2, 0] < 1


def test_rubrics_keep_their_weights():
    rubrics = [
        {"criterion": "names  the cat", "weight": 5.0, "axis": "Explicit Criteria"},
        {"criterion": "is rude", "weight": -3.0, "axis": "Communication Quality"},
    ]
    table = read_nuggets([{"sample_id": "p", "rubrics": rubrics}])
    assert list(table.columns) == ["query_id", "intent_id", "description", "weight", "axis"]
    assert table["weight"].tolist() == [5.0, -3.0]
    judged = table[["query_id", "intent_id"]].assign(doc_id="d", relevance=1)
    with pytest.raises(IrdivError, match="column 'weight' of the intents holds -3.0.*penalties"):
        irdiv.with_intents(judged, table)
    folded = irdiv.with_intents(judged, table[table["weight"] > 0])
    assert folded["probability"].tolist()[0] == 5.0
    with pytest.raises(IrdivError, match=r"rubrics\[0\]: the weight must be a finite number, found 'high'"):
        read_nuggets([{"qid": "1", "rubrics": [{"criterion": "x", "weight": "high"}]}])


def test_freshstack_is_qrels():
    qrels = read_nuggets(FRESHSTACK)
    assert list(qrels.columns) == ["query_id", "intent_id", "doc_id", "relevance", "description"]
    assert grades(qrels) == {
        ("first", "d1"): 1,
        ("first", "d2"): 1,
        ("first", "d3"): 0,
        ("second", "d1"): 0,
        ("third", "_no_document_"): 0,
    }
    assert qrels["intent_id"].unique().tolist() == ["7_0", "7_1", "7_2"]
    made = irdiv.evaluate(qrels, {"7": ["d2"]}, ["I-rec(intents='all')@1", "I-rec@1"])
    assert made.values.ravel().tolist() == [pytest.approx(1 / 3), 1.0]


def test_freshstack_from_parquet(tmp_path):
    pq.write_table(pa.Table.from_pylist(FRESHSTACK), tmp_path / "test.parquet")
    expected = read_nuggets(FRESHSTACK)
    pd.testing.assert_frame_equal(read_nuggets(tmp_path / "test.parquet"), expected)
    # lists are arrays in such a frame
    pd.testing.assert_frame_equal(read_nuggets(pd.read_parquet(tmp_path / "test.parquet")), expected)


def test_freshstack_as_an_object_of_lists(tmp_path):
    names = list(dict.fromkeys(name for record in FRESHSTACK for item in record["nuggets"] for name in item))
    columns = [
        {**record, "nuggets": {name: [item.get(name) for item in record["nuggets"]] for name in names}}
        for record in FRESHSTACK
    ]
    expected = read_nuggets(FRESHSTACK)
    pd.testing.assert_frame_equal(read_nuggets(columns), expected)
    pq.write_table(pa.Table.from_pylist(columns), tmp_path / "test.parquet")
    pd.testing.assert_frame_equal(read_nuggets(tmp_path / "test.parquet"), expected)
    columns[0]["nuggets"]["_id"].append("7_9")
    with pytest.raises(IrdivError, match="the field 'nuggets' must be a list, found"):
        read_nuggets(columns)


def test_a_document_that_supports_and_does_not():
    nugget = {"_id": "n", "text": "x", "relevant_corpus_ids": ["d"], "non_relevant_corpus_ids": ["d"]}
    assert read_nuggets([{"query_id": "1", "nuggets": [nugget]}])["relevance"].tolist() == [1]


def test_bright_pro_aspects():
    qrels = read_nuggets(ASPECTS)
    assert qrels["query_id"].unique().tolist() == ["biology-0", "biology-1"]
    assert qrels["probability"].tolist() == [3, 1, 1, 2]
    # of 3 + 1, the document of the first aspect covers both
    made = irdiv.evaluate(qrels, {"biology-0": ["b/2.txt"], "biology-1": ["b/3.txt"]}, "I-rec(intents='all')@1")
    assert made.values.ravel().tolist() == [0.5, 1.0]
    examples = [{"id": "0", "query": "q", "gold_ids": ["b/1.txt"]}, {"id": "1", "query": "r"}]
    assert read_nuggets(ASPECTS, examples=examples)["query_id"].unique().tolist() == ["0", "1"]
    with pytest.raises(IrdivError, match="'biology-1-a1' belongs to no example: .*id 'biolo"):
        read_nuggets(ASPECTS, examples=examples[:1])
    with pytest.raises(IrdivError, match="the topic of aspect 'x' is unknown"):
        read_nuggets([{"id": "x", "content": "one", "weight": 1, "supporting_docs": []}])


def test_a_nugget_that_needs_all_answers():
    qrels = read_nuggets(bank("AND"))
    # d1 has both answers, d2 and d3 one each
    assert grades(qrels) == {("Where?", "d1"): 2, ("Where?", "d2"): 1, ("Where?", "d3"): 1, ("Who?", "d2"): 2}
    specs = ["I-rec(intents='all',rel=2)@2", "I-rec(intents='all')@2"]
    made = irdiv.evaluate(qrels, {"9": ["d3", "d2"]}, specs)
    assert made.values.ravel().tolist() == [0.5, 1.0]


@pytest.mark.parametrize("aggregator", ["and", "And"])
def test_aggregators_in_any_case(aggregator):
    pd.testing.assert_frame_equal(read_nuggets(bank(aggregator)), read_nuggets(bank("AND")))


@pytest.mark.parametrize("aggregator", ["OR", "or", "default", None])
def test_a_nugget_that_needs_one_answer(aggregator):
    qrels = read_nuggets(bank(aggregator))
    assert set(qrels["relevance"]) == {2}
    assert len(qrels) == 4


@pytest.mark.parametrize("name", ["importance", "weight"])
def test_nuggets_of_banks_may_have_weights(name):
    assert set(read_nuggets(bank("OR", **{name: 3}))["probability"].dropna()) == {3}


def test_answers_as_intents_of_their_own():
    qrels = read_nuggets(bank("AND", importance="vital"), split_answers=True)
    assert grades(qrels) == {
        ("Where?", "_no_document_"): 0,
        ("north", "d1"): 2,
        ("north", "d2"): 2,
        ("south", "d1"): 2,
        ("south", "d3"): 2,
        ("Who?", "d2"): 2,
    }
    by_text = qrels.drop_duplicates("description").set_index("description")
    assert by_text["probability"].fillna(-1).to_dict() == {"Where?": -1, "north": 0.5, "south": 0.5, "Who?": 1.0}
    assert by_text.loc["north", "parent_id"] == by_text.loc["Where?", "intent_id"]
    # d2 and d3 have both answers together: all three intents are covered
    made = irdiv.evaluate(qrels, {"9": ["d2", "d3"]}, "I-rec(intents='all')@2")
    assert made.values.ravel().tolist() == [1.0]


def test_nugget_banks_as_objects():
    answers = {"north": {"answer": "north", "references": [{"doc_id": "d1"}]}, "south": {"answer": "south"}}
    question = {"question": "Where?", "question_id": "q7", "aggregator_type": "AND", "answers": answers}
    claims = {"c": {"claim": "It is.", "references": [{"doc_id": "d9"}]}}
    qrels = read_nuggets({"query_id": "9", "nugget_bank": {"Where?": question}, "claim_bank": claims})
    # no document has the answer without references
    assert grades(qrels) == {("Where?", "d1"): 1, ("It is.", "d9"): 2}
    assert qrels["intent_id"].tolist()[0] == "q7"


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (bank("NOT"), r"nugget_bank\[0\]: aggregator_type is 'NOT'; expected 'AND' or 'OR'"),
        (bank("OR", sub_nuggets=[{"question": "?"}]), "sub_nuggets, which are not read"),
        (bank("OR", answers=["north"]), "expected answers with a field 'answer', found 'north'"),
        ([{"query_id": "1", "nugget_bank": ["x"]}], r"nugget_bank\[0\]: expected an object with a question"),
    ],
)
def test_nugget_banks_that_are_not_read(records, message):
    with pytest.raises(IrdivError, match=message):
        read_nuggets(records)


def test_a_table_of_nuggets():
    rows = [("1", "a cat", "vital", "x"), ("1", "a car", "okay", None)]
    frame = pd.DataFrame(rows, columns=["question_id", "text", "importance", "note"])
    expected = read_nuggets(NUGGETS[:1])
    pd.testing.assert_frame_equal(read_nuggets(frame), expected)
    assert isinstance(read_nuggets(pl.from_pandas(frame)), pl.DataFrame)


@pytest.mark.parametrize("name", ["fact", "claim", "aspect", "rubric"])
def test_texts_beside_ids_are_descriptions(name):
    rows = [{"qid": "1", "nugget_id": "n1", name: "a cat", "docid": "d", "grade": 1}]
    assert read_nuggets(rows)["description"].tolist() == ["a cat"]
    assert read_nuggets([{"qid": "1", "nuggets": [{"id": "n1", name: "a cat"}]}])["description"].tolist() == ["a cat"]
    # numbers are no texts
    assert "description" not in read_nuggets([{"qid": "1", "nugget_id": "n1", name: 3}])


def test_a_table_of_judgments_with_labels():
    rows = [
        ("q", "n1", "d1", "support", "vital"),
        ("q", "n1", "d2", "partial_support", "vital"),
        ("q", "n2", "d1", "not_support", "okay"),
        ("q", "n2", "d2", "include", "okay"),
        ("q", "n3", None, None, "okay"),
    ]
    frame = pd.DataFrame(rows, columns=["question_id", "nugget_id", "passage_id", "relevance", "importance"])
    with pytest.warns(IrdivWarning, match=r"1 support label is unknown and left out: 'include' \(1\)"):
        qrels = read_nuggets(frame)
    expected = [("n1", "d1", 2), ("n1", "d2", 1), ("n2", "d1", 0), ("n3", "_no_document_", 0)]
    assert list(qrels[["intent_id", "doc_id", "relevance"]].itertuples(index=False, name=None)) == expected
    mapped = read_nuggets(frame, labels={"include": 3})
    assert mapped["relevance"].max() == 3
    assert irdiv.evaluate(mapped, {"q": ["d1"]}, "I-rec(intents='all')@1").values.item() == pytest.approx(1 / 3)


def test_grades_of_a_table_may_be_numbers():
    rows = [
        {"qid": 1, "text": text, "docid": 5, "grade": grade} for text, grade in zip("abc", (2, "1", True), strict=True)
    ]
    assert read_nuggets(rows)["relevance"].tolist() == [2, 1, 1]


@pytest.mark.parametrize("grade", [-1, "-1", -1.0])
def test_negative_grades_are_no_judgments(grade):
    rows = [{"qid": "1", "text": text, "docid": "d", "grade": grade} for text, grade in [("a", 2), ("b", grade)]]
    with pytest.warns(IrdivWarning, match=r"^1 grade is negative and left out, as if not judged: -1 \(1\)\. .*'-1': 0"):
        qrels = read_nuggets(rows)
    assert list(zip(qrels["doc_id"], qrels["relevance"], strict=True)) == [("d", 2), ("_no_document_", 0)]
    assert read_nuggets(rows, labels={"-1": 0})["doc_id"].tolist() == ["d", "d"]
    with pytest.raises(IrdivError, match="expected grades from 0 to 100000, or one of"):
        read_nuggets(rows, labels={"-1": -1})
    with pytest.raises(IrdivError, match=r"no document is judged: all grades are negative, -1 \(1\)"):
        read_nuggets(rows[1:])
    # as the ratings of CRUX, and as assignments to documents
    assigned = [{"qid": "1", "docid": "d", "nuggets": [{"text": r["text"], "assignment": r["grade"]}]} for r in rows]
    with pytest.warns(IrdivWarning, match="1 grade is negative and left out"):
        pd.testing.assert_frame_equal(read_assignments(assigned), qrels)
    with pytest.warns(IrdivWarning, match="left out, as if not judged"):
        crux = read_crux({"1": {"d": [2, -1]}})
    assert crux[["doc_id", "relevance"]].equals(qrels[["doc_id", "relevance"]])


MISTAKES = {
    "not JSON": (
        '{"qid": 1}\n{"qid": "2", nuggets: []}\n',
        r"line 2, column 14: .*Expecting prop.*found 'nuggets: \[\]}'",
    ),
    "a TREC file": ("1 0 d1 1\n1 0 d2 1\n", "line 1: not JSON, found '1 0 d1 1'; .*irdiv.evaluate takes TREC files"),
    "empty": ("\n", "the nuggets file is empty; expected a JSON object in each line"),
    "no topic": ('{"nuggets": [{"text": "a"}], "metadata": 1}\n', "no topic id; expected .*'query_id', "),
    "no text": ('{"qid": "1", "nuggets": [{"importance": "vital"}]}', r"nuggets\[0\]: no text; expected one of"),
    "a nugget that is a number": ('{"qid": "1", "nuggets": [7]}', r"nuggets\[0\]: expected a text or an object"),
    "nuggets that are a text": ('{"qid": "1", "nuggets": "a"}', "'nuggets' must be a list, found 'a'"),
    "lists in lines": ('["a"]\n["b"]\n', "line 1: expected an object with named fields, found"),
    "two formats": ('{"qid": 1, "nuggets": ["a"]}\n{"qid": 1, "rubrics": ["a"]}', "line 2: .* another format"),
    "no nuggets at all": ('{"qid": 1, "nuggets": []}\n', "there are no nuggets"),
    "grades of answers": ('{"qid": 1, "text": "a", "label": 1}\n', "'label' but no document: .*read_assignments"),
    "assignments": ('{"qid": 1, "nuggets": [{"text": "a", "assignment": "support"}]}', "irdiv.rag.read_assignments"),
    "answers": ('{"topic_id": 1, "references": ["d"]}', "read them by irdiv.rag.read_contexts"),
    "two ids": ('{"qid": 1, "nugget_id": 1, "aspect_id": 2}\n', "two columns .*'nugget_id', 'aspect_id'"),
    "an empty id": ('{"qid": "", "text": "a"}\n{"qid": 1, "text": "b"}\n', "line 1: qid is missing; expected an id"),
    "a dict of words": ('{"a": "b"}', "no topic id; expected records with one of the fields"),
    "one number": ("7", "expected JSON objects, found '7'"),
}


@pytest.mark.filterwarnings("ignore:1 topic has no nuggets")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_files_get_one_helpful_line(tmp_path, mistake):
    text, message = MISTAKES[mistake]
    (tmp_path / "n.jsonl").write_text(text)
    with pytest.raises(IrdivError, match=message) as error:
        read_nuggets(tmp_path / "n.jsonl")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [(7, "cannot .*nuggets from 'int'"), ([], "the nuggets are empty"), ([7], "record 0 of the nuggets: .*an object")],
)
def test_data_that_is_no_file(data, message):
    with pytest.raises(IrdivError, match=message):
        read_nuggets(data)


def test_topics_without_nuggets_are_named():
    with pytest.warns(IrdivWarning, match="1 topic has no nuggets and is left out: '3'"):
        assert len(read_nuggets([*NUGGETS, {"qid": "3", "nuggets": []}])) == 3


def test_two_layers_in_polars():
    nugget = {"text": "a", "mapped_sub_narrative": "A?", "importance": "vital", "relevant_corpus_ids": ["d1"]}
    other = {"text": "b", "mapped_sub_narrative": None, "importance": "okay", "relevant_corpus_ids": ["d2"]}
    records = [{"qid": "1", "nuggets": [nugget, other]}]
    made = read_nuggets(pl.DataFrame(records))
    assert isinstance(made, pl.DataFrame)
    assert made["parent_id"].to_list()[0] == made["parent_id"].to_list()[2] == "_root_"
    values = [irdiv.evaluate(qrels, {"1": ["d1"]}, "HD-nDCG@2").values for qrels in (made, read_nuggets(records))]
    np.testing.assert_array_equal(*values)


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
    assert score_answers(made).summary().to_numpy().tolist() == [[0.25]]
    labels = {"Satisfied": "support", "Not Satisfied": "not_support"}
    qrels = read_assignments([{**row, "doc_id": "d"} for row in rows[:2]], labels=labels)
    assert qrels["probability"].tolist() == [3, 1]
    assert irdiv.evaluate(qrels, {"1": ["d"]}, "A-Recall@1").summary().to_numpy().tolist() == [[0.75]]
    nested = {"qid": "1", "run_id": "a", "nuggets": [{"text": "x", "weight": "2", "assignment": "support"}]}
    assert read_assignments([nested])["weight"].tolist() == [2]
    with pytest.raises(IrdivError, match="has the weight -2.0: a penalty for answers is not a probability"):
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


def test_repeated_nuggets_of_an_answer_are_all_kept():
    records = [assigned("a", "1", {"x": "support", "x ": "not_support"})]
    with pytest.warns(IrdivWarning, match="1 nugget repeats one of the same topic and run; all are kept"):
        made = read_assignments(records)
    assert made["assignment"].tolist() == ["support", "not_support"]
    assert made["intent_id"][1] == made["intent_id"][0] + "-2"


def test_assignments_to_documents_are_qrels():
    labels = {"d1": {"x": "support", "y": "not_support"}, "d2": {"x": "partial_support", "y": "include"}}
    records = [assigned(None, "1", label, docid=doc, candidate_text="…") for doc, label in labels.items()]
    with pytest.warns(IrdivWarning, match=r"1 support label is unknown and left out: 'include'"):
        qrels = read_assignments(records)
    assert grades(qrels) == {("x", "d1"): 2, ("y", "d1"): 0, ("x", "d2"): 1}
    assert set(qrels["probability"]) == {1.0}
    made = irdiv.evaluate(qrels, {"1": ["d2", "d1"]}, ["I-rec(intents='all')@1", "I-rec(intents='all',rel=2)@1"])
    assert made.values.ravel().tolist() == [0.5, 0.0]
    with pytest.raises(IrdivError, match="no document, but .* has one; read .* separately"):
        read_assignments([*records, assigned("a", "1", {"x": "support"})])


def test_nuggets_without_assignments():
    with pytest.raises(IrdivError, match=r"nuggets\[0\]: no assignment, found .*'text', 'importance'"):
        read_assignments(NUGGETS)


# Ratings


RATINGS = {"q": [[5, 0, -1], [2, 3, -1]]}


def test_ratings_in_the_order_of_a_run():
    with pytest.warns(IrdivWarning, match=r"2 ratings are not from 0 to 5 and left out, as if not judged: -1 \(2\)"):
        qrels = read_crux(RATINGS, {"q": ["d7", "d3"]})
    rows = list(qrels.itertuples(index=False, name=None))
    assert rows == [
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
    made = irdiv.evaluate(qrels, run, "I-rec(intents='all')@2")
    assert made.values.item() == pytest.approx(coverage)


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


def test_subquestions_are_descriptions():
    texts = {"q": ["Who?", "When?"], "other": ["Why?"]}
    with pytest.warns(IrdivWarning, match="1 topic has sub-questions but no ratings, and is left out: 'other'"):
        qrels = read_crux({"q": [[0, 4]]}, {"q": ["d"]}, subquestions=texts)
    assert qrels["description"].tolist() == ["Who?", "When?"]
    lines = [{"example_id": "q", "questions": ["Who?", "When?"]}]
    pd.testing.assert_frame_equal(read_crux({"q": [[0, 4]]}, {"q": ["d"]}, subquestions=lines), qrels)


@pytest.mark.parametrize(
    ("ratings", "run", "options", "message"),
    [
        ({"q": [[1]]}, None, {}, "lists in the order of a run; give the run too"),
        ({"q": [[1], [2]]}, {"q": ["d"]}, {}, "2 documents are rated, but the run has 1 for topic 'q'"),
        ({"q": [[1]]}, {"r": ["d"]}, {}, "the run lacks topic 'q'; it has 'r'"),
        ({"q": [[1], [2, 3]]}, {"q": ["d", "e"]}, {}, "the documents of topic 'q' are rated for 1, 2 sub-questions"),
        ({"q": [[1]]}, {"q": ["d"]}, {"subquestions": {"q": ["a", "b"]}}, "has 2 sub-questions, but .* 1 ratings"),
        ({"q": [[1]]}, {"q": ["d"]}, {"subquestions": {"r": ["a"]}}, "topic 'q' has ratings but no sub-questions"),
        ({"q": [["high"]]}, {"q": ["d"]}, {}, "expected a list with an integer for each sub-question, found"),
        ({"q": [[2**70]]}, {"q": ["d"]}, {}, "expected a list with an integer for each sub-question, found"),
        ({"q": []}, {"q": ["d"]}, {}, "no document of topic 'q' is rated; leave the topic out"),
        ({"q": [[1]]}, {"q": ["d"]}, {"subquestions": {"q": [7]}}, "a text of questions must be a text, found '7'"),
        ({"q": [3]}, {"q": ["d"]}, {}, "document 'd' must be a list, found '3'"),
        ({"q": [[1]]}, {"q": ["d"]}, {"threshold": 0}, "threshold=0 is not an integer from 1 to 5"),
        ([{"id": "q", "rating": [1]}], None, {}, "expected the fields 'id', 'pid' .* found 'id', 'rating'"),
        ([{"id": "q", "pid": "d", "rating": [1]}] * 2, None, {}, "document 'd' of topic 'q' is rated twice"),
        ([{"id": "q", "pid": "d", "rating": [1]}], {"r": ["d"]}, {}, "no topic in common"),
    ],
)
def test_ratings_that_do_not_fit(ratings, run, options, message):
    with pytest.raises(IrdivError, match=message):
        read_crux(ratings, run, **options)


def test_an_unclear_order_of_ratings():
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "rank": [1, 2], "score": [1.0, 2.0]})
    with pytest.raises(IrdivError, match="the ranks of topic 'q' contradict its scores"):
        read_crux({"q": [[1], [2]]}, run)


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
    made = irdiv.evaluate(qrels, runs, "I-rec(intents='all')@3")
    assert made.runs == ("a", "b")
    assert made.values.ravel().tolist() == [0.5, 0.5]


def test_citations_are_ordered_by_their_first_use():
    assert read_contexts([ANSWER], source="citations")["a"]["doc_id"].tolist() == ["d2", "d3", "d1"]
    metadata = {"metadata": {"team_id": "t", "run_id": "r", "topic_id": "7"}}
    by_id = {**metadata, "responses": [{"text": "…", "citations": ["d5", "d4"]}, {"text": "…", "citations": ["d5"]}]}
    assert read_contexts([by_id])["r"].to_dict("list") == {
        "query_id": ["7", "7"],
        "doc_id": ["d5", "d4"],
        "rank": [1, 2],
    }
    scored = {**metadata, "responses": [{"text": "…", "citations": {"d5": 0.1, "d4": 0.9}}]}
    assert read_contexts([scored])["r"]["doc_id"].tolist() == ["d4", "d5"]


def test_retrieved_documents_are_runs(tmp_path):
    candidates = [{"docid": "d1", "score": 9.5, "doc": {"segment": "…"}}, {"docid": "d2", "score": 3}]
    record = {"query": {"qid": "1", "text": "?"}, "candidates": candidates}
    path = write_lines(tmp_path / "bm25.jsonl.gz", [record])
    run = read_contexts(path)["bm25"]
    assert run.to_dict("list") == {"query_id": ["1", "1"], "doc_id": ["d1", "d2"], "rank": [1, 2], "score": [9.5, 3.0]}
    lists = {"query_id": ["1", "1"], "doc_id": ["d1", "d2"], "rank": [1, 2]}
    for data in ([{"question_id": 1, "contexts": ["d1", "d2"]}], {"1": ["d1", "d2"]}):
        assert read_contexts(data)["run"].to_dict("list") == lists
    objects = [{"question_id": "1", "passages": [{"passage_id": "d1", "score": 2}, {"passage_id": "d2", "score": 1}]}]
    assert read_contexts(objects)["run"].to_dict("list")["doc_id"] == ["d1", "d2"]
    assert read_contexts({"1": {"d2": 3, "d1": 9.5}})["run"]["doc_id"].tolist() == ["d1", "d2"]


def test_rows_are_runs():
    frame = pd.DataFrame(
        {"question_id": [1, 1, 1], "passage_id": list("abc"), "rank": [2, 1, 1], "system": list("xxy")}
    )
    runs = read_contexts(frame)
    assert {name: run["doc_id"].tolist() for name, run in runs.items()} == {"x": ["a", "b"], "y": ["c"]}
    assert irdiv.evaluate({"1": {"b": 1}}, runs, "P@1").values.ravel().tolist() == [1.0, 0.0]
    assert isinstance(read_contexts(pl.from_pandas(frame))["y"], pl.DataFrame)


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        ({**ANSWER, "references": ["d1"]}, {"source": "citations"}, "citation 2 is not .* the 1 references"),
        ({**ANSWER, "references": ["d1", "d1"]}, {}, "document 'd1' is listed twice"),
        ({**ANSWER, "references": []}, {}, "run 'a' has no documents in any of its topics"),
        ({"topic_id": "1", "answer": [{"text": "…"}]}, {"source": "references"}, "no references, found the fields"),
        ({"topic_id": "1", "answer": "words"}, {}, "no references and no citations; expected a list of sentences"),
        ({"topic_id": "1", "answer": [{"citations": {"d1": "high"}}]}, {}, "citations: .* finite number, found 'high'"),
        ({"topic_id": "1", "doc_id": "d"}, {}, "the contexts lack a column: expected 'score'"),
        ({"topic_id": "1", "doc_id": "d", "rank": 1}, {"source": "citations"}, "source='citations' .* is for answers"),
        (ANSWER, {"source": "links"}, "source='links' is not"),
    ],
)
def test_contexts_that_do_not_fit(record, options, message):
    with pytest.raises(IrdivError, match=message):
        read_contexts([record], **options)


def test_documents_that_are_listed_twice():
    passages = [{"docid": "d1", "score": 3}, {"docid": "d1", "score": 2}, {"docid": "d2", "score": 1}]
    (run,) = read_contexts([{"qid": "1", "candidates": passages}], duplicates="first").values()
    assert run[["doc_id", "rank", "score"]].values.tolist() == [["d1", 1, 3.0], ["d2", 2, 1.0]]
    (run,) = read_contexts([{**ANSWER, "references": ["d1", "d1", "d2"]}], duplicates="first").values()
    assert run["doc_id"].tolist() == ["d1", "d2"]
    with pytest.raises(IrdivError, match="duplicates='last' is not"):
        read_contexts([ANSWER], duplicates="last")


def test_a_topic_twice_in_a_run():
    with pytest.raises(IrdivError, match="run 'a' has topic '1' already in record 0"):
        read_contexts([ANSWER, ANSWER])


# The real files


@pytest.fixture
def rag_data(real_data):
    folder = real_data / "rag"
    if not folder.is_dir():
        pytest.skip("real nuggets not at hand: IRDIV_REAL_DATA has no folder rag")
    return folder


def raw_records(path) -> list[dict]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize(("name", "coverage"), [("bm25", 0.514667), ("lsr", 0.577333)])
def test_coverage_of_crux(rag_data, name, coverage):
    folder = rag_data / "crux"
    run = folder / f"{name}.run.gz"
    texts = folder / "subquestions.json"
    qrels = read_crux(folder / f"ratings.{name}.json.gz", run, subquestions=texts, threshold=3)
    assert qrels.groupby("query_id")["intent_id"].nunique().tolist() == [15] * 50
    made = irdiv.evaluate(qrels, run, "I-rec(intents='all')@10")
    assert round(made.values.mean(), 6) == coverage
    # by the definition, without irdiv
    with gzip.open(folder / f"ratings.{name}.json.gz", "rt") as file:
        ratings = {topic: np.array(rows) for topic, rows in json.load(file).items()}
    by_hand = [(ratings[topic][:10] >= 3).any(axis=0).mean() for topic in made.query_ids]
    np.testing.assert_allclose(made.values.ravel(), by_hand)


def test_the_nuggets_of_trec_rag_2024(rag_data):
    path = rag_data / "nuggetizer" / "nuggets.jsonl.gz"
    raw = [(record["qid"], nugget) for record in raw_records(path) for nugget in record["nuggets"]]
    with pytest.raises(IrdivError, match="'CI in market research' of topic '2024-79113' occurs twice"):
        read_nuggets(path)
    with pytest.warns(IrdivWarning) as caught:
        table = read_nuggets(path, duplicates="first")
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 2
    assert messages[0].startswith("7 nuggets repeat one of the same topic and are left out: '2024-219271 Immigrants")
    assert re.match(r"40 importance labels .* weight 0 .*: 'failed' \(10\), 'not_relevant' \(2\)", messages[1])
    assert len(table) == len(raw) - 7 == len({(topic, nugget["text"]) for topic, nugget in raw})
    assert not table.duplicated(["query_id", "intent_id"]).any()
    unknown = Counter(nugget["importance"] for _, nugget in raw if nugget["importance"] not in ("vital", "okay"))
    assert table.loc[table["probability"] == 0, "importance"].value_counts().to_dict() == unknown


def test_the_assignments_of_trec_rag_2024(rag_data):
    paths = [rag_data / "nuggetizer" / f"assignments.{run}.jsonl.gz" for run in ("command-r-plus", "l31_70b_instruct")]
    with pytest.warns(IrdivWarning) as caught:
        made = read_assignments(paths)
    messages = [str(warning.message) for warning in caught]
    assert "80 importance labels are unknown" in messages[0]
    assert "44 support labels are unknown and scored 0" in messages[0]
    assert messages[1].startswith("14 nuggets repeat one of the same topic and run; all are kept")
    raw = [
        (record["run_id"], record["qid"], nugget["text"], nugget["importance"], nugget["assignment"])
        for path in paths
        for record in raw_records(path)
        for nugget in record["nuggets"]
    ]
    columns = ["run", "query_id", "description", "importance", "assignment"]
    assert [(*row,) for row in made[columns].itertuples(index=False, name=None)] == [
        (run, topic, " ".join(text.split()), importance, label) for run, topic, text, importance, label in raw
    ]
    assert not made.duplicated(["run", "query_id", "intent_id"]).any()
    with pytest.warns(IrdivWarning):
        nuggets = read_nuggets(rag_data / "nuggetizer" / "nuggets.jsonl.gz", duplicates="first")
    known = set(zip(nuggets["query_id"], nuggets["intent_id"], strict=True))
    ids = made["intent_id"].str.replace(r"^(n-[0-9a-f]{8})-\d+$", r"\1", regex=True)
    assert set(zip(made["query_id"], ids, strict=True)) <= known


def test_the_sub_narratives_of_trec_rag_2025(rag_data):
    path = rag_data / "rag25-dev-nuggets.jsonl.gz"
    table = read_nuggets(path)
    is_leaf = table["parent_id"].notna()
    raw = raw_records(path)
    assert is_leaf.sum() == sum(len(record["nuggets"]) for record in raw) == 1255
    assert (~is_leaf).sum() == 218
    # "New: How was …" and "New: how was …" are two: case is not guessed
    assert (table["query_id"][~is_leaf] == "477").sum() == 10
    leaves = table[is_leaf]
    docs = [f"d{index}" for index in range(len(leaves))]
    qrels = irdiv.with_intents(leaves[["query_id", "intent_id"]].assign(doc_id=docs, relevance=1), table)
    run = dict(zip(leaves["query_id"], ([doc] for doc in docs), strict=True))
    made = irdiv.evaluate(qrels, run, ["I-rec-LA@1", "HD-nDCG@1"])
    narratives = table[~is_leaf].groupby("query_id").size()
    nuggets = leaves.groupby("query_id").size()
    expected = [(1 / narratives[topic] + 1 / nuggets[topic]) / 2 for topic in made.query_ids]
    np.testing.assert_allclose(made.values[0, 0], expected)


def test_the_penalties_of_research_rubrics(rag_data):
    with pytest.warns(IrdivWarning, match="1 nugget repeats one of the same topic"):
        table = read_nuggets(rag_data / "research-rubrics.jsonl.gz")
    assert len(table) == 754
    assert (table["weight"] < 0).sum() == 97
    assert table["weight"].min() == -5
    assert table["axis"].nunique() == 7
    judged = table[["query_id", "intent_id"]].assign(doc_id="d", relevance=1)
    with pytest.raises(IrdivError, match="column 'weight' of the intents holds"):
        irdiv.with_intents(judged, table)


def test_the_answers_of_trec_rag_2024(rag_data):
    path = rag_data / "nuggetizer" / "answers.command-r-plus.jsonl.gz"
    (run,) = read_contexts(path).values()
    raw = {record["topic_id"]: record["references"] for record in raw_records(path)}
    assert sum(not references for references in raw.values()) == 3
    assert run.groupby("query_id")["doc_id"].agg(list).to_dict() == {q: docs for q, docs in raw.items() if docs}
    (cited,) = read_contexts({"c": path}, source="citations").values()
    assert {q: set(docs) for q, docs in cited.groupby("query_id")["doc_id"]} == {q: set(d) for q, d in raw.items() if d}


def test_integer_scores_that_floats_would_round():
    documents = [{"id": "a", "score": 2**53 + 1}, {"id": "b", "score": 0.5}]
    with pytest.raises(IrdivError, match="'score' of the run holds 9007199254740993, which a 64-bit float cannot hold"):
        irdiv.rag.read_contexts([{"query_id": "1", "documents": documents}])
