"""What evaluate returns: measures, topics and frames, and how measures of ir_measures are computed beside ours."""

from __future__ import annotations

import pickle

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, P, nDCG

import irdiv
from irdiv.demo import demo_collection, demo_qrels_and_runs


class TestMeasuresOfIrMeasures:
    def test_they_see_our_order(self, qrels):
        run = {"1": {"d1": 1.0, "d4": 1.0}, "2": {"e1": 1.0}}
        first = irdiv.evaluate(qrels, run, ["P@1", "Q@1", "NumRelRet", "Bpref"], ties="docid_asc").values[0, :, 0]
        last = irdiv.evaluate(qrels, run, ["P@1", "Q@1", "NumRelRet", "Bpref"]).values[0, :, 0]
        assert first[0] == 1
        assert first[1] > 0
        assert last[:2].tolist() == [0, 0]
        assert first[2] == last[2] == 1
        assert first[3] > last[3]

    @pytest.mark.parametrize(
        ("run", "rr"),
        [
            ({"a": 1.00000001, "b": 1.0}, 1),
            ({"a": 2e300, "b": 1e300}, 1),
            ({"a": 1e300, "b": 1e300}, 0.5),
        ],
        ids=["almost equal", "distinct and large", "equal and large"],
    )
    def test_they_see_our_order_of_scores_that_single_precision_would_blur(self, run, rr):
        found = irdiv.evaluate({"1": {"a": 1, "b": 0}}, {"1": run}, ["RR@2", "RR", "P@1", "Hit@1"])
        assert found.values[0, :, 0].tolist() == [rr, rr, int(rr), int(rr)]

    def test_they_get_the_highest_grade_over_intents_whatever_the_order_of_rows(self, qrels, run):
        adhoc = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
        measures = [nDCG @ 3, AP, ir_measures.Bpref, ir_measures.infAP]
        expected = ir_measures.calc_aggregate(measures, adhoc, run)
        for rows in (qrels, qrels[::-1]):
            summary = irdiv.evaluate(rows, run, measures).summary().loc["run"]
            assert summary.to_dict() == pytest.approx({str(measure): expected[measure] for measure in measures})

    def test_judged_only_is_refused_where_they_have_none(self, qrels, run):
        with pytest.raises(irdiv.IrdivError, match="NumRet has no parameter 'judged_only'"):
            irdiv.evaluate(qrels, run, ["I-rec", "NumRet"], judged_only=True)


class TestForm:
    def test_tidy_frame_summary_and_pivot(self, qrels, run):
        evaluation = irdiv.evaluate(qrels, {"one": run, "two": run.iloc[:4]}, ["I-rec@3", nDCG @ 3])
        frame, summary = evaluation.frame, evaluation.summary()
        assert list(frame.columns) == ["run", "query_id", "measure", "value"]
        assert frame["value"].tolist() == evaluation.values.ravel().tolist()
        assert frame["run"].tolist() == ["one"] * 4 + ["two"] * 4
        assert frame["measure"].tolist() == ["I-rec@3", "I-rec@3", "nDCG@3", "nDCG@3"] * 2
        means = frame.groupby(["run", "measure"])["value"].mean().unstack()
        pd.testing.assert_frame_equal(summary, means[["I-rec@3", "nDCG@3"]], check_names=False)
        pivot = evaluation.pivot()
        assert pivot.index.tolist() == [("one", "1"), ("one", "2"), ("two", "1"), ("two", "2")]
        np.testing.assert_array_equal(pivot["nDCG@3"], evaluation.values[:, 1].ravel())
        assert evaluation["nDCG@3"].loc["2"].to_dict() == {"one": evaluation.values[0, 1, 1], "two": 0}
        assert "I-rec@3" in repr(evaluation)
        assert "<table" in evaluation._repr_html_()

    def test_counts_are_summed(self, qrels, run):
        assert irdiv.evaluate(qrels, run, "NumRelRet").summary().iloc[0, 0] == 4

    def test_components_are_beside_their_measure(self, qrels, run):
        evaluation = irdiv.evaluate(qrels, run, ["D#-nDCG@3", "I-rec@3"], components=True)
        assert evaluation.specs() == ["D#-nDCG@3", "I-rec@3", "D-nDCG@3"]

    def test_parameters_for_all_measures_are_in_the_titles(self, qrels, run):
        measures = ["D-nDCG@3", "D-Q(gain='exp')@3", "I-rec@3", P @ 2]
        assert irdiv.evaluate(qrels, run, measures, gain="linear", judged_only=True).specs() == [
            "D-nDCG(gain='linear',judged_only=True)@3",
            "D-Q(judged_only=True)@3",
            "I-rec(judged_only=True)@3",
            "P(judged_only=True)@2",
        ]

    def test_measures_asked_for_twice_are_scored_once(self, qrels, run):
        assert irdiv.evaluate(qrels, run, ["I-rec@3", "I_rec@3", "I-rec(rel=1)@3"]).specs() == ["I-rec@3"]

    def test_an_evaluation_can_be_pickled(self, qrels, run):
        made = irdiv.evaluate(qrels, run, ["D#-nDCG@3", "nDCG(gain='exp')@3", "Judged@3"])
        again = pickle.loads(pickle.dumps(made))
        assert (repr(again), again.measures) == (repr(made), made.measures)

    def test_a_run_is_named_after_its_file(self, qrels, run, tmp_path):
        path = tmp_path / "bm25.txt"
        columns = run.assign(q0="Q0", rank=1, tag="t")[["query_id", "q0", "doc_id", "rank", "score", "tag"]]
        columns.to_csv(path, sep=" ", header=False, index=False)
        assert irdiv.evaluate(qrels, path, "I-rec").runs == ("bm25",)

    def test_frames_are_of_the_library_of_the_runs_or_else_of_the_qrels(self, qrels, run):
        in_polars, dicts = pl.from_pandas(qrels), {"1": {"d1": 1.0}}
        found = {
            "runs": irdiv.evaluate(qrels, {"a": pl.from_pandas(run)}, "I-rec").summary(),
            "runs before qrels": irdiv.evaluate(in_polars, run, "I-rec").pivot(),
            "qrels": irdiv.evaluate(in_polars, dicts, "I-rec").frame,
            "neither": irdiv.evaluate({"1": {"d1": 1}}, dicts, "P@1").frame,
        }
        assert {name: type(frame) for name, frame in found.items()} == {
            "runs": pl.DataFrame, "runs before qrels": pd.DataFrame, "qrels": pl.DataFrame, "neither": pd.DataFrame,
        }  # fmt: skip


def test_a_loaded_collection_is_evaluated_by_its_qrels():
    collection, (_, runs) = demo_collection(), demo_qrels_and_runs()
    for options in ({}, {"batch_rows": 50}):
        expected = irdiv.evaluate(collection.qrels, runs, "D#-nDCG@10", **options)
        np.testing.assert_array_equal(irdiv.evaluate(collection, runs, "D#-nDCG@10", **options).values, expected.values)


def test_the_highest_grade_is_that_of_all_topics(qrels, run):
    # h = 3 comes from topic 1, and topic 2 with grades up to 2 is scored by it
    together = irdiv.evaluate(qrels, run, "ERR-IA")["ERR-IA"].loc["2", "run"]
    alone = irdiv.evaluate(qrels[qrels["query_id"] == "2"], run, "ERR-IA(max_grade=3)").values[0, 0, 0]
    assert together == alone
