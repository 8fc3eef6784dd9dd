"""Coverage and novelty: I-rec and the α-nDCG family."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from irdiv.checks import Boolean, Number, Optional, choice
from irdiv.errors import IrdivError, examples, warn
from irdiv.kernels.lists import log_discount, safe_divide, value_at_cutoff
from irdiv.kernels.novelty import covered_intent_count, greedy_ranking, novelty_gain
from irdiv.measures.declaration import Declaration
from irdiv.measures.parameters import ALPHA, INTENTS, JUDGED_ONLY, REL, WEIGHTED, Parameter, ParameterValues
from irdiv.progress import progress_bar
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

MOST_VARIABLES = 500_000
"""How many variables the integer program of an exact ideal may have; far fewer may take hours."""


Discount: TypeAlias = Callable[[int], Floats]
"""A function from the last rank to the discounts of ranks 0 to one past it; equal functions return equal ones."""


class NoveltyModel(NamedTuple):
    """What a novelty gain depends on beside the ranking."""

    rel: int
    alpha: float
    weighted: bool
    """Whether intents are weighted by their probabilities."""
    exact: bool
    """Whether the gain is the probability that some intent is served, not the sum that approximates it."""
    gamma: float
    """The probability of each intent in the exact gain, unless weighted."""

    @classmethod
    def of(cls, params: ParameterValues) -> NoveltyModel:
        """Return the model of the values of parameters; a measure need not have all of them."""
        weighted, exact = params.get("weighted", False), params.get("model", "sum") == "exact"
        if exact and params["alpha"] == 0:
            raise IrdivError("with model='exact', alpha=0 makes every gain 0; give an alpha above 0.")
        return cls(params["rel"], params["alpha"], weighted, exact, params["gamma"] if exact and not weighted else 1.0)


declare_coverage = partial(Declaration, "coverage and novelty")
_ALSO = ("nuggets", "rubrics", "aspects", "retrieval-augmented generation (RAG)")


def declarations() -> Iterable[Declaration]:
    """Yield I-rec, α-DCG and α-nDCG."""
    yield declare_coverage(
        name="I-rec",
        summary="Intent recall: the share of the intents that the first l documents cover.",
        formula="intents covered in the first l / intents",
        references=("Zhai, Cohen and Lafferty, SIGIR 2003 (subtopic recall)", "Sakai and Song, SIGIR 2011"),
        score=intent_recall,
        parameters=(REL, INTENTS, JUDGED_ONLY),
        other_programs="ndeval calls it strec, ir_measures StRecall.",
        keywords=("subtopic recall", "S-recall", "coverage", *_ALSO),
    )
    yield declare_coverage(
        name="alpha-DCG",
        summary="Discounted cumulative gain with a gain that shrinks each time an intent is repeated.",
        formula="Σ_{r≤l} NG(r)/log2(r+1)",
        references=("Clarke et al., SIGIR 2008",),
        score=lambda block, params, cutoff: novelty_score(block, params, cutoff, log_discount),
        parameters=(ALPHA, WEIGHTED, _MODEL, _GAMMA_OF_MODEL, REL, JUDGED_ONLY),
        bounded=False,
        other_programs="ndeval's alpha-DCG, here alpha_DCG, divides by the best any collection could give.",
        namesake="alpha-DCG is a plain sum; ndeval's, over the best any collection could give, is alpha_DCG here.",
        keywords=_ALSO,
    )
    yield declare_coverage(
        name="alpha-nDCG",
        summary="α-DCG over that of the ideal list.",
        formula="Σ_{r≤l} NG(r)/log2(r+1) over the same of the ideal list: of all judged documents the one with the "
        "largest NG next, of equal ones that with the largest doc id",
        references=("Clarke et al., SIGIR 2008",),
        score=_alpha_ndcg,
        parameters=(ALPHA, _IDEAL, _TIME_LIMIT, WEIGHTED, _MODEL, _GAMMA_OF_MODEL, _CAP, REL, JUDGED_ONLY),
        other_programs="ndeval and ir_measures (alpha_nDCG) compute the same with ties of scores by doc id, descending "
        "in ndeval -traditional, ascending in pyndeval. The greedy ideal, theirs and the default here, is an "
        "approximation that a list can beat and so score more than 1; ideal='exact' cannot be beaten, and cap=True "
        "gives a list that beats the greedy ideal 1, as Clarke et al. say.",
        keywords=("coverage", *_ALSO),
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
    Optional(Number(0, 1e6, open_low=True)),
    only_with=(("ideal", "exact"),),
)


_MODEL = Parameter(
    "model",
    "sum",
    "'sum' for NG(r) as above, 'exact' for 1 − Π_i(1 − p_i·α·J_i(r)·(1−α)^{C_i(r−1)}), which 'sum' approximates",
    choice("sum", "exact"),
)
_GAMMA_OF_MODEL = Parameter(
    "gamma",
    1.0,
    "p_i, the probability that a user has intent i; Pr(i|q) with weighted=True",
    Number(0, 1, open_low=True),
    only_with=(("model", "exact"), ("weighted", False)),
)
_CAP = Parameter("cap", False, "give a list that beats the greedy ideal 1", Boolean())


def _alpha_ndcg(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    if params["ideal"] == "greedy":
        value = normalized_novelty_score(block, params, cutoff, log_discount)
    else:
        value = safe_divide(
            novelty_score(block, params, cutoff, log_discount), _exact_ideal(block.topics, params, cutoff)
        )
    return np.minimum(value, 1.0) if params["cap"] else value


def _exact_ideal(topics: JudgedTopics, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return the largest α-DCG of any list, or what it cannot exceed where the time limit stopped the search."""
    if params["weighted"] or params["model"] == "exact":
        raise IrdivError(
            "alpha-nDCG(ideal='exact') is computed for the plain gain only; use ideal='greedy' with weighted=True and "
            "with model='exact'."
        )
    if cutoff is None:
        raise IrdivError("alpha-nDCG(ideal='exact') needs a cutoff, as in alpha-nDCG(ideal='exact')@10.")
    best = topics.cached(_exact_bounds, params["rel"], params["alpha"], cutoff, params["time_limit"])
    # Two lists of equal worth may differ in the last bit.
    return np.maximum(best, ideal_novelty_score(topics, params, cutoff, cutoff, log_discount))


