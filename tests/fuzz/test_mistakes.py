"""Random collections with a mistake: entry points that can state it refuse it, with the same error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import assume, note

import irdiv

from .case import Case, Intent
from .generate import random_case
from .points import CHEAP, POINTS, values_by
from .test_values import explore

pytestmark = pytest.mark.slow


class Mistake(NamedTuple):
    """How a case is spoiled, and what the error says."""

    spoil: Callable[[Case, Random], Case]
    message: str
    """A regular expression."""


def changed(case: Case, **fields: object) -> Case:
    """Return a case with other data, in plain columns, as the types were chosen for other values."""
    return replace(case, types={}, **fields)


def grade(value: float | None) -> Callable[[Case, Random], Case]:
    """Return what gives a document another grade, or a second one that is higher."""

    def spoil(case: Case, rng: Random) -> Case:
        row = rng.choice(case.judgments)
        if value is None:
            return changed(case, judgments=[*case.judgments, row._replace(grade=row.grade + 1)])
        same = row[:3]
        return changed(case, judgments=[r._replace(grade=value) if r[:3] == same else r for r in case.judgments])

    return spoil


def score(value: float) -> Callable[[Case, Random], Case]:
    def spoil(case: Case, rng: Random) -> Case:
        name = rng.choice(list(case.runs))
        rows = list(case.runs[name])
        index = rng.randrange(len(rows))
        rows[index] = rows[index]._replace(score=value)
        # ranks alone decide with ties="rank"
        return changed(case, runs={**case.runs, name: rows}, ties="docid_desc")

    return spoil


def repeated_document(case: Case, rng: Random) -> Case:
    judged, name = {row.topic for row in case.judgments}, rng.choice(list(case.runs))
    row = rng.choice([row for row in case.runs[name] if row.topic in judged])
    rows = [*case.runs[name], row._replace(score=rng.choice([row.score, 0.5]))]
    return changed(case, runs={**case.runs, name: rows}, duplicates="error")


def other_topics(case: Case, rng: Random) -> Case:
    """Give one run other topics than the qrels; alone, as on Spark it is an error only if that holds for all runs."""
    name = rng.choice(list(case.runs))
    return changed(case, runs={name: [row._replace(topic=f"{row.topic}x") for row in case.runs[name]]})


def no_intents(case: Case, rng: Random) -> Case:
    rows = {(row.topic, row.doc): row for row in case.judgments}
    adhoc = [row._replace(intent=None) for row in rows.values()]
    return changed(case, judgments=adhoc, intents=[], specs=["nDCG@3", "D#-nDCG@3"])


def intent_table(case: Case) -> list[Intent]:
    """Return a table in which each judged intent has the probability 1, first one with a relevant document."""
    rows = sorted(case.judgments, key=lambda row: row.grade < 1)
    return [Intent(*key, 1.0) for key in dict.fromkeys((row.topic, row.intent or "") for row in rows)]


def described(**cells: object) -> Callable[[Case, Random], Case]:
    """Return what describes an intent with a relevant document otherwise than others."""

    def spoil(case: Case, rng: Random) -> Case:
        first, *others = intent_table(case)
        return changed(case, intents=[first._replace(**cells), *others])

    return spoil


def only_zeros(case: Case, rng: Random) -> Case:
    table = intent_table(case)
    rows = [row._replace(probability=0.0) if row.topic == table[0].topic else row for row in table]
    return changed(case, intents=rows, specs=["D-nDCG@3"])


def unknown_parent(case: Case, rng: Random) -> Case:
    return replace(described(parent="nobody")(case, rng), specs=["N-rec@3"])


def two_rows(case: Case, rng: Random) -> Case:
    table = intent_table(case)
    return changed(case, intents=[*table, table[0]._replace(probability=0.5)])


MISTAKES: dict[str, Mistake] = {
    "contradiction": Mistake(grade(None), "the qrels contradict themselves"),
    "fraction as a grade": Mistake(grade(1.5), "grades are whole numbers|not an integer"),
    "huge grade": Mistake(grade(10**6), "grades are levels of a scale"),
    "repeated document": Mistake(repeated_document, "the run repeats documents"),
    # a line that cannot be read and begins with a brace is taken for JSON
    "NaN as a score": Mistake(score(float("nan")), "finite number|JSON, and not a TREC run"),
    "infinite score": Mistake(score(float("inf")), "finite number|JSON, and not a TREC run"),
    "no topic in common": Mistake(other_topics, "no topic in common"),
    "no intents": Mistake(no_intents, "needs intents|lack a column: expected 'intent_id'"),
    "negative weight": Mistake(described(probability=-0.5), "give 0 or more"),
    "weights of 0 only": Mistake(only_zeros, "have the probability 0"),
    "unknown type": Mistake(described(type="navigational"), "a type is 'inf' or 'nav'|not inf or nav"),
    "unknown parent": Mistake(unknown_parent, "has the parent 'nobody'"),
    "two rows of an intent": Mistake(two_rows, "the intent table contradicts itself"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_everywhere(name):
    mistake = MISTAKES[name]

    def assert_refusal(rng: Random) -> None:
        case = random_case(rng)
        assume(case.has_intents and any(row.grade >= 1 for row in case.judgments))
        spoiled = mistake.spoil(case, rng)
        note(repr(spoiled))
        able = [point for point in CHEAP if POINTS[point].carries(spoiled)]
        for point in ["pandas", *rng.sample(able, 4)]:
            note(f"by {point}")
            with pytest.raises(irdiv.IrdivError, match=mistake.message):
                values_by(point, spoiled)

    explore(assert_refusal, name, 4)
