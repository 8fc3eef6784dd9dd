"""Checks of values that users give: each returns the value in its one spelling, or states what it must be.

A check is called with a value. It raises TypeError or ValueError with a message that completes "… is not …". Its
``samples`` pass, so that tests can try a parameter without a list of their own.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from irdiv.errors import IrdivError, examples, short

T = TypeVar("T")

LARGEST_INTEGER = 2**63 - 1
"""What arrays can hold."""


def require(check: Callable[[object], T], **given: object) -> T:
    """Validate one keyword argument and return it; an error names it and what it must be.

    >>> require(Integer(1), depth=3)
    3
    >>> require(Integer(1), depth=0)
    Traceback (most recent call last):
    irdiv.errors.IrdivError: depth=0 is not an integer of 1 or more.
    """
    ((name, value),) = given.items()
    try:
        return check(value)
    except (TypeError, ValueError) as error:
        raise IrdivError(f"{name}={short(value)} is not {error}.") from None


@dataclass(frozen=True)
class Number:
    """A validator for a number between two bounds."""

    low: float
    high: float
    open_low: bool = False
    """Whether the lower bound itself is excluded."""
    open_high: bool = False
    """Whether the upper bound itself is excluded."""

    def __call__(self, value: object) -> float:
        """Return the checked value."""
        bounds = f"a number {'above' if self.open_low else 'from'} {self.low:g}"
        if self.high < math.inf:
            bounds += f" {'and below' if self.open_high else 'to'} {self.high:g}"
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(bounds)
        try:
            given = float(value)
        except OverflowError:
            raise ValueError(bounds) from None
        excluded = (self.open_low and given == self.low) or (self.open_high and given == self.high)
        if not self.low <= given <= self.high or excluded:
            raise ValueError(bounds)
        return given

    @property
    def samples(self) -> tuple[float, ...]:
        """Some numbers between the bounds."""
        return tuple(x for x in (0.25, 0.9, 2.0, 10.0) if self.low <= x <= self.high and (x > self.low))[:3]


@dataclass(frozen=True)
class Integer:
    """A validator for an integer with a lower and an optional upper bound."""

    low: int
    high: int | None = None

    def __call__(self, value: object) -> int:
        """Return the checked value."""
        bounds = (
            f"an integer of {self.low} or more" if self.high is None else f"an integer from {self.low} to {self.high}"
        )
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(bounds)
        given = int(value)
        if self.high is None and given > LARGEST_INTEGER:
            raise ValueError(f"{bounds} and below 2^63")
        if given < self.low or (self.high is not None and given > self.high):
            raise ValueError(bounds)
        return given

    @property
    def samples(self) -> tuple[int, ...]:
        """The two integers after the lower bound."""
        return self.low + 1, self.low + 2


@dataclass(frozen=True)
class Choice:
    """A validator for one of some strings."""

    options: tuple[str, ...]

    def __call__(self, value: object) -> str:
        """Return the checked value."""
        if not isinstance(value, str) or value not in self.options:
            raise ValueError(f"one of {examples(self.options, len(self.options))}")
        return value

    @property
    def samples(self) -> tuple[str, ...]:
        """All options."""
        return self.options


def choice(*options: str) -> Choice:
    """Return a validator for one of some strings."""
    return Choice(options)


@dataclass(frozen=True)
class Boolean:
    """A validator for True or False."""

    samples: ClassVar[tuple[bool, ...]] = (False, True)

    def __call__(self, value: object) -> bool:
        """Return the checked value."""
        if not isinstance(value, bool) and not (hasattr(value, "dtype") and value.dtype == bool):
            raise TypeError("True or False")
        return bool(value)


@dataclass(frozen=True)
class Optional(Generic[T]):
    """A validator for None, or for what another validator accepts."""

    check: Callable[[object], T]

    def __call__(self, value: object) -> T | None:
        """Return the checked value."""
        return None if value is None else self.check(value)

    @property
    def samples(self) -> tuple[T | None, ...]:
        """None and the samples of the other check."""
        return None, *getattr(self.check, "samples", ())


class GainOfGrade(dict[int, float]):
    """A hashable mapping from grade to gain, which prints as it is parsed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return "{" + ",".join(f"{grade}:{g!r}" for grade, g in self.items()) + "}"


@dataclass(frozen=True)
class Gain:
    """The name of a gain function, or a mapping grade → gain."""

    # A mapping must hold every grade of the qrels, so that only the names can be tried on any qrels.
    samples: ClassVar[tuple[str, ...]] = ("exp", "linear")

    def __call__(self, value: object) -> str | GainOfGrade:
        """Return the checked value."""
        expected = "'exp', 'linear' or a mapping from grade to gain such as {1: 1, 2: 3}"
        if isinstance(value, str) and value in self.samples:
            return value
        if not isinstance(value, Mapping) or not value:
            raise TypeError(expected)
        try:
            gains = {Integer(-(10**6), 10**6)(grade): Number(0, 1e100)(g) for grade, g in value.items()}
        except (TypeError, ValueError):
            raise ValueError(f"{expected}, with gains from 0 to 1e100") from None
        if any(g != 0 for grade, g in gains.items() if grade <= 0):
            raise ValueError(f"{expected}: grades of 0 and below are not relevant and have gain 0")
        return GainOfGrade(sorted(gains.items()))


class WeightTuple(tuple[float, ...]):
    """A tuple of weights, printed without spaces as in specs."""

    def __repr__(self) -> str:
        return "(" + ",".join(map(repr, self)) + ("," if len(self) == 1 else "") + ")"


@dataclass(frozen=True)
class Weights:
    """A sequence of weights, at least one of them above 0."""

    samples: ClassVar[tuple[WeightTuple, ...]] = (WeightTuple((0.2, 0.3, 0.1, 0.4)),)

    def __call__(self, value: object) -> WeightTuple:
        """Return the checked value."""
        expected = "a sequence of numbers from 0, such as (0.3, 0.7), with one above 0"
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            raise TypeError(expected)
        try:
            given = WeightTuple(Number(0, 1e100)(weight) for weight in value)
        except (TypeError, ValueError):
            raise ValueError(expected) from None
        if not any(given):
            raise ValueError(expected)
        return given


@dataclass(frozen=True)
class Thresholds:
    """``"uniform"``, or a sequence of weights of the steps of a grade scale."""

    samples: ClassVar[tuple[str | WeightTuple, ...]] = ("uniform", *Weights.samples)

    def __call__(self, value: object) -> str | WeightTuple:
        """Return the checked value."""
        if value == "uniform":
            return "uniform"
        try:
            return Weights()(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"'uniform' or {error}") from None
