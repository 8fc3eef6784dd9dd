"""Norms: what the curve of a base measure is divided by."""

from __future__ import annotations

import numpy as np

from irdiv.kernels.lists import HitLists, count_relevant, value_at_cutoff
from irdiv.measures.base import Curve, Norm
from irdiv.measures.values import ParameterValues
from irdiv.types import Floats, Ints


def one(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> int:
    """Return 1, for measures that are not normalized."""
    return 1


def relevant_count(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    """Return the count of relevant documents, R."""
    return count_relevant(ideal.relevant)


def cutoff_or_relevant(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    """Return min(l, R) for the cutoff l, or R without one."""
    R = count_relevant(ideal.relevant)
    return R if cutoff is None else np.minimum(cutoff, R)


def value_of_ideal(curve: Curve) -> Norm:
    """Return the norm that is the value of the ideal list itself."""

    def norm(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Floats:
        return value_at_cutoff(curve(ideal, ideal, params), ideal.rank, cutoff)

    return norm
