from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, P, nDCG

import irdiv
from irdiv.demo import demo_collection, demo_qrels_and_runs

TIED = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}


def ranked_first(ties: str) -> str:
    """Return the document that a rule for ties puts first."""
    run = pd.DataFrame({"query_id": "1", "doc_id": ["b", "c", "a"], "score": 1.0, "rank": [3, 2, 1]})
    for doc in "abc":
        qrels = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "doc_id": [doc], "relevance": [1]})
        if irdiv.evaluate(qrels, run, "P-IA@1", ties=ties).values[0, 0, 0]:
            return doc
    raise AssertionError


@pytest.mark.parametrize(("ties", "first"), [("docid_desc", "c"), ("docid_asc", "a"), ("input", "b"), ("rank", "a")])
def test_ties(ties, first):
    assert ranked_first(ties) == first


def test_rank_order_ignores_scores(qrels, run):
    reversed_ranks = run.assign(rank=range(len(run), 0, -1))
    upside_down = run.assign(score=-run["score"])
    np.testing.assert_array_equal(
        irdiv.evaluate(qrels, reversed_ranks, "α-nDCG@2", ties="rank").values,
        irdiv.evaluate(qrels, upside_down, "α-nDCG@2").values,
    )


def test_foreign_measures_see_our_order(qrels):
    run = {"1": {"d1": 1.0, "d4": 1.0}, "2": {"e1": 1.0}}
    first = irdiv.evaluate(qrels, run, ["P@1", "Q@1"], ties="docid_asc").values[0, :, 0]
    last = irdiv.evaluate(qrels, run, ["P@1", "Q@1"]).values[0, :, 0]
    assert first[0] == 1
    assert first[1] > 0
    assert last.tolist() == [0, 0]


def test_foreign_measures_see_our_order_where_single_precision_would_blur_it():
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.00000001, "b": 1.0}}
    assert irdiv.evaluate(qrels, run, ["P@1", "Hit@1"]).values[0, :, 0].tolist() == [1, 1]


def test_foreign_measures_see_our_order_of_scores_beyond_single_precision():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"distinct": {"1": {"a": 2e300, "b": 1e300}}, "equal": {"1": {"a": 1e300, "b": 1e300}}}
    assert irdiv.evaluate(qrels, runs, "RR@2").values.ravel().tolist() == [1, 0.5]


def test_tidy_frame_summary_and_pivot(qrels, run):
    evaluation = irdiv.evaluate(qrels, {"one": run, "two": run.iloc[:4]}, ["I-rec@3", nDCG @ 3])
    frame = evaluation.frame
    assert list(frame.columns) == ["run", "query_id", "measure", "value"]
    assert len(frame) == 2 * 2 * 2
    summary = evaluation.summary()
    assert list(summary.index) == ["one", "two"]
    assert list(summary.columns) == ["I-rec@3", "nDCG@3"]
    means = frame.groupby(["run", "measure"])["value"].mean().unstack()
    np.testing.assert_allclose(summary, means[["I-rec@3", "nDCG@3"]])
    pivot = evaluation.pivot()
    assert pivot.loc[("two", "2"), "I-rec@3"] == 0
    assert "I-rec@3" in repr(evaluation)
    assert "<table" in evaluation._repr_html_()


def test_topics_come_in_natural_order(run):
    qrels = pd.DataFrame({"query_id": ["10", "9", "1"], "intent": "1", "doc_id": "d1", "relevance": 1})
    assert irdiv.evaluate(qrels, run, "I-rec").query_ids.tolist() == ["1", "9", "10"]


def test_counts_are_summed(qrels, run):
    assert irdiv.evaluate(qrels, run, "NumRelRet").summary().iloc[0, 0] == 4


def test_foreign_measures_on_the_ad_hoc_reduction_do_not_depend_on_the_order_of_rows(qrels, run):
    adhoc = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    expected = ir_measures.calc_aggregate([nDCG @ 3, AP], adhoc, run)
    for rows in (qrels, qrels[::-1]):
        summary = irdiv.evaluate(rows, run, [nDCG @ 3, AP]).summary().loc["run"]
        assert summary["nDCG@3"] == pytest.approx(expected[nDCG @ 3])
        assert summary["AP"] == pytest.approx(expected[AP])


