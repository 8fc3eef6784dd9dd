"""What a measure declares of itself, and the ir_measures measure made of that."""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ir_measures

from irdiv.errors import IrdivError, examples

if TYPE_CHECKING:
    from irdiv.arrays.ranking import Scene
    from irdiv.kernels.lists import Floats


@dataclass(frozen=True)
class Parameter:
    """A named parameter: its default, what it means, and a check that returns the value in its one spelling."""

    name: str
    default: Any
    meaning: str
    check: Callable[[Any], Any] = field(repr=False)
    only_with: tuple[str, Any] | None = None
    """Another parameter and the value it must have for this one to change anything."""

    def accept(self, value: Any, measure: str) -> Any:
        """Return the value in its one spelling; an error says what the parameter takes."""
        try:
            return self.check(value)
        except (TypeError, ValueError) as error:
            raise IrdivError(f"{measure}: {self.name}={reprlib.repr(value)} is not {error}.") from None

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Tell whether this parameter changes anything, given the values of all."""
        return self.only_with is None or values[self.only_with[0]] == self.only_with[1]


@dataclass(frozen=True)
class Declaration:
    """Everything there is to say of a measure; all lists, pages and parsers read this."""

    family: str
    """The heading under which lists show it."""
    name: str
    summary: str
    formula: str
    references: tuple[str, ...]
    score: Callable[[Scene, Mapping[str, Any], int | None], Floats] = field(repr=False)
    """Values ``[topic]`` for a scene, the values of all parameters, and a cutoff."""
    parameters: tuple[Parameter, ...] = ()
    takes_cutoff: bool = True
    needs_intents: bool = True
    others: str = ""
    """How other programs differ."""
    components: tuple[str, ...] = ()
    """Measures this one is made of, by name."""
    owner: str = "irdiv"
    """The package whose name this is."""
    less_is_better: bool = False
    condensed: bool = False
    """Whether it is defined on judged documents only."""
    on_layers: bool = True
    """Whether it makes sense on the nodes of a layer of an intent hierarchy."""

    @cached_property
    def by_name(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return {parameter.name: parameter for parameter in self.parameters}

    @cached_property
    def param_infos(self) -> dict[str, Any]:
        """The parameters and the cutoff as ir_measures describes them."""
        infos = {p.name: ir_measures.ParamInfo(default=p.default, desc=p.meaning) for p in self.parameters}
        if self.takes_cutoff:
            infos["cutoff"] = ir_measures.ParamInfo(dtype=int, desc="ranking cutoff threshold")
        return infos


class Measure(ir_measures.Measure):
    """A measure of irdiv, which is an ordinary `ir_measures.Measure`.

    It prints as its own spec and takes parameters by call and a cutoff by ``@``.

    >>> import irdiv
    >>> measure = irdiv.parse("D♯-nDCG")
    >>> measure(gamma=0.3) @ 10
    D#-nDCG(gamma=0.3)@10
    """

    def __init__(self, declaration: Declaration, **params: Any) -> None:
        self.declaration = declaration
        self.__name__ = declaration.name
        self.__doc__ = f"{declaration.summary}\n\n{declaration.formula}"
        self.SUPPORTED_PARAMS = declaration.param_infos
        super().__init__(**_checked(declaration, params))  # type: ignore[no-untyped-call]
        # A name that ir_measures owns goes to its providers, unless it says what they do not know.
        self.NAME = self.__name__
        if declaration.owner != "irdiv" and not set(self.params) <= set(_owned_params(declaration)):
            self.NAME = f"irdiv:{declaration.name}"

    def __call__(self, **params: Any) -> Measure:
        """Return this measure with other values of parameters."""
        return type(self)(self.declaration, **{**self.params, **params})

    def __reduce__(self) -> Any:
        return _restore, (self.declaration.name, self.params)

    def __repr__(self) -> str:
        values = self.values()
        inside = ",".join(
            f"{p.name}={values[p.name]!r}"
            for p in self.declaration.parameters
            if values[p.name] != p.default and p.counts(values)
        )
        cutoff = self.params.get("cutoff")
        return self.declaration.name + (f"({inside})" if inside else "") + (f"@{cutoff}" if cutoff is not None else "")

    @property
    def cutoff(self) -> int | None:
        """The cutoff, or None for the whole list."""
        cutoff: int | None = self.params.get("cutoff")
        return cutoff

    def values(self) -> dict[str, Any]:
        """Return every parameter's value, given or by default."""
        return {p.name: self.params.get(p.name, p.default) for p in self.declaration.parameters}

    def components(self) -> list[Measure]:
        """Return the measures this one is made of, with its parameters and cutoff."""
        return [
            made(**{k: v for k, v in self.params.items() if k in made.SUPPORTED_PARAMS})
            for made in (_restore(name, {}) for name in self.declaration.components)
        ]


