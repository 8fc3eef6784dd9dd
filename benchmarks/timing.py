"""Timing side by side: repetitions of both sides take turns, so that both meet the same machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple


class Comparison(NamedTuple):
    """What was measured: seconds of ours and of the other, medians over repetitions."""

    name: str
    other: str
    ours_seconds: float
    other_seconds: float

    @property
    def ratio(self) -> float:
        """How many times the other takes as long as ours."""
        return self.other_seconds / self.ours_seconds


def compare(
    name: str,
    ours: Callable[[], object],
    other_name: str,
    other: Callable[[], object],
    repetitions: int = 15,
) -> Comparison:
    """Time two callables in turns, after one round that is not counted.

    As in `timeit`, garbage is collected between calls and not within one, where it would often be the other's.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for repetition in range(repetitions + 1):
        for side, call in zip(times, (ours, other), strict=True):
            gc.collect()
            gc.disable()
            start = time.perf_counter()
            call()
            seconds = time.perf_counter() - start
            gc.enable()
            if repetition:
                side.append(seconds)
    return Comparison(name, other_name, median(times[0]), median(times[1]))
