"""A collection with runs as plain Python values, whose ``repr`` is code that makes it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


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
    """A row of a run."""

    topic: str
    doc: str
    score: float


@dataclass(frozen=True, eq=False)
class Case:
    """A collection, its runs, the measures to compute, and how columns are stored."""

    judgments: list[Judgment]
    runs: dict[str, list[Ranked]]
    specs: list[str]
    intents: list[Intent] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    """The type of a column, by names such as ``qrels.doc_id``; plain strings, 64-bit integers and floats if missing.

    ``names`` says whose names the columns have.
    """
    batch_rows: int = 3

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


def ranking(rows: list[Ranked]) -> dict[str, list[str]]:
    """Return the documents of each topic of a run, by score descending, of equal ones the largest id first."""
    by_topic: dict[str, list[Ranked]] = {}
    for row in rows:
        by_topic.setdefault(row.topic, []).append(row)
    return {
        topic: [row.doc for row in sorted(ranked, key=lambda row: (row.score, row.doc), reverse=True)]
        for topic, ranked in by_topic.items()
    }
