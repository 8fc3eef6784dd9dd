"""Figures, axes, line styles and legends that all plots share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypedDict

from irdiv.errors import IrdivError
from irdiv.show.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")

_LINE_STYLES = ("-", "--", ":", "-.")
_LONG_LEGEND = 16
"""Legends of more entries are set smaller, in two columns."""


class LineStyle(TypedDict):
    """Options of ``Axes.plot`` that tell lines apart."""

    color: str
    linestyle: str
    linewidth: float


def literal_text(plot: Callable[P, Axes]) -> Callable[P, Axes]:
    """Let a plot show a dollar sign in a name as it is, where matplotlib would read a formula."""

    @wraps(plot)
    def literal(*args: P.args, **options: P.kwargs) -> Axes:
        try:
            import matplotlib as mpl
        except ImportError:
            raise IrdivError("plots need matplotlib: pip install 'irdiv[plots]'.") from None
        with mpl.rc_context({"text.parse_math": False}):
            return plot(*args, **options)

    return literal


def axes_or_new(ax: Axes | None, figsize: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure that makes room for labels and legends."""
    if ax is not None:
        return ax
    if "matplotlib.pyplot" in sys.modules:
        # Notebooks display figures of pyplot.
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=figsize, layout="constrained")[1]
    from matplotlib.figure import Figure

    return Figure(figsize=figsize, layout="constrained").subplots()


def line_style(index: int) -> LineStyle:
    """Return the style of a line by its index: all colors solid, then all dashed, and so on."""
    return {
        "color": COLORS[index % len(COLORS)],
        "linestyle": _LINE_STYLES[(index // len(COLORS)) % len(_LINE_STYLES)],
        "linewidth": 1.6,
    }


def legend_beside(ax: Axes, title: str | None = None) -> None:
    """Put the legend to the right of the axes, where it covers no data."""
    is_long = len(ax.get_legend_handles_labels()[0]) > _LONG_LEGEND
    ax.legend(
        title=title,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=7 if is_long else 9,
        title_fontsize=9,
        ncols=2 if is_long else 1,
    )
