"""Ratings of retrieved documents for sub-questions, as CRUX has them, as qrels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
import pandas as pd

from irdiv.checks import Integer, require
from irdiv.errors import IrdivError, counted, examples, warn
from irdiv.io.checked import run_columns
from irdiv.io.columns import PLACEHOLDER_DOC_ID, RUN_COLUMNS
from irdiv.io.tables import FrameT, RunLike, as_frame, common_backend, from_pandas
from irdiv.io.values import MAX_GRADE
from irdiv.rag.fields import DOC_FIELDS, as_list, id_text, is_missing, optional_text
from irdiv.rag.records import Record, RecordsLike, read_records

if TYPE_CHECKING:
    from irdiv.types import Ints

HIGHEST_RATING = 5

_RatingsOfTopic: TypeAlias = "dict[str, Ints]"
"""The ratings of each document, one for each sub-question."""


@overload
def read_crux(  # type: ignore[overload-overlap]
    ratings: RecordsLike,
    run: FrameT,
    *,
    subquestions: RecordsLike | None = ...,
    threshold: int | None = ...,
) -> FrameT: ...
@overload
def read_crux(
    ratings: RecordsLike,
    run: RunLike | None = ...,
    *,
    subquestions: RecordsLike | None = ...,
    threshold: int | None = ...,
) -> pd.DataFrame: ...
def read_crux(
    ratings: RecordsLike,
    run: RunLike | None = None,
    *,
    subquestions: RecordsLike | None = None,
    threshold: int | None = None,
) -> object:
    """Read ratings of documents for each sub-question of a topic, as CRUX has them, as qrels.

    Sub-questions are intents, named 1, 2, … by their position; those that no document answers are intents too, so that
    the coverage of CRUX is ``Coverage@10``. Ratings are from 0 to 5. Any other, such as the −1 of a rating that could
    not be parsed, is no judgment: it is left out and counted in a warning.

    Ratings of two runs are made one by one and may contradict each other for the same document, so that each run is
    evaluated with its own qrels.

    Parameters
    ----------
    ratings
        JSON ``{topic: [[rating of each sub-question], …]}`` with a list for each document **in the order of the run**,
        ``{topic: {document: [rating, …]}}``, or JSON Lines ``{id, pid or docid, rating: [rating, …]}``; a path or the
        data.
    run
        The run whose documents were rated, for lists in its order: that of its ranks, or of its scores if it has
        no ranks. With documents in the ratings it is not needed.
    subquestions
        The texts, JSON ``{topic: [text, …]}`` or JSON Lines with a list ``questions``, for the column ``description``.
    threshold
        The lowest rating that answers a sub-question: grades are then 1 and 0. By default grades are the ratings.

    Returns
    -------
    DataFrame
        ``query_id, intent_id, doc_id, relevance``, and ``description`` with ``subquestions``; of the library of
        ``run``.

    Examples
    --------
    >>> from irdiv.rag import read_crux
    >>> ratings = {"q1": [[5, 0], [2, 1]]}
    >>> read_crux(ratings, {"q1": ["d7", "d3"]}, subquestions={"q1": ["Who?", "When?"]}, threshold=3)
      query_id intent_id doc_id  relevance description
    0       q1         1     d7          1        Who?
    1       q1         2     d7          0       When?
    2       q1         1     d3          0        Who?
    3       q1         2     d3          0       When?
    """
    if threshold is not None:
        require(Integer(1, HIGHEST_RATING), threshold=threshold)
    by_topic = _by_topic(read_records(ratings, "ratings", "ratings"), run)
    texts = None if subquestions is None else _texts(read_records(subquestions, "sub-questions", "questions"))
    parts, invalid = [], []
    for topic, of_documents in by_topic.items():
        part, left_out = _qrels_of_topic(topic, of_documents, None if texts is None else _of_topic(texts, topic))
        parts.append(part)
        invalid.extend(left_out)
    if texts is not None and len(texts) > len(by_topic):
        without = [topic for topic in texts if topic not in by_topic]
        what = "sub-questions but no ratings, and"
        count = counted(len(without), f"topic has {what} is", f"topics have {what} are")
        warn(f"{count} left out: {examples(without)}.")
    if invalid:
        values, counts = np.unique(invalid, return_counts=True)
        found = ", ".join(f"{value} ({count})" for value, count in zip(values, counts, strict=True))
        count = counted(len(invalid), "rating is", "ratings are")
        warn(f"{count} not from 0 to {HIGHEST_RATING} and left out, as if not judged: {found}.")
    qrels = pd.concat(parts, ignore_index=True)
    if threshold is not None:
        qrels["relevance"] = (qrels["relevance"] >= threshold).astype("int64")
    return from_pandas(qrels, common_backend(run, ratings))


def _by_topic(records: Sequence[Record], run: RunLike | None) -> dict[str, _RatingsOfTopic]:
    by_topic: dict[str, _RatingsOfTopic] = {}
    documents: dict[str, list[str]] | None = None
    for record in records:
        of_topic = by_topic.setdefault(record.topic, {})
        given = record.fields.get("ratings")
        if isinstance(given, list | tuple):
            documents = _documents_in_order(run) if documents is None else documents
            pairs = list(_in_order_of_run(record, given, documents))
        elif isinstance(given, Mapping):
            pairs = list(given.items())
        else:
            pairs = [_rated_document(record)]
        for doc, ratings in pairs:
            if doc in of_topic:
                raise IrdivError(f"{record.where}: document {doc!r} of topic {record.topic!r} is rated twice.")
            of_topic[str(doc)] = _rating_array(ratings, f"{record.where}, document {doc!r}")
    if documents is None and run is not None:
        topics = _documents_in_order(run)
        if by_topic.keys().isdisjoint(topics):
            raise IrdivError(
                f"no topic in common: the ratings have {examples(by_topic)} and the run has {examples(topics)}."
            )
    return by_topic


def _rated_document(record: Record) -> tuple[str, object]:
    fields = record.fields
    doc = next((fields[name] for name in DOC_FIELDS if name in fields), None)
    if is_missing(doc) or "rating" not in record.fields:
        raise IrdivError(
            f"{record.where}: expected the fields 'id', 'pid' (or 'docid') and 'rating', or {{topic: lists of "
            f"ratings}}; found {examples(fields, 9)}."
        )
    return id_text(doc, record.where), record.fields["rating"]


def _rating_array(ratings: object, where: str) -> Ints:
    values = [-1 if value is None else value for value in as_list(ratings, where)]
    if not values or not all(map(_is_small_integer, values)):
        raise IrdivError(f"{where}: expected a list with an integer for each sub-question, found {str(ratings)[:60]}.")
    return np.array(values, dtype=np.int64)


def _is_small_integer(value: object) -> bool:
    return isinstance(value, int | float) and float(value).is_integer() and abs(value) <= MAX_GRADE


def _in_order_of_run(
    record: Record, ratings: Sequence[object], documents: Mapping[str, list[str]]
) -> Iterator[tuple[str, object]]:
    docs = documents.get(record.topic)
    if docs is None:
        raise IrdivError(
            f"{record.where}: the run lacks topic {record.topic!r}; it has {examples(documents)}. The ratings follow "
            "the order of a run: give that one."
        )
    if len(docs) < len(ratings):
        raise IrdivError(
            f"{record.where}: {len(ratings)} documents are rated, but the run has {len(docs)} for topic "
            f"{record.topic!r}. The ratings follow the order of a run: give that one."
        )
    return zip(docs, ratings, strict=False)


def _documents_in_order(run: RunLike | None) -> dict[str, list[str]]:
    """Return the documents of each topic in the order of ranks, or of scores if there are no ranks."""
    if run is None:
        raise IrdivError("the ratings are lists in the order of a run; give the run too: read_crux(ratings, run).")
    frame = as_frame(run, "run", RUN_COLUMNS)
    by_score = run_columns(frame.to_native())
    columns = run_columns(frame.to_native(), ties="rank") if "rank" in frame.columns else by_score
    table = pd.DataFrame(
        {
            "query": columns.query.decode().to_numpy(zero_copy_only=False),
            "doc": columns.doc.to_numpy(zero_copy_only=False),
            "key": columns.key,
            "score_key": by_score.key,
        }
    ).sort_values("key", kind="stable")
    documents = {}
    for topic, rows in table.groupby("query", sort=False):
        if (np.diff(rows["score_key"]) < 0).any():
            raise IrdivError(
                f"the ranks of topic {topic!r} contradict its scores, so that the order of the ratings is unclear; "
                "drop the column 'rank' or 'score' of the run."
            )
        documents[str(topic)] = rows["doc"].tolist()
    return documents


def _texts(records: Sequence[Record]) -> dict[str, list[str]]:
    texts = {}
    for record in records:
        name = next((name for name in ("questions", "subquestions", "subtopics") if name in record.fields), "questions")
        where = f"{record.where}: a text of {name}"
        texts[record.topic] = [optional_text(text, where) or "" for text in record.sequence(name)]
    return texts


def _of_topic(texts: Mapping[str, list[str]], topic: str) -> list[str]:
    if topic not in texts:
        raise IrdivError(f"topic {topic!r} has ratings but no sub-questions; these are of {examples(texts)}.")
    return texts[topic]


def _qrels_of_topic(
    topic: str, of_documents: _RatingsOfTopic, texts: Sequence[str] | None
) -> tuple[pd.DataFrame, list[int]]:
    """Return the qrels of a topic, and the ratings that are left out."""
    if not of_documents:
        raise IrdivError(f"no document of topic {topic!r} is rated; leave the topic out, or give its ratings.")
    counts = {len(values): doc for doc, values in of_documents.items()}
    if len(counts) > 1:
        raise IrdivError(
            f"the documents of topic {topic!r} are rated for {examples(counts)} sub-questions: "
            f"{examples(counts.values())}."
        )
    count = next(iter(counts))
    if texts is not None and len(texts) != count:
        raise IrdivError(
            f"topic {topic!r} has {len(texts)} sub-questions, but its documents have {count} ratings each."
        )
    intents = np.array([str(position) for position in range(1, count + 1)], dtype=object)
    rating = np.concatenate(list(of_documents.values()))
    part = pd.DataFrame(
        {
            "query_id": topic,
            "intent_id": np.tile(intents, len(of_documents)),
            "doc_id": np.repeat(np.array(list(of_documents), dtype=object), count),
            "relevance": rating,
        }
    )
    is_valid = (rating >= 0) & (rating <= HIGHEST_RATING)
    judged = part[is_valid]
    unjudged = [intent for intent in intents if intent not in set(judged["intent_id"])]
    if unjudged:
        rows = {"query_id": topic, "intent_id": unjudged, "doc_id": PLACEHOLDER_DOC_ID, "relevance": 0}
        judged = pd.concat([judged, pd.DataFrame(rows)], ignore_index=True)
    if texts is not None:
        judged = judged.assign(description=judged["intent_id"].map(dict(zip(intents, texts, strict=True))))
    return judged, rating[~is_valid].tolist()
