"""
Measures by rank
================

The mean of a measure at each cutoff: coverage soon, or late?
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "alpha-nDCG@20")
evaluation.plot.rank_curves("alpha-nDCG@20")
