"""Ad hoc measures of textbooks that ir_measures does not have: F, E, AP over seen documents, bpref by its formula."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number
from irdiv.kernels.base import average_precision_curve
from irdiv.kernels.lists import ordered_sum, safe_divide, value_at_cutoff
from irdiv.measures.declaration import Declaration
from irdiv.measures.parameters import JUDGED_ONLY, REL, Parameter, ParameterValues
from irdiv.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from irdiv.core.block import Block, JudgedTopics

_MIR = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 2nd edition, 2011, chapter 4"
_adhoc = partial(Declaration, "ad hoc: on the highest grade of a document over intents", needs_intents=False)
_B = Parameter("b", 1.0, "how many times as much recall counts as precision", Number(0, 1e6))


def declarations() -> Iterable[Declaration]:
    """Yield F, E, AP-seen, bpref-R, bpref-10 and Judged."""
    yield _adhoc(
        "F",
        "Harmonic mean of precision and recall at the cutoff.",
        "(1+b²)/(b²/recall + 1/precision), 0 where nothing relevant is found",
        (_MIR,),
        _f_measure,
        (_B, REL, JUDGED_ONLY),
        other_programs="trec_eval's set_F and ir_measures' SetF are the same on the whole list.",
    )
    yield _adhoc(
        "E",
        "van Rijsbergen's E: 1 less the weighted harmonic mean of precision and recall, so less is better.",
        "1 − (1+b²)/(b²/recall + 1/precision), 1 where nothing relevant is found, 0 where there is nothing to find",
        (_MIR,),
        _e_measure,
        (_B, REL, JUDGED_ONLY),
        other_programs="The textbook says that b above 1 favors precision; by its formula, as here, it favors recall.",
        less_is_better=True,
    )
    yield _adhoc(
        "AP-seen",
        "Mean precision at the ranks of the relevant documents that were found, not of all there are.",
        "1/C(l) · Σ_{r≤l} J(r)·C(r)/r",
        (_MIR,),
        _average_precision_seen,
        (REL, JUDGED_ONLY),
        other_programs="trec_eval's map divides by all relevant documents, R, instead.",
    )
    yield _adhoc(
        "bpref-R",
        "Binary preference: how few documents judged irrelevant are above relevant ones; unjudged ones are ignored.",
        "1/R · Σ_j (1 − N_j/R) over the relevant documents j in the list, N_j of the first R documents judged "
        "irrelevant above j",
        (_MIR,),
        lambda block, params, cutoff: _bpref(block, params, 0),
        (REL,),
        other_programs="trec_eval's bpref, ir_measures' Bpref, divides N_j by the smaller of R and the "
        "number judged irrelevant.",
        takes_cutoff=False,
        judged_documents_only=True,
    )
    yield _adhoc(
        "bpref-10",
        "Binary preference over the first R + 10 documents judged irrelevant, instead of the first R.",
        "1/R · Σ_j (1 − N_j/(R+10)) over the relevant documents j in the list, N_j of the first R+10 documents judged "
        "irrelevant above j",
        (_MIR,),
        lambda block, params, cutoff: _bpref(block, params, 10),
        (REL,),
        other_programs="trec_eval has dropped it.",
        takes_cutoff=False,
        judged_documents_only=True,
    )
    yield _adhoc(
        "Judged",
        "Share of the first documents that are judged, for any intent.",
        "judged documents in the first l / documents in the first l",
        ("MacAvaney, Macdonald and Ounis, ECIR 2022 (ir_measures)",),
        _judged,
        (),
        other_programs="Inside ir_measures, its own Judged orders equal scores by doc id ascending, not "
        "descending as trec_eval does.",
        separates_unjudged=True,
    )


def _hits(block: Block, rel: int) -> Bools:
    """Return which hits are relevant to any intent, ``[topic, hit]``."""
    return block.grades.max(axis=1) >= rel


def _relevant_count(topics: JudgedTopics, rel: int) -> Ints:
    """Return R, the number of documents relevant to any intent, ``[topic]``."""
    return np.count_nonzero(topics.grades[topics.relevant_rows].max(axis=2) >= rel, axis=1)


def _f_measure(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    found = value_at_cutoff(np.cumsum(_hits(block, params["rel"]), axis=-1), block.rank, cutoff)
    documents = block.length if cutoff is None else np.full(block.length.shape, cutoff)
    b2 = params["b"] ** 2
    # (1+b²)·C / (b²·R + documents)
    return safe_divide((1.0 + b2) * found, b2 * block.topics.cached(_relevant_count, params["rel"]) + documents)


def _e_measure(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    some = block.topics.cached(_relevant_count, params["rel"]) > 0
    return np.where(some, 1.0 - _f_measure(block, params, cutoff), 0.0)


def _average_precision_seen(block: Block, params: ParameterValues, cutoff: int | None) -> Floats:
    hits = _hits(block, params["rel"])
    total = value_at_cutoff(average_precision_curve(hits, block.rank), block.rank, cutoff)
    return safe_divide(total, value_at_cutoff(np.cumsum(hits, axis=-1), block.rank, cutoff))


def _judged(block: Block, _: ParameterValues, cutoff: int | None) -> Floats:
    length = block.length if cutoff is None else np.minimum(block.length, cutoff)
    judged = length if block.judged_counts is None else block.judged_counts(cutoff)
    return safe_divide(judged.astype(float), length)


def _bpref(block: Block, params: ParameterValues, more: int) -> Floats:
    """Return bpref on the list of judged documents, in which those above a hit are relevant or judged irrelevant."""
    hits = _hits(block, params["rel"])
    R = block.topics.cached(_relevant_count, params["rel"])
    bound = (R + more)[:, None]
    irrelevant_above = block.rank - np.cumsum(hits, axis=-1)
    worth = np.where(hits, 1.0 - safe_divide(np.minimum(irrelevant_above, bound).astype(float), bound), 0.0)
    return safe_divide(ordered_sum(worth), R)
