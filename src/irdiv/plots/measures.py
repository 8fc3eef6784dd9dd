"""Plots that compare measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.plots.axes import Canvas, line_style, text_width
from irdiv.plots.style import COLUMN_WIDTH, SMALL_TEXT_SIZE, current_theme, styled
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.table import StudyLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_FEW_PAIRS = 12
"""Curves of fewer pairs have markers: a line through one point is invisible."""


@styled
def asl_curves(power: DiscriminativePower[Any] | StudyLike, *, ax: Axes | None = None) -> Axes:
    """Plot ASL curves: pairs of runs by p, a line for each measure; the lower, the more discriminative.

    Parameters
    ----------
    power
        What `irdiv.stats.discriminative_power` returns, or what it takes: an evaluation, or a mapping from the names of
        collections to evaluations.
    ax
        Axes to draw on; those of a new figure by default.
    """
    if not isinstance(power, DiscriminativePower):
        power = discriminative_power(power, delta=False)
    canvas = Canvas(ax, COLUMN_WIDTH, 2.3)
    ax = canvas.ax
    marker = "o" if len(power.pairs) < _FEW_PAIRS else None
    summary, asl = _to_pandas(power.summary()), _to_pandas(power.asl())
    shares = dict(zip(summary["measure"], summary["power"], strict=True))
    for index, (measure, rows) in enumerate(asl.groupby("measure", sort=False)):
        falling = rows["p"].to_numpy()[::-1]
        label = f"{measure} ({100 * shares[measure]:.1f}%)"
        ax.plot(np.arange(1, len(falling) + 1), falling, label=label, marker=marker, markersize=3, **line_style(index))
    ax.axhline(power.level, color=current_theme().guide, linewidth=0.6)
    canvas.set_labels("pairs of runs, sorted by ASL", "achieved significance level")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    canvas.add_legend(f"share with p < {power.level:g}")
    return ax


@styled
def power_curves(curves: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot discriminative power against the number of topics.

    Parameters
    ----------
    curves
        What `irdiv.stats.power_by_topics` returns.
    ax
        Axes to draw on; those of a new figure by default.
    """
    canvas = Canvas(ax, COLUMN_WIDTH, 2.3)
    ax = canvas.ax
    for index, (measure, rows) in enumerate(_pooled(curves).groupby("measure", sort=False)):
        ax.plot(rows["topics"], 100 * rows["power"], label=str(measure), marker="o", markersize=3, **line_style(index))
    canvas.set_labels("topics", "discriminative power (%)")
    ax.set_ylim(bottom=0)
    canvas.add_legend()
    return ax


@styled
def heat_map(matrix: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot a matrix over measures.

    Parameters
    ----------
    matrix
        What `irdiv.stats.correlate`, `irdiv.stats.concordance` or `DiscriminativePower.agreement` returns; a cell of a
        concordance is that of the row's measure minus that of the column's.
    ax
        Axes to draw on; those of a new figure by default.
    """
    table = _pooled(matrix)
    if "other_concordance" in table.columns:
        title = "concordance: row minus column"
        table = _matrix_of_pairs(table, table["concordance"] - table["other_concordance"], below_diagonal=-1)
    elif {"other", "agreement"} <= set(table.columns):
        title = "share of significant pairs in common"
        table = _matrix_of_pairs(table, table["agreement"], below_diagonal=1)
    else:
        title = "rank correlation"
        table = _measures_as_index(table)
    _require_numbers(table)
    names = [str(name) for name in (*table.index, *table.columns)]
    longest = text_width(names, SMALL_TEXT_SIZE)
    size = longest + 0.34 * max(len(table), 4)
    canvas = Canvas(ax, size + 0.8, size + 0.4, beside=longest)
    ax = canvas.ax
    ax.set_facecolor(current_theme().missing)
    # New figures have the size of square cells; matplotlib does not lay out axes of a fixed aspect in one pass.
    aspect: Literal["auto", "equal"] = "auto" if canvas.is_new else "equal"
    image = ax.imshow(table.to_numpy(), cmap="RdBu", vmin=-1, vmax=1, aspect=aspect)
    ax.set_xticks(range(len(table.columns)), names[len(table) :], rotation=90)
    ax.set_yticks(range(len(table.index)), names[: len(table)])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        if np.isfinite(value):
            text = f"{value:.2f}".replace("-0.00", "0.00")
            color = "white" if abs(value) > 0.6 else "black"
            ax.text(column, row, text, ha="center", va="center", fontsize=6.5, color=color)
    canvas.set_title(title)
    bar = canvas.figure.colorbar(image, ax=ax, shrink=0.85)
    bar.outline.set_visible(False)
    return ax


def _to_pandas(frame: IntoDataFrame) -> pd.DataFrame:
    try:
        return nw.from_native(frame, eager_only=True).to_pandas()
    except TypeError:
        raise IrdivError(f"expected a frame of pandas, polars or pyarrow; found {type(frame).__name__!r}.") from None


def _pooled(frame: IntoDataFrame) -> pd.DataFrame:
    """Return a frame as pandas; it is an error if it has rows by collection, which would be drawn over each other."""
    table = _to_pandas(frame)
    if "collection" in [*table.columns, *table.index.names]:
        raise IrdivError(
            "the frame has rows for each of several collections, but the plot shows one or all of them together: leave "
            "out by_collection=True, or choose a collection and drop its name."
        )
    return table


def _measures_as_index(matrix: pd.DataFrame) -> pd.DataFrame:
    """Return a matrix with measures as its index; only pandas has one, elsewhere they are the first column."""
    return matrix.set_index("measure") if "measure" in matrix.columns else matrix


def _require_numbers(table: pd.DataFrame) -> None:
    """Raise an error unless a table has a row, a column, and numbers only."""
    columns = [str(name) for name, dtype in table.dtypes.items() if dtype.kind not in "iuf"]
    if table.empty or columns:
        found = f"found a column without numbers: {examples(columns)}" if columns else "found an empty frame"
        raise IrdivError(
            "a heat map shows what irdiv.stats.correlate, irdiv.stats.concordance or DiscriminativePower.agreement "
            f"returns, or any matrix of numbers; {found}."
        )


def _matrix_of_pairs(frame: pd.DataFrame, values: pd.Series[float], *, below_diagonal: int) -> pd.DataFrame:
    """Return the values of pairs of measures as a matrix, those below the diagonal with a sign."""
    names = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    matrix = pd.DataFrame(np.nan, index=names, columns=names)
    for measure, other, value in zip(frame["measure"], frame["other"], values, strict=True):
        matrix.loc[measure, other], matrix.loc[other, measure] = value, below_diagonal * value
    return matrix
