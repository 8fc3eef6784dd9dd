"""Traditional evaluation of a ranked list, as textbooks have it: curves over recall and rank, and the user's view.

Documents have their highest grade over intents. The references are to Baeza-Yates and Ribeiro-Neto, Modern Information
Retrieval, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irdiv.arrays.block import Block
from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Scene, order_run
from irdiv.errors import IrdivError, examples
from irdiv.evaluation import named_runs
from irdiv.frames.columns import QrelsLike, RunLike, as_frame, find_columns
from irdiv.frames.ids import as_ids, find
from irdiv.frames.sources import answers_in_kind
from irdiv.frames.trec import read_qrels
from irdiv.kernels.lists import Bools, Floats, Ints, jk_discount, ratio
from irdiv.measures.bases import gain_table
from irdiv.measures.declaration import gain as check_gain

RECALL_LEVELS = np.arange(11) / 10


class _List(NamedTuple):
    """The lists of a block of topics, as ``[topic, hit]``."""

    block: Block
    rank: Ints
    grade: Ints
    length: Ints


def _lists(collection: Collection, run: RunLike) -> Iterator[_List]:
    ranking = order_run(collection, run).ranking()
    for block in collection.blocks:
        scene = Scene.of(block, ranking)
        yield _List(block, scene.rank, scene.grades.max(axis=1), scene.length)


def _pool(block: Block) -> Ints:
    """Return the grades of the relevant documents, ``[topic, document]``."""
    return block.grades[block.pool].max(axis=2)


def _topics(block: Block) -> Any:
    return block.collection.topics[block.start : block.stop]


def _at_least(low: int, **given: Any) -> None:
    """Refuse what is no whole number from a bound on."""
    for name, value in given.items():
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < low:
            raise IrdivError(f"{name}={value!r} is not a whole number from {low}.")


def _collection(qrels: QrelsLike | Collection) -> Collection:
    return qrels if isinstance(qrels, Collection) else Collection(qrels)


@answers_in_kind
def precision_recall(
    qrels: QrelsLike | Collection, runs: RunLike | Mapping[str, RunLike], *, rel: int = 1
) -> pd.DataFrame:
    """Return interpolated precision at the 11 standard recall levels, for each run and topic.

    P(r_j) is the highest precision at any recall of r_j or more, as in trec_eval, which however lets 2 of 3 documents
    pass as a recall of 0.7 by a rounding error. The mean over topics is
    ``frame.groupby(["run", "recall"])["precision"].mean()``.

    Returns
    -------
    pandas.DataFrame
        ``run, query_id, recall, precision``.
    """
    _at_least(1, rel=rel)
    collection, parts = _collection(qrels), []
    for name, run in named_runs(runs).items():
        for lists in _lists(collection, run):
            hit = lists.grade >= rel
            found = np.cumsum(hit, axis=1)
            precision = np.where(hit, found / lists.rank, 0.0)
            R = np.count_nonzero(_pool(lists.block) >= rel, axis=1)
            needed = np.ceil(RECALL_LEVELS * R[:, None] - 1e-9)
            reached = (found[:, None, :] >= needed[:, :, None]) & (R > 0)[:, None, None]
            best = np.where(reached, precision[:, None, :], 0.0).max(axis=2)
            parts.append(
                pd.DataFrame(
                    {
                        "run": name,
                        "query_id": np.repeat(_topics(lists.block), len(RECALL_LEVELS)),
                        "recall": np.tile(RECALL_LEVELS, len(best)),
                        "precision": best.ravel(),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


class GainVectors(NamedTuple):
    """Cumulated gain by rank, of each topic and in the mean."""

    topics: pd.DataFrame
    """``query_id, rank, gain, cg, dcg, ideal_cg, ideal_dcg``."""
    means: pd.DataFrame
    """``rank, cg, dcg, ideal_cg, ideal_dcg``, means over topics; ``ncg, ndcg``, ratios of these means; and ``mean_ncg,
    mean_ndcg``, means of the topics' ratios."""


