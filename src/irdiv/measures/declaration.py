"""What a measure declares of itself: all there is to know to parse, compute, list and explain it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import ir_measures

from irdiv.errors import IrdivError, short
from irdiv.measures.values import ParameterValues

if TYPE_CHECKING:
    from irdiv.arrays.ranking import RankedBlock
    from irdiv.types import Floats


Score: TypeAlias = "Callable[[RankedBlock, ParameterValues, int | None], Floats]"
"""From a ranked block, the values of all parameters and a cutoff (None for the whole list) to values ``[topic]``."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: name, default, description, and a validator that returns the normalized value."""

    name: str
    default: object
    meaning: str
    check: Callable[[object], object] = field(repr=False)
    only_with: tuple[tuple[str, object], ...] = ()
    """Other parameters, and the values they must have for this one to change anything."""

    def accept(self, value: object, measure: str) -> object:
        """Validate a value and return it in normalized form."""
        try:
            return self.check(value)
        except (TypeError, ValueError) as error:
            raise IrdivError(f"{measure}: {self.name}={short(value)} is not {error}.") from None

    @property
    def samples(self) -> tuple[object, ...]:
        """Values that the parameter accepts, for tests to try."""
        return tuple(getattr(self.check, "samples", ())) or (self.default,)

    def has_effect(self, params: Mapping[str, object]) -> bool:
        """Return whether this parameter has an effect, given the values of all parameters."""
        return all(params[name] == value for name, value in self.only_with)

    @property
    def condition(self) -> str:
        """What other parameters must be for this one to change anything, as in ``stop='linear'``; else empty."""
        return " and ".join(f"{name}={value!r}" for name, value in self.only_with)


@dataclass(frozen=True)
class Declaration:
    """The full definition of a measure, used by the parser, the lists of measures, the documentation and the tests."""

    family: str
    """The heading under which lists show it."""
    name: str
    summary: str
    formula: str
    references: tuple[str, ...]
    score: Score = field(repr=False)
    parameters: tuple[Parameter, ...] = ()
    takes_cutoff: bool = True
    needs_intents: bool = True
    needs_importance: bool = False
    """Whether it needs the importance of intents."""
    uses_types: bool = False
    """Whether it depends on which intents are navigational."""
    other_programs: str = ""
    """How other programs differ."""
    namesake: str = ""
    """What it is, and what another measure with nearly the same name is."""
    components: tuple[str, ...] = ()
    """Names of the measures that this one combines, as I-rec and D-nDCG in D#-nDCG."""
    owner: str = "irdiv"
    """The package whose name this is."""
    bounded: bool = True
    """Whether no value exceeds 1, but for lists that beat a greedy ideal."""
    may_be_negative: bool = False
    less_is_better: bool = False
    judged_documents_only: bool = False
    """Whether it is defined on judged documents only, without a parameter for it."""
    separates_unjudged: bool = False
    """Whether it tells unjudged documents from those judged irrelevant."""
    on_layers: bool = True
    """Whether it is defined on the nodes of a layer of an intent hierarchy."""
    score_by_intent: Score | None = field(default=None, repr=False)
    """For an average over intents, what is averaged: as ``score``, but with values ``[topic, intent]``."""
    keywords: tuple[str, ...] = ()
    """Other words by which a search finds it."""

    @property
    def stem(self) -> str:
        """The name without the cutoff that belongs to it, as S-recall of S-recall@min."""
        return self.name.partition("@")[0]

    @property
    def fixed_cutoff(self) -> str:
        """The cutoff that belongs to the name, with its @, as @min of S-recall@min; else empty."""
        return self.name.removeprefix(self.stem)

    @cached_property
    def by_name(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return {parameter.name: parameter for parameter in self.parameters}

    @cached_property
    def param_infos(self) -> dict[str, ir_measures.ParamInfo]:
        """The parameters and the cutoff as ir_measures describes them."""
        infos = {p.name: ir_measures.ParamInfo(default=p.default, desc=p.meaning) for p in self.parameters}
        if self.takes_cutoff:
            infos["cutoff"] = ir_measures.ParamInfo(dtype=int, desc="ranking cutoff threshold")
        return infos
