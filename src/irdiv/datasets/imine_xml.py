"""Read the XML files of NTCIR-11 IMine: the hierarchy of intents, and the judgments by second-level intent."""

from __future__ import annotations

import pandas as pd

from irdiv.datasets.xml import Element, read_elements
from irdiv.errors import IrdivError
from irdiv.frames.layouts import FLOAT, INTEGER
from irdiv.types import PathLike

NO_INTENT = "0"
"""The intent of judgments that belong to no second-level intent."""
_IRRELEVANT = 1


def read_imine_hierarchy(path: PathLike) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return topics, and intents of both levels with ``parent_id`` and ``probability``."""
    topics, intents = [], []
    for element in read_elements(path):
        if element.tag == "topic":
            topics.append((_attribute(path, element, "id"), _attribute(path, element, "content")))
        elif element.tag in ("fls", "sls"):
            topic, parent = element.nearest("topic"), element.nearest("fls")
            if topic is None or (element.tag == "sls") != (parent is not None):
                raise _error(path, element, "an fls must be inside a topic, and an sls inside an fls")
            label, weight = _attribute(path, element, "content"), _attribute(path, element, "poss")
            if not FLOAT.accepts(weight) or float(weight) < 0:
                raise _error(path, element, f"poss is {weight!r}, not a number of 0 or more")
            parent_label = None if parent is None else parent.attributes["content"]
            intents.append((topic.attributes["id"], label, parent_label, float(weight), 1 if parent is None else 2))
    if not intents:
        raise IrdivError(f"{path}: no intents; expected <topic id=…><fls content=… poss=…><sls content=… poss=…>.")
    frame = pd.DataFrame(intents, columns=["query_id", "intent_id", "parent_id", "probability", "level"])
    repeated = frame[frame.duplicated(["query_id", "intent_id"])]
    if len(repeated):
        query, label = repeated[["query_id", "intent_id"]].iloc[0]
        raise IrdivError(f"{path}: topic {query} has two intents {label!r}.")
    return pd.DataFrame(topics, columns=["query_id", "query"]), frame


def read_imine_judgments(path: PathLike) -> pd.DataFrame:
    """Return ``query_id, intent_id, doc_id, relevance``, whether the document is relevant to the topic, and the line.

    Documents of no second-level intent have the intent 0 and grade 0, even where they are relevant to the topic.
    """
    judgments: dict[tuple[str, str, str], tuple[int, bool, int]] = {}
    for element in read_elements(path):
        if element.tag != "doc":
            continue
        query, doc = _attribute(path, element, "queryid"), _attribute(path, element, "docid")
        level = _attribute(path, element, "relevance")
        if not INTEGER.accepts(level) or not 0 <= int(level) <= 3:
            raise _error(path, element, f"relevance is {level!r}, not 0, 1, 2 or 3")
        label = element.attributes.get("sls", NO_INTENT)
        grade = max(int(level) - _IRRELEVANT, 0)
        row = (0 if label == NO_INTENT else grade, grade > 0, element.line)
        if judgments.setdefault((query, label, doc), row)[:2] != row[:2]:
            raise _error(path, element, f"document {doc!r} of topic {query} has another judgment before")
    if not judgments:
        raise IrdivError(f"{path}: no judgments; expected <doc queryid=… docid=… relevance=… [sls=…]>.")
    has_intent = {(query, doc) for query, label, doc in judgments if label != NO_INTENT}
    rows = [
        (query, label, doc, *row)
        for (query, label, doc), row in judgments.items()
        if label != NO_INTENT or (query, doc) not in has_intent
    ]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "relevant", "line"])


def _attribute(path: PathLike, element: Element, name: str) -> str:
    if name not in element.attributes:
        raise _error(path, element, f"<{element.tag}> has no {name}")
    return element.attributes[name]


def _error(path: PathLike, element: Element, message: str) -> IrdivError:
    return IrdivError(f"{path}, line {element.line}: {message}.")
