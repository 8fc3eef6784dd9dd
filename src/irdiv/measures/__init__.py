"""The catalogue: every measure, declared once."""

from __future__ import annotations

from irdiv.measures import hierarchical, ndeval, novelty, operators
from irdiv.measures.declaration import Declaration

_FLAT = [*operators.declarations(), *novelty.declarations(), *ndeval.declarations()]

registry: dict[str, Declaration] = {
    declaration.name: declaration for declaration in [*_FLAT, *hierarchical.declarations(_FLAT)]
}
