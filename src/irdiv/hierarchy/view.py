"""Intent hierarchies to look at: frames of their nodes, drawings, and what a run covers of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Scene, order_run
from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import QrelsLike, RunLike
from irdiv.hierarchy.drawing import Node, as_svg, as_text
from irdiv.hierarchy.layers import Layers, layers
from irdiv.kernels.lists import Ints
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import parse


class Hierarchy:
    """The intent hierarchies of a collection, as the hierarchical measures see them.

    Parameters
    ----------
    qrels
        Diversity qrels with ``parent_id`` folded in by `irdiv.with_intents`, or a `Collection`. A topic without parents
        is a tree of one layer.
    hierarchy
        ``"EIH"`` to extend leaves above the deepest layer down to it, ``"OIH"`` for trees as they are.
    weights
        ``"UT"``, ``"UB"``, ``"NT"`` or ``"NB"``; by default ``"NB"`` in topics with probabilities, else ``"UB"``.
    rel
        The smallest relevant grade.
    intents
        ``"relevant"`` to prune intents without a relevant document, ``"all"`` to keep every declared one.

    Examples
    --------
    >>> import pandas as pd
    >>> import irdiv
    >>> rows = [("77", "sale", "a", 1), ("77", "parts", "b", 1), ("77", "jobs", "c", 1), ("77", "animal", "d", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> tree = {"company": {"tractors": ["sale", "parts"], "jobs": None}, "animal": None}
    >>> hierarchy = irdiv.Hierarchy(irdiv.with_intents(qrels, irdiv.nested_intents({"77": tree})))
    >>> print(hierarchy.draw("77"))
    77
    ├─ animal       weight 0.250, 1 relevant, layers 1 to 3
    └─ company      weight 0.750, 3 relevant
       ├─ jobs      weight 0.250, 1 relevant, layers 2 to 3
       └─ tractors  weight 0.500, 2 relevant
          ├─ parts  weight 0.250, 1 relevant
          └─ sale   weight 0.250, 1 relevant
    """

    def __init__(
        self,
        qrels: QrelsLike | Collection,
        *,
        hierarchy: str = "EIH",
        weights: str | None = None,
        rel: int = 1,
        intents: str = "relevant",
    ) -> None:
        self.collection = qrels if isinstance(qrels, Collection) else Collection(qrels)
        self.collection.require_intents("a hierarchy")
        values = parse("I-rec-LA")(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents).values()
        self._rel = values["rel"]
        self._key = (values["rel"], values["intents"], values["hierarchy"], values["weights"])
        self._layers = [layers(block, *self._key) for block in self.collection.blocks]

    def __repr__(self) -> str:
        heights = np.concatenate([found.height for found in self._layers])
        nodes = len(self.frame.drop_duplicates(["query_id", "node_id"]))
        return f"Hierarchy({len(heights)} topics, {nodes} nodes, up to {heights.max(initial=0)} layers)"

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each node of each layer: ``query_id, layer, node_id, parent_id, leaf, weight, relevant``.

        A leaf that is carried down has a row in each layer, with itself for a parent. ``relevant`` is the number of
        relevant documents.
        """
        return pd.concat([part for found in self._layers for part in self._rows(found)], ignore_index=True)

    def _rows(self, found: Layers) -> Iterator[pd.DataFrame]:
        c = self.collection
        for number, layer in enumerate(found.layers, 1):
            topic, column = np.nonzero(layer.nodes >= 0)
            node = layer.nodes[topic, column]
            relevant = np.count_nonzero(layer.grades[layer.pool] >= self._rel, axis=1)
            above = c.trees.ancestor[node, number - 2] if number > 1 else None
            yield pd.DataFrame(
                {
                    "query_id": c.topics[layer.start + topic],
                    "layer": number,
                    "node_id": c.intents[node],
                    "parent_id": None if above is None else c.intents[above],
                    "leaf": ~c.trees.inner[node],
                    "weight": layer.weight(1, "", True)[topic, column],
                    "relevant": relevant[topic, column],
                }
            ).astype({"parent_id": object})

    def topic(self, query_id: Any) -> pd.DataFrame:
        """Return the rows of `frame` for one topic."""
        rows = self.frame[self.frame["query_id"] == str(query_id)]
        if str(query_id) not in self.collection.topic_number:
            raise IrdivError(f"no topic is called {query_id!r}; there are {examples(self.collection.topics)}.")
        return rows.reset_index(drop=True)

    def draw(self, query_id: Any) -> str:
        """Return the tree of a topic as text."""
        return as_text(_tree(str(query_id), self.topic(query_id)))

    def svg(self, query_id: Any) -> str:
        """Return the tree of a topic as an SVG picture."""
        return as_svg(_tree(str(query_id), self.topic(query_id)))

    def report(
        self,
        run: RunLike,
        query_id: Any,
        measures: str | Measure | Iterable[str | Measure] = ("I-rec@20", "D-nDCG@20", "D#-nDCG@20"),
        *,
        cutoff: int | None = 20,
    ) -> LayerReport:
        """Return which nodes of a topic a run covers, at which ranks, and the score of each layer.

        Parameters
        ----------
        run
            A run of any kind that `irdiv.evaluate` takes.
        query_id
            The topic.
        measures
            Diversity measures to score each layer by.
        cutoff
            How far down the run nodes are looked for.
        """
        rows = self.topic(query_id)
        number = self.collection.topic_number[str(query_id)]
        block, found = next(
            (block, found)
            for block, found in zip(self.collection.blocks, self._layers, strict=True)
            if block.start <= number < block.stop
        )
        scene = Scene.of(block, order_run(self.collection, run).ranking())
        here = number - block.start
        specs = [parse(spec) for spec in ([measures] if isinstance(measures, str | Measure) else measures)]
        scores = {str(spec): [_of_layer(spec, scene, layer)[here] for layer in found.layers] for spec in specs}
        ranks = [self._first_ranks(scene.on(layer), here) for layer in found.layers]
        nodes = rows.assign(rank=_in_order(rows, ranks, cutoff))
        height = int(found.height[here])
        table = nodes.groupby("layer", as_index=False).agg(nodes=("node_id", "size"), covered=("rank", "count"))
        table = table.assign(**{spec: score[:height] for spec, score in scores.items()})
        return LayerReport(str(query_id), nodes, table)

    def _first_ranks(self, scene: Scene, topic: int) -> Ints:
        """Return the rank of the first document relevant to each node of a topic, 0 for none."""
        relevant = scene.relevant(self._rel)[topic]
        return np.where(relevant.any(axis=1), scene.rank[topic][relevant.argmax(axis=1)], 0)


def _of_layer(measure: Any, scene: Scene, layer: Any) -> Any:
    if not isinstance(measure, Measure) or not measure.declaration.needs_intents or "hierarchy" in measure.values():
        raise IrdivError(f"{measure} does not score single layers; give a flat diversity measure, as D#-nDCG@20.")
    values = {**measure.values(), "renormalise": True}
    return measure.declaration.score(scene.on(layer), values, measure.cutoff)


def _in_order(rows: pd.DataFrame, ranks: list[Ints], cutoff: int | None) -> pd.Series:
    """Return the rank of each node by layer and column, missing where it is not covered."""
    rank = [of_layer[:size] for of_layer, size in zip(ranks, rows.groupby("layer").size(), strict=False)]
    series = pd.Series(np.concatenate(rank) if rank else [], index=rows.index, dtype="Int64")
    return series.where((series > 0) & (cutoff is None or series <= cutoff))


def _tree(query: str, rows: pd.DataFrame) -> Node:
    """Return the tree of a topic to draw."""
    root = Node(query)
    above: dict[str, Node] = {}
    deepest = rows.groupby("node_id")["layer"].max().to_dict()
    for _, layer in rows.groupby("layer"):
        here = {}
        for row in layer.to_dict("records"):
            name = str(row["node_id"])
            extended = row["parent_id"] == name
            parent = root if pd.isna(row["parent_id"]) else above[str(row["parent_id"])]
            rank = row.get("rank")
            about = f"weight {row['weight']:.3f}, {row['relevant']} relevant"
            if row["leaf"] and deepest[name] > row["layer"] and not extended:
                about += f", layers {row['layer']} to {deepest[name]}"
            if "rank" in row:
                about += f", rank {rank}" if not pd.isna(rank) else ", not covered"
            here[name] = Node(name, about, extended, "rank" in row and not pd.isna(rank))
            parent.children.append(here[name])
        above = {**above, **here}
    return root


@dataclass(frozen=True, repr=False, eq=False)
class LayerReport:
    """What a run covers of a topic's hierarchy."""

    query_id: str
    nodes: pd.DataFrame
    """The topic's rows of `Hierarchy.frame` with ``rank``, that of the first document relevant to the node."""
    layers: pd.DataFrame
    """A row for each layer: ``layer, nodes, covered`` and the score by each measure."""

    def __repr__(self) -> str:
        table = self.layers.to_string(index=False, float_format="{:.4f}".format)
        return f"{as_text(_tree(self.query_id, self.nodes))}\n\n{table}"

    def svg(self) -> str:
        """Return the tree as an SVG picture, covered nodes filled."""
        return as_svg(_tree(self.query_id, self.nodes))
