"""Coverage and novelty: I-rec and the α-nDCG family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.errors import IrdivError, examples, warn
from irdiv.kernels.lists import Floats, at, log_discount, ratio
from irdiv.kernels.novelty import coverage, greedy_ideal, novelty_gain
from irdiv.measures.declaration import Declaration, Parameter, choice, number, optional
from irdiv.measures.parameters import ALPHA, INTENTS, JUDGED_ONLY, REL

if TYPE_CHECKING:
    from irdiv.arrays.block import Block
    from irdiv.arrays.ranking import Scene

Values = Mapping[str, Any]
Discount = Callable[[int], Floats]
"""From a last rank to the weight of each rank from 0 to it, and some past it; what is computed is kept under it."""


def declarations() -> Iterable[Declaration]:
    """Yield I-rec, α-DCG and α-nDCG."""
    yield Declaration(
        family="coverage and novelty",
        name="I-rec",
        summary="Intent recall: the share of the intents that the first l documents cover.",
        formula="intents covered in the first l / intents",
        references=("Zhai, Cohen and Lafferty, SIGIR 2003 (subtopic recall)", "Sakai and Song, SIGIR 2011"),
        score=intent_recall,
        parameters=(REL, INTENTS, JUDGED_ONLY),
        others="ndeval calls it strec, ir_measures StRecall.",
    )
    yield Declaration(
        family="coverage and novelty",
        name="alpha-DCG",
        summary="Discounted cumulative gain with a gain that shrinks each time an intent is repeated.",
        formula="Σ_{r≤l} NG(r)/log2(r+1)",
        references=("Clarke et al., SIGIR 2008",),
        score=lambda scene, values, cutoff: novelty_score(scene, values, cutoff, log_discount),
        parameters=(ALPHA, REL, JUDGED_ONLY),
        others="ndeval's alpha-DCG, here alpha_DCG, divides by the best any collection could give.",
    )
    yield Declaration(
        family="coverage and novelty",
        name="alpha-nDCG",
        summary="α-DCG over that of the ideal list.",
        formula="Σ_{r≤l} NG(r)/log2(r+1) over the same of the ideal list: of all judged documents the one with the "
        "largest NG next, of equal ones that with the largest doc id",
        references=("Clarke et al., SIGIR 2008",),
        score=_alpha_ndcg,
        parameters=(ALPHA, _IDEAL, _TIME_LIMIT, REL, JUDGED_ONLY),
        others="ndeval and ir_measures (alpha_nDCG) compute the same with ties of scores by doc id, descending in "
        "ndeval -traditional, ascending in pyndeval. The greedy ideal, theirs and the default here, is an "
        "approximation that a list can beat and so score more than 1; ideal='exact' cannot be beaten.",
    )


_IDEAL = Parameter(
    "ideal",
    "greedy",
    "'greedy' for the usual approximation, 'exact' for the largest α-DCG of any list, which needs a cutoff",
    choice("greedy", "exact"),
)


_TIME_LIMIT = Parameter(
    "time_limit",
    None,
    "seconds to search for the exact ideal of a topic, then a bound divides; None for as long as it takes",
    optional(number(0, 1e6, open_low=True)),
    only_with=("ideal", "exact"),
)


def _alpha_ndcg(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    if values["ideal"] == "greedy":
        return normalised_novelty_score(scene, values, cutoff, log_discount)
    if cutoff is None:
        raise IrdivError("alpha-nDCG(ideal='exact') needs a cutoff, as in alpha-nDCG(ideal='exact')@10.")
    return ratio(novelty_score(scene, values, cutoff, log_discount), _exact_ideal(scene.block, values, cutoff))


def _exact_ideal(block: Block, values: Values, cutoff: int) -> Floats:
    """Return the largest α-DCG of any list, or what it cannot exceed where the time limit stopped the search."""
    from irdiv.kernels.exact import exact_ideals

    rel, alpha, limit = values["rel"], values["alpha"], values["time_limit"]

    def compute() -> Floats:
        ideals = exact_ideals(block.grades[block.pool_by_id] >= rel, alpha, cutoff, limit)
        open_ = [
            topic
            for topic, ideal in zip(block.collection.topics[block.start :], ideals, strict=False)
            if not ideal.proven
        ]
        if open_:
            warn(
                f"the best list of {len(open_)} topics was not proven in {limit:g} s, and their alpha-nDCG is divided "
                f"by a bound, so it may be too small: {examples(open_, 10)}"
            )
        return np.array([ideal.bound for ideal in ideals])

    best = block.keep(("exact ideal", rel, alpha, cutoff, limit), compute)
    # Two lists of equal worth may differ in the last bit.
    return np.maximum(best, ideal_novelty_score(block, values, cutoff, cutoff, log_discount))


def intent_recall(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    """Return the share of intents covered."""
    rel = values["rel"]
    return ratio(at(covered_intents(scene, rel), scene.rank, cutoff), scene.block.number(rel, values["intents"]))


def covered_intents(scene: Scene, rel: int) -> Floats:
    """Return the number of intents covered up to each hit."""
    return scene.keep(("coverage", rel), lambda: coverage(scene.relevant(rel)))


def novelty_score(scene: Scene, values: Values, cutoff: int | None, discount: Discount) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r)."""
    rel, alpha = values["rel"], values["alpha"]
    NG = scene.keep(("NG", rel, alpha), lambda: novelty_gain(scene.relevant(rel), alpha))
    curve = scene.keep(
        ("NG curve", rel, alpha, discount), lambda: np.cumsum(NG * discount(scene.last + 1)[scene.rank], axis=-1)
    )
    return at(curve, scene.rank, cutoff)


def ideal_novelty_score(
    block: Block, values: Values, depth: int | None, cutoff: int | None, discount: Discount
) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r) of the greedy ideal, which is found down to a depth."""
    rel, alpha = values["rel"], values["alpha"]
    pool = block.pool.shape[1]
    # One search serves all cutoffs up to a power of two.
    depth = pool if depth is None else min(1 << max(6, (depth - 1).bit_length()), pool)
    NG = block.keep(
        ("greedy ideal", rel, alpha, depth),
        lambda: greedy_ideal(block.grades[block.pool_by_id] >= rel, alpha, depth),
    )
    rank = np.arange(1, depth + 1)
    return block.keep(
        ("greedy ideal", rel, alpha, depth, cutoff, discount),
        lambda: at(np.cumsum(NG * discount(depth)[rank], axis=-1), rank, cutoff),
    )


def normalised_novelty_score(scene: Scene, values: Values, cutoff: int | None, discount: Discount) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r), over that of the greedy ideal."""
    ideal = ideal_novelty_score(scene.block, values, cutoff, cutoff, discount)
    return ratio(novelty_score(scene, values, cutoff, discount), ideal)
