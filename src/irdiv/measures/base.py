"""What a base measure is: one list, one need. Operators make diversity measures of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from irdiv.errors import IrdivError, examples
from irdiv.kernels.lists import HitLists as HitLists
from irdiv.kernels.lists import count_relevant
from irdiv.kernels.lists import safe_divide as safe_divide
from irdiv.kernels.lists import value_at_cutoff as value_at_cutoff
from irdiv.measures.parameters import Parameter, ParameterValues
from irdiv.types import Floats, Ints

GainLike: TypeAlias = str | Mapping[int, float]
"""The name of a gain function, or a mapping grade → gain."""
Curve: TypeAlias = Callable[[HitLists, HitLists, ParameterValues], Floats]
"""From lists, their ideal lists and the values of parameters to the value of each prefix that ends at a hit."""
Norm: TypeAlias = Callable[[HitLists, ParameterValues, int | None], Floats | Ints | int]
"""From ideal lists, the values of parameters and a cutoff to what divides the curve."""


@dataclass(frozen=True, eq=False)
class BaseMeasure:
    """A base measure: a cumulative curve over the hits of a list, divided by a norm."""

    name: str
    summary: str
    formula: str
    references: tuple[str, ...]
    curve: Curve = field(repr=False)
    norm: Norm = field(repr=False)
    parameters: tuple[Parameter, ...] = ()
    parameters_on_gains: tuple[Parameter, ...] | None = ()
    """Parameters that remain where only global gains exist; None where the measure needs grades."""
    takes_cutoff: bool = True
    bounded: bool = True
    """Whether values lie between 0 and 1; only such a measure can be sharpened by intent recall."""
    reaches_one: bool = True
    """Whether the ideal list of a single intent scores 1."""
    standalone: bool = False
    """Whether the name, on its own, is irdiv's; else it is ir_measures', unless a parameter is given that only irdiv
    has."""
    adhoc_defaults: Mapping[str, object] = field(default_factory=dict)
    """Defaults on its own that are others than under operators: those of ir_measures' measure of this name."""
    other_programs: str = ""
    """How other programs differ."""
    formula_on_gains: str = ""
    """The formula where only global gains exist, if it is another."""
    list_norm: Callable[[HitLists, int | None], Ints | int] | None = field(default=None, repr=False)
    """What divides the curve instead of ``norm`` where that depends on the list itself."""

    @property
    def needs_grades(self) -> bool:
        """Whether the measure is not defined on global gains, and so has no D, D#, DIN or HD form."""
        return self.parameters_on_gains is None


def gain_table(gain: GainLike, levels: Ints) -> Floats:
    """Return the gain of each grade from 0 to the highest of the levels that occur."""
    max_grade = int(levels.max(initial=0))
    grades = np.arange(max_grade + 1)
    if gain == "linear":
        return grades.astype(np.float64)
    if gain == "exp":
        if max_grade > 1000:
            raise IrdivError(f"gain='exp' is 2^x − 1, which grades up to {max_grade} overflow; use gain='linear'.")
        return np.ldexp(1.0, grades) - 1.0
    assert not isinstance(gain, str)
    missing = [level for level in levels.tolist() if level not in gain]
    if missing:
        raise IrdivError(f"gain={gain!r} has no gain for the grades {examples(missing)} of the qrels.")
    return np.array([gain.get(grade, 0.0) for grade in grades.tolist()])


def one(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> int:
    """Return 1, for measures that are not normalized."""
    return 1


def relevant_count(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    """Return the count of relevant documents, R."""
    return count_relevant(ideal.relevant)


def cutoff_or_relevant(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Ints:
    """Return min(l, R) for the cutoff l, or R without one."""
    R = count_relevant(ideal.relevant)
    return R if cutoff is None else np.minimum(cutoff, R)


def value_of_ideal(curve: Curve) -> Norm:
    """Return the norm that is the value of the ideal list itself."""

    def norm(ideal: HitLists, params: ParameterValues, cutoff: int | None) -> Floats:
        return value_at_cutoff(curve(ideal, ideal, params), ideal.rank, cutoff)

    return norm
