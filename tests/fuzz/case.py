"""A collection with runs as plain Python values, whose ``repr`` is code that makes it again, and its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from reference.measures import MEASURES
from reference.topic import Topic

Values = dict[tuple[str, str, str], float]
"""By run, topic and spec."""


class Intent(NamedTuple):
    """A row of an intent table; None for what is not given."""

    topic: str
    intent: str
    probability: float | None = None
    type: str | None = None
    parent: str | None = None
    importance: str | None = None


class Judgment(NamedTuple):
    """A row of qrels; the intent is None in all rows of ad hoc qrels."""

    topic: str
    intent: str | None
    doc: str
    grade: float


class Ranked(NamedTuple):
    """A row of a run; the rank is None in all rows of runs without ranks."""

    topic: str
    doc: str
    score: float
    rank: int | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """A collection, its runs, the measures to compute, options of `irdiv.evaluate`, and how columns are stored."""

    judgments: list[Judgment]
    runs: dict[str, list[Ranked]]
    specs: list[str]
    intents: list[Intent] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    """The type of a column, by names such as ``qrels.doc_id``; plain strings, 64-bit integers and floats if missing.

    ``names`` says whose names the columns have.
    """
    batch_rows: int = 3
    ties: str = "docid_desc"
    duplicates: str = "error"

    @property
    def options(self) -> dict[str, str]:
        """How `irdiv.evaluate` is to order runs."""
        return {"ties": self.ties, "duplicates": self.duplicates}

    @property
    def has_ranks(self) -> bool:
        return any(row.rank is not None for rows in self.runs.values() for row in rows)

    @property
    def has_intents(self) -> bool:
        return any(row.intent is not None for row in self.judgments)

    @property
    def intent_columns(self) -> list[str]:
        """The columns of the intent table that describe intents."""
        names = ("probability", "type", "parent", "importance")
        return [name for name in names if any(getattr(row, name) is not None for row in self.intents)]

    def ids(self) -> set[str]:
        """Return all ids of topics, intents and documents."""
        judged = {cell for row in self.judgments for cell in (row.topic, row.intent, row.doc)}
        described = {cell for row in self.intents for cell in (row.topic, row.intent, row.parent)}
        ranked = {cell for run in self.runs.values() for row in run for cell in (row.topic, row.doc)}
        return (judged | described | ranked) - {None}


def ranking(case: Case, name: str) -> dict[str, list[str]]:
    """Return the documents of each topic of a run in order, a repeated one at each of its places."""
    by_topic: dict[str, list[Ranked]] = {}
    for row in case.runs[name]:
        by_topic.setdefault(row.topic, []).append(row)
    return {topic: [row.doc for row in _in_order(rows, case.ties)] for topic, rows in by_topic.items()}


def _in_order(rows: list[Ranked], ties: str) -> list[Ranked]:
    """Return rows by score descending, or by rank; of equal ones the largest id first, unless ties say otherwise."""
    if ties == "input":
        return sorted(rows, key=lambda row: -row.score)
    if ties == "docid_asc":
        return sorted(rows, key=lambda row: (-row.score, row.doc))
    largest_first = sorted(rows, key=lambda row: row.doc, reverse=True)
    return sorted(largest_first, key=lambda row: row.rank if ties == "rank" else -row.score)


def naive_values(case: Case) -> Values:
    """Return the values of all runs, topics of the qrels and measures by the reference."""
    grades: dict[str, dict[str, dict[str, int]]] = {}
    for row in case.judgments:
        grades.setdefault(row.topic, {}).setdefault(row.intent or "", {})[row.doc] = row.grade
    info: dict[str, dict[str, dict[str, object]]] = {topic: {} for topic in grades}
    for row in case.intents:
        if row.topic in info:
            info[row.topic][row.intent] = row._asdict()
    highest = max(0, *(row.grade for row in case.judgments))
    values: Values = {}
    for name in case.runs:
        lists = ranking(case, name)
        for topic in grades:
            # of a document that the run repeats, the best rank counts
            ranked = list(dict.fromkeys(lists.get(topic, [])))
            known = Topic(grades[topic], ranked, highest, info[topic])
            for spec in case.specs:
                values[name, topic, spec] = float(MEASURES[spec].score(known))
    return values
