"""Plots with a row for each run: rankings with intervals, boxes, and heat maps of runs and topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irdiv.checks import choice, require
from irdiv.frames.ids import natural_argsort
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import COLOR_BAR, Canvas, run_id, shortened, text_width, tick_step
from irdiv.plots.style import (
    LINE_WIDTH,
    SMALL_TEXT_SIZE,
    THIN_LINE_WIDTH,
    current_theme,
    figure_width,
    styled,
)
from irdiv.plots.topics import TopicOrder, are_wide, label_topics
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.options import CONFIDENCE_LEVEL, IntervalName, Rng
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_HEIGHT = 0.14
_LEAST_ROWS = 4
_LONGEST_NAME = 0.5
"""Longer names, as a share of the width of the figure, are shortened."""
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


@styled
def ranking(
    evaluation: EvaluationLike,
    measure: MeasureLike | None = None,
    *,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot runs in the order of their means, best first, with the confidence intervals of the means.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    measure
        The measure; by default the first of the evaluation.
    interval, confidence_level, rng, n_resamples
        As in `irdiv.stats.leaderboard`, which computes the intervals.
    ax
        Axes to draw on; those of a new figure by default.
    """
    table = _of_one_measure(evaluation, measure)
    frame = leaderboard(table, interval=interval, confidence_level=confidence_level, rng=rng, n_resamples=n_resamples)
    return draw_ranking(table, frame, confidence_level, ax=ax)


def draw_ranking(table: Table, frame: pd.DataFrame, confidence_level: float, *, ax: Axes | None) -> Axes:
    """Draw the runs of a table in the order and with the intervals of its leaderboard by one measure."""
    canvas, theme = Canvas(ax, _height(len(frame))), current_theme()
    ax, color = canvas.ax, theme.colors[0]
    row_index = {name: index for index, name in enumerate(table.runs)}
    for row, (run, mean, low, high) in enumerate(frame[["run", "mean", "low", "high"]].itertuples(index=False)):
        # One artist for each run, whose id is that of an element in SVG files.
        ax.plot(
            [low, mean, high],
            [row, row, row],
            color=(color, 0.6),
            linewidth=LINE_WIDTH,
            marker="o",
            markevery=[1],
            markersize=_marker_size(canvas, len(frame)),
            markerfacecolor=color,
            markeredgewidth=0,
            gid=run_id(row_index[run]),
        )
    _label_runs(canvas, frame["run"].tolist())
    canvas.set_labels(table.measures[0])
    topics = f"{len(table.topics)} topic{'s' if len(table.topics) > 1 else ''}"
    canvas.set_title(f"means with {100 * confidence_level:g}% intervals, {topics}")
    return ax


@styled
def box_plots(evaluation: EvaluationLike, measure: MeasureLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot the values of topics as a box for each run, in the order of their means.

    A box spans the quartiles, with a line at the median and a dot at the mean. Whiskers end at the farthest topics
    within 1.5 times its length; other topics are small circles.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    measure
        The measure; by default the first of the evaluation.
    ax
        Axes to draw on; those of a new figure by default.
    """
    import matplotlib as mpl

    table, theme = _of_one_measure(evaluation, measure), current_theme()
    values = table.values[:, 0]
    order = _best_first(table)
    canvas = Canvas(ax, _height(len(order)))
    ax = canvas.ax
    size = _marker_size(canvas, len(order))
    thin = {"color": theme.colors[0], "linewidth": THIN_LINE_WIDTH}
    # matplotlib 3.10 renamed the option.
    horizontal = {"orientation": "horizontal"} if mpl.__version_info__ >= (3, 10) else {"vert": False}
    drawn = ax.boxplot(
        list(values[order]),
        positions=range(len(order)),
        widths=0.6,
        showmeans=True,
        manage_ticks=False,
        boxprops=thin,
        whiskerprops=thin,
        capprops=thin,
        medianprops={"color": theme.text, "linewidth": LINE_WIDTH},
        meanprops={
            "marker": "o",
            "markersize": _marker_size(canvas, len(order)),
            "markerfacecolor": theme.colors[1],
            "markeredgewidth": 0,
        },
        flierprops={"marker": "o", "markersize": 0.6 * size, "markeredgecolor": theme.guide, "markeredgewidth": 0.4},
        **horizontal,
    )
    for run, box in zip(order, drawn["boxes"], strict=True):
        box.set_gid(run_id(run))
    _label_runs(canvas, [table.runs[run] for run in order])
    canvas.set_labels(table.measures[0])
    canvas.set_title(f"{len(table.topics)} topic{'s' if len(table.topics) > 1 else ''}; dots are means")
    return ax


@styled
def topic_heat_map(
    evaluation: EvaluationLike,
    measure: MeasureLike | None = None,
    *,
    sort: TopicOrder = "size",
    ax: Axes | None = None,
) -> Axes:
    """Plot the values of a measure as a heat map, with a row for each run, best first, and a column for each topic.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    measure
        The measure; by default the first of the evaluation.
    sort
        Topics in the order of their means over runs, ``"size"``, largest first, or of their ids, ``"topic"``.
    ax
        Axes to draw on; those of a new figure by default.
    """
    require(choice("size", "topic"), sort=sort)
    table = _of_one_measure(evaluation, measure)
    values = table.values[:, 0]
    by_topic = natural_argsort(table.topics)
    topics = by_topic if sort == "topic" else by_topic[np.argsort(-values.mean(axis=0)[by_topic], kind="stable")]
    runs = _best_first(table)
    beside = min(text_width(table.runs, SMALL_TEXT_SIZE), _LONGEST_NAME * figure_width(False))
    canvas = Canvas(ax, 0.5 + _height(len(runs)), is_wide=are_wide(len(topics), beside + COLOR_BAR + 0.2))
    ax = canvas.ax
    low, high = _range(values)
    image = ax.imshow(values[runs][:, topics], "cividis", aspect="auto", interpolation="nearest", vmin=low, vmax=high)
    _label_runs(canvas, [table.runs[run] for run in runs])
    canvas.color_bar = COLOR_BAR if canvas.is_new else 0.0
    order = "largest mean first" if sort == "size" else None
    label_topics(canvas, [table.topics[topic] for topic in topics], order)
    for spine in ax.spines.values():
        spine.set_visible(False)
    canvas.set_title(table.measures[0])
    canvas.add_color_bar(image)
    return ax


def _range(values: Floats) -> tuple[float, float]:
    """Return the limits of colors: 0 and 1 where all values are between them, so that plots can be compared."""
    low, high = float(values.min()), float(values.max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def _of_one_measure(evaluation: EvaluationLike, measure: MeasureLike | None) -> Table:
    table = as_table(evaluation)
    return table.only(measure)


def _best_first(table: Table) -> Ints:
    """Return the indices of runs by the mean of the first measure, best first."""
    return np.argsort(-table.direction[0] * table.values[:, 0].mean(axis=1), kind="stable")


def _height(run_count: int) -> float:
    """Return the height of a figure with a row for each run, in inches; `Canvas` limits it to that of a page."""
    return 0.6 + _ROW_HEIGHT * max(run_count, _LEAST_ROWS)


def _marker_size(canvas: Canvas, run_count: int) -> float:
    """Return the size of dots in points, which is no more than half of a row."""
    return min(3.0, 0.5 * 72 * canvas.height / run_count)


def _label_runs(canvas: Canvas, names: Sequence[str]) -> None:
    """Write the names of runs beside their rows, the first at the top; not all of them where rows are narrow."""
    ax = canvas.ax
    short = shortened(names, _LONGEST_NAME * canvas.width)
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
