"""Calls in a background process: they return, warn and fail as calls here do."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import warnings

import pytest

from irdiv import background
from irdiv.background import BackgroundCalls, background_process


@pytest.fixture(params=["there", "here"])
def calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "_processor_count", lambda: 2)
    modules = ["not_imported_here"] if request.param == "there" else ["os"]
    with background_process(*modules):
        calls: BackgroundCalls[int] = BackgroundCalls()
        calls.call(os.getpid)
        (pid,) = calls.results()
        assert (pid == os.getpid()) == (request.param == "here")
        yield BackgroundCalls


def test_calls_return_in_order(calls: type[BackgroundCalls]) -> None:
    for _ in range(2):
        several = calls()
        for number in (1.0, 4.0, 9.0):
            several.call(math.sqrt, number)
        assert several.results() == [1.0, 2.0, 3.0]


def test_results_larger_than_a_pipe(calls: type[BackgroundCalls]) -> None:
    several = calls()
    for letter in "ab":
        several.call(str.upper, letter * 1_000_000)
    assert several.results() == ["A" * 1_000_000, "B" * 1_000_000]


def results_of(calls: BackgroundCalls, *functions_and_arguments: tuple) -> list:
    for function, argument in functions_and_arguments:
        calls.call(function, argument)
    return calls.results()


def test_errors(calls: type[BackgroundCalls]) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        results_of(calls(), (int, "one"), (math.sqrt, 4.0))
    assert results_of(calls(), (math.sqrt, 4.0)) == [2.0]


def test_warnings(calls: type[BackgroundCalls]) -> None:
    with pytest.warns(UserWarning, match="odd"):
        results_of(calls(), (warnings.warn, "odd"))


def test_one_processor_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_processor_count", lambda: 1)
    with background_process("not_imported_here"):
        calls: BackgroundCalls[int] = BackgroundCalls()
        calls.call(os.getpid)
        assert calls.results() == [os.getpid()]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs POSIX signals")
def test_the_process_ends_with_a_killed_one() -> None:
    code = """
import os, signal
from irdiv import background
background._processor_count = lambda: 2
with background.background_process("not_imported_here"):
    calls = background.BackgroundCalls()
    calls.call(os.getpid)
    assert calls.results() != [os.getpid()]
    os.kill(os.getpid(), signal.SIGKILL)
"""
    # It would hold standard error open, and this would wait for it.
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -9
    assert ended.stderr == ""
