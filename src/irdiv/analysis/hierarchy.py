"""The layers of intent hierarchies: their nodes, which of them a run covers, and the scores of single layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from irdiv.checks import Integer, Optional, require
from irdiv.core.block import Block, JudgedTopics, blocks_of
from irdiv.core.collection import Collection
from irdiv.core.run_checks import RunsLike, order_checked_run, order_checked_runs
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Runs, Ties
from irdiv.errors import IrdivError
from irdiv.intents.layers import Layer, layers_of
from irdiv.intents.trees import ROOT, trees_of
from irdiv.io.tables import QrelsLike, RunLike, returns_callers_frame
from irdiv.measures.hierarchical import HIERARCHY, WEIGHTS
from irdiv.measures.measure import Measure
from irdiv.measures.parameters import INTENTS, REL
from irdiv.measures.spec import MeasuresLike, as_measure_list, parse
from irdiv.types import Floats, Ints

DEFAULT_CUTOFF = 20
DEFAULT_MEASURES = ("I-rec", "D-nDCG", "D#-nDCG")


class LayerOptions(NamedTuple):
    """Which layers a hierarchy has, and how their nodes are weighted."""

    rel: int
    intents: str
    hierarchy: str
    weights: str | None

    @classmethod
    def checked(cls, *, hierarchy: str, weights: str | None, rel: int, intents: str) -> LayerOptions:
        """Return the options, checked as parameters of a hierarchical measure are."""
        given = ((REL, rel), (INTENTS, intents), (HIERARCHY, hierarchy), (WEIGHTS, weights))
        checked: list[Any] = [require(parameter.check, **{parameter.name: value}) for parameter, value in given]
        return cls(*checked)


@returns_callers_frame
def hierarchy_nodes(
    qrels: QrelsLike | Collection,
    *,
    hierarchy: str = "EIH",
    weights: str | None = None,
    rel: int = 1,
    intents: str = "relevant",
) -> pd.DataFrame:
    """Return the nodes of intent hierarchies, layer by layer, as the hierarchical measures use them.

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

    Returns
    -------
    DataFrame
        ``query_id, layer, node_id, parent_id, leaf, weight, relevant``: a row for each node of each layer.
        ``relevant`` is the number of relevant documents. A leaf that is extended has a row in each layer, with itself
        as its parent.

    Examples
    --------
    >>> import pandas as pd
    >>> import irdiv
    >>> rows = [("77", "sale", "a", 1), ("77", "parts", "b", 1), ("77", "animal", "c", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> tree = {"tractors": ["sale", "parts"], "animal": None}
    >>> qrels = irdiv.with_intents(qrels, irdiv.intents.nested_intents({"77": tree}))
    >>> irdiv.analysis.hierarchy_nodes(qrels)[["layer", "node_id", "parent_id", "leaf", "weight", "relevant"]].round(3)
       layer   node_id parent_id   leaf  weight  relevant
    0      1    animal      None   True   0.333         1
    1      1  tractors      None  False   0.667         2
    2      2    animal    animal   True   0.333         1
    3      2     parts  tractors   True   0.333         1
    4      2      sale  tractors   True   0.333         1
    """
    options = LayerOptions.checked(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents)
    return node_frame(collection_with_intents(qrels), options)


@returns_callers_frame
def node_coverage(
    qrels: QrelsLike | Collection,
    run: RunLike,
    *,
    hierarchy: str = "EIH",
    weights: str | None = None,
    rel: int = 1,
    intents: str = "relevant",
    cutoff: int | None = DEFAULT_CUTOFF,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return the nodes of intent hierarchies, with the first rank at which a run covers each.

    Parameters
    ----------
    qrels, hierarchy, weights, rel, intents
        As of `hierarchy_nodes`.
    run
        A run in any form that `irdiv.evaluate` takes.
    cutoff
        The last rank that is searched; None for the whole list.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        As of `hierarchy_nodes`, with ``rank``, that of the first document relevant to the node; missing where no
        document down to the cutoff is.
    """
    options = LayerOptions.checked(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents)
    collection = collection_with_intents(qrels)
    ordered = order_checked_run(collection, run, ties=ties, duplicates=duplicates)
    return coverage_and_scores(ordered, (), options, cutoff)[0]


@returns_callers_frame
def layer_scores(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    hierarchy: str = "EIH",
    weights: str | None = None,
    rel: int = 1,
    intents: str = "relevant",
    cutoff: int | None = DEFAULT_CUTOFF,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return how well runs cover each layer of intent hierarchies, by flat diversity measures.

    Parameters
    ----------
    qrels, hierarchy, weights, rel, intents, cutoff, ties, duplicates
        As of `node_coverage`.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    measures
        Flat diversity measures, for which the nodes of a layer are the intents; by default I-rec, D-nDCG and D#-nDCG at
        the cutoff. A measure has its own ``rel``, ``intents`` and cutoff.

    Returns
    -------
    DataFrame
        A row for each run, topic and layer: ``run, query_id, layer, nodes, covered``, the counts of all and of covered
        nodes, and a column for each measure.
    """
    options = LayerOptions.checked(hierarchy=hierarchy, weights=weights, rel=rel, intents=intents)
    ordered = order_checked_runs(collection_with_intents(qrels), runs, ties=ties, duplicates=duplicates)
    tables = {name: coverage_and_scores(run, measures, options, cutoff)[1] for name, run in ordered}
    return pd.concat([table.assign(run=name)[["run", *table]] for name, table in tables.items()], ignore_index=True)


def coverage_and_scores(
    ordered: Runs, measures: MeasuresLike | None, options: LayerOptions, cutoff: int | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frames of `node_coverage` and `layer_scores` for a run."""
    require(Optional(Integer(1)), cutoff=cutoff)
    flat_measures = _flat_measures(measures, cutoff)
    nodes = _nodes_of_blocks((block for _, block in ordered.blocks(depth=cutoff)), options)
    nodes["rank"] = nodes["rank"].astype("Int64").where(nodes["rank"] > 0)
    by_layer = nodes.groupby(["query_id", "layer"], as_index=False, sort=False)
    table = by_layer.agg(nodes=("node_id", "size"), covered=("rank", "count"))
    for measure in flat_measures:
        table[str(measure)] = _scores(measure, ordered, options)
    return nodes, table


def collection_with_intents(qrels: QrelsLike | Collection) -> Collection:
    """Compile qrels; raise an error if they have no intents."""
    collection = Collection.of(qrels)
    collection.require_intents("a hierarchy")
    return collection


def _flat_measures(measures: MeasuresLike | None, cutoff: int | None) -> list[Measure]:
    if measures is None:
        measures = [f"{name}@{cutoff}" if cutoff is not None else name for name in DEFAULT_MEASURES]
    return [_flat_measure(parse(spec)) for spec in as_measure_list(measures)]


def _flat_measure(measure: ir_measures.Measure) -> Measure:
    if isinstance(measure, Measure):
        declaration = measure.declaration
        if declaration.needs_intents and declaration.on_layers and "hierarchy" not in declaration.by_name:
            return measure
    raise IrdivError(f"{measure} does not score single layers; give a flat diversity measure, such as D#-nDCG@20.")


def node_frame(collection: Collection, options: LayerOptions) -> pd.DataFrame:
    """Return the nodes by topic and layer."""
    return _nodes_of_blocks(blocks_of(collection), options)


def _nodes_of_blocks(blocks: Iterable[JudgedTopics] | Iterable[Block], options: LayerOptions) -> pd.DataFrame:
    """Return the nodes by topic and layer; for blocks of a run also the first rank that covers each, 0 for none."""
    parts = []
    for item in blocks:
        block, topics = (item, item.topics) if isinstance(item, Block) else (None, item)
        for depth, layer in enumerate(layers_of(topics, *options).layers, 1):
            parts.append(_layer_nodes(layer, depth, options.rel, block))
    collection = topics.collection
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    by_topic = np.argsort(columns["topic"], kind="stable")
    topic, node, parent, layer_depth = (columns.pop(name)[by_topic] for name in ("topic", "node", "parent", "layer"))
    ids = {
        "query_id": collection.topics[topic],
        "layer": layer_depth,
        "node_id": collection.intents[node],
        "parent_id": pd.Series(np.where(parent == ROOT, None, collection.intents[parent]), dtype=object),
        "leaf": ~trees_of(collection).inner[node],
    }
    return pd.DataFrame({**ids, **{name: values[by_topic] for name, values in columns.items()}})


def _layer_nodes(layer: Layer, depth: int, rel: int, block: Block | None) -> dict[str, Ints | Floats]:
    """Return the nodes of the layer at some depth, 1 for the first, as numeric columns by name."""
    topic, column = np.nonzero(layer.nodes >= 0)
    node = layer.nodes[topic, column]
    relevant = np.count_nonzero(layer.grades[layer.relevant_rows] >= rel, axis=1)
    trees = trees_of(layer.collection)
    nodes = {
        "topic": layer.start + topic,
        "layer": np.full(len(topic), depth),
        "node": node,
        # A leaf that is carried down from a layer above is its own parent.
        "parent": np.where(trees.depth[node] == depth, trees.parent[node], node),
        "weight": layer.node_weight[topic, column],
        "relevant": relevant[topic, column],
    }
    if block is not None:
        nodes["rank"] = _first_ranks(block.with_intents_of(layer), rel)[topic, column]
    return nodes


def _first_ranks(block: Block, rel: int) -> Ints:
    """Return the rank of the first document relevant to each node, ``[topic, node]``; 0 for none."""
    relevant = block.relevant(rel)
    rank = np.take_along_axis(block.rank, relevant.argmax(axis=2), axis=1)
    return np.where(relevant.any(axis=2), rank, 0)


def _scores(measure: Measure, ordered: Runs, options: LayerOptions) -> Floats:
    """Return a measure's score of each layer of each topic, in one array; its own parameters select the intents."""
    values = measure.parameter_values()
    own_options = options._replace(rel=values["rel"], intents=values.get("intents", "relevant"))
    flat_values = values.replace(renormalize=True)
    parts = []
    for _, block in ordered.blocks(values.get("judged_only", False), measure.cutoff):
        topics = block.topics
        on_layers = [block.with_intents_of(layer) for layer in layers_of(topics, *own_options).layers]
        by_layer = [measure.declaration.score(on_layer, flat_values, measure.cutoff) for on_layer in on_layers]
        parts.append(_in_order_of_topics(by_layer, layers_of(topics, *options).height))
    return np.concatenate(parts)


def _in_order_of_topics(by_layer: Sequence[Floats], height: Ints) -> Floats:
    """Return scores in one array, topic by topic; missing where a topic has more layers than were scored."""
    scores = np.full((len(height), max(int(height.max(initial=0)), len(by_layer))), np.nan)
    scores[:, : len(by_layer)] = np.transpose(by_layer)
    return scores[np.arange(scores.shape[1]) < height[:, None]]
