"""The names of columns that frames may have, by their role, and the errors about columns."""

from __future__ import annotations

import pytest

from irdiv import IrdivError
from irdiv.frames import columns

NAMES = {
    "query_id": "query_id qid question_id",
    "doc_id": "doc_id docno passage_id",
    "relevance": "relevance label",
    "intent_id": "intent_id intent subtopic_id subtopic nugget_id aspect_id rubric_id iteration",
    "run": "run name",
    **{
        name: name
        for name in (
            "score", "rank", "probability", "type", "parent_id", "description", "importance", "max_grade", "measure",
            "value", "assessor", "weight", "assignment",
        )
    },
}  # fmt: skip

DOCUMENTS = "docid document_id pid chunk_id segment_id context_id"
GRADES = "assignment grade rating judgment"
TEXTS = "text nugget nugget_text criterion content"
RUNS = "run_id runid system retriever"
MORE_NAMES = {
    "qrels": {},
    "run": {},
    "runs": {},
    "intents": {"probability": "weight weights"},
    "evaluation": {"run": "runid", "query_id": "topic"},
    "assessments": {"relevance": "grade vote"},
    "nuggets": {
        "query_id": "topic_id",
        "doc_id": DOCUMENTS,
        "description": TEXTS,
        "relevance": GRADES,
        "probability": "weight weights",
    },
    "assignments": {
        "query_id": "topic_id",
        "doc_id": DOCUMENTS,
        "description": TEXTS,
        "relevance": GRADES,
        "run": RUNS,
    },
    "contexts": {"query_id": "topic_id", "doc_id": DOCUMENTS, "run": RUNS},
}


@pytest.mark.parametrize("role", MORE_NAMES)
def test_all_names_of_columns(role):
    for name, names in NAMES.items():
        assert columns.column_names(name, role) == (*names.split(), *MORE_NAMES[role].get(name, "").split())


def test_columns_of_each_role():
    assert columns.QRELS_COLUMNS == ("query_id", "doc_id", "relevance")
    assert columns.RUN_COLUMNS == ("query_id", "doc_id", "score")
    assert columns.ASSESSMENT_COLUMNS == ("query_id", "doc_id", "assessor", "relevance")
    assert columns.ASSIGNMENT_COLUMNS == ("run", "query_id", "intent_id", "assignment")
    assert columns.EVALUATION_COLUMNS == ("run", "query_id", "measure", "value")
    assert columns.INTENT_COLUMNS == ("probability", "type", "parent_id", "description", "importance")
    assert ("intent_id", *columns.INTENT_COLUMNS, *columns.SCALE_COLUMNS) == columns.OPTIONAL_QRELS_COLUMNS
    assert columns.RUN_NAMES == "run"


def test_values_with_a_meaning():
    assert columns.INTENT_TYPES == ("inf", "nav")
    assert columns.IMPORTANCE_WEIGHTS == {"vital": 1.0, "okay": 0.5}
    assert columns.ADHOC_ITERATIONS == ("0", "Q0")
    # In files that users have written, so that they cannot change.
    assert (columns.PLACEHOLDER_DOC_ID, columns.ROOT_ID) == ("_no_document_", "_root_")


def test_the_columns_that_a_frame_has_under_irdivs_names():
    present = ["qid", "docno", "label", "probability", "other"]
    assert columns.find_columns(present, "qrels", columns.QRELS_COLUMNS, ("intent_id", "probability")) == {
        "query_id": "qid",
        "doc_id": "docno",
        "relevance": "label",
        "probability": "probability",
    }


@pytest.mark.parametrize(
    ("present", "used"),
    [
        (["iteration", "subtopic_id"], "subtopic_id"),
        (["subtopic", "intent_id"], "intent_id"),
        (["iteration", "nugget_id"], "nugget_id"),
        (["iteration"], "iteration"),
    ],
)
def test_the_intent_column_that_is_used(present, used):
    assert columns.find_columns(present, "qrels", ["intent_id"]) == {"intent_id": used}


@pytest.mark.parametrize(
    "present", [["nugget_id", "aspect_id"], ["intent_id", "rubric_id"], ["aspect_id", "subtopic", "iteration"]]
)
def test_columns_of_different_intents(present):
    with pytest.raises(IrdivError) as caught:
        columns.find_columns([*present, "doc_id"], "qrels", ["intent_id"])
    shown = ", ".join(map(repr, sorted(present, key=list(NAMES["intent_id"].split()).index)))
    assert str(caught.value) == f"the qrels have two columns for one thing: {shown}. Drop or rename one of them."


ASSIGNMENTS_REMEDY = " These are assignments to answers, which irdiv.rag.score_answers scores."
INTENTS_REMEDY = (
    " These are intents without documents: irdiv.with_intents(qrels, intent_table) folds them into qrels, and "
    "irdiv.rag.read_nuggets makes qrels of nuggets that are judged for each document."
)
NUGGETS_REMEDY = (
    " These are judgments of nuggets, which irdiv.rag.read_nuggets reads (on the command line, give them as NUGGETS)."
)
DISTANCE_REMEDY = " The best document has the highest score and the smallest distance: make ranks of distances."
ID = "'query_id' or 'qid' or 'question_id'"
DOC = "'doc_id' or 'docno' or 'passage_id'"
LABEL = "'relevance' or 'label'"


