"""The values of a measure's parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class ParameterValues(Mapping[str, Any]):
    """A hashable mapping from parameter name to value.

    What a function computes is kept under the values that it was given, so a function is given those it needs and no
    others: ``params.only("rel", "alpha")``.
    """

    __slots__ = ("_by_name", "_hash")

    def __init__(self, by_name: Mapping[str, object]) -> None:
        self._by_name = dict(by_name)
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._by_name.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Return whether all values are equal and of the same types, as 1 and True may give different results."""
        if not isinstance(other, ParameterValues) or self._by_name != other._by_name:
            return False
        types = list(map(type, self._by_name.values()))
        return types == [type(other._by_name[name]) for name in self._by_name]

    def __repr__(self) -> str:
        return f"ParameterValues({self._by_name})"

    def only(self, *names: str) -> ParameterValues:
        """Return the values of some parameters."""
        return ParameterValues({name: self._by_name[name] for name in names})

    def replace(self, **changed: object) -> ParameterValues:
        """Return the same with some values changed or added."""
        return ParameterValues({**self._by_name, **changed})
