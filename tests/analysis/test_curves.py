"""Curves by rank, recall and parameters, against evaluations at each point, trec_eval and scipy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import TOPIC_85, by_intents, random_collection, random_run, ranked
from irdiv import IrdivError
from irdiv.analysis import interpolated_precision, values_by_parameter, values_by_rank
from irdiv.stats import mean_curves


@pytest.fixture(scope="module")
def data():
    return random_collection(1), {"A": random_run(1), "B": random_run(2)}


def as_array(frame: pd.DataFrame, x: str) -> np.ndarray:
    """Return values as [run, topic, x]."""
    shape = [frame[name].nunique() for name in ("run", "query_id", x)]
    return frame["value"].to_numpy().reshape(shape)


@pytest.mark.parametrize(
    "spec", ["nDCG", "CG", "DCG(gain='linear',discount='jk')", "alpha-nDCG", "D#-nDCG", "P", "ERR_IA"]
)
def test_values_by_rank_are_those_at_each_cutoff(spec, data):
    frame = values_by_rank(*data, f"{spec}@12")
    assert frame.columns.tolist() == ["run", "query_id", "measure", "rank", "value"]
    assert frame["measure"].unique().tolist() == [spec]
    evaluation = irdiv.evaluate(*data, [f"{spec}@{rank}" for rank in range(1, 13)])
    np.testing.assert_array_equal(as_array(frame, "rank"), np.moveaxis(evaluation.values, 1, 2), err_msg=spec)


def test_several_measures_have_ranks_of_their_own(data):
    frame = values_by_rank(*data, ["I-rec@3", "nDCG-IA(judged_only=True)@5"])
    last = frame.groupby("measure", sort=False)["rank"].max().to_dict()
    assert last == {"I-rec": 3, "nDCG-IA(judged_only=True)": 5}


def test_novelty_by_rank_of_topic_85():
    # NG of a b c = 2, 1/2, 1/4; of the ideal a e g = 2, 2, 1
    frame = values_by_rank(by_intents(TOPIC_85), ranked("abc"), "alpha-nDCG@3")
    discount = 1 / np.log2([2, 3, 4])
    expected = np.cumsum([2, 0.5, 0.25] * discount) / np.cumsum([2, 2, 1] * discount)
    assert frame["value"].tolist() == pytest.approx(expected.tolist())


def test_values_by_parameter_are_those_of_each_value(data):
    frame = values_by_parameter(*data, "alpha-nDCG@5", values=[0, 0.3, 1])
    assert frame.columns.tolist() == ["run", "query_id", "measure", "alpha", "value"]
    assert frame["measure"].unique().tolist() == ["alpha-nDCG@5"]
    evaluation = irdiv.evaluate(*data, [f"alpha-nDCG(alpha={alpha})@5" for alpha in (0, 0.3, 1)])
    np.testing.assert_array_equal(as_array(frame, "alpha"), np.moveaxis(evaluation.values, 1, 2))
    gamma = values_by_parameter(*data, "D#-nDCG@5", "gamma", [0, 1])
    ends = irdiv.evaluate(*data, ["D-nDCG@5", "I-rec@5"])
    assert as_array(gamma, "gamma") == pytest.approx(np.moveaxis(ends.values, 1, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, r: values_by_rank(q, r, "nDCG"), "nDCG has no cutoff.*as in nDCG@20"),
        (lambda q, r: values_by_rank(q, r, "infAP"), "infAP is computed by ir_measures"),
        (lambda q, r: values_by_rank(q, r, []), "no measures given"),
        (lambda q, r: values_by_rank(q, r, "NRBP"), "NRBP takes no cutoff"),
        (lambda q, r: values_by_parameter(q, r, "nDCG@10"), "nDCG has no parameter 'alpha'"),
        (lambda q, r: values_by_parameter(q, r, parameter="cutoff"), "values_by_rank"),
        (lambda q, r: values_by_parameter(q, r, parameter="run"), "no parameter 'run'"),
        (lambda q, r: values_by_parameter(q, r, parameter="gamma", values=[0.5]), "'gamma' has no effect"),
        (lambda q, r: values_by_parameter(q, r, values=[2]), "alpha=2 is not a number from 0 to 1"),
        (lambda q, r: values_by_parameter(q, r, values=0.5), "values=0.5 is not a sequence of numbers"),
        (lambda q, r: values_by_parameter(q, r, values=[]), "is not a sequence of numbers"),
        (lambda q, r: values_by_parameter(q, r, values=[0.5, 0.5]), "has a number twice"),
        (lambda q, r: interpolated_precision(q, r, levels=1), "levels=1 is not an integer"),
        (lambda q, r: values_by_rank(q, r, "nDCG@5", ties="no"), "ties='no' is not one of"),
    ],
)
def test_bad_arguments(call, message, data):
    with pytest.raises(IrdivError, match=message):
        call(*data)


def test_ties_and_duplicates_are_as_in_evaluations(data):
    qrels = data[0]
    run = pd.DataFrame({"query_id": "1", "doc_id": ["d00", "d01", "d00"], "score": [1.0, 1.0, 0.5]})
    with pytest.raises(IrdivError, match="repeats documents"):
        values_by_rank(qrels, run, "P@3")
    options = {"ties": "docid_asc", "duplicates": "first"}
    frame = values_by_rank(qrels, run, "P@3", **options)
    at_two = irdiv.evaluate(qrels, run, "P@2", **options)
    assert frame[frame["rank"] == 2]["value"].tolist() == at_two.values[0, 0].tolist()
    assert interpolated_precision(qrels, run, **options)["precision"].max() == 1


def test_a_run_without_relevant_documents_has_no_precision():
    frame = interpolated_precision({"1": {"a": 1}}, {"A": {"1": {"a": 1.0}}, "B": {"1": {"b": 1.0, "a": 0.5}}})
    assert frame.groupby("run")["precision"].unique().explode().to_dict() == {"A": 1, "B": 0.5}
    with pytest.warns(irdiv.errors.IrdivWarning, match="no judged document"):
        nothing = interpolated_precision({"1": {"a": 1}}, {"1": {"b": 1.0}})
    assert nothing["precision"].tolist() == [0] * 11


def test_mean_curves(data):
    frame = values_by_rank(*data, ["nDCG@3", "I-rec@2"])
    means = mean_curves(frame, interval="t")
    assert means.columns.tolist() == ["run", "measure", "rank", "mean", "low", "high"]
    assert means[["run", "measure", "rank"]].values.tolist() == (
        frame[["run", "measure", "rank"]].drop_duplicates().values.tolist()
    )
    for row in means.itertuples():
        chosen = frame[(frame["run"] == row.run) & (frame["measure"] == row.measure) & (frame["rank"] == row.rank)]
        z = chosen["value"].to_numpy()
        assert row.mean == pytest.approx(z.mean())
        if np.ptp(z):
            expected = scipy_stats.t.interval(0.95, len(z) - 1, z.mean(), scipy_stats.sem(z))
            assert (row.low, row.high) == pytest.approx(expected)
    bca = mean_curves(frame, n_resamples=4000)
    z = frame[(frame["run"] == "A") & (frame["measure"] == "nDCG") & (frame["rank"] == 3)]["value"].to_numpy()
    scipys = scipy_stats.bootstrap((z,), np.mean, n_resamples=9999, rng=np.random.default_rng(0)).confidence_interval
    row = bca[(bca["run"] == "A") & (bca["measure"] == "nDCG") & (bca["rank"] == 3)].iloc[0]
    assert (row["low"], row["high"]) == pytest.approx(tuple(scipys), abs=0.02)
    assert "low" not in mean_curves(frame, interval=None)
    one_topic = mean_curves(values_by_rank({"1": {"a": 1}}, {"1": {"a": 1.0}}, "P@2"))
    assert one_topic[["mean", "low", "high"]].values.tolist() == [[1, 1, 1], [0.5, 0.5, 0.5]]


def test_curves_that_are_incomplete_are_refused(data):
    frame = values_by_rank(*data, "nDCG@3")
    for bad, message in [
        (frame.iloc[1:], "lack 1 of 36 values.*run 'A', measure 'nDCG', rank 1, query_id '1'"),
        (pd.concat([frame, frame.iloc[:1]]), "two values for run 'A', measure 'nDCG', rank 1, query_id '1'"),
        (frame.drop(columns="rank"), "columns such as run, query_id, rank and value; found 'run', 'query_id', 'measu"),
        (pd.DataFrame({f"c{n}": [1] for n in range(12)}), "found 'c0', .*'c8', …"),
        (frame.iloc[:0], "no rows"),
    ]:
        with pytest.raises(IrdivError, match=message):
            mean_curves(bad)


def test_curves_are_of_the_callers_library(data):
    pl = pytest.importorskip("polars")
    qrels = pl.from_pandas(data[0])
    for function, arguments in [(values_by_rank, ["nDCG@3"]), (values_by_parameter, []), (interpolated_precision, [])]:
        ours, expected = function(qrels, data[1], *arguments), function(*data, *arguments)
        assert isinstance(ours, pl.DataFrame)
        assert ours.to_dict(as_series=False) == expected.to_dict(orient="list")
        means = mean_curves(ours)
        assert isinstance(means, pl.DataFrame)
        assert means["low"].to_list() == mean_curves(expected)["low"].tolist()


def test_runs_that_are_ordered_for_other_qrels_are_refused(data):
    evaluation = irdiv.evaluate(*data, "nDCG@5")
    ours = values_by_rank(evaluation.sources.collection, evaluation.sources.runs, "nDCG@5")
    pd.testing.assert_frame_equal(ours, values_by_rank(*data, "nDCG@5"))
    with pytest.raises(IrdivError, match="run 'A' was ordered for other qrels"):
        values_by_rank(data[0], evaluation.sources.runs, "nDCG@5")
