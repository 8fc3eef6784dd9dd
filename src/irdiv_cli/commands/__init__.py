"""The commands: each is a module with the command's name, and each module here is a command.

It defines ``ORDER``, its position in the list of commands; ``HELP``, one line about what it does; ``EPILOG``, if there
is more to say at the end of its help; ``add_arguments(parser)``, which adds its arguments to an ``ArgumentParser``;
``BACKGROUND_MODULES``, if a second process is to import these in the meantime, with ``arguments.background`` as the
connection to it; and ``execute(arguments)``, which imports irdiv and does the work.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def load_commands(only: str | None = None) -> dict[str, ModuleType]:
    """Return the modules of all commands by name, in the order of the help; or of one, if there is one of the name."""
    # pkgutil would do the same, but takes a quarter of the time of `irdiv --help`.
    names = [file.removesuffix(".py") for file in os.listdir(__path__[0]) if file.endswith(".py") and file[0] != "_"]
    chosen = [only] if only in names else names
    commands = {name: import_module(f"{__name__}.{name}") for name in chosen}
    return dict(sorted(commands.items(), key=lambda item: item[1].ORDER))
