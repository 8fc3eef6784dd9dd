"""Specs: ``NAME[(key=value, …)][@k]`` to measures and, by printing, back."""

from __future__ import annotations

import ast
import re
import reprlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import ir_measures

from irdiv.checks import LARGEST_INTEGER
from irdiv.errors import IrdivError, examples, near_names, short
from irdiv.measures.answers import AnswerMeasure, refuse_answer_measure
from irdiv.measures.catalogue import OTHER_NAMES, registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.measure import Measure, is_of_ir_measures

MeasureLike: TypeAlias = str | ir_measures.Measure
"""A spec such as ``"D#-nDCG@10"``, or a measure of irdiv or ir_measures."""
MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike]
"""One or several measures; the keys of a mapping are the names that `irdiv.evaluate` gave them."""
NamedMeasures: TypeAlias = MeasuresLike | Mapping[str, MeasureLike]
"""One or several measures, or a mapping from names to measures."""

_SPEC = re.compile(r"(?P<name>[^@(){}\s]+) ?(?:\((?P<params>.*)\))? ?(?:@ ?(?P<cutoff>[^@\s]*))?")
_LONGEST_SPEC = 1000
_NO_LITERAL = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
"""What Python raises for text that is not a literal, one that is nested too deep, or one with an unhashable key."""


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
        own = _in_place_of(spec, spec.params)
        return spec if own is None else Measure(own, **spec.params)
    if not isinstance(spec, str):
        raise IrdivError(f"a measure is a spec such as 'D#-nDCG@10' or a Measure, not {spec!r}.")
    parts = split_spec(spec)
    declaration = _find(parts.name, dict(parts.arguments or ()))
    if declaration is not None:
        return _measure(declaration, parts)
    if parts.name not in ir_measures.measures.registry:
        refuse_answer_measure(parts.name)
        raise unknown_name_error(parts.name)
    return _parse_by_ir_measures(spec, parts)


def _measure(declaration: Declaration, parts: Parts) -> Measure:
    """Return the measure of a spec; it is an error if a parameter changes nothing beside the others."""
    given = _keyword_arguments(declaration.name, declaration.by_name, parts, "cutoff")
    measure = Measure(declaration, **given)
    idle = next((name for name in given if not measure.has_effect(name)), None)
    if idle is not None:
        raise IrdivError(f"{declaration.name}: {idle} counts only with {declaration.by_name[idle].condition}.")
    return measure


def parse_base(spec: MeasureLike) -> Measure:
    """Parse the spec of a base measure into the M-IA that averages it over intents: ``"nDCG@10"`` into nDCG-IA@10.

    Examples
    --------
    >>> parse_base("nDCG(gain='linear')@10")
    nDCG-IA(gain='linear')@10
    """
    parts = split_spec(str(spec))
    known = [known for known, declaration in registry.items() if declaration.score_by_intent is not None]
    normalized = normalize_name(parts.name)
    full_name = normalized if normalized in known else f"{normalized}-IA"
    if full_name not in known:
        bases = [name.removesuffix("-IA") for name in known]
        raise IrdivError(f"{parts.name!r} does not score intents one by one; {near_names(normalized, bases)}")
    return _measure(registry[full_name], parts)


def _parse_by_ir_measures(spec: str, parts: Parts) -> ir_measures.Measure:
    name, base = parts.name, ir_measures.measures.registry[parts.name]
    measure = base(**_keyword_arguments(name, base.SUPPORTED_PARAMS, parts, base.AT_PARAM))
    try:
        measure.validate_params()
    except AssertionError as error:
        reason = re.sub(r"=<object object at \w+>", " is missing", str(error))
        own = registry.find(base.NAME, load=False)
        takes = ", ".join(dict.fromkeys([*base.SUPPORTED_PARAMS, *(own.by_name if own else ())]))
        raise IrdivError(f"{short(spec)} is not a measure of ir_measures: {reason}; {name} takes {takes}.") from None
    return measure


def _find(name: str, given: Iterable[str]) -> Declaration | None:
    """Return what irdiv computes under a name with some parameters; None if it is ir_measures' measure, or nobody's."""
    own = _find_any(name)
    if own is not None and own.owner == "ir_measures" and not own.has_beyond_ir_measures(given):
        return None
    return own


