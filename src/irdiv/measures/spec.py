"""Specs: ``NAME[(key=value, …)][@k]`` to measures and, by printing, back."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import ir_measures

from irdiv.errors import IrdivError, examples, near_names, short
from irdiv.measures.answers import AnswerMeasure, refuse_answer_measure
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.measure import Measure, ir_measures_parameters, is_of_ir_measures
from irdiv.measures.spec_text import keyword_arguments, keywords, match_spec, normalize_name, split_spec
from irdiv.measures.undefined import why_undefined
from irdiv.measures.words import has_words

MeasureLike: TypeAlias = str | ir_measures.Measure
"""A spec such as ``"D#-nDCG@10"``, or a measure of irdiv or ir_measures."""
MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike]
"""One or several measures; the keys of a mapping are the names that `irdiv.evaluate` gave them."""
NamedMeasures: TypeAlias = MeasuresLike | Mapping[str, MeasureLike]
"""One or several measures, or a mapping from names to measures."""

_IR_MEASURES_NAMES = frozenset(ir_measures.measures.registry) - frozenset(registry.own)


def as_measure_list(measures: MeasuresLike) -> list[MeasureLike]:
    """Return one or several measures as a list."""
    if isinstance(measures, str | ir_measures.Measure) or not isinstance(measures, Iterable):
        return [measures]
    return list(measures)


def parse_several(measures: MeasuresLike) -> list[ir_measures.Measure]:
    """Parse one or several specs; none is an error."""
    if isinstance(measures, Mapping):
        raise IrdivError(
            f"expected specs such as 'D#-nDCG@10', found a mapping from names; irdiv.evaluate names measures, and here "
            f"their specs are given: {examples(map(str, measures.values()))}."
        )
    parsed = [parse(spec) for spec in as_measure_list(measures)]
    if not parsed:
        raise IrdivError("no measures given: expected specs such as 'D#-nDCG@10'.")
    return parsed


def parse(spec: MeasureLike) -> ir_measures.Measure:
    """Parse a spec such as ``"D#-nDCG@10"`` into a measure: of ir_measures if it owns the name, else of irdiv.

    ``♯``, ``#`` and ``sharp`` are the same, and so are ``α`` and ``alpha``, and ``-`` and ``_`` in a name that
    ir_measures does not own; a name of ir_measures keeps its meaning. But ``ERR`` and ``RBP`` are irdiv's, and so are
    others with a parameter that only irdiv has, as ``nDCG(gain="exp")@10``.

    Parameters
    ----------
    spec
        ``NAME[(key=value, …)][@k]``, or a measure, which is read like its spec.

    Examples
    --------
    >>> parse("Dsharp-nDCG(gamma=0.3)@10")
    D#-nDCG(gamma=0.3)@10
    >>> parse("α-nDCG@20") == parse("alpha-nDCG(alpha=0.5)@20")
    True
    >>> parse("D#-nDGC@10")
    Traceback (most recent call last):
    irdiv.errors.IrdivError: no measure is called 'D#-nDGC'; did you mean 'D#-nDCG' or 'LD#-nDCG' or 'HD#-nDCG'?
    """
    if isinstance(spec, AnswerMeasure):
        refuse_answer_measure(spec)
    if isinstance(spec, ir_measures.Measure):
        return as_irdiv_measure(spec) or _irdiv_adhoc_measure(spec) or spec
    if not isinstance(spec, str):
        raise IrdivError(f"a measure is a spec such as 'D#-nDCG@10' or a Measure, not {spec!r}.")
    name, params, cutoff = split_spec(spec)
    declaration = _find(name) or _find_extension(name, params)
    if declaration is not None:
        return _measure(declaration, params, cutoff)
    if name not in _IR_MEASURES_NAMES:
        refuse_answer_measure(name)
        raise unknown_name_error(name)
    return _parse_by_ir_measures(spec, name, params, cutoff)


def _measure(declaration: Declaration, params: str, cutoff: str | None) -> Measure:
    """Return the measure of a spec; it is an error if a parameter changes nothing beside the others."""
    given = keyword_arguments(declaration.name, declaration.by_name, params, "cutoff", cutoff)
    measure = Measure(declaration, **given)
    idle = next((name for name in given if not measure.has_effect(name)), None)
    if idle is not None:
        parameter = measure.declaration.by_name[idle]
        raise IrdivError(f"{measure.declaration.name}: {idle} counts only with {parameter.condition}.")
    return measure


def parse_base(spec: MeasureLike) -> Measure:
    """Parse the spec of a base measure into the M-IA that averages it over intents: ``"nDCG@10"`` into nDCG-IA@10.

    Examples
    --------
    >>> parse_base("nDCG(gain='linear')@10")
    nDCG-IA(gain='linear')@10
    """
    name, params, cutoff = split_spec(str(spec))
    known = [known for known, declaration in registry.items() if declaration.score_by_intent is not None]
    normalized = normalize_name(name)
    full_name = normalized if normalized in known else f"{normalized}-IA"
    if full_name not in known:
        bases = [name.removesuffix("-IA") for name in known]
        raise IrdivError(f"{name!r} does not score intents one by one; {near_names(normalized, bases)}")
    return _measure(registry[full_name], params, cutoff)


def _parse_by_ir_measures(spec: str, name: str, params: str, cutoff: str | None) -> ir_measures.Measure:
    base = ir_measures.measures.registry[name]
    measure = base(**keyword_arguments(name, base.SUPPORTED_PARAMS, params, base.AT_PARAM, cutoff))
    try:
        measure.validate_params()
    except AssertionError as error:
        reason = re.sub(r"=<object object at \w+>", " is missing", str(error))
        extension = registry.extensions.get(base.NAME)
        takes = ", ".join(dict.fromkeys([*base.SUPPORTED_PARAMS, *(extension.by_name if extension else ())]))
        raise IrdivError(f"{short(spec)} is not a measure of ir_measures: {reason}; {name} takes {takes}.") from None
    return measure


def as_irdiv_measure(measure: ir_measures.Measure) -> Measure | None:
    """Return the `Measure` of irdiv for a measure of irdiv, or for one of ndeval's nine; None for any other."""
    if isinstance(measure, Measure):
        return measure
    if not is_of_ir_measures(measure):
        return None
    # Measures of other packages, which take time to find, are all irdiv's.
    declaration = registry.own.get(measure.NAME or "")
    if declaration is None or declaration.owner == "irdiv":
        return None
    return Measure(declaration, **measure.params)


