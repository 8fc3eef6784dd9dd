"""By what ids differ that should be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice

_SEPARATORS = "#:/|@_-. "
_MOST_IDS = 1000
MANY = 0.1
"""What share of topics or intents without a counterpart is worth a warning."""


def _without_end(separator: str, text: str) -> str:
    return text.rpartition(separator)[0]


def _without_start(separator: str, text: str) -> str:
    return text.partition(separator)[2]


def _without_letters(text: str) -> str:
    return text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


_CHANGES: dict[str, Callable[[str], str]] = {
    "white space around them": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: text.lstrip("0"),
    **{f"the part from the last {sep!r} on": partial(_without_end, sep) for sep in _SEPARATORS},
    **{f"the part up to the first {sep!r}": partial(_without_start, sep) for sep in _SEPARATORS},
    "letters at the start": _without_letters,
}


def describe_difference(ids: Iterable[str], others: Iterable[str]) -> str:
    """Return by what some ids differ from others that they may stand for, as a sentence; empty if it is not clear.

    >>> describe_difference(["p1", "p2"], ["p2#3"])
    " Some are the same but for the part from the last '#' on."
    >>> describe_difference(["p1"], ["p1", "p2"])
    ''
    """
    sides = set(islice(ids, _MOST_IDS)), set(islice(others, _MOST_IDS))
    for what, change in _CHANGES.items():
        # Only one side is changed, so that ids of which the same is left do not match.
        for one, other in (sides, sides[::-1]):
            changed = {new for text in one if (new := change(text)) not in ("", text)}
            if not changed.isdisjoint(other):
                return f" Some are the same but for {what}."
    return ""
