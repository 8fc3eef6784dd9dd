"""S-recall, S-precision and WS-precision: how close to the shortest list that covers the intents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number
from irdiv.kernels.lists import safe_divide
from irdiv.measures.declaration import Declaration, Parameter
from irdiv.measures.novelty import covered_intent_counts
from irdiv.measures.parameters import JUDGED_ONLY, REL
from irdiv.measures.values import ParameterValues
from irdiv.progress import progress_bar
from irdiv.types import Floats

if TYPE_CHECKING:
    from irdiv.arrays.blocks import JudgedBlock
    from irdiv.arrays.ranking import RankedBlock

_ZHAI = "Zhai, Cohen and Lafferty, SIGIR 2003"
_RECALL = Parameter("recall", 1.0, "the share of the intents to be covered", Number(0, 1, open_low=True))
_READ = Parameter("a", 1.0, "cost of a document", Number(0, 1e6))
_MENTION = Parameter("b", 1.0, "cost of each intent that a document mentions", Number(0, 1e6))


def declarations() -> Iterable[Declaration]:
    """Yield S-recall@min, S-precision and WS-precision."""
    family = "coverage and novelty"
    other_programs = "The best list is found exactly, as a set cover; Zhai et al. use a greedy approximation."
    yield Declaration(
        family=family,
        name="S-recall@min",
        summary="Subtopic recall at the smallest rank at which any list covers all intents.",
        formula="intents covered in the first K* / N, K* the smallest rank at which any list covers all intents",
        references=(_ZHAI,),
        score=_recall_at_shortest,
        parameters=(REL, JUDGED_ONLY),
        takes_cutoff=False,
        other_programs=other_programs + " At other cutoffs subtopic recall is I-rec.",
    )
    yield Declaration(
        family=family,
        name="S-precision",
        summary="The shortest list that covers a share of the intents over the documents the list needs for it.",
        formula="K*/K, K the first rank at which the share of intents is covered and K* the smallest such rank of any "
        "list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=lambda ranked, params, cutoff: _precision(ranked, params.replace(a=1.0, b=0.0), cutoff),
        parameters=(_RECALL, REL, JUDGED_ONLY),
        other_programs=other_programs,
    )
    yield Declaration(
        family=family,
        name="WS-precision",
        summary="S-precision in which a document costs more the more intents it mentions, so that redundancy costs.",
        formula="cost*/cost, cost = Σ_{r≤K} (a + b·(intents of d_r)), K the first rank at which the share of intents "
        "is covered and cost* the smallest such cost of any list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=_precision,
        parameters=(_RECALL, _READ, _MENTION, REL, JUDGED_ONLY),
        other_programs=other_programs,
    )


def _recall_at_shortest(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    rel = params["rel"]
    shortest = ranked.block.cached(_cheapest, rel, 1.0, 0.0, 1.0)
    covered = np.where(ranked.rank <= shortest[:, None], covered_intent_counts(ranked, rel), 0.0)
    return safe_divide(covered.max(axis=1), ranked.block.eligible_intent_count(rel, "relevant"))


def _precision(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    block, rel, a, b = ranked.block, params["rel"], params["a"], params["b"]
    needed = _needed(block, rel, params["recall"])
    deepest = ranked.max_rank if cutoff is None else cutoff
    reached = (covered_intent_counts(ranked, rel) >= needed[:, None]) & (ranked.rank <= deepest)
    first = reached.argmax(axis=1)[:, None]
    mentions = np.cumsum(ranked.relevant(rel).sum(axis=1), axis=1)
    K = np.take_along_axis(np.broadcast_to(ranked.rank, reached.shape), first, axis=1)[:, 0]
    cost = a * K + b * np.take_along_axis(mentions, first, axis=1)[:, 0]
    best = block.cached(_cheapest, rel, a, b, params["recall"])
    return np.where(reached.any(axis=1), safe_divide(best, cost), 0.0)


def _needed(block: JudgedBlock, rel: int, recall: float) -> Floats:
    """Return how many intents must be covered in each topic; a share is also met by rounding errors."""
    return np.ceil(recall * block.eligible_intent_count(rel, "relevant") - 1e-9)


def _cheapest(block: JudgedBlock, rel: int, a: float, b: float, recall: float) -> Floats:
    from irdiv.kernels.exact import min_cover_cost

    relevant = block.grades[block.relevant_rows_by_id] >= rel
    needed = _needed(block, rel, recall).astype(int).tolist()
    topics = progress_bar(list(zip(relevant, needed, strict=True)), "topic", "topics with cheapest covers")
    return np.array([min_cover_cost(topic, a, b, count) for topic, count in topics])
