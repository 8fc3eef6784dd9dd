"""Commands as tests call them, and the files of the demo collection."""

from __future__ import annotations

from pathlib import Path

import irdiv
from irdiv_cli import main

DEMO = Path(irdiv.__file__).parent / "demo"
FILES = [str(DEMO / name) for name in ("qrels.txt", "relevance.run", "diversified.run")]


def out(capsys, *arguments: str) -> str:
    """Return what a command prints, which may have notes but neither warnings nor errors."""
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert all(line.startswith("irdiv: note: ") for line in captured.err.splitlines()), captured.err
    return captured.out


def error(capsys, *arguments: str) -> str:
    """Return the last line that a command prints, which is an error."""
    assert main(arguments) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("irdiv: error: ")
    return message
