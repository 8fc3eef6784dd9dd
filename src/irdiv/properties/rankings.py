"""All rankings up to a length, by index: the relations of a property are then arithmetic on indices."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from irdiv.checks import Integer, require
from irdiv.errors import IrdivError
from irdiv.types import Bools, Ints

IRRELEVANT = 0
"""The label of a document that is not relevant; it is written x."""
_LETTERS = ascii_lowercase.replace("x", "")
_MAX_RANKINGS = 5_000_000


class Rankings:
    """Every ranking up to a length of documents that are relevant to one aspect at one grade, or not relevant.

    Rankings are ordered by length, and among equal lengths by their labels; that at index 0 is empty. A label is 0 for
    a document that is not relevant, else 1 + aspect · grades + (grade − 1).

    Parameters
    ----------
    aspects
        How many aspects there are; they are written a, b, ….
    length
        The length of the longest ranking.
    grades
        The highest grade; with 1, relevance is binary.

    Examples
    --------
    >>> rankings = Rankings(aspects=2, length=2)
    >>> len(rankings), [rankings.name(index) for index in range(6)]
    (13, ['∅', 'x', 'a', 'b', 'xx', 'xa'])
    """

    def __init__(self, aspects: int = 2, length: int = 10, grades: int = 1) -> None:
        self.aspects = require(Integer(1, len(_LETTERS)), aspects=aspects)
        self.max_length = require(Integer(1), length=length)
        self.grades = require(Integer(1), grades=grades)
        self.label_count = 1 + self.aspects * self.grades
        sizes = [1]
        for n in range(1, self.max_length + 1):
            sizes.append(sizes[-1] * self.label_count)
            if sum(sizes) > _MAX_RANKINGS:
                remedy = f"a length up to {n - 1}" if n > 1 else "fewer grades"
                raise IrdivError(f"length={length} makes more than {_MAX_RANKINGS:,} rankings; choose {remedy}.")
        self.offset = np.cumsum([0, *sizes])
        """The index of the first ranking of each length."""
        self.lengths: Ints = np.repeat(np.arange(self.max_length + 1), sizes)
        """The length of each ranking."""
        self.labels = self._labels()
        """Labels ``[ranking, position]``, -1 past the end."""

    def __len__(self) -> int:
        return int(self.offset[-1])

    def _labels(self) -> Ints:
        code = np.arange(len(self)) - self.offset[self.lengths]
        labels = np.full((len(self), self.max_length), -1)
        for position in range(self.max_length):
            longer = self.lengths > position
            step = self.label_count ** (self.lengths[longer] - 1 - position)
            labels[longer, position] = code[longer] // step % self.label_count
        return labels

    @property
    def relevant_labels(self) -> range:
        """The labels of relevant documents."""
        return range(1, self.label_count)

    def aspect_of(self, label: int | Ints) -> Ints:
        """Return the aspect of a relevant label, from 0; -1 for others."""
        return np.where(np.asarray(label) > 0, (np.asarray(label) - 1) // self.grades, -1)

    def grade_of(self, label: int | Ints) -> Ints:
        """Return the grade of a label; 0 for a document that is not relevant."""
        return np.where(np.asarray(label) > 0, (np.asarray(label) - 1) % self.grades + 1, 0)

    def extensible(self) -> Ints:
        """Return the indices of rankings that are neither empty nor of the full length."""
        return np.flatnonzero((self.lengths > 0) & (self.lengths < self.max_length))

    def append(self, indices: Ints, label: int | Ints) -> Ints:
        """Return the indices of rankings with one more document at the end."""
        length = self.lengths[indices]
        return self.offset[length + 1] + (indices - self.offset[length]) * self.label_count + label

    def replace(self, indices: Ints, position: int | Ints, label: int | Ints) -> Ints:
        """Return the indices of rankings with another document at a position, from 0."""
        step = self.label_count ** (self.lengths[indices] - 1 - position)
        return indices + (np.asarray(label) - self.labels[indices, position]) * step

    def covers(self, aspect: int) -> Bools:
        """Return which rankings have a document relevant to an aspect."""
        return (self.aspect_of(self.labels) == aspect).any(axis=1)

    def name(self, index: int) -> str:
        """Return a ranking as letters, each followed by its grade where there are several grades."""
        letters = [self._letter(int(label)) for label in self.labels[index] if label >= 0]
        return (" " if self.grades > 1 else "").join(letters) or "∅"

    def _letter(self, label: int) -> str:
        if label == IRRELEVANT:
            return "x"
        letter = _LETTERS[int(self.aspect_of(label))]
        return f"{letter}{self.grade_of(label)}" if self.grades > 1 else letter

    def names(self, indices: Sequence[int] | Ints) -> list[str]:
        """Return rankings as letters."""
        return [self.name(int(index)) for index in indices]
