"""Intent hierarchies to look at: frames of their nodes, drawings, and what a run covers of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Scene, order_run
from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import QrelsLike, RunLike
from irdiv.hierarchy.layers import Layers, layers
from irdiv.hierarchy.trees import trees_of
from irdiv.kernels.lists import Floats, Ints
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import parse
from irdiv.views.drawing import Node, as_svg, as_text

MeasuresLike: TypeAlias = str | Measure | Iterable[str | Measure]


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
        values = parse("D-nDCG-LA")(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents).values()
        self._rel = values["rel"]
        self._key = (values["rel"], values["intents"], values["hierarchy"], values["weights"])
        self._layers = [layers(block, *self._key) for block in self.collection.blocks]

    def __repr__(self) -> str:
        heights = np.concatenate([found.height for found in self._layers])
        nodes = len(self.frame.drop_duplicates(["query_id", "node_id"]))
        return f"Hierarchy(topics: {len(heights)}, nodes: {nodes}, most layers: {heights.max(initial=0)})"

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each node of each layer: ``query_id, layer, node_id, parent_id, leaf, weight, relevant``.

        A leaf that is carried down has a row in each layer, with itself for a parent. ``relevant`` is the number of
        relevant documents.
        """
        return pd.concat([part for found in self._layers for part in self._rows(found)], ignore_index=True)

    def _rows(self, found: Layers) -> Iterator[pd.DataFrame]:
        c, trees = self.collection, trees_of(self.collection)
        for number, layer in enumerate(found.layers, 1):
            topic, column = np.nonzero(layer.nodes >= 0)
            node = layer.nodes[topic, column]
            relevant = np.count_nonzero(layer.grades[layer.pool] >= self._rel, axis=1)
            above = trees.ancestor[node, number - 2] if number > 1 else None
            yield pd.DataFrame(
                {
                    "query_id": c.topics[layer.start + topic],
                    "layer": number,
                    "node_id": c.intents[node],
                    "parent_id": None if above is None else c.intents[above],
                    "leaf": ~trees.inner[node],
                    "weight": layer.node_weight[topic, column],
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
        self, run: RunLike, query_id: Any, measures: MeasuresLike | None = None, *, cutoff: int | None = 20
    ) -> LayerReport:
        """Return which nodes of a topic a run covers, at which ranks, and the score of each layer.

        Parameters
        ----------
        run
            A run of any kind that `irdiv.evaluate` takes.
        query_id
            The topic.
        measures
            Flat diversity measures to score each layer by; by default I-rec, D-nDCG and D#-nDCG at the cutoff.
        cutoff
            How far down the run nodes are looked for; None for all of it.
        """
        return next(self.reports(run, [query_id], measures, cutoff=cutoff))

    def reports(
        self,
        run: RunLike,
        query_ids: Iterable[Any] | None = None,
        measures: MeasuresLike | None = None,
        *,
        cutoff: int | None = 20,
    ) -> Iterator[LayerReport]:
        """Yield reports as `report` returns for several topics, all by default; the run is read once."""
        if cutoff is not None and (not isinstance(cutoff, int) or cutoff < 1):
            raise IrdivError(f"cutoff={cutoff!r} is not a rank; give a whole number from 1, or None.")
        topics = list(self.collection.topics if query_ids is None else map(str, query_ids))
        asked = [self.topic(topic) for topic in topics]
        if measures is None:
            end = "" if cutoff is None else f"@{cutoff}"
            measures = [f"{name}{end}" for name in ("I-rec", "D-nDCG", "D#-nDCG")]
        specs = [parse(spec) for spec in ([measures] if isinstance(measures, str | Measure) else measures)]
        ordered = order_run(self.collection, run)
        blocks = self.collection.blocks
        rankings = {flag: ordered.ranking(judged_only=flag) for flag in (False, True)}
        scenes = {flag: [Scene.of(block, ranking) for block in blocks] for flag, ranking in rankings.items()}
        starts = [block.start for block in self.collection.blocks]
        for topic, rows in zip(topics, asked, strict=True):
            number = self.collection.topic_number[topic]
            place = int(np.searchsorted(starts, number, side="right")) - 1
            scene, here = scenes[False][place], number - starts[place]
            found = self._layers[place]
            ranks = [self._first_ranks(scene.on(layer), here) for layer in found.layers]
            nodes = rows.assign(rank=_in_order(rows, ranks, cutoff))
            table = nodes.groupby("layer", as_index=False).agg(nodes=("node_id", "size"), covered=("rank", "count"))
            for spec in specs:
                scores = self._of_layers(spec, {flag: of_blocks[place] for flag, of_blocks in scenes.items()})
                height = len(table)
                table[str(spec)] = [*(score[here] for score in scores), *[np.nan] * height][:height]
            yield LayerReport(topic, nodes, table)

    def _of_layers(self, measure: Any, scenes: dict[bool, Scene]) -> list[Floats]:
        """Return the scores ``[topic]`` of each layer, by the measure's own choice of intents."""
        values = measure.values() if isinstance(measure, Measure) else {}
        if not values or not measure.declaration.needs_intents or "hierarchy" in values:
            raise IrdivError(f"{measure} does not score single layers; give a flat diversity measure, as D#-nDCG@20.")
        scene = scenes[values.get("judged_only", False)]
        _, _, hierarchy, scheme = self._key

        def compute() -> list[Floats]:
            found = layers(scene.block, values["rel"], values.get("intents", "relevant"), hierarchy, scheme)
            flat = {**values, "renormalise": True}
            return [measure.declaration.score(scene.on(layer), flat, measure.cutoff) for layer in found.layers]

        return scene.keep((measure, hierarchy, scheme), compute)

    def _first_ranks(self, scene: Scene, topic: int) -> Ints:
        """Return the rank of the first document relevant to each node of a topic, 0 for none."""
        relevant = scene.relevant(self._rel)[topic]
        return np.where(relevant.any(axis=1), scene.rank[topic][relevant.argmax(axis=1)], 0)


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
