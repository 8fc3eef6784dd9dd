"""Which measures to compute: the requested ones, with parameters for all of them, and their components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures

from irdiv.errors import IrdivError, examples
from irdiv.io.columns import EVALUATION_COLUMNS
from irdiv.io.ids import string_array
from irdiv.measures.measure import Measure, less_is_better
from irdiv.measures.spec import NamedMeasures, parse_several, with_irdiv_parameters
from irdiv.stats.names import parsed_or_none


def requested_measures(
    measures: NamedMeasures, parameters: Mapping[str, object], *, components: bool = False
) -> list[ir_measures.Measure]:
    """Return the requested measures, each once.

    Parameters
    ----------
    measures
        One or several specs or measures, or a mapping from names to them.
    parameters
        Values for all measures that have such a parameter and do not set it themselves.
    components
        Whether to put the components of a measure after it.
    """
    parsed = _parse(measures, parameters)
    _require_known_parameters(parsed, parameters)
    requested: dict[ir_measures.Measure, None] = {}
    idle = set(parameters)
    for measure in parsed:
        measure = _with_parameters(measure, parameters)
        idle -= {name for name in parameters if name in measure.params and _has_effect(measure, name)}
        requested[measure] = None
        if components and isinstance(measure, Measure):
            requested.update(dict.fromkeys(measure.components()))
    if idle:
        name = sorted(idle)[0]
        conditions = (m.declaration.by_name[name].condition for m in requested if isinstance(m, Measure))
        raise IrdivError(f"{name} changes none of these measures: it counts only with {next(conditions)}.")
    return list(requested)


def requested_names(measures: NamedMeasures, parameters: Mapping[str, object]) -> dict[ir_measures.Measure, str]:
    """Return the names that a mapping gives to the measures that `requested_measures` returns.

    A key that is the measure's spec is not a name, as parameters for all measures change the spec. A name that is the
    spec of another measure is an error, and so is one for a measure where less is better, which a frame knows by the
    spec only.
    """
    names: dict[ir_measures.Measure, str] = {}
    if not isinstance(measures, Mapping):
        return names
    for name, measure in zip(measures, _parse(measures, parameters), strict=True):
        if name == str(measure):
            continue
        measure = _with_parameters(measure, parameters)
        _check_name(name, measure)
        if measure in names:
            raise IrdivError(f"{names[measure]!r} and {name!r} name the same measure, {measure}; keep one of them.")
        names[measure] = name
    return names


def _check_name(name: object, measure: ir_measures.Measure) -> None:
    if not isinstance(name, str) or not name.strip() or name in EVALUATION_COLUMNS:
        raise IrdivError(
            f"{name!r} cannot be the name of {measure}: a name is a text that is none of the columns "
            f"{examples(EVALUATION_COLUMNS, 9)}."
        )
    string_array([name])  # an error if it is not valid Unicode
    meaning = parsed_or_none(name)
    if meaning is not None and meaning != measure:
        raise IrdivError(f"{name!r} cannot be the name of {measure}, as it is the spec of another measure; rename it.")
    if meaning is None and less_is_better(measure):
        raise IrdivError(
            f"{measure} cannot be called {name!r}: smaller values are better, which tables know by the spec only; "
            f"name it {str(measure)!r}."
        )


def _parse(measures: NamedMeasures, parameters: Mapping[str, object]) -> list[ir_measures.Measure]:
    given = list(measures.values()) if isinstance(measures, Mapping) else measures
    return [with_irdiv_parameters(measure, parameters) for measure in parse_several(given)]


def _with_parameters(measure: ir_measures.Measure, parameters: Mapping[str, object]) -> ir_measures.Measure:
    """Return a measure with those values of parameters that it has and does not set itself."""
    settable = set(measure.SUPPORTED_PARAMS) - set(measure.params)
    given = {name: value for name, value in parameters.items() if name in settable}
    return measure(**given) if given else measure


def _has_effect(measure: ir_measures.Measure, name: str) -> bool:
    return not isinstance(measure, Measure) or measure.has_effect(name)


def _require_known_parameters(measures: Sequence[ir_measures.Measure], parameters: Mapping[str, object]) -> None:
    """Raise an error for a parameter that no measure has, and for judged_only where one measure does not have it."""
    if not isinstance(parameters.get("intents", ""), str):
        raise IrdivError(
            "intents='relevant' or 'all' selects intents; a table of intents is folded into the qrels: "
            "evaluate(with_intents(qrels, intent_table), …)."
        )
    known = {name for measure in measures for name in measure.SUPPORTED_PARAMS} - {"cutoff"}
    unknown = sorted(set(parameters) - known)
    if unknown:
        raise IrdivError(
            f"none of these measures has a parameter {unknown[0]!r}; they take {', '.join(sorted(known))}."
        )
    for measure in measures:
        condenses_lists = isinstance(measure, Measure) and measure.declaration.judged_documents_only
        if parameters.get("judged_only") and "judged_only" not in measure.SUPPORTED_PARAMS and not condenses_lists:
            raise IrdivError(f"{measure} has no parameter 'judged_only'; leave it out or evaluate it separately.")
