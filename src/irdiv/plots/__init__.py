"""Plots of evaluations, curves and tests, with matplotlib (``pip install 'irdiv[plots]'``).

Each plot returns the ``matplotlib.axes.Axes`` it is drawn on: those given as ``ax``, or those of a new figure, which is
as wide as a column or the page of a two-column paper (`style`), with text of 7 points or more. Long names lose their
middle; where there is no room for all names, every second or third is written. In SVG files, the element of a run has
the id ``run-0`` for the first run of the evaluation, and so on: points of `recall_relevance`, rows of `ranking`, boxes
and curves. Plots take frames of pandas, polars and Arrow. ``Evaluation.plot`` has the same plots. Notebooks display
them.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
