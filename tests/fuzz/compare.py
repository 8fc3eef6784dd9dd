"""What differs between the values of two ways to score a case."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable
from math import isclose
from pathlib import Path

from .case import Case
from .naive_values import Values, naive_values
from .points import POINTS

TOLERANCE = 1e-9


def values_by(name: str, case: Case) -> Values:
    """Return the values of a case by an entry point."""
    with tempfile.TemporaryDirectory(prefix="irdiv-fuzz-") as folder, warnings.catch_warnings():
        # Small collections have topics without relevant documents and runs without judged ones, on purpose.
        warnings.simplefilter("ignore")
        return POINTS[name].values(case, Path(folder))


def differences(case: Case, points: Iterable[str]) -> list[str]:
    """Return what differs: pandas from the reference, and entry points from pandas in any bit."""
    found = values_by("pandas", case)
    lines = _compare("the reference", naive_values(case), "pandas", found, is_close)
    for name in points:
        if POINTS[name].carries(case):
            lines += _compare("pandas", found, name, values_by(name, case), is_same)
    return lines


def is_close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def is_same(one: float, other: float) -> bool:
    """Return whether all bits are the same, also the sign of zero."""
    return float(one).hex() == float(other).hex()


def _compare(one: str, expected: Values, other: str, found: Values, are_equal) -> list[str]:
    if expected.keys() != found.keys():
        missing, extra = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
        return [f"{other} lacks values of {one}: {missing}; it has others: {extra}"]
    return [
        f"{spec} of run {run!r}, topic {topic!r}: {expected[run, topic, spec]!r} by {one}, {value!r} by {other}"
        for (run, topic, spec), value in found.items()
        if not are_equal(expected[run, topic, spec], value)
    ]
