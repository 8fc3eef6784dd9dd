"""Progress bars of long work, on standard error if that is a terminal, and in notebooks.

Work that may take long iterates over `progress_bar`, or counts in `progress_counter`. Bars appear only within
`show_progress`, in the thread that entered it, so that no function has to pass on whether there are bars.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import wraps
from threading import Event, RLock, Thread
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

Advance: TypeAlias = Callable[[int], object]
"""A function that is called with how many more items are done."""

_DELAY = 0.5
"""Seconds after which work has a bar; what is done sooner would only flicker."""
_INTERVAL = 0.2
_MANY = 100_000
"""From this total on counts are shortened, as in 1.25M."""


class _Display(Protocol):
    """Where bars are shown."""

    def open(self, total: int | None, unit: str, description: str | None) -> Advance:
        """Add a bar below the others, and return the function that advances it."""

    def close(self, keep: int = 0) -> None:
        """Remove all bars but the first ones."""

    def end(self) -> None:
        """Remove all bars for good."""

    def __len__(self) -> int: ...


_display: ContextVar[_Display | None] = ContextVar("irdiv_progress", default=None)
_terminals: list[_Terminal] = []


@contextmanager
def show_progress(enabled: bool = True) -> Iterator[None]:
    """Show progress bars of the work within, if it takes more than half a second.

    They are on standard error if that is a terminal, or in the output of a notebook; elsewhere there are none. If it is
    not enabled, nothing changes: bars that something further out shows stay.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_collection
    >>> with show_progress():
    ...     best = irdiv.oracle(demo_collection(), "D#-nDCG@10")
    """
    display = _new_display() if enabled and _display.get() is None else None
    if display is None:
        yield
        return
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)
        display.end()


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
    display = _display.get()
    if display is None or (total is not None and total < 2):
        yield _ignore
        return
    outer = len(display)
    try:
        yield display.open(total, unit, description)
    finally:
        display.close(keep=outer)


def progress_bar(items: Collection[T], unit: str, description: str | None = None) -> Iterable[T]:
    """Return the items, with a bar as of `progress_counter` while they are iterated over."""
    return items if _display.get() is None else _counted(items, unit, description)


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


@contextmanager
def hidden_bars() -> Iterator[None]:
    """Hide the bars on the terminal while something else is written to it."""
    with ExitStack() as stack:
        for terminal in _terminals:
            stack.enter_context(terminal.hidden())
        yield


def is_in_notebook() -> bool:
    """Return whether this code runs in a kernel of Jupyter."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def remove_bars() -> None:
    """Remove all bars from the terminal, for a process that must end at once."""
    for terminal in _terminals.copy():
        terminal.end()


def _ignore(count: int) -> None:
    pass


def _new_display() -> _Display | None:
    if is_in_notebook():
        return _Notebook()
    # sys.stderr is None in a program without a console.
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return _Terminal() if is_terminal and os.environ.get("TERM") != "dumb" else None


class _Counter:
    """How many items are done; the thread that works only adds to it."""

    def __init__(self, total: int | None, unit: str, description: str | None) -> None:
        self.total, self.unit, self.description = total, unit, description
        self.count, self.start = 0, time.time()
        self._bar: Any = None

    def advance(self, count: int) -> None:
        self.count += count

    @property
    def is_due(self) -> bool:
        return time.time() - self.start >= _DELAY

    def draw(self) -> None:
        if self._bar is None:
            from tqdm import tqdm

            options = _options(self.total, self.unit, self.description)
            self._bar = tqdm(**options, ncols=_columns(), mininterval=0, miniters=1)
            self._bar.start_t = self._bar.last_print_t = self.start
        self._bar.ncols = _columns()
        more = self.count - self._bar.n
        if more:
            self._bar.update(more)
        else:
            self._bar.refresh()

    def clear(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _columns() -> int:
    """Return the width of the terminal, 80 if it does not know its size, less one column, where lines would wrap."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return (columns or 80) - 1


class _Terminal:
    """Bars on standard error, drawn by a thread, so that there is one even if the first item takes long."""

    def __init__(self) -> None:
        self._counters: list[_Counter] = []
        self._lock, self._ended = RLock(), Event()
        self._thread: Thread | None = None

    def __len__(self) -> int:
        return len(self._counters)

    def open(self, total: int | None, unit: str, description: str | None) -> Advance:
        counter = _Counter(total, unit, description)
        with self._lock:
            self._counters.append(counter)
        if self._thread is None:
            self._thread = Thread(target=self._draw_repeatedly, name="irdiv-progress", daemon=True)
            _terminals.append(self)
            self._thread.start()
        return counter.advance

    def close(self, keep: int = 0) -> None:
        with self._lock:
            for counter in reversed(self._counters[keep:]):
                counter.close()
            del self._counters[keep:]

    def end(self) -> None:
        self._ended.set()
        self.close()
        if self in _terminals:
            _terminals.remove(self)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Clear the bars and draw none meanwhile."""
        with self._lock:
            for counter in self._counters:
                counter.clear()
            yield

    def _draw_repeatedly(self) -> None:
        while not self._ended.wait(_INTERVAL):
            with self._lock:
                for counter in self._counters:
                    if counter.is_due:
                        counter.draw()


def _options(total: int | None, unit: str, description: str | None) -> dict[str, object]:
    return {
        "total": total,
        "unit": unit,
        "desc": description or f"{unit}s",
        "unit_scale": total is None or total >= _MANY,
        "leave": False,
    }


class _Notebook:
    """Bars in the output of a notebook."""

    def __init__(self) -> None:
        self._bars: list[Any] = []

    def __len__(self) -> int:
        return len(self._bars)

    def open(self, total: int | None, unit: str, description: str | None) -> Advance:
        from tqdm.auto import tqdm

        self._bars.append(tqdm(**_options(total, unit, description), delay=_DELAY))
        return self._bars[-1].update

    def close(self, keep: int = 0) -> None:
        while len(self._bars) > keep:
            self._bars.pop().close()

    def end(self) -> None:
        self.close()
