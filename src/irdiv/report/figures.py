"""Plots of the report, as SVG in the colors of the page around them."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

import ir_measures
import pandas as pd

from irdiv.evaluation.results import Evaluation
from irdiv.plots import asl_curves, recall_relevance
from irdiv.plots.style import PAGE_HEIGHT, styled
from irdiv.plots.systems import draw_ranking
from irdiv.stats.options import CONFIDENCE_LEVEL
from irdiv.stats.power import DiscriminativePower
from irdiv.stats.table import as_table

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure


_MOST_NAMED = 16
"""With more runs, the figure of recall and relevance names a few of the best; the page names the one pointed at."""
_FEW_NAMED = 8


def ranking_figure(evaluation: Evaluation[pd.DataFrame], board: pd.DataFrame) -> Markup:
    """Return the plot of runs with the intervals of a leaderboard by one measure."""
    figure = _new_figure(6.4, min(0.8 + 0.14 * max(len(board), 6), PAGE_HEIGHT))
    table = as_table(evaluation).only(board["measure"].iloc[0])
    styled(draw_ranking)(table, board, CONFIDENCE_LEVEL, figure.subplots())
    return _to_svg(figure, "means of runs with intervals")


def recall_figure(
    evaluation: Evaluation[pd.DataFrame], recall: ir_measures.Measure, relevance: ir_measures.Measure
) -> Markup:
    """Return the plot of runs by intent recall and a D-measure."""
    figure = _new_figure(6.4, 4.6)
    highlight = _FEW_NAMED if len(evaluation.runs) > _MOST_NAMED else None
    recall_relevance(evaluation, recall, relevance, highlight=highlight, ax=figure.subplots())
    figure.set_layout_engine("none")  # names of points are placed in a figure that is laid out
    return _to_svg(figure, "runs by recall and relevance")


def asl_figure(power: DiscriminativePower[pd.DataFrame]) -> Markup:
    """Return the plot of ASL curves."""
    figure = _new_figure(7.4, 4.0)
    asl_curves(power, ax=figure.subplots())
    return _to_svg(figure, "ASL curves")


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=72, layout="constrained")


def _to_svg(figure: Figure, label: str) -> Markup:
    import matplotlib as mpl
    from markupsafe import Markup, escape

    for ax in figure.axes:
        ax.set_facecolor("none")
    figure.set_facecolor("none")
    buffer = io.StringIO()
    with (
        mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irdiv", "text.parse_math": False}),
        warnings.catch_warnings(),
    ):
        # Browsers have fonts for characters that the fonts of matplotlib lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        engine = figure.get_layout_engine()
        if engine is not None:
            # Only once: savefig would draw the figure twice to lay it out.
            engine.execute(figure)
            figure.set_layout_engine("none")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = text.replace("#000000", "currentColor")
    text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)
    # matplotlib has escaped all names.
    return Markup(text)
