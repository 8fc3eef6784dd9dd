"""Ranked lists as arrays, and what every kernel needs of them.

A list is given by the documents in it that are relevant to anything, in order of rank; at every other
rank no measure gains anything. Arrays are ``[topic, hit]`` or ``[topic, intent, hit]``, padded behind the
last hit by zero gain at a rank past the end. Sums run in order, one by one, so that padding, and with it
the company a topic is scored in, never changes a bit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


_FEW = 32
"""Up to so many terms it is quicker to add them one by one than to keep all partial sums."""


class Lists(NamedTuple):
    """Ranked lists by their relevant documents."""

    rank: Ints
    """Rank of each hit, from 1; ``last + 1`` in the padding."""
    gain: Floats
    relevant: Bools
    grade: Ints | None
    """None where grades do not exist, only global gains."""
    last: int
    """The deepest rank of any hit."""
    length: Ints
    """Documents in each list, relevant or not."""


def ideal_lists(gain: Floats, relevant: Bools, grade: Ints | None) -> Lists:
    """Return the best order of judged documents, each field sorted for itself, at ranks 1, 2, …."""
    depth = gain.shape[-1]
    return Lists(
        rank=np.arange(1, depth + 1),
        gain=-np.sort(-gain, axis=-1),
        relevant=-np.sort(-relevant.astype(np.int8), axis=-1) == 1,
        grade=None if grade is None else -np.sort(-grade, axis=-1),
        last=depth,
        length=np.full(gain.shape[:-1], depth),
    )


def ordered_sum(terms: Floats, axis: int = -1) -> Floats:
    """Return the sum along an axis, added from first to last."""
    terms = np.moveaxis(terms, axis, 0)
    if len(terms) > _FEW:
        total: Floats = np.cumsum(terms, axis=0)[-1]
        return total
    total = terms[0].astype(np.float64)
    for term in terms[1:]:
        total += term
    return total


def at(curve: Floats, rank: Ints, cutoff: int | None) -> Floats:
    """Return what a curve over hits has reached at a cutoff, or at its end; 0 before the first hit.

    Padding does no harm: curves are flat there. ``rank`` and ``curve`` agree in their last axis and broadcast
    in the others.
    """
    if cutoff is None:
        return curve[..., -1]
    within = rank <= cutoff
    hits = np.broadcast_to(np.count_nonzero(within, axis=-1)[..., None], (*curve.shape[:-1], 1))
    reached = np.take_along_axis(curve, np.maximum(hits - 1, 0), axis=-1)
    return np.where(hits > 0, reached, 0.0)[..., 0]


def ratio(part: Floats, whole: Floats | Ints | int) -> Floats:
    """Return part / whole, and 0 where the whole is 0."""
    whole = np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)


def count(relevant: Bools) -> Ints:
    """Return the number of relevant documents of each list."""
    return np.count_nonzero(relevant, axis=-1)


@lru_cache(maxsize=64)
def _table(kind: str, parameter: float, size: int) -> Floats:
    ranks = np.arange(size, dtype=np.float64)
    if kind == "log2":
        table = np.ones(size)
        table[1:] = 1.0 / np.log2(ranks[1:] + 1.0)
    elif kind == "jk":
        table = np.ones(size)
        far = ranks >= parameter
        table[far] = np.log(parameter) / np.log(ranks[far])
    else:
        table = np.cumprod(np.concatenate([[1.0], np.full(size - 1, parameter)]))
    table.flags.writeable = False
    return table


def _rounded(size: int) -> int:
    # Few distinct sizes to keep, and whole vectors for the logarithm at every size.
    return 1 << max(10, int(size).bit_length())


def log_discount(last: int) -> Floats:
    """Return 1/log2(r+1) for the ranks r = 0 … last and some past it."""
    return _table("log2", 2.0, _rounded(last + 2))


def jk_discount(last: int, base: float) -> Floats:
    """Return Järvelin and Kekäläinen's discount: 1 below the base b, 1/log_b r from there."""
    return _table("jk", base, _rounded(last + 2))


def powers(factor: float, most: int) -> Floats:
    """Return factor^0 … factor^most and some more, by repeated multiplication as the C programs do it."""
    return _table("powers", factor, _rounded(most + 2))
