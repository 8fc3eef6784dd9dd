"""What is normal in qrels and runs but matters for their values: said below tables, without a warning.

Notes are written from facts, which are numbers and ids. The facts of parts that share no topic add up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

import ir_measures
import numpy as np

from irdiv.core.collection import Collection as Qrels
from irdiv.core.collection import describe_topics_without_relevant
from irdiv.core.runs import Runs, Ties
from irdiv.errors import examples, warn
from irdiv.io.columns import ROOT_ID
from irdiv.io.guards import MANY
from irdiv.io.ids import natural_argsort
from irdiv.measures.measure import Measure
from irdiv.measures.parameters import MAX_GRADE
from irdiv.measures.spec import irdiv_equivalent
from irdiv.types import Ints

DEFAULT_DEPTH = 10
"""How many documents notes look at if no measure has a cutoff."""
Facts = TypeVar("Facts", "QrelsFacts", "RunFacts")


@dataclass(frozen=True)
class NoteOptions:
    """How measures read qrels and runs, as far as notes say it."""

    measures: Sequence[ir_measures.Measure]
    ties: Ties
    counts_unjudged: bool = True
    """Whether unjudged documents are counted."""

    @cached_property
    def own(self) -> dict[str, Measure]:
        """The measures that irdiv computes, by name."""
        computed = {str(measure): irdiv_equivalent(measure) or measure for measure in self.measures}
        return {name: measure for name, measure in computed.items() if isinstance(measure, Measure)}

    @property
    def depth(self) -> int:
        """Among how many documents of a topic unjudged ones are counted."""
        return max(filter(None, self._cutoffs()), default=DEFAULT_DEPTH)

    @property
    def tie_depth(self) -> int | None:
        """How many documents of a topic measures see, None for all."""
        return None if None in self._cutoffs() else self.depth

    def _cutoffs(self) -> list[int | None]:
        return [measure.params.get("cutoff") for measure in self.measures]

    @cached_property
    def grades(self) -> list[int]:
        """The lowest relevant grades of measures, ascending."""
        return sorted({measure.parameter_values().get("rel", 1) for measure in self.own.values()})

    def names(self, condition: Callable[[Measure], bool]) -> list[str]:
        """Return the names of the measures for which a condition holds."""
        return [name for name, measure in self.own.items() if condition(measure)]

    @property
    def counts_all(self) -> list[str]:
        """The measures that count all declared intents."""
        return self.names(lambda m: m.declaration.needs_intents and m.parameter_values().get("intents") == "all")


class QrelsFacts(NamedTuple):
    """What notes say about qrels, or about some topics of them."""

    topic_count: int
    without_relevant: list[str]
    """The topics without a relevant document."""
    without_vital: list[str]
    """The topics without vital intents."""
    without_grade: Ints
    """How many other topics have no document of each of the lowest relevant grades."""
    with_probabilities: int
    """How many topics have intents with probabilities."""
    declared: int
    """How many intents are declared."""
    left_out: Ints
    """How many of them have no document of each of the lowest relevant grades."""
    unjudged: int
    """For how many of them no document was judged."""
    zero: int
    """How many topics have an intent 0 that is not declared and has no relevant document."""
    with_parent: int
    """How many intents have a parent other than the root."""
    navigational: int
    """How many intents are navigational."""
    highest_grade: list[int]
    max_grade: list[int]
    """The highest grade of the scale, which the qrels may state."""


class RunFacts(NamedTuple):
    """What notes say about the first documents of a run, or of some topics of it."""

    documents: int
    unjudged: int
    topics: int
    """The count of topics that the run has."""
    tied_topics: int
    """The count of topics in which equal scores, or ranks, meet among the first documents."""
    by_rank: int
    """In how many parts the run is ordered by its ranks, and not by scores."""


def qrels_facts(qrels: Qrels, options: NoteOptions) -> QrelsFacts:
    """Return what notes say about qrels."""
    declared, best = qrels.intent_declared, qrels.intent_best_grade
    best_of_topic = np.zeros(len(qrels.topics), dtype=np.int64)
    np.maximum.at(best_of_topic, qrels.intent_topic, best)
    is_below = np.less.outer(best_of_topic, options.grades) & (best_of_topic > 0)[:, None]
    left_out = np.less.outer(best, options.grades) & declared[:, None] & qrels.has_intents
    has_vital = np.full(len(qrels.topics), qrels.intent_importance is None)
    has_vital[qrels.intent_topic[(declared | (best > 0)) & (qrels.intent_importance == "vital")]] = True
    parents = () if qrels.intent_parent is None else qrels.intent_parent
    return QrelsFacts(
        topic_count=len(qrels.topics),
        without_relevant=qrels.topics_without_relevant.tolist(),
        without_vital=qrels.topics[~has_vital].tolist(),
        without_grade=is_below.sum(axis=0),
        with_probabilities=len(np.unique(qrels.intent_topic[~np.isnan(qrels.intent_probability)])),
        declared=int(declared.sum()),
        left_out=left_out.sum(axis=0),
        unjudged=int((declared & ~qrels.intent_judged).sum()),
        zero=int((~declared & (best < 1) & (qrels.intents == "0")).sum()),
        with_parent=sum(parent not in (None, ROOT_ID) for parent in parents),
        navigational=int(qrels.intent_navigational.sum()),
        highest_grade=[int(qrels.positive_grades.max(initial=0))],
        max_grade=[qrels.max_grade],
    )


def run_facts(run: Runs, options: NoteOptions) -> RunFacts:
    """Return what notes say about a run."""
    ranks, topic, key = run.ranks(), run.topic, run.keys()
    # A document that has the score of the next one, which may be the first that no measure sees.
    is_seen = ranks[:-1] <= (np.inf if options.tie_depth is None else options.tie_depth)
    tied = is_seen & (topic[1:] == topic[:-1]) & (key[1:] == key[:-1])
    documents = int((ranks <= options.depth).sum())
    judged = int(run.judged_counts(options.depth).sum()) if options.counts_unjudged else 0
    topics = int(np.count_nonzero(run.lengths()))
    return RunFacts(documents, documents - judged, topics, len(np.unique(topic[:-1][tied])), int(run.columns.by_rank))


def add_facts(parts: Sequence[Facts]) -> Facts:
    """Return the facts of all parts, which share no topic: numbers are summed, and lists are joined."""
    values: Iterator[tuple[Any, ...]] = zip(*parts, strict=True)
    return type(parts[0])(*(reduce(add, of_parts) for of_parts in values))


def warn_about_unjudged_intents(qrels: QrelsFacts, options: NoteOptions) -> None:
    """Warn if no document was judged for a tenth or more of the intents that measures count."""
    if options.counts_all and qrels.unjudged and qrels.unjudged >= MANY * qrels.declared:
        warn(
            f"{qrels.unjudged} of {qrels.declared} intents have no judged document, so no run can cover them, and they "
            f"count in {_shown(options.counts_all)}. If documents were judged for them, check that the ids of topics "
            "and intents are the same everywhere: leading zeros, spaces, upper and lower case."
        )


def write_notes(
    qrels: QrelsFacts, runs: Mapping[str, RunFacts], unjudged_topics: Collection[str], options: NoteOptions
) -> tuple[str, ...]:
    """Return the notes about qrels and runs; these may have topics that are not in the qrels."""
    namesakes = (measure.declaration.namesake for measure in options.own.values())
    return (
        *_about_topics(qrels, options),
        *_about_probabilities(qrels, options),
        *_about_intents(qrels, options),
        *dict.fromkeys(filter(None, namesakes)),
        *_about_topics_of_runs(qrels, runs, list(unjudged_topics)),
        *_about_unjudged(runs, options),
        *_about_ties(qrels, runs, options),
    )


def _about_topics(qrels: QrelsFacts, options: NoteOptions) -> Iterable[str]:
    topic_count = qrels.topic_count
    if qrels.without_relevant:
        yield f"{describe_topics_without_relevant(_in_order(qrels.without_relevant), topic_count)}."
    for rel, count in zip(options.grades, qrels.without_grade, strict=True):
        if count:
            yield f"{count} of {topic_count} topics have no document of grade {rel} or more and score 0 with rel={rel}."
    of_scale = options.names(_depends_on_scale)
    if of_scale and max(qrels.highest_grade) < qrels.max_grade[0]:
        yield (
            f"the qrels state a scale up to {qrels.max_grade[0]}, which counts in {_shown(of_scale)}, but their "
            f"highest grade is {max(qrels.highest_grade)}."
        )


def _depends_on_scale(measure: Measure) -> bool:
    has_scale = measure.declaration.by_name.get("max_grade") == MAX_GRADE
    return has_scale and measure.parameter_values()["max_grade"] is None and measure.has_effect("max_grade")


def _about_probabilities(qrels: QrelsFacts, options: NoteOptions) -> Iterable[str]:
    lacking = qrels.topic_count - qrels.with_probabilities
    if 0 < lacking < qrels.topic_count and options.names(lambda measure: measure.declaration.needs_intents):
        yield f"{lacking} of {qrels.topic_count} topics have no probabilities, so their intents count equally."
    if qrels.with_probabilities:
        return
    if options.names(lambda measure: measure.parameter_values().get("weighted", False)):
        yield "no intent has a probability or importance, so weighted=True changes nothing."
    aspect_recall = options.names(lambda measure: measure.declaration.name == "A-Recall")
    if aspect_recall:
        where = _shown(aspect_recall)
        yield f"no intent has a probability or importance, so all count equally in {where}, as in Coverage."


def _about_intents(qrels: QrelsFacts, options: NoteOptions) -> Iterable[str]:
    of_intents = {name: m.parameter_values() for name, m in options.own.items() if m.declaration.needs_intents}
    of_relevant = {name: p for name, p in of_intents.items() if p.get("intents", "relevant") == "relevant"}
    remedy = "; intents='all' counts them" if any("intents" in p for p in of_relevant.values()) else ""
    for rel, left_out in zip(options.grades, qrels.left_out, strict=True):
        names = [name for name, params in of_relevant.items() if params.get("rel", 1) == rel]
        if names and left_out:
            grade = "" if rel == 1 else f" of grade {rel} or more"
            where = f" in {_shown(names)}" if len(names) < len(of_intents) else ""
            intents = f"{left_out} of {qrels.declared} declared intents"
            yield f"{intents} have no relevant document{grade} and do not count{where}{remedy}."
    if qrels.zero and options.counts_all:
        yield (
            f"intent 0 of {qrels.zero} topics has no relevant document and does not count, as TREC's subtopic 0 is not "
            "an intent; if it is one, describe the intents by with_intents."
        )
    vital = options.names(lambda measure: measure.declaration.needs_importance)
    if vital and qrels.without_vital:
        topics = f"{len(qrels.without_vital)} of {qrels.topic_count} topics"
        shown = examples(_in_order(qrels.without_vital))
        yield f"{topics} have no vital intents ({shown}) and score 0 in {_shown(vital)}."
    of_layers = options.names(lambda measure: "hierarchy" in measure.declaration.by_name)
    if of_layers and not qrels.with_parent:
        yield (
            f"no intent has a parent, so there is one layer in {_shown(of_layers)}, as in flat "
            "measures: LAD#, LD# and HD# are D# here, and N-rec is I-rec. with_intents adds parents."
        )
    of_types = options.names(lambda measure: measure.declaration.uses_types)
    if of_types and not qrels.navigational:
        yield (
            f"no intent is navigational, so all count as informational in {_shown(of_types)}: DIN is "
            "D here, and P+Q is Q-IA. with_intents adds types."
        )


def _about_topics_of_runs(
    qrels: QrelsFacts, runs: Mapping[str, RunFacts], unjudged_topics: Sequence[str]
) -> Iterable[str]:
    missing = {name: qrels.topic_count - facts.topics for name, facts in runs.items()}
    if any(missing.values()):
        yield f"topics that a run lacks score 0: {_most(missing, qrels.topic_count)}."
    if unjudged_topics:
        shown = examples(_in_order(unjudged_topics))
        yield f"topics of runs that are not in the qrels do not count: {len(unjudged_topics)} ({shown})."


def _about_unjudged(runs: Mapping[str, RunFacts], options: NoteOptions) -> Iterable[str]:
    measure = f"the measure Judged@{options.depth}"
    if not options.counts_unjudged:
        yield f"the share of unjudged documents was not counted; {measure} gives it."
        return
    shares = {name: facts.unjudged / max(facts.documents, 1) for name, facts in runs.items()}
    low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    if shares[high]:
        is_range = shares[low] < shares[high]
        share = f"{shares[low]:.1%} ({low}) to {shares[high]:.1%} ({high})" if is_range else f"{shares[high]:.1%}"
        yield f"{share} of the first {options.depth} documents are unjudged; {measure} gives it for each topic."


def _about_ties(qrels: QrelsFacts, runs: Mapping[str, RunFacts], options: NoteOptions) -> Iterable[str]:
    among = "" if options.tie_depth is None else f" among the first {options.tie_depth}"
    for by_rank, what in ((False, "scores"), (True, "ranks")):
        tied = {name: facts.tied_topics * (bool(facts.by_rank) is by_rank) for name, facts in runs.items()}
        if any(tied.values()):
            rule = _rule_of_ties(options.ties, by_rank)
            yield f"documents with equal {what}{among} are ordered {rule}: {_most(tied, qrels.topic_count)}."


def _rule_of_ties(ties: Ties, by_rank: bool) -> str:
    remedy = "" if by_rank else "; 'rank' orders by a rank column"
    return {
        "docid_desc": f"by doc id, descending (ties='docid_desc'{remedy})",
        "docid_asc": f"by doc id, ascending (ties='docid_asc'{remedy})",
        "input": "as the rows are (ties='input')",
        "rank": "by doc id, descending",
    }[ties]


def _most(counts: Mapping[str, int], topic_count: int) -> str:
    """Return how many topics of runs are concerned, and in which run most."""
    name = max(counts, key=counts.__getitem__)
    topics = f"{counts[name]} of {topic_count} topics"
    concerned = sum(count > 0 for count in counts.values())
    if len(counts) == 1:
        return topics
    return f"{topics} in {name}" if concerned == 1 else f"up to {topics} ({name}), in {concerned} of {len(counts)} runs"


def _in_order(topics: Sequence[str]) -> list[str]:
    return [topics[position] for position in natural_argsort(topics)]


def _shown(measures: Sequence[str]) -> str:
    return f"{', '.join(measures[:3])}{', …' if len(measures) > 3 else ''}"
