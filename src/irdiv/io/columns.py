"""The names of columns: the only place that knows what others call them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from irdiv.errors import IrdivError, examples

# The first name is irdiv's; the others are those of ir_measures, PyTerrier, ir_datasets and collections for RAG.
# A frame may have several intent columns that say the same: the first in this order is used, and `iteration` only if
# there is no other. An aspect and a nugget below it are two things, so that one must be chosen.
ALIASES: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "question_id"),
    "doc_id": ("doc_id", "docno", "passage_id"),
    "relevance": ("relevance", "label"),
    "intent_id": ("intent_id", "intent", "subtopic_id", "subtopic", "nugget_id", "aspect_id", "rubric_id", "iteration"),
    "score": ("score",),
    "rank": ("rank",),
    "probability": ("probability",),
    "type": ("type",),
    "parent_id": ("parent_id",),
    "description": ("description",),
    "importance": ("importance",),
    "max_grade": ("max_grade",),
    "grades_below_max": ("grades_below_max",),
    "run": ("run", "name"),
    "measure": ("measure",),
    "value": ("value",),
    "assessor": ("assessor",),
    "weight": ("weight",),
    "assignment": ("assignment",),
}

_RAG_INTENT_NAMES = ("nugget_id", "aspect_id", "rubric_id")

_MORE_ALIASES: dict[str, dict[str, tuple[str, ...]]] = {
    "intents": {"probability": ("weight", "weights")},
    "evaluation": {"run": ("runid",), "query_id": ("topic",)},
    "assessments": {"relevance": ("grade", "vote")},
    **{
        role: {
            "query_id": ("topic_id",),
            "doc_id": ("docid", "document_id", "pid", "chunk_id", "segment_id", "context_id"),
            "description": ("text", "nugget", "nugget_text", "criterion", "content"),
            "relevance": ("assignment", "grade", "rating", "judgment"),
            "run": ("run_id", "runid", "system", "retriever"),
            "probability": ("weight", "weights"),
        }
        for role in ("nuggets", "assignments", "contexts")
    },
}
"""Names that only a frame of one role may use: in qrels, a weight may be that of a document."""

_GUESSES = {
    "query_id": ("query", "queryid", "question", "topic", "topic_id", "q_id"),
    "doc_id": ("doc", "docid", "document", "document_id", "passage", "pid", "chunk", "chunk_id", "segment", "url"),
    "relevance": ("rel", "grade", "rating", "judgment", "judgement", "gain", "level"),
    "intent_id": ("facet", "facet_id", "aspect", "nugget", "subquestion", "cluster", "category", "perspective"),
    "score": ("sim", "similarity", "bm25", "logit", "retrieval_score"),
    "run": ("system", "run_id", "runid", "tag", "model", "method", "retriever"),
    "probability": ("prob", "p", "weight"),
}
"""Names of others that may be meant by a missing column, but are not taken for it unasked."""

QRELS_COLUMNS = ("query_id", "doc_id", "relevance")
"""The columns that qrels must have."""

RUN_COLUMNS = ("query_id", "doc_id", "score")
"""The columns that a run must have; one without scores has ranks."""

ASSESSMENT_COLUMNS = ("query_id", "doc_id", "assessor", "relevance")
"""The columns that assessments must have; ``intent_id`` is optional."""

ASSIGNMENT_COLUMNS = ("run", "query_id", "intent_id", "assignment")
"""The columns that assignments of nuggets to answers must have, besides ``importance`` or ``weight``."""

RUN_NAMES = "run"
"""The usual name of a column that names the run of each row, where a frame holds several."""

INTENT_COLUMNS = ("probability", "type", "parent_id", "description", "importance")
"""The columns that describe intents."""

INTENT_TYPES = ("inf", "nav")
"""Informational and navigational, the values of the column ``type``."""

_UNUSED_INTENT_COLUMNS = {"level", "axis"}
"""The level of an intent in the tables of IMine, which follows from its parent, and the axis of a rubric."""

IMPORTANCE_WEIGHTS = {"vital": 1.0, "okay": 0.5}
"""The values of the column ``importance``, and the weights of intents in topics without probabilities."""

SCALE_COLUMNS = ("max_grade", "grades_below_max")
"""The columns that state the scale of grades: the highest of it, or how far below it the grade of each row is."""

OPTIONAL_QRELS_COLUMNS = ("intent_id", *INTENT_COLUMNS, *SCALE_COLUMNS)
"""The columns of qrels that are used if they are there."""

EVALUATION_COLUMNS = ("run", "query_id", "measure", "value")
"""The columns of an evaluation as a tidy frame."""

ITERATION = "iteration"
"""The intent column of TREC files and of ir_measures, which ad hoc qrels fill with `ADHOC_ITERATIONS`."""

ADHOC_ITERATIONS = ("0", "Q0")
"""What ir_measures and trec_eval put in the iteration column of ad hoc qrels: these are not intents."""

PLACEHOLDER_DOC_ID = "_no_document_"
"""The document of the rows by which `with_intents` keeps intents that have no judged document."""

ROOT_ID = "_root_"
"""The parent that `with_intents` gives to intents of the first layer; a missing parent means that it is unknown."""


def find_columns(
    present: Sequence[str], role: str, required: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, str]:
    """Return a mapping from irdiv's names to the names in a frame, for the columns that it has.

    A missing required column and two columns of the same meaning are errors; ``role`` names the frame in them.
    """
    found: dict[str, str] = {}
    problems = []
    for name in (*required, *optional):
        matches = [alias for alias in column_names(name, role) if alias in present]
        if len(matches) > 1 and (name != "intent_id" or _are_several_intents(matches)):
            problems.append(
                f"the {role} {_verb(role, 'has', 'have')} two columns for one thing: {examples(matches)}. "
                "Drop or rename one of them."
            )
        if matches:
            found[name] = matches[0]
    missing = [name for name in required if name not in found]
    if missing:
        expected = "; ".join(" or ".join(map(repr, _expected(name, role))) for name in missing)
        unknown = [name for name in (*required, *optional) if name not in found]
        others = [column for column in present if column not in found.values()]
        problems.append(
            f"the {role} {_verb(role, 'lacks', 'lack')} a column: expected {expected}, found {examples(present, 12)}."
            f"{_remedy(present, role, missing) or guess_columns(others, role, unknown)}"
        )
    if problems:
        raise IrdivError(" And ".join(problems))
    return found


def guess_columns(present: Iterable[str], role: str, missing: Sequence[str]) -> str:
    """Return which columns may be meant by missing ones, and how to say so, as a sentence; empty if none may be."""
    guesses: dict[str, str] = {}
    for theirs in present:
        word = theirs.lower().replace("-", "_").replace(" ", "_")
        for name in missing:
            names = column_names(name, role)
            is_guess = word in _GUESSES.get(name, ()) or get_close_matches(word, names, n=1, cutoff=0.8)
            if is_guess and theirs not in ALIASES and name not in guesses.values():
                guesses[theirs] = name
    if not guesses:
        return ""
    pairs = " and ".join(f"{theirs!r} is {ours!r}" for theirs, ours in guesses.items())
    options = " ".join(f"{theirs}={ours}" for theirs, ours in guesses.items())
    remedy = f"give columns={guesses!r} (on the command line, --columns {options})"
    return f" Maybe {pairs}: if so, {remedy if role in ('qrels', 'run', 'intents') else 'rename it'}."


def _remedy(present: Sequence[str], role: str, missing: Sequence[str]) -> str:
    """Return what to do about missing columns where the others show what the frame is."""
    has_documents = "doc_id" not in missing or "relevance" not in missing
    if role == "qrels" and not has_documents and has_columns(present, "assignments", ["run", "assignment"]):
        return " These are assignments to answers, which irdiv.rag.score_answers scores."
    if role == "qrels" and not has_documents and has_intent_column(present):
        return (
            " These are intents without documents: irdiv.with_intents(qrels, intent_table) folds them into qrels, and "
            "irdiv.rag.read_nuggets makes qrels of nuggets that are judged for each document."
        )
    if role == "contexts" and "score" in missing and has_intent_column(present):
        return (
            " These are judgments of nuggets, which irdiv.rag.read_nuggets reads (on the command line, give them as "
            "NUGGETS)."
        )
    if "score" in missing and "distance" in present:
        return " The best document has the highest score and the smallest distance: make ranks of distances."
    return ""


def _are_several_intents(names: Iterable[str]) -> bool:
    """Return whether columns of intents name different things, such as aspects and nuggets below them."""
    names = set(names) - {ITERATION}
    return len(names) > 1 and not names.isdisjoint(_RAG_INTENT_NAMES)


def order_column(present: Iterable[str], ties: str) -> str:
    """Return the column that orders a run: ``rank`` with ``ties="rank"`` or without scores, else ``score``."""
    if ties == "rank" or ("rank" in present and "score" not in present):
        return "rank"
    return "score"


def has_columns(present: Iterable[str], role: str, names: Iterable[str]) -> bool:
    """Return whether there is a column for each of irdiv's names."""
    return all(not set(column_names(name, role)).isdisjoint(present) for name in names)


