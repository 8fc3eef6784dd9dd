"""Scores of all rankings at once, by the kernels that score runs: one topic, and a list for each ranking."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np
import pandas as pd

from irdiv.core.block import Block, blocks_of
from irdiv.core.collection import Collection
from irdiv.errors import IrdivError
from irdiv.intents.folding import with_intents
from irdiv.io.tables import IntentsLike
from irdiv.measures.measure import Measure
from irdiv.measures.spec import TREC_EVAL_NAMES, irdiv_equivalent
from irdiv.progress import progress_slices
from irdiv.properties.rankings import Rankings
from irdiv.types import Floats, Ints

BATCH_SIZE = 50_000
"""How many rankings are scored at once; it bounds memory and changes no value."""


def make_collection(
    rankings: Rankings,
    probabilities: Sequence[float] | None = None,
    types: Sequence[str] | None = None,
    tree: IntentsLike | None = None,
) -> tuple[Collection, Ints]:
    """Return a topic with enough relevant documents of each label for any ranking, and the rows of these documents.

    The rows, those of the topic's grades, are ``[label − 1, n-th document]``.
    """
    doc_ids = [[f"{label:03}-{n:03}" for n in range(rankings.max_length)] for label in rankings.relevant_labels]
    judgments = [
        ("1", f"i{rankings.aspect_of(label)}", doc_id, int(rankings.grade_of(label)))
        for label, of_label in zip(rankings.relevant_labels, doc_ids, strict=True)
        for doc_id in of_label
    ]
    qrels = pd.DataFrame(judgments, columns=["query_id", "intent_id", "doc_id", "relevance"])
    intent_table = pd.DataFrame({"query_id": "1", "intent_id": [f"i{aspect}" for aspect in range(rankings.aspects)]})
    for column, given in (("probability", probabilities), ("type", types)):
        if given is not None:
            if len(given) != rankings.aspects:
                raise IrdivError(
                    f"{len(given)} values of {column} are given for {rankings.aspects} aspects; give one for each."
                )
            intent_table[column] = pd.Series(list(given))
    if len(intent_table.columns) > 2:
        qrels = with_intents(qrels, intent_table)
    if tree is not None:
        qrels = with_intents(qrels, tree)
    collection = Collection(qrels)
    in_order = collection.relevant_doc_ids(np.arange(len(blocks_of(collection)[0].grades) - 1))
    row_of = {doc_id: row for row, doc_id in enumerate(in_order.to_pylist())}
    return collection, np.array([[row_of[doc_id] for doc_id in of_label] for of_label in doc_ids])


def score_rankings(
    rankings: Rankings, measures: Sequence[ir_measures.Measure], collection: Collection, rows: Ints
) -> Floats:
    """Return the scores of all rankings, ``[measure, ranking]``; collection and rows are of `make_collection`."""
    scores = np.empty((len(measures), len(rankings)))
    for batch in progress_slices(len(rankings), BATCH_SIZE, "ranking"):
        block = _ranked_block(rankings, batch, collection, rows)
        for index, measure in enumerate(measures):
            scores[index, batch] = _score(measure, block)
    return scores


def _ranked_block(rankings: Rankings, batch: slice, collection: Collection, rows: Ints) -> Block:
    """Return some rankings as lists of the collection's documents, as if each were a topic."""
    topics, length = blocks_of(collection)[0], rankings.max_length
    labels = rankings.labels[batch]
    hit = labels > 0
    # The n-th time a label occurs, it is another document.
    nth = np.zeros(labels.shape, dtype=np.int64)
    for label in rankings.relevant_labels:
        has_label = labels == label
        nth[has_label] = (np.cumsum(has_label, axis=1) - 1)[has_label]
    row = np.where(hit, rows[np.maximum(labels - 1, 0), nth], len(topics.grades) - 1)
    rank = np.where(hit, np.arange(1, length + 1), length + 1)
    hits_first = np.argsort(~hit, axis=1, kind="stable")
    return Block(
        topics,
        np.take_along_axis(rank, hits_first, axis=1),
        np.take_along_axis(row, hits_first, axis=1),
        length,
        rankings.lengths[batch],
    )


def _score(measure: ir_measures.Measure, block: Block) -> Floats:
    scored = measure if isinstance(measure, Measure) else irdiv_equivalent(measure)
    if scored is None:
        names = ", ".join(TREC_EVAL_NAMES)
        raise IrdivError(f"{measure} cannot be analyzed case by case; give a measure of irdiv, or one of {names}.")
    return scored.declaration.score(block, scored.parameter_values(), scored.cutoff)
