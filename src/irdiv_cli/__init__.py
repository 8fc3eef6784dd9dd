"""The command ``irdiv``.

A command is a module of `irdiv_cli.commands`. No module imports irdiv, pandas or numpy before a command runs, so that
``irdiv --help`` is fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # this module imports nothing, so that Ctrl-C is handled from the start
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

__all__ = ["main", "parser"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    It is 0, or 2 for a user error, which is printed on one line; 130 after Ctrl-C and 143 after SIGTERM. With the
    arguments of the process, these two end it at once.
    """
    try:
        from irdiv_cli.streams import open_closed_streams

        open_closed_streams()  # before anything else opens files
        from irdiv_cli.signals import run_until_signal

        return run_until_signal(lambda: _run(argv), is_process=argv is None)
    except KeyboardInterrupt:
        import sys

        print("irdiv: interrupted", file=sys.stderr)
        return 130


def _run(argv: Sequence[str] | None) -> int:
    from irdiv_cli.command_line import run

    return run(argv)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, or of one, if there is one of the name: that takes a tenth of the time."""
    from irdiv_cli.command_line import make_parser

    return make_parser(only)
