"""Coverage of nuggets: how much of what a good answer needs is in the first documents, by the names people use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Boolean
from irdiv.errors import IrdivError, examples
from irdiv.io.columns import IMPORTANCE_WEIGHTS
from irdiv.kernels.lists import ordered_sum, safe_divide, value_at_cutoff
from irdiv.kernels.novelty import covered_weight
from irdiv.measures.declaration import Declaration
from irdiv.measures.novelty import covered_intent_counts, intent_recall, intent_weights_for
from irdiv.measures.parameters import INTENTS, JUDGED_ONLY, REL, RENORMALIZE, Parameter, ParameterValues
from irdiv.types import Bools, Floats

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

NUGGET_KEYWORDS = ("nuggets", "rubrics", "aspects", "facts", "sub-questions", "retrieval-augmented generation (RAG)")
"""What intents are called where documents are the context of a generated answer."""

_declaration = partial(Declaration, "coverage of nuggets, rubrics and aspects")
_MIN = "Min et al., EMNLP 2021"
_GRADES = "A nugget is an intent, and rel=2 counts only full support where partial support has the grade 1."
_SHARED = (
    replace(REL, meaning="the smallest grade that covers an intent, such as 2 for full support"),
    replace(INTENTS, default="all"),
    JUDGED_ONLY,
)
_WEIGHTED = Parameter(
    "weighted",
    False,
    "weigh intents by probability, or by importance (vital 1, okay ½) in topics without probabilities",
    Boolean(),
)


def declarations() -> Iterable[Declaration]:
    """Yield Coverage, All-covered, Vital-coverage, A-Recall and MRecall."""
    yield _declaration(
        "Coverage",
        "The share of all declared nuggets that the first l documents cover.",
        "Σ_i w_i·[i is covered in the first l] / Σ_i w_i, with w_i = 1, or Pr(i|q) if weighted",
        ("Thakur et al., arXiv:2504.13128, 2025 (FreshStack)",),
        _coverage,
        (_WEIGHTED, *_SHARED),
        other_programs=f"It is I-rec(intents='all'). FreshStack and CRUX report it. {_GRADES}",
        keywords=("subtopic recall", "nugget recall", "context recall", *NUGGET_KEYWORDS),
    )
    yield _declaration(
        "All-covered",
        "Whether the first l documents cover all declared nuggets.",
        "1 if all N intents are covered in the first l, else 0",
        (_MIN,),
        lambda block, params, cutoff: _is_covered(block, params, cutoff, None),
        _SHARED,
        other_programs=f"It is 1 where Coverage is 1, and 0 elsewhere. {_GRADES}",
        keywords=("complete coverage", *NUGGET_KEYWORDS),
    )
    yield _declaration(
        "Vital-coverage",
        "The share of the vital nuggets that the first l documents cover.",
        "vital intents covered in the first l / vital intents",
        ("Pradeep et al., SIGIR 2025 (The Great Nugget Recall)",),
        _vital_coverage,
        _SHARED,
        other_programs="The column importance of the qrels has 'vital' for vital intents, and 'okay' for others. "
        f"nuggetizer's vital scores are the same of an answer, not of documents. {_GRADES}",
        keywords=("importance", "nugget recall", *NUGGET_KEYWORDS),
        needs_importance=True,
        on_layers=False,
    )
    yield _declaration(
        "A-Recall",
        "Aspect recall: the sum of the probabilities of the aspects that the first l documents cover.",
        "Σ_i Pr(i|q)·[i is covered in the first l]",
        ("Zhao et al., ACL 2026 (BRIGHT-Pro)",),
        _covered_probability,
        (RENORMALIZE, *_SHARED),
        other_programs=f"It is Coverage(weighted=True), and Hit-IA(intents='all'). {_GRADES}",
        keywords=("weighted coverage", *NUGGET_KEYWORDS),
        score_by_intent=_covered,
    )
    yield _declaration(
        "MRecall",
        "Whether the first l documents cover all nuggets, or l of them where there are more.",
        "1 if min(N, l) intents or more are covered in the first l, else 0",
        (_MIN,),
        lambda block, params, cutoff: _is_covered(block, params, cutoff, cutoff),
        _SHARED,
        other_programs="An intent is an answer to a question that has several.",
        keywords=("multi-answer retrieval", "coverage", *NUGGET_KEYWORDS),
    )


def _coverage(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    if not params["weighted"]:
        return intent_recall(block, params, cutoff)
    on = params.replace(renormalize=True)
    # The sum of all weights is 1 but for rounding, and a list that covers all must score exactly 1.
    return safe_divide(_covered_probability(block, on, cutoff), ordered_sum(intent_weights_for(block.topics, on)))


def _is_covered(block: Block, params: ParameterValues, cutoff: int | None, most: int | None) -> Floats:
    """Return 1 for topics whose intents are all covered, or as many as ``most``, and 0 for others."""
    N = block.topics.eligible_intent_count(params["rel"], params["intents"])
    needed = N if most is None else np.minimum(N, most)
    covered = value_at_cutoff(block.cached(covered_intent_counts, params["rel"]), block.rank, cutoff)
    return ((covered >= needed) & (N > 0)).astype(np.float64)


def _covered(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return 1 for intents that are covered, and 0 for others, ``[topic, intent]``."""
    covered = np.maximum.accumulate(block.relevant(params["rel"]), axis=-1).astype(np.float64)
    return value_at_cutoff(covered, block.rank[:, None, :], cutoff)


def _covered_probability(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    on = params.only("rel", "intents", "renormalize")
    return value_at_cutoff(block.cached(_probability_curve, on), block.rank, cutoff)


def _probability_curve(block: Block, params: ParameterValues) -> Floats:
    return covered_weight(block.relevant(params["rel"]), intent_weights_for(block.topics, params))


def _vital_coverage(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    on = params.only("rel", "intents")
    covered = value_at_cutoff(block.cached(_vital_curve, on), block.rank, cutoff)
    return safe_divide(covered, np.count_nonzero(block.topics.cached(_vital_intents, on), axis=1))


def _vital_curve(block: Block, params: ParameterValues) -> Floats:
    vital = block.topics.cached(_vital_intents, params)
    return covered_weight(block.relevant(params["rel"]), vital.astype(np.float64))


def _vital_intents(topics: JudgedTopics, params: ParameterValues) -> Bools:
    """Return which intents count and are vital, ``[topic, intent]``."""
    importance = topics.importance
    assert importance is not None
    counted = topics.eligible_intents(params["rel"], params["intents"])
    c = topics.collection
    topic, intent = np.nonzero(counted & (importance == None))  # noqa: E711 (element by element)
    if len(topic):
        first = c.intent_start[topics.start + topic[0]] + intent[0]
        raise IrdivError(
            f"{c.describe_intent(first)} counts but has no importance; give 'vital' or 'okay' for every intent, with "
            "ids spelled as in the qrels."
        )
    is_known = np.isin(importance, list(IMPORTANCE_WEIGHTS)) & counted
    unknown = np.flatnonzero(counted.any(axis=1) & ~is_known.any(axis=1))
    if len(unknown):
        labels = dict.fromkeys(importance[unknown[0]][counted[unknown[0]]].tolist())
        raise IrdivError(
            f"no intent of topic {c.topics[topics.start + unknown[0]]!r} has the importance 'vital' or 'okay'; found "
            f"{examples(labels)}. Map these labels to 'vital' and 'okay' first."
        )
    vital: Bools = counted & (importance == "vital")
    return vital
