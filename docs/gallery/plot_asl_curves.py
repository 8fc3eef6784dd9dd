"""
ASL curves
==========

Pairs of runs by the p of their difference, a line for each measure: the closer to the origin, the better a measure
tells runs apart.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10", "alpha-nDCG@10", "ERR-IA@10"])
evaluation.plot.asl_curves()
