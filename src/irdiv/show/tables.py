"""Tables of means for papers and notebooks: the best in bold, significant differences marked, and how in a caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypedDict

from irdiv.checks import Integer, choice, require
from irdiv.errors import IrdivError
from irdiv.measures.spec import MeasuresLike, as_measure_list
from irdiv.show.captions import caption as default_caption
from irdiv.show.captions import run_letters
from irdiv.show.markup import BOOKTABS, LATEX, MARKDOWN, Markup
from irdiv.stats.options import LEVEL, Rng, TestName
from irdiv.stats.scores import Scores
from irdiv.stats.significance import Correction, Significance, significant_differences
from irdiv.stats.table import as_table

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from typing_extensions import Unpack

AnyScores: TypeAlias = "Scores[IntoDataFrame]"


class MarkOptions(TypedDict, total=False):
    """The options of `Marks`."""

    baseline: str | None
    pairs: Literal["all"] | None
    test: TestName
    correction: Correction
    level: float
    rng: Rng
    n_resamples: int | None


@dataclass(frozen=True)
class Marks:
    """Which differences are tested and marked; see `irdiv.Evaluation.to_latex`."""

    baseline: str | None = None
    pairs: Literal["all"] | None = None
    test: TestName = "bootstrap"
    correction: Correction = "auto"
    level: float = LEVEL
    rng: Rng = 0
    n_resamples: int | None = None

    def test_scores(self, scores: AnyScores) -> Significance | None:
        """Return the significant differences, or None if nothing is to be compared."""
        if self.pairs is not None:
            require(choice("all"), pairs=self.pairs)
        if self.baseline is not None and self.pairs is not None:
            raise IrdivError(
                "baseline compares with one run, and pairs='all' compares all runs with each other; give one of them."
            )
        if self.baseline is None and self.pairs is None:
            unused = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
            if unused:
                raise IrdivError(f"{', '.join(unused)}: nothing is compared; give a baseline too, or pairs='all'.")
            return None
        return significant_differences(
            scores,
            baseline=self.baseline,
            test=self.test,
            correction=self.correction,
            level=self.level,
            rng=self.rng,
            n_resamples=self.n_resamples,
        )


class Cell(NamedTuple):
    """A mean as text, whether it is the best of its measure, and its marks: a star, letters or nothing."""

    text: str
    is_best: bool
    marks: str


class MeansTable(NamedTuple):
    """The texts of a table, in one markup."""

    measures: list[str]
    rows: list[tuple[str, list[Cell]]]
    """Each run with its cells."""
    has_marks: bool
    caption: str
    """What the table shows and how differences were tested."""


def to_latex(
    scores: AnyScores,
    *,
    measures: MeasuresLike | None = None,
    digits: int = 4,
    caption: str | None = None,
    label: str | None = None,
    environment: bool = True,
    **marks: Unpack[MarkOptions],
) -> str:
    r"""Return the means as a LaTeX table with booktabs rules, the best in bold, significant differences marked.

    Parameters
    ----------
    measures
        Some of the measures; all by default.
    baseline
        The run that the others are compared with: those that differ from it significantly have a star.
    pairs
        ``"all"`` to compare all pairs of runs: each run has a letter, and a mean carries the letters of the runs
        that it is significantly better than.
    test, rng
        As in `irdiv.stats.compare`, by default ``"bootstrap"`` and 0.
    correction
        As in `irdiv.stats.compare`, over the comparisons of each measure. ``"auto"``, the default, is Holm's if
        there are several; the randomized Tukey HSD test needs none.
    level
        The significance level, which the corrected p must be below; .05 by default.
    n_resamples
        By default that of the test, or as many as the correction needs.
    digits
        Decimal places.
    caption
        LaTeX in place of the default caption, which names the number of topics, the test, its samples, the
        correction and the level. That text is then kept as a comment.
    label
        The label that ``\ref`` takes.
    environment
        Whether the table is in a ``table`` environment; if not, it is a ``tabular`` with the caption as a comment.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["alpha-nDCG@10", "D#-nDCG@10"])
    >>> print("\n".join(evaluation.to_latex(pairs="all", label="tab:demo").splitlines()[4:13]))
    \label{tab:demo}
    \begin{tabular}{lll}
    \toprule
    run & $\alpha$-nDCG@10 & D$\sharp$-nDCG@10 \\
    \midrule
    (a) relevance & 0.7612\textsuperscript{cd} & 0.9060\textsuperscript{cd} \\
    (b) diversified & \textbf{0.8515}\textsuperscript{acd} & \textbf{0.9146}\textsuperscript{cd} \\
    (c) one-intent & 0.6387\textsuperscript{d} & 0.7037 \\
    (d) spammy & 0.4085 & 0.5833 \\
    """
    if not environment and not (caption is None and label is None):
        raise IrdivError("a caption and a label need the table environment; leave them or environment=False out.")
    if label is not None and any(sign in "\\{}%#~," or sign.isspace() for sign in label):
        raise IrdivError(f"label={label!r} is not a label of LaTeX, such as 'tab:means'.")
    table = _means_table(scores, Marks(**marks), measures, digits, LATEX)
    tabular = _tabular(table)
    if not environment:
        return "\n".join([*tabular, f"% {table.caption}"]) + "\n"
    lines = [
        BOOKTABS,
        *([] if caption is None else [f"% {table.caption}"]),
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{table.caption if caption is None else caption}}}",
        *([] if label is None else [rf"\label{{{label}}}"]),
        *tabular,
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(table: MeansTable) -> list[str]:
    # Numbers that marks follow are aligned at the left.
    alignment = "l" if table.has_marks else "r"
    lines = [
        rf"\begin{{tabular}}{{l{alignment * len(table.measures)}}}",
        r"\toprule",
        " & ".join(["run", *table.measures]) + r" \\",
        r"\midrule",
    ]
    widths = [
        max(len(cell.text) for cell in column) for column in zip(*(cells for _, cells in table.rows), strict=True)
    ]
    for run, cells in table.rows:
        texts = [
            (r"\phantom{0}" * (width - len(cell.text)) if table.has_marks else "")
            + (LATEX.bold(cell.text) if cell.is_best else cell.text)
            + cell.marks
            for cell, width in zip(cells, widths, strict=True)
        ]
        lines.append(" & ".join([run, *texts]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def to_markdown(
    scores: AnyScores,
    *,
    measures: MeasuresLike | None = None,
    digits: int = 4,
    caption: str | None = None,
    **marks: Unpack[MarkOptions],
) -> str:
    """Return the means as a Markdown table below a caption; options as in `to_latex`."""
    table = _means_table(scores, Marks(**marks), measures, digits, MARKDOWN)
    # A comment ends at the first "--" of HTML.
    comment = "" if caption is None else f"<!-- {table.caption.replace('--', '—')} -->"
    lines = [
        *([comment] if comment else []),
        f"Table: {table.caption if caption is None else caption}",
        "",
        "| run | " + " | ".join(table.measures) + " |",
        "| --- |" + (" :--- |" if table.has_marks else " ---: |") * len(table.measures),
    ]
    for run, cells in table.rows:
        texts = [(MARKDOWN.bold(cell.text) if cell.is_best else cell.text) + cell.marks for cell in cells]
        lines.append("| " + " | ".join([run, *texts]) + " |")
    return "\n".join(lines) + "\n"


def to_html(scores: AnyScores, digits: int = 4) -> str:
    """Return the HTML table that notebooks show."""
    names = "".join(f"<th>{escape(spec)}</th>" for spec in scores.specs())
    rows = []
    for run, cells in zip(scores.runs, _cells(scores, digits, {}), strict=True):
        texts = "".join(f"<td>{f'<b>{cell.text}</b>' if cell.is_best else cell.text}</td>" for cell in cells)
        rows.append(f"<tr><th>{escape(run)}</th>{texts}</tr>")
    return f'<table class="dataframe"><thead><tr><th></th>{names}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _means_table(
    scores: AnyScores, marks: Marks, measures: MeasuresLike | None, digits: int, markup: Markup
) -> MeansTable:
    if measures is not None:
        scores = _select(scores, measures)
    significance = marks.test_scores(scores)
    runs = list(map(markup.text, scores.runs))
    if marks.pairs is not None:
        runs = [f"({letter}) {run}" for letter, run in zip(run_letters(len(runs)), runs, strict=True)]
    cells = _cells(scores, digits, {} if significance is None else _marks(scores.runs, marks, significance, markup))
    return MeansTable(
        list(map(markup.measure, scores.specs())),
        list(zip(runs, cells, strict=True)),
        significance is not None,
        default_caption(len(scores.runs), len(scores.query_ids), scores.sums(), marks.baseline, significance, markup),
    )


def _select(scores: AnyScores, measures: MeasuresLike) -> AnyScores:
    """Return the scores of some of the measures."""
    table = as_table(scores)
    chosen = [table.measure_index(measure) for measure in as_measure_list(measures)]
    if not chosen:
        raise IrdivError("no measures given; name some that were evaluated, or leave the argument out for all.")
    return replace(scores, measures=tuple(scores.measures[m] for m in chosen), values=scores.values[:, chosen])


def _marks(runs: Sequence[str], marks: Marks, significance: Significance, markup: Markup) -> dict[tuple[str, str], str]:
    """Return the marks of runs and measures: a star, or the letters of the runs that a run is better than."""
    if marks.baseline is not None:
        return {
            (run, measure): markup.star for measure, run, other in significance.different if other == marks.baseline
        }
    letters = dict(zip(runs, run_letters(len(runs)), strict=True))
    worse: dict[tuple[str, str], list[str]] = {}
    for measure, run, other in significance.better:
        worse.setdefault((run, measure), []).append(letters[other])
    separator = "," if len(runs) > 26 else ""
    return {
        key: markup.letters(separator.join(sorted(found, key=lambda letter: (len(letter), letter))))
        for key, found in worse.items()
    }


def _cells(scores: AnyScores, digits: int, marks: dict[tuple[str, str], str]) -> list[list[Cell]]:
    """Return the cells of each run."""
    require(Integer(0, 20), digits=digits)
    return [
        [
            Cell(f"{mean:.{digits}f}", is_best, marks.get((run, spec), ""))
            for spec, mean, is_best in zip(scores.specs(), means, best, strict=True)
        ]
        for run, means, best in zip(scores.runs, scores.means().tolist(), scores.best().tolist(), strict=True)
    ]
