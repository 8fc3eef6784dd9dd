"""Tests that run with one place of irdiv changed, in a process of their own."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple, NoReturn

import pytest

from .changed_import import change_on_import
from .changes import Mutant, compile_mutant

_MEMORY = 12 * 2**30
_NOT_RUN = 99
_UNCHANGED_SECONDS = 600.0
# Without messages of failed assertions, which nobody reads, tests are loaded in a third of the time. Files that
# output goes to would be shared by all processes.
_OPTIONS = (
    "-q", "--no-header", "--no-summary", "--tb=no", "--assert=plain", "--capture=sys",
    "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov",
)  # fmt: skip
_STARTS_THREADS = "tests/io/test_input_forms.py"
"""A file that starts threads of polars when it is collected, for which other processes wait in vain."""
_SHARED = "irds_home"
"""A fixture that writes into a folder which the tests of all processes share, if those are collected once."""


class Trial(NamedTuple):
    """A mutant and the tests that are to fail on it."""

    mutant: Mutant
    tests: list[str]
    seconds: float
    """How long the tests take without a change."""


Note = Callable[[Mutant, str, str], None]
"""A function that is called with a mutant, its outcome, and the last line that its tests printed."""


def by_import(package: Path, trials: Iterable[Trial], jobs: int, note: Note) -> None:
    """Try mutants by tests that import the changed module, and so are collected for each mutant."""
    _forget_options()
    processes = _Processes(jobs)
    for trial in trials:
        if processes.fork(trial.seconds, _noting(trial.mutant, note)):
            try:
                change_on_import(package, trial.mutant)
                _exit(pytest.main([*_OPTIONS, "-x", *trial.tests]))
            except BaseException:
                traceback.print_exc()
                _exit(_NOT_RUN)
    processes.wait_for_all()


def in_place(package: Path, trials: list[Trial], jobs: int, note: Note) -> None:
    """Try mutants by tests that are collected once, on functions whose code is replaced after that.

    What imports and the collection of tests have computed stays as it was, so a mutant may survive here that
    is killed by import.
    """
    _forget_options()
    files = sorted({test.split("::")[0] for trial in trials for test in trial.tests} - {_STARTS_THREADS})
    status = pytest.main([*_OPTIONS, *files], plugins=[_Replacing(package, trials, jobs, note)])
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"the tests could not be collected: {status!r}")


def _forget_options() -> None:
    """Remove options of pytest that are set for whole runs, such as those of plugins that are left out here."""
    os.environ.pop("PYTEST_ADDOPTS", None)


class _Replacing:
    """A plugin that runs chosen tests in a process for each mutant, in place of all tests in one."""

    def __init__(self, package: Path, trials: list[Trial], jobs: int, note: Note) -> None:
        self._package = package
        self._trials = trials
        self._processes = _Processes(jobs)
        self._jobs = jobs
        self._note = note
        self._folder: Path | None = None
        """That of the process, if it is one that runs tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        items = {item.nodeid: item for item in session.items if _SHARED not in getattr(item, "fixturenames", ())}
        chosen = [[name for test in trial.tests for name in _named(test, items)] for trial in self._trials]
        used = list(dict.fromkeys(test for tests in chosen for test in tests))
        failing: set[str] = set()
        for number in range(self._jobs):
            self._folder = self._processes.fork(
                _UNCHANGED_SECONDS, lambda status, folder: failing.update(_failed(status, folder))
            )
            if self._folder:
                session.items[:] = [items[test] for test in used[number :: self._jobs]]
                return None  # pytest goes on with these
        self._processes.wait_for_all()
        print(f"{len(used)} tests, of which {len(failing)} fail without a change here:", *sorted(failing), flush=True)
        functions = _functions(self._package)
        gc.freeze()  # or collections of garbage in each process would copy all memory
        for trial, names in zip(self._trials, chosen, strict=True):
            tests = [items[name] for name in names if name not in failing]
            code = _replaced(self._package, trial.mutant, functions) if tests else {}
            if not code:
                self._note(trial.mutant, "not run", "cannot be replaced")
                continue
            self._folder = self._processes.fork(trial.seconds, _noting(trial.mutant, self._note))
            if self._folder:
                for function, new in code.items():
                    function.__code__ = new
                session.items[:] = tests
                session.config.option.maxfail = 1
                return None
        self._processes.wait_for_all()
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._folder:
            with (self._folder / "failed").open("a") as file:
                print(report.nodeid, file=file)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._folder:  # what follows removes folders that are not its own
            _exit(exitstatus)


