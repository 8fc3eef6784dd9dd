"""The ir_measures measure that is made of a declaration."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import ir_measures

from irdiv.checks import Integer
from irdiv.errors import IrdivError, short
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.parameters import ParameterValues


class Measure(ir_measures.Measure):
    """A measure of irdiv, which is an ordinary `ir_measures.Measure`.

    It prints as its own spec and takes parameters by call and a cutoff by ``@``.

    >>> import irdiv
    >>> measure = irdiv.parse("D♯-nDCG")
    >>> measure(gamma=0.3) @ 10
    D#-nDCG(gamma=0.3)@10
    """

    def __init__(self, declaration: Declaration, **params: object) -> None:
        self.declaration = declaration
        self.__name__ = declaration.name
        self.__doc__ = f"{declaration.summary}\n\n{declaration.formula}"
        self.SUPPORTED_PARAMS = declaration.param_infos
        super().__init__(**_checked(declaration, params))  # type: ignore[no-untyped-call]
        # ir_measures' providers compute what has a name they know: theirs, but neither irdiv's measure of the same name
        # nor one with parameters that they do not know.
        self.NAME = self.__name__
        changed = [p.name for p in declaration.parameters if self.params.get(p.name, p.default) != p.default]
        has_namesake = declaration.ir_measures_parameters is not None
        if has_namesake and (declaration.owner == "irdiv" or declaration.has_beyond_ir_measures(changed)):
            self.NAME = f"irdiv:{declaration.name}"

    def __call__(self, **params: object) -> Measure:
        """Return this measure with other values of parameters."""
        return type(self)(self.declaration, **{**self.params, **params})

    def __eq__(self, other: object) -> bool:
        # ERR@5 of irdiv and ERR@5 of ir_measures are two keys of a dict.
        is_same_name = (other.NAME if isinstance(other, Measure) else self.__name__) == self.NAME
        return isinstance(other, ir_measures.Measure) and repr(self) == repr(other) and is_same_name

    def __hash__(self) -> int:
        return hash(repr(self)) if self.__name__ == self.NAME else hash((self.NAME, repr(self)))

    def __reduce__(self) -> tuple[object, ...]:
        name = self.declaration.name
        return _restore, (name if registry.find(name) is self.declaration else self.declaration, self.params)

    def __repr__(self) -> str:
        return self._spec(with_defaults=False)

    def full_spec(self) -> str:
        """Return the spec with all parameters that have an effect, also those that have their default.

        >>> import irdiv
        >>> irdiv.parse("I-rec@10").full_spec()
        "I-rec(rel=1,intents='relevant',judged_only=False)@10"
        """
        return self._spec(with_defaults=True)

    def _spec(self, *, with_defaults: bool) -> str:
        params = self.parameter_values()
        shown = {
            p.name: params[p.name]
            for p in self.declaration.parameters
            if (with_defaults or params[p.name] != p.default) and p.has_effect(params)
        }
        cutoff = self.declaration.fixed_cutoff if self.cutoff is None else f"@{self.cutoff}"
        return _print(self.declaration.stem, shown, cutoff)

    @property
    def cutoff(self) -> int | None:
        """The cutoff, or None for the whole list."""
        cutoff: int | None = self.params.get("cutoff")
        return cutoff

    def parameter_values(self) -> ParameterValues:
        """Return every parameter's value, given or by default."""
        return ParameterValues({p.name: self.params.get(p.name, p.default) for p in self.declaration.parameters})

    def has_effect(self, name: str) -> bool:
        """Return whether a parameter changes anything beside the values of the others."""
        parameter = self.declaration.by_name.get(name)
        return parameter is None or parameter.has_effect(self.parameter_values())

    def components(self) -> list[Measure]:
        """Return the measures that this one combines, with its parameters and cutoff."""
        return [
            component(**{k: v for k, v in self.params.items() if k in component.SUPPORTED_PARAMS})
            for component in (Measure(registry[name]) for name in self.declaration.components)
        ]


def _restore(declared: str | Declaration, params: Mapping[str, object]) -> Measure:
    declaration = registry.find(declared) if isinstance(declared, str) else declared
    if declaration is None:
        raise KeyError(declared)
    return Measure(declaration, **params)


def is_of_ir_measures(measure: ir_measures.Measure) -> bool:
    """Return whether a measure is one of ir_measures' own; another package's may have the same name.

    >>> import ir_measures
    >>> is_of_ir_measures(ir_measures.AP), is_of_ir_measures(ir_measures.define(lambda qrels, run: (), name="AP"))
    (True, False)
    """
    return type(measure).__module__.startswith("ir_measures.measures.")


def _checked(declaration: Declaration, params: Mapping[str, object]) -> dict[str, object]:
    """Return valid parameters in normalized form; a cutoff of None is left out."""
    name, by_name = declaration.name, declaration.by_name
    checked = {key: by_name[key].accept(value, name) for key, value in params.items() if key in by_name}
    unknown = next((key for key in params if key not in by_name and key != "cutoff"), None)
    if unknown is not None:
        near = get_close_matches(unknown, by_name)
        hint = f"did you mean {near[0]!r}? It takes" if near else "it takes"
        takes = f"{hint} {', '.join(by_name)}" if by_name else "it takes no parameters"
        raise IrdivError(f"{name} has no parameter {unknown!r}; {takes}.")
    cutoff = params.get("cutoff")
    if cutoff is None:
        return checked
    if not declaration.takes_cutoff:
        raise IrdivError(f"{name} takes no cutoff: it is defined on the whole list.")
    try:
        return {**checked, "cutoff": Integer(1)(cutoff)}
    except (TypeError, ValueError) as error:
        raise IrdivError(f"the cutoff of {name} must be {error}, as in {name}@10; found {short(cutoff)}.") from None


def full_spec(measure: ir_measures.Measure) -> str:
    """Return the spec of a measure, also of ir_measures, with all parameters that have a value.

    >>> import ir_measures
    >>> full_spec(ir_measures.AP @ 10)
    'AP(rel=1,judged_only=False)@10'
    """
    if isinstance(measure, Measure):
        return measure.full_spec()
    defaults = {name: info.default for name, info in measure.SUPPORTED_PARAMS.items()}
    # A parameter without a default has an object of no type of its own there.
    values = {name: value for name, value in (defaults | measure.params).items() if type(value) is not object}
    cutoff = values.pop("cutoff", None)
    return _print(str(measure.NAME), values, "" if cutoff is None else f"@{cutoff}")


def _print(name: str, values: Mapping[str, object], cutoff: str) -> str:
    inside = ",".join(f"{parameter}={value!r}" for parameter, value in values.items())
    return name + (f"({inside})" if inside else "") + cutoff


def less_is_better(measure: ir_measures.Measure) -> bool:
    """Return whether smaller values are better; False for measures of ir_measures, which do not declare it."""
    return isinstance(measure, Measure) and measure.declaration.less_is_better
