"""Names that are imported when they are first used, so that a command waits only for what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["names_of_modules", "pd"]


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


class _Module:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


if not TYPE_CHECKING:
    # It takes half the time of `irdiv eval` to import.
    pd = _Module("pandas")
