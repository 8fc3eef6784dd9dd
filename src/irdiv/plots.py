"""Plots of evaluations and of tests, with matplotlib (the extra ``plots``); each returns the Axes it drew on.

In a notebook, ``import matplotlib.pyplot`` first, and figures show themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.frames.ids import natural_order
from irdiv.stats.power import DiscriminativePower
from irdiv.stats.table import EvaluationLike, as_table

Axes: TypeAlias = Any
"""A ``matplotlib.axes.Axes``."""

# Okabe and Ito's colours, which differ for colour-blind readers too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#a0522d")
_LINES = ("-", "--", ":", "-.")
_NAMED = 16
"""More runs than these are numbered, with their names beside."""


_Plot = TypeVar("_Plot", bound=Callable[..., Any])


def _plain_text(plot: _Plot) -> _Plot:
    """Make a plot in which a dollar sign in a name is a dollar sign, and no formula."""

    @wraps(plot)
    def plain(*args: Any, **options: Any) -> Axes:
        try:
            import matplotlib as mpl
        except ImportError:
            raise IrdivError("plots need matplotlib: pip install 'irdiv[plots]'.") from None
        with mpl.rc_context({"text.parse_math": False}):
            return plot(*args, **options)

    return plain  # type: ignore[return-value]


@_plain_text
def asl_curves(power: DiscriminativePower, ax: Axes | None = None) -> Axes:
    """Draw ASL curves: pairs of runs by p, a line for each measure; the lower, the more discriminative."""
    mine = ax is None
    ax = _axes(ax, (7.5, 4.5))
    few = "o" if len(power.pairs) < 12 else None
    shares = dict(zip(power.summary["measure"], power.summary["power"], strict=True))
    for number, (measure, rows) in enumerate(power.asl.groupby("measure", sort=False)):
        falling = rows["p"].to_numpy()[::-1]
        label = f"{measure} ({100 * shares[measure]:.1f}%)"
        ax.plot(np.arange(1, len(falling) + 1), falling, label=label, marker=few, **_style(number))
    ax.axhline(power.alpha, color="#888888", linewidth=0.8)
    ax.set_xlabel("pairs of runs, sorted by ASL")
    ax.set_ylabel("achieved significance level (p)")
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    return _legend(ax, f"share with p < {power.alpha:g}", mine)


@_plain_text
def recall_relevance(
    evaluation: EvaluationLike,
    recall: Any = "I-rec@10",
    relevance: Any = "D-nDCG@10",
    *,
    gamma: float = 0.5,
    ax: Axes | None = None,
) -> Axes:
    """Draw runs by intent recall and a D-measure, with contour lines of the D#-measure (Sakai and Song, figure 3)."""
    table = as_table(evaluation, [recall, relevance])
    mine = ax is None
    ax = _axes(ax, (6.5, 5.5) if len(table.runs) <= _NAMED else (8.5, 6.0))
    x, y = table.values.mean(axis=2).T
    _limits(ax, x, y)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    grid = np.meshgrid(np.linspace(left, right, 50), np.linspace(bottom, top, 50))
    lines = ax.contour(
        *grid, gamma * grid[0] + (1 - gamma) * grid[1], colors="#b0b0b0", linewidths=0.8, linestyles="dashed", zorder=1
    )
    ax.clabel(lines, fontsize=8)
    ax.scatter(x, y, color=COLOURS[0], zorder=3)
    ax.set_xlabel(table.measures[0])
    ax.set_ylabel(table.measures[1])
    ax.set_title(f"contours: {gamma:g} · {table.measures[0]} + {1 - gamma:g} · {table.measures[1]}", fontsize=10)
    if len(table.runs) <= _NAMED:
        _name_points(ax, x, y, table.runs)
        return _laid_out(ax, mine)
    for number, point in enumerate(zip(x, y, strict=True), 1):
        ax.annotate(str(number), point, xytext=(4, 3), textcoords="offset points", fontsize=7, zorder=4)
    columns = 1 + len(table.runs) // 35
    names = [f"{number}  {run}" for number, run in enumerate(table.runs, 1)]
    handles = [ax.plot([], [], " ", label=name)[0] for name in names]
    ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=7, ncols=columns,
        handlelength=0, handletextpad=0,
    )  # fmt: skip
    return _laid_out(ax, mine)


def _limits(ax: Axes, x: Any, y: Any) -> None:
    for values, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        room = max(0.12 * np.ptp(values), 0.01)
        set_limits(values.min() - room, values.max() + 1.6 * room)


