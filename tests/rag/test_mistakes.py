"""Mistakes in files of judged nuggets and retrieved passages: each gets one helpful line, or the right values.

All go the same way: read the judgments, read the runs, evaluate and print.
"""

from __future__ import annotations

import copy
import gzip
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


def rows(name: str) -> list[Row]:
    return [
        {"question_id": topic, "passage_id": doc, "rank": rank}
        for topic, docs in LISTS[name].items()
        for rank, doc in enumerate(docs, 1)
    ]


def lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def put(**fields: object) -> Change:
    return lambda row: {**row, **fields}


def drop(*names: str) -> Change:
    return lambda row: {name: value for name, value in row.items() if name not in names}


def rename(old: str, new: str) -> Change:
    return lambda row: {new if name == old else name: value for name, value in row.items()}


def convert(name: str, function: Callable[[object], object]) -> Change:
    return lambda row: {**row, name: function(row[name])}


def replace(name: str, by: dict[str, object], new: str | None = None) -> Change:
    return lambda row: {**drop(name)(row), new or name: by[row[name]]}


def labels(*new: object) -> Change:
    """Replace support, partial_support and not_support."""
    return replace("label", dict(zip(("support", "partial_support", "not_support"), new, strict=True)))


def importance(*new: object) -> Change:
    return replace("importance", dict(zip(("vital", "okay"), new, strict=True)))


def write_lines(path: str, records) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(lines(records))


def text(path: str, content: str, encoding: str = "utf-8") -> Callable[[], None]:
    return lambda: Path(path).write_text(content, encoding=encoding)


def judgments(*changes: Change, only: Callable[[Row], bool] | int | None = None, more=()) -> Callable[[], None]:
    """Write judgments of which all, some or one row is changed."""

    def changed(index: int, row: Row) -> Row:
        if only is None or index == only or (callable(only) and only(row)):
            for change in changes:
                row = change(row)
        return row

    return lambda: write_lines("judgments.jsonl", [*map(changed, range(99), JUDGMENTS), *more])


def runs(*changes: Change, name: str | None = None, only: int | None = None, more=()) -> Callable[[], None]:
    """Write runs, or one run, of which all rows or one are changed."""

    def write() -> None:
        for run in LISTS if name is None else [name]:
            made = rows(run)
            for change in changes:
                made = [change(row) if only in (None, index) else row for index, row in enumerate(made)]
            write_lines(f"{run}.jsonl", [*made, *more])

    return write


def default_way() -> irdiv.Evaluation:
    qrels = read_nuggets("judgments.jsonl")
    contexts = read_contexts(["bm25.jsonl", "dense.jsonl", "hybrid.jsonl"])
    return irdiv.evaluate(qrels, contexts, MEASURES)


def with_measures(*measures: str):
    return lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), read_contexts("bm25.jsonl"), list(measures))


def with_runs(*paths: str):
    return lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), read_contexts(list(paths)), MEASURES)


def with_labels(**options: object):
    return lambda: irdiv.evaluate(read_nuggets("judgments.jsonl", **options), read_contexts("bm25.jsonl"), MEASURES)


def straight(qrels, runs):
    return lambda: irdiv.evaluate(qrels, runs, MEASURES)


def nothing() -> None:
    pass


def in_line(number: int, file: str = "judgments.jsonl") -> str:
    return f"^{file}, line {number}"


