"""Cube test and rank-biased utility: heights filled by documents, and what reading them costs."""

from __future__ import annotations

import numpy as np

from irdiv.kernels.base import stop_by_grade
from irdiv.kernels.lists import Bools, Floats, Ints, powers


def heights(relevant: Bools, grade: Ints, gamma: float, most: float) -> Floats:
    """Return the height of each intent after each hit: Σ γ^{n+1}·x up to the most, n the earlier relevant documents."""
    n: Ints = np.cumsum(relevant, axis=-1) - relevant
    added = np.where(relevant, powers(gamma, relevant.shape[-1] + 1)[n + 1] * grade, 0.0)
    return np.minimum(most, np.cumsum(added, axis=-1))


def heights_of_the_paper(relevant: Bools, grade: Ints, H: int, gamma: float, most: float) -> Floats:
    """Return Σ x/H·γ^n of the documents before which Σ x/H is below the most."""
    x = np.where(relevant, grade, 0)
    n: Ints = np.cumsum(relevant, axis=-1) - relevant
    # Whole numbers, so that no rounding lets a full intent take one document more.
    before: Ints = np.cumsum(x, axis=-1) - x
    worth = x / H * powers(gamma, relevant.shape[-1])[n]
    return np.cumsum(np.where(before < most * H - 1e-9, worth, 0.0), axis=-1)


def best_height(grade: Ints, gamma: float, most: float, deepest: int) -> Floats:
    """Return min(most, Σ_j γ^j·x_(j)) over the best grades of each intent, for ``grade[topic, document, intent]``."""
    best = -np.sort(-np.maximum(grade, 0), axis=1)[:, :deepest]
    return np.minimum(most, np.cumsum(powers(gamma, deepest)[: best.shape[1], None] * best, axis=1)[:, -1])


def satisfaction(grade: Ints, H: Ints, rank: Ints, p: float, last: int) -> Floats:
    """(1 − p) Σ p^{r−1} · R(r) Π_{k<r} (1 − R(k)), R = (2^x − 1)/2^H, for ``grade[topic, intent, hit]``."""
    R = np.where(grade > 0, stop_by_grade(np.maximum(grade, 0), H), 0.0)
    unsatisfied = np.cumprod(1.0 - R, axis=-1)
    R = R.copy()
    R[..., 1:] *= unsatisfied[..., :-1]
    return np.cumsum((1.0 - p) * powers(p, last)[rank - 1] * R, axis=-1)
