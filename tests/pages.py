"""Blocks of code on the pages of the site and in the README, and what they are expected to print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_BUILT = ("api/generated", "notebooks", "plots")
_HERE_DOCUMENT = re.compile(r"cat > (\S+) <<'END'\n(.*?\n)END\n", re.DOTALL)


class Block(NamedTuple):
    language: str
    code: str
    printed: str | None
    """The text block that follows with nothing but blank lines between."""


def pages() -> list[Path]:
    """Return the README and all Markdown pages of the site that are written by hand."""
    docs = ROOT / "docs"
    written = [path for path in sorted(docs.rglob("*.md")) if not path.relative_to(docs).as_posix().startswith(_BUILT)]
    return [ROOT / "README.md", *written]


def blocks(path: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page; the fence starts its line, so that blocks in lists and cards are not seen."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        after = re.match(r"\n+```text\n(.*?)^```$", text[match.end() :], flags=re.DOTALL | re.MULTILINE)
        yield Block(match[1], match[2], after and after[1])


def write_files(path: Path, folder: Path) -> None:
    """Write the files that a page makes by ``cat > NAME <<'END'``."""
    for block in blocks(path):
        if block.language == "sh":
            for name, text in _HERE_DOCUMENT.findall(block.code):
                (folder / name).write_text(text, encoding="utf-8")


def commands(block: Block) -> list[str]:
    """Return the commands of irdiv in a block, one a line, without comments and continued lines joined."""
    code = _HERE_DOCUMENT.sub("", block.code).replace("\\\n", " ")
    lines = [re.sub(r"\s+# .*", "", line).strip() for line in code.split("\n")]
    return [line.removeprefix("irdiv ") for line in lines if line.startswith("irdiv ")]
