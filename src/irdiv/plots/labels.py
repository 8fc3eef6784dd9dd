"""Names of points, written where they cover neither each other nor points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, cast

import numpy as np

from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

_DISTANCES = (4.5, 8.0, 13.0, 19.0, 26.0, 34.0)
"""How far a name may be from its point, in points."""
_DIRECTIONS = tuple(math.radians(angle) for angle in (0, 180, 45, 135, -45, -135, 90, -90, 20, 160, -20, -160))
_FAR = 7.0
"""Names that are farther away are joined to their points by a line."""


def label_points(
    ax: Axes, x: Floats, y: Floats, names: Sequence[str], *, size: float, line_color: str, avoid: Floats | None = None
) -> None:
    """Write a name beside each point; ``avoid`` holds more points not to cover, ``[point, 2]``."""
    # Positions in pixels are known once the figure is laid out.
    cast("Figure", ax.get_figure(root=True)).draw_without_rendering()
    points = np.column_stack([x, y])
    covered = _Covered(ax, ax.transData.transform(points if avoid is None else np.concatenate([points, avoid])))
    for index in np.argsort(-y, kind="stable"):
        options: TextOptions = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
        at = (float(x[index]), float(y[index]))
        centered = ax.annotate(names[index], at, xytext=(0, 0), textcoords="offset points", **options)
        offset, box, distance = min(_places(centered.get_window_extent(), covered.scale), key=covered.cost)
        centered.remove()
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": line_color, "shrinkA": 0, "shrinkB": 2}
        arrow = line if distance > _FAR else None
        ax.annotate(names[index], at, xytext=offset, textcoords="offset points", arrowprops=arrow, **options)
        covered.texts.append(box)


class TextOptions(TypedDict):
    """Options of ``Axes.annotate``."""

    ha: Literal["center"]
    va: Literal["center"]
    fontsize: float
    zorder: float


class _Place(NamedTuple):
    """Where a name may be."""

    offset: tuple[float, float]
    """From its point, in points."""
    box: Bbox
    distance: float


def _places(centered: Bbox, scale: float) -> list[_Place]:
    """Return where a name may be that would be ``centered`` on its point."""
    half_width, half_height = centered.width / scale / 2, centered.height / scale / 2
    places = []
    for distance in _DISTANCES:
        for angle in _DIRECTIONS:
            dx = math.cos(angle) * distance + round(math.cos(angle), 1) * half_width
            dy = math.sin(angle) * distance + round(math.sin(angle), 1) * half_height * 0.6
            places.append(_Place((dx, dy), centered.translated(dx * scale, dy * scale), distance))
    return places


class _Covered:
    """What names should not cover, in pixels: texts, points and the edges of the axes."""

    def __init__(self, ax: Axes, points: Floats) -> None:
        self.scale = ax.figure.dpi / 72
        self.texts = [text.get_window_extent() for text in ax.texts]
        self._x, self._y = points.T
        self._inside = ax.get_window_extent()

    def cost(self, place: _Place) -> tuple[float, float]:
        """Return how much a name would cover there, and its distance."""
        box, margin = place.box, 3.0 * self.scale
        texts = sum(box.overlaps(other) for other in self.texts)
        within_x = (box.x0 - margin < self._x) & (self._x < box.x1 + margin)
        within_y = (box.y0 - margin < self._y) & (self._y < box.y1 + margin)
        is_outside = not (self._inside.contains(*box.min) and self._inside.contains(*box.max))
        return 3.0 * texts + float((within_x & within_y).sum()) + 5.0 * is_outside, place.distance
