"""The colors of all pictures."""

from __future__ import annotations

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
