"""Read XML files of test collections, without entities, which can harm a reader."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from irdiv.errors import IrdivError
from irdiv.io.text import read_bytes
from irdiv.types import PathLike

_MOST_LEVELS = 50
"""How deep elements may be nested; files of topics and judgments have up to five levels."""


class Element(NamedTuple):
    """An element: its tag, its attributes, its line, the elements around it, outermost first, and its text."""

    tag: str
    attributes: dict[str, str]
    line: int
    enclosing: tuple[Element, ...]
    pieces: list[str]

    def nearest(self, tag: str) -> Element | None:
        """Return the innermost enclosing element with this tag."""
        return next((element for element in reversed(self.enclosing) if element.tag == tag), None)

    @property
    def text(self) -> str:
        """The text in the element and in those within it, with single spaces between words."""
        return " ".join("".join(self.pieces).split())


def read_elements(path: PathLike, *, allow_document_type: bool = False) -> list[Element]:
    """Return the elements of an XML file in UTF-8, whatever encoding it declares, in the order they start.

    The declaration of an entity is an error, so that entities can neither expand nor read other files, and so is any
    document type declaration unless it is allowed. Default values of attributes in a document type count.
    """
    path = Path(path)
    # Some files of NTCIR declare the encoding "utf8", which expat does not know.
    parser = expat.ParserCreate("utf-8")
    elements: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_elements) >= _MOST_LEVELS:
            raise IrdivError(
                f"{path}, line {parser.CurrentLineNumber}: elements are nested in more than {_MOST_LEVELS} levels; "
                "expected topics with their subtopics or judgments."
            )
        element = Element(tag, attributes, parser.CurrentLineNumber, tuple(open_elements), [])
        elements.append(element)
        open_elements.append(element)

    def add_text(text: str) -> None:
        for element in open_elements:
            element.pieces.append(text)

    def reject(*_: object) -> None:
        raise IrdivError(
            f"{path}, line {parser.CurrentLineNumber}: document types and entities in XML are not allowed."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = add_text
    parser.EntityDeclHandler = reject
    if not allow_document_type:
        parser.StartDoctypeDeclHandler = reject
    try:
        parser.Parse(read_bytes(path, "XML"), True)
    except expat.ExpatError as error:
        fault = expat.errors.messages[error.code]
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            fault = "the file is empty or truncated"
        raise IrdivError(f"{path}, line {error.lineno}: {fault}; expected XML in UTF-8.") from None
    return elements


def attribute(path: PathLike, element: Element, name: str) -> str:
    """Return an attribute of an element; it is an error if there is none."""
    if name not in element.attributes:
        raise error_at(path, element, f"<{element.tag}> has no {name}")
    return element.attributes[name]


def error_at(path: PathLike, element: Element, message: str) -> IrdivError:
    """Return an error that names the file and the line of an element."""
    return IrdivError(f"{path}, line {element.line}: {message}.")
