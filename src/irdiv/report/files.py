"""Files of pages: which may be overwritten, and names of files that are made from names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from irdiv.errors import IrdivError, examples
from irdiv.files import require_possible_path
from irdiv.types import PathLike

_MARK = b'<meta name="generator" content="irdiv '
_HEAD = 4096
"""Pages have their mark among so many bytes."""


def require_page_path(path: PathLike, *, force: bool) -> Path:
    """Return where a page can be written; it is an error if that is a file of something else, unless forced."""
    require_possible_path(path)
    target = Path(path)
    if str(path) == "-":
        raise IrdivError("a page is not written to standard output; expected a file, such as 'report.html'.")
    if target.is_dir():
        raise IrdivError(f"{str(path)!r} is a folder; expected the file of a page, such as 'report.html'.")
    if not target.parent.is_dir():
        raise IrdivError(f"there is no folder {str(target.parent)!r} to write {target.name!r} to; make it first.")
    _require_writable(target if target.exists() else target.parent)
    if not force and _is_foreign(target):
        raise IrdivError(
            f"{str(path)!r} exists and is not a page of irdiv; choose another file, or force=True (--force)."
        )
    return target


def require_site_folder(folder: PathLike, *, force: bool) -> Path:
    """Return a folder that need not exist, or has pages of irdiv only; other files are an error, unless forced."""
    require_possible_path(folder)
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise IrdivError(f"{str(folder)!r} is a file; expected a folder for the pages.")
    _require_writable(next(path for path in (target, *target.absolute().parents) if path.exists()))
    if not force and target.is_dir():
        foreign = sorted(path.name for path in target.iterdir() if path.is_dir() or _is_foreign(path))
        if foreign:
            raise IrdivError(
                f"the folder {str(folder)!r} has files that are not pages of irdiv: {examples(foreign)}. Choose "
                "another folder, or force=True (--force): pages of the same names are overwritten, other files are "
                "kept."
            )
    return target


def _require_writable(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise IrdivError(f"{str(path)!r} cannot be written to; choose another place, or change its permissions.")


def _is_foreign(path: Path) -> bool:
    """Return whether a path is that of a file with something else than a page of irdiv."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return bool(head) and _MARK not in head


def page_files(names: Iterable[str]) -> dict[str, str]:
    """Return a file for the page of each name, which is safe on every system; it is an error if two have the same.

    >>> page_files(["Web 2009", "NTCIR-10/INTENT"])
    {'Web 2009': 'Web-2009.html', 'NTCIR-10/INTENT': 'NTCIR-10-INTENT.html'}
    """
    taken = {"index.html": "the index"}
    files: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^\w.-]+", "-", name).strip("-.")
        if not re.search(r"\w", stem):
            raise IrdivError(
                f"no file can be named after the collection {name!r}; give it a name with letters or digits."
            )
        file = f"{stem}.html"
        other = taken.setdefault(file.casefold(), f"the collection {name!r}")
        if file.casefold() in map(str.casefold, files.values()) or other == "the index":
            raise IrdivError(f"the collection {name!r} and {other} would have the same file, {file!r}; rename it.")
        files[name] = file
    return files
