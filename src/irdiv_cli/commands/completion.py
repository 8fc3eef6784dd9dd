from __future__ import annotations

import argparse

from irdiv_cli.output import print_data

ORDER = 140
HELP = "print a completion script for a shell"
EPILOG = "For bash: irdiv completion bash > ~/.irdiv-completion; . ~/.irdiv-completion"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell")


def execute(arguments: argparse.Namespace) -> None:
    """Print the script; needs the extra ``completion``."""
    from irdiv.errors import IrdivError

    try:
        import shtab
    except ImportError:
        raise IrdivError("completion needs shtab: pip install 'irdiv[completion]'.") from None
    print_data(f"{shtab.complete(arguments.make_parser(), shell=arguments.shell)}\n")
