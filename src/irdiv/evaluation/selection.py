"""Which measures to compute: the requested ones, with parameters for all of them, and their components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures.measure import Measure
from irdiv.measures.spec import MeasuresLike, parse_several, with_irdiv_parameters


def requested_measures(
    measures: MeasuresLike, parameters: Mapping[str, object], *, components: bool = False
) -> list[ir_measures.Measure]:
    """Return the requested measures, each once.

    Parameters
    ----------
    measures
        One or several specs or measures.
    parameters
        Values for all measures that have such a parameter and do not set it themselves.
    components
        Whether to put the components of a measure before it.
    """
    parsed = [with_irdiv_parameters(measure, parameters) for measure in parse_several(measures)]
    _require_known_parameters(parsed, parameters)
    requested: dict[ir_measures.Measure, None] = {}
    idle = set(parameters)
    for measure in parsed:
        settable = set(measure.SUPPORTED_PARAMS) - set(measure.params)
        given = {name: value for name, value in parameters.items() if name in settable}
        measure = measure(**given) if given else measure
        idle -= {name for name in parameters if name in measure.params and _has_effect(measure, name)}
        if components and isinstance(measure, Measure):
            requested.update(dict.fromkeys(measure.components()))
        requested[measure] = None
    if idle:
        name = sorted(idle)[0]
        conditions = (m.declaration.by_name[name].condition for m in requested if isinstance(m, Measure))
        raise IrdivError(f"{name} changes none of these measures: it counts only with {next(conditions)}.")
    return list(requested)


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
