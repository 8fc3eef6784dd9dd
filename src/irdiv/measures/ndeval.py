"""The nine measures of ndeval under the names ir_measures gives them: binary, with uniform intents.

ERR_IA and alpha_DCG are divided by the best that any collection with as many intents could give, the
others by the greedy ideal of the collection or by nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irdiv.kernels.base import average_precision_curve
from irdiv.kernels.lists import log_discount, ordered_sum, powers, safe_divide, value_at_cutoff
from irdiv.kernels.novelty import last_significant_rank
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import (
    Discount,
    ideal_novelty_score,
    intent_recall,
    normalized_novelty_score,
    novelty_score,
)
from irdiv.measures.parameters import ALPHA, JUDGED_ONLY, PATIENCE, REL, WEIGHTED, ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

_CLARKE = "Clarke et al., SIGIR 2008"
_OTHER_PROGRAMS = (
    "This is ndeval's measure under ir_measures' name. Through ir_measures it is computed by pyndeval, which orders "
    "equal scores by doc id ascending and takes cutoffs up to 20; irdiv orders them by doc id descending, as ndeval "
    "-traditional, and takes any cutoff. irdiv computes it after "
    "irdiv.plugins.ir_measures.set_ndeval_provider('irdiv'), and wherever the intents are in another column than "
    "iteration, as pyndeval would see one intent."
)
_AT_ONE = " ndeval itself forgets to divide the value at cutoff 1 by the number of intents; irdiv divides."


_GRADED = "{0}_IA is ndeval's {0}-IA, binary; the graded one, which weighs intents by Pr(i|q), is called {0}-IA."
_declare = partial(
    Declaration,
    "ndeval's measures, by ir_measures' names: binary, intents uniform",
    other_programs=_OTHER_PROGRAMS,
    owner="ndeval",
)


def declarations() -> Iterable[Declaration]:
    """Yield the nine measures of ndeval."""
    yield _declare(
        "ERR_IA",
        "Intent-aware expected reciprocal rank, collection-independent.",
        "Σ_{r≤l} NG(r)/r over Σ_{r≤l} N(1−α)^{r−1}/r",
        ("Chapelle et al., Information Retrieval 14(6), 2011",),
        lambda block, params, cutoff: _over_any_collection(block, params, cutoff, _reciprocal),
        (REL, ALPHA, JUDGED_ONLY),
        other_programs=_OTHER_PROGRAMS + " ERR-IA is the graded, weighted ERR of each intent instead." + _AT_ONE,
        namesake=_GRADED.format("ERR"),
    )
    yield _declare(
        "nERR_IA",
        "Intent-aware expected reciprocal rank over the greedy ideal.",
        "Σ_{r≤l} NG(r)/r over the same of the greedy ideal list",
        ("Chapelle et al., Information Retrieval 14(6), 2011",),
        lambda block, params, cutoff: normalized_novelty_score(block, params, cutoff, _reciprocal),
        (REL, ALPHA, JUDGED_ONLY),
        other_programs=_OTHER_PROGRAMS + " nERR-IA is the graded, weighted nERR of each intent instead.",
        namesake=_GRADED.format("nERR"),
    )
    yield _declare(
        "alpha_DCG",
        "α-DCG, collection-independent.",
        "Σ_{r≤l} NG(r)/log2(r+1) over Σ_{r≤l} N(1−α)^{r−1}/log2(r+1)",
        (_CLARKE,),
        lambda block, params, cutoff: _over_any_collection(block, params, cutoff, log_discount),
        (REL, ALPHA, JUDGED_ONLY),
        other_programs=_OTHER_PROGRAMS + " alpha-DCG is not divided at all." + _AT_ONE,
        namesake="alpha_DCG is ndeval's, over the best any collection could give; the plain sum is called alpha-DCG.",
    )
    yield _declare(
        "alpha_nDCG",
        "α-DCG over that of the greedy ideal.",
        "Σ_{r≤l} NG(r)/log2(r+1) over the same of the greedy ideal list",
        (_CLARKE,),
        lambda block, params, cutoff: normalized_novelty_score(block, params, cutoff, log_discount),
        (REL, ALPHA, JUDGED_ONLY),
    )
    yield _declare(
        "NRBP",
        "Novelty- and rank-biased precision.",
        "(1−(1−α)β)/N · Σ_r β^{r−1} NG(r) over the whole list",
        ("Clarke, Kolla and Vechtomova, ICTIR 2009",),
        _nrbp,
        (REL, ALPHA, PATIENCE, WEIGHTED, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "nNRBP",
        "NRBP over that of the greedy ideal.",
        "Σ_r β^{r−1} NG(r) over the same of the greedy ideal list",
        ("Clarke, Kolla and Vechtomova, ICTIR 2009",),
        _normalized_nrbp,
        (REL, ALPHA, PATIENCE, WEIGHTED, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "AP_IA",
        "Intent-aware average precision over the whole list.",
        "1/N · Σ_i 1/R_i · Σ_r J_i(r)·C_i(r)/r",
        ("Agrawal et al., WSDM 2009",),
        _ap_ia,
        (REL, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "P_IA",
        "Intent-aware precision.",
        "Σ_{r≤l} (intents of d_r) / (lN)",
        ("Agrawal et al., WSDM 2009",),
        _p_ia,
        (REL, JUDGED_ONLY),
    )
    yield _declare(
        "StRecall",
        "Subtopic recall: the share of the intents that the first l documents cover.",
        "intents covered in the first l / N",
        ("Zhai, Cohen and Lafferty, SIGIR 2003",),
        lambda block, params, cutoff: intent_recall(block, params.replace(intents="relevant"), cutoff),
        (REL, JUDGED_ONLY),
        other_programs=_OTHER_PROGRAMS + " I-rec is the same by another name.",
    )


def _intent_count(block: Block, params: ParameterValues) -> Ints:
    return block.topics.eligible_intent_count(params["rel"], "relevant")


def _reciprocal(last: int) -> Floats:
    return 1.0 / np.maximum(np.arange(last + 2), 1)


def _over_any_collection(block: Block, params: ParameterValues, cutoff: int | None, discount: Discount) -> Floats:
    """Divide by the gain of documents that are all relevant to all intents."""
    deepest = int(block.length.max()) if cutoff is None else cutoff
    steps = powers(1.0 - params["alpha"], deepest)[:deepest] * discount(deepest)[1 : deepest + 1]
    curve = np.concatenate([[0.0], np.cumsum(steps)])
    best = _intent_count(block, params) * curve[block.length if cutoff is None else cutoff]
    return safe_divide(novelty_score(block, params, cutoff, discount), best)


@dataclass(frozen=True)
class _RankBias:
    """The discount β^{r−1}."""

    beta: float

    def __call__(self, last: int, /) -> Floats:
        return np.concatenate([[1.0], powers(self.beta, last + 1)])


def _nrbp(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    scale = 1.0 - (1.0 - params["alpha"]) * params["beta"]
    gain = novelty_score(block, params, None, _RankBias(params["beta"]))
    return scale * safe_divide(gain, _intent_count(block, params))


def _normalized_nrbp(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    depth = last_significant_rank(params["beta"], block.grades.shape[1])
    ideal = ideal_novelty_score(block.topics, params, depth, None, _RankBias(params["beta"]))
    return safe_divide(novelty_score(block, params, None, _RankBias(params["beta"])), ideal)


def _ap_ia(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    rel, topics = params["rel"], block.topics
    relevant = block.relevant(rel)
    R = topics.cached(_relevant_by_intent, rel)
    per_intent = safe_divide(average_precision_curve(relevant, block.rank[:, None, :])[..., -1], R)
    return safe_divide(ordered_sum(per_intent), _intent_count(block, params))


def _relevant_by_intent(topics: JudgedTopics, rel: int) -> Ints:
    """Return the number of documents relevant to each intent, ``[topic, intent]``."""
    return np.count_nonzero(topics.grades[topics.relevant_rows] >= rel, axis=1)


def _p_ia(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    intents_of_hit = np.count_nonzero(block.relevant(params["rel"]), axis=1)
    found = value_at_cutoff(np.cumsum(intents_of_hit, axis=-1), block.rank, cutoff)
    return safe_divide(found, (block.length if cutoff is None else cutoff) * _intent_count(block, params))
