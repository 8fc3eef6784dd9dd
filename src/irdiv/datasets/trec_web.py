"""Read the official files of the TREC Web track: diversity qrels, and topics with subtopics in XML."""

from __future__ import annotations

import pandas as pd

from irdiv.checks import Integer, require
from irdiv.datasets.assembly import TYPES, Probabilities, Topics, assemble, topics_from_rows
from irdiv.datasets.collection import Dataset
from irdiv.datasets.xml import Element, attribute, error_at, read_elements
from irdiv.errors import IrdivError, examples, warn
from irdiv.io.columns import QRELS_COLUMNS, find_columns
from irdiv.io.tables import qrels_frame
from irdiv.types import PathLike

_COLUMNS = ("query_id", "intent_id", "doc_id", "relevance")
_EXAMPLE = '<topic number="151"><query>…</query><subtopic number="1" type="inf">…'


def read_trec_web(
    qrels: PathLike,
    topics: PathLike,
    *,
    probabilities: Probabilities = None,
    drop_spam: bool = False,
    min_grade: int = 1,
) -> Dataset:
    """Read a collection of the TREC Web track from its official files, as `irdiv.load` has it from ir_datasets.

    Parameters
    ----------
    qrels
        The diversity qrels, ``topic subtopic document grade`` in each line, compressed by gzip or not.
    topics
        The topics with their subtopics, in XML.
    probabilities, drop_spam, min_grade
        As in `irdiv.load`.

    Returns
    -------
    Dataset
        Its intents are the subtopics of the XML, with type and description. Since 2013 the judgments of a topic with
        a single intent are under subtopic 0, which is then an intent with the description of the topic; in other
        topics subtopic 0 holds documents that are relevant to no intent, and is none. Any other subtopic with relevant
        documents that is not in the XML, and subtopic 0 of a topic that has others, is an intent without a
        description, with a warning, as in `irdiv.load`. It is an error if a topic has no judged subtopic in the XML.
    """
    require(Integer(0), min_grade=min_grade)
    frame = _read_qrels(qrels)
    described = read_trec_topics(topics)
    known = set(described.topics["query_id"])
    judged = list(dict.fromkeys(frame["query_id"]))
    unknown = [query for query in judged if query not in known]
    if len(unknown) == len(judged):
        raise IrdivError(
            f"no topic in common: {qrels} has {examples(judged)}, and {topics} has "
            f"{examples(described.topics['query_id'])}. Give files of the same year."
        )
    if unknown:
        warn(f"{len(unknown)} of {len(judged)} topics of {qrels} are not in {topics}: {examples(unknown)}.")
    _require_common_subtopics(frame, described, qrels, topics)
    return assemble(str(qrels), frame, described, probabilities=probabilities, drop_spam=drop_spam, min_grade=min_grade)


def _require_common_subtopics(frame: pd.DataFrame, described: Topics, qrels: PathLike, topics: PathLike) -> None:
    """Raise an error if no judged subtopic of a topic is in the XML, where the topic has subtopics."""
    in_topics = {query: set(ids) for query, ids in described.intents.groupby("query_id")["intent_id"]}
    rows = frame.loc[frame["intent_id"] != "0", ["query_id", "intent_id"]].drop_duplicates()
    for query, ids in rows.groupby("query_id", sort=False)["intent_id"]:
        if query in in_topics and in_topics[query].isdisjoint(ids):
            raise IrdivError(
                f"no subtopic of topic {query!r} in common: {qrels} has {examples(ids)}, and {topics} has "
                f"{examples(sorted(in_topics[query]))}. Give files of the same year."
            )


def _read_qrels(path: PathLike) -> pd.DataFrame:
    frame = qrels_frame(path)
    names = find_columns(frame.columns, "qrels", (*QRELS_COLUMNS, "intent_id"))
    columns = frame.select(**{column: names[column] for column in _COLUMNS}).to_native()
    return pd.DataFrame(columns)


def read_trec_topics(path: PathLike) -> Topics:
    """Read the topics and subtopics of a TREC Web track from XML; an error names the file and the line."""
    topics: dict[str, dict[str, str]] = {}
    intents: dict[tuple[str, str], tuple[str, str]] = {}
    elements = read_elements(path, allow_document_type=True)
    for element in elements:
        parent = element.enclosing[-1] if element.enclosing else None
        if element.tag == "topic":
            query = _id(path, element)
            if query in topics:
                raise error_at(path, element, f"topic {query} is there twice")
            topics[query] = {"type": element.attributes.get("type", "")}
        elif parent is not None and parent.tag == "topic":
            query = _id(path, parent)
            if element.tag == "subtopic":
                intent = _id(path, element)
                if (query, intent) in intents:
                    raise error_at(path, element, f"subtopic {intent} of topic {query} is there twice")
                intents[query, intent] = _intent_type(path, element), element.text
            elif element.tag in ("query", "description"):
                topics[query][element.tag] = element.text
    if not topics:
        raise IrdivError(f"{path}: no topics; expected XML such as {_EXAMPLE}")
    for element in elements:
        if element.tag == "topic" and "query" not in topics[_id(path, element)]:
            raise error_at(path, element, f"topic {_id(path, element)} has no <query>; expected {_EXAMPLE}")
    return topics_from_rows(
        [(query, texts["query"], texts["type"] or None, texts.get("description")) for query, texts in topics.items()],
        [(*key, *type_and_text, None, None, None) for key, type_and_text in intents.items()],
    )


def _id(path: PathLike, element: Element) -> str:
    number = attribute(path, element, "number").strip()
    if not number:
        raise error_at(path, element, f"the number of this {element.tag} is empty")
    return number


def _intent_type(path: PathLike, element: Element) -> str:
    """Return the type of a subtopic, ``inf`` if it has none, as the document type of the track's files declares."""
    intent_type = element.attributes.get("type", "inf")
    if intent_type not in TYPES:
        raise error_at(path, element, f"type is {intent_type!r}, not inf or nav")
    return intent_type
