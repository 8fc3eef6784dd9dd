"""Coverage and novelty: intents seen, gains that shrink with every repetition, and the greedy ideal."""

from __future__ import annotations

from typing import Any

import numpy as np

from irdiv.kernels.lists import Bools, Floats, Ints, ordered_sum, powers


def coverage(relevant: Bools) -> Floats:
    """Return the intents covered up to each hit, for ``relevant[topic, intent, hit]``."""
    return np.maximum.accumulate(relevant, axis=-1).sum(axis=-2, dtype=np.float64)


def novelty_gain(relevant: Bools, alpha: float) -> Floats:
    """NG(r) = Σ_i J_i(r) (1 − α)^{C_i(r−1)}, for ``relevant[topic, intent, hit]``."""
    seen_before: Ints = np.cumsum(relevant, axis=-1) - relevant
    decay = powers(1.0 - alpha, relevant.shape[-1])
    return ordered_sum(relevant * decay[seen_before], axis=-2)


def first_met(relevant: Bools) -> Bools:
    """Tell where each intent is met for the first time, for ``relevant[topic, intent, hit]``."""
    return relevant & (np.cumsum(relevant, axis=-1) == 1)


def greedy_ideal(relevant: Bools, alpha: float, depth: int) -> Floats:
    """Return NG at ranks 1 … depth of the greedy ideal list, for ``relevant[topic, document, intent]``."""
    return greedy_order(relevant, alpha, depth)[1]


def greedy_order(relevant: Bools, alpha: float, depth: int, *, worst: bool = False) -> tuple[Ints, Floats]:
    """Return documents and NG at ranks 1 … depth of the greedy list, for ``relevant[topic, document, intent]``.

    At each rank the relevant document with the largest gain comes next, or with the smallest for the worst list;
    among equals, the one with the largest doc id, which is the last of them along the document axis. Where
    documents run out, the document is -1. Documents with the same intents are interchangeable but for their ids,
    so the search is over intent sets. Gains are compared as ndeval has them: summed over intents in order, in
    floating point, which decides near-ties where 1 − α is no power of two.
    """
    sets, newest, older = _intent_sets(relevant)
    by_intent = np.moveaxis(sets, 2, 0).astype(np.float64)
    topics = np.arange(len(relevant))
    worth = np.ones((len(relevant), relevant.shape[2]))
    documents = np.full((len(relevant), depth), -1)
    gains = np.zeros((len(relevant), depth))
    for rank in range(depth):
        left = newest >= 0
        if not left.any():
            break
        gain = np.zeros(newest.shape)
        for intent, has_intent in enumerate(by_intent):
            gain += has_intent * worth[:, intent, None]
        wanted = np.where(left, gain, np.inf).min(axis=1) if worst else np.where(left, gain, -np.inf).max(axis=1)
        chosen = np.argmax(np.where(gain == wanted[:, None], newest, -1), axis=1)
        document = newest[topics, chosen]
        documents[:, rank] = document
        gains[:, rank] = np.where(document >= 0, gain[topics, chosen], 0.0)
        newest[topics, chosen] = np.where(document >= 0, older[topics, document], -1)
        worth = np.where(sets[topics, chosen] & (document >= 0)[:, None], worth * (1.0 - alpha), worth)
    return documents, gains


def _intent_sets(relevant: Bools) -> tuple[Bools, Ints, Ints]:
    """Group the documents of each topic by their intents.

    Returns the sets as ``[topic, set, intent]``; the last document of each as ``[topic, set]`` and, for each
    document, the one before it in its set as ``[topic, document]``, both -1 where there is none.
    """
    topics, documents, intents = relevant.shape
    topic, document = np.nonzero(relevant.any(axis=2))
    distinct, of = np.unique(_set_keys(topic, relevant[topic, document]), return_inverse=True)
    order = np.argsort(of, kind="stable")
    topic, document, of = topic[order], document[order], of[order]

    first = np.concatenate([[True], of[1:] != of[:-1]])[: len(of)]
    last = np.concatenate([of[1:] != of[:-1], [True]])[: len(of)]
    older = np.full((topics, max(documents, 1)), -1)
    older[topic[~first], document[~first]] = document[:-1][~first[1:]] if len(of) else []

    set_topic = topic[first]
    place = np.arange(len(distinct)) - np.searchsorted(set_topic, set_topic)
    width = int(place.max(initial=0)) + 1
    sets = np.zeros((topics, width, intents), dtype=bool)
    sets[set_topic, place] = relevant[set_topic, document[first]]
    newest = np.full((topics, width), -1)
    newest[set_topic, place] = document[last]
    return sets, newest, older


def _set_keys(topic: Ints, sets: Bools) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Return keys of sets of intents ``[document, intent]``, which sort by topic."""
    intents = sets.shape[1]
    if intents + int(topic.max(initial=0)).bit_length() < 63:
        return (topic << intents) | (sets @ (1 << np.arange(intents)))
    big_endian = topic.astype(">u4").view(np.uint8).reshape(-1, 4)
    key = np.concatenate([big_endian, np.packbits(sets, axis=1)], axis=1)
    return np.ascontiguousarray(key).view(f"V{key.shape[1]}")[:, 0]


def last_rank_that_counts(beta: float, intents: int) -> int:
    """Return the rank past which no term of Σ β^{r−1} NG(r) can change a double that is at least 1.

    The ideal's first gain is at least 1, and no gain exceeds the number of intents.
    """
    if beta <= 0.0:
        return 1
    if beta >= 1.0:
        return np.iinfo(np.int64).max
    return int(np.ceil(1.0 + (np.log(2.0**-54) - np.log(max(intents, 1))) / np.log(beta)))
