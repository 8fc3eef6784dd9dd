"""
Runs and topics
===============

A cell for each run and topic, the best run first and topics by their mean.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
evaluation.plot.topic_heat_map()
