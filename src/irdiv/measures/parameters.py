"""Parameters that several measures share."""

from __future__ import annotations

from dataclasses import replace

from irdiv.checks import Boolean, Gain, Integer, Number, Optional, choice
from irdiv.measures.declaration import Parameter

REL = Parameter("rel", 1, "the smallest grade that counts as relevant where relevance is binary", Integer(1))
GAIN = Parameter("gain", "exp", "'exp' for 2^x − 1, 'linear' for x, or a mapping grade → gain (x the grade)", Gain())
STOP = Parameter(
    "stop",
    "exp",
    "stopping probability Pr(r): 'exp' for (2^x − 1)/2^H, 'linear' for g/(g* + 1)",
    choice("exp", "linear"),
)
GAIN_OF_STOP = replace(GAIN, only_with=(("stop", "linear"),))
REL_IF_BINARY = replace(REL, only_with=(("graded", False),))
GAIN_IF_GRADED = replace(GAIN, only_with=(("graded", True),))
MAX_GRADE = Parameter(
    "max_grade",
    None,
    "H, the highest grade of the scale; None for the highest of all topics of the qrels (in pt.Experiment, of its "
    "topics, unless the qrels come from irdiv.datasets.to_pyterrier)",
    Optional(Integer(1, 1000)),
    only_with=(("stop", "exp"),),
)
BETA_BLENDED = Parameter("beta", 1.0, "weight of cumulative gain in the blended ratio", Number(0, 1e6))
INTENTS = Parameter(
    "intents",
    "relevant",
    "which intents count: 'relevant' for those with a relevant document, 'all' for every declared one",
    choice("relevant", "all"),
)
RENORMALIZE = Parameter("renormalize", True, "scale the probabilities of the intents that count to sum to 1", Boolean())
JUDGED_ONLY = Parameter("judged_only", False, "leave unjudged documents out of the ranking first", Boolean())
GAMMA = Parameter("gamma", 0.5, "weight of intent recall", Number(0, 1))
ALPHA = Parameter("alpha", 0.5, "redundancy intolerance: how much a repeated intent loses", Number(0, 1))
WEIGHTED = Parameter(
    "weighted",
    False,
    "weigh intent i by N·Pr(i|q) in NG(r), the ideal list's too; equal probabilities change nothing",
    Boolean(),
)
PATIENCE = Parameter("beta", 0.5, "patience: the probability of going on to the next rank", Number(0, 1))