def gain_vectors(
    qrels: QrelsLike | Collection,
    run: RunLike,
    *,
    depth: int = 15,
    b: float = 2.0,
    gain: Any = "linear",
    ideal: Literal["judged", "retrieved"] = "judged",
) -> GainVectors:
    """Return the vectors of gain, CG and DCG by rank, and those of the ideal list.

    Parameters
    ----------
    qrels, run
        Of any kind that `irdiv.evaluate` takes.
    depth
        The last rank.
    b
        The base of the discount: none below rank b, 1/log_b r from there.
    gain
        ``"linear"``, ``"exp"``, or a mapping from grade to gain.
    ideal
        ``"judged"`` for all relevant documents by gain, or ``"retrieved"`` for those of the list itself, sorted, as in
        the textbook's example.
    """
    _at_least(1, depth=depth)
    if ideal not in ("judged", "retrieved"):
        raise IrdivError(f"ideal={ideal!r} is not known; choose 'judged' or 'retrieved'.")
    if not isinstance(b, int | float) or not b > 1:
        raise IrdivError(f"b={b!r} is no base of a logarithm; give a number above 1.")
    collection = _collection(qrels)
    table = gain_table(check_gain(gain), collection.levels)
    discount = jk_discount(depth, float(b))[1 : depth + 1]
    topics, own, best = [], [], []
    for lists in _lists(collection, run):
        G = np.zeros((len(lists.rank), depth))
        row, hit = np.nonzero((lists.rank <= depth) & (lists.grade > 0))
        G[row, lists.rank[row, hit] - 1] = table[lists.grade[row, hit]]
        sorted_ = -np.sort(-(G if ideal == "retrieved" else table[_pool(lists.block)]), axis=1)[:, :depth]
        topics.append(_topics(lists.block))
        own.append(G)
        best.append(np.pad(sorted_, ((0, 0), (0, depth - sorted_.shape[1]))))
    G, IG = np.concatenate(own), np.concatenate(best)
    curves = {
        "cg": np.cumsum(G, axis=1),
        "dcg": np.cumsum(G * discount, axis=1),
        "ideal_cg": np.cumsum(IG, axis=1),
        "ideal_dcg": np.cumsum(IG * discount, axis=1),
    }
    ids = np.concatenate(topics)
    ranks = np.arange(1, depth + 1)
    by_topic = {"query_id": np.repeat(ids, depth), "rank": np.tile(ranks, len(ids)), "gain": G.ravel()}
    means = pd.DataFrame({"rank": ranks, **{name: curve.mean(axis=0) for name, curve in curves.items()}})
    for name in ("cg", "dcg"):
        means[f"n{name}"] = ratio(means[name].to_numpy(), means[f"ideal_{name}"].to_numpy())
        means[f"mean_n{name}"] = ratio(curves[name], curves[f"ideal_{name}"]).mean(axis=0)
    return GainVectors(pd.DataFrame({**by_topic, **{name: curve.ravel() for name, curve in curves.items()}}), means)


@answers_in_kind
def user_measures(
    qrels: QrelsLike | Collection,
    run: RunLike,
    known: Any,
    *,
    expected: Mapping[Any, int] | None = None,
    cutoff: int | None = None,
    rel: int = 1,
) -> pd.DataFrame:
    """Return measures that depend on what the user knows, or expects.

    Parameters
    ----------
    qrels, run
        Of any kind that `irdiv.evaluate` takes.
    known
        The documents that the user knows: a frame with ``query_id`` and ``doc_id``, or a mapping from topic to ids.
    expected
        How many relevant documents the user expects to find in each topic; by default as many as are known.
    cutoff
        How far down the list the user looks; to its end by default.
    rel
        The smallest relevant grade.

    Returns
    -------
    pandas.DataFrame
        ``query_id, coverage, novelty, relative_recall, recall_effort``. Coverage is the share of the known relevant
        documents that were found; novelty the share of the relevant documents found that were not known; relative
        recall the relevant documents found over those expected; recall effort those expected over the documents
        examined to find them, all of the list where they are not found. A ratio over 0 is 0.
    """
    _at_least(1, rel=rel, **({} if cutoff is None else {"cutoff": cutoff}))
    collection = _collection(qrels)
    topic, doc = _known(known, collection)
    rows = collection.rows(topic, doc)
    parts = []
    ranking = order_run(collection, run).ranking()
    for block in collection.blocks:
        scene = Scene.of(block, ranking)
        known_row = np.zeros(len(block.grades), dtype=bool)
        mine = rows[(rows >= block.row_base) & (rows < block.row_base + len(block.grades) - 1)] - block.row_base
        known_row[mine] = True
        relevant = block.grades.max(axis=1) >= rel
        deepest = scene.last if cutoff is None else cutoff
        hit = (scene.grades.max(axis=1) >= rel) & (scene.rank <= deepest)
        is_known = known_row[scene.rows] & hit
        found, found_known = hit.sum(axis=1), is_known.sum(axis=1)
        all_known = (known_row & relevant)[block.pool].sum(axis=1)
        wanted = _expected(expected, _topics(block), all_known)
        examined = _examined(hit, scene, wanted, cutoff)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": _topics(block),
                    "coverage": ratio(found_known.astype(float), all_known),
                    "novelty": ratio((found - found_known).astype(float), found),
                    "relative_recall": ratio(found.astype(float), wanted),
                    "recall_effort": ratio(wanted.astype(float), examined),
                }
            ).astype({"query_id": str})
        )
    return pd.concat(parts, ignore_index=True)


