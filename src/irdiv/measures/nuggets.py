"""Coverage of nuggets: how much of what a good answer needs is in the first documents, by the names people use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Boolean
from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import IMPORTANCE_WEIGHTS
from irdiv.kernels.lists import ordered_sum, safe_divide, value_at_cutoff
from irdiv.kernels.novelty import covered_weight
from irdiv.measures.declaration import Declaration, Parameter, Score
from irdiv.measures.novelty import covered_intent_counts, intent_recall
from irdiv.measures.parameters import INTENTS, JUDGED_ONLY, REL, RENORMALIZE
from irdiv.measures.values import ParameterValues
from irdiv.types import Bools, Floats

if TYPE_CHECKING:
    from irdiv.arrays.blocks import JudgedBlock
    from irdiv.arrays.ranking import RankedBlock

NUGGET_KEYWORDS = ("nuggets", "rubrics", "aspects", "facts", "sub-questions", "retrieval-augmented generation (RAG)")
"""What intents are called where documents are the context of a generated answer."""

_FAMILY = "coverage of nuggets, rubrics and aspects"
_MIN = "Min et al., EMNLP 2021"
_GRADES = "A nugget is an intent, and rel=2 counts only full support where partial support has the grade 1."
_COVERS = replace(REL, meaning="the smallest grade that covers an intent, such as 2 for full support")
_DECLARED = replace(INTENTS, default="all")
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
        (_WEIGHTED,),
        other_programs=f"It is I-rec(intents='all'). FreshStack and CRUX report it. {_GRADES}",
        keywords=("subtopic recall", "nugget recall", "context recall"),
    )
    yield _declaration(
        "All-covered",
        "Whether the first l documents cover all declared nuggets.",
        "1 if all N intents are covered in the first l, else 0",
        (_MIN,),
        _all_covered,
        other_programs=f"It is 1 where Coverage is 1, and 0 elsewhere. {_GRADES}",
        keywords=("complete coverage",),
    )
    yield _declaration(
        "Vital-coverage",
        "The share of the vital nuggets that the first l documents cover.",
        "vital intents covered in the first l / vital intents",
        ("Pradeep et al., SIGIR 2025 (The Great Nugget Recall)",),
        _vital_coverage,
        other_programs="The column importance of the qrels has 'vital' for vital intents, and 'okay' for others. "
        f"nuggetizer's vital scores are the same of an answer, not of documents. {_GRADES}",
        keywords=("importance", "nugget recall"),
        needs_importance=True,
    )
    yield _declaration(
        "A-Recall",
        "Aspect recall: the sum of the probabilities of the aspects that the first l documents cover.",
        "Σ_i Pr(i|q)·[i is covered in the first l]",
        ("Zhao et al., ACL 2026 (BRIGHT-Pro)",),
        _aspect_recall,
        (RENORMALIZE,),
        other_programs=f"It is Coverage(weighted=True), and Hit-IA(intents='all'). {_GRADES}",
        keywords=("weighted coverage",),
        score_by_intent=_covered,
    )
    yield _declaration(
        "MRecall",
        "Whether the first l documents cover all nuggets, or l of them where there are more.",
        "1 if min(N, l) intents or more are covered in the first l, else 0",
        (_MIN,),
        _multi_answer_recall,
        other_programs="An intent is an answer to a question that has several.",
        keywords=("multi-answer retrieval", "coverage"),
    )


def _declaration(
    name: str,
    summary: str,
    formula: str,
    references: tuple[str, ...],
    score: Score,
    parameters: tuple[Parameter, ...] = (),
    *,
    other_programs: str,
    keywords: tuple[str, ...],
    needs_importance: bool = False,
    score_by_intent: Score | None = None,
) -> Declaration:
    return Declaration(
        family=_FAMILY,
        name=name,
        summary=summary,
        formula=formula,
        references=references,
        score=score,
        parameters=(*parameters, _COVERS, _DECLARED, JUDGED_ONLY),
        other_programs=other_programs,
        needs_importance=needs_importance,
        on_layers=not needs_importance,
        score_by_intent=score_by_intent,
        keywords=(*keywords, *NUGGET_KEYWORDS),
    )


def _coverage(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    if not params["weighted"]:
        return intent_recall(ranked, params, cutoff)
    on = params.only("rel", "intents").replace(renormalize=True)
    # The sum of all weights is 1 but for rounding, and a list that covers all must score exactly 1.
    return safe_divide(_covered_probability(ranked, on, cutoff), ordered_sum(_probability(ranked.block, on)))


def _all_covered(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    return _is_covered(ranked, params, cutoff, None)


def _multi_answer_recall(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    return _is_covered(ranked, params, cutoff, cutoff)


def _is_covered(ranked: RankedBlock, params: ParameterValues, cutoff: int | None, most: int | None) -> Floats:
    """Return 1 for topics whose intents are all covered, or as many as ``most``, and 0 for others."""
    N = ranked.block.eligible_intent_count(params["rel"], params["intents"])
    needed = N if most is None else np.minimum(N, most)
    covered = value_at_cutoff(covered_intent_counts(ranked, params["rel"]), ranked.rank, cutoff)
    return ((covered >= needed) & (N > 0)).astype(np.float64)


def _aspect_recall(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    return _covered_probability(ranked, params.only("rel", "intents", "renormalize"), cutoff)


def _covered(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    """Return 1 for intents that are covered, and 0 for others, ``[topic, intent]``."""
    covered = np.maximum.accumulate(ranked.relevant(params["rel"]), axis=-1).astype(np.float64)
    return value_at_cutoff(covered, ranked.rank[:, None, :], cutoff)


def _covered_probability(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    return value_at_cutoff(ranked.cached(_probability_curve, params), ranked.rank, cutoff)


def _probability_curve(ranked: RankedBlock, params: ParameterValues) -> Floats:
    return covered_weight(ranked.relevant(params["rel"]), _probability(ranked.block, params))


def _probability(block: JudgedBlock, params: ParameterValues) -> Floats:
    return block.intent_weights(params["rel"], params["intents"], params["renormalize"])


def _vital_coverage(ranked: RankedBlock, params: ParameterValues, cutoff: int | None) -> Floats:
    on = params.only("rel", "intents")
    covered = value_at_cutoff(ranked.cached(_vital_curve, on), ranked.rank, cutoff)
    return safe_divide(covered, np.count_nonzero(ranked.block.cached(_vital_intents, on), axis=1))


def _vital_curve(ranked: RankedBlock, params: ParameterValues) -> Floats:
    vital = ranked.block.cached(_vital_intents, params)
    return covered_weight(ranked.relevant(params["rel"]), vital.astype(np.float64))


def _vital_intents(block: JudgedBlock, params: ParameterValues) -> Bools:
    """Return which intents count and are vital, ``[topic, intent]``."""
    importance = block.importance
    assert importance is not None
    counted = block.eligible_intents(params["rel"], params["intents"])
    c = block.collection
    topic, intent = np.nonzero(counted & (importance == None))  # noqa: E711 (element by element)
    if len(topic):
        first = c.intent_start[block.start + topic[0]] + intent[0]
        raise IrdivError(
            f"{c.describe_intent(first)} counts but has no importance; give 'vital' or 'okay' for every intent, with "
            "ids spelled as in the qrels."
        )
    is_known = np.isin(importance, list(IMPORTANCE_WEIGHTS)) & counted
    unknown = np.flatnonzero(counted.any(axis=1) & ~is_known.any(axis=1))
    if len(unknown):
        labels = dict.fromkeys(importance[unknown[0]][counted[unknown[0]]].tolist())
        raise IrdivError(
            f"no intent of topic {c.topics[block.start + unknown[0]]!r} has the importance 'vital' or 'okay'; found "
            f"{examples(labels)}. Map these labels to 'vital' and 'okay' first."
        )
    vital: Bools = counted & (importance == "vital")
    return vital
