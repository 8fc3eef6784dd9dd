"""Any frame as a table in LaTeX or Markdown."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_numeric_dtype

from irdiv.show.markup import LATEX, MARKDOWN


def cell_text(value: object, digits: int, missing: str = "-") -> str:
    """Return the text of a value in a table, with some decimal places for floats."""
    if value is None or value != value:
        return missing
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def frame_to_latex(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a LaTeX table with booktabs rules, numbers aligned to the right."""
    alignment = "".join("r" if is_numeric_dtype(dtype) else "l" for dtype in frame.dtypes)
    lines = [" & ".join(map(LATEX.text, row)) + r" \\" for row in ([str(c) for c in frame], *_rows(frame, digits))]
    body = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([rf"\begin{{tabular}}{{{alignment}}}", *body, r"\end{tabular}", ""])


def frame_to_markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a Markdown table, numbers aligned to the right."""
    rule = ["---:" if is_numeric_dtype(dtype) else "---" for dtype in frame.dtypes]
    header, *rows = (list(map(MARKDOWN.text, row)) for row in ([str(c) for c in frame], *_rows(frame, digits)))
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def _rows(frame: pd.DataFrame, digits: int) -> list[list[str]]:
    return [[cell_text(value, digits) for value in row] for row in frame.itertuples(index=False, name=None)]
