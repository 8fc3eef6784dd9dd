"""Collections with a mistake that irdiv is to refuse, by what the error says in every entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from .case import Case, Intent, Judgment, Ranked

NAN, INFINITY = float("nan"), float("inf")


class Mistake(NamedTuple):
    """How a case is spoiled, and what the error says."""

    spoil: Callable[[Case, Random], Case]
    message: str
    """A regular expression."""


def _first_judged(case: Case) -> Judgment:
    return case.judgments[0]


def _contradiction(case: Case, rng: Random) -> Case:
    row = rng.choice(case.judgments)
    return _with_judgments(case, [*case.judgments, row._replace(grade=row.grade + 1)])


def _with_judgments(case: Case, judgments: list[Judgment]) -> Case:
    # The types were chosen for other values.
    return replace(case, judgments=judgments, types={})


def _with_run(case: Case, rng: Random, change: Callable[[list[Ranked]], list[Ranked]]) -> Case:
    name = rng.choice(list(case.runs))
    return replace(case, runs={**case.runs, name: change(case.runs[name])}, types={})


def _repeated_document(case: Case, rng: Random) -> Case:
    judged = {row.topic for row in case.judgments}

    def repeat(rows: list[Ranked]) -> list[Ranked]:
        row = rng.choice([row for row in rows if row.topic in judged])
        return [*rows, row._replace(score=rng.choice([row.score, 0.5]))]

    return replace(_with_run(case, rng, repeat), duplicates="error")


def _bad_score(score: float) -> Callable[[Case, Random], Case]:
    def spoil(case: Case, rng: Random) -> Case:
        def change(rows: list[Ranked]) -> list[Ranked]:
            index = rng.randrange(len(rows))
            return [row._replace(score=score) if number == index else row for number, row in enumerate(rows)]

        # ranks alone decide with ties="rank"
        return replace(_with_run(case, rng, change), ties="docid_desc")

    return spoil


def _other_topics(case: Case, rng: Random) -> Case:
    """Give one run other topics than the qrels; alone, as on Spark it is an error only if that holds for all runs."""
    name = rng.choice(list(case.runs))
    return replace(case, runs={name: [row._replace(topic=f"{row.topic}x") for row in case.runs[name]]}, types={})


def _without_intents(case: Case, rng: Random) -> Case:
    rows = {(row.topic, row.doc): row for row in case.judgments}
    adhoc = [row._replace(intent=None) for row in rows.values()]
    return replace(case, judgments=adhoc, intents=[], types={}, specs=["nDCG@3", "D#-nDCG@3"])


def _fractional_grade(case: Case, rng: Random) -> Case:
    return _with_judgments(case, [_first_judged(case)._replace(grade=1.5), *case.judgments[1:]])


def _huge_grade(case: Case, rng: Random) -> Case:
    return _with_judgments(case, [_first_judged(case)._replace(grade=10**6), *case.judgments[1:]])


def _table(case: Case, change: Callable[[Intent], Intent]) -> Case:
    """Return the case with a table in which each judged intent has the probability 1, but for a change."""
    keys = dict.fromkeys((row.topic, row.intent or "") for row in case.judgments)
    return replace(case, intents=[change(Intent(*key, 1.0)) for key in keys], types={})


def _relevant_intent(case: Case) -> tuple[str, str]:
    row = next(row for row in case.judgments if row.grade >= 1)
    return row.topic, row.intent or ""


def _negative_weight(case: Case, rng: Random) -> Case:
    key = _relevant_intent(case)
    return _table(case, lambda row: row._replace(probability=-0.5) if row[:2] == key else row)


def _only_zeros(case: Case, rng: Random) -> Case:
    topic, _ = _relevant_intent(case)
    spoiled = _table(case, lambda row: row._replace(probability=0.0) if row.topic == topic else row)
    return replace(spoiled, specs=["D-nDCG@3"])


def _unknown_type(case: Case, rng: Random) -> Case:
    key = _relevant_intent(case)
    return _table(case, lambda row: row._replace(type="navigational") if row[:2] == key else row)


def _unknown_parent(case: Case, rng: Random) -> Case:
    key = _relevant_intent(case)
    spoiled = _table(case, lambda row: row._replace(parent="nobody") if row[:2] == key else row)
    return replace(spoiled, specs=["N-rec@3"])


def _two_rows(case: Case, rng: Random) -> Case:
    spoiled = _table(case, lambda row: row)
    return replace(spoiled, intents=[*spoiled.intents, spoiled.intents[0]._replace(probability=0.5)])


MISTAKES: dict[str, Mistake] = {
    "contradiction": Mistake(_contradiction, "the qrels contradict themselves"),
    "repeated document": Mistake(_repeated_document, "the run repeats documents"),
    "NaN as a score": Mistake(_bad_score(NAN), "finite number"),
    "infinite score": Mistake(_bad_score(INFINITY), "finite number"),
    "no topic in common": Mistake(_other_topics, "no topic in common"),
    "no intents": Mistake(_without_intents, "needs intents|lack a column: expected 'intent_id'"),
    "fraction as a grade": Mistake(_fractional_grade, "grades are whole numbers|not an integer"),
    "huge grade": Mistake(_huge_grade, "grades are levels of a scale"),
    "negative weight": Mistake(_negative_weight, "give 0 or more"),
    "weights of 0 only": Mistake(_only_zeros, "have the probability 0"),
    "unknown type": Mistake(_unknown_type, "a type is 'inf' or 'nav'|not inf or nav"),
    "unknown parent": Mistake(_unknown_parent, "has the parent 'nobody'"),
    "two rows of an intent": Mistake(_two_rows, "the intent table contradicts itself"),
}
