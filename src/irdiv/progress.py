"""Progress bars of long work."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeVar

T = TypeVar("T")


def progress_bar(items: Collection[T], unit: str, enabled: bool) -> Iterable[T]:
    """Return the items, with a progress bar on standard error while they are iterated over.

    Without a terminal, with fewer than two items, or if it is not enabled, there is no bar.
    """
    if not enabled or len(items) < 2:
        return items
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=unit, disable=None, leave=False)
    return bar
