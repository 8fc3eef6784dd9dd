"""Plots of curves over recall, rank or a parameter: means over topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

import narwhals as nw
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.plots.axes import Canvas, line_style
from irdiv.plots.style import COLUMN_WIDTH, current_theme, styled
from irdiv.stats.curves import curve_columns, mean_curves
from irdiv.stats.options import Rng

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_MOST_NAMED = 16
"""With more runs, a few are named."""
_FEW_NAMED = 8
_FEW_POINTS = 12
"""Curves of no more points have markers."""


@styled
def precision_recall(
    curves: IntoDataFrame,
    *,
    highlight: str | Iterable[str] | None = None,
    intervals: bool = False,
    rng: Rng = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot interpolated precision by recall, the mean over topics: a line for each run.

    Parameters
    ----------
    curves
        What `irdiv.analysis.interpolated_precision` returns.
    highlight, intervals, rng, ax
        As of `rank_curves`.
    """
    canvas = _draw_curves(curves, "recall", highlight, intervals, rng, ax)
    canvas.set_labels("recall", "interpolated precision")
    canvas.ax.set_ylim(0, 1.02)
    return canvas.ax


@styled
def rank_curves(
    curves: IntoDataFrame,
    *,
    highlight: str | Iterable[str] | None = None,
    intervals: bool = False,
    rng: Rng = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot measures by rank, the mean over topics: a line for each run and measure.

    Parameters
    ----------
    curves
        What `irdiv.analysis.values_by_rank` returns: CG, DCG, nDCG, α-nDCG or any other measure.
    highlight
        Names of runs to draw in color; the others are gray and without names. By default all of up to 16 runs, and of
        more runs the eight whose curves are highest in the mean.
    intervals
        Shade the 95% confidence intervals of the means of runs in color, those of `irdiv.stats.mean_curves`.
    rng
        A seed or a generator for the intervals.
    ax
        Axes to draw on; those of a new figure by default.
    """
    from matplotlib.ticker import MaxNLocator

    canvas = _draw_curves(curves, "rank", highlight, intervals, rng, ax)
    canvas.ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    canvas.ax.set_ylim(bottom=min(0.0, canvas.ax.get_ylim()[0]))
    return canvas.ax


@styled
def parameter_curves(
    curves: IntoDataFrame,
    *,
    highlight: str | Iterable[str] | None = None,
    intervals: bool = False,
    rng: Rng = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot a measure by one of its parameters, the mean over topics: a line for each run.

    Parameters
    ----------
    curves
        What `irdiv.analysis.values_by_parameter` returns, such as α-nDCG for many values of α.
    highlight, intervals, rng, ax
        As of `rank_curves`.
    """
    return _draw_curves(curves, None, highlight, intervals, rng, ax).ax


def _draw_curves(
    curves: IntoDataFrame,
    x: str | None,
    highlight: str | Iterable[str] | None,
    intervals: bool,
    rng: Rng,
    ax: Axes | None,
) -> Canvas:
    try:
        frame = nw.from_native(curves, eager_only=True).to_pandas()
    except TypeError:
        raise IrdivError(
            f"expected curves as the functions of irdiv.analysis return them, found {type(curves).__name__!r}; an "
            "evaluation draws them itself, with evaluation.plot."
        ) from None
    columns = curve_columns(list(frame.columns))
    if x is not None and columns.x != x:
        raise IrdivError(f"these are curves over {columns.x!r}; expected curves over {x!r}.")
    if not columns.has_measure:
        frame = frame.assign(measure=columns.value)
    means = mean_curves(frame, interval="bca" if intervals else None, rng=rng)
    colored = _runs_in_color(means, highlight)
    canvas = Canvas(ax, COLUMN_WIDTH, 2.3)
    others = means[~means["run"].isin(colored)]
    _draw_others(canvas.ax, others, columns.x)
    _draw_colored(canvas.ax, means[means["run"].isin(colored)], columns.x, colored, intervals)
    if len(others):
        count = others["run"].nunique()
        label = f"{count} other run{'s' if count > 1 else ''}"
        canvas.ax.plot([], [], color=current_theme().contour, linewidth=0.6, label=label)
    canvas.ax.margins(x=0.02)
    measures = means["measure"].unique()
    canvas.set_labels(columns.x, measures[0] if len(measures) == 1 else "mean over topics")
    canvas.add_legend()
    return canvas


def _runs_in_color(means: pd.DataFrame, highlight: str | Iterable[str] | None) -> list[str]:
    runs = list(means["run"].unique())
    if highlight is not None:
        names = [highlight] if isinstance(highlight, str) else list(highlight)
        unknown = next((name for name in names if name not in runs), None)
        if unknown is not None:
            raise IrdivError(f"no run is called {unknown!r}; there are {examples(runs, 9)}.")
        return names
    if len(runs) <= _MOST_NAMED:
        return runs
    of_first = means[means["measure"] == means["measure"].iloc[0]]
    height = of_first.groupby("run", sort=False)["mean"].mean()
    return list(height.sort_values(ascending=False, kind="stable").index[:_FEW_NAMED])


def _draw_others(ax: Axes, means: pd.DataFrame, x: str) -> None:
    for _, rows in means.groupby(["run", "measure"], sort=False):
        ax.plot(rows[x], rows["mean"], color=current_theme().contour, linewidth=0.6, zorder=1)


def _draw_colored(ax: Axes, means: pd.DataFrame, x: str, runs: Sequence[str], intervals: bool) -> None:
    measures = list(means["measure"].unique())
    rows_of = {(str(run), str(measure)): rows for (run, measure), rows in means.groupby(["run", "measure"])}
    for (r, run), (m, measure) in product(enumerate(runs), enumerate(measures)):
        rows = rows_of[run, measure]
        line = line_style(r if len(runs) > 1 else m)
        if len(measures) > 1 and len(runs) > 1:
            # Colors tell runs apart, and dashes measures.
            line["linestyle"] = line_style(m * len(current_theme().colors))["linestyle"]
        label = run if len(measures) == 1 else measure if len(runs) == 1 else f"{run}, {measure}"
        marker = "o" if len(rows) <= _FEW_POINTS else None
        ax.plot(rows[x], rows["mean"], label=label, marker=marker, markersize=2.5, zorder=3, **line)
        if intervals:
            ax.fill_between(rows[x], rows["low"], rows["high"], color=line["color"], alpha=0.15, linewidth=0)
