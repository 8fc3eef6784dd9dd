"""The nine measures of ndeval under the names ir_measures gives them: binary, with uniform intents.

ERR_IA and alpha_DCG are divided by the best that any collection with as many intents could give, the
others by the greedy ideal of the collection or by nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.kernels.base import average_precision
from irdiv.kernels.lists import Floats, Ints, at, log_discount, ordered_sum, powers, ratio
from irdiv.kernels.novelty import last_rank_that_counts
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import (
    Discount,
    ideal_novelty_score,
    intent_recall,
    normalised_novelty_score,
    novelty_score,
)
from irdiv.measures.parameters import ALPHA, JUDGED_ONLY, PATIENCE, REL

if TYPE_CHECKING:
    from irdiv.arrays.ranking import Scene

Values = Mapping[str, Any]

_CLARKE = "Clarke et al., SIGIR 2008"
_OTHERS = (
    "This is ndeval's measure under ir_measures' name. Through ir_measures it is computed by pyndeval, which orders "
    "equal scores by doc id ascending and takes cutoffs up to 20, until irdiv.take_over(); irdiv orders them by doc id "
    "descending, as ndeval -traditional, and takes any cutoff."
)
_AT_ONE = " ndeval itself forgets to divide the value at cutoff 1 by the number of intents; irdiv divides."


def declarations() -> Iterable[Declaration]:
    """Yield the nine measures."""
    yield _declare(
        "ERR_IA",
        "Intent-aware expected reciprocal rank, collection-independent.",
        "Σ_{r≤l} NG(r)/r over Σ_{r≤l} N(1−α)^{r−1}/r",
        "Chapelle et al., Information Retrieval 14(6), 2011",
        lambda scene, values, cutoff: _over_any_collection(scene, values, cutoff, _reciprocal),
        (REL, ALPHA, JUDGED_ONLY),
        others=" ERR-IA is the graded, weighted ERR of each intent instead." + _AT_ONE,
    )
    yield _declare(
        "nERR_IA",
        "Intent-aware expected reciprocal rank over the greedy ideal.",
        "Σ_{r≤l} NG(r)/r over the same of the greedy ideal list",
        "Chapelle et al., Information Retrieval 14(6), 2011",
        lambda scene, values, cutoff: normalised_novelty_score(scene, values, cutoff, _reciprocal),
        (REL, ALPHA, JUDGED_ONLY),
        others=" nERR-IA is the graded, weighted nERR of each intent instead.",
    )
    yield _declare(
        "alpha_DCG",
        "α-DCG, collection-independent.",
        "Σ_{r≤l} NG(r)/log2(r+1) over Σ_{r≤l} N(1−α)^{r−1}/log2(r+1)",
        _CLARKE,
        lambda scene, values, cutoff: _over_any_collection(scene, values, cutoff, log_discount),
        (REL, ALPHA, JUDGED_ONLY),
        others=" alpha-DCG is not divided at all." + _AT_ONE,
    )
    yield _declare(
        "alpha_nDCG",
        "α-DCG over that of the greedy ideal.",
        "Σ_{r≤l} NG(r)/log2(r+1) over the same of the greedy ideal list",
        _CLARKE,
        lambda scene, values, cutoff: normalised_novelty_score(scene, values, cutoff, log_discount),
        (REL, ALPHA, JUDGED_ONLY),
    )
    yield _declare(
        "NRBP",
        "Novelty- and rank-biased precision.",
        "(1−(1−α)β)/N · Σ_r β^{r−1} NG(r) over the whole list",
        "Clarke, Kolla and Vechtomova, ICTIR 2009",
        _nrbp,
        (REL, ALPHA, PATIENCE, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "nNRBP",
        "NRBP over that of the greedy ideal.",
        "Σ_r β^{r−1} NG(r) over the same of the greedy ideal list",
        "Clarke, Kolla and Vechtomova, ICTIR 2009",
        _normalised_nrbp,
        (REL, ALPHA, PATIENCE, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "AP_IA",
        "Intent-aware average precision over the whole list.",
        "1/N · Σ_i 1/R_i · Σ_r J_i(r)·C_i(r)/r",
        "Agrawal et al., WSDM 2009",
        _ap_ia,
        (REL, JUDGED_ONLY),
        takes_cutoff=False,
    )
    yield _declare(
        "P_IA",
        "Intent-aware precision.",
        "Σ_{r≤l} (intents of d_r) / (lN)",
        "Agrawal et al., WSDM 2009",
        _p_ia,
        (REL, JUDGED_ONLY),
    )
    yield _declare(
        "StRecall",
        "Subtopic recall: the share of the intents that the first l documents cover.",
        "intents covered in the first l / N",
        "Zhai, Cohen and Lafferty, SIGIR 2003",
        lambda scene, values, cutoff: intent_recall(scene, {**values, "intents": "relevant"}, cutoff),
        (REL, JUDGED_ONLY),
        others=" I-rec is the same by another name.",
    )


def _declare(
    name: str, summary: str, formula: str, reference: str, score: Any, parameters: Any, **more: Any
) -> Declaration:
    others = _OTHERS + more.pop("others", "")
    return Declaration(
        family="ndeval's measures, by ir_measures' names: binary, intents uniform",
        name=name,
        summary=summary,
        formula=formula,
        references=(reference,),
        score=score,
        parameters=parameters,
        others=others,
        owner="ir_measures",
        **more,
    )


def _number_of_intents(scene: Scene, values: Values) -> Ints:
    return scene.block.number(values["rel"], "relevant")


def _reciprocal(last: int) -> Floats:
    return 1.0 / np.maximum(np.arange(last + 2), 1)


def _over_any_collection(scene: Scene, values: Values, cutoff: int | None, discount: Discount) -> Floats:
    """Divide by the gain of documents that are all relevant to all intents."""
    deepest = int(scene.length.max(initial=0)) if cutoff is None else cutoff
    steps = powers(1.0 - values["alpha"], deepest)[:deepest] * discount(deepest)[1 : deepest + 1]
    curve = np.concatenate([[0.0], np.cumsum(steps)])
    best = _number_of_intents(scene, values) * curve[scene.length if cutoff is None else cutoff]
    return ratio(novelty_score(scene, values, cutoff, discount), best)


@lru_cache(maxsize=64)
def _rank_bias(beta: float) -> Discount:
    return lambda last: np.concatenate([[1.0], powers(beta, last + 1)])


def _nrbp(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    scale = 1.0 - (1.0 - values["alpha"]) * values["beta"]
    gain = novelty_score(scene, values, None, _rank_bias(values["beta"]))
    return scale * ratio(gain, _number_of_intents(scene, values))


def _normalised_nrbp(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    depth = last_rank_that_counts(values["beta"], scene.grades.shape[1])
    ideal = ideal_novelty_score(scene.block, values, depth, None, _rank_bias(values["beta"]))
    return ratio(novelty_score(scene, values, None, _rank_bias(values["beta"])), ideal)


def _ap_ia(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    rel, block = values["rel"], scene.block
    relevant = scene.relevant(rel)
    R = block.keep(("relevant documents", rel), lambda: np.count_nonzero(block.grades[block.pool] >= rel, axis=1))
    per_intent = ratio(average_precision(relevant, scene.rank[:, None, :])[..., -1], R)
    return ratio(ordered_sum(per_intent), _number_of_intents(scene, values))


def _p_ia(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    intents_of_hit = np.count_nonzero(scene.relevant(values["rel"]), axis=1)
    found = at(np.cumsum(intents_of_hit, axis=-1, dtype=np.float64), scene.rank, cutoff)
    return ratio(found, (scene.length if cutoff is None else cutoff) * _number_of_intents(scene, values))
