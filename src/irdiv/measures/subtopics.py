"""S-recall, S-precision and WS-precision: how close to the shortest list that covers the intents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number
from irdiv.kernels.lists import safe_divide
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import covered_intent_counts, declare_coverage
from irdiv.measures.parameters import JUDGED_ONLY, REL, Parameter, ParameterValues
from irdiv.progress import progress_bar
from irdiv.types import Floats

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

_ZHAI = "Zhai, Cohen and Lafferty, SIGIR 2003"
_RECALL = Parameter("recall", 1.0, "the share of the intents to be covered", Number(0, 1, open_low=True))
_READ = Parameter("a", 1.0, "cost of a document", Number(0, 1e6))
_MENTION = Parameter("b", 1.0, "cost of each intent that a document mentions", Number(0, 1e6))


def declarations() -> Iterable[Declaration]:
    """Yield S-recall@min, S-precision and WS-precision."""
    other_programs = "The best list is found exactly, as a set cover; Zhai et al. use a greedy approximation."
    yield declare_coverage(
        name="S-recall@min",
        summary="Subtopic recall at the smallest rank at which any list covers all intents.",
        formula="intents covered in the first K* / N, K* the smallest rank at which any list covers all intents",
        references=(_ZHAI,),
        score=_recall_at_shortest,
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        other_programs=other_programs + " At other cutoffs subtopic recall is I-rec.",
    )
    yield declare_coverage(
        name="S-precision",
        summary="The shortest list that covers a share of the intents over the documents the list needs for it.",
        formula="K*/K, K the first rank at which the share of intents is covered and K* the smallest such rank of any "
        "list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=lambda block, params, cutoff: _precision(block, params.replace(a=1.0, b=0.0), cutoff),
        parameters=(_RECALL, REL, JUDGED_ONLY),
        other_programs=other_programs,
    )
    yield declare_coverage(
        name="WS-precision",
        summary="S-precision in which a document costs more the more intents it mentions, so that redundancy costs.",
        formula="cost*/cost, cost = Σ_{r≤K} (a + b·(intents of d_r)), K the first rank at which the share of intents "
        "is covered and cost* the smallest such cost of any list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=_precision,
        parameters=(_RECALL, _READ, _MENTION, REL, JUDGED_ONLY),
        other_programs=other_programs,
    )


def _recall_at_shortest(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    rel = params["rel"]
    shortest = block.topics.cached(_cheapest, rel, 1.0, 0.0, 1.0)
    covered = np.where(block.rank <= shortest[:, None], block.cached(covered_intent_counts, rel), 0.0)
    return safe_divide(covered.max(axis=1), block.topics.eligible_intent_count(rel, "relevant"))


def _precision(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    topics, rel, a, b = block.topics, params["rel"], params["a"], params["b"]
    needed = _needed(topics, rel, params["recall"])
    deepest = block.max_rank if cutoff is None else cutoff
    reached = (block.cached(covered_intent_counts, rel) >= needed[:, None]) & (block.rank <= deepest)
    first = reached.argmax(axis=1)[:, None]
    mentions = np.cumsum(block.relevant(rel).sum(axis=1), axis=1)
    K = np.take_along_axis(np.broadcast_to(block.rank, reached.shape), first, axis=1)[:, 0]
    cost = a * K + b * np.take_along_axis(mentions, first, axis=1)[:, 0]
    best = topics.cached(_cheapest, rel, a, b, params["recall"])
    return np.where(reached.any(axis=1), safe_divide(best, cost), 0.0)


def _needed(topics: JudgedTopics, rel: int, recall: float) -> Floats:
    """Return how many intents must be covered in each topic; a share is also met by rounding errors."""
    return np.ceil(recall * topics.eligible_intent_count(rel, "relevant") - 1e-9)


def _cheapest(topics: JudgedTopics, rel: int, a: float, b: float, recall: float) -> Floats:
    from irdiv.kernels.exact import min_cover_cost

    relevant = topics.grades[topics.relevant_rows_by_id] >= rel
    needed = _needed(topics, rel, recall).astype(int).tolist()
    sets = progress_bar(list(zip(relevant, needed, strict=True)), "topic", "topics with cheapest covers")
    return np.array([min_cover_cost(topic, a, b, count) for topic, count in sets])
