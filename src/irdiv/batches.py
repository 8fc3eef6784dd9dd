"""Evaluation of qrels and runs of any size, some topics at a time, with the values of all at once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irdiv.arrays.collection import Collection, warn_of_bare_topics
from irdiv.arrays.ranking import Duplicates, Ties, no_topic_in_common
from irdiv.errors import about_run
from irdiv.frames.buckets import Buckets, Plan, Source
from irdiv.frames.columns import QrelsLike, RunLike, qrels_columns
from irdiv.frames.ids import Ids, concatenated, natural_order
from irdiv.kernels.lists import Floats
from irdiv.measures.adhoc import stand_in
from irdiv.measures.declaration import Measure
from irdiv.scoring import Scorer
from irdiv.threads import WORKERS, ahead

ROWS_AT_ONCE = 500_000
_ROWS_IF_UNKNOWN = 64 * ROWS_AT_ONCE


class Part(NamedTuple):
    """What the topics of one bucket gave."""

    topics: Ids
    bare: list[str]
    """Topics without a relevant document."""
    values: Floats
    """As ``[run, measure, topic]``."""
    found: list[int]
    """How many rows of each run belong to these topics."""


class Batches:
    """Qrels and runs in temporary files, dealt by topic."""

    def __init__(self, qrels: QrelsLike, runs: Mapping[str, RunLike], ties: Ties, rows: int, folder: Path) -> None:
        self._names = [name if len(runs) > 1 else None for name in runs]
        judged, ranked = Source(qrels, "qrels", "relevance"), []
        for name, run in zip(self._names, runs.values(), strict=True):
            with about_run(name):
                ranked.append(Source(run, "run", "rank" if ties == "rank" else "score"))
        known = [_ROWS_IF_UNKNOWN if source.rows is None else source.rows for source in (judged, *ranked)]
        plan = Plan(rows, max(known))
        self._judged, self._ranked = Buckets(judged, plan, folder / "qrels"), []
        for number, (name, source) in enumerate(zip(self._names, ranked, strict=True)):
            with about_run(name):
                self._ranked.append(Buckets(source, plan, folder / f"run {number}"))
        self.buckets = sorted(plan.buckets)

    def score(self, bucket: int, measures: Sequence[Any], ties: Ties, duplicates: Duplicates) -> Part:
        """Score the topics of a bucket."""
        table = self._judged.load(bucket)
        columns = qrels_columns(table)._replace(max_grade=self._judged.max_grade)
        collection = Collection.from_columns(columns)
        scorer = Scorer(collection, measures, ties, duplicates)
        values, found = np.zeros((len(self._ranked), len(measures), len(collection.topics))), []
        for number, (name, run) in enumerate(zip(self._names, self._ranked, strict=True)):
            with about_run(name):
                ordered = scorer.order(run.load(bucket), part=True)
                values[number] = scorer.score(ordered)
            found.append(len(ordered.topic))
        return Part(collection.topic_ids, collection.bare.tolist(), values, found)

    def refuse_strange_runs(self, parts: Sequence[Part], topics: Iterable[str]) -> None:
        """Refuse a run without any topic of the qrels."""
        for number, (name, run) in enumerate(zip(self._names, self._ranked, strict=True)):
            if not any(part.found[number] for part in parts):
                with about_run(name):
                    raise no_topic_in_common(topics, run.some_topics)


def evaluate_in_batches(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Sequence[Any],
    ties: Ties,
    duplicates: Duplicates,
    rows: int,
) -> tuple[NDArray[np.object_], Floats]:
    """Return topics in natural order, and values as ``[run, measure, topic]``.

    All rows are dealt by topic into buckets, in temporary files, and scored bucket by bucket, a few of them at a
    time. Each holds about ``rows`` rows of the qrels, and those of one run for the same topics.
    """
    with tempfile.TemporaryDirectory(prefix="irdiv-") as folder:
        batches = Batches(qrels, runs, ties, rows, Path(folder))
        # Other programs may keep values in global variables.
        ours = all(isinstance(stand_in(measure) or measure, Measure) for measure in measures)
        score = partial(batches.score, measures=measures, ties=ties, duplicates=duplicates)
        parts = list(ahead(score, batches.buckets, WORKERS if ours else 1))
    ids = concatenated([part.topics for part in parts])
    natural = natural_order(ids)
    topics = np.asarray(ids.take(natural), dtype=object)
    batches.refuse_strange_runs(parts, topics)
    bare = {topic for part in parts for topic in part.bare}
    warn_of_bare_topics([topic for topic in topics if topic in bare] if bare else [], len(topics))
    return topics, np.concatenate([part.values for part in parts], axis=2)[:, :, natural]
