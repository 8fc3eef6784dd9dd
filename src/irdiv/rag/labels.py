"""Text labels of importance and support: a vocabulary, a mapping of others to it, and a count of unknown ones."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from irdiv.checks import Number, require
from irdiv.errors import IrdivError, counted, examples, short, warn
from irdiv.io.columns import IMPORTANCE_WEIGHTS
from irdiv.io.values import MAX_GRADE, MAX_PROBABILITY
from irdiv.rag.credits import CREDITS
from irdiv.rag.fields import Fields, is_missing

SUPPORT_GRADES = {"not_support": 0, "partial_support": 1, "support": 2}
"""The grades of nuggetizer's labels, which say how a document supports a nugget."""

WEIGHT_FIELDS = ("importance", "weight")
"""The fields of importance and weight of a nugget."""

LabelMapping: TypeAlias = Mapping[str, str | int]
"""From labels to labels of the vocabulary, or to grades."""

_MOST_SHOWN = 9

_LIKE_WEIGHT = re.compile("importance|weight|priority|vital|points|probability", re.IGNORECASE)
"""A part of the names of fields that are likely to weigh nuggets."""


def example_of_mapping(label: str, meaning: str | int) -> str:
    """Return how a label is mapped, in Python and on the command line.

    >>> example_of_mapping("yes", 2)
    "labels={'yes': 2} (on the command line, --label yes=2)"
    """
    in_python = meaning if meaning == "…" else repr(meaning)
    # An argument that starts with a hyphen would be taken for an option.
    option = f"--label{'=' if label.startswith('-') else ' '}{shlex.quote(label)}={meaning}"
    return f"labels={{{label!r}: {in_python}}} (on the command line, {option})"


class _Vocabulary:
    """The labels of one field: known ones, those that a mapping makes known, and counts of all."""

    def __init__(self, name: str, known: Collection[str], meanings: LabelMapping) -> None:
        self.name, self.known = name, known
        self._meanings = meanings
        self._unused = set(meanings)
        self._known_count = 0
        self.unknown: Counter[str] = Counter()

    def find(self, label: object) -> str | int | None:
        """Return what a label means, None if it is not known."""
        text = label_text(label)
        plain = text.strip().lower()
        meaning = self._meanings.get(text, plain if plain in self.known else None)
        self._unused.discard(text)
        if meaning is None:
            self.unknown[text] += 1
        else:
            self._known_count += 1
        return meaning

    def maps(self, label: object) -> bool:
        """Return whether the mapping states what a label means."""
        return label_text(label) in self._meanings

    def count_known(self) -> None:
        """Count a label that is known without the vocabulary, such as a grade."""
        self._known_count += 1

    def has_no_known(self) -> bool:
        """Return whether no label so far is known."""
        return self._known_count == 0

    def has_only_unknown(self) -> bool:
        """Return whether there are labels, and none is known."""
        return bool(self.unknown) and self.has_no_known()

    def unused_meanings(self) -> set[str]:
        """Return the labels of the mapping that did not occur."""
        return self._unused

    def shown(self) -> str:
        """Return the unknown labels with their counts, the most frequent first."""
        found = [f"{label!r} ({count})" for label, count in self.unknown.most_common(_MOST_SHOWN)]
        return ", ".join(found) + (", …" if len(self.unknown) > _MOST_SHOWN else "")

    def example(self) -> str:
        """Return a mapping of an unknown label as an example, to the known label that is close to it."""
        label = next(iter(self.unknown))
        near = get_close_matches(label.strip().lower().replace(" ", "_"), self.known, n=1)
        return example_of_mapping(label, near[0] if near else "…")


