"""Timing side by side: repetitions of all sides take turns, so that all meet the same machine."""

from __future__ import annotations

import ctypes
import gc
import resource
import timeit
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

_A_TURN = 0.2

Call = Callable[[], object]


@dataclass
class Side:
    """What one side took: seconds of each repetition, and megabytes beyond what was held before the call."""

    name: str
    seconds: list[float] = field(default_factory=list)
    megabytes: float | None = None
    cpu_seconds: list[float] = field(default_factory=list)
    """Seconds of all processors, where they were measured."""

    @property
    def median(self) -> float:
        return median(self.seconds)


@dataclass
class Comparison:
    """A workload that several sides did, ours first."""

    workload: str
    name: str
    sides: list[Side]
    target: float | None = None
    """How many times as long the second side should take, at least."""

    @property
    def ours(self) -> Side:
        return self.sides[0]

    @property
    def ratio(self) -> float:
        """How many times as long as ours the second side takes."""
        return self.sides[1].median / self.ours.median

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


@dataclass
class Growth:
    """Seconds and memory of one side as a size grows."""

    workload: str
    name: str
    size: str
    points: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    workload: str,
    name: str,
    sides: Mapping[str, Call],
    *,
    target: float | None = None,
    repetitions: int = 7,
    memory: bool = True,
) -> Comparison:
    """Time callables in turns, after one call of each that is not counted and tells the memory.

    A turn is a loop of calls that takes a fifth of a second at least, as `timeit` does it, without garbage collection.
    """
    found = [Side(side) for side in sides]
    for side, call in zip(found, sides.values(), strict=True):
        side.megabytes = megabytes(call) if memory else None
        if not memory:
            call()
    loops = [max(1, round(_A_TURN / seconds(call))) for call in sides.values()]
    for _ in range(repetitions):
        for side, call, number in zip(found, sides.values(), loops, strict=True):
            side.seconds.append(seconds(call, number))
    return Comparison(workload, name, found, target)


def seconds(call: Call, number: int = 1) -> float:
    """Return how long a call takes, in a loop of so many."""
    gc.collect()
    return timeit.timeit(call, number=number) / number


def megabytes(call: Call) -> float | None:
    """Return by how much the process grows at most during a call; None where the system does not tell."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        before = status("VmRSS")
    except OSError:
        call()
        return None
    call()
    return max(status("VmHWM") - before, 0.0)


def status(key: str) -> float:
    """Return what Linux tells of this process's memory, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key + ":"))


def peak() -> float:
    """Return the peak of this process's memory, in gigabytes."""
    try:
        return status("VmHWM") / 1024
    except OSError:
        # Elsewhere it counts what the process was before it became this program.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
