"""Figures, axes, labels, line styles and legends that all plots share."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict, cast

from irdiv.plots.style import SMALL_TEXT_SIZE, TEXT_SIZE, current_theme

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

_LINE_STYLES = ("-", "--", ":", "-.")
_MOST_LEGEND_ROWS = 4
"""Legends of more rows than this above the axes are beside them."""
_LONGEST_LEGEND_COLUMN = 20


class LineStyle(TypedDict):
    """Options of ``Axes.plot`` that tell lines apart."""

    color: str
    linestyle: str
    linewidth: float


class Canvas:
    """The axes of a plot: those given, or those of a new figure, which grows with what it holds."""

    def __init__(self, ax: Axes | None, width: float, height: float, beside: float = 0.0) -> None:
        """Make a new figure unless axes are given; ``beside`` is the width of what is to the left of the axes."""
        self.is_new = ax is None
        self._beside = beside if ax is None else 0.0
        self.ax = _new_axes(width, height) if ax is None else ax

    @property
    def figure(self) -> Figure:
        """The figure of the axes."""
        return cast("Figure", self.ax.figure)

    @property
    def width(self) -> float:
        """The width of the figure, or of axes that were given, in inches."""
        return float(self.figure.get_figwidth() if self.is_new else self.ax.get_window_extent().width / self.figure.dpi)

    @property
    def height(self) -> float:
        """The height of the figure, or of axes that were given, in inches."""
        return float(
            self.figure.get_figheight() if self.is_new else self.ax.get_window_extent().height / self.figure.dpi
        )

    def set_labels(self, x: str, y: str) -> None:
        """Label the axes; labels that are longer than these have several lines."""
        self.ax.set_xlabel(wrapped(x, 0.85 * (self.width - self._beside)))
        self.ax.set_ylabel(wrapped(y, 0.8 * self.height))

    def set_title(self, text: str) -> None:
        """Write a title in lines no longer than the axes."""
        self.ax.set_title(wrapped(text, 0.85 * (self.width - self._beside)), fontsize=SMALL_TEXT_SIZE)

    def add_legend(
        self, title: str | None = None, handles: Sequence[Artist] | None = None, *, with_lines: bool = True
    ) -> Legend:
        """Put a legend above the axes, or one with many entries beside them, where it covers no data."""
        entries = self.ax.get_legend_handles_labels()[0] if handles is None else handles
        labels = [str(entry.get_label()) for entry in entries]
        columns = max(1, int(0.95 * self.width // (0.4 + text_width(labels, SMALL_TEXT_SIZE))))
        is_above = with_lines and math.ceil(len(labels) / columns) <= _MOST_LEGEND_ROWS
        legend = self.ax.legend(
            handles=entries,
            title=title,
            loc="lower center" if is_above else "center left",
            bbox_to_anchor=(0.5, 1.0) if is_above else (1.0, 0.5),
            ncols=min(columns, len(labels)) if is_above else math.ceil(len(labels) / _LONGEST_LEGEND_COLUMN),
            handlelength=1.8 if with_lines else 0,
            handletextpad=None if with_lines else 0,
            columnspacing=1.2,
        )
        if self.is_new:
            self._make_room(legend, is_above)
        return legend

    def _make_room(self, legend: Legend, is_above: bool) -> None:
        extent = legend.get_window_extent()
        width, height = extent.width / self.figure.dpi, extent.height / self.figure.dpi
        figure_width, figure_height = self.figure.get_size_inches()
        if is_above:
            # It is centered on the axes, which are not centered in the figure.
            wider = 0.0 if width < figure_width else width + 1.0
            self.figure.set_size_inches(max(figure_width, wider), figure_height + height)
        else:
            self.figure.set_size_inches(figure_width + width, max(figure_height, height + 0.2))


def _new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure that makes room for labels and legends."""
    if "matplotlib.pyplot" in sys.modules:
        # Notebooks display figures of pyplot.
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def text_width(texts: Iterable[str], size: float) -> float:
    """Return how wide the longest of some texts is, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    return max((text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts), default=0.0) / 72


def wrapped(text: str, width: float, size: float = TEXT_SIZE) -> str:
    """Return a text in lines that are no wider than this, in inches."""
    full = text_width([text], size)
    if full <= width:
        return text
    return textwrap.fill(text, max(8, int(0.95 * len(text) * width / full)), break_on_hyphens=False)


def line_style(index: int) -> LineStyle:
    """Return the style of a line by its index: all colors solid, then all dashed, and so on."""
    colors = current_theme().colors
    return {
        "color": colors[index % len(colors)],
        "linestyle": _LINE_STYLES[(index // len(colors)) % len(_LINE_STYLES)],
        "linewidth": 1.2,
    }
