"""S-precision and WS-precision: how close to the shortest list that covers the intents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from irdiv.kernels.lists import Floats, ratio
from irdiv.measures.bases import Values
from irdiv.measures.declaration import Declaration, Parameter, number
from irdiv.measures.novelty import covered_intents
from irdiv.measures.parameters import JUDGED_ONLY, REL

if TYPE_CHECKING:
    from irdiv.arrays.block import Block
    from irdiv.arrays.ranking import Scene

_ZHAI = "Zhai, Cohen and Lafferty, SIGIR 2003"
_RECALL = Parameter("recall", 1.0, "the share of the intents to be covered", number(0, 1, open_low=True))
_READ = Parameter("a", 1.0, "cost of a document", number(0, 1e6))
_MENTION = Parameter("b", 1.0, "cost of each intent that a document mentions", number(0, 1e6))


def declarations() -> Iterable[Declaration]:
    """Yield S-precision and WS-precision."""
    family = "coverage and novelty"
    others = "The best list is found exactly, as a set cover; Zhai et al. use a greedy approximation."
    yield Declaration(
        family=family,
        name="S-precision",
        summary="The shortest list that covers a share of the intents over the documents the list needs for it.",
        formula="K*/K, K the first rank at which the share of intents is covered and K* the smallest such rank of any "
        "list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=lambda scene, values, cutoff: _precision(scene, {**values, "a": 1.0, "b": 0.0}, cutoff),
        parameters=(_RECALL, REL, JUDGED_ONLY),
        others=others,
    )
    yield Declaration(
        family=family,
        name="WS-precision",
        summary="S-precision in which a document costs more the more intents it mentions, so that redundancy costs.",
        formula="cost*/cost, cost = Σ_{r≤K} (a + b·(intents of d_r)), K the first rank at which the share of intents "
        "is covered and cost* the smallest such cost of any list; 0 where the list does not cover them in the first l",
        references=(_ZHAI,),
        score=_precision,
        parameters=(_RECALL, _READ, _MENTION, REL, JUDGED_ONLY),
        others=others,
    )


def _precision(scene: Scene, values: Values, cutoff: int | None) -> Floats:
    block, rel, a, b = scene.block, values["rel"], values["a"], values["b"]
    wanted = _wanted(block, rel, values["recall"])
    deepest = scene.last if cutoff is None else cutoff
    reached = (covered_intents(scene, rel) >= wanted[:, None]) & (scene.rank <= deepest)
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), 0)[:, None]
    mentions = np.cumsum(scene.relevant(rel).sum(axis=1), axis=1)
    K = np.take_along_axis(np.broadcast_to(scene.rank, reached.shape), first, axis=1)[:, 0]
    cost = a * K + b * np.take_along_axis(mentions, first, axis=1)[:, 0]
    best = block.keep(("cheapest cover", rel, a, b, values["recall"]), lambda: _cheapest(block, rel, a, b, wanted))
    return np.where(reached.any(axis=1) & (wanted > 0), ratio(best + np.zeros(len(cost)), cost), 0.0)


def _wanted(block: Block, rel: int, recall: float) -> Floats:
    """Return how many intents are to be covered; a share is met by rounding errors too."""
    return np.ceil(recall * block.number(rel, "relevant") - 1e-9)


def _cheapest(block: Block, rel: int, a: float, b: float, wanted: Floats) -> Floats:
    from irdiv.kernels.exact import cheapest_cover

    relevant = block.grades[block.pool_by_id] >= rel
    return np.array([cheapest_cover(topic, a, b, int(w)) for topic, w in zip(relevant, wanted, strict=True)])
