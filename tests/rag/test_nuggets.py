"""`read_nuggets`: each format of nuggets, rubrics and aspects by hand."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.rag import read_assignments, read_crux, read_nuggets

CAT, CAR = {"text": "a  cat", "importance": "vital"}, {"text": "a car", "importance": "okay"}
NUGGETS = [
    {"qid": "1", "query": "jaguar", "nuggets": [CAT, CAR]},
    {"qid": 2, "nuggets": [{"text": "a cat", "importance": "Vital "}]},
]
FRESHSTACK = [
    {
        "query_id": "7",
        "query_title": "Why?",
        "nuggets": [
            {"_id": "7_0", "text": "first", "relevant_corpus_ids": ["d1", "d2"], "non_relevant_corpus_ids": ["d3"]},
            # where a document is in both lists, it supports the nugget
            {"_id": "7_1", "text": "second", "relevant_corpus_ids": ["d2"], "non_relevant_corpus_ids": ["d1", "d2"]},
            {"_id": "7_2", "text": "third", "relevant_corpus_ids": [], "non_relevant_corpus_ids": []},
        ],
    }
]
ASPECTS = [
    {"id": "biology-0-a1", "content": "one", "weight": 3, "supporting_docs": ["b/1.txt"]},
    {"id": "biology-0-a2", "content": "two", "weight": 1, "supporting_docs": ["b/2.txt", "b/1.txt"]},
    {"id": "biology-1-a1", "content": "one", "weight": 2, "supporting_docs": ["b/3.txt"]},
]


def of_topic(*nuggets: object, name: str = "nuggets") -> list[dict[str, object]]:
    return [{"qid": "1", name: list(nuggets)}]


def bank(aggregator: str | None, **fields: object) -> list[dict[str, object]]:
    answers = [{"answer": "north", "references": ["d1", "d2"]}, {"answer": "south", "references": ["d1", "d3"]}]
    question = {"question": "Where?", "aggregator_type": aggregator, "answers": answers, **fields}
    alternative = {"question": "Who?", "aggregator_type": "OR", "answers": [{"answer": "I", "references": ["d2"]}]}
    return [{"metadata": {"topic_id": "9", "run_id": "r"}, "nugget_bank": [question, alternative]}]


def grades(qrels: pd.DataFrame) -> dict[tuple[str, str], int]:
    return {(row.description, row.doc_id): row.relevance for row in qrels.itertuples()}


def values(qrels, run, *specs: str) -> list[float]:
    return irdiv.evaluate(qrels, run, list(specs)).values.ravel().tolist()


# Lists of nuggets, as nuggetizer writes them


def test_nuggets_are_an_intent_table():
    table = read_nuggets(NUGGETS)
    identity = table.pop("intent_id")
    assert table.to_dict("list") == {
        "query_id": ["1", "1", "2"],
        "description": ["a cat", "a car", "a cat"],
        "importance": ["vital", "okay", "vital"],
        "probability": [1.0, 0.5, 1.0],
    }
    # the id depends on the text only, and not on white space
    assert identity[0] == identity[2] != identity[1]
    assert identity[~identity.str.fullmatch("n-[0-9a-f]{8}")].tolist() == []


def test_weights_of_importance_are_a_choice():
    table = read_nuggets(NUGGETS, importance_weights={"vital": 3, "okay": 1})
    assert table["probability"].tolist() == [3.0, 1.0, 3.0]
    with pytest.raises(IrdivError, match="importance_weights=-1"):
        read_nuggets(NUGGETS, importance_weights={"vital": -1})


@pytest.mark.parametrize("name", ["n.jsonl", "n.jsonl.gz"])
def test_paths_records_frames_and_generators(tmp_path, name):
    def write(path, records):
        text = "".join(json.dumps(record) + "\n" for record in records).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        return str(path)

    expected = read_nuggets(NUGGETS)
    path = write(tmp_path / name, NUGGETS)
    one, two = (write(tmp_path / f"{i}-{name}", [record]) for i, record in enumerate(NUGGETS))
    (tmp_path / "list.json").write_text(json.dumps(NUGGETS, indent=1))
    for data in (path, tmp_path / name, [one, two], iter(NUGGETS), tmp_path / "list.json", pd.DataFrame(NUGGETS)):
        pd.testing.assert_frame_equal(read_nuggets(data), expected)
    rows = [{"question_id": "1", **CAT, "note": "x"}, {"question_id": "1", **CAR}, {"question_id": "2", **CAT}]
    pd.testing.assert_frame_equal(read_nuggets(pd.DataFrame(rows)), expected)
    arrow = pa.Table.from_pylist([{**record, "qid": str(record["qid"])} for record in NUGGETS])
    for data, library in ((pl.from_arrow(arrow), pl.DataFrame), (arrow, pa.Table)):
        made = read_nuggets(data)
        assert isinstance(made, library)
        assert made.to_pandas().astype(object).equals(expected.astype(object))
    texts = {"1": ["a cat", "a car"], "2": ["a cat"]}
    (tmp_path / "n.json").write_text(json.dumps(texts, indent=1))
    for data in (texts, tmp_path / "n.json"):
        pd.testing.assert_frame_equal(read_nuggets(data), expected[["query_id", "intent_id", "description"]])


def test_repeated_nuggets_count_once():
    with pytest.warns(IrdivWarning, match="1 nugget repeats .*left out: '1 a cat'"):
        assert read_nuggets(of_topic(CAT, CAT, CAR))["description"].tolist() == ["a cat", "a car"]
    other = of_topic(CAT, CAR, {"text": "a cat ", "importance": "okay"})
    with pytest.raises(IrdivError, match="'a cat' of topic '1' .*'vital' and 'okay'"):
        read_nuggets(other)
    with pytest.warns(IrdivWarning, match="repeat"):
        assert read_nuggets(other, duplicates="first")["importance"].tolist() == ["vital", "okay"]
    with pytest.raises(IrdivError, match="duplicates='last'"):
        read_nuggets(other, duplicates="last")


def test_unknown_importance_is_named_and_counted_and_weighs_nothing():
    texts = {"a": "failed", "b": "failed", "c": "", "d": "okay"}
    records = of_topic(*({"text": text, "importance": label} for text, label in texts.items()))
    with pytest.warns(IrdivWarning, match=r"3 .*'failed' \(2\), '' \(1\).*'vital', 'okay'.*labels={'failed': …}"):
        table = read_nuggets(records)
    assert table["importance"].tolist() == ["failed", "failed", "", "okay"]
    assert table["probability"].tolist() == [0.0, 0.0, 0.0, 0.5]
    mapped = read_nuggets(records, labels={"failed": "okay", "": "vital"})
    assert mapped["probability"].tolist() == [0.5, 0.5, 1.0, 0.5]
    with pytest.raises(IrdivError, match="{'failed': 'minor'} .*0 to 100000, or .*'vital', 'okay'"):
        read_nuggets(records, labels={"failed": "minor"})


def test_a_topic_without_any_known_importance_counts_equally():
    found = [("1", "a", "vital"), ("1", "b", "failed"), ("2", "a", "failed"), ("2", "b", "failed")]
    rows = [{"qid": q, "text": t, "importance": i, "docid": f"d-{t}", "grade": 1} for q, t, i in found]
    with pytest.warns(IrdivWarning, match="3 importance labels are unknown"):
        qrels = read_nuggets(rows)
    assert qrels["probability"].fillna(-1).tolist() == [1, 0, -1, -1]
    runs = {"1": ["d-a"], "2": ["d-a"]}
    evaluation = irdiv.evaluate(qrels, runs, ["A-Recall@5", "Coverage@5"])
    # the unknown nugget of topic 1 has the weight 0; those of topic 2 count equally
    assert evaluation.values[0].tolist() == [[1.0, 0.5], [0.5, 0.5]]
    assert "1 of 2 topics have no probabilities, so their intents count equally." in evaluation.notes
    with pytest.raises(IrdivError, match="topic '2' .*'vital' or 'okay'; found 'failed'"):
        irdiv.evaluate(qrels, runs, "Vital-coverage@5")


def test_topics_without_nuggets_are_named():
    with pytest.warns(IrdivWarning, match="1 topic has no nuggets .*'3'"):
        assert len(read_nuggets([*NUGGETS, {"qid": "3", "nuggets": []}])) == 3


# Other formats


def test_sub_narratives_of_trec_rag_are_parents():
    nuggets = [
        {"text": "a", "mapped_sub_narrative": '"What is  it?"', "importance": "vital"},
        {"text": "b", "mapped_sub_narrative": "What is it?", "importance": "okay"},
        {"text": "c", "mapped_sub_narrative": "New: what is it?", "importance": "okay"},
        {"text": "d", "importance": "okay"},
    ]
    table = read_nuggets(of_topic(*nuggets))
    assert table["description"].tolist() == ["What is it?", "a", "b", "New: what is it?", "c", "d"]
    by_text = table.set_index("description")
    assert by_text.loc["a", "parent_id"] == by_text.loc["b", "parent_id"] == by_text.loc["What is it?", "intent_id"]
    assert by_text.loc[["What is it?", "d"], "parent_id"].isna().all()
    leaves = table[table["importance"].notna()]
    docs = ["d1", "d2", "d3", "d4"]
    qrels = irdiv.with_intents(leaves[["query_id", "intent_id"]].assign(doc_id=docs, relevance=1), table)
    # layer 1: d1 covers one of three nodes (two narratives and d); layer 2: one of four nuggets
    assert values(qrels, {"1": ["d1"]}, "I-rec-LA@1") == [pytest.approx((1 / 3 + 1 / 4) / 2)]


def test_two_layers_in_polars():
    nugget = {"text": "a", "mapped_sub_narrative": "A?", "importance": "vital", "relevant_corpus_ids": ["d1"]}
    other = {"text": "b", "mapped_sub_narrative": None, "importance": "okay", "relevant_corpus_ids": ["d2"]}
    records = of_topic(nugget, other)
    made = read_nuggets(pl.DataFrame(records))
    assert isinstance(made, pl.DataFrame)
    assert made["parent_id"].to_list()[0] == made["parent_id"].to_list()[2] == "_root_"
    assert values(made, {"1": ["d1"]}, "HD-nDCG@2") == values(read_nuggets(records), {"1": ["d1"]}, "HD-nDCG@2")


def test_rubrics_keep_their_weights():
    rubrics = [
        {"criterion": "names  the cat", "weight": 5.0, "axis": "Explicit Criteria"},
        {"criterion": "is rude", "weight": -3.0, "axis": "Communication Quality"},
    ]
    table = read_nuggets([{"sample_id": "p", "rubrics": rubrics}])
    assert list(table.columns) == ["query_id", "intent_id", "description", "weight", "axis"]
    assert table["weight"].tolist() == [5.0, -3.0]
    judged = table[["query_id", "intent_id"]].assign(doc_id="d", relevance=1)
    with pytest.raises(IrdivError, match="'weight' of the intents holds -3.0.*penalties"):
        irdiv.with_intents(judged, table)
    assert irdiv.with_intents(judged, table[table["weight"] > 0])["probability"].tolist()[0] == 5.0


def test_freshstack_is_qrels(tmp_path):
    qrels = read_nuggets(FRESHSTACK)
    assert list(qrels.columns) == ["query_id", "intent_id", "doc_id", "relevance", "description"]
    expected = {("first", "d1"): 1, ("first", "d2"): 1, ("first", "d3"): 0, ("second", "d1"): 0, ("second", "d2"): 1}
    assert grades(qrels) == {**expected, ("third", "_no_document_"): 0}
    assert qrels["intent_id"].unique().tolist() == ["7_0", "7_1", "7_2"]
    assert values(qrels, {"7": ["d1"]}, "I-rec(intents='all')@1", "I-rec@1") == [pytest.approx(1 / 3), 0.5]
    # as Parquet, where lists are arrays, and as an object of lists
    names = list(FRESHSTACK[0]["nuggets"][0])
    columns = [
        {**FRESHSTACK[0], "nuggets": {name: [item[name] for item in FRESHSTACK[0]["nuggets"]] for name in names}}
    ]
    for records in (FRESHSTACK, columns):
        pq.write_table(pa.Table.from_pylist(records), tmp_path / "test.parquet")
        for data in (records, tmp_path / "test.parquet", pd.read_parquet(tmp_path / "test.parquet")):
            pd.testing.assert_frame_equal(read_nuggets(data), qrels)
    columns[0]["nuggets"]["_id"].append("7_9")
    with pytest.raises(IrdivError, match="'nuggets' must be a list"):
        read_nuggets(columns)


def test_aspects_of_bright_pro():
    qrels = read_nuggets(ASPECTS)
    assert qrels["query_id"].unique().tolist() == ["biology-0", "biology-1"]
    assert qrels["probability"].tolist() == [3, 1, 1, 2]
    run = {"biology-0": ["b/2.txt"], "biology-1": ["b/3.txt"]}
    assert values(qrels, run, "I-rec(intents='all')@1", "A-Recall@1") == [0.5, 1.0, 1 / 4, 1.0]
    named = [{**aspect, "qid": "t"} for aspect in ASPECTS[:2]]
    assert read_nuggets(named)["query_id"].unique().tolist() == ["t"]
    examples = [{"id": "0", "query": "q", "gold_ids": ["b/1.txt"]}, {"id": "1", "query": "r"}]
    assert read_nuggets(ASPECTS, examples=examples)["query_id"].unique().tolist() == ["0", "1"]
    with pytest.raises(IrdivError, match="'biology-1-a1' belongs to no example"):
        read_nuggets(ASPECTS, examples=examples[:1])
    with pytest.raises(IrdivError, match="topic of aspect 'x' is unknown"):
        read_nuggets([{"id": "x", "content": "one", "weight": 1, "supporting_docs": []}])


@pytest.mark.parametrize("aggregator", ["AND", "and"])
def test_a_nugget_of_a_bank_that_needs_all_answers(aggregator):
    qrels = read_nuggets(bank(aggregator))
    # d1 has both answers, d2 and d3 one each
    assert grades(qrels) == {("Where?", "d1"): 2, ("Where?", "d2"): 1, ("Where?", "d3"): 1, ("Who?", "d2"): 2}
    specs = ["I-rec(intents='all',rel=2)@2", "I-rec(intents='all')@2"]
    assert values(qrels, {"9": ["d3", "d2"]}, *specs) == [0.5, 1.0]


@pytest.mark.parametrize("aggregator", ["OR", "or", "default", None])
def test_a_nugget_of_a_bank_that_needs_one_answer(aggregator):
    assert read_nuggets(bank(aggregator))["relevance"].tolist() == [2] * 4


def test_answers_of_a_bank_as_intents_of_their_own():
    qrels = read_nuggets(bank("AND", importance="vital"), split_answers=True)
    answers = {("north", "d1"): 2, ("north", "d2"): 2, ("south", "d1"): 2, ("south", "d3"): 2}
    assert grades(qrels) == {("Where?", "_no_document_"): 0, **answers, ("Who?", "d2"): 2}
    by_text = qrels.drop_duplicates("description").set_index("description")
    assert by_text["probability"].fillna(-1).to_dict() == {"Where?": -1, "north": 0.5, "south": 0.5, "Who?": 1.0}
    assert by_text.loc["north", "parent_id"] == by_text.loc["Where?", "intent_id"]
    # d2 and d3 have both answers together: all three intents are covered
    assert values(qrels, {"9": ["d2", "d3"]}, "I-rec(intents='all')@2") == [1.0]


def test_banks_as_objects_and_with_weights():
    answers = {"north": {"answer": "north", "references": [{"doc_id": "d1"}]}, "south": {"answer": "south"}}
    question = {"question": "Where?", "question_id": "q7", "aggregator_type": "AND", "answers": answers}
    claims = {"c": {"claim": "It is.", "references": [{"doc_id": "d9"}]}}
    qrels = read_nuggets({"query_id": "9", "nugget_bank": {"Where?": question}, "claim_bank": claims})
    # no document has the answer without references
    assert grades(qrels) == {("Where?", "d1"): 1, ("It is.", "d9"): 2}
    assert qrels["intent_id"].tolist()[0] == "q7"
    for name in ("importance", "weight"):
        assert set(read_nuggets(bank("OR", **{name: 3}))["probability"].dropna()) == {3}, name


# Rows of a table


def test_rows_with_labels_of_support_are_qrels():
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
    assert values(mapped, {"q": ["d1"]}, "I-rec(intents='all')@1") == [pytest.approx(1 / 3)]


@pytest.mark.parametrize("name", ["fact", "rubric"])
def test_texts_beside_ids_are_descriptions(name):
    rows = [{"qid": "1", "nugget_id": "n1", name: "a cat", "docid": "d", "grade": 1}]
    assert read_nuggets(rows)["description"].tolist() == ["a cat"]
    assert read_nuggets(of_topic({"id": "n1", name: "a cat"}))["description"].tolist() == ["a cat"]
    # numbers are no texts
    assert "description" not in read_nuggets([{"qid": "1", "nugget_id": "n1", name: 3}])


@pytest.mark.parametrize("grade", [-1, "-1", -1.0])
def test_negative_grades_are_no_judgments(grade):
    rows = [{"qid": "1", "text": text, "docid": "d", "grade": grade} for text, grade in [("a", 2), ("b", grade)]]
    with pytest.warns(IrdivWarning, match=r"1 grade is negative and left out.*-1 \(1\).*'-1': 0"):
        qrels = read_nuggets(rows)
    assert list(zip(qrels["doc_id"], qrels["relevance"], strict=True)) == [("d", 2), ("_no_document_", 0)]
    assert read_nuggets(rows, labels={"-1": 0})["doc_id"].tolist() == ["d", "d"]
    with pytest.raises(IrdivError, match="grades from 0 to 100000"):
        read_nuggets(rows, labels={"-1": -1})
    with pytest.raises(IrdivError, match=r"no document is judged: .*-1 \(1\)"):
        read_nuggets(rows[1:])
    # as the ratings of CRUX, and as assignments to documents
    assigned = [{"qid": "1", "docid": "d", "nuggets": [{"text": r["text"], "assignment": r["grade"]}]} for r in rows]
    with pytest.warns(IrdivWarning, match="1 grade is negative and left out"):
        pd.testing.assert_frame_equal(read_assignments(assigned), qrels)
    with pytest.warns(IrdivWarning, match="left out, as if not judged"):
        crux = read_crux({"1": {"d": [2, -1]}})
    assert crux[["doc_id", "relevance"]].equals(qrels[["doc_id", "relevance"]])


# test_mistakes.py has those that several formats share
MISTAKES = {
    "no topic": ([{"nuggets": [{"text": "a"}], "metadata": 1}], "no topic id; expected .*'query_id'"),
    "no text": (of_topic({"importance": "vital"}), r"nuggets\[0\]: no text"),
    "a nugget that is a number": (of_topic(7), r"nuggets\[0\]: expected a text or an object"),
    "nuggets that are a text": ([{"qid": "1", "nuggets": "a"}], "'nuggets' must be a list, found 'a'"),
    "a weight in words": (of_topic({"criterion": "x", "weight": "high"}, name="rubrics"), r"rubrics\[0\]: .*'high'"),
    "two formats": ([{"qid": 1, "nuggets": ["a"]}, {"qid": 1, "rubrics": ["a"]}], "record 1 .*another format"),
    "grades of answers": ([{"qid": 1, "text": "a", "label": 1}], "'label' but no document: .*read_assignments"),
    "assignments": (of_topic({"text": "a", "assignment": "support"}), "irdiv.rag.read_assignments"),
    "answers": ([{"topic_id": 1, "references": ["d"]}], "irdiv.rag.read_contexts"),
    "two ids": ([{"qid": 1, "nugget_id": 1, "aspect_id": 2}], "two columns .*'nugget_id', 'aspect_id'"),
    "an unknown aggregator": (bank("NOT"), r"nugget_bank\[0\]: aggregator_type is 'NOT'; expected 'AND' or 'OR'"),
    "nuggets in nuggets": (bank("OR", sub_nuggets=[{"question": "?"}]), "sub_nuggets"),
    "answers without a field": (bank("OR", answers=["north"]), "answers .*'answer', found 'north'"),
    "a bank of words": ([{"query_id": "1", "nugget_bank": ["x"]}], r"nugget_bank\[0\]: expected an object"),
    "a number": (7, "cannot .*nuggets from 'int'"),
    "nothing": ([], "the nuggets are empty"),
    "numbers": ([7], "record 0 of the nuggets: .*an object"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_format_get_one_helpful_line(mistake):
    data, message = MISTAKES[mistake]
    with pytest.raises(IrdivError, match=message) as error:
        read_nuggets(data)
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore:1 topic has no nuggets")
def test_no_nuggets_at_all():
    with pytest.raises(IrdivError, match="no nuggets"):
        read_nuggets(of_topic())
