"""What in a run may be a mistake: ranks that contradict scores, and documents that nobody judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, OrderedRun, Ties, order_run
from irdiv.errors import IrdivError, examples, prefix_errors_with_run, warn
from irdiv.frames.ids import Ids, find_positions, natural_argsort, take_rows
from irdiv.frames.inputs import RunLike
from irdiv.frames.mismatch import MANY, describe_difference
from irdiv.frames.runs import named_runs
from irdiv.types import Hashes, Ints, Objects

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
    """If no document within the depth is judged, the document ids of both sides and what to do; else None."""


def check_run(run: OrderedRun, depth: int | None) -> RunFindings:
    """Return what may be a mistake in a run with documents, of which measures see the first ``depth``, all for None."""
    return RunFindings(find_rank_contradiction(run), None if has_judged(run, depth) else ids_of_both_sides(run))


_TIES_REMEDY = "give ties='rank' (on the command line, --ties rank)"
SCORES_REMEDY = "make scores of the ranks, as in run.assign(score=-run['rank'])"


def order_checked_run(
    collection: Collection,
    run: RunLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    may_be_empty: bool = False,
    remedy: str = _TIES_REMEDY,
) -> OrderedRun:
    """Return a run with its documents in order; warn about what may be a mistake in it."""
    ordered = order_run(collection, run, ties=ties, duplicates=duplicates, may_be_empty=may_be_empty)
    if len(ordered.topic):
        warn_about_runs({"run": [check_run(ordered, None)]}, None, remedy)
        warn_about_other_ids({"run": ordered})
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
    findings: dict[str, list[RunFindings]] = {}
    checked: dict[str, OrderedRun] = {}
    for name, run in named.items():
        if isinstance(run, OrderedRun):
            if run.collection is not collection:
                raise IrdivError(f"run {name!r} was ordered for other qrels; give the run itself.")
            findings[name] = []
            yield name, run
            continue
        shown_name = name if len(named) > 1 else None
        with prefix_errors_with_run(shown_name):
            ordered = order_run(collection, run, ties=ties, duplicates=duplicates)
        findings[name], checked[name] = [check_run(ordered, depth)], ordered
        yield name, ordered
    warn_about_runs(findings, depth)
    warn_about_other_ids(checked)


def warn_about_runs(
    parts_of: Mapping[str, Sequence[RunFindings]], depth: int | None, remedy: str = _TIES_REMEDY
) -> None:
    """Warn about what was found in the parts of runs, in one warning for each kind of mistake."""
    contradicting = {name: found for name, parts in parts_of.items() if (found := _contradictions(parts))}
    for name, found in list(contradicting.items())[:1]:
        count = sum(part.topic_count for part in found)
        first = found[natural_argsort([part.topic for part in found])[0]]
        warn(
            f"{_run(name, parts_of)} has ranks that contradict its scores in {count} topic{'s' if count != 1 else ''}, "
            f"and is ordered by score: in topic {first.topic!r}, {first.documents}. To order by rank, {remedy}."
            f"{_others(contradicting)}"
        )
    unjudged = {name: ids for name, parts in parts_of.items() if (ids := _unjudged(parts)) is not None}
    for name, ids in list(unjudged.items())[:1]:
        where = "" if depth is None else f" among the first {depth} of any topic"
        warn(f"{_run(name, parts_of)} has no judged document{where}: {ids}{_others(unjudged)}")


def _contradictions(parts: Sequence[RunFindings]) -> list[RankContradiction]:
    return [part.contradiction for part in parts if part.contradiction is not None]


def _unjudged(parts: Sequence[RunFindings]) -> str | None:
    """Return document ids of both sides if no part has a judged document."""
    found = [part.unjudged for part in parts if part.unjudged is not None]
    return found[0] if found and len(found) == len(parts) else None


def _run(name: str, runs: Mapping[str, object]) -> str:
    return f"run {name!r}" if len(runs) > 1 else "the run"


def _others(runs: Mapping[str, object]) -> str:
    """Return which other runs have the mistake of the first."""
    others = list(runs)[1:]
    if not others:
        return ""
    subject = "1 more run has" if len(others) == 1 else f"{len(others)} more runs have"
    return f" {subject} the same problem: {examples(others)}."


def missing_topics(run: OrderedRun) -> Objects:
    """Return the topics of the qrels that a run lacks."""
    return run.collection.topics[np.bincount(run.topic, minlength=len(run.collection.topics)) == 0]


def unjudged_topics(run: OrderedRun) -> list[str]:
    """Return the topics of a run, or of all runs that share its columns, that are not in the qrels."""
    topics = run.columns.query.ids
    found = find_positions(topics, run.collection.topic_ids)
    return topics.take(np.flatnonzero(found < 0)).to_pylist()


def warn_about_missing_topics(
    missing: Mapping[str, Objects], topic_count: int, unjudged: Callable[[], Iterable[str]]
) -> None:
    """Warn about runs that lack a tenth of the topics or more; ``unjudged`` returns topics that only runs have."""
    lacking = {name: topics for name, topics in missing.items() if len(topics) >= MANY * topic_count and len(topics)}
    for name, topics in list(lacking.items())[:1]:
        lacked, others = _in_order(topics), _in_order(unjudged())
        found = f" The qrels lack {examples(others)}." if others else ""
        warn(
            f"{_run(name, missing)} lacks {len(lacked)} of {topic_count} topics, which score 0: {examples(lacked)}."
            f"{found}{describe_difference(lacked, others)}{_others(lacking)}"
        )


def warn_about_other_ids(runs: Mapping[str, OrderedRun]) -> None:
    """Warn as `warn_about_missing_topics` does, where it is clear that topics have other ids in a run.

    Other programs give parts of the topics, so that most runs lack topics.
    """
    explained = {
        name: topics
        for name, run in runs.items()
        if len(topics := missing_topics(run)) and describe_difference(topics, unjudged_topics(run))
    }
    for name in explained:
        warn_about_missing_topics(explained, len(runs[name].collection.topics), partial(unjudged_topics, runs[name]))
        break


def _in_order(topics: Iterable[str]) -> list[str]:
    ids = list(topics)
    return [ids[index] for index in natural_argsort(ids)]


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


def ids_of_both_sides(run: OrderedRun) -> str:
    """Return the first document ids of the qrels and of a run that has no judged document, and what to do."""
    judged = run.collection.judged_doc_ids(_QUICK_LOOK)
    ranked: list[str] = run.columns.doc.take(run.row[:_QUICK_LOOK]).to_pylist()
    return (
        f"the qrels have {examples(judged)}, the run has {examples(ranked)}. Check that both use the same document ids "
        "(in PyTerrier the docno, not the docid)."
        f"{describe_difference(judged, ranked)}"
    )
