"""Scores of rankings that are lists of document ids, again and again, as training loops and services need them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeAlias, cast

import ir_measures
import numpy as np
from numpy.typing import NDArray

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import (
    DEFAULT_DUPLICATES,
    DEFAULT_TIES,
    Duplicates,
    OrderedRun,
    RankedBlock,
    RankedHits,
    order_run,
    require_order_options,
)
from irdiv.arrays.topic_selection import SelectedTopics
from irdiv.errors import IrdivError, near_names
from irdiv.evaluation.scoring import Scorer
from irdiv.frames.checked import RunColumns
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import string_array
from irdiv.frames.inputs import is_ranked_list
from irdiv.measures.measure import Measure
from irdiv.measures.scoring import measures_by_ranking, require_intents, score
from irdiv.measures.spec import MeasuresLike, as_measure_list, parse_several
from irdiv.measures.trec_eval import irdiv_equivalent
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats, Ints

Ranking: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.generic]"
"""The ids of documents, the best first."""
RankingsLike: TypeAlias = "Mapping[Any, Ranking] | Iterable[Ranking]"
"""A mapping from topic to ranking, or rankings alone."""

_KEPT_SELECTIONS = 16
"""For how many selections of topics the ideals and tables are kept; a loop has one for training, one for validation."""


class RankingScorer:
    """Scores rankings of a collection; what only depends on topics and measures is computed once."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._selections: OrderedDict[tuple[str, ...], _Selection] = OrderedDict()

    def score(
        self,
        rankings: RankingsLike,
        measures: MeasuresLike,
        topics: Iterable[object] | None,
        duplicates: Duplicates,
    ) -> Floats:
        """Return the values as ``[measure, ranking]``."""
        # A mapping from names is an error, and its keys are not specs.
        specs = tuple(parse_several(measures) if isinstance(measures, Mapping) else as_measure_list(measures))
        plan = self._collection.cached(_make_plan, specs)
        if duplicates != DEFAULT_DUPLICATES:
            require_order_options(DEFAULT_TIES, duplicates)
        ids, given = self._topics_and_lists(rankings, topics)
        selection = self._select(ids)
        lists = _checked(self._collection, ids, given, duplicates)
        values = np.empty((len(specs), len(lists)))
        for group in plan.own:
            values[group.positions] = selection.score(lists, group)
        if plan.others:
            values[list(plan.others)] = self._score_by_ir_measures(ids, lists, plan)
        return values

    def _topics_and_lists(
        self, rankings: RankingsLike, topics: Iterable[object] | None
    ) -> tuple[tuple[str, ...], list[Ranking]]:
        if isinstance(rankings, Mapping):
            if topics is not None:
                raise IrdivError("topics= names the topics of a list of rankings, but the keys of this mapping do.")
            ids, lists = tuple(map(str, rankings)), list(rankings.values())
        else:
            ids, lists = tuple(map(str, self._collection.topics if topics is None else topics)), list(rankings)
        if len(ids) != len(lists):
            of_collection = " of the collection" if topics is None else ""
            raise IrdivError(
                f"{len(lists)} rankings are given for {len(ids)} topics{of_collection}; give one for each."
            )
        if not lists:
            raise IrdivError("no rankings given: expected a list of document ids for at least one topic.")
        return ids, lists

    def _select(self, ids: tuple[str, ...]) -> _Selection:
        """Return the topics with these ids; those that were used last are kept."""
        selection = self._selections.pop(ids, None)
        if selection is None:
            selection = _Selection(self._collection, self._topic_indices(ids))
        self._selections[ids] = selection
        if len(self._selections) > _KEPT_SELECTIONS:
            self._selections.popitem(last=False)
        return selection

    def _topic_indices(self, ids: tuple[str, ...]) -> Ints:
        index = self._collection.topic_index
        found = [index.get(topic, -1) for topic in ids]
        if -1 in found:
            topic, known = ids[found.index(-1)], self._collection.topics.tolist()
            raise IrdivError(
                f"topic {topic!r} is not in the qrels, so its ranking has no score; {near_names(topic, known)}"
            )
        return np.array(found)

    def _score_by_ir_measures(self, ids: tuple[str, ...], lists: Sequence[Sequence[str]], plan: _Plan) -> Floats:
        """Return values ``[measure, ranking]`` of programs that take a run, with one ranking of each topic."""
        scorer = self._collection.cached(_make_scorer, tuple(plan.others.values()))
        values = np.empty((len(plan.others), len(lists)))
        left = list(range(len(lists)))
        while left:
            run = {ids[i]: i for i in reversed(left)}
            ordered = order_run(self._collection, {topic: lists[i] for topic, i in run.items()}, may_be_empty=True)
            topics = [self._collection.topic_index[topic] for topic in run]
            values[:, list(run.values())] = scorer.score(ordered)[:, topics]
            left = [i for i in left if i not in set(run.values())]
        return values


class _MeasureGroup(NamedTuple):
    """Measures of irdiv that see the same ranking."""

    positions: list[int]
    """Their indices among all measures."""
    judged_only: bool
    depth: int | None
    measures: list[Measure]
    parameters: list[ParameterValues]


class _Plan(NamedTuple):
    """What is computed for some measures."""

    own: list[_MeasureGroup]
    others: dict[int, ir_measures.Measure]
    """The measures that other programs compute, by position."""


