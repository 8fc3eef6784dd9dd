"""Consecutive rows of qrels that judge the same document for several intents, as most qrels with intents have them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from irdiv.arrays.pairs import combine_hashes, find_duplicates, has_equal
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import Ids, group_starts
from irdiv.types import Bools, Hashes, Ints

_SAMPLE = 1000


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
            keys = combine_hashes(topic[self.is_first], self.hashes)
            if not has_equal(np.sort(keys)):
                return np.zeros(0, dtype=np.int64)
        return find_duplicates(docs, intent, self.hashes.take(self.group))
