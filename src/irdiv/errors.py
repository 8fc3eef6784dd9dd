"""The exception and the warning of the package, and helpers for their messages."""

from __future__ import annotations

import re
import reprlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice


class IrdivError(ValueError):
    """Input that cannot be used; the message states what was found, what was expected and what to do."""


class IrdivWarning(UserWarning):
    """Input that may be a mistake, although all values are computed as defined."""


@contextmanager
def prefix_errors_with_run(name: str | None) -> Iterator[None]:
    """Prefix the message of errors with the name of a run, if it has one."""
    with _prefix_errors("run", name):
        yield


@contextmanager
def prefix_errors_with_collection(name: str | None) -> Iterator[None]:
    """Prefix the message of errors with the name of a collection, if it has one."""
    with _prefix_errors("collection", name):
        yield


@contextmanager
def _prefix_errors(role: str, name: str | None) -> Iterator[None]:
    try:
        yield
    except IrdivError as error:
        raise IrdivError(str(error) if name is None else f"{role} {name!r}: {error}") from None


def warn(message: str) -> None:
    """Warn, with the line of the user's code that called irdiv as the source of the warning."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "irdiv":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, IrdivWarning, stacklevel=depth)


def examples(values: Iterable[object], limit: int = 3) -> str:
    """Return the first few values as they are typed in Python, with "…" if there are more.

    >>> examples(["a", "b", "c", "d"])
    "'a', 'b', 'c', …"
    """
    shown = [repr(value) for value in islice(values, limit + 1)]
    return ", ".join(shown[:limit]) + (", …" if len(shown) > limit else "")


def short(value: object) -> str:
    """Return a value as it is typed in Python, without its middle if it is long.

    >>> short("a" * 99)
    "'aaaaaaaaaaaa...aaaaaaaaaaaaa'"
    """
    try:
        return reprlib.repr(value)
    except ValueError:
        return "an integer of more digits than Python prints"


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, which a terminal may obey, those that end a line or change its direction, and half characters."""


def printable(text: str) -> str:
    r"""Return a text with escapes in place of characters that a terminal or a program may obey, such as ESC.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _UNPRINTABLE.sub(lambda match: repr(match[0])[1:-1], text)


_NOT_OF_A_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def replace_surrogates(text: str) -> str:
    r"""Return a text that can be written as UTF-8: names of files have lone surrogates for bytes that are not UTF-8.

    Bytes that Python has not decoded because of the system's encoding become the characters that they are.

    >>> replace_surrogates("a\udcff.run") == "a\ufffd.run"
    True
    """
    content = _NOT_OF_A_BYTE.sub("\ufffd", text).encode("utf-8", errors="surrogateescape")
    return content.decode("utf-8", errors="replace")


def counted(count: int, singular: str, plural: str) -> str:
    """Return a count with the words that follow it.

    >>> counted(1, "topic has", "topics have")
    '1 topic has'
    """
    return f"{count} {singular if count == 1 else plural}"


def near_names(name: object, known: Sequence[str]) -> str:
    """Return the end of an error about an unknown name: known names that are close to it, and the first known ones.

    >>> near_names("bm52", ["bm25", "ql", "rm3"])
    "did you mean 'bm25'? There are 'bm25', 'ql', 'rm3'."
    """
    near = get_close_matches(str(name), known, n=3)
    there_are = f"here are {examples(known, 9)}."
    return f"did you mean {' or '.join(map(repr, near))}? T{there_are}" if near else f"t{there_are}"
