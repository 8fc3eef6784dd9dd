"""
Agreement of measures
=====================

Do measures rank runs alike? Kendall's τ for each pair of measures.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10", "alpha-nDCG@10", "ERR-IA@10", "nDCG@10"])
evaluation.plot.heat_map(method="tau")
