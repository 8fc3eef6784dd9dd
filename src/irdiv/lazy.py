"""Names that are imported when they are first used, so that a command waits only for what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_of_modules(
    package: str, module_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package whose names are in other modules.

    Examples
    --------
    >>> get, names = names_of_modules("irdiv.stats", {"tau": "irdiv.stats.rank_correlation"})
    >>> get("tau").__name__, names()
    ('tau', ['tau'])
    """

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(module_of)
