"""The colors of all pictures."""

from __future__ import annotations

from typing import NamedTuple

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#a0522d")
"""Colors of lines and bars: those of Okabe and Ito, which color-blind readers can distinguish, a gray and a brown."""
HIGHLIGHT = "#d9e8f3"
"""The fill of a highlighted box, a tint of the first color."""

TEXT = "#1a1a1a"
MUTED_TEXT = "#555555"
OUTLINE = "#444444"
GUIDE = "#888888"
"""Reference lines."""
CONTOUR = "#b0b0b0"
"""Contour lines, and lines between the nodes of a tree."""
MISSING = "#d9d9d9"
"""Cells without a value."""
BACKGROUND = "#ffffff"


class Theme(NamedTuple):
    """The colors of plots on one background."""

    colors: tuple[str, ...]
    """Those of lines and bars."""
    background: str
    text: str
    muted_text: str
    guide: str
    contour: str
    missing: str


LIGHT = Theme(COLORS, BACKGROUND, "#000000", MUTED_TEXT, GUIDE, CONTOUR, MISSING)
"""For paper; text is black, which reports replace by the color of the page."""
DARK = Theme(
    ("#56a8e0", "#f0844c", "#2fc09a", "#e29ac3", "#9ad4f5", "#f0bf4c", "#b4b4b4", "#cf9068"),
    "#15181c",
    "#e6e6e6",
    "#b0b0b0",
    "#8c8c8c",
    "#5c6066",
    "#3a3f45",
)
"""The same hues, lighter, in the same order."""
