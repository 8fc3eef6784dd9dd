"""Plots of runs by two measures, and of two runs by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irdiv.checks import Number, choice, require
from irdiv.errors import IrdivError
from irdiv.io.ids import natural_argsort
from irdiv.measures.spec import MeasureLike
from irdiv.plots.axes import Canvas, wrapped
from irdiv.plots.highlights import Highlight
from irdiv.plots.scatter import DEFAULT_GAMMA, RunPoints, draw_recall_relevance
from irdiv.plots.styles import LINE_WIDTH, THIN_LINE_WIDTH, current_theme, styled
from irdiv.plots.topics import TopicOrder, are_wide, label_topics
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def recall_relevance(
    evaluation: EvaluationLike,
    recall: MeasureLike = "I-rec@10",
    relevance: MeasureLike = "D-nDCG@10",
    *,
    gamma: float = DEFAULT_GAMMA,
    highlight: Highlight = None,
    intervals: bool = False,
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
    highlight
        Names of runs to draw in color, or how many of the best by the D#-measure; the others are gray and without
        names. By default all of up to 60 runs, and of more runs the eight best.
    intervals
        Draw the 95% confidence intervals of both means of runs in color as thin crosses, those of
        `irdiv.stats.leaderboard`.
    ax
        Axes to draw on; those of a new figure by default.
    """
    require(Number(0, 1), gamma=gamma)
    points = run_points(evaluation, recall, relevance, intervals=intervals)
    return draw_recall_relevance(points, gamma=gamma, highlight=highlight, ax=ax)


def run_points(
    evaluation: EvaluationLike, recall: MeasureLike, relevance: MeasureLike, *, intervals: bool = False
) -> RunPoints:
    """Return runs by the means of two measures, and the intervals of both if asked for."""
    table = as_table(evaluation, [recall, relevance])
    ends = _interval_ends(table) if intervals else None
    return RunPoints(table.runs, table.measures, table.values.mean(axis=2).T, table.direction, ends)


def _interval_ends(table: Table) -> tuple[Floats, Floats]:
    """Return low and high ends of the intervals of both means, ``[run, 2]``."""
    ends = []
    for measure in table.measures:
        frame = leaderboard(table, measures=[measure]).set_index("run").loc[table.runs]
        ends.append(frame[["low", "high"]].to_numpy())
    return ends[0], ends[1]


@styled
def difference_bars(
    evaluation: EvaluationLike,
    run: str,
    other: str,
    measure: MeasureLike | None = None,
    *,
    sort: TopicOrder = "size",
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
    sort
        Topics in the order of their differences, ``"size"``, or of their ids, ``"topic"``.
    ax
        Axes to draw on; those of a new figure by default.
    """
    from matplotlib.patches import Patch

    require(choice("size", "topic"), sort=sort)
    table, theme = as_table(evaluation), current_theme()
    index = table.measure_index(table.only(measure).measures[0])
    if run == other:
        raise IrdivError(f"a run does not differ from itself; give two runs, found {run!r} twice.")
    z = table.values[table.run_index(run), index] - table.values[table.run_index(other), index]
    by_topic = natural_argsort(table.topics)
    order = by_topic if sort == "topic" else by_topic[np.argsort(-z[by_topic], kind="stable")]
    advantage = z * table.direction[index]
    canvas = Canvas(ax, 2.2, is_wide=are_wide(len(z)))
    ax = canvas.ax
    first, second = theme.colors[:2]
    ax.bar(range(len(z)), z[order], color=np.where(advantage[order] >= 0, first, second).tolist())
    ax.axhline(0, color=theme.text, linewidth=THIN_LINE_WIDTH)
    mean = ax.axhline(
        z.mean(), color=theme.muted_text, linewidth=LINE_WIDTH, linestyle="--", label=f"mean {z.mean():+.4f}"
    )
    ax.margins(x=0.01)
    label_topics(canvas, [table.topics[topic] for topic in order], "by size" if sort == "size" else None)
    ax.set_ylabel(wrapped(f"difference in {table.measures[index]}", 0.8 * canvas.height))
    counts = ((run, first, int((advantage > 0).sum())), (other, second, int((advantage < 0).sum())))
    labels = [f"{name} better: {count} topic{'s' if count != 1 else ''}" for name, _, count in counts]
    patches = [Patch(color=color, label=label) for label, (_, color, _) in zip(labels, counts, strict=True)]
    canvas.add_legend(handles=[*patches, mean])
    return ax