MISTAKES: dict[str, tuple[Callable[[], None], str] | tuple[Callable[[], None], str, Callable[[], object]]] = {
    "an id of rows and no topic": (
        lambda: write_lines(
            "judgments.jsonl", [{**drop("question_id")(row), "id": index} for index, row in enumerate(JUDGMENTS)]
        ),
        "the nuggets lack a column: expected 'query_id' or",
    ),
    "an empty folder of nuggets": (
        lambda: Path("nuggets").mkdir(),
        "the folder 'nuggets' has no files; expected JSON, JSON Lines or Parquet files of nuggets",
        lambda: read_nuggets("nuggets"),
    ),
    "an empty folder of contexts": (
        lambda: Path("runs").mkdir(),
        "the folder 'runs' has no files; expected JSON, JSON Lines or Parquet files of contexts",
        lambda: read_contexts("runs"),
    ),
    # ids of nuggets
    "an empty id of a nugget": (
        judgments(put(nugget_id=""), only=1),
        in_line(2) + ": the nugget has no id, but others have one; found 1 of 8 without",
    ),
    "a missing id of a nugget": (
        judgments(drop("nugget_id"), only=1),
        in_line(2) + ": the nugget has no id, but others have one",
    ),
    "an empty id of an assignment": (
        nothing,
        r"record 1 of the assignments, nuggets\[0\]: the nugget has no id, but others have one",
        lambda: read_assignments(
            [
                {"qid": "q1", "docid": doc, "nuggets": [{"id": nugget, "text": "a", "assignment": "support"}]}
                for doc, nugget in [("p1", "n1"), ("p2", "")]
            ]
        ),
    ),
    # files in each other's place, and given to the wrong function
    "a run as judgments": (
        lambda: write_lines("judgments.jsonl", rows("bm25")),
        "neither an id nor a text: .* found 'question_id', 'passage_id', 'rank'. .* read by irdiv.rag.read_contexts",
    ),
    "judgments as a run": (
        lambda: write_lines("bm25.jsonl", JUDGMENTS),
        "expected 'score' or 'rank', found .*judgments of nuggets, which irdiv.rag.read_nuggets reads",
    ),
    "swapped arguments": (
        nothing,
        "the arguments are swapped: the first is a run, and the second are qrels",
        lambda: irdiv.evaluate(read_contexts(["bm25.jsonl", "dense.jsonl"]), read_nuggets("judgments.jsonl"), MEASURES),
    ),
    "paths of JSON": (
        nothing,
        in_line(1) + ": JSON, and not a TREC qrels file; read it by irdiv.rag.read_nuggets .*irdiv coverage",
        straight("judgments.jsonl", "bm25.jsonl"),
    ),
    "a path of indented JSON": (
        text("judgments.json", json.dumps(JUDGMENTS, indent=1)),
        "JSON, and not a TREC qrels file; read it by irdiv.rag.read_nuggets",
        straight("judgments.json", "bm25.jsonl"),
    ),
    "a path of compressed JSON": (
        lambda: Path("judgments.jsonl.gz").write_bytes(gzip.compress(lines(JUDGMENTS).encode())),
        "JSON, and not a TREC qrels file",
        straight("judgments.jsonl.gz", "bm25.jsonl"),
    ),
    "a dict of paths of JSON": (
        nothing,
        "run 'bm25': bm25.jsonl, line 1: JSON, and not a TREC run file; read it by irdiv.rag.read_contexts",
        lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), {r: f"{r}.jsonl" for r in LISTS}, MEASURES),
    ),
    "a folder of JSON": (
        lambda: write_lines("runs/bm25.jsonl", rows("bm25")),
        "runs/bm25.jsonl, line 1: JSON, .* irdiv.rag.read_contexts",
        lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), "runs", MEASURES),
    ),
    "a list of paths": (
        nothing,
        "an iterable of 'str': .* Several runs go in a mapping from name to run, or to the path.*read_contexts",
        lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), ["bm25.jsonl", "dense.jsonl"], MEASURES),
    ),
    "a list of dicts": (
        nothing,
        "an iterable of 'dict': .* irdiv.rag.read_nuggets reads records of JSON",
        lambda: irdiv.evaluate(JUDGMENTS, LISTS, MEASURES),
    ),
    "a frame with text labels": (
        nothing,
        "column 'label' of the qrels must hold numbers, found 'support', .*irdiv.rag.read_nuggets",
        lambda: irdiv.evaluate(pd.DataFrame(JUDGMENTS), LISTS, MEASURES),
    ),
    "a path of a CSV file": (
        lambda: pd.DataFrame(JUDGMENTS).to_csv("judgments.csv", index=False),
        "judgments.csv, line 1: found 1 column with commas .give a CSV file as a frame, as pandas.read_csv",
        straight("judgments.csv", LISTS),
    ),
    "no such file": (
        lambda: Path("judgments.jsonl").unlink(),
        "no such nuggets file: 'judgments.jsonl'",
    ),
    "nuggets without documents": (
        lambda: write_lines("judgments.jsonl", [{"qid": "q1", "nuggets": [{"text": "a", "importance": "vital"}]}]),
        r"the qrels lack a column: .*intents without documents: irdiv.with_intents\(qrels, intent_table\) folds",
    ),
    "nuggets with documents in an unknown field": (
        lambda: write_lines("judgments.jsonl", [{"qid": "q1", "nuggets": [{"text": "a", "supported_by": ["p1"]}]}]),
        "no documents of nuggets are read; is it the field 'supported_by' .* Call it 'supporting_docs'",
        lambda: read_nuggets("judgments.jsonl"),
    ),
    "a table with documents in an unknown field": (
        lambda: write_lines("judgments.jsonl", [{"qid": q, "nugget": "a", "doc_ids": ["p1"]} for q in LISTS["bm25"]]),
        "no documents of nuggets are read; is it the field 'doc_ids' .* Call it 'supporting_docs'",
        lambda: read_nuggets("judgments.jsonl"),
    ),
    "one document of a nugget in a list": (
        nothing,
        "no documents of nuggets are read; is it the field 'passage_id' that",
        lambda: read_nuggets([{"qid": "q1", "nuggets": [{"text": "a", "passage_id": "p1"}]}]),
    ),
    "a bank with documents in an unknown field": (
        nothing,
        "no documents of nuggets are read; is it the field 'doc_ids' .* List them in 'references' of each answer",
        lambda: read_nuggets(
            [{"qid": "q1", "nugget_bank": [{"question": "Who?", "answers": [{"answer": "I", "doc_ids": ["p1"]}]}]}]
        ),
    ),
    "a bank with weights in an unknown field": (
        nothing,
        "no 'importance' or 'weight' and count equally; is it the field 'priority'",
        lambda: read_nuggets(
            [{"qid": "q1", "nugget_bank": [{"question": "Who?", "priority": 2, "references": ["p1"]}]}]
        ),
    ),
    "aspects with weights in an unknown field": (
        nothing,
        "no 'importance' or 'weight' and count equally; is it the field 'priority'",
        lambda: read_nuggets([{"id": "x-1-a1", "content": "one", "priority": 3, "supporting_docs": ["p1"]}]),
    ),
    "aspects with documents in an unknown field": (
        nothing,
        "no documents of nuggets are read; is it the field 'passages'",
        lambda: read_nuggets([{"id": "x-1-a1", "content": "one", "supporting_docs": [], "passages": ["p1"]}]),
    ),
    "assignments to answers as qrels": (
        nothing,
        "These are assignments to answers, which irdiv.rag.score_answers scores",
        lambda: irdiv.evaluate(
            read_assignments([{"qid": "q1", "nuggets": [{"text": "a", "assignment": "support"}]}]), LISTS, MEASURES
        ),
    ),
    "qrels as assignments to answers": (
        nothing,
        "column of documents: these are qrels, which irdiv.evaluate takes",
        lambda: score_answers(read_nuggets("judgments.jsonl")),
    ),
    # ids
    "passages of other ids": (
        runs(convert("passage_id", "{}#3".format)),
        "run 'bm25' has no judged document .* have 'p1', .* has 'p1#3'.*the same but for the part from the last '#' "
        "on. 2 more runs have the same problem: 'dense', 'hybrid'",
    ),
    "passages of other ids in one run": (
        runs(convert("passage_id", str.upper), name="dense"),
        "run 'dense' has no judged document .* Some are the same but for upper and lower case.$",
    ),
    "ids with zeros": (
        lambda: (
            judgments(convert("passage_id", lambda p: f"00{p[1:]}"))(),
            runs(convert("passage_id", lambda p: int(p[1:])))(),
        ),
        "have '001', .* the run has '1', .*Some are the same but for leading zeros",
    ),
    "ids with white space": (runs(convert("passage_id", "{} ".format)), "Some are the same but for white space"),
    "questions of other ids": (
        runs(convert("question_id", "question-{}".format)),
        "no topic in common: the qrels have 'q1', 'q2' and .* 'question-q1', .* but for the part up to the first '-'",
    ),
    "questions that are integers": (
        runs(convert("question_id", lambda q: int(q[1:]))),
        "no topic in common: the qrels have 'q1', .* has '1', '2'.*Some are the same but for letters at the start",
    ),
    "texts in place of ids": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": ["A passage about it.", "Another."]}]),
        "the run has no judged document .*the run has 'A passage about it.'",
        with_runs("l.jsonl"),
    ),
    "a list in place of an id": (
        judgments(convert("passage_id", lambda p: [p]), only=2),
        in_line(3) + r": passage_id must be an id, found \"\['p2'\]\"",
    ),
    "an object in place of an id": (
        runs(convert("question_id", lambda q: {"id": q}), name="dense"),
        in_line(1, "dense.jsonl") + ": question_id must be an id, found",
    ),
    "a judgment without a passage": (
        judgments(put(passage_id=None), only=1),
        in_line(2) + ": passage_id is missing; expected an id",
    ),
    "a passage that is NaN": (judgments(put(passage_id=math.nan), only=1), in_line(2) + ": passage_id is missing"),
    "a judgment without a question": (judgments(put(question_id=None), only=1), in_line(2) + ": question_id is miss"),
    "a row of a run without a passage": (
        runs(put(passage_id=None), name="dense", only=1),
        in_line(2, "dense.jsonl") + ": passage_id is missing",
    ),
    "a nugget without text and id": (
        judgments(drop("nugget", "nugget_id"), only=2),
        in_line(3) + ": the nugget has neither an id nor a text",
    ),
    "nuggets without texts and ids": (
        judgments(drop("nugget", "nugget_id")),
        "neither an id nor a text: expected a field such as 'nugget_id' or 'text', found 'question_id', 'importance'",
    ),
    "a list in place of a text": (
        judgments(convert("nugget", lambda t: [t])),
        in_line(1) + ": nugget must be a text, found",
    ),
    # labels
    "labels that are unknown": (
        judgments(labels("yes", "partly", "no")),
        r"^no label of support is known: found 'yes' \(5\), 'no' \(2\), 'partly' \(1\), expected 'not_support', "
        r"'partial_support', 'support' or grades. State what each means, as in labels={'yes': …}",
    ),
    "labels in other words": (
        judgments(labels("fully_supported", "partially_supported", "not_supported")),
        "no label of support is known: found 'fully_supported' .*as in labels={'fully_supported': 'support'}",
    ),
    "some labels that are unknown": (
        judgments(labels("support", "partial support", "not support")),
        r"^3 support labels are unknown and left out: 'not support' \(2\), 'partial support' \(1\). Known are .* "
        "as in labels={'partial support': 'partial_support'}",
    ),
    "labels that are shares": (
        judgments(labels(1.0, 0.5, 0.0)),
        in_line(2) + ": label is 0.5, and grades are whole numbers .*labels={'0': 0, '0.5': 1, '1': 2} for shares",
    ),
    "shares as texts": (judgments(labels("1.0", "0.5", "0.0")), in_line(2) + ": label is '0.5', and grades are whole"),
    "a label that is infinite": (judgments(put(label=math.inf), only=0), in_line(1) + ": label is inf, and grades"),
    "a label that is a hash": (judgments(put(label=2**70), only=0), in_line(1) + ": label is 11805.*up to 100000"),
    "a label that is null": (judgments(put(label=None), only=0), r"1 support label is unknown .*: '' \(1\)"),
    "labels that are null": (judgments(put(label=None)), r"no label of support is known: found '' \(8\)"),
    "a label that is a list": (judgments(put(label=["support"]), only=0), r"unknown .*: \"\['support'\]\" \(1\)"),
    "labels mapped to something else": (
        nothing,
        "labels={'yes': 'full'} .* maps to unknown labels: expected grades from 0 to 100000, or one of 'vital', 'okay'",
        with_labels(labels={"yes": "full"}),
    ),
    "labels that do not occur": (
        nothing,
        "labels .* maps 'yes', but no nugget has this label",
        with_labels(labels={"yes": "support"}),
    ),
    # importance and weights
    "importance in other words": (
        judgments(importance("must-have", "nice-to-have")),
        r"^no label of importance is known: found 'must-have' \(5\), 'nice-to-have' \(3\), expected 'vital', 'okay'. "
        "State what each means, as in labels={'must-have': …} .*, or its weight by importance_weights=",
    ),
    "importance in numbers": (
        judgments(importance(3, 1)),
        r"no label of importance is known: found '3' \(5\), '1' \(3\), .* they are weights: call the field 'weight'",
    ),
    "importance in booleans": (judgments(importance(True, False)), r"found 'True' \(5\), 'False' \(3\), expected 'vi"),
    "an importance that is unknown": (
        judgments(put(importance="must-have"), only=4),
        r"1 importance label is unknown and given weight 0 beside known ones: 'must-have' \(1\). Known are 'vital', ",
    ),
    "importance of some nuggets only": (
        judgments(drop("importance"), only=lambda row: row["nugget_id"] == "n3"),
        "^intent 'n3' of topic 'q1' counts but has no importance; give 'vital' or 'okay' for every intent",
    ),
    "an importance that is NaN": (
        judgments(put(importance=math.nan), only=lambda row: row["nugget_id"] == "n3"),
        "^intent 'n3' of topic 'q1' counts but has no importance",
    ),
    "no importance": (
        judgments(drop("importance")),
        "^Vital-coverage@3 needs the importance of intents, but the qrels have no column 'importance'",
    ),
    "two importances of a nugget": (
        judgments(put(importance="okay"), only=1),
        "nugget 'text of q1-n1' of topic 'q1' occurs twice, and its importance is 'vital' and 'okay'. Correct one, or "
        "keep the first with duplicates='first'",
    ),
    "negative weights": (
        judgments(put(weight=-1)),
        "nugget 'n1' of topic 'q1' has the weight -1.0: a penalty for answers is not a probability",
    ),
    "weights that are 0": (
        judgments(put(weight=0)),
        "^all intents that count in topic 'q1' have the probability 0; raise one of them",
        with_measures("A-Recall@3"),
    ),
    "weights in words": (
        judgments(put(weight="high"), only=1),
        in_line(2) + ": the weight must be a finite number, found 'high'",
    ),
    "weights that are infinite": (judgments(put(weight=math.inf)), in_line(1) + ": the weight must be a finite number"),
    "weights of some nuggets only": (
        judgments(drop("importance"), replace("nugget_id", {"n1": 1, "n2": None, "n3": 2, "n4": 1}, "weight")),
        "intent .* of topic 'q1' counts but has no probability, while other intents of the topic have one",
        with_measures("Coverage(weighted=True)@3"),
    ),
    "two weights of a nugget": (
        lambda: write_lines("judgments.jsonl", [{**row, "weight": i} for i, row in enumerate(JUDGMENTS)]),
        "occurs twice, and its weight is 0.0 and 1.0",
    ),
    "negative weights of importance": (
        nothing,
        "importance_weights=-1 is not a number from 0",
        with_labels(importance_weights={"vital": -1, "okay": 1}),
    ),
    # names of fields
    "another name of the question": (
        judgments(rename("question_id", "query")),
        "expected 'query_id' or 'qid' or 'question_id' or 'topic_id', found 'query', 'nugget_id'",
    ),
    "another name of the passage": (
        judgments(rename("passage_id", "text_id")),
        "'label' but no document: expected one of the fields 'doc_id', .*'chunk_id', .*, found .*'text_id', 'label'",
    ),
    "another name of the label": (
        judgments(rename("label", "gold_label")),
        "expected 'relevance' or 'label' or 'assignment' or 'grade' or 'rating' .*, found .*'gold_label'",
    ),
    "scores in place of labels": (judgments(rename("label", "score")), "expected 'relevance' or 'label' .*'score'"),
    "another name of the importance": (
        judgments(rename("importance", "tier")),
        "no 'importance' or 'weight' and count equally; is it the field 'tier', which is not read",
        with_measures("A-Recall@3"),
    ),
    "another name of the weights": (
        judgments(replace("importance", {"vital": 2, "okay": 1}, "nugget_weight")),
        "count equally; is it the field 'nugget_weight', which is not read.* numbers 'weight'",
        with_measures("A-Recall@3"),
    ),
    "points of a rubric": (
        nothing,
        "count equally; is it the field 'points', which is not read",
        lambda: read_nuggets([{"qid": "q1", "rubrics": [{"criterion": "a", "points": 5}]}]),
    ),
    "another name of the importance of an assignment": (
        nothing,
        "count equally; is it the field 'Importance', which is not read",
        lambda: read_assignments(
            [{"qid": "q1", "docid": "p1", "nuggets": [{"text": "a", "Importance": "vital", "assignment": "support"}]}]
        ),
    ),
    "neither an id nor a text of nuggets": (
        judgments(drop("nugget_id", "nugget")),
        "have neither an id nor a text: expected a field such as 'nugget_id' or 'text', found .*'label'.$",
    ),
    "records in a field": (
        text("judgments.jsonl", json.dumps({"judgments": JUDGMENTS})),
        "^judgments.jsonl: the list in the field 'judgments' has records of other topics, with 'question_id', .*alone",
    ),
    "two names of the passage": (
        judgments(put(doc_id="d")),
        "two columns for one thing: 'doc_id', 'passage_id'. Drop or rename one of them",
    ),
    "an aspect and a nugget": (judgments(put(aspect_id="a")), "two columns for one thing: 'nugget_id', 'aspect_id'"),
    "the texts of passages": (
        lambda: write_lines(
            "judgments.jsonl", [{**drop("nugget")(row), "text": f"passage {row['passage_id']}"} for row in JUDGMENTS]
        ),
        "nugget 'n1' of topic 'q1' occurs twice, and its text is 'passage p1' and 'passage p4'. Drop the field if it "
        "is the text of documents",
    ),
    "another name of the rank": (runs(rename("rank", "position")), "expected 'score' or 'rank', found .*'position'"),
    "neither rank nor score": (runs(drop("rank")), "expected 'score' or 'rank', found 'question_id', 'passage_id'"),
    "distances": (
        runs(rename("rank", "distance")),
        "expected 'score' or 'rank', found .*'distance'. The best document has .* the smallest distance: make ranks",
    ),
    "another name of the question in a run": (
        runs(rename("question_id", "query")),
        "the contexts lack a column: expected 'query_id' or .*found 'query'",
    ),
    "another name of a list": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "my_list": ["p1"]}]),
        "^l.jsonl: no documents; expected a list in the field 'documents', .* found 'question_id', 'my_list'",
        with_runs("l.jsonl"),
    ),
    "documents without ids": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": [{"text": "…", "source": "p1"}]}]),
        "^l.jsonl: contexts: a document without an id; expected one of the fields 'doc_id', .* found 'text', 'source'",
        with_runs("l.jsonl"),
    ),
    "a text in place of a list": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": "p1"}]),
        "^l.jsonl: contexts must be a list, found 'p1'",
        with_runs("l.jsonl"),
    ),
    "two lists": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": ["p1"], "documents": ["p2"]}]),
        "^l.jsonl: two lists of documents, 'documents', 'contexts'; drop or rename one",
        with_runs("l.jsonl"),
    ),
    # formats
    "CSV": (
        lambda: pd.DataFrame(JUDGMENTS).to_csv("judgments.jsonl", index=False),
        in_line(1) + ": not JSON, found 'question_id,nugget_id,.* as by pandas.read_csv, and give the frame",
    ),
    "a TREC run": (
        text("bm25.jsonl", "q1 Q0 p1 1 3.0 bm25\n"),
        "^bm25.jsonl, line 1: not JSON, found 'q1 Q0 p1 1 3.0 bm25'; .* irdiv.evaluate takes TREC files as they are",
    ),
    "a truncated last line": (
        text("judgments.jsonl", lines(JUDGMENTS)[:-30]),
        in_line(8) + r", column \d+: not JSON .*the line ends with .*is the file truncated\?",
    ),
    "a truncated string": (
        text("judgments.jsonl", lines(JUDGMENTS)[:-5]),
        in_line(8) + r", column \d+: not JSON \(Unterminated string .*is the file truncated\?",
    ),
    "a truncated line in the middle": (
        text("judgments.jsonl", lines(JUDGMENTS).replace('"label": "support"}\n', "\n", 2)),
        in_line(1) + r", column \d+: not JSON",
    ),
    "commas between lines": (
        text("judgments.jsonl", lines(JUDGMENTS).replace("}\n", "},\n")),
        in_line(1) + r", column \d+: not JSON \(Extra data\), found ','",
    ),
    "a comma after the last field": (
        text("judgments.jsonl", lines(JUDGMENTS).replace('"}', '",}', 1)),
        in_line(1) + r", column \d+: not JSON .*; expected a nuggets file with a JSON object in each line",
    ),
    "a truncated first line": (
        text("judgments.jsonl", lines(JUDGMENTS).replace(' "support"}\n', "\n", 1)),
        in_line(1) + r", column \d+: not JSON .*, the line ends with '.*\"label\":'; expected a nuggets file",
    ),
    "a comma after the last item": (
        text("judgments.jsonl", "[\n" + lines(JUDGMENTS).replace("}\n", "},\n") + "]\n"),
        r"^judgments.jsonl, line (9|10), column \d+: not JSON",
    ),
    "Python's dicts": (
        text("judgments.jsonl", "".join(f"{row}\n" for row in JUDGMENTS)),
        in_line(1) + r", column 2: not JSON .*double quotes\), found \"'question_id': 'q1'",
    ),
    "objects in one line": (
        text("judgments.jsonl", lines(JUDGMENTS).replace("\n", "")),
        in_line(1) + r", column \d+: not JSON \(Extra data\), found '{\"question_id\"",
    ),
    "a list in a line": (
        text("judgments.jsonl", lines([*JUDGMENTS, [1, 2]])),
        in_line(9) + r": expected an object with named fields, found '\[1, 2\]'",
    ),
    "UTF-16": (
        text("judgments.jsonl", lines(JUDGMENTS), "utf-16"),
        in_line(1) + ": byte 0x.. is not UTF-8; save the file in UTF-8",
    ),
    "Latin-1": (
        lambda: Path("judgments.jsonl").write_bytes('{"qid": "q1", "text": "é"}\n'.encode("latin-1")),
        in_line(1) + ": byte 0xe9 is not UTF-8; save the file in UTF-8",
    ),
    "an empty file": (text("bm25.jsonl", ""), "^bm25.jsonl: the contexts file is empty; expected a JSON object"),
    "an empty list": (text("bm25.jsonl", "[]"), "^bm25.jsonl: the contexts file has no records"),
    "an empty object": (text("judgments.jsonl", "{}"), "^judgments.jsonl: the nuggets file has no records"),
    "runs in one object": (
        text("l.json", json.dumps(LISTS)),
        r"expected {document: score}, found .* {run: {topic: \[document, …\]}} go to irdiv.evaluate as they are",
        with_runs("l.json"),
    ),
    "rows of a run among judgments": (judgments(more=rows("bm25")[:1]), in_line(9) + ": the nugget has neither an id"),
    # repeated and missing rows
    "a judgment twice": (
        judgments(more=JUDGMENTS[:1]),
        "1 judgment repeats one of the same nugget and document and is left out: 'q1 text of q1-n1'",
    ),
    "two judgments of one document": (
        judgments(more=[{**JUDGMENTS[0], "label": "not_support"}]),
        "nugget 'text of q1-n1' of topic 'q1' occurs twice, and its grade of document 'p1' is 2 and 0. Correct one",
    ),
    "a text under two ids": (
        judgments(put(nugget="same"), only=lambda row: row["question_id"] == "q2"),
        "2 nuggets have the text of another one of the topic under another id; each counts: 'q2 same'. Give them one",
    ),
    "a passage twice in a run": (
        runs(put(passage_id="p1"), name="bm25", only=1),
        "^bm25.jsonl, line 2: run 'bm25' has document 'p1' of topic 'q1' already in bm25.jsonl, line 1. Remove one",
    ),
    "a passage twice in a list": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": ["p1", "p2", "p1"]}]),
        "^l.jsonl: contexts: document 'p1' is listed twice; remove one, or keep the first",
        with_runs("l.jsonl"),
    ),
    "two runs in one file": (
        lambda: write_lines("all.jsonl", [*rows("bm25"), *rows("dense")]),
        "^all.jsonl, line 8: run 'all' has document 'p1' .* if these are two runs, name them by 'run_id' in each",
        with_runs("all.jsonl"),
    ),
    "two runs without common passages in one file": (
        lambda: write_lines("all.jsonl", [*rows("bm25")[:3], *rows("dense")[:2]]),
        "run 'all' has equal ranks in 1 topic .'q1'.*If these are two runs, name them by 'run_id' in each record",
        with_runs("all.jsonl"),
    ),
    "two runs of lists in one file": (
        lambda: write_lines("all.jsonl", [{"question_id": "q1", "contexts": [doc]} for doc in ("p1", "p2")]),
        "^all.jsonl, line 2: run 'all' has topic 'q1' already in all.jsonl, line 1. Give each run its own run_id",
        with_runs("all.jsonl"),
    ),
    "one run_id in two files": (
        runs(put(run_id="test")),
        "^dense.jsonl, line 1: run 'test' has topic 'q1' already in bm25.jsonl, line 1.* name the files",
    ),
    "one name of two files": (
        lambda: (write_lines("a/run.jsonl", rows("bm25")[1:2]), write_lines("b/run.jsonl", rows("bm25")[:1])),
        "^b/run.jsonl: run 'run' has topic 'q1' already in a/run.jsonl",
        with_runs("a/run.jsonl", "b/run.jsonl"),
    ),
    "a question with an empty list of nuggets": (
        lambda: write_lines(
            "judgments.jsonl",
            [
                {"qid": "q1", "nuggets": []},
                {"qid": "q2", "nuggets": [{"text": "a", "importance": "vital", "relevant_corpus_ids": ["p1", "p9"]}]},
            ],
        ),
        "1 topic has no nuggets and is left out: 'q1'",
    ),
    # ranks and scores
    "scores that are distances": (
        runs(lambda row: {**row, "score": row["rank"] / 10}),
        "run 'bm25' has ranks that contradict its scores in 2 topics, .* give ties='rank'.* 2 more runs have the same",
    ),
    "equal ranks": (runs(put(rank=1), name="bm25"), "run 'bm25' has equal ranks in 2 topics .'q1', 'q2'., where "),
    "a rank that is a word": (
        runs(put(rank="first"), name="bm25", only=0),
        "^bm25.jsonl, line 1: rank must be a finite number, found 'first'",
    ),
    "a rank that is NaN": (
        runs(put(rank=math.nan), name="bm25", only=0),
        "^bm25.jsonl, line 1: rank must be a finite number, found nothing",
    ),
    "scores of some rows": (
        runs(put(score=1.0), name="bm25", only=0),
        "^bm25.jsonl, line 2: score must be a finite number, found nothing",
    ),
    "a score in words in a list": (
        lambda: write_lines("l.jsonl", [{"question_id": "q1", "contexts": [{"docid": "p1", "score": "high"}]}]),
        "^l.jsonl: contexts: the score of document 'p1' must be a finite number, found 'high'",
        with_runs("l.jsonl"),
    ),
    "a list in another order than its ranks": (
        lambda: write_lines(
            "l.jsonl", [{"question_id": "q1", "contexts": [{"docid": "p1", "rank": 2}, {"docid": "p2", "rank": 1}]}]
        ),
        "^l.jsonl: contexts: the ranks 2, 1 contradict the order of the list; sort it by rank",
        with_runs("l.jsonl"),
    ),
    # measures
    "qrels without nuggets": (
        nothing,
        "Coverage@3 needs intents, but the qrels have no intent column, .*'nugget_id'",
        straight({"q1": {"p1": 1}}, {"q1": ["p1"]}),
    ),
    "another name of a measure": (
        nothing,
        "no measure is called 'context_recall'; did you mean 'Coverage'",
        with_measures("context_recall@3"),
    ),
    "another case of a measure": (
        nothing,
        "no measure is called 'coverage'; did you mean 'Cov",
        with_measures("coverage@3"),
    ),
    "another parameter": (
        nothing,
        "Coverage has no parameter 'weights'; did you mean 'weighted'",
        with_measures("Coverage(weights=True)@3"),
    ),
    "another cutoff": (
        nothing,
        "the cutoff of Coverage must be an integer of 1 or more",
        with_measures("Coverage@all"),
    ),
    "a measure of answers": (
        nothing,
        "vital_score is a measure of answers, .* irdiv.rag.score_answers",
        with_measures("vital_score"),
    ),
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    """Write judgments and three runs to the working directory."""
    monkeypatch.chdir(tmp_path)
    write_lines("judgments.jsonl", JUDGMENTS)
    for name in LISTS:
        write_lines(f"{name}.jsonl", rows(name))


