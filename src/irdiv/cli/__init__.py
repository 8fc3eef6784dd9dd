"""What is behind the command line: ``irdiv eval`` and its companions; ``irdiv --help`` lists them."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from io import TextIOWrapper
from typing import Any

from irdiv.errors import IrdivError, IrdivWarning
from irdiv_command import DEFAULT_MEASURES, OUTPUTS, main, parser

__all__ = ["DEFAULT_MEASURES", "OUTPUTS", "main", "parser", "run"]


def run(arguments: argparse.Namespace) -> int:
    """Run a command; return 0, or 2 after one line about a user's mistake."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a formula has signs that not every terminal knows
    with warnings.catch_warnings():
        warnings.simplefilter("always", IrdivWarning)
        warnings.showwarning = _say_warning
        try:
            from irdiv.cli import commands

            commands.COMMANDS[arguments.command](arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader, `head` for one, has seen enough; nothing is left to flush to.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (IrdivError, OSError) as error:
            print(f"irdiv: error: {' '.join(str(error).split())}", file=sys.stderr)
            return 2
    return 0


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"irdiv: warning: {message}", file=sys.stderr)
