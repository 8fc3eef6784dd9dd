"""Options that all tests share: names, defaults and checks."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from irdiv.checks import Integer, Number, choice, require
from irdiv.errors import IrdivError

Rng: TypeAlias = np.random.Generator | int | None
"""A seed, a generator, or None for another result each time."""
PairedTestName: TypeAlias = Literal["bootstrap", "randomization", "t"]
TestName: TypeAlias = Literal["bootstrap", "randomization", "t", "tukey"]
IntervalName: TypeAlias = Literal["bca", "percentile", "t"]

N_RESAMPLES = 1000
"""Bootstrap samples, or permutations of the randomized Tukey HSD test."""
N_SIGN_FLIPS = 10_000
"""Random signs that the randomization test draws for all differences."""
LEVEL = 0.05
CONFIDENCE_LEVEL = 0.95

_OPEN_UNIT_INTERVAL = Number(0, 1, open_low=True, open_high=True)


def require_test(test: object) -> None:
    """Raise an error unless a test is known by this name."""
    require(choice(*get_args(TestName)), test=test)


def require_level(level: object) -> None:
    """Raise an error unless the significance level is between 0 and 1."""
    require(_OPEN_UNIT_INTERVAL, level=level)


def require_interval(interval: object, confidence_level: object) -> None:
    """Raise an error unless the interval is known by this name and its confidence level is between 0 and 1."""
    require(choice(*get_args(IntervalName)), interval=interval)
    require(_OPEN_UNIT_INTERVAL, confidence_level=confidence_level)


def require_two_topics(n_topics: int) -> None:
    """Raise an error if there is only one topic, which allows no inference."""
    if n_topics < 2:
        raise IrdivError(f"a test needs at least two topics, found {n_topics}.")


def resampling_options(test: TestName, n_resamples: int | None, plus_one: bool | None) -> tuple[int, bool]:
    """Return n_resamples and plus_one as given; where they are None, the defaults of the test."""
    is_randomization = test == "randomization"
    if n_resamples is None:
        n_resamples = N_SIGN_FLIPS if is_randomization else N_RESAMPLES
    return require(Integer(1), n_resamples=n_resamples), is_randomization if plus_one is None else plus_one


def random_generator(rng: Rng) -> np.random.Generator:
    """Return a generator made from a seed, or the given generator."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise IrdivError(f"rng={rng!r} is neither a seed (an integer of 0 or more) nor a numpy Generator.") from None
