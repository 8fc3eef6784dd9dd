"""What in a run may be a mistake: ranks that contradict scores, and documents that nobody judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, OrderedRun, Ties, order_run
from irdiv.errors import IrdivError, examples, prefix_errors_with_run, warn
from irdiv.frames.ids import Ids, natural_argsort, take_rows
from irdiv.frames.inputs import RunLike
from irdiv.frames.runs import named_runs
from irdiv.types import Hashes, Ints

RunsLike: TypeAlias = "RunLike | Mapping[str, RunLike] | OrderedRun | Mapping[str, OrderedRun]"
"""One run or a mapping from name to run; runs may be ordered already."""

_QUICK_LOOK = 100
"""How many first documents to look at before all: most runs have a relevant one among them."""


class RankContradiction(NamedTuple):
    """Topics in which the rank column of a run contradicts its scores."""

    topic_count: int
    topic: str
    """The first of them."""
    documents: str
    """Two documents of that topic, with ranks and scores."""


class RunFindings(NamedTuple):
    """What may be a mistake in a run, or in some topics of it."""

    contradiction: RankContradiction | None
    unjudged: str | None
    """Document ids of both sides if no document within the depth is judged, else None."""


def check_run(run: OrderedRun, depth: int | None) -> RunFindings:
    """Return what may be a mistake in a run with documents, of which measures see the first ``depth``, all for None."""
    return RunFindings(find_rank_contradiction(run), None if has_judged(run, depth) else _ids_of_both_sides(run))


_TIES_REMEDY = "give ties='rank' (on the command line, --ties rank)"
_SCORES_REMEDY = "make scores of the ranks, as in run.assign(score=-run['rank'])"


def order_checked_run(collection: Collection, run: RunLike, *, may_be_empty: bool = False) -> OrderedRun:
    """Return a run with its documents in order of score; warn about what may be a mistake in it."""
    ordered = order_run(collection, run, may_be_empty=may_be_empty)
    if len(ordered.topic):
        warn_about_run(None, None, [check_run(ordered, None)], _SCORES_REMEDY)
    return ordered


def order_checked_runs(
    collection: Collection,
    runs: RunsLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    depth: int | None = None,
) -> Iterator[tuple[str, OrderedRun]]:
    """Yield each run with its name and its documents in order; warn about what may be a mistake in it.

    Runs that are ordered already are not checked again. ``depth`` is how many documents are used, None for all.
    """
    named = cast("dict[str, RunLike | OrderedRun]", named_runs(cast("Mapping[str, RunLike]", runs)))
    for name, run in named.items():
        if isinstance(run, OrderedRun):
            if run.collection is not collection:
                raise IrdivError(f"run {name!r} was ordered for other qrels; give the run itself.")
            yield name, run
            continue
        shown_name = name if len(named) > 1 else None
        with prefix_errors_with_run(shown_name):
            ordered = order_run(collection, run, ties=ties, duplicates=duplicates)
        warn_about_run(shown_name, depth, [check_run(ordered, depth)])
        yield name, ordered


def warn_about_run(
    name: str | None, depth: int | None, parts: Sequence[RunFindings], remedy: str = _TIES_REMEDY
) -> None:
    """Warn about what was found in the parts of a run, in one warning for each kind of mistake."""
    prefix = "the run" if name is None else f"run {name!r}"
    contradictions = [part.contradiction for part in parts if part.contradiction is not None]
    if contradictions:
        count = sum(part.topic_count for part in contradictions)
        first = contradictions[natural_argsort([part.topic for part in contradictions])[0]]
        warn(
            f"{prefix} has ranks that contradict its scores in {count} topic{'s' if count != 1 else ''}, and is "
            f"ordered by score: in topic {first.topic!r}, {first.documents}. To order by rank, {remedy}."
        )
    unjudged = [part.unjudged for part in parts if part.unjudged is not None]
    if unjudged and len(unjudged) == len(parts):
        where = "" if depth is None else f" among the first {depth} of any topic"
        warn(f"{prefix} has no judged document{where}: {unjudged[0]}. Check that both use the same document ids.")


def find_rank_contradiction(run: OrderedRun) -> RankContradiction | None:
    """Return where a document has a higher score than another but a larger rank; ties may have any ranks."""
    if run.columns.rank is None:
        return None
    topic, rank = run.topic, take_rows(run.columns.rank, run.row)
    same_topic = topic[1:] == topic[:-1]
    if not (same_topic & (rank[1:] < rank[:-1])).any():
        return None
    key = take_rows(run.columns.key, run.row)
    start = np.flatnonzero(np.concatenate([[True], ~same_topic | (key[1:] != key[:-1])]))
    # If each tie has no smaller rank than the tie above, no two documents contradict each other.
    largest, smallest = np.fmax.reduceat(rank, start), np.fmin.reduceat(rank, start)
    contradicted = np.flatnonzero((topic[start[1:]] == topic[start[:-1]]) & (smallest[1:] < largest[:-1]))
    if len(contradicted) == 0:
        return None
    tie = contradicted[0]
    edges = np.append(start, len(topic))[tie : tie + 3]
    above = edges[0] + np.nanargmax(rank[edges[0] : edges[1]])
    below = edges[1] + np.nanargmin(rank[edges[1] : edges[2]])
    documents = (
        f"document {run.columns.doc[run.row[row]].as_py()!r} has rank {rank[row]:g} and score {-key[row]:g}"
        for row in (above, below)
    )
    return RankContradiction(
        len(np.unique(topic[start[contradicted]])), run.collection.topics[topic[above]], ", ".join(documents)
    )


def has_judged(run: OrderedRun, depth: int | None) -> bool:
    """Return whether any document of a run down to a depth is judged."""
    start = np.searchsorted(run.topic, np.arange(len(run.collection.topics)))
    if _has_relevant(run, start[start < len(run.topic)][:_QUICK_LOOK]):
        return True
    rows = np.arange(len(run.topic)) if depth is None else np.flatnonzero(run.ranks() <= depth)
    # The relevant documents first, since the index of all judged ones is seldom needed otherwise.
    return _has_relevant(run, rows) or run.collection.any_is_judged(*_pairs(run, rows))


def _has_relevant(run: OrderedRun, rows: Ints) -> bool:
    return bool((run.collection.find_relevant(*_pairs(run, rows)) >= 0).any())


def _pairs(run: OrderedRun, rows: Ints) -> tuple[Ints, Ids, Hashes]:
    """Return topic, document and hash of some rows of the ordered run."""
    return run.topic[rows], run.columns.doc.take(run.row[rows]), run.hashes[rows]


def _ids_of_both_sides(run: OrderedRun) -> str:
    judged = run.collection.judged_doc_ids(4)
    ranked = run.columns.doc.take(run.row[:4])
    return f"the qrels have {examples(judged)}, the run has {examples(ranked.to_pylist())}"
