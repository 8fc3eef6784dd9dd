"""Runs that are ordered by rank or by their form, and the column names of collections for RAG."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError

SPECS = ["D#-nDCG@3", "alpha-nDCG@3", "I-rec(intents='all')@2", "nDCG@3", "Judged@3"]


def values(qrels, run, **options) -> np.ndarray:
    return irdiv.evaluate(qrels, run, SPECS, **options).values


@pytest.fixture
def by_rank(run) -> pd.DataFrame:
    """The run with ranks in place of scores, the worst document first."""
    rank = run.groupby("query_id")["score"].rank(ascending=False).astype(int)
    return run.drop(columns="score").assign(rank=rank).iloc[::-1]


@pytest.fixture
def lists(run) -> dict[str, list[str]]:
    return {query: docs.tolist() for query, docs in run.groupby("query_id")["doc_id"]}


@pytest.mark.parametrize("options", [{}, {"batch_rows": 3}])
@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_ranks_order_a_run_without_scores(qrels, run, by_rank, convert, options):
    expected = values(qrels, run)
    np.testing.assert_array_equal(values(qrels, convert(by_rank), **options), expected)
    np.testing.assert_array_equal(values(qrels, convert(by_rank.assign(rank=by_rank["rank"] - 1)), **options), expected)
    # the order of rows is another one
    assert (values(qrels, by_rank.assign(rank=range(len(by_rank)))) != expected).any()


def test_a_parquet_file_without_scores(qrels, run, by_rank, tmp_path):
    pq.write_table(pa.Table.from_pandas(by_rank), tmp_path / "run.parquet")
    np.testing.assert_array_equal(values(qrels, tmp_path / "run.parquet"), values(qrels, run))


def test_scores_win_over_ranks(qrels, run, by_rank):
    both = run.assign(rank=np.arange(len(run), 0, -1))
    with pytest.warns(irdiv.IrdivWarning, match="ranks that contradict its scores"):
        np.testing.assert_array_equal(values(qrels, both), values(qrels, run))


@pytest.mark.parametrize("options", [{}, {"batch_rows": 3}])
@pytest.mark.parametrize("convert", [list, tuple, np.array])
def test_lists_are_runs(qrels, run, lists, convert, options):
    run_of_lists = {query: convert(docs) for query, docs in lists.items()}
    np.testing.assert_array_equal(values(qrels, run_of_lists, **options), values(qrels, run))
    named = irdiv.evaluate(qrels, {"a": run_of_lists, "b": run}, SPECS, **options)
    assert named.runs == ("a", "b")
    np.testing.assert_array_equal(named.values[0], named.values[1])


def test_several_runs_of_lists(qrels, lists):
    assert irdiv.evaluate(qrels, {"a": lists, "b": lists}, SPECS).runs == ("a", "b")
    assert irdiv.evaluate(qrels, {"a": lists}, SPECS).runs == ("a",)
    assert irdiv.evaluate(qrels, lists, SPECS).runs == ("run",)


def test_ids_and_empty_lists():
    qrels = {"1": {"7": 1}, "2": {"8": 1}}
    made = irdiv.evaluate(qrels, {1: [7], 2: []}, "P@1")
    assert made.values.ravel().tolist() == [1.0, 0.0]
    with pytest.raises(IrdivError, match="the run is empty"):
        irdiv.evaluate(qrels, {"1": [], "2": []}, "P@1")
    with pytest.raises(IrdivError, match="repeats documents, 1 in all .*'1 7'"):
        irdiv.evaluate(qrels, {"1": ["7", "7"]}, "P@1")
    with pytest.raises(IrdivError, match=r"cannot read the qrels from this dict: expected {query_id: {doc_id: relev"):
        irdiv.evaluate(lists := {"1": ["7"]}, lists, "P@1")
    with pytest.raises(IrdivError, match="the arguments are swapped"):
        irdiv.evaluate({"1": ["7"]}, qrels, "P@1")


def test_analyses_take_runs_without_scores(qrels, run, by_rank, lists):
    expected = irdiv.analysis.values_by_rank(qrels, run, "I-rec@3")
    for other in (by_rank, lists):
        pd.testing.assert_frame_equal(irdiv.analysis.values_by_rank(qrels, other, "I-rec@3"), expected)


def test_names_of_collections_for_rag(qrels, run):
    named = qrels.rename(columns={"query_id": "question_id", "doc_id": "passage_id", "iteration": "nugget_id"})
    np.testing.assert_array_equal(
        values(named, run.rename(columns={"query_id": "question_id", "doc_id": "passage_id"})), values(qrels, run)
    )
    table = pd.DataFrame({"question_id": "1", "aspect_id": ["1", "2"], "weight": [3, 1]})
    assert irdiv.with_intents(named, table)["probability"].tolist()[:3] == [3, 1, 3]


@pytest.mark.parametrize("other", ["aspect_id", "intent_id", "subtopic"])
def test_an_aspect_and_a_nugget_are_two_things(qrels, run, other):
    both = qrels.rename(columns={"iteration": "nugget_id"}).assign(**{other: "x"})
    with pytest.raises(IrdivError, match="the qrels have two columns for one thing: .*'nugget_id'"):
        irdiv.evaluate(both, run, SPECS)
    np.testing.assert_array_equal(values(both.drop(columns=other).assign(iteration="0"), run), values(qrels, run))


def test_a_passage_of_a_document_is_another_thing(qrels, run):
    with pytest.raises(IrdivError, match="the run has two columns for one thing: 'doc_id', 'passage_id'"):
        irdiv.evaluate(qrels, run.assign(passage_id="p"), SPECS)


def test_importance_is_folded_in_and_survives(qrels, run):
    table = pd.DataFrame(
        {"query_id": "1", "intent_id": ["1", "9"], "importance": ["vital", "okay"], "axis": ["x", "y"]}
    )
    folded = irdiv.with_intents(qrels, table)
    assert folded.loc[folded["query_id"] == "1", "importance"].tolist()[-1] == "okay"
    assert "axis" not in folded
    # a declared nugget without documents counts, in batches too
    for options in ({}, {"batch_rows": 3}):
        recall = irdiv.evaluate(folded, run, "I-rec(intents='all')@3", **options)
        assert recall.values[0, 0, 0] == pytest.approx(1 / 2)


def test_text_labels_in_qrels_get_a_remedy(qrels, run):
    with pytest.raises(IrdivError, match="must hold numbers, found 'support'. Text labels become grades by irdiv.rag"):
        irdiv.evaluate(qrels.assign(relevance="support"), run, SPECS)


def test_penalties_are_not_probabilities(qrels):
    table = pd.DataFrame({"query_id": "1", "rubric_id": ["1", "2"], "weight": [3.0, -5.0]})
    with pytest.raises(IrdivError, match="column 'weight' of the intents holds -5.0; .* are penalties for answers"):
        irdiv.with_intents(qrels, table)
