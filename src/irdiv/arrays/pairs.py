"""Lookup of (topic, document) pairs: a hash table that is filled and read by array operations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import Ids, equal_ids, factorize
from irdiv.types import Hashes, Ints

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FREE, _ODD = np.uint64(0), np.uint64(1)


def combine_hashes(group: Ints, hashes: Hashes) -> Hashes:
    """Return hashes of (group, item) pairs from the hashes of items; they are odd, so that 0 can mark a free slot."""
    return (hashes + group.astype(np.uint64) * np.uint64(0xA0761D6478BD642F)) | _ODD


def find_duplicates(ids: Ids, group: Ints, hashes: Hashes) -> Ints:
    """Return the positions of ids that occurred before in the same group.

    ``hashes`` are the `hash_ids` of the ids.
    """
    keys = combine_hashes(group, hashes)
    # np.sort is many times faster than np.argsort, and mostly there are no duplicates.
    ascending = np.sort(keys)
    shared = ascending[1:][ascending[1:] == ascending[:-1]]
    if len(shared) == 0:
        return np.zeros(0, dtype=np.int64)
    candidates = np.flatnonzero(np.isin(keys, shared))
    codes, distinct = factorize(ids.take(candidates))
    _, first = np.unique(group[candidates] * len(distinct) + codes, return_index=True)
    return np.delete(candidates, first)


class PairIndex:
    """An index of the distinct (topic, document) pairs of some rows.

    Parameters
    ----------
    topic, docs
        The pair of each row.
    hashes
        The `hash_ids` of the documents, if they have been computed.

    Attributes
    ----------
    first_rows
        The row in which each distinct pair occurs first, ascending.
    inverse
        The index of each row's pair among the distinct ones, as ``np.unique`` returns it.
    """

    def __init__(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> None:
        self._docs, self._salt = docs, 0
        while not self._fill(combine_hashes(topic, self._salted(docs, hashes))):
            self._salt += 1

    def _salted(self, docs: Ids, hashes: Hashes | None) -> Hashes:
        """Return the hashes of documents with the salt of this index; given hashes have the salt 0."""
        return hash_ids(docs, self._salt) if hashes is None or self._salt else hashes

    def _fill(self, keys: Hashes) -> bool:
        """Insert all pairs; return False if different pairs have the same key."""
        bits = max(4, (4 * len(keys)).bit_length())
        self._shift, self._mask = np.uint64(64 - bits), (1 << bits) - 1
        self._keys: Hashes = np.zeros(1 << bits, dtype=np.uint64)
        self._index: NDArray[np.int32] = np.zeros(1 << bits, dtype=np.int32)
        first_row = self._insert(keys)
        repeated = np.flatnonzero(first_row != np.arange(len(first_row)))
        if not equal_ids(self._docs.take(repeated), self._docs.take(first_row[repeated])).all():
            return False
        is_first = np.ones(len(keys), dtype=bool)
        is_first[repeated] = False
        self.first_rows: Ints = np.flatnonzero(is_first)
        pair = (np.cumsum(is_first) - 1).astype(np.int32)
        self.inverse: Ints = pair[first_row].astype(np.int64)
        taken = np.flatnonzero(self._keys)
        self._index[taken] = pair.take(self._index.take(taken))
        self._docs = self._docs.take(self.first_rows)
        return True

    def _slots(self, keys: Hashes) -> Ints:
        """Return the slot where the search for each key starts."""
        return ((keys * _FACTOR) >> self._shift).astype(np.int64)

    def _insert(self, keys: Hashes) -> Ints:
        """Put each distinct key into the first free slot after its own; return the first row of each key."""
        first_row = np.empty(len(keys), dtype=np.int64)
        left, slot = np.arange(len(keys)), self._slots(keys)
        while len(left):
            free = np.flatnonzero(self._keys.take(slot) == _FREE)[::-1]
            # Of several keys for one slot the one written last stays, which is the first of them in this order.
            self._index[slot[free]] = left[free]
            self._keys[slot[free]] = keys[self._index[slot[free]]]
            found = self._keys.take(slot) == keys.take(left)
            first_row[left[found]] = self._index[slot[found]]
            left, slot = left[~found], (slot[~found] + 1) & self._mask
        return first_row

    def find(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Ints:
        """Return the index of each pair among the distinct ones, or -1."""
        keys = combine_hashes(topic, self._salted(docs, hashes))
        slot = self._slots(keys)
        held = self._keys.take(slot)
        left = np.flatnonzero((held != keys) & (held != _FREE))
        while len(left):
            slot[left] = (slot[left] + 1) & self._mask
            held[left] = here = self._keys.take(slot.take(left))
            left = left[(here != keys.take(left)) & (here != _FREE)]
        candidate = np.flatnonzero(held == keys)
        pair = self._index.take(slot.take(candidate))
        equal = np.flatnonzero(equal_ids(docs.take(candidate), self._docs.take(pair)))
        out = np.full(len(keys), -1)
        out[candidate.take(equal)] = pair.take(equal)
        return out

    def doc_ids(self, pairs: Ints) -> Ids:
        """Return the documents of distinct pairs by index."""
        return self._docs.take(pairs)
