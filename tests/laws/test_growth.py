"""Trees that are deeper than Python's stack, and topics with many intents and runs."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import irdiv

pytestmark = pytest.mark.slow

DEEP = sys.getrecursionlimit() + 100


@pytest.fixture(scope="module")
def deep() -> irdiv.Collection:
    """One topic, a chain n1 > n2 > … with a leaf in the first layer and one in the last, with a document each."""
    tree: dict[str, object] = {"last": None}
    for layer in range(DEEP - 1, 0, -1):
        tree = {f"n{layer}": tree}
    table = irdiv.intents.nested_intents({"1": {"first": None, **tree}})
    assert table["intent_id"].tolist() == ["first", *(f"n{layer}" for layer in range(1, DEEP)), "last"]
    assert table["parent_id"].tolist()[2:] == [f"n{layer}" for layer in range(1, DEEP)]
    rows = [("1", "first", "a", 1), ("1", "last", "b", 1)]
    judged = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    return irdiv.Collection(irdiv.with_intents(judged, table))


def test_measures_and_frames_of_a_deep_tree(deep):
    """On each of n layers of the extended hierarchy there are two nodes, and the run covers that of ``b``."""
    run, specs = {"1": {"b": 2.0, "a": 1.0}}, ["N-rec@1", "I-rec-LA@1", "N-rec(hierarchy='OIH')@1"]
    found = irdiv.evaluate(deep, run, specs).values[0, :, 0].tolist()
    assert found == pytest.approx([1 / 2, 1 / 2, DEEP / (DEEP + 1)])
    nodes = irdiv.analysis.node_coverage(deep, run, cutoff=1)
    assert len(nodes) == 2 * DEEP
    assert nodes.groupby("node_id")["rank"].count()["first"] == 0
    assert len(irdiv.analysis.layer_scores(deep, run)) == DEEP
    lines = irdiv.Hierarchy(deep).draw("1").split("\n")
    assert lines[-1].split() == ["└─", "last", "weight", "0.500,", "1", "relevant"]


@pytest.mark.parametrize("weights", ["UT", "UB"])
def test_weights_in_a_deep_tree(deep, weights):
    nodes = irdiv.analysis.hierarchy_nodes(deep, weights=weights, hierarchy="OIH")
    # The first layer has both leaves, each with half the weight; on its own, a layer has all of it.
    assert nodes["weight"].tolist() == [0.5, 0.5] + [1.0] * (DEEP - 1)


def test_long_paths_and_cycles():
    columns = [f"c{layer}" for layer in range(DEEP)]
    judged = pd.DataFrame([["1", "d", 1, *columns]], columns=["query_id", "doc_id", "relevance", *columns])
    assert len(irdiv.intents.with_paths(judged, columns)) == DEEP
    table = pd.DataFrame(
        {"query_id": "1", "intent_id": [*columns, "leaf"], "parent_id": [*columns[1:], columns[0], columns[0]]}
    )
    judged = pd.DataFrame({"query_id": "1", "intent_id": ["leaf"], "doc_id": "d", "relevance": 1})
    with pytest.raises(irdiv.IrdivError, match="is its own ancestor: the tree has a cycle"):
        irdiv.evaluate(irdiv.with_intents(judged, table), {"1": {"d": 1.0}}, "N-rec@10")


def test_many_intents_and_many_runs():
    """A thousand intents with a document each, of which each of a thousand runs has one, or none that is judged."""
    count = 1000
    numbers = [str(number) for number in range(count)]
    judged = pd.DataFrame({"query_id": "1", "intent_id": numbers, "doc_id": numbers, "relevance": 1})
    runs = pd.DataFrame({"run": numbers, "query_id": "1", "doc_id": numbers, "score": 1.0})
    found = irdiv.evaluate(judged, runs, ["I-rec@10", "alpha-nDCG@1"], run_column="run").values
    assert found.shape == (count, 2, 1)
    assert [np.unique(found[:, measure]).tolist() for measure in range(2)] == [[1 / count], [1.0]]
    runs.loc[:2, "doc_id"] = "unjudged"
    with pytest.warns(irdiv.IrdivWarning, match="'0', '1', '2'"):
        assert irdiv.evaluate(judged, runs, "I-rec@10", run_column="run").values.sum() == pytest.approx(1 - 3 / count)