def test_components_stand_beside_their_measure(qrels, run):
    evaluation = irdiv.evaluate(qrels, run, ["D#-nDCG@3", "I-rec@3"], components=True)
    assert list(evaluation.summary().columns) == ["D#-nDCG@3", "I-rec@3", "D-nDCG@3"]


def test_parameters_for_all_measures_show_in_the_titles(qrels, run):
    evaluation = irdiv.evaluate(
        qrels, run, ["D-nDCG@3", "D-Q(gain='exp')@3", "I-rec@3", P @ 2], gain="linear", judged_only=True
    )
    assert list(evaluation.summary().columns) == [
        "D-nDCG(gain='linear',judged_only=True)@3",
        "D-Q(judged_only=True)@3",
        "I-rec(judged_only=True)@3",
        "P(judged_only=True)@2",
    ]


def test_judged_only_is_refused_where_ir_measures_has_none(qrels, run):
    with pytest.raises(irdiv.IrdivError, match="NumRet has no parameter 'judged_only'"):
        irdiv.evaluate(qrels, run, ["I-rec", "NumRet"], judged_only=True)


def test_a_collection_is_compiled_once_for_many_calls(qrels, run):
    collection = irdiv.Collection(qrels)
    assert repr(collection) == "Collection(2 topics, 5 intents, 7 judged documents, highest grade 3)"
    specs = ["D#-nDCG@3", "α-nDCG@3", "ERR-IA"]
    for _ in range(2):
        np.testing.assert_array_equal(
            irdiv.evaluate(collection, run, specs).values, irdiv.evaluate(qrels, run, specs).values
        )


def test_a_test_collection_is_evaluated_by_its_qrels():
    collection, (_, runs) = demo_collection(), demo_qrels_and_runs()
    for options in ({}, {"batch_rows": 50}):
        expected = irdiv.evaluate(collection.qrels, runs, "D#-nDCG@10", **options)
        np.testing.assert_array_equal(irdiv.evaluate(collection, runs, "D#-nDCG@10", **options).values, expected.values)


def test_runs_decide_on_the_library_of_frames_then_qrels(qrels, run):
    polars = pytest.importorskip("polars")
    frame, dicts = polars.from_pandas(run), {"1": {"d1": 1.0}}
    assert isinstance(irdiv.evaluate(qrels, {"a": frame}, "I-rec").summary(), polars.DataFrame)
    assert isinstance(irdiv.evaluate(polars.from_pandas(qrels), run, "I-rec").pivot(), pd.DataFrame)
    assert isinstance(irdiv.evaluate(polars.from_pandas(qrels), dicts, "I-rec").frame, polars.DataFrame)
    assert isinstance(irdiv.evaluate({"1": {"d1": 1}}, dicts, "P@1").frame, pd.DataFrame)


def test_a_run_is_named_after_its_file(qrels, run, tmp_path):
    path = tmp_path / "bm25.txt"
    run.assign(q0="Q0", rank=1, tag="t")[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(
        path, sep=" ", header=False, index=False
    )
    assert irdiv.evaluate(qrels, path, "I-rec").runs == ("bm25",)


def test_measures_asked_for_twice_are_scored_once(qrels, run):
    assert len(irdiv.evaluate(qrels, run, ["I-rec@3", "I_rec@3", "I-rec(rel=1)@3"]).measures) == 1


def test_highest_grade_is_that_of_all_topics(qrels, run):
    # h = 3 comes from topic 1, and topic 2 with grades up to 2 is scored by it
    together = irdiv.evaluate(qrels, run, "ERR-IA").pivot().loc[("run", "2"), "ERR-IA"]
    alone = irdiv.evaluate(qrels[qrels["query_id"] == "2"], run, "ERR-IA(max_grade=3)").values[0, 0, 0]
    assert together == alone
