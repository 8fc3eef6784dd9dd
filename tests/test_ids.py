"""Ids as strings: looking up and finding repetitions, against plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irdiv.frames import ids
from irdiv.frames.fingerprints import fingerprints

TEXTS = st.lists(st.text(alphabet="ab0é漢", max_size=30), max_size=20)


@pytest.fixture(params=[True, False], ids=["arrow", "objects"], autouse=True, scope="module")
def _backend(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "ARROW", request.param)
        yield


@given(TEXTS, TEXTS)
def test_find(wanted, known):
    known = list(dict.fromkeys(known))
    places = [known.index(text) if text in known else -1 for text in wanted]
    assert ids.find(ids.strings(wanted), ids.strings(known)).tolist() == places


@given(TEXTS, st.lists(st.integers(0, 2), min_size=20, max_size=20))
def test_repeats(texts, groups):
    groups = groups[: len(texts)]
    pairs = list(zip(texts, groups, strict=True))
    expected = [pair in pairs[:place] for place, pair in enumerate(pairs)]
    assert ids.repeats(ids.strings(texts), np.array(groups, dtype=np.int64)).tolist() == expected


@given(TEXTS)
def test_factorize_grouped(texts):
    texts = [text for text in texts for _ in range(9)]
    codes, distinct = ids.factorize_grouped(ids.strings(texts))
    assert list(distinct) == list(dict.fromkeys(texts))
    assert [list(distinct)[code] for code in codes] == texts


@given(TEXTS, st.text(alphabet="xyz", max_size=20))
def test_fingerprints_do_not_depend_on_what_stands_around(texts, before):
    alone = [int(fingerprints(pa.array([text], type=pa.large_string()))[0]) for text in texts]
    together = fingerprints(pa.array([before, *texts], type=pa.large_string()).slice(1))
    assert together.tolist() == alone


def test_fingerprints_tell_trec_ids_apart():
    names = [f"clueweb09-en{i % 97:04}-{i % 89:02}-{i:05}" for i in range(50_000)]
    assert len(set(fingerprints(pa.array(names)).tolist())) == len(names)
