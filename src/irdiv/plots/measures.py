"""Plots of the discriminative power of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irdiv.plots.axes import Canvas, line_style
from irdiv.plots.levels import FEW_MEASURES, SortedLevels, draw_asl_curves
from irdiv.plots.matrices import one_collection
from irdiv.plots.styles import styled
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.table import StudyLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame


@styled
def asl_curves(power: DiscriminativePower[IntoDataFrame] | StudyLike, *, ax: Axes | None = None) -> Axes:
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
    return draw_asl_curves(levels_by_measure(power), power.level, ax=ax)


def levels_by_measure(power: DiscriminativePower[IntoDataFrame]) -> dict[str, SortedLevels]:
    """Return the ASL of pairs of runs and the share that is significant, by measure."""
    shares = power.significant.mean(axis=1).tolist()
    falling = np.sort(power.p, axis=1)[:, ::-1]
    return {name: SortedLevels(*curve) for name, *curve in zip(power.measures, falling, shares, strict=True)}


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
    canvas = Canvas(ax, 2.3, is_wide=len(by_measure) > FEW_MEASURES)
    ax = canvas.ax
    for index, (measure, rows) in enumerate(by_measure):
        ax.plot(rows["topics"], 100 * rows["power"], label=str(measure), marker="o", markersize=3, **line_style(index))
    canvas.set_labels("topics", "discriminative power (%)")
    ax.set_ylim(0, max(1.0, ax.get_ylim()[1]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    canvas.add_legend()
    return ax
