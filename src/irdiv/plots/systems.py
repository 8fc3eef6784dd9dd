"""Plots with a row for each run: rankings with intervals, boxes, and heat maps of runs and topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import choice, require
from irdiv.frames.ids import natural_argsort
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import Canvas, text_width
from irdiv.plots.style import COLUMN_WIDTH, SMALL_TEXT_SIZE, current_theme, styled
from irdiv.plots.topics import TopicOrder, label_topics, width_of_topics
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.options import CONFIDENCE_LEVEL, IntervalName, Rng
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY_RUNS = 60
"""With more runs, rows are narrower."""


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
    table, theme = _of_one_measure(evaluation, measure), current_theme()
    frame = leaderboard(table, interval=interval, confidence_level=confidence_level, rng=rng, n_resamples=n_resamples)
    rows = np.arange(len(frame))
    canvas = _canvas_of_runs(ax, table.runs)
    ax = canvas.ax
    ax.hlines(rows, frame["low"], frame["high"], color=theme.colors[0], linewidth=1.0, alpha=0.6)
    ax.plot(frame["mean"], rows, "o", color=theme.colors[0], markersize=3)
    _label_runs(canvas, frame["run"].tolist())
    canvas.set_labels(table.measures[0], "")
    ax.set_title(
        f"means with {100 * confidence_level:g}% intervals, {len(table.topics)} topics", fontsize=SMALL_TEXT_SIZE
    )
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
    canvas = _canvas_of_runs(ax, table.runs)
    ax = canvas.ax
    thin = {"color": theme.colors[0], "linewidth": 0.7}
    # matplotlib 3.10 renamed the option.
    horizontal = {"orientation": "horizontal"} if mpl.__version_info__ >= (3, 10) else {"vert": False}
    ax.boxplot(
        list(values[order]),
        positions=range(len(order)),
        widths=0.6,
        showmeans=True,
        manage_ticks=False,
        boxprops=thin,
        whiskerprops=thin,
        capprops=thin,
        medianprops={"color": theme.text, "linewidth": 0.9},
        meanprops={"marker": "o", "markersize": 2.5, "markerfacecolor": theme.colors[1], "markeredgewidth": 0},
        flierprops={"marker": "o", "markersize": 1.8, "markeredgecolor": theme.guide, "markeredgewidth": 0.4},
        **horizontal,
    )
    _label_runs(canvas, [table.runs[run] for run in order])
    canvas.set_labels(table.measures[0], "")
    canvas.set_title(f"{len(table.topics)} topics; dots are means")
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
    besides = text_width(table.runs, _text_size(len(runs))) + 0.9
    height = 1.0 + _row_height(len(runs)) * len(runs)
    canvas = Canvas(ax, width_of_topics(len(topics), besides), height, beside=besides)
    ax = canvas.ax
    low, high = _range(values)
    image = ax.imshow(values[runs][:, topics], "cividis", aspect="auto", interpolation="nearest", vmin=low, vmax=high)
    _label_runs(canvas, [table.runs[run] for run in runs])
    label_topics(canvas, [table.topics[topic] for topic in topics], "largest mean first" if sort == "size" else None)
    for spine in ax.spines.values():
        spine.set_visible(False)
    canvas.set_title(table.measures[0])
    bar = canvas.figure.colorbar(image, ax=ax, pad=0.01, aspect=30)
    bar.outline.set_visible(False)
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


def _row_height(run_count: int) -> float:
    return 0.14 if run_count <= _MANY_RUNS else 0.105


def _text_size(run_count: int) -> float:
    return SMALL_TEXT_SIZE if run_count <= _MANY_RUNS else 5.5


def _canvas_of_runs(ax: Axes | None, runs: Sequence[str]) -> Canvas:
    """Return axes with a row for each run, and room for the names."""
    names = text_width(runs, _text_size(len(runs)))
    return Canvas(ax, max(COLUMN_WIDTH, names + 2.0), 0.6 + _row_height(len(runs)) * max(len(runs), 4), beside=names)


def _label_runs(canvas: Canvas, names: Sequence[str]) -> None:
    """Write the names of runs beside their rows, the first at the top."""
    ax = canvas.ax
    ax.set_yticks(range(len(names)), names, fontsize=_text_size(len(names)))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    if not ax.images:
        ax.grid(axis="x", color=current_theme().contour, linewidth=0.4, alpha=0.7)
        ax.set_axisbelow(True)
        ax.spines["left"].set_visible(False)
