"""Trees of intents: what is said about those that are none, in full; chains, single leaves and nodes without weight."""

from __future__ import annotations

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.intents import layers

QRELS = pd.DataFrame(
    [("1", "a", "d", 1), ("1", "b", "e", 1), ("2", "a", "d", 1), ("2", "0", "f", 1)],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)


def message(function, *arguments, **named) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **named)
    return str(caught.value)


def test_trees_that_are_none():
    gap = "nulls are allowed only at its end."
    once = "columns must be the names of one or more columns, each once; found"
    paths = QRELS.assign(s=["x", "y", "x", None], t=["a", "b", None, None])
    messages = {
        "trees must be a dict from topic to tree; found 'list'.": (irdiv.nested_intents, ["x"]),
        "the tree of topic '1' must be a dict from node to the nodes below it, or a list of leaves; found 'abc'.": (
            irdiv.nested_intents,
            {"1": "abc"},
        ),
        "a node of topic '1' has the name 1.5; a name must be a string.": (irdiv.nested_intents, {"1": {1.5: None}}),
        "topic '1' has two nodes 'x'; names must be unique in a topic.": (
            irdiv.nested_intents,
            {"1": {"a": ["x", "y"], "b": ["x", "y"]}},
        ),
        f"{once} 's'.": (irdiv.with_paths, paths, "s"),
        f"{once} [].": (irdiv.with_paths, paths, []),
        f"{once} ['s', 's'].": (irdiv.with_paths, paths, ["s", "s"]),
        "the qrels have no column 'u', 'v'; found 'query_id', 'intent_id', 'doc_id', 'relevance', 's', 't'.": (
            irdiv.with_paths, paths, ["s", "u", "v"],
        ),
        f"row 3 of the qrels has a gap in its path: (None, None); {gap}": (irdiv.with_paths, paths, ["s", "t"]),
        f"row 2 of the qrels has a gap in its path: (None, 'x'); {gap}": (irdiv.with_paths, paths, ["t", "s"]),
        "the paths ('x', 'a/b') and ('x/a', 'b') are both 'x/a/b'; leave '/' out of names.": (
            irdiv.with_paths,
            QRELS.iloc[:2].assign(s=["x", "x/a"], t=["a/b", "b"]),
            ["s", "t"],
        ),
    }  # fmt: skip
    assert {text: message(*call) for text, call in messages.items()} == {text: text for text in messages}


def test_nested_trees_as_tables():
    frame = irdiv.nested_intents({1: {"a": {"b": {"c": 0.5}, "d": 1}, 2: None}})
    assert frame.columns.tolist() == ["query_id", "intent_id", "parent_id", "probability"]
    assert frame["parent_id"].tolist() == [None, "a", "b", "a", None]
    assert frame.astype(object).where(frame.notna(), None).to_numpy().tolist() == [
        ["1", "a", None, None],
        ["1", "b", "a", None],
        ["1", "c", "b", 0.5],
        ["1", "d", "a", 1.0],
        ["1", "2", None, None],
    ]
    assert irdiv.nested_intents({}).empty


def test_paths_as_trees():
    rows = [("1", "x", "y", "z", "d", 1), ("1", "x", "y", "w", "e", 1), ("1", "x", None, None, "f", 0),
            ("2", "x", "y", None, "d", 1)]  # fmt: skip
    qrels = pd.DataFrame(rows, columns=["query_id", "r", "s", "t", "doc_id", "relevance"])
    folded = irdiv.with_paths(qrels, ["r", "s", "t"])
    parents = folded.drop_duplicates(["query_id", "intent_id"]).set_index(["query_id", "intent_id"])["parent_id"]
    assert parents.to_dict() == {
        ("1", "x/y/z"): "x/y",
        ("1", "x/y/w"): "x/y",
        ("1", "x"): "_root_",
        ("1", "x/y"): "x",
        ("2", "x/y"): "x",
        ("2", "x"): "_root_",
    }


def topic(tree: object, documents: dict[str, str]) -> pd.DataFrame:
    rows = [("1", intent, doc, 1) for doc, intent in documents.items()]
    return irdiv.with_intents(pd.DataFrame(rows, columns=QRELS.columns), irdiv.nested_intents({"1": tree}))


def score(qrels: pd.DataFrame, spec: str) -> float:
    return irdiv.evaluate(qrels, {"1": {"d": 1.0}}, spec).values.item()


