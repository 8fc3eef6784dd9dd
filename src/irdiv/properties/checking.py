"""Which measures have which properties, over all rankings up to a length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.io.tables import IntentsLike
from irdiv.measures.measure import less_is_better
from irdiv.measures.spec import MeasuresLike, parse_several
from irdiv.progress import progress_bar
from irdiv.properties.definitions import DEFAULT_PROPERTIES, PROPERTIES, Pairs, Property
from irdiv.properties.rankings import Rankings
from irdiv.properties.scores import make_collection, score_rankings
from irdiv.types import Floats

PropertiesLike: TypeAlias = str | Property | Iterable[str | Property]
"""One or several properties, or their names."""

TOLERANCE = 1e-12


def check(
    measures: MeasuresLike,
    properties: PropertiesLike = DEFAULT_PROPERTIES,
    *,
    aspects: int = 2,
    length: int = 10,
    grades: int = 1,
    probabilities: Sequence[float] | None = None,
    types: Sequence[str] | None = None,
    tree: IntentsLike | None = None,
) -> pd.DataFrame:
    """Check properties of measures on every ranking up to a length (Albahem et al., ADCS 2018).

    Parameters
    ----------
    measures
        Specs or measures: of irdiv, or nDCG, AP, P, RR, R, Rprec and Success of ir_measures.
    properties
        Names or `Property` objects: ``"relevance"``, ``"irrelevance"`` and ``"redundancy"``, the default; also
        ``"induction"``, ``"replacement"`` and ``"swap"``, or one's own.
    aspects, length, grades
        How many aspects there are, the length of the longest ranking, and the highest grade. A document is relevant to
        one aspect or none; for each aspect and grade there are as many documents as the longest ranking has.
    probabilities
        Probabilities of the aspects; equal by default.
    types
        ``"inf"`` or ``"nav"`` for each aspect.
    tree
        An intent hierarchy of topic ``"1"`` over the intents ``i0, i1, …``, as `irdiv.intents.nested_intents` returns.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and property: ``measure, property, length, cases, violations, share, ties,
        counterexample, score, other_score``. ``length`` is the length of the longest ranking in the cases: induction
        takes only the shortest rankings, some 3,000 at most. The counterexample is the shortest: the first ranking
        scores more, though it should not.
    """
    parsed = parse_several(measures)
    checked = _as_properties(properties)
    names = [prop.name for prop in checked]
    if not checked or len(set(names)) < len(names):
        raise IrdivError(f"expected one or more properties with different names; found {examples(names, 9)}.")
    rankings = Rankings(aspects, length, grades)
    scores = score_rankings(rankings, parsed, *make_collection(rankings, probabilities, types, tree))
    pairs_of = {prop.name: prop.pairs(rankings) for prop in checked}
    rows = []
    for measure, of_measure in progress_bar(list(zip(parsed, scores, strict=True)), "measure"):
        for name, (worse, better) in pairs_of.items():
            pairs = (better, worse) if less_is_better(measure) else (worse, better)
            rows.append({"measure": str(measure), "property": name, **_check_pairs(rankings, of_measure, pairs)})
    return pd.DataFrame(rows)


def _as_properties(given: PropertiesLike) -> list[Property]:
    if isinstance(given, str | Property) or not isinstance(given, Iterable):
        given = [given]
    return [_find_property(prop) for prop in given]


def _find_property(prop: str | Property) -> Property:
    if isinstance(prop, Property):
        return prop
    if prop not in PROPERTIES:
        raise IrdivError(f"no property is called {prop!r}; there are {examples(PROPERTIES, 9)}.")
    return PROPERTIES[prop]


def _check_pairs(rankings: Rankings, scores: Floats, pairs: Pairs) -> dict[str, object]:
    """Return how many pairs there are, how many violate the property, and the shortest of these."""
    worse, better = pairs
    difference = scores[worse] - scores[better]
    violated = np.flatnonzero(difference > TOLERANCE)
    counts = {
        "length": int(rankings.lengths[np.concatenate(pairs)].max(initial=0)),
        "cases": len(worse),
        "violations": len(violated),
        "share": len(violated) / len(worse) if len(worse) else np.nan,
        "ties": int(np.count_nonzero(np.abs(difference) <= TOLERANCE)),
    }
    if len(violated) == 0:
        return {**counts, "counterexample": "", "score": np.nan, "other_score": np.nan}
    total_length = rankings.lengths[worse[violated]] + rankings.lengths[better[violated]]
    shortest = violated[np.lexsort((worse[violated], total_length))[0]]
    one, other = int(worse[shortest]), int(better[shortest])
    example = f"{rankings.name(one)} > {rankings.name(other)}"
    return {**counts, "counterexample": example, "score": float(scores[one]), "other_score": float(scores[other])}


def relations(
    properties: PropertiesLike = DEFAULT_PROPERTIES, *, aspects: int = 2, length: int = 2, grades: int = 1
) -> pd.DataFrame:
    """Return the pairs of rankings that properties relate: ``property, worse, better``."""
    rankings = Rankings(aspects, length, grades)
    parts = [pd.DataFrame({"property": [], "worse": [], "better": []}, dtype=str)]
    for prop in _as_properties(properties):
        worse, better = (rankings.names(indices) for indices in prop.pairs(rankings))
        parts.append(pd.DataFrame({"property": prop.name, "worse": worse, "better": better}))
    return pd.concat(parts, ignore_index=True)
