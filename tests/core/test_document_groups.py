"""Consecutive rows of a document in qrels: what is repeated is found, however rows are ordered."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.arrays.document_groups import DocumentGroups

SPECS = ["D#-nDCG@5", "ERR-IA@5", "alpha-nDCG@5"]


def judgments(seed: int) -> pd.DataFrame:
    """Return random rows, of which some are repeated; topics share documents, also at their borders."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    frame = pd.DataFrame({name: rng.integers(0, 4, size) for name in ("topic", "doc", "intent")})
    orders = [["topic", "doc", "intent"], ["topic", "doc"], ["topic", "intent", "doc"], ["doc", "intent"], []]
    order = orders[seed % len(orders)]
    return frame.sort_values(order, kind="stable", ignore_index=True) if order else frame


@pytest.mark.parametrize("has_repeated", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_repeated_rows_are_those_of_pandas(seed, has_repeated):
    frame = judgments(seed)
    if not has_repeated:
        frame = frame.drop_duplicates(ignore_index=True)
    topic, docs = frame["topic"].to_numpy(), pa.array("d" + frame["doc"].astype(str), pa.large_string())
    groups = DocumentGroups.find(topic, docs)
    assert groups.docs.take(groups.group).equals(docs)
    repeated = groups.repeated_rows(topic, (4 * frame["topic"] + frame["intent"]).to_numpy(), docs)
    assert repeated.tolist() == np.flatnonzero(frame.duplicated()).tolist()


def grouped_qrels() -> pd.DataFrame:
    rows = [
        (topic, f"d{doc}", intent, (int(topic) + doc * int(intent)) % 3)
        for topic in ("1", "2")
        for doc in range(6)
        for intent in ("1", "2", "3")
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "intent_id", "relevance"])


@pytest.mark.parametrize("position", [0, 1, 20, 36])
def test_a_contradiction_among_rows_by_document_is_refused_wherever_it_is(position):
    qrels = grouped_qrels()
    other = qrels.iloc[[1]].assign(relevance=qrels["relevance"][1] + 1)
    contradicting = pd.concat([qrels[:position], other, qrels[position:]])
    with pytest.raises(IrdivError, match="document 'd0' of topic '1' has the grades .* for intent '2'"):
        irdiv.Collection(contradicting)


@pytest.mark.parametrize("order", [["doc_id", "intent_id"], ["intent_id", "query_id"]])
def test_values_do_not_depend_on_rows_of_a_document_being_together(order):
    qrels = grouped_qrels()
    run = qrels[["query_id", "doc_id"]].drop_duplicates().assign(score=lambda run: -run.index % 7)
    apart = qrels.sort_values(order, kind="stable")
    expected = irdiv.evaluate(qrels, run, SPECS).values
    np.testing.assert_array_equal(irdiv.evaluate(apart, run, SPECS).values, expected)
    np.testing.assert_array_equal(irdiv.evaluate(pd.concat([qrels, apart]), run, SPECS).values, expected)
