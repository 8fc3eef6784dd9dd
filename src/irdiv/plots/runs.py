"""Plots of runs by two measures, and of two runs by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number, choice, require
from irdiv.errors import IrdivError
from irdiv.frames.ids import natural_argsort
from irdiv.measures.parameters import GAMMA
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import Canvas, run_id, shortened, wrapped
from irdiv.plots.highlights import Highlight, highlighted
from irdiv.plots.labels import label_points
from irdiv.plots.style import (
    COLUMN_WIDTH,
    LINE_WIDTH,
    SMALL_TEXT_SIZE,
    THIN_LINE_WIDTH,
    current_theme,
    figure_width,
    styled,
)
from irdiv.plots.topics import TopicOrder, are_wide, label_topics
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAMMA = require(Number(0, 1), gamma=GAMMA.default)
_FEW_RUNS = 8
"""So many names fit into a column."""
_MOST_LABELED = 16
"""With more runs, points are numbered, and a legend lists the names."""
_MOST_NUMBERED = 60
"""With more runs, a few are named."""
_SHORT_CONTOUR = 0.25
"""Contours that are shorter, as a share of the axes, have no labels."""
_LONGEST_NAME = 0.4
"""Longer names, as a share of the width of the figure, are shortened."""


@styled
def recall_relevance(
    evaluation: EvaluationLike,
    recall: MeasureLike = "I-rec@10",
    relevance: MeasureLike = "D-nDCG@10",
    *,
    gamma: float = _GAMMA,
    highlight: Highlight = None,
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
    highlight
        Names of runs to draw in color, or how many of the best by the D#-measure; the others are gray and without
        names. By default all of up to 60 runs, and of more runs the eight best.
    intervals
        Draw the 95% confidence intervals of both means of runs in color as thin crosses, those of
        `irdiv.stats.leaderboard`.
    ax
        Axes to draw on; those of a new figure by default.
    """
    require(Number(0, 1), gamma=gamma)
    table, theme = as_table(evaluation, [recall, relevance]), current_theme()
    x, y = table.values.mean(axis=2).T
    combined = gamma * x * table.direction[0] + (1 - gamma) * y * table.direction[1]
    named = highlighted(table.runs, combined, highlight, most=_MOST_NUMBERED)
    is_wide = len(table.runs) > _FEW_RUNS
    width = figure_width(is_wide)
    canvas = Canvas(ax, 0.85 * width if width == COLUMN_WIDTH else 0.6 * width, is_wide=is_wide)
    ax = canvas.ax
    is_labeled = len(named) <= _MOST_LABELED
    names = shortened((table.runs[run] for run in named), _LONGEST_NAME * canvas.width)
    ends = _interval_ends(table) if intervals else None
    _set_limits(ax, x if ends is None else ends[0], y if ends is None else ends[1])
    if ends is not None:
        for low_high, draw, at in ((ends[0], ax.hlines, y), (ends[1], ax.vlines, x)):
            draw(at[named], *low_high[named].T, color=theme.guide, linewidth=THIN_LINE_WIDTH, alpha=0.7, zorder=2)
    for run in range(len(table.runs)):
        # One artist for each run, whose id is that of an element in SVG files.
        color, size = (theme.colors[0], 3.8) if run in named else (theme.guide, 3.0)
        zorder = 3 if run in named else 2.5
        ax.plot(x[run], y[run], "o", color=color, markersize=size, markeredgewidth=0, zorder=zorder, gid=run_id(run))
    canvas.set_labels(table.measures[0], table.measures[1])
    title = f"contours: {gamma:g} · {table.measures[0]} + {1 - gamma:g} · {table.measures[1]}"
    canvas.set_title(title)
    if not is_labeled:
        canvas.add_numbered_legend([table.runs[run] for run in named])
    _draw_contours(ax, gamma, x, y)
    label_points(
        ax,
        x[named],
        y[named],
        names if is_labeled else [str(number) for number in range(1, len(named) + 1)],
        size=SMALL_TEXT_SIZE,
        line_color=theme.guide,
        avoid=_points_to_avoid(x, y, named, ends),
    )
    return ax


