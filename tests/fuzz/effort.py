"""How many random collections are tried: few in CI, always the same; others for an hour in the profile ``thorough``."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from random import Random, SystemRandom

import hypothesis
from hypothesis import strategies as st

THOROUGH_EXAMPLES = 1000
"""By this number of examples the profile ``thorough`` is known."""
_SECONDS = 3600


def explore(check: Callable[[Random], None], name: str, *, examples: int, share: float) -> None:
    """Check so many random collections, by examples that depend on a name; or others, for a share of an hour."""
    if hypothesis.settings.default.max_examples != THOROUGH_EXAMPLES:
        _explore(check, zlib.crc32(name.encode()), examples)
        return
    end = time.monotonic() + share * _SECONDS
    while time.monotonic() < end:
        _explore(check, SystemRandom().getrandbits(64), 10 * examples)


def _explore(check: Callable[[Random], None], seed: int, examples: int) -> None:
    settings = hypothesis.settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck)
    )

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(st.randoms(use_true_random=False))
    def check_random(rng: Random) -> None:
        check(rng)

    check_random()
