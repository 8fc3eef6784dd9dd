"""Ids as strings: lookup and duplicates, compared with plain Python."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "chunks",
    [
        [dictionary([0, None], ["a"])],
        [dictionary([0, 1], ["a", None])],
        [dictionary([0], ["a"]), dictionary([1], ["a", None])],
    ],
)
def test_encoded_ids_that_are_missing(chunks):
    with pytest.raises(IrdivError, match="has a missing id: it is null in row 1"):
        encoded(chunks)


def as_ids(series, role: str = "run") -> list[str]:
    return ids.as_ids(nw.from_native(series, series_only=True), role).to_pylist()


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series([51.0, -3.0]), ["51", "-3"]),
        (pd.Series([2.0**53 - 1]), ["9007199254740991"]),
        # Beyond, not all integers are floats, so that the float may not be the id.
        (pd.Series([2.0**53]), ["9007199254740992.0"]),
        (pd.Series([-(2.0**53)]), ["-9007199254740992.0"]),
        (pd.Series([1.0, 2.5]), ["1.0", "2.5"]),
        (pd.Series([True, False]), ["True", "False"]),
        (pd.Series([7, "a", True], dtype=object), ["7", "a", "True"]),
        (pd.Series(["b", "a", "b"], dtype="category"), ["b", "a", "b"]),
        (pd.Series([2, 10], dtype="category"), ["2", "10"]),
        (pd.Series(["a", "b"], dtype="string"), ["a", "b"]),
        (pd.Series(pd.to_datetime(["2026-01-02", "2026-11-17"])), ["2026-01-02", "2026-11-17"]),
        (pl.Series([51.0, 52.0]), ["51", "52"]),
        (pl.Series([True]), ["True"]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["b", "a"]),
        (pd.Series(["b", "b", "a"], dtype=pd.ArrowDtype(pa.run_end_encoded(pa.int32(), pa.string()))), ["b", "b", "a"]),
        (pa.chunked_array([pc.run_end_encode(pa.array(part)) for part in (["b", "b"], ["a"])]), ["b", "b", "a"]),
        (pd.Series([1, 2.0, "a", b"b", Path("c"), True], dtype=object), ["1", "2.0", "a", "b", "c", "True"]),
        (pl.Series([1, 2.0, "a", b"b"], dtype=pl.Object), ["1", "2.0", "a", "b"]),
        (pa.chunked_array([pc.run_end_encode(pa.array([51.0, 51.0]))]), ["51", "51"]),
    ],
    ids=lambda value: f"{type(value).__module__.split('.')[0]}-{value.dtype}" if hasattr(value, "dtype") else "",
)
def test_ids_of_every_dtype(series, expected):
    assert as_ids(series) == expected


@pytest.mark.parametrize(
    ("series", "found"),
    [
        (pa.array([["a"], ["b"]]), "the type list<item: string>"),
        (pa.array([{"x": "a"}]), "the type struct<x: string>"),
        (pa.array([[("x", "a")]], pa.map_(pa.string(), pa.string())), "the type map<string, string>"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "the type month_day_nano_interval"),
        (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array(["a"])]), "the type sparse_union<0: string=0>"),
        (pa.array([b"a", b"\xff"]), "bytes that are not UTF-8"),
        (pa.array([b"a", b"\xff"]).dictionary_encode(), "bytes that are not UTF-8"),
        (pd.Series(pd.IntervalIndex.from_breaks([0, 1, 2])), "the type interval[int64, right]"),
        (pd.Series([["a"]], dtype=pd.ArrowDtype(pa.list_(pa.string()))), "the type list<item: string>[pyarrow]"),
        (pl.Series([["a"], ["b"]]), "the type List(String)"),
        (pl.Series([{"x": "a"}]), "the type Struct({'x': String})"),
        (pl.Series([["a"], {"b"}], dtype=pl.Object), "['a'] of type list"),
        (pd.Series(["a", b"b", b"\xff"]), "bytes that are not UTF-8"),
        (pd.Series(["a", ("b", "c")]), "('b', 'c') of type tuple"),
        (pd.Series([{}]), "{} of type dict"),
        (pd.Series([1, np.array([1, 2])], dtype=object), "array([1, 2]) of type ndarray"),
        (pl.Series([b"\xff"]), "bytes that are not UTF-8"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__module__.split(".")[0],
)
def test_columns_that_hold_no_ids(series, found):
    name, frame = "docno", pa.table if isinstance(series, pa.Array) else type(series.to_frame())
    with pytest.raises(IrdivError) as caught:
        ids.as_ids(nw.from_native(frame({name: series}), eager_only=True)[name], "run")
    assert str(caught.value) == f"column 'docno' of the run must hold strings or numbers, found {found}."


@pytest.mark.parametrize("series", [pd.Series([object()]), pl.Series([object()], dtype=pl.Object)])
def test_objects_whose_text_is_an_address(series):
    with pytest.raises(IrdivError, match="must hold strings or numbers, found <object .* of type object"):
        as_ids(series)


def test_a_frame_without_a_role_is_not_named():
    with pytest.raises(IrdivError) as caught:
        ids.as_strings(nw.from_native(pd.DataFrame({"a": [{}]}), eager_only=True)["a"])
    assert str(caught.value) == "column 'a' must hold strings or numbers, found {} of type dict."


def test_lists_as_ids():
    with pytest.raises(IrdivError, match=r"ids are strings or numbers, found \['a'\] of type list"):
        ids.string_array(["b", ["a"]])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["a", "b", None], name="qid"),
        pd.Series(["a", "b", None], dtype="category", name="qid"),
        pd.Series([1.0, 2.0, np.nan], name="qid"),
        pd.Series([1, "a", pd.NA], dtype=object, name="qid"),
        pd.Series([1, "a", pd.NaT], dtype=object, name="qid"),
        pd.Series([1, "a", float("nan")], dtype=object, name="qid"),
        pd.Series(pd.to_datetime(["2026-01-02", "2026-11-17", None]), name="qid"),
        pl.Series("qid", ["a", "b", None]),
    ],
    ids=lambda series: f"{type(series).__module__.split('.')[0]}-{series.dtype}",
)
def test_a_missing_id_of_every_dtype(series):
    with pytest.raises(IrdivError) as caught:
        as_ids(series, "qrels")
    assert str(caught.value) == (
        "column 'qid' of the qrels has a missing id: it is null in row 2. Every row needs an id there; drop the rows "
        "without one."
    )


def test_the_longest_ids():
    assert as_ids(pd.Series(["é" * 2**15])) == ["é" * 2**15]
    with pytest.raises(IrdivError) as caught:
        as_ids(pd.Series(["a", "é" * 2**15 + "a"], name="docno"))
    assert str(caught.value) == "column 'docno' of the run has an id of 65,537 bytes; ids have up to 65,536."


@pytest.mark.parametrize("values", [["a\udc80"], [1, "a\udc80"]])
def test_half_characters(values):
    with pytest.raises(IrdivError) as caught:
        ids.string_array(values)
    assert str(caught.value) == (
        "'a\\udc80' is not valid Unicode: '\\udc80' is half of a surrogate pair, and no character; rename it, or "
        "decode the file that it comes from with errors='replace'."
    )


def test_some_rows_of_encoded_ids():
    made = ids.EncodedIds(np.array([1, 0, 1]), ids.string_array(["a", "b"]))
    assert made.decode().to_pylist() == ["b", "a", "b"]
    assert made.slice_rows(slice(1, 3)).decode().to_pylist() == ["a", "b"]
    assert made.take(np.array([2, 2, 1])).decode().to_pylist() == ["b", "b", "a"]
    assert len(made) == 3


def test_all_rows_in_order_are_not_copied():
    array = np.array([5, 6, 7])
    assert ids.take_rows(array, np.arange(3)) is array
    assert ids.take_rows(array, np.arange(2)).tolist() == [5, 6]
    assert ids.take_rows(array, np.array([2, 1, 0])).tolist() == [7, 6, 5]
    assert ids.take_rows(array, np.array([0, 1, 2, 2])).tolist() == [5, 6, 7, 7]


def test_where_equal_ids_start():
    start, first = ids.group_starts(ids.string_array(["a", "a", "b", "a"]))
    assert (start.tolist(), first.to_pylist()) == ([0, 2, 3], ["a", "b", "a"])
    start, first = ids.group_starts(ids.string_array([]))
    assert (start.tolist(), first.to_pylist()) == ([], [])


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
        (["9", "0" * 99 + "5"], ["9", "0" * 99 + "5"]),
        (["XXL", "XXB"], ["XXB", "XXL"]),
        # Digits of other scripts are not those of numbers.
        (["٣", "10", "²"], ["10", "²", "٣"]),
        ([], []),
    ],
)
def test_natural_order(given, expected):
    assert [given[index] for index in ids.natural_argsort(given)] == expected
    assert [given[index] for index in ids.natural_argsort(ids.string_array(given))] == expected


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
        ["", ""],
        ["a", "b", "c"],
        ["abcdefg"],
        ["abcdefgh", "hgfedcba"],
        ["abcdefghi", "ihgfedcba"],
        ["a" * 300],
        ["a" * 300, "b" * 300],
        ["a", "", "abcdefgh", "abcdefghi", "é" * 12, "0123456789abcdef", "0123456789abcdefg"],
        ["a", "b" * 255, "c" * 256, "d" * 257, "e" * 1024, "f" * 1025, "g" * 5000, ""],
    ],
    ids=lambda texts: str(len(texts)),
)
def test_hashes_of_words(texts, salt):
    array = ids.string_array(["before", *texts])[1:]
    hashes = hash_ids(array, salt)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [plain_hash(text, salt) for text in texts]


def test_pairs_with_a_common_hash_are_compared(monkeypatch):
    monkeypatch.setattr(pairs, "combine_hashes", lambda group, hashes, salt: np.zeros(len(group), dtype=np.uint64))
    known = PairIndex(np.array([0]), ids.string_array(["a"]))
    assert known.find(np.array([0, 0, 1, 1]), ids.string_array(["a", "b", "a", "b"])).tolist() == [0, -1, -1, -1]


def test_hashes_of_pairs():
    hashes = np.array([5, 5, 2**64 - 1], dtype=np.uint64)
    made = pairs.combine_hashes(np.array([0, 1, 2]), hashes, salt=3)
    factor = 0xA0761D6478BD642F + 6
    assert made.tolist() == [5, (5 + factor) % 2**64, (2**64 - 1 + 2 * factor) % 2**64]
    assert pairs.combine_hashes(np.array([1]), hashes[:1]).tolist() == [(5 + factor - 6) % 2**64]
