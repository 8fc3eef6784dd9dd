"""Intent hierarchies: trees, weights, layers, and the measures on them."""

from __future__ import annotations

import itertools
import math
from inspect import signature
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irdiv
from helpers import random_collection, random_run, values
from irdiv import IrdivError
from irdiv.intents.trees import ROOT, Trees
from irdiv.intents.weights import top_down
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv_cli import main

# TREC topic 77 of DEFINITIONS: q → {n2 → {n1 → {i1, i3}, i4}, i2}
TREE_77 = {"n2": {"n1": ["i1", "i3"], "i4": None}, "i2": None}
DOCUMENTS_77 = {"d1": "i1", "d3": "i3", "d4": "i4", "d2": "i2"}
SCHEMES = ("UT", "UB", "NT", "NB")


def judged(documents: dict[str, str], query: str = "77") -> pd.DataFrame:
    rows = [(query, intent, doc, 1) for doc, intents in documents.items() for intent in intents.split()]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])


def topic_77() -> pd.DataFrame:
    return irdiv.with_intents(judged(DOCUMENTS_77), irdiv.nested_intents({"77": TREE_77}))


def ranked(*docs: str, query: str = "77") -> dict[str, dict[str, float]]:
    return {query: {doc: -float(rank) for rank, doc in enumerate(docs)}}


def score(qrels, run, *specs) -> list[float]:
    return irdiv.evaluate(qrels, run, specs).values[0, :, 0].tolist()


def test_node_recall_of_topic_77():
    # EIH layers {n2, i2}, {n1, i4, i2}, {i1, i3, i4, i2}: 9 nodes
    # i1, i3, i4 cover n2; n1, i4; i1, i3, i4
    assert score(topic_77(), ranked("d1", "d3", "d4"), "N-rec@3") == [6 / 9]
    # i1, i2, i4 cover n2, i2; n1, i4, i2; i1, i4, i2
    assert score(topic_77(), ranked("d1", "d2", "d4"), "N-rec@3") == [8 / 9]
    # OIH has the nodes n2, i2, n1, i4, i1, i3
    assert score(topic_77(), ranked("d1", "d3", "d4"), "N-rec(hierarchy='OIH')@3") == [5 / 6]
    assert score(topic_77(), ranked("d1", "d2", "d4"), "N-rec(hierarchy='OIH')@3") == [5 / 6]


def test_sharpened_measures_of_topic_77():
    # UB: W(i) = ¼ for each leaf, W(n1) = ½, W(n2) = ¾; every document has the gain 1 for its intent and all above it.
    specs = ["D#-nDCG@3", "LD#-nDCG@3", "HD#-nDCG@3", "LAD#-nDCG@3"]
    second, third = 1 / math.log2(3), 1 / 2

    # i1, i3, i4. D: GG = ¼, ¼, ¼ is ideal. I-rec = ¾, N-rec = 6/9.
    # HD: GG = (¾+½+¼)/3 = ½ for i1 and i3, (¾+¼+¼)/3 = 5/12 for i4, ¼ for i2: the list is ideal.
    # LA: ¾ ¾ ¾, ½ ½ ¼ and ¼ ¼ ¼ are ideal in their layers.
    assert score(topic_77(), ranked("d1", "d3", "d4"), *specs) == pytest.approx(
        [(3 / 4 + 1) / 2, (6 / 9 + 1) / 2, (6 / 9 + 1) / 2, (6 / 9 + 1) / 2], abs=1e-12
    )

    # i1, i2, i4. D: as before. I-rec = ¾, N-rec = 8/9.
    # HD: ½, ¼, 5/12 where ½, ½, 5/12 is ideal.
    hd = (1 / 2 + 1 / 4 * second + 5 / 12 * third) / (1 / 2 + 1 / 2 * second + 5 / 12 * third)
    # LA: layer 1 has ¾, ¼, ¾ where ¾, ¾, ¾ is ideal; layer 2 ½, ¼, ¼ where ½, ½, ¼ is; layer 3 is ideal.
    first_layer = (3 / 4 + 1 / 4 * second + 3 / 4 * third) / (3 / 4 + 3 / 4 * second + 3 / 4 * third)
    second_layer = (1 / 2 + 1 / 4 * second + 1 / 4 * third) / (1 / 2 + 1 / 2 * second + 1 / 4 * third)
    la = (first_layer + second_layer + 1) / 3
    assert score(topic_77(), ranked("d1", "d2", "d4"), *specs) == pytest.approx(
        [(3 / 4 + 1) / 2, (8 / 9 + 1) / 2, (8 / 9 + hd) / 2, (8 / 9 + la) / 2], abs=1e-12
    )


