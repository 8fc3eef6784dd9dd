"""Rows of runs, one below the other, and runs in them by their means: drawn of plain values, without a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from irdiv.plots.axes import Canvas, run_id, shortened, text_width, tick_step
from irdiv.plots.styles import LINE_WIDTH, SMALL_TEXT_SIZE, THIN_LINE_WIDTH, current_theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_NAME = 0.5
"""Longer names, as a share of the width of the figure, are shortened."""
_ROW_HEIGHT = 0.14
_LEAST_ROWS = 4
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


class RankedMean(NamedTuple):
    """The mean of a run, with its confidence interval."""

    run: str
    run_index: int
    """The index of the run in the evaluation."""
    mean: float
    low: float
    high: float


def draw_ranking(
    means: Sequence[RankedMean], measure: str, topic_count: int, confidence_level: float, *, ax: Axes | None
) -> Axes:
    """Draw runs, best first, by their means with confidence intervals."""
    canvas, theme = Canvas(ax, height_of_rows(len(means))), current_theme()
    ax, color = canvas.ax, theme.colors[0]
    for row, (_, run_index, mean, low, high) in enumerate(means):
        # One artist for each run, whose id is that of an element in SVG files.
        ax.plot(
            [low, mean, high],
            [row, row, row],
            color=(color, 0.6),
            linewidth=LINE_WIDTH,
            marker="o",
            markevery=[1],
            markersize=marker_size(canvas, len(means)),
            markerfacecolor=color,
            markeredgewidth=0,
            gid=run_id(run_index),
        )
    label_runs(canvas, [mean.run for mean in means])
    canvas.set_labels(measure)
    topics = f"{topic_count} topic{'s' if topic_count > 1 else ''}"
    canvas.set_title(f"means with {100 * confidence_level:g}% intervals, {topics}")
    return ax


def height_of_rows(run_count: int) -> float:
    """Return the height of a figure with a row for each run, in inches; `Canvas` limits it to that of a page."""
    return 0.6 + _ROW_HEIGHT * max(run_count, _LEAST_ROWS)


def marker_size(canvas: Canvas, run_count: int) -> float:
    """Return the size of dots in points, which is no more than half of a row."""
    return min(3.0, 0.5 * 72 * canvas.height / run_count)


def label_runs(canvas: Canvas, names: Sequence[str]) -> None:
    """Write the names of runs beside their rows, the first at the top; not all of them where rows are narrow."""
    ax = canvas.ax
    short = shortened(names, LONGEST_NAME * canvas.width)
    step = tick_step(len(names), canvas.height - (0.6 if canvas.is_new else 0))
    ax.set_yticks(range(0, len(names), step), short[::step], fontsize=SMALL_TEXT_SIZE)
    for label in ax.get_yticklabels():
        # Axes that were made outside the style read formulas in labels of ticks.
        label.set_parse_math(False)
    if step > 1:
        ax.set_ylabel(f"{len(names)} runs, every {step}{_ORDINALS.get(step, 'th')} named")
    if canvas.is_new:
        canvas.beside = text_width(short[::step], SMALL_TEXT_SIZE) + (0.2 if step > 1 else 0)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    if not ax.images:
        ax.grid(axis="x", color=current_theme().contour, linewidth=THIN_LINE_WIDTH, alpha=0.5)
        ax.set_axisbelow(True)
        ax.spines["left"].set_visible(False)