def _interval_ends(table: Table) -> tuple[Floats, Floats]:
    """Return low and high ends of the intervals of both means, ``[run, 2]``."""
    ends = []
    for measure in table.measures:
        frame = leaderboard(table, measures=[measure]).set_index("run").loc[table.runs]
        ends.append(frame[["low", "high"]].to_numpy())
    return ends[0], ends[1]


def _points_to_avoid(x: Floats, y: Floats, named: Ints, ends: tuple[Floats, Floats] | None) -> Floats:
    """Return points of runs without names, and some of each line of the crosses, ``[point, 2]``."""
    others = np.setdiff1d(np.arange(len(x)), named)
    points = [np.column_stack([x[others], y[others]])]
    if ends is not None:
        along_x, along_y = (np.linspace(low_high[named, 0], low_high[named, 1], 15).ravel() for low_high in ends)
        points += [np.column_stack([along_x, np.tile(y[named], 15)]), np.column_stack([np.tile(x[named], 15), along_y])]
    return np.concatenate(points)


def _set_limits(ax: Axes, x: Floats, y: Floats) -> None:
    for values, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        margin = max(0.12 * np.ptp(values), 0.01)
        set_limits(values.min() - margin, values.max() + margin)


def _draw_contours(ax: Axes, gamma: float, x: Floats, y: Floats) -> None:
    """Draw lines of equal combinations of both measures, with labels that are away from points and edges."""
    theme = current_theme()
    limits = np.array([ax.get_xlim(), ax.get_ylim()])
    grid = np.meshgrid(*np.linspace(limits[:, 0], limits[:, 1], 12).T)
    z = gamma * grid[0] + (1 - gamma) * grid[1]
    lines = ax.contour(*grid, z, colors=theme.contour, linewidths=THIN_LINE_WIDTH, linestyles="dashed", zorder=1)
    points = _as_shares(np.column_stack([x, y]), limits)
    places = []
    for path in lines.get_paths():
        vertices = np.asarray(path.vertices, dtype=np.float64)
        # Levels outside the limits have no lines.
        if not len(vertices):
            continue
        candidates = vertices[0] + np.linspace(0.2, 0.8, 13)[:, None] * (vertices[-1] - vertices[0])
        shares = _as_shares(candidates, limits)
        # A line across a corner has no room for a label.
        if np.linalg.norm(shares[-1] - shares[0]) > _SHORT_CONTOUR:
            distances = np.linalg.norm(shares[:, None] - points, axis=2).min(axis=1)
            places.append(tuple(candidates[int(distances.argmax())]))
    ax.clabel(lines, fontsize=SMALL_TEXT_SIZE, colors=theme.muted_text, manual=places)


def _as_shares(points: Floats, limits: Floats) -> Floats:
    """Return points of data as shares of the axes."""
    return (points - limits[:, 0]) / (limits[:, 1] - limits[:, 0])


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
    canvas = Canvas(ax, 2.2, is_wide=are_wide(len(z)))
    ax = canvas.ax
    first, second = theme.colors[:2]
    ax.bar(range(len(z)), z[order], color=np.where(advantage[order] >= 0, first, second).tolist())
    ax.axhline(0, color=theme.text, linewidth=THIN_LINE_WIDTH)
    mean = ax.axhline(
        z.mean(), color=theme.muted_text, linewidth=LINE_WIDTH, linestyle="--", label=f"mean {z.mean():+.4f}"
    )
    ax.margins(x=0.01)
    label_topics(canvas, [table.topics[topic] for topic in order], "by size" if sort == "size" else None)
    ax.set_ylabel(wrapped(f"difference in {table.measures[index]}", 0.8 * canvas.height))
    counts = ((run, first, int((advantage > 0).sum())), (other, second, int((advantage < 0).sum())))
    labels = [f"{name} better: {count} topic{'s' if count != 1 else ''}" for name, _, count in counts]
    patches = [Patch(color=color, label=label) for label, (_, color, _) in zip(labels, counts, strict=True)]
    canvas.add_legend(handles=[*patches, mean])
    return ax
