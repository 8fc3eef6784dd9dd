"""XML of test collections, without what XML can do to a reader."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from irdiv.errors import IrdivError
from irdiv.frames.trec import PathLike, open_file


class Element(NamedTuple):
    """The start of an element: its tag, its attributes, the line it stands in and the elements around it."""

    tag: str
    attributes: dict[str, str]
    line: int
    around: tuple[Element, ...]

    def inside(self, tag: str) -> Element | None:
        """Return the nearest element of this tag around this one."""
        return next((element for element in reversed(self.around) if element.tag == tag), None)


def read_elements(path: PathLike) -> list[Element]:
    """Return the elements of an XML file in UTF-8, whatever encoding it declares, in the order they start.

    A document type declaration is refused, and with it every trick of entities.
    """
    path = Path(path)
    # Some files of NTCIR declare the encoding "utf8", which expat does not know.
    parser = expat.ParserCreate("utf-8")
    found: list[Element] = []
    open_: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber, tuple(open_))
        found.append(element)
        open_.append(element)

    def refuse(*_: object) -> None:
        raise IrdivError(f"{path}, line {parser.CurrentLineNumber}: document types and entities in XML are refused.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_.pop()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        with open_file(path, "XML") as file:
            parser.ParseFile(file)
    except (EOFError, OSError, zlib.error) as error:
        raise IrdivError(f"{path}: the file is truncated or damaged ({error}).") from None
    except expat.ExpatError as error:
        fault = expat.errors.messages[error.code]
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            fault = "the file is empty or truncated"
        raise IrdivError(f"{path}, line {error.lineno}: {fault}; expected XML in UTF-8.") from None
    return found
