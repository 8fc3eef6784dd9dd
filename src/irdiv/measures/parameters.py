"""Parameters of measures: what they accept, their values, and those that several measures share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from irdiv.checks import Boolean, Gain, Integer, Number, Optional, choice
from irdiv.errors import IrdivError, short


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


class ParameterValues(Mapping[str, Any]):
    """A hashable mapping from parameter name to value.

    What a function computes is kept under the values that it was given, so a function is given those it needs and no
    others: ``params.only("rel", "alpha")``. Values are equal if their types are, as 1 and True may give different
    results.
    """

    __slots__ = ("_by_name", "_key")

    def __init__(self, by_name: Mapping[str, object]) -> None:
        self._by_name = dict(by_name)
        self._key = frozenset((name, type(value), value) for name, value in by_name.items())

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParameterValues) and self._key == other._key

    def __repr__(self) -> str:
        return f"ParameterValues({self._by_name})"

    def only(self, *names: str) -> ParameterValues:
        """Return the values of some parameters."""
        return ParameterValues({name: self._by_name[name] for name in names})

    def replace(self, **changed: object) -> ParameterValues:
        """Return the same with some values changed or added."""
        return ParameterValues({**self._by_name, **changed})


REL = Parameter("rel", 1, "the smallest grade that counts as relevant where relevance is binary", Integer(1))
GAIN = Parameter("gain", "exp", "'exp' for 2^x − 1, 'linear' for x, or a mapping grade → gain (x the grade)", Gain())
STOP = Parameter(
    "stop",
    "exp",
    "stopping probability Pr(r): 'exp' for (2^x − 1)/2^H, 'linear' for g/(g* + 1)",
    choice("exp", "linear"),
)
GAIN_OF_STOP = replace(GAIN, only_with=(("stop", "linear"),))
REL_IF_BINARY = replace(REL, only_with=(("graded", False),))
GAIN_IF_GRADED = replace(GAIN, only_with=(("graded", True),))
MAX_GRADE = Parameter(
    "max_grade",
    None,
    "H, the highest grade of the scale; None for the highest of all topics of the qrels (in pt.Experiment, of its "
    "topics, unless the qrels come from irdiv.datasets.to_pyterrier)",
    Optional(Integer(1, 1000)),
    only_with=(("stop", "exp"),),
)
BETA_BLENDED = Parameter("beta", 1.0, "weight of cumulative gain in the blended ratio", Number(0, 1e6))
INTENTS = Parameter(
    "intents",
    "relevant",
    "which intents count: 'relevant' for those with a relevant document, 'all' for every declared one",
    choice("relevant", "all"),
)
RENORMALIZE = Parameter("renormalize", True, "scale the probabilities of the intents that count to sum to 1", Boolean())
JUDGED_ONLY = Parameter("judged_only", False, "leave unjudged documents out of the ranking first", Boolean())
GAMMA = Parameter("gamma", 0.5, "weight of intent recall", Number(0, 1))
ALPHA = Parameter("alpha", 0.5, "redundancy intolerance: how much a repeated intent loses", Number(0, 1))
WEIGHTED = Parameter(
    "weighted",
    False,
    "weigh intent i by N·Pr(i|q) in NG(r), the ideal list's too; equal probabilities change nothing",
    Boolean(),
)
PATIENCE = Parameter("beta", 0.5, "patience: the probability of going on to the next rank", Number(0, 1))
