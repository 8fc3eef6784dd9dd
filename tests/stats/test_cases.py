"""Worst topics, and topics on which measures disagree, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import evaluation_of
from irdiv import stats
from irdiv.stats import cases


class TestCases:
    VALUES = np.array([[[0.5, 0.1, 0.9, 0.3]], [[0.4, 0.6, 0.2, 0.3]], [[0.7, 0.2, 0.8, 0.3]]])

    def test_worst_topics(self):
        found = stats.worst_topics(evaluation_of(self.VALUES))
        assert found.to_dict("list") == {
            "query_id": ["1", "2", "3", "0"], "run": ["r0", "r1", "r0", "r1"],
            "measure": ["D#-nDCG@10"] * 4, "value": [0.1, 0.2, 0.3, 0.4],
        }  # fmt: skip
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

    def test_five_topics_by_default_and_ties_in_order(self):
        values = np.tile([0.5, 0.1], 20)[None, None]
        found = stats.worst_topics(evaluation_of(values), 25)
        assert found["query_id"].tolist() == [str(i) for i in (*range(1, 40, 2), 0, 2, 4, 6, 8)]
        assert len(stats.worst_topics(evaluation_of(values))) == 5

    def test_losses_by_rounding_are_none(self):
        values = np.array([[[0.3, 0.2, 0.2]], [[0.1 + 0.2 + 5e-13, 0.2 + 1e-11, 0.3]]])
        found = stats.worst_topics(evaluation_of(values), run="r0", baseline="r1")
        assert found["query_id"].tolist() == ["2", "1"]

    def test_losses_where_less_is_better(self):
        found = stats.worst_topics(evaluation_of(self.VALUES, ["E@5"]), 1)
        assert found.to_dict("list") == {"query_id": ["2"], "run": ["r0"], "measure": ["E@5"], "value": [0.9]}

    def test_disagreements(self):
        # differences of r0 and r1: P .1, .3, −.2, 0; AP −.3, −.2, .4, .1
        values = np.zeros((2, 2, 4))
        values[0] = [[0.1, 0.3, -0.2, 0], [-0.3, -0.2, 0.4, 0.1]]
        found = stats.disagreements(evaluation_of(values, ["P@5", "AP"]), "P@5", "AP")
        # the smaller of the two: .1, .2 and .2; on topic 2, P prefers r1
        assert found.to_dict("list") == {
            "query_id": ["1", "2", "0"],
            "run": ["r0", "r1", "r0"],
            "other": ["r1", "r0", "r1"],
            "P@5": [0.3, 0.2, 0.1],
            "AP": [-0.2, -0.4, -0.3],
        }
        assert found.index.tolist() == [0, 1, 2]

    def test_the_run_is_preferred_by_the_first_measure_that_is_decided(self):
        values = np.zeros((2, 3, 2))
        values[0] = [[0, 0], [0.2, -0.2], [-0.1, 0.1]]
        found = stats.disagreements(evaluation_of(values, ["P@5", "AP", "RR"]), "P@5", "AP", among=["RR"])
        assert found[["run", "other"]].to_numpy().tolist() == [["r0", "r1"], ["r1", "r0"]]

    def test_ten_disagreements_by_default_and_ties_in_order(self):
        values = np.zeros((2, 2, 40))
        values[0, 0] = np.tile([0.1, 0.2], 20)
        values[0, 1] = -values[0, 0]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        found = stats.disagreements(evaluation, "P@5", "AP", n=25)
        assert found["query_id"].tolist() == [str(i) for i in (*range(1, 40, 2), 0, 2, 4, 6, 8)]
        assert len(stats.disagreements(evaluation, "P@5", "AP")) == 10

    def test_disagreements_by_rounding_are_none(self):
        values = np.zeros((2, 2, 3))
        values[0] = [[0.1, 0.1, 5e-13], [-5e-13, -1e-11, -0.1]]
        found = stats.disagreements(evaluation_of(values, ["P@5", "AP"]), "P@5", "AP")
        assert found["query_id"].tolist() == ["1"]

    @pytest.mark.parametrize(
        ("significant", "topics"),
        [("measure", ["3", "4", "5"]), ("other", None), ("both", None), (None, ["3", "4", "5"])],
    )
    def test_disagreements_of_a_significant_pair(self, significant, topics):
        # P differs by .5 on all topics but a little, AP by noise around 0
        p = [0.5, 0.51, 0.49, 0.5, 0.52, 0.48]
        ap = [0.3, 0.2, 0.1, -0.3, -0.2, -0.1]
        values = np.zeros((2, 2, 6))
        values[0] = [p, ap]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        options = {} if significant is None else {"significant": significant, "test": "t"}
        found = stats.disagreements(evaluation, "P@5", "AP", **options)
        if topics is None:
            assert found.empty
            return
        # by the difference of P if it is the significant one, by that of AP, the smaller one, without a test
        order = ["4", "3", "5"] if significant else ["3", "4", "5"]
        assert found["query_id"].tolist() == order
        if significant:
            assert found.columns.tolist() == ["query_id", "run", "other", "p", "other_p", "P@5", "AP"]
            tests = stats.compare(evaluation, test="t")["p"].tolist()
            assert found[["p", "other_p"]].values.tolist() == [[*tests]] * 3
            assert tests[0] < 0.05 < tests[1]
            # the other measure is the significant one if the two are swapped
            swapped = stats.disagreements(evaluation, "AP", "P@5", significant="other", test="t")
            assert swapped["query_id"].tolist() == order
            assert swapped["run"].tolist() == ["r1"] * 3

    def test_disagreements_of_a_pair_that_is_significant_both_ways(self):
        values = np.zeros((2, 2, 4))
        values[0] = [[0.3, 0.31, 0.29, 0.3], [-0.3, -0.2, -0.25, -0.28]]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        found = stats.disagreements(evaluation, "P@5", "AP", significant="both", test="t")
        assert found["query_id"].tolist() == ["0", "3", "2", "1"]
        for one in ("measure", "other"):
            assert stats.disagreements(evaluation, "P@5", "AP", significant=one, test="t").empty
        # in one direction there is no conflict
        values[0, 1] *= -1
        same = evaluation_of(values, ["P@5", "AP"])
        assert stats.disagreements(same, "P@5", "AP", significant="both", test="t").empty

    def test_no_conflict_with_a_mean_difference_of_0(self):
        # by ranks, values may differ significantly though the means do not
        differ, mean = np.ones((2, 3), dtype=bool), np.array([[0.1, 0.1, 0.1], [0.0, -0.1, 0.1]])
        assert cases._selected_pairs(differ, mean, "both").tolist() == [False, True, False]

    def test_options_of_the_test(self):
        values = np.random.default_rng(0).random((3, 2, 8))
        evaluation = evaluation_of(values, ["P@5", "AP"])
        given = {"test": "randomization", "correction": "holm", "rng": 5, "n_resamples": 40, "plus_one": False}
        found = stats.disagreements(evaluation, "P@5", "AP", significant="measure", level=0.999, n=None, **given)
        p = stats.compare(evaluation, interval="t", **given).set_index(["measure", "run", "other"])["p_adjusted"]
        for row in found.to_dict("records"):
            pair = sorted([row["run"], row["other"]])
            assert (row["p"], row["other_p"]) == (p["P@5", pair[0], pair[1]], p["AP", pair[0], pair[1]])
            assert row["p"] < 0.999 <= row["other_p"]

    def test_the_bootstrap_test_is_the_default(self):
        values = np.random.default_rng(0).random((3, 2, 8)) + np.array([0, 0.1, 0.3])[:, None, None]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        options = {"significant": "measure", "level": 0.3, "n": None}
        found = stats.disagreements(evaluation, "P@5", "AP", **options)
        assert found.equals(stats.disagreements(evaluation, "P@5", "AP", test="bootstrap", **options))
        assert len(found) > 0
