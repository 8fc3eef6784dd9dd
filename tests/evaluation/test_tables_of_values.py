"""Evaluations and frames as tables of values, several of them as a study, and names in them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import evaluation_of
from irdiv import stats
from irdiv.stats.scores import Scores
from irdiv.stats.study import as_study, concat_collections
from irdiv.stats.table import as_table


def random_values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


class TestTables:
    EVALUATION = evaluation_of(random_values(3, 2, 4), ["P@5", "E@5"])

    def test_of_an_evaluation(self):
        table = as_table(self.EVALUATION)
        assert (table.runs, table.measures, table.topics) == (["r0", "r1", "r2"], ["P@5", "E@5"], ["0", "1", "2", "3"])
        assert table.direction.tolist() == [1, -1]
        assert table.is_in_given_order
        assert as_table(table) is table
        assert table.choose(["P@5", "E@5"]) is table
        turned = table.choose(["E@5", "P@5"])
        assert (turned.measures, turned.direction.tolist()) == (["E@5", "P@5"], [-1, 1])
        assert turned.values.tolist() == table.values[:, ::-1].tolist()
        assert table.only(None).measures == ["P@5"]
        assert table.only(irdiv.parse("E@5")).measures == ["E@5"]
        larger = table.larger_is_better()
        assert larger.direction.tolist() == [1, 1]
        assert larger.values.tolist() == np.stack([table.values[:, 0], -table.values[:, 1]], axis=1).tolist()

    def test_of_a_frame_in_natural_order(self):
        rows = [(run, topic, "E@5", 1.0) for run in ("10", "9") for topic in ("10", "9", "b")]
        frame = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])
        table = as_table(frame)
        assert (table.runs, table.topics, table.direction.tolist()) == (["9", "10"], ["9", "10", "b"], [-1])
        assert not table.is_in_given_order
        assert table.only(None).measures == ["E@5"]
        assert as_table(frame.assign(measure="unknown")).direction.tolist() == [1]

    def test_four_missing_values(self):
        frame = self.EVALUATION.frame
        with pytest.raises(irdiv.IrdivError, match=r"topic '2', P@5; …\. Every run"):
            as_table(frame[(frame["run"] != "r0") | (frame["measure"] != "P@5")])

    def test_differences(self):
        table = as_table(self.EVALUATION)
        differences = table.all_differences([(0, 1), (2, 0)])
        assert (differences.n_measures, differences.n_pairs) == (2, 2)
        expected = [table.values[a, m] - table.values[b, m] for m in range(2) for a, b in ((0, 1), (2, 0))]
        assert differences.rows(slice(0, 9)).tolist() == np.array(expected).tolist()
        assert differences.rows(slice(1, 3)).tolist() == np.array(expected[1:3]).tolist()
        assert differences.of_measure(1).tolist() == np.array(expected[2:]).tolist()
        assert [measure for measure, _ in table.differences([(0, 1)])] == ["P@5", "E@5"]
        assert table.pairs() == [(0, 1), (0, 2), (1, 2)]

    def test_scores_of_one_and_of_several_runs(self):
        scores = Scores(("a",), np.array(["1", "2"]), (irdiv.parse("P@5"),), np.array([[[0.5, 1.0]]]))
        assert scores.means().tolist() == [[0.75]]
        assert scores.best().tolist() == [[False]]
        assert scores.best().dtype == bool
        assert scores.sums() == []
        assert scores.specs() == ["P@5"]
        two = Scores(
            ("a", "b"), np.array(["1", "2"]), (irdiv.parse("P@5"), irdiv.parse("NumRet")), random_values(2, 2, 2)
        )
        assert two.sums() == ["NumRet"]
        assert two.means()[:, 0].tolist() == pytest.approx(two.values[:, 0].mean(axis=1).tolist())
        assert two.means()[:, 1].tolist() == pytest.approx(two.values[:, 1].sum(axis=1).tolist())
        assert two.best().sum(axis=0).tolist() == [1, 1]


class TestStudies:
    ONE, TWO = (
        evaluation_of(random_values(3, 2, 5), ["P@5", "AP"]),
        evaluation_of(random_values(2, 2, 4), ["AP", "P@5"]),
    )
    STUDY: ClassVar = {"one": ONE, 2: TWO}

    def test_measures_are_in_the_order_of_the_first(self):
        study = as_study(self.STUDY)
        assert study.names == ("one", "2")
        assert study.measures == ["P@5", "AP"]
        assert study.direction.tolist() == [1, 1]
        assert study.tables[1].values.tolist() == self.TWO.values[:, ::-1].tolist()
        assert as_study(self.ONE).names is None
        assert as_study(self.ONE).tables[0].values is self.ONE.values

    def test_every_collection_has_the_same_seed(self):
        study = as_study(self.STUDY)
        assert study.analyze(lambda table, rng: (len(table.runs), rng)) == [(3, 0), (2, 0)]
        assert study.analyze(lambda table, rng: rng, 5) == [5, 5]
        generator = np.random.default_rng(1)
        drawn = study.analyze(lambda table, rng: rng.random(), generator)
        assert drawn[0] == drawn[1] != generator.random()

    @pytest.mark.parametrize("function", [stats.compare, stats.correlation_intervals])
    def test_options_reach_every_collection(self, function):
        options = {"rng": 7, "n_resamples": 20, "measures": ["AP", "P@5"]}
        found = function(self.STUDY, **options)
        assert found.columns[0] == "collection"
        assert found.index.tolist() == list(range(len(found)))
        for name, one in (("one", self.ONE), ("2", self.TWO)):
            rows = found[found["collection"] == name].drop(columns="collection").reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, function(one, **options))
        # without a seed it is 0, as of one evaluation
        by_default = function(self.STUDY, n_resamples=20)
        alone = function(self.ONE, n_resamples=20)
        pd.testing.assert_frame_equal(by_default.head(len(alone)).drop(columns="collection"), alone)

    def test_arguments_by_position(self):
        found = stats.correlation_intervals(self.STUDY, "tau_ap", n_resamples=5)
        assert found[["collection", "measure", "other"]].values.tolist() == [
            [name, *pair] for name in ("one", "2") for pair in (["P@5", "AP"], ["AP", "P@5"])
        ]

    def test_frames_one_below_the_other(self):
        full, empty = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": []})
        found = concat_collections({"x": empty, "y": full, "z": full})
        assert found.columns.tolist() == ["collection", "a"]
        assert found.values.tolist() == [["y", 1], ["y", 2], ["z", 1], ["z", 2]]
        assert found["a"].dtype == np.int64
        assert found.index.tolist() == [0, 1, 2, 3]
        assert concat_collections({"x": empty}).columns.tolist() == ["collection", "a"]
        named = concat_collections({"x": pd.DataFrame({"b": 1}, index=pd.Index(["p", "q"], name="a"))})
        assert named.index.names == ["collection", "a"]

    def test_power_is_pooled(self):
        found = stats.discriminative_power(self.STUDY, test="t", level=0.9)
        one, two = (
            stats.discriminative_power(e, test="t", level=0.9, measures=["P@5", "AP"]) for e in (self.ONE, self.TWO)
        )
        assert found.pairs == (*one.pairs, *two.pairs)
        assert found.p.tolist() == np.concatenate([one.p, two.p], axis=1).tolist()
        assert found.difference.tolist() == np.concatenate([one.difference, two.difference], axis=1).tolist()
        assert list(found.collections) == ["one", "2"]
        by_collection = found.summary(by_collection=True)
        assert by_collection[["collection", "measure", "pairs"]].values.tolist() == [
            ["one", "P@5", 3], ["one", "AP", 3], ["2", "P@5", 1], ["2", "AP", 1],
        ]  # fmt: skip
        assert found.asl()["collection"].value_counts().to_dict() == {"one": 6, "2": 2}
        assert found.asl().columns.tolist() == ["measure", "rank", "collection", "run", "other", "difference", "p"]
        with_delta = stats.discriminative_power(self.STUDY, n_resamples=50)
        deltas = [part.delta for part in with_delta.collections.values()]
        assert with_delta.delta.tolist() == np.max(deltas, axis=0).tolist()
        assert stats.discriminative_power({"one": self.ONE}, test="t").collections["one"].pairs == one.pairs

    def test_swaps_of_collections_with_other_bins(self):
        values = np.zeros((2, 1, 2))
        values[0, 0] = [0.35, 0.35]
        large, small = evaluation_of(values), evaluation_of(values / 3)
        for study in ({"a": large, "b": small}, {"b": small, "a": large}):
            found = stats.swap_rates(study, sizes=[1], trials=4, bin_width=0.1)
            assert found.drop(columns="measure").values.tolist() == [
                [1, 0.1, 0.2, 4, 0, 0], [1, pytest.approx(0.3), 0.4, 4, 0, 0],
            ]  # fmt: skip
            assert found["comparisons"].dtype == np.int64


class TestNames:
    def test_measures_by_any_spelling(self):
        from irdiv.stats.names import find_measure, find_run, find_topic, parsed_or_none

        assert find_measure(["P@5", "I-rec@10"], "I_rec@10") == 1
        assert find_measure(["P@5", "I-rec@10"], irdiv.parse("P@5")) == 0
        assert find_measure(["mine", "P@5"], "P@5", {irdiv.parse("P@5"): "mine"}) == 1
        assert find_measure(["mine"], "P@5", {irdiv.parse("P@5"): "mine"}) == 0
        assert find_measure(["AP", "unknown"], "unknown") == 1
        assert find_run(["a", "b"], "b") == 1
        assert find_topic(["151", "152"], 152) == 1
        assert parsed_or_none("no such measure") is None
