"""The figures of a page, drawn while the rest of it is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ir_measures
import pandas as pd

from irdiv.background import BackgroundCalls
from irdiv.evaluation.results import Evaluation
from irdiv.measures.measure import Measure
from irdiv.plots.measures import levels_by_measure
from irdiv.plots.runs import run_points
from irdiv.plots.systems import ranked_means
from irdiv.report.figures import asl_figure, ranking_figure, recall_figure
from irdiv.report.page import Figure
from irdiv.stats.options import CONFIDENCE_LEVEL
from irdiv.stats.power import DiscriminativePower
from irdiv.stats.table import as_table

if TYPE_CHECKING:
    from markupsafe import Markup

COMPONENTS = ("I-rec", "D-nDCG")
"""Measures of the figure of intent recall and relevance."""
_FIGURES = ("ranking-figure", "recall-figure", "asl-figure")
"""The ids of figures, in their order on the page."""


class PageFigures:
    """The figures of an evaluation whose runs are in the order of the leaderboard, drawn while the page is made."""

    def __init__(self, evaluation: Evaluation[pd.DataFrame]) -> None:
        self._evaluation = evaluation
        self._drawings: BackgroundCalls[Markup] = BackgroundCalls()
        self._ids_and_captions: list[tuple[str, str]] = []

    def add_ranking(self, board: pd.DataFrame) -> None:
        """Add means by the measure of a leaderboard."""
        if len(self._evaluation.runs) > 1 and len(self._evaluation.query_ids) > 1:
            measure = str(board["measure"].iloc[0])
            caption = (
                f"Means of {measure} with their {100 * CONFIDENCE_LEVEL:g}% confidence intervals, "
                "best first. Intervals that overlap do not mean that runs do not differ."
            )
            means = ranked_means(as_table(self._evaluation), board)
            topic_count = len(self._evaluation.query_ids)
            self._add("ranking-figure", caption, ranking_figure, means, measure, topic_count, CONFIDENCE_LEVEL)

    def add_recall(self, cutoff: int) -> None:
        """Add runs by intent recall and a D-measure, if both were measured."""
        components = find_components(self._evaluation, cutoff)
        if components is not None:
            caption = "Up and to the right is better; dashed lines connect equal means of the two measures."
            self._add("recall-figure", caption, recall_figure, run_points(self._evaluation, *components))

    def add_asl(self, power: DiscriminativePower[pd.DataFrame]) -> None:
        """Add ASL curves, if there are enough pairs of runs."""
        if len(power.pairs) > 2:
            caption = (
                f"Achieved significance levels of the {len(power.pairs):,} pairs of runs; the lower the curve, the "
                "more pairs of runs the measure separates."
            )
            self._add("asl-figure", caption, asl_figure, levels_by_measure(power), power.level)

    def _add(self, name: str, caption: str, function: Callable[..., Markup], *arguments: object) -> None:
        self._ids_and_captions.append((name, caption))
        self._drawings.call(function, *arguments)

    def wait(self) -> tuple[Figure, ...]:
        """Return the figures once they are drawn."""
        drawn = zip(self._ids_and_captions, self._drawings.results(), strict=True)
        figures = [Figure(name, svg, caption) for (name, caption), svg in drawn]
        return tuple(sorted(figures, key=lambda figure: _FIGURES.index(figure.id)))


def find_components(
    evaluation: Evaluation[pd.DataFrame], cutoff: int
) -> tuple[ir_measures.Measure, ir_measures.Measure] | None:
    """Return I-rec and D-nDCG of the same cutoff, that of the page if possible; None without such measures."""
    found: dict[str, dict[int | None, ir_measures.Measure]] = {name: {} for name in COMPONENTS}
    for measure in evaluation.measures:
        if isinstance(measure, Measure) and measure.declaration.name in found:
            found[measure.declaration.name].setdefault(measure.cutoff, measure)
    recall, relevance = found.values()
    common = [shared for shared in recall if shared in relevance]
    if not common:
        return None
    chosen = cutoff if cutoff in common else common[0]
    return recall[chosen], relevance[chosen]
