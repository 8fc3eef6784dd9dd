"""SVG pictures: a document and its elements."""

from __future__ import annotations

from xml.etree import ElementTree as ET


def new_document(width: float, height: float, title: str, style: str) -> ET.Element:
    """Return an empty picture with a title for screen readers and a style sheet."""
    svg = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
    size = _attributes({"viewBox": f"0 0 {width:g} {height:g}", "width": width, "height": height, "role": "img"})
    svg.attrib.update(size)
    add(svg, "title", title)
    add(svg, "style", style)
    return svg


def add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str | float | None) -> ET.Element:
    """Append an element to another and return it.

    In names of attributes an underscore is written for a hyphen, and one at the end is dropped: ``stroke_width=2``,
    ``class_="leaf"``. Attributes that are None are left out.

    >>> svg = new_document(20, 10, "a dot", "")
    >>> ET.tostring(add(svg, "circle", cx=2.50, cy=5, stroke_width=1.5), encoding="unicode")
    '<circle cx="2.5" cy="5" stroke-width="1.5" />'
    """
    element = ET.SubElement(parent, tag, _attributes(attributes))
    element.text = text
    return element


def to_text(svg: ET.Element) -> str:
    """Return a picture as text."""
    return ET.tostring(svg, encoding="unicode")


def _attributes(values: dict[str, str | float | None]) -> dict[str, str]:
    return {
        name.rstrip("_").replace("_", "-"): value if isinstance(value, str) else f"{value:g}"
        for name, value in values.items()
        if value is not None
    }
