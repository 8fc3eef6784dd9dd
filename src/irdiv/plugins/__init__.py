"""irdiv inside other programs: ir_measures, ir_datasets, PyTerrier and Spark, each imported only when it is used."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irdiv.plugins import ir_datasets, ir_measures, pyterrier, spark

__all__ = ["ir_datasets", "ir_measures", "pyterrier", "spark"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a plugin when it is first used."""
        if name not in __all__:
            raise AttributeError(f"module 'irdiv.plugins' has no attribute {name!r}")
        return _import_module(f"irdiv.plugins.{name}")
