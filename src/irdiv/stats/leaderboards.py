"""Leaderboards: means of runs with confidence intervals and tests against a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from irdiv.checks import Optional, choice, require
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.stats.comparison import compare
from irdiv.stats.intervals import intervals_of_means
from irdiv.stats.options import (
    CONFIDENCE_LEVEL,
    LEVEL,
    N_RESAMPLES,
    IntervalName,
    Rng,
    TestName,
    require_interval,
    require_level,
    require_none,
    require_samples,
)
from irdiv.stats.resampling import Counts, bootstrap_counts
from irdiv.stats.scores import best_runs
from irdiv.stats.study import as_study
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Bools, Floats, Ints


@returns_callers_frame
def leaderboard(
    evaluation: EvaluationLike,
    *,
    baseline: str | None = None,
    measures: MeasuresLike | None = None,
    test: TestName | None = None,
    correction: str | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> pd.DataFrame:
    """Return the mean of each run by each measure, with its confidence interval and a test against a baseline.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    baseline
        The run that the others are tested against; without one there are no tests.
    measures
        Some of the measures, the first of which orders the runs; all by default.
    test, correction
        As in `irdiv.stats.compare`, by default the bootstrap test; only with a baseline.
    level
        The significance level.
    rng, n_resamples, interval, confidence_level
        As in `irdiv.stats.compare`; the interval is that of the mean, by default of 1000 bootstrap samples.

    Returns
    -------
    DataFrame
        A row for each measure and run: ``measure, run, mean, low, high, best, difference, p, p_adjusted, significant``.
        Within each measure the runs are ordered by the first measure, best first. ``difference`` is the mean minus that
        of the baseline, missing with p for the baseline itself and where nothing was tested: without a baseline, or on
        a single topic, where low and high are the value itself. Several runs are ``best`` if their means are equal.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    >>> frame = irdiv.stats.leaderboard(evaluation, baseline="relevance", measures="I-rec@10")
    >>> frame.drop(columns=["measure", "p_adjusted"]).round(3)
               run   mean    low   high   best  difference      p  significant
    0  diversified  1.000  1.000  1.000   True       0.068  0.052        False
    1    relevance  0.932  0.871  0.983  False         NaN    NaN        False
    2   one-intent  0.796  0.683  0.900  False      -0.136  0.053        False
    3       spammy  0.700  0.622  0.814  False      -0.232  0.004         True
    """
    require(Optional(choice(*get_args(TestName))), test=test)
    require_level(level)
    require_interval(interval, confidence_level)
    if baseline is None:
        require_none("baseline=", test=test, correction=correction)
    used_test: TestName = test or "bootstrap"
    require_samples(n_resamples, None if baseline is None else used_test, interval)
    table = as_table(evaluation, measures)
    n_runs, n_measures, n_topics = table.values.shape
    difference, p, p_adjusted = np.full((3, n_runs, n_measures), np.nan)
    if baseline is not None:
        others = np.arange(n_runs) != table.run_index(baseline)
        if n_topics > 1 and others.any():
            tests = compare(
                table,
                baseline=baseline,
                test=used_test,
                correction=correction,
                rng=rng,
                n_resamples=n_resamples,
                interval=interval,
            )
            for name, array in (("difference", difference), ("p", p), ("p_adjusted", p_adjusted)):
                array[others] = tests[name].to_numpy().reshape(n_measures, -1).T
    ends = intervals_of_means(table.values, samples_of_topics(table, rng, n_resamples), interval, confidence_level)
    return means_and_intervals(
        table, ends, difference=difference, p=p, p_adjusted=p_adjusted, significant=p_adjusted < level
    )


def samples_of_topics(table: Table, rng: Rng, n_resamples: int | None) -> Counts | None:
    """Return the bootstrap samples of the intervals of a leaderboard; none of a single topic."""
    n_topics = len(table.topics)
    return (
        None if n_topics == 1 else bootstrap_counts(n_topics, N_RESAMPLES if n_resamples is None else n_resamples, rng)
    )


def means_and_intervals(table: Table, ends: Floats, **others: Floats | Bools) -> pd.DataFrame:
    """Return the rows of a leaderboard, with the ends of intervals ``[run, measure, 2]`` and other columns."""
    means, order = table.values.mean(axis=2), best_first(table)
    by_measure: dict[str, Floats | Bools] = {
        "mean": means,
        "low": ends[..., 0],
        "high": ends[..., 1],
        "best": best_runs(means, (table.direction < 0).tolist()),
        **others,
    }
    return pd.DataFrame(
        {
            "measure": [measure for measure in table.measures for _ in order],
            "run": [table.runs[run] for run in order] * len(table.measures),
            **{name: array[order].T.ravel() for name, array in by_measure.items()},
        }
    )


def best_first(table: Table) -> Ints:
    """Return the indices of runs by the mean of the first measure, best first."""
    return np.argsort(-table.direction[0] * table.values[:, 0].mean(axis=1), kind="stable")


class MeansByCollection(NamedTuple):
    """The means of runs on several collections, by one or several measures."""

    runs: list[str]
    """All runs: those of all collections first, then those that more collections have, each by the first measure."""
    collections: tuple[str, ...]
    means: Floats
    """As ``[run, collection, measure]``; NaN where a collection has no such run."""
    best: Bools
    """Whether no run of the collection has a better mean, ``[run, collection, measure]``."""


def means_by_collection(evaluations: Mapping[str, EvaluationLike]) -> MeansByCollection:
    """Return the means of runs on several collections, which have the same measures."""
    study = as_study(evaluations)
    runs = list(dict.fromkeys(run for table in study.tables for run in table.runs))
    means = np.full((len(runs), len(study.tables), len(study.measures)), np.nan)
    best = np.zeros(means.shape, dtype=bool)
    less_is_better = (study.direction < 0).tolist()
    for index, table in enumerate(study.tables):
        rows = [runs.index(run) for run in table.runs]
        means[rows, index] = table.values.mean(axis=2)
        best[rows, index] = best_runs(means[rows, index], less_is_better)
    present = ~np.isnan(means[:, :, 0])
    signed = study.direction[0] * np.where(present, means[:, :, 0], 0.0)
    order = np.lexsort((-signed.sum(axis=1) / present.sum(axis=1), -present.sum(axis=1)))
    return MeansByCollection([runs[run] for run in order], study.require_names(), means[order], best[order])
