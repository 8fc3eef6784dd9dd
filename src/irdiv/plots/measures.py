"""Plots of the discriminative power of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.plots.axes import Canvas, line_style
from irdiv.plots.matrices import one_collection, to_pandas
from irdiv.plots.style import THIN_LINE_WIDTH, current_theme, styled
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.table import StudyLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

_FEW_PAIRS = 12
"""Curves of fewer pairs have markers: a line through one point is invisible."""
_FEW_MEASURES = 8
"""Names of more curves need the width of the page."""


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
    from matplotlib.ticker import MaxNLocator

    if not isinstance(power, DiscriminativePower):
        power = discriminative_power(power, delta=False)
    summary, asl = to_pandas(power.summary()), to_pandas(power.asl())
    canvas = Canvas(ax, 2.3, is_wide=len(summary) > _FEW_MEASURES)
    ax = canvas.ax
    marker = "o" if len(power.pairs) < _FEW_PAIRS else None
    shares = dict(zip(summary["measure"], summary["power"], strict=True))
    for index, (measure, rows) in enumerate(asl.groupby("measure", sort=False)):
        falling = rows["p"].to_numpy()[::-1]
        label = f"{measure} ({100 * shares[measure]:.1f}%)"
        ax.plot(np.arange(1, len(falling) + 1), falling, label=label, marker=marker, markersize=3, **line_style(index))
    ax.axhline(power.level, color=current_theme().guide, linewidth=THIN_LINE_WIDTH)
    canvas.set_labels("pairs of runs, sorted by ASL", "achieved significance level")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
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
    from matplotlib.ticker import MaxNLocator

    by_measure = one_collection(curves).groupby("measure", sort=False)
    canvas = Canvas(ax, 2.3, is_wide=len(by_measure) > _FEW_MEASURES)
    ax = canvas.ax
    for index, (measure, rows) in enumerate(by_measure):
        ax.plot(rows["topics"], 100 * rows["power"], label=str(measure), marker="o", markersize=3, **line_style(index))
    canvas.set_labels("topics", "discriminative power (%)")
    ax.set_ylim(0, max(1.0, ax.get_ylim()[1]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    canvas.add_legend()
    return ax
