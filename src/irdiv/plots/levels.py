"""Curves of achieved significance levels (ASL): drawn of plain values, without a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irdiv.plots.axes import Canvas, line_style
from irdiv.plots.styles import THIN_LINE_WIDTH, current_theme
from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_MEASURES = 8
"""Names of more curves need the width of the page."""
_FEW_PAIRS = 12
"""Curves of fewer pairs have markers: a line through one point is invisible."""


class SortedLevels(NamedTuple):
    """The ASL of pairs of runs by a measure."""

    falling: Floats
    """The highest first."""
    power: float
    """The share of pairs that are significantly different."""


def draw_asl_curves(curves: Mapping[str, SortedLevels], level: float, *, ax: Axes | None) -> Axes:
    """Draw a curve for each measure, and a line at the significance level."""
    from matplotlib.ticker import MaxNLocator

    canvas = Canvas(ax, 2.3, is_wide=len(curves) > FEW_MEASURES)
    ax = canvas.ax
    for index, (measure, (falling, power)) in enumerate(curves.items()):
        label = f"{measure} ({100 * power:.1f}%)"
        marker = "o" if len(falling) < _FEW_PAIRS else None
        ax.plot(np.arange(1, len(falling) + 1), falling, label=label, marker=marker, markersize=3, **line_style(index))
    ax.axhline(level, color=current_theme().guide, linewidth=THIN_LINE_WIDTH)
    canvas.set_labels("pairs of runs, sorted by ASL", "achieved significance level")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    canvas.add_legend(f"share with p < {level:g}")
    return ax
