"""The catalogue: every measure, declared once."""

from __future__ import annotations

from itertools import chain

from irdiv.measures import ndeval, novelty, operators
from irdiv.measures.declaration import Declaration

registry: dict[str, Declaration] = {
    declaration.name: declaration
    for declaration in chain(operators.declarations(), novelty.declarations(), ndeval.declarations())
}
