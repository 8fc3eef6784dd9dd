"""A second process, started before irdiv is imported in this one, so that both import at the same time."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_GRACE = 0.2
"""Seconds in which the process can remove what it and its modules have left behind."""


@contextmanager
def background_process(modules: Sequence[str]) -> Iterator[Connection | None]:
    """Start a process that imports modules and makes calls of `irdiv.background`; yield the connection to it.

    There is none where it would not help: if this process has imported the modules, or has one processor.
    """
    if all(name in sys.modules for name in modules) or _processor_count() < 2:
        yield None
        return
    from multiprocessing import get_context

    ours, theirs = (context := get_context("spawn")).Pipe()
    process = context.Process(target=_answer_calls, args=(theirs, modules), name="irdiv-background", daemon=True)
    with _sleeping_blas_threads():
        with _blocked_interrupts():
            process.start()
        theirs.close()
        try:
            yield ours
        finally:
            ours.close()  # which ends the process, unless it is in a call that does not return to Python
            process.join(_GRACE)
            process.kill()
            process.join()


def _answer_calls(connection: Connection, modules: Sequence[str]) -> None:
    """Import irdiv, which this module does not, and answer."""
    from irdiv.background import answer_calls

    answer_calls(connection, modules)


def _processor_count() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _sleeping_blas_threads() -> Iterator[None]:
    """Have threads of BLAS sleep between calls, in processes that import numpy within.

    By default they wait busily, for so long that they take the processors from the other process. Values are the same.
    """
    if (name := "OPENBLAS_THREAD_TIMEOUT") in os.environ:
        yield
        return
    os.environ[name] = "4"  # 2⁴ cycles, the least
    try:
        yield
    finally:
        del os.environ[name]


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
