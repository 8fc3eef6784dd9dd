"""The cube test of TREC Dynamic Domain, and rank-biased utility."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from irdiv.errors import IrdivError
from irdiv.kernels.lists import Floats, Ints, at, ordered_sum, ratio
from irdiv.kernels.utility import best_height, heights, heights_of_the_paper, satisfaction
from irdiv.measures.bases import Values
from irdiv.measures.declaration import Declaration, Parameter, boolean, choice, number, optional, whole
from irdiv.measures.parameters import INTENTS, JUDGED_ONLY, REL, RENORMALISE

if TYPE_CHECKING:
    from irdiv.arrays.ranking import Scene

_DECAY = Parameter("gamma", 0.5, "what each further document of an intent is worth of the one before", number(0, 1))
_HEIGHT = Parameter("height", 5.0, "MH, at which an intent is full", number(0, 1e6, open_low=True))
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
_WEIGHTED = Parameter("weighted", False, "weigh intents by probability instead of equally", boolean)
_LUO = "Luo, Wing, Yang and Hearst, CIKM 2013"
_CT = (
    "Σ_i p_i·height_i / MH ÷ time, a document of grade x adding min(γ^{n_i+1}·x, MH − height_i) to height_i, n_i the "
    "earlier documents that raised it"
)
_BEST = 6

_PERSISTENCE = Parameter("p", 0.8, "persistence: the probability of going on to the next rank", number(0, 1))
_EFFORT = Parameter("e", 0.03, "effort of reading a document, relevant or not", number(0, 1e6))
_HIGHEST = Parameter(
    "max_grade",
    None,
    "H, the highest grade of the scale; None for the highest of each intent",
    optional(whole(1, 1000)),
)


def declarations() -> Iterable[Declaration]:
    """Yield CT, ACT, nCT and RBU."""
    parameters = (_DECAY, _HEIGHT, _TIME, _FORM, _WEIGHTED, REL, JUDGED_ONLY)
    family = "cube test and utility: how soon intents are filled, and at which cost"
    track = "TREC Dynamic Domain's program scores runs of several iterations; a ranked list is one."
    yield Declaration(
        family=family,
        name="CT",
        summary="Cube test: how far the first l documents fill the intents.",
        formula=_CT,
        references=(_LUO, "Yang, Frank and Soboroff, TREC 2015 Dynamic Domain"),
        score=_cube_test,
        parameters=parameters,
        others=track,
    )
    yield Declaration(
        family=family,
        name="ACT",
        summary="Average cube test: the mean of CT over all prefixes of the list.",
        formula=f"1/L · Σ_{{j≤L}} CT@j, L documents in the list, at most l, with CT = {_CT}",
        references=("Yang and Soboroff, TREC 2016 Dynamic Domain", _LUO),
        score=_average_cube_test,
        parameters=parameters,
        others=f"{track} A list gains by irrelevant documents at its end: each repeats the last, highest CT.",
    )
    yield Declaration(
        family=family,
        name="nCT",
        summary="Cube test over what the best documents of each intent would fill.",
        formula="CT over Σ_i p_i·min(MH, Σ_j γ^j·x_(j))/MH, x_(j) the six best grades of the intent from j = 0, with "
        f"CT = {_CT}",
        references=("Yang, Tang and Soboroff, TREC 2017 Dynamic Domain",),
        score=_normalised_cube_test,
        parameters=tuple(p for p in parameters if p is not _FORM),
        others=f"{track} The first document is worth γ in CT and 1 in what divides it, so that 1 is out of reach with "
        "the defaults; it may be passed where more than six documents fill an intent.",
    )
    yield Declaration(
        family=family,
        name="RBU",
        summary="Rank-biased utility: being satisfied about each intent, less the effort of reading.",
        formula="Σ_i Pr(i|q)·(1−p)·Σ_{r≤l} p^{r−1}·R_i(r)·Π_{j<r}(1−R_i(j)) − e·(1−p)·Σ_{r≤L} p^{r−1}, "
        "R_i = (2^x−1)/2^H, L documents in the list, at most l",
        references=("Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018",),
        score=_rank_biased_utility,
        parameters=(_PERSISTENCE, _EFFORT, _HIGHEST, REL, INTENTS, RENORMALISE, JUDGED_ONLY),
        others="As in the authors' program, H is the highest grade of the intent in the topic. It is below 0 where "
        "effort outweighs what is found.",
    )


def _weights(scene: Scene, values: Values) -> Floats:
    if values["weighted"]:
        return scene.block.weight(values["rel"], "relevant", True)
    kept = scene.block.kept(values["rel"], "relevant")
    return ratio(kept.astype(float), np.count_nonzero(kept, axis=1)[:, None])


def _filled(scene: Scene, values: Values) -> Floats:
    """Return Σ_i p_i·height_i / MH after each hit, or the sum of the paper's form."""
    relevant, gamma, most = scene.relevant(values["rel"]), values["gamma"], values["height"]
    if values.get("form", "track") == "track":
        filled = heights(relevant, scene.grades, gamma, most) / most
    else:
        H = max(scene.block.collection.max_grade, 1)
        filled = heights_of_the_paper(relevant, scene.grades, H, gamma, most)
    return ordered_sum(_weights(scene, values)[:, :, None] * filled, axis=1)


def _documents(scene: Scene, cutoff: int | None) -> Ints:
    return scene.length if cutoff is None else np.minimum(scene.length, cutoff)


def _cube_test(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    found = at(_filled(scene, values), scene.rank, cutoff)
    return found if values["time"] == "iteration" else ratio(found, _documents(scene, cutoff))


def _average_cube_test(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """Return the mean over prefixes: what a hit at rank r adds is in all from r on."""
    L = _documents(scene, cutoff)
    curve = _filled(scene, values)
    added = np.diff(curve, axis=-1, prepend=0.0)
    if values["time"] == "iteration":
        prefixes = np.maximum(L[:, None] - scene.rank + 1, 0).astype(np.float64)
    else:
        harmonic = _harmonic(int(max(L.max(initial=0), scene.last + 1)))
        prefixes = np.maximum(harmonic[L][:, None] - harmonic[scene.rank - 1], 0.0)
    return ratio(ordered_sum(added * prefixes), L)


@lru_cache(maxsize=8)
def _harmonic(most: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])


def _normalised_cube_test(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    block, rel, gamma, most = scene.block, values["rel"], values["gamma"], values["height"]

    def compute() -> Floats:
        grade = block.grades[block.pool]
        return best_height(np.where(grade >= rel, grade, 0), gamma, most, _BEST) / most

    best = block.keep(("best height", rel, gamma, most), compute)
    return ratio(_cube_test(scene, values, cutoff), ordered_sum(_weights(scene, values) * best))


def _rank_biased_utility(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    block, p = scene.block, values["p"]
    weight = block.weight(values["rel"], values["intents"], values["renormalise"])
    given = values["max_grade"]
    if given is not None and given < block.collection.max_grade:
        raise IrdivError(f"max_grade={given}, but the qrels have grades up to {block.collection.max_grade}.")
    H = block.best_grade if given is None else np.full_like(block.best_grade, given)
    curve = satisfaction(scene.grades, H[:, :, None], scene.rank[:, None, :], p, scene.last)
    satisfied = ordered_sum(weight * at(curve, scene.rank[:, None, :], cutoff))
    # (1 − p) Σ_{r≤L} p^{r−1} = 1 − p^L
    utility = satisfied - values["e"] * (1.0 - np.power(p, _documents(scene, cutoff)))
    return np.where(block.number(values["rel"], values["intents"]) > 0, utility, 0.0)
