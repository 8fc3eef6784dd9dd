"""heval, the form of the published intent hierarchies of TREC Web 2009 to 2013."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import IntentsLike, as_frame, find_columns
from irdiv.frames.ids import natural_order
from irdiv.frames.intent_files import numbered_rows, read_intents
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
    for line, cells in numbered_rows(path, "heval"):
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
        raise IrdivError(f"{path}, line {line}: found {len(cells)} columns; expected {_EXAMPLE}.")
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
    frame = as_frame(intents, "intents", read_intents, ("query_id", "intent_id", "probability"))
    names = find_columns(frame, "intents", ("query_id", "intent_id", "probability"), ("parent_id",))
    columns = {name: frame[column].to_list() for name, column in names.items()}
    known = pd.DataFrame(columns).reindex(columns=COLUMNS).drop_duplicates(["query_id", "intent_id"])
    for name in ("query_id", "intent_id"):
        known[name] = known[name].astype(str)
    lines: list[str] = []
    for query, rows in known.groupby("query_id", sort=False):
        lines += _lines(str(query), rows)
    Path(path).write_text("".join(lines), encoding="utf-8")


def _lines(query: str, rows: pd.DataFrame) -> list[str]:
    parents = {i: None if pd.isna(p) else str(p) for i, p in zip(rows["intent_id"], rows["parent_id"], strict=True)}
    given = dict(zip(rows["intent_id"], rows["probability"].astype(float), strict=True))
    inner = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in parents if node not in inner and (parents[node] or not np.isnan(given[node]))]
    untold = [leaf for leaf in leaves if np.isnan(given[leaf])]
    if untold:
        raise IrdivError(
            f"heval needs the probability of each leaf, but topic {query} has none for {examples(untold)}."
        )
    ways = {leaf: _way(query, leaf, parents) for leaf in leaves}
    wrong = [node for node in [*inner, *leaves] if any(mark in node for mark in "\t\r\n")]
    if wrong:
        raise IrdivError(f"heval separates columns by tabs, but a node of topic {query} is {examples(wrong)}.")
    rank = {leaves[place]: number for number, place in enumerate(natural_order(leaves))}
    smallest: dict[str, str] = {}
    total: dict[str, float] = {}
    for leaf in sorted(leaves, key=rank.__getitem__):
        for node in ways[leaf]:
            smallest.setdefault(node, leaf)
            total[node] = total.get(node, 0.0) + given[leaf]
    probability = {node: total[node] if np.isnan(given.get(node, np.nan)) else given[node] for node in total}
    return [
        "\t".join([query, *_cells(query, ways[leaf], smallest, probability)]) + "\n"
        for leaf in sorted(leaves, key=rank.__getitem__)
    ]


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
