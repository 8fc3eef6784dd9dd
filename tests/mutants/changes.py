"""Small changes of a module's code, each of which a test is to notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_PAIRS = [
    ("zeros", "ones"), ("zeros_like", "ones_like"), ("min", "max"), ("minimum", "maximum"), ("any", "all"),
    ("argmin", "argmax"), ("floor", "ceil"), ("nanmin", "nanmax"),
]  # fmt: skip
_CALLED = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """A change of one place of a module."""

    path: str
    """Of the module, in the package."""
    index: int
    """Of the change, among those of the module."""
    first_line: int
    last_line: int
    """Of the statement."""
    before: str
    after: str
    """The statement, of compound ones the first line."""
    in_function: bool


class _Change(NamedTuple):
    statement: ast.stmt
    in_function: bool
    make: Callable[[], None]
    undo: Callable[[], None]


def mutants_of(package: Path, path: str) -> list[Mutant]:
    """Return all mutants of a module."""
    found = []
    for index, change in enumerate(_changes(_parse(package / path))):
        before = _text(change.statement)
        change.make()
        after = _text(change.statement)
        change.undo()
        if before != after:
            lines = change.statement.lineno, _last_line(change.statement)
            found.append(Mutant(path, index, *lines, before, after, change.in_function))
    return found


def compile_mutant(package: Path, mutant: Mutant) -> CodeType:
    """Return the code of the changed module."""
    tree = _parse(package / mutant.path)
    for index, change in enumerate(_changes(tree)):
        if index == mutant.index:
            change.make()
            break
    return compile(ast.fix_missing_locations(tree), package / mutant.path, "exec")


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _text(statement: ast.stmt) -> str:
    shown = copy.deepcopy(statement)
    for name in ("body", "orelse", "handlers", "finalbody"):
        if getattr(shown, name, None):
            setattr(shown, name, [ast.Pass()] if name == "body" else [])
    return ast.unparse(ast.fix_missing_locations(shown)).removesuffix("\n    pass")


def _last_line(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    return max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno


def _changes(tree: ast.Module) -> Iterator[_Change]:
    for statement, in_function in _statements(tree.body, False):
        yield from _changes_of_statement(statement, in_function)


def _statements(body: list[ast.stmt], in_function: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for statement in body:
        if _is_for_readers(statement):
            continue
        yield statement, in_function
        inside = in_function or isinstance(statement, ast.FunctionDef)
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []), inside)
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body, inside)


def _is_for_readers(statement: ast.stmt) -> bool:
    """Return whether a statement is an import, a docstring or of use to type checkers only."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar"))):
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload")]):
            return True
        case ast.ClassDef(bases=[ast.Name(id="Protocol")]):
            return True
    return False


def _changes_of_statement(statement: ast.stmt, in_function: bool) -> Iterator[_Change]:
    """Yield the changes of a statement, without those of statements in its body."""

    def change(node: ast.AST, field: str, new: object) -> _Change:
        old = getattr(node, field)
        return _Change(statement, in_function, lambda: setattr(node, field, new), lambda: setattr(node, field, old))

    for node in _expressions(statement):
        match node:
            case ast.Compare(ops=operators):
                for place, operator in enumerate(operators):
                    new = [*operators[:place], _COMPARED[type(operator)](), *operators[place + 1 :]]
                    yield change(node, "ops", new)
            case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in _COMPUTED:
                yield change(node, "op", _COMPUTED[type(operator)]())
            case ast.BoolOp(op=operator):
                yield change(node, "op", ast.Or() if isinstance(operator, ast.And) else ast.And())
            case ast.UnaryOp(op=ast.USub() | ast.Invert()):
                yield change(node, "op", ast.UAdd())
            case ast.UnaryOp(op=ast.Not()):
                # twice is once: the value's truth
                yield change(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
            case ast.Constant(value=value) if (new := _other_constant(value, in_function)) is not None:
                yield change(node, "value", new)
            case ast.Call(func=ast.Name(id=name) as function) if name in _CALLED:
                yield change(function, "id", _CALLED[name])
            case ast.Call(func=ast.Attribute(attr=name) as function) if name in _CALLED:
                yield change(function, "attr", _CALLED[name])
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is not None and keyword.arg != "strict":
                    yield change(node, "keywords", [other for other in node.keywords if other is not keyword])
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield change(node, "test", ast.UnaryOp(ast.Not(), node.test))
        if isinstance(node, ast.comprehension) and node.ifs:
            yield change(node, "ifs", [])
    if isinstance(statement, ast.Raise) or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        yield from _removal(statement, in_function)


def _removal(statement: ast.stmt, in_function: bool) -> Iterator[_Change]:
    kind, fields = statement.__class__, dict(statement.__dict__)

    def make() -> None:
        statement.__class__ = ast.Pass  # type: ignore[assignment]

    def undo() -> None:
        statement.__class__ = kind  # type: ignore[assignment]
        statement.__dict__.update(fields)

    yield _Change(statement, in_function, make, undo)


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and its expressions, but annotations, decorators and what only checks our own code."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.stmt() | ast.excepthandler() | ast.keyword(arg="strict"):
                    continue
                case ast.Constant() if isinstance(node, ast.JoinedStr) and child is not _longest_text(node):
                    continue
                case ast.Call(func=ast.Name(id="cast"), args=[_, argument]):
                    yield from _expressions(argument)
                case ast.AST():
                    yield from _expressions(child)


def _longest_text(message: ast.JoinedStr) -> ast.AST | None:
    texts = [part for part in message.values if isinstance(part, ast.Constant)]
    return max(texts, key=lambda part: len(part.value), default=None)


def _other_constant(value: object, in_function: bool) -> object:
    """Return another constant; None for text that only describes: that of modules and classes."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value != "XX" and (in_function or " " not in value):
            return "XX"
    return None
