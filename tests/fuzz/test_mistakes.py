"""Random collections with a mistake: entry points that can state it refuse it, with the same error."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import assume, note

import irdiv

from .compare import values_by
from .effort import explore
from .generate import random_case
from .mistakes import MISTAKES
from .points import CHEAP, POINTS

pytestmark = pytest.mark.slow


def assert_refusal(rng: Random, mistake: str) -> None:
    case = random_case(rng)
    assume(case.has_intents and any(row.grade >= 1 for row in case.judgments))
    spoiled = MISTAKES[mistake].spoil(case, rng)
    note(repr(spoiled))
    able = [name for name in CHEAP if POINTS[name].carries(spoiled)]
    for point in ["pandas", *rng.sample(able, 4)]:
        with pytest.raises(irdiv.IrdivError) as caught:
            values_by(point, spoiled)
        assert re.search(MISTAKES[mistake].message, str(caught.value)), point


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_everywhere(mistake):
    explore(lambda rng: assert_refusal(rng, mistake), mistake, examples=4, share=0.1 / len(MISTAKES))
