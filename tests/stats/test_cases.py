"""Worst topics, and topics on which measures disagree, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import evaluation_of
from irdiv import stats
from irdiv.stats import cases

TIED = [str(i) for i in (*range(1, 40, 2), 0, 2, 4, 6, 8)]
"""25 of 40 topics if those with odd ids come first, in order."""


def two_measures(*differences: list[float], measures=("P@5", "AP")):
    """Return an evaluation of two runs with these differences by each measure."""
    values = np.zeros((2, len(differences), len(differences[0])))
    values[0] = differences
    return evaluation_of(values, measures)


class TestWorstTopics:
    VALUES = np.array([[[0.5, 0.1, 0.9, 0.3]], [[0.4, 0.6, 0.2, 0.3]], [[0.7, 0.2, 0.8, 0.3]]])

    def test_of_all_runs(self):
        found = stats.worst_topics(evaluation_of(self.VALUES))
        assert found.to_dict("list") == {
            "query_id": ["1", "2", "3", "0"],
            "run": ["r0", "r1", "r0", "r1"],
            "measure": ["D#-nDCG@10"] * 4,
            "value": [0.1, 0.2, 0.3, 0.4],
        }
        against = stats.worst_topics(evaluation_of(self.VALUES), baseline="r0")
        # r1 loses .1 on topic 0 and .7 on topic 2, r2 loses .1 on topic 2
        assert against.to_dict("list") == {
            "query_id": ["2", "0"],
            "run": ["r1", "r1"],
            "measure": ["D#-nDCG@10"] * 2,
            "value": [0.2, 0.4],
            "baseline_value": [0.9, 0.5],
            "difference": [pytest.approx(-0.7), pytest.approx(-0.1)],
        }
        less_is_better = stats.worst_topics(evaluation_of(self.VALUES, ["E@5"]), 1)
        assert less_is_better.values.tolist() == [["2", "r0", "E@5", 0.9]]

    def test_five_topics_by_default_and_ties_in_order(self):
        evaluation = evaluation_of(np.tile([0.5, 0.1], 20)[None, None])
        assert stats.worst_topics(evaluation, 25)["query_id"].tolist() == TIED
        assert stats.worst_topics(evaluation)["query_id"].tolist() == TIED[:5]

    def test_values_that_differ_by_rounding_are_equal(self):
        values = np.array([[[0.5 + 2e-13, 0.5, 0.5 - 2e-12]]])
        assert stats.worst_topics(evaluation_of(values))["query_id"].tolist() == ["2", "0", "1"]
        values = np.array([[[0.0, 0.0, 0.0]], [[1e-12, 2e-12, 0.0]]])
        found = stats.worst_topics(evaluation_of(values), run="r0", baseline="r1")
        assert found["query_id"].tolist() == ["1"]


class TestDisagreements:
    def test_the_run_is_preferred_by_the_first_measure_that_is_decided(self):
        evaluation = two_measures([0, 0], [0.2, -0.2], [-0.1, 0.1], measures=["P@5", "AP", "RR"])
        found = stats.disagreements(evaluation, "P@5", "AP", among=["RR"])
        assert found[["run", "other"]].to_numpy().tolist() == [["r0", "r1"], ["r1", "r0"]]

    def test_ten_by_default_and_ties_in_order(self):
        differences = np.tile([0.1, 0.2], 20)
        evaluation = two_measures(differences, -differences)
        found = stats.disagreements(evaluation, "P@5", "AP", n=25)
        assert found["query_id"].tolist() == TIED
        assert found.index.tolist() == list(range(25))
        assert stats.disagreements(evaluation, "P@5", "AP")["query_id"].tolist() == TIED[:10]

    def test_values_that_differ_by_rounding_are_equal(self):
        evaluation = two_measures([0.1, 0.1, 1e-12], [-1e-12, -1e-11, -0.1])
        assert stats.disagreements(evaluation, "P@5", "AP")["query_id"].tolist() == ["1"]
        evaluation = two_measures([0.5 - 2e-13, 0.5, 0.5 + 2e-12], [-1, -1, -1])
        assert stats.disagreements(evaluation, "P@5", "AP")["query_id"].tolist() == ["2", "0", "1"]

    def test_no_conflict_with_a_mean_difference_of_0(self):
        # by ranks, values may differ significantly though the means do not
        differ, mean = np.ones((2, 3), dtype=bool), np.array([[0.1, 0.1, 0.1], [0.0, -0.1, 0.1]])
        assert cases._selected_pairs(differ, mean, "both").tolist() == [False, True, False]

    def test_options_of_the_test(self):
        values = np.random.default_rng(0).random((3, 2, 8))
        values[:, 0] += np.array([0, 0.3, 0.6])[:, None]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        given = {"test": "randomization", "correction": "holm", "rng": 5, "n_resamples": 40, "plus_one": False}
        found = stats.disagreements(evaluation, "P@5", "AP", significant="measure", level=0.4, n=None, **given)
        p = stats.compare(evaluation, interval="t", **given).set_index(["measure", "run", "other"])["p_adjusted"]
        assert len(found) > 0
        for row in found.to_dict("records"):
            pair = sorted([row["run"], row["other"]])
            assert (row["p"], row["other_p"]) == (p["P@5", pair[0], pair[1]], p["AP", pair[0], pair[1]])
            assert row["p"] < 0.4 <= row["other_p"]

    def test_the_bootstrap_test_is_the_default(self):
        values = np.random.default_rng(0).random((3, 2, 8)) + np.array([0, 0.1, 0.3])[:, None, None]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        options = {"significant": "measure", "level": 0.3, "n": None}
        found = stats.disagreements(evaluation, "P@5", "AP", **options)
        assert found.equals(stats.disagreements(evaluation, "P@5", "AP", test="bootstrap", **options))
        assert len(found) > 0
