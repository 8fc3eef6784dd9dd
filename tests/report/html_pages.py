"""Pages of the report as tests look at them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Elements(HTMLParser):
    """The elements of a page, each as its tag and attributes, in their order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def board_of(page: str) -> dict[str, list[dict[str, Any]]]:
    """Return the cells of each run of the leaderboard: their attributes and their ``mark``, better or worse."""
    (table,) = re.findall(r'<table id="board".*?</table>', page, flags=re.DOTALL)
    board: dict[str, list[dict[str, Any]]] = {}
    for tag, attributes in Elements(table).found:
        css_class = attributes.get("class") or ""
        if "data-run" in attributes:
            cells = board[attributes["data-run"]] = []
        elif tag == "td":
            numbers = {name: float(attributes[name]) for name in attributes if name.startswith("data-")}
            cells.append({**attributes, **numbers, "mark": ""})
        elif css_class.startswith("mark"):
            cells[-1]["mark"] = css_class.removeprefix("mark").strip()
    return board


def figures_of(page: str) -> dict[str, ElementTree.Element]:
    """Return the figures of a page by their ids."""
    found = re.findall(r'<figure id="(.*?)">.*?(<svg.*?</svg>)', page, flags=re.DOTALL)
    return {name: ElementTree.fromstring(svg) for name, svg in found}


def texts_of(figure: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in figure.iter(f"{SVG}text")]