def test_layer_aware_measures_are_the_mean_of_layers():
    run = ranked("d1", "d2")
    trees = irdiv.Hierarchy(topic_77())
    for spec in ["D#-Q@2", "ERR-IA@2", "alpha-nDCG@2", "I-rec@2", "NRBP"]:
        name, _, cutoff = spec.partition("@")
        aware = f"{name}-LA{'@' + cutoff if cutoff else ''}"
        layers = trees.report(run, "77", spec).layers[str(irdiv.parse(spec))]
        assert score(topic_77(), run, aware) == pytest.approx([layers.mean()], abs=1e-12)
        weighted = str(irdiv.parse(aware)(layer_weights=(1, 2, 5)))
        assert score(topic_77(), run, weighted) == pytest.approx([layers @ [1 / 8, 2 / 8, 5 / 8]], abs=1e-12)


def test_a_topic_with_fewer_layers_gives_its_last_one_the_weights_of_those_it_lacks():
    flat, deep = judged({"d": "a", "e": "b"}, "1"), topic_77()
    both = pd.concat([flat, deep], ignore_index=True)
    run = {**ranked("d", query="1"), **ranked("d2")}
    table = irdiv.evaluate(both, run, ["I-rec@1", "I-rec-LA(layer_weights=(0.5,0.25,0.25))@1"]).values[0]
    assert table[0].tolist() == [1 / 2, 1 / 4]
    # topic 77: ½ · ½ + ¼ · ⅓ + ¼ · ¼
    assert table[1].tolist() == pytest.approx([1 / 2, 1 / 4 + 1 / 12 + 1 / 16])
    with pytest.raises(IrdivError, match="topic '77' has 3 layers, but layer_weights has only 2"):
        irdiv.evaluate(both, run, "I-rec-LA(layer_weights=(1,1))@1")


@pytest.mark.parametrize("seed", range(3))
def test_one_layer_is_flat(seed):
    qrels, run = random_collection(seed).drop(columns="parent_id"), random_run(seed)
    qrels = qrels[~qrels["intent_id"].isin(["m", "n"])]
    pairs = {"N-rec": "I-rec"}
    for base in (base for base in BASES if base.parameters_on_gains is not None):
        pairs[f"HD-{base.name}"] = f"D-{base.name}"
        if base.bounded:
            pairs |= {f"{operator}-{base.name}": f"D#-{base.name}" for operator in ("LD#", "HD#", "LAD#")}
    pairs |= {name: name.removesuffix("-LA") for name in registry if name.endswith("-LA")}
    for cutoff in (None, 5):
        measures = []
        for name, flat in pairs.items():
            one, two = irdiv.parse(name), irdiv.parse(flat)
            measures += [one @ cutoff, two @ cutoff] if cutoff and two.declaration.takes_cutoff else [one, two]
        unique = list(dict.fromkeys(measures))
        of_measure = dict(zip(unique, values(qrels, run, unique), strict=True))
        for one, two in zip(measures[::2], measures[1::2], strict=True):
            np.testing.assert_allclose(of_measure[one], of_measure[two], rtol=0, atol=1e-12, err_msg=str(one))


NDEVAL = ["ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA", "StRecall", "AP_IA", "NRBP", "nNRBP"]


@pytest.mark.parametrize("name", NDEVAL)
def test_ndevals_measures_on_one_layer_are_themselves_to_the_bit(name):
    qrels, run = random_collection(1, weighted=False), random_run(1)
    cutoff = "@5" if irdiv.parse(name).declaration.takes_cutoff else ""
    one, two = values(qrels, run, [f"{name}-LA{cutoff}", f"{name}{cutoff}"])
    np.testing.assert_array_equal(one, two)


def test_ndevals_err_ia_on_each_layer():
    # NG = 1, 1 on layer 1 (top, z), then over Σ 2·(½)^{r−1}/r; and 1, 1 on layer 2 (x, y, z) with 3 for 2
    qrels = irdiv.with_intents(
        judged({"a": "x", "b": "y", "c": "z"}, "1"),
        irdiv.nested_intents({"1": {"top": {"x": None, "y": None}, "z": None}}),
    )
    expected = (1.5 / (2 * 1.25) + 1.5 / (3 * 1.25)) / 2
    assert score(qrels, ranked("a", "c", query="1"), "ERR_IA-LA@2") == pytest.approx([expected])
    assert score(qrels, ranked("a", "c", query="1"), "ERR-IA-LA@2") != pytest.approx([expected])


trees = st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=9).filter(bool)


