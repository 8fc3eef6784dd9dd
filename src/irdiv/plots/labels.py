"""Names of points, written where they cover neither each other nor points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, cast

import numpy as np

from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DISTANCES = (4.5, 8.0, 13.0, 19.0, 26.0, 34.0, 44.0, 56.0)
"""How far a name may be from its point, in points."""
_DIRECTIONS = tuple(math.radians(angle) for angle in (0, 180, 45, 135, -45, -135, 90, -90, 20, 160, -20, -160))
_FAR = 7.0
"""Names that are farther away are joined to their points by a line."""


def label_points(
    ax: Axes, x: Floats, y: Floats, names: Sequence[str], *, size: float, line_color: str, avoid: Floats | None = None
) -> None:
    """Write a name beside each point; ``avoid`` holds more points not to cover, ``[point, 2]``."""
    # Positions in pixels are known once the figure is laid out.
    figure = cast("Figure", ax.get_figure(root=True))
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    points = np.column_stack([x, y])
    covered = _Covered(ax, ax.transData.transform(points if avoid is None else np.concatenate([points, avoid])))
    for index in np.argsort(-y, kind="stable"):
        options: TextOptions = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
        at = (float(x[index]), float(y[index]))
        centered = ax.annotate(names[index], at, xytext=(0, 0), textcoords="offset points", **options)
        box = centered.get_window_extent()
        centered.remove()
        offsets, distances = _places(box.width / covered.scale / 2, box.height / covered.scale / 2)
        boxes = box.extents + covered.scale * np.tile(offsets, 2)
        best = int(np.argmin(covered.costs(boxes) + 1e-3 * distances))
        covered.texts = np.concatenate([covered.texts, boxes[[best]]])
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": line_color, "shrinkA": 0, "shrinkB": 2}
        arrow = line if distances[best] > _FAR else None
        offset = (float(offsets[best, 0]), float(offsets[best, 1]))
        ax.annotate(names[index], at, xytext=offset, textcoords="offset points", arrowprops=arrow, **options)


class TextOptions(TypedDict):
    """Options of ``Axes.annotate``."""

    ha: Literal["center"]
    va: Literal["center"]
    fontsize: float
    zorder: float


def _places(half_width: float, half_height: float) -> tuple[Floats, Floats]:
    """Return where a name may be: offsets of its center from its point, ``[place, 2]``, and distances, in points."""
    distance, angle = (grid.ravel() for grid in np.meshgrid(_DISTANCES, _DIRECTIONS, indexing="ij"))
    # A name is above, below or on one side of its point, never across the lines of its interval.
    x = np.cos(angle) * distance + np.sign(np.round(np.cos(angle), 1)) * half_width
    y = np.sin(angle) * distance + np.round(np.sin(angle), 1) * half_height * 0.6
    return np.column_stack([x, y]), distance


class _Covered:
    """What names should not cover, in pixels: texts, points and the edges of the axes.

    Boxes are rows of x0, y0, x1 and y1.
    """

    def __init__(self, ax: Axes, points: Floats) -> None:
        self.scale = ax.figure.dpi / 72
        self.texts: Floats = np.array([text.get_window_extent().extents for text in ax.texts]).reshape(-1, 4)
        # A name that is near another point would seem to be that point's.
        margin = 3.0 * self.scale
        self._points = np.column_stack([points - margin, points + margin])
        self._inside = ax.get_window_extent().extents

    def costs(self, boxes: Floats) -> Floats:
        """Return how much names in some boxes would cover."""
        is_outside = (boxes[:, :2] < self._inside[:2]).any(axis=1) | (boxes[:, 2:] > self._inside[2:]).any(axis=1)
        return 3.0 * _overlaps(boxes, self.texts) + _overlaps(boxes, self._points) + 100.0 * is_outside


def _overlaps(boxes: Floats, others: Floats) -> Floats:
    """Return with how many other boxes each box overlaps."""
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    return ((low < others[:, 2:]) & (high > others[:, :2])).all(axis=2).sum(axis=1).astype(np.float64)
