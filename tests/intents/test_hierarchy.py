"""Measures on intent hierarchies: layers and weights of nodes, against sums by hand and a naive recursion."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irdiv
from helpers import random_collection, random_run, values
from irdiv import IrdivError
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry

# TREC topic 77 of DEFINITIONS: q → {n2 → {n1 → {i1, i3}, i4}, i2}
TREE_77 = {"n2": {"n1": ["i1", "i3"], "i4": None}, "i2": None}
DOCUMENTS_77 = {"d1": "i1", "d3": "i3", "d4": "i4", "d2": "i2"}
SCHEMES = ("UT", "UB", "NT", "NB")


def judged(documents: dict[str, str], query: str = "77") -> pd.DataFrame:
    rows = [(query, intent, doc, 1) for doc, intents in documents.items() for intent in intents.split()]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])


def topic_77() -> pd.DataFrame:
    return irdiv.with_intents(judged(DOCUMENTS_77), irdiv.intents.nested_intents({"77": TREE_77}))


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


@pytest.mark.parametrize(
    "spec",
    [
        *("D#-Q@2", "ERR-IA@2", "alpha-nDCG@2", "I-rec@2", "NRBP", "I-rec(judged_only=True)@1", "I-rec(rel=2)@3"),
        *("I-rec(intents='all')@3", "D#-nDCG(rel=2,intents='all')@2"),
    ],
)
def test_layer_aware_measures_are_the_mean_of_layers(spec):
    qrels = judged({"a": "x", "b": "y", "c": "z", "e": "x"}, "1").assign(relevance=[1, 2, 2, 2])
    tree = {"top": {"inner": {"x": 0.2, "y": 0.3}, "never": 0.1}, "z": 0.4}
    qrels = irdiv.with_intents(qrels, irdiv.intents.nested_intents({"1": tree}))
    run = ranked("u", "b", "a", "c", query="1")
    flat = irdiv.parse(spec)
    layers = irdiv.analysis.layer_scores(qrels, run, spec)[str(flat)]
    assert len(layers) == 3
    name = flat.declaration.name
    aware = irdiv.parse(str(flat).replace(name, f"{name}-LA", 1))
    expected = [layers.mean(), layers @ [1 / 8, 2 / 8, 5 / 8]]
    assert score(qrels, run, aware, aware(layer_weights=(1, 2, 5))) == pytest.approx(expected, abs=1e-12)


def test_a_topic_with_fewer_layers_gives_its_last_one_the_weights_of_those_it_lacks():
    flat, deep = judged({"d": "a", "e": "b"}, "1"), topic_77()
    both = pd.concat([flat, deep], ignore_index=True)
    run = {**ranked("d", query="1"), **ranked("d2")}
    table = irdiv.evaluate(both, run, ["I-rec@1", "I-rec-LA(layer_weights=(0.5,0.25,0.25))@1"]).values[0]
    assert table[0].tolist() == [1 / 2, 1 / 4]
    # topic 77: ½ · ½ + ¼ · ⅓ + ¼ · ¼
    assert table[1].tolist() == pytest.approx([1 / 2, 1 / 4 + 1 / 12 + 1 / 16])
    with pytest.raises(IrdivError, match="'77' has 3 layers, .* only 2"):
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


@pytest.mark.parametrize("name", [name for name in registry if f"{name}-LA" in registry and "_" in name])
def test_ndevals_measures_on_one_layer_are_themselves_to_the_bit(name):
    qrels, run = random_collection(1, weighted=False), random_run(1)
    cutoff = "@5" if irdiv.parse(name).declaration.takes_cutoff else ""
    one, two = values(qrels, run, [f"{name}-LA{cutoff}", f"{name}{cutoff}"])
    np.testing.assert_array_equal(one, two, err_msg=name)


def test_ndevals_err_ia_on_each_layer():
    # NG = 1, 1 on layer 1 (top, z), then over Σ 2·(½)^{r−1}/r; and 1, 1 on layer 2 (x, y, z) with 3 for 2
    qrels = irdiv.with_intents(
        judged({"a": "x", "b": "y", "c": "z"}, "1"),
        irdiv.intents.nested_intents({"1": {"top": {"x": None, "y": None}, "z": None}}),
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
    intents = irdiv.intents.nested_intents({"1": nested})
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
    intents = irdiv.intents.nested_intents({"1": nested})
    weight = {leaf: random.randint(1, 9) / 8 for leaf in leaves}
    intents["probability"] = intents["intent_id"].map(weight)
    order = random.sample([*docs, "u1", "u2"], 7)
    folded = irdiv.with_intents(qrels, intents)
    for hierarchy in ("EIH", "OIH"):
        specs = [f"{name}(hierarchy='{hierarchy}')@4" for name in ("HD-nDCG", "D-nDCG-LA", "N-rec", "I-rec-LA")]
        found = score(folded, ranked(*order, query="1"), *specs)
        assert found == pytest.approx(naive(nested, grades, weight, order, 4, hierarchy), abs=1e-12)


def test_children_that_all_weigh_nothing():
    intents = irdiv.intents.nested_intents({"1": {"a": {"a1": 0, "a2": 0}, "b": 0.5}})
    qrels = judged({"d": "a1", "e": "a2", "f": "b"}, "1")
    frame = irdiv.Hierarchy(irdiv.with_intents(qrels, intents), weights="NT").frame
    assert dict(zip(frame["node_id"], frame["weight"], strict=True)) == {"a": 0, "b": 1, "a1": 0, "a2": 0}
    # the weight of a, if it has any, is that of no leaf
    intents.loc[intents["intent_id"] == "a", "probability"] = 0.5
    with pytest.raises(IrdivError, match="topic '1' have the probability 0"):
        irdiv.Hierarchy(irdiv.with_intents(qrels, intents), weights="NT")


@pytest.mark.parametrize(
    ("tree", "documents", "spec"),
    [
        ({"a": 0}, {"d": "a"}, "D-nDCG-LA"),
        ({"x": {"a": 0}, "b": 0.5}, {"d": "a", "e": "b"}, "D-nDCG-LA(hierarchy='OIH')"),
        ({"x": {"a": 0, "c": 0}, "b": 0.5}, {"d": "a", "e": "b", "f": "c"}, "D-nDCG-LA(hierarchy='OIH')"),
    ],
)
def test_a_layer_without_weight_is_refused(tree, documents, spec):
    qrels = irdiv.with_intents(judged(documents, "1"), irdiv.intents.nested_intents({"1": tree}))
    with pytest.raises(IrdivError, match="topic '1' have the probability 0"):
        score(qrels, ranked("d", query="1"), spec)
    n_nodes, n_covered = len(irdiv.intents.nested_intents({"1": tree})), 1 + ("x" in tree)
    assert score(qrels, ranked("d", query="1"), "N-rec(hierarchy='OIH')") == [n_covered / n_nodes]


def test_a_chain_has_as_many_layers_as_nodes():
    chain = irdiv.with_intents(judged({"d": "a"}, "1"), irdiv.intents.nested_intents({"1": {"x": {"y": {"a": 1}}}}))
    specs = ["N-rec@1", *(f"HD-nDCG(weights='{scheme}')@1" for scheme in SCHEMES)]
    assert score(chain, ranked("d", query="1"), *specs) == pytest.approx([1] * 5)
    assert irdiv.Hierarchy(chain).frame["layer"].tolist() == [1, 2, 3]


def test_weights_of_the_default_are_those_of_each_topic():
    weighted = irdiv.with_intents(
        judged({"a": "x", "b": "y"}, "1"), irdiv.intents.nested_intents({"1": {"top": {"x": 3, "y": 1}}})
    )
    both = pd.concat([weighted, topic_77()], ignore_index=True)
    frame = irdiv.Hierarchy(both).frame.query("leaf").drop_duplicates(["query_id", "node_id"])
    assert frame.set_index(["query_id", "node_id"])["weight"].to_dict() == {
        ("1", "x"): 3 / 4,
        ("1", "y"): 1 / 4,
        **{("77", leaf): 1 / 4 for leaf in DOCUMENTS_77.values()},
    }
    with pytest.raises(IrdivError, match="weights='NB' needs .*'i1' of topic '77'"):
        irdiv.Hierarchy(both, weights="NB")
    # an inner node without a probability has the sum of its children's
    assert irdiv.Hierarchy(weighted, weights="NT").frame["weight"].tolist() == [1, 3 / 4, 1 / 4]


def test_layers_of_many_topics_do_not_depend_on_blocks(monkeypatch):
    qrels, run, specs = random_collection(0), random_run(0), ["I-rec@5", "D#-nDCG(rel=3)@5"]
    reports = [irdiv.Hierarchy(qrels).report(run, str(topic), specs, cutoff=5) for topic in range(1, 7)]
    monkeypatch.setattr("irdiv.core.block.BLOCK_CELLS", 1)
    scores = irdiv.analysis.layer_scores(qrels, run, specs, cutoff=5)
    nodes = irdiv.analysis.node_coverage(qrels, run, cutoff=5)
    columns = ["run", "query_id", "layer", "nodes", "covered", *map(str, map(irdiv.parse, specs))]
    assert scores.columns.tolist() == columns
    for report in reports:
        of_topic = [frame[frame["query_id"] == report.query_id].reset_index(drop=True) for frame in (nodes, scores)]
        pd.testing.assert_frame_equal(of_topic[0], report.nodes)
        pd.testing.assert_frame_equal(of_topic[1].drop(columns=["run", "query_id"]), report.layers)
    # the covered share of the nodes is I-rec of the layer
    np.testing.assert_allclose(scores["covered"] / scores["nodes"], scores["I-rec@5"])


def test_measures_without_weights_need_no_probabilities():
    intents = irdiv.intents.nested_intents({"77": {"n2": {"n1": {"i1": 0.5, "i3": None}, "i4": None}, "i2": None}})
    partly = irdiv.with_intents(judged(DOCUMENTS_77), intents)
    specs = ("I-rec-LA@2", "alpha-nDCG-LA@2", "NRBP-LA", "N-rec@2")
    assert score(partly, ranked("d1"), *specs) == score(topic_77(), ranked("d1"), *specs)
    with pytest.raises(IrdivError, match="I-rec-LA has no parameter 'weights'"):
        irdiv.parse("I-rec-LA(weights='UB')")


def test_weighted_novelty_weighs_nodes():
    # layer 1: top .5, z .5; layer 2: x .2, y .3, z .5; the ideal of the second has z first
    qrels = judged({"a": "x", "b": "y", "c": "z"}, "1")
    tree = {"top": {"x": 0.2, "y": 0.3}, "z": 0.5}
    qrels = irdiv.with_intents(qrels, irdiv.intents.nested_intents({"1": tree}))
    run = ranked("a", "c", query="1")
    second = (0.6 + 1.5 / np.log2(3)) / (1.5 + 0.9 / np.log2(3))
    expected = [(1 + second) / 2, 1.0]
    assert score(qrels, run, "alpha-nDCG-LA(weighted=True)@2", "alpha-nDCG-LA@2") == pytest.approx(expected)
    # UT: top ½, z ½; x ¼, y ¼, z ½
    second = (0.75 + 1.5 / np.log2(3)) / (1.5 + 0.75 / np.log2(3))
    spec = "alpha-nDCG-LA(weighted=True,weights='UT')@2"
    assert score(qrels, run, spec) == pytest.approx([(1 + second) / 2])
    assert str(irdiv.parse("alpha-nDCG-LA")(weights="UT")) == "alpha-nDCG-LA"


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
