"""
Dark, and as wide as a page
===========================

``irdiv.plots.style`` sets the theme and the width: a column (3.3 inches) or the page (7 inches) of a two-column
paper. Nothing of a figure is cut off by a plain ``savefig``.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10"])
with irdiv.plots.style("dark", size="page"):
    evaluation.plot.recall_relevance()
