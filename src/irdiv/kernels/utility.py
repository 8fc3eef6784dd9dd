"""Cube test and rank-biased utility: the heights to which documents fill intents, and the cost of reading them."""

from __future__ import annotations

import numpy as np

from irdiv.kernels.base import stop_distribution, stop_probability_by_grade
from irdiv.kernels.lists import powers
from irdiv.types import Bools, Floats, Ints


def heights(relevant: Bools, grade: Ints, gamma: float, max_height: float) -> Floats:
    """Return the height of each intent after each hit: Σ γ^{n+1}·x, at most max_height, n the earlier relevant hits."""
    n: Ints = np.cumsum(relevant, axis=-1) - relevant
    added = np.where(relevant, powers(gamma, relevant.shape[-1])[n + 1] * grade, 0.0)
    return np.minimum(max_height, np.cumsum(added, axis=-1))


def published_heights(relevant: Bools, grade: Ints, H: int, gamma: float, max_height: float) -> Floats:
    """Return heights as the paper defines them: Σ x/H·γ^n of the hits before which Σ x/H is below max_height."""
    x = np.where(relevant, grade, 0)
    n: Ints = np.cumsum(relevant, axis=-1) - relevant
    # Integers, so that no rounding error lets a full intent take one more document.
    before: Ints = np.cumsum(x, axis=-1) - x
    worth = x / H * powers(gamma, relevant.shape[-1])[n]
    return np.cumsum(np.where(before < max_height * H - 1e-9, worth, 0.0), axis=-1)


def ideal_height(grade: Ints, gamma: float, max_height: float, depth: int) -> Floats:
    """Return min(max_height, Σ_j γ^j·x_(j)) over the highest ``depth`` grades of each intent.

    Grades are ``[topic, document, intent]``, heights ``[topic, intent]``.
    """
    best = -np.sort(-grade, axis=1)[:, :depth]
    return np.minimum(max_height, np.cumsum(powers(gamma, depth)[: best.shape[1], None] * best, axis=1)[:, -1])


def satisfaction(grade: Ints, H: Ints, rank: Ints, p: float, max_rank: int) -> Floats:
    """(1 − p) Σ p^{r−1} · R(r) Π_{k<r} (1 − R(k)), R = (2^x − 1)/2^H, for ``grade[topic, intent, hit]``."""
    stops = stop_distribution(stop_probability_by_grade(grade, H))
    return np.cumsum((1.0 - p) * powers(p, max_rank)[rank - 1] * stops, axis=-1)
