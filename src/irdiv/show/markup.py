"""LaTeX, Markdown and plain text: how texts, measures and marks are written in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from irdiv.errors import printable

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
BOOKTABS = r"% needs \usepackage{booktabs}"
"""The first line of tables in LaTeX."""
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ"}
_GREEK_WORD = re.compile(f"(?<![A-Za-z])({'|'.join(_GREEK)})(?![A-Za-z])")


class Markup(NamedTuple):
    """How a table writes what it shows."""

    text: Callable[[str], str]
    """A text, such as the name of a run."""
    measure: Callable[[str], str]
    """The spec of a measure, with α and ♯ as papers have them."""
    bold: Callable[[str], str]
    letters: Callable[[str], str]
    """Superscript letters."""
    star: str
    """A superscript star."""
    formula: Callable[[str], str]


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _latex_text(text: str) -> str:
    escaped = "".join(_LATEX.get(sign, f"\\{sign}" if sign in "#$%&_{}" else sign) for sign in _one_line(text))
    # After the end of a row, LaTeX reads a bracket or a star as an option.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(("[", "*")) else escaped


def _latex_measure(spec: str) -> str:
    return _GREEK_WORD.sub(r"$\\\1$", _latex_text(spec)).replace(r"\#", r"$\sharp$")


def _markdown_text(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_<>`[]&$~" else sign for sign in _one_line(text))


def _markdown_measure(spec: str) -> str:
    return _GREEK_WORD.sub(lambda match: _GREEK[match.group()], _markdown_text(spec)).replace("#", "♯")


LATEX = Markup(
    text=_latex_text,
    measure=_latex_measure,
    bold=r"\textbf{{{}}}".format,
    letters=r"\textsuperscript{{{}}}".format,
    star="$^{*}$",
    formula="${}$".format,
)
MARKDOWN = Markup(
    text=_markdown_text,
    measure=_markdown_measure,
    bold="**{}**".format,
    letters="<sup>{}</sup>".format,
    star=r"\*",
    formula=str,
)
PLAIN = Markup(text=str, measure=str, bold=str, letters=str, star="*", formula=str)
