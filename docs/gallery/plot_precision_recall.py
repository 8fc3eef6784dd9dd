"""
Precision by recall
===================

Interpolated precision at eleven levels of recall, the mean over topics.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "AP")
evaluation.plot.precision_recall()
