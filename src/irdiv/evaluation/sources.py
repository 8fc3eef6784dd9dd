"""What an evaluation keeps of the qrels and runs that it was computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import ir_measures

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import OrderedRun, Ties
from irdiv.arrays.run_checks import unjudged_topics
from irdiv.arrays.run_groups import OrderedRuns
from irdiv.errors import IrdivError
from irdiv.evaluation.note_facts import NoteOptions, qrels_facts, run_facts
from irdiv.evaluation.notes import write_notes
from irdiv.progress import progress_bar

Ordered = TypeVar("Ordered", OrderedRun, OrderedRuns)

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
        cut_at: int | None,
    ) -> None:
        self.collection, self.runs, self.measures = collection, runs, measures
        self.cut_at = cut_at
        """How many documents of a topic were kept, if some run has more; None if all were."""
        self.options = NoteOptions.of(measures, ties)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is normal in the qrels and runs but matters for their values."""
        runs = progress_bar(self.runs, "run", description="notes on runs")
        facts = {name: run_facts(self.runs[name], self.options, count_unjudged=True) for name in runs}
        return write_notes([qrels_facts(self.collection, self.options)], facts, self.unjudged_topics, self.options)

    @property
    def unjudged_topics(self) -> set[str]:
        """The topics of runs that are not in the qrels."""
        return {topic for run in self.runs.values() for topic in unjudged_topics(run)}

    def require_documents(self, count: int | None, purpose: object) -> None:
        """Raise an error unless the first documents of each topic, or all for None, are kept; a purpose needs them."""
        if self.cut_at is not None and (count is None or count > self.cut_at):
            needed = "all documents" if count is None else f"the first {count} documents"
            raise IrdivError(
                f"{purpose} needs {needed} of a topic, but the evaluation kept {self.cut_at}, since all its measures "
                f"have cutoffs: use a cutoff up to {self.cut_at}, or evaluate one without a cutoff too, such as AP."
            )


def kept_depth(depth: int | None) -> int | None:
    """Return how many documents of a topic are kept of runs of which measures see the first ``depth``, None for all."""
    # One more than measures see, since it may have the score of the last.
    return None if depth is None else max(depth + 1, KEPT_DEPTH)


def kept_documents(run: Ordered, depth: int | None) -> Ordered:
    """Return what is kept of one or several runs of which measures see the first ``depth`` documents, all for None."""
    kept = kept_depth(depth)
    return run if kept is None else run.first(kept)