def test_the_way_without_mistakes():
    evaluation = default_way()
    assert {run: evaluation.values[i].mean(axis=1).tolist() for i, run in enumerate(evaluation.runs)} == {
        run: pytest.approx(values) for run, values in VALUES.items()
    }


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_helpful_line(mistake):
    make, message, way = (*MISTAKES[mistake], default_way)[:3]
    make()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(way())
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
    assert all(issubclass(warning.category, IrdivWarning) for warning in caught)


RIGHT: dict[str, tuple[Callable[[], object], Callable[[], object]] | tuple[Callable[[], object]]] = {
    "labels in other cases": (judgments(convert("label", str.upper), convert("importance", str.title)),),
    "labels that are booleans": (judgments(labels(True, True, False)),),
    "labels that are grades": (judgments(labels(2, 1, 0)),),
    "labels that are grades in texts": (judgments(labels("2", "1", "0")),),
    "ids that are integers in the runs": (
        lambda: (
            judgments(convert("passage_id", lambda p: p[1:]))(),
            runs(convert("passage_id", lambda p: int(p[1:])))(),
        ),
    ),
    "ids that are floats in a run": (
        lambda: (
            judgments(convert("passage_id", lambda p: p[1:]))(),
            runs(convert("passage_id", lambda p: float(p[1:])))(),
        ),
    ),
    "importance in one row of a nugget": (judgments(drop("importance"), only=1),),
    "chunks": (lambda: (judgments(rename("passage_id", "chunk_id"))(), runs(rename("passage_id", "chunk_id"))()),),
    "other names of passages and labels": (
        judgments(rename("passage_id", "document_id"), rename("label", "judgment")),
    ),
    **{
        f"topics in {name}": (
            lambda name=name: (judgments(rename("question_id", name))(), runs(rename("question_id", name))()),
        )
        for name in ("topic_id", "narrative_id", "sample_id", "example_id", "id")
    },
    **{
        f"passages in {name}": (
            lambda name=name: (judgments(rename("passage_id", name))(), runs(rename("passage_id", name))()),
        )
        for name in ("segment_id", "context_id")
    },
    **{
        f"texts in {name}": (judgments(drop("nugget_id"), rename("nugget", name)),)
        for name in ("fact", "claim", "aspect", "rubric")
    },
    "texts of nuggets and of aspects above them": (judgments(put(aspect="one", rubric="two", claim="three")),),
    "lists of retrieved ids": (
        lambda: [
            write_lines(f"{name}.jsonl", [{"qid": q, "retrieved_ids": docs} for q, docs in LISTS[name].items()])
            for name in LISTS
        ],
    ),
    "nuggets without ids": (judgments(drop("nugget_id"), rename("nugget", "nugget_text")),),
    "nuggets with empty ids": (judgments(put(nugget_id="")),),
    "nuggets without texts": (judgments(drop("nugget")),),
    "nuggets from 0 without texts": (judgments(drop("nugget"), convert("nugget_id", lambda n: 4 - int(n[1:]))),),
    "a table with lists of supporting documents": (
        lambda: write_lines(
            "judgments.jsonl",
            [
                {
                    **drop("nugget_id", "passage_id", "label")(nugget),
                    "supporting_docs": [
                        row["passage_id"]
                        for row in JUDGMENTS
                        if row["nugget"] == nugget["nugget"] and row["label"] != "not_support"
                    ],
                }
                for nugget in {row["nugget"]: row for row in JUDGMENTS}.values()
            ],
        ),
    ),
    "an id of rows": (judgments(put(id=7)),),
    "a JSON list": (text("judgments.jsonl", json.dumps(JUDGMENTS)),),
    "an indented JSON list": (text("judgments.jsonl", json.dumps(JUDGMENTS, indent=1)),),
    "a JSON list of lines": (text("judgments.jsonl", "[" + ",\n".join(map(json.dumps, JUDGMENTS)) + "]"),),
    "a byte order mark": (text("judgments.jsonl", lines(JUDGMENTS), "utf-8-sig"),),
    "blank lines": (text("judgments.jsonl", lines(JUDGMENTS).replace("\n", "\n\n")),),
    "lines of Windows": (text("judgments.jsonl", lines(JUDGMENTS).replace("\n", "\r\n")),),
    "ranks from 0": (runs(convert("rank", lambda rank: rank - 1)),),
    "ranks in texts": (runs(convert("rank", str)),),
    "scores in one run, ranks in the others": (
        runs(lambda row: {**drop("rank")(row), "score": str(-row["rank"])}, name="bm25"),
    ),
    "runs in one file": (
        lambda: write_lines("all.jsonl", [{**row, "retriever": name} for name in LISTS for row in rows(name)]),
        with_runs("all.jsonl"),
    ),
    "a folder": (
        lambda: [write_lines(f"runs/{name}.jsonl", rows(name)) for name in LISTS],
        lambda: irdiv.evaluate(read_nuggets("judgments.jsonl"), read_contexts("runs"), MEASURES),
    ),
    "Parquet": (
        lambda: pd.DataFrame(JUDGMENTS).to_parquet("judgments.parquet"),
        lambda: irdiv.evaluate(read_nuggets("judgments.parquet"), LISTS, MEASURES),
    ),
    "lists": (
        lambda: [
            write_lines(f"{name}.jsonl", [{"question_id": q, "contexts": docs} for q, docs in LISTS[name].items()])
            for name in LISTS
        ],
    ),
    "lists of objects": (
        lambda: [
            write_lines(
                f"{name}.jsonl",
                [{"qid": q, "retrieved_docs": [{"chunk_id": d} for d in docs]} for q, docs in LISTS[name].items()],
            )
            for name in LISTS
        ],
    ),
    "rows, lists and objects": (
        lambda: (
            write_lines("dense.jsonl", [{"qid": q, "contexts": docs} for q, docs in LISTS["dense"].items()]),
            Path("hybrid.jsonl").write_text(json.dumps(LISTS["hybrid"])),
        ),
    ),
    "frames": (
        nothing,
        lambda: irdiv.evaluate(
            read_nuggets(pl.DataFrame(JUDGMENTS)),
            read_contexts({name: pl.DataFrame(rows(name)) for name in LISTS}),
            MEASURES,
        ),
    ),
    "labels that are mapped": (
        judgments(labels("yes", 0.5, None), importance("must", 3)),
        lambda: irdiv.evaluate(
            read_nuggets(
                "judgments.jsonl",
                labels={"yes": "support", "0.5": "partial_support", "": 0, "must": "vital", "3": "okay"},
            ),
            LISTS,
            MEASURES,
        ),
    ),
}


