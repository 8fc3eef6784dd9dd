"""The cube test of TREC Dynamic Domain, and rank-biased utility."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Boolean, Integer, Number, Optional, choice
from irdiv.errors import IrdivError
from irdiv.kernels.lists import ordered_sum, safe_divide, value_at_cutoff
from irdiv.kernels.utility import heights, ideal_height, published_heights, satisfaction
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import intent_weights_for
from irdiv.measures.parameters import INTENTS, JUDGED_ONLY, REL, RENORMALIZE, Parameter, ParameterValues
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

_declare = partial(Declaration, "cube test and utility: how soon intents are filled, and at which cost")
_DECAY = Parameter("gamma", 0.5, "what each further document of an intent is worth of the one before", Number(0, 1))
_HEIGHT = Parameter("height", 5.0, "MH, at which an intent is full", Number(0, 1e6, open_low=True))
_TIME = Parameter(
    "time",
    "iteration",
    "what divides the height: 1 for a list, which is one iteration ('iteration'), or its documents ('rank')",
    choice("iteration", "rank"),
)
_FORM = Parameter(
    "form",
    "track",
    "'track' as TREC Dynamic Domain scores it; 'paper' for Σ_i p_i·(x/H)·γ^{n_i}, not divided by MH, over documents "
    "before which Σ x/H of the intent is below MH",
    choice("track", "paper"),
)
_WEIGHTED = Parameter("weighted", False, "weigh intents by probability instead of equally", Boolean())
_LUO = "Luo, Wing, Yang and Hearst, CIKM 2013"
_CT = (
    "Σ_i p_i·height_i / MH ÷ time, a document of grade x adding min(γ^{n_i+1}·x, MH − height_i) to height_i, n_i the "
    "earlier documents that raised it"
)
_BEST = 6

_PERSISTENCE = Parameter("p", 0.8, "persistence: the probability of going on to the next rank", Number(0, 1))
_EFFORT = Parameter("e", 0.03, "effort of reading a document, relevant or not", Number(0, 1e6))
_HIGHEST = Parameter(
    "max_grade",
    None,
    "H_i of all intents; None for the highest grade of each intent in the topic",
    Optional(Integer(1, 1000)),
)


def declarations() -> Iterable[Declaration]:
    """Yield CT, ACT, nCT and RBU."""
    parameters = (_DECAY, _HEIGHT, _TIME, _FORM, _WEIGHTED, REL, JUDGED_ONLY)
    track = "TREC Dynamic Domain's program scores runs of several iterations; a ranked list is one."
    yield _declare(
        name="CT",
        summary="Cube test: how far the first l documents fill the intents.",
        formula=_CT,
        references=(_LUO, "Yang, Frank and Soboroff, TREC 2015 Dynamic Domain"),
        score=_cube_test,
        parameters=parameters,
        other_programs=track,
    )
    yield _declare(
        name="ACT",
        summary="Average cube test: the mean of CT over all prefixes of the list.",
        formula=f"1/L · Σ_{{j≤L}} CT@j, L documents in the list, at most l, with CT = {_CT}",
        references=("Yang and Soboroff, TREC 2016 Dynamic Domain", _LUO),
        score=_average_cube_test,
        parameters=parameters,
        other_programs=f"{track} A list gains by irrelevant documents at its end: each repeats the last, highest CT.",
    )
    yield _declare(
        name="nCT",
        summary="Cube test over what the best documents of each intent would fill.",
        formula="CT over Σ_i p_i·min(MH, Σ_j γ^j·x_(j))/MH, x_(j) the six best grades of the intent from j = 0, with "
        f"CT = {_CT}",
        references=("Yang, Tang and Soboroff, TREC 2017 Dynamic Domain",),
        score=_normalized_cube_test,
        parameters=tuple(p for p in parameters if p is not _FORM),
        other_programs=f"{track} The first document is worth γ in CT and 1 in what divides it, so that 1 is out of "
        "reach with the defaults; it may be passed where more than six documents fill an intent.",
    )
    yield _declare(
        name="RBU",
        summary="Rank-biased utility: being satisfied about each intent, less the effort of reading.",
        formula="Σ_i Pr(i|q)·(1−p)·Σ_{r≤l} p^{r−1}·R_i(r)·Π_{j<r}(1−R_i(j)) − e·(1−p)·Σ_{r≤L} p^{r−1}, "
        "R_i(r) = (2^x−1)/2^{H_i} the probability of relevance to intent i, H_i the highest grade of intent i in the "
        "topic, L documents in the list, at most l",
        references=("Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018",),
        score=_rank_biased_utility,
        may_be_negative=True,
        parameters=(_PERSISTENCE, _EFFORT, _HIGHEST, REL, INTENTS, RENORMALIZE, JUDGED_ONLY),
        other_programs="As in the authors' program, H_i is the highest grade of the intent in the topic. It is below 0 "
        "where effort outweighs what is found.",
    )


def _weights(block: Block, params: ParameterValues) -> Floats:
    if params["weighted"]:
        return block.topics.intent_weights(params["rel"], "relevant", True)
    counted = block.topics.eligible_intents(params["rel"], "relevant")
    return safe_divide(counted.astype(float), np.count_nonzero(counted, axis=1)[:, None])


def _filled(block: Block, params: ParameterValues) -> Floats:
    """Return Σ_i p_i·height_i / MH after each hit, or the sum of the paper's form."""
    relevant, gamma, most = block.relevant(params["rel"]), params["gamma"], params["height"]
    if params.get("form", "track") == "track":
        filled = heights(relevant, block.grades, gamma, most) / most
    else:
        H = max(block.topics.collection.max_grade, 1)
        filled = published_heights(relevant, block.grades, H, gamma, most)
    return ordered_sum(_weights(block, params)[:, :, None] * filled, axis=1)


