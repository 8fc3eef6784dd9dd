"""Random collections: every entry point gives the same bits, and they are the values of the definitions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import note

from .compare import differences
from .effort import explore
from .generate import random_case
from .points import CHEAP, POINTS

pytestmark = pytest.mark.slow

SLOW = [name for name, point in POINTS.items() if point.is_slow]


def assert_agreement(rng: Random, points: Sequence[str]) -> None:
    case = random_case(rng)
    note(f"To keep this case, add it to CASES of tests/fuzz/test_saved_cases.py:\n{case!r}")
    assert not differences(case, points)


def test_pandas_has_the_values_of_the_definitions():
    explore(lambda rng: assert_agreement(rng, []), "pandas", examples=100, share=0.2)


@pytest.mark.parametrize("point", CHEAP)
def test_an_entry_point_has_the_bits_of_pandas(point):
    explore(lambda rng: assert_agreement(rng, [point]), point, examples=6, share=0.6 / len(CHEAP))


@pytest.mark.parametrize("point", SLOW)
def test_a_slow_entry_point_has_the_bits_of_pandas(point):
    explore(lambda rng: assert_agreement(rng, [point]), point, examples=1, share=0.1 / len(SLOW))
