"""Random collections: every entry point gives the same bits, and they are the values of the definitions."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from random import Random

import hypothesis
import pytest
from hypothesis import strategies as st

from .generate import random_case
from .points import CHEAP, POINTS, differences

pytestmark = pytest.mark.slow


def explore(check: Callable[[Random], None], name: str, examples: int) -> None:
    """Check random collections, the same for a name each time; ten times as many others with the profile thorough."""
    profile = hypothesis.settings.default
    is_thorough = profile.max_examples > 100

    @hypothesis.settings(
        profile,
        max_examples=examples * profile.max_examples // 100,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.randoms(use_true_random=False))
    def check_random(rng: Random) -> None:
        check(rng)

    (check_random if is_thorough else hypothesis.seed(zlib.crc32(name.encode()))(check_random))()


def assert_agreement(rng: Random, *points: str) -> None:
    case = random_case(rng)
    hypothesis.note(f"To keep this case, add it to CASES of tests/fuzz/test_saved_cases.py:\n{case!r}")
    assert differences(case, points) == []


def test_pandas_has_the_values_of_the_definitions():
    explore(assert_agreement, "pandas", 100)


@pytest.mark.parametrize("point", [name for name in POINTS if name != "pandas"])
def test_an_entry_point_has_the_bits_of_pandas(point):
    explore(lambda rng: assert_agreement(rng, point), point, 6 if point in CHEAP else 1)
