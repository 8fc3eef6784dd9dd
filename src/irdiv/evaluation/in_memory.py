"""Scores of runs in memory, given by name or together in one frame."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import ir_measures
import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, OrderedRun, Ties
from irdiv.arrays.run_checks import (
    RunFindings,
    check_run,
    missing_topics,
    warn_about_missing_topics,
    warn_about_runs,
)
from irdiv.arrays.run_groups import check_runs
from irdiv.errors import prefix_errors_with_run
from irdiv.evaluation.note_facts import qrels_facts
from irdiv.evaluation.notes import warn_about_unjudged_intents
from irdiv.evaluation.scoring import Scorer
from irdiv.evaluation.sources import Sources, kept_depth, kept_documents
from irdiv.frames.inputs import RunLike
from irdiv.frames.prefetch import prefetch
from irdiv.frames.run_column import RunsFrame
from irdiv.frames.runs import read_in_thread
from irdiv.progress import progress_bar, progress_counter
from irdiv.types import Floats

GROUP_ROWS = 1_000_000
"""How many rows of a frame of many runs are scored at once; it bounds memory and changes no value."""


class ScoredRuns(NamedTuple):
    """Values of runs, and what they were computed from."""

    values: Floats
    """As ``[run, measure, topic]``."""
    sources: Sources


def score_named_runs(
    collection: Collection,
    named: Mapping[str, RunLike],
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    duplicates: Duplicates,
) -> ScoredRuns:
    """Score runs one by one, while the next is read."""
    scorer = Scorer(collection, measures, ties, duplicates)
    values = np.zeros((len(named), len(measures), len(collection.topics)))
    # A thread takes longer to start than a small frame to score.
    has_next_file = any(isinstance(run, str | os.PathLike) for run in list(named.values())[1:])
    read = prefetch(read_in_thread, named.values(), workers=1) if has_next_file else map(read_in_thread, named.values())
    kept: dict[str, OrderedRun] = {}
    findings: dict[str, list[RunFindings]] = {}
    is_cut = False
    for index, name in enumerate(progress_bar(named, "run")):
        shown_name = name if len(named) > 1 else None
        with prefix_errors_with_run(shown_name):
            ordered = scorer.order(next(read))
        values[index] = scorer.score(ordered)
        kept[name] = kept_documents(ordered, scorer.depth)
        is_cut |= kept[name] is not ordered
        findings[name] = [check_run(ordered, scorer.depth)]
    warn_about_runs(findings, scorer.depth)
    return ScoredRuns(values, _keep(collection, kept, measures, ties, kept_depth(scorer.depth) if is_cut else None))


def score_frame_of_runs(
    collection: Collection,
    frame: RunsFrame,
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    duplicates: Duplicates,
) -> ScoredRuns:
    """Score the runs of a frame some at a time, all of these at once."""
    scorer = Scorer(collection, measures, ties, duplicates)
    values = np.zeros((len(frame.names), len(measures), len(collection.topics)))
    kept: dict[str, OrderedRun] = {}
    findings: dict[str, list[RunFindings]] = {}
    is_cut = False
    with progress_counter(len(frame.names), "run") as advance:
        for group in frame.groups(GROUP_ROWS):
            ordered = scorer.order_runs(group, is_one=len(frame.names) == 1)
            values[len(kept) : len(kept) + len(group.names)] = scorer.score_runs(ordered)
            kept_runs = kept_documents(ordered, scorer.depth)
            is_cut |= kept_runs is not ordered
            findings |= {
                name: [found] for name, found in zip(group.names, check_runs(ordered, scorer.depth), strict=True)
            }
            kept |= dict(zip(group.names, kept_runs, strict=True))
            advance(len(group.names))
    warn_about_runs(findings, scorer.depth)
    return ScoredRuns(values, _keep(collection, kept, measures, ties, kept_depth(scorer.depth) if is_cut else None))


def _keep(
    collection: Collection,
    runs: Mapping[str, OrderedRun],
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    cut_at: int | None,
) -> Sources:
    """Return the sources of an evaluation; warn where many of their ids have no counterpart."""
    sources = Sources(collection, runs, measures, ties, cut_at)
    missing = {name: missing_topics(run) for name, run in runs.items()}
    warn_about_missing_topics(missing, len(collection.topics), lambda: sources.unjudged_topics)
    if sources.options.counts_all:
        warn_about_unjudged_intents([qrels_facts(collection, sources.options)], sources.options)
    return sources
