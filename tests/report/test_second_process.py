"""Calls in a background process: they return, warn and fail as calls here do."""

from __future__ import annotations

import atexit
import math
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from irdiv import IrdivError
from irdiv.background import BackgroundCalls, calls_through
from irdiv_cli import background, command_line, main
from irdiv_cli.background import background_process

pytestmark = pytest.mark.slow


@pytest.fixture(params=["there", "here"])
def calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(background, "_processor_count", lambda: 2)
    modules = ["not_imported_here"] if request.param == "there" else ["os"]
    with background_process(modules) as connection, calls_through(connection):
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


def test_arguments_larger_than_a_pipe_while_results_are_sent(calls: type[BackgroundCalls]) -> None:
    first, second = calls(), calls()
    first.call(str.upper, "a" * 1_000_000)
    first.request()
    second.call(str.upper, "b" * 1_000_000)
    assert first.results() == ["A" * 1_000_000]
    assert second.results() == ["B" * 1_000_000]


def test_each_has_its_own_results(calls: type[BackgroundCalls]) -> None:
    first, second = calls(), calls()
    first.call(math.sqrt, 1.0)
    second.call(math.sqrt, 4.0)
    first.call(math.sqrt, 9.0)
    first.request()
    assert second.results() == [2.0]
    assert first.results() == [1.0, 3.0]


def test_an_error_is_that_of_its_own_calls(calls: type[BackgroundCalls]) -> None:
    failing, other = calls(), calls()
    with pytest.raises(ValueError, match="invalid literal"):
        results_of(failing, (int, "one"))
    assert results_of(other, (math.sqrt, 4.0)) == [2.0]


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


def test_a_module_that_is_missing_there_is_an_error_of_its_call(
    calls: type[BackgroundCalls], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def one(_): raise ImportError('only_here')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "only_here", raising=False)
    function = import_module("only_here").one
    with pytest.raises(ImportError, match="only_here"):
        results_of(calls(), (function, None))
    assert results_of(calls(), (math.sqrt, 4.0)) == [2.0]


def test_a_process_that_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_processor_count", lambda: 2)
    with background_process(["not_imported_here"]) as connection, calls_through(connection):
        calls: BackgroundCalls[None] = BackgroundCalls()
        with pytest.raises(IrdivError, match="second process.* has ended.*more"):
            results_of(calls, (os._exit, 1))
        with pytest.raises(IrdivError, match="second process.* has ended.*more"):
            calls.call(math.sqrt, 4.0)


def test_a_report_whose_process_ends_is_an_error_without_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def ended_process(_: object) -> Iterator[Connection]:
        ours, theirs = Pipe()
        theirs.close()
        with ours:
            yield ours

    monkeypatch.setattr(command_line, "background_process", ended_process)
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 1 a 1\n1 2 b 1\n2 1 a 1\n")
    Path("x.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 1 x\n")
    Path("y.run").write_text("1 Q0 b 1 2 y\n2 Q0 b 1 1 y\n")
    assert main(["report", "qrels", "x.run", "y.run"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert "second process" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels", "x.run", "y.run"]


def test_one_processor_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_processor_count", lambda: 1)
    with background_process(["not_imported_here"]) as connection, calls_through(connection):
        calls: BackgroundCalls[int] = BackgroundCalls()
        calls.call(os.getpid)
        assert calls.results() == [os.getpid()]


@pytest.mark.parametrize("given", [None, "20"])
def test_blas_threads_sleep_unless_their_timeout_is_given(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_processor_count", lambda: 2)
    name = "OPENBLAS_THREAD_TIMEOUT"
    monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv(name, given)
    with background_process(["not_imported_here"]) as connection, calls_through(connection):
        there: BackgroundCalls[str | None] = BackgroundCalls()
        there.call(os.getenv, name)
        assert there.results() == [os.getenv(name)] == [given or "4"]
    assert os.getenv(name) == given


def test_it_starts_before_irdiv_is_imported_and_only_for_the_report() -> None:
    code = """
import sys
from irdiv_cli import background, main
started = []
background._processor_count = lambda: started.append("irdiv" in sys.modules) or 1
main(["report", "missing", "missing"])
main(["eval", "missing", "missing"])
print(started)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "[False]\n"


@pytest.mark.parametrize("is_busy", [False, True])
def test_the_process_removes_what_it_has_made_at_its_end(
    is_busy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_processor_count", lambda: 2)
    monkeypatch.setattr(background, "_GRACE", 30)
    folder = tmp_path / "temporary"
    folder.mkdir()
    with background_process(["not_imported_here"]) as connection, calls_through(connection):
        calls: BackgroundCalls[object] = BackgroundCalls()
        calls.call(atexit.register, os.rmdir, str(folder))
        calls.results()
        if is_busy:
            BackgroundCalls[None]().call(time.sleep, 300)
    assert not folder.exists()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs POSIX signals")
def test_the_process_ends_with_a_killed_one() -> None:
    code = """
import os, signal
from irdiv.background import BackgroundCalls, calls_through
from irdiv_cli import background
background._processor_count = lambda: 2
with background.background_process(["not_imported_here"]) as connection, calls_through(connection):
    calls = BackgroundCalls()
    calls.call(os.getpid)
    assert calls.results() != [os.getpid()]
    os.kill(os.getpid(), signal.SIGKILL)
"""
    # It would hold standard error open, and this would wait for it.
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -9
    assert ended.stderr == ""