def _name_points(ax: Axes, x: Any, y: Any, names: list[str]) -> None:
    """Write names beside points, moved down where two lie close together, and inwards from the right edge."""
    width, height = np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    placed: list[tuple[float, float]] = []
    for place in np.argsort(-y, kind="stable"):
        to_left = (x[place] - ax.get_xlim()[0]) / width > 0.6
        at = (float(x[place] / width) - 0.17 * to_left, float(y[place] / height) + 0.012)
        while any(abs(at[0] - a) < 0.17 and abs(at[1] - b) < 0.034 for a, b in placed):
            at = (at[0], at[1] - 0.01)
        placed.append(at)
        ax.annotate(
            names[place],
            (x[place], y[place]),
            xytext=(x[place] + (-0.015 if to_left else 0.015) * width, at[1] * height),
            ha="right" if to_left else "left",
            fontsize=8,
            zorder=4,
        )


@_plain_text
def heat_map(matrix: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a matrix over measures: that of `irdiv.correlate`, or the frame of `irdiv.concordance`.

    For concordance, a cell is the share of the row's measure minus that of the column's.
    """
    concordance = "other_concordance" in matrix.columns
    table = _differences(matrix) if concordance else matrix
    size = 1.6 + 0.62 * len(table)
    mine = ax is None
    ax = _axes(ax, (size + 1.4, size))
    ax.set_facecolor("#d9d9d9")
    image = ax.imshow(table.to_numpy(), cmap="RdBu", vmin=-1, vmax=1)
    ax.set_xticks(range(len(table.columns)), [str(name) for name in table.columns], rotation=45, ha="right")
    ax.set_yticks(range(len(table.index)), [str(name) for name in table.index])
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        if np.isfinite(value):
            colour = "white" if abs(value) > 0.6 else "black"
            ax.text(
                column,
                row,
                f"{value + 0.0:.2f}".replace("-0.00", "0.00"),
                ha="center",
                va="center",
                fontsize=8,
                color=colour,
            )
    label = "concordance: row minus column" if concordance else "rank correlation"
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.85)
    return _laid_out(ax, mine)


def _differences(frame: pd.DataFrame) -> pd.DataFrame:
    names = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    table = pd.DataFrame(np.nan, index=names, columns=names)
    lead = frame["concordance"] - frame["other_concordance"]
    for measure, other, value in zip(frame["measure"], frame["other"], lead, strict=True):
        table.loc[measure, other], table.loc[other, measure] = value, -value
    return table


@_plain_text
def difference_bars(
    evaluation: EvaluationLike, run: str, other: str, measure: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw the difference of two runs on each topic, a generalised precision histogram."""
    table = as_table(evaluation)
    number = 0 if measure is None else table.measure_number(measure)
    z = table.values[table.run_number(run), number] - table.values[table.run_number(other), number]
    topics = table.topics
    order = natural_order(topics)
    mine = ax is None
    ax = _axes(ax, (max(6.0, 0.16 * len(z) + 1.5), 3.6))
    ax.bar(range(len(z)), z[order], color=np.where(z[order] >= 0, COLOURS[0], COLOURS[1]).tolist())
    ax.axhline(0, color="black", linewidth=0.8)
    ax.axhline(z.mean(), color="#555555", linewidth=0.9, linestyle="--")
    ax.set_xticks(range(len(z)), [topics[place] for place in order], rotation=90, fontsize=7)
    ax.set_xlabel("topic")
    ax.set_ylabel(f"difference in {table.measures[number]}")
    ax.set_title(
        f"{run} better on {(z > 0).sum()}, {other} on {(z < 0).sum()} topics; mean {z.mean():+.4f}", fontsize=10
    )
    ax.margins(x=0.01)
    return _laid_out(ax, mine)


@_plain_text
def power_curves(curve: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw discriminative power against the number of topics, what `irdiv.power_by_topics` returns."""
    mine = ax is None
    ax = _axes(ax, (7.5, 4.5))
    for number, (measure, rows) in enumerate(curve.groupby("measure", sort=False)):
        ax.plot(rows["topics"], 100 * rows["power"], label=str(measure), marker="o", markersize=3, **_style(number))
    ax.set_xlabel("topics")
    ax.set_ylabel("discriminative power (%)")
    ax.set_ylim(bottom=0)
    return _legend(ax, None, mine)


def _style(number: int) -> dict[str, Any]:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _LINES[(number // len(COLOURS)) % len(_LINES)],
        "linewidth": 1.6,
    }


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    if "matplotlib.pyplot" in sys.modules:
        # In a notebook a figure of pyplot's shows itself.
        return sys.modules["matplotlib.pyplot"].subplots(figsize=size)[1]
    return Figure(figsize=size).subplots()


def _legend(ax: Axes, title: str | None, mine: bool) -> Axes:
    """Put the legend beside the data."""
    many = len(ax.get_legend_handles_labels()[0]) > 16
    ax.legend(
        title=title,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=7 if many else 9,
        title_fontsize=9,
        ncols=2 if many else 1,
    )
    return _laid_out(ax, mine)


def _laid_out(ax: Axes, mine: bool) -> Axes:
    """Make room for labels in a figure of ours; one of the user's is theirs to lay out."""
    if mine:
        ax.figure.set_layout_engine("constrained")
    return ax