def named(tree, prefix="n", leaves=None):
    """Return a nested dict with names, and the names of its leaves."""
    leaves = [] if leaves is None else leaves
    out = {}
    for index, below in enumerate(tree):
        name = f"{prefix}{index}"
        if below is None:
            leaves.append(name)
        out[name] = None if below is None else named(below, name, leaves)[0]
    return out, leaves


def as_parents(tree, parent=None):
    return {
        k: v
        for name, below in tree.items()
        for k, v in ({name: parent} | (as_parents(below, name) if below else {})).items()
    }


def weighted_topic(tree, random):
    """Return qrels with one document for each leaf, and the nodes' given weights."""
    nested, leaves = named(tree)
    intents = irdiv.nested_intents({"1": nested})
    intents["probability"] = [random.randint(1, 9) for _ in range(len(intents))]
    qrels = judged({f"d{index}": leaf for index, leaf in enumerate(leaves)}, "1")
    return (
        irdiv.with_intents(qrels, intents),
        nested,
        dict(zip(intents["intent_id"], intents["probability"], strict=True)),
    )


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_weights_are_those_of_the_children_together(tree, random):
    qrels, nested, given_weight = weighted_topic(tree, random)
    for scheme in SCHEMES:
        check_weights(qrels, as_parents(nested), given_weight, scheme)


def check_weights(qrels, parents, given_weight, scheme):
    frame = irdiv.Hierarchy(qrels, weights=scheme).frame
    W = frame.drop_duplicates("node_id").set_index("node_id")["weight"].to_dict()
    children = {node: [n for n, parent in parents.items() if parent == node] for node in [None, *parents]}
    for node, below in children.items():
        if below:
            assert sum(W[child] for child in below) == pytest.approx(1.0 if node is None else W[node], abs=1e-12)
    leaves = [node for node in parents if not children[node]]
    for node in parents:
        siblings, above = children[parents[node]], 1.0 if parents[node] is None else W[parents[node]]
        expected = {
            "UT": above / len(siblings),
            "NT": above * given_weight[node] / sum(given_weight[s] for s in siblings),
            "UB": 1 / len(leaves),
            "NB": given_weight[node] / sum(given_weight[leaf] for leaf in leaves),
        }[scheme]
        if scheme in ("UT", "NT") or node in leaves:
            assert W[node] == pytest.approx(expected, abs=1e-12)
    # in every layer of EIH the weights sum to 1
    assert frame.groupby("layer")["weight"].sum().tolist() == pytest.approx([1.0] * frame["layer"].max())


def redundant_degree(ways: dict[str, list[str]], subset: tuple[str, ...]) -> int:
    """Return the depth of the deepest node that the ways to all leaves of a subset share."""
    return max(
        depth for depth in range(len(ways[subset[0]]) + 1) if len({tuple(ways[leaf][:depth]) for leaf in subset}) == 1
    )


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_extending_leaves_the_redundant_degree_of_every_subset(tree, random):
    qrels, nested, _ = weighted_topic(tree, random)
    parents = as_parents(nested)
    original = {}
    for leaf in set(parents) - set(parents.values()):
        way, node = [], leaf
        while node is not None:
            way.insert(0, node)
            node = parents[node]
        original[leaf] = way
    frame = irdiv.Hierarchy(qrels).frame
    deepest = frame["layer"].max()
    extended = {}
    for leaf in original:
        way, node = [], leaf
        for layer in range(deepest, 0, -1):
            row = frame[(frame["layer"] == layer) & (frame["node_id"] == node)].iloc[0]
            # a link of the chain below a leaf is a node of its own
            way.insert(0, f"{node} in layer {layer}" if row["parent_id"] == node else node)
            node = row["parent_id"]
        extended[leaf] = way
        assert len(way) == deepest
    for size in (2, 3):
        for subset in itertools.combinations(sorted(original), size):
            assert redundant_degree(extended, subset) == redundant_degree(original, subset)


