"""Pictures of a tree, as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from unicodedata import category
from xml.etree import ElementTree as ET


@dataclass
class Node:
    """A node to draw, with a line about it."""

    name: str
    about: str = ""
    extended: bool = False
    """Whether it only carries a leaf down to a deeper layer."""
    covered: bool = False
    children: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Neither a line of text nor XML can hold control characters.
        self.name = "".join("�" if category(sign) == "Cc" else sign for sign in self.name)


def as_text(root: Node) -> str:
    """Return a tree as lines, a node in each; a chain that carries a leaf down shares the leaf's line."""
    names = list(_text_rows(root, "", ""))
    width = max(len(name) for name, _ in names)
    return "\n".join(f"{name:{width}}  {about}".rstrip() for name, about in names)


def _text_rows(node: Node, before: str, below: str) -> Iterator[tuple[str, str]]:
    yield f"{before}{node.name}", node.about
    children = [child for child in node.children if not child.extended]
    for child in children:
        last = child is children[-1]
        yield from _text_rows(child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))


_STEP_X, _STEP_Y, _WIDTH, _HEIGHT, _EDGE = 255, 46, 215, 36, 12
_STYLE = (
    "text{font:12px sans-serif;fill:#1a1a1a}.about{font-size:10px;fill:#555}"
    "rect{fill:#fff;stroke:#4269d0;stroke-width:1.5}.extended rect{stroke-dasharray:4 3}.covered rect{fill:#dbe6ff}"
    "path{fill:none;stroke:#9aa4b2;stroke-width:1.2}"
)


def as_svg(root: Node) -> str:
    """Return a tree as an SVG picture, root to the left; dashed boxes carry leaves down to the deepest layer."""
    places: list[tuple[Node, int, float]] = []
    leaves = _place(root, 0, 0, places)
    depth = max(x for _, x, _ in places) + 1
    width, height = depth * _STEP_X - _STEP_X + _WIDTH + 2 * _EDGE, leaves * _STEP_Y - _STEP_Y + _HEIGHT + 2 * _EDGE
    box = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}", "role": "img"}
    svg = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **box})
    ET.SubElement(svg, "title").text = f"intent hierarchy of {root.name}"
    ET.SubElement(svg, "style").text = _STYLE
    parents = {id(child): node for node, *_ in places for child in node.children}
    where = {id(node): (_EDGE + x * _STEP_X, _EDGE + y * _STEP_Y) for node, x, y in places}
    for node, *_ in places:
        if id(node) in parents:
            _draw_edge(svg, where[id(parents[id(node)])], where[id(node)])
    for node, *_ in places:
        _draw_node(svg, node, *where[id(node)])
    return ET.tostring(svg, encoding="unicode")


def _place(node: Node, depth: int, leaves: int, places: list[tuple[Node, int, float]]) -> int:
    """Place a node and all below it: leaves one under the other, a parent in the middle of its children."""
    start = len(places)
    places.append((node, depth, leaves))
    after = leaves
    for child in node.children:
        after = _place(child, depth + 1, after, places)
    after = max(after, leaves + 1)
    mine = [y for child, _, y in places[start + 1 :] if any(child is c for c in node.children)]
    places[start] = (node, depth, (mine[0] + mine[-1]) / 2 if mine else leaves)
    return after


def _draw_edge(svg: ET.Element, start: tuple[float, float], end: tuple[float, float]) -> None:
    x1, y1, x2, y2 = start[0] + _WIDTH, start[1] + _HEIGHT / 2, end[0], end[1] + _HEIGHT / 2
    middle = (x1 + x2) / 2
    ET.SubElement(svg, "path", {"d": f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}"})


def _draw_node(svg: ET.Element, node: Node, x: float, y: float) -> None:
    kinds = [kind for kind, holds in (("extended", node.extended), ("covered", node.covered)) if holds]
    group = ET.SubElement(svg, "g", {"class": " ".join(kinds)} if kinds else {})
    shape = {"x": f"{x:g}", "y": f"{y:g}", "width": str(_WIDTH), "height": str(_HEIGHT), "rx": "5"}
    ET.SubElement(group, "rect", shape)
    ET.SubElement(group, "title").text = f"{node.name} {node.about}".strip()
    middle = y + _HEIGHT / 2
    text = {"x": f"{x + 8:g}", "y": f"{middle - 2 if node.about else middle + 4:g}"}
    ET.SubElement(group, "text", text).text = _short(node.name, 28)
    if node.about:
        ET.SubElement(group, "text", {"x": f"{x + 8:g}", "y": f"{middle + 12:g}", "class": "about"}).text = _short(
            node.about, 44
        )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
