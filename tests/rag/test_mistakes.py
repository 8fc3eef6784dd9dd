"""Mistakes in files of judged nuggets and retrieved passages: each gets one helpful line, or the right values.

All go the same way: read the judgments, read the runs, evaluate and print.
"""

from __future__ import annotations

import copy
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import irdiv
from helpers import NUGGET_JUDGMENTS
from irdiv import IrdivError, IrdivWarning
from irdiv.rag import read_assignments, read_contexts, read_crux, read_nuggets, score_answers
from irdiv_cli import main

MEASURES = ["Coverage@3", "Vital-coverage@3", "All-covered@3"]
JUDGMENTS = [
    {"question_id": q, "nugget_id": n, "nugget": f"text of {q}-{n}", "importance": i, "passage_id": p, "label": label}
    for q, n, i, p, label in NUGGET_JUDGMENTS
]
LISTS = {
    "bm25": {"q1": ["p1", "p5", "p4"], "q2": ["p1", "p7"]},
    "dense": {"q1": ["p2", "p3", "p1"], "q2": ["p2", "p1"]},
    "hybrid": {"q1": ["p1", "p2"], "q2": ["p9"]},
}
# of the 4 and 3 nuggets, and of the 3 and 1 vital ones; p9 does not support n4
VALUES = {
    "bm25": [(1 / 4 + 1 / 3) / 2, (1 / 3 + 1) / 2, 0],
    "dense": [(3 / 4 + 2 / 3) / 2, (2 / 3 + 1) / 2, 0],
    "hybrid": [(2 / 4 + 0) / 2, (2 / 3 + 0) / 2, 0],
}

Row = dict[str, object]
Change = Callable[[Row], Row]
Make = Callable[[], object]


def rows(name: str) -> list[Row]:
    return [
        {"question_id": topic, "passage_id": doc, "rank": rank}
        for topic, docs in LISTS[name].items()
        for rank, doc in enumerate(docs, 1)
    ]


def lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


LINES = lines(JUDGMENTS)


def put(**fields: object) -> Change:
    return lambda row: {**row, **fields}


def drop(*names: str) -> Change:
    return lambda row: {name: value for name, value in row.items() if name not in names}


def rename(old: str, new: str) -> Change:
    return lambda row: {new if name == old else name: value for name, value in row.items()}


def convert(name: str, function: Callable[[object], object]) -> Change:
    return lambda row: {**row, name: function(row[name])}


def labels(*new: object) -> Change:
    """Replace support, partial_support and not_support."""
    return convert("label", dict(zip(("support", "partial_support", "not_support"), new, strict=True)).get)


def importance(*new: object) -> Change:
    """Replace vital and okay."""
    return convert("importance", dict(zip(("vital", "okay"), new, strict=True)).get)


def number(name: str) -> Change:
    return convert(name, lambda value: int(value[1:]))


def write_lines(path: str, records) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(lines(records))


def text(content: str, path: str = "judgments.jsonl", encoding: str = "utf-8") -> Make:
    return lambda: Path(path).write_text(content, encoding=encoding)


def judged(*changes: Change, only: int | str | None = None, more=()) -> Make:
    """Write judgments of which all rows, one row, or those of one nugget or question are changed."""

    def changed(index: int, row: Row) -> Row:
        if only in (None, index, row["nugget_id"], row["question_id"]):
            for change in changes:
                row = change(row)
        return row

    return lambda: write_lines("judgments.jsonl", [*map(changed, range(99), JUDGMENTS), *more])


def ran(*changes: Change, name: str | None = None, only: int | None = None) -> Make:
    """Write runs, or one run, of which all rows or one are changed."""

    def write() -> None:
        for run in LISTS if name is None else [name]:
            made = rows(run)
            for change in changes:
                made = [change(row) if only in (None, index) else row for index, row in enumerate(made)]
            write_lines(f"{run}.jsonl", made)

    return write


def ran_lists(record: Callable[[str, list[str]], Row]) -> Make:
    """Write a record for each question of each run."""
    return lambda: [write_lines(f"{run}.jsonl", [record(*item) for item in LISTS[run].items()]) for run in LISTS]


