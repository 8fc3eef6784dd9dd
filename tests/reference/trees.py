"""Intent hierarchies: layers, weights of nodes, and the measures on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .flat import Base, d_measure, global_gain, need_of_gains
from .topic import Topic

Layer = list[tuple[str, float]]
"""Nodes and their weights, which sum to 1."""


class Tree:
    """The intents with a relevant document, and the nodes above them."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.leaves = topic.intents()
        self.paths = {leaf: self._path(leaf) for leaf in self.leaves}
        self.height = max(map(len, self.paths.values()), default=0)

    def _path(self, leaf: str) -> list[str]:
        """Return the nodes from the first layer down to a leaf."""
        path = [leaf]
        while (parent := self.topic.info.get(path[0], {}).get("parent")) is not None:
            path.insert(0, parent)
        return path

    def leaf_weights(self, weights: str | None) -> dict[str, float]:
        """Return the weights of leaves, from which those above follow as sums."""
        given = {leaf: self.topic.weight(leaf) for leaf in self.leaves}
        if weights in ("UT", "NT"):
            return {leaf: self._share(leaf, weights) for leaf in self.leaves}
        if weights == "UB" or all(weight is None for weight in given.values()):
            return dict.fromkeys(self.leaves, 1 / len(self.leaves)) if self.leaves else {}
        return {leaf: weight / sum(given.values()) for leaf, weight in given.items()}

    def _share(self, leaf: str, weights: str) -> float:
        """Return the weight of a leaf where every node shares its own among its children, equally or by their w°."""
        share = 1.0
        for depth, node in enumerate(self.paths[leaf]):
            above = self.paths[leaf][:depth]
            siblings = {path[depth] for path in self.paths.values() if len(path) > depth and path[:depth] == above}
            given = {other: 1.0 if weights == "UT" else self.topic.weight(other) for other in sorted(siblings)}
            share *= given[node] / sum(given.values())
        return share

    def layers(self, hierarchy: str = "EIH", weights: str | None = None) -> list[Layer]:
        """Return the layers from the top; EIH extends a leaf by itself down to the deepest layer."""
        of_leaf = self.leaf_weights(weights)
        layers = []
        for depth in range(self.height):
            layer: dict[str, float] = {}
            for leaf, path in self.paths.items():
                if hierarchy == "EIH" or depth < len(path):
                    node = path[min(depth, len(path) - 1)]
                    layer[node] = layer.get(node, 0.0) + of_leaf[leaf]
            total = sum(layer.values())
            layers.append([(node, weight / total) for node, weight in layer.items()])
        return layers

    def grades(self, node: str) -> dict[str, int]:
        """Return the grades of a node: the highest of the leaves below it."""
        below = [leaf for leaf, path in self.paths.items() if node in path]
        return {doc: max(self.topic.grade(leaf, doc) for leaf in below) for doc in self.topic.documents}

    def as_topic(self, layer: Layer) -> Topic:
        """Return the topic with the nodes of a layer as its intents."""
        nothing = {"type": None, "parent": None, "importance": None}
        info = {node: {"probability": weight, **nothing} for node, weight in layer}
        return replace(self.topic, grades={node: self.grades(node) for node, _ in layer}, info=info)


def layer_shares(height: int, given: Sequence[float] | None) -> list[float]:
    """Return the weights of layers; the last has those of the layers that the tree lacks."""
    if given is None:
        return [1 / height] * height
    shares = [weight / sum(given) for weight in given]
    return [*shares[: height - 1], sum(shares[height - 1 :])]


def n_rec(topic: Topic, cutoff: int | None, hierarchy: str = "EIH") -> float:
    tree = Tree(topic)
    docs = topic.ranking if cutoff is None else topic.ranking[:cutoff]
    nodes = [node for layer in tree.layers(hierarchy, "UB") for node, _ in layer]
    covered = sum(any(tree.grades(node).get(doc, 0) >= 1 for doc in docs) for node in nodes)
    return covered / len(nodes) if nodes else 0.0


def layer_average(
    measure: Callable[[Topic, int | None], float],
    topic: Topic,
    cutoff: int | None,
    hierarchy: str = "EIH",
    weights: str | None = None,
    layer_weights: Sequence[float] | None = None,
) -> float:
    """Return Σ_l w_l·M_l over layers."""
    tree = Tree(topic)
    if not tree.height:
        return 0.0
    layers = zip(layer_shares(tree.height, layer_weights), tree.layers(hierarchy, weights), strict=True)
    return sum(share * measure(tree.as_topic(layer), cutoff) for share, layer in layers)


def hd_measure(
    base: Base,
    topic: Topic,
    cutoff: int | None,
    hierarchy: str = "EIH",
    weights: str | None = None,
    layer_weights: Sequence[float] | None = None,
) -> float:
    """Return a base measure on GG_h = Σ_l w_l·GG_l."""
    tree = Tree(topic)
    if not tree.height:
        return 0.0
    shares = layer_shares(tree.height, layer_weights)
    layers = [(tree.as_topic(layer), dict(layer)) for layer in tree.layers(hierarchy, weights)]

    def gain(doc: str) -> float:
        gains = [global_gain(on_layer, doc, of_nodes) for on_layer, of_nodes in layers]
        return sum(share * of_layer for share, of_layer in zip(shares, gains, strict=True))

    return base(need_of_gains([gain(doc) for doc in topic.ranking], [gain(doc) for doc in topic.documents]), cutoff)


def lad_sharp(
    base: Base, topic: Topic, cutoff: int | None, hierarchy: str = "EIH", weights: str | None = None
) -> float:
    layered = layer_average(lambda on_layer, k: d_measure(base, on_layer, k), topic, cutoff, hierarchy, weights)
    return (n_rec(topic, cutoff, hierarchy) + layered) / 2


def hd_sharp(base: Base, topic: Topic, cutoff: int | None, hierarchy: str = "EIH", weights: str | None = None) -> float:
    return (n_rec(topic, cutoff, hierarchy) + hd_measure(base, topic, cutoff, hierarchy, weights)) / 2


def ld_sharp(base: Base, topic: Topic, cutoff: int | None, hierarchy: str = "EIH", weights: str | None = None) -> float:
    tree = Tree(topic)
    leaves = tree.as_topic(list(tree.leaf_weights(weights).items()))
    return (n_rec(topic, cutoff, hierarchy) + d_measure(base, leaves, cutoff)) / 2
