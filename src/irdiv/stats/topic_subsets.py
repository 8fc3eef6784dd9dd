"""Whether verdicts of a measure hold on other or fewer topics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Number, require
from irdiv.errors import IrdivError
from irdiv.frames.backends import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.stats.options import LEVEL, N_RESAMPLES, Rng, random_generator, require_level
from irdiv.stats.paired import bootstrap_p
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.table import EvaluationLike, as_table
from irdiv.types import Floats, Ints


@returns_callers_frame
def power_by_topics(
    evaluation: EvaluationLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 20,
    measures: MeasuresLike | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
) -> pd.DataFrame:
    """Return discriminative power on subsets of the topics, as a curve over their size.

    Parameters
    ----------
    evaluation, measures, level, n_resamples
        As in `discriminative_power`, by the bootstrap test.
    sizes
        Sizes of subsets; by default about ten from five topics up to all. With very few topics the test finds too many
        differences.
    trials
        How many subsets of each size.
    rng
        A seed or a generator.

    Returns
    -------
    DataFrame
        ``measure, topics, power, low, high``: mean, lowest and highest power over the subsets.
    """
    require_level(level)
    n_resamples = require(Integer(1), n_resamples=n_resamples)
    trials = require(Integer(1), trials=trials)
    table = as_table(evaluation, measures)
    pairs = table.pairs()
    generator = random_generator(rng)
    sizes = _subset_sizes(sizes, 2, table.values.shape[2])
    z = np.concatenate([z for _, z in table.differences(pairs)])
    rows = []
    for size in sizes:
        power = np.empty((trials, len(table.measures)))
        for trial in range(trials):
            topics = generator.choice(z.shape[1], size, replace=False)
            p = bootstrap_p(z[:, topics], bootstrap_counts(size, n_resamples, generator), False)
            power[trial] = (p < level).reshape(len(table.measures), -1).mean(axis=1)
        for measure, values in zip(table.measures, power.T, strict=True):
            rows.append((measure, size, values.mean(), values.min(), values.max()))
    return pd.DataFrame(rows, columns=["measure", "topics", "power", "low", "high"])


def _subset_sizes(sizes: Sequence[int] | None, least: int, most: int) -> list[int]:
    """Return the requested sizes of subsets, or about ten up to the largest."""
    if most < least:
        raise IrdivError(f"subsets need at least {least} topics each, but there are only {most}.")
    if sizes is None:
        return list(dict.fromkeys(np.linspace(min(max(least, 5), most), most, 10).round().astype(int).tolist()))
    return [require(Integer(least, most), sizes=size) for size in sizes]


@returns_callers_frame
def swap_rates(
    evaluation: EvaluationLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 100,
    bin_width: float = 0.01,
    measures: MeasuresLike | None = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return how often two sets of topics disagree on which of two runs is better (Voorhees and Buckley, SIGIR 2002).

    Parameters
    ----------
    evaluation, measures
        As in `discriminative_power`.
    sizes
        Sizes of each of the two sets of topics, at most half of all; by default about ten up to half.
    trials
        How many splits of each size.
    bin_width
        Comparisons are grouped by the difference on the first set, in bins of this width.
    rng
        A seed or a generator.

    Returns
    -------
    DataFrame
        ``measure, topics, low, high, comparisons, swaps, rate``, for differences from low up to high; comparisons
        without a difference on either set are left out. The two sets of topics are disjoint.
    """
    bin_width = require(Number(0, math.inf, open_low=True), bin_width=bin_width)
    trials = require(Integer(1), trials=trials)
    table = as_table(evaluation, measures)
    pairs = table.pairs()
    generator = random_generator(rng)
    sizes = _subset_sizes(sizes, 1, table.values.shape[2] // 2)
    z = np.stack([z for _, z in table.differences(pairs)])
    rows = []
    for size in sizes:
        first, second = _split_means(z, size, trials, generator)
        is_swap = np.sign(first) * np.sign(second) < 0
        is_counted = (first != 0) & (second != 0)
        bins = np.floor(np.abs(first) / bin_width + 1e-9).astype(np.int64)
        for m, measure in enumerate(table.measures):
            bin_of_comparison, swapped = bins[m][is_counted[m]], is_swap[m][is_counted[m]]
            total = np.bincount(bin_of_comparison)
            swaps = np.bincount(bin_of_comparison, weights=swapped, minlength=len(total))
            for b in np.flatnonzero(total):
                ends = (b * bin_width, (b + 1) * bin_width)
                rows.append((measure, size, *ends, int(total[b]), int(swaps[b]), swaps[b] / total[b]))
    return pd.DataFrame(rows, columns=["measure", "topics", "low", "high", "comparisons", "swaps", "rate"])


def _split_means(z: Floats, size: int, trials: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return mean differences on two disjoint sets of topics, ``[measure, pair, trial]``."""
    order: Ints = generator.random((trials, z.shape[2])).argsort(axis=1)
    in_set = np.zeros((2, trials, z.shape[2]))
    np.put_along_axis(in_set[0], order[:, :size], 1.0, axis=1)
    np.put_along_axis(in_set[1], order[:, size : 2 * size], 1.0, axis=1)
    first, second = (z @ members.T / size for members in in_set)
    return _without_rounding(first), _without_rounding(second)


def _without_rounding(differences: Floats) -> Floats:
    return np.where(np.abs(differences) <= VALUE_TOLERANCE, 0.0, differences)
