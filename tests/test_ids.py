"""Ids as strings: lookup and duplicates, compared with plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from irdiv.arrays.pairs import PairIndex, find_duplicates
from irdiv.frames import ids
from irdiv.frames.hashes import hash_ids

TEXTS = st.lists(st.text(alphabet="ab0é漢", max_size=30), max_size=20)


@given(TEXTS, TEXTS)
def test_find_positions(requested, known):
    known = list(dict.fromkeys(known))
    positions = [known.index(text) if text in known else -1 for text in requested]
    assert ids.find_positions(ids.string_array(requested), ids.string_array(known)).tolist() == positions


def in_groups(texts, groups):
    return np.array(groups[: len(texts)], dtype=np.int64), list(zip(texts, groups, strict=False))


GROUPS = st.lists(st.integers(0, 2), min_size=20, max_size=20)


@given(TEXTS, GROUPS)
def test_duplicates(texts, groups):
    group, pairs = in_groups(texts, groups)
    expected = [row for row, pair in enumerate(pairs) if pair in pairs[:row]]
    array = ids.string_array(texts)
    assert find_duplicates(array, group, hash_ids(array)).tolist() == expected


@given(TEXTS, GROUPS, TEXTS)
def test_pairs(texts, groups, requested):
    group, pairs = in_groups(texts, groups)
    known = PairIndex(group, ids.string_array(texts))
    distinct = list(dict.fromkeys(pairs))
    assert [pairs[row] for row in known.first_rows] == distinct
    assert [distinct[index] for index in known.inverse] == pairs
    group, looked_up = in_groups(requested, groups)
    found = known.find(group, ids.string_array(requested)).tolist()
    assert found == [distinct.index(pair) if pair in distinct else -1 for pair in looked_up]


def test_pairs_whose_documents_share_a_hash(monkeypatch):
    texts = [f"d{index}" for index in range(50)]
    monkeypatch.setattr("irdiv.arrays.pairs.hash_ids", lambda ids, salt=0: hash_ids(ids, salt) % (salt + 1))
    known = PairIndex(np.zeros(50, dtype=np.int64), ids.string_array(texts * 2)[:50])
    assert known.inverse.tolist() == list(range(50))
    assert known.find(np.zeros(2, dtype=np.int64), ids.string_array(["d7", "d70"])).tolist() == [7, -1]


@given(TEXTS)
def test_factorize_grouped(texts):
    texts = [text for text in texts for _ in range(9)]
    codes, distinct = ids.factorize_grouped(ids.string_array(texts))
    assert distinct.to_pylist() == list(dict.fromkeys(texts))
    assert [distinct.to_pylist()[code] for code in codes] == texts


@given(TEXTS, st.text(alphabet="xyz", max_size=20))
def test_hashes_do_not_depend_on_neighboring_ids(texts, before):
    alone = [int(hash_ids(pa.array([text], type=pa.large_string()))[0]) for text in texts]
    together = hash_ids(pa.array([before, *texts], type=pa.large_string()).slice(1))
    assert together.tolist() == alone


def test_hashes_of_trec_ids_differ():
    names = [f"clueweb09-en{i % 97:04}-{i % 89:02}-{i:05}" for i in range(50_000)]
    assert len(set(hash_ids(pa.array(names)).tolist())) == len(names)