def _named(test: str, names: Collection[str]) -> list[str]:
    """Return the names of a test, or of all that a file, class or function holds."""
    return [test] if test in names else [name for name in names if name.startswith((f"{test}::", f"{test}["))]


def _functions(package: Path) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Return the functions of a package by file, name and line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and (file := Path(function.__code__.co_filename)).is_relative_to(package):
            code = function.__code__
            key = str(file.relative_to(package)), code.co_qualname, code.co_firstlineno
            found.setdefault(key, []).append(function)
    return found


def _replaced(
    package: Path, mutant: Mutant, functions: dict[tuple[str, str, int], list[FunctionType]]
) -> dict[FunctionType, CodeType]:
    """Return the functions that a mutant changes, with their new code; none if one cannot be told from others."""
    before, after = (_codes(compile_mutant(package, change)) for change in (mutant._replace(index=-1), mutant))
    replaced = {}
    for (name, line), codes in after.items():
        if codes == before.get((name, line)):
            continue
        for function in functions.get((mutant.path, name, line), ()):
            if len(codes) > 1 or function.__code__.co_freevars != codes[0].co_freevars:
                return {}
            replaced[function] = codes[0]
    return replaced


def _codes(module: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    """Return the code of functions by name and line."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    inner = [code for code in module.co_consts if isinstance(code, CodeType)]
    while inner:
        code = inner.pop()
        found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
        inner += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


class _Processes:
    """Processes that run tests, so many at a time, in temporary folders of their own."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._running: dict[int, tuple[Path, Callable[[int, Path], None]]] = {}

    def fork(self, seconds: float, ended: Callable[[int, Path], None]) -> Path | None:
        """Return the folder of the new process to that, and to this one None.

        ``ended`` is called with its status and folder.
        """
        if len(self._running) >= self._jobs:
            self._wait()
        folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        process = os.fork()
        if process:
            self._running[process] = folder, ended
            return None
        with (folder / "printed").open("w") as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
        tempfile.tempdir = os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
        limit = round(20 + 2 * seconds)
        signal.alarm(3 * limit)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        return folder

    def wait_for_all(self) -> None:
        while self._running:
            self._wait()

    def _wait(self) -> None:
        process, status = os.wait()
        folder, ended = self._running.pop(process)
        ended(status, folder)
        shutil.rmtree(folder, ignore_errors=True)


def _failed(status: int, folder: Path) -> list[str]:
    """Return the tests that failed in a process without a change."""
    if os.WIFSIGNALED(status):
        raise RuntimeError(f"tests without a change: signal {os.WTERMSIG(status)}\n{(folder / 'printed').read_text()}")
    file = folder / "failed"
    return file.read_text().splitlines() if file.exists() else []


def _noting(mutant: Mutant, note: Note) -> Callable[[int, Path], None]:
    def ended(status: int, folder: Path) -> None:
        printed = (folder / "printed").read_text(errors="replace")
        last = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else printed.rstrip().rpartition("\n")[2]
        note(mutant, _outcome(status, printed), last)

    return ended


def _exit(status: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _outcome(status: int, printed: str) -> str:
    """Return what became of a mutant, by the status of its process and what that printed.

    Tests of a record that is too old, or whose parameters the mutant changes, are not run.
    """
    if os.WIFSIGNALED(status):
        return "timed out" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM) else "killed"
    match os.waitstatus_to_exitcode(status):
        case pytest.ExitCode.OK:
            return "survived"
        case pytest.ExitCode.TESTS_FAILED | pytest.ExitCode.INTERRUPTED:
            return "killed"
        case pytest.ExitCode.USAGE_ERROR if "while loading conftest" in printed:
            return "killed"
    return "not run"
