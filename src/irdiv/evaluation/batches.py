"""Evaluation of qrels and runs of any size, some topics at a time, with the same values as all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import ir_measures
import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ties, no_common_topic_error
from irdiv.arrays.run_checks import RunFindings, check_run, missing_topics, warn_about_missing_topics, warn_about_runs
from irdiv.errors import prefix_errors_with_run
from irdiv.evaluation.note_facts import NoteOptions, QrelsFacts, RunFacts, add_run_facts, qrels_facts, run_facts
from irdiv.evaluation.notes import warn_about_unjudged_intents, write_notes
from irdiv.evaluation.scoring import Scorer
from irdiv.files import TemporaryFile
from irdiv.frames.allocator import system_allocator
from irdiv.frames.buckets import BucketPlan, Load, TopicBuckets
from irdiv.frames.checked import qrels_columns
from irdiv.frames.grouped import GroupedRows, find_groups
from irdiv.frames.ids import Ids, concatenate_ids, natural_argsort
from irdiv.frames.inputs import QrelsLike, RunLike
from irdiv.frames.prefetch import WORKERS, prefetch
from irdiv.frames.sources import RowSource
from irdiv.measures.measure import Measure
from irdiv.measures.trec_eval import irdiv_equivalent
from irdiv.progress import progress_bar, progress_counter
from irdiv.types import Floats, Objects

DEFAULT_BATCH_ROWS = 250_000
_ROWS_IF_UNKNOWN = 128 * DEFAULT_BATCH_ROWS
_MOST_GROUPED = 8
Buckets: TypeAlias = TopicBuckets | GroupedRows


class BucketScores(NamedTuple):
    """Values for the topics of one bucket."""

    topics: Ids
    values: Floats
    """As ``[run, measure, topic]``."""
    findings: list[RunFindings | None]
    """What may be a mistake in each run; None for a run without these topics."""
    depth: int | None
    """How many documents the measures see, None for all."""
    qrels_facts: QrelsFacts
    run_facts: list[RunFacts]
    missing: list[Objects]
    """The topics that each run lacks."""


class PartitionedInput:
    """Qrels and runs, partitioned by topic into buckets.

    Rows that are grouped by topic are read twice: first for their topics, then bucket by bucket. Others are written to
    a temporary file, from which buckets are read.
    """

    def __init__(
        self, qrels: QrelsLike, runs: Mapping[str, RunLike], ties: Ties, rows: int, file: TemporaryFile
    ) -> None:
        self._names = [name if len(runs) > 1 else None for name in runs]
        judged, ranked = RowSource(qrels, "qrels"), []
        for name, run in zip(self._names, runs.values(), strict=True):
            with prefix_errors_with_run(name):
                ranked.append(RowSource(run, "run", ties))
        rows_of_each = [
            _ROWS_IF_UNKNOWN if source.row_count is None else source.row_count for source in (judged, *ranked)
        ]
        plan = BucketPlan(rows, max(rows_of_each))
        groups = find_groups(judged)
        self._judged: Buckets
        self._judged = (
            TopicBuckets(judged, plan, file) if groups is None else GroupedRows.of_qrels(judged, groups, rows)
        )
        self._ranked: list[Buckets] = []
        for name, source in progress_bar(list(zip(self._names, ranked, strict=True)), "run"):
            with prefix_errors_with_run(name):
                # Each run that is read in order holds some of its rows in memory.
                too_many = len(ranked) > _MOST_GROUPED
                grouped = None if groups is None or too_many else GroupedRows.of_run(source, groups, rows)
                if groups is not None and grouped is None:
                    plan.assign(groups.topics, groups.row_counts, contiguous=True)
                self._ranked.append(grouped or TopicBuckets(source, plan, file))
            source.warn_if_several_runs()
        self._buckets = sorted(plan.buckets) if groups is None else np.unique(groups.buckets(rows)).tolist()
        self.topic_count = plan.topic_count if groups is None else len(groups.topics)
        self._max_grade = self._judged.totals.max_grade

    def loads(self) -> Iterator[tuple[Load, ...]]:
        """Yield functions for each bucket, which load the rows of the qrels and of each run."""
        return zip(*(source.loads(self._buckets) for source in (self._judged, *self._ranked)), strict=True)

    def score(
        self, loads: tuple[Load, ...], measures: Sequence[ir_measures.Measure], ties: Ties, duplicates: Duplicates
    ) -> BucketScores:
        """Return the values of all runs for the topics of a bucket."""
        load_qrels, *load_runs = loads
        columns = qrels_columns(load_qrels())._replace(max_grade=self._max_grade)
        collection = Collection.from_columns(columns)
        scorer = Scorer(collection, measures, ties, duplicates)
        values = np.zeros((len(self._ranked), len(measures), len(collection.topics)))
        options = NoteOptions.of(measures, ties)
        findings: list[RunFindings | None] = []
        facts: list[RunFacts] = []
        missing: list[Objects] = []
        for index, (name, load) in enumerate(zip(self._names, load_runs, strict=True)):
            with prefix_errors_with_run(name):
                ordered = scorer.order(load(), is_part=True)
            values[index] = scorer.score(ordered)
            findings.append(check_run(ordered, scorer.depth) if len(ordered.topic) else None)
            # The index of all judged documents would take longer than everything else.
            facts.append(run_facts(ordered, options, count_unjudged=False))
            missing.append(missing_topics(ordered))
        return BucketScores(
            collection.topic_ids, values, findings, scorer.depth, qrels_facts(collection, options), facts, missing
        )

    def unjudged_topics(self) -> set[str]:
        """Return the topics of runs that are not in the qrels."""
        return {topic for run in self._ranked for topic in run.unjudged_topics}

    def check_runs(self, parts: Sequence[BucketScores], topics: Iterable[str]) -> None:
        """Raise an error for a run without any topic of the qrels, and warn about what may be a mistake in others."""
        findings = {}
        for index, (name, run) in enumerate(zip(self._names, self._ranked, strict=True)):
            of_run = [found for part in parts if (found := part.findings[index]) is not None]
            if not of_run:
                with prefix_errors_with_run(name):
                    raise no_common_topic_error(topics, run.totals.sample_topics)
            findings[name or "run"] = of_run
        warn_about_runs(findings, parts[0].depth)
        missing = {name: np.concatenate([part.missing[index] for part in parts]) for index, name in enumerate(findings)}
        warn_about_missing_topics(missing, self.topic_count, self.unjudged_topics)


def evaluate_in_batches(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    duplicates: Duplicates,
    rows: int,
) -> tuple[Objects, Floats, tuple[str, ...]]:
    """Return topics in natural order, values as ``[run, measure, topic]``, and notes.

    All rows are partitioned by topic into buckets, and a few buckets are scored at a time. Each holds about
    ``rows`` rows of the qrels, and the rows of one run for the same topics.
    """
    with system_allocator(), TemporaryFile() as file:
        partitioned = PartitionedInput(qrels, runs, ties, rows, file)
        # Programs behind ir_measures may keep values in global variables, so that they run in one thread.
        is_thread_safe = all(isinstance(irdiv_equivalent(measure) or measure, Measure) for measure in measures)
        score = partial(partitioned.score, measures=measures, ties=ties, duplicates=duplicates)
        parts = []
        with progress_counter(partitioned.topic_count, "topic") as advance:
            for part in prefetch(score, partitioned.loads(), WORKERS if is_thread_safe else 1):
                parts.append(part)
                advance(len(part.topics))
    ids = concatenate_ids([part.topics for part in parts])
    natural = natural_argsort(ids)
    topics = np.asarray(ids.take(natural), dtype=object)
    partitioned.check_runs(parts, topics)
    facts = {name: add_run_facts([part.run_facts[index] for part in parts]) for index, name in enumerate(runs)}
    qrels_parts, options = [part.qrels_facts for part in parts], NoteOptions.of(measures, ties)
    warn_about_unjudged_intents(qrels_parts, options)
    notes = write_notes(qrels_parts, facts, partitioned.unjudged_topics(), options)
    return topics, np.concatenate([part.values for part in parts], axis=2)[:, :, natural], notes
