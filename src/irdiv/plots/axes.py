"""Figures, axes, labels, line styles and legends that all plots share."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from irdiv.errors import printable
from irdiv.plots.styles import (
    LINE_HEIGHT,
    LINE_WIDTH,
    PAGE_HEIGHT,
    SMALL_TEXT_SIZE,
    TEXT_SIZE,
    current_theme,
    figure_width,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

_LINE_STYLES = ("-", "--", ":", "-.")
MARGIN = 0.12
"""Inches that no text of a figure uses, for the padding of its edges."""
COLOR_BAR = 0.5
"""The width in inches of a color bar and of the space around it."""
_VALUE_LABELS = 0.6
"""The width in inches of an axis of values, with its label."""
_LEGEND_LINE = 0.28
"""Inches of a line in a legend, with the space around it."""
_COLOR_BAR_SHARE = 0.85
"""How high a color bar is, as a share of the axes."""
_SPACING = 1.2
"""The space between columns of a legend, in sizes of text."""


class LineStyle(TypedDict):
    """Options of ``Axes.plot`` that tell lines apart."""

    color: str
    linestyle: str
    linewidth: float


class _Anchor(TypedDict):
    """Options of ``Axes.legend`` that place a legend."""

    loc: Literal["best", "lower center", "lower right"]
    bbox_to_anchor: tuple[float, float] | None


_ABOVE_CENTERED: _Anchor = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
_ABOVE_FLUSH_RIGHT: _Anchor = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
"""A wide legend also covers the width of what is to the left of the axes."""


class Canvas:
    """The axes of a plot: those given, or those of a new figure, whose height grows with what it holds."""

    def __init__(self, ax: Axes | None, height: float, *, is_wide: bool = False) -> None:
        """Make a new figure unless axes are given; a wide one needs the width of the page."""
        self.is_new = ax is None
        self.beside = _VALUE_LABELS if ax is None else 0.0
        """The width in inches of what is to the left of the axes in a new figure."""
        self.color_bar = 0.0
        """The width in inches of a color bar, to the right."""
        self.ax = _new_axes(figure_width(is_wide), min(height, PAGE_HEIGHT)) if ax is None else ax

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

    def set_height(self, height: float) -> None:
        """Make a new figure so high, in inches, but no higher than a page."""
        self.figure.set_size_inches(self.width, min(height, PAGE_HEIGHT))

    @property
    def is_laid_out(self) -> bool:
        """Whether the figure makes room for what is around its axes."""
        return self.figure.get_layout_engine() is not None

    @property
    def axes_width(self) -> float:
        """About the width of the axes, in inches."""
        return self.width - self.beside - self.color_bar - (MARGIN if self.is_new else 0.0)

    def set_labels(self, x: str, y: str | None = None) -> None:
        """Label one or both axes; labels that are longer than these have several lines."""
        label = wrapped(x, self.axes_width)
        self.ax.set_xlabel(label)
        self._grow(label.count("\n") * 1.2 * TEXT_SIZE / 72)
        if y is not None:
            self.ax.set_ylabel(wrapped(y, 0.8 * self.height))

    def set_title(self, text: str) -> None:
        """Write a title, centered if it fits above the axes, else flush right and above what is beside them."""
        fits = text_width([text], SMALL_TEXT_SIZE) <= self.axes_width
        title = wrapped(text, self.axes_width + self.beside, SMALL_TEXT_SIZE)
        self.ax.set_title(title, loc="center" if fits else "right", fontsize=SMALL_TEXT_SIZE)
        self._grow(title.count("\n") * LINE_HEIGHT)

    def add_color_bar(self, colors: ScalarMappable) -> None:
        """Add a color bar to the right of the axes, about a tenth of an inch wide."""
        aspect = max(8.0, _COLOR_BAR_SHARE * self.height / 0.1)
        pad = 0.06 / max(self.axes_width, 0.5)
        bar = self.figure.colorbar(colors, ax=self.ax, shrink=_COLOR_BAR_SHARE, aspect=aspect, pad=pad, fraction=0.1)
        bar.outline.set_visible(False)
        bar.ax.tick_params(pad=2)

    def add_legend(self, title: str | None = None, handles: Sequence[Artist] | None = None) -> None:
        """Put a legend above the axes, where it covers no data, or inside axes that nothing makes room for."""
        entries = self.ax.get_legend_handles_labels()[0] if handles is None else handles
        room = self.width - MARGIN
        labels = [wrapped(str(entry.get_label()), room - 2 * _LEGEND_LINE, SMALL_TEXT_SIZE) for entry in entries]
        columns, width = _columns_and_width(labels, room, _LEGEND_LINE)
        is_narrow = width < self.axes_width
        anchor: _Anchor = {"loc": "best", "bbox_to_anchor": None}
        if self.is_laid_out:
            anchor = _ABOVE_CENTERED if is_narrow else _ABOVE_FLUSH_RIGHT
        legend = self.ax.legend(
            entries, labels, title=title, ncols=columns, handlelength=1.8, columnspacing=_SPACING, **anchor
        )
        self._grow(legend.get_window_extent().height / self.figure.dpi)

    def add_numbered_legend(self, names: Sequence[str]) -> None:
        """List names by number below the axes and their label."""
        room = self.width - MARGIN
        texts = [f"{number}  {name}" for number, name in enumerate(names, 1)]
        labels = shortened(texts, 0.44 * room)
        columns, _ = _columns_and_width(labels, room, 0.0)
        lines = 1 + str(self.ax.get_xlabel()).count("\n")
        legend = self.ax.legend(
            [self.ax.plot([], [], " ")[0] for _ in labels],
            labels,
            ncols=columns,
            handlelength=0,
            handletextpad=0,
            columnspacing=_SPACING,
            # Ticks and labels are between the axes and the legend; the unit is the size of text.
            borderaxespad=(0.3 + 1.2 * TEXT_SIZE / 72 * lines) * 72 / SMALL_TEXT_SIZE,
            loc="upper right",
            bbox_to_anchor=(1.0, 0.0),
        )
        self._grow(legend.get_window_extent().height / self.figure.dpi)

    def _grow(self, height: float) -> None:
        """Make a new figure higher, in inches."""
        if self.is_new:
            self.figure.set_size_inches(self.width, self.height + height)


def _columns_and_width(labels: Sequence[str], room: float, line: float) -> tuple[int, float]:
    """Return how many columns of a legend fit into a width, with a line before each label, and how wide they are."""
    em = SMALL_TEXT_SIZE / 72
    # Text of pixels is somewhat wider than that of curves, which is measured.
    text = 1.03 * max(text_width(label.split("\n"), SMALL_TEXT_SIZE) for label in labels)
    entry = line + _SPACING * em + text
    # There is no space after the last column, and a smaller one around the legend.
    columns = min(len(labels), max(1, int((room + 0.4 * _SPACING * em) // entry)))
    return columns, columns * entry


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
    return max((_width_of_line(text, size) for text in set(texts)), default=0.0)


@lru_cache(maxsize=4096)
def _width_of_line(text: str, size: float) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0] / 72


def shortened(texts: Iterable[str], width: float, size: float = SMALL_TEXT_SIZE) -> list[str]:
    """Return texts that are no wider than this, in inches: long ones without their middle, and still distinct."""
    short: dict[str, str] = {}
    used: dict[str, int] = {}
    for text in dict.fromkeys(texts := list(texts)):
        shown = printable(text)
        fits = _without_middle(shown, width, size)
        count = used[fits] = used.get(fits, 0) + 1
        short[text] = fits if count == 1 else f"{_without_middle(shown, width - 0.25, size)} ({count})"
    return [short[text] for text in texts]


def _without_middle(text: str, width: float, size: float) -> str:
    full = text_width([text], size)
    if full <= width:
        return text
    kept = min(len(text) - 2, int(1.05 * len(text) * width / full))
    while kept > 4 and text_width([_ends(text, kept)], size) > width:
        kept -= 1
    return _ends(text, kept)


def _ends(text: str, kept: int) -> str:
    # Ends of names differ more often than starts.
    end = kept // 2
    return f"{text[: kept - end - 1]}…{text[-end:]}"


def tick_step(count: int, room: float) -> int:
    """Return which labels fit into a room in inches, one beside another: all for 1, every second for 2 …."""
    return max(1, math.ceil(count * LINE_HEIGHT / max(room, LINE_HEIGHT)))


def run_id(index: int) -> str:
    """Return the id of what shows a run, by its index in the evaluation: of elements in SVG files."""
    return f"run-{index}"


def wrapped(text: str, width: float, size: float = TEXT_SIZE) -> str:
    """Return a text in lines that are no wider than this, in inches; they end after spaces, commas and hyphens."""
    return "\n".join(_wrapped_line(printable(line), width, size) for line in text.split("\n"))


def _wrapped_line(text: str, width: float, size: float) -> str:
    lines = [""]
    for part in re.split(r"(?<=[\s,_-])", text):
        if text_width([(lines[-1] + part).rstrip()], size) <= width:
            lines[-1] += part
            continue
        if text_width([part.rstrip()], size) <= width:
            lines.append(part)
            continue
        for character in part:
            if lines[-1] and text_width([lines[-1] + character], size) > width:
                lines.append("")
            lines[-1] += character
    return "\n".join(line.rstrip() for line in lines if line)


def line_style(index: int) -> LineStyle:
    """Return the style of a line by its index: all colors solid, then all dashed, and so on."""
    colors = current_theme().colors
    return {
        "color": colors[index % len(colors)],
        "linestyle": _LINE_STYLES[(index // len(colors)) % len(_LINE_STYLES)],
        "linewidth": LINE_WIDTH,
    }