@pytest.mark.parametrize(
    ("role", "required", "present", "message"),
    [
        ("qrels", columns.QRELS_COLUMNS, "", f"the qrels lack a column: expected {ID}; {DOC}; {LABEL}, found ."),
        (
            "run",
            columns.RUN_COLUMNS,
            "query_id a b c d e f g h i j k l",
            f"the run lacks a column: expected {DOC}; 'score' or 'rank', found 'query_id', 'a', 'b', 'c', 'd', 'e', "
            "'f', 'g', 'h', 'i', 'j', 'k', ….",
        ),
        (
            "qrels",
            columns.QRELS_COLUMNS,
            "qid system assignment nugget_id",
            f"the qrels lack a column: expected {DOC}; {LABEL}, found 'qid', 'system', 'assignment', 'nugget_id'."
            + ASSIGNMENTS_REMEDY,
        ),
        (
            "qrels",
            columns.QRELS_COLUMNS,
            "qid intent",
            f"the qrels lack a column: expected {DOC}; {LABEL}, found 'qid', 'intent'." + INTENTS_REMEDY,
        ),
        (
            "qrels",
            columns.QRELS_COLUMNS,
            "qid intent doc_id",
            f"the qrels lack a column: expected {LABEL}, found 'qid', 'intent', 'doc_id'.",
        ),
        (
            "qrels",
            columns.QRELS_COLUMNS,
            "qid run assignment relevance",
            f"the qrels lack a column: expected {DOC}, found 'qid', 'run', 'assignment', 'relevance'.",
        ),
        (
            "contexts",
            columns.RUN_COLUMNS,
            "qid doc_id nugget_id",
            "the contexts lack a column: expected 'score' or 'rank', found 'qid', 'doc_id', 'nugget_id'."
            + NUGGETS_REMEDY,
        ),
        (
            "contexts",
            columns.RUN_COLUMNS,
            "qid nugget_id score",
            f"the contexts lack a column: expected {DOC} or 'docid' or 'document_id' or 'pid' or 'chunk_id' or "
            "'segment_id' or 'context_id', found 'qid', 'nugget_id', 'score'.",
        ),
        (
            "run",
            columns.RUN_COLUMNS,
            "qid docno nugget_id",
            "the run lacks a column: expected 'score' or 'rank', found 'qid', 'docno', 'nugget_id'.",
        ),
        (
            "run",
            columns.RUN_COLUMNS,
            "qid docno distance",
            "the run lacks a column: expected 'score' or 'rank', found 'qid', 'docno', 'distance'." + DISTANCE_REMEDY,
        ),
        (
            "run",
            columns.RUN_COLUMNS,
            "qid score distance",
            f"the run lacks a column: expected {DOC}, found 'qid', 'score', 'distance'.",
        ),
        (
            "assessments",
            columns.ASSESSMENT_COLUMNS,
            "qid docno assessor",
            "the assessments lack a column: expected 'relevance' or 'label' or 'grade' or 'vote', found 'qid', "
            "'docno', 'assessor'.",
        ),
        (
            "evaluation",
            ("run", "value"),
            "runid",
            "the evaluation lacks a column: expected 'value', found 'runid'.",
        ),
    ],
)
def test_a_missing_column(role, required, present, message):
    with pytest.raises(IrdivError) as caught:
        columns.find_columns(present.split(), role, required)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("role", "verb"),
    [
        ("run", "is"),
        ("evaluation", "is"),
        *(
            (role, "are")
            for role in (
                "qrels", "runs", "intents", "known documents", "assessments", "nuggets", "assignments", "contexts",
            )
        ),
    ],
)  # fmt: skip
def test_a_frame_without_rows(role, verb):
    columns.raise_if_empty(1, ["a"], role)
    with pytest.raises(IrdivError) as caught:
        columns.raise_if_empty(0, list("abcdefghijklm"), role)
    shown = ", ".join(map(repr, "abcdefghijkl"))
    assert str(caught.value) == f"the {role} {verb} empty: expected at least one row with {shown}, …."


@pytest.mark.parametrize(
    ("present", "ties", "by"),
    [
        (["rank", "score"], "docid_desc", "score"),
        (["rank", "score"], "rank", "rank"),
        (["rank"], "input", "rank"),
        (["score"], "rank", "rank"),
        ([], "input", "score"),
    ],
)
def test_the_column_that_orders_a_run(present, ties, by):
    assert columns.order_column(present, ties) == by


def test_columns_that_mean_nothing_in_a_table_of_intents():
    known = ["qid", "intent", "weight", "weights", "type", "parent_id", "description", "importance", "level", "axis"]
    assert columns.unknown_intent_table_columns([*known, "prob", "doc_id"]) == ["prob", "doc_id"]


def test_whether_there_are_columns_for_all_names():
    assert columns.has_columns(["qid", "runid"], "contexts", ["query_id", "run"])
    assert not columns.has_columns(["qid", "runid"], "qrels", ["query_id", "run"])
    assert columns.has_intent_column(["doc_id", "rubric_id"])
    assert not columns.has_intent_column(["doc_id", "rubric"])
