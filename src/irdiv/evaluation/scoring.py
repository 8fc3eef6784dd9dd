"""From tables of runs to values: runs are ordered, checked and scored."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from irdiv.core.collection import Collection
from irdiv.core.run_checks import RunFindings, check
from irdiv.core.runs import Duplicates, Runs, Ties, order
from irdiv.errors import IrdivError, examples, prefix_errors_with_run
from irdiv.evaluation.notes import NoteOptions, qrels_facts, run_facts, write_notes
from irdiv.io.checked import RunColumns
from irdiv.measures.measure import Measure
from irdiv.measures.scoring import require_intents, uses_judged_only
from irdiv.measures.scoring import score as score_by_irdiv
from irdiv.measures.spec import irdiv_equivalent
from irdiv.progress import progress_bar
from irdiv.types import Floats, Objects

KEPT_DEPTH = 100
"""How many documents of a topic are kept, at least, if all measures have a cutoff; else all are."""


class RunTable(NamedTuple):
    """The rows of one or several runs, which are read when it is their turn."""

    read: Callable[[], RunColumns]
    name: str | None = None
    """The name of the run in errors; None where it is the only one, or where the rows name their runs."""
    remedy: Callable[[], str] = str
    """What an error about repeated documents recommends first."""


@dataclass
class Scored:
    """Values of runs, and the qrels and runs that they were computed from."""

    collection: Collection
    measures: Sequence[ir_measures.Measure]
    ties: Ties
    depth: int | None
    """How many documents the measures see, None for all."""
    values: Floats = field(init=False, repr=False)
    """Values as ``[run, measure, topic]``."""
    runs: dict[str, Runs] = field(default_factory=dict)
    """The first documents of each run."""
    findings: dict[str, list[RunFindings]] = field(default_factory=dict)
    """What may be a mistake in each run; none for a part of a run that has no topic."""
    cut_at: int | None = None
    """How many documents of a topic were kept, if some run has more; None if all were."""

    @property
    def unjudged_topics(self) -> set[str]:
        """The topics of runs that are not in the qrels."""
        return {topic for run in self.runs.values() for topic in run.unjudged_topics()}

    def missing_topics(self) -> dict[str, Objects]:
        """Return the topics that each run lacks."""
        return {name: run.missing_topics() for name, run in self.runs.items()}

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is normal in the qrels and runs but matters for their values."""
        options = NoteOptions(self.measures, self.ties)
        runs = progress_bar(self.runs, "run", description="notes on runs")
        facts = {name: run_facts(self.runs[name], options) for name in runs}
        return write_notes(qrels_facts(self.collection, options), facts, self.unjudged_topics, options)

    def require_documents(self, count: int | None, purpose: object) -> None:
        """Raise an error unless the first documents of each topic, or all for None, are kept; a purpose needs them."""
        if self.cut_at is not None and (count is None or count > self.cut_at):
            needed = "all documents" if count is None else f"the first {count} documents"
            raise IrdivError(
                f"{purpose} needs {needed} of a topic, but the evaluation kept {self.cut_at}, since all its measures "
                f"have cutoffs: use a cutoff up to {self.cut_at}, or evaluate one without a cutoff too, such as AP."
            )


