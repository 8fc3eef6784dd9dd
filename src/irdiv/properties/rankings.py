"""All rankings up to a length, as numbers: what a property says of each is then arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import Bools, Ints

NOTHING = 0
"""The label of a document that is not relevant; it is written x."""
_MOST = 5_000_000


class Rankings:
    """Every ranking of at most ``depth`` documents, each relevant to one of some aspects at one of some grades, or not.

    Rankings are numbered by length, and among equals as the digits of their labels; number 0 is the empty one. A label
    is 0 for a document that is not relevant, else 1 + aspect · grades + (grade − 1).

    Parameters
    ----------
    aspects
        How many aspects there are; they are written a, b, ….
    depth
        The length of the longest ranking.
    grades
        The highest grade; with 1, relevance is binary.

    Examples
    --------
    >>> space = Rankings(aspects=2, depth=2)
    >>> len(space), [space.name(number) for number in range(6)]
    (13, ['∅', 'x', 'a', 'b', 'xx', 'xa'])
    """

    def __init__(self, aspects: int = 2, depth: int = 10, grades: int = 1) -> None:
        for name, value in (("aspects", aspects), ("depth", depth), ("grades", grades)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise IrdivError(f"{name}={value!r} is not a whole number from 1.")
        if aspects > len(ascii_lowercase) - 3:
            raise IrdivError(f"aspects={aspects}; there are at most {len(ascii_lowercase) - 3}.")
        self.aspects, self.depth, self.grades = aspects, depth, grades
        self.choices = 1 + aspects * grades
        number = sum(self.choices**length for length in range(depth + 1))
        if number > _MOST:
            raise IrdivError(f"that is {number:,} rankings, more than {_MOST:,}; choose a smaller depth.")
        # How many rankings are shorter than each length.
        self.offset = np.cumsum([0, *(self.choices**length for length in range(depth + 1))])
        self.length: Ints = np.repeat(np.arange(depth + 1), np.diff(self.offset))
        self.labels = self._labels()
        """Labels ``[ranking, position]``, -1 past the end."""

    def __len__(self) -> int:
        return int(self.offset[-1])

    def _labels(self) -> Ints:
        code = np.arange(len(self)) - self.offset[self.length]
        labels = np.full((len(self), self.depth), -1)
        for position in range(self.depth):
            inside = self.length > position
            step = self.choices ** (self.length[inside] - 1 - position)
            labels[inside, position] = code[inside] // step % self.choices
        return labels

    @property
    def relevant(self) -> range:
        """The labels of relevant documents."""
        return range(1, self.choices)

    def aspect(self, label: int | Ints) -> Ints:
        """Return the aspect of a relevant label, from 0; -1 for others."""
        return np.where(np.asarray(label) > 0, (np.asarray(label) - 1) // self.grades, -1)

    def grade(self, label: int | Ints) -> Ints:
        """Return the grade of a label; 0 for a document that is not relevant."""
        return np.where(np.asarray(label) > 0, (np.asarray(label) - 1) % self.grades + 1, 0)

    def extensible(self) -> Ints:
        """Return the rankings that are neither empty nor of the full length."""
        return np.flatnonzero((self.length > 0) & (self.length < self.depth))

    def append(self, rankings: Ints, label: int | Ints) -> Ints:
        """Return the rankings with one more document at the end."""
        length = self.length[rankings]
        return self.offset[length + 1] + (rankings - self.offset[length]) * self.choices + label

    def replace(self, rankings: Ints, position: int | Ints, label: int | Ints) -> Ints:
        """Return the rankings with another document at a position, from 0."""
        step = self.choices ** (self.length[rankings] - 1 - position)
        return rankings + (np.asarray(label) - self.labels[rankings, position]) * step

    def sees(self, aspect: int) -> Bools:
        """Tell which rankings have a document relevant to an aspect."""
        return (self.aspect(self.labels) == aspect).any(axis=1)

    def name(self, ranking: int) -> str:
        """Return a ranking as letters, with the grade behind where there are several."""
        written = [self._written(int(label)) for label in self.labels[ranking] if label >= 0]
        return (" " if self.grades > 1 else "").join(written) or "∅"

    def _written(self, label: int) -> str:
        if label == NOTHING:
            return "x"
        letter = [c for c in ascii_lowercase if c != "x"][int(self.aspect(label))]
        return f"{letter}{self.grade(label)}" if self.grades > 1 else letter

    def names(self, rankings: Sequence[int] | Ints) -> list[str]:
        """Return rankings as letters."""
        return [self.name(int(ranking)) for ranking in rankings]
