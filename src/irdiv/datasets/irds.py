"""Diversity collections of ir_datasets as frames: qrels with intents folded in, intents and topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from irdiv.datasets.pool import pooled
from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import IntentsLike, RunLike
from irdiv.frames.ids import natural_order
from irdiv.frames.intents import with_intents

SPAM = -2
_SHOWN = 5
_TYPES = {"inf": "inf", "nav": "nav", "inv": "inf", "inav": "nav"}


@dataclass(frozen=True, repr=False, eq=False)
class TestCollection:
    """A diversity collection: frames, and what was noticed while reading it."""

    __test__ = False  # not a test case of pytest

    name: str
    qrels: pd.DataFrame
    """``query_id, intent_id, doc_id, relevance`` and what is known of intents, ready for `irdiv.evaluate`."""
    intents: pd.DataFrame
    """``query_id, intent_id, type, description``, and ``probability`` and ``parent_id`` where they are known."""
    topics: pd.DataFrame
    """``query_id, query, type, description``."""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        relevant = self.qrels[self.qrels["relevance"] > 0]
        covered = len(relevant[["query_id", "intent_id"]].drop_duplicates())
        lines = [
            self.name,
            f"  {self.qrels['query_id'].nunique():,} judged topics of {len(self.topics):,}",
            f"  {len(self.intents):,} intents, {covered:,} with a relevant document",
            f"  {len(self.qrels):,} judgments, {len(relevant):,} of them relevant",
            *(f"  note: {note}" for note in self.notes[:_SHOWN]),
            *([f"  and {len(self.notes) - _SHOWN} more in .notes"] if len(self.notes) > _SHOWN else []),
        ]
        return "\n".join(lines)

    def subset(
        self,
        query_ids: Iterable[Any] | None = None,
        *,
        runs: RunLike | Mapping[str, RunLike] | None = None,
        depth: int | None = None,
    ) -> TestCollection:
        """Return a copy of some topics, or one judged only as deep as a pool of runs.

        Parameters
        ----------
        query_ids
            The topics to keep; all by default.
        runs
            One run, or a mapping from name to run. Judgments of documents that none of them ranks among its first
            ``depth`` are left out, so that those documents are unjudged.
        depth
            How far down each run the pool goes; to its end by default.
        """
        frames = [self.qrels, self.intents, self.topics]
        if query_ids is not None:
            keep = _known_topics(query_ids, self.topics["query_id"])
            frames = [frame[frame["query_id"].isin(keep)] for frame in frames]
        if runs is not None:
            frames[0] = pooled(frames[0], runs, depth)
        elif depth is not None:
            raise IrdivError("depth is that of a pool; give the runs it is made of too.")
        return replace(
            self,
            qrels=frames[0].reset_index(drop=True),
            intents=frames[1].reset_index(drop=True),
            topics=frames[2].reset_index(drop=True),
        )


def _known_topics(query_ids: Iterable[Any], known: pd.Series) -> set[str]:
    one = isinstance(query_ids, str) or not isinstance(query_ids, Iterable)
    keep = {str(query) for query in ([query_ids] if one else query_ids)}
    strange = sorted(keep - set(known))
    if strange:
        raise IrdivError(f"the collection has no topic {examples(strange)}; its topics are {examples(known)}.")
    return keep


def load(
    dataset: Any,
    *,
    weights: str | IntentsLike | None = None,
    drop_spam: bool = False,
    min_grade: int = 1,
) -> TestCollection:
    """Load a diversity collection of ir_datasets, which downloads what it does not have.

    Parameters
    ----------
    dataset
        An id such as ``"clueweb09/catb/trec-web-2012/diversity"``, or a dataset object whose qrels carry
        subtopics.
    weights
        Probabilities of intents: ``"uniform"``; ``"descending"``, by which the j-th of the n intents with a
        relevant document has 2^(n−j+1) / Σ_k 2^k, as in Sakai and Song; or a frame that `irdiv.with_intents` takes.
        By default those of the dataset where it has some, as IMine, else uniform ones.
    drop_spam
        Leave out judgments of grade −2, so that such documents are unjudged.
    min_grade
        Grades below this one, and above 0, become 0.

    Returns
    -------
    TestCollection
    """
    if not isinstance(min_grade, int) or isinstance(min_grade, bool):
        raise IrdivError(f"min_grade={min_grade!r} is not a grade; give a whole number.")
    handle = _handle(dataset)
    qrels = _qrels(handle)
    if drop_spam:
        qrels = qrels[qrels["relevance"] != SPAM].reset_index(drop=True)
    small = (qrels["relevance"] > 0) & (qrels["relevance"] < min_grade)
    qrels["relevance"] = qrels["relevance"].mask(small, 0)
    topics, intents, notes = _topics(handle)
    intents = _with_judged(intents, qrels, topics)
    if weights is not None:
        intents = intents.drop(columns="probability", errors="ignore")
    if len(intents):
        qrels = with_intents(qrels, intents)
    probabilities = _probabilities(qrels, weights) if isinstance(weights, str) else weights
    if probabilities is not None:
        qrels = with_intents(qrels, probabilities)
        if "probability" not in qrels.columns:
            raise IrdivError("the weights tell no probability; expected the columns query_id, intent_id, probability.")
        told = qrels[["query_id", "intent_id", "probability"]].drop_duplicates(["query_id", "intent_id"])
        intents = intents.merge(told, on=["query_id", "intent_id"], how="left")
    return TestCollection(handle.dataset_id(), qrels, intents, topics, notes)


def _with_judged(intents: pd.DataFrame, qrels: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Add the intents that have relevant documents but no description.

    Since 2013 a topic with a single intent has its judgments under subtopic 0; that intent is the topic itself.
    """
    if intents.empty:
        return intents
    relevant = qrels.loc[qrels["relevance"] > 0, ["query_id", "intent_id"]].drop_duplicates()
    known = set(zip(intents["query_id"], intents["intent_id"], strict=True))
    new = relevant[[pair not in known for pair in zip(relevant["query_id"], relevant["intent_id"], strict=True)]]
    if new.empty:
        return intents
    about = dict(zip(topics["query_id"], topics["description"], strict=True))
    new = new.assign(description=new["query_id"].map(about))
    if "type" in intents.columns:
        new = new.assign(type="inf")
    return pd.concat([intents, new], ignore_index=True)


