"""Looking up (topic, document) pairs: a table of numbers, filled and read without a loop over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from irdiv.frames.fingerprints import fingerprints
from irdiv.frames.ids import Ids, factorize, same
from irdiv.kernels.lists import Ints

Numbers = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FREE, _ODD = np.uint64(0), np.uint64(1)


def numbers_in(group: Ints, numbers: Numbers) -> Numbers:
    """Return numbers of things by numbers of their own and the group they are in: odd, and hardly ever two alike."""
    return (numbers + group.astype(np.uint64) * np.uint64(0xA0761D6478BD642F)) | _ODD


def repeats(ids: Ids, group: Ints, numbers: Numbers) -> Ints:
    """Return the places of ids that stand again in the same group, where they stood before.

    ``numbers`` are `fingerprints` of the ids.
    """
    in_groups = numbers_in(group, numbers)
    # Sorting alone is many times quicker than finding the order, and mostly there is nothing to find.
    in_order = np.sort(in_groups)
    shared = in_order[1:][in_order[1:] == in_order[:-1]]
    if len(shared) == 0:
        return np.zeros(0, dtype=np.int64)
    suspects = np.flatnonzero(np.isin(in_groups, shared))
    codes, distinct = factorize(ids.take(suspects))
    _, first = np.unique(group[suspects] * len(distinct) + codes, return_index=True)
    return np.delete(suspects, first)


class Pairs:
    """Distinct pairs of a topic and a document, found among pairs that repeat, and found again.

    Parameters
    ----------
    topic, docs
        The pairs.
    numbers
        `fingerprints` of the documents, where they are at hand.

    Attributes
    ----------
    first
        The first place of each distinct pair, in order.
    of
        The number of each pair given, by place in ``first``.
    """

    def __init__(self, topic: Ints, docs: Ids, numbers: Numbers | None = None) -> None:
        self._docs, self._salt = docs, 0
        while not self._fill(numbers_in(topic, self._numbers(docs, numbers))):
            self._salt += 1

    def _numbers(self, docs: Ids, numbers: Numbers | None) -> Numbers:
        """Return fingerprints with our salt: the numbers at hand, which have none, if it is none."""
        return fingerprints(docs, self._salt) if numbers is None or self._salt else numbers

    def _fill(self, keys: Numbers) -> bool:
        """Enter all pairs; tell whether pairs that share a number are the same."""
        bits = max(4, (4 * len(keys)).bit_length())
        self._shift, self._mask = np.uint64(64 - bits), (1 << bits) - 1
        self._held: Numbers = np.zeros(1 << bits, dtype=np.uint64)
        self._holder: NDArray[np.int32] = np.zeros(1 << bits, dtype=np.int32)
        owner = self._enter(keys)
        repeated = np.flatnonzero(owner != np.arange(len(owner)))
        if not same(self._docs.take(repeated), self._docs.take(owner[repeated])).all():
            return False
        is_first = np.ones(len(keys), dtype=bool)
        is_first[repeated] = False
        self.first: Ints = np.flatnonzero(is_first)
        number = (np.cumsum(is_first) - 1).astype(np.int32)
        self.of: Ints = number[owner].astype(np.int64)
        taken = np.flatnonzero(self._held)
        self._holder[taken] = number.take(self._holder.take(taken))
        self._docs = self._docs.take(self.first)
        return True

    def _home(self, keys: Numbers) -> Ints:
        return ((keys * _FACTOR) >> self._shift).astype(np.int64)

    def _enter(self, keys: Numbers) -> Ints:
        """Return the place of the first key that is equal to each, entering those at a free slot near their home."""
        owner = np.empty(len(keys), dtype=np.int64)
        left, slot = np.arange(len(keys)), self._home(keys)
        while len(left):
            free = np.flatnonzero(self._held.take(slot) == _FREE)[::-1]
            # Of several that want a slot the last to be written has it, which is the first of them here.
            self._holder[slot[free]] = left[free]
            self._held[slot[free]] = keys[self._holder[slot[free]]]
            met = self._held.take(slot) == keys.take(left)
            owner[left[met]] = self._holder[slot[met]]
            left, slot = left[~met], (slot[~met] + 1) & self._mask
        return owner

    def find(self, topic: Ints, docs: Ids, numbers: Numbers | None = None) -> Ints:
        """Return the number of each pair, or -1."""
        keys = numbers_in(topic, self._numbers(docs, numbers))
        slot = self._home(keys)
        held = self._held.take(slot)
        left = np.flatnonzero((held != keys) & (held != _FREE))
        while len(left):
            slot[left] = (slot[left] + 1) & self._mask
            held[left] = here = self._held.take(slot.take(left))
            left = left[(here != keys.take(left)) & (here != _FREE)]
        hit = np.flatnonzero(held == keys)
        number = self._holder.take(slot.take(hit))
        right = np.flatnonzero(same(docs.take(hit), self._docs.take(number)))
        out = np.full(len(keys), -1)
        out[hit.take(right)] = number.take(right)
        return out

    def docs(self, numbers: Ints) -> Ids:
        """Return the documents of pairs by number."""
        return self._docs.take(numbers)
