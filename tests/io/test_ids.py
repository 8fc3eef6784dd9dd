"""Ids of topics, intents and documents as strings: of every dtype, in natural order, looked up by hash."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError
from irdiv.core import index
from irdiv.core.index import PairIndex, find_duplicates
from irdiv.io.hashes import hash_ids
from irdiv.io.ids import string_array


def library_and_type(value) -> str:
    kind = getattr(value, "dtype", getattr(value, "type", ""))
    return f"{type(value).__module__.split('.')[0]}-{kind}"


def frame_with(name: str, column, **others) -> object:
    """Return a frame of the library of a column, with one document in each row."""
    rows = len(column)
    columns = {"query_id": ["1"] * rows, "doc_id": [f"d{row}" for row in range(rows)], name: column}
    columns |= {name: [value] * rows for name, value in others.items() if name not in columns}
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return pa.table(columns)
    return (pl if isinstance(column, pl.Series) else pd).DataFrame(columns)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series([51.0, -3.0]), ["51", "-3"]),
        (pd.Series([2.0**53 - 1]), ["9007199254740991"]),
        # Beyond, not all integers are floats, so that the float may not be the id.
        (pd.Series([2.0**53]), ["9007199254740992.0"]),
        (pd.Series([-(2.0**53)]), ["-9007199254740992.0"]),
        (pd.Series([True, False]), ["True", "False"]),
        (pd.Series(["b", "a", "b"], dtype="category"), ["b", "a", "b"]),
        (pd.Series([2, 10], dtype="category"), ["2", "10"]),
        (pd.Series(["a", "b"], dtype="string"), ["a", "b"]),
        (pd.Series(pd.to_datetime(["2026-01-02", "2026-11-17"])), ["2026-01-02", "2026-11-17"]),
        (pd.Series(["b", "b", "a"], dtype=pd.ArrowDtype(pa.run_end_encoded(pa.int32(), pa.string()))), ["b", "b", "a"]),
        (
            pd.Series([1, 2.0, "a", b"b", Path("c"), True, UUID(int=7)], dtype=object),
            ["1", "2.0", "a", "b", "c", "True", str(UUID(int=7))],
        ),
        (pl.Series([51.0, 52.0]), ["51", "52"]),
        (pl.Series([True]), ["True"]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["b", "a"]),
        (pl.Series([1, 2.0, "a", b"b"], dtype=pl.Object), ["1", "2.0", "a", "b"]),
        (pa.chunked_array([pc.run_end_encode(pa.array(part)) for part in (["b", "b"], ["a"])]), ["b", "b", "a"]),
        (pa.chunked_array([pc.run_end_encode(pa.array([51.0, 51.0]))]), ["51", "51"]),
        (pa.array([7, 7, 3]).dictionary_encode(), ["7", "7", "3"]),
        (pa.array(["a", "b", "b"], pa.large_string()).dictionary_encode(), ["a", "b", "b"]),
        # Values of a dictionary may not occur, or be equal, and each chunk has its own.
        (pa.DictionaryArray.from_arrays([2, 0, 0, 2], ["a", "unused", "b"]), ["b", "a", "a", "b"]),
        (pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "a", "b"]), ["a", "a", "b"]),
        (pa.DictionaryArray.from_arrays([1, 0, 1], ["a", "b"])[1:], ["a", "b"]),
        (
            pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1], pair) for pair in (["a", "b"], ["b", "c"])]),
            ["a", "b", "b", "c"],
        ),
        (
            pa.array([f"t{row // 50}" for row in range(200)]).dictionary_encode(),
            [f"t{row // 50}" for row in range(200)],
        ),
        (pa.array([f"t{row // 50}" for row in range(200)]), [f"t{row // 50}" for row in range(200)]),
        (pa.array([f"t{row // 50 % 2}" for row in range(200)]), [f"t{row // 50 % 2}" for row in range(200)]),
    ],
    ids=lambda value: "" if isinstance(value, list) else library_and_type(value),
)
@pytest.mark.parametrize("name", ["query_id", "intent_id", "doc_id"])
def test_ids_of_every_dtype(column, expected, name):
    qrels = frame_with(name, column, intent_id="i", relevance=1)
    ids = {"query_id": ["1"] * len(expected), "intent_id": ["i"] * len(expected)}
    ids |= {"doc_id": [f"d{row}" for row in range(len(expected))], name: expected}
    rows = set(zip(ids["query_id"], ids["intent_id"], ids["doc_id"], strict=True))
    run = {topic: list(dict.fromkeys(ids["doc_id"])) for topic in ids["query_id"]}
    found = irdiv.analysis.relevant_documents_by_intent(qrels, run, cutoff=len(expected))
    found = pd.DataFrame(found.to_pandas() if hasattr(found, "to_pandas") else found)
    assert set(found[["query_id", "intent_id", "doc_id"]].itertuples(index=False, name=None)) == rows


def test_ids_with_fractions_are_as_python_writes_them():
    run = pd.DataFrame({"query_id": [1.0, 2.5], "doc_id": "d", "score": 1.0})
    assert irdiv.evaluate({"1.0": {"d": 1}, "2.5": {"d": 1}}, run, "Hit").values.tolist() == [[[1, 1]]]


@pytest.mark.parametrize(
    ("role", "name"), [("qrels", "query_id"), ("qrels", "intent_id"), ("qrels", "doc_id"), ("run", "query_id")]
)
def test_ids_with_fractions_in_parts(role, name):
    """Whether 1.0 is the id 1 would depend on rows of other parts."""
    qrels, run = {"1": {"d": 1}}, {"1": ["d"]}
    if role == "qrels":
        qrels = frame_with(name, pd.Series([1.0, 2.5]), intent_id="i", relevance=1)
    else:
        run = frame_with(name, pd.Series([1.0, 2.5]), score=1)
    with pytest.raises(IrdivError, match=f"'{name}' of the {role}.*fractions.*2.5"):
        irdiv.evaluate(qrels, run, "Hit", batch_rows=1)


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array([["a"], ["b"]]), "list<item: string>"),
        (pa.array([{"x": "a"}]), "struct<x: string>"),
        (pa.array([[("x", "a")]], pa.map_(pa.string(), pa.string())), "map<string, string"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "month_day_nano_interval"),
        (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array(["a"])]), "sparse_union"),
        (pa.array([b"a", b"\xff"]), "not UTF-8"),
        (pa.array([b"a", b"\xff"]).dictionary_encode(), "not UTF-8"),
        (pd.Series(pd.IntervalIndex.from_breaks([0, 1, 2])), "interval"),
        (pd.Series([["a"]], dtype=pd.ArrowDtype(pa.list_(pa.string()))), "list<item: string>"),
        (pd.Series(["a", b"b", b"\xff"]), "not UTF-8"),
        (pd.Series(["a", ("b", "c")]), "('b', 'c') of type tuple"),
        (pd.Series([{}]), "{} of type dict"),
        (pd.Series([1, np.array([1, 2])], dtype=object), "of type ndarray"),
        (pd.Series([object()]), "of type object"),
        (pl.Series([["a"], ["b"]]), "List(String)"),
        (pl.Series([{"x": "a"}]), "Struct"),
        (pl.Series([["a"], {"b"}], dtype=pl.Object), "['a'] of type list"),
        (pl.Series([b"\xff"]), "not UTF-8"),
        (pl.Series([object()], dtype=pl.Object), "of type object"),
        (pd.Series(["a", "a\udc80"], dtype=object), "'\\udc80' is half of a surrogate pair"),
        (pd.Series([1, "a\udc80"], dtype=object), "'\\udc80' is half of a surrogate pair"),
    ],
    ids=lambda value: "" if isinstance(value, str) else library_and_type(value),
)
@pytest.mark.parametrize("role", ["qrels", "run"])
def test_columns_that_hold_no_ids(column, found, role):
    frame = frame_with("doc_id", column, **({"relevance": 1} if role == "qrels" else {"score": 1}))
    with pytest.raises(IrdivError) as caught:
        irdiv.evaluate(*((frame, {"1": ["d"]}) if role == "qrels" else ({"1": {"d": 1}}, frame)), "Hit")
    assert found in str(caught.value)
    if "surrogate" not in found:
        assert f"'doc_id' of the {role} must hold strings or numbers" in str(caught.value)


@pytest.mark.parametrize("ids", [{"\ud800": ["d"]}, {"1": ["\ud800"]}, {"1": {"\ud800": 1.0}}])
def test_half_characters_in_dicts(ids):
    with pytest.raises(IrdivError, match=r"\\ud800.* is not valid Unicode"):
        irdiv.evaluate({"1": {"d": 1}}, ids, "Hit")


def test_lists_as_ids_in_dicts():
    with pytest.raises(IrdivError, match="strings or numbers.*tuple"):
        irdiv.evaluate({"1": {("d", "e"): 1}}, {"1": ["d"]}, "Hit")


@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
@pytest.mark.parametrize(
    ("role", "name"),
    [("qrels", "query_id"), ("qrels", "intent_id"), ("qrels", "doc_id"), ("run", "query_id"), ("run", "doc_id")],
)
@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", "b", None]),
        pd.Series(["a", "b", None], dtype="category"),
        pd.Series([1.0, 2.0, np.nan]),
        pd.Series([1, "a", pd.NA], dtype=object),
        pd.Series([1, "a", pd.NaT], dtype=object),
        pd.Series([1, "a", float("nan")], dtype=object),
        pd.Series(pd.to_datetime(["2026-01-02", "2026-11-17", None])),
        pl.Series(["a", "b", None]),
        pa.DictionaryArray.from_arrays(pa.array([0, 0, None]), ["a"]),
        pa.DictionaryArray.from_arrays([0, 0, 1], pa.array(["a", None])),
    ],
    ids=library_and_type,
)
def test_a_missing_id_of_every_dtype(column, role, name, options):
    qrels, run = {"1": {"d": 1}, "a": {"d": 1}}, {"1": ["d"], "a": ["d"]}
    if role == "qrels":
        qrels = frame_with(name, column, intent_id="i", relevance=1)
    else:
        run = frame_with(name, column, score=1)
    with pytest.raises(IrdivError, match=f"'{name}' of the {role} has a missing id: .*row 2"):
        irdiv.evaluate(qrels, run, "Hit", **options)


def test_long_ids():
    long = "é" * 2**20
    found = irdiv.evaluate({long: {long: 1}}, {long: {"d": 2.0, long: 1.0, long + "a": 3.0}}, "RR")
    assert found.values.item() == 1 / 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["10", "9", "b", "a", "1b"], ["9", "10", "1b", "a", "b"]),
        (["10", "2", "02"], ["02", "2", "10"]),
        (["10", "9", "-1"], ["9", "10", "-1"]),
        (["9" * 18, "1" * 18, "2"], ["2", "1" * 18, "9" * 18]),
        # More than 64 bits.
        (["9" * 19, "1" + "0" * 19, "2"], ["2", "9" * 19, "1" + "0" * 19]),
        # So long that it is no number.
        (["9", "0" * 98 + "5"], ["0" * 98 + "5", "9"]),
        (["9", "0" * 99 + "5", "9" * 10**4], ["9", "0" * 99 + "5", "9" * 10**4]),
        (["XXL", "XXB"], ["XXB", "XXL"]),
        # Digits of other scripts are not those of numbers.
        (["٣", "10", "²"], ["10", "²", "٣"]),
    ],
)
def test_topics_are_in_natural_order(given, expected):
    assert irdiv.Collection({topic: {"d": 1} for topic in given}).topics.tolist() == expected


TEXTS = st.lists(st.text(alphabet="ab0é漢", max_size=30), max_size=20)
GROUPS = st.lists(st.integers(0, 2), min_size=20, max_size=20)


def in_groups(texts, groups):
    return np.array(groups[: len(texts)], dtype=np.int64), list(zip(texts, groups, strict=False))


@given(TEXTS, GROUPS)
def test_duplicates(texts, groups):
    group, all_pairs = in_groups(texts, groups)
    expected = [row for row, pair in enumerate(all_pairs) if pair in all_pairs[:row]]
    array = string_array(texts)
    assert find_duplicates(array, group, hash_ids(array)).tolist() == expected


@given(TEXTS, GROUPS, TEXTS)
def test_pairs(texts, groups, requested):
    group, all_pairs = in_groups(texts, groups)
    known = PairIndex(group, string_array(texts))
    distinct = list(dict.fromkeys(all_pairs))
    assert [all_pairs[row] for row in known.first_rows] == distinct
    assert [distinct[index] for index in known.inverse] == all_pairs
    group, looked_up = in_groups(requested, groups)
    found = known.find(group, string_array(requested)).tolist()
    assert found == [distinct.index(pair) if pair in distinct else -1 for pair in looked_up]


def test_one_document_in_many_topics():
    topic = np.arange(200_000)
    known = PairIndex(topic, string_array(["d"] * len(topic)))
    np.testing.assert_array_equal(known.inverse, topic)
    found = known.find(np.array([3, 199_999, 200_000]), string_array(["d"] * 3))
    assert found.tolist() == [3, 199_999, -1]


def test_documents_that_share_a_hash(monkeypatch):
    texts = [f"d{index}" for index in range(50)]
    monkeypatch.setattr(index, "hash_ids", lambda ids, salt=0: hash_ids(ids, salt) % (salt + 1))
    known = PairIndex(np.zeros(50, dtype=np.int64), string_array(texts))
    assert known.inverse.tolist() == list(range(50))
    assert known.find(np.zeros(2, dtype=np.int64), string_array(["d7", "d70"])).tolist() == [7, -1]


def test_topics_that_share_a_hash(monkeypatch):
    real = index.combine_hashes

    def combine(group, hashes, salt):
        return real(group if salt == 2 else np.zeros_like(group), hashes, salt)

    monkeypatch.setattr(index, "combine_hashes", combine)
    known = PairIndex(np.arange(3), string_array(["a", "a", "b"]))
    assert known.inverse.tolist() == [0, 1, 2]
    assert known.find(np.array([1, 2, 0]), string_array(["a", "a", "b"])).tolist() == [1, -1, -1]


def test_pairs_with_a_common_hash_are_compared(monkeypatch):
    monkeypatch.setattr(index, "combine_hashes", lambda group, hashes, salt: np.zeros(len(group), dtype=np.uint64))
    known = PairIndex(np.array([0]), string_array(["a"]))
    assert known.find(np.array([0, 0, 1, 1]), string_array(["a", "b", "a", "b"])).tolist() == [0, -1, -1, -1]


def test_hashes_of_pairs():
    hashes = np.array([5, 5, 2**64 - 1], dtype=np.uint64)
    made = index.combine_hashes(np.array([0, 1, 2]), hashes, salt=3)
    factor = 0xA0761D6478BD642F + 6
    assert made.tolist() == [5, (5 + factor) % 2**64, (2**64 - 1 + 2 * factor) % 2**64]
    assert index.combine_hashes(np.array([1]), hashes[:1]).tolist() == [(5 + factor - 6) % 2**64]


def plain_hash(text: str, salt: int) -> int:
    """Return the hash as `hash_ids` describes it, one word after the other from the end."""
    data, bits = text.encode(), 2**64 - 1
    mixed = (len(data) + (salt << 32)) * 0x9E3779B97F4A7C15 & bits
    for stop in range(len(data), 0, -8):
        start = max(stop - 8, 0)
        mixed = (int.from_bytes(data[start : start + 8], "little") ^ mixed) * 0xC2B2AE3D27D4EB4F & bits
        mixed ^= mixed >> 32
    return mixed


@pytest.mark.parametrize("salt", [0, 1])
@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["a", "b", "c"],
        ["abcdefgh", "hgfedcba"],
        ["abcdefghi", "ihgfedcba"],
        ["a" * 300, "b" * 300],
        ["a", "", "abcdefgh", "abcdefghi", "é" * 12, "0123456789abcdef", "0123456789abcdefg"],
        ["a", "b" * 255, "c" * 256, "d" * 257, "e" * 1024, "f" * 1025, "g" * 5000, ""],
    ],
    ids=lambda texts: str(len(texts)),
)
def test_hashes_of_words(texts, salt):
    array = string_array(["before", *texts])[1:]
    hashes = hash_ids(array, salt)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [plain_hash(text, salt) for text in texts]