def _find_any(name: str) -> Declaration | None:
    """Return what a name means in any spelling, also if the measure is ir_measures' unless more is given."""
    theirs = ir_measures.measures.registry.get(name)
    if theirs is not None:
        return registry.find(name, theirs.NAME, load=False)
    flat = _find_any(name[:-3]) if name.endswith(("-LA", "_LA")) else None
    if flat is not None and flat.owner == "ndeval":
        # ERR_IA-LA is ERR_IA on each layer, and not ERR-IA, which it would be with '-' for '_'.
        return registry[f"{flat.name}-LA"]
    return registry.find(name, normalize_name(name))


def _in_place_of(measure: ir_measures.Measure, given: Iterable[str]) -> Declaration | None:
    """Return what irdiv computes in place of a measure of ir_measures; None if nothing, and for other packages'."""
    return _find(measure.NAME or "", given) if is_of_ir_measures(measure) else None


def as_irdiv_measure(measure: ir_measures.Measure) -> Measure | None:
    """Return the `Measure` of irdiv for a measure of irdiv, or for one of ndeval's nine; None for any other."""
    if isinstance(measure, Measure):
        return measure
    own = _in_place_of(measure, ())
    return Measure(own, **measure.params) if own is not None and own.owner == "ndeval" else None


def with_irdiv_parameters(measure: ir_measures.Measure, names: Iterable[str]) -> ir_measures.Measure:
    """Return irdiv's measure in place of one of ir_measures that lacks one of the parameters named."""
    own = _in_place_of(measure, names)
    if own is None or not set(measure.params) <= {"cutoff", *own.by_name}:
        return measure
    return Measure(own, **measure.params)


def owner(spec: str) -> str:
    """Return whose measure a spec names: "irdiv" if ir_measures has none of this name with these parameters.

    Else "ndeval" for one of ndeval's nine, which is the same in both, and "ir_measures" for all others.
    """
    try:
        parts = split_spec(spec)
    except IrdivError:
        return "ir_measures"
    own = _find_any(parts.name)
    if own is None:
        return "ir_measures"
    # A mistake in a parameter is reported by the package whose name it is.
    if own.ir_measures_parameters is None or own.has_beyond_ir_measures(dict(parts.arguments or ())):
        return "irdiv"
    return "ndeval" if own.owner == "ndeval" else "ir_measures"


def unknown_name_error(name: str) -> IrdivError:
    """Return the error for an unknown name, with the names that are closest to it."""
    from difflib import get_close_matches

    known = {known.casefold(): known for known in [*sorted(ir_measures_names()), *registry]}
    wanted = normalize_name(name).casefold()
    with_cutoff = [lower for lower in known if lower.startswith(f"{wanted}@")]
    near = [known[lower] for lower in [*with_cutoff, *get_close_matches(wanted, known, cutoff=0.5)]]
    suggested = list(dict.fromkeys([*_described_by(name.replace("_", " ").casefold()), *near]))[:3]
    hint = f"did you mean {' or '.join(map(repr, suggested))}?" if suggested else "'irdiv measures' lists all."
    return IrdivError(
        f"no measure is called {reprlib.repr(name)}; {registry.why_undefined(normalize_name(name)) or hint}"
    )


def _described_by(words: str) -> list[str]:
    """Return the measures that have several words in their descriptions, such as context recall, best first."""
    if " " not in words.strip():
        return []
    texts = {d.name: " ".join([d.summary, *d.keywords]).casefold() for d in registry.values()}
    return sorted((name for name in texts if has_words(texts[name], words)), key=lambda name: words not in texts[name])


def has_words(description: str, text: str) -> bool:
    """Return whether each word of a text begins a word of a description.

    >>> has_words("Share of nuggets, subtopic recall", "nugget recall")
    True
    """
    words = text.casefold().split()
    return bool(words) and all(re.search(rf"(?<!\w){re.escape(word)}", description.casefold()) for word in words)


def ir_measures_names() -> set[str]:
    """Return the names of ir_measures' own measures, without aliases."""
    names = {measure.NAME for measure in ir_measures.measures.registry.values()}
    return {name for name in names if _find(name, ()) is None}


