"""The true maximum of α-DCG, where the greedy list is an approximation: a small integer program for each topic.

Documents with the same intents are interchangeable, so x[s, r] says that a document with the intent set s
stands at rank r. y[i, t, r] says that intent i is met for the t-th time at rank r and earns
(1−α)^{t−1} / log2(r+1). Earlier meetings and earlier ranks earn more, so the best y for a given x puts the t-th
meeting where the t-th document of the intent is, and needs no constraint to do so, nor to be whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from irdiv.kernels.lists import Bools, Ints, log_discount, ordered_sum, powers
from irdiv.kernels.novelty import greedy_ideal, novelty_gain

# The solver stops at an absolute gap of 1e-6; in these units that is too small to matter.
_SCALE = 1e3


class Ideal(NamedTuple):
    """The best α-DCG found of a topic, what none can exceed, and how long that took; proven where both are one."""

    found: float
    bound: float
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether no list is better."""
        return self.bound <= self.found


def exact_ideals(relevant: Iterable[Bools], alpha: float, cutoff: int, time_limit: float | None = None) -> list[Ideal]:
    """Return the largest α-DCG of any list of ``cutoff`` documents, for ``relevant[topic, document, intent]``.

    With a time limit in seconds, a topic may end with what was found by then, and a bound.
    """
    return [_best_of_topic(topic[topic.any(axis=1)], alpha, cutoff, time_limit) for topic in relevant]


def _best_of_topic(relevant: Bools, alpha: float, cutoff: int, time_limit: float | None) -> Ideal:
    depth = min(cutoff, len(relevant))
    if depth == 0:
        return Ideal(0.0, 0.0, 0.0)
    start = perf_counter()
    relevant = relevant[:, relevant.any(axis=0)]
    sets, available = np.unique(relevant, axis=0, return_counts=True)
    chosen, bound = _solve(sets, available, alpha, depth, time_limit)
    discount = log_discount(depth)[1 : depth + 1]
    found = float(ordered_sum(greedy_ideal(relevant[None], alpha, depth)[0] * discount))
    if chosen is not None:
        found = max(found, float(ordered_sum(novelty_gain(sets[chosen].T[None], alpha)[0] * discount)))
    return Ideal(found, found if bound is None else max(found, bound), perf_counter() - start)


def _solve(
    sets: Bools, available: Ints, alpha: float, depth: int, time_limit: float | None
) -> tuple[Ints | None, float | None]:
    """Return the intent set at each rank of the best list found, and a bound where it is not proven best."""
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    S, intents = sets.shape
    x = np.arange(S * depth).reshape(S, depth)
    y = x.size + np.arange(intents * depth * depth).reshape(intents, depth, depth)
    worth = powers(1.0 - alpha, depth)[:depth, None] * log_discount(depth)[1 : depth + 1]
    cost = np.concatenate([np.zeros(x.size), -_SCALE * np.tile(worth.ravel(), intents)])

    # Σ_t y[i, t, r] = Σ_{s∋i} x[s, r]: an intent is met at the ranks of its documents.
    intent, rank = (axis.ravel() for axis in np.indices((intents, depth)))
    met = [np.concatenate([y[i, :, r], x[sets[:, i], r]]) for i, r in zip(intent, rank, strict=True)]
    signs = [np.repeat([1, -1], [depth, len(columns) - depth]) for columns in met]
    # One document at a rank, no document twice, and one t-th meeting.
    once = [*x.T, *x, *y.reshape(intents * depth, depth)]
    most = np.concatenate([np.ones(depth), available, np.ones(intents * depth)])

    rows = [*met, *once]
    values = np.concatenate([*signs, np.ones(sum(map(len, once)))])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    matrix = sparse.csr_array((values, np.concatenate(rows), starts), shape=(len(rows), x.size + y.size))
    limits = LinearConstraint(matrix, 0, np.concatenate([np.zeros(len(met)), most]))
    whole = np.repeat([1, 0], [x.size, y.size])
    options = {"mip_rel_gap": 0.0} | ({} if time_limit is None else {"time_limit": float(time_limit)})
    found = milp(cost, constraints=limits, integrality=whole, bounds=Bounds(0, 1), options=options)
    if found.status not in (0, 1):
        raise RuntimeError(f"no best list: {found.message}")
    # No intent can be met sooner than by its own documents at the first ranks.
    documents = np.minimum(available @ sets, depth)
    limit = float(sum(np.diag(worth)[:number].sum() for number in documents))
    dual = found.get("mip_dual_bound")
    bound = None if found.status == 0 else min(limit, limit if dual is None else -dual / _SCALE)
    chosen = None if found.x is None else np.argmax(np.rint(found.x[: x.size]).reshape(S, depth), axis=0)
    return chosen, bound


def cheapest_cover(relevant: Bools, a: float, b: float, wanted: int) -> float:
    """Return the smallest cost of documents that cover as many intents as wanted, for ``relevant[document, intent]``.

    A document costs a, and b for each of its intents.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    sets = np.unique(relevant[relevant.any(axis=1)], axis=0)
    if wanted == 0 or len(sets) == 0:
        return 0.0
    S, intents = sets.shape
    price = a + b * sets.sum(axis=1)
    # y_i ≤ Σ_{s∋i} x_s, Σ_i y_i ≥ wanted
    matrix = np.block([[-sets.T.astype(float), np.eye(intents)], [np.zeros((1, S)), -np.ones((1, intents))]])
    limits = LinearConstraint(matrix, -np.inf, np.concatenate([np.zeros(intents), [-wanted]]))
    cost = np.concatenate([price, np.zeros(intents)])
    found = milp(
        cost, constraints=limits, integrality=np.ones(S + intents), bounds=Bounds(0, 1), options={"mip_rel_gap": 0}
    )
    if found.status != 0:
        raise RuntimeError(f"no proven cheapest cover: {found.message}")
    return float(price @ np.rint(found.x[:S]))