def test_messages_about_trees():
    qrels = topic({"m": {"a": 0.5, "b": 0.5}}, {"d": "a", "e": "b"})

    def with_parents(**parents: str) -> pd.DataFrame:
        table = pd.DataFrame([("1", node, parent) for node, parent in parents.items()])
        plain = qrels[qrels["doc_id"] != "_no_document_"].drop(columns=["parent_id", "probability"])
        return irdiv.with_intents(plain, table.set_axis(["query_id", "intent_id", "parent_id"], axis=1))

    messages = {
        "intent 'a' of topic '1' has the parent 'x', which is not a node of the topic; give that node a row of its own"
        ", with the parent '_root_' if it is in the first layer.": with_parents(a="x", b=""),
        "intent 'a' of topic '1' is its own ancestor: the tree has a cycle.": with_parents(a="m", b="", m="a"),
        "intent 'b' of topic '1' has relevant documents and nodes below it; judge documents for leaves only, as an "
        "inner node has the documents of its leaves.": with_parents(a="b", b=""),
        "intent 'b' of topic '1' has relevant documents but is not in the topic's hierarchy; give it a parent, "
        "'_root_' if it is in the first layer, or add it to the intent table that irdiv.with_intents folds "
        "in.": with_parents(a="m", m=""),
    }
    assert {text: message(score, table, "N-rec") for text, table in messages.items()} == {m: m for m in messages}
    assert message(score, with_parents(a="m", b="m", m=""), "D-Q-LA(weights='NT')") == (
        "weights='NT' needs the probabilities of intents, but intent 'a' of topic '1' has none; use 'UT' or 'UB', or "
        "fold them in with irdiv.with_intents."
    )
    assert message(score, qrels, "I-rec-LA(layer_weights=(1,))") == (
        "topic '1' has 2 layers, but layer_weights has only 1; give one weight for each layer."
    )


def test_a_chain_and_a_single_leaf():
    # as many layers as nodes
    chain = topic({"x": {"y": {"a": 1}}}, {"d": "a"})
    for scheme in ("UT", "UB", "NT", "NB"):
        assert score(chain, f"HD-nDCG(weights='{scheme}')@1") == pytest.approx(1)
    assert score(chain, "N-rec@1") == 1
    flat = topic({"a": 1, "b": 1}, {"d": "a", "e": "b"})
    assert irdiv.analysis.layer_scores(flat, {"1": {"d": 1.0}}, "I-rec@1")["layer"].tolist() == [1]


def test_leaves_and_layers_without_weight():
    nothing = (
        "all intents that count in topic '1' have the probability 0; raise one of them, or leave the probabilities "
    )
    alone = topic({"a": 0}, {"d": "a"})
    assert message(score, alone, "D-nDCG-LA").startswith(nothing)
    # the second layer of the original hierarchy has one node
    below = topic({"x": {"a": 0}, "b": 0.5}, {"d": "a", "e": "b"})
    assert message(score, below, "D-nDCG-LA(hierarchy='OIH')").startswith(nothing)
    assert score(below, "N-rec(hierarchy='OIH')") == 2 / 3


TREE = {"n2": {"n1": ["i1", "i3"], "i4": None}, "i2": None}
LEAVES = {"d": "i1", "e": "i3", "f": "i4", "g": "i2"}


def test_layers_that_do_not_fit_into_memory(monkeypatch):
    start = (
        "topic '1' has 3 layers; with 4 relevant documents and 4 leaves, the grades of all layers would take more than "
    )
    oih = "use hierarchy='OIH', whose layers do not repeat the leaves above them, or "
    # four documents, and 4 + 3 + 2 nodes of the extended hierarchy, 2 + 2 + 2 of the original one
    for hierarchy, cells, remedy in (("EIH", 36, oih), ("OIH", 24, "")):
        monkeypatch.setattr(layers, "MOST_CELLS", cells)
        spec = f"N-rec(hierarchy='{hierarchy}')"
        assert score(topic(TREE, LEAVES), spec) > 0
        monkeypatch.setattr(layers, "MOST_CELLS", cells - 1)
        end = f"0 GB. To evaluate it, {remedy}leave out layers of the tree."
        assert message(score, topic(TREE, LEAVES), spec) == start + end
    monkeypatch.undo()
    (block,) = irdiv.Collection(topic({"a": None}, {"d": "a"})).blocks
    assert str(layers._too_many_cells(block, 99, 1, "OIH")) == (
        "topic '1' has 99 layers; with 1 relevant document and 1 leaf, the grades of all layers would take more than "
        "4 GB. To evaluate it, leave out layers of the tree."
    )
