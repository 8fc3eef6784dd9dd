"""
Topics of each run
==================

The values of all topics as a box for each run: is a low mean due to a few topics, or to all?
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
evaluation.plot.box_plots()
