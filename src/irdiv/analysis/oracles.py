"""Runs made of the judgments: the best order of relevant documents by a measure, and the least diverse one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from irdiv.analysis.best_lists import best_list
from irdiv.checks import Integer, Optional, require
from irdiv.core.block import JudgedTopics, blocks_of
from irdiv.core.collection import Collection
from irdiv.errors import IrdivError
from irdiv.io.tables import QrelsLike, rename_columns, returns_callers_frame
from irdiv.io.text import require_separable_ids
from irdiv.kernels.lists import log_discount, safe_divide
from irdiv.measures.catalogue import registry
from irdiv.measures.measure import Measure
from irdiv.measures.novelty import NoveltyModel, greedy_novelty_ranking, ideal_novelty_score, refuse_large_programs
from irdiv.measures.operators import gain_by_row
from irdiv.measures.spec import MeasureLike, parse
from irdiv.progress import Advance, progress_counter, shows_progress
from irdiv.types import Floats, Ints

REVERSED = "reversed"
DEFAULT_ORDER = "alpha-nDCG"


@returns_callers_frame  # type: ignore[arg-type] # its first argument may be given by name too
def oracle(
    qrels: QrelsLike | Collection,
    order: MeasureLike = DEFAULT_ORDER,
    *,
    depth: int | None = None,
    columns: Mapping[str, str] | None = None,
    **parameters: object,
) -> pd.DataFrame:
    """Return a run of the relevant documents of each topic, in an order derived from the judgments.

    Parameters
    ----------
    qrels
        Diversity qrels, or a `Collection`.
    order
        A measure of irdiv that needs intents, such as ``"alpha-nDCG"`` for its greedy ideal, ``"D-nDCG"`` for documents
        by global gain, the ideal of the D-measures, or ``"D#-nDCG"``, ``"ERR-IA"``, …, for which the best of all lists
        is found where they are few (50,000 for a topic), and else documents are added greedily. Or ``"reversed"`` for
        the greedy order of α-nDCG that adds least at each rank: relevant documents first, in their least diverse order
        (Clarke et al., SIGIR 2008, section 6.1).
    depth
        The number of documents of each topic; by default the cutoff of the measure, or without one all relevant ones.
    columns
        Names of columns in the qrels and what they are for irdiv, such as ``{"facet": "intent_id"}``.
    **parameters
        Parameters of the measure, such as ``alpha`` of α-nDCG.

    Returns
    -------
    DataFrame
        ``query_id, doc_id, rank, score, ideal``; the last is ``"exact"`` in topics where no other list of as many
        relevant documents scores higher by the measure, and ``"greedy"`` where the order is greedy.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("1", "i", "a", 1), ("1", "i", "b", 1), ("1", "i", "c", 1), ("1", "j", "c", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> oracle(qrels)["doc_id"].tolist(), oracle(qrels, "reversed")["doc_id"].tolist()
    (['c', 'b', 'a'], ['b', 'a', 'c'])
    >>> oracle(qrels, "D#-nDCG@1")["doc_id"].tolist()
    ['c']
    """
    require(Optional(Integer(1)), depth=depth)
    if "cutoff" in parameters:
        raise IrdivError("an oracle has no cutoff; give depth, the number of documents of each topic.")
    reverse = order == REVERSED
    measure = _measure(DEFAULT_ORDER if reverse else order, parameters)
    if measure.cutoff is not None and depth not in (None, measure.cutoff):
        raise IrdivError(f"the oracle of {measure} has {measure.cutoff} documents for each topic, not depth={depth}.")
    collection = Collection.of(rename_columns(columns, (qrels, "qrels"))[0])
    collection.require_intents(f"the order {str(order)!r}")
    depth = depth or measure.cutoff
    parts = [_rank_block(topics, measure, depth, reverse, advance) for topics, advance in _counted_blocks(collection)]
    return pd.concat(parts, ignore_index=True)


def _counted_blocks(collection: Collection) -> Iterator[tuple[JudgedTopics, Advance]]:
    """Yield blocks, each with the function that advances a progress bar over the topics of all."""
    with progress_counter(len(collection.topics), "topic") as advance:
        for topics in blocks_of(collection):
            yield topics, advance


def _measure(order: MeasureLike, parameters: Mapping[str, object]) -> Measure:
    measure = parse(order)
    if not isinstance(measure, Measure) or not measure.declaration.needs_intents:
        raise IrdivError(f"an oracle has the order of a measure with intents, such as 'D#-nDCG', not of {measure}.")
    repeated = sorted(set(parameters) & set(measure.params))
    if repeated:
        raise IrdivError(f"{repeated[0]} is given twice, in {measure} and as {parameters[repeated[0]]!r}.")
    return measure(**parameters)


def _rank_block(
    topics: JudgedTopics, measure: Measure, depth: int | None, reverse: bool, advance: Advance
) -> pd.DataFrame:
    most_relevant = topics.relevant_rows.shape[1]
    ranks = most_relevant if depth is None else min(depth, most_relevant)
    name, params = measure.declaration.name, measure.parameter_values()
    is_exact = np.full(len(topics), name == "D-nDCG")
    if name == "D-nDCG":
        documents = _rank_by_gain(gain_by_row(topics, params)[topics.relevant_rows_by_id])[:, :ranks]
    elif name == "alpha-nDCG" and (reverse or params["ideal"] == "greedy"):
        documents, _ = greedy_novelty_ranking(topics, NoveltyModel.of(params), ranks, reverse)
    else:
        documents = np.full((len(topics), ranks), -1)
        # The order does not depend on the ideal, and a cap would hide which list is best.
        searched = measure(ideal="greedy", cap=False) if name == "alpha-nDCG" else measure
        has_relevant = np.diff(topics.collection.row_start[topics.start : topics.stop + 1]) > 0
        for index in np.flatnonzero(has_relevant).tolist():
            single = JudgedTopics(topics.collection, topics.start + index, topics.start + index + 1)
            best = best_list(single, searched, depth)
            documents[index, : len(best.documents)], is_exact[index] = best
            advance(1)
        advance(len(topics) - int(np.count_nonzero(has_relevant)))
    topic, position = np.nonzero(documents >= 0)
    rows = topics.row_base + topics.relevant_rows_by_id[topic, documents[topic, position]]
    return pd.DataFrame(
        {
            "query_id": topics.collection.topics[topics.start + topic],
            "doc_id": np.asarray(topics.collection.relevant_doc_ids(rows), dtype=object),
            "rank": position + 1,
            "score": 1.0 / (position + 1),
            "ideal": np.where(is_exact[topic], "exact", "greedy"),
        }
    ).astype({"query_id": str, "doc_id": str, "ideal": str})


def _rank_by_gain(gain: Floats) -> Ints:
    """Return documents by gain, the largest doc id first among equals; -1 for those without any."""
    backwards = np.argsort(-gain[:, ::-1], axis=1, kind="stable")
    documents = gain.shape[1] - 1 - backwards
    return np.where(np.take_along_axis(gain, documents, axis=1) > 0, documents, -1)


@returns_callers_frame
@shows_progress
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
        Show a progress bar on standard error if that is a terminal, or in a notebook, unless all is done at once.

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
    # Before any program is solved, which may take long.
    for topics in blocks_of(collection):
        refuse_large_programs(topics, params["rel"], cutoff)
    parts = []
    for topics, advance in _counted_blocks(collection):
        greedy = ideal_novelty_score(topics, params, cutoff, cutoff, log_discount)
        relevant = topics.grades[topics.relevant_rows_by_id] >= params["rel"]
        ideals = []
        for topic in relevant:
            ideals += exact_ideals([topic], params["alpha"], cutoff, params["time_limit"])
            advance(1)
        exact = np.maximum([ideal.value for ideal in ideals], greedy)
        parts.append(
            pd.DataFrame(
                {
                    "query_id": collection.topics[topics.start : topics.stop],
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
    """Yield the lines of a TREC run file for a run with ``query_id, doc_id, rank, score``."""
    require_separable_ids(run, ("query_id", "doc_id"), " ")
    for query_id, doc_id, rank, score in run[["query_id", "doc_id", "rank", "score"]].itertuples(index=False):
        yield f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}"
