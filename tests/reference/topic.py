"""What is known of one topic, and which of its intents count."""

from __future__ import annotations

from dataclasses import dataclass, field

IMPORTANCE = {"vital": 1.0, "okay": 0.5}
_KNOWN = ("probability", "type", "parent", "importance")


@dataclass
class Topic:
    """The judgments of a topic, and the ranking of a run for it."""

    grades: dict[str, dict[str, int]]
    """``grades[intent][document]``; the one intent of ad hoc qrels is ``""``."""
    ranking: list[str]
    max_grade: int
    """The highest grade of all topics."""
    info: dict[str, dict[str, object]] = field(default_factory=dict)
    """What the intent table says of intents and inner nodes: probability, type, parent, importance."""

    @property
    def documents(self) -> list[str]:
        return sorted({doc for of_intent in self.grades.values() for doc in of_intent})

    def grade(self, intent: str, doc: str) -> int:
        return max(self.grades.get(intent, {}).get(doc, 0), 0)

    def best_grade(self, doc: str) -> int:
        return max((self.grade(intent, doc) for intent in self.grades), default=0)

    def has_relevant(self, intent: str) -> bool:
        return any(grade >= 1 for grade in self.grades.get(intent, {}).values())

    def intents(self) -> list[str]:
        """Return the intents with a relevant document."""
        return [intent for intent in self.grades if self.has_relevant(intent)]

    def declared(self) -> list[str]:
        """Return all intents of the intent table that are leaves; without it the judged ones but TREC's 0.

        A 0 of which nothing is known is TREC's in an intent table too.
        """
        parents = {row["parent"] for row in self.info.values()}
        known = [i for i, row in self.info.items() if i != "0" or any(row[name] is not None for name in _KNOWN)]
        leaves = [intent for intent in known if intent not in parents]
        judged = [intent for intent in self.grades if intent != "0"]
        return sorted({*(leaves if self.info else judged), *self.intents()})

    def weight(self, intent: str) -> float | None:
        """Return the probability of an intent, or the weight of its importance in topics without probabilities."""
        row = self.info.get(intent, {})
        if any(other["probability"] is not None for other in self.info.values()):
            return row.get("probability")
        return IMPORTANCE.get(row.get("importance"))

    def probabilities(self, intents: list[str]) -> dict[str, float]:
        """Return Pr(i|q), which sums to 1 over the intents that count."""
        weights = {intent: self.weight(intent) for intent in intents}
        if all(weight is None for weight in weights.values()):
            return dict.fromkeys(intents, 1 / len(intents)) if intents else {}
        return {intent: weight / sum(weights.values()) for intent, weight in weights.items()}

    def is_navigational(self, intent: str) -> bool:
        return self.info.get(intent, {}).get("type") == "nav"
