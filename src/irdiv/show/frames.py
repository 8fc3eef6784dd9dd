"""Any frame as a table in LaTeX or Markdown."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_numeric_dtype

from irdiv.errors import printable
from irdiv.show.markup import BOOKTABS, LATEX, MARKDOWN, Markup


def cell_text(value: object, digits: int, missing: str = "-") -> str:
    """Return the text of a value in a table, with some decimal places for floats."""
    if value is None or value != value:
        return missing
    return f"{value:.{digits}f}" if isinstance(value, float) else printable(str(value))


def frame_to_latex(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a LaTeX table with booktabs rules, numbers aligned to the right."""
    alignment = "".join("r" if is_numeric_dtype(dtype) else "l" for dtype in frame.dtypes)
    lines = [" & ".join(row) + r" \\" for row in _marked_up_rows(frame, digits, LATEX)]
    body = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([BOOKTABS, rf"\begin{{tabular}}{{{alignment}}}", *body, r"\end{tabular}", ""])


def frame_to_markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return a Markdown table, numbers aligned to the right."""
    rule = ["---:" if is_numeric_dtype(dtype) else "---" for dtype in frame.dtypes]
    header, *rows = _marked_up_rows(frame, digits, MARKDOWN)
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def _marked_up_rows(frame: pd.DataFrame, digits: int, markup: Markup) -> list[list[str]]:
    """Return the header and the rows of a frame, with measures as papers have them."""
    # The other of two may be a measure or a run.
    measures = {"measure", "gold", *(() if "run" in frame else ("other",))}
    write = [markup.measure if name in measures else markup.text for name in frame]
    rows = [
        [write_one(cell_text(value, digits)) for write_one, value in zip(write, row, strict=True)]
        for row in frame.itertuples(index=False, name=None)
    ]
    return [[markup.measure(str(name)) for name in frame], *rows]
