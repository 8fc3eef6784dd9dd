"""Plots of evaluations, curves and tests, with matplotlib (``pip install 'irdiv[plots]'``).

Each plot returns the ``matplotlib.axes.Axes`` it is drawn on: those given as ``ax``, or those of a new figure, which is
as wide as a column or the page of a two-column paper (`style`), with text of 7 points or more. Long names lose their
middle; where there is no room for all names, every second or third is written. In SVG files, the element of a run has
the id ``run-0`` for the first run of the evaluation, and so on: points of `recall_relevance`, rows of `ranking`, boxes
and curves. Plots take frames of pandas, polars and Arrow. ``Evaluation.plot`` has the same plots. Notebooks display
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irdiv.lazy import names_of_modules

if TYPE_CHECKING:
    from irdiv.plots.curves import parameter_curves, precision_recall, rank_curves
    from irdiv.plots.heat_maps import heat_map
    from irdiv.plots.measures import asl_curves, power_curves
    from irdiv.plots.runs import difference_bars, recall_relevance
    from irdiv.plots.styles import style
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

_MODULE_OF = {
    "asl_curves": "irdiv.plots.measures",
    "box_plots": "irdiv.plots.systems",
    "difference_bars": "irdiv.plots.runs",
    "heat_map": "irdiv.plots.heat_maps",
    "parameter_curves": "irdiv.plots.curves",
    "power_curves": "irdiv.plots.measures",
    "precision_recall": "irdiv.plots.curves",
    "rank_curves": "irdiv.plots.curves",
    "ranking": "irdiv.plots.systems",
    "recall_relevance": "irdiv.plots.runs",
    "style": "irdiv.plots.styles",
    "topic_heat_map": "irdiv.plots.systems",
}
# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:
    __getattr__, __dir__ = names_of_modules(__name__, _MODULE_OF)
