"""Commands as tests call them, and the files of the demo collection.

Tests know the command line only through this module.
"""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import irdiv
from irdiv_cli import local_files, main
from irdiv_cli.commands import load_commands

COMMANDS = tuple(load_commands())
DEMO = Path(irdiv.__file__).parent / "demo"
FILES = [str(DEMO / name) for name in ("qrels.txt", "relevance.run", "diversified.run")]
PROGRAM = [sys.executable, "-m", "irdiv"]


class Result(NamedTuple):
    """What a command returns and prints."""

    code: int
    out: str
    err: str


def call(capsys, *arguments: object, stdin: bytes | None = None) -> Result:
    """Run a command in this process."""
    capsys.readouterr()
    for saved in (local_files._saved_standard_input, local_files._saved_pipe):
        saved.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if stdin is not None:
            patch.setattr("sys.stdin", TextIOWrapper(BytesIO(stdin)))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # as argparse does for help and for wrong calls
            code = ended.code
    return Result(code, *capsys.readouterr())


def out(capsys, *arguments: object, stdin: bytes | None = None, warns: tuple[str, ...] = ()) -> str:
    """Return what a command prints, which may have notes, but no errors and no warnings other than the given ones."""
    result = call(capsys, *arguments, stdin=stdin)
    expected = ("irdiv: note: ", *(f"irdiv: warning: {words}" for words in warns))
    is_clean = all(line.startswith(expected) for line in result.err.splitlines())
    assert (result.code, is_clean) == (0, True), f"{arguments}: {result}"
    return result.out


def error(capsys, *arguments: object) -> str:
    """Return the error of a command, which is one line; notes and warnings may come before it."""
    result = call(capsys, *arguments)
    *before, message = result.err.splitlines()
    is_one_line = all(line.startswith(("irdiv: note: ", "irdiv: warning: ")) for line in before)
    is_error = is_one_line and message.startswith("irdiv: error: ")
    assert (result.code, result.out, is_error) == (2, "", True), f"{arguments}: {result}"
    return message.removeprefix("irdiv: error: ")


def rows(capsys, *arguments: object, **options: object) -> pd.DataFrame:
    """Return the table that a command prints, with all decimal places."""
    lines = out(capsys, *arguments, "-o", "jsonl", **options).splitlines()
    return pd.DataFrame([json.loads(line) for line in lines])


def means(capsys, *arguments: object, **options: object) -> dict[str, dict[str, float]]:
    """Return the means that a command prints, by run and measure."""
    frame = rows(capsys, *arguments, **options)
    return {run: dict(zip(part["measure"], part["value"], strict=True)) for run, part in frame.groupby("run")}


def process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    words = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)