@pytest.mark.filterwarnings("ignore:.* intents have no judged document")
@pytest.mark.parametrize("case", RIGHT)
def test_what_is_no_mistake_gets_the_right_values(case):
    make, way = (*RIGHT[case], default_way)[:2]
    make()
    evaluation = way()
    assert {run: evaluation.values[i].mean(axis=1).tolist() for i, run in enumerate(evaluation.runs)} == {
        run: pytest.approx(values) for run, values in VALUES.items()
    }


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
    assert all("\n" not in message and len(message) < 500 for message in messages)


def test_a_run_that_lacks_a_question_is_noted():
    write_lines("bm25.jsonl", rows("bm25")[:3])
    assert "topics that a run lacks score 0: 1 of 2 topics in bm25." in default_way().notes


def test_the_command_that_reads_json_is_named(capsys):
    assert main(["eval", "judgments.jsonl", "bm25.jsonl", "-m", "Coverage@3"]) == 2
    assert "read it by irdiv.rag.read_nuggets first (on the command line, by irdiv coverage)" in capsys.readouterr().err


def test_the_command_names_documents_in_an_unknown_field(capsys):
    write_lines("judgments.jsonl", [{"qid": "q1", "nuggets": [{"text": "a", "doc_ids": ["p1"]}]}])
    assert main(["coverage", "judgments.jsonl", "bm25.jsonl"]) == 2
    found = capsys.readouterr().err
    assert "the nuggets name no documents" in found
    assert "If these are in the field 'doc_ids', call it 'supporting_docs'." in found


