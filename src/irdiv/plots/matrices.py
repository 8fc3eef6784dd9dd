"""What functions of `irdiv.stats` return, as matrices of measures or runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.stats.options import LEVEL
from irdiv.types import Bools, Floats

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


class Matrix(NamedTuple):
    """Values to show in cells; NaN where there is none."""

    rows: list[str]
    columns: list[str]
    values: Floats
    title: str
    limit: float = 1.0
    """The largest absolute value that has a color of its own."""
    low: Floats | None = None
    high: Floats | None = None
    """The ends of intervals."""
    is_blank: Bools | None = None
    """Cells to draw without a color."""


def as_matrix(frame: IntoDataFrame) -> Matrix:
    """Return the matrix of a result of `irdiv.stats`, which is known by its columns."""
    table = one_collection(frame)
    columns = set(table.columns)
    if {"run", "other", "difference", "p_adjusted"} <= columns:
        return _of_comparisons(table)
    if {"measure", "correlation", "low", "high"} <= columns:
        return _of_correlations(table)
    if "other_concordance" in columns:
        lead = table["concordance"] - table["other_concordance"]
        return _of_pairs(table.assign(value=lead), "concordance: row minus column", sign=-1)
    if {"other", "agreement"} <= columns:
        return _of_pairs(table.rename(columns={"agreement": "value"}), "share of significant pairs in common")
    # Only pandas has an index; in other frames measures are the first column.
    table = table.set_index("measure") if "measure" in columns else table
    not_numbers = [str(name) for name, dtype in table.dtypes.items() if dtype.kind not in "iuf"]
    if table.empty or not_numbers:
        found = f"found a column without numbers: {examples(not_numbers)}" if not_numbers else "found an empty frame"
        raise IrdivError(
            "a heat map shows what irdiv.stats.correlate, correlation_intervals, compare_leaderboards, concordance, "
            f"compare or DiscriminativePower.agreement returns, or any matrix of numbers; {found}."
        )
    return Matrix(
        [str(name) for name in table.index],
        [str(name) for name in table.columns],
        table.to_numpy(np.float64),
        "rank correlation",
    )


def to_pandas(frame: IntoDataFrame) -> pd.DataFrame:
    """Return a frame as pandas."""
    try:
        return nw.from_native(frame, eager_only=True).to_pandas()
    except TypeError:
        raise IrdivError(f"expected a frame of pandas, polars or pyarrow; found {type(frame).__name__!r}.") from None


def one_collection(frame: IntoDataFrame) -> pd.DataFrame:
    """Return a frame as pandas; it is an error if it has rows by collection, which would be drawn over each other."""
    table = to_pandas(frame)
    if "collection" in [*table.columns, *table.index.names]:
        raise IrdivError(
            "the frame has rows for each of several collections, but the plot shows one or all of them together: leave "
            "out by_collection=True, or choose a collection and drop its name."
        )
    return table


def _of_comparisons(table: pd.DataFrame) -> Matrix:
    """Return differences: of all pairs of runs, or of runs and baselines, or by several measures with one baseline."""
    is_blank = ~(table["p_adjusted"] < LEVEL)
    table = table[["measure", "run", "other"]].assign(value=table["difference"], is_blank=is_blank)
    measures, others = list(dict.fromkeys(table["measure"])), list(dict.fromkeys(table["other"]))
    limit = float(table["value"].abs().max()) or 1.0
    blank = f"blank: p_adjusted ≥ {LEVEL:g}"
    if len(measures) > 1:
        if len(others) > 1:
            raise IrdivError(
                f"a heat map shows runs by one measure, or by several against one baseline; found {len(measures)} "
                f"measures, {examples(measures, 9)}, and comparisons with {len(others)} runs: choose rows of one "
                "measure, or give irdiv.stats.compare a baseline."
            )
        cells = table.assign(row=table["run"], column=table["measure"])
        return _of_cells(cells, f"difference: row minus {others[0]}; {blank}", limit)
    title = f"{measures[0]}, row minus column; {blank}"
    if set(table["run"]).isdisjoint(others):
        return _of_cells(table.assign(row=table["run"], column=table["other"]), title, limit)
    return _of_pairs(table.assign(measure=table["run"]), title, sign=-1, limit=limit)


def _of_correlations(table: pd.DataFrame) -> Matrix:
    """Return correlations with intervals: of pairs of measures, or of measures by two leaderboards."""
    table = table.rename(columns={"correlation": "value"})
    if "other" in table.columns:
        return _of_pairs(table, "rank correlation, with intervals")
    cells = table.assign(row=table["measure"], column="correlation")
    return _of_cells(cells, "rank correlation of leaderboards, with intervals")


def _of_pairs(table: pd.DataFrame, title: str, *, sign: Literal[-1, 1] = 1, limit: float = 1.0) -> Matrix:
    """Return a square matrix; what is there in one direction only has the other value in the other, with a sign."""
    cells = table.assign(row=table["measure"], column=table["other"])
    swapped = cells.assign(row=cells["column"], column=cells["row"], value=sign * cells["value"])
    cells = pd.concat([cells, swapped]).drop_duplicates(["row", "column"])
    return _of_cells(cells, title, limit, list(dict.fromkeys([*table["measure"], *table["other"]])))


def _of_cells(cells: pd.DataFrame, title: str, limit: float = 1.0, names: list[str] | None = None) -> Matrix:
    """Return the matrix of cells ``row, column, value``, which may have ``low, high`` and ``is_blank``."""
    rows, columns = (names or list(dict.fromkeys(cells[name])) for name in ("row", "column"))
    at = ([rows.index(row) for row in cells["row"]], [columns.index(column) for column in cells["column"]])

    def grid(name: str) -> Floats:
        values = np.full((len(rows), len(columns)), np.nan)
        values[at] = cells[name].to_numpy(np.float64)
        return values

    optional = {name: grid(name) if name in cells.columns else None for name in ("low", "high", "is_blank")}
    is_blank = None if optional["is_blank"] is None else optional["is_blank"] == 1
    return Matrix(rows, columns, grid("value"), title, limit, optional["low"], optional["high"], is_blank)
