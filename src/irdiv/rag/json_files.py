"""Values of JSON and JSON Lines files, and what is wrong with such files."""

from __future__ import annotations

import json
from typing import NamedTuple

from irdiv.errors import IrdivError
from irdiv.io.text import text_lines
from irdiv.types import PathLike

_SNIPPET = 40
"""How many characters of a line errors show."""


class Line(NamedTuple):
    """A line of a file that is not blank."""

    number: int
    text: str


def read_json(path: PathLike, role: str) -> list[tuple[str, object]]:
    """Return the values of a file, each with its line for errors: one for each line, or a single one of many lines."""
    texts = text_lines(path, role)
    lines = [Line(number, text) for number, text in enumerate(texts, 1) if text.strip()]
    if not lines:
        raise IrdivError(f"{path}: the {role} file is empty; expected a JSON object in each line.")
    if len(lines) > 1 and _are_one_value(lines[0].text, lines[1].text):
        return [(str(path), _parse(path, role, lines))]
    values = [(f"{path}, line {line.number}", _parse(path, role, [line], is_last=line is lines[-1])) for line in lines]
    return [(str(path), values[0][1])] if len(values) == 1 else values


def _are_one_value(first: str, second: str) -> bool:
    """Return whether the first two lines are parts of one value, as where JSON is indented."""
    if first.strip() in ("{", "["):
        return True
    is_start = first.lstrip().startswith(("{", "[")) and _where_not_json(first) == len(first.rstrip())
    return is_start and _where_not_json(second) is not None


def _where_not_json(text: str) -> int | None:
    """Return up to where a text is the start of a JSON value, None if it is one."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos
    except (RecursionError, ValueError):
        return None  # the error is raised where it is parsed
    return None


def _parse(path: PathLike, role: str, lines: list[Line], *, is_last: bool = True) -> object:
    """Return the value of some lines; ``is_last`` if they are the end of the file."""
    text = "\n".join(line.text for line in lines)
    try:
        value: object = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        raise IrdivError(
            f"{path}, line {lines[0].number}: the JSON has half of a surrogate pair, "
            f"{error.object[error.start]!r}, which is no character; correct or leave out such escapes."
        ) from None
    except json.JSONDecodeError as error:
        line = lines[error.lineno - 1]
        if not lines[0].text.lstrip().startswith(("{", "[")):
            raise _other_format_error(path, role, line) from None
        rest = line.text[error.colno - 1 :].strip()
        is_cut = is_last and line is lines[-1] and (not rest or error.msg.startswith("Unterminated string"))
        found = f"found {rest[:_SNIPPET]!r}" if rest else f"the line ends with {line.text[-_SNIPPET:]!r}"
        hint = "is the file truncated?" if is_cut else f"expected a {role} file with a JSON object in each line."
        raise IrdivError(
            f"{path}, line {line.number}, column {error.colno}: not JSON ({error.msg}), {found}; {hint}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise IrdivError(
            f"{path}, line {lines[0].number}: cannot read the JSON, which has too many levels or too long a number "
            f"({error})."
        ) from None


def _other_format_error(path: PathLike, role: str, line: Line) -> IrdivError:
    is_trec = len(line.text.split()) in (4, 6) and "," not in line.text
    remedy = (
        "irdiv.evaluate takes TREC files as they are."
        if is_trec
        else "Read tables of other formats first, as by pandas.read_csv, and give the frame."
    )
    return IrdivError(
        f"{path}, line {line.number}: not JSON, found {line.text.strip()[:60]!r}; expected a {role} file with a JSON "
        f"object in each line. {remedy}"
    )