def _documents(block: Block, cutoff: int | None) -> Ints:
    return block.length if cutoff is None else np.minimum(block.length, cutoff)


def _cube_test(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    found = value_at_cutoff(_filled(block, params), block.rank, cutoff)
    return found if params["time"] == "iteration" else safe_divide(found, _documents(block, cutoff))


def _average_cube_test(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return the mean over prefixes: what a hit at rank r adds is in all from r on."""
    L = _documents(block, cutoff)
    curve = _filled(block, params)
    added = np.diff(curve, axis=-1, prepend=0.0)
    if params["time"] == "iteration":
        prefixes = np.maximum(L[:, None] - block.rank + 1, 0).astype(np.float64)
    else:
        harmonic = _harmonic(int(max(L.max(), block.max_rank)))
        prefixes = np.maximum(harmonic[L][:, None] - harmonic[block.rank - 1], 0.0)
    return safe_divide(ordered_sum(added * prefixes), L)


@lru_cache(maxsize=8)
def _harmonic(most: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])


def _normalized_cube_test(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    best = block.topics.cached(_best_height, params["rel"], params["gamma"], params["height"])
    return safe_divide(_cube_test(block, params, cutoff), ordered_sum(_weights(block, params) * best))


def _best_height(topics: JudgedTopics, rel: int, gamma: float, most: float) -> Floats:
    grade = topics.grades[topics.relevant_rows]
    return ideal_height(np.where(grade >= rel, grade, 0), gamma, most, _BEST) / most


def _rank_biased_utility(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    topics, p = block.topics, params["p"]
    weight = intent_weights_for(topics, params)
    given = params["max_grade"]
    if given is not None and given < topics.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {block.topics.collection.max_grade}.")
    H = topics.best_grade if given is None else np.full_like(topics.best_grade, given)
    curve = satisfaction(block.grades, H[:, :, None], block.rank[:, None, :], p, block.max_rank)
    satisfied = ordered_sum(weight * value_at_cutoff(curve, block.rank[:, None, :], cutoff))
    # (1 − p) Σ_{r≤L} p^{r−1} = 1 − p^L
    utility = satisfied - params["e"] * (1.0 - np.power(p, _documents(block, cutoff)))
    return np.where(topics.eligible_intent_count(params["rel"], params["intents"]) > 0, utility, 0.0)