def _handle(dataset: Any) -> Any:
    if isinstance(dataset, str):
        import ir_datasets

        try:
            dataset = ir_datasets.load(dataset)
        except KeyError:
            raise IrdivError(
                f"ir_datasets has no dataset {dataset!r}; a diversity collection is called, for example, "
                "'clueweb09/catb/trec-web-2012/diversity'."
            ) from None
    if hasattr(dataset, "irds_ref"):
        dataset = dataset.irds_ref()  # a dataset of PyTerrier's
    fields = getattr(dataset.qrels_cls(), "_fields", ()) if hasattr(dataset, "qrels_cls") else ()
    if "subtopic_id" not in fields:
        raise IrdivError(f"{dataset} has no judgments by subtopic; expected qrels with a subtopic_id.")
    return dataset


def _qrels(dataset: Any) -> pd.DataFrame:
    try:
        frame = pd.DataFrame(dataset.qrels_iter(), columns=list(dataset.qrels_cls()._fields))
    except (RuntimeError, ValueError) as error:
        raise IrdivError(f"ir_datasets cannot read the qrels of {dataset.dataset_id()}: {error}") from error
    return frame.rename(columns={"subtopic_id": "intent_id"})[["query_id", "intent_id", "doc_id", "relevance"]]


def _topics(dataset: Any) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return topics, intents, and notes on what was mended."""
    queries = list(dataset.queries_iter()) if hasattr(dataset, "queries_iter") else []
    topics = [tuple(getattr(query, name, None) for name in _TOPIC) for query in queries]
    subtopics = [(query.query_id, *_subtopic(s)) for query in queries for s in getattr(query, "subtopics", ())]
    intents = pd.DataFrame(subtopics, columns=["query_id", "intent_id", "type", "description", *_MORE_OF_INTENTS])
    notes = (*(dataset.notes() if hasattr(dataset, "notes") else ()), *_mended(intents))
    intents["type"] = intents["type"].map(lambda kind: _TYPES.get(kind, kind))
    untold = [name for name in ("type", *_MORE_OF_INTENTS) if intents[name].isna().all()]
    intents = intents.drop(columns=untold)
    return pd.DataFrame(topics, columns=list(_TOPIC)), intents, notes


_TOPIC = ("query_id", "query", "type", "description")
_MORE_OF_INTENTS = ("probability", "parent_id", "level")


def _subtopic(subtopic: Any) -> tuple[Any, ...]:
    more = [getattr(subtopic, name, None) for name in ("type", *_MORE_OF_INTENTS)]
    return str(subtopic.number), more[0], " ".join(subtopic.text.split()), *more[1:]


def _mended(intents: pd.DataFrame) -> Iterable[str]:
    for query, intent, kind in intents[["query_id", "intent_id", "type"]].itertuples(index=False):
        if kind is not None and kind not in ("inf", "nav"):
            meant = _TYPES.get(kind)
            done = f"read as {meant!r}" if meant else "kept as it is"
            yield f"type {kind!r} of intent {intent} of topic {query} {done}"


def _probabilities(qrels: pd.DataFrame, weights: str) -> pd.DataFrame | None:
    if weights == "uniform":
        return None
    if weights != "descending":
        raise IrdivError(f"weights={weights!r} is not known; choose 'uniform', 'descending' or give a frame.")
    relevant = qrels[qrels["relevance"] > 0][["query_id", "intent_id"]].drop_duplicates()
    relevant = relevant.iloc[natural_order(relevant["intent_id"].tolist())]
    j = relevant.groupby("query_id").cumcount() + 1
    n = relevant.groupby("query_id")["intent_id"].transform("size")
    # Σ_{k=1..n} 2^k = 2^{n+1} − 2
    return relevant.assign(probability=np.exp2(n - j + 1) / (np.exp2(n + 1) - 2))
