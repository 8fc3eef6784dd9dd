"""Options that all tests share: names, defaults and checks."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from irdiv.checks import Integer, Number, Optional, choice, require
from irdiv.errors import IrdivError
from irdiv.types import Floats

Rng: TypeAlias = np.random.Generator | int | None
"""A seed, a generator, or None for another result each time."""
PairedTestName: TypeAlias = Literal["bootstrap", "randomization", "t"]
TestName: TypeAlias = Literal["bootstrap", "randomization", "t", "tukey"]
IntervalName: TypeAlias = Literal["bca", "percentile", "t"]

N_RESAMPLES = 1000
"""Bootstrap samples, or permutations of the randomized Tukey HSD test."""
N_SIGN_FLIPS = 10_000
"""Random signs that the randomization test draws for all differences."""
SAMPLE_COUNT = Integer(1, 10_000_000)
"""How many samples may be drawn: those of all topics are in memory."""
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


def require_two_topics(n_topics: int, analysis: str = "a test") -> None:
    """Raise an error if there is only one topic, which allows no inference."""
    if n_topics < 2:
        raise IrdivError(f"{analysis} needs at least two topics, found {n_topics}.")


def require_finite(values: ArrayLike, holder: str, unit: str) -> Floats:
    """Return an array of finite numbers, one for each unit; an error starts with what holds them."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise IrdivError(f"{holder} numbers, one for each {unit}; found {values!r}.") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise IrdivError(f"{holder} finite numbers, one for each {unit}; found {values!r}.")
    return array


def require_samples(n_resamples: object, test: TestName | None, interval: IntervalName | None) -> None:
    """Raise an error if a number of samples is given that is not positive, or that no test or interval uses."""
    require(Optional(SAMPLE_COUNT), n_resamples=n_resamples)
    if n_resamples is not None and test in (None, "t") and interval in (None, "t"):
        given = {"test": test, "interval": interval}
        unused = " and ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        raise IrdivError(
            f"n_resamples={n_resamples} has no effect, as no samples are drawn for {unused}; leave it out."
        )


def require_none(reason: str, **options: object) -> None:
    """Raise an error if one of some options is given where there is no test, for a reason such as ``baseline=``."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise IrdivError(
            f"{given}={options[given]!r} has no effect, as nothing is tested without {reason}; give {reason}, or leave "
            f"{given} out."
        )


def resampling_options(
    test: TestName, n_resamples: int | None, plus_one: bool | None, interval: IntervalName | None = None
) -> tuple[int, bool]:
    """Return n_resamples and plus_one as given; where they are None, the defaults of the test.

    Raise an error if one of them is given that has no effect.
    """
    require_samples(n_resamples, test, interval)
    if test == "t" and plus_one is not None:
        raise IrdivError(f"plus_one={plus_one} has no effect on p of test='t'; leave it out.")
    is_randomization = test == "randomization"
    if n_resamples is None:
        n_resamples = N_SIGN_FLIPS if is_randomization else N_RESAMPLES
    return n_resamples, is_randomization if plus_one is None else plus_one


def random_generator(rng: Rng) -> np.random.Generator:
    """Return a generator made from a seed, or the given generator."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise IrdivError(f"rng={rng!r} is neither a seed (an integer of 0 or more) nor a numpy Generator.") from None
