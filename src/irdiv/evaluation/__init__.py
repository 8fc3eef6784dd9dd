"""Evaluation of runs: `irdiv.evaluate` and the `irdiv.Evaluation` that it returns."""

DEFAULT_MEASURES = ("D#-nDCG@10", "I-rec@10", "D-nDCG@10", "ERR-IA@10", "alpha-nDCG@10")
"""The measures of the command line and of the demo if no others are requested."""
