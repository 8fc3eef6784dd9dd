"""What notes state about qrels and runs, as numbers; those of parts that share no topic add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import ir_measures
import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import OrderedRun, Ties
from irdiv.frames.columns import ROOT_ID
from irdiv.frames.ids import take_rows
from irdiv.measures.measure import Measure
from irdiv.measures.parameters import MAX_GRADE
from irdiv.measures.trec_eval import irdiv_equivalent
from irdiv.measures.values import ParameterValues

DEFAULT_DEPTH = 10
"""How many documents notes look at if no measure has a cutoff."""


class IntentCounts(NamedTuple):
    """How many declared intents there are, and how many of them do not count."""

    declared: int
    left_out: int


class QrelsFacts(NamedTuple):
    """What notes say about qrels, or about some topics of them."""

    topic_count: int
    without_relevant: list[str]
    without_grade: dict[int, int]
    """How many other topics have no document of a grade or more."""
    with_probabilities: int
    """How many topics have intents with probabilities."""
    intents: dict[int, IntentCounts]
    """Counts by the lowest grade that counts as relevant."""
    with_zero: int = 0
    """How many topics have an intent 0 that is not declared and has no relevant document."""
    without_vital: tuple[str, ...] = ()
    """The topics without vital intents."""
    has_parents: bool = False
    """Whether some intent has a parent other than the root."""
    has_navigational: bool = False
    highest_grade: int = 0
    max_grade: int = 0
    """The highest grade of the scale, which the qrels may state."""
    unjudged: IntentCounts = IntentCounts(0, 0)
    """How many declared intents there are, and for how many of them no document was judged."""


class RunFacts(NamedTuple):
    """What notes say about the first documents of a run, or of some topics of it."""

    documents: int
    unjudged: int | None
    """None if not counted."""
    topics: int
    """The count of topics that the run has."""
    tied_topics: int
    """The count of topics in which equal scores, or ranks, meet among the first documents."""
    by_rank: bool = False
    """Whether the run is ordered by its ranks, and not by scores."""


class NoteOptions(NamedTuple):
    """How measures read qrels and runs, as far as notes say it."""

    depth: int
    """Among how many documents of a topic unjudged ones are counted."""
    tie_depth: int | None
    """How many documents of a topic measures see, None for all."""
    grades: tuple[int, ...]
    """The lowest relevant grades of measures, where it is not 1."""
    measures_by_intent_grade: dict[int, tuple[str, ...]]
    """The measures that leave out intents without a relevant document, by their lowest relevant grade.

    They are named only if other measures of intents count these.
    """
    needs_intents: bool
    """Whether some measure uses intents."""
    may_count_all: bool
    """Whether such a measure has the option ``intents="all"``."""
    ties: Ties
    weighted: bool
    """Whether some measure has ``weighted=True``."""
    counts_all: tuple[str, ...]
    """The measures that count all declared intents."""
    vital: tuple[str, ...] = ()
    """The measures of vital intents."""
    aspect_recall: tuple[str, ...] = ()
    """The measures that are Coverage unless intents have weights."""
    of_layers: tuple[str, ...] = ()
    """The measures of intent hierarchies."""
    of_types: tuple[str, ...] = ()
    """The measures that depend on which intents are navigational."""
    of_scale: tuple[str, ...] = ()
    """The measures that depend on the highest grade of the scale and do not state it."""
    namesakes: tuple[str, ...] = ()
    """What measures are that have nearly the name of another."""

    @classmethod
    def of(cls, measures: Iterable[ir_measures.Measure], ties: Ties) -> NoteOptions:
        """Return the options of measures."""
        named = {str(measure): irdiv_equivalent(measure) or measure for measure in measures}
        cutoffs = [measure.params.get("cutoff") for measure in named.values()]
        given = [cutoff for cutoff in cutoffs if cutoff is not None]
        own = {name: measure for name, measure in named.items() if isinstance(measure, Measure)}
        values = [(measure.declaration, measure.parameter_values()) for measure in own.values()]
        of_intents = {name: m.parameter_values() for name, m in own.items() if m.declaration.needs_intents}
        by_intent = {name: p for name, p in of_intents.items() if p.get("intents", "relevant") == "relevant"}
        return cls(
            depth=max(given, default=DEFAULT_DEPTH),
            tie_depth=max(given) if len(given) == len(cutoffs) else None,
            grades=tuple(sorted({params.get("rel", 1) for _, params in values} - {1})),
            measures_by_intent_grade=_measures_by_intent_grade(by_intent, len(of_intents)),
            needs_intents=bool(of_intents),
            may_count_all=any("intents" in params for params in by_intent.values()),
            ties=ties,
            weighted=any(params.get("weighted", False) for _, params in values),
            counts_all=tuple(name for name, params in of_intents.items() if params.get("intents") == "all"),
            vital=tuple(name for name, measure in own.items() if measure.declaration.needs_importance),
            aspect_recall=tuple(name for name, measure in own.items() if measure.declaration.name == "A-Recall"),
            of_layers=tuple(name for name, measure in own.items() if "hierarchy" in measure.declaration.by_name),
            of_types=tuple(name for name, measure in own.items() if measure.declaration.uses_types),
            of_scale=tuple(name for name, m in own.items() if _depends_on_scale(m)),
            namesakes=tuple(dict.fromkeys(filter(None, (m.declaration.namesake for m in own.values())))),
        )


def _depends_on_scale(measure: Measure) -> bool:
    has_scale = measure.declaration.by_name.get("max_grade") == MAX_GRADE
    return has_scale and measure.parameter_values()["max_grade"] is None and measure.has_effect("max_grade")


def _measures_by_intent_grade(measures: Mapping[str, ParameterValues], count: int) -> dict[int, tuple[str, ...]]:
    names: dict[int, list[str]] = {}
    for name, params in measures.items():
        names.setdefault(params.get("rel", 1), []).append(name)
    return {rel: () if len(names[rel]) == count else tuple(names[rel]) for rel in sorted(names)}


def qrels_facts(collection: Collection, options: NoteOptions) -> QrelsFacts:
    """Return what notes say about qrels."""
    declared, best = collection.intent_declared, collection.intent_best_grade
    intents = {
        rel: IntentCounts(int(declared.sum()), int((declared & (best < rel)).sum()))
        for rel in options.measures_by_intent_grade
        if collection.has_intents
    }
    best_of_topic = np.zeros(len(collection.topics), dtype=np.int64)
    np.maximum.at(best_of_topic, collection.intent_topic, best)
    without_grade = {rel: int(((best_of_topic > 0) & (best_of_topic < rel)).sum()) for rel in options.grades}
    with_probabilities = len(np.unique(collection.intent_topic[~np.isnan(collection.intent_probability)]))
    without_relevant = collection.topics_without_relevant.tolist()
    with_zero = int((~declared & (best < 1) & (collection.intents == "0")).sum()) if options.counts_all else 0
    return QrelsFacts(
        len(collection.topics),
        without_relevant,
        without_grade,
        with_probabilities,
        intents,
        with_zero,
        _topics_without_vital(collection) if options.vital else (),
        has_parents=collection.intent_parent is not None and not set(collection.intent_parent) <= {None, ROOT_ID},
        has_navigational=bool(collection.intent_navigational.any()),
        highest_grade=int(collection.positive_grades.max(initial=0)),
        max_grade=collection.max_grade,
        unjudged=IntentCounts(int(declared.sum()), int((declared & ~collection.intent_judged).sum())),
    )


def _topics_without_vital(collection: Collection) -> tuple[str, ...]:
    """Return the topics of which no intent that may count is vital."""
    if collection.intent_importance is None:
        return ()
    may_count = collection.intent_declared | (collection.intent_best_grade > 0)
    is_vital = may_count & (collection.intent_importance == "vital")
    counts = np.bincount(collection.intent_topic[is_vital], minlength=len(collection.topics))
    return tuple(collection.topics[counts == 0].tolist())


def run_facts(run: OrderedRun, options: NoteOptions, *, count_unjudged: bool) -> RunFacts:
    """Return what notes say about a run."""
    ranks, key = run.ranks(), take_rows(run.columns.key, run.row)
    # A document that has the score of the next one, which may be the first that no measure sees.
    is_seen = ranks[:-1] <= (np.inf if options.tie_depth is None else options.tie_depth)
    tied = is_seen & (run.topic[1:] == run.topic[:-1]) & (key[1:] == key[:-1])
    unjudged = None
    documents = int((ranks <= options.depth).sum())
    if count_unjudged:
        unjudged = documents - int(run.judged_counts(0, len(run.collection.topics), options.depth).sum())
    tied_topics = len(np.unique(run.topic[:-1][tied]))
    topics = int(np.count_nonzero(np.bincount(run.topic)))
    return RunFacts(documents, unjudged, topics, tied_topics, run.columns.by_rank)


def add_run_facts(parts: Sequence[RunFacts]) -> RunFacts:
    """Return the facts of a run from those of its parts, which share no topic."""
    unjudged = [part.unjudged for part in parts if part.unjudged is not None]
    return RunFacts(
        sum(part.documents for part in parts),
        sum(unjudged) if len(unjudged) == len(parts) else None,
        sum(part.topics for part in parts),
        sum(part.tied_topics for part in parts),
        any(part.by_rank for part in parts),
    )
