"""The relations between short rankings as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

import numpy as np

from irdiv.errors import IrdivError
from irdiv.properties.check import relations
from irdiv.properties.properties import THE_PAPERS, Property

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#555555")
_STEP_X, _STEP_Y, _RADIUS, _EDGE = 86, 84, 19, 40
_MOST = 60


def graph(
    properties: Iterable[str | Property] | str | Property = THE_PAPERS, *, aspects: int = 2, depth: int = 2
) -> str:
    """Return an SVG picture of which rankings must not score more than which, better ones higher up.

    An arrow leads from the worse to the better ranking; its colour tells the property.

    Parameters
    ----------
    properties
        As of `check`.
    aspects, depth
        How many aspects, and how long the longest ranking; short enough for some sixty rankings.
    """
    edges = relations(properties, aspects=aspects, depth=depth)
    names = list(dict.fromkeys([*edges["worse"], *edges["better"]]))
    if not names or len(names) > _MOST:
        raise IrdivError(f"a picture has 1 to {_MOST} rankings, but these are {len(names)}; choose another depth.")
    level = _levels(names, list(zip(edges["worse"], edges["better"], strict=True)))
    place = _places(names, level)
    kinds = list(dict.fromkeys(edges["property"]))
    width = max(x for x, _ in place.values()) + _EDGE
    height = max(y for _, y in place.values()) + _EDGE + 22 * len(kinds)
    svg = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}",
         "height": f"{height:g}", "role": "img"},
    )  # fmt: skip
    ET.SubElement(svg, "title").text = f"relations between rankings by {', '.join(kinds)}"
    ET.SubElement(svg, "style").text = "text{font:13px sans-serif;fill:#1a1a1a}circle{fill:#fff;stroke:#444}"
    for number, kind in enumerate(kinds):
        _draw_kind(svg, kind, number, height - 22 * (len(kinds) - number) + 8)
    for kind, worse, better in edges[["property", "worse", "better"]].itertuples(index=False, name=None):
        _draw_arrow(svg, place[worse], place[better], kinds.index(kind))
    for name, (x, y) in place.items():
        ET.SubElement(svg, "circle", {"cx": f"{x:g}", "cy": f"{y:g}", "r": str(_RADIUS)})
        ET.SubElement(svg, "text", {"x": f"{x:g}", "y": f"{y + 4.5:g}", "text-anchor": "middle"}).text = name
    return ET.tostring(svg, encoding="unicode")


def _levels(names: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Return how far up each ranking stands: above all that must not score more, where no circle forbids it."""
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


def _places(names: list[str], level: dict[str, int]) -> dict[str, tuple[float, float]]:
    top = max(level.values())
    rows: dict[int, list[str]] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        rows.setdefault(level[name], []).append(name)
    widest = max(map(len, rows.values()))
    place: dict[str, tuple[float, float]] = {}
    for height, row in rows.items():
        start = _EDGE + (widest - len(row)) * _STEP_X / 2
        for column, name in enumerate(row):
            place[name] = (start + column * _STEP_X, _EDGE + (top - height) * _STEP_Y)
    return place


def _draw_kind(svg: ET.Element, kind: str, number: int, y: float) -> None:
    marker = ET.SubElement(
        svg, "marker",
        {"id": f"end{number}", "viewBox": "0 0 8 8", "refX": "7", "refY": "4", "markerWidth": "7", "markerHeight": "7",
         "orient": "auto"},
    )  # fmt: skip
    ET.SubElement(marker, "path", {"d": "M0 0L8 4L0 8z", "fill": _COLOURS[number % len(_COLOURS)]})
    _draw_line(svg, (20, y), (52, y), number)
    ET.SubElement(svg, "text", {"x": "60", "y": f"{y + 4.5:g}"}).text = kind


def _draw_arrow(svg: ET.Element, start: tuple[float, float], end: tuple[float, float], number: int) -> None:
    a, b = np.array(start), np.array(end)
    way = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
    side = np.array([-way[1], way[0]]) * 3 * number
    one, two = a + way * _RADIUS + side, b - way * (_RADIUS + 3) + side
    _draw_line(svg, (one[0], one[1]), (two[0], two[1]), number)


def _draw_line(svg: ET.Element, start: tuple[float, float], end: tuple[float, float], number: int) -> None:
    names = ("x1", "y1", "x2", "y2")
    ends = {name: f"{value:g}" for name, value in zip(names, (*start, *end), strict=True)}
    colour = _COLOURS[number % len(_COLOURS)]
    ET.SubElement(svg, "line", {**ends, "stroke": colour, "stroke-width": "1.3", "marker-end": f"url(#end{number})"})
