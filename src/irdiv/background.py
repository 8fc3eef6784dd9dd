"""Calls made in another process, which has imported what they need while this one was busy with something else.

Only the command line starts it: in a script, a process that is started needs ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import atexit
import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from itertools import count
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

R = TypeVar("R")


@contextmanager
def calls_through(connection: Connection | None) -> Iterator[None]:
    """Make `BackgroundCalls` within in the process at the other end, which runs `answer_calls`; None: in this one."""
    token = _process.set(None if connection is None else _Process(connection))
    try:
        yield
    finally:
        _process.reset(token)


class BackgroundCalls(Generic[R]):
    """Calls that are made one after the other, in the background process if there is one, else at once."""

    def __init__(self) -> None:
        self._process = _process.get()
        self._number = 0 if self._process is None else next(self._process.numbers)
        self._is_requested = False
        self._results: list[R] = []

    def call(self, function: Callable[..., R], *arguments: object) -> None:
        """Call a function of a module, or have it called."""
        if self._process is None:
            self._results.append(function(*arguments))
        else:
            self._process.send(self._number, _Call(function, arguments))

    def request(self) -> None:
        """Have the results sent once there are all, before other calls are made; this does not wait for them."""
        if self._process is not None and not self._is_requested:
            self._process.send(self._number, None)
            self._is_requested = True

    def results(self) -> list[R]:
        """Return what the functions return, once all have; an error or a warning of theirs becomes one of this."""
        if self._process is None:
            return self._results
        self.request()
        answer = self._process.receive(self._number)
        for message, category in answer.warnings:
            warnings.warn(message, category, stacklevel=2)
        if answer.error is not None:
            raise answer.error
        return answer.results


class _Call(NamedTuple):
    function: Callable[..., object]
    arguments: tuple[object, ...]


class _Answer(NamedTuple):
    results: list[Any]
    error: Exception | None
    warnings: list[tuple[str, type[Warning]]]


class _Process:
    """The background process as seen from here; calls and answers that belong together have a number."""

    def __init__(self, connection: Connection) -> None:
        self.numbers = count(1)
        self._connection = connection
        self._answers: dict[int, _Answer] = {}

    def send(self, number: int, call: _Call | None) -> None:
        """Have a call made, or with None the results of earlier ones sent."""
        message = pickle.dumps((number, None if call is None else pickle.dumps(call)))
        with _errors_of_ended_process():
            # Not by `send`: if it fails, its traceback keeps a buffer that can crash Python's garbage collection.
            self._connection.send_bytes(message)

    def receive(self, number: int) -> _Answer:
        """Return an answer that was asked for, after others if these come first."""
        while number not in self._answers:
            with _errors_of_ended_process():
                message = self._connection.recv_bytes()
            other, answer = pickle.loads(message)
            self._answers[other] = answer
        return self._answers.pop(number)


@contextmanager
def _errors_of_ended_process() -> Iterator[None]:
    """Raise an `IrdivError` for a connection without a process at its other end."""
    try:
        yield
    except (EOFError, OSError) as error:
        raise IrdivError(
            "the second process, which draws figures and computes intervals, has ended before its work was done; "
            "systems end processes that need too much memory: run the command again with more of it, or for fewer runs."
        ) from error


_process: ContextVar[_Process | None] = ContextVar("irdiv_background_process", default=None)


def answer_calls(connection: Connection, modules: Sequence[str]) -> None:
    """Import modules, make calls as they arrive, and send their results when asked to.

    This process ends when the other one ends or closes its connection.
    """
    # A process that sends while the other one does, too, would wait for ever if nobody received.
    messages: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(connection, messages), name="irdiv-receiver", daemon=True).start()
    for name in modules:
        with suppress(ImportError):  # which is an error of the call that needs it
            import_module(name)
    answers: dict[int, _Answer] = {}
    with suppress(OSError):
        while True:
            number, pickled_call = pickle.loads(messages.get())
            answer = answers.pop(number, _Answer([], None, []))
            if pickled_call is None:
                connection.send_bytes(pickle.dumps((number, answer)))
            else:
                answers[number] = _with_call(answer, pickled_call)


def _receive(connection: Connection, messages: SimpleQueue[bytes]) -> None:
    """Put messages into a queue, and end the process after them, also in the middle of a call.

    Only the main thread reads them, as that may import modules.
    """
    with suppress(EOFError, OSError):
        while True:
            messages.put(connection.recv_bytes())
    atexit._run_exitfuncs()  # as that of matplotlib, which removes its temporary folder
    os._exit(0)  # freeing all modules takes long


def _with_call(answer: _Answer, pickled_call: bytes) -> _Answer:
    """Return an answer with the result of one more call, which is not made after an error."""
    if answer.error is not None:
        return answer
    results, error = answer.results, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call: _Call = pickle.loads(pickled_call)  # which imports the module of the function
            results = [*results, call.function(*call.arguments)]
        except Exception as raised:
            error = raised
    found = [(str(warning.message), warning.category) for warning in caught]
    return _Answer(results, error, answer.warnings + found)
