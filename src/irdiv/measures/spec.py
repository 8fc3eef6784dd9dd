"""Specs: ``NAME[(key=value, …)][@k]`` to measures and, by printing, back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures import registry
from irdiv.measures.declaration import Declaration, Measure

_SPEC = re.compile(r"\s*(?P<name>[^@(){}\s]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<cutoff>[^@]*?))?\s*", re.DOTALL)
_FOREIGN_NAMES = frozenset(ir_measures.measures.registry) - frozenset(registry)
_parse_foreign = ir_measures.util.parse_measure


def parse(spec: str | ir_measures.Measure) -> Any:
    """Return the measure that a spec names.

    ``♯``, ``#`` and ``sharp`` are one, so are ``α`` and ``alpha``, and ``-`` and ``_`` inside a name that
    ir_measures does not own; a name of ir_measures keeps its meaning.

    Parameters
    ----------
    spec
        ``NAME[(key=value, …)][@k]``, or a measure, which is returned as it is.

    Examples
    --------
    >>> parse("Dsharp-nDCG(gamma=0.3)@10")
    D#-nDCG(gamma=0.3)@10
    >>> parse("α-nDCG@20") == parse("alpha-nDCG(alpha=0.5)@20")
    True
    >>> parse("D#-nDGC@10")
    Traceback (most recent call last):
    irdiv.errors.IrdivError: no measure is called 'D#-nDGC'; did you mean 'D#-nDCG' or 'D-nDCG' or 'D#-nERR'?
    """
    if isinstance(spec, ir_measures.Measure):
        return adopt(spec) or spec
    if not isinstance(spec, str):
        raise IrdivError(f"a measure is a spec such as 'D#-nDCG@10' or a Measure, not {spec!r}.")
    if is_ours(spec):
        name, params, cutoff = _parts(spec)
        return _make(_find(name), params, cutoff)
    name = _parts(spec)[0]
    if name not in _FOREIGN_NAMES:
        raise unknown(name)
    try:
        measure = _parse_foreign(spec)
        measure.validate_params()
    except (AssertionError, ValueError) as error:
        if "@" not in spec and ir_measures.measures.registry[name].SUPPORTED_PARAMS["cutoff"].required:
            raise IrdivError(f"{name} needs a cutoff, as in {name}@10.") from None
        takes = ", ".join(ir_measures.measures.registry[name].SUPPORTED_PARAMS)
        raise IrdivError(f"{spec!r} is not a measure of ir_measures: {error}; {name} takes {takes}.") from None
    return measure


def adopt(measure: ir_measures.Measure) -> Measure | None:
    """Return a measure of ours, or one of the nine of ndeval in our form; None for another's."""
    if isinstance(measure, Measure):
        return measure
    declaration = registry.get(measure.NAME or "")
    if declaration is None or declaration.owner == "irdiv":
        return None
    return Measure(declaration, **measure.params)


def is_ours(spec: str) -> bool:
    """Tell whether a spec names a measure that irdiv declares."""
    match = _SPEC.fullmatch(spec)
    return match is not None and _find(match["name"]) is not None


def unknown(name: str) -> IrdivError:
    """Return the error for a name nobody knows, with the nearest that somebody does."""
    near = get_close_matches(normal_name(name), [*registry, *sorted(_FOREIGN_NAMES)], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "'irdiv measures' lists all."
    return IrdivError(f"no measure is called {name!r}; {hint}")


def _parts(spec: str) -> tuple[str, str, str | None]:
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise IrdivError(f"{spec!r} is not a spec: expected NAME(key=value, …)@k, as in 'D#-nDCG(gamma=0.3)@10'.")
    return match["name"], match["params"] or "", match["cutoff"]


def normal_name(name: str) -> str:
    """Return a name as the registry spells it, where ir_measures does not own it."""
    name = re.sub(r"[-_]?sharp|♯", "#", name)
    return name.replace("α", "alpha").replace("_", "-")


def _find(name: str) -> Declaration | None:
    if name in registry:
        return registry[name]
    if name in _FOREIGN_NAMES:
        alias = ir_measures.measures.registry[name].NAME
        return registry.get(alias) if alias in registry and registry[alias].owner != "irdiv" else None
    return registry.get(normal_name(name))


def _make(declaration: Declaration | None, params: str, cutoff: str | None) -> Measure:
    assert declaration is not None
    given = dict(_keywords(params, declaration))
    if cutoff is not None:
        given["cutoff"] = int(cutoff) if re.fullmatch(r"[0-9]+", cutoff) else cutoff
    return Measure(declaration, **given)


def _keywords(params: str, declaration: Declaration) -> Iterable[tuple[str, Any]]:
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        assert isinstance(call, ast.Call)
        assert not call.args
        for keyword in call.keywords:
            assert keyword.arg is not None
            value = keyword.value
            yield keyword.arg, value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
    except (SyntaxError, AssertionError, ValueError):
        raise IrdivError(
            f"cannot read the parameters ({params}) of {declaration.name}: expected key=value pairs of "
            f"{', '.join(declaration.by_name) or 'nothing'}."
        ) from None
