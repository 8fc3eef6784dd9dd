"""
Ranking of runs
===============

Runs in the order of their means, with confidence intervals.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
evaluation.plot.ranking()