def _restore(name: str, params: Mapping[str, Any]) -> Measure:
    from irdiv.measures import registry

    return Measure(registry[name], **params)


def _owned_params(declaration: Declaration) -> Mapping[str, Any]:
    owned: Mapping[str, Any] = ir_measures.measures.registry[declaration.name].SUPPORTED_PARAMS
    return owned


def _checked(declaration: Declaration, params: Mapping[str, Any]) -> dict[str, Any]:
    by_name = declaration.by_name
    out: dict[str, Any] = {}
    for name, value in params.items():
        if name == "cutoff":
            if value is not None:
                out["cutoff"] = _cutoff(declaration, value)
        elif name in by_name:
            out[name] = by_name[name].accept(value, declaration.name)
        else:
            takes = f"it takes {', '.join(by_name)}" if by_name else "it takes no parameters"
            raise IrdivError(f"{declaration.name} has no parameter {name!r}; {takes}.")
    return out


def _cutoff(declaration: Declaration, value: Any) -> int:
    if not declaration.takes_cutoff:
        raise IrdivError(f"{declaration.name} takes no cutoff: it is defined on the whole list.")
    try:
        return whole(1)(value)
    except (TypeError, ValueError):
        raise IrdivError(
            f"the cutoff of {declaration.name} must be a whole number from 1, as in {declaration.name}@10; "
            f"found {value!r}."
        ) from None


def number(low: float, high: float, *, open_low: bool = False) -> Callable[[Any], float]:
    """Return a check for a number between two bounds."""

    def check(value: Any) -> float:
        bounds = f"a number {'above' if open_low else 'from'} {low:g} to {high:g}"
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(bounds)
        given = float(value)
        if not low <= given <= high or (open_low and given == low):
            raise ValueError(bounds)
        return given

    return check


def whole(low: int, high: int | None = None) -> Callable[[Any], int]:
    """Return a check for a whole number from a bound on, up to another if there is one."""

    def check(value: Any) -> int:
        bounds = f"a whole number from {low}" + ("" if high is None else f" to {high}")
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(bounds)
        given = int(value)
        if given < low or (high is not None and given > high):
            raise ValueError(bounds)
        return given

    return check


def choice(*options: str) -> Callable[[Any], str]:
    """Return a check for one of some words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in options:
            raise ValueError(f"one of {examples(options, len(options))}")
        return value

    return check


def boolean(value: Any) -> bool:
    """Check for True or False."""
    if not isinstance(value, bool) and not (hasattr(value, "dtype") and value.dtype == bool):
        raise TypeError("True or False")
    return bool(value)


def gain(value: Any) -> Any:
    """Check for the name of a gain function, or a mapping grade → gain."""
    wanted = "'exp', 'linear' or a mapping from grade to gain such as {1: 1, 2: 3}"
    if isinstance(value, str) and value in ("exp", "linear"):
        return value
    if not isinstance(value, Mapping) or not value:
        raise TypeError(wanted)
    try:
        out = {whole(-(10**6), 10**6)(grade): number(0, 1e100)(g) for grade, g in value.items()}
    except (TypeError, ValueError):
        raise ValueError(f"{wanted}, with gains from 0 to 1e100") from None
    if any(g != 0 for grade, g in out.items() if grade <= 0):
        raise ValueError(f"{wanted}: grades of 0 and below are not relevant and have gain 0")
    return _Gains(sorted(out.items()))


class _Gains(dict[int, float]):
    """Gains by grade that can be part of a key and print as they are parsed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return "{" + ",".join(f"{grade}:{g!r}" for grade, g in self.items()) + "}"


def weights(value: Any) -> tuple[float, ...]:
    """Check for a sequence of weights, of which one is above 0."""
    wanted = "a sequence of numbers from 0, such as (0.3, 0.7), with one above 0"
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise TypeError(wanted)
    try:
        given = tuple(number(0, 1e100)(weight) for weight in value)
    except (TypeError, ValueError):
        raise ValueError(wanted) from None
    if not any(given):
        raise ValueError(wanted)
    return _Weights(given)


class _Weights(tuple[float, ...]):
    """Weights that print as specs have them, without spaces."""

    def __repr__(self) -> str:
        return "(" + ",".join(map(repr, self)) + ("," if len(self) == 1 else "") + ")"


def optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a check that also takes None."""
    return lambda value: None if value is None else check(value)
