"""Heat maps of matrices over measures or runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from irdiv.plots.axes import COLOR_BAR, MARGIN, Canvas, shortened, text_width, tick_step
from irdiv.plots.matrices import Matrix, as_matrix
from irdiv.plots.styles import COLUMN_WIDTH, LINE_HEIGHT, SMALL_TEXT_SIZE, current_theme, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_CELL_HEIGHT = 0.3
_LEAST_HEIGHT = 0.02
_TITLE = 0.4
"""Heights in inches, of cells with a line of text, of the smallest cells, and of a title and the space around it."""
_SMALL = 0.2
"""Values that are all smaller have a third digit."""
_LONGEST_NAME = 0.36
_COLUMN_NAME = 0.24
_SHORTEST_NAME = 0.2
"""Shares of the width of a figure: longer names are shortened, to the second before a figure needs the page, and in the
last resort to the third."""


@styled
def heat_map(matrix: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot a matrix over measures or runs.

    Parameters
    ----------
    matrix
        What a function of `irdiv.stats` returns, a frame of pandas, polars or Arrow: `correlate`,
        `correlation_intervals` and `compare_leaderboards`, the last two with intervals; `concordance`, where a cell is
        the concordance of the row's measure minus that of the column's; ``DiscriminativePower.agreement()``; and
        `compare`, where a cell is the mean of the row minus that of the column, without a color where ``p_adjusted`` is
        0.05 or more: runs by one measure, or by several with one baseline.
    ax
        Axes to draw on; those of a new figure by default.
    """
    import matplotlib as mpl
    from matplotlib.cm import ScalarMappable

    table, theme = as_matrix(matrix), current_theme()
    texts = _texts_of_cells(table)
    cell = text_width((line for text in set(texts.flat) for line in text.split("\n")), SMALL_TEXT_SIZE) + 0.04
    names = min(text_width(table.rows, SMALL_TEXT_SIZE), _COLUMN_NAME * COLUMN_WIDTH)
    canvas = Canvas(ax, 2.0, is_wide=names + cell * len(table.columns) + COLOR_BAR + MARGIN > COLUMN_WIDTH)
    ax = canvas.ax
    # Names leave room for the texts in cells, but always have some.
    room = canvas.width - COLOR_BAR - MARGIN - cell * len(table.columns)
    longest = canvas.width * min(_LONGEST_NAME, max(_SHORTEST_NAME, room / canvas.width))
    rows, columns = (shortened(labels, longest) for labels in (table.rows, table.columns))
    if canvas.is_new:
        canvas.beside, canvas.color_bar = text_width(rows, SMALL_TEXT_SIZE), COLOR_BAR
    width = canvas.axes_width / len(columns)
    is_upright = text_width(columns, SMALL_TEXT_SIZE) > 0.9 * width
    has_texts = cell <= width
    if canvas.is_new:
        height = max(_CELL_HEIGHT, LINE_HEIGHT * max(text.count("\n") + 1 for text in texts.flat) + 0.08)
        below = text_width(columns, SMALL_TEXT_SIZE) if is_upright else LINE_HEIGHT
        canvas.set_height(
            below + _TITLE + len(rows) * (height if has_texts else min(height, max(width, _LEAST_HEIGHT)))
        )
        shown = canvas.height - below - _TITLE
    else:
        shown = canvas.height
    colors = mpl.colormaps["RdBu"].with_extremes(bad=theme.missing)
    alpha = None if table.is_blank is None else np.where(table.is_blank, 0.0, 1.0)
    # New figures have the size of the cells; matplotlib does not lay out axes of a fixed aspect in one pass.
    aspect: Literal["auto", "equal"] = "auto" if canvas.is_new else "equal"
    image = ax.imshow(table.values, colors, vmin=-table.limit, vmax=table.limit, aspect=aspect, alpha=alpha)
    across, down = tick_step(len(columns), canvas.axes_width), tick_step(len(rows), shown)
    ax.set_xticks(range(0, len(columns), across), columns[::across], rotation=90 if is_upright else 0)
    ax.set_yticks(range(0, len(rows), down), rows[::down])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if has_texts:
        _write_cells(ax, table, texts)
    canvas.set_title(table.title)
    canvas.add_color_bar(ScalarMappable(image.norm, colors))
    return ax


def _texts_of_cells(table: Matrix) -> NDArray[np.str_]:
    """Return values of cells, and intervals below them; empty for those without a value."""
    digits = 2 if table.limit > _SMALL else 3

    def written(value: float) -> str:
        text = f"{value:.{digits}f}"
        return text.removeprefix("-") if float(text) == 0 else text

    texts = np.full(table.values.shape, "", dtype=object)
    for (row, column), value in np.ndenumerate(table.values):
        if np.isfinite(value):
            texts[row, column] = written(value)
            if table.low is not None and table.high is not None:
                low, high = written(float(table.low[row, column])), written(float(table.high[row, column]))
                texts[row, column] += f"\n[{low}, {high}]"
    return texts.astype(str)


def _write_cells(ax: Axes, table: Matrix, texts: NDArray[np.str_]) -> None:
    """Write texts into cells, white on dark ones."""
    theme = current_theme()
    for (row, column), text in np.ndenumerate(texts):
        if not text:
            continue
        is_blank = table.is_blank is not None and table.is_blank[row, column]
        is_dark = abs(table.values[row, column]) > 0.6 * table.limit
        color = theme.muted_text if is_blank else "white" if is_dark else "black"
        ax.text(column, row, text, ha="center", va="center", fontsize=SMALL_TEXT_SIZE, color=color)
