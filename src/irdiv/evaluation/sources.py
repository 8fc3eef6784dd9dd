"""What an evaluation keeps of the qrels and runs that it was computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import ir_measures

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import OrderedRun, Ties
from irdiv.errors import IrdivError
from irdiv.evaluation.notes import NoteOptions, qrels_facts, run_facts, write_notes

KEPT_DEPTH = 100
"""How many documents of a topic are kept, at least, if all measures have a cutoff; else all are."""


class Sources:
    """The qrels and the first documents of the runs of an evaluation, in memory."""

    def __init__(
        self,
        collection: Collection,
        runs: Mapping[str, OrderedRun],
        measures: Sequence[ir_measures.Measure],
        ties: Ties,
        depth: int | None,
    ) -> None:
        self.collection, self.runs, self.measures = collection, runs, measures
        self.depth = depth
        """How many documents of a topic are kept; None if no run has more."""
        self._options = NoteOptions.of(measures, ties)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is normal in the qrels and runs but matters for their values."""
        runs = {name: run_facts(run, self._options, count_unjudged=True) for name, run in self.runs.items()}
        return write_notes([qrels_facts(self.collection, self._options)], runs, self._options)

    def require_documents(self, count: int | None, purpose: object) -> None:
        """Raise an error unless the first documents of each topic, or all for None, are kept; a purpose needs them."""
        if self.depth is not None and (count is None or count > self.depth):
            needed = "all documents" if count is None else f"the first {count} documents"
            raise IrdivError(
                f"{purpose} needs {needed} of a topic, but the evaluation keeps {self.depth}, since all its measures "
                f"have cutoffs: use a cutoff up to {self.depth}, or evaluate a measure without a cutoff too."
            )


def kept_documents(run: OrderedRun, depth: int | None) -> OrderedRun:
    """Return what is kept of a run of which measures see the first ``depth`` documents, all for None."""
    return run if depth is None else run.first(kept_depth(depth))


def kept_depth(depth: int) -> int:
    """Return how many documents of a topic are kept if measures see the first ``depth``."""
    # One more than measures see, since it may have the score of the last.
    return max(depth + 1, KEPT_DEPTH)
