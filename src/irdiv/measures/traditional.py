"""Ad hoc measures of textbooks that ir_measures does not have: F, E, AP over seen documents, bpref by its formula."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.kernels.base import average_precision
from irdiv.kernels.lists import Bools, Floats, Ints, at, ordered_sum, ratio
from irdiv.measures.bases import Values
from irdiv.measures.declaration import Declaration, Parameter, number
from irdiv.measures.parameters import JUDGED_ONLY, REL

if TYPE_CHECKING:
    from irdiv.arrays.ranking import Scene

_MIR = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 2nd edition, 2011, chapter 4"
_FAMILY = "ad hoc: on the highest grade of a document over intents"
_B = Parameter("b", 1.0, "how many times as much recall counts as precision", number(0, 1e6))


def declarations() -> Iterable[Declaration]:
    """Yield F, E, AP-seen, bpref-R and bpref-10."""
    yield _adhoc(
        "F",
        "Harmonic mean of precision and recall at the cutoff.",
        "(1+b²)/(b²/recall + 1/precision), 0 where nothing relevant is found",
        _f_measure,
        (_B, REL, JUDGED_ONLY),
        "trec_eval's set_F and ir_measures' SetF are the same on the whole list.",
    )
    yield _adhoc(
        "E",
        "van Rijsbergen's E: 1 less the weighted harmonic mean of precision and recall, so less is better.",
        "1 − (1+b²)/(b²/recall + 1/precision), 1 where nothing relevant is found, 0 where there is nothing to find",
        _e_measure,
        (_B, REL, JUDGED_ONLY),
        "The textbook says that b above 1 favours precision; by its formula, as here, it favours recall.",
    )
    yield _adhoc(
        "AP-seen",
        "Mean precision at the ranks of the relevant documents that were found, not of all there are.",
        "1/C(l) · Σ_{r≤l} J(r)·C(r)/r",
        _average_precision_seen,
        (REL, JUDGED_ONLY),
        "trec_eval's map divides by all relevant documents, R, instead.",
    )
    yield _adhoc(
        "bpref-R",
        "Binary preference: how few documents judged irrelevant stand above relevant ones; unjudged ones are left out.",
        "1/R · Σ_j (1 − N_j/R) over the relevant documents j in the list, N_j of the first R documents judged "
        "irrelevant above j",
        lambda scene, values, cutoff: _bpref(scene, values, 0),
        (REL,),
        "trec_eval's bpref, ir_measures' Bpref, divides N_j by the smaller of R and the number judged irrelevant.",
    )
    yield _adhoc(
        "bpref-10",
        "Binary preference that looks at ten documents judged irrelevant more than there are relevant ones.",
        "1/R · Σ_j (1 − N_j/(R+10)) over the relevant documents j in the list, N_j of the first R+10 documents judged "
        "irrelevant above j",
        lambda scene, values, cutoff: _bpref(scene, values, 10),
        (REL,),
        "trec_eval has dropped it.",
    )


def _adhoc(name: str, summary: str, formula: str, score: Any, parameters: Any, others: str) -> Declaration:
    return Declaration(
        family=_FAMILY,
        name=name,
        summary=summary,
        formula=formula,
        references=(_MIR,),
        score=score,
        parameters=parameters,
        takes_cutoff=not name.startswith("bpref"),
        condensed=name.startswith("bpref"),
        less_is_better=name == "E",
        needs_intents=False,
        others=others,
    )


def _hits(scene: Scene, rel: int) -> Bools:
    """Tell which hits are relevant to any intent, ``[topic, hit]``."""
    return scene.grades.max(axis=1) >= rel


def _relevant_in_all(scene: Scene, rel: int) -> Ints:
    block = scene.block
    return block.keep(
        ("relevant in all", rel), lambda: np.count_nonzero(block.grades[block.pool].max(axis=2) >= rel, axis=1)
    )


def _f_measure(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    found = at(np.cumsum(_hits(scene, values["rel"]), axis=-1, dtype=np.float64), scene.rank, cutoff)
    documents = scene.length if cutoff is None else np.full(scene.length.shape, cutoff)
    b2 = values["b"] ** 2
    # (1+b²)·C / (b²·R + documents)
    return ratio((1.0 + b2) * found, b2 * _relevant_in_all(scene, values["rel"]) + documents)


def _e_measure(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    some = _relevant_in_all(scene, values["rel"]) > 0
    return np.where(some, 1.0 - _f_measure(scene, values, cutoff), 0.0)


def _average_precision_seen(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    hits = _hits(scene, values["rel"])
    total = at(average_precision(hits, scene.rank), scene.rank, cutoff)
    return ratio(total, at(np.cumsum(hits, axis=-1, dtype=np.float64), scene.rank, cutoff))


def _bpref(scene: Scene, values: Values, more: int) -> Floats:
    """Return bpref on the list of judged documents, in which those above a hit are relevant or judged irrelevant."""
    hits = _hits(scene, values["rel"])
    R = _relevant_in_all(scene, values["rel"])
    bound = (R + more)[:, None]
    irrelevant_above = scene.rank - np.cumsum(hits, axis=-1)
    worth = np.where(hits, 1.0 - ratio(np.minimum(irrelevant_above, bound).astype(float), bound), 0.0)
    return ratio(ordered_sum(worth), R)
