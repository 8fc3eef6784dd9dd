"""Repair NTCIR-11 IMine: its judgments have labels that its hierarchy lacks, without parents and probabilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from irdiv.datasets.imine_xml import NO_INTENT, is_below
from irdiv.datasets.ntcir import read_ntcir_qrels
from irdiv.errors import IrdivError
from irdiv.intents.files import read_intents

_ROUNDING = 1e-9
Key: TypeAlias = tuple[str, str]
"""The ids of a topic and an intent."""
GradedDocs: TypeAlias = frozenset[tuple[str, int]]
"""Relevant documents of an intent with their grades."""


def drop_topics_without_intents(qrels: pd.DataFrame, known: set[str], path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Drop the topics that are not in the hierarchy, which are the clear ones; return the qrels and notes."""
    is_known = qrels["query_id"].isin(known)
    labeled = qrels[~is_known & (qrels["intent_id"] != NO_INTENT)]
    if len(labeled):
        line, query, label = labeled[["line", "query_id", "intent_id"]].iloc[0]
        raise IrdivError(f"{path}, line {line}: topic {query!r} of intent {label!r} is not in the hierarchy.")
    dropped = qrels.loc[~is_known, "query_id"].nunique()
    return qrels[is_known], [f"{dropped} judged topics without intents were left out"] if dropped else []


def add_missing_labels(intents: pd.DataFrame, qrels: pd.DataFrame) -> tuple[pd.DataFrame, dict[Key, str]]:
    """Add the judged labels that the hierarchy lacks, below the first-level label they start with.

    Return the intents, and a note on each label added.
    """
    known = set(keys_of(intents))
    first_level: dict[str, list[str]] = defaultdict(list)
    for query, label in keys_of(intents[intents["level"] == 1]):
        first_level[query].append(label)
    rows, notes = [], {}
    for query, label in dict.fromkeys(keys_of(qrels[qrels["intent_id"] != NO_INTENT])):
        if (query, label) not in known:
            prefixes = [parent for parent in first_level[query] if is_below(label, parent)]
            parent = max(prefixes, key=len, default=None)
            rows.append((query, label, parent, np.nan, 2))
            where = f"put under {parent!r}" if parent else "kept on the first level"
            notes[query, label] = f"judged label {label!r} of topic {query} is not in the hierarchy, and was {where}"
    added = pd.DataFrame(rows, columns=intents.columns)
    return pd.concat([intents, added], ignore_index=True) if rows else intents, notes