def _expected(name: str, role: str) -> tuple[str, ...]:
    """Return the columns that an error says are expected; a run without scores may have ranks."""
    return column_names(name, role) + (("rank",) if role in ("run", "contexts") and name == "score" else ())


def column_names(name: str, role: str) -> tuple[str, ...]:
    """Return all names that a column may have in a frame of a role, irdiv's first."""
    return ALIASES[name] + _MORE_ALIASES.get(role, {}).get(name, ())


def unknown_intent_table_columns(present: Iterable[str]) -> list[str]:
    """Return the columns of an intent table that have no meaning there."""
    known = {alias for name in ("query_id", "intent_id", *INTENT_COLUMNS) for alias in column_names(name, "intents")}
    return [column for column in present if column not in known | _UNUSED_INTENT_COLUMNS]


def has_intent_column(present: Iterable[str]) -> bool:
    """Return whether there is a column of intents."""
    return not set(ALIASES["intent_id"]).isdisjoint(present)


def raise_if_empty(row_count: int, columns: Sequence[str], role: str) -> None:
    """Raise an error if a frame has no rows."""
    if row_count == 0:
        verb = _verb(role, "is", "are")
        raise IrdivError(f"the {role} {verb} empty: expected at least one row with {examples(columns, 12)}.")


_PLURALS = ("qrels", "runs", "intents", "known documents", "assessments", "nuggets", "assignments", "contexts")


def _verb(role: str, singular: str, plural: str) -> str:
    return plural if role in _PLURALS else singular