def naive(nested, grades, weight, order, cutoff, hierarchy):
    """HD-nDCG, D-nDCG-LA, N-rec and I-rec-LA by recursion over a tree, for NB, gain 2^x − 1."""

    def leaves(tree):
        return [leaf for name, below in tree.items() for leaf in (leaves(below) if below else [name])]

    kept = {leaf for leaf in leaves(nested) if any(g.get(leaf, 0) > 0 for g in grades.values())}

    def prune(tree):
        pruned = {name: (prune(below) if below else None) for name, below in tree.items()}
        return {name: below for name, below in pruned.items() if below or (below is None and name in kept)}

    tree = prune(nested)

    def height(tree):
        return 1 + max((height(below) for below in tree.values() if below), default=0) if tree else 0

    H = height(tree)
    layers = [[] for _ in range(H)]

    def walk(tree, depth):
        for name, below in tree.items():
            covered_leaves = leaves(below) if below else [name]
            layers[depth].append(covered_leaves)
            if below:
                walk(below, depth + 1)
            elif hierarchy == "EIH":
                for deeper in range(depth + 1, H):
                    layers[deeper].append(covered_leaves)

    walk(tree, 0)
    total = sum(weight[leaf] for leaf in kept)

    def gg(doc, layer):
        W = [sum(weight[leaf] for leaf in node) / total for node in layer]
        grade = [max(grades.get(doc, {}).get(leaf, 0) for leaf in node) for node in layer]
        return sum(w * (2 ** max(x, 0) - 1) for w, x in zip(W, grade, strict=True)) / sum(W)

    def ndcg(gain):
        top = sum(gain(doc) / math.log2(rank + 2) for rank, doc in enumerate(order[:cutoff]))
        ideal = sorted((gain(doc) for doc in grades), reverse=True)[:cutoff]
        return top / sum(g / math.log2(rank + 2) for rank, g in enumerate(ideal))

    def covered(layer):
        return sum(any(grades.get(d, {}).get(i, 0) > 0 for d in order[:cutoff] for i in node) for node in layer)

    hd = ndcg(lambda doc: sum(gg(doc, layer) for layer in layers) / H)
    la = sum(ndcg(lambda doc, layer=layer: gg(doc, layer)) for layer in layers) / H
    n_rec = sum(map(covered, layers)) / sum(map(len, layers))
    i_rec_la = sum(covered(layer) / len(layer) for layer in layers) / H
    return [hd, la, n_rec, i_rec_la]


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_against_a_naive_recursion(tree, random):
    nested, leaves = named(tree)
    docs = [f"d{index}" for index in range(6)]
    grades = {d: {leaf: random.choice([0, 0, 0, 1, 2, -1]) for leaf in leaves} for d in docs}
    grades["d0"][leaves[0]] = 1
    rows = [("1", leaf, doc, grade) for doc, of in grades.items() for leaf, grade in of.items()]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    intents = irdiv.nested_intents({"1": nested})
    weight = {leaf: random.randint(1, 9) / 8 for leaf in leaves}
    intents["probability"] = intents["intent_id"].map(weight)
    order = random.sample([*docs, "u1", "u2"], 7)
    folded = irdiv.with_intents(qrels, intents)
    for hierarchy in ("EIH", "OIH"):
        specs = [f"{name}(hierarchy='{hierarchy}')@4" for name in ("HD-nDCG", "D-nDCG-LA", "N-rec", "I-rec-LA")]
        found = score(folded, ranked(*order, query="1"), *specs)
        assert found == pytest.approx(naive(nested, grades, weight, order, 4, hierarchy), abs=1e-12)


def test_children_that_all_weigh_nothing():
    trees = Trees(parent=np.array([ROOT, 0, 0]), depth=np.array([1, 2, 2]), inner=np.array([True, False, False]))
    topic, present = np.zeros(3, dtype=np.int64), np.ones(3, dtype=bool)
    assert top_down(trees, topic, present, np.array([2.0, 0.0, 0.0])).tolist() == [1.0, 0.0, 0.0]


def test_weights_of_the_default_are_those_of_each_topic():
    weighted = irdiv.with_intents(
        judged({"a": "x", "b": "y"}, "1"), irdiv.nested_intents({"1": {"top": {"x": 3, "y": 1}}})
    )
    both = pd.concat([weighted, topic_77()], ignore_index=True)
    frame = irdiv.Hierarchy(both).frame.query("leaf").drop_duplicates(["query_id", "node_id"])
    assert frame.set_index(["query_id", "node_id"])["weight"].to_dict() == {
        ("1", "x"): 3 / 4,
        ("1", "y"): 1 / 4,
        **{("77", leaf): 1 / 4 for leaf in DOCUMENTS_77.values()},
    }
    with pytest.raises(IrdivError, match="weights='NB' needs the probabilities of intents, but intent 'i1' of topic"):
        irdiv.Hierarchy(both, weights="NB")
    # an inner node without a probability has the sum of its children's
    assert irdiv.Hierarchy(weighted, weights="NT").frame["weight"].tolist() == [1, 3 / 4, 1 / 4]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("i1", "n"), ("n", "m"), ("m", "n")], "is its own ancestor: the tree has a cycle"),
        ([("i1", "i1")], "'i1' of topic '1' is its own ancestor"),
        ([("i1", "nowhere")], "'i1' of topic '1' has the parent 'nowhere', which is not a node of the topic"),
        ([("i1", "i2"), ("i2", None)], "'i2' of topic '1' has relevant documents and nodes below it"),
        ([("i1", "n"), ("n", None)], "'i2' of topic '1' has relevant documents but is not in the topic's hierarchy"),
    ],
)
def test_trees_that_are_none(rows, message):
    intents = pd.DataFrame([("1", *row) for row in rows], columns=["query_id", "intent_id", "parent_id"])
    qrels = irdiv.with_intents(judged({"a": "i1", "b": "i2"}, "1"), intents)
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(qrels, ranked("a", query="1"), "N-rec@5")
    # flat measures do not use the tree
    assert score(qrels, ranked("a", query="1"), "I-rec@5") == [0.5]


