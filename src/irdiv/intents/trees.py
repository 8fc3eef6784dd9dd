"""Intent hierarchies as arrays: parents, depths and weights of the nodes, W(root) = 1 and W(parent) = Σ W(children)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irdiv.core.block import JudgedTopics
from irdiv.core.collection import Collection
from irdiv.core.memo import memoized
from irdiv.errors import IrdivError
from irdiv.io.columns import ROOT_ID
from irdiv.types import Bools, Floats, Ints

ROOT = -1


class Trees(NamedTuple):
    """A tree for each topic; its nodes are the collection's intents, including inner nodes, its root is the topic."""

    parent: Ints
    """The parent of each node, or `ROOT`."""
    depth: Ints
    """The layer of each node, from 1."""
    inner: Bools
    """Whether each node has nodes below it."""

    @property
    def height(self) -> int:
        """The largest depth of all nodes."""
        return int(self.depth.max(initial=1))


@memoized
def trees_of(collection: Collection) -> Trees:
    """Return the intent hierarchies of a collection, or raise an error that names the wrong node and its topic."""
    parent = _parents(collection)
    depth = _depths(collection, parent)
    inner = np.zeros(len(parent), dtype=bool)
    inner[parent[parent != ROOT]] = True
    _check_inner_nodes(collection, inner)
    _check_judged_intents(collection, parent)
    return Trees(parent, depth, inner)


def _parents(collection: Collection) -> Ints:
    parent = np.full(len(collection.intents), ROOT)
    if collection.intent_parent is None:
        return parent
    topics = collection.intent_topic.tolist()
    index_of = {pair: index for index, pair in enumerate(zip(topics, collection.intents, strict=True))}
    for node, name in enumerate(collection.intent_parent):
        if name in (None, ROOT_ID):
            continue
        topic = topics[node]
        if (topic, name) in index_of:
            parent[node] = index_of[topic, name]
        elif name != collection.topics[topic]:
            raise IrdivError(
                f"{collection.describe_intent(node)} has the parent {name!r}, which is not a node of the topic; give "
                f"that node a row of its own, with the parent {ROOT_ID!r} if it is in the first layer."
            )
    return parent


def _depths(collection: Collection, parent: Ints) -> Ints:
    depth = np.ones(len(parent), dtype=np.int64)
    most_layers = int(np.diff(collection.intent_start).max(initial=0))
    node = np.flatnonzero(parent != ROOT)
    above = parent[node]
    # Only nodes that are deeper take part in a step, so that one deep tree does not cost a step of all the others.
    while len(node):
        depth[node] += 1
        if depth[node[0]] > most_layers:
            raise IrdivError(f"{collection.describe_intent(int(node[0]))} is its own ancestor: the tree has a cycle.")
        above = parent[above]
        deeper = above != ROOT
        node, above = node[deeper], above[deeper]
    return depth


def _check_inner_nodes(collection: Collection, inner: Bools) -> None:
    """Raise an error if an inner node has relevant documents of its own."""
    wrong = np.flatnonzero(inner & (collection.intent_best_grade > 0))
    if len(wrong):
        raise IrdivError(
            f"{collection.describe_intent(wrong[0])} has relevant documents and nodes below it; judge documents for "
            "leaves only, as an inner node has the documents of its leaves."
        )


def _check_judged_intents(collection: Collection, parent: Ints) -> None:
    """Raise an error if an intent with relevant documents is not in the hierarchy of its topic."""
    has_tree = np.bincount(collection.intent_topic[parent != ROOT], minlength=len(collection.topics)) > 0
    missing = has_tree[collection.intent_topic] & ~collection.intent_has_info & (collection.intent_best_grade > 0)
    if missing.any():
        raise IrdivError(
            f"{collection.describe_intent(int(np.argmax(missing)))} has relevant documents but is not in the topic's "
            f"hierarchy; give it a parent, {ROOT_ID!r} if it is in the first layer, or add it to the intent table that "
            "irdiv.with_intents folds in."
        )


def node_weights(topics: JudgedTopics, trees: Trees, topic: Ints, counted: Bools, weights: str | None) -> Floats:
    """Return W of the leaves that count and of the nodes above them; 0 for the other nodes.

    ``trees`` and ``topic`` are those of the block's nodes; ``weights`` is "UT", "UB", "NT", "NB" or None, the parameter
    of the hierarchical measures.
    """
    uniform = weights in ("UT", "UB")
    raw_weight = np.ones(len(topic)) if uniform else _probabilities_or_ones(topics, topic, counted, weights)
    if weights in ("UT", "NT"):
        present = _with_ancestors(trees, counted)
        raw_weight = with_sums_of_children(trees, np.nan_to_num(raw_weight), np.isnan(raw_weight))
        weight = top_down(trees, topic, present, raw_weight)
    else:
        weight = bottom_up(trees, topic, counted, raw_weight)
    total = np.bincount(topic[counted], weights=weight[counted], minlength=len(topics))
    has_leaves = np.bincount(topic[counted], minlength=len(topics)) > 0
    topics.raise_if_zero_weights(has_leaves & ~(np.abs(total - 1) < 1e-6))
    return weight


def _probabilities_or_ones(topics: JudgedTopics, topic: Ints, counted: Bools, weights: str | None) -> Floats:
    """Return the probabilities of the nodes, or 1 for all nodes of a topic that has none."""
    c = topics.collection
    probability = c.intent_probability[topics.intent_slice]
    missing = counted & np.isnan(probability)
    topic_has_some = np.bincount(topic[counted & ~missing], minlength=len(topics)) > 0
    in_topic_without = missing & ~topic_has_some[topic]
    if weights is not None and in_topic_without.any():
        node = topics.intent_slice.start + int(np.argmax(in_topic_without))
        raise IrdivError(
            f"weights={weights!r} needs the probabilities of intents, but {c.describe_intent(node)} has none; use 'UT' "
            "or 'UB', or fold them in with irdiv.with_intents."
        )
    topics.raise_if_missing_probabilities(missing & topic_has_some[topic])
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
        children = np.flatnonzero(trees.depth == depth)
        children = children[nodes[trees.parent[children]]]
        np.add.at(out, trees.parent[children], out[children])
    return out
