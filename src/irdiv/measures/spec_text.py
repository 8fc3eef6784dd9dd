"""The text of specs: ``NAME[(key=value, …)][@k]`` as a name, parameters and a cutoff."""

from __future__ import annotations

import ast
import re
import reprlib
from collections.abc import Iterable

from irdiv.checks import LARGEST_INTEGER
from irdiv.errors import IrdivError, short
from irdiv.measures.catalogue import registry

_SPEC = re.compile(r"(?P<name>[^@(){}\s]+) ?(?:\((?P<params>.*)\))? ?(?:@ ?(?P<cutoff>[^@\s]*))?")
_LONGEST_SPEC = 1000
_NO_LITERAL = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
"""What Python raises for text that is not a literal, one that is nested too deep, or one with an unhashable key."""


def match_spec(spec: str) -> re.Match[str] | None:
    """Return the parts of a text, or None if it is not a spec."""
    return _SPEC.fullmatch(" ".join(spec.split())) if len(spec) <= _LONGEST_SPEC else None


def split_spec(spec: str) -> tuple[str, str, str | None]:
    """Return the name, the parameters and the cutoff of a spec, as texts; anything else is an error."""
    match = match_spec(spec)
    if match is None:
        raise IrdivError(
            f"{reprlib.repr(spec)} is not a spec: expected NAME(key=value, …)@k, as in 'D#-nDCG(gamma=0.3)@10', one "
            "measure in each."
        )
    name, cutoff = match["name"], match["cutoff"]
    if normalize_name(f"{name}@{cutoff}") in registry.own:
        # A cutoff that is a word belongs to the name, as in S-recall@min.
        name, cutoff = f"{name}@{cutoff}", None
    return name, match["params"] or "", cutoff


def normalize_name(name: str) -> str:
    """Return a name in the spelling of the registry, unless it is one that ir_measures owns."""
    name = re.sub(r"[-_]?sharp|♯", "#", name)
    return name.replace("α", "alpha").replace("_", "-")


def keyword_arguments(name: str, known: Iterable[str], params: str, at: str, cutoff: str | None) -> dict[str, object]:
    """Return the parameters of a spec by name, with the value after @ under the name ``at``."""
    given = keywords(name, known, params)
    if cutoff is not None:
        given.append((at, literal(cutoff)))
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


def keywords(name: str, known: Iterable[str], params: str) -> list[tuple[str, object]]:
    """Return the parameters of a spec with their values; if they cannot be read, the error lists the known ones."""
    unreadable = IrdivError(
        f"cannot read the parameters ({reprlib.repr(params)}) of {name}: expected key=value pairs of "
        f"{', '.join(known) or 'nothing'}."
    )
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise unreadable
        return [_keyword(keyword) for keyword in call.keywords]
    except IrdivError:
        raise
    except _NO_LITERAL:
        raise unreadable from None


def _keyword(keyword: ast.keyword) -> tuple[str, object]:
    if keyword.arg is None:
        raise ValueError  # ** has no name
    value = keyword.value
    return keyword.arg, value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