class Labels:
    """The labels of importance and support of some files."""

    def __init__(self, labels: LabelMapping | None, importance_weights: Mapping[str, float] | None) -> None:
        self._weights = dict(IMPORTANCE_WEIGHTS if importance_weights is None else importance_weights)
        for weight in self._weights.values():
            require(Number(0, MAX_PROBABILITY), importance_weights=weight)
        given = {label_text(label): meaning for label, meaning in (labels or {}).items()}
        importance = {label: to for label, to in given.items() if isinstance(to, str) and to in self._weights}
        support = {label: to for label, to in given.items() if to in SUPPORT_GRADES or _is_grade(to)}
        unusable = {label: to for label, to in given.items() if label not in {**importance, **support}}
        if unusable:
            raise IrdivError(
                f"labels={short(unusable)} (on the command line, --label) maps to unknown labels: expected grades from "
                f"0 to {MAX_GRADE}, or one of {examples([*self._weights, *SUPPORT_GRADES], 9)}."
            )
        self._importance = _Vocabulary("importance", self._weights, importance)
        self._support = _Vocabulary("support", SUPPORT_GRADES, support)
        self._negative: Counter[int] = Counter()

    def importance(self, label: object) -> str | None:
        """Return the importance of a nugget, or its label as it is if that is not known; None if there is none."""
        if is_missing(label) and label != "":
            return None
        known = self._importance.find(label)
        return known if isinstance(known, str) else label_text(label)

    def weight(self, importance: str | None) -> float | None:
        """Return the weight of an importance, None if it is not known."""
        return None if importance is None else self._weights.get(importance)

    def support(self, label: object) -> str:
        """Return how an answer supports a nugget, or its label as it is if that is not known."""
        if label_text(label) in CREDITS and not self._support.maps(label):
            self._support.count_known()
            return label_text(label)
        known = self._support.find(label)
        if known is None:
            return label_text(label)
        if isinstance(known, str):
            return known
        raise IrdivError(
            f"labels={{{label!r}: {known}}} maps to a grade, which is for documents: assignments to answers need one "
            f"of {examples(SUPPORT_GRADES)}."
        )

    def grade(self, label: object, where: str) -> int | None:
        """Return the grade of a label or number, None if it is not known or negative; ``where`` names it in errors."""
        number = None if self._support.maps(label) else _as_number(label)
        if number is not None:
            if not number.is_integer() or abs(number) > MAX_GRADE:
                raise IrdivError(
                    f"{where} is {label!r}, and grades are whole numbers up to {MAX_GRADE}; map it to one, as in "
                    "labels={'0': 0, '0.5': 1, '1': 2} for shares of support (on the command line, --label 0.5=1)."
                )
            return self._judged(int(number))
        known = self._support.find(label)
        return SUPPORT_GRADES[known] if isinstance(known, str) else known

    def _judged(self, grade: int) -> int | None:
        """Return a grade, None for a negative one: a judge that failed writes −1."""
        if grade < 0:
            self._negative[grade] += 1
            return None
        self._support.count_known()
        return grade

    def report_unknown(self, effect: str, *, needs_support: bool = False) -> None:
        """Warn about labels that are not known; ``effect`` states what becomes of unknown support.

        It is an error if no label of importance, or where it is needed of support, is known.
        """
        if self._importance.has_only_unknown():
            raise self._error_about_importance()
        if needs_support and self._support.has_only_unknown():
            raise IrdivError(
                f"no label of support is known: found {self._support.shown()}, expected {examples(SUPPORT_GRADES)} or "
                f"grades. State what each means, as in {self._support.example()}."
            )
        self._report_negative()
        effects = {self._importance: "given weight 0 beside known ones", self._support: effect}
        found = [(vocabulary, effect) for vocabulary, effect in effects.items() if vocabulary.unknown]
        if found:
            counts = (
                f"{counted(v.unknown.total(), f'{v.name} label is', f'{v.name} labels are')} unknown and {effect}: "
                f"{v.shown()}"
                for v, effect in found
            )
            known = examples([label for v, _ in found for label in v.known], 9)
            warn(f"{'; '.join(counts)}. Known are {known}; state what others mean, as in {found[0][0].example()}.")
        unused = self._importance.unused_meanings() | self._support.unused_meanings()
        if unused:
            shown = examples(sorted(unused), 9)
            warn(f"labels (on the command line, --label) maps {shown}, but no nugget has this label.")

    def _report_negative(self) -> None:
        if not self._negative:
            return
        found = ", ".join(f"{grade} ({count})" for grade, count in sorted(self._negative.items()))
        if self._support.has_no_known():
            raise IrdivError(f"no document is judged: all grades are negative, {found}; expected 0 or more.")
        count = counted(self._negative.total(), "grade is", "grades are")
        remedy = example_of_mapping(str(min(self._negative)), 0)
        warn(
            f"{count} negative and left out, as if not judged: {found}. "
            f"If they mean that a nugget is not supported, map them, as in {remedy}."
        )

    def _error_about_importance(self) -> IrdivError:
        unknown = self._importance
        remedy = (
            "If larger numbers are more important, they are weights: call the field 'weight'. Else state"
            if all(_as_number(label) is not None for label in unknown.unknown)
            else "State"
        )
        return IrdivError(
            f"no label of importance is known: found {unknown.shown()}, expected {examples(self._weights)}. {remedy} "
            f"what each means, as in {unknown.example()}, or its weight by importance_weights=."
        )


def warn_about_unread_weights(nuggets: Iterable[Fields], read: Collection[str]) -> None:
    """Warn about fields that seem to weigh nuggets, by their names or labels, where no field that is read does.

    Parameters
    ----------
    nuggets
        The fields of each nugget.
    read
        The fields of importance and weight that are read.
    """
    unread: dict[str, None] = {}
    seems_weight: dict[str, bool] = {}
    for fields in nuggets:
        for name, value in fields.items():
            if name in read and not is_missing(value):
                return
            if name not in seems_weight:
                seems_weight[name] = name not in read and _LIKE_WEIGHT.search(name) is not None
            is_label = name not in read and isinstance(value, str) and value.strip().lower() in IMPORTANCE_WEIGHTS
            if is_label or (seems_weight[name] and not is_missing(value)):
                unread[name] = None
    if unread:
        warn(
            f"nuggets have no 'importance' or 'weight' and count equally; is it the field {examples(unread)}, which is "
            "not read? Call labels such as 'vital' and 'okay' 'importance', and numbers 'weight'."
        )


def _is_grade(meaning: object) -> bool:
    return type(meaning) is int and 0 <= meaning <= MAX_GRADE


def label_text(label: object) -> str:
    """Return a label as a string; 1.0 is 1, and a missing label is empty."""
    if is_missing(label):
        return ""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _as_number(label: object) -> float | None:
    """Return a label that is a number or is written as one, None if it is not one."""
    if isinstance(label, str):
        return float(label) if re.fullmatch(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*", label) else None
    return float(label) if isinstance(label, int | float) and not is_missing(label) else None
