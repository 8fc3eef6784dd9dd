"""The documents by which runs cover intents."""

from __future__ import annotations

import pandas as pd
import pytest

import irdiv
from helpers import TOPIC_85, by_intents, random_collection, random_run, ranked
from irdiv import IrdivError
from irdiv.analysis import relevant_documents_by_intent

COLUMNS = ["run", "query_id", "intent_id", "rank", "doc_id", "grade"]


def test_documents_of_each_intent_by_rank():
    frame = relevant_documents_by_intent(by_intents(TOPIC_85), {"B": ranked("bxae"), "A": ranked("e")}, cutoff=3)
    # a is relevant to 2 and 4, b to 2, e to 1 and 6; e is at rank 4 of B
    assert frame.columns.tolist() == COLUMNS
    assert frame.values.tolist() == [
        ["B", "85", "2", 1, "b", 1],
        ["B", "85", "2", 3, "a", 1],
        ["B", "85", "4", 3, "a", 1],
        ["A", "85", "1", 1, "e", 1],
        ["A", "85", "6", 1, "e", 1],
    ]


@pytest.mark.parametrize("block_cells", [1, 4_000_000])
@pytest.mark.parametrize("seed", range(3))
def test_against_a_join(monkeypatch, seed, block_cells):
    monkeypatch.setattr("irdiv.arrays.collection.BLOCK_CELLS", block_cells)
    qrels, run = random_collection(seed), random_run(seed)
    by_rank = run.sort_values(["score", "doc_id"], ascending=False)
    by_rank["rank"] = by_rank.groupby("query_id").cumcount() + 1
    joined = by_rank[by_rank["rank"] <= 5].merge(qrels[qrels["relevance"] > 0], on=["query_id", "doc_id"])
    expected = joined.rename(columns={"relevance": "grade"}).assign(run="run")
    expected = expected.sort_values(["query_id", "intent_id", "rank"], ignore_index=True)[COLUMNS]
    pd.testing.assert_frame_equal(relevant_documents_by_intent(qrels, run, cutoff=5), expected, check_dtype=False)


def test_ties_and_duplicates():
    qrels = by_intents({"a": "1", "b": "1"})
    tied = pd.DataFrame({"query_id": "85", "doc_id": ["a", "b", "a"], "score": [1.0, 1.0, 0.5]})
    options = {"cutoff": 1, "duplicates": "first"}
    assert relevant_documents_by_intent(qrels, tied, **options)["doc_id"].tolist() == ["b"]
    assert relevant_documents_by_intent(qrels, tied, ties="docid_asc", **options)["doc_id"].tolist() == ["a"]
    with pytest.raises(IrdivError, match="run 'two': the run repeats documents"):
        relevant_documents_by_intent(qrels, {"one": ranked("a"), "two": tied})


def test_no_relevant_document():
    frame = relevant_documents_by_intent(by_intents(TOPIC_85), ranked("x"))
    assert frame.columns.tolist() == COLUMNS
    assert len(frame) == 0


def test_kinds_of_qrels():
    pl = pytest.importorskip("polars")
    qrels = by_intents(TOPIC_85)
    expected = relevant_documents_by_intent(qrels, ranked("ab"))
    pd.testing.assert_frame_equal(relevant_documents_by_intent(irdiv.Collection(qrels), ranked("ab")), expected)
    frame = relevant_documents_by_intent(pl.from_pandas(qrels), ranked("ab"))
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == list(expected.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("qrels", "cutoff", "message"),
    [
        (by_intents(TOPIC_85), 0, "cutoff=0 is not an integer of 1 or more"),
        ({"85": {"a": 1}}, 10, "needs intents"),
    ],
)
def test_bad_arguments(qrels, cutoff, message):
    with pytest.raises(IrdivError, match=message):
        relevant_documents_by_intent(qrels, ranked("a"), cutoff=cutoff)


def test_probabilities_of_intents_with_relevant_documents():
    qrels = by_intents({"a": "1", "b": "2"})
    table = pd.DataFrame({"query_id": "85", "intent_id": ["1", "2", "3"], "probability": [0.2, 0.6, 0.2]})
    frame = irdiv.analysis.intent_probabilities(irdiv.with_intents(qrels, table))
    # intent 3 has no relevant document: .2 and .6 of .8
    assert frame["intent_id"].tolist() == ["1", "2"]
    assert frame["probability"].tolist() == pytest.approx([1 / 4, 3 / 4])
