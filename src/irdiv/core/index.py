"""Which rows have the same topic and document: by sorted hashes, with array operations only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from irdiv.io.hashes import hash_ids
from irdiv.io.ids import Ids, factorize, group_starts
from irdiv.types import Bools, Hashes, Ints

_FACTOR = 0xA0761D6478BD642F
_SAMPLE = 1000


def combine_hashes(group: Ints, hashes: Hashes, salt: int = 0) -> Hashes:
    """Return hashes of (group, item) pairs from the hashes of items."""
    return hashes + group.astype(np.uint64) * np.uint64(_FACTOR + 2 * salt)


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
        self._salt = 0
        self._row_bits = max(len(topic) - 1, 1).bit_length()
        while not self._fill(topic, docs, self._keys_of(topic, docs, hashes)):
            self._salt += 1

    def _keys_of(self, topic: Ints, docs: Ids, hashes: Hashes | None) -> Hashes:
        """Return a hash of each pair whose low bits, for the number of a row, are 0; given hashes have the salt 0."""
        if hashes is None or self._salt:
            hashes = hash_ids(docs, self._salt)
        keys = combine_hashes(topic, hashes, self._salt)
        keys >>= np.uint64(self._row_bits)
        keys <<= np.uint64(self._row_bits)
        return keys

    def _fill(self, topic: Ints, docs: Ids, keys: Hashes) -> bool:
        """Index all pairs; return False if different pairs have the same key."""
        # np.sort is many times faster than np.argsort: the number of the row is in the low bits.
        ascending = np.sort(keys | np.arange(len(keys), dtype=np.uint64))
        row = (ascending & np.uint64((1 << self._row_bits) - 1)).view(np.int64)
        ascending = keys.take(row)
        start = np.append(0, np.flatnonzero(ascending[1:] != ascending[:-1]) + 1)[: len(keys)]
        first = row.take(start)
        row_is_first = np.zeros(len(keys), dtype=bool)
        row_is_first[first] = True
        self.first_rows: Ints = np.flatnonzero(row_is_first)
        pair_of_row = np.empty(len(keys), dtype=np.int64)
        pair_of_row[self.first_rows] = np.arange(len(self.first_rows))
        self._pair: Ints = pair_of_row.take(first)
        self.inverse: Ints = np.empty(len(keys), dtype=np.int64)
        self.inverse[row] = np.repeat(self._pair, np.diff(start, append=len(keys)))
        repeated = np.flatnonzero(~row_is_first)
        before = self.first_rows.take(self.inverse.take(repeated))
        if not (topic.take(repeated) == topic.take(before)).all():
            return False
        if not pc.all(pc.equal(docs.take(repeated), docs.take(before)), min_count=0).as_py():
            return False
        self._topic, self._docs = topic.take(self.first_rows), docs.take(self.first_rows)
        self._index(ascending.take(start))
        return True

    def _index(self, keys: Hashes) -> None:
        """Keep the distinct keys, and where those with the same high bits start."""
        bits = len(keys).bit_length()
        self._shift = np.uint64(64 - bits)
        counts = np.bincount((keys >> self._shift).astype(np.int64), minlength=1 << bits)
        self._start: Ints = np.cumsum(counts) - counts
        # The last one, larger than all others, ends every search.
        self._keys: Hashes = np.append(keys, np.uint64(2**64 - 1))

    def find(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Ints:
        """Return the index of each pair among the distinct ones, or -1."""
        keys = self._keys_of(topic, docs, hashes)
        slot = self._start.take((keys >> self._shift).astype(np.int64))
        held = self._keys.take(slot)
        left = np.flatnonzero(held < keys)
        while len(left):
            slot[left] += 1
            held[left] = here = self._keys.take(slot.take(left))
            left = left[here < keys.take(left)]
        candidate = np.flatnonzero(held == keys)
        pair = self._pair.take(slot.take(candidate))
        is_equal = pc.equal(docs.take(candidate), self._docs.take(pair)).to_numpy(zero_copy_only=False)
        is_equal &= topic.take(candidate) == self._topic.take(pair)
        out = np.full(len(keys), -1)
        out[candidate[is_equal]] = pair[is_equal]
        return out

    def doc_ids(self, pairs: Ints) -> Ids:
        """Return the documents of distinct pairs by index."""
        return self._docs.take(pairs)


class DocumentGroups(NamedTuple):
    """Groups of consecutive rows with the same topic and document; a document is hashed once for each group."""

    is_first: Bools
    """Whether a row is the first of its group."""
    group: Ints
    """The group of each row."""
    docs: Ids
    """The document of each group."""
    hashes: Hashes
    """The `hash_ids` of these documents."""

    @classmethod
    def find(cls, topic: Ints, docs: Ids) -> DocumentGroups:
        """Return the groups of rows; each row is a group of its own if few are equal to the one before."""
        is_first = np.ones(len(docs), dtype=bool)
        if len(group_starts(docs[:_SAMPLE])[0]) * 2 > min(len(docs), _SAMPLE):
            return cls(is_first, np.arange(len(docs)), docs, hash_ids(docs))
        is_first[1:] = pc.not_equal(docs[1:], docs[:-1]).to_numpy(zero_copy_only=False)
        is_first[1:] |= topic[1:] != topic[:-1]
        group_docs = docs.take(np.flatnonzero(is_first))
        return cls(is_first, np.cumsum(is_first) - 1, group_docs, hash_ids(group_docs))

    def rows_of(self, doc: str) -> Ints:
        """Return the rows with a document."""
        is_doc = pc.equal(self.docs, doc).to_numpy(zero_copy_only=False)
        return np.flatnonzero(is_doc.take(self.group)) if is_doc.any() else np.zeros(0, dtype=np.int64)

    def repeated_rows(self, topic: Ints, intent: Ints, docs: Ids) -> Ints:
        """Return the rows whose intent and document occurred before; an intent belongs to one topic."""
        if len(self.hashes) == len(docs):
            return find_duplicates(docs, intent, self.hashes)
        # With ascending intents in every group and one group for each document, nothing can be repeated.
        if (self.is_first[1:] | (intent[1:] > intent[:-1])).all():
            ascending = np.sort(combine_hashes(topic[self.is_first], self.hashes))
            if (ascending[1:] != ascending[:-1]).all():
                return np.zeros(0, dtype=np.int64)
        return find_duplicates(docs, intent, self.hashes.take(self.group))


def argsort_by_topic(topic: Ints) -> Ints:
    """Return the indices that sort rows by topic and keep the order within a topic."""
    if (topic[1:] >= topic[:-1]).all():
        return np.arange(len(topic))
    return np.argsort(topic.astype(np.uint16) if topic.max() < 2**16 else topic, kind="stable")
