"""ir_measures' parsers, wrapped so that they know the specs of irdiv."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import ir_measures

from irdiv.errors import IrdivError
from irdiv.measures.spec import is_irdiv_only, is_ndeval_measure, parse, unknown_name_error

T = TypeVar("T")
Parser: TypeAlias = Callable[[str], T]

_MARK = "_knows_irdiv"


def wrap_parsers() -> None:
    """Wrap the parsers that ir_measures has in its modules, unless it was done.

    What is there is wrapped and called, also where another package has replaced it.
    """
    _repair_values()
    for module in (ir_measures.util, ir_measures):
        for name, wrapper in (("parse_measure", _measure_parser), ("parse_trec_measure", _trec_measure_parser)):
            found = getattr(module, name)
            if hasattr(found, _MARK):
                continue
            # A parser that both modules share remains one, which pickle finds by its name.
            shared = getattr(ir_measures.util, name)
            is_shared = getattr(shared, "__wrapped__", None) is found and hasattr(shared, _MARK)
            setattr(module, name, shared if is_shared else wrapper(found))


def _measure_parser(theirs: Parser[ir_measures.Measure]) -> Parser[ir_measures.Measure]:
    @wraps(theirs)
    def parse_measure(measure: str) -> ir_measures.Measure:
        return _parse(measure, parse, theirs)

    setattr(parse_measure, _MARK, True)
    return parse_measure


def _trec_measure_parser(theirs: Parser[list[ir_measures.Measure]]) -> Parser[list[ir_measures.Measure]]:
    @wraps(theirs)
    def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
        try:
            return _parse(measure, lambda spec: [parse(spec)], theirs)
        except IrdivError:
            raise
        except ValueError:
            # PyTerrier parses all strings this way, and "nDCG@10" is not a name of trec_eval.
            if not isinstance(measure, str) or "@" not in measure:
                raise
            return [ir_measures.parse_measure(measure)]

    setattr(parse_trec_measure, _MARK, True)
    return parse_trec_measure


def _parse(spec: object, ours: Callable[[str], T], theirs: Callable[[Any], T]) -> T:
    if not isinstance(spec, str):
        return theirs(spec)
    if is_irdiv_only(spec):
        return ours(spec)
    try:
        return theirs(spec)
    except (NameError, ValueError):
        if is_ndeval_measure(spec):
            return ours(spec)
        name = re.split("[@(]", spec)[0].strip()
        if name not in ir_measures.measures.registry and set(name) & set("#♯-+"):
            raise unknown_name_error(name) from None
        raise


def _repair_values() -> None:
    """Replace the reader of values in specs if it needs ``ast.Num``, which Python 3.14 does not have."""
    if sys.version_info >= (3, 14):
        try:
            ir_measures.util.parse_measure("P@1")
        except AttributeError:
            ir_measures.util._ast_to_value = _literal


def _literal(node: ast.expr | None) -> object:
    """Return a value in a spec, as ir_measures reads it: a string, number, truth value or None, or a dict of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | complex | float | int | None):
        return node.value
    if isinstance(node, ast.Dict):
        return dict(zip(map(_literal, node.keys), map(_literal, node.values), strict=True))
    raise ValueError(ir_measures.util._AST_PARSE_ERROR.format("values must be str, float, int, bool, etc."))