def score(
    collection: Collection,
    tables: Iterable[RunTable],
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    duplicates: Duplicates,
    *,
    is_part: bool = False,
) -> Scored:
    """Order, check and score runs by measures of irdiv and ir_measures.

    With ``is_part`` the collection has only some of the topics, of which a run may lack all.
    """
    computed = [irdiv_equivalent(measure) or measure for measure in measures]
    own = {i: measure for i, measure in enumerate(computed) if isinstance(measure, Measure)}
    others = {i: measure for i, measure in enumerate(computed) if i not in own}
    require_intents(collection, list(own.values()))
    evaluator = _evaluator(collection, list(others.values())) if others else None
    scored = Scored(collection, measures, ties, seen_depth(computed))
    # One more than measures see, since it may have the score of the last.
    kept_depth = None if scored.depth is None else max(scored.depth + 1, KEPT_DEPTH)
    parts = []
    for table in tables:
        with prefix_errors_with_run(table.name):
            columns = table.read()
            runs = order(collection, columns, ties, duplicates, is_part=is_part, remedy=table.remedy)
        values = np.zeros((len(runs), len(measures), len(collection.topics)))
        values[:, list(own)] = score_by_irdiv(runs, list(own.values()))
        if evaluator is not None:
            for index, run in enumerate(runs):
                values[index, list(others)] = _score_by_ir_measures(evaluator, run, list(others.values()))
        parts.append(values)
        kept = runs if kept_depth is None else runs.first(kept_depth)
        scored.cut_at = scored.cut_at if kept is runs else kept_depth
        scored.runs.update(zip(runs.names, kept, strict=True))
        has_rows = runs.lengths().sum(axis=1) > 0
        for name, found, has_some in zip(runs.names, check(runs, scored.depth), has_rows, strict=True):
            scored.findings[name] = [found] if has_some else []
    scored.values = np.concatenate(parts)
    return scored


def seen_depth(measures: Iterable[ir_measures.Measure]) -> int | None:
    """Return the largest cutoff of the measures, or None if one of them sees all documents."""
    cutoffs = []
    for measure in measures:
        # Documents that nobody judged are left out before the cutoff.
        condenses = uses_judged_only(measure) if isinstance(measure, Measure) else measure.params.get("judged_only")
        cutoffs.append(None if condenses else measure.params.get("cutoff"))
    return None if None in cutoffs else max(filter(None, cutoffs))


def _evaluator(collection: Collection, measures: Sequence[ir_measures.Measure]) -> ir_measures.providers.Evaluator:
    topic, doc, grade = collection.adhoc_judgments()
    ids = {"query_id": collection.topics[topic], "doc_id": np.asarray(doc, dtype=object)}
    try:
        return ir_measures.evaluator(measures, pd.DataFrame({**ids, "relevance": grade}))
    except (AssertionError, TypeError, ValueError, RuntimeError) as error:
        raise IrdivError(f"ir_measures cannot compute one of {examples(map(str, measures))}: {error}") from error


def _score_by_ir_measures(
    evaluator: ir_measures.providers.Evaluator, run: Runs, measures: Sequence[ir_measures.Measure]
) -> Floats:
    """Return the values of measures of ir_measures, ``[measure, topic]``."""
    values = np.zeros((len(measures), len(run.collection.topics)))
    if len(run.row) == 0:
        return values
    index = {measure: i for i, measure in enumerate(measures)}
    try:
        for metric in evaluator.iter_calc(_frame_for_ir_measures(run)):
            values[index[metric.measure], run.collection.topic_index[metric.query_id]] = metric.value
    except subprocess.CalledProcessError as error:
        raise IrdivError(
            f"ir_measures cannot compute one of {examples(map(str, measures))}: {error.cmd[0]} failed with exit status "
            f"{error.returncode}. gdeval takes only numbers as topic ids and grades up to 4; nDCG(gain='exp')@k takes "
            "any."
        ) from error
    return values


def _frame_for_ir_measures(run: Runs) -> pd.DataFrame:
    """Return the run for ir_measures, with other scores where its own would be equal in single precision.

    Programs behind ir_measures order equal scores each in its own way, and trec_eval reads single precision.
    """
    topic, score = run.topic, -run.keys()
    with np.errstate(over="ignore"):  # larger scores are infinite there, and so equal
        single = score.astype(np.float32)
    if ((topic[1:] == topic[:-1]) & (single[1:] == single[:-1])).any():
        score = np.searchsorted(topic, topic, side="right") - np.arange(len(topic), dtype=np.float64)
    doc_ids = np.asarray(run.docs(), dtype=object)
    return pd.DataFrame({"query_id": run.collection.topics[topic], "doc_id": doc_ids, "score": score})
