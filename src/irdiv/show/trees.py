"""Drawings of a tree, as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from irdiv.errors import IrdivError, printable
from irdiv.show import palette, svg


@dataclass
class Node:
    """A node to draw, with a caption."""

    name: str
    caption: str = ""
    extended: bool = False
    """Whether it only carries a leaf down to a deeper layer."""
    covered: bool = False
    children: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Neither a line of text nor XML can hold control characters.
        self.name, self.caption = printable(self.name), printable(self.caption)


def tree_as_text(root: Node) -> str:
    """Return a tree as text with a line for each node; a chain that carries a leaf down shares the leaf's line."""
    rows = list(_text_rows(root))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {caption}".rstrip() for name, caption in rows)


def _text_rows(root: Node) -> Iterator[tuple[str, str]]:
    # The nodes that are still to be written, the next one last: trees may be deeper than Python's stack.
    waiting = [(root, "", "")]
    while waiting:
        node, prefix, prefix_below = waiting.pop()
        yield f"{prefix}{node.name}", node.caption
        branch, indent = "└─ ", "   "
        for child in reversed([child for child in node.children if not child.extended]):
            waiting.append((child, prefix_below + branch, prefix_below + indent))
            branch, indent = "├─ ", "│  "


_STEP_X, _STEP_Y, _WIDTH, _HEIGHT, _MARGIN = 255, 46, 215, 36, 12
_MAX_NAME, _MAX_CAPTION = 28, 44
"""How many characters fit in a box."""
_STYLE = (
    f"text{{font:12px sans-serif;fill:{palette.TEXT}}}.caption{{font-size:10px;fill:{palette.MUTED_TEXT}}}"
    f"rect{{fill:{palette.BACKGROUND};stroke:{palette.COLORS[0]};stroke-width:1.5}}"
    f".extended rect{{stroke-dasharray:4 3}}.covered rect{{fill:{palette.HIGHLIGHT}}}"
    f"path{{fill:none;stroke:{palette.CONTOUR};stroke-width:1.2}}"
)


MOST_LAYERS, MOST_NODES = 100, 10_000
"""How large a tree may be to be drawn as a picture, which would not be legible long before that."""


@dataclass
class _Box:
    """A node with the position of its box."""

    node: Node
    x: float
    y: float = 0.0
    children: list[_Box] = field(default_factory=list)


def tree_as_svg(root: Node) -> str:
    """Return a tree as an SVG picture, root to the left; dashed boxes carry leaves down to the deepest layer."""
    boxes = _lay_out(root)
    width = max(box.x for box in boxes) + _WIDTH + _MARGIN
    rows = sum(not box.children for box in boxes)
    height = (rows - 1) * _STEP_Y + _HEIGHT + 2 * _MARGIN
    picture = svg.new_document(width, height, f"intent hierarchy of {root.name}", _STYLE)
    for box in boxes:
        for child in box.children:
            _draw_edge(picture, box, child)
    for box in boxes:
        _draw_box(picture, box)
    return svg.to_text(picture)


def _lay_out(root: Node) -> list[_Box]:
    """Return the boxes of all nodes, parents first: leaves one under the other, a parent amid its children."""
    boxes = []
    waiting: list[tuple[Node, _Box | None, int]] = [(root, None, 0)]
    rows = 0
    while waiting:
        node, parent, depth = waiting.pop()
        box = _Box(node, _MARGIN + depth * _STEP_X)
        boxes.append(box)
        if parent is not None:
            parent.children.append(box)
        if len(boxes) > MOST_NODES + 1 or depth > MOST_LAYERS:
            raise IrdivError(
                f"the tree of topic {root.name!r} is too large for a picture, of {MOST_LAYERS} layers and "
                f"{MOST_NODES:,} nodes at most; draw() gives it as text and topic() as a frame."
            )
        if not node.children:
            box.y = _MARGIN + rows * _STEP_Y
            rows += 1
        waiting.extend((child, box, depth + 1) for child in reversed(node.children))
    for box in reversed(boxes):
        if box.children:
            box.y = (box.children[0].y + box.children[-1].y) / 2
    return boxes


def _draw_edge(picture: ET.Element, parent: _Box, child: _Box) -> None:
    x1, y1, x2, y2 = parent.x + _WIDTH, parent.y + _HEIGHT / 2, child.x, child.y + _HEIGHT / 2
    middle = (x1 + x2) / 2
    svg.add(picture, "path", d=f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}")


def _draw_box(picture: ET.Element, box: _Box) -> None:
    node, x, y = box.node, box.x, box.y
    classes = " ".join(name for name in ("extended", "covered") if getattr(node, name))
    group = svg.add(picture, "g", class_=classes or None)
    svg.add(group, "rect", x=x, y=y, width=_WIDTH, height=_HEIGHT, rx=5)
    svg.add(group, "title", f"{node.name} {node.caption}".strip())
    middle = y + _HEIGHT / 2
    svg.add(group, "text", _shorten(node.name, _MAX_NAME), x=x + 8, y=middle - 2 if node.caption else middle + 4)
    if node.caption:
        svg.add(group, "text", _shorten(node.caption, _MAX_CAPTION), x=x + 8, y=middle + 12, class_="caption")


def _shorten(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"
