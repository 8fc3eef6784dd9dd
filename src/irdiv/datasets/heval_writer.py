"""Write intent hierarchies in the format of heval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irdiv.datasets.heval_reader import inner_node_id
from irdiv.errors import IrdivError, examples
from irdiv.files import write_atomically
from irdiv.intents.folding import ID_COLUMNS, normalize_intent_table
from irdiv.io.columns import ROOT_ID
from irdiv.io.ids import natural_argsort
from irdiv.io.tables import IntentsLike
from irdiv.types import PathLike


class _Tree(NamedTuple):
    """The hierarchy of a topic, by node."""

    query: str
    parent: dict[str, str | None]
    probability: dict[str, float]
    """NaN where it is missing."""


def write_heval(intent_table: IntentsLike, path: PathLike) -> None:
    """Write intent hierarchies in the format of heval.

    Parameters
    ----------
    intent_table
        A frame, or the path of a file, with ``query_id``, an intent column, ``probability`` and, where the hierarchy
        has more than one layer, ``parent_id``: the result of `read_heval`, the ``intents`` of a `Dataset`, or
        qrels with intents folded in. An inner node without a probability gets the sum of its leaves' probabilities.
    path
        The file to write. Inner nodes lose their names, as heval has none.
    """
    lines = [line for tree in _trees(intent_table) for line in _lines(tree)]
    with write_atomically(path) as file:
        file.write_text("".join(lines), encoding="utf-8")


def _trees(intent_table: IntentsLike) -> list[_Tree]:
    table = normalize_intent_table(intent_table)
    if "probability" not in table.columns:
        raise IrdivError("heval needs the probability of each leaf, but the intent table has no probabilities.")
    queries, nodes = (table[name].to_list() for name in ID_COLUMNS)
    parents = table["parent_id"].to_list() if "parent_id" in table.columns else [ROOT_ID] * len(table)
    probabilities = table["probability"].to_numpy().astype(float)
    trees: dict[str, _Tree] = {}
    for query, node, parent, probability in zip(queries, nodes, parents, probabilities, strict=True):
        # TREC's subtopic 0, under which qrels have irrelevant documents, is not an intent.
        if node == "0" and parent == ROOT_ID and np.isnan(probability):
            continue
        tree = trees.setdefault(query, _Tree(query, {}, {}))
        tree.parent[node] = None if parent == ROOT_ID else parent
        tree.probability[node] = probability
    return list(trees.values())


def _lines(tree: _Tree) -> list[str]:
    """Return a line for each leaf, in natural order of the leaves."""
    path_to = {node: _path_to(node, tree) for node in tree.parent}
    inner = set(tree.parent.values())
    leaves = [node for node in tree.parent if node not in inner]
    _check_leaves(leaves, tree)
    leaves = [leaves[index] for index in natural_argsort(leaves)]
    smallest_leaf = {node: leaf for leaf in reversed(leaves) for node in path_to[leaf]}
    inner_ids = {inner_node_id(smallest_leaf[node], len(path_to[node])) for node in path_to if node in inner}
    if ambiguous := inner_ids & set(leaves):
        raise IrdivError(
            f"leaf {min(ambiguous)!r} of topic {tree.query} has the id that an inner node would have; rename it."
        )
    probability = _node_probabilities(leaves, path_to, tree)
    return ["\t".join([tree.query, *_cells(path_to[leaf], smallest_leaf, probability, tree)]) + "\n" for leaf in leaves]


def _path_to(node: str, tree: _Tree) -> list[str]:
    """Return the nodes from the first layer down to a node."""
    path = [node]
    while (parent := tree.parent.get(path[0])) is not None:
        if parent in path:
            raise IrdivError(f"the intents of topic {tree.query!r} have a cycle: {' → '.join([parent, *path])}.")
        path.insert(0, parent)
    return path


def _check_leaves(leaves: list[str], tree: _Tree) -> None:
    missing = [leaf for leaf in leaves if np.isnan(tree.probability[leaf])]
    if missing:
        raise IrdivError(
            f"heval needs the probability of each leaf, but topic {tree.query} has none for {examples(missing)}."
        )
    wrong = [name for name in (tree.query, *leaves) if name != name.strip() or not name or set(name) & set("\t\r\n")]
    if wrong:
        raise IrdivError(f"heval separates columns by tabs, but an id of topic {tree.query!r} is {examples(wrong)}.")


def _node_probabilities(leaves: list[str], path_to: dict[str, list[str]], tree: _Tree) -> dict[str, float]:
    """Return the probability of each node, the sum over its leaves where it is missing."""
    total: dict[str, float] = {}
    for leaf in leaves:
        for node in path_to[leaf]:
            total[node] = total.get(node, 0.0) + tree.probability[leaf]
    given = {node: tree.probability.get(node, np.nan) for node in total}
    return {node: total[node] if np.isnan(probability) else probability for node, probability in given.items()}


def _cells(path: list[str], smallest_leaf: dict[str, str], probability: dict[str, float], tree: _Tree) -> Iterator[str]:
    """Yield the id and the weight among its siblings of each node on a path."""
    above = 1.0
    for node in path:
        if above == 0 < probability[node]:
            raise IrdivError(
                f"node {node!r} of topic {tree.query!r} has a probability, but the node above it has the probability 0."
            )
        yield smallest_leaf[node]
        yield repr(float(probability[node] / above)) if above else "0.0"
        above = probability[node]
