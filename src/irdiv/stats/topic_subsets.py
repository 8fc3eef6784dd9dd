"""Whether verdicts of a measure hold on other or fewer topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Number, require
from irdiv.errors import IrdivError, prefix_errors_with_collection
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.progress import progress_bar, shows_progress
from irdiv.stats.bootstrap import bootstrap_p
from irdiv.stats.options import LEVEL, N_RESAMPLES, SAMPLE_COUNT, Rng, random_generator, require_level
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.study import Study, as_study
from irdiv.stats.table import StudyLike, Table
from irdiv.types import Floats, Ints


@returns_callers_frame
@shows_progress
def power_by_topics(
    evaluation: StudyLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 20,
    measures: MeasuresLike | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
    by_collection: bool = False,
    progress: bool = False,
) -> pd.DataFrame:
    """Return discriminative power on subsets of the topics, as a curve over their size.

    In a study of several collections, each trial draws a subset of the size from every collection and pools the pairs
    of runs, as `discriminative_power` does. The subsets of a collection are those that it has alone with the same rng
    and sizes.

    Parameters
    ----------
    evaluation, measures, level, n_resamples
        As in `discriminative_power`, by the bootstrap test.
    sizes
        Sizes of subsets; by default about ten from five topics up to all, or up to all of the smallest collection. With
        very few topics the test finds too many differences.
    trials
        How many subsets of each size.
    rng
        A seed or a generator.
    by_collection
        Return rows for each of the collections, named in the column ``collection``, instead of pooling them.
    progress
        Show a progress bar on standard error if that is a terminal, or in a notebook, unless all is done at once.

    Returns
    -------
    DataFrame
        ``measure, topics, power, low, high``: mean, lowest and highest power over the subsets.
    """
    require_level(level)
    n_resamples = require(SAMPLE_COUNT, n_resamples=n_resamples)
    trials = require(Integer(1), trials=trials)
    study = as_study(evaluation, measures)
    requested = _subset_sizes(study, sizes, 2)
    parts = study.analyze(
        lambda table, own_rng: _significant_pairs(table, requested, trials, level, own_rng, n_resamples), rng
    )
    return study.frame(parts, lambda pooled: _power_curves(study.measures, requested, pooled), by_collection)


class _SignificantPairs(NamedTuple):
    """How many pairs of runs are significant on subsets of topics."""

    n_significant: Ints
    """As ``[size, trial, measure]``."""
    n_pairs: int


def _significant_pairs(
    table: Table, sizes: Sequence[int], trials: int, level: float, rng: Rng, n_resamples: int
) -> _SignificantPairs:
    pairs = table.pairs()
    generator = random_generator(rng)
    differences = table.all_differences(pairs)
    n_topics = table.values.shape[2]
    n_significant = np.empty((len(sizes), trials, len(table.measures)), dtype=np.int64)
    subsets = [(index, size, trial) for index, size in enumerate(sizes) for trial in range(trials)]
    for index, size, trial in progress_bar(subsets, "subset", "subsets of topics"):
        topics = generator.choice(n_topics, size, replace=False)
        counts = bootstrap_counts(size, n_resamples, generator)
        for measure in range(len(table.measures)):
            p = bootstrap_p(differences.of_measure(measure)[:, topics], counts, False)
            n_significant[index, trial, measure] = np.count_nonzero(p < level)
    return _SignificantPairs(n_significant, len(pairs))


def _power_curves(measures: Sequence[str], sizes: Sequence[int], parts: Sequence[_SignificantPairs]) -> pd.DataFrame:
    power = np.sum([part.n_significant for part in parts], axis=0) / sum(part.n_pairs for part in parts)
    rows = [
        (measure, size, values.mean(), values.min(), values.max())
        for size, by_trial in zip(sizes, power, strict=True)
        for measure, values in zip(measures, by_trial.T, strict=True)
    ]
    return pd.DataFrame(rows, columns=["measure", "topics", "power", "low", "high"])


def _subset_sizes(study: Study, sizes: Sequence[int] | None, least: int, n_subsets: int = 1) -> list[int]:
    """Return the requested sizes of disjoint subsets, or about ten up to the largest that every collection has."""
    n_topics = [table.values.shape[2] for table in study.tables]
    most = min(n_topics) // n_subsets
    smallest = None if study.names is None else study.names[n_topics.index(min(n_topics))]
    with prefix_errors_with_collection(smallest):
        if most < least:
            use = "subsets of the topics" if n_subsets == 1 else "two disjoint sets of topics"
            raise IrdivError(f"at least {least * n_subsets} topics are needed for {use}, found {min(n_topics)}.")
        if sizes is None:
            return list(dict.fromkeys(np.linspace(min(max(least, 5), most), most, 10).round().astype(int).tolist()))
        return [require(Integer(least, most), sizes=size) for size in sizes]


@returns_callers_frame
def swap_rates(
    evaluation: StudyLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 100,
    bin_width: float = 0.01,
    measures: MeasuresLike | None = None,
    rng: Rng = 0,
    by_collection: bool = False,
) -> pd.DataFrame:
    """Return how often two sets of topics disagree on which of two runs is better (Voorhees and Buckley, SIGIR 2002).

    In a study of several collections, both sets of topics are of one collection, and the comparisons and swaps of all
    collections are added up. The sets are those that a collection has alone with the same rng and sizes.

    Parameters
    ----------
    evaluation, measures
        As in `discriminative_power`.
    sizes
        Sizes of each of the two sets of topics, at most half of all topics of the smallest collection; by default about
        ten up to half.
    trials
        How many splits of each size.
    bin_width
        Comparisons are grouped by the difference on the first set, in bins of this width.
    rng
        A seed or a generator.
    by_collection
        Return rows for each of the collections, named in the column ``collection``, instead of adding them up.

    Returns
    -------
    DataFrame
        ``measure, topics, low, high, comparisons, swaps, rate``, for differences from low up to high; comparisons
        without a difference on either set are left out. The two sets of topics are disjoint.
    """
    bin_width = require(Number(0, math.inf, open_low=True), bin_width=bin_width)
    trials = require(Integer(1), trials=trials)
    study = as_study(evaluation, measures)
    requested = _subset_sizes(study, sizes, 1, n_subsets=2)
    parts = study.analyze(lambda table, own_rng: _swaps_by_bin(table, requested, trials, bin_width, own_rng), rng)
    columns = ["measure", "topics", "low", "high", "comparisons", "swaps", "rate"]

    def rates(pooled: Sequence[list[Ints]]) -> pd.DataFrame:
        rows = []
        keys = ((measure, size) for size in requested for measure in study.measures)
        for key, *counts in zip(keys, *pooled, strict=True):
            total, swaps = _sum_of_counts(counts)
            for b in np.flatnonzero(total):
                ends = (b * bin_width, (b + 1) * bin_width)
                rows.append((*key, *ends, int(total[b]), int(swaps[b]), swaps[b] / total[b]))
        return pd.DataFrame(rows, columns=columns)

    return study.frame(parts, rates, by_collection)


def _swaps_by_bin(table: Table, sizes: Sequence[int], trials: int, bin_width: float, rng: Rng) -> list[Ints]:
    """Return the counts of comparisons and of swaps, ``[2, bin]``, for each size and measure."""
    pairs = table.pairs()
    generator = random_generator(rng)
    z = np.stack([z for _, z in table.differences(pairs)])
    counts = []
    for size in sizes:
        first, second = _split_means(z, size, trials, generator)
        is_swap = np.sign(first) * np.sign(second) < 0
        is_counted = (first != 0) & (second != 0)
        bins = np.floor(np.abs(first) / bin_width + 1e-9).astype(np.int64)
        for m in range(len(table.measures)):
            total = np.bincount(bins[m][is_counted[m]])
            swaps = np.bincount(bins[m][is_counted[m] & is_swap[m]], minlength=len(total))
            counts.append(np.stack([total, swaps]))
    return counts


def _sum_of_counts(counts: Sequence[Ints]) -> Ints:
    """Return the sum of counts ``[2, bin]`` that may have different numbers of bins."""
    total = np.zeros((2, max(count.shape[1] for count in counts)), dtype=np.int64)
    for count in counts:
        total[:, : count.shape[1]] += count
    return total


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
