"""Specs: ``NAME[(key=value, …)][@k]`` to measures and, by printing, back."""

from __future__ import annotations

import ast
import re
import reprlib
from collections.abc import Iterable
from typing import Any

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures import registry
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Declaration, Measure

_SPEC = re.compile(r"(?P<name>[^@(){}\s]+) ?(?:\((?P<params>.*)\))? ?(?:@ ?(?P<cutoff>[^@\s]*))?")
_LONGEST_SPEC = 1000
_FOREIGN_NAMES = frozenset(ir_measures.measures.registry) - frozenset(registry)


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
    irdiv.errors.IrdivError: no measure is called 'D#-nDGC'; did you mean 'D#-nDCG' or 'LD#-nDCG' or 'HD#-nDCG'?
    """
    if isinstance(spec, ir_measures.Measure):
        return adopt(spec) or spec
    if not isinstance(spec, str):
        raise IrdivError(f"a measure is a spec such as 'D#-nDCG@10' or a Measure, not {spec!r}.")
    name, params, cutoff = _parts(spec)
    declaration = _find(name)
    if declaration is not None:
        return Measure(declaration, **_given(declaration.name, declaration.by_name, params, "cutoff", cutoff))
    if name not in _FOREIGN_NAMES:
        raise unknown(name)
    return _parse_foreign(spec, name, params, cutoff)


def _parse_foreign(spec: str, name: str, params: str, cutoff: str | None) -> ir_measures.Measure:
    base = ir_measures.measures.registry[name]
    measure = base(**_given(name, base.SUPPORTED_PARAMS, params, base.AT_PARAM, cutoff))
    try:
        measure.validate_params()
    except AssertionError as error:
        reason = re.sub(r"=<object object at \w+>", " is missing", str(error))
        takes = ", ".join(base.SUPPORTED_PARAMS)
        raise IrdivError(f"{spec!r} is not a measure of ir_measures: {reason}; {name} takes {takes}.") from None
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
    match = _match(spec)
    return match is not None and _find(match["name"]) is not None


def is_irdivs_name(spec: str) -> bool:
    """Tell whether a spec of ours has a name that ir_measures does not own."""
    declaration = _find(_parts(spec)[0])
    return declaration is not None and declaration.owner == "irdiv"


def extends_ir_measures(spec: str) -> bool:
    """Tell whether a spec of a name of ir_measures says what ir_measures cannot take."""
    name, params, _ = _parts(spec)
    declaration = _find(name)
    assert declaration is not None
    owned = ir_measures.measures.registry[declaration.name].SUPPORTED_PARAMS
    return any(key not in owned for key, _ in _keywords(declaration.name, declaration.by_name, params))


def _match(spec: str) -> re.Match[str] | None:
    return _SPEC.fullmatch(" ".join(spec.split())) if len(spec) <= _LONGEST_SPEC else None


def unknown(name: str) -> IrdivError:
    """Return the error for a name nobody knows, with the nearest that somebody does."""
    from difflib import get_close_matches

    known = {known.casefold(): known for known in [*sorted(foreign_names()), *registry]}
    near = get_close_matches(normal_name(name).casefold(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(repr(known[n]) for n in near)}?" if near else "'irdiv measures' lists all."
    if any(normal_name(name) == f"{operator}{base.name}" for operator in ("D-", "D#-") for base in BASES):
        hint = "it needs grades, and under D there are only global gains."
    return IrdivError(f"no measure is called {reprlib.repr(name)}; {hint}")


def foreign_names() -> set[str]:
    """Return the names of ir_measures' own measures, without aliases."""
    return {ir_measures.measures.registry[name].NAME for name in _FOREIGN_NAMES} - set(registry)


def _parts(spec: str) -> tuple[str, str, str | None]:
    match = _match(spec)
    if match is None:
        raise IrdivError(
            f"{reprlib.repr(spec)} is not a spec: expected NAME(key=value, …)@k, as in 'D#-nDCG(gamma=0.3)@10', one "
            "measure in each."
        )
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


def _given(name: str, takes: Iterable[str], params: str, at: str, cutoff: str | None) -> dict[str, Any]:
    """Return what a spec gives by key, with what stands behind @ under the key it stands for."""
    given = _keywords(name, takes, params)
    if cutoff is not None:
        given.append((at, _number(cutoff)))
    keys = [key for key, _ in given]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise IrdivError(f"{name} is given {twice!r} twice.")
    return dict(given)


def _number(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def _keywords(name: str, takes: Iterable[str], params: str) -> list[tuple[str, Any]]:
    mistake = IrdivError(
        f"cannot read the parameters ({reprlib.repr(params)}) of {name}: expected key=value pairs of "
        f"{', '.join(takes) or 'nothing'}."
    )
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise mistake
        return [_keyword(keyword) for keyword in call.keywords]
    except IrdivError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise mistake from None


def _keyword(keyword: ast.keyword) -> tuple[str, Any]:
    if keyword.arg is None:
        raise ValueError("** has no name")
    value = keyword.value
    return keyword.arg, value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
