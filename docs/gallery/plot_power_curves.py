"""
Power by number of topics
=========================

How many topics does a measure need to find as many differences as another?
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10", "alpha-nDCG@10"])
evaluation.plot.power_curves(sizes=[4, 6, 8, 10, 12])