def _exact_bounds(topics: JudgedTopics, rel: int, alpha: float, cutoff: int, time_limit: float | None) -> Floats:
    from irdiv.kernels.exact import exact_ideals

    refuse_large_programs(topics, rel, cutoff)
    relevant = topics.grades[topics.relevant_rows_by_id] >= rel
    ids = topics.collection.topics[topics.start : topics.stop]
    ideals = exact_ideals(progress_bar(relevant, "topic", "topics with exact ideals"), alpha, cutoff, time_limit)
    unproven = [topic for topic, ideal in zip(ids, ideals, strict=True) if not ideal.proven]
    if unproven:
        warn(
            f"the best list of {len(unproven)} topics was not proven in {time_limit:g} s, and their alpha-nDCG is "
            f"divided by a bound, so it may be too small: {examples(unproven, 10)}"
        )
    return np.array([ideal.upper_bound for ideal in ideals])


def refuse_large_programs(topics: JudgedTopics, rel: int, cutoff: int) -> None:
    """Raise an error if the integer program of a topic's exact ideal is hopelessly large."""
    from irdiv.kernels.exact import variable_count

    relevant = topics.grades[topics.relevant_rows_by_id] >= rel
    for topic, of_topic in zip(topics.collection.topics[topics.start : topics.stop], relevant, strict=True):
        variables = variable_count(of_topic, cutoff)
        if variables > MOST_VARIABLES:
            documents, intents = (np.count_nonzero(of_topic.any(axis=axis)) for axis in (1, 0))
            raise IrdivError(
                f"topic {topic!r} has {documents} relevant documents of {intents} intents, and its exact ideal at "
                f"cutoff {cutoff} is an integer program of {variables:,} variables; at most {MOST_VARIABLES:,} are "
                "tried. Use ideal='greedy', or a smaller cutoff."
            )


