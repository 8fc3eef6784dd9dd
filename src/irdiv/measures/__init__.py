"""The catalogue: every measure, declared once."""

from __future__ import annotations

from irdiv.measures import hierarchical, navigational, ndeval, novelty, operators, subtopics, traditional, utility
from irdiv.measures.declaration import Declaration

_FLAT = [
    declaration
    for family in (operators, navigational, novelty, subtopics, utility, ndeval, traditional)
    for declaration in family.declarations()
]

registry: dict[str, Declaration] = {
    declaration.name: declaration for declaration in [*_FLAT, *hierarchical.declarations(_FLAT)]
}
