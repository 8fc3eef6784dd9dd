"""Calls made in another process, which has imported what they need while this one was busy with something else.

Only the command line starts it: in a script, a process that is started needs ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Generic, NamedTuple, TypeVar

R = TypeVar("R")

_process: ContextVar[Connection | None] = ContextVar("irdiv_background_process", default=None)


@contextmanager
def background_process(*modules: str) -> Iterator[None]:
    """Make `BackgroundCalls` within in another process, which imports modules first.

    There is none where it would not help: if this process has imported the modules, or has one processor.
    """
    if _processor_count() < 2 or all(name in sys.modules for name in modules):
        yield
        return
    ours, theirs = (context := get_context("spawn")).Pipe()
    process = context.Process(target=_answer_calls, args=(theirs, modules), name="irdiv-background", daemon=True)
    with _blocked_interrupts():
        process.start()
    theirs.close()
    token = _process.set(ours)
    try:
        yield
    finally:
        _process.reset(token)
        process.kill()
        process.join()


class BackgroundCalls(Generic[R]):
    """Calls that are made one after the other, in the background process if there is one, else at once."""

    def __init__(self) -> None:
        self._connection = _process.get()
        self._results: list[R] = []

    def call(self, function: Callable[..., R], *arguments: object) -> None:
        """Call a function of a module, or have it called."""
        if self._connection is None:
            self._results.append(function(*arguments))
        else:
            self._connection.send(_Call(function, arguments))

    def results(self) -> list[R]:
        """Return what the functions return, once all have; an error or a warning of theirs becomes one of this."""
        if self._connection is None:
            return self._results
        self._connection.send(None)
        answer: _Answer = self._connection.recv()
        for message, category in answer.warnings:
            warnings.warn(message, category, stacklevel=2)
        if answer.error is not None:
            raise answer.error
        return answer.results


class _Call(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[object, ...]


class _Answer(NamedTuple):
    results: list[Any]
    error: Exception | None
    warnings: list[tuple[str, type[Warning]]]


def _answer_calls(connection: Connection, modules: Sequence[str]) -> None:
    """Make calls as they arrive, and send their results when asked to, until the other process ends."""
    for name in modules:
        with suppress(ImportError):  # which is an error of the call that needs it
            import_module(name)
    with suppress(EOFError, OSError):
        while True:
            connection.send(_answer(iter(connection.recv, None)))


def _answer(calls: Iterator[_Call]) -> _Answer:
    results: list[Any] = []
    error: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for call in calls:
            if error is None:
                try:
                    results.append(call.function(*call.arguments))
                except Exception as raised:
                    error = raised
    return _Answer(results, error, [(str(warning.message), warning.category) for warning in caught])


def _processor_count() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Start processes that do not get Ctrl-C; they end with this one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it starts a process, too, and would unblock Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
