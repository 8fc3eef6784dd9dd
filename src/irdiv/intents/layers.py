"""The layers of intent hierarchies: blocks of topics in which the nodes of a layer take the role of intents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irdiv.core.block import MOST_CELLS, JudgedTopics
from irdiv.core.memo import memoized
from irdiv.errors import IrdivError, counted
from irdiv.intents.trees import Trees, node_weights, trees_of
from irdiv.kernels.lists import ordered_sum, pad, safe_divide
from irdiv.types import Bools, Floats, Ints


class Layer(JudgedTopics):
    """A block whose intents are the nodes of one layer; the grade of a node is the highest grade of its leaves."""

    def __init__(self, topics: JudgedTopics, node_of_intent: Ints, nodes: Ints, weight: Floats) -> None:
        super().__init__(topics.collection, topics.start, topics.stop)
        self._block = topics
        self._node_of_intent = node_of_intent
        """The column of `nodes` that each intent belongs to, as ``[topic, intent]``; -1 for one that has none here."""
        self.nodes = nodes
        """The nodes as ``[topic, column]``, -1 in the padding."""
        self.node_weight = weight
        """The weights of the nodes, which sum to 1 in each topic that has nodes here."""

    @cached_property
    def grades(self) -> Ints:
        """Grades as ``[row, node]``."""
        c, judged = self.collection, self.grade_slice
        topic = np.searchsorted(c.row_start, c.grade_row[judged], side="right") - 1 - self.start
        column = self._node_of_intent[topic, c.grade_intent[judged]]
        in_layer = column >= 0
        grades = np.zeros((self.row_count + 1, self.nodes.shape[1]), dtype=np.int64)
        row = c.grade_row[judged][in_layer] - self.row_base
        np.maximum.at(grades, (row, column[in_layer]), c.grade[judged][in_layer])
        return grades

    @property
    def relevant_rows(self) -> Ints:
        """Relevant documents of the block."""
        return self._block.relevant_rows

    @property
    def relevant_rows_by_id(self) -> Ints:
        """Relevant documents of the block in order of doc id."""
        return self._block.relevant_rows_by_id

    def eligible_intents(self, rel: int, intents: str) -> Bools:
        """Return which columns are nodes; the intents that count were selected before."""
        return self.nodes >= 0

    def intent_weights(self, rel: int, intents: str, renormalize: bool) -> Floats:
        """Return the weights of the nodes."""
        return self.node_weight

    @property
    def node_count(self) -> Ints:
        """How many nodes each topic has in this layer."""
        return np.count_nonzero(self.nodes >= 0, axis=1)


class Layers(NamedTuple):
    """The layers of a block."""

    layers: list[Layer]
    """From the top."""
    leaves: Layer
    """The leaves of all layers as one layer."""
    height: Ints
    """How many layers each topic has."""

    def weights(self, given: Sequence[float] | None) -> Floats:
        """Return the weight of each layer as ``[topic, layer]``.

        Uniform unless given. Where a topic has fewer layers than weights are given, its last layer has those of the
        missing ones, as if its leaves had chains of single children.
        """
        layer = np.arange(1, len(self.layers) + 1)
        exists = layer <= self.height[:, None]
        if given is None:
            return safe_divide(exists.astype(np.float64), self.height[:, None])
        if len(given) < self.height.max():
            topic = self.leaves.collection.topics[self.leaves.start + int(self.height.argmax())]
            raise IrdivError(
                f"topic {topic!r} has {self.height.max()} layers, but layer_weights has only {len(given)}; give one "
                "weight for each layer."
            )
        normalized = np.array(given) / sum(given)
        zeros = np.zeros(len(layer))
        weight = np.concatenate([normalized, zeros])[: len(layer)]
        weight_from_here = np.concatenate([np.cumsum(normalized[::-1])[::-1], zeros])[: len(layer)]
        return np.where(exists, np.where(layer == self.height[:, None], weight_from_here, weight), 0.0)


@memoized
def layers_of(topics: JudgedTopics, rel: int, intents: str, hierarchy: str, weights: str | None) -> Layers:
    """Return the layers of a block for the intents that count; the parameters are those of hierarchical measures."""
    c, block_nodes = topics.collection, topics.intent_slice
    trees = _slice_trees(trees_of(c), block_nodes)
    topic = c.intent_topic[block_nodes] - topics.start
    sizes = topics.intents_per_topic
    counted = topics.eligible_intents(rel, intents)[np.arange(sizes.max(initial=1)) < sizes[:, None]]
    weight = node_weights(topics, trees, topic, counted, weights)
    leaves = np.flatnonzero(counted)
    height = np.zeros(len(topics), dtype=np.int64)
    np.maximum.at(height, topic[leaves], trees.depth[leaves])
    lowest = height[topic[leaves]] if hierarchy == "EIH" else trees.depth[leaves]

    layers: list[Layer] = []
    node, cells = leaves, 0
    # From the deepest layer up, in which the node above each leaf is the parent of that below it.
    for depth in range(int(height.max(initial=1)), 0, -1):
        node = np.where(trees.depth[node] > depth, trees.parent[node], node)
        in_layer = lowest >= depth
        layer = _build_layer(topics, topic, leaves[in_layer], node[in_layer], weight)
        cells += layer.row_count * layer.nodes.shape[1]
        layers.append(layer)
        # Blocks of several topics are made small enough for all their layers.
        if cells > MOST_CELLS:
            raise _too_many_cells(topics, int(height.max()), len(leaves), hierarchy)
    return Layers(layers[::-1], _build_layer(topics, topic, leaves, leaves, weight), height)


def _too_many_cells(topics: JudgedTopics, height: int, leaf_count: int, hierarchy: str) -> IrdivError:
    """Return the error for a topic whose layers have more grades than fit into memory; a few dozen layers fit."""
    documents = counted(topics.row_count, "relevant document", "relevant documents")
    leaves = counted(leaf_count, "leaf", "leaves")
    remedy = "use hierarchy='OIH', whose layers do not repeat the leaves above them, or " if hierarchy == "EIH" else ""
    return IrdivError(
        f"topic {topics.collection.topics[topics.start]!r} has {height} layers; with {documents} and {leaves}, the "
        f"grades of all layers would take more than {MOST_CELLS * 8 / 1e9:.0f} GB. To evaluate it, {remedy}leave out "
        "layers of the tree."
    )


def _slice_trees(trees: Trees, nodes: slice) -> Trees:
    """Return the trees of a slice of nodes, with indices relative to its start."""
    parent = trees.parent[nodes]
    return Trees(
        np.where(parent >= 0, parent - nodes.start, parent),
        trees.depth[nodes],
        trees.inner[nodes],
    )


def _build_layer(topics: JudgedTopics, topic: Ints, leaves: Ints, node: Ints, weight: Floats) -> Layer:
    """Return the layer in which each leaf belongs to the node given for it, nodes by their first leaves."""
    _, first, inverse = np.unique(node, return_index=True, return_inverse=True)
    by_first_leaf = np.argsort(first)
    position = np.argsort(by_first_leaf)
    nodes = node[first[by_first_leaf]]
    counts = np.bincount(topic[nodes], minlength=len(topics))
    start = np.cumsum(counts) - counts
    column = np.full(len(topic), -1)
    column[leaves] = position[inverse] - start[topic[leaves]]
    node_weight = pad(weight[nodes], counts, fill=0.0)
    total = ordered_sum(node_weight)[:, None]
    topics.raise_if_zero_weights((counts > 0) & (total[:, 0] == 0))
    # Only layers of the original hierarchy may lack some of the weight.
    node_weight = np.where(np.abs(total - 1) > 1e-9, safe_divide(node_weight, total), node_weight)
    return Layer(
        topics,
        pad(column, topics.intents_per_topic, fill=-1),
        pad(nodes + topics.intent_slice.start, counts, fill=-1),
        node_weight,
    )