def test_rows_that_contradict_each_other_about_the_parent():
    qrels = judged({"a": "i1", "b": "i1"}, "1").assign(parent_id=["x", "y"])
    with pytest.raises(IrdivError, match="two parents, 'x' and 'y'"):
        irdiv.evaluate(qrels, ranked("a", query="1"), "N-rec@5")


def test_the_topic_itself_may_be_named_as_the_root():
    intents = pd.DataFrame([("q", "i1", "q"), ("q", "i2", "q")], columns=["query_id", "intent_id", "parent_id"])
    qrels = irdiv.with_intents(judged({"a": "i1", "b": "i2"}, "q"), intents)
    assert score(qrels, ranked("a", query="q"), "N-rec@5") == [0.5]


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_paths_of_columns_make_the_same_tree(backend):
    rows = [("77", "n2", "n1", "i1", "d1"), ("77", "n2", "n1", "i3", "d3"), ("77", "n2", "i4", None, "d4")]
    qrels = pd.DataFrame([*rows, ("77", "i2", None, None, "d2")], columns=["query_id", "a", "b", "c", "doc_id"])
    qrels["relevance"] = 1
    if backend == "polars":
        import polars as pl

        qrels = pl.from_pandas(qrels)
    made = irdiv.with_paths(qrels, ["a", "b", "c"])
    assert type(made) is type(qrels)
    for run in (ranked("d1", "d3", "d4"), ranked("d1", "d2", "d4")):
        assert score(made, run, "N-rec@3", "LAD#-nDCG@3") == score(topic_77(), run, "N-rec@3", "LAD#-nDCG@3")


def test_heval_makes_the_same_tree(tmp_path):
    lines = ["77 2 .25", "77 1 .75 4 .33333333", "77 1 .75 1 .66666667 1 .5", "77 1 .75 1 .66666667 3 .5"]
    (tmp_path / "heval").write_text("\n".join(lines).replace(" ", "\t"))
    qrels = judged({doc: intent[1:] for doc, intent in DOCUMENTS_77.items()})
    made = irdiv.with_intents(qrels, irdiv.datasets.read_heval(tmp_path / "heval"))
    for run in (ranked("d1", "d3", "d4"), ranked("d1", "d2", "d4")):
        specs = ("N-rec@3", "LAD#-nDCG@3", "HD-Q@3")
        assert score(made, run, *specs) == pytest.approx(score(topic_77(), run, *specs), abs=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irdiv.nested_intents({"1": {"a": {"x": None}, "b": {"x": None}}}), "topic '1' has two nodes 'x'"),
        (lambda: irdiv.nested_intents({"1": "abc"}), "a dict from node to the nodes below it"),
        (lambda: irdiv.nested_intents({"1": {"a": "b"}}), "found 'b'"),
        (lambda: irdiv.with_paths(topic_77(), ["sense"]), "no column 'sense'"),
        (lambda: irdiv.with_paths(topic_77().assign(a=None, b="x"), ["a", "b"]), "row 0 of the qrels has a gap"),
        (lambda: irdiv.Hierarchy(topic_77(), hierarchy="XIH"), "^hierarchy='XIH' is not one of 'EIH', 'OIH'"),
        (lambda: irdiv.Hierarchy(topic_77(), weights="U"), "^weights='U' is not one of"),
        (lambda: irdiv.analysis.hierarchy_nodes(topic_77(), rel=0), "^rel=0 is not an integer of 1 or more"),
        (lambda: irdiv.analysis.node_coverage(topic_77(), ranked("d1"), intents="x"), "^intents='x' is not one of"),
        (lambda: irdiv.Hierarchy(topic_77()).draw("78"), "no topic is called '78'; there are '77'"),
        (lambda: irdiv.Hierarchy(topic_77()).report(ranked("d1"), "77", "N-rec@3"), "N-rec@3 does not score single"),
        (lambda: irdiv.Hierarchy({"1": {"d": 1}}), "needs intents"),
        (lambda: irdiv.nested_intents(["x"]), "a dict from topic to tree"),
        (lambda: irdiv.nested_intents({"1": ["x", {"a": ["b"]}]}), "a name must be a string"),
        (lambda: irdiv.with_paths(topic_77(), []), "one or more columns"),
        (lambda: irdiv.with_paths(topic_77().assign(s="a"), ["s", "s"]), "each once"),
        (
            lambda: irdiv.with_paths(topic_77().assign(s=["a", "a/b"] * 3, t=["b/c", "c"] * 3), ["s", "t"]),
            "are both 'a/b/c'",
        ),
        (
            lambda: irdiv.with_intents(topic_77(), irdiv.nested_intents({"77": ["_root_"]})),
            "that of the root above all intents",
        ),
        (
            lambda: irdiv.Hierarchy(topic_77()).report(ranked("d1"), "77", cutoff=0),
            "cutoff=0 is not an integer of 1 or more",
        ),
        (lambda: irdiv.parse("D-Q-LA(layer_weights=(0,0))"), "is not a sequence of numbers from 0"),
        (lambda: irdiv.parse("D-Q-LA(layer_weights='ab')"), "is not a sequence of numbers from 0"),
    ],
)
def test_bad_hierarchies(make, message):
    with pytest.raises(IrdivError, match=message):
        make()


