"""The layers of intent hierarchies: blocks of topics in which nodes stand for intents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irdiv.arrays.block import Block, pad
from irdiv.errors import IrdivError
from irdiv.hierarchy.trees import Trees, trees_of
from irdiv.hierarchy.weights import bottom_up, sum_of_children, top_down
from irdiv.kernels.lists import Bools, Floats, Ints, ordered_sum, ratio


class Layer(Block):
    """A block in which the nodes of one layer stand for intents; a node has the highest grade of its leaves."""

    def __init__(self, block: Block, member: Ints, nodes: Ints, weight: Floats) -> None:
        super().__init__(block.collection, block.start, block.stop)
        self._member = member
        """The column of each intent's node, as ``[topic, intent]``; -1 for an intent that has none here."""
        self.nodes = nodes
        """The nodes as ``[topic, column]``, -1 in the padding."""
        self.node_weight = weight
        """Their weights, which sum to 1 in each topic that has some."""
        self._block = block

    @cached_property
    def grades(self) -> Ints:
        """Grades as ``[row, node]``."""
        block, c, mine = self._block, self.collection, self.judgments
        topic = np.searchsorted(c.row_start, c.grade_row[mine], side="right") - 1 - self.start
        column = self._member[topic, c.grade_place[mine]]
        here = column >= 0
        out = np.zeros((len(block.grades), self.nodes.shape[1]), dtype=np.int64)
        np.maximum.at(out, (c.grade_row[mine][here] - self.row_base, column[here]), c.grade[mine][here])
        return out

    @property
    def pool(self) -> Ints:
        """Relevant documents of the block."""
        return self._block.pool

    @property
    def pool_by_id(self) -> Ints:
        """Relevant documents of the block in order of doc id."""
        return self._block.pool_by_id

    def kept(self, rel: int, intents: str) -> Bools:
        """Return which columns are nodes; the intents that count were chosen before."""
        return self.nodes >= 0

    def weight(self, rel: int, intents: str, renormalise: bool) -> Floats:
        """Return the weights of the nodes."""
        return self.node_weight

    @property
    def number_of_nodes(self) -> Ints:
        """How many nodes each topic has in this layer."""
        return np.count_nonzero(self.nodes >= 0, axis=1)


class Layers(NamedTuple):
    """The layers of a block from the top, the leaves, and how many layers each topic has."""

    layers: list[Layer]
    leaves: Layer
    height: Ints

    def weights(self, given: Sequence[float] | None) -> Floats:
        """Return the weight of each layer as ``[topic, layer]``.

        Uniform unless given. Where a topic has fewer layers than weights are given, its last layer has those of the
        missing ones, as if its leaves had chains of single children.
        """
        layer = np.arange(1, len(self.layers) + 1)
        inside = layer <= self.height[:, None]
        if given is None:
            return ratio(inside.astype(np.float64), self.height[:, None])
        if len(given) < self.height.max(initial=0):
            topic = self.leaves.collection.topics[self.leaves.start + int(self.height.argmax())]
            raise IrdivError(
                f"topic {topic!r} has {self.height.max()} layers, but layer_weights has only {len(given)}; give one "
                "weight for each layer."
            )
        share = np.array(given) / sum(given)
        to_the_end = np.concatenate([np.cumsum(share[::-1])[::-1], np.zeros(len(layer))])[: len(layer)]
        own = np.concatenate([share, np.zeros(len(layer))])[: len(layer)]
        return np.where(inside, np.where(layer == self.height[:, None], to_the_end, own), 0.0)


def layers(block: Block, rel: int, intents: str, hierarchy: str, scheme: str | None) -> Layers:
    """Return the layers of a block for the intents that count."""
    return block.keep(
        ("layers", rel, intents, hierarchy, scheme), lambda: _layers(block, rel, intents, hierarchy, scheme)
    )


