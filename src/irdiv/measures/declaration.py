"""What a measure declares of itself: all there is to know to parse, compute, list and explain it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import ir_measures

from irdiv.measures.parameters import Parameter, ParameterValues

if TYPE_CHECKING:
    from irdiv.core.block import Block
    from irdiv.types import Floats


Score: TypeAlias = "Callable[[Block, ParameterValues, int | None], Floats]"
"""From a ranked block, the values of all parameters and a cutoff (None for the whole list) to values ``[topic]``."""


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
    """Whose name this is: "irdiv"; "ndeval" for its nine measures, which ir_measures has too; or "ir_measures", whose
    measure it is unless a parameter is given that only irdiv has."""
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

    @property
    def ir_measures_parameters(self) -> Collection[str] | None:
        """The parameters that ir_measures' measure of this name has; None if it has no such measure."""
        theirs = ir_measures.measures.registry.get(self.name)
        return None if theirs is None else theirs.SUPPORTED_PARAMS

    def has_beyond_ir_measures(self, given: Iterable[str]) -> bool:
        """Return whether one of the parameters given is one that only irdiv has."""
        theirs = self.ir_measures_parameters or ()
        return any(name in self.by_name and name not in theirs for name in given)
