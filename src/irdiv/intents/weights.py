"""Weights of the nodes of intent hierarchies, W(root) = 1 and W(parent) = Σ W(children)."""

from __future__ import annotations

import numpy as np

from irdiv.arrays.blocks import JudgedBlock
from irdiv.errors import IrdivError
from irdiv.intents.trees import ROOT, Trees
from irdiv.types import Bools, Floats, Ints


def node_weights(block: JudgedBlock, trees: Trees, topic: Ints, counted: Bools, weights: str | None) -> Floats:
    """Return W of the leaves that count and of the nodes above them; 0 for the other nodes.

    ``trees`` and ``topic`` are those of the block's nodes; ``weights`` is "UT", "UB", "NT", "NB" or None, the parameter
    of the hierarchical measures.
    """
    uniform = weights in ("UT", "UB")
    raw_weight = np.ones(len(topic)) if uniform else _probabilities_or_ones(block, topic, counted, weights)
    if weights in ("UT", "NT"):
        present = _with_ancestors(trees, counted)
        raw_weight = with_sums_of_children(trees, np.nan_to_num(raw_weight), np.isnan(raw_weight))
        weight = top_down(trees, topic, present, raw_weight)
    else:
        weight = bottom_up(trees, topic, counted, raw_weight)
    total = np.bincount(topic[counted], weights=weight[counted], minlength=len(block))
    has_leaves = np.bincount(topic[counted], minlength=len(block)) > 0
    block.raise_if_zero_weights(has_leaves & ~(np.abs(total - 1) < 1e-6))
    return weight


def _probabilities_or_ones(block: JudgedBlock, topic: Ints, counted: Bools, weights: str | None) -> Floats:
    """Return the probabilities of the nodes, or 1 for all nodes of a topic that has none."""
    c = block.collection
    probability = c.intent_probability[block.intent_slice]
    missing = counted & np.isnan(probability)
    topic_has_some = np.bincount(topic[counted & ~missing], minlength=len(block)) > 0
    in_topic_without = missing & ~topic_has_some[topic]
    if weights is not None and in_topic_without.any():
        node = block.intent_slice.start + int(np.argmax(in_topic_without))
        raise IrdivError(
            f"weights={weights!r} needs the probabilities of intents, but {c.describe_intent(node)} has none; use 'UT' "
            "or 'UB', or fold them in with irdiv.with_intents."
        )
    block.raise_if_missing_probabilities(missing & topic_has_some[topic])
    return np.where(topic_has_some[topic], probability, 1.0)


def _with_ancestors(trees: Trees, nodes: Bools) -> Bools:
    """Return which nodes are selected or above a selected one."""
    out = nodes.copy()
    for depth in range(trees.height, 1, -1):
        out[trees.parent[out & (trees.depth == depth)]] = True
    return out


def top_down(trees: Trees, topic: Ints, present: Bools, raw_weight: Floats) -> Floats:
    """W(child) = W(parent) · raw weight(child) / Σ raw weight(siblings), for the nodes that are present."""
    nodes = len(topic)
    parent_or_topic = np.where(trees.parent == ROOT, nodes + topic, trees.parent)
    total = np.bincount(parent_or_topic[present], weights=raw_weight[present], minlength=nodes)
    weight = np.concatenate([np.zeros(nodes), np.ones(len(total) - nodes)])
    for depth in range(1, trees.height + 1):
        layer = np.flatnonzero(present & (trees.depth == depth))
        above = parent_or_topic[layer]
        positive = total[above] > 0
        weight[layer] = weight[above] * np.divide(
            raw_weight[layer], total[above], out=np.zeros(len(layer)), where=positive
        )
    return weight[:nodes]


def bottom_up(trees: Trees, topic: Ints, leaves: Bools, raw_weight: Floats) -> Floats:
    """W(leaf) = raw weight(leaf) / Σ raw weight(leaves of the topic), W(parent) = Σ W(children)."""
    total = np.bincount(topic, weights=np.where(leaves, raw_weight, 0.0))[topic]
    weight = np.divide(raw_weight, total, out=np.zeros(len(topic)), where=leaves & (total > 0))
    return with_sums_of_children(trees, weight, ~leaves)


def with_sums_of_children(trees: Trees, weight: Floats, nodes: Bools) -> Floats:
    """Return the weights with that of each selected node replaced by the sum over its children."""
    out = np.where(nodes, 0.0, weight)
    for depth in range(trees.height, 1, -1):
        children = np.flatnonzero((trees.depth == depth) & _has_parent_in(trees, nodes))
        np.add.at(out, trees.parent[children], out[children])
    return out


def _has_parent_in(trees: Trees, nodes: Bools) -> Bools:
    """Return whether the parent of each node is among those selected; the root is not."""
    return np.where(trees.parent == ROOT, False, nodes[trees.parent])
