"""Tables of means for papers and notebooks: the best in bold, significant differences starred."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any, NamedTuple, TypeAlias

from irdiv.checks import Integer, require
from irdiv.stats.comparison import compare
from irdiv.stats.options import LEVEL, TestName, require_test
from irdiv.stats.scores import Scores

AnyScores: TypeAlias = Scores[Any]


class Cell(NamedTuple):
    """A mean as text, whether it is the best of its measure, and whether it differs from the baseline."""

    text: str
    is_best: bool
    differs: bool


def to_latex(scores: AnyScores, baseline: str | None = None, test: TestName = "bootstrap", digits: int = 4) -> str:
    """Return a LaTeX table with booktabs rules."""
    names = [_escape_latex(spec) for spec in scores.specs()]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(names)}}}",
        r"\toprule",
        " & ".join(["run", *names]) + r" \\",
        r"\midrule",
    ]
    for run, cells in zip(scores.runs, _rows(scores, baseline, test, digits), strict=True):
        texts = [
            (rf"\textbf{{{cell.text}}}" if cell.is_best else cell.text) + (r"$^{*}$" if cell.differs else "")
            for cell in cells
        ]
        lines.append(" & ".join([_escape_latex(run), *texts]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if baseline is not None:
        lines.append(f"% * differs from {_escape_latex(baseline)} at p < {LEVEL}")
    return "\n".join(lines) + "\n"


def to_markdown(scores: AnyScores, baseline: str | None = None, test: TestName = "bootstrap", digits: int = 4) -> str:
    """Return a Markdown table."""
    names = scores.specs()
    lines = ["| run | " + " | ".join(map(_escape_markdown, names)) + " |", "| --- |" + " ---: |" * len(names)]
    for run, cells in zip(scores.runs, _rows(scores, baseline, test, digits), strict=True):
        texts = [
            (f"**{cell.text}**" if cell.is_best else cell.text) + ("\\*" if cell.differs else "") for cell in cells
        ]
        lines.append("| " + " | ".join([_escape_markdown(run), *texts]) + " |")
    if baseline is not None:
        lines += ["", f"\\* differs from {_escape_markdown(baseline)} at p < {LEVEL}"]
    return "\n".join(lines) + "\n"


def to_html(scores: AnyScores, digits: int = 4) -> str:
    """Return the HTML table that notebooks show."""
    names = "".join(f"<th>{escape(spec)}</th>" for spec in scores.specs())
    rows = []
    for run, cells in zip(scores.runs, _rows(scores, None, "t", digits), strict=True):
        texts = "".join(f"<td>{f'<b>{cell.text}</b>' if cell.is_best else cell.text}</td>" for cell in cells)
        rows.append(f"<tr><th>{escape(run)}</th>{texts}</tr>")
    return f"<table><thead><tr><th></th>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _rows(scores: AnyScores, baseline: str | None, test: TestName, digits: int) -> list[list[Cell]]:
    """Return the cells of each run."""
    require_test(test)
    require(Integer(0, 20), digits=digits)
    significant = set() if baseline is None else _significant(scores, baseline, test)
    return [
        [
            Cell(f"{mean:.{digits}f}", is_best, (run, spec) in significant)
            for spec, mean, is_best in zip(scores.specs(), means, best, strict=True)
        ]
        for run, means, best in zip(scores.runs, scores.means().tolist(), scores.best().tolist(), strict=True)
    ]


def _significant(scores: AnyScores, baseline: str, test: TestName) -> set[tuple[str, str]]:
    """Return the runs and measures that differ significantly from a baseline."""
    frame = compare(replace(scores, backend="pandas"), baseline=baseline, test=test)
    frame = frame[frame["p"] < LEVEL]
    return set(zip(frame["run"], frame["measure"], strict=True))


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escape_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(sign, f"\\{sign}" if sign in "#$%&_{}" else sign) for sign in " ".join(text.split()))
    # After the end of a row, LaTeX reads a bracket as an option.
    return f"{{[}}{escaped[1:]}" if escaped.startswith("[") else escaped


def _escape_markdown(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_<>`[]" else sign for sign in " ".join(text.split()))
