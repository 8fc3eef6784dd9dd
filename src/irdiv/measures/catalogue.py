"""The catalogue: every measure by name, irdiv's own and those of installed packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from irdiv.errors import warn
from irdiv.measures import (
    hierarchical,
    navigational,
    ndeval,
    novelty,
    nuggets,
    operators,
    subtopics,
    traditional,
    utility,
)
from irdiv.measures.declaration import Declaration

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "irdiv.measures"
"""The group of entry points by which a package contributes measures: functions that return declarations."""

_FLAT = (operators, navigational, novelty, nuggets, subtopics, utility, ndeval, traditional)


def declarations() -> list[Declaration]:
    """Return the measures of irdiv itself, those of one family after the other."""
    flat = [declaration for family in _FLAT for declaration in family.declarations()]
    return [*flat, *hierarchical.declarations(flat)]


class Registry(Mapping[str, Declaration]):
    """Declarations by name.

    Those of installed packages are loaded when the registry is listed, or when a name is looked up that irdiv itself
    does not declare.
    """

    def __init__(self, own: Iterable[Declaration], extensions: Iterable[Declaration] = ()) -> None:
        self.own = {declaration.name: declaration for declaration in own}
        """The measures of irdiv itself."""
        self.extensions = {declaration.name: declaration for declaration in extensions}
        """Measures that have the name of one of ir_measures, and are irdiv's only with parameters that it lacks."""
        self._contributed: dict[str, Declaration] | None = None

    def __getitem__(self, name: str) -> Declaration:
        return self.own[name] if name in self.own else self._contributions()[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self._contributions()

    def __len__(self) -> int:
        return len(self.own) + len(self._contributions())

    def _contributions(self) -> dict[str, Declaration]:
        if self._contributed is None:
            from importlib.metadata import entry_points

            self._contributed = {}
            for entry_point in entry_points(group=ENTRY_POINTS):
                for declaration in _load(entry_point):
                    self._add(declaration, entry_point)
        return self._contributed

    def _add(self, declaration: Declaration, entry_point: EntryPoint) -> None:
        assert self._contributed is not None
        if declaration.name in self.own or declaration.name in self._contributed:
            name = declaration.name
            warn(f"the entry point {entry_point.name!r} declares {name!r}, which exists already; it is ignored.")
            return
        self._contributed[declaration.name] = declaration


def _load(entry_point: EntryPoint) -> list[Declaration]:
    """Return the declarations of a package; one that cannot be loaded is left out with a warning."""
    try:
        return list(entry_point.load()())
    except Exception as error:  # whatever another package raises must not take irdiv's own measures away
        warn(f"the measures of the entry point {entry_point.name!r} ({entry_point.value}) cannot be loaded: {error}")
        return []


registry = Registry(declarations(), operators.adhoc_extensions())
