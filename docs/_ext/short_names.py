"""Resolve names in docstrings as a reader of the code does: by their last part; those of other packages not at all."""

from __future__ import annotations

import importlib

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

OTHER_PACKAGES = ("ir_datasets", "ir_measures", "matplotlib", "numpy", "pandas", "polars", "pyspark", "scipy")


def _same_object(name: str, other: str) -> bool:
    """Return whether two dotted names, each of a module and a name in it, are of one object."""
    (module, attribute), (other_module, other_attribute) = name.rsplit(".", 1), other.rsplit(".", 1)
    try:
        return getattr(importlib.import_module(module), attribute) is getattr(
            importlib.import_module(other_module), other_attribute
        )
    except (ImportError, AttributeError):
        return False


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Element | None:
    """Return a link to the only object that a name without its module, or in another public module, can mean."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if target.partition(".")[0] in OTHER_PACKAGES:
        return content
    objects = {name: entry for name, entry in env.domains["py"].objects.items() if not entry.aliased}
    if target.startswith("irdiv."):
        last = target.rpartition(".")[2]
        found = [name for name in objects if name.endswith(f".{last}") and _same_object(target, name)]
    else:
        found = [name for name in objects if name.endswith(f".{target}")]
        room = str(node.get("py:module"))
        found = [name for name in found if name.startswith(f"{room}.")] or found
        found = [name for name in found if objects[name].objtype != "method"] or found
    if len(found) != 1:
        return None
    entry = objects[found[0]]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, found[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
