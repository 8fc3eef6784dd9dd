"""The documents by which runs cover intents, and the intents that runs do not cover."""

from __future__ import annotations

import pandas as pd
import pytest

import irdiv
from helpers import TOPIC_85, by_intents, random_collection, random_run, ranked
from irdiv import IrdivError
from irdiv.analysis import relevant_documents_by_intent, uncovered_intents

BLOCK_CELLS = "irdiv.core.block.BLOCK_CELLS"
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
    nothing = relevant_documents_by_intent(by_intents(TOPIC_85), ranked("x"))
    assert (nothing.columns.tolist(), len(nothing)) == (COLUMNS, 0)


@pytest.mark.parametrize("block_cells", [1, 4_000_000])
@pytest.mark.parametrize("seed", range(3))
def test_against_a_join(monkeypatch, seed, block_cells):
    monkeypatch.setattr(BLOCK_CELLS, block_cells)
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


def test_probabilities_of_intents_with_relevant_documents():
    qrels = by_intents({"a": "1", "b": "2"})
    table = pd.DataFrame({"query_id": "85", "intent_id": ["1", "2", "3"], "probability": [0.2, 0.6, 0.2]})
    frame = irdiv.analysis.intent_probabilities(irdiv.with_intents(qrels, table))
    # intent 3 has no relevant document: .2 and .6 of .8
    assert frame["intent_id"].tolist() == ["1", "2"]
    assert frame["probability"].tolist() == pytest.approx([1 / 4, 3 / 4])


NUGGETS = pd.DataFrame(
    [
        ("85", "1", "e", 2, "first", "vital"),
        ("85", "2", "a", 1, "second", "vital"),
        ("85", "2", "b", 2, "second", "vital"),
        ("85", "3", "x", 0, "third", "okay"),
        ("86", "1", "a", 1, None, "vital"),
    ],
    columns=["query_id", "intent_id", "doc_id", "relevance", "description", "importance"],
)


RUNS = {"B": {"85": ["x", "a", "e"], "86": ["a"]}, "A": {"86": ["a"]}}


def test_declared_intents_that_are_not_covered():
    frame = uncovered_intents(NUGGETS, RUNS, cutoff=2)
    columns = ["run", "query_id", "intent_id", "description", "importance", "probability", "n_relevant"]
    assert frame.columns.tolist() == columns
    # vital intents weigh 1, the one that is okay ½; no document supports 3, and A lacks topic 85
    assert frame.values.tolist() == [
        ["B", "85", "1", "first", "vital", 0.4, 1],
        ["B", "85", "3", "third", "okay", 0.2, 0],
        ["A", "85", "1", "first", "vital", 0.4, 1],
        ["A", "85", "2", "second", "vital", 0.4, 2],
        ["A", "85", "3", "third", "okay", 0.2, 0],
    ]
    strict = uncovered_intents(NUGGETS, RUNS["B"], cutoff=2, rel=2)
    rows = strict[["query_id", "intent_id", "n_relevant"]].values.tolist()
    assert rows == [["85", "1", 1], ["85", "2", 1], ["85", "3", 0], ["86", "1", 0]]


