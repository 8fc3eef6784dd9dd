"""
Recall and relevance
====================

Runs by intent recall and D-nDCG; contour lines join equal D#-nDCG (Sakai and Song, figure 3). A run to the right
covers more intents, a run further up has more relevant documents.
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10"])
evaluation.plot.recall_relevance(intervals=True)
