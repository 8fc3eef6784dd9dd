"""Scores of all rankings at once, by the kernels that score runs: one topic, and a list for each ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Scene
from irdiv.errors import IrdivError
from irdiv.frames.intents import with_intents
from irdiv.kernels.lists import Floats, Ints
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Measure
from irdiv.measures.operators import graded_score
from irdiv.properties.rankings import Rankings

BATCH = 50_000
"""How many rankings are scored at once; it bounds memory and changes no value."""

_TREC_EVAL = {"nDCG": "nDCG", "AP": "AP", "P": "P", "RR": "RR", "R": "Recall", "Rprec": "Rprec", "Success": "Hit"}


def collection_of(
    space: Rankings, weights: Sequence[float] | None = None, types: Sequence[str] | None = None, tree: Any = None
) -> tuple[Collection, Ints]:
    """Return a topic with as many relevant documents for each label as a ranking is long, and their rows.

    The rows are ``[label, n-th document]``.
    """
    rows = [
        ("1", f"i{space.aspect(label)}", f"{label:03}-{number:03}", int(space.grade(label)))
        for label in space.relevant
        for number in range(space.depth)
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    facts = pd.DataFrame({"query_id": "1", "intent_id": [f"i{aspect}" for aspect in range(space.aspects)]})
    for name, given in (("probability", weights), ("type", types)):
        if given is not None:
            if len(given) != space.aspects:
                raise IrdivError(f"there are {space.aspects} aspects, but {len(given)} of {name} given.")
            facts[name] = pd.Series(list(given))
    if len(facts.columns) > 2:
        qrels = with_intents(qrels, facts)
    if tree is not None:
        qrels = with_intents(qrels, tree)
    collection = Collection(qrels)
    documents = collection.relevant_ids(np.arange(len(collection.blocks[0].grades) - 1))
    place = {doc: row for row, doc in enumerate(documents.to_pylist())}
    rows_of = [[place[f"{label:03}-{number:03}"] for number in range(space.depth)] for label in space.relevant]
    return collection, np.array(rows_of)


def scores(space: Rankings, measures: Sequence[Any], collection: Collection, rows: Ints) -> Floats:
    """Return the scores of all rankings, ``[measure, ranking]``."""
    out = np.empty((len(measures), len(space)))
    block = collection.blocks[0]
    for start in range(0, len(space), BATCH):
        part = slice(start, min(start + BATCH, len(space)))
        labels = space.labels[part]
        hit = labels > 0
        # The n-th time a label occurs, it is another document.
        nth = np.zeros(labels.shape, dtype=np.int64)
        for label in space.relevant:
            mine = labels == label
            nth[mine] = (np.cumsum(mine, axis=1) - 1)[mine]
        row = np.where(hit, rows[np.maximum(labels - 1, 0), nth], len(block.grades) - 1)
        rank = np.where(hit, np.arange(1, space.depth + 1), space.depth + 1)
        by_rank = np.argsort(~hit, axis=1, kind="stable")
        scene = Scene(
            block,
            np.take_along_axis(rank, by_rank, axis=1),
            np.take_along_axis(row, by_rank, axis=1),
            space.depth,
            space.length[part],
        )
        for number, measure in enumerate(measures):
            out[number, part] = _score(measure, scene)
    return out


def _score(measure: Any, scene: Scene) -> Floats:
    if isinstance(measure, Measure):
        values = measure.values()
        return measure.declaration.score(scene, values, measure.cutoff)
    return _of_trec_eval(measure, scene)


def _of_trec_eval(measure: ir_measures.Measure, scene: Scene) -> Floats:
    """Return a measure of trec_eval's by the base measure that equals it on ad hoc grades."""
    base = next((base for base in BASES if base.name == _TREC_EVAL.get(measure.NAME or "")), None)
    known = {"cutoff", "rel", "judged_only"}
    if base is None or set(measure.params) - known or measure.params.get("judged_only"):
        takes = ", ".join(_TREC_EVAL)
        raise IrdivError(f"{measure} has no place in a case analysis; give a measure of irdiv's, or one of {takes}.")
    values = {parameter.name: parameter.default for parameter in base.parameters}
    theirs = {"gain": "linear", "rel": measure.params.get("rel", 1)}
    values = {name: theirs.get(name, value) for name, value in values.items()}
    return graded_score(base, scene, values, measure.params.get("cutoff"), adhoc=True)[:, 0]
