"""Ids as strings: lookup and duplicates, compared with plain Python."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irdiv import IrdivError
from irdiv.arrays import pairs
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
    group, all_pairs = in_groups(texts, groups)
    expected = [row for row, pair in enumerate(all_pairs) if pair in all_pairs[:row]]
    array = ids.string_array(texts)
    assert find_duplicates(array, group, hash_ids(array)).tolist() == expected


@given(TEXTS, GROUPS, TEXTS)
def test_pairs(texts, groups, requested):
    group, all_pairs = in_groups(texts, groups)
    known = PairIndex(group, ids.string_array(texts))
    distinct = list(dict.fromkeys(all_pairs))
    assert [all_pairs[row] for row in known.first_rows] == distinct
    assert [distinct[index] for index in known.inverse] == all_pairs
    group, looked_up = in_groups(requested, groups)
    found = known.find(group, ids.string_array(requested)).tolist()
    assert found == [distinct.index(pair) if pair in distinct else -1 for pair in looked_up]


def test_pairs_whose_documents_share_a_hash(monkeypatch):
    texts = [f"d{index}" for index in range(50)]
    monkeypatch.setattr("irdiv.arrays.pairs.hash_ids", lambda ids, salt=0: hash_ids(ids, salt) % (salt + 1))
    known = PairIndex(np.zeros(50, dtype=np.int64), ids.string_array(texts * 2)[:50])
    assert known.inverse.tolist() == list(range(50))
    assert known.find(np.zeros(2, dtype=np.int64), ids.string_array(["d7", "d70"])).tolist() == [7, -1]


def test_one_document_in_many_topics():
    topic = np.arange(200_000)
    known = PairIndex(topic, ids.string_array(["d"] * len(topic)))
    assert known.inverse.tolist() == topic.tolist()
    found = known.find(np.array([3, 199_999, 200_000]), ids.string_array(["d"] * 3))
    assert found.tolist() == [3, 199_999, -1]


def test_topics_that_share_a_hash(monkeypatch):
    real = pairs.combine_hashes

    def combine(group, hashes, salt):
        return real(group if salt == 2 else np.zeros_like(group), hashes, salt)

    monkeypatch.setattr(pairs, "combine_hashes", combine)
    known = PairIndex(np.arange(3), ids.string_array(["a", "a", "b"]))
    assert known.inverse.tolist() == [0, 1, 2]
    assert known.find(np.array([1, 2, 0]), ids.string_array(["a", "a", "b"])).tolist() == [1, -1, -1]


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


def encoded(chunks: list[pa.Array]) -> list[str]:
    column = nw.from_native(pa.chunked_array(chunks), series_only=True)
    made = ids.as_encoded_ids(column, "run")
    assert len(made) == len(column)
    assert len(set(made.ids.to_pylist())) == len(made.ids) == len(np.unique(made.code))
    return made.decode().to_pylist()


def dictionary(
    indices: list[int | None], values: list[str | None], kind: pa.DataType | None = None
) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(values, kind or pa.string()))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_encoded_ids_of_dictionaries(kind):
    assert encoded([dictionary([2, 0, 0, 2], ["a", "unused", "b"], kind)]) == ["b", "a", "a", "b"]
    assert encoded([dictionary([0, 1, 2], ["a", "a", "b"], kind)]) == ["a", "a", "b"]
    several = [dictionary([0, 1], ["a", "b"], kind), dictionary([0, 1], ["b", "c"], kind)]
    assert encoded(several) == ["a", "b", "b", "c"]
    assert encoded([dictionary([1, 0, 1], ["a", "b"], kind)[1:]]) == ["a", "b"]
    assert encoded([dictionary([], [], kind)]) == []


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_encoded_ids_of_no_rows(kind):
    column = pa.chunked_array([], pa.dictionary(pa.int32(), kind))
    found = ids.as_encoded_ids(nw.from_native(column, series_only=True), "run")
    assert (found.code.tolist(), found.ids.to_pylist()) == ([], [])


def test_encoded_ids_of_long_groups():
    texts = [f"t{number // 50}" for number in range(5000)]
    assert encoded([pa.array(texts).dictionary_encode()]) == texts
    assert encoded([pa.array(texts)]) == texts
    assert encoded([pa.array(texts[::-1] + texts).dictionary_encode()]) == texts[::-1] + texts


def test_encoded_ids_that_are_numbers():
    assert encoded([pa.array([7, 7, 3]).dictionary_encode()]) == ["7", "7", "3"]


@pytest.mark.parametrize("column", [dictionary([0, None], ["a"]), dictionary([0, 1], ["a", None])])
def test_encoded_ids_that_are_missing(column):
    with pytest.raises(IrdivError, match="has a missing id: it is null in row 1"):
        encoded([column])