def _make_plan(collection: Collection, specs: tuple[str | ir_measures.Measure, ...]) -> _Plan:
    measures = [irdiv_equivalent(measure) or measure for measure in parse_several(specs)]
    own = {i: measure for i, measure in enumerate(measures) if isinstance(measure, Measure)}
    require_intents(collection, list(own.values()))
    groups = []
    for judged_only, depth, selected in measures_by_ranking(list(own.values())):
        index = [list(own)[i] for i in selected]
        of_group = [own[i] for i in index]
        parameters = [measure.parameter_values() for measure in of_group]
        groups.append(_MeasureGroup(index, judged_only, depth, of_group, parameters))
    return _Plan(groups, {i: measure for i, measure in enumerate(measures) if i not in own})


def _make_scorer(collection: Collection, measures: tuple[ir_measures.Measure, ...]) -> Scorer:
    return Scorer(collection, measures, DEFAULT_TIES, "error")


class _Selection:
    """Topics that are scored together, with a table of the relevant documents of each."""

    def __init__(self, collection: Collection, topics: Ints) -> None:
        is_whole = np.array_equal(topics, np.arange(len(collection.topics)))
        self._collection = collection if is_whole else SelectedTopics(collection, topics)
        self._edges = np.arange(len(topics) + 1)
        c = self._collection
        rows = range(int(c.row_start[-1]))
        doc_ids = c.relevant_doc_ids(np.arange(len(rows))).to_pylist()
        self._row_of = [
            dict(zip(doc_ids[start:stop], rows[start:stop], strict=True)).get
            for start, stop in zip(c.row_start[:-1].tolist(), c.row_start[1:].tolist(), strict=True)
        ]

    def score(self, lists: Sequence[Sequence[str]], group: _MeasureGroup) -> Floats:
        """Return the values of some measures, ``[measure, ranking]``."""
        if group.judged_only:
            return score(_Lists(self._collection, lists).as_run(), group.measures)
        hits = self._hits(lists, group.depth)
        values = np.empty((len(group.measures), len(lists)))
        for block in self._collection.blocks:
            ranked = RankedBlock.from_hits(block, hits)
            for i, (measure, parameters) in enumerate(zip(group.measures, group.parameters, strict=True)):
                values[i, block.start : block.stop] = measure.declaration.score(ranked, parameters, measure.cutoff)
        return values

    def _hits(self, lists: Sequence[Sequence[str]], depth: int | None) -> RankedHits:
        """Return the relevant documents; a few strings are found in dicts sooner than they are made an Arrow array."""
        sizes = list(map(len, lists))
        length, seen = np.array(sizes), lists
        if depth is not None and max(sizes) > depth:
            seen = [docs[:depth] for docs in lists]
            sizes = list(map(len, seen))
        found = chain.from_iterable(
            map(row_of, docs, repeat(-1)) for row_of, docs in zip(self._row_of, seen, strict=True)
        )
        row = np.fromiter(found, dtype=np.int64, count=sum(sizes))
        list_start = np.concatenate([[0], np.cumsum(sizes)])
        hit = np.flatnonzero(row >= 0)
        start = np.searchsorted(hit, list_start)
        rank = hit + 1 - np.repeat(list_start[:-1], start[1:] - start[:-1])
        return RankedHits(row.take(hit), rank, start, length, _Lists(self._collection, lists))


class _Lists(NamedTuple):
    """Rankings of a collection, one for each topic."""

    collection: Collection
    lists: Sequence[Sequence[str]]

    def as_run(self) -> OrderedRun:
        """Return the rankings as a run."""
        topic = np.repeat(np.arange(len(self.lists)), list(map(len, self.lists)))
        docs = string_array(list(chain.from_iterable(self.lists)))
        row = np.arange(len(docs))
        columns = RunColumns(self.collection.topic_ids.take(topic), docs, row.astype(np.float64), None, by_rank=True)
        return OrderedRun(self.collection, topic, row, hash_ids(docs), columns)

    def judged_counts(self, start: int, stop: int, depth: int | None) -> Ints:
        """Return how many of the first documents are judged, for each topic from ``start`` to ``stop``."""
        return self.as_run().judged_counts(start, stop, depth)


def _checked(
    collection: Collection, topics: Sequence[str], rankings: Sequence[Ranking], duplicates: Duplicates
) -> Sequence[Sequence[str]]:
    """Return lists of ids as strings; what is no list of ids is an error, and so is a document that occurs twice."""
    lists = cast("Sequence[Sequence[str]]", rankings)
    if not (set(map(type, lists)) <= {list, tuple} and set(map(type, chain.from_iterable(lists))) <= {str}):
        lists = [_as_strings(topic, docs) for topic, docs in zip(topics, rankings, strict=True)]
    if list(map(len, map(set, lists))) == list(map(len, lists)):
        return lists
    if duplicates == "error":
        faulty = {topic: docs for topic, docs in zip(topics, lists, strict=True) if len(set(docs)) < len(docs)}
        order_run(collection, faulty)
    return [list(dict.fromkeys(docs)) for docs in lists]


def _as_strings(topic: str, docs: object) -> list[str]:
    if not is_ranked_list(docs):
        found = sorted({type(doc).__name__ for doc in docs}) if isinstance(docs, list | tuple) else type(docs).__name__
        raise IrdivError(
            f"the ranking of topic {topic!r} is not a list of document ids, the best first: found {found!r}."
        )
    ids: list[str] = string_array(list(cast("Sequence[object]", docs))).to_pylist()
    return ids
