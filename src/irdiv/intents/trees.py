"""Intent hierarchies as arrays: parents and depths of all nodes of all topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irdiv.errors import IrdivError
from irdiv.frames.columns import ROOT_ID
from irdiv.types import Bools, Ints

if TYPE_CHECKING:
    from irdiv.arrays.compiled import CompiledQrels

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


def trees_of(collection: CompiledQrels) -> Trees:
    """Return the intent hierarchies of a collection, or raise an error that names the wrong node and its topic."""
    return collection.cached(_compile)


def _compile(collection: CompiledQrels) -> Trees:
    parent = _parents(collection)
    depth = _depths(collection, parent)
    inner = np.zeros(len(parent), dtype=bool)
    inner[parent[parent != ROOT]] = True
    _check_inner_nodes(collection, inner)
    _check_judged_intents(collection, parent)
    return Trees(parent, depth, inner)


def _parents(collection: CompiledQrels) -> Ints:
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


def _depths(collection: CompiledQrels, parent: Ints) -> Ints:
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


def _check_inner_nodes(collection: CompiledQrels, inner: Bools) -> None:
    """Raise an error if an inner node has relevant documents of its own."""
    wrong = np.flatnonzero(inner & (collection.intent_best_grade > 0))
    if len(wrong):
        raise IrdivError(
            f"{collection.describe_intent(wrong[0])} has relevant documents and nodes below it; judge documents for "
            "leaves only, as an inner node has the documents of its leaves."
        )


def _check_judged_intents(collection: CompiledQrels, parent: Ints) -> None:
    """Raise an error if an intent with relevant documents is not in the hierarchy of its topic."""
    has_tree = np.zeros(len(collection.topics), dtype=bool)
    has_tree[collection.intent_topic[parent != ROOT]] = True
    missing = has_tree[collection.intent_topic] & ~collection.intent_has_info & (collection.intent_best_grade > 0)
    if missing.any():
        raise IrdivError(
            f"{collection.describe_intent(int(np.argmax(missing)))} has relevant documents but is not in the topic's "
            f"hierarchy; give it a parent, {ROOT_ID!r} if it is in the first layer, or add it to the intent table that "
            "irdiv.with_intents folds in."
        )