@pytest.mark.parametrize("block_cells", [1, 4_000_000])
@pytest.mark.parametrize("rel", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_uncovered_intents_against_a_join(monkeypatch, seed, rel, block_cells):
    monkeypatch.setattr(BLOCK_CELLS, block_cells)
    qrels, run = random_collection(seed, weighted=False), random_run(seed)
    by_rank = run.sort_values(["score", "doc_id"], ascending=False).groupby("query_id").head(5)
    relevant = qrels[qrels["relevance"] >= rel]
    covered = set(by_rank.merge(relevant, on=["query_id", "doc_id"])[["query_id", "intent_id"]].itertuples(index=False))
    declared = qrels[["query_id", "intent_id"]].drop_duplicates().sort_values(["query_id", "intent_id"])
    counts = relevant.groupby(["query_id", "intent_id"]).size()
    expected = [
        (*intent, 1 / (declared["query_id"] == intent[0]).sum(), counts.get(intent, 0))
        for intent in declared.itertuples(index=False, name=None)
        if intent not in covered
    ]
    frame = uncovered_intents(qrels, run, cutoff=5, rel=rel)
    assert list(frame.drop(columns="run").itertuples(index=False, name=None)) == expected
    coverage = irdiv.evaluate(qrels, run, "Coverage@5", rel=rel).pivot().iloc[:, 0]["run"]
    missed = frame.groupby("query_id").size().reindex(coverage.index, fill_value=0)
    assert (1 - missed / declared.groupby("query_id").size()).to_numpy() == pytest.approx(coverage.to_numpy())


def test_unknown_importance_does_not_matter_for_what_is_missed():
    failed = NUGGETS.assign(importance=["failed", *NUGGETS["importance"][1:]])
    frame = uncovered_intents(failed, {"85": ["a"], "86": ["x"]})
    assert frame["importance"].tolist() == ["failed", "okay", "vital"]
    # a topic in which some weights are unknown has none
    assert frame["probability"].isna().tolist() == [True, True, False]
    with pytest.raises(IrdivError, match="its importance 'failed' has no weight"):
        irdiv.evaluate(failed, {"85": ["a"]}, "A-Recall@1")


def test_missed_intents_of_an_evaluation():
    evaluation = irdiv.evaluate(NUGGETS, RUNS, ["Coverage@1", "nDCG@2"])
    pd.testing.assert_frame_equal(evaluation.missed(), uncovered_intents(NUGGETS, RUNS, cutoff=2))
    pd.testing.assert_frame_equal(
        evaluation.missed(run="A", cutoff=3, rel=2), uncovered_intents(NUGGETS, {"A": RUNS["A"]}, cutoff=3, rel=2)
    )
    # the grade that covers an intent is that of the measure
    strict = irdiv.evaluate(NUGGETS, RUNS, "Coverage(rel=2)@2")
    pd.testing.assert_frame_equal(strict.missed(), uncovered_intents(NUGGETS, RUNS, cutoff=2, rel=2))
    pd.testing.assert_frame_equal(strict.missed(rel=1), uncovered_intents(NUGGETS, RUNS, cutoff=2))
    long = irdiv.evaluate(NUGGETS, {"85": [*map(str, range(24)), "a"], "86": ["a"]}, "Coverage@25")
    assert long.missed()["intent_id"].tolist() == ["1", "3"]
    without_cutoff = irdiv.evaluate(NUGGETS, {"85": [*map(str, range(10)), "a"], "86": ["a"]}, "Coverage")
    assert without_cutoff.missed()["intent_id"].tolist() == ["1", "2", "3"]


def test_frames_are_those_of_the_callers_library():
    pl = pytest.importorskip("polars")
    run, qrels = {"85": ["x", "a"], "86": ["x"]}, pl.from_pandas(NUGGETS)
    collection = irdiv.Collection(NUGGETS)
    for function in (relevant_documents_by_intent, uncovered_intents):
        expected = function(NUGGETS, run)
        pd.testing.assert_frame_equal(function(collection, run), expected)
        frame = function(qrels, run)
        assert isinstance(frame, pl.DataFrame)
        missing_as_none = expected.astype(object).where(expected.notna(), None)
        assert frame.rows() == list(missing_as_none.itertuples(index=False, name=None))
    assert irdiv.evaluate(qrels, run, "Coverage@10").missed().equals(frame)
    nothing = irdiv.evaluate(qrels.filter(pl.col("intent_id") == "2"), {"85": ["a"]}, "Coverage@10").missed()
    assert nothing.is_empty()
    assert nothing.columns == frame.columns


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: relevant_documents_by_intent(NUGGETS, RUNS, cutoff=0), "cutoff=0 is not an integer of 1 or more"),
        (lambda: relevant_documents_by_intent({"85": {"a": 1}}, RUNS), "needs intents"),
        (lambda: uncovered_intents({"85": {"a": 1}}, RUNS), "needs intents"),
        (lambda: irdiv.evaluate({"85": {"a": 1}}, RUNS["B"], "nDCG@10").missed(), r"missed\(\) needs intents"),
        (lambda: irdiv.evaluate(NUGGETS, RUNS, "nDCG@2").missed(run="C"), "'C'"),
        (lambda: irdiv.evaluate(NUGGETS, RUNS, "nDCG@2").missed(cutoff=0), "cutoff=0 is not an integer of 1 or more"),
        (lambda: irdiv.evaluate(NUGGETS, RUNS, "nDCG@2").missed(rel=0), "rel=0 is not an integer of 1 or more"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(IrdivError, match=message):
        call()
