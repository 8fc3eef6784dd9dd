"""Text labels of importance and support: a vocabulary, a mapping of others to it, and a count of unknown ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from irdiv.checks import Number, require
from irdiv.errors import IrdivError, examples, warn
from irdiv.frames.columns import IMPORTANCE_WEIGHTS
from irdiv.rag.records import is_missing

SUPPORT_GRADES = {"not_support": 0, "partial_support": 1, "support": 2}
"""The grades of nuggetizer's labels, which say how a document supports a nugget."""

LabelMapping: TypeAlias = Mapping[str, str | int]
"""From labels to labels of the vocabulary, or to grades."""


class Labels:
    """The labels of some files: known ones, those that a mapping makes known, and a count of all others."""

    def __init__(self, labels: LabelMapping | None, importance_weights: Mapping[str, float] | None) -> None:
        self._weights = dict(IMPORTANCE_WEIGHTS if importance_weights is None else importance_weights)
        for weight in self._weights.values():
            require(Number(0, math.inf), importance_weights=weight)
        given: dict[str, Any] = {} if labels is None else dict(labels)
        self._importance = {label: to for label, to in given.items() if isinstance(to, str) and to in self._weights}
        self._support = {label: to for label, to in given.items() if to in SUPPORT_GRADES or type(to) is int}
        unusable = {label: to for label, to in given.items() if label not in {**self._importance, **self._support}}
        if unusable:
            raise IrdivError(
                f"labels={unusable} maps to unknown labels: expected grades, or one of "
                f"{examples([*self._weights, *SUPPORT_GRADES], 9)}."
            )
        self._unseen = set(given)
        self._unknown: dict[str, Counter[str]] = {"importance": Counter(), "support": Counter()}

    def importance(self, label: object) -> str | None:
        """Return the importance of a nugget, or its label as it is if that is not known; None if there is none."""
        if label is None:
            return None
        known = self._known(label, self._importance, self._weights)
        if isinstance(known, str):
            return known
        self._unknown["importance"][str(label)] += 1
        return str(label)

    def weight(self, importance: str | None) -> float | None:
        """Return the weight of an importance, None if it is not known."""
        return None if importance is None else self._weights.get(importance)

    def support(self, label: object) -> str | int:
        """Return how a nugget is supported, or its label as it is if that is not known."""
        known = self._known(label, self._support, SUPPORT_GRADES)
        if known is not None:
            return known
        self._unknown["support"][str(label)] += 1
        return "" if is_missing(label) else str(label)

    def grade(self, label: object) -> int | None:
        """Return the grade of a label or number, None if it is not known."""
        if isinstance(label, int | float) and float(label).is_integer():
            return int(label)
        if isinstance(label, str) and label.strip().lstrip("-").isdecimal():
            return int(label)
        known = self._known(label, self._support, SUPPORT_GRADES)
        if known is None:
            self._unknown["support"][str(label)] += 1
            return None
        return SUPPORT_GRADES[known] if isinstance(known, str) else int(known)

    def _known(self, label: object, mapping: Mapping[str, str | int], known: Iterable[str]) -> str | int | None:
        text = str(label)
        if text in mapping:
            self._unseen.discard(text)
            return mapping[text]
        plain = text.strip().lower()
        return plain if plain in known else None

    def warn(self, effect: str) -> None:
        """Warn about labels that are not known; ``effect`` says what becomes of unknown support."""
        effects = {"importance": "have weight 0", "support": effect}
        found = [
            f"{counter.total()} {name} labels are unknown and {effects[name]}: {_shown(counter)}"
            for name, counter in self._unknown.items()
            if counter
        ]
        if found:
            known = {"importance": list(self._weights), "support": list(SUPPORT_GRADES)}
            label, to = next(
                (next(iter(counter)), known[name][-1]) for name, counter in self._unknown.items() if counter
            )
            warn(
                f"{'; '.join(found)}. Known are {examples([*known['importance'], *known['support']], 9)}; others are "
                f"mapped as in labels={{{label!r}: {to!r}}}."
            )
        if self._unseen:
            warn(f"labels= maps {examples(sorted(self._unseen), 9)}, but no nugget has this label.")


def _shown(counter: Counter[str]) -> str:
    """Return the labels with their counts, the most frequent first."""
    shown = [f"{label!r} ({count})" for label, count in counter.most_common(9)]
    return ", ".join(shown) + (", …" if len(counter) > 9 else "")
