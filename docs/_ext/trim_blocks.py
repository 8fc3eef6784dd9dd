"""Leave out the empty line at the end of a block of code, which ends a doctest and is no part of it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx


def trim(app: Sphinx, document: nodes.document) -> None:
    """Remove white space at the end of all blocks of code."""
    for block in document.findall(nodes.literal_block):
        if len(block) == 1 and isinstance(block[0], nodes.Text):
            block.rawsource = block.rawsource.rstrip()
            block[0] = nodes.Text(block[0].rstrip())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
