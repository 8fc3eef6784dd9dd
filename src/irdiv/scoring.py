"""Measures of ours on a run of a collection: the one way from arrays to values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irdiv.arrays.ranking import Ordered, Scene
from irdiv.kernels.lists import Floats
from irdiv.measures.declaration import Measure


def score(run: Ordered, measures: Sequence[Measure]) -> Floats:
    """Return values as ``[measure, topic]``."""
    collection = run.collection
    for measure in measures:
        if measure.declaration.needs_intents:
            collection.require_intents(measure)
    out = np.zeros((len(measures), len(collection.topics)))
    for judged_only in (False, True):
        mine = [i for i, m in enumerate(measures) if _looks_at_judged_only(m) is judged_only]
        if not mine:
            continue
        depths = [measures[i].cutoff for i in mine]
        depth = None if None in depths else max(d for d in depths if d is not None)
        ranking = run.ranking(judged_only=judged_only, depth=depth)
        for block in collection.blocks:
            scene = Scene.of(block, ranking)
            for i in mine:
                m = measures[i]
                out[i, block.start : block.stop] = m.declaration.score(scene, m.values(), m.cutoff)
    return out


def _looks_at_judged_only(measure: Measure) -> bool:
    return measure.declaration.condensed or measure.values().get("judged_only", False)
