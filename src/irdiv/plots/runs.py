"""Plots that compare runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number, require
from irdiv.frames.ids import natural_argsort
from irdiv.measures.parameters import GAMMA
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import axes_or_new, literal_text
from irdiv.show.palette import COLORS, CONTOUR, MUTED_TEXT
from irdiv.stats.table import EvaluationLike, as_table
from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAMMA = require(Number(0, 1), gamma=GAMMA.default)
_MOST_LABELED = 16
"""With more runs, points are numbered, and a legend lists the names."""


@literal_text
def recall_relevance(
    evaluation: EvaluationLike,
    recall: MeasureLike = "I-rec@10",
    relevance: MeasureLike = "D-nDCG@10",
    *,
    gamma: float = _GAMMA,
    ax: Axes | None = None,
) -> Axes:
    """Plot runs by intent recall and a D-measure, with contour lines of the D#-measure (Sakai and Song, figure 3).

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    recall, relevance
        The measures of the two axes, which must be in the evaluation.
    gamma
        The weight of intent recall in the D#-measure.
    ax
        Axes to draw on; those of a new figure by default.
    """
    table = as_table(evaluation, [recall, relevance])
    is_labeled = len(table.runs) <= _MOST_LABELED
    ax = axes_or_new(ax, (6.5, 5.5) if is_labeled else (8.5, 6.0))
    x, y = table.values.mean(axis=2).T
    _set_limits(ax, x, y)
    _draw_contours(ax, gamma)
    ax.scatter(x, y, color=COLORS[0], zorder=3)
    ax.set_xlabel(table.measures[0])
    ax.set_ylabel(table.measures[1])
    ax.set_title(f"contours: {gamma:g} · {table.measures[0]} + {1 - gamma:g} · {table.measures[1]}", fontsize=10)
    (_label_points if is_labeled else _number_points)(ax, x, y, table.runs)
    return ax


def _set_limits(ax: Axes, x: Floats, y: Floats) -> None:
    for values, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        margin = max(0.12 * np.ptp(values), 0.01)
        set_limits(values.min() - margin, values.max() + 1.6 * margin)


def _draw_contours(ax: Axes, gamma: float) -> None:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    x, y = np.meshgrid(np.linspace(left, right, 50), np.linspace(bottom, top, 50))
    lines = ax.contour(x, y, gamma * x + (1 - gamma) * y, colors=CONTOUR, linewidths=0.8, linestyles="dashed", zorder=1)
    ax.clabel(lines, fontsize=8)


def _label_points(ax: Axes, x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Write names beside points: to the left near the right edge, and lower where two would overlap."""
    width, height = np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    labels: list[tuple[float, float]] = []
    for point in np.argsort(-y, kind="stable"):
        to_left = (x[point] - ax.get_xlim()[0]) / width > 0.6
        label = (float(x[point] / width) - 0.17 * to_left, float(y[point] / height) + 0.012)
        while any(abs(label[0] - a) < 0.17 and abs(label[1] - b) < 0.034 for a, b in labels):
            label = (label[0], label[1] - 0.01)
        labels.append(label)
        ax.annotate(
            names[point],
            (x[point], y[point]),
            xytext=(x[point] + (-0.015 if to_left else 0.015) * width, label[1] * height),
            ha="right" if to_left else "left",
            fontsize=8,
            zorder=4,
        )


def _number_points(ax: Axes, x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Write a number beside each point, and a legend of the names beside the axes."""
    for number, point in enumerate(zip(x, y, strict=True), 1):
        ax.annotate(str(number), point, xytext=(4, 3), textcoords="offset points", fontsize=7, zorder=4)
    handles = [ax.plot([], [], " ", label=f"{number}  {name}")[0] for number, name in enumerate(names, 1)]
    ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=7,
        ncols=1 + len(names) // 35, handlelength=0, handletextpad=0,
    )  # fmt: skip


@literal_text
def difference_bars(
    evaluation: EvaluationLike,
    run: str,
    other: str,
    measure: MeasureLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot the difference of two runs on each topic, a generalized precision histogram.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    run, other
        Names of the runs; bars show the value of the first minus that of the second, in another color where the second
        is better.
    measure
        The measure; by default the first of the evaluation.
    ax
        Axes to draw on; those of a new figure by default.
    """
    table = as_table(evaluation)
    index = 0 if measure is None else table.measure_index(measure)
    z = table.values[table.run_index(run), index] - table.values[table.run_index(other), index]
    advantage = z * table.direction[index]
    order = natural_argsort(table.topics)
    ax = axes_or_new(ax, (max(6.0, 0.16 * len(z) + 1.5), 3.6))
    ax.bar(range(len(z)), z[order], color=np.where(advantage[order] >= 0, COLORS[0], COLORS[1]).tolist())
    ax.axhline(0, color="black", linewidth=0.8)
    ax.axhline(z.mean(), color=MUTED_TEXT, linewidth=0.9, linestyle="--")
    ax.set_xticks(range(len(z)), [table.topics[topic] for topic in order], rotation=90, fontsize=7)
    ax.set_xlabel("topic")
    ax.set_ylabel(f"difference in {table.measures[index]}")
    ax.set_title(
        f"{run} better on {(advantage > 0).sum()}, {other} on {(advantage < 0).sum()} topics; mean {z.mean():+.4f}",
        fontsize=10,
    )
    ax.margins(x=0.01)
    return ax
