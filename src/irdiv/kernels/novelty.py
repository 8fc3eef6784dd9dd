"""Coverage and novelty: intents covered so far, gains that shrink with every repetition, and the greedy ideal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from irdiv.kernels.lists import ordered_sum, powers
from irdiv.types import Bools, Floats, Ints

TIE = 1e-12
"""How much smaller than the largest gain one may be and still be equal to it."""


def covered_intent_count(relevant: Bools) -> Floats:
    """Return the count of intents covered up to each hit, for ``relevant[topic, intent, hit]``."""
    return np.maximum.accumulate(relevant, axis=-1).sum(axis=-2, dtype=np.float64)


def covered_weight(relevant: Bools, weight: Floats) -> Floats:
    """Return the sum of the weights of intents covered up to each hit, for ``relevant[topic, intent, hit]``."""
    return ordered_sum(weight[:, :, None] * np.maximum.accumulate(relevant, axis=-1), axis=-2)


def novelty_gain(relevant: Bools, alpha: float, weight: Floats | None = None, *, union: bool = False) -> Floats:
    """NG(r) = Σ_i w_i J_i(r) (1 − α)^{C_i(r−1)}, for ``relevant[topic, intent, hit]`` and ``weight[topic, intent]``.

    Weights are 1 unless given. With ``union``, NG(r) = 1 − Π_i (1 − α w_i J_i(r) (1 − α)^{C_i(r−1)}).
    """
    seen_before: Ints = np.cumsum(relevant, axis=-1) - relevant
    decay = powers(1.0 - alpha, relevant.shape[-1])
    worth = relevant * decay[seen_before]
    if weight is not None:
        worth = weight[:, :, None] * worth
    return _probability_of_any(alpha * worth) if union else ordered_sum(worth, axis=-2)


def _probability_of_any(probability: Floats) -> Floats:
    """1 − Π_i (1 − p_i), multiplied from the first intent to the last, for ``probability[topic, intent, hit]``."""
    none = np.ones((len(probability), probability.shape[2]))
    for of_intent in np.moveaxis(probability, 1, 0):
        none *= 1.0 - of_intent
    return 1.0 - none


def first_hit_of_intent(relevant: Bools) -> Bools:
    """Return which hits are the first relevant ones of their intents, for ``relevant[topic, intent, hit]``."""
    return relevant & (np.cumsum(relevant, axis=-1) == 1)


def greedy_ideal_gain(relevant: Bools, alpha: float, depth: int) -> Floats:
    """Return NG at ranks 1 … depth of the greedy ideal list, for ``relevant[topic, document, intent]``."""
    return greedy_ranking(relevant, alpha, depth)[1]


def greedy_ranking(
    relevant: Bools,
    alpha: float,
    depth: int,
    weight: Floats | None = None,
    *,
    union: bool = False,
    worst: bool = False,
) -> tuple[Ints, Floats]:
    """Return documents and NG at ranks 1 … depth of the greedy ranking, for ``relevant[topic, document, intent]``.

    ``weight`` and ``union`` are those of `novelty_gain`.
    The relevant document with the largest gain comes next, or the one with the smallest gain for the worst ranking;
    ties go to the largest doc id, which is the last along the document axis. Where no document is left, the document
    is -1. Documents with the same intents differ only in their ids, so the search is over sets of intents. Gains that
    differ by less than `TIE` are equal, as the rounding of their sums depends on the order of intents.
    """
    sets, last, previous = _group_by_intent_set(relevant)
    by_set = np.moveaxis(sets, 2, 1)
    by_intent = np.moveaxis(sets, 2, 0).astype(np.float64)
    topics = np.arange(len(relevant))
    worth = np.ones((len(relevant), relevant.shape[2])) if weight is None else weight
    documents = np.full((len(relevant), depth), -1)
    gains = np.zeros((len(relevant), depth))
    for rank in range(depth):
        available = last >= 0
        if not available.any():
            break
        if union:
            gain = _probability_of_any(alpha * worth[:, :, None] * by_set)
        else:
            gain = np.zeros(last.shape)
            for intent, has_intent in enumerate(by_intent):
                gain += has_intent * worth[:, intent, None]
        best = np.where(available, gain, np.inf if worst else -np.inf)
        best = (best.min(axis=1) if worst else best.max(axis=1))[:, None]
        # Sums have a relative rounding error, and what is left of 1 an absolute one.
        is_tied = np.abs(gain - best) <= TIE * (1.0 if union else best)
        chosen = np.argmax(np.where(is_tied, last, -1), axis=1)
        document = last[topics, chosen]
        documents[:, rank] = document
        gains[:, rank] = np.where(document >= 0, gain[topics, chosen], 0.0)
        last[topics, chosen] = np.where(document >= 0, previous[topics, document], -1)
        worth = np.where(sets[topics, chosen], worth * (1.0 - alpha), worth)
    return documents, gains


def _group_by_intent_set(relevant: Bools) -> tuple[Bools, Ints, Ints]:
    """Group the documents of each topic by their sets of intents.

    Returns the sets as ``[topic, set, intent]``; the last document of each set as ``[topic, set]``; and, for each
    document, the previous one of its set as ``[topic, document]``. Both are -1 where there is none.
    """
    topics, documents, intents = relevant.shape
    topic, document = np.nonzero(relevant.any(axis=2))
    distinct, code = np.unique(_set_keys(topic, relevant[topic, document]), return_inverse=True)
    order = np.argsort(code, kind="stable")
    topic, document, code = topic[order], document[order], code[order]

    is_first = np.concatenate([[True], code[1:] != code[:-1]])[: len(code)]
    is_last = np.concatenate([code[1:] != code[:-1], [True]])[: len(code)]
    previous = np.full((topics, documents), -1)
    previous[topic[~is_first], document[~is_first]] = document[:-1][~is_first[1:]]

    set_topic = topic[is_first]
    index = np.arange(len(distinct)) - np.searchsorted(set_topic, set_topic)
    width = int(index.max(initial=0)) + 1
    sets = np.zeros((topics, width, intents), dtype=bool)
    sets[set_topic, index] = relevant[set_topic, document[is_first]]
    last = np.full((topics, width), -1)
    last[set_topic, index] = document[is_last]
    return sets, last, previous


def _set_keys(topic: Ints, sets: Bools) -> NDArray[np.void] | Ints:
    """Return a key for each document's topic and set of intents, ``[document, intent]``; keys sort by topic."""
    intents = sets.shape[1]
    if intents + int(topic.max(initial=0)).bit_length() < 63:
        return (topic << intents) | (sets @ (1 << np.arange(intents)))
    big_endian = topic.astype(">u4").view(np.uint8).reshape(-1, 4)
    key = np.concatenate([big_endian, np.packbits(sets, axis=1)], axis=1)
    return np.ascontiguousarray(key).view(f"V{key.shape[1]}")[:, 0]


def last_significant_rank(beta: float, intent_count: int) -> int:
    """Return the rank past which no term of Σ β^{r−1} NG(r) can change a double that is at least 1.

    The first gain of the ideal list is at least 1, and no gain exceeds the count of intents.
    """
    if beta <= 0.0:
        return 1
    if beta >= 1.0:
        return np.iinfo(np.int64).max
    return int(np.ceil(1.0 + (np.log(2.0**-54) - np.log(max(intent_count, 1))) / np.log(beta)))
