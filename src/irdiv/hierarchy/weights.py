"""Weights of the nodes of intent hierarchies, W(root) = 1 and W(parent) = Σ W(children)."""

from __future__ import annotations

import numpy as np

from irdiv.hierarchy.trees import ROOT, Trees
from irdiv.kernels.lists import Bools, Floats, Ints


def top_down(trees: Trees, topic: Ints, present: Bools, share: Floats) -> Floats:
    """W(child) = W(parent) · share(child) / Σ share(siblings), for the nodes that are present."""
    nodes = len(topic)
    slot = np.where(trees.parent == ROOT, nodes + topic, trees.parent)
    total = np.bincount(slot[present], weights=share[present], minlength=nodes + int(topic.max(initial=-1)) + 1)
    weight = np.concatenate([np.zeros(nodes), np.ones(len(total) - nodes)])
    for depth in range(1, trees.ancestor.shape[1] + 1):
        here = np.flatnonzero(present & (trees.depth == depth))
        whole = total[slot[here]]
        weight[here] = weight[slot[here]] * np.divide(share[here], whole, out=np.zeros(len(here)), where=whole > 0)
    return weight[:nodes]


def bottom_up(trees: Trees, topic: Ints, leaves: Bools, share: Floats) -> Floats:
    """W(leaf) = share(leaf) / Σ share(leaves of the topic), W(parent) = Σ W(children)."""
    total = np.bincount(topic[leaves], weights=share[leaves], minlength=int(topic.max(initial=-1)) + 1)[topic]
    weight = np.divide(share, total, out=np.zeros(len(topic)), where=leaves & (total > 0))
    return sum_of_children(trees, weight, ~leaves)


def sum_of_children(trees: Trees, weight: Floats, of: Bools) -> Floats:
    """Return weights in which some nodes have the sum of their children's, deepest nodes first."""
    out = np.where(of, 0.0, weight)
    for depth in range(trees.ancestor.shape[1], 1, -1):
        here = np.flatnonzero((trees.depth == depth) & of_parent(trees, of))
        np.add.at(out, trees.parent[here], out[here])
    return out


def of_parent(trees: Trees, chosen: Bools) -> Bools:
    """Tell whether the parent of each node is chosen; the root is not."""
    return np.where(trees.parent == ROOT, False, chosen[trees.parent])
