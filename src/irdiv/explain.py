"""What measures compute, in words: the texts of ``irdiv measures`` and ``irdiv explain``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import ir_measures

from irdiv.measures import registry
from irdiv.measures.declaration import Declaration, Measure, Parameter
from irdiv.measures.spec import foreign_names, normal_name, parse, unknown

SYMBOLS = (
    ("l", r"l", "the cutoff"),
    ("x", r"\bx\b", "the grade of a document"),
    ("H", r"2\^H", "the highest grade of the scale"),
    ("J(r)", r"J\(r\)", "1 if the document at rank r is relevant, else 0"),
    ("J_i(r)", r"J_i\(r\)", "1 if the document at rank r is relevant to intent i, else 0"),
    ("C(r)", r"C\(", "relevant documents down to rank r"),
    ("C_i(r)", r"C_i\(", "documents relevant to intent i down to rank r"),
    ("R", r"\bR\b", "relevant documents in all"),
    ("R_i", r"\bR_i", "documents relevant to intent i in all"),
    ("N", r"\bN\b(?!\(r|-rec)", "intents in all"),
    ("g(r)", r"\bg\(r\)", "the gain at rank r"),
    ("cg(r)", r"cg\(r\)", "the sum of gains down to rank r"),
    ("cg*(r)", r"cg\*", "the same of the ideal list"),
    ("g*", r"\bg\*", "the highest gain of the ideal list"),
    ("g_i(r)", r"g_i\(r\)", "the gain at rank r for intent i"),
    ("Pr(r)", r"Pr\(r\)", "the probability that a user who sees the document at rank r stops there"),
    ("Pr(i|q)", r"Pr\(i", "the probability of intent i"),
    ("v", r"\bv\b", "a layer of the intent hierarchy, the first below the root"),
    ("w_v", r"w_v", "the weight of layer v"),
    ("n", r"\bn\b", "a node of the intent hierarchy"),
    ("W(n)", r"W\(n\)", "the weight of node n, in each layer they sum to 1"),
    ("g_n(r)", r"g_n\(r\)", "the gain at rank r for node n, by the highest grade over its leaves"),
    (
        "NG(r)",
        r"NG\(r\)",
        "Σ_i J_i(r)·(1−α)^{C_i(r−1)}: what rank r adds, an intent counting less each time it is seen",
    ),
)
_NO_DEFAULT = ir_measures.measures.ParamInfo().default


def list_measures(pattern: str = "") -> str:
    """Return the catalogue by families, or the measures whose names contain a pattern."""
    wanted = normal_name(pattern).lower()
    chosen = [d for d in registry.values() if wanted in d.name.lower().replace("_", "-")]
    others = [name for name in sorted(foreign_names(), key=str.lower) if wanted in name.lower()]
    if not chosen and not others:
        raise unknown(pattern)
    width = max((len(declaration.name) for declaration in chosen), default=0)
    sections = []
    for family in dict.fromkeys(declaration.family for declaration in chosen):
        mine = [f"  {d.name:{width}}  {d.summary}" for d in chosen if d.family == family]
        sections.append("\n".join([family, *mine]))
    if others:
        sections.append(
            "ir_measures' own, on the highest grade of a document over intents\n" + _filled(", ".join(others), "  ")
        )
    return "\n\n".join([*sections, "'irdiv explain NAME' says more."])


def reference() -> str:
    """Return the catalogue as one page of Markdown; ``python -m irdiv.explain`` writes it."""
    lines = [
        "# Measures",
        "",
        "Made from the declarations by `python -m irdiv.explain > docs/measures.md`. Parameters stand with their "
        "defaults. See [programs.md](programs.md) for how programs differ.",
    ]
    for family in dict.fromkeys(declaration.family for declaration in registry.values()):
        lines += ["", f"## {family}"]
        for declaration in registry.values():
            if declaration.family == family:
                lines += _entry(declaration)
    return "\n".join(lines) + "\n"


def _entry(declaration: Declaration) -> Iterator[str]:
    cutoff = "@10" if declaration.takes_cutoff else ""
    yield from ("", f"### {declaration.name}", "", declaration.summary, "")
    yield from (f"- example: `{declaration.name}{cutoff}`", f"- formula: {_plain(declaration.formula)}")
    if declaration.parameters:
        told = (f"`{p.name}={p.default!r}` {_plain(p.meaning)}" for p in declaration.parameters)
        yield f"- parameters: {'; '.join(told)}"
    yield "- references: " + "; ".join(declaration.references)
    if declaration.others:
        yield f"- how others compute it: {_plain(declaration.others)}"


def _plain(text: str) -> str:
    return text.replace("*", r"\*").replace("_", r"\_").replace("|", r"\|").replace("<", r"\<")


def explain(spec: str) -> str:
    """Return what a measure computes, its parameters, its references and how other programs differ."""
    measure = parse(ir_measures.measures.registry.get(spec, spec))
    sections = _of_ours(measure) if isinstance(measure, Measure) else _of_ir_measures(measure)
    return "\n\n".join([str(measure), *sections])


def _of_ours(measure: Measure) -> Iterator[str]:
    declaration, values = measure.declaration, measure.values()
    yield _filled(declaration.summary)
    yield _section("formula", [declaration.formula])
    found = [(symbol, meaning) for symbol, pattern, meaning in SYMBOLS if re.search(pattern, declaration.formula)]
    yield _section("where", [f"{symbol}: {meaning}" for symbol, meaning in found])
    yield _section(
        "parameters", [f"{p.name}={values[p.name]!r}: {p.meaning}{_condition(p)}" for p in declaration.parameters]
    )
    yield _section(
        "cutoff", ["any, or none for the whole list" if declaration.takes_cutoff else "none: always the whole list"]
    )
    yield _section("references", declaration.references)
    if declaration.others:
        yield _section("other programs", [declaration.others])


def _condition(parameter: Parameter) -> str:
    return "" if parameter.only_with is None else "; only with {}={!r}".format(*parameter.only_with)


def _of_ir_measures(measure: Any) -> Iterator[str]:
    yield _filled(f"{measure.PRETTY_NAME}, a measure of ir_measures. {measure.SHORT_DESC}")
    yield _section("parameters", [_parameter(name, info) for name, info in measure.SUPPORTED_PARAMS.items()])
    yield _filled(
        "irdiv.evaluate and 'irdiv eval' hand ir_measures the highest grade of each document over intents; "
        "ir_measures on its own takes whichever row of a document comes last."
    )
    if f"{measure.NAME}-IA" in registry:
        yield f"In {measure.NAME}-IA, D-{measure.NAME} and D#-{measure.NAME} the base measure is irdiv's own."


def _parameter(name: str, info: Any) -> str:
    default = "" if info.default is _NO_DEFAULT else f"={info.default!r}"
    choices = "" if info.choices is _NO_DEFAULT else f" ({', '.join(map(repr, info.choices))})"
    return f"{name}{default}: {info.desc}{choices}"


def _section(title: str, entries: Any) -> str:
    return "\n".join([title, *(_filled(entry, "  ") for entry in entries)])


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, width=100, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent))


if __name__ == "__main__":
    print(reference(), end="")