def test_report_of_a_run():
    report = irdiv.Hierarchy(topic_77()).report(ranked("d1", "x", "d2"), "77", ["I-rec@3", "D-nDCG@3"])
    assert report.layers[["nodes", "covered"]].values.tolist() == [[2, 2], [3, 2], [4, 2]]
    assert report.layers["I-rec@3"].tolist() == pytest.approx([1, 2 / 3, 2 / 4])
    ranks = report.nodes.drop_duplicates("node_id").set_index("node_id")["rank"]
    assert ranks.dropna().to_dict() == {"n2": 1, "n1": 1, "i1": 1, "i2": 3}
    assert "i3  weight 0.250, 1 relevant, not covered" in str(report)
    near = irdiv.Hierarchy(topic_77()).report(ranked("d1", "x", "d2"), "77", cutoff=2).nodes
    assert near.drop_duplicates("node_id").set_index("node_id")["rank"].dropna().to_dict() == {
        "n2": 1,
        "n1": 1,
        "i1": 1,
    }


def test_nodes_and_coverage_as_frames():
    nodes = irdiv.analysis.hierarchy_nodes(topic_77())
    assert nodes.columns.tolist() == ["query_id", "layer", "node_id", "parent_id", "leaf", "weight", "relevant"]
    second = nodes[nodes["layer"] == 2]
    assert second[["node_id", "parent_id", "leaf", "weight", "relevant"]].values.tolist() == [
        ["n1", "n2", False, 1 / 2, 2],
        ["i2", "i2", True, 1 / 4, 1],
        ["i4", "n2", True, 1 / 4, 1],
    ]
    pd.testing.assert_frame_equal(irdiv.Hierarchy(topic_77()).frame, nodes)
    covered = irdiv.analysis.node_coverage(topic_77(), ranked("d1", "x", "d2"), cutoff=2)
    pd.testing.assert_frame_equal(covered.drop(columns="rank"), nodes)
    assert set(covered.loc[covered["rank"] == 1, "node_id"]) == {"n2", "n1", "i1"}
    assert covered["rank"].count() == 3


def test_layers_of_many_topics_do_not_depend_on_blocks(monkeypatch):
    qrels, run, specs = random_collection(0), random_run(0), ["I-rec@5", "D#-nDCG(rel=3)@5"]
    reports = [irdiv.Hierarchy(qrels).report(run, str(topic), specs, cutoff=5) for topic in range(1, 7)]
    monkeypatch.setattr("irdiv.arrays.collection.BLOCK_CELLS", 1)
    scores = irdiv.analysis.layer_scores(qrels, run, specs, cutoff=5)
    nodes = irdiv.analysis.node_coverage(qrels, run, cutoff=5)
    assert scores.columns.tolist() == [
        "run",
        "query_id",
        "layer",
        "nodes",
        "covered",
        *map(str, map(irdiv.parse, specs)),
    ]
    for report in reports:
        of_topic = [frame[frame["query_id"] == report.query_id].reset_index(drop=True) for frame in (nodes, scores)]
        pd.testing.assert_frame_equal(of_topic[0], report.nodes)
        pd.testing.assert_frame_equal(of_topic[1].drop(columns=["run", "query_id"]), report.layers)
    # the covered share of the nodes is I-rec of the layer
    np.testing.assert_allclose(scores["covered"] / scores["nodes"], scores["I-rec@5"])


