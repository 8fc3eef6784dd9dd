"""Ids as strings: looking up and finding repetitions, against plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from irdiv.arrays.pairs import Pairs, repeats
from irdiv.frames import ids
from irdiv.frames.fingerprints import fingerprints

TEXTS = st.lists(st.text(alphabet="ab0é漢", max_size=30), max_size=20)


@given(TEXTS, TEXTS)
def test_find(wanted, known):
    known = list(dict.fromkeys(known))
    places = [known.index(text) if text in known else -1 for text in wanted]
    assert ids.find(ids.strings(wanted), ids.strings(known)).tolist() == places


def in_groups(texts, groups):
    return np.array(groups[: len(texts)], dtype=np.int64), list(zip(texts, groups, strict=False))


GROUPS = st.lists(st.integers(0, 2), min_size=20, max_size=20)


@given(TEXTS, GROUPS)
def test_repeats(texts, groups):
    group, pairs = in_groups(texts, groups)
    expected = [place for place, pair in enumerate(pairs) if pair in pairs[:place]]
    array = ids.strings(texts)
    assert repeats(array, group, fingerprints(array)).tolist() == expected


@given(TEXTS, GROUPS, TEXTS)
def test_pairs(texts, groups, wanted):
    group, pairs = in_groups(texts, groups)
    known = Pairs(group, ids.strings(texts))
    distinct = list(dict.fromkeys(pairs))
    assert [pairs[place] for place in known.first] == distinct
    assert [distinct[number] for number in known.of] == pairs
    asked, looked_up = in_groups(wanted, groups)
    found = known.find(asked, ids.strings(wanted)).tolist()
    assert found == [distinct.index(pair) if pair in distinct else -1 for pair in looked_up]


def test_pairs_whose_documents_share_a_number(monkeypatch):
    texts = [f"d{number}" for number in range(50)]
    monkeypatch.setattr("irdiv.arrays.pairs.fingerprints", lambda ids, salt=0: fingerprints(ids, salt) % (salt + 1))
    known = Pairs(np.zeros(50, dtype=np.int64), ids.strings(texts * 2)[:50])
    assert known.of.tolist() == list(range(50))
    assert known.find(np.zeros(2, dtype=np.int64), ids.strings(["d7", "d70"])).tolist() == [7, -1]


@given(TEXTS)
def test_factorize_grouped(texts):
    texts = [text for text in texts for _ in range(9)]
    codes, distinct = ids.factorize_grouped(ids.strings(texts))
    assert distinct.to_pylist() == list(dict.fromkeys(texts))
    assert [distinct.to_pylist()[code] for code in codes] == texts


@given(TEXTS, st.text(alphabet="xyz", max_size=20))
def test_fingerprints_do_not_depend_on_what_stands_around(texts, before):
    alone = [int(fingerprints(pa.array([text], type=pa.large_string()))[0]) for text in texts]
    together = fingerprints(pa.array([before, *texts], type=pa.large_string()).slice(1))
    assert together.tolist() == alone


def test_fingerprints_tell_trec_ids_apart():
    names = [f"clueweb09-en{i % 97:04}-{i % 89:02}-{i:05}" for i in range(50_000)]
    assert len(set(fingerprints(pa.array(names)).tolist())) == len(names)
