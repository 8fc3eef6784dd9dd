"""Trees that are deeper than Python's stack, topics that are larger than memory, and clear words where all ends."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import by_intents, random_collection, random_run, ranked, values
from irdiv.arrays import blocks, collection
from irdiv.intents import layers
from irdiv.kernels import exact
from irdiv.measures import novelty, operators

pytestmark = pytest.mark.slow

DEEP = sys.getrecursionlimit() + 100


def deep_tree(layer_count: int) -> dict[str, object]:
    """Return a chain n1 > n2 > …, with a leaf in the first layer and one in the last."""
    tree: dict[str, object] = {"last": None}
    for layer in range(layer_count - 1, 0, -1):
        tree = {f"n{layer}": tree}
    return {"first": None, **tree}


def deep_collection() -> irdiv.Collection:
    """Return one topic with as many layers as `DEEP`, and two leaves with a document each."""
    rows = [("1", "first", "a", 1), ("1", "last", "b", 1)]
    judged = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    return irdiv.Collection(irdiv.with_intents(judged, irdiv.nested_intents({"1": deep_tree(DEEP)})))


@pytest.fixture(scope="module")
def deep() -> irdiv.Collection:
    return deep_collection()


class TestDeepTrees:
    def test_nested_intents(self):
        table = irdiv.nested_intents({"1": deep_tree(DEEP)})
        assert table["intent_id"].tolist() == ["first", *(f"n{layer}" for layer in range(1, DEEP)), "last"]
        assert table["parent_id"].tolist()[2:] == [f"n{layer}" for layer in range(1, DEEP)]

    def test_measures(self, deep):
        """On each of n layers of the extended hierarchy there are two nodes, and the run covers that of ``b``."""
        specs = ["N-rec@1", "I-rec-LA@1", "N-rec(hierarchy='OIH')@1"]
        found = irdiv.evaluate(deep, {"1": {"b": 2.0, "a": 1.0}}, specs).values[0, :, 0].tolist()
        assert found == pytest.approx([1 / 2, 1 / 2, DEEP / (DEEP + 1)])

    @pytest.mark.parametrize("weights", ["UT", "UB"])
    def test_weights(self, deep, weights):
        nodes = irdiv.analysis.hierarchy_nodes(deep, weights=weights, hierarchy="OIH")
        assert len(nodes) == DEEP + 1
        # The first layer has both leaves, each with half the weight; on its own, a layer has all of it.
        assert nodes["weight"].tolist() == [0.5, 0.5] + [1.0] * (DEEP - 1)

    def test_frames(self, deep):
        run = {"1": {"b": 2.0, "a": 1.0}}
        nodes = irdiv.analysis.node_coverage(deep, run, cutoff=1)
        assert len(nodes) == 2 * DEEP
        assert nodes.groupby("node_id")["rank"].count()["first"] == 0
        assert nodes["parent_id"].tolist()[2:4] == ["first", "n1"]
        assert len(irdiv.analysis.layer_scores(deep, run)) == DEEP

    def test_text(self, deep):
        hierarchy = irdiv.Hierarchy(deep)
        lines = hierarchy.draw("1").split("\n")
        assert len(lines) == DEEP + 2
        assert lines[1].endswith(f"layers 1 to {DEEP}")
        assert lines[-1].split() == ["└─", "last", "weight", "0.500,", "1", "relevant"]
        assert repr(hierarchy.report({"1": {"b": 1.0}}, "1")).count("\n") > 2 * DEEP

    def test_a_picture_is_refused(self, deep):
        with pytest.raises(irdiv.IrdivError, match="too large for a picture, of 100 layers and 10,000 nodes at most"):
            irdiv.Hierarchy(deep).svg("1")

    def test_paths(self):
        columns = [f"c{layer}" for layer in range(DEEP)]
        judged = pd.DataFrame([["1", "d", 1, *columns]], columns=["query_id", "doc_id", "relevance", *columns])
        assert len(irdiv.with_paths(judged, columns)) == DEEP

    def test_a_long_cycle_is_an_error(self):
        nodes = [f"n{node}" for node in range(DEEP)]
        table = pd.DataFrame(
            {"query_id": "1", "intent_id": [*nodes, "leaf"], "parent_id": [*nodes[1:], nodes[0], nodes[0]]}
        )
        judged = pd.DataFrame({"query_id": "1", "intent_id": ["leaf"], "doc_id": "d", "relevance": 1})
        collection = irdiv.Collection(irdiv.with_intents(judged, table))
        with pytest.raises(irdiv.IrdivError, match="is its own ancestor: the tree has a cycle"):
            irdiv.evaluate(collection, {"1": {"d": 1.0}}, "N-rec@10")


class TestRefusals:
    def test_layers_that_do_not_fit(self, monkeypatch):
        monkeypatch.setattr(layers, "MOST_CELLS", 1000)
        message = f"'1' has {DEEP} layers; with 2 relevant documents and 2 leaves, .* use hierarchy='OIH'.*, or"
        with pytest.raises(irdiv.IrdivError, match=message):
            irdiv.evaluate(deep_collection(), {"1": {"b": 1.0}}, "HD-nDCG@10")
        with pytest.raises(irdiv.IrdivError, match="To evaluate it, leave out layers"):
            irdiv.evaluate(deep_collection(), {"1": {"b": 1.0}}, "HD-nDCG(hierarchy='OIH')@10")

    def test_layers_that_fit_alone_fit_beside_other_topics(self, monkeypatch):
        """A deep topic shares no block with topics of many documents, for which its layers would need memory too."""
        many = pd.DataFrame({"query_id": "2", "intent_id": "i", "doc_id": [f"d{n}" for n in range(9)], "relevance": 1})
        deep = pd.DataFrame({"query_id": "1", "intent_id": ["first", "last"], "doc_id": ["a", "b"], "relevance": 1})
        table = irdiv.nested_intents({"1": deep_tree(DEEP), "2": {"i": None}})
        judged = irdiv.with_intents(pd.concat([deep, many]), table)
        run, specs = ranked("ab", "1") | ranked(["d1"], "2"), ["HD-nDCG@10", "N-rec@10", "I-rec-LA@10"]
        expected = values(judged, run, specs)
        # 2 documents, and 2 nodes on each layer
        for module in (layers, collection):
            monkeypatch.setattr(module, "MOST_CELLS", 4 * DEEP)
        assert np.array_equal(values(judged, run, specs), expected)
        for module in (layers, collection):
            monkeypatch.setattr(module, "MOST_CELLS", 4 * DEEP - 1)
        with pytest.raises(irdiv.IrdivError, match=f"topic '1' has {DEEP} layers; with 2 relevant documents and 2 lea"):
            irdiv.evaluate(judged, run, specs)

    def test_blocks_are_small_where_one_topic_has_many_documents_and_another_many_intents(self, monkeypatch):
        """Documents and intents are padded to the most of any topic: 2 topics of 3 documents and 3 intents here."""
        judged = pd.concat([by_intents({"a": "1", "b": "1", "c": "1"}), by_intents({"a": "123"}).assign(query_id="86")])
        for cells, count in [(18, 1), (17, 2)]:
            monkeypatch.setattr(collection, "BLOCK_CELLS", cells)
            assert len(irdiv.Collection(judged).blocks) == count

    def test_a_topic_that_does_not_fit(self, monkeypatch):
        monkeypatch.setattr(blocks, "MOST_CELLS", 8)
        judged = by_intents({"a": "12", "b": "3", "c": "1"})
        message = "topic '85' has 3 relevant documents and 3 intents: a grade for each pair"
        with pytest.raises(irdiv.IrdivError, match=message):
            irdiv.evaluate(judged, ranked("ab"), "I-rec@2")
        assert values(judged[judged["intent_id"] != "3"], ranked("ab"), ["I-rec@2"]).tolist() == [[1.0]]

    def test_an_exact_ideal_that_is_too_large(self, monkeypatch):
        # 3 documents at 2 ranks, and 3 intents that occur first or second at one of 2 ranks
        judged, spec = by_intents({"a": "12", "b": "3", "c": "1"}), "alpha-nDCG(ideal='exact')@2"
        monkeypatch.setattr(novelty, "MOST_VARIABLES", 18)
        assert values(judged, ranked("ab"), [spec]).tolist() == [[1.0]]
        monkeypatch.setattr(novelty, "MOST_VARIABLES", 17)
        message = "topic '85' has 3 relevant documents of 3 intents.* of 18 variables.*Use ideal='greedy'"
        with pytest.raises(irdiv.IrdivError, match=message):
            irdiv.evaluate(judged, ranked("ab"), spec)
        with pytest.raises(irdiv.IrdivError, match=message):
            irdiv.analysis.ideal_gaps(judged, cutoff=2)

    def test_an_exact_ideal_is_as_large_as_its_distinct_sets(self, monkeypatch):
        # 2 sets at 3 ranks, and 2 intents that occur first, second or third at one of 3 ranks
        judged, spec = by_intents({"a": "12", "b": "12", "c": "12", "d": "2", "e": "2"}), "alpha-nDCG(ideal='exact')@3"
        monkeypatch.setattr(novelty, "MOST_VARIABLES", 24)
        assert values(judged, ranked("abc"), [spec]).tolist() == [[1.0]]
        monkeypatch.setattr(novelty, "MOST_VARIABLES", 23)
        with pytest.raises(irdiv.IrdivError, match="5 relevant documents of 2 intents.* of 24 variables"):
            irdiv.evaluate(judged, ranked("abc"), spec)

    def test_topics_are_refused_before_any_is_solved(self, monkeypatch):
        small, large = by_intents({"a": "1", "b": "2"}), by_intents({"a": "12", "b": "3", "c": "1"})
        judged = pd.concat([small.assign(query_id="1"), large.assign(query_id="2")])
        monkeypatch.setattr(novelty, "MOST_VARIABLES", 17)
        monkeypatch.setattr(collection, "BLOCK_CELLS", 1)
        monkeypatch.setattr(exact, "exact_ideals", None)
        with pytest.raises(irdiv.IrdivError, match="topic '2' has 3 relevant documents"):
            irdiv.analysis.ideal_gaps(judged, cutoff=2)


def test_some_documents_at_a_time_change_no_value(monkeypatch):
    judged, run = random_collection(3), random_run(3)
    specs = ["D-nDCG@5", "D#-Q", "D-nDCG(gain='exp')@10", "D#-nDCG-LA@10"]
    expected = values(judged, run, specs)
    monkeypatch.setattr(operators, "_GAINS_AT_ONCE", 1)
    assert np.array_equal(values(judged, run, specs), expected)


def test_many_intents_and_many_runs():
    """A thousand intents with a document each, of which each of a thousand runs has one, or none that is judged."""
    count = 1000
    numbers = [str(number) for number in range(count)]
    judged = pd.DataFrame({"query_id": "1", "intent_id": numbers, "doc_id": numbers, "relevance": 1})
    runs = pd.DataFrame({"run": numbers, "query_id": "1", "doc_id": numbers, "score": 1.0})
    found = irdiv.evaluate(judged, runs, ["I-rec@10", "alpha-nDCG@1"], run_column="run").values
    assert found.shape == (count, 2, 1)
    assert np.unique(found[:, 0]).tolist() == [1 / count]
    assert np.unique(found[:, 1]).tolist() == [1.0]
    runs.loc[:2, "doc_id"] = "unjudged"
    with pytest.warns(irdiv.IrdivWarning, match="'0', '1', '2'"):
        assert irdiv.evaluate(judged, runs, "I-rec@10", run_column="run").values.sum() == pytest.approx(1 - 3 / count)