def both(*makes: Make) -> Make:
    return lambda: [make() for make in makes]


def nothing() -> None:
    pass


def evaluated(measures=MEASURES, paths=("bm25.jsonl", "dense.jsonl", "hybrid.jsonl"), **options) -> irdiv.Evaluation:
    return irdiv.evaluate(read_nuggets("judgments.jsonl", **options), read_contexts(list(paths)), measures)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    """Write judgments and three runs to the working directory."""
    monkeypatch.chdir(tmp_path)
    write_lines("judgments.jsonl", JUDGMENTS)
    for name in LISTS:
        write_lines(f"{name}.jsonl", rows(name))


def check_line(call: Make, message: str) -> None:
    """Check that a call gives one error or warning, of one line that matches."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(call())
        except IrdivError as error:
            found = [str(error)]
        else:
            found = []
    # what is left of these few rows may lack a question, or a nugget documents
    secondary = "the run lacks|intents have no judged document"
    found += [text for warning in caught if not re.search(secondary, text := str(warning.message))]
    assert len(found) == 1, found
    assert "\n" not in found[0]
    assert len(found[0]) < 500
    assert re.search(message, found[0]), found[0]
    assert {warning.category for warning in caught} <= {IrdivWarning}


MISTAKES: dict[str, tuple[Make, str]] = {
    # files in each other's place
    "a run as judgments": (lambda: write_lines("judgments.jsonl", rows("bm25")), "'rank'.*read_contexts.*as RUN"),
    "judgments as a run": (lambda: write_lines("bm25.jsonl", JUDGMENTS), "'rank'.*read_nuggets.*as NUGGETS"),
    "nuggets without documents": (text('{"qid": "q1", "nuggets": ["a"]}'), "qrels lack a column.*irdiv.with_intents"),
    # ids
    "passages of other ids": (ran(convert("passage_id", "{}#3".format)), "'bm25'.*'p1'.*'p1#3'.*'dense', 'hybrid'"),
    "questions of other ids": (ran(number("question_id")), "no topic in common.*'q1'.*'1', '2'"),
    "a list in place of an id": (judged(put(passage_id=["p2"]), only=2), r"line 3: passage_id .*\['p2'\]"),
    "no passage": (judged(put(passage_id=None), only=1), "^judgments.jsonl, line 2: passage_id is missing"),
    "no passage in a run": (ran(put(passage_id=None), name="dense", only=1), "^dense.jsonl, line 2: passage_id is mis"),
    "an empty id of a nugget": (judged(put(nugget_id=""), only=1), "line 2: .*no id, but others.*1 of 8"),
    "a nugget without text and id": (judged(drop("nugget", "nugget_id"), only=2), "line 3: .*neither an id nor a text"),
    "nuggets without texts and ids": (judged(drop("nugget", "nugget_id")), "neither .*'nugget_id'.*found .*'label'"),
    "a list in place of a text": (judged(put(nugget=["a"])), "line 1: nugget must be a text"),
    # labels
    "labels that are unknown": (
        judged(labels("yes", "partly", "no")),
        r"no label of support .*'yes' \(5\), 'no' \(2\), 'partly' \(1\).*'partial_support'.*labels={'yes': …}",
    ),
    "some labels that are unknown": (
        judged(labels("support", "partial support", "not support")),
        r"^3 .*'not support' \(2\), 'partial support' \(1\).*={'partial support': 'partial_support'}",
    ),
    "shares": (judged(labels(1.0, 0.5, 0.0)), "line 2: label is 0.5.*whole"),
    "a label that is a hash": (judged(put(label=2**70), only=0), "line 1: label is 11805.*up to 100000"),
    "a label that is null": (judged(put(label=None), only=0), r"1 support label is unknown .*: '' \(1\)"),
    # importance and weights
    "importance in other words": (
        judged(importance("must-have", "nice")),
        r"no label of importance .*'must-have' \(5\), 'nice' \(3\).*'vital', 'okay'.*labels={.*importance_weights=",
    ),
    "importance in numbers": (judged(importance(3, 1)), r"'3' \(5\), '1' \(3\).*weights: call the field 'weight'"),
    "importance of some": (judged(put(importance=math.nan), only="n3"), "'n3' of topic 'q1' .*no importance"),
    "no importance": (judged(drop("importance")), "Vital-coverage@3 .*no column 'importance'"),
    "two importances of a nugget": (
        judged(put(importance="okay"), only=1),
        "'text of q1-n1' of topic 'q1' occurs twice.*'vital' and 'okay'.*duplicates='first'",
    ),
    "negative weights": (judged(put(weight=-1)), "'n1' of topic 'q1' .*weight -1.0: a penalty"),
    "weights that are infinite": (judged(put(weight=math.inf)), "line 1: the weight must be a finite number"),
    "two weights of a nugget": (
        judged(lambda row: {**row, "weight": int(row["passage_id"][1:])}),
        "occurs twice.*weight is 1.0 and 4.0",
    ),
    # names of fields
    "an id of rows and no topic": (
        judged(lambda row: {**drop("question_id")(row), "id": f"{row['nugget']}-{row['passage_id']}"}),
        "nuggets lack a column: expected 'query_id'",
    ),
    "another question field": (judged(rename("question_id", "query")), "'qid' or 'question_id' .*found 'query', "),
    "another passage field": (judged(rename("passage_id", "text_id")), "no document: .*'chunk_id'.*found .*'text_id'"),
    "another label field": (judged(rename("label", "gold")), "'relevance' or 'label' .*found .*'gold'"),
    "records in a field": (
        text(json.dumps({"judgments": JUDGMENTS})),
        "^judgments.jsonl: .*'judgments' has records of other topics",
    ),
    "two names of the passage": (judged(put(doc_id="d")), "'doc_id', 'passage_id'. Drop or rename"),
    "the texts of passages": (
        judged(lambda row: {**row, "nugget": row["passage_id"]}),
        "'n1' of topic 'q1' occurs twice.*'p1' and 'p4'",
    ),
    "distances": (ran(rename("rank", "distance")), "'score' or 'rank'.*'distance'.*make ranks"),
    "another question field in a run": (ran(rename("question_id", "query")), "contexts lack .*'query_id' .*'query"),
    # formats
    "no such file": (lambda: Path("judgments.jsonl").unlink(), "no such .*'judgments.jsonl'"),
    "CSV": (text("question_id,nugget_id\nq1,n1\n"), "line 1: not JSON, found 'question_id,nugget_id'.*pandas.read_csv"),
    "a TREC run": (text("q1 Q0 p1 1 3.0 bm25\n", "bm25.jsonl"), "^bm25.jsonl, line 1: not JSON.*takes TREC files"),
    "a truncated last line": (text(LINES[:-30]), r"line 8, column \d+: not JSON .*truncated\?"),
    "a truncated first line": (text(LINES.replace(' "support"}\n', "\n", 1)), r"line 1, column \d+: .*\"label\":'"),
    "commas between lines": (text(LINES.replace("}\n", "},\n")), r"line 1, column \d+: not JSON.*found ','"),
    "a comma after the last item": (
        text("[\n" + LINES.replace("}\n", "},\n") + "]\n"),
        r"line \d+, column \d+: not JS",
    ),
    "a list in a line": (text(lines([*JUDGMENTS, [1, 2]])), r"line 9: expected an object .*'\[1, 2\]'"),
    "one number": (text("7"), "expected JSON objects, found '7'"),
    "a dict of words": (text('{"a": "b"}'), "no topic id"),
    "Latin-1": (text('{"qid": "q1", "text": "é"}\n', encoding="latin-1"), "line 1: byte 0xe9 is not UTF-8"),
    "an empty file": (text("\n", "bm25.jsonl"), "^bm25.jsonl: .*empty"),
    "an empty list": (text("[]", "bm25.jsonl"), "^bm25.jsonl: .*no records"),
    # repeated and missing rows
    "a judgment twice": (judged(more=JUDGMENTS[:1]), "1 judgment repeats .*left out: 'q1 text of q1-n1'"),
    "two judgments of one document": (
        judged(more=[{**JUDGMENTS[0], "label": "not_support"}]),
        "'text of q1-n1' of topic 'q1' occurs twice.*grade of document 'p1' is 2 and 0",
    ),
    "a text under two ids": (judged(put(nugget="a"), only="q2"), "2 nuggets .*another id; each counts: 'q2 a'"),
    "a passage twice in a run": (
        ran(put(passage_id="p1"), name="bm25", only=1),
        "^bm25.jsonl, line 2: .*'bm25' has document 'p1' of topic 'q1' already in bm25.jsonl, line 1",
    ),
    "one run_id in two files": (
        ran(put(run_id="test")),
        "^dense.jsonl, line 1: run 'test' has topic 'q1' already in bm25.jsonl, line 1",
    ),
    "a rank that is a word": (ran(put(rank="first"), name="bm25", only=0), "line 1: rank must be .*'first'"),
    "scores of some rows": (ran(put(score=1.0), name="bm25", only=0), "bm25.jsonl, line 2: score must .*nothing"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_file_gets_one_helpful_line(mistake):
    make, message = MISTAKES[mistake]
    make()
    check_line(evaluated, message)


# one record with these fields is the run, or these files are the runs
RUNS = {
    "texts in place of ids": ({"contexts": ["A passage."]}, "no judged document .*'A passage.'"),
    "another name of a list": ({"my_list": ["p1"]}, "^l.jsonl: .*'documents'.* found 'question_id', 'my_list'"),
    "documents without ids": ({"docs": [{"text": "…"}]}, "^l.jsonl: docs: .*without an id; .*'doc_id'.*found 'text'"),
    "a text in place of a list": ({"contexts": "p1"}, "^l.jsonl: contexts must be a list, found 'p1'"),
    "two lists": ({"contexts": ["p1"], "documents": ["p2"]}, "^l.jsonl: two lists .*'documents', 'contexts'"),
    "a passage twice": ({"contexts": ["p1", "p2", "p1"]}, "^l.jsonl: contexts: .*'p1' is listed twice"),
    "a score in words": ({"contexts": [{"docid": "p1", "score": "high"}]}, "contexts: .*'p1' .*number, found 'high'"),
    "another order than the ranks": (
        {"contexts": [{"docid": "p1", "rank": 2}, {"docid": "p2", "rank": 1}]},
        "^l.jsonl: contexts: the ranks 2, 1 contradict the order",
    ),
    "runs in one object": ({"l.json": [LISTS]}, "go to irdiv.evaluate"),
    "two runs in one file": (
        {"all.jsonl": [*rows("bm25"), *rows("dense")]},
        "^all.jsonl, line 8: run 'all' has document 'p1' .*'run_id'",
    ),
    "two runs without common passages in one file": (
        {"all.jsonl": [*rows("bm25")[:3], *rows("dense")[:2]]},
        "run 'all' has equal ranks in 1 topic .'q1'.*'run_id'",
    ),
    "one name of two files": (
        {"a/run.jsonl": rows("bm25")[1:2], "b/run.jsonl": rows("bm25")[:1]},
        "^b/run.jsonl: run 'run' has topic 'q1' already in a/run.jsonl",
    ),
}


@pytest.mark.parametrize("mistake", RUNS)
def test_a_mistake_in_the_files_of_runs_gets_one_helpful_line(mistake):
    made, message = RUNS[mistake]
    if "json" not in next(iter(made)):
        made = {"l.jsonl": [{"question_id": "q1", **made}]}
    for path, records in made.items():
        write_lines(path, records)
    check_line(lambda: evaluated(paths=made), message)


def to_document(doc: str, **nugget: object) -> Row:
    return {"qid": "q1", "docid": doc, "nuggets": [{"text": "a", "assignment": "support", **nugget}]}


def in_bank(**question: object) -> list[Row]:
    return [{"qid": "q1", "nugget_bank": [{"question": "Who?", **question}]}]


# records that are read, and the field in which something is not
UNREAD = {
    "a list": ([{"qid": "1", "nuggets": [{"text": "a", "supported_by": ["p"]}]}], "'supported_by' .*'supporting_docs'"),
    "rows": ([{"qid": q, "nugget": "a", "doc_ids": ["p1"]} for q in "12"], "'doc_ids' .*'supporting_docs'"),
    "an id": ([{"qid": "1", "nuggets": [{"text": "a", "passage_id": "p1"}]}], "no documents .*'passage_id'"),
    "a bank": (in_bank(answers=[{"answer": "I", "doc_ids": ["p1"]}]), "no documents .*'doc_ids' .*'references'"),
    "an aspect": (
        [{"id": "x-1-a1", "content": "a", "supporting_docs": [], "passages": ["p"]}],
        "documents .*'passages'",
    ),
    "the weight in a bank": (in_bank(priority=2, references=["p1"]), "no 'importance' or 'weight' .*'priority'"),
    "points of a rubric": ([{"qid": "q1", "rubrics": [{"criterion": "a", "points": 5}]}], "count equally; .*'points'"),
    "labels of another name": (list(map(rename("importance", "tier"), JUDGMENTS)), "no 'importance' .*'tier'"),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_a_field_that_is_not_read_is_named(kind):
    records, message = UNREAD[kind]
    check_line(lambda: read_nuggets(records), message)


CALLS: dict[str, tuple[Make, str]] = {
    "an empty folder of contexts": (lambda: (Path("runs").mkdir(), read_contexts("runs")), "'runs' has no files"),
    "an empty id of an assignment": (
        lambda: read_assignments([to_document("p1", id="n1"), to_document("p2", id="")]),
        r"record 1 of the assignments, nuggets\[0\]: .*no id, but others",
    ),
    "another importance field of an assignment": (
        lambda: read_assignments([to_document("p1", Importance="vital")]),
        "count equally; .*'Importance'",
    ),
    "assignments to answers as qrels": (
        lambda: irdiv.evaluate(read_assignments([drop("docid")(to_document("p1"))]), LISTS, MEASURES),
        "assignments to answers.*irdiv.rag.score_answers",
    ),
    "qrels as assignments": (lambda: score_answers(read_nuggets(JUDGMENTS)), "qrels, which irdiv.evaluate takes"),
    "swapped arguments": (
        lambda: irdiv.evaluate(read_contexts(["bm25.jsonl", "dense.jsonl"]), read_nuggets(JUDGMENTS), MEASURES),
        "swapped",
    ),
    "labels that do not occur": (lambda: evaluated(labels={"yes": "support"}), "labels .*'yes', but no nugget"),
    "weights that are 0": (
        lambda: (judged(put(weight=0))(), evaluated(["A-Recall@3"])),
        "all intents .*topic 'q1' have the probability 0",
    ),
    "weights of some nuggets only": (
        lambda: (
            judged(drop("importance"), lambda row: {**row, "weight": None if row["nugget_id"] == "n2" else 1})(),
            evaluated(["Coverage(weighted=True)@3"]),
        ),
        "of topic 'q1' counts but has no probability",
    ),
    "runs in JSON": (
        lambda: irdiv.evaluate(read_nuggets(JUDGMENTS), dict.fromkeys("ab", "bm25.jsonl"), MEASURES),
        "run 'a': bm25.jsonl, line 1: JSON.*read_contexts",
    ),
}


@pytest.mark.parametrize("mistake", CALLS)
def test_a_mistaken_call_gets_one_helpful_line(mistake):
    check_line(*CALLS[mistake])


# What is no mistake


def check_values(evaluation: irdiv.Evaluation) -> None:
    assert {run: evaluation.values[i].mean(axis=1).tolist() for i, run in enumerate(evaluation.runs)} == {
        run: pytest.approx(values) for run, values in VALUES.items()
    }


RIGHT: dict[str, Make] = {
    "no mistake": nothing,
    "labels in other cases": judged(convert("label", str.upper), convert("importance", str.title)),
    "labels that are booleans": judged(labels(True, True, False)),
    "labels that are grades": judged(labels(2, 1, 0)),
    "labels that are grades in texts": judged(labels("2", "1", "0")),
    "ids that are integers": both(judged(convert("passage_id", lambda p: p[1:])), ran(number("passage_id"))),
    "ids that are floats": both(judged(number("passage_id")), ran(convert("passage_id", lambda p: float(p[1:])))),
    "importance in one row of a nugget": judged(drop("importance"), only=1),
    "other names of passages and labels": judged(rename("passage_id", "document_id"), rename("label", "judgment")),
    "questions in narrative_id": both(judged(rename("question_id", "narrative_id")), ran(rename("question_id", "id"))),
    "passages in chunk_id": both(judged(rename("passage_id", "chunk_id")), ran(rename("passage_id", "segment_id"))),
    "texts in claim": judged(drop("nugget_id"), rename("nugget", "claim")),
    "texts in nugget_text": judged(drop("nugget_id"), rename("nugget", "nugget_text")),
    "texts of nuggets and of aspects above them": judged(put(aspect="one", rubric="two", claim="three")),
    "nuggets with empty ids": judged(put(nugget_id="")),
    "nuggets from 0 without texts": judged(drop("nugget"), convert("nugget_id", lambda n: 4 - int(n[1:]))),
    "an id of rows": judged(put(id=7)),
    "a JSON list": text(json.dumps(JUDGMENTS)),
    "an indented JSON list": text(json.dumps(JUDGMENTS, indent=1)),
    "a JSON list of lines": text("[" + ",\n".join(map(json.dumps, JUDGMENTS)) + "]"),
    "a byte order mark": text(LINES, encoding="utf-8-sig"),
    "blank lines of Windows": text(LINES.replace("\n", "\r\n\r\n")),
    "ranks from 0 in texts": ran(convert("rank", lambda rank: str(rank - 1))),
    "scores in one run": ran(lambda row: {**drop("rank")(row), "score": str(-row["rank"])}, name="bm25"),
    "lists": ran_lists(lambda topic, docs: {"question_id": topic, "contexts": docs}),
    "lists of objects": ran_lists(
        lambda topic, docs: {"qid": topic, "retrieved_docs": [{"chunk_id": d} for d in docs]}
    ),
    "rows, lists and objects": lambda: (
        write_lines("dense.jsonl", [{"qid": q, "retrieved_ids": docs} for q, docs in LISTS["dense"].items()]),
        text(json.dumps(LISTS["hybrid"]), "hybrid.jsonl")(),
    ),
}


@pytest.mark.filterwarnings("ignore:.* intents have no judged document")
@pytest.mark.parametrize("case", RIGHT)
def test_what_is_no_mistake_gets_the_right_values(case):
    RIGHT[case]()
    check_values(evaluated())


def test_frames_folders_and_runs_in_one_file_get_the_right_values():
    write_lines("all.jsonl", [{**row, "retriever": name} for name in LISTS for row in rows(name)])
    check_values(evaluated(paths=["all.jsonl"]))
    for name in LISTS:
        write_lines(f"runs/{name}.jsonl", rows(name))
    check_values(irdiv.evaluate(read_nuggets(JUDGMENTS), read_contexts("runs"), MEASURES))
    frames = {name: pl.DataFrame(rows(name)) for name in LISTS}
    check_values(irdiv.evaluate(read_nuggets(pl.DataFrame(JUDGMENTS)), read_contexts(frames), MEASURES))
    pd.DataFrame(JUDGMENTS).to_parquet("judgments.parquet")
    check_values(irdiv.evaluate(read_nuggets("judgments.parquet"), LISTS, MEASURES))


def test_labels_that_are_mapped_get_the_right_values():
    judged(labels("yes", 0.5, None), importance("must", 3))()
    mapped = {"yes": "support", "0.5": "partial_support", "": 0, "must": "vital", "3": "okay"}
    check_values(evaluated(labels=mapped))


def test_a_run_that_lacks_a_question_is_noted():
    write_lines("bm25.jsonl", rows("bm25")[:3])
    assert "topics that a run lacks score 0: 1 of 2 topics in bm25." in evaluated().notes


# Values of any type in any place


JUNK = [None, 1, 0.5, "x", "", [], {}, [1], ["a", None], math.nan, True, {"id": "z"}, [{"text": 1}], 2**70, math.inf]
ASSIGNED = {"text": "a", "importance": "vital", "assignment": "support"}
BANK = {"question": "Who?", "aggregator_type": "AND", "answers": [{"answer": "I", "references": ["p1"]}]}
RECORDS = {
    "judgments": (read_nuggets, JUDGMENTS),
    "nuggets": (read_nuggets, [{"qid": "1", "nuggets": [{"_id": "1", "text": "a", "relevant_corpus_ids": ["p1"]}]}]),
    "banks": (read_nuggets, [{"metadata": {"topic_id": "1"}, "nugget_bank": [BANK, BANK]}]),
    "aspects": (read_nuggets, [{"id": "x-1-a1", "content": "one", "weight": 3, "supporting_docs": ["p1"]}]),
    "assignments": (read_assignments, [{"qid": "1", "run_id": "a", "nuggets": [ASSIGNED]}]),
    "assignments to documents": (read_assignments, [{"qid": "1", "docid": "d", "nuggets": [ASSIGNED]}]),
    "rows": (read_contexts, rows("bm25")),
    "answers": (read_contexts, [{"qid": "1", "references": ["p1"], "answer": [{"text": "…", "citations": [0]}]}]),
    "candidates": (read_contexts, [{"query": {"qid": "1"}, "candidates": [{"docid": "p1", "score": 1}]}]),
    "lists": (read_contexts, {"1": ["p1", "p2"], "2": {"p1": 1.5}}),
    "ratings": (read_crux, [{"id": "1", "pid": "p1", "rating": [5, 0]}]),
}


def places(value: object, above: tuple = ()) -> Iterator[tuple]:
    """Yield the keys and positions that lead to each value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*above, key)
        yield from places(inner, (*above, key))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::irdiv.IrdivWarning")
