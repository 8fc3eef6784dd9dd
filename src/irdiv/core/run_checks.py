"""What in a run may be a mistake: ranks that contradict scores, documents that nobody judged, topics of other ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from irdiv.core.collection import Collection
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Runs, Ties, order_run
from irdiv.errors import IrdivError, examples, prefix_errors_with_run, warn
from irdiv.io.guards import MANY, describe_difference
from irdiv.io.ids import natural_argsort, take_rows
from irdiv.io.runs import named_runs
from irdiv.io.tables import RunLike
from irdiv.types import Objects

RunsLike: TypeAlias = "RunLike | Mapping[str, RunLike] | Runs | Mapping[str, Runs]"
"""One run or a mapping from name to run; runs may be ordered already."""

_SHOWN = 100
"""How many documents are looked at for a difference of ids."""
_TIES_REMEDY = "give ties='rank' (on the command line, --ties rank)"
SCORES_REMEDY = "make scores of the ranks, as in run.assign(score=-run['rank'])"


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


def check(runs: Runs, depth: int | None) -> list[RunFindings]:
    """Return what may be a mistake in each run, of which measures see the first ``depth`` documents, all for None."""
    is_unjudged = runs.hits(False, depth).counts.sum(axis=1) == 0
    if is_unjudged.any():
        # The index of all judged documents is seldom needed otherwise.
        is_unjudged &= runs.judged_counts(depth).sum(axis=1) == 0
    has_ranks = runs.columns.rank is not None
    return [
        RunFindings(
            _find_contradiction(runs[index]) if has_ranks else None,
            _ids_of_both_sides(runs[index]) if unjudged else None,
        )
        for index, unjudged in enumerate(is_unjudged.tolist())
    ]


def order_checked_run(
    collection: Collection,
    run: RunLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    may_be_empty: bool = False,
    remedy: str = _TIES_REMEDY,
) -> Runs:
    """Return a run with its documents in order; warn about what may be a mistake in it."""
    ordered = order_run(collection, run, ties, duplicates, may_be_empty=may_be_empty)
    if len(ordered.row):
        warn_about_runs({"run": check(ordered, None)}, None, remedy)
        warn_about_other_ids({"run": ordered})
    return ordered


def order_checked_runs(
    collection: Collection,
    runs: RunsLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    depth: int | None = None,
) -> Iterator[tuple[str, Runs]]:
    """Yield each run with its name and its documents in order; warn about what may be a mistake in it.

    Runs that are ordered already are not checked again. ``depth`` is how many documents are used, None for all.
    """
    named = cast("dict[str, RunLike | Runs]", named_runs(cast("Mapping[str, RunLike]", runs)))
    findings: dict[str, list[RunFindings]] = {}
    checked: dict[str, Runs] = {}
    for name, run in named.items():
        if isinstance(run, Runs):
            if run.collection is not collection:
                raise IrdivError(f"run {name!r} was ordered for other qrels; give the run itself.")
            findings[name] = []
            yield name, run
            continue
        with prefix_errors_with_run(name if len(named) > 1 else None):
            ordered = order_run(collection, run, ties, duplicates)
        findings[name], checked[name] = check(ordered, depth), ordered
        yield name, ordered
    warn_about_runs(findings, depth)
    warn_about_other_ids(checked)


def warn_about_runs(
    parts_of: Mapping[str, Sequence[RunFindings]], depth: int | None, remedy: str = _TIES_REMEDY
) -> None:
    """Warn about what was found in the parts of runs, in one warning for each kind of mistake."""
    contradicting, unjudged = {}, {}
    for name, parts in parts_of.items():
        found = [part.contradiction for part in parts if part.contradiction is not None]
        if found:
            contradicting[name] = found
        # A run has no judged document if no part of it has one.
        if parts and all(part.unjudged is not None for part in parts):
            unjudged[name] = parts[0].unjudged
    for name, found in list(contradicting.items())[:1]:
        count = sum(part.topic_count for part in found)
        first = found[natural_argsort([part.topic for part in found])[0]]
        warn(
            f"{_run(name, parts_of)} has ranks that contradict its scores in {count} topic{'s' if count != 1 else ''}, "
            f"and is ordered by score: in topic {first.topic!r}, {first.documents}. To order by rank, {remedy}."
            f"{_others(contradicting)}"
        )
    for name, ids in list(unjudged.items())[:1]:
        where = "" if depth is None else f" among the first {depth} of any topic"
        warn(f"{_run(name, parts_of)} has no judged document{where}: {ids}{_others(unjudged)}")


def _run(name: str, runs: Mapping[str, object]) -> str:
    return f"run {name!r}" if len(runs) > 1 else "the run"


def _others(runs: Mapping[str, object]) -> str:
    """Return which other runs have the mistake of the first."""
    others = list(runs)[1:]
    if not others:
        return ""
    subject = "1 more run has" if len(others) == 1 else f"{len(others)} more runs have"
    return f" {subject} the same problem: {examples(others)}."


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


def warn_about_other_ids(runs: Mapping[str, Runs]) -> None:
    """Warn as `warn_about_missing_topics` does, where it is clear that topics have other ids in a run.

    Other programs give parts of the topics, so that most runs lack topics.
    """
    explained = {
        name: topics
        for name, run in runs.items()
        if len(topics := run.missing_topics()) and describe_difference(topics, run.unjudged_topics())
    }
    for name in list(explained)[:1]:
        warn_about_missing_topics(explained, len(runs[name].collection.topics), runs[name].unjudged_topics)


def _in_order(topics: Iterable[str]) -> list[str]:
    ids = list(topics)
    return [ids[index] for index in natural_argsort(ids)]


def _find_contradiction(run: Runs) -> RankContradiction | None:
    """Return where a document has a higher score than another but a larger rank; ties may have any ranks."""
    if run.columns.rank is None:
        return None
    topic, rank = run.topic, take_rows(run.columns.rank, run.row)
    same_topic = topic[1:] == topic[:-1]
    if not (same_topic & (rank[1:] < rank[:-1])).any():
        return None
    key = run.keys()
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


def _ids_of_both_sides(run: Runs) -> str:
    """Return the first document ids of the qrels and of a run that has no judged document, and what to do."""
    judged = run.collection.judged_doc_ids(_SHOWN)
    ranked: list[str] = run.columns.doc.take(run.row[:_SHOWN]).to_pylist()
    return (
        f"the qrels have {examples(judged)}, the run has {examples(ranked)}. Check that both use the same document ids "
        "(in PyTerrier the docno, not the docid)."
        f"{describe_difference(judged, ranked)}"
    )
