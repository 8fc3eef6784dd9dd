"""Intent hierarchies as frames, text and pictures, and reports of what a run covers of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from irdiv.analysis.hierarchy import (
    DEFAULT_CUTOFF,
    LayerOptions,
    collection_with_intents,
    coverage_and_scores,
    node_frame,
)
from irdiv.core.collection import Collection
from irdiv.core.run_checks import order_checked_run
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties
from irdiv.errors import IrdivError, examples
from irdiv.io.tables import Backend, FrameHolder, FrameT, FrameT_co, QrelsLike, RunLike, common_backend, from_pandas
from irdiv.measures.spec import MeasuresLike
from irdiv.show.trees import Node, tree_as_svg, tree_as_text


class Hierarchy(FrameHolder[FrameT_co]):
    """The intent hierarchies of a collection, as the hierarchical measures use them.

    Its frames are of the library of the qrels.

    Parameters
    ----------
    qrels
        Diversity qrels with ``parent_id`` folded in by `irdiv.with_intents`, or a `Collection`. A topic without parents
        is a tree of one layer.
    hierarchy, weights, rel, intents
        As of `irdiv.analysis.hierarchy_nodes`.

    Examples
    --------
    >>> import pandas as pd
    >>> import irdiv
    >>> rows = [("77", "sale", "a", 1), ("77", "parts", "b", 1), ("77", "jobs", "c", 1), ("77", "animal", "d", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> tree = {"company": {"tractors": ["sale", "parts"], "jobs": None}, "animal": None}
    >>> hierarchy = irdiv.Hierarchy(irdiv.with_intents(qrels, irdiv.intents.nested_intents({"77": tree})))
    >>> print(hierarchy.draw("77"))
    77
    ├─ animal       weight 0.250, 1 relevant, layers 1 to 3
    └─ company      weight 0.750, 3 relevant
       ├─ jobs      weight 0.250, 1 relevant, layers 2 to 3
       └─ tractors  weight 0.500, 2 relevant
          ├─ parts  weight 0.250, 1 relevant
          └─ sale   weight 0.250, 1 relevant
    """

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: Hierarchy[FrameT],
            qrels: FrameT,
            *,
            hierarchy: str = ...,
            weights: str | None = ...,
            rel: int = ...,
            intents: str = ...,
        ) -> None: ...
        @overload
        def __init__(
            self: Hierarchy[Any],
            qrels: Collection,
            *,
            hierarchy: str = ...,
            weights: str | None = ...,
            rel: int = ...,
            intents: str = ...,
        ) -> None: ...
        @overload
        def __init__(
            self: Hierarchy[pd.DataFrame],
            qrels: QrelsLike,
            *,
            hierarchy: str = ...,
            weights: str | None = ...,
            rel: int = ...,
            intents: str = ...,
        ) -> None: ...

    def __init__(
        self,
        qrels: QrelsLike | Collection,
        *,
        hierarchy: str = "EIH",
        weights: str | None = None,
        rel: int = 1,
        intents: str = "relevant",
    ) -> None:
        self.backend = common_backend(qrels)
        self.collection = collection_with_intents(qrels)
        self._options = LayerOptions.checked(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents)
        self._nodes = node_frame(self.collection, self._options)

    def __repr__(self) -> str:
        nodes = len(self._nodes.drop_duplicates(["query_id", "node_id"]))
        layers = self._nodes["layer"].max() if len(self._nodes) else 0
        return f"Hierarchy(topics: {len(self.collection.topics)}, nodes: {nodes}, most layers: {layers})"

    @cached_property
    def frame(self) -> FrameT_co:
        """The nodes of all topics, as `irdiv.analysis.hierarchy_nodes` returns them."""
        nodes: FrameT_co = from_pandas(self._nodes.copy(), self.backend)
        return nodes

    def topic(self, query_id: object) -> FrameT_co:
        """Return the rows of `frame` for one topic."""
        nodes: FrameT_co = from_pandas(self._topic_nodes(query_id), self.backend)
        return nodes

    def _topic_nodes(self, query_id: object) -> pd.DataFrame:
        self._require_topics([query_id])
        return _rows_of(self._nodes, str(query_id))

    def _require_topics(self, query_ids: Iterable[object]) -> None:
        unknown = [query_id for query_id in query_ids if str(query_id) not in self.collection.topic_index]
        if unknown:
            raise IrdivError(f"no topic is called {unknown[0]!r}; there are {examples(self.collection.topics)}.")

    def draw(self, query_id: object) -> str:
        """Return the tree of a topic as text."""
        return tree_as_text(_tree(str(query_id), self._topic_nodes(query_id), with_extended=False))

    def svg(self, query_id: object) -> str:
        """Return the tree of a topic as an SVG picture."""
        return tree_as_svg(_tree(str(query_id), self._topic_nodes(query_id), with_extended=True))

    def report(
        self,
        run: RunLike,
        query_id: object,
        measures: MeasuresLike | None = None,
        *,
        cutoff: int | None = DEFAULT_CUTOFF,
        ties: Ties = DEFAULT_TIES,
        duplicates: Duplicates = DEFAULT_DUPLICATES,
    ) -> LayerReport[FrameT_co]:
        """Return which nodes of a topic a run covers, at which ranks, and the score of each layer.

        Parameters
        ----------
        run
            A run in any form that `irdiv.evaluate` takes.
        query_id
            The topic.
        measures, cutoff, ties, duplicates
            As of `irdiv.analysis.layer_scores`.
        """
        return next(self.reports(run, [query_id], measures, cutoff=cutoff, ties=ties, duplicates=duplicates))

    def reports(
        self,
        run: RunLike,
        query_ids: Iterable[object] | None = None,
        measures: MeasuresLike | None = None,
        *,
        cutoff: int | None = DEFAULT_CUTOFF,
        ties: Ties = DEFAULT_TIES,
        duplicates: Duplicates = DEFAULT_DUPLICATES,
    ) -> Iterator[LayerReport[FrameT_co]]:
        """Yield the reports of several topics, by default of all; the run is read once."""
        topics = list(self.collection.topics if query_ids is None else map(str, query_ids))
        self._require_topics(topics)
        ordered = order_checked_run(self.collection, run, ties=ties, duplicates=duplicates)
        nodes, layers = coverage_and_scores(ordered, measures, self._options, cutoff)
        for topic in topics:
            table = _rows_of(layers, topic).drop(columns="query_id")
            yield LayerReport(topic, _rows_of(nodes, topic), table, self.backend)


class LayerReport(FrameHolder[FrameT_co]):
    """What a run covers of a topic's hierarchy; it prints as the tree and the table of layers."""

    def __init__(self, query_id: str, nodes: pd.DataFrame, layers: pd.DataFrame, backend: Backend) -> None:
        self.query_id = query_id
        self.backend = backend
        self._nodes, self._layers = nodes, layers

    @property
    def nodes(self) -> FrameT_co:
        """The topic's rows of `Hierarchy.frame` with ``rank``, that of the first document relevant to the node."""
        nodes: FrameT_co = from_pandas(self._nodes, self.backend)
        return nodes

    @property
    def layers(self) -> FrameT_co:
        """A row for each layer: ``layer, nodes, covered`` and the score by each measure."""
        layers: FrameT_co = from_pandas(self._layers, self.backend)
        return layers

    def __repr__(self) -> str:
        table = self._layers.to_string(index=False, float_format="{:.4f}".format)
        return f"{tree_as_text(_tree(self.query_id, self._nodes, with_extended=False))}\n\n{table}"

    def svg(self) -> str:
        """Return the tree as an SVG picture, covered nodes filled."""
        return tree_as_svg(_tree(self.query_id, self._nodes, with_extended=True))


def _rows_of(frame: pd.DataFrame, query_id: str) -> pd.DataFrame:
    return frame[frame["query_id"] == query_id].reset_index(drop=True)


def _tree(query_id: str, nodes: pd.DataFrame, *, with_extended: bool) -> Node:
    """Return the tree of a topic to draw, with what is known of each node in its caption.

    ``with_extended`` adds the nodes that carry leaves down to the deepest layer, which may be far more than others.
    """
    root = Node(query_id)
    drawn: dict[str, Node] = {}
    deepest = nodes.groupby("node_id")["layer"].max().to_dict()
    if not with_extended:
        nodes = nodes[nodes["parent_id"] != nodes["node_id"]]
    for _, layer in nodes.groupby("layer"):
        in_layer = {}
        for row in layer.to_dict("records"):
            name, parent = str(row["node_id"]), row["parent_id"]
            covered = not pd.isna(row.get("rank"))
            caption = f"weight {row['weight']:.3f}, {row['relevant']} relevant"
            if row["leaf"] and deepest[name] > row["layer"] and parent != name:
                caption += f", layers {row['layer']} to {deepest[name]}"
            if "rank" in row:
                caption += f", rank {row['rank']}" if covered else ", not covered"
            in_layer[name] = Node(name, caption, extended=parent == name, covered=covered)
            (root if pd.isna(parent) else drawn[str(parent)]).children.append(in_layer[name])
        drawn.update(in_layer)
    return root
