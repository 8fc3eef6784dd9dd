"""The order of a run: by score, by rank, or by the order of a list; repeated documents."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError

SPECS = ["D#-nDCG@3", "alpha-nDCG@3", "I-rec(intents='all')@2", "nDCG@3", "Judged@3"]
OPTIONS = pytest.mark.parametrize("options", [{}, {"batch_rows": 3}], ids=["whole", "parts"])


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


def to_parquet(frame: pd.DataFrame, folder):
    frame.to_parquet(folder / "run.parquet")
    return folder / "run.parquet"


@OPTIONS
@pytest.mark.parametrize(
    "convert",
    [
        lambda frame, folder: frame,
        lambda frame, folder: pl.from_pandas(frame),
        lambda frame, folder: pa.Table.from_pandas(frame),
        to_parquet,
    ],
    ids=["pandas", "polars", "Arrow", "Parquet"],
)
def test_ranks_order_a_run_without_scores(qrels, run, by_rank, convert, options, tmp_path):
    expected = values(qrels, run)
    for first in (1, 0, -1):
        ranked = by_rank.assign(rank=by_rank["rank"] + first - 1)
        np.testing.assert_array_equal(values(qrels, convert(ranked, tmp_path), **options), expected, err_msg=str(first))
    # With ties="rank" scores may be anything.
    words = convert(by_rank.assign(score="x"), tmp_path)
    np.testing.assert_array_equal(values(qrels, words, ties="rank", **options), expected)
    # the order of rows is another one
    assert (values(qrels, convert(by_rank.assign(rank=range(len(by_rank))), tmp_path), **options) != expected).any()


def test_scores_win_over_ranks(qrels, run):
    both = run.assign(rank=np.arange(len(run), 0, -1))
    with pytest.warns(irdiv.IrdivWarning, match="ranks that contradict its scores"):
        np.testing.assert_array_equal(values(qrels, both), values(qrels, run))


@OPTIONS
@pytest.mark.parametrize("convert", [list, tuple, np.array])
def test_lists_are_runs(qrels, run, lists, convert, options):
    run_of_lists = {query: convert(docs) for query, docs in lists.items()}
    np.testing.assert_array_equal(values(qrels, run_of_lists, **options), values(qrels, run))
    named = irdiv.evaluate(qrels, {"a": run_of_lists, "b": run}, SPECS, **options)
    assert named.runs == ("a", "b")
    np.testing.assert_array_equal(named.values[0], named.values[1])


def test_analyses_take_runs_without_scores(qrels, run, by_rank, lists):
    expected = irdiv.analysis.values_by_rank(qrels, run, "I-rec@3")
    for other in (by_rank, lists):
        pd.testing.assert_frame_equal(irdiv.analysis.values_by_rank(qrels, other, "I-rec@3"), expected)


def test_repeated_documents_are_named(qrels, run):
    twice = pd.concat([run, run.iloc[[1, 2]].assign(score=0.0)])
    for repeating in (twice, twice.assign(rank=range(9)).drop(columns="score")):
        with pytest.raises(IrdivError, match="repeats documents, 2 in all .*'1 d1', '1 u1'.*duplicates='first'"):
            values(qrels, repeating)
    with pytest.raises(IrdivError, match="repeats documents, 1 in all .*'1 d1'"):
        values(qrels, {"1": ["d1", "d2", "d1"]})


@OPTIONS
def test_duplicates_first_keeps_the_best_ranked(qrels, run, options):
    better = pd.concat([run, pd.DataFrame([("1", "d3", 9.0)], columns=run.columns)])
    expected = values(qrels, run.assign(score=run["score"].mask(run["doc_id"] == "d3", 9.0)))
    np.testing.assert_array_equal(values(qrels, better, duplicates="first", **options), expected)
