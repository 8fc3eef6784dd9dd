"""The one exception and the one warning of the package."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice


class IrdivError(ValueError):
    """A user's input cannot be evaluated; the message says what was expected, what was found and what to do."""


class IrdivWarning(UserWarning):
    """Something in the input deserves a look, but the values stand as defined."""


def examples(values: Iterable[object], most: int = 3) -> str:
    """Return the first few values as they would be typed, and whether there are more.

    >>> examples(["a", "b", "c", "d"])
    "'a', 'b', 'c', …"
    """
    shown = [repr(value) for value in islice(values, most + 1)]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")