def _known(known: Any, collection: Collection) -> tuple[Ints, Any]:
    if isinstance(known, Mapping):
        wrong = next((docs for docs in known.values() if isinstance(docs, str)), None)
        if wrong is not None:
            raise IrdivError(f"known documents of a topic are a list of ids; found {wrong!r}.")
        pairs = [(query, doc) for query, docs in known.items() for doc in docs]
        known = pd.DataFrame(pairs, columns=["query_id", "doc_id"])
    frame = as_frame(known, "known documents", read_qrels, ("query_id", "doc_id", "known"))
    names = find_columns(frame.columns, "known documents", ("query_id", "doc_id"), ())
    queries, docs = (as_ids(frame[names[name]], "known documents") for name in ("query_id", "doc_id"))
    topic = find(queries, collection.topic_ids)
    ours = np.flatnonzero(topic >= 0)
    return topic[ours], docs.take(ours)


def _expected(expected: Mapping[Any, int] | None, topics: Any, known: Ints) -> Ints:
    if expected is None:
        return known
    given = {str(query): number for query, number in expected.items()}
    _at_least(0, **{f"expected[{query!r}]": number for query, number in given.items()})
    missing = [query for query in topics if query not in given]
    if missing:
        raise IrdivError(f"nothing is said of how much is expected of topic {examples(missing)}.")
    return np.array([given.get(query, 0) for query in topics], dtype=np.int64)


def _examined(hit: Bools, scene: Scene, wanted: Ints, cutoff: int | None) -> Floats:
    """Return the rank at which as many relevant documents are found as wanted, or the documents in the list."""
    reached = (np.cumsum(hit, axis=1) >= wanted[:, None]) & hit
    rank = np.take_along_axis(np.broadcast_to(scene.rank, hit.shape), reached.argmax(axis=1)[:, None], axis=1)[:, 0]
    documents = scene.length if cutoff is None else np.minimum(scene.length, cutoff)
    return np.where(reached.any(axis=1), rank, documents).astype(np.float64)


@answers_in_kind
def summary_statistics(
    qrels: QrelsLike | Collection, runs: RunLike | Mapping[str, RunLike], *, rel: int = 1
) -> pd.DataFrame:
    """Return counts over topics, as trec_eval prints them: ``run, topics, retrieved, relevant_retrieved, relevant``.

    Topics are those of the qrels; those of a run without judgments are not counted.
    """
    _at_least(1, rel=rel)
    collection, rows = _collection(qrels), []
    for name, run in named_runs(runs).items():
        lists = list(_lists(collection, run))
        rows.append(
            (
                name,
                len(collection.topics),
                sum(int(part.length.sum()) for part in lists),
                sum(int(np.count_nonzero(part.grade >= rel)) for part in lists),
                sum(int(np.count_nonzero(_pool(part.block) >= rel)) for part in lists),
            )
        )
    return pd.DataFrame(rows, columns=["run", "topics", "retrieved", "relevant_retrieved", "relevant"])
