"""Plots of curves over recall, rank or a parameter: means over topics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import narwhals as nw
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.measures.measure import less_is_better
from irdiv.plots.axes import Canvas, line_style, run_id
from irdiv.plots.highlights import Highlight, highlighted
from irdiv.plots.styles import THIN_LINE_WIDTH, current_theme, styled
from irdiv.stats.curves import curve_columns, mean_curves
from irdiv.stats.names import parsed_or_none
from irdiv.stats.options import Rng

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_MOST_NAMED = 16
"""With more runs, a few are named."""
_FEW_LINES = 8
"""Names of more lines need the width of the page."""
_FEW_POINTS = 12
"""Curves of no more points have markers."""


@styled
def precision_recall(
    curves: IntoDataFrame,
    *,
    highlight: Highlight = None,
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
    highlight: Highlight = None,
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
        Names of runs to draw in color, or how many of the best by the mean of their curves; the others are gray and
        without names. By default all of up to 16 runs, and of more runs the eight best.
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
    highlight: Highlight = None,
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
    highlight: Highlight,
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
    measures = means["measure"].unique()
    canvas = Canvas(ax, 2.3, is_wide=len(colored) * len(measures) > _FEW_LINES)
    others = means[~means["run"].isin(colored)]
    _draw_lines(canvas.ax, means, columns.x, colored, intervals)
    if len(others):
        count = others["run"].nunique()
        label = f"{count} other run{'s' if count > 1 else ''}"
        canvas.ax.plot([], [], color=current_theme().contour, linewidth=THIN_LINE_WIDTH, label=label)
    canvas.ax.margins(x=0.02)
    canvas.set_labels(columns.x, measures[0] if len(measures) == 1 else "mean over topics")
    canvas.add_legend()
    return canvas


def _runs_in_color(means: pd.DataFrame, highlight: Highlight) -> list[str]:
    of_first = means[means["measure"] == means["measure"].iloc[0]]
    height = of_first.groupby("run", sort=False)["mean"].mean()
    measure = parsed_or_none(str(means["measure"].iloc[0]))
    sign = -1 if measure is not None and less_is_better(measure) else 1
    runs = list(height.index)
    return [runs[run] for run in highlighted(runs, sign * height.to_numpy(), highlight, most=_MOST_NAMED)]


def _draw_lines(ax: Axes, means: pd.DataFrame, x: str, colored: Sequence[str], intervals: bool) -> None:
    runs, measures = list(means["run"].unique()), list(means["measure"].unique())
    rows_of = {(str(run), str(measure)): rows for (run, measure), rows in means.groupby(["run", "measure"])}
    others = [run for run in runs if run not in colored]
    for run, (m, measure) in product([*others, *colored], enumerate(measures)):
        rows = rows_of[run, measure]
        gid = run_id(runs.index(run)) if len(measures) == 1 else f"measure-{m}-{run_id(runs.index(run))}"
        if run not in colored:
            ax.plot(rows[x], rows["mean"], color=current_theme().contour, linewidth=THIN_LINE_WIDTH, zorder=1, gid=gid)
            continue
        line = line_style(colored.index(run) if len(colored) > 1 else m)
        if len(measures) > 1 and len(colored) > 1:
            # Colors tell runs apart, and dashes measures.
            line["linestyle"] = line_style(m * len(current_theme().colors))["linestyle"]
        label = run if len(measures) == 1 else measure if len(colored) == 1 else f"{run}, {measure}"
        marker = "o" if len(rows) <= _FEW_POINTS else None
        ax.plot(rows[x], rows["mean"], label=label, marker=marker, markersize=2.5, zorder=3, gid=gid, **line)
        if intervals:
            ax.fill_between(rows[x], rows["low"], rows["high"], color=line["color"], alpha=0.15, linewidth=0)
