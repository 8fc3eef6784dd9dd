"""Plots of evaluations and tests, with matplotlib (``pip install 'irdiv[plots]'``).

Each plot returns the ``matplotlib.axes.Axes`` it is drawn on: those given as ``ax``, or those of a new figure. Plots
take frames of pandas, polars and Arrow. In a notebook, ``import matplotlib.pyplot`` first, to see them.
"""

from __future__ import annotations

from irdiv.plots.measures import asl_curves, heat_map, power_curves
from irdiv.plots.runs import difference_bars, recall_relevance

__all__ = ["asl_curves", "difference_bars", "heat_map", "power_curves", "recall_relevance"]
