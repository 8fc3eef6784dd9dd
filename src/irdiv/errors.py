"""The one exception and the one warning of the package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice


class IrdivError(ValueError):
    """A user's input cannot be evaluated; the message says what was expected, what was found and what to do."""


class IrdivWarning(UserWarning):
    """Something in the input deserves a look, but the values stand as defined."""


@contextmanager
def about_run(name: str | None) -> Iterator[None]:
    """Let errors say which run is at fault, if it has a name."""
    try:
        yield
    except IrdivError as error:
        raise IrdivError(str(error) if name is None else f"run {name!r}: {error}") from None


def warn(message: str) -> None:
    """Warn about the user's line that called irdiv, however deep the call."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "irdiv":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, IrdivWarning, stacklevel=depth)


def examples(values: Iterable[object], most: int = 3) -> str:
    """Return the first few values as they would be typed, and whether there are more.

    >>> examples(["a", "b", "c", "d"])
    "'a', 'b', 'c', …"
    """
    shown = [repr(value) for value in islice(values, most + 1)]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")
