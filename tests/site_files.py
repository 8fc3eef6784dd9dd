"""The built site as files: what pages link to, and what they load."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_LOADED = {
    ("audio", "src"), ("iframe", "src"), ("img", "src"), ("input", "src"), ("link", "href"), ("object", "data"),
    ("script", "src"), ("source", "src"), ("video", "src"),
}  # fmt: skip
_METADATA = {"author", "canonical", "copyright", "index", "next", "prev", "search"}
"""Kinds of ``<link>`` that name a page and load nothing."""


class Reference(NamedTuple):
    target: str
    is_loaded: bool
    """Whether the browser fetches it to show the page, other than on a click."""


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.references: list[Reference] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.ids.update(value for name in ("id", "name") if (value := values.get(name)))
        is_metadata = tag == "link" and values.get("rel") in _METADATA
        for name in ("href", "src", "data"):
            if (target := values.get(name)) is not None:
                self.references.append(Reference(target, (tag, name) in _LOADED and not is_metadata))


class Site:
    """All pages of a folder, parsed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._pages: dict[Path, _Page] = {}
        for path in sorted(self.folder.rglob("*.html")):
            # files of extensions, such as MathJax's, are no pages
            if "_static" not in path.relative_to(self.folder).parts:
                page = self._pages[path] = _Page()
                page.feed(path.read_text(encoding="utf-8"))

    def __len__(self) -> int:
        return len(self._pages)

    def broken_links(self) -> Iterator[str]:
        """Yield links within the site to a file or an id that does not exist."""
        for path, page in self._pages.items():
            for target, _ in page.references:
                url = urlsplit(target)
                if not (url.scheme or url.netloc) and not self._holds(path, unquote(url.path), unquote(url.fragment)):
                    yield f"{path.relative_to(self.folder)}: {target}"

    def _holds(self, path: Path, link: str, fragment: str) -> bool:
        other = (path.parent / link).resolve() if link else path
        if not other.is_file() or not other.is_relative_to(self.folder):
            return False
        return not fragment or other not in self._pages or fragment in self._pages[other].ids

    def loaded_from_outside(self) -> Iterator[str]:
        """Yield what a page loads from another host."""
        for path, page in self._pages.items():
            for target, is_loaded in page.references:
                url = urlsplit(target)
                if is_loaded and (url.netloc or url.scheme not in ("", "data")):
                    yield f"{path.relative_to(self.folder)}: {target}"
