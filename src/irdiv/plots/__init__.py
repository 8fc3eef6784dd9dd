"""Plots of evaluations, curves and tests, with matplotlib (``pip install 'irdiv[plots]'``).

Each plot returns the ``matplotlib.axes.Axes`` it is drawn on: those given as ``ax``, or those of a new figure, which is
as wide as a column or the page of a two-column paper (`style`), with text of 7 points or more. Long names lose their
middle; where there is no room for all names, every second or third is written. In SVG files, the element of a run has
the id ``run-0`` for the first run of the evaluation, and so on: points of `recall_relevance`, rows of `ranking`, boxes
and curves. Plots take frames of pandas, polars and Arrow. ``Evaluation.plot`` has the same plots. In a notebook,
``import matplotlib.pyplot`` first, to see them.
"""

from __future__ import annotations

from irdiv.plots.curves import parameter_curves, precision_recall, rank_curves
from irdiv.plots.heat_maps import heat_map
from irdiv.plots.measures import asl_curves, power_curves
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
