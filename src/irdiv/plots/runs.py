"""Plots of runs by two measures, and of two runs by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number, choice, require
from irdiv.errors import IrdivError
from irdiv.frames.ids import natural_argsort
from irdiv.measures.parameters import GAMMA
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import Canvas, text_width
from irdiv.plots.labels import label_points
from irdiv.plots.style import COLUMN_WIDTH, SMALL_TEXT_SIZE, current_theme, styled
from irdiv.plots.topics import TopicOrder, label_topics, width_of_topics
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAMMA = require(Number(0, 1), gamma=GAMMA.default)
_FEW_RUNS = 8
"""So many names fit into a column."""
_MANY_RUNS = 60
"""More points need the width of the page."""
_MOST_LABELED = 16
"""With more runs, or long names, points are numbered, and a legend lists the names."""


@styled
def recall_relevance(
    evaluation: EvaluationLike,
    recall: MeasureLike = "I-rec@10",
    relevance: MeasureLike = "D-nDCG@10",
    *,
    gamma: float = _GAMMA,
    intervals: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Plot runs by intent recall and a D-measure, with contour lines of the D#-measure (Sakai and Song, figure 3).

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    recall, relevance
        The measures of the two axes, which must be in the evaluation.
    gamma
        The weight of intent recall in the D#-measure.
    intervals
        Draw the 95% confidence intervals of both means as thin crosses, those of `irdiv.stats.leaderboard`.
    ax
        Axes to draw on; those of a new figure by default.
    """
    require(Number(0, 1), gamma=gamma)
    table, theme = as_table(evaluation, [recall, relevance]), current_theme()
    width = COLUMN_WIDTH * (1.0 if len(table.runs) <= _FEW_RUNS else 1.4 if len(table.runs) <= _MANY_RUNS else 2.0)
    canvas = Canvas(ax, width, 0.85 * width)
    ax = canvas.ax
    is_labeled = len(table.runs) <= _MOST_LABELED and text_width(table.runs, SMALL_TEXT_SIZE) < 0.45 * canvas.width
    x, y = table.values.mean(axis=2).T
    ends = _interval_ends(table) if intervals else None
    _set_limits(ax, x if ends is None else ends[0], y if ends is None else ends[1])
    if ends is not None:
        for low_high, draw, at in ((ends[0], ax.hlines, y), (ends[1], ax.vlines, x)):
            draw(at, *low_high.T, color=theme.guide, linewidth=0.5, alpha=0.7, zorder=2)
    ax.scatter(x, y, s=14, color=theme.colors[0], zorder=3)
    canvas.set_labels(table.measures[0], table.measures[1])
    title = f"contours: {gamma:g} · {table.measures[0]} + {1 - gamma:g} · {table.measures[1]}"
    canvas.set_title(title)
    if not is_labeled:
        _add_numbered_legend(canvas, table.runs)
    _draw_contours(ax, gamma)
    names = table.runs if is_labeled else [str(number) for number in range(1, len(x) + 1)]
    size = SMALL_TEXT_SIZE if is_labeled else 6.0
    avoid = None if ends is None else _points_of_crosses(x, y, *ends)
    label_points(ax, x, y, names, size=size, line_color=theme.guide, avoid=avoid)
    return ax


def _interval_ends(table: Table) -> tuple[Floats, Floats]:
    """Return low and high ends of the intervals of both means, ``[run, 2]``."""
    ends = []
    for measure in table.measures:
        frame = leaderboard(table, measures=[measure]).set_index("run").loc[table.runs]
        ends.append(frame[["low", "high"]].to_numpy())
    return ends[0], ends[1]


def _points_of_crosses(x: Floats, y: Floats, x_ends: Floats, y_ends: Floats) -> Floats:
    """Return some points of each line of the crosses, ``[point, 2]``."""
    along_x, along_y = (np.linspace(ends[:, 0], ends[:, 1], 15).ravel() for ends in (x_ends, y_ends))
    horizontal = np.column_stack([along_x, np.tile(y, 15)])
    return np.concatenate([horizontal, np.column_stack([np.tile(x, 15), along_y])])


def _set_limits(ax: Axes, x: Floats, y: Floats) -> None:
    for values, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        margin = max(0.12 * np.ptp(values), 0.01)
        set_limits(values.min() - margin, values.max() + margin)


def _draw_contours(ax: Axes, gamma: float) -> None:
    theme = current_theme()
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    x, y = np.meshgrid(np.linspace(left, right, 50), np.linspace(bottom, top, 50))
    z = gamma * x + (1 - gamma) * y
    lines = ax.contour(x, y, z, colors=theme.contour, linewidths=0.6, linestyles="dashed", zorder=1)
    ax.clabel(lines, fontsize=6, colors=theme.muted_text)


def _add_numbered_legend(canvas: Canvas, names: Sequence[str]) -> None:
    """List names by number beside the axes."""
    handles = [canvas.ax.plot([], [], " ", label=f"{number}  {name}")[0] for number, name in enumerate(names, 1)]
    canvas.add_legend(handles=handles, with_lines=False)


@styled
def difference_bars(
    evaluation: EvaluationLike,
    run: str,
    other: str,
    measure: MeasureLike | None = None,
    *,
    sort: TopicOrder = "size",
    ax: Axes | None = None,
) -> Axes:
    """Plot the difference of two runs on each topic, a generalized precision histogram.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    run, other
        Names of the runs; bars show the value of the first minus that of the second, in another color where the second
        is better.
    measure
        The measure; by default the first of the evaluation.
    sort
        Topics in the order of their differences, ``"size"``, or of their ids, ``"topic"``.
    ax
        Axes to draw on; those of a new figure by default.
    """
    from matplotlib.patches import Patch

    require(choice("size", "topic"), sort=sort)
    table, theme = as_table(evaluation), current_theme()
    index = table.measure_index(table.only(measure).measures[0])
    if run == other:
        raise IrdivError(f"a run does not differ from itself; give two runs, found {run!r} twice.")
    z = table.values[table.run_index(run), index] - table.values[table.run_index(other), index]
    by_topic = natural_argsort(table.topics)
    order = by_topic if sort == "topic" else by_topic[np.argsort(-z[by_topic], kind="stable")]
    advantage = z * table.direction[index]
    canvas = Canvas(ax, width_of_topics(len(z)), 2.2)
    ax = canvas.ax
    first, second = theme.colors[:2]
    ax.bar(range(len(z)), z[order], color=np.where(advantage[order] >= 0, first, second).tolist())
    ax.axhline(0, color=theme.text, linewidth=0.6)
    mean = ax.axhline(z.mean(), color=theme.muted_text, linewidth=0.8, linestyle="--", label=f"mean {z.mean():+.4f}")
    ax.margins(x=0.01)
    label_topics(canvas, [table.topics[topic] for topic in order], "by size" if sort == "size" else None)
    canvas.set_labels(str(ax.get_xlabel()), f"difference in {table.measures[index]}")
    counts = ((run, first, (advantage > 0).sum()), (other, second, (advantage < 0).sum()))
    patches = [Patch(color=color, label=f"{name} better: {count} topics") for name, color, count in counts]
    canvas.add_legend(handles=[*patches, mean])
    return ax