def with_irdiv_parameters(measure: ir_measures.Measure, names: Iterable[str]) -> ir_measures.Measure:
    """Return irdiv's measure in place of one of ir_measures that lacks one of the parameters named."""
    extension = registry.extensions.get(measure.NAME or "")
    if not is_of_ir_measures(measure) or extension is None or not _extends(extension, names):
        return measure
    return Measure(extension, **measure.params) if set(measure.params) <= {"cutoff", *extension.by_name} else measure


def _irdiv_adhoc_measure(measure: ir_measures.Measure) -> Measure | None:
    """Return irdiv's measure in place of ERR and RBP of ir_measures, or of one with parameters that only irdiv has."""
    if not is_of_ir_measures(measure):
        return None
    name = measure.NAME or ""
    declaration = registry.own.get(name)
    if declaration is None and _extends(registry.extensions.get(name), measure.params):
        declaration = registry.extensions[name]
    return None if declaration is None else Measure(declaration, **measure.params)


def is_ndeval_measure(spec: str) -> bool:
    """Return whether a spec names one of ndeval's nine measures, which are the same in irdiv and ir_measures."""
    declaration = None if match_spec(spec) is None else _find(split_spec(spec)[0])
    return declaration is not None and declaration.owner != "irdiv"


def is_irdiv_only(spec: str) -> bool:
    """Return whether ir_measures knows no measure of this name, or none with these parameters, and irdiv does."""
    if match_spec(spec) is None:
        return False
    name, params, _ = split_spec(spec)
    declaration = _find(name)
    if declaration is None:
        return _find_extension(name, params) is not None
    owned = ir_measures_parameters(declaration.name)
    if owned is None:
        return True
    given = [key for key, _ in keywords(declaration.name, declaration.by_name, params)]
    # A mistake in a parameter is reported by the package whose name it is.
    return _extends(declaration, given) if declaration.owner == "irdiv" else any(key not in owned for key in given)


def unknown_name_error(name: str) -> IrdivError:
    """Return the error for an unknown name, with the names that are closest to it."""
    from difflib import get_close_matches

    known = {known.casefold(): known for known in [*sorted(ir_measures_names()), *registry]}
    wanted = normalize_name(name).casefold()
    with_cutoff = [lower for lower in known if lower.startswith(f"{wanted}@")]
    near = [known[lower] for lower in [*with_cutoff, *get_close_matches(wanted, known, cutoff=0.5)]]
    suggested = list(dict.fromkeys([*_described_by(name.replace("_", " ").casefold()), *near]))[:3]
    hint = f"did you mean {' or '.join(map(repr, suggested))}?" if suggested else "'irdiv measures' lists all."
    return IrdivError(f"no measure is called {reprlib.repr(name)}; {why_undefined(normalize_name(name)) or hint}")


def _described_by(words: str) -> list[str]:
    """Return the measures that have several words in their descriptions, such as context recall, best first."""
    if " " not in words.strip():
        return []
    texts = {d.name: " ".join([d.summary, *d.keywords]).casefold() for d in registry.values()}
    return sorted((name for name in texts if has_words(texts[name], words)), key=lambda name: words not in texts[name])


def ir_measures_names() -> set[str]:
    """Return the names of ir_measures' own measures, without aliases."""
    return {ir_measures.measures.registry[name].NAME for name in _IR_MEASURES_NAMES} - set(registry.own)


def _find(name: str) -> Declaration | None:
    if name in registry.own:
        return registry[name]
    if name in _IR_MEASURES_NAMES:
        alias = ir_measures.measures.registry[name].NAME
        return registry.get(alias) if alias in registry.own and registry[alias].owner != "irdiv" else None
    flat = _find(name[:-3]) if name.endswith(("-LA", "_LA")) else None
    if flat is not None and flat.owner != "irdiv":
        # ERR_IA-LA is ERR_IA on each layer, and not ERR-IA, which it would be with '-' for '_'.
        return registry[f"{flat.name}-LA"]
    normalized = normalize_name(name)
    # Names of other packages, which must be loaded first, come last.
    return registry.own.get(normalized) or registry.get(name) or registry.get(normalized)


def _find_extension(name: str, params: str) -> Declaration | None:
    """Return irdiv's measure under a name of ir_measures if there are parameters that only irdiv has."""
    if name not in _IR_MEASURES_NAMES:
        return None
    extension = registry.extensions.get(ir_measures.measures.registry[name].NAME)
    try:
        given = [key for key, _ in keywords(name, (), params)]
    except IrdivError:
        return None
    return extension if _extends(extension, given) else None


def _extends(extension: Declaration | None, given: Iterable[str]) -> bool:
    """Return whether one of the parameters given is one that only irdiv has."""
    if extension is None:
        return False
    owned = ir_measures_parameters(extension.name) or {}
    return any(key in extension.by_name and key not in owned for key in given)