@pytest.mark.parametrize("kind", RECORDS)
def test_values_of_other_types_are_read_or_named_in_an_error(kind):
    read, records = RECORDS[kind]
    messages = []
    for *above, last in places(records):
        for junk in JUNK:
            changed = copy.deepcopy(records)
            holder = changed
            for key in above:
                holder = holder[key]
            holder[last] = junk
            try:
                read(changed)
            except IrdivError as error:
                messages.append(str(error))
    assert messages
    assert [message for message in messages if "\n" in message or len(message) >= 500] == []


# On the command line


COMMANDS = {
    "a JSON file": (nothing, "eval judgments.jsonl bm25.jsonl -m Coverage@3", "on the command line, .*irdiv coverage"),
    "an unknown label": (judged(put(label="supporter"), only=0), "", "--label supporter=support"),
    "only unknown labels": (judged(labels("yes please", "no", "no")), "", "--label 'yes please'="),
    "a negative label": (judged(put(label=-1), only=0), "", "--label=-1=0"),
    "a contradiction": (judged(more=[{**JUDGMENTS[0], "label": "not_support"}]), "", "--duplicates first"),
    "an unknown field": (
        text('{"qid": "q1", "nuggets": [{"text": "a", "doc_ids": ["p1"]}]}'),
        "",
        "no documents.* 'doc_ids'.*'supporting_docs'",
    ),
}


@pytest.mark.parametrize("mistake", COMMANDS)
def test_the_command_line_names_its_own_remedy(mistake, capsys):
    make, arguments, remedy = COMMANDS[mistake]
    make()
    main((arguments or "coverage judgments.jsonl bm25.jsonl -k 3").split())
    assert re.search(remedy, capsys.readouterr().err)


def test_the_remedy_for_negative_labels_works(capsys):
    judged(put(label=-1), only=0)()
    assert main(["coverage", "judgments.jsonl", "bm25.jsonl", "-k", "3", "--label=-1=0"]) == 0
    assert "negative" not in capsys.readouterr().err


def test_the_command_reads_a_folder_of_nuggets(capsys):
    assert main(["coverage", "judgments.jsonl", "bm25.jsonl"]) == 0
    expected = capsys.readouterr().out
    for half, part in enumerate([JUDGMENTS[:5], JUDGMENTS[5:]]):
        write_lines(f"nuggets/{half}.jsonl", part)
    assert main(["coverage", "nuggets", "bm25.jsonl"]) == 0
    assert capsys.readouterr().out == expected
