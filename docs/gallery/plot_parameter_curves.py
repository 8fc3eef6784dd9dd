"""
A measure by its parameter
==========================

α-nDCG as repetition counts less and less: is the verdict on runs a matter of the parameter?
"""

import irdiv
from irdiv.demo import demo_qrels_and_runs

evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "alpha-nDCG@10")
evaluation.plot.parameter_curves("alpha-nDCG@10", "alpha")
