"""
Two runs topic by topic
=======================

Where does a run win over another, and where does it lose?
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "alpha-nDCG@10")
evaluation.plot.difference_bars("diversified", "relevance")
