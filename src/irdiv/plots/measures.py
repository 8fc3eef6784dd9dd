"""Plots that compare measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.plots.axes import axes_or_new, legend_beside, line_style, literal_text
from irdiv.show.palette import GUIDE, MISSING
from irdiv.stats.power import DiscriminativePower

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_CELL = 0.62
"""The width and height of a cell of a heat map in inches."""
_FEW_PAIRS = 12
"""Curves of fewer pairs have markers: a line through one point is invisible."""


@literal_text
def asl_curves(power: DiscriminativePower[Any], *, ax: Axes | None = None) -> Axes:
    """Plot ASL curves: pairs of runs by p, a line for each measure; the lower, the more discriminative.

    Parameters
    ----------
    power
        What `irdiv.stats.discriminative_power` returns.
    ax
        Axes to draw on; those of a new figure by default.
    """
    ax = axes_or_new(ax, (7.5, 4.5))
    marker = "o" if len(power.pairs) < _FEW_PAIRS else None
    summary, asl = _to_pandas(power.summary()), _to_pandas(power.asl())
    shares = dict(zip(summary["measure"], summary["power"], strict=True))
    for index, (measure, rows) in enumerate(asl.groupby("measure", sort=False)):
        falling = rows["p"].to_numpy()[::-1]
        label = f"{measure} ({100 * shares[measure]:.1f}%)"
        ax.plot(np.arange(1, len(falling) + 1), falling, label=label, marker=marker, **line_style(index))
    ax.axhline(power.level, color=GUIDE, linewidth=0.8)
    ax.set_xlabel("pairs of runs, sorted by ASL")
    ax.set_ylabel("achieved significance level (p)")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    legend_beside(ax, f"share with p < {power.level:g}")
    return ax


@literal_text
def power_curves(curves: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Plot discriminative power against the number of topics.

    Parameters
    ----------
    curves
        What `irdiv.stats.power_by_topics` returns.
    ax
        Axes to draw on; those of a new figure by default.
    """
    ax = axes_or_new(ax, (7.5, 4.5))
    for index, (measure, rows) in enumerate(_pooled(curves).groupby("measure", sort=False)):
        ax.plot(rows["topics"], 100 * rows["power"], label=str(measure), marker="o", markersize=3, **line_style(index))
    ax.set_xlabel("topics")
    ax.set_ylabel("discriminative power (%)")
    ax.set_ylim(bottom=0)
    legend_beside(ax)
    return ax


@literal_text
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
        label = "concordance: row minus column"
        table = _matrix_of_pairs(table, table["concordance"] - table["other_concordance"], below_diagonal=-1)
    elif {"other", "agreement"} <= set(table.columns):
        label = "share of significant pairs in common"
        table = _matrix_of_pairs(table, table["agreement"], below_diagonal=1)
    else:
        label = "rank correlation"
        table = _measures_as_index(table)
    _require_numbers(table)
    ax = axes_or_new(ax, _heat_map_size(table))
    ax.set_facecolor(MISSING)
    image = ax.imshow(table.to_numpy(), cmap="RdBu", vmin=-1, vmax=1)
    ax.set_xticks(range(len(table.columns)), [str(name) for name in table.columns], rotation=45, ha="right")
    ax.set_yticks(range(len(table.index)), [str(name) for name in table.index])
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        if np.isfinite(value):
            text = f"{value:.2f}".replace("-0.00", "0.00")
            color = "white" if abs(value) > 0.6 else "black"
            ax.text(column, row, text, ha="center", va="center", fontsize=8, color=color)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.85)
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


def _heat_map_size(table: pd.DataFrame) -> tuple[float, float]:
    """Return the width and height in inches of a figure with room for the names of rows and columns."""
    from matplotlib import rcParams
    from matplotlib.textpath import TextPath

    cells = _CELL * max(*table.shape, 3)
    rows, columns = (
        max(TextPath((0, 0), str(name), size=rcParams["font.size"]).get_extents().width for name in names) / 72
        for names in (table.index, table.columns)
    )
    # The names of columns are rotated by 45 degrees.
    rotated = columns / np.sqrt(2)
    return float(cells + max(rows, rotated) + 1.7), float(cells + rotated + 0.6)


def _matrix_of_pairs(frame: pd.DataFrame, values: pd.Series[float], *, below_diagonal: int) -> pd.DataFrame:
    """Return the values of pairs of measures as a matrix, those below the diagonal with a sign."""
    names = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    matrix = pd.DataFrame(np.nan, index=names, columns=names)
    for measure, other, value in zip(frame["measure"], frame["other"], values, strict=True):
        matrix.loc[measure, other], matrix.loc[other, measure] = value, below_diagonal * value
    return matrix
