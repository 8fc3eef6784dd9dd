"""The true maximum of α-DCG, which the greedy list approximates: a small integer program for each topic.

Documents with the same intents are interchangeable, so x[s, r] = 1 if a document with the intent set s is at rank r.
y[i, t, r] = 1 if the t-th document of intent i is at rank r; it gains (1−α)^{t−1} / log2(r+1). Earlier documents and
earlier ranks gain more, so the best y for a given x puts the t-th occurrence of an intent where its t-th document is,
without a constraint to do so or to be integral.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from irdiv.kernels.lists import log_discount, ordered_sum, powers
from irdiv.kernels.novelty import greedy_ideal_gain, novelty_gain
from irdiv.types import Bools, Ints

# The solver stops at an absolute gap of 1e-6; in these units that is too small to matter.
_SCALE = 1e3


class IdealScore(NamedTuple):
    """The best α-DCG found for a topic, and an upper bound of all lists."""

    value: float
    upper_bound: float
    seconds: float
    """The time it took."""

    @property
    def proven(self) -> bool:
        """Whether no list can be better."""
        return self.upper_bound <= self.value


def variable_count(relevant: Bools, cutoff: int) -> int:
    """Return how many variables the program of a topic has, for ``relevant[document, intent]``; 0 if it needs none."""
    relevant = relevant[relevant.any(axis=1)]
    sets = np.unique(relevant, axis=0)
    depth, intents = min(cutoff, len(relevant)), int(np.count_nonzero(sets.any(axis=0)))
    return len(sets) * depth + intents * depth**2 if len(sets) > 1 else 0


def exact_ideals(
    relevant: Iterable[Bools], alpha: float, cutoff: int, time_limit: float | None = None
) -> list[IdealScore]:
    """Return the largest α-DCG of any list of ``cutoff`` documents, for ``relevant[topic, document, intent]``.

    A topic that reaches the time limit, in seconds, has the best value found by then and a larger upper bound.
    """
    return [_best_of_topic(topic[topic.any(axis=1)], alpha, cutoff, time_limit) for topic in relevant]


def _best_of_topic(relevant: Bools, alpha: float, cutoff: int, time_limit: float | None) -> IdealScore:
    depth = min(cutoff, len(relevant))
    if depth == 0:
        return IdealScore(0.0, 0.0, 0.0)
    start = perf_counter()
    relevant = relevant[:, relevant.any(axis=0)]
    sets, available = np.unique(relevant, axis=0, return_counts=True)
    # Where all documents have the same intents, as with a single one, all lists are equal.
    one_list = np.zeros(depth, dtype=np.int64), None
    chosen, bound = _solve(sets, available, alpha, depth, time_limit) if len(sets) > 1 else one_list
    discount = log_discount(depth)[1 : depth + 1]
    best = float(ordered_sum(greedy_ideal_gain(relevant[None], alpha, depth)[0] * discount))
    if chosen is not None:
        best = max(best, float(ordered_sum(novelty_gain(sets[chosen].T[None], alpha)[0] * discount)))
    return IdealScore(best, best if bound is None else max(best, bound), perf_counter() - start)


def _solve(
    sets: Bools, available: Ints, alpha: float, depth: int, time_limit: float | None
) -> tuple[Ints | None, float | None]:
    """Return the intent set at each rank of the best list found, and an upper bound if it is not proven best."""
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    S, intents = sets.shape
    x = np.arange(S * depth).reshape(S, depth)
    y = x.size + np.arange(intents * depth * depth).reshape(intents, depth, depth)
    gain = powers(1.0 - alpha, depth)[:depth, None] * log_discount(depth)[1 : depth + 1]
    cost = np.concatenate([np.zeros(x.size), -_SCALE * np.tile(gain.ravel(), intents)])

    # Σ_t y[i, t, r] = Σ_{s∋i} x[s, r]: an intent occurs at the ranks of its documents.
    intent, rank = (axis.ravel() for axis in np.indices((intents, depth)))
    occurs = [np.concatenate([y[i, :, r], x[sets[:, i], r]]) for i, r in zip(intent, rank, strict=True)]
    signs = [np.repeat([1, -1], [depth, len(columns) - depth]) for columns in occurs]
    # One document at a rank, no document twice, and one t-th occurrence of an intent.
    once = [*x.T, *x, *y.reshape(intents * depth, depth)]
    upper = np.concatenate([np.ones(depth), available, np.ones(intents * depth)])

    rows = [*occurs, *once]
    values = np.concatenate([*signs, np.ones(sum(map(len, once)))])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    matrix = sparse.csr_array((values, np.concatenate(rows), starts), shape=(len(rows), x.size + y.size))
    limits = LinearConstraint(matrix, 0, np.concatenate([np.zeros(len(occurs)), upper]))
    integral = np.repeat([1, 0], [x.size, y.size])
    options = {"mip_rel_gap": 0.0} | ({} if time_limit is None else {"time_limit": float(time_limit)})
    solution = milp(cost, constraints=limits, integrality=integral, bounds=Bounds(0, 1), options=options)
    if solution.status not in (0, 1):
        raise RuntimeError(f"no best list: {solution.message}")
    # No intent can gain more than by its own documents at the first ranks.
    documents = np.minimum(available @ sets, depth)
    limit = float(sum(np.diag(gain)[:count].sum() for count in documents))
    dual = solution.get("mip_dual_bound")
    bound = None if solution.status == 0 else min(limit, limit if dual is None else -dual / _SCALE)
    chosen = None if solution.x is None else np.argmax(np.rint(solution.x[: x.size]).reshape(S, depth), axis=0)
    return chosen, bound


def min_cover_cost(relevant: Bools, a: float, b: float, intent_count: int) -> float:
    """Return the smallest cost of documents that cover ``intent_count`` intents, for ``relevant[document, intent]``.

    A document costs a + b·(count of its intents).
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    sets = np.unique(relevant[relevant.any(axis=1)], axis=0)
    if len(sets) == 0:
        return 0.0
    S, intents = sets.shape
    price = a + b * sets.sum(axis=1)
    # y_i ≤ Σ_{s∋i} x_s, Σ_i y_i ≥ intent_count
    matrix = np.block([[-sets.T.astype(float), np.eye(intents)], [np.zeros((1, S)), -np.ones((1, intents))]])
    limits = LinearConstraint(matrix, -np.inf, np.concatenate([np.zeros(intents), [-intent_count]]))
    cost = np.concatenate([price, np.zeros(intents)])
    solution = milp(
        cost, constraints=limits, integrality=np.ones(S + intents), bounds=Bounds(0, 1), options={"mip_rel_gap": 0}
    )
    if solution.status != 0:
        raise RuntimeError(f"no proven cheapest cover: {solution.message}")
    return float(price @ np.rint(solution.x[:S]))