COMMANDS = {
    "an unknown label": (judgments(put(label="supporter"), only=0), [], "--label supporter=support)"),
    "only unknown labels": (judgments(labels("yes please", "no", "no")), [], "--label 'yes please'=…)"),
    "a negative label": (judgments(put(label=-1), only=0), [], "--label=-1=0)"),
    "a share of support": (judgments(put(label=0.3), only=0), [], "--label 0.5=1)"),
    "a label that is not there": (nothing, ["--label", "foo=support"], "--label) maps 'foo', but no nugget has this"),
    "an unknown meaning": (nothing, ["--label", "foo=bar"], "--label) maps to unknown labels"),
    "a contradiction": (judgments(more=[{**JUDGMENTS[0], "label": "not_support"}]), [], "--duplicates first)"),
    "a document twice": (
        lambda: write_lines("bm25.jsonl", [{"qid": "q1", "doc_ids": ["p1", "p1"]}]),
        [],
        "--duplicates first)",
    ),
    "answers alone": (nothing, ["--source", "citations"], "--source) is for answers"),
    "a run as judgments": (lambda: write_lines("judgments.jsonl", rows("bm25")), [], "give them as RUN)"),
    "judgments as a run": (lambda: write_lines("bm25.jsonl", JUDGMENTS), [], "give them as NUGGETS)"),
}