def test_frames_are_of_the_callers_library():
    pl = pytest.importorskip("polars")
    qrels, run = topic_77(), ranked("d1", "x", "d2")
    trees = irdiv.Hierarchy(pl.from_pandas(qrels))
    report = trees.report(run, "77", ["I-rec@3"])
    expected = irdiv.Hierarchy(qrels).report(run, "77", ["I-rec@3"])
    assert str(report) == str(expected)
    frames = [trees.frame, trees.topic("77"), report.nodes, report.layers]
    frames.append(irdiv.analysis.layer_scores(pl.from_pandas(qrels), run))
    assert all(isinstance(frame, pl.DataFrame) for frame in frames)
    # i3 is not found, nor i4 in two layers
    assert report.nodes["rank"].null_count() == expected.nodes["rank"].isna().sum() == 3


@pytest.mark.parametrize(
    "function",
    [irdiv.Hierarchy, irdiv.analysis.hierarchy_nodes, irdiv.analysis.node_coverage, irdiv.analysis.layer_scores],
)
def test_defaults_are_those_of_the_measures(function):
    taken = signature(function).parameters
    values = irdiv.parse("D-nDCG-LA").parameter_values()
    names = ("hierarchy", "weights", "rel", "intents")
    assert {name: taken[name].default for name in names} == {name: values[name] for name in names}


@pytest.mark.parametrize("spec", ["DIN-nDCG@3", "D-nDCG-LA@3", "nDCG@3"])
def test_measures_that_do_not_score_layers(spec):
    with pytest.raises(IrdivError, match="does not score single layers"):
        irdiv.analysis.layer_scores(topic_77(), ranked("d1"), spec)


@pytest.mark.parametrize(
    "spec", ["I-rec(judged_only=True)@1", "I-rec(rel=2)@3", "I-rec(intents='all')@3", "D#-nDCG(rel=2,intents='all')@2"]
)
def test_layers_are_scored_by_the_parameters_of_the_measure(spec):
    qrels = judged({"a": "x", "b": "y", "c": "z", "e": "x"}, "1").assign(relevance=[1, 2, 2, 2])
    tree = {"top": {"x": 0.2, "y": 0.3, "never": 0.1}, "z": 0.4}
    qrels = irdiv.with_intents(qrels, irdiv.nested_intents({"1": tree}))
    run = ranked("u", "b", "a", "c", query="1")
    layers = irdiv.Hierarchy(qrels).report(run, "1", spec).layers[str(irdiv.parse(spec))]
    name, _, rest = spec.partition("(")
    assert score(qrels, run, f"{name}-LA({rest}") == pytest.approx([layers.mean()], abs=1e-12)


def test_measures_without_weights_need_no_probabilities():
    intents = irdiv.nested_intents({"77": {"n2": {"n1": {"i1": 0.5, "i3": None}, "i4": None}, "i2": None}})
    partly = irdiv.with_intents(judged(DOCUMENTS_77), intents)
    specs = ("I-rec-LA@2", "alpha-nDCG-LA@2", "NRBP-LA", "N-rec@2")
    assert score(partly, ranked("d1"), *specs) == score(topic_77(), ranked("d1"), *specs)
    with pytest.raises(IrdivError, match="I-rec-LA has no parameter 'weights'"):
        irdiv.parse("I-rec-LA(weights='UB')")


def test_weighted_novelty_weighs_nodes():
    # layer 1: top .5, z .5; layer 2: x .2, y .3, z .5; the ideal of the second has z first
    qrels = judged({"a": "x", "b": "y", "c": "z"}, "1")
    tree = {"top": {"x": 0.2, "y": 0.3}, "z": 0.5}
    qrels = irdiv.with_intents(qrels, irdiv.nested_intents({"1": tree}))
    run = ranked("a", "c", query="1")
    second = (0.6 + 1.5 / np.log2(3)) / (1.5 + 0.9 / np.log2(3))
    expected = [(1 + second) / 2, 1.0]
    assert score(qrels, run, "alpha-nDCG-LA(weighted=True)@2", "alpha-nDCG-LA@2") == pytest.approx(expected)
    # UT: top ½, z ½; x ¼, y ¼, z ½
    second = (0.75 + 1.5 / np.log2(3)) / (1.5 + 0.75 / np.log2(3))
    spec = "alpha-nDCG-LA(weighted=True,weights='UT')@2"
    assert score(qrels, run, spec) == pytest.approx([(1 + second) / 2])
    assert str(irdiv.parse("alpha-nDCG-LA")(weights="UT")) == "alpha-nDCG-LA"


