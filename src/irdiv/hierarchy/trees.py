"""Intent hierarchies as arrays: parents, depths and ancestors of all nodes of all topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irdiv.errors import IrdivError
from irdiv.frames.columns import NO_PARENT
from irdiv.kernels.lists import Bools, Ints

if TYPE_CHECKING:
    from irdiv.arrays.collection import Collection

ROOT = -1


class Trees(NamedTuple):
    """A tree for each topic; its nodes are the collection's intents, inner nodes among them, its root is the topic."""

    parent: Ints
    """The parent of each node, or `ROOT`."""
    depth: Ints
    """The layer of each node, from 1."""
    inner: Bools
    ancestor: Ints
    """The node at each depth on the way to a node, as ``[node, depth − 1]``; past its own depth the node itself."""


def trees_of(collection: Collection) -> Trees:
    """Return the intent hierarchies of a collection; an error names the topic and the node at fault."""
    return collection.keep("trees", lambda: _compile(collection))


def _compile(collection: Collection) -> Trees:
    nodes = np.arange(len(collection.intents))
    parent = _parents(collection)
    depth = _depths(collection, parent)
    inner = np.zeros(len(nodes), dtype=bool)
    inner[parent[parent != ROOT]] = True
    _refuse_judged_inner(collection, inner)
    _refuse_unplaced(collection, parent)
    deepest = int(depth.max(initial=1))
    ancestor = np.empty((len(nodes), deepest), dtype=np.int64)
    for layer in range(deepest, 0, -1):
        nodes = np.where(depth[nodes] > layer, parent[nodes], nodes)
        ancestor[:, layer - 1] = nodes
    return Trees(parent, depth, inner, ancestor)


def _parents(collection: Collection) -> Ints:
    parent = np.full(len(collection.intents), ROOT)
    if collection.intent_parent is None:
        return parent
    topics = collection.intent_topic.tolist()
    place = {node: number for number, node in enumerate(zip(topics, collection.intents, strict=True))}
    for node, name in enumerate(collection.intent_parent):
        if name in (None, NO_PARENT):
            continue
        topic = topics[node]
        if (topic, name) in place:
            parent[node] = place[topic, name]
        elif name != collection.topics[topic]:
            raise IrdivError(
                f"{collection.intent_name(node)} has the parent {name!r}, which is no node of the topic; give that one "
                f"a row of its own, with the parent {NO_PARENT!r} if it is in the first layer."
            )
    return parent


def _depths(collection: Collection, parent: Ints) -> Ints:
    depth = np.ones(len(parent), dtype=np.int64)
    above = parent
    while (below_root := above != ROOT).any():
        depth += below_root
        above = np.where(below_root, parent[above], ROOT)
        if depth.max() > len(parent):
            raise IrdivError(
                f"{collection.intent_name(int(depth.argmax()))} is its own ancestor: the tree has a cycle."
            )
    return depth


def _refuse_judged_inner(collection: Collection, inner: Bools) -> None:
    wrong = np.flatnonzero(inner & (collection.intent_best_grade > 0))
    if len(wrong):
        raise IrdivError(
            f"{collection.intent_name(wrong[0])} has relevant documents and nodes below it; documents are judged for "
            "leaves, and an inner node has those of its leaves."
        )


def _refuse_unplaced(collection: Collection, parent: Ints) -> None:
    """Refuse a judged intent of which nothing is told in a topic whose other intents have a hierarchy."""
    has_tree = np.zeros(len(collection.topics), dtype=bool)
    has_tree[collection.intent_topic[parent != ROOT]] = True
    untold = has_tree[collection.intent_topic] & ~collection.intent_told & (collection.intent_best_grade > 0)
    if untold.any():
        raise IrdivError(
            f"{collection.intent_name(int(np.argmax(untold)))} has relevant documents but no place in the topic's "
            f"hierarchy; give it a parent, {NO_PARENT!r} if it is in the first layer, or name it in the intents that "
            "irdiv.with_intents folds in."
        )