@pytest.mark.parametrize("mistake", COMMANDS)
def test_remedies_are_also_those_of_the_command_line(mistake, capsys):
    make, arguments, remedy = COMMANDS[mistake]
    make()
    main(["coverage", "judgments.jsonl", "bm25.jsonl", "-k", "3", *arguments])
    found = [line for line in capsys.readouterr().err.splitlines() if "on the command line, " in line]
    assert len(found) == 1
    assert remedy in found[0]


def test_the_remedy_for_negative_labels_works(capsys):
    judgments(put(label=-1), only=0)()
    assert main(["coverage", "judgments.jsonl", "bm25.jsonl", "-k", "3", "--label=-1=0"]) == 0
    assert "negative" not in capsys.readouterr().err


def test_the_command_reads_a_folder_of_nuggets(capsys):
    Path("nuggets").mkdir()
    assert main(["coverage", "nuggets", "bm25.jsonl"]) == 2
    assert (
        "the folder 'nuggets' has no files; expected JSON, JSON Lines or Parquet files of nugg"
        in capsys.readouterr().err
    )
    assert main(["coverage", "judgments.jsonl", "bm25.jsonl"]) == 0
    expected = capsys.readouterr().out
    for half, part in enumerate([JUDGMENTS[:5], JUDGMENTS[5:]]):
        write_lines(f"nuggets/{half}.jsonl", part)
    assert main(["coverage", "nuggets", "bm25.jsonl"]) == 0
    assert capsys.readouterr().out == expected
