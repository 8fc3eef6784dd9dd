"""Values of evaluations and of their frames: order, direction, missing values, means and names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import evaluation_of
from irdiv import stats


def random_values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


EVALUATION = evaluation_of(random_values(3, 2, 4), ["P@5", "E@5"])


def test_differences_are_those_of_the_means():
    frame = stats.compare(EVALUATION, test="t").set_index(["measure", "run", "other"])
    means = EVALUATION.values.mean(axis=2)
    expected = {
        (measure, f"r{a}", f"r{b}"): means[a, m] - means[b, m]
        for m, measure in enumerate(("P@5", "E@5"))
        for a, b in ((0, 1), (0, 2), (1, 2))
    }
    assert frame["difference"].to_dict() == pytest.approx(expected)
    turned = stats.compare(EVALUATION, measures=["E@5", "P@5"], test="t")
    assert turned["measure"].tolist() == ["E@5"] * 3 + ["P@5"] * 3
    pd.testing.assert_frame_equal(turned.set_index(["measure", "run", "other"]).loc[frame.index], frame)


def test_runs_and_topics_of_a_frame_are_in_natural_order_and_less_may_be_better():
    rows = [(run, topic, "E@5", 1.0 + (run == "10")) for run in ("10", "9") for topic in ("10", "9", "b")]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])
    assert stats.compare(frame, test="t")[["run", "other"]].to_numpy().tolist() == [["9", "10"]]
    assert stats.worst_topics(frame, 9)[["query_id", "run"]].to_numpy().tolist() == [
        [t, "10"] for t in ("9", "10", "b")
    ]
    by_name = {
        name: stats.rank_runs(frame.assign(measure=name), interval="t")["run"].tolist() for name in ("E@5", "mine")
    }
    assert by_name == {"E@5": ["9", "10"], "mine": ["10", "9"]}


def test_missing_values_are_named():
    frame = EVALUATION.frame
    with pytest.raises(irdiv.IrdivError, match="lacks 4 of 24 values: run 'r0', topic '0', P@5; .*topic '2', P@5; …"):
        stats.compare(frame[(frame["run"] != "r0") | (frame["measure"] != "P@5")])


def test_means_of_counts_are_sums_and_one_run_is_not_the_best():
    two = evaluation_of(random_values(2, 3, 2), ["P@5", "NumRet", "E@5"])
    expected = {"P@5": two.values[:, 0].mean(axis=1), "NumRet": two.values[:, 1].sum(axis=1)}
    assert two.sums() == ["NumRet"]
    for measure, values in expected.items():
        np.testing.assert_allclose(two.summary()[measure], values, err_msg=measure)
    means = two.means()
    assert two.best().argmax(axis=0).tolist() == [*means[:, :2].argmax(axis=0), means[:, 2].argmin()]
    assert two.best().sum(axis=0).tolist() == [1, 1, 1]
    assert evaluation_of(two.values[:1], ["P@5", "NumRet", "E@5"]).best().tolist() == [[False] * 3]


def test_swaps_of_collections_with_other_bins():
    values = np.zeros((2, 1, 2))
    values[0, 0] = [0.35, 0.35]
    large, small = evaluation_of(values), evaluation_of(values / 3)
    for study in ({"a": large, "b": small}, {"b": small, "a": large}):
        found = stats.swap_rates(study, sizes=[1], trials=4, bin_width=0.1)
        assert found.drop(columns="measure").to_numpy().tolist() == [
            [1, 0.1, 0.2, 4, 0, 0], [1, pytest.approx(0.3), 0.4, 4, 0, 0],
        ]  # fmt: skip
        assert found["comparisons"].dtype == np.int64


def test_measures_runs_and_topics_by_any_spelling(qrels, run):
    evaluation = irdiv.evaluate(qrels, run, {"mine": "P@5", "I-rec@2": "I-rec@2"})
    for spelling in ("mine", "P@5", irdiv.parse("P@5")):
        np.testing.assert_array_equal(evaluation[spelling]["run"], evaluation.values[0, 0])
    np.testing.assert_array_equal(evaluation["I_rec@2"]["run"], evaluation.values[0, 1])
    assert evaluation.topic(2).query_id == "2"
    with pytest.raises(irdiv.IrdivError, match="no such measure was not evaluated"):
        evaluation["no such measure"]
