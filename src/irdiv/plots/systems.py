"""Plots with a row for each run: rankings with intervals, boxes, and heat maps of runs and topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irdiv.checks import choice, require
from irdiv.io.ids import natural_argsort
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import COLOR_BAR, Canvas, run_id, text_width
from irdiv.plots.rows import LONGEST_NAME, RankedMean, draw_ranking, height_of_rows, label_runs, marker_size
from irdiv.plots.styles import (
    LINE_WIDTH,
    SMALL_TEXT_SIZE,
    THIN_LINE_WIDTH,
    current_theme,
    figure_width,
    styled,
)
from irdiv.plots.topics import TopicOrder, are_wide, label_topics
from irdiv.stats.leaderboards import best_first, leaderboard
from irdiv.stats.options import CONFIDENCE_LEVEL, IntervalName, Rng
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    return draw_ranking(ranked_means(table, frame), table.measures[0], len(table.topics), confidence_level, ax=ax)


def ranked_means(table: Table, frame: pd.DataFrame) -> list[RankedMean]:
    """Return the runs of a table in the order and with the intervals of its leaderboard by one measure."""
    row_index = {name: index for index, name in enumerate(table.runs)}
    columns = (frame[name].tolist() for name in ("run", "mean", "low", "high"))
    return [RankedMean(run, row_index[run], *values) for run, *values in zip(*columns, strict=True)]


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
    table, theme = _of_one_measure(evaluation, measure), current_theme()
    values = table.values[:, 0]
    order = best_first(table)
    canvas = Canvas(ax, height_of_rows(len(order)))
    ax = canvas.ax
    size = marker_size(canvas, len(order))
    thin = {"color": theme.colors[0], "linewidth": THIN_LINE_WIDTH}
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
            "markersize": marker_size(canvas, len(order)),
            "markerfacecolor": theme.colors[1],
            "markeredgewidth": 0,
        },
        flierprops={"marker": "o", "markersize": 0.6 * size, "markeredgecolor": theme.guide, "markeredgewidth": 0.4},
        orientation="horizontal",
    )
    for run, box in zip(order, drawn["boxes"], strict=True):
        box.set_gid(run_id(run))
    label_runs(canvas, [table.runs[run] for run in order])
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
    runs = best_first(table)
    beside = min(text_width(table.runs, SMALL_TEXT_SIZE), LONGEST_NAME * figure_width(False))
    canvas = Canvas(ax, 0.5 + height_of_rows(len(runs)), is_wide=are_wide(len(topics), beside + COLOR_BAR + 0.2))
    ax = canvas.ax
    low, high = _range(values)
    image = ax.imshow(values[runs][:, topics], "cividis", aspect="auto", interpolation="nearest", vmin=low, vmax=high)
    label_runs(canvas, [table.runs[run] for run in runs])
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
