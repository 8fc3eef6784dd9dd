"""Which runs differ significantly, and how that was tested: what a table with marks must state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from irdiv.errors import IrdivError, warn
from irdiv.stats.comparison import compare_pairs
from irdiv.stats.options import LEVEL, Rng, TestName, require_level, require_test, resampling_options
from irdiv.stats.table import EvaluationLike, as_table

Correction: TypeAlias = "Literal['auto'] | str | None"
"""A correction of `irdiv.stats.compare`, or ``"auto"``: Holm's if a measure has several comparisons.

The randomized Tukey HSD test takes all pairs into account, and "auto" corrects nothing there.
"""
Triple: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True)
class Significance:
    """Significant differences between runs, and how they were tested."""

    different: frozenset[Triple]
    """``(measure, run, other)``, in both orders of the runs."""
    better: frozenset[Triple]
    """``(measure, run, other)`` where the run is better than the other one."""
    p: Mapping[Triple, float]
    """p of each comparison ``(measure, run, other)``, corrected."""
    test: TestName
    correction: str | None
    level: float
    n_topics: int
    n_comparisons: int
    """How many pairs of runs were compared by each measure."""
    n_resamples: int | None
    """How many random samples were drawn; None if the test needs none, or tried all combinations of signs."""
    seed: int | None
    """The seed of random samples; None if no samples were drawn, or not from a seed."""


def resamples_for(
    test: TestName, n_resamples: int | None, correction: str | None, n_comparisons: int, level: float
) -> int:
    """Return how many samples to draw: as given, or those of the test, or more if a correction needs them.

    With B samples p is a multiple of 1/B, and if 1/B times the number of comparisons is not below the level, only p = 0
    is significant; a warning says so if so few are given.
    """
    chosen, _ = resampling_options(test, n_resamples, None)
    is_drawn = test in ("bootstrap", "randomization")
    if correction is None or not is_drawn or chosen * level > n_comparisons:
        return chosen
    needed = math.ceil((n_comparisons + 1) / level / 1000) * 1000
    if n_resamples is None:
        return needed
    warn(
        f"n_resamples={chosen} is too few for a correction over {n_comparisons} comparisons at level {level:g}: only "
        f"p = 0 can be significant. Give {needed} or more, or use test='t' or test='tukey'."
    )
    return chosen


def significant_differences(
    evaluation: EvaluationLike,
    *,
    baseline: str | None = None,
    test: TestName = "bootstrap",
    correction: Correction = "auto",
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
) -> Significance:
    """Return which runs differ significantly from a baseline, or from each other.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame.
    baseline
        The run that the others are compared with; all pairs of runs by default.
    test, rng
        As in `irdiv.stats.compare`.
    correction
        As in `irdiv.stats.compare`, over the comparisons of each measure; ``"auto"`` is Holm's if there are several.
    level
        The significance level, which the corrected p must be below.
    n_resamples
        By default that of the test, or as many as the correction needs.
    """
    require_test(test)
    require_level(level)
    table = as_table(evaluation)
    table.require_two_runs()
    n_topics, n_runs = len(table.topics), len(table.runs)
    n_comparisons = n_runs * (n_runs - 1) // 2 if baseline is None else n_runs - 1
    if correction == "auto":
        correction = "holm" if n_comparisons > 1 and test != "tukey" else None
    if not isinstance(baseline, str | None):
        raise IrdivError(f"baseline={baseline!r} is not the name of one run.")
    chosen = resamples_for(test, n_resamples, correction, n_comparisons, level)
    is_exact = test == "randomization" and n_topics < 31 and 2**n_topics <= chosen
    compared = compare_pairs(
        table,
        baseline=baseline,
        test=test,
        correction=correction,
        rng=rng,
        n_resamples=None if test == "t" else chosen,
        # Bootstrap intervals take time, but draw samples before those of the randomization test.
        interval="bca" if test == "randomization" and not is_exact else "t",
    )
    names = [(table.runs[run], table.runs[other]) for run, other in compared.pairs]
    different, better, p = set(), set(), {}
    for index, measure in enumerate(table.measures):
        signed = (compared.difference[index] * table.direction[index]).tolist()
        for (run, other), p_of_pair, gain in zip(names, compared.p[index].tolist(), signed, strict=True):
            p[measure, run, other] = p_of_pair
            if p_of_pair < level:
                different |= {(measure, run, other), (measure, other, run)}
                better.add((measure, run, other) if gain > 0 else (measure, other, run))
    draws_samples = test != "t" and not is_exact
    return Significance(
        frozenset(different),
        frozenset(better),
        p,
        test,
        correction,
        level,
        n_topics,
        n_comparisons,
        chosen if draws_samples else None,
        int(rng) if draws_samples and isinstance(rng, int | np.integer) else None,
    )
