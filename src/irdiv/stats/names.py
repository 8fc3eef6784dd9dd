"""Runs, measures and topics of an evaluation by name; an unknown name is an error with those that are close to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures

from irdiv.errors import IrdivError, examples, near_names
from irdiv.measures.spec import MeasureLike, parse


def find_run(runs: Sequence[str], name: object) -> int:
    """Return the index of a run."""
    return _find("run", runs, name)


def find_topic(topics: Sequence[str], query_id: object) -> int:
    """Return the index of a topic; ``152`` is also accepted for ``"152"``."""
    return _find("topic", topics, str(query_id))


def only_one_has(sides: Mapping[str, Sequence[str]]) -> str:
    """Return what only one of two sides has, in words; empty if both have the same.

    >>> only_one_has({"the estimate has": ["a", "b"], "gold has": ["a"]})
    "only the estimate has 'b'"
    """
    one, two = (set(names) for names in sides.values())
    only = {side: [name for name in names if name not in one & two] for side, names in sides.items()}
    return " and ".join(f"only {side} {examples(names)}" for side, names in only.items() if names)


def _find(what: str, names: Sequence[str], name: object) -> int:
    if name not in names:
        raise IrdivError(f"no {what} is called {name!r}; {near_names(name, names)}")
    return list(names).index(str(name))


def find_measure(
    measures: Sequence[str], spec: MeasureLike, names: Mapping[ir_measures.Measure, str] | None = None
) -> int:
    """Return the index of a measure, given by its name or any spelling of its spec; ``names`` are those given to it."""
    name = str(spec)
    if name not in measures:
        measure = parsed_or_none(spec)
        name = name if measure is None else (names or {}).get(measure, str(measure))
    if name not in measures:
        raise IrdivError(f"{spec} was not evaluated; {near_names(name, measures)}")
    return list(measures).index(name)


def parsed_or_none(spec: MeasureLike) -> ir_measures.Measure | None:
    """Return the measure of a spec, or None if there is no such measure."""
    try:
        return parse(spec)
    except IrdivError:
        return None
