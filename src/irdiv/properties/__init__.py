"""Case analysis of desirable properties: which measures have them on all short rankings.

>>> from irdiv import properties
>>> properties.check(["ACT", "AP_IA"], length=5)[["measure", "property", "cases", "violations"]]
  measure     property  cases  violations
0     ACT    relevance    240           0
1     ACT  irrelevance    120         108
2     ACT   redundancy     52           0
3   AP_IA    relevance    240           0
4   AP_IA  irrelevance    120           0
5   AP_IA   redundancy     52          52
"""

from __future__ import annotations

from irdiv.properties.checking import check, relations
from irdiv.properties.definitions import (
    INDUCTION,
    IRRELEVANCE,
    REDUNDANCY,
    RELEVANCE,
    REPLACEMENT,
    SWAP,
    Property,
    induce,
)
from irdiv.properties.drawing import relations_svg
from irdiv.properties.rankings import Rankings

__all__ = [
    "INDUCTION",
    "IRRELEVANCE",
    "REDUNDANCY",
    "RELEVANCE",
    "REPLACEMENT",
    "SWAP",
    "Property",
    "Rankings",
    "check",
    "induce",
    "relations",
    "relations_svg",
]
