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
from irdiv.stats.power import DiscriminativePower

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure


def recall_figure(
    evaluation: Evaluation[pd.DataFrame], recall: ir_measures.Measure, relevance: ir_measures.Measure
) -> Markup:
    """Return the plot of runs by intent recall and a D-measure."""
    figure = _new_figure(6.4, 4.6)
    recall_relevance(evaluation, recall, relevance, ax=figure.subplots())
    return _to_svg(figure, "runs by recall and relevance")


def asl_figure(power: DiscriminativePower[pd.DataFrame]) -> Markup:
    """Return the plot of ASL curves."""
    figure = _new_figure(7.4, 4.0)
    asl_curves(power, ax=figure.subplots())
    return _to_svg(figure, "ASL curves")


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _to_svg(figure: Figure, label: str) -> Markup:
    import matplotlib as mpl
    from markupsafe import Markup, escape

    for ax in figure.axes:
        ax.set_facecolor("none")
    figure.set_facecolor("none")
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irdiv"}), warnings.catch_warnings():
        # Browsers have fonts for characters that the fonts of matplotlib lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = text.replace("#000000", "currentColor")
    text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)
    # matplotlib has escaped all names.
    return Markup(text)
