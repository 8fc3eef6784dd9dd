"""Intent hierarchies given as nested dicts, or as columns of the qrels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, overload

import narwhals as nw
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.intents.folding import NonFrame, with_intents
from irdiv.io.columns import QRELS_COLUMNS, find_columns
from irdiv.io.ids import as_ids
from irdiv.io.tables import FrameT, QrelsLike, qrels_frame
from irdiv.io.values import ids_or_none

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_COLUMNS = ["query_id", "intent_id", "parent_id", "probability"]
SEPARATOR = "/"


def nested_intents(trees: Mapping[str, object] | Mapping[int, object]) -> pd.DataFrame:
    """Return intent hierarchies given as nested dicts as an intent table for `irdiv.with_intents`.

    Parameters
    ----------
    trees
        From topic to tree. A tree maps each node of the first layer to the nodes below it, or, for a leaf, to its
        probability or None. A list of names gives leaves without probabilities. Names are unique in a topic.

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
        raise IrdivError(f"trees must be a dict from topic to tree; found {type(trees).__name__!r}.")
    rows = [(str(query), *node) for query, tree in trees.items() for node in _iter_nodes(str(query), tree)]
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype({"parent_id": object, "probability": float})
    repeated = frame[frame.duplicated(["query_id", "intent_id"])]
    if len(repeated):
        query, name = repeated[["query_id", "intent_id"]].iloc[0]
        raise IrdivError(f"topic {query!r} has two nodes {name!r}; names must be unique in a topic.")
    return frame.assign(parent_id=frame["parent_id"].where(frame["parent_id"].notna(), None))


def _iter_nodes(query: str, tree: object) -> Iterator[tuple[str, str | None, Real | None]]:
    """Yield the name, the parent and the probability of each node of a tree, parents before children."""
    # The nodes that are left on each layer of the path to the current one, with their parent: trees may be deeper than
    # Python's stack.
    path: list[tuple[str | None, Iterator[tuple[str, object]]]] = [(None, _children(query, tree))]
    while path:
        parent, siblings = path[-1]
        name, below = next(siblings, (None, None))
        if name is None:
            path.pop()
        elif below is None or isinstance(below, Real):
            yield name, parent, below
        else:
            yield name, parent, None
            path.append((name, _children(query, below)))


def _children(query: str, tree: object) -> Iterator[tuple[str, object]]:
    """Return the names of the first layer of a tree, each with what is below it."""
    if isinstance(tree, str) or not isinstance(tree, Iterable):
        raise IrdivError(
            f"the tree of topic {query!r} must be a dict from node to the nodes below it, or a list of leaves; found "
            f"{tree!r}."
        )
    return _named(query, tree.items() if isinstance(tree, Mapping) else ((name, None) for name in tree))


def _named(query: str, items: Iterable[tuple[object, object]]) -> Iterator[tuple[str, object]]:
    for name, below in items:
        if not isinstance(name, str | Integral):
            raise IrdivError(f"a node of topic {query!r} has the name {name!r}; a name must be a string.")
        yield str(name), below


@overload
def with_paths(qrels: FrameT, columns: Sequence[str]) -> FrameT: ...
@overload
def with_paths(qrels: NonFrame, columns: Sequence[str]) -> pd.DataFrame: ...
@overload
def with_paths(qrels: QrelsLike, columns: Sequence[str]) -> IntoDataFrame: ...
def with_paths(qrels: QrelsLike, columns: Sequence[str]) -> IntoDataFrame:
    """Return qrels whose intents are paths of names, with the hierarchy of these paths folded in.

    Parameters
    ----------
    qrels
        A frame in which some columns hold the names of the nodes from the first layer down to the judged intent. A row
        whose intent is above the deepest layer has nulls in the last of them.
    columns
        The names of these columns, from the first layer down.

    Returns
    -------
    A frame of the library of ``qrels``
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
    frame = qrels_frame(qrels)
    names = find_columns(frame.columns, "qrels", QRELS_COLUMNS)
    if isinstance(columns, str) or not columns or len(set(columns)) < len(columns):
        raise IrdivError(f"columns must be the names of one or more columns, each once; found {columns!r}.")
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise IrdivError(f"the qrels have no column {examples(missing)}; found {examples(frame.columns, 12)}.")
    rows = zip(*(ids_or_none(frame[column]) for column in columns), strict=True)
    paths = [_path_without_nulls(row, cells) for row, cells in enumerate(rows)]
    queries = as_ids(frame[names["query_id"]], "qrels").to_pylist()
    joined = [SEPARATOR.join(path) for path in paths]
    intent = nw.new_series("intent_id", joined, nw.String, backend=nw.get_native_namespace(frame))
    return with_intents(frame.drop(list(columns)).with_columns(intent).to_native(), _paths_to_table(queries, paths))


def _path_without_nulls(row: int, cells: tuple[str | None, ...]) -> tuple[str, ...]:
    path = tuple(cell for cell in cells if cell is not None)
    if not path or path != cells[: len(path)]:
        raise IrdivError(f"row {row} of the qrels has a gap in its path: {cells}; nulls are allowed only at its end.")
    return path


def _paths_to_table(queries: Iterable[str], paths: Iterable[tuple[str, ...]]) -> pd.DataFrame:
    """Return an intent table of the nodes on the paths of each topic, with their parents."""
    parent_of: dict[tuple[str, str], str | None] = {}
    path_of_id: dict[str, tuple[str, ...]] = {}
    for query, path in zip(queries, paths, strict=True):
        for depth in range(len(path), 0, -1):
            node = SEPARATOR.join(path[:depth])
            is_known = (query, node) in parent_of
            if path_of_id.setdefault(node, path[:depth]) != path[:depth]:
                both = f"{path_of_id[node]} and {path[:depth]}"
                raise IrdivError(f"the paths {both} are both {node!r}; leave {SEPARATOR!r} out of names.")
            if is_known:
                break  # and so are the nodes above
            parent_of[query, node] = SEPARATOR.join(path[: depth - 1]) or None
    return pd.DataFrame([(*node, parent) for node, parent in parent_of.items()], columns=_COLUMNS[:3])