def _layers(block: Block, rel: int, intents: str, hierarchy: str, scheme: str | None) -> Layers:
    c = block.collection
    mine = slice(c.intent_start[block.start], c.intent_start[block.stop])
    trees = _part(trees_of(c), mine)
    topic = c.intent_topic[mine] - block.start
    sizes = np.bincount(topic, minlength=len(block))
    kept = block.kept(rel, intents)[np.arange(sizes.max(initial=1)) < sizes[:, None]]
    weight = node_weights(block, trees, topic, kept, scheme)
    leaves = np.flatnonzero(kept)
    height = np.zeros(len(block), dtype=np.int64)
    np.maximum.at(height, topic[leaves], trees.depth[leaves])

    def layer(number: int, chosen: Ints) -> Layer:
        node = trees.ancestor[chosen, number - 1]
        return _layer(block, sizes, topic, chosen, node, weight, mine.start)

    found = []
    for number in range(1, int(height.max(initial=1)) + 1):
        reaches = height[topic[leaves]] if hierarchy == "EIH" else trees.depth[leaves]
        found.append(layer(number, leaves[reaches >= number]))
    return Layers(found, layer(trees.ancestor.shape[1], leaves), height)


def _part(trees: Trees, mine: slice) -> Trees:
    """Return the trees of a slice of topics, with nodes numbered from its start."""
    parent = trees.parent[mine]
    return Trees(
        np.where(parent >= 0, parent - mine.start, parent),
        trees.depth[mine],
        trees.inner[mine],
        trees.ancestor[mine] - mine.start,
    )


def node_weights(block: Block, trees: Trees, topic: Ints, kept: Bools, scheme: str | None) -> Floats:
    """Return W of the nodes above the leaves that are kept, and of these; 0 for the others."""
    c = block.collection
    present = np.zeros(len(topic), dtype=bool)
    present[trees.ancestor[kept].ravel()] = True
    given = c.intent_probability[c.intent_start[block.start] : c.intent_start[block.stop]]
    untold = kept & np.isnan(given)
    if scheme in ("UT", "UB"):
        share = np.ones(len(topic))
    else:
        told_topic = np.bincount(topic[kept & ~untold], minlength=len(block)) > 0
        if scheme is not None and (untold & ~told_topic[topic]).any():
            node = c.intent_start[block.start] + int(np.argmax(untold & ~told_topic[topic]))
            raise IrdivError(
                f"weights={scheme!r} needs the probabilities of intents, but {c.intent_name(node)} has none; use 'UT' "
                "or 'UB', or fold them in with irdiv.with_intents."
            )
        block.refuse_untold(untold & told_topic[topic])
        share = np.where(told_topic[topic], given, 1.0)
    if scheme in ("UT", "NT"):
        share = np.where(np.isnan(share), sum_of_children(trees, np.nan_to_num(share), np.isnan(share)), share)
        weight = top_down(trees, topic, present, share)
    else:
        weight = bottom_up(trees, topic, kept, np.where(kept, share, 0.0))
    total = np.bincount(topic[kept], weights=weight[kept], minlength=len(block))
    block.refuse_weightless((np.bincount(topic[kept], minlength=len(block)) > 0) & ~(np.abs(total - 1) < 1e-6))
    return weight


def _layer(block: Block, sizes: Ints, topic: Ints, leaves: Ints, node: Ints, weight: Floats, base: int) -> Layer:
    """Return the layer in which some leaves belong to some nodes, nodes in the order of their first leaves."""
    _, first, inverse = np.unique(node, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[by_first] = np.arange(len(first))
    nodes = node[first[by_first]]
    counts = np.bincount(topic[nodes], minlength=len(block))
    start = np.cumsum(counts) - counts
    column = np.full(len(topic), -1)
    column[leaves] = rank[inverse] - start[topic[leaves]]
    W = pad(weight[nodes], counts, fill=0.0)
    total = ordered_sum(W)[:, None]
    block.refuse_weightless((counts > 0) & (total[:, 0] == 0))
    # Only layers of the original hierarchy may lack some of the weight.
    W = np.where(np.abs(total - 1) > 1e-9, ratio(W, total), W)
    return Layer(block, pad(column, sizes, fill=-1), pad(nodes + base, counts, fill=-1), W)
