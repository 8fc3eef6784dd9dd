"""Write files with known content to a folder, but not over those of somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from irdiv.errors import IrdivError, examples
from irdiv.files import require_possible_path, write_atomically


def write_files(folder: Path, contents: Mapping[str, bytes], *, force: bool) -> list[Path]:
    """Write files by name and return their paths; it is an error if one is there with other content, unless forced."""
    require_possible_path(folder)
    paths = {folder / name: content for name, content in contents.items()}
    foreign = [path.name for path, content in paths.items() if path.exists() and not _has_content(path, content)]
    if foreign and not force:
        raise IrdivError(
            f"the folder {str(folder)!r} has files of the same names that are not those of the demo: "
            f"{examples(foreign)}. Choose another folder, or force=True (--force), which overwrites them."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in paths.items():
        with write_atomically(path) as file:
            file.write_bytes(content)
    return list(paths)


def _has_content(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