class Parts(NamedTuple):
    """The parts of a spec."""

    name: str
    params: str
    arguments: list[tuple[str, object]] | None
    """The parameters with their values; None if they cannot be read."""
    cutoff: str | None


def split_spec(spec: str) -> Parts:
    """Return the parts of a spec; a text that is no spec is an error."""
    match = _SPEC.fullmatch(" ".join(spec.split())) if len(spec) <= _LONGEST_SPEC else None
    if match is None:
        raise IrdivError(
            f"{reprlib.repr(spec)} is not a spec: expected NAME(key=value, …)@k, as in 'D#-nDCG(gamma=0.3)@10', one "
            "measure in each."
        )
    name, params, cutoff = match["name"], match["params"] or "", match["cutoff"]
    if cutoff and not cutoff.isdigit() and registry.find(normalize_name(f"{name}@{cutoff}"), load=False):
        # A cutoff that is a word belongs to the name, as in S-recall@min.
        name, cutoff = f"{name}@{cutoff}", None
    return Parts(name, params, _arguments(params), cutoff)


def normalize_name(name: str) -> str:
    """Return a name in the spelling of the registry, unless it is one that ir_measures owns."""
    name = re.sub(r"[-_]?sharp|♯", "#", name)
    return name.replace("α", "alpha").replace("_", "-")


def _keyword_arguments(name: str, known: Iterable[str], parts: Parts, at: str) -> dict[str, object]:
    """Return the parameters of a spec by name, with the value after @ under the name ``at``."""
    if parts.arguments is None:
        raise IrdivError(
            f"cannot read the parameters ({reprlib.repr(parts.params)}) of {name}: expected key=value pairs of "
            f"{', '.join(known) or 'nothing'}."
        )
    given = list(parts.arguments)
    if parts.cutoff is not None:
        given.append((at, literal(parts.cutoff)))
    keys = [key for key, _ in given]
    repeated = next((key for key in keys if keys.count(key) > 1), None)
    if repeated is not None:
        raise IrdivError(f"{name} is given {repeated!r} twice.")
    huge = next((key for key, value in given if isinstance(value, int) and abs(value) > LARGEST_INTEGER), None)
    if huge is not None:
        raise IrdivError(f"{name}: {huge}={short(dict(given)[huge])} is too large; expected an integer below 2^63.")
    return dict(given)


def literal(text: str) -> object:
    """Return the Python value of a text, or the text itself."""
    try:
        return ast.literal_eval(text)
    except _NO_LITERAL:
        return text


def _arguments(params: str) -> list[tuple[str, object]] | None:
    """Return the parameters of a spec with their values; None if they cannot be read."""
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return None
        return [_argument(keyword) for keyword in call.keywords]
    except _NO_LITERAL:
        return None


def _argument(keyword: ast.keyword) -> tuple[str, object]:
    if keyword.arg is None:
        raise ValueError  # ** has no name
    value = keyword.value
    return keyword.arg, value.id if isinstance(value, ast.Name) else ast.literal_eval(value)


TREC_EVAL_NAMES = ("nDCG", "AP", "P", "RR", "R", "Rprec", "Success")
"""The measures of ir_measures that have an equivalent of ours."""
_WITHOUT_CUTOFF = ("RR", "Rprec")
# judged_only is not ours where it is True: to trec_eval a negative grade is none.
_DEFAULTS = (("dcg", "log2"), ("judged_only", False))


def irdiv_equivalent(measure: ir_measures.Measure) -> Measure | None:
    """Return the irdiv measure with the values of a measure of ir_measures, or None."""
    if not is_of_ir_measures(measure) or measure.NAME not in TREC_EVAL_NAMES:
        return None
    params = {name: value for name, value in measure.params.items() if (name, value) not in _DEFAULTS}
    known = {"rel"} if measure.NAME in _WITHOUT_CUTOFF else {"rel", "cutoff"}
    declaration = registry.find(OTHER_NAMES.get(measure.NAME, measure.NAME))
    return Measure(declaration, **params) if declaration is not None and set(params) <= known else None