def intent_recall(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return the share of intents covered."""
    rel = params["rel"]
    return safe_divide(
        value_at_cutoff(block.cached(covered_intent_counts, rel), block.rank, cutoff),
        block.topics.eligible_intent_count(rel, params["intents"]),
    )


def intent_weights_for(topics: JudgedTopics, params: ParameterValues) -> Floats:
    """Return the intent probabilities Pr(i|q) for the given parameters, ``[topic, intent]``."""
    return topics.intent_weights(params["rel"], params["intents"], params["renormalize"])


def covered_intent_counts(block: Block, rel: int) -> Floats:
    """Return the number of intents covered up to each hit."""
    return covered_intent_count(block.relevant(rel))


def novelty_score(block: Block, params: ParameterValues, cutoff: int | None, discount: Discount) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r)."""
    return value_at_cutoff(block.cached(_novelty_curve, NoveltyModel.of(params), discount), block.rank, cutoff)


def _novelty_curve(block: Block, model: NoveltyModel, discount: Discount) -> Floats:
    NG = block.cached(_novelty_gain, model)
    return np.cumsum(NG * discount(block.max_rank)[block.rank], axis=-1)


def _novelty_gain(block: Block, model: NoveltyModel) -> Floats:
    weight = _intent_weight(block.topics, model)
    return novelty_gain(block.relevant(model.rel), model.alpha, weight, union=model.exact)


def _intent_weight(topics: JudgedTopics, model: NoveltyModel) -> Floats | None:
    """Return N·Pr(i|q), and in the exact model p_i, as ``[topic, intent]``; None where all intents weigh 1."""
    if not model.weighted:
        return np.full((len(topics), topics.grades.shape[1]), model.gamma) if model.exact else None
    probability = topics.intent_weights(model.rel, "relevant", True)
    if model.exact:
        return probability
    counted = topics.eligible_intents(model.rel, "relevant")
    # Equal probabilities weigh exactly 1, so that rounding does not break ties of the greedy ideal.
    equal = np.where(counted, probability, 0.0).max(axis=1) == np.where(counted, probability, 1.0).min(axis=1)
    N = np.count_nonzero(counted, axis=1)
    return np.where(equal[:, None], counted.astype(np.float64), N[:, None] * probability)


def ideal_novelty_score(
    topics: JudgedTopics, params: ParameterValues, depth: int | None, cutoff: int | None, discount: Discount
) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r) of the greedy ideal, which is found down to a depth."""
    pool = topics.relevant_rows.shape[1]
    # One search serves all cutoffs up to a power of two.
    depth = pool if depth is None else min(1 << max(6, (depth - 1).bit_length()), pool)
    return topics.cached(_ideal_novelty_score, NoveltyModel.of(params), depth, cutoff, discount)


def _ideal_novelty_score(
    topics: JudgedTopics, model: NoveltyModel, depth: int, cutoff: int | None, discount: Discount
) -> Floats:
    _, NG = topics.cached(greedy_novelty_ranking, model, depth, False)
    rank = np.arange(1, depth + 1)
    return value_at_cutoff(np.cumsum(NG * discount(depth)[rank], axis=-1), rank, cutoff)


def greedy_novelty_ranking(topics: JudgedTopics, model: NoveltyModel, depth: int, worst: bool) -> tuple[Ints, Floats]:
    """Return documents, as columns of `relevant_rows_by_id`, and NG of the greedy ideal, or of the worst ranking."""
    relevant = topics.grades[topics.relevant_rows_by_id] >= model.rel
    weight = _intent_weight(topics, model)
    return greedy_ranking(relevant, model.alpha, depth, weight, union=model.exact, worst=worst)


def normalized_novelty_score(block: Block, params: ParameterValues, cutoff: int | None, discount: Discount) -> Floats:
    """Σ_{r≤l} NG(r) · discount(r), over that of the greedy ideal."""
    ideal = ideal_novelty_score(block.topics, params, cutoff, cutoff, discount)
    return safe_divide(novelty_score(block, params, cutoff, discount), ideal)
