"""Tests of all pairs of runs by all measures, which share their samples of topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irdiv.progress import progress_bar
from irdiv.stats.bootstrap import bootstrap_p, bootstrap_p_and_delta
from irdiv.stats.options import CONFIDENCE_LEVEL, Rng, TestName, require_two_topics
from irdiv.stats.paired import paired_tests
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.table import Table
from irdiv.stats.tukey import tukey_p_by_measure
from irdiv.types import Floats


class PairTests(NamedTuple):
    """The results of tests of pairs of runs."""

    p: Floats
    """As ``[measure, pair]``."""
    delta: Floats
    """The difference required for significance, ``[measure]``; NaN where it was not computed."""


def p_of_pairs(
    table: Table,
    pairs: list[tuple[int, int]],
    test: TestName,
    level: float,
    rng: Rng,
    n_resamples: int,
    plus_one: bool,
    delta: bool,
) -> PairTests:
    """Return p of each measure and pair; with ``delta``, the bootstrap test also has the difference required."""
    n_topics = table.values.shape[2]
    require_two_topics(n_topics)
    differences = table.all_differences(pairs)
    required = np.full(len(table.measures), np.nan)
    if test == "bootstrap" and delta:
        counts = bootstrap_counts(n_topics, n_resamples, rng)
        p, required = bootstrap_p_and_delta(differences, counts, level, plus_one)
    elif test == "bootstrap":
        counts = bootstrap_counts(n_topics, n_resamples, rng)
        measures = progress_bar(range(len(table.measures)), "measure")
        p = np.stack([bootstrap_p(differences.of_measure(index), counts, plus_one) for index in measures])
    elif test == "tukey":
        by_measure = tukey_p_by_measure(table.values, pairs, rng=rng, n_resamples=n_resamples, plus_one=plus_one)
        p = np.stack([next(by_measure) for _ in progress_bar(table.measures, "measure")])
    else:
        tests = (
            paired_tests(differences.of_measure(index), test, rng, n_resamples, plus_one, "t", CONFIDENCE_LEVEL)
            for index in progress_bar(range(len(table.measures)), "measure")
        )
        p = np.stack([result.p for result in tests])
    return PairTests(p, required)
