"""Read the XML files of NTCIR-11 IMine: the hierarchy of intents, and the judgments by second-level intent."""

from __future__ import annotations

from collections.abc import Container

import pandas as pd

from irdiv.datasets.xml import attribute, error_at, read_elements
from irdiv.errors import IrdivError
from irdiv.io.trec import FLOAT, INTEGER
from irdiv.types import PathLike

NO_INTENT = "0"
"""The intent of judgments that belong to no second-level intent."""
_IRRELEVANT = 1


def read_imine_hierarchy(path: PathLike) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return topics, intents of both levels with ``parent_id`` and ``probability``, and the repairs that were made.

    A second-level label under several parents is kept once, under the one whose label it starts with.
    """
    topics, intents = [], []
    for element in read_elements(path):
        if element.tag == "topic":
            topics.append((attribute(path, element, "id"), attribute(path, element, "content")))
        elif element.tag in ("fls", "sls"):
            topic, parent = element.nearest("topic"), element.nearest("fls")
            if topic is None or (element.tag == "sls") != (parent is not None):
                raise error_at(path, element, "an fls must be inside a topic, and an sls inside an fls")
            label, weight = attribute(path, element, "content"), attribute(path, element, "poss")
            if not FLOAT.accepts(weight) or float(weight) < 0:
                raise error_at(path, element, f"poss is {weight!r}, not a number of 0 or more")
            parent_label = None if parent is None else parent.attributes["content"]
            intents.append((topic.attributes["id"], label, parent_label, float(weight), 1 if parent is None else 2))
    if not intents:
        raise IrdivError(f"{path}: no intents; expected <topic id=…><fls content=… poss=…><sls content=… poss=…>.")
    frame = pd.DataFrame(intents, columns=["query_id", "intent_id", "parent_id", "probability", "level"])
    frame, repairs = _drop_extra_parents(path, frame)
    return pd.DataFrame(topics, columns=["query_id", "query"]), frame, repairs


def _drop_extra_parents(path: PathLike, intents: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Keep each label of a topic once, under the parent it starts with; raise an error if there is no such parent."""
    key = ["query_id", "intent_id"]
    repeated = intents[intents.duplicated(key, keep=False)]
    if repeated.empty:
        return intents, []
    pairs = zip(repeated["intent_id"], repeated["parent_id"], strict=True)
    under_prefix = repeated[[is_below(label, parent) for label, parent in pairs]]
    for query, label in dict.fromkeys(repeated[key].itertuples(index=False, name=None)):
        same = (repeated["query_id"] == query) & (repeated["intent_id"] == label)
        candidates = (under_prefix["query_id"] == query) & (under_prefix["intent_id"] == label)
        if (repeated.loc[same, "level"] == 1).any() or candidates.sum() != 1:
            raise IrdivError(f"{path}: topic {query} has two intents {label!r}.")
    rows = under_prefix[["intent_id", "query_id", "parent_id"]].itertuples(index=False, name=None)
    places = ", ".join(f"{label!r} of topic {query} under {parent!r}" for label, query, parent in rows)
    kept = intents.drop(repeated.index.difference(under_prefix.index)).reset_index(drop=True)
    return kept, [f"labels with several parents were kept under the one they start with: {places}"]


def is_below(label: str, parent: str | None) -> bool:
    """Return whether a second-level label starts with a first-level one."""
    return parent is not None and label.startswith(f"{parent}_")


def read_imine_judgments(path: PathLike, topics: Container[str] | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Return ``query_id, intent_id, doc_id, relevance``, whether the document is relevant to the topic, and the line.

    Documents of no second-level intent have the intent 0 and grade 0, even where they are relevant to the topic.

    Parameters
    ----------
    path
        The file.
    topics
        The topics with intents; by default all. The first of two judgments that contradict each other is kept for
        other topics, which is a repair; for these topics it is an error.

    Returns
    -------
    pandas.DataFrame, list of str
        The judgments, and the repairs that were made.
    """
    judgments: dict[tuple[str, str, str], tuple[int, bool, int]] = {}
    repairs = []
    for element in read_elements(path):
        if element.tag != "doc":
            continue
        query, doc = attribute(path, element, "queryid"), attribute(path, element, "docid")
        level = attribute(path, element, "relevance")
        if not INTEGER.accepts(level) or not 0 <= int(level) <= 3:
            raise error_at(path, element, f"relevance is {level!r}, not 0, 1, 2 or 3")
        label = element.attributes.get("sls", NO_INTENT)
        grade = max(int(level) - _IRRELEVANT, 0)
        row = (0 if label == NO_INTENT else grade, grade > 0, element.line)
        if judgments.setdefault((query, label, doc), row)[:2] != row[:2]:
            if topics is None or query in topics:
                raise error_at(path, element, f"document {doc!r} of topic {query} has another judgment before")
            repairs.append(
                f"document {doc!r} has two judgments that contradict each other, for topic {query}, which has no "
                "intents and was left out"
            )
    if not judgments:
        raise IrdivError(f"{path}: no judgments; expected <doc queryid=… docid=… relevance=… [sls=…]>.")
    has_intent = {(query, doc) for query, label, doc in judgments if label != NO_INTENT}
    rows = [
        (query, label, doc, *row)
        for (query, label, doc), row in judgments.items()
        if label != NO_INTENT or (query, doc) not in has_intent
    ]
    columns = ["query_id", "intent_id", "doc_id", "relevance", "relevant", "line"]
    return pd.DataFrame(rows, columns=columns), repairs
