"""Runs that know the judgments: how far a system is from the best order of relevant documents, and from the worst."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from irdiv.arrays.block import Block
from irdiv.arrays.collection import Collection
from irdiv.errors import IrdivError, examples
from irdiv.evaluation import shown_progress
from irdiv.frames.columns import QrelsLike
from irdiv.frames.sources import answers_in_kind
from irdiv.kernels.lists import Floats, Ints, log_discount, ratio
from irdiv.kernels.novelty import greedy_order
from irdiv.measures.novelty import ideal_novelty_score
from irdiv.measures.operators import global_gain
from irdiv.measures.spec import parse

Order: TypeAlias = Literal["alpha-nDCG", "D-nDCG", "reversed"]


@answers_in_kind
def oracle(
    qrels: QrelsLike | Collection, order: Order = "alpha-nDCG", *, depth: int | None = None, **parameters: Any
) -> pd.DataFrame:
    """Return a run of the relevant documents of each topic in an order that the judgments give.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    order
        ``"alpha-nDCG"`` for the greedy ideal of α-nDCG, ``"D-nDCG"`` for documents by global gain, the ideal of the
        D-measures, or ``"reversed"`` for the greedy order that adds least at each rank: relevant documents first, in
        their least diverse order (Clarke et al., SIGIR 2008, section 6.1).
    depth
        How many documents of each topic, all relevant ones if not given.
    **parameters
        Parameters of the measure: ``alpha`` and ``rel`` for α-nDCG and its reversal, ``gain``, ``rel``, ``intents`` and
        ``renormalise`` for D-nDCG.

    Returns
    -------
    pandas.DataFrame
        With ``query_id, doc_id, rank, score``.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("1", "i", "a", 1), ("1", "i", "b", 1), ("1", "i", "c", 1), ("1", "j", "c", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> oracle(qrels)["doc_id"].tolist(), oracle(qrels, "reversed")["doc_id"].tolist()
    (['c', 'b', 'a'], ['b', 'a', 'c'])
    """
    if order not in get_args(Order):
        raise IrdivError(f"order={order!r} is not known; choose one of {examples(get_args(Order))}.")
    if depth is not None and (not isinstance(depth, int) or depth < 1):
        raise IrdivError(f"depth={depth!r} is no number of documents; give a whole number from 1.")
    if "cutoff" in parameters:
        raise IrdivError("an oracle has no cutoff; depth says how many documents it ranks.")
    collection = qrels if isinstance(qrels, Collection) else Collection(qrels)
    collection.require_intents(f"the order {order!r}")
    values = parse("D-nDCG" if order == "D-nDCG" else "alpha-nDCG")(**parameters).values()
    return pd.concat([_of_block(block, order, values, depth) for block in collection.blocks], ignore_index=True)


def _of_block(block: Block, order: Order, values: dict[str, Any], depth: int | None) -> pd.DataFrame:
    deepest = block.pool.shape[1] if depth is None else min(depth, block.pool.shape[1])
    if order == "D-nDCG":
        documents = _by_gain(_pool_gains(block, values))[:, :deepest]
    else:
        relevant = block.grades[block.pool_by_id] >= values["rel"]
        documents, _ = greedy_order(relevant, values["alpha"], deepest, worst=order == "reversed")
    topic, place = np.nonzero(documents >= 0)
    rows = block.row_base + block.pool_by_id[topic, documents[topic, place]]
    return pd.DataFrame(
        {
            "query_id": block.collection.topics[block.start + topic],
            "doc_id": np.asarray(block.collection.relevant_ids(rows), dtype=object),
            "rank": place + 1,
            "score": 1.0 / (place + 1),
        }
    ).astype({"query_id": str, "doc_id": str})


def _pool_gains(block: Block, values: dict[str, Any]) -> Floats:
    weight = block.weight(values["rel"], values["intents"], values["renormalise"])
    return global_gain(np.moveaxis(block.grades[block.pool_by_id], 2, 1), weight, values, block)


def _by_gain(gain: Floats) -> Ints:
    """Return documents by gain, the largest doc id first among equals; -1 for those without any."""
    backwards = np.argsort(-gain[:, ::-1], axis=1, kind="stable")
    documents = gain.shape[1] - 1 - backwards
    return np.where(np.take_along_axis(gain, documents, axis=1) > 0, documents, -1)


@answers_in_kind
def ideal_gaps(
    qrels: QrelsLike | Collection,
    *,
    cutoff: int = 10,
    alpha: float = 0.5,
    rel: int = 1,
    time_limit: float | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Return how far the greedy ideal of α-nDCG falls short of the true one in each topic.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    cutoff, alpha, rel
        Of α-DCG.
    time_limit
        Seconds to search in each topic; without it the search ends with a proof.
    progress
        Show a progress bar over topics on standard error, where that is a terminal.

    Returns
    -------
    pandas.DataFrame
        ``query_id, greedy, exact, bound, gap, proven, seconds``: α-DCG of the greedy list and of the best one found,
        what none can exceed, the share by which greedy falls short of the best found, and whether that one is proven
        best.
    """
    from irdiv.kernels.exact import exact_ideals

    collection = qrels if isinstance(qrels, Collection) else Collection(qrels)
    collection.require_intents("the ideal of α-nDCG")
    chosen = parse("alpha-nDCG(ideal='exact')")(alpha=alpha, rel=rel, time_limit=time_limit, cutoff=cutoff)
    values = chosen.values()
    parts = []
    for block in collection.blocks:
        greedy = ideal_novelty_score(block, values, cutoff, cutoff, log_discount)
        relevant = block.grades[block.pool_by_id] >= values["rel"]
        shown = shown_progress(relevant, "topics", progress)
        ideals = exact_ideals(shown, values["alpha"], cutoff, values["time_limit"])
        exact = np.maximum([ideal.found for ideal in ideals], greedy)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": collection.topics[block.start : block.stop],
                    "greedy": greedy,
                    "exact": exact,
                    "bound": np.maximum([ideal.bound for ideal in ideals], exact),
                    "gap": ratio(exact - greedy, exact),
                    "proven": [ideal.proven for ideal in ideals],
                    "seconds": [ideal.seconds for ideal in ideals],
                }
            ).astype({"query_id": str})
        )
    frame = pd.concat(parts, ignore_index=True)
    # Two lists of equal worth may differ in the last bits.
    return frame.assign(gap=frame["gap"].where(frame["gap"] > 1e-12, 0.0))


def lines(run: pd.DataFrame, tag: str) -> Iterator[str]:
    """Yield the lines of a TREC run file."""
    for query, doc, rank, score in run.itertuples(index=False):
        yield f"{query} Q0 {doc} {rank} {score!r} {tag}"
