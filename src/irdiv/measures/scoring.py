"""Values of irdiv's measures for runs: the one way from arrays to values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irdiv.core.block import blocks_of
from irdiv.core.collection import Collection
from irdiv.core.runs import Runs
from irdiv.errors import IrdivError
from irdiv.measures.measure import Measure
from irdiv.progress import progress_counter
from irdiv.types import Floats


def score(runs: Runs, measures: Sequence[Measure]) -> Floats:
    """Return the values of irdiv's measures for runs, ``[run, measure, topic]``."""
    collection = runs.collection
    require_intents(collection, measures)
    values = np.zeros((len(runs), len(measures), len(collection.topics)))
    # With one block it would count all topics at once.
    total = len(runs) * len(collection.topics) if len(blocks_of(collection)) > 1 else 1
    for judged_only, depth, selected in _measures_by_ranking(measures):
        with progress_counter(total, "topic") as advance:
            for of_runs, block in runs.blocks(judged_only, depth):
                for i in selected:
                    m = measures[i]
                    found = m.declaration.score(block, m.parameter_values(), m.cutoff)
                    part = values[of_runs, i, block.topics.start : block.topics.stop]
                    part[...] = found.reshape(part.shape)
                advance(len(block.length))
    return values


def _measures_by_ranking(measures: Sequence[Measure]) -> Iterator[tuple[bool, int | None, list[int]]]:
    """Yield which measures see the ranking of all documents, then which that of judged ones, and to which depth."""
    for judged_only in (False, True):
        selected = [i for i, m in enumerate(measures) if uses_judged_only(m) is judged_only]
        if selected:
            cutoffs = [measures[i].cutoff for i in selected]
            depth = None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
            yield judged_only, depth, selected


def require_intents(collection: Collection, measures: Sequence[Measure]) -> None:
    """Raise an error if the qrels lack what a measure needs: intents, their importance, layers that its spec weighs."""
    for measure in measures:
        if measure.declaration.needs_intents:
            collection.require_intents(measure)
        if measure.declaration.needs_importance:
            collection.require_importance(measure)
        if collection.intent_parent is None:
            _refuse_options_of_layers(measure)


def _refuse_options_of_layers(measure: Measure) -> None:
    """Raise an error for a spec that says how to treat the layers of a hierarchy, which the qrels do not have."""
    given = measure.parameter_values()
    for name in ("layer_weights", "hierarchy"):
        if name in given and given[name] != measure.declaration.by_name[name].default:
            raise IrdivError(
                f"{measure} states {name}={given[name]!r}, but the qrels have no column 'parent_id', so all intents "
                "are in one layer; irdiv.with_intents adds parents from a table of intents."
            )


def uses_judged_only(measure: Measure) -> bool:
    """Return whether a measure leaves unjudged documents out of the ranking, and so may see all of it."""
    return measure.declaration.judged_documents_only or measure.parameter_values().get("judged_only", False)
