"""Desirable properties, each a relation between rankings: one must not score more than the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from irdiv.kernels.lists import Ints
from irdiv.properties.rankings import NOTHING, Rankings

Pairs = tuple[Ints, Ints]
"""Numbers of rankings: the first of each pair must not score more than the second."""


@dataclass(frozen=True)
class Property:
    """A property that measures should have.

    ``pairs`` returns, for all rankings, which must not score more than which. One of one's own takes a few lines:

    >>> import numpy as np
    >>> from irdiv import properties
    >>> def first_wins(space):
    ...     full = np.flatnonzero(space.length == 2)
    ...     irrelevant = full[space.labels[full, 0] == 0]
    ...     return irrelevant, space.replace(irrelevant, 0, 1)
    >>> top = properties.Property("top", "a relevant first document is no loss", first_wins)
    >>> properties.check(["D-nDCG@2"], [top], depth=2)[["property", "cases", "violations"]].values.tolist()
    [['top', 3, 0]]
    """

    name: str
    statement: str
    pairs: Callable[[Rankings], Pairs] = field(repr=False)


def _joined(pairs: Iterable[Pairs]) -> Pairs:
    worse, better = zip(*pairs, strict=True)
    return np.concatenate(worse), np.concatenate(better)


def _relevance(space: Rankings) -> Pairs:
    S = space.extensible()
    return _joined((S, space.append(S, label)) for label in space.relevant)


def _irrelevance(space: Rankings) -> Pairs:
    S = space.extensible()
    return space.append(S, NOTHING), S


def _redundancy(space: Rankings) -> Pairs:
    """Pair S·p with S·n of the same grade, p of an aspect that S has seen and n of one it has not."""
    S = space.extensible()
    none = np.zeros(0, dtype=np.int64)
    found = [(none, none)]
    for p in space.relevant:
        for n in space.relevant:
            if space.grade(p) == space.grade(n) and space.aspect(p) != space.aspect(n):
                fits = space.sees(int(space.aspect(p)))[S] & ~space.sees(int(space.aspect(n)))[S]
                found.append((space.append(S[fits], p), space.append(S[fits], n)))
    return _joined(found)


def _replacement(space: Rankings) -> Pairs:
    """Pair a ranking with one that has, at one position, a more relevant document of the aspect, or of any for x."""
    found = []
    for position in range(space.depth):
        longer = np.flatnonzero(space.length > position)
        for better in space.relevant:
            label = space.labels[longer, position]
            same = (space.aspect(label) == space.aspect(better)) & (space.grade(label) < space.grade(better))
            worse = longer[(label == NOTHING) | same]
            found.append((worse, space.replace(worse, position, better)))
    return _joined(found)


def _swap(space: Rankings) -> Pairs:
    """Pair …x r… with …r x…."""
    none = np.zeros(0, dtype=np.int64)
    found = [(none, none)]
    for position in range(space.depth - 1):
        here, below = space.labels[:, position], space.labels[:, position + 1]
        worse = np.flatnonzero((here == NOTHING) & (below > NOTHING))
        better = space.replace(space.replace(worse, position, below[worse]), position + 1, NOTHING)
        found.append((worse, better))
    return _joined(found)


RELEVANCE = Property("relevance", "a relevant document more is no loss: m(S) ≤ m(S·r)", _relevance)
IRRELEVANCE = Property("irrelevance", "an irrelevant document more is no gain: m(S·x) ≤ m(S)", _irrelevance)
REDUNDANCY = Property("redundancy", "a new aspect is no worse than one already seen: m(S·p) ≤ m(S·n)", _redundancy)
REPLACEMENT = Property(
    "replacement", "a more relevant document in the place of a less relevant one is no loss", _replacement
)
SWAP = Property("swap", "a relevant document moved up past an irrelevant one is no loss", _swap)

THE_PAPERS = (RELEVANCE, IRRELEVANCE, REDUNDANCY)
MOST_INDUCED = 3300
"""Chains of relations are followed among this many rankings: there are as many pairs as their number squared."""


def closure(space: Rankings, pairs: Pairs) -> Pairs:
    """Return all pairs that chains of relations connect."""
    reaches = np.zeros((len(space), len(space)), dtype=bool)
    reaches[pairs] = True
    while True:
        more = reaches | ((reaches.astype(np.float32) @ reaches.astype(np.float32)) > 0)
        if (more == reaches).all():
            break
        reaches = more
    np.fill_diagonal(reaches, False)
    worse, better = np.nonzero(reaches)
    return worse, better


def induced(name: str, *properties: Property) -> Property:
    """Return the property of all relations that chains of others imply, among the shortest rankings."""

    def pairs(space: Rankings) -> Pairs:
        depth = next(
            length for length in range(space.depth, 0, -1) if space.offset[length + 1] <= MOST_INDUCED or length == 1
        )
        # Short rankings have the same numbers in every space.
        small = Rankings(space.aspects, depth, space.grades)
        return closure(small, _joined(kind.pairs(small) for kind in properties))

    names = ", ".join(kind.name for kind in properties)
    return Property(name, f"what {names} imply together, among the {MOST_INDUCED} shortest rankings", pairs)


INDUCTION = induced("induction", *THE_PAPERS)
PROPERTIES = {kind.name: kind for kind in (RELEVANCE, IRRELEVANCE, REDUNDANCY, INDUCTION, REPLACEMENT, SWAP)}
