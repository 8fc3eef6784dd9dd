"""Nuggets as intent tables and as qrels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from typing import Literal, TypeAlias

import pandas as pd

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, counted, examples, warn
from irdiv.io.columns import PLACEHOLDER_DOC_ID, ROOT_ID
from irdiv.rag.fields import is_missing, normalize_text
from irdiv.rag.labels import Labels

Duplicates: TypeAlias = Literal["error", "first"]


@dataclass(frozen=True)
class Nugget:
    """A nugget of a topic: a fact, a criterion of a rubric, an aspect, a question."""

    query_id: str
    intent_id: str
    description: str | None = None
    importance: str | None = None
    weight: float | None = None
    axis: str | None = None
    parent_id: str | None = None
    grades: Mapping[str, int] = field(default_factory=dict)
    """From judged document to grade."""
    occurrence: str = ""
    """A nugget may occur once in each: a nugget that is judged for several documents is not repeated."""


def id_of_text(text: str, prefix: str = "n") -> str:
    """Return an id that depends on a text only.

    >>> id_of_text("High WBC may indicate illness")
    'n-b9d5fefb'
    """
    return f"{prefix}-{blake2s(normalize_text(text).encode()).hexdigest()[:8]}"


def require_all_ids(nuggets: Iterable[tuple[str, object]]) -> None:
    """Raise an error if some nuggets have an id and others do not, since its text would make a second nugget.

    Parameters
    ----------
    nuggets
        Where each nugget was found, and its id.
    """
    found = list(nuggets)
    missing = [where for where, given_id in found if is_missing(given_id)]
    if missing and len(missing) < len(found):
        raise IrdivError(
            f"{missing[0]}: the nugget has no id, but others have one; found {len(missing)} of {len(found)} without. "
            "Give all nuggets an id, or none: they are then identified by their texts."
        )


def merge_nuggets(nuggets: Iterable[Nugget], duplicates: Duplicates) -> list[Nugget]:
    """Return each nugget of a topic once, with the grades of all its occurrences; warn about repeated ones.

    Occurrences that contradict each other are an error, or with ``duplicates="first"`` the first counts.
    """
    require(choice("error", "first"), duplicates=duplicates)
    merged: dict[tuple[str, str], Nugget] = {}
    grades: dict[tuple[str, str], dict[str, int]] = {}
    seen: set[tuple[str, str, str]] = set()
    repeated: list[Nugget] = []
    for nugget in nuggets:
        key = nugget.query_id, nugget.intent_id
        first = merged.setdefault(key, nugget)
        if (*key, nugget.occurrence) in seen:
            repeated.append(nugget)
        seen.add((*key, nugget.occurrence))
        of_documents = grades.setdefault(key, {})
        if first is not nugget and duplicates == "error":
            _raise_if_contradicting(first, of_documents, nugget)
        for doc, grade in nugget.grades.items():
            of_documents.setdefault(doc, grade)
    if not merged:
        raise IrdivError("there are no nuggets: the lists of all topics are empty.")
    if repeated:
        noun, same = ("judgment", "nugget and document") if repeated[0].occurrence else ("nugget", "topic")
        what = f"one of the same {same} and"
        count = counted(len(repeated), f"{noun} repeats {what} is", f"{noun}s repeat {what} are")
        warn(f"{count} left out: {_shown(repeated)}.")
    _warn_about_equal_texts(merged.values())
    return [replace(nugget, grades=grades[key]) for key, nugget in merged.items()]


def _shown(nuggets: Iterable[Nugget]) -> str:
    names = (f"{nugget.query_id} {(nugget.description or nugget.intent_id)[:60]}" for nugget in nuggets)
    return examples(dict.fromkeys(names))


def _warn_about_equal_texts(nuggets: Iterable[Nugget]) -> None:
    """Warn about nuggets of a topic that have different ids but the same text, each of which counts."""
    seen: set[tuple[str, str | None, str]] = set()
    equal = []
    for nugget in nuggets:
        if nugget.description is not None:
            key = nugget.query_id, nugget.parent_id, nugget.description
            if key in seen:
                equal.append(nugget)
            seen.add(key)
    if equal:
        warn(
            f"{counted(len(equal), 'nugget has', 'nuggets have')} the text of another one of the topic under another "
            f"id; each counts: "
            f"{_shown(equal)}. Give them one id if they are the same."
        )


def _raise_if_contradicting(one: Nugget, grades: Mapping[str, int], two: Nugget) -> None:
    """Raise an error if an occurrence of a nugget differs from the first, or from the grades so far."""
    for name in ("description", "importance", "weight", "parent_id"):
        values = getattr(one, name), getattr(two, name)
        if values[0] != values[1] and None not in values:
            what = {"description": "text", "parent_id": "parent"}.get(name, name)
            raise _contradiction(one, what, *values)
    for doc, grade in two.grades.items():
        if grades.get(doc, grade) != grade:
            raise _contradiction(one, f"grade of document {doc!r}", grades[doc], grade)


def _contradiction(nugget: Nugget, what: str, one: object, two: object) -> IrdivError:
    name = nugget.intent_id if nugget.description is None or what == "text" else nugget.description
    values = " and ".join(repr(value[:60] if isinstance(value, str) else value) for value in (one, two))
    hint = "Drop the field if it is the text of documents, correct one" if what == "text" else "Correct one"
    return IrdivError(
        f"nugget {name[:60]!r} of topic {nugget.query_id!r} occurs twice, and its {what} is {values}. "
        f"{hint}, or keep the first with duplicates='first' (on the command line, --duplicates first)."
    )


def intent_table(nuggets: Sequence[Nugget], parents: Mapping[tuple[str, str], str], labels: Labels) -> pd.DataFrame:
    """Return nuggets as an intent table; ``parents`` are the texts of nodes above them, by topic and id.

    Weights of the file are in the column ``weight``, those of the importance in ``probability``.
    """
    frame = _intents(nuggets, parents, labels)
    has_weights = any(nugget.weight is not None for nugget in nuggets)
    frame = frame.rename(columns={"probability": "weight"}) if has_weights else frame
    return without_empty_columns(frame)


def qrels_table(nuggets: Sequence[Nugget], parents: Mapping[tuple[str, str], str], labels: Labels) -> pd.DataFrame:
    """Return nuggets with judged documents as qrels; nuggets without any are kept by a row without a document."""
    penalty = next((nugget for nugget in nuggets if nugget.weight is not None and nugget.weight < 0), None)
    if penalty is not None:
        raise IrdivError(
            f"nugget {penalty.intent_id!r} of topic {penalty.query_id!r} has the weight {penalty.weight}: a penalty "
            "for answers is not a probability. Leave such nuggets out of judgments of documents."
        )
    frame = _intents(nuggets, parents, labels)
    # An intent of which nothing is known but the id 0 would be TREC's subtopic 0, which is none.
    has_only_id = frame[["description", "importance", "probability", "parent_id"]].isna().all(axis=1)
    frame["description"] = frame["description"].where(~has_only_id, frame["intent_id"])
    if frame["parent_id"].notna().any():
        frame["parent_id"] = frame["parent_id"].where(frame["parent_id"].notna(), ROOT_ID)
    judged = [
        (nugget.query_id, nugget.intent_id, doc, grade) for nugget in nuggets for doc, grade in nugget.grades.items()
    ]
    judgments = pd.DataFrame(judged, columns=["query_id", "intent_id", "doc_id", "relevance"])
    qrels = frame.merge(judgments, on=["query_id", "intent_id"], how="left")
    qrels["doc_id"] = qrels["doc_id"].where(qrels["doc_id"].notna(), PLACEHOLDER_DOC_ID)
    qrels["relevance"] = qrels["relevance"].astype("float64").fillna(0).astype("int64")
    columns = ["query_id", "intent_id", "doc_id", "relevance"]
    return without_empty_columns(qrels[[*columns, *(name for name in frame.columns if name not in columns)]])


def _intents(nuggets: Sequence[Nugget], parents: Mapping[tuple[str, str], str], labels: Labels) -> pd.DataFrame:
    """Return one row for each nugget, below a row for its parent."""
    # An unknown importance has the weight 0 beside known ones; without known ones all nuggets count equally.
    weighted = {nugget.query_id for nugget in nuggets if _weight(nugget, labels) is not None}
    given = {(nugget.query_id, nugget.intent_id) for nugget in nuggets}
    rows: list[tuple[object, ...]] = []
    for nugget in nuggets:
        node = nugget.query_id, nugget.parent_id
        if node[1] is not None and node not in given:
            given.add((node[0], node[1]))
            rows.append((*node, parents.get((node[0], node[1])), None, None, None, None))
        weight = _weight(nugget, labels)
        if weight is None and nugget.weight is None and nugget.importance is not None and nugget.query_id in weighted:
            weight = 0.0
        rows.append((*_key(nugget), nugget.description, nugget.importance, weight, nugget.parent_id, nugget.axis))
    columns = ["query_id", "intent_id", "description", "importance", "probability", "parent_id", "axis"]
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    return frame.astype({"probability": float})


def _key(nugget: Nugget) -> tuple[str, str]:
    return nugget.query_id, nugget.intent_id


def _weight(nugget: Nugget, labels: Labels) -> float | None:
    return labels.weight(nugget.importance) if nugget.weight is None else nugget.weight


def without_empty_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the columns that have no value."""
    empty = [name for name in frame.columns if frame[name].isna().all()]
    return frame.drop(columns=empty)
