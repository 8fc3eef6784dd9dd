"""What is normal in qrels and runs but matters for their values: said below tables, without a warning."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from irdiv.arrays.collection import describe_topics_without_relevant
from irdiv.arrays.ranking import Ties
from irdiv.errors import examples, warn
from irdiv.evaluation.note_facts import NoteOptions, QrelsFacts, RunFacts
from irdiv.frames.ids import natural_argsort
from irdiv.frames.mismatch import MANY


def write_notes(
    qrels: Sequence[QrelsFacts], runs: Mapping[str, RunFacts], unjudged_topics: Collection[str], options: NoteOptions
) -> tuple[str, ...]:
    """Return the notes about qrels, given in parts that share no topic, and runs; these may have unjudged topics."""
    topic_count = sum(part.topic_count for part in qrels)
    notes = [
        *_about_topics(qrels, topic_count),
        *_about_scale(qrels, options),
        *_about_probabilities(qrels, topic_count, options),
        *_about_intents(qrels, options),
        *_about_vital_intents(qrels, topic_count, options),
        *_about_flat_intents(qrels, options),
        *options.namesakes,
        *_about_missing_topics(runs, topic_count),
        *_about_unjudged_topics(list(unjudged_topics)),
        *_about_unjudged(runs, options.depth),
        *_about_ties(runs, topic_count, options),
    ]
    return tuple(notes)


def warn_about_unjudged_intents(qrels: Sequence[QrelsFacts], options: NoteOptions) -> None:
    """Warn if no document was judged for a tenth or more of the intents that measures count."""
    declared, unjudged = (sum(counts) for counts in zip(*(part.unjudged for part in qrels), strict=True))
    if options.counts_all and unjudged and unjudged >= MANY * declared:
        warn(
            f"{unjudged} of {declared} intents have no judged document, so no run can cover them, and they count in "
            f"{_shown_measures(options.counts_all)}. If documents were judged for them, check that the ids of topics "
            "and intents are the same everywhere: leading zeros, spaces, upper and lower case."
        )


def _about_topics(qrels: Sequence[QrelsFacts], topic_count: int) -> Iterable[str]:
    topics = [topic for part in qrels for topic in part.without_relevant]
    if topics:
        in_order = [topics[position] for position in natural_argsort(topics)]
        yield f"{describe_topics_without_relevant(in_order, topic_count)}."
    for rel in qrels[0].without_grade:
        count = sum(part.without_grade[rel] for part in qrels)
        if count:
            yield f"{count} of {topic_count} topics have no document of grade {rel} or more and score 0 with rel={rel}."


def _about_scale(qrels: Sequence[QrelsFacts], options: NoteOptions) -> Iterable[str]:
    highest = max(part.highest_grade for part in qrels)
    if options.of_scale and highest < qrels[0].max_grade:
        yield (
            f"the qrels state a scale up to {qrels[0].max_grade}, which counts in {_shown_measures(options.of_scale)}, "
            f"but their highest grade is {highest}."
        )


def _about_probabilities(qrels: Sequence[QrelsFacts], topic_count: int, options: NoteOptions) -> Iterable[str]:
    count = sum(part.with_probabilities for part in qrels)
    if options.needs_intents and 0 < count < topic_count:
        yield f"{topic_count - count} of {topic_count} topics have no probabilities, so their intents count equally."
    if options.weighted and count == 0:
        yield "no intent has a probability or importance, so weighted=True changes nothing."
    if options.aspect_recall and count == 0:
        where = _shown_measures(options.aspect_recall)
        yield f"no intent has a probability or importance, so all count equally in {where}, as in Coverage."


def _about_intents(qrels: Sequence[QrelsFacts], options: NoteOptions) -> Iterable[str]:
    for rel, measures in options.measures_by_intent_grade.items():
        counts = [part.intents[rel] for part in qrels if rel in part.intents]
        left_out = sum(count.left_out for count in counts)
        if left_out:
            intents = f"{left_out} of {sum(count.declared for count in counts)} declared intents"
            grade = "" if rel == 1 else f" of grade {rel} or more"
            remedy = "; intents='all' counts them" if options.may_count_all else ""
            where = f" in {_shown_measures(measures)}" if measures else ""
            yield f"{intents} have no relevant document{grade} and do not count{where}{remedy}."
    with_zero = sum(part.with_zero for part in qrels)
    if with_zero:
        yield (
            f"intent 0 of {with_zero} topics has no relevant document and does not count, as TREC's subtopic 0 is not "
            "an intent; if it is one, describe the intents by with_intents."
        )


def _shown_measures(measures: Sequence[str]) -> str:
    return f"{', '.join(measures[:3])}{', …' if len(measures) > 3 else ''}"


def _about_vital_intents(qrels: Sequence[QrelsFacts], topic_count: int, options: NoteOptions) -> Iterable[str]:
    topics = [topic for part in qrels for topic in part.without_vital]
    if topics:
        shown = examples([topics[position] for position in natural_argsort(topics)])
        where = _shown_measures(options.vital)
        yield f"{len(topics)} of {topic_count} topics have no vital intents ({shown}) and score 0 in {where}."


def _about_flat_intents(qrels: Sequence[QrelsFacts], options: NoteOptions) -> Iterable[str]:
    if options.of_layers and not any(part.has_parents for part in qrels):
        yield (
            f"no intent has a parent, so there is one layer in {_shown_measures(options.of_layers)}, as in flat "
            "measures: LAD#, LD# and HD# are D# here, and N-rec is I-rec. with_intents adds parents."
        )
    if options.of_types and not any(part.has_navigational for part in qrels):
        yield (
            f"no intent is navigational, so all count as informational in {_shown_measures(options.of_types)}: DIN is "
            "D here, and P+Q is Q-IA. with_intents adds types."
        )


def _about_missing_topics(runs: Mapping[str, RunFacts], topic_count: int) -> Iterable[str]:
    missing = {name: topic_count - facts.topics for name, facts in runs.items() if facts.topics < topic_count}
    if missing:
        yield f"topics that a run lacks score 0: {_most(missing, len(runs), topic_count)}."


def _about_unjudged_topics(topics: Sequence[str]) -> Iterable[str]:
    if topics:
        shown = examples([topics[position] for position in natural_argsort(topics)])
        yield f"topics of runs that are not in the qrels do not count: {len(topics)} ({shown})."


def _about_unjudged(runs: Mapping[str, RunFacts], depth: int) -> Iterable[str]:
    measure = f"the measure Judged@{depth}"
    if any(facts.unjudged is None for facts in runs.values()):
        yield f"the share of unjudged documents was not counted; {measure} gives it."
        return
    shares = {name: (facts.unjudged or 0) / max(facts.documents, 1) for name, facts in runs.items()}
    low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    if shares[high]:
        is_range = shares[low] < shares[high]
        share = f"{shares[low]:.1%} ({low}) to {shares[high]:.1%} ({high})" if is_range else f"{shares[high]:.1%}"
        yield f"{share} of the first {depth} documents are unjudged; {measure} gives it for each topic."


def _about_ties(runs: Mapping[str, RunFacts], topic_count: int, options: NoteOptions) -> Iterable[str]:
    among = "" if options.tie_depth is None else f" among the first {options.tie_depth}"
    for by_rank, what in ((False, "scores"), (True, "ranks")):
        tied = {
            name: facts.tied_topics for name, facts in runs.items() if facts.tied_topics and facts.by_rank is by_rank
        }
        if tied:
            rule = _rule_of_ties(options.ties, by_rank)
            yield f"documents with equal {what}{among} are ordered {rule}: {_most(tied, len(runs), topic_count)}."


def _rule_of_ties(ties: Ties, by_rank: bool) -> str:
    remedy = "" if by_rank else "; 'rank' orders by a rank column"
    return {
        "docid_desc": f"by doc id, descending (ties='docid_desc'{remedy})",
        "docid_asc": f"by doc id, ascending (ties='docid_asc'{remedy})",
        "input": "as the rows are (ties='input')",
        "rank": "by doc id, descending",
    }[ties]


def _most(counts: Mapping[str, int], run_count: int, topic_count: int) -> str:
    """Return how many topics of runs are concerned, and in which run most."""
    name = max(counts, key=counts.__getitem__)
    topics = f"{counts[name]} of {topic_count} topics"
    if run_count == 1:
        return topics
    if len(counts) == 1:
        return f"{topics} in {name}"
    return f"up to {topics} ({name}), in {len(counts)} of {run_count} runs"
