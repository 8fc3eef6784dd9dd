"""Which tests run a line of the package, and how long they take: recorded once, as coverage by test."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from .changes import Mutant

_DURATIONS = "IRDIV_DURATIONS"
_LEFT_OUT = (
    "cli/test_faults.py", "laws/test_growth.py", "io/test_hostile_files.py", "project", "report/test_browser.py",
    "report/test_figures.py", "plugins/test_spark.py", "plugins/test_spark_exchange.py", "plugins/test_spark_files.py",
    "plugins/test_spark_tables.py",
)  # fmt: skip
"""Tests that run irdiv in other processes, where coverage is not measured, or that take long."""
_DECLARING = ("catalogue", "declarations", "names_given_by_users", "registry", "specs")
_OF_DECLARATIONS = tuple(f"tests/measures/test_{name}.py" for name in _DECLARING)


def record(folder: Path, package: Path, arguments: list[str]) -> int:
    """Run the tests and write, into a folder, what each of them runs."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["[run]", f"data_file = {folder.resolve() / 'coverage'}", f"source = {package}", "relative_files = true"]
    (folder / "coveragerc").write_text("\n".join(lines))
    chosen = [f"--ignore=tests/{name}" for name in _LEFT_OUT]
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.covering", *chosen, "--cov", "--cov-context=test",
        f"--cov-config={folder / 'coveragerc'}", "--cov-report=", *arguments,
    ]  # fmt: skip
    return subprocess.call(command, env={**os.environ, _DURATIONS: str(folder.resolve() / "durations.json")})


_seconds: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _DURATIONS in os.environ and not hasattr(session.config, "workerinput"):
        Path(os.environ[_DURATIONS]).write_text(json.dumps(_seconds))


class CoveringTests:
    """Tests by the lines that they run."""

    def __init__(self, folder: Path, package: Path) -> None:
        self._seconds: dict[str, float] = json.loads((folder / "durations.json").read_text())
        self._connection = sqlite3.connect(folder / "coverage")
        self._package = package
        self._lines: dict[str, dict[int, set[str]]] = {}

    def of(self, mutant: Mutant, seconds: float, each: int, rng: Random) -> tuple[list[str], float]:
        """Return tests that run a mutant, quick ones first, for about so many seconds in all, and how many.

        Of a test with many parameters at most ``each`` are returned.
        """
        lines = self._tests_by_line(mutant.path)
        covering = self._seconds.keys() & set().union(
            *(lines.get(n, ()) for n in range(mutant.first_line, mutant.last_line + 1))
        )
        if not covering:
            # run by an import: what depends on the module notices, or what depends on all declarations
            covering = {test for test in self._seconds if test.startswith(_OF_DECLARATIONS)}
            covering |= self._seconds.keys() & set().union(*lines.values())
        by_function: dict[str, list[str]] = defaultdict(list)
        # pytest reads a file that is named by a test anew, without the change
        own = f"{self._package / mutant.path}::"
        for test in sorted(test for test in covering if not test.startswith(own)):
            by_function[test.split("[")[0]].append(test)
        chosen = [test for tests in by_function.values() for test in rng.sample(tests, min(each, len(tests)))]
        chosen.sort(key=lambda test: self._seconds[test])
        total, few = 0.0, []
        for test in chosen:
            if total + self._seconds[test] > seconds and few:
                break
            total += self._seconds[test]
            few.append(test)
        return few, total

    def _tests_by_line(self, path: str) -> dict[int, set[str]]:
        if path not in self._lines:
            self._lines[path] = defaultdict(set)
            rows: list[tuple[str, bytes]] = self._connection.execute(
                "select context.context, line_bits.numbits from line_bits join file on file.id = line_bits.file_id"
                " join context on context.id = line_bits.context_id where file.path = ?",
                (str(self._package / path),),
            ).fetchall()
            for context, bits in rows:
                for line in _numbers(bits):
                    self._lines[path][line].add(context.split("|")[0])
        return self._lines[path]


def _numbers(bits: bytes) -> list[int]:
    """Return the lines that are set in coverage's bit map."""
    return [8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte & (1 << bit)]
