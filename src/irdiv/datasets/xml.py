"""Read XML files of test collections, without document types and entities, which can harm a reader."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from irdiv.errors import IrdivError
from irdiv.frames.text import open_maybe_gzip
from irdiv.types import PathLike


class Element(NamedTuple):
    """The start of an element: its tag, its attributes, its line and the elements around it, outermost first."""

    tag: str
    attributes: dict[str, str]
    line: int
    enclosing: tuple[Element, ...]

    def nearest(self, tag: str) -> Element | None:
        """Return the innermost enclosing element with this tag."""
        return next((element for element in reversed(self.enclosing) if element.tag == tag), None)


def read_elements(path: PathLike) -> list[Element]:
    """Return the elements of an XML file in UTF-8, whatever encoding it declares, in the order they start.

    A document type declaration is an error, so that entities can neither expand nor read other files.
    """
    path = Path(path)
    # Some files of NTCIR declare the encoding "utf8", which expat does not know.
    parser = expat.ParserCreate("utf-8")
    elements: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber, tuple(open_elements))
        elements.append(element)
        open_elements.append(element)

    def reject(*_: object) -> None:
        raise IrdivError(
            f"{path}, line {parser.CurrentLineNumber}: document types and entities in XML are not allowed."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.StartDoctypeDeclHandler = reject
    parser.EntityDeclHandler = reject
    try:
        with open_maybe_gzip(path, "XML") as file:
            parser.ParseFile(file)
    except (EOFError, OSError, zlib.error) as error:
        raise IrdivError(f"{path}: the file is truncated or damaged ({error}).") from None
    except expat.ExpatError as error:
        fault = expat.errors.messages[error.code]
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            fault = "the file is empty or truncated"
        raise IrdivError(f"{path}, line {error.lineno}: {fault}; expected XML in UTF-8.") from None
    return elements
