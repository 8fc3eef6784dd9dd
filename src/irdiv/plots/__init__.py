"""Plots of evaluations, curves and tests, with matplotlib (``pip install 'irdiv[plots]'``).

Each plot returns the ``matplotlib.axes.Axes`` it is drawn on: those given as ``ax``, or those of a new figure, which
fits into a column of a two-column paper if names and legends are short. Plots take frames of pandas, polars and Arrow.
``Evaluation.plot`` has the same plots. In a notebook, ``import matplotlib.pyplot`` first, to see them.
"""

from __future__ import annotations

from irdiv.plots.curves import parameter_curves, precision_recall, rank_curves
from irdiv.plots.measures import asl_curves, heat_map, power_curves
from irdiv.plots.runs import difference_bars, recall_relevance
from irdiv.plots.style import style
from irdiv.plots.systems import box_plots, ranking, topic_heat_map

__all__ = [
    "asl_curves",
    "box_plots",
    "difference_bars",
    "heat_map",
    "parameter_curves",
    "power_curves",
    "precision_recall",
    "rank_curves",
    "ranking",
    "recall_relevance",
    "style",
    "topic_heat_map",
]
