"""The catalogue: every measure by name. Some are declared; the others are base measures under operators.

An operator is applied when a name is looked up, so that a base measure that is declared exists under all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import ir_measures

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
from irdiv.measures.base import BaseMeasure
from irdiv.measures.bases import BASES
from irdiv.measures.declaration import Declaration
from irdiv.measures.hierarchical import layer_aware, why_not_on_layers

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "irdiv.measures"
"""The group of entry points by which a package contributes measures: functions that return base measures and others."""
OPERATORS = (*operators.OPERATORS, *navigational.OPERATORS, *hierarchical.OPERATORS, operators.ALONE)
OTHER_NAMES = {"R": "Recall", "Success": "Hit"}
"""Base measures that ir_measures calls otherwise."""
_LA = "-LA"
_FAMILIES = (navigational, novelty, nuggets, subtopics, utility, ndeval, traditional, hierarchical)


class Registry(Mapping[str, Declaration]):
    """Declarations by name.

    Those of installed packages are loaded when the registry is listed, or when a name is looked up that irdiv itself
    does not declare.
    """

    def __init__(self, bases: Iterable[BaseMeasure], declared: Iterable[Declaration]) -> None:
        self.bases = {base.name: base for base in bases}
        self.declared = {declaration.name: declaration for declaration in declared}
        """The measures that are not a base measure under an operator."""
        self._found: dict[str, Declaration | None] = {}
        self._has_contributions = False

    def __getitem__(self, name: str) -> Declaration:
        found = self.find(name)
        if found is None or found.owner == "ir_measures":
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        self._load_contributions()
        under_operators = [
            self.find(operator.pattern.format(base.name))
            for base in self.bases.values()
            for operator in OPERATORS
            if operator.why_not(base) is None
        ]
        own = [declaration for declaration in under_operators if declaration and declaration.owner == "irdiv"]
        flat = [d for d in own if "hierarchy" not in d.by_name] + list(self.declared.values())
        trees = [d for d in own if "hierarchy" in d.by_name]
        layers = [f"{d.stem}{_LA}{d.fixed_cutoff}" for d in flat if why_not_on_layers(d) is None]
        return iter([*(d.name for d in (*flat, *trees)), *layers])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, *names: str, load: bool = True) -> Declaration | None:
        """Return what the first of some names means that is known, None if none is; a base measure has its own name.

        Other packages are loaded only if irdiv itself knows none of the names, and not without ``load``.
        """
        for name in names:
            if name not in self._found:
                self._found[name] = self._find(name)
            if self._found[name] is not None:
                return self._found[name]
        if not load or self._has_contributions:
            return None
        self._load_contributions()
        return self.find(*names)

    def _find(self, name: str) -> Declaration | None:
        if name in self.declared:
            return self.declared[name]
        for operator in OPERATORS:
            base = self.bases.get(operator.operand(name) or "")
            if base is not None and operator.why_not(base) is None:
                return operator.declare(base)
        stem, at, fixed = name.partition("@")
        flat = self.find(stem.removesuffix(_LA) + at + fixed, load=False) if stem.endswith(_LA) else None
        return layer_aware(flat) if flat is not None and why_not_on_layers(flat) is None else None

    def why_undefined(self, name: str) -> str | None:
        """Return why no measure has a name that puts a known measure under an operator; None for any other name.

        >>> registry.why_undefined("P+Q-LA")
        'P+Q needs the types of intents, which the nodes of a layer do not have.'
        """
        if name.endswith(_LA):
            flat = name.removesuffix(_LA)
            declaration = self.find(flat)
            return self.why_undefined(flat) if declaration is None else why_not_on_layers(declaration)
        # IA is last, as LD#-ERR-IA puts ERR-IA under LD#.
        for operator in (*OPERATORS[1:-1], OPERATORS[0]):
            operand = operator.operand(name)
            if operand is not None:
                base = self.bases.get(operand)
                return self._why_no_base(operand, operator) if base is None else operator.why_not(base)
        return None

    def _why_no_base(self, name: str, operator: operators.OperatorDeclaration) -> str | None:
        if name in OTHER_NAMES:
            return f"the base measure is called {OTHER_NAMES[name]}."
        declaration = self.find(name)
        if declaration is None and name not in ir_measures.measures.registry:
            return self.why_undefined(name)
        bases = [base.name for base in self.bases.values() if operator.why_not(base) is None]
        is_of_all_intents = declaration is not None and declaration.needs_intents
        kind = "is a measure of all intents already" if is_of_all_intents else "is not one"
        return f"{operator.name} needs one of the base measures {', '.join(bases)}, and {name} {kind}."

    def _load_contributions(self) -> None:
        if self._has_contributions:
            return
        self._has_contributions = True
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=ENTRY_POINTS):
            for item in _load(entry_point):
                if self._find(item.name) is not None:
                    what = f"the entry point {entry_point.name!r} declares {item.name!r}"
                    warn(f"{what}, which exists already; it is ignored.")
                elif isinstance(item, BaseMeasure):
                    self.bases[item.name] = item
                else:
                    self.declared[item.name] = item
        self._found = {name: found for name, found in self._found.items() if found is not None}


def _load(entry_point: EntryPoint) -> list[BaseMeasure | Declaration]:
    """Return what a package declares; one that cannot be loaded is left out with a warning."""
    try:
        return list(entry_point.load()())
    except Exception as error:  # whatever another package raises must not take irdiv's own measures away
        warn(f"the measures of the entry point {entry_point.name!r} ({entry_point.value}) cannot be loaded: {error}")
        return []


registry = Registry(BASES, (declaration for family in _FAMILIES for declaration in family.declarations()))
