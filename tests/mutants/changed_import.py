"""A module of irdiv that is imported with one place changed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

from .changes import Mutant, compile_mutant


def change_on_import(package: Path, mutant: Mutant) -> None:
    """Have this process import the module of a mutant with its change."""
    sys.meta_path.insert(0, _Finder(package, mutant))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, package: Path, mutant: Mutant) -> None:
        path = Path(mutant.path)
        parts = path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts
        self._name = ".".join([package.name, *parts])
        self._file = package / path
        self._code = compile_mutant(package, mutant)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(fullname, str(self._file))
        loader.code = self._code
        return importlib.util.spec_from_file_location(fullname, self._file, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code
