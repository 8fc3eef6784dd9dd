"""The table of means for papers and notebooks: the best in bold, significant differences starred."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from irdiv.results import Evaluation

_ALPHA = 0.05


class Entry(NamedTuple):
    """A mean to four places, whether it is the best of its measure, and whether it differs from the baseline."""

    text: str
    best: bool
    differs: bool


def _entries(evaluation: Evaluation, baseline: str | None, test: Any, digits: int = 4) -> list[tuple[str, list[Entry]]]:
    means = evaluation.to_pandas().summary()
    significant = set()
    if baseline is not None:
        from irdiv.stats.compare import compare

        frame = compare(evaluation.to_pandas(), baseline=baseline, test=test)
        below = frame[frame["p"] < _ALPHA]
        significant = set(zip(below["run"], below["measure"], strict=True))
    names = [str(measure) for measure in evaluation.measures]
    best = means.max(axis=0).to_numpy()
    rows = []
    for run, values in zip(evaluation.runs, means.to_numpy(), strict=True):
        cells = zip(names, values.tolist(), best.tolist(), strict=True)
        rows.append(
            (
                run,
                [
                    Entry(f"{v:.{digits}f}", bool(np.isclose(v, b, atol=1e-12)), (run, m) in significant)
                    for m, v, b in cells
                ],
            )
        )
    return rows


def as_latex(evaluation: Evaluation, baseline: str | None = None, test: Any = "bootstrap", digits: int = 4) -> str:
    """Return a LaTeX table with booktabs rules."""
    names = [_tex(str(measure)) for measure in evaluation.measures]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(names)}}}",
        r"\toprule",
        " & ".join(["run", *names]) + r" \\",
        r"\midrule",
    ]
    for run, entries in _entries(evaluation, baseline, test, digits):
        cells = [rf"\textbf{{{e.text}}}" if e.best else e.text for e in entries]
        marked = [cell + (r"$^{*}$" if e.differs else "") for cell, e in zip(cells, entries, strict=True)]
        lines.append(" & ".join([_tex(run), *marked]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if baseline is not None:
        lines.append(f"% * differs from {_tex(baseline)} at p < {_ALPHA}")
    return "\n".join(lines) + "\n"


_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _tex(text: str) -> str:
    escaped = "".join(_SPECIAL.get(sign, f"\\{sign}" if sign in "#$%&_{}" else sign) for sign in " ".join(text.split()))
    # A bracket behind the end of a row would be an option of it.
    return f"{{[}}{escaped[1:]}" if escaped.startswith("[") else escaped


def as_markdown(evaluation: Evaluation, baseline: str | None = None, test: Any = "bootstrap", digits: int = 4) -> str:
    """Return a Markdown table."""
    names = [str(measure) for measure in evaluation.measures]
    lines = ["| run | " + " | ".join(map(_md, names)) + " |", "| --- |" + " ---: |" * len(names)]
    for run, entries in _entries(evaluation, baseline, test, digits):
        cells = [(f"**{e.text}**" if e.best else e.text) + ("\\*" if e.differs else "") for e in entries]
        lines.append("| " + " | ".join([_md(run), *cells]) + " |")
    if baseline is not None:
        lines += ["", f"\\* differs from {_md(baseline)} at p < {_ALPHA}"]
    return "\n".join(lines) + "\n"


def _md(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_<>`[]" else sign for sign in " ".join(text.split()))


def as_html(evaluation: Evaluation) -> str:
    """Return the table that notebooks show."""
    names = "".join(f"<th>{escape(str(measure))}</th>" for measure in evaluation.measures)
    rows = []
    for run, entries in _entries(evaluation, None, None):
        cells = "".join(f"<td>{'<b>' + e.text + '</b>' if e.best else e.text}</td>" for e in entries)
        rows.append(f"<tr><th>{escape(run)}</th>{cells}</tr>")
    return f"<table><thead><tr><th></th>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