def share_remaining_probability(intents: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Divide the remaining probability of a topic equally among the second-level intents that have none."""
    missing = intents["probability"].isna()
    if not missing.any():
        return intents, []
    given = intents[intents["level"] == 2].groupby("query_id")["probability"].sum()
    remaining = (1 - intents["query_id"].map(given).fillna(0.0)).clip(lower=0)
    missing_in_topic = intents["query_id"].map(Counter(intents["query_id"][missing]))
    note = f"{int(missing.sum())} labels without a probability share what the others leave, as sls.Iprob is not there"
    return intents.assign(probability=intents["probability"].where(~missing, remaining / missing_in_topic)), [note]


def drop_topics_without_numbers(
    intents: pd.DataFrame, qrels: pd.DataFrame, numbered: Iterable[NumberedIntent], iprob: Path
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Drop topics that have no relevant document and are not in Iprob; return the intents, the qrels and repairs."""
    kept = {intent.query for intent in numbered} | set(qrels.loc[qrels["relevance"] > 0, "query_id"])
    dropped = sorted(set(intents["query_id"]) - kept)
    repairs = [
        f"topic {query} has no relevant document and is not in {iprob.name}, and was left out" for query in dropped
    ]
    return intents[intents["query_id"].isin(kept)], qrels[qrels["query_id"].isin(kept)], repairs


def complete_from_iprob(
    intents: pd.DataFrame, qrels: pd.DataFrame, numbered: Iterable[NumberedIntent], iprob: Path, dqrels: Path
) -> Completed:
    """Complete second-level intents from Iprob and Dqrels, which have integers in place of labels.

    A label and an integer are the same intent if they have the same relevant documents and, where both have one, the
    same probability. A judged label is another spelling of one in the hierarchy if Dqrels has its documents under the
    integer of that one. Relevant documents of a label that Dqrels lacks are left out if the rest and the probability
    are those of an integer.
    """
    unmatched = list(numbered)
    relevant = _relevant_documents(qrels)
    second_level = intents[intents["level"] == 2]
    probability_of = dict(zip(keys_of(second_level), second_level["probability"], strict=True))
    unjudged = [
        key
        for key, probability in probability_of.items()
        if not np.isnan(probability) and not _pop_match(unmatched, key[0], relevant[key], probability)
    ]
    completed: dict[Key, float] = {}
    renamed: dict[Key, str] = {}
    for key in [key for key, probability in probability_of.items() if np.isnan(probability)]:
        match = _pop_match(unmatched, key[0], relevant[key])
        if match is None:
            raise IrdivError(f"{dqrels}: no intent of topic {key[0]} has the documents of {key[1]!r}.")
        completed[key] = match.probability
        same = [
            known
            for known in unjudged
            if known[0] == key[0] and abs(probability_of[known] - match.probability) < _ROUNDING
        ]
        if same:
            unjudged.remove(same[0])
            renamed[key] = same[0][1]
    missing: dict[Key, set[str]] = {}
    for key in unjudged:
        part = _pop_part(unmatched, key[0], relevant[key], probability_of[key])
        if part is None:
            query, label = key
            raise IrdivError(
                f"{iprob}: no intent of topic {query} matches {label!r} with the probability {probability_of[key]}."
            )
        missing[key] = {doc for doc, _ in relevant[key] - part.docs}
    keys = list(keys_of(intents))
    probability = [completed.get(key, given) for key, given in zip(keys, intents["probability"], strict=True)]
    intents = intents.assign(probability=probability)[[key not in renamed for key in keys]]
    judgments = zip(keys_of(qrels), qrels["doc_id"], strict=True)
    qrels = qrels[[doc not in missing.get(key, ()) for key, doc in judgments]]
    qrels = qrels.assign(intent_id=[renamed.get(key, key[1]) for key in keys_of(qrels)])
    notes = [
        f"judged label {key[1]!r} of topic {key[0]} is {label!r} of the hierarchy" for key, label in renamed.items()
    ]
    if unmatched:
        notes.append(f"{len(unmatched)} intents of {iprob.name} have no label and no relevant document")
        rows = [(intent.query, f"sls.{intent.integer}", None, intent.probability, 2) for intent in unmatched]
        added = pd.DataFrame(rows, columns=intents.columns).astype({"parent_id": object})
        intents = pd.concat([intents, added], ignore_index=True)
    lost = ", ".join(
        f"{doc!r} of {label!r} of topic {query}" for (query, label), docs in missing.items() for doc in sorted(docs)
    )
    repairs = [f"relevant documents that {dqrels.name} lacks were left out: {lost}"] if missing else []
    return Completed(intents, qrels, notes, repairs)


class Completed(NamedTuple):
    """Intents with probabilities, their judgments, notes, and the repairs that were made."""

    intents: pd.DataFrame
    qrels: pd.DataFrame
    notes: list[str]
    repairs: list[str]


class NumberedIntent(NamedTuple):
    """An intent of Iprob and Dqrels, where an integer is its id."""

    query: str
    integer: str
    probability: float
    docs: GradedDocs


def read_numbered_intents(iprob: Path, dqrels: Path, topics: Container[str]) -> list[NumberedIntent]:
    """Read the intents of these topics from Iprob and Dqrels; those of another language have other topics."""
    relevant = _relevant_documents(read_ntcir_qrels(dqrels))
    rows = read_intents(iprob)[["query_id", "intent_id", "probability"]].itertuples(index=False, name=None)
    return [NumberedIntent(query, i, p, relevant[query, i]) for query, i, p in rows if query in topics]


def _pop_match(
    unmatched: list[NumberedIntent], query: str, docs: GradedDocs, probability: float | None = None
) -> NumberedIntent | None:
    """Remove and return the first intent of a topic with these documents and, if given, this probability."""
    for intent in unmatched:
        same_probability = probability is None or abs(intent.probability - probability) < _ROUNDING
        if intent.query == query and intent.docs == docs and same_probability:
            unmatched.remove(intent)
            return intent
    return None


def _pop_part(
    unmatched: list[NumberedIntent], query: str, docs: GradedDocs, probability: float
) -> NumberedIntent | None:
    """Remove and return the intent of a topic with this probability and the most of these documents, and no others."""
    parts = [
        intent
        for intent in unmatched
        if intent.query == query and intent.docs < docs and abs(intent.probability - probability) < _ROUNDING
    ]
    part = max(parts, key=lambda intent: len(intent.docs), default=None)
    if part is not None:
        unmatched.remove(part)
    return part


def _relevant_documents(qrels: pd.DataFrame) -> defaultdict[Key, GradedDocs]:
    """Return the relevant documents of each intent with their grades; none for an unknown intent."""
    found: defaultdict[Key, set[tuple[str, int]]] = defaultdict(set)
    relevant = qrels[qrels["relevance"] > 0]
    for key, doc, grade in zip(keys_of(relevant), relevant["doc_id"], relevant["relevance"], strict=True):
        found[key].add((doc, int(grade)))
    return defaultdict(frozenset, {key: frozenset(docs) for key, docs in found.items()})


def keys_of(frame: pd.DataFrame) -> Iterable[Key]:
    """Return the ids of topic and intent of each row."""
    return zip(frame["query_id"], frame["intent_id"], strict=True)
