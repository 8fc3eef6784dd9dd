"""heval, the form of the published intent hierarchies of TREC Web 2009 to 2013."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import NO_PARENT, IntentsLike
from irdiv.frames.ids import natural_order
from irdiv.frames.intent_files import numbered_rows, text_lines
from irdiv.frames.intents import KEYS, intent_facts
from irdiv.frames.trec import NUMBER, PathLike

COLUMNS = ["query_id", "intent_id", "parent_id", "probability"]
_EXAMPLE = "'topic node1 weight1 [node2 weight2 …]' as in '77 1 .75 4 .33333333'"


class _Node(NamedTuple):
    query: str
    path: tuple[str, ...]
    """The ids on the way from the topic down to the node."""


def read_heval(path: PathLike) -> pd.DataFrame:
    """Read intent hierarchies in the form of heval.

    Each line names a leaf: the topic, then each node on the way down with its weight among its siblings, tabs or
    spaces between.

    Returns
    -------
    pandas.DataFrame
        ``query_id, intent_id, parent_id, probability`` as `irdiv.with_intents` takes them. A leaf keeps its number.
        heval calls an inner node by the smallest number below it, so here it is called by that number and its depth,
        as in ``1@2``. The probability of a node is the product of the weights on its way.
    """
    path = Path(path)
    leaves: dict[_Node, int] = {}
    weights: dict[_Node, float] = {}
    lines = text_lines(path, "heval")
    for line, cells in numbered_rows(lines, "\t" if any("\t" in line for line in lines) else None):
        nodes, given = _branch(path, line, cells)
        for depth, weight in enumerate(given, 1):
            node = _Node(cells[0], nodes[:depth])
            if weights.setdefault(node, weight) != weight:
                raise IrdivError(f"{path}, line {line}: node {node.path[-1]} had the weight {weights[node]} before.")
        if _Node(cells[0], nodes) in leaves:
            raise IrdivError(f"{path}, line {line}: leaf {nodes[-1]} of topic {cells[0]} stands twice.")
        leaves[_Node(cells[0], nodes)] = line
    if not leaves:
        raise IrdivError(f"{path}: the heval file is empty; expected {_EXAMPLE}.")
    _refuse_unclear(path, leaves, weights)
    return pd.DataFrame(list(_rows(leaves, weights)), columns=COLUMNS)


def _branch(path: Path, line: int, cells: list[str]) -> tuple[tuple[str, ...], list[float]]:
    nodes, weights = cells[1::2], cells[2::2]
    if not nodes or len(nodes) != len(weights):
        found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
        raise IrdivError(f"{path}, line {line}: found {found}; expected {_EXAMPLE}.")
    if "" in (cells[0], *nodes):
        raise IrdivError(f"{path}, line {line}: the topic or a node is empty; expected {_EXAMPLE}.")
    wrong = next((weight for weight in weights if not NUMBER.holds(weight) or float(weight) < 0), None)
    if wrong is not None:
        raise IrdivError(f"{path}, line {line}: weight is {wrong!r}, not a number of 0 or more; expected {_EXAMPLE}.")
    return tuple(nodes), [float(weight) for weight in weights]


def _refuse_unclear(path: Path, leaves: dict[_Node, int], weights: dict[_Node, float]) -> None:
    """Refuse a leaf with nodes below it, and two leaves or two inner nodes that would have one name."""
    inner = {_Node(node.query, node.path[:depth]) for node in leaves for depth in range(1, len(node.path))}
    named: dict[tuple[str, str], _Node] = {}
    for node, line in leaves.items():
        first = named.setdefault((node.query, node.path[-1]), node)
        if node in inner:
            raise IrdivError(f"{path}, line {line}: leaf {node.path[-1]} of topic {node.query} has nodes below it.")
        if first != node:
            raise IrdivError(f"{path}, line {line}: topic {node.query} has two leaves {node.path[-1]}.")
    for node in weights:
        if node in inner and named.setdefault((node.query, _name(node, inner)), node) != node:
            raise IrdivError(
                f"{path}: topic {node.query} has two nodes {node.path[-1]} at depth {len(node.path)}; a node is called "
                "by the smallest number below it."
            )


def _name(node: _Node, inner: set[_Node] | dict[_Node, int]) -> str:
    return f"{node.path[-1]}@{len(node.path)}" if node in inner else node.path[-1]


def _rows(leaves: dict[_Node, int], weights: dict[_Node, float]) -> Iterator[tuple[str, str, str | None, float]]:
    inner = {node for node in weights if node not in leaves}
    for node in weights:
        way = [_Node(node.query, node.path[:depth]) for depth in range(1, len(node.path) + 1)]
        parent = _name(way[-2], inner) if len(way) > 1 else None
        yield node.query, _name(node, inner), parent, float(np.prod([weights[step] for step in way]))


def to_heval(intents: IntentsLike, path: PathLike) -> None:
    """Write intent hierarchies in the form of heval.

    Parameters
    ----------
    intents
        A frame, or the path of a file, with ``query_id``, an intent column, ``probability`` and, where the tree has
        more than one layer, ``parent_id``: what `read_heval` returns, the ``intents`` of a `TestCollection`, or qrels
        with intents folded in. An inner node without a probability has the sum of its children's.
    path
        The file to write. Inner nodes lose their names, as heval knows none.
    """
    trees: dict[str, dict[str, tuple[str | None, float]]] = {}
    for query, intent, parent, probability in _told(intents):
        trees.setdefault(query, {})[intent] = (parent, probability)
    lines = [line for query, tree in trees.items() for line in _lines(query, tree)]
    Path(path).write_text("".join(lines), encoding="utf-8")


def _told(intents: IntentsLike) -> Iterator[tuple[str, str, str | None, float]]:
    """Yield what is told of each node; rows of qrels that tell nothing are passed over."""
    facts = intent_facts(intents)
    queries, nodes = facts[KEYS[0]].to_list(), facts[KEYS[1]].to_list()
    if "probability" not in facts.columns:
        raise IrdivError("heval needs the probability of each leaf, but the intents tell none.")
    parents = facts["parent_id"].to_list() if "parent_id" in facts.columns else [NO_PARENT] * len(facts)
    weights = facts["probability"].to_numpy().astype(float)
    for query, node, parent, weight in zip(queries, nodes, parents, weights, strict=True):
        if not (parent == NO_PARENT and np.isnan(weight) and node == "0"):
            yield query, node, None if parent == NO_PARENT else parent, weight


def _lines(query: str, tree: dict[str, tuple[str | None, float]]) -> list[str]:
    parents = {node: parent for node, (parent, _) in tree.items()}
    ways = {node: _way(query, node, parents) for node in tree}
    leaves = [node for node in tree if node not in parents.values()]
    untold = [leaf for leaf in leaves if np.isnan(tree[leaf][1])]
    if untold:
        raise IrdivError(
            f"heval needs the probability of each leaf, but topic {query} has none for {examples(untold)}."
        )
    wrong = [name for name in (query, *leaves) if name != name.strip() or not name or set(name) & set("\t\r\n")]
    if wrong:
        raise IrdivError(f"heval separates columns by tabs, but an id of topic {query!r} is {examples(wrong)}.")
    in_order = [leaves[place] for place in natural_order(leaves)]
    smallest: dict[str, str] = {}
    total: dict[str, float] = {}
    for leaf in in_order:
        for node in ways[leaf]:
            smallest.setdefault(node, leaf)
            total[node] = total.get(node, 0.0) + tree[leaf][1]
    inner = {f"{smallest[node]}@{len(ways[node])}" for node in total if node in ways and node not in leaves}
    if inner & set(leaves):
        raise IrdivError(
            f"leaf {min(inner & set(leaves))!r} of topic {query} is called as an inner node would be read."
        )
    given = {node: tree[node][1] if node in tree else np.nan for node in total}
    probability = {node: total[node] if np.isnan(weight) else weight for node, weight in given.items()}
    return ["\t".join([query, *_cells(query, ways[leaf], smallest, probability)]) + "\n" for leaf in in_order]


def _way(query: str, leaf: str, parents: dict[str, str | None]) -> list[str]:
    """Return the nodes from the topic down to a leaf."""
    way = [leaf]
    while (parent := parents.get(way[0])) is not None:
        if parent in way:
            raise IrdivError(f"the intents of topic {query!r} have a cycle: {' → '.join([parent, *way])}.")
        way.insert(0, parent)
    return way


def _cells(query: str, way: list[str], smallest: dict[str, str], probability: dict[str, float]) -> Iterator[str]:
    above = 1.0
    for node in way:
        if above == 0 < probability[node]:
            raise IrdivError(f"node {node!r} of topic {query!r} has a probability, but the node above it has 0.")
        yield smallest[node]
        yield repr(float(probability[node] / above)) if above else "0.0"
        above = probability[node]
