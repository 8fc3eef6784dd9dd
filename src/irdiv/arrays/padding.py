"""Groups of consecutive rows as rows of a padded matrix."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from irdiv.types import Ints

Scalar = TypeVar("Scalar", bound=np.generic)


def pad(flat: NDArray[Scalar], sizes: Ints, fill: float | None) -> NDArray[Scalar]:
    """Return consecutive groups of the given sizes as rows of a matrix, filled up to the size of the largest."""
    width = int(max(sizes.max(initial=0), 1))
    inside = np.arange(width) < sizes[:, None]
    padded = np.full((len(sizes), width), fill, dtype=flat.dtype)
    padded[inside] = flat
    return padded


def argsort_by_topic(topic: Ints) -> Ints:
    """Return the indices that sort rows by topic and keep the order within a topic."""
    if (topic[1:] >= topic[:-1]).all():
        return np.arange(len(topic))
    return np.argsort(topic.astype(np.uint16) if topic.max() < 2**16 else topic, kind="stable")
