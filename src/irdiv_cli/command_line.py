"""From the command line to a command and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from irdiv_cli.arguments import positionals_first, refuse_empty_paths
from irdiv_cli.background import background_process
from irdiv_cli.commands import load_commands
from irdiv_cli.local_files import require_read_once
from irdiv_cli.output import print_error, print_warning
from irdiv_cli.streams import discard_unwritable, escape_unencodable, print_message


def run(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 for a user error, which is printed on one line."""
    escape_unencodable()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        return 0  # the reader, such as `head`, has closed the pipe
    except OSError as error:
        print_error(_name_missing_directory(error))
        return 2
    finally:
        discard_unwritable()
    return code


def _name_missing_directory(error: OSError) -> OSError:
    """Return the error, or one that names the working directory if that is gone: Python's names nothing."""
    if isinstance(error, FileNotFoundError) and error.filename is None:
        try:
            os.getcwd()
        except FileNotFoundError:
            return FileNotFoundError("the working directory no longer exists; change to one that does.")
    return error


def _run(argv: Sequence[str]) -> int:
    requested = next((argument for argument in argv if not argument.startswith("-")), "")
    # Options in front, such as --help, are about all commands.
    parser = make_parser(requested if requested in argv[:1] else None)
    arguments, unknown = _parse(parser, requested, list(argv))
    if unknown:
        arguments.error(f"unrecognized arguments: {' '.join(unknown)}")
    arguments.command_line = ["irdiv", *argv]
    with background_process(getattr(arguments.command, "BACKGROUND_MODULES", ())) as arguments.background:
        return _execute(arguments)


def _execute(arguments: argparse.Namespace) -> int:
    from irdiv.errors import IrdivError, IrdivWarning
    from irdiv.progress import show_progress

    with warnings.catch_warnings():
        warnings.simplefilter("always", IrdivWarning)
        warnings.showwarning = print_warning
        try:
            require_read_once(arguments)
            with show_progress():
                arguments.command.execute(arguments)
        except IrdivError as error:
            print_error(error)
            return 2
    return 0


def _parse(top: argparse.ArgumentParser, command: str, argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Parse a command line whose options may be in any order after the command."""
    (subparsers,) = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    if command in subparsers.choices:
        after = argv.index(command) + 1
        argv = [*argv[:after], *positionals_first(subparsers.choices[command], argv[after:])]
    return top.parse_known_args(argv)


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, or of one, if there is one of the name: that takes a tenth of the time."""
    top = _Parser(prog="irdiv", description="Evaluate diversified search.", formatter_class=_HelpFormatter)
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    top.epilog = "'irdiv COMMAND --help' shows the options of a command."
    subparsers = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, command in load_commands(only).items():
        description = f"{command.HELP[0].upper()}{command.HELP[1:]}."
        epilog = getattr(command, "EPILOG", None)
        subparser = subparsers.add_parser(name, help=command.HELP, description=description, epilog=epilog)
        command.add_arguments(subparser)
        refuse_empty_paths(subparser)
        subparser.set_defaults(command=command, make_parser=make_parser, error=subparser.error)
    return top


class _Parser(argparse.ArgumentParser):
    """A parser that prints an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with the message and the command that shows help."""
        print_message(f"irdiv: error: {message} (see '{self.prog} --help')")
        self.exit(2)


class _HelpFormatter(argparse.HelpFormatter):
    """Keeps long names of commands and their help in one line."""

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the indentation of commands, which argparse does not count."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class _Version(argparse.Action):
    """Prints the version; it is an action of its own because irdiv must be imported for it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        import irdiv

        print(f"irdiv {irdiv.__version__}")
        parser.exit()
