"""Read intent hierarchies in the format of heval, in which those of TREC Web 2009 to 2013 are published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.io.text import rows_with_line_numbers, text_lines
from irdiv.io.trec import FLOAT
from irdiv.types import PathLike

_COLUMNS = ["query_id", "intent_id", "parent_id", "probability"]
_EXAMPLE = "'topic node1 weight1 [node2 weight2 …]' as in '77 1 .75 4 .33333333'"


class _Node(NamedTuple):
    query: str
    path: tuple[str, ...]
    """The ids from the first layer down to the node."""

    def nodes_on_path(self) -> list[_Node]:
        """Return the nodes from the first layer down to this one."""
        return [_Node(self.query, self.path[:depth]) for depth in range(1, len(self.path) + 1)]


def read_heval(path: PathLike) -> pd.DataFrame:
    """Read intent hierarchies in the format of heval.

    Each line describes a leaf: the topic, then each node from the first layer down to the leaf with its weight among
    its siblings, separated by tabs or spaces.

    Returns
    -------
    pandas.DataFrame
        ``query_id, intent_id, parent_id, probability``, an intent table for `irdiv.with_intents`. A leaf keeps its id.
        heval identifies an inner node by the smallest id below it, so here its id is that one and its depth, as
        in ``1@2``. The probability of a node is the product of the weights from the first layer down to it.
    """
    path = Path(path)
    line_of_leaf: dict[_Node, int] = {}
    weights: dict[_Node, float] = {}
    lines = text_lines(path, "heval")
    for line_number, cells in rows_with_line_numbers(lines, "\t" if any("\t" in line for line in lines) else None):
        leaf, leaf_weights = _parse_leaf(path, line_number, cells)
        for node, weight in zip(leaf.nodes_on_path(), leaf_weights, strict=True):
            if weights.setdefault(node, weight) != weight:
                raise IrdivError(
                    f"{path}, line {line_number}: node {node.path[-1]} had the weight {weights[node]} before."
                )
        if leaf in line_of_leaf:
            raise IrdivError(f"{path}, line {line_number}: leaf {leaf.path[-1]} of topic {leaf.query} occurs twice.")
        line_of_leaf[leaf] = line_number
    if not line_of_leaf:
        raise IrdivError(f"{path}: the heval file is empty; expected {_EXAMPLE}.")
    _check_ids(path, line_of_leaf, weights)
    return pd.DataFrame(list(_rows(line_of_leaf, weights)), columns=_COLUMNS)


def _parse_leaf(path: Path, line_number: int, cells: list[str]) -> tuple[_Node, list[float]]:
    """Return the leaf that a line describes, and the weights of the nodes from the first layer down to it."""
    ids, weights = cells[1::2], cells[2::2]
    if not ids or len(ids) != len(weights):
        found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
        raise IrdivError(f"{path}, line {line_number}: found {found}; expected {_EXAMPLE}.")
    if "" in (cells[0], *ids):
        raise IrdivError(f"{path}, line {line_number}: the topic or a node is empty; expected {_EXAMPLE}.")
    wrong = next((weight for weight in weights if not FLOAT.accepts(weight) or float(weight) < 0), None)
    if wrong is not None:
        raise IrdivError(
            f"{path}, line {line_number}: weight is {wrong!r}, not a number of 0 or more; expected {_EXAMPLE}."
        )
    return _Node(cells[0], tuple(ids)), [float(weight) for weight in weights]


def _check_ids(path: Path, line_of_leaf: dict[_Node, int], weights: dict[_Node, float]) -> None:
    """Raise an error if a leaf has nodes below it, or if two leaves or two inner nodes would have the same id."""
    inner = {node for leaf in line_of_leaf for node in leaf.nodes_on_path()[:-1]}
    node_of_id: dict[tuple[str, str], _Node] = {}
    for leaf, line_number in line_of_leaf.items():
        first = node_of_id.setdefault((leaf.query, leaf.path[-1]), leaf)
        if leaf in inner:
            raise IrdivError(
                f"{path}, line {line_number}: leaf {leaf.path[-1]} of topic {leaf.query} has nodes below it."
            )
        if first != leaf:
            raise IrdivError(f"{path}, line {line_number}: topic {leaf.query} has two leaves {leaf.path[-1]}.")
    for node in weights:
        if (
            node in inner
            and node_of_id.setdefault((node.query, inner_node_id(node.path[-1], len(node.path))), node) != node
        ):
            raise IrdivError(
                f"{path}: topic {node.query} has two nodes {node.path[-1]} at depth {len(node.path)}; heval identifies "
                "a node by the smallest id below it."
            )


def _rows(line_of_leaf: dict[_Node, int], weights: dict[_Node, float]) -> Iterator[tuple[str, str, str | None, float]]:
    for node in weights:
        intent = node.path[-1] if node in line_of_leaf else inner_node_id(node.path[-1], len(node.path))
        parent = inner_node_id(node.path[-2], len(node.path) - 1) if len(node.path) > 1 else None
        yield node.query, intent, parent, float(np.prod([weights[step] for step in node.nodes_on_path()]))


def inner_node_id(smallest_leaf: str, depth: int) -> str:
    """Return the id of an inner node, given the smallest id of a leaf below it."""
    return f"{smallest_leaf}@{depth}"
