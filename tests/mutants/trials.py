"""A test run with one module of irdiv changed, in a process of its own."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from .changes import Mutant, compile_mutant

_CPU_SECONDS = 90
_MEMORY = 12 * 2**30
_NOT_RUN = 99
_WITHOUT_PLUGINS = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")


def start(package: Path, mutant: Mutant, tests: list[str], log: Path) -> int:
    """Run tests on a mutant until one fails, and return the process, whose output goes into a file."""
    process = os.fork()
    if process:
        return process
    with log.open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    signal.alarm(10 * _CPU_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    status = _NOT_RUN
    try:
        sys.meta_path.insert(0, _Finder(package, mutant))
        # Without messages of failed assertions, which nobody reads, tests are loaded in a third of the time.
        quiet = ["-q", "-x", "--no-header", "--no-summary", "--assert=plain", *_WITHOUT_PLUGINS]
        status = int(pytest.main([*quiet, *tests]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def outcome_of(status: int, printed: str) -> str:
    """Return what became of a mutant, by the status of its process and what that printed.

    Tests of a record that is too old, or whose parameters the mutant changes, are not run.
    """
    if os.WIFSIGNALED(status):
        return "killed"
    match pytest.ExitCode(os.waitstatus_to_exitcode(status)):
        case pytest.ExitCode.OK:
            return "survived"
        case pytest.ExitCode.TESTS_FAILED | pytest.ExitCode.INTERRUPTED:
            return "killed"
        case pytest.ExitCode.USAGE_ERROR if "while loading conftest" in printed:
            return "killed"
    return "not run"


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, package: Path, mutant: Mutant) -> None:
        path = Path(mutant.path)
        parts = path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts
        self._name = ".".join([package.name, *parts])
        self._file = package / path
        self._code = compile_mutant(package, mutant)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(fullname, str(self._file))
        loader.code = self._code
        return importlib.util.spec_from_file_location(fullname, self._file, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code
