"""The relations between short rankings as a picture."""

from __future__ import annotations

from typing import TypeAlias
from xml.etree import ElementTree as ET

import numpy as np

from irdiv.errors import IrdivError
from irdiv.properties.checking import PropertiesLike, relations
from irdiv.properties.definitions import DEFAULT_PROPERTIES
from irdiv.show import palette, svg

Point: TypeAlias = tuple[float, float]

_STEP_X, _STEP_Y, _RADIUS, _MARGIN, _LEGEND_STEP = 86, 84, 19, 40, 22
_TEXT_SHIFT = 4.5
"""From the middle of a line of text to its baseline."""
_MAX_RANKINGS = 60
_STYLE = (
    f"text{{font:13px sans-serif;fill:{palette.TEXT}}}"
    f"circle{{fill:{palette.BACKGROUND};stroke:{palette.OUTLINE}}}line{{stroke-width:1.3}}"
)


def relations_svg(properties: PropertiesLike = DEFAULT_PROPERTIES, *, aspects: int = 2, length: int = 2) -> str:
    """Return the order of rankings that properties imply as an SVG picture, better rankings on top.

    An arrow points from the worse to the better ranking; its color shows the property.

    Parameters
    ----------
    properties
        As of `check`.
    aspects, length
        How many aspects there are, and the length of the longest ranking; a picture has at most sixty rankings.
    """
    edges = relations(properties, aspects=aspects, length=length)
    names = list(dict.fromkeys([*edges["worse"], *edges["better"]]))
    if not names or len(names) > _MAX_RANKINGS:
        raise IrdivError(
            f"a picture has 1 to {_MAX_RANKINGS} rankings, but these are {len(names)}; choose another length."
        )
    position = _positions(names, _levels(names, list(zip(edges["worse"], edges["better"], strict=True))))
    property_names = list(dict.fromkeys(edges["property"]))
    width = max(x for x, _ in position.values()) + _MARGIN
    legend_top = max(y for _, y in position.values()) + _MARGIN
    height = legend_top + _LEGEND_STEP * len(property_names)
    title = f"relations between rankings by {', '.join(property_names)}"
    picture = svg.new_document(width, height, title, _STYLE)
    for index, name in enumerate(property_names):
        _draw_legend_entry(picture, name, index, legend_top + _LEGEND_STEP * index + 8)
    for name, worse, better in edges[["property", "worse", "better"]].itertuples(index=False, name=None):
        _draw_arrow(picture, position[worse], position[better], property_names.index(name))
    for name, (x, y) in position.items():
        svg.add(picture, "circle", cx=x, cy=y, r=_RADIUS)
        svg.add(picture, "text", name, x=x, y=y + _TEXT_SHIFT, text_anchor="middle")
    return svg.to_text(picture)


def _levels(names: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Return the level of each ranking: above all that must not score more, unless there is a cycle."""
    level = dict.fromkeys(names, 0)
    for _ in names:
        moved = False
        for worse, better in edges:
            if level[better] <= level[worse] < len(names):
                level[better] = level[worse] + 1
                moved = True
        if not moved:
            break
    return level


def _positions(names: list[str], level: dict[str, int]) -> dict[str, Point]:
    """Return the center of each ranking's circle; those of a level are side by side."""
    top = max(level.values())
    rows: dict[int, list[str]] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        rows.setdefault(level[name], []).append(name)
    widest = max(map(len, rows.values()))
    position: dict[str, Point] = {}
    for row_level, row in rows.items():
        start = _MARGIN + (widest - len(row)) * _STEP_X / 2
        for column, name in enumerate(row):
            position[name] = (start + column * _STEP_X, _MARGIN + (top - row_level) * _STEP_Y)
    return position


def _draw_legend_entry(picture: ET.Element, name: str, index: int, y: float) -> None:
    """Draw a line with the name of a property, and define the arrowhead of its color."""
    marker = svg.add(
        picture, "marker", id=f"end{index}", viewBox="0 0 8 8", refX=7, refY=4, markerWidth=7, markerHeight=7,
        orient="auto",
    )  # fmt: skip
    svg.add(marker, "path", d="M0 0L8 4L0 8z", fill=_color(index))
    _draw_line(picture, (20, y), (52, y), index)
    svg.add(picture, "text", name, x=60, y=y + _TEXT_SHIFT)


def _draw_arrow(picture: ET.Element, start: Point, end: Point, index: int) -> None:
    """Draw an arrow between two circles; those of different properties run side by side."""
    a, b = np.array(start), np.array(end)
    direction = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
    shift = np.array([-direction[1], direction[0]]) * 3 * index
    (x1, y1), (x2, y2) = a + direction * _RADIUS + shift, b - direction * (_RADIUS + 3) + shift
    _draw_line(picture, (x1, y1), (x2, y2), index)


def _draw_line(picture: ET.Element, start: Point, end: Point, index: int) -> None:
    (x1, y1), (x2, y2) = start, end
    svg.add(picture, "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=_color(index), marker_end=f"url(#end{index})")


def _color(index: int) -> str:
    return palette.COLORS[index % len(palette.COLORS)]
