"""Desirable properties, each a relation between rankings: one must not score more than the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from irdiv.properties.rankings import IRRELEVANT, Rankings
from irdiv.types import Ints

Pairs: TypeAlias = tuple[Ints, Ints]
"""Indices of worse and of better rankings: the first of each pair must not score more than the second."""


@dataclass(frozen=True)
class Property:
    """A property that measures should have.

    ``pairs`` returns which of all rankings must not score more than which. A property of one's own takes a few lines:

    >>> import numpy as np
    >>> from irdiv import properties
    >>> def relevant_first(rankings):
    ...     full = np.flatnonzero(rankings.lengths == 2)
    ...     worse = full[rankings.labels[full, 0] == 0]
    ...     return worse, rankings.replace(worse, 0, 1)
    >>> top = properties.Property("top", "a relevant first document is no loss", relevant_first)
    >>> properties.check(["D-nDCG@2"], [top], length=2)[["property", "cases", "violations"]].values.tolist()
    [['top', 3, 0]]
    """

    name: str
    statement: str
    pairs: Callable[[Rankings], Pairs] = field(repr=False)


def _concatenate(pairs: Iterable[Pairs]) -> Pairs:
    none = np.zeros(0, dtype=np.int64)
    worse, better = zip((none, none), *pairs, strict=True)
    return np.concatenate(worse), np.concatenate(better)


def _relevance(rankings: Rankings) -> Pairs:
    S = rankings.extensible()
    return _concatenate((S, rankings.append(S, label)) for label in rankings.relevant_labels)


def _irrelevance(rankings: Rankings) -> Pairs:
    S = rankings.extensible()
    return rankings.append(S, IRRELEVANT), S


def _redundancy(rankings: Rankings) -> Pairs:
    """Pair S·p with S·n of the same grade, p of an aspect that S covers and n of one that it does not."""
    S = rankings.extensible()
    pairs = []
    for p in rankings.relevant_labels:
        for n in rankings.relevant_labels:
            seen, new = int(rankings.aspect_of(p)), int(rankings.aspect_of(n))
            if rankings.grade_of(p) == rankings.grade_of(n) and seen != new:
                fits = rankings.covers(seen)[S] & ~rankings.covers(new)[S]
                pairs.append((rankings.append(S[fits], p), rankings.append(S[fits], n)))
    return _concatenate(pairs)


def _replacement(rankings: Rankings) -> Pairs:
    """Pair a ranking with one that has a more relevant document of the same aspect, or any instead of x, at a rank."""
    pairs = []
    for position in range(rankings.max_length):
        longer = np.flatnonzero(rankings.lengths > position)
        label = rankings.labels[longer, position]
        for better in rankings.relevant_labels:
            same_aspect = rankings.aspect_of(label) == rankings.aspect_of(better)
            less_relevant = rankings.grade_of(label) < rankings.grade_of(better)
            worse = longer[(label == IRRELEVANT) | (same_aspect & less_relevant)]
            pairs.append((worse, rankings.replace(worse, position, better)))
    return _concatenate(pairs)


def _swap(rankings: Rankings) -> Pairs:
    """Pair …x r… with …r x…."""
    pairs = []
    for position in range(rankings.max_length - 1):
        upper, lower = rankings.labels[:, position], rankings.labels[:, position + 1]
        worse = np.flatnonzero((upper == IRRELEVANT) & (lower > IRRELEVANT))
        better = rankings.replace(rankings.replace(worse, position, lower[worse]), position + 1, IRRELEVANT)
        pairs.append((worse, better))
    return _concatenate(pairs)


RELEVANCE = Property("relevance", "a relevant document more is no loss: m(S) ≤ m(S·r)", _relevance)
IRRELEVANCE = Property("irrelevance", "an irrelevant document more is no gain: m(S·x) ≤ m(S)", _irrelevance)
REDUNDANCY = Property("redundancy", "a new aspect is no worse than one already seen: m(S·p) ≤ m(S·n)", _redundancy)
REPLACEMENT = Property("replacement", "a more relevant document for a less relevant one is no loss", _replacement)
SWAP = Property("swap", "a relevant document moved up past an irrelevant one is no loss", _swap)

DEFAULT_PROPERTIES = (RELEVANCE, IRRELEVANCE, REDUNDANCY)
"""Those of Albahem et al., ADCS 2018."""
MAX_INDUCED = 3300
"""Chains of relations are followed among this many rankings: the pairs are as many as their square."""


def _transitive_closure(rankings: Rankings, pairs: Pairs) -> Pairs:
    """Return all pairs of different rankings that chains of relations connect."""
    connected = np.zeros((len(rankings), len(rankings)), dtype=bool)
    connected[pairs] = True
    while True:
        more = connected | ((connected.astype(np.float32) @ connected.astype(np.float32)) > 0)
        if (more == connected).all():
            break
        connected = more
    np.fill_diagonal(connected, False)
    worse, better = np.nonzero(connected)
    return worse, better


def induce(name: str, *properties: Property) -> Property:
    """Return the property of all relations that chains of the relations of others imply, among short rankings."""

    def pairs(rankings: Rankings) -> Pairs:
        lengths = range(rankings.max_length, 0, -1)
        length = next((n for n in lengths if rankings.offset[n + 1] <= MAX_INDUCED), 1)
        # A short ranking has the same index among all rankings of any length.
        short = Rankings(rankings.aspects, length, rankings.grades)
        return _transitive_closure(short, _concatenate(prop.pairs(short) for prop in properties))

    names = ", ".join(prop.name for prop in properties)
    return Property(name, f"what {names} imply together, among the {MAX_INDUCED} shortest rankings", pairs)


INDUCTION = induce("induction", *DEFAULT_PROPERTIES)
PROPERTIES = {prop.name: prop for prop in (*DEFAULT_PROPERTIES, INDUCTION, REPLACEMENT, SWAP)}
