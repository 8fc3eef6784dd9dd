"""Which measures have which properties, over all rankings up to a length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import parse
from irdiv.properties.properties import PROPERTIES, THE_PAPERS, Property
from irdiv.properties.rankings import Rankings
from irdiv.properties.scores import collection_of, scores

TOLERANCE = 1e-12
_COLUMNS = [
    "measure",
    "property",
    "cases",
    "violations",
    "share",
    "ties",
    "counterexample",
    "score",
    "other_score",
]


def check(
    measures: Any,
    properties: Iterable[str | Property] | str | Property = THE_PAPERS,
    *,
    aspects: int = 2,
    depth: int = 10,
    grades: int = 1,
    weights: Sequence[float] | None = None,
    types: Sequence[str] | None = None,
    tree: Any = None,
) -> pd.DataFrame:
    """Check properties of measures on every ranking up to a length (Albahem et al., ADCS 2018).

    Parameters
    ----------
    measures
        Specs or measures: of irdiv's, or nDCG, AP, P, RR, R, Rprec and Success of ir_measures.
    properties
        Names or `Property` objects: ``"relevance"``, ``"irrelevance"`` and ``"redundancy"``, the default; also
        ``"induction"``, ``"replacement"`` and ``"swap"``, or one's own.
    aspects, depth, grades
        How many aspects, how long the longest ranking, and the highest grade. A document is relevant to one aspect or
        none; there are as many of each kind as a ranking is long.
    weights
        Probabilities of the aspects; equal by default.
    types
        ``"inf"`` or ``"nav"`` for each aspect.
    tree
        An intent hierarchy of topic ``"1"`` over the intents ``i0, i1, …``, as `irdiv.nested_intents` returns it.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and property: ``measure, property, cases, violations, share, ties, counterexample, score,
        other_score``. The counterexample is the shortest: the first ranking scores more, though it should not.
    """
    asked = [parse(spec) for spec in _as_list(measures)]
    if not asked:
        raise IrdivError("no measures given: expected specs such as 'D#-nDCG@10'.")
    wanted = [_property(kind) for kind in _as_list(properties)]
    names = [kind.name for kind in wanted]
    if not wanted or len(set(names)) < len(names):
        raise IrdivError(f"properties have names of their own, one or more; found {examples(names, 9)}.")
    space = Rankings(aspects, depth, grades)
    table = scores(space, asked, *collection_of(space, weights, types, tree))
    cases = {kind.name: kind.pairs(space) for kind in wanted}
    rows = [
        (str(measure), name, *_verdict(space, m, *(pairs if not _less_is_better(measure) else pairs[::-1])))
        for measure, m in zip(asked, table, strict=True)
        for name, pairs in cases.items()
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _less_is_better(measure: Any) -> bool:
    return isinstance(measure, Measure) and measure.declaration.less_is_better


def _as_list(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | Property) or not isinstance(given, Iterable) else list(given)


def _property(kind: str | Property) -> Property:
    if isinstance(kind, Property):
        return kind
    if kind not in PROPERTIES:
        raise IrdivError(f"no property is called {kind!r}; there are {examples(PROPERTIES, 9)}.")
    return PROPERTIES[kind]


def _verdict(space: Rankings, m: Any, worse: Any, better: Any) -> tuple[Any, ...]:
    difference = m[worse] - m[better]
    violated = np.flatnonzero(difference > TOLERANCE)
    ties = int(np.count_nonzero(np.abs(difference) <= TOLERANCE))
    share = len(violated) / len(worse) if len(worse) else np.nan
    if len(violated) == 0:
        return len(worse), 0, share, ties, "", np.nan, np.nan
    length = space.length[worse[violated]] + space.length[better[violated]]
    shortest = violated[np.lexsort((worse[violated], length))[0]]
    one, two = int(worse[shortest]), int(better[shortest])
    example = f"{space.name(one)} > {space.name(two)}"
    return len(worse), len(violated), share, ties, example, float(m[one]), float(m[two])


def relations(
    properties: Iterable[str | Property] | str | Property = THE_PAPERS,
    *,
    aspects: int = 2,
    depth: int = 2,
    grades: int = 1,
) -> pd.DataFrame:
    """Return the relations that properties make between rankings: ``property, worse, better``."""
    space = Rankings(aspects, depth, grades)
    parts = [pd.DataFrame({"property": [], "worse": [], "better": []}, dtype=str)]
    for kind in map(_property, _as_list(properties)):
        worse, better = kind.pairs(space)
        parts.append(pd.DataFrame({"property": kind.name, "worse": space.names(worse), "better": space.names(better)}))
    return pd.concat(parts, ignore_index=True)
