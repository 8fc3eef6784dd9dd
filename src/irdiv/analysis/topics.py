"""What measures see of topics: their intents, the grades of a run's documents, and the score of each intent alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.core.block import JudgedTopics
from irdiv.core.collection import Collection
from irdiv.core.runs import Runs
from irdiv.errors import IrdivError
from irdiv.io.ids import take_rows
from irdiv.measures.measure import Measure
from irdiv.types import Bools, Ints, Objects


class IntentOptions(NamedTuple):
    """Which intents count, and how their probabilities are scaled; fields are the parameters of measures."""

    rel: int = 1
    intents: str = "relevant"
    renormalize: bool = True

    @classmethod
    def of(cls, measure: Measure) -> IntentOptions:
        """Return the options of a measure, with defaults for parameters that it does not have."""
        params = measure.parameter_values()
        return cls(**{name: params[name] for name in cls._fields if name in params})


def intents_of_topic(collection: Collection, topic: int, options: IntentOptions) -> pd.DataFrame:
    """Return ``intent_id, probability, description`` of the intents that count in a topic, given by index.

    The index of the frame is that of intents among all of the topic. Descriptions may be None.
    """
    topics = JudgedTopics(collection, topic, topic + 1)
    counted = np.flatnonzero(topics.eligible_intents(options.rel, options.intents)[0])
    index = collection.intent_start[topic] + counted
    described = collection.intent_description
    description = [None] * len(index) if described is None else described[index]
    return pd.DataFrame(
        {
            "intent_id": collection.intents[index],
            "probability": topics.intent_weights(*options)[0, counted],
            "description": pd.Series(description, index=counted, dtype=object),
        },
        index=counted,
    ).astype({"intent_id": str})


class RankedDocuments(NamedTuple):
    """The first documents of a run for a topic."""

    doc_ids: list[str]
    is_judged: Bools
    grades: Ints
    """As ``[intent, rank]``, of all intents of the topic; 0 for documents that are not relevant or not judged."""


def ranked_documents(run: Runs, topic: int, cutoff: int) -> RankedDocuments:
    """Return the documents of a run for a topic, given by index, down to a cutoff."""
    collection = run.collection
    start, stop = np.searchsorted(run.topic, [topic, topic + 1])
    shown = slice(start, min(stop, start + cutoff))
    topic_of, hashes = run.topic[shown], run.hashes[shown]
    docs = take_rows(run.columns.doc, run.row[shown])
    topics = JudgedTopics(collection, topic, topic + 1)
    row = collection.find_relevant(topic_of, docs, hashes)
    # The last row of the grades holds zeros.
    grades = topics.grades[np.where(row < 0, len(topics.grades) - 1, row - topics.row_base)].T
    return RankedDocuments(docs.to_pylist(), collection.is_judged(topic_of, docs, hashes), grades)


def scores_by_intent(runs: Mapping[str, Runs], measure: Measure) -> pd.DataFrame:
    """Return ``run, query_id, intent_id, probability, value``: the scores that an M-IA measure averages over intents.

    There is a row for each intent that counts.
    """
    parts = [part.assign(run=name) for name, run in runs.items() for part in _scores_by_intent(run, measure)]
    columns = ["run", "query_id", "intent_id", "probability", "value"]
    return pd.concat(parts, ignore_index=True)[columns].astype(dict.fromkeys(columns[:3], str))


def _scores_by_intent(run: Runs, measure: Measure) -> Iterator[pd.DataFrame]:
    collection, params, options = run.collection, measure.parameter_values(), IntentOptions.of(measure)
    score = measure.declaration.score_by_intent
    if score is None:
        raise IrdivError(f"{measure} does not score intents one by one.")
    collection.require_intents(measure)
    for _, block in run.blocks(params.get("judged_only", False), measure.cutoff):
        topics, value = block.topics, score(block, params, measure.cutoff)
        topic, intent = np.nonzero(topics.eligible_intents(options.rel, options.intents))
        intent_ids: Objects = collection.intents[collection.intent_start[topics.start + topic] + intent]
        yield pd.DataFrame(
            {
                "query_id": collection.topics[topics.start + topic],
                "intent_id": intent_ids,
                "probability": topics.intent_weights(*options)[topic, intent],
                "value": value[topic, intent],
            }
        )
