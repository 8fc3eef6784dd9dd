"""Intent hierarchies from other forms: nested dicts, and paths of columns in the qrels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import narwhals as nw
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import QrelsLike, as_frame, find_columns, optional_ids
from irdiv.frames.ids import as_ids
from irdiv.frames.intents import with_intents
from irdiv.frames.trec import read_qrels

_COLUMNS = ["query_id", "intent_id", "parent_id", "probability"]
SEPARATOR = "/"


def nested_intents(trees: Mapping[Any, Any]) -> pd.DataFrame:
    """Return intent hierarchies given as nested dicts in the form that `irdiv.with_intents` takes.

    Parameters
    ----------
    trees
        From topic to tree. A tree maps each node of the first layer to the nodes below it, or, for a leaf, to its
        probability or None. A list of names stands for leaves without probabilities. Names are unique in a topic.

    Examples
    --------
    >>> nested_intents({"77": {"company": {"tractors": ["sale", "parts"], "jobs": None}, "animal": None}})
      query_id intent_id parent_id  probability
    0       77   company      None          NaN
    1       77  tractors   company          NaN
    2       77      sale  tractors          NaN
    3       77     parts  tractors          NaN
    4       77      jobs   company          NaN
    5       77    animal      None          NaN
    """
    if not isinstance(trees, Mapping):
        raise IrdivError(f"trees are a dict from topic to tree; found {type(trees).__name__!r}.")
    rows = [(str(query), *node) for query, tree in trees.items() for node in _nodes(str(query), tree, None)]
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype({"parent_id": object, "probability": float})
    twice = frame[frame.duplicated(["query_id", "intent_id"])]
    if len(twice):
        query, name = twice[["query_id", "intent_id"]].iloc[0]
        raise IrdivError(f"topic {query!r} has two nodes {name!r}; names are unique in a topic.")
    return frame.assign(parent_id=frame["parent_id"].where(frame["parent_id"].notna(), None))


def _nodes(query: str, tree: Any, parent: str | None) -> Iterator[tuple[str, str | None, Any]]:
    if isinstance(tree, str) or not isinstance(tree, Iterable):
        raise IrdivError(
            f"the tree of topic {query!r} is a dict from node to what is below it, or a list of leaves; found {tree!r}."
        )
    for name, below in tree.items() if isinstance(tree, Mapping) else [(name, None) for name in tree]:
        if not isinstance(name, str | Integral):
            raise IrdivError(f"a node of topic {query!r} is called {name!r}; a name is a string.")
        if below is None or isinstance(below, Real):
            yield str(name), parent, below
        else:
            yield str(name), parent, None
            yield from _nodes(query, below, str(name))


def with_paths(qrels: QrelsLike, columns: Sequence[str]) -> Any:
    """Return qrels whose intents are paths, with the hierarchy that the paths make.

    Parameters
    ----------
    qrels
        A frame in which some columns name the nodes from the first layer down to the judged intent. A row whose intent
        is above the deepest layer has nulls in the last of them.
    columns
        These columns, from the first layer down.

    Returns
    -------
    A frame of the same kind
        With the path, joined by ``/``, as ``intent_id``, and with ``parent_id`` folded in.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("77", "company", "jobs", "d1", 1), ("77", "animal", None, "d2", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "sense", "aspect", "doc_id", "relevance"])
    >>> with_paths(qrels, ["sense", "aspect"])[["intent_id", "doc_id", "relevance", "parent_id"]]
          intent_id         doc_id  relevance parent_id
    0  company/jobs             d1          1   company
    1        animal             d2          1    _root_
    2       company  _no_document_          0    _root_
    """
    frame = as_frame(qrels, "qrels", read_qrels, ("query_id", "doc_id", "relevance"))
    names = find_columns(frame.columns, "qrels", ("query_id", "doc_id", "relevance"), ())
    if isinstance(columns, str) or not columns or len(set(columns)) < len(columns):
        raise IrdivError(f"columns are the names of one or more columns, each once; found {columns!r}.")
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise IrdivError(f"the qrels have no column {examples(missing)}; found {examples(frame.columns, 12)}.")
    cells = zip(*(optional_ids(frame[column]) for column in columns), strict=True)
    paths = [_path(row, path) for row, path in enumerate(cells)]
    tree: dict[tuple[str, str], str | None] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for query, path in zip(as_ids(frame[names["query_id"]], "qrels").to_pylist(), paths, strict=True):
        for depth in range(len(path), 0, -1):
            name = SEPARATOR.join(path[:depth])
            if parts.setdefault(name, path[:depth]) != path[:depth]:
                both = f"{parts[name]} and {path[:depth]}"
                raise IrdivError(f"the paths {both} are both {name!r}; leave {SEPARATOR!r} out of names.")
            tree[query, name] = SEPARATOR.join(path[: depth - 1]) or None
    intents = pd.DataFrame([(*node, parent) for node, parent in tree.items()], columns=_COLUMNS[:3])
    joined = [SEPARATOR.join(path) for path in paths]
    intent = nw.new_series("intent_id", joined, nw.String, backend=nw.get_native_namespace(frame))
    return with_intents(frame.drop(list(columns)).with_columns(intent).to_native(), intents)


def _path(row: int, cells: tuple[str | None, ...]) -> tuple[str, ...]:
    path = tuple(cell for cell in cells if cell is not None)
    if not path or path != cells[: len(path)]:
        raise IrdivError(f"row {row} of the qrels has a gap in its path: {cells}; nulls stand only at its end.")
    return path
