"""Build a test collection from its judgments, its topics and their intents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import pandas as pd

from irdiv.datasets.collection import Dataset
from irdiv.errors import IrdivError, warn
from irdiv.intents.folding import with_intents
from irdiv.intents.probabilities import descending_weights
from irdiv.io.columns import INTENT_TYPES
from irdiv.io.tables import IntentsLike

Probabilities: TypeAlias = "Literal['uniform', 'descending'] | IntentsLike | None"
SPAM_GRADE = -2
TOPIC_COLUMNS = ("query_id", "query", "type", "description")
OPTIONAL_INTENT_COLUMNS = ("probability", "parent_id", "level")
# Some files of TREC Web 2011 have misspelled types.
TYPES = {"inf": "inf", "nav": "nav", "inv": "inf", "inav": "nav"}
"""The type of intents for each spelling of it."""


class Topics(NamedTuple):
    """Topics, their intents, and notes on what was repaired."""

    topics: pd.DataFrame
    intents: pd.DataFrame
    notes: tuple[str, ...]


def topics_from_rows(
    topics: Iterable[tuple[object, ...]], intents: Iterable[tuple[object, ...]], notes: Iterable[str] = ()
) -> Topics:
    """Return topics and intents as frames, with types as they are spelled in irdiv and without stray white space.

    Rows of topics are ``query_id, query, type, description``, those of intents ``query_id, intent_id, type,
    description, probability, parent_id, level``; columns without any value are left out.
    """
    frame = pd.DataFrame(intents, columns=["query_id", "intent_id", "type", "description", *OPTIONAL_INTENT_COLUMNS])
    repairs = [
        f"type {given!r} of intent {intent} of topic {query} read as {TYPES[given]!r}"
        for query, intent, given in frame[["query_id", "intent_id", "type"]].itertuples(index=False)
        if given in TYPES and given not in INTENT_TYPES
    ]
    frame["type"] = frame["type"].map(lambda given: TYPES.get(given, given))
    frame["description"] = frame["description"].map(_with_single_spaces)
    empty = [name for name in ("type", *OPTIONAL_INTENT_COLUMNS) if frame[name].isna().all()]
    rows = [(query, *map(_with_single_spaces, texts)) for query, *texts in topics]
    return Topics(pd.DataFrame(rows, columns=list(TOPIC_COLUMNS)), frame.drop(columns=empty), (*notes, *repairs))


def _with_single_spaces(text: object) -> object:
    return " ".join(text.split()) if isinstance(text, str) else text


def assemble(
    name: str,
    qrels: pd.DataFrame,
    topics: Topics,
    *,
    probabilities: Probabilities,
    drop_spam: bool,
    min_grade: int,
) -> Dataset:
    """Return the collection of qrels with ``query_id, intent_id, doc_id, relevance``; options as in `irdiv.load`."""
    if drop_spam:
        qrels = qrels[qrels["relevance"] != SPAM_GRADE].reset_index(drop=True)
    too_low = (qrels["relevance"] > 0) & (qrels["relevance"] < min_grade)
    qrels = qrels.assign(relevance=qrels["relevance"].mask(too_low, 0))
    intents = _add_undescribed_intents(topics.intents, qrels, topics.topics)
    if probabilities is not None:
        intents = intents.drop(columns="probability", errors="ignore")
    if len(intents):
        qrels = with_intents(qrels, intents)
    table = _probability_table(qrels, probabilities) if isinstance(probabilities, str) else probabilities
    if table is not None:
        qrels = with_intents(qrels, table)
        if "probability" not in qrels.columns:
            raise IrdivError(
                "the table of probabilities has no column 'probability'; expected query_id, intent_id, probability."
            )
        known = qrels[["query_id", "intent_id", "probability"]].drop_duplicates(["query_id", "intent_id"])
        intents = intents.merge(known, on=["query_id", "intent_id"], how="left")
    return Dataset(name, qrels, intents, topics.topics, topics.notes)


def _add_undescribed_intents(intents: pd.DataFrame, qrels: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Add the intents that have relevant documents but are not described, and warn about them.

    Since 2013 the judgments of a topic with a single intent are under subtopic 0; that intent is the topic itself.
    """
    if intents.empty:
        return intents
    relevant = qrels.loc[qrels["relevance"] > 0, ["query_id", "intent_id"]].drop_duplicates()
    described = set(zip(intents["query_id"], intents["intent_id"], strict=True))
    pairs = zip(relevant["query_id"], relevant["intent_id"], strict=True)
    added = relevant[[pair not in described for pair in pairs]]
    if added.empty:
        return intents
    is_topic = (added["intent_id"] == "0") & ~added["query_id"].isin(intents["query_id"])
    _warn_about_unknown_subtopics(added[~is_topic & added["query_id"].isin(topics["query_id"])])
    topic_descriptions = dict(zip(topics["query_id"], topics["description"], strict=True))
    added = added.assign(description=added["query_id"].map(topic_descriptions).astype(object).where(is_topic, None))
    if "type" in intents.columns:
        added = added.assign(type="inf")
    return pd.concat([intents, added], ignore_index=True)


def _warn_about_unknown_subtopics(unknown: pd.DataFrame) -> None:
    if len(unknown):
        shown = [f"{intent!r} of topic {query!r}" for query, intent in unknown.head(3).itertuples(index=False)]
        warn(
            f"{len(unknown)} subtopic{'s' if len(unknown) > 1 else ''} with relevant documents "
            f"{'are' if len(unknown) > 1 else 'is'} not in the topics: {', '.join(shown)}"
            f"{', …' if len(unknown) > len(shown) else ''}. Each counts as an intent, without a description."
        )


def _probability_table(qrels: pd.DataFrame, probabilities: str) -> pd.DataFrame | None:
    if probabilities == "uniform":
        return None
    if probabilities != "descending":
        raise IrdivError(
            f"probabilities={probabilities!r} is not one of 'uniform', 'descending'; give one of them or a frame."
        )
    return descending_weights(qrels)