def test_a_new_tree_takes_the_place_of_the_old():
    first = irdiv.nested_intents({"77": TREE_77}).assign(probability=1.0)
    second = irdiv.nested_intents({"77": {"other": ["i1", "i3"], "i4": None, "i2": None}}).drop(columns="probability")
    twice = irdiv.with_intents(irdiv.with_intents(judged(DOCUMENTS_77), first), second)
    once = irdiv.with_intents(judged(DOCUMENTS_77), second)
    specs = ("I-rec(intents='all')@2", "N-rec(intents='all')@2", "N-rec@2")
    assert score(twice, ranked("d1"), *specs) == score(once, ranked("d1"), *specs)


def test_a_layer_without_weight_is_refused():
    tree = {"a": {"a1": 0, "a2": 0}, "b": 0.5}
    qrels = irdiv.with_intents(judged({"d": "a1", "e": "a2", "f": "b"}, "1"), irdiv.nested_intents({"1": tree}))
    with pytest.raises(IrdivError, match="have the probability 0"):
        score(qrels, ranked("d", query="1"), "D-nDCG-LA(hierarchy='OIH')@2")


def test_pictures_are_svg_whatever_the_names():
    ET.fromstring(irdiv.Hierarchy(judged({"d": "a\x1b\x00"}, "1")).svg("1"))
    qrels = judged({"d": "<script>&"}, "1")
    svg = ET.fromstring(irdiv.Hierarchy(qrels).svg("1"))
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>&" in texts
    extended = ET.fromstring(irdiv.Hierarchy(topic_77()).svg("77"))
    groups = [group.get("class") for group in extended.iter("{http://www.w3.org/2000/svg}g")]
    # i2 is carried down two layers, i4 one; the topic and six nodes have one box each
    assert groups.count("extended") == 3
    assert len(groups) == 7 + 3


def test_the_command_line(tmp_path, capsys):
    irdiv.datasets.write_ndeval(judged({"d1": "1", "d3": "3", "d4": "4", "d2": "2"}), tmp_path / "qrels")
    (tmp_path / "heval").write_text(
        "77\t2\t.25\n77\t1\t.75\t4\t.4\n77\t1\t.75\t1\t.6\t1\t.5\n77\t1\t.75\t1\t.6\t3\t.5\n"
    )
    (tmp_path / "run").write_text("77 Q0 d1 1 1 x\n")
    base = ["hierarchy", str(tmp_path / "qrels"), "--heval", str(tmp_path / "heval")]
    assert main(base) == 0
    assert "├─ 1@1" in capsys.readouterr().out
    assert main([*base[:2], str(tmp_path / "run"), *base[2:], "-m", "I-rec@5"]) == 0
    assert "rank 1" in capsys.readouterr().out
    assert main([*base, "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main([*base, "-m", "I-rec@5"]) == 2
    assert "give a run too" in capsys.readouterr().err
    scored = [
        "eval",
        str(tmp_path / "qrels"),
        str(tmp_path / "run"),
        "--heval",
        str(tmp_path / "heval"),
        "-m",
        "N-rec@5",
    ]
    assert main(scored) == 0
    assert "0.3333" in capsys.readouterr().out
    assert main([*base, "--topic", "78"]) == 2
    assert "no topic is called '78'" in capsys.readouterr().err


def test_published_hierarchies_of_imine(real_data):
    collection = irdiv.datasets.read_imine(real_data / "ntcir11-imine")
    trees = irdiv.Hierarchy(collection.qrels)
    frame = trees.frame
    assert frame.groupby("layer")["weight"].sum().tolist() == pytest.approx([33, 33])
    # an original hierarchy whose leaves are not all in the second layer: four labels have no parent
    original = irdiv.Hierarchy(collection.qrels, hierarchy="OIH").frame
    assert len(frame) - len(original) == 4
    runs = {p.name: p for p in sorted((real_data / "ntcir11-imine" / "en" / "runs").glob("*.gz"))[:3]}
    specs = ["D#-nDCG@20", "LD#-nDCG@20", "N-rec@20", "I-rec@20", "I-rec-LA@20"]
    d, ld, n_rec, i_rec, _ = np.moveaxis(irdiv.evaluate(collection.qrels, runs, specs).values, 1, 0)
    # with NB the leaves have the flat probabilities, so only recall differs
    np.testing.assert_allclose(ld - n_rec / 2, d - i_rec / 2, rtol=0, atol=1e-12)
