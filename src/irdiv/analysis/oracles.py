"""Runs made of the judgments: the best order of relevant documents by a measure, and the least diverse one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from irdiv.arrays.blocks import JudgedBlock
from irdiv.arrays.collection import Collection
from irdiv.checks import Integer, Optional, choice, require
from irdiv.errors import IrdivError
from irdiv.frames.backends import returns_callers_frame
from irdiv.frames.inputs import QrelsLike
from irdiv.kernels.lists import log_discount, safe_divide
from irdiv.measures.catalogue import registry
from irdiv.measures.measure import Measure
from irdiv.measures.novelty import NoveltyModel, greedy_novelty_ranking, ideal_novelty_score
from irdiv.measures.operators import global_gain, intent_weights_for
from irdiv.measures.values import ParameterValues
from irdiv.progress import progress_bar
from irdiv.types import Floats, Ints

Order: TypeAlias = Literal["alpha-nDCG", "D-nDCG", "reversed"]


@returns_callers_frame  # type: ignore[arg-type] # its first argument may be given by name too
def oracle(
    qrels: QrelsLike | Collection, order: Order = "alpha-nDCG", *, depth: int | None = None, **parameters: object
) -> pd.DataFrame:
    """Return a run of the relevant documents of each topic, in an order derived from the judgments.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    order
        ``"alpha-nDCG"`` for the greedy ideal of α-nDCG, ``"D-nDCG"`` for documents by global gain, the ideal of the
        D-measures, or ``"reversed"`` for the greedy order that adds least at each rank: relevant documents first, in
        their least diverse order (Clarke et al., SIGIR 2008, section 6.1).
    depth
        The number of documents of each topic; by default all relevant ones.
    **parameters
        Parameters of the measure: ``alpha`` and ``rel`` for α-nDCG and its reversal, ``gain``, ``rel``, ``intents`` and
        ``renormalize`` for D-nDCG.

    Returns
    -------
    DataFrame
        ``query_id, doc_id, rank, score``.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("1", "i", "a", 1), ("1", "i", "b", 1), ("1", "i", "c", 1), ("1", "j", "c", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> oracle(qrels)["doc_id"].tolist(), oracle(qrels, "reversed")["doc_id"].tolist()
    (['c', 'b', 'a'], ['b', 'a', 'c'])
    """
    require(choice(*get_args(Order)), order=order)
    require(Optional(Integer(1)), depth=depth)
    if "cutoff" in parameters:
        raise IrdivError("an oracle has no cutoff; give depth, the number of documents of each topic.")
    collection = Collection.of(qrels)
    collection.require_intents(f"the order {order!r}")
    params = Measure(registry["D-nDCG" if order == "D-nDCG" else "alpha-nDCG"], **parameters).parameter_values()
    runs = [_rank_block(block, order, params, depth) for block in collection.blocks]
    return pd.concat(runs, ignore_index=True)


def _rank_block(block: JudgedBlock, order: Order, params: ParameterValues, depth: int | None) -> pd.DataFrame:
    most_relevant = block.relevant_rows.shape[1]
    ranks = most_relevant if depth is None else min(depth, most_relevant)
    if order == "D-nDCG":
        documents = _rank_by_gain(_global_gain_by_id(block, params))[:, :ranks]
    else:
        documents, _ = greedy_novelty_ranking(block, NoveltyModel.of(params), ranks, order == "reversed")
    topic, position = np.nonzero(documents >= 0)
    rows = block.row_base + block.relevant_rows_by_id[topic, documents[topic, position]]
    return pd.DataFrame(
        {
            "query_id": block.collection.topics[block.start + topic],
            "doc_id": np.asarray(block.collection.relevant_doc_ids(rows), dtype=object),
            "rank": position + 1,
            "score": 1.0 / (position + 1),
        }
    ).astype({"query_id": str, "doc_id": str})


def _global_gain_by_id(block: JudgedBlock, params: ParameterValues) -> Floats:
    grades = np.moveaxis(block.grades[block.relevant_rows_by_id], 2, 1)
    return global_gain(grades, intent_weights_for(block, params), params["gain"], block)


def _rank_by_gain(gain: Floats) -> Ints:
    """Return documents by gain, the largest doc id first among equals; -1 for those without any."""
    backwards = np.argsort(-gain[:, ::-1], axis=1, kind="stable")
    documents = gain.shape[1] - 1 - backwards
    return np.where(np.take_along_axis(gain, documents, axis=1) > 0, documents, -1)


@returns_callers_frame
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
        Show a progress bar over topics on standard error, if that is a terminal.

    Returns
    -------
    DataFrame
        ``query_id, greedy, exact, bound, gap, proven, seconds``: α-DCG of the greedy list and of the best list found,
        an upper bound of all lists, the share by which the greedy list falls short of the best one found, whether that
        one is proven best, and the time the search took.
    """
    from irdiv.kernels.exact import exact_ideals

    collection = Collection.of(qrels)
    collection.require_intents("the ideal of α-nDCG")
    measure = Measure(registry["alpha-nDCG"], ideal="exact", alpha=alpha, rel=rel, time_limit=time_limit, cutoff=cutoff)
    params = measure.parameter_values()
    parts = []
    for block in collection.blocks:
        greedy = ideal_novelty_score(block, params, cutoff, cutoff, log_discount)
        relevant = block.grades[block.relevant_rows_by_id] >= params["rel"]
        topics = progress_bar(relevant, "topics", progress)
        ideals = exact_ideals(topics, params["alpha"], cutoff, params["time_limit"])
        exact = np.maximum([ideal.value for ideal in ideals], greedy)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": collection.topics[block.start : block.stop],
                    "greedy": greedy,
                    "exact": exact,
                    "bound": np.maximum([ideal.upper_bound for ideal in ideals], exact),
                    "gap": safe_divide(exact - greedy, exact),
                    "proven": [ideal.proven for ideal in ideals],
                    "seconds": [ideal.seconds for ideal in ideals],
                }
            ).astype({"query_id": str})
        )
    frame = pd.concat(parts, ignore_index=True)
    # Two lists of equal value may differ in the last bits.
    return frame.assign(gap=frame["gap"].where(frame["gap"] > 1e-12, 0.0))


def trec_lines(run: pd.DataFrame, tag: str) -> Iterator[str]:
    """Yield the lines of a TREC run file for a run with ``query_id, doc_id, rank, score`` in this order."""
    for query_id, doc_id, rank, score in run.itertuples(index=False):
        yield f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}"
