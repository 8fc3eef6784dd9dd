"""The directive ``measures``: what the package declares of a family of measures, as a list of definitions.

Its arguments are beginnings of names of families, separated by semicolons. Formulas and parameters that all measures of
a family share are in the text of the page; with the option ``names``, only names and summaries are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.parameters import Parameter


class Measures(SphinxDirective):
    """Lists the measures of families."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"names": directives.flag}  # noqa: RUF012 (docutils declares it so)

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        found = [declaration for start in self.arguments[0].split(";") for declaration in family(start.strip())]
        lines = list(_names(found) if "names" in self.options else _definitions(found))
        node = nodes.container(classes=["measures"])
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return list(node.children)


class Parameters(SphinxDirective):
    """Lists the parameters of all measures, each with its meaning."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        node = nodes.container(classes=["measures"])
        lines = [line for parameter, owners in parameters() for line in _parameter(parameter, owners)]
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return list(node.children)


def family(start: str) -> list[Declaration]:
    """Return the measures of the only family whose name begins so."""
    families = {declaration.family for declaration in registry.values() if declaration.family.startswith(start)}
    if len(families) != 1:
        raise ValueError(f"{len(families)} families of measures begin with {start!r}; expected one.")
    return [declaration for declaration in registry.values() if declaration.family in families]


def parameters() -> Iterator[tuple[Parameter, list[str]]]:
    """Yield each parameter with the measures that have it, once for each meaning."""
    owners: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], Parameter] = {}
    for declaration in registry.values():
        for parameter in declaration.parameters:
            key = parameter.name, parameter.meaning
            first.setdefault(key, parameter)
            owners.setdefault(key, []).append(declaration.name)
    for key in sorted(first):
        yield first[key], owners[key]


def _parameter(parameter: Parameter, owners: Sequence[str]) -> Iterator[str]:
    shown = (
        ", ".join(f"`{name}`" for name in owners) if len(owners) <= 4 else f"{len(owners)} measures, `{owners[0]}` …"
    )
    condition = f"; only with {parameter.condition}" if parameter.only_with else ""
    yield from (f"`{parameter.name}={parameter.default!r}`", f": {_escape(parameter.meaning + condition)}. In {shown}.")
    yield ""


def _names(declarations: Sequence[Declaration]) -> Iterator[str]:
    yield ", ".join(f"`{declaration.name}`" for declaration in declarations)


def _definitions(declarations: Sequence[Declaration]) -> Iterator[str]:
    for declaration in declarations:
        cutoff = "@10" if declaration.takes_cutoff else ""
        yield from (f"`{declaration.name}{cutoff}`", f": {_escape(declaration.summary)}")
        yield from ("", f"  Formula: `{declaration.formula}`")
        if declaration.other_programs:
            yield from ("", f"  {_escape(declaration.other_programs)}")
        yield from ("", f"  {_escape('; '.join(declaration.references))}", "")


def _escape(text: str) -> str:
    for character in "\\*_|<$":
        text = text.replace(character, f"\\{character}")
    return text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("measures", Measures)
    app.add_directive("measure-parameters", Parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
