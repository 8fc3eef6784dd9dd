"""Load diversity collections of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

import numpy as np
import pandas as pd

from irdiv.checks import Integer, require
from irdiv.datasets.collection import TestCollection
from irdiv.errors import IrdivError
from irdiv.frames.columns import INTENT_TYPES
from irdiv.frames.ids import natural_argsort
from irdiv.frames.inputs import IntentsLike
from irdiv.intents.folding import with_intents

SPAM_GRADE = -2
_TOPIC_COLUMNS = ("query_id", "query", "type", "description")
_OPTIONAL_INTENT_COLUMNS = ("probability", "parent_id", "level")
# Some files of TREC Web 2011 have misspelled types.
_TYPES = {"inf": "inf", "nav": "nav", "inv": "inf", "inav": "nav"}


class _Dataset(Protocol):
    """A dataset of ir_datasets with judgments by subtopic; ``queries_iter`` and ``notes`` are optional."""

    def dataset_id(self) -> str: ...
    def qrels_cls(self) -> type[NamedTuple]: ...
    def qrels_iter(self) -> Iterable[tuple[object, ...]]: ...


class _Subtopic(Protocol):
    """An intent of a query of ir_datasets; it may have ``type``, ``probability``, ``parent_id`` and ``level``."""

    number: str
    text: str


def load(
    dataset: object,
    *,
    probabilities: Literal["uniform", "descending"] | IntentsLike | None = None,
    drop_spam: bool = False,
    min_grade: int = 1,
) -> TestCollection:
    """Load a diversity collection of ir_datasets, which downloads it if needed.

    Parameters
    ----------
    dataset
        An id such as ``"clueweb09/catb/trec-web-2012/diversity"``, or a dataset of ir_datasets or PyTerrier whose qrels
        have subtopics.
    probabilities
        Probabilities of intents: ``"uniform"``; ``"descending"``, by which the j-th of the n intents with a
        relevant document has 2^(n−j+1) / Σ_k 2^k, as in Sakai and Song; or an intent table for `irdiv.with_intents`.
        By default those of the dataset if it has any, as IMine, else uniform ones.
    drop_spam
        Leave out judgments of grade −2, so that such documents are unjudged.
    min_grade
        Positive grades below this one become 0.

    Returns
    -------
    TestCollection
    """
    require(Integer(0), min_grade=min_grade)
    source = _find_dataset(dataset)
    qrels = _read_qrels(source)
    if drop_spam:
        qrels = qrels[qrels["relevance"] != SPAM_GRADE].reset_index(drop=True)
    too_low = (qrels["relevance"] > 0) & (qrels["relevance"] < min_grade)
    qrels["relevance"] = qrels["relevance"].mask(too_low, 0)
    topics, intents, notes = _read_topics(source)
    intents = _add_undescribed_intents(intents, qrels, topics)
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
    return TestCollection(source.dataset_id(), qrels, intents, topics, notes)


def _find_dataset(dataset: object) -> _Dataset:
    if isinstance(dataset, str):
        import ir_datasets

        try:
            dataset = ir_datasets.load(dataset)
        except KeyError:
            if str(dataset).startswith("irdiv/ntcir11-imine"):
                raise IrdivError(
                    f"{dataset!r} is not registered; call irdiv.plugins.ir_datasets.register_imine(folder) first, with "
                    "the folder of NTCIR-11 IMine's files, and use one of the ids that it returns."
                ) from None
            raise IrdivError(
                f"ir_datasets has no dataset {dataset!r}; the id of a diversity collection is, for example, "
                "'clueweb09/catb/trec-web-2012/diversity'."
            ) from None
    if hasattr(dataset, "irds_ref"):
        dataset = dataset.irds_ref()  # a dataset of PyTerrier
    fields = getattr(dataset.qrels_cls(), "_fields", ()) if hasattr(dataset, "qrels_cls") else ()
    if "subtopic_id" not in fields:
        raise IrdivError(f"{dataset} has no judgments by subtopic; expected qrels with a subtopic_id.")
    return dataset  # type: ignore[return-value] # ir_datasets has no types


def _read_qrels(dataset: _Dataset) -> pd.DataFrame:
    try:
        frame = pd.DataFrame(dataset.qrels_iter(), columns=list(dataset.qrels_cls()._fields))
    except (RuntimeError, ValueError) as error:
        raise IrdivError(f"ir_datasets cannot read the qrels of {dataset.dataset_id()}: {error}") from error
    return frame.rename(columns={"subtopic_id": "intent_id"})[["query_id", "intent_id", "doc_id", "relevance"]]


def _read_topics(dataset: _Dataset) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return topics, intents, and notes on what was repaired."""
    queries = list(dataset.queries_iter()) if hasattr(dataset, "queries_iter") else []
    topics = [tuple(getattr(query, name, None) for name in _TOPIC_COLUMNS) for query in queries]
    subtopics = [(query.query_id, *_subtopic_row(s)) for query in queries for s in getattr(query, "subtopics", ())]
    intents = pd.DataFrame(
        subtopics, columns=["query_id", "intent_id", "type", "description", *_OPTIONAL_INTENT_COLUMNS]
    )
    notes = (*(dataset.notes() if hasattr(dataset, "notes") else ()), *_notes_on_types(intents))
    intents["type"] = intents["type"].map(lambda given: _TYPES.get(given, given))
    empty = [name for name in ("type", *_OPTIONAL_INTENT_COLUMNS) if intents[name].isna().all()]
    return pd.DataFrame(topics, columns=list(_TOPIC_COLUMNS)), intents.drop(columns=empty), notes


def _subtopic_row(subtopic: _Subtopic) -> tuple[object, ...]:
    intent_type, *optional = (getattr(subtopic, name, None) for name in ("type", *_OPTIONAL_INTENT_COLUMNS))
    return str(subtopic.number), intent_type, " ".join(subtopic.text.split()), *optional


def _notes_on_types(intents: pd.DataFrame) -> Iterator[str]:
    for query, intent, given in intents[["query_id", "intent_id", "type"]].itertuples(index=False):
        if given in _TYPES and given not in INTENT_TYPES:
            yield f"type {given!r} of intent {intent} of topic {query} read as {_TYPES[given]!r}"


def _add_undescribed_intents(intents: pd.DataFrame, qrels: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Add the intents that have relevant documents but no description.

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
    topic_descriptions = dict(zip(topics["query_id"], topics["description"], strict=True))
    added = added.assign(description=added["query_id"].map(topic_descriptions))
    if "type" in intents.columns:
        added = added.assign(type="inf")
    return pd.concat([intents, added], ignore_index=True)


def _probability_table(qrels: pd.DataFrame, probabilities: str) -> pd.DataFrame | None:
    if probabilities == "uniform":
        return None
    if probabilities != "descending":
        raise IrdivError(
            f"probabilities={probabilities!r} is not one of 'uniform', 'descending'; give one of them or a frame."
        )
    relevant = qrels[qrels["relevance"] > 0][["query_id", "intent_id"]].drop_duplicates()
    relevant = relevant.iloc[natural_argsort(relevant["intent_id"].tolist())]
    j = relevant.groupby("query_id").cumcount() + 1
    n = relevant.groupby("query_id")["intent_id"].transform("size")
    # Σ_{k=1..n} 2^k = 2^{n+1} − 2
    return relevant.assign(probability=np.exp2(n - j + 1) / (np.exp2(n + 1) - 2))
