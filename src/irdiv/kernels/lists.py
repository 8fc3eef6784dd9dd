"""Ranked lists as padded arrays, and the functions that every kernel needs.

The contract that all kernels keep, and that a kernel of another package must keep too:

Shapes
    Only hits are stored: the documents of a list with a grade above 0 for some intent of the topic, in order of rank.
    No measure gains anything at other ranks. Arrays are ``[topic, hit]`` or ``[topic, intent, hit]``; a rank array may
    have fewer axes than a gain array, and then broadcasts over intents. An array of judged documents is
    ``[topic, document, intent]``.
Padding
    All topics of a block are padded to the hits of the longest list. Behind the last hit of a list

    ===========  ===========================================================
    rank         ``max_rank + 1``, one past the deepest hit of the block
    gain         0
    relevant     False
    grade        0
    ===========  ===========================================================

    Rank tables (`log_discount`, `powers`, …) reach past ``max_rank + 1``, so that padding can index them.
Curves
    A curve holds the value of a measure for each prefix that ends at a hit. Padding adds nothing, so a curve is flat
    there, and its last entry is the value of the whole list. `value_at_cutoff` reads a curve at a cutoff.
Sums
    Sums along hits and intents run from first to last, by ``np.cumsum`` or `ordered_sum`. ``np.sum`` adds in pairs,
    whose grouping depends on the length: padding, and with it the topics that happen to share a block, would then
    change the last bits of a value.
Divisors
    A topic without relevant documents has an ideal of 0 and scores 0: divide by `safe_divide`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from irdiv.types import Bools, Floats, Ints

Scalar = TypeVar("Scalar", bound=np.generic)

_FEW_TERMS = 32
"""Up to this many terms, adding one by one is faster than keeping all partial sums."""


class HitLists(NamedTuple):
    """Ranked lists, stored as their hits; the last axis is padded as the module describes."""

    rank: Ints
    """Rank of each hit, from 1; ``max_rank + 1`` in the padding."""
    gain: Floats
    relevant: Bools
    grade: Ints | None
    """None for global gains, which have no grades."""
    max_rank: int
    """The deepest rank of any hit."""
    length: Ints
    """Count of documents in each list, relevant or not."""


def pad(flat: NDArray[Scalar], sizes: Ints, fill: float | None) -> NDArray[Scalar]:
    """Return consecutive groups of the given sizes as rows of a matrix, filled up to the size of the largest."""
    width = int(max(sizes.max(initial=0), 1))
    inside = np.arange(width) < sizes[:, None]
    padded = np.full((len(sizes), width), fill, dtype=flat.dtype)
    padded[inside] = flat
    return padded


def ideal_hit_lists(gain: Floats, relevant: Bools, grade: Ints | None) -> HitLists:
    """Return the ideal lists of judged documents: each array sorted on its own, highest first, at ranks 1, 2, …."""
    depth = gain.shape[-1]
    return HitLists(
        rank=np.arange(1, depth + 1),
        gain=-np.sort(-gain, axis=-1),
        relevant=-np.sort(-relevant.astype(np.int8), axis=-1) == 1,
        grade=None if grade is None else -np.sort(-grade, axis=-1),
        max_rank=depth,
        length=np.full(gain.shape[:-1], depth),
    )


def ordered_sum(terms: Floats, axis: int = -1) -> Floats:
    """Return the sum along an axis, added from first to last."""
    axes = list(range(terms.ndim))
    axes.insert(0, axes.pop(axis))
    terms = terms.transpose(axes)
    if len(terms) > _FEW_TERMS:
        total: Floats = np.cumsum(terms, axis=0)[-1]
        return total
    total = terms[0].astype(np.float64)
    for term in terms[1:]:
        total += term
    return total


def value_at_cutoff(curve: Floats, rank: Ints, cutoff: int | None) -> Floats:
    """Return the value of a curve over hits at a cutoff, or at its end for None; 0 before the first hit.

    ``rank`` and ``curve`` have the same last axis and broadcast in the others.
    """
    if cutoff is None:
        return curve[..., -1]
    hits = (rank <= cutoff).sum(axis=-1)
    *lists, width = curve.shape
    # Positions in the flat curve, as np.take_along_axis takes longer than all else where lists are few.
    start = np.arange(0, curve.size, width).reshape(lists)
    return np.where(hits > 0, curve.take(start + np.maximum(hits - 1, 0)), 0.0)


def safe_divide(numerator: Floats, denominator: Floats | Ints | int) -> Floats:
    """Return numerator / denominator, and 0 where the denominator is 0."""
    denominator = np.asarray(denominator)
    zeros = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)


def count_relevant(relevant: Bools) -> Ints:
    """Return the count of relevant documents in each list."""
    return np.count_nonzero(relevant, axis=-1)


def log_discount(max_rank: int) -> Floats:
    """Return 1/log2(r+1) for the ranks r = 0 … max_rank and some past it."""
    return _log2_table(_table_size(max_rank))


def jarvelin_kekalainen_discount(max_rank: int, base: float) -> Floats:
    """Return 1 for ranks below the base b, and 1/log_b(r) from there, for r = 0 … max_rank and some past it."""
    return _log_base_table(base, _table_size(max_rank))


def powers(base: float, max_exponent: int) -> Floats:
    """Return base^0 … base^max_exponent and some more, by repeated multiplication as the C programs do it."""
    return _power_table(base, _table_size(max_exponent))


def _table_size(last: int) -> int:
    # Few distinct sizes to cache, and whole SIMD vectors for the logarithm at every size.
    return 1 << max(10, int(last + 2).bit_length())


@lru_cache(maxsize=64)
def _log2_table(size: int) -> Floats:
    table = np.ones(size)
    table[1:] = 1.0 / np.log2(np.arange(size)[1:] + 1.0)
    return _read_only(table)


@lru_cache(maxsize=64)
def _log_base_table(base: float, size: int) -> Floats:
    ranks = np.arange(size)
    table = np.ones(size)
    table[ranks >= base] = np.log(base) / np.log(ranks[ranks >= base])
    return _read_only(table)


@lru_cache(maxsize=64)
def _power_table(base: float, size: int) -> Floats:
    return _read_only(np.cumprod(np.concatenate([[1.0], np.full(size - 1, base)])))


def _read_only(table: Floats) -> Floats:
    table.flags.writeable = False
    return table
