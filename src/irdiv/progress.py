"""Progress bars of long work, by tqdm: on standard error if that is a terminal, and in notebooks.

Work that may take long iterates over `progress_bar`, or counts in `progress_counter`. Bars appear only within
`show_progress`, so that no function has to pass on whether there are bars.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

Advance: TypeAlias = Callable[[int], object]
"""A function that is called with how many more items are done."""

_DELAY = 0.5
"""Seconds after which work has a bar; what is done sooner would only flicker."""
_MANY = 100_000
"""From this total on counts are shortened, as in 1.25M."""
_is_shown: ContextVar[bool] = ContextVar("irdiv_progress", default=False)


@contextmanager
def show_progress(enabled: bool = True) -> Iterator[None]:
    """Show progress bars of the work within, if it takes more than half a second.

    If it is not enabled, nothing changes: bars that something further out shows stay.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_collection
    >>> with show_progress():
    ...     best = irdiv.oracle(demo_collection(), "D#-nDCG@10")
    """
    token = _is_shown.set(enabled or _is_shown.get())
    try:
        yield
    finally:
        _is_shown.reset(token)


def shows_progress(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function show progress bars if its keyword argument ``progress`` is true."""

    @wraps(function)
    def with_bars(*args: P.args, **kwargs: P.kwargs) -> R:
        with show_progress(bool(kwargs.get("progress", False))):
            return function(*args, **kwargs)

    return with_bars


@contextmanager
def progress_counter(total: int | None, unit: str, description: str | None = None) -> Iterator[Advance]:
    """Yield a function that takes how many more items are done, and show a bar meanwhile.

    Without a total, the bar shows only count and rate; a total of one item has no bar. ``unit`` names one item, and the
    description, by default its plural, is in front of the bar.
    """
    # sys.stderr is None in a program without a console.
    if not _is_shown.get() or (total is not None and total < 2) or sys.stderr is None:
        yield lambda count: None
        return
    from tqdm.auto import tqdm

    with tqdm(
        total=total,
        unit=unit,
        desc=description or f"{unit}s",
        unit_scale=total is None or total >= _MANY,
        leave=False,
        delay=_DELAY,
        dynamic_ncols=True,
        disable=None if not is_in_notebook() else False,
    ) as bar:
        yield bar.update


def progress_bar(items: Collection[T], unit: str, description: str | None = None) -> Iterable[T]:
    """Return the items, with a bar as of `progress_counter` while they are iterated over."""
    return items if not _is_shown.get() else _counted(items, unit, description)


def _counted(items: Collection[T], unit: str, description: str | None) -> Iterator[T]:
    with progress_counter(len(items), unit, description) as advance:
        for item in items:
            yield item
            advance(1)


def progress_slices(total: int, step: int, unit: str) -> Iterator[slice]:
    """Yield consecutive slices of at most ``step`` items, with a bar as of `progress_counter` that counts items."""
    with progress_counter(total, unit) as advance:
        for start in range(0, total, step):
            stop = min(start + step, total)
            yield slice(start, stop)
            advance(stop - start)


def hidden_bars() -> AbstractContextManager[None]:
    """Hide the bars on the terminal while something else is written to it."""
    if "tqdm" not in sys.modules:
        return nullcontext()
    from tqdm import tqdm

    hidden: AbstractContextManager[None] = tqdm.external_write_mode(file=sys.stderr)
    return hidden


def is_in_notebook() -> bool:
    """Return whether this code runs in a kernel of Jupyter."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")
