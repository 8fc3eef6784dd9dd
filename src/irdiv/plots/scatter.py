"""Runs by the means of two measures: drawn of plain values, without a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irdiv.checks import Number, require
from irdiv.measures.parameters import GAMMA
from irdiv.plots.axes import Canvas, run_id, shortened
from irdiv.plots.highlights import Highlight, highlighted
from irdiv.plots.labels import label_points
from irdiv.plots.styles import COLUMN_WIDTH, SMALL_TEXT_SIZE, THIN_LINE_WIDTH, current_theme, figure_width
from irdiv.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_GAMMA = require(Number(0, 1), gamma=GAMMA.default)
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


class RunPoints(NamedTuple):
    """Runs by the means of two measures."""

    runs: Sequence[str]
    measures: Sequence[str]
    """The names of both, that of the horizontal axis first."""
    means: Floats
    """``[measure, run]``"""
    direction: Floats
    """−1 for each measure where smaller values are better, and 1 for others."""
    ends: tuple[Floats, Floats] | None = None
    """Low and high ends of the intervals of both means, ``[run, 2]``."""


def draw_recall_relevance(
    points: RunPoints, *, gamma: float = DEFAULT_GAMMA, highlight: Highlight = None, ax: Axes | None
) -> Axes:
    """Draw runs with contour lines of the combined measure; see `irdiv.plots.recall_relevance`."""
    runs, measures, (x, y), direction, ends = points
    theme = current_theme()
    combined = gamma * x * direction[0] + (1 - gamma) * y * direction[1]
    named = highlighted(runs, combined, highlight, most=_MOST_NUMBERED)
    is_wide = len(runs) > _FEW_RUNS
    width = figure_width(is_wide)
    canvas = Canvas(ax, 0.85 * width if width == COLUMN_WIDTH else 0.6 * width, is_wide=is_wide)
    ax = canvas.ax
    is_labeled = len(named) <= _MOST_LABELED
    names = shortened((runs[run] for run in named), _LONGEST_NAME * canvas.width)
    _set_limits(ax, x if ends is None else ends[0], y if ends is None else ends[1])
    if ends is not None:
        for low_high, draw, at in ((ends[0], ax.hlines, y), (ends[1], ax.vlines, x)):
            draw(at[named], *low_high[named].T, color=theme.guide, linewidth=THIN_LINE_WIDTH, alpha=0.7, zorder=2)
    for run in range(len(runs)):
        # One artist for each run, whose id is that of an element in SVG files.
        color, size = (theme.colors[0], 3.8) if run in named else (theme.guide, 3.0)
        zorder = 3 if run in named else 2.5
        ax.plot(x[run], y[run], "o", color=color, markersize=size, markeredgewidth=0, zorder=zorder, gid=run_id(run))
    canvas.set_labels(measures[0], measures[1])
    title = f"contours: {gamma:g} · {measures[0]} + {1 - gamma:g} · {measures[1]}"
    canvas.set_title(title)
    if not is_labeled:
        canvas.add_numbered_legend([runs[run] for run in named])
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
