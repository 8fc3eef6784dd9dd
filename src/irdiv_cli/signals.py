"""Ctrl-C and SIGTERM: one line, an exit code, and nothing left behind."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from irdiv_cli.streams import print_message

_MESSAGES: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_GRACE = 1.0
"""Seconds after which a process ends even if it is in the middle of a call that does not return to Python."""


def run_until_signal(command: Callable[[], int], *, is_process: bool) -> int:
    """Return the exit code of a command, or 128 plus the number of the signal that ended it.

    A command that is the whole process ends it at once then, without waiting for threads that read or compute ahead.
    """
    if threading.current_thread() is not threading.main_thread():
        return command()  # only the main thread gets signals
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        received.append(number)
        raise KeyboardInterrupt

    with _handlers(interrupt), _watchdog(is_process):
        try:
            return command()
        except BaseException:
            # Other packages may have made another exception of the interrupt.
            if not received:
                raise
            for number in _MESSAGES:
                signal.signal(number, signal.SIG_IGN)
            return _end(received[0], is_process)


@contextmanager
def _handlers(interrupt: Callable[[int, FrameType | None], NoReturn]) -> Iterator[None]:
    """Call a function on signals, but not on those that the parent process has them ignore."""
    before = {number: signal.getsignal(number) for number in _MESSAGES}
    handled = [number for number, handler in before.items() if handler in (signal.SIG_DFL, signal.default_int_handler)]
    try:
        for number in handled:
            signal.signal(number, interrupt)
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # None is one that was not set from Python
                signal.signal(number, handler)


@contextmanager
def _watchdog(is_process: bool) -> Iterator[None]:
    """End the process in a thread if the main thread does not react to a signal.

    It may be in a long call, as of a solver, or where Python only prints exceptions, as in ``__del__``.
    """
    if not is_process:
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_end_after_signal, args=(reader,), name="irdiv-signals", daemon=True).start()
    print_exception = sys.unraisablehook

    def print_unless_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            print_exception(unraisable)

    sys.unraisablehook = print_unless_interrupt
    try:
        yield
    finally:
        sys.unraisablehook = print_exception
        signal.set_wakeup_fd(before)
        os.close(writer)


def _end_after_signal(reader: int) -> None:
    while received := os.read(reader, 1):
        if received[0] in _MESSAGES:
            time.sleep(_GRACE)
            _end(received[0], True)
    os.close(reader)


_is_ending = threading.Lock()


def _end(number: int, is_process: bool) -> int:
    """Print one line and remove unfinished files; end the process if the command is all of it."""
    code = 128 + number
    if is_process and not _is_ending.acquire(blocking=False):
        time.sleep(_GRACE)  # another thread ends the process
    is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    # The terminal has printed ^C.
    erase_line = "\r\x1b[K" if is_terminal else ""
    print_message(f"{erase_line}irdiv: {_MESSAGES[number]}")
    if "irdiv.files" in sys.modules:
        from irdiv.files import remove_unfinished_files

        remove_unfinished_files()
    if is_process:
        atexit._run_exitfuncs()
        os._exit(code)
    return code
