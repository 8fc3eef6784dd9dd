"""Runs in order, with groups of runs that do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_letters

import numpy as np
import pandas as pd

from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasureLike
from irdiv.stats.comparison import compare
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.options import (
    CONFIDENCE_LEVEL,
    LEVEL,
    IntervalName,
    Rng,
    TestName,
    require_level,
    require_test,
    require_two_topics,
)
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.significance import Significance, resamples_for
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.types import Bools, Floats, Ints


@returns_callers_frame
def rank_runs(
    evaluation: EvaluationLike,
    measure: MeasureLike | None = None,
    *,
    test: TestName = "tukey",
    correction: str | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
    plus_one: bool | None = None,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
) -> pd.DataFrame:
    """Return runs from the best to the worst, with intervals of their means and groups that do not differ.

    Two runs share a letter of ``group`` if and only if their difference is not significant (a compact letter display,
    Piepho, JCGS 13(2), 2004). With n runs that is a statement about n(n−1)/2 pairs, so that the default is the
    randomized Tukey HSD test, which takes all of them into account (Carterette, TOIS 30(1), 2012).

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    measure
        One of its measures; by default the first. A frame of several measures has no first one.
    test
        ``"tukey"``, or a paired test as in `irdiv.stats.compare`. Paired tests of all pairs need a correction.
    correction
        A method of statsmodels for paired tests, such as ``"holm"``; by default p is not corrected.
    level
        The significance level.
    rng, plus_one
        As in `irdiv.stats.compare`.
    n_resamples
        By default that of the test, or as many as the correction needs.
    interval, confidence_level
        Those of the intervals of means, as in `irdiv.stats.leaderboard`.

    Returns
    -------
    DataFrame
        ``measure, rank, run, mean, low, high, group``. Runs with equal means have the same rank. Groups are called a,
        b, … from the best run on; if there are more than 52, they are numbered, with commas between.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    >>> irdiv.stats.rank_runs(evaluation).round(3)
          measure  rank          run   mean    low   high group
    0  D#-nDCG@10     1  diversified  0.915  0.884  0.939     a
    1  D#-nDCG@10     2    relevance  0.906  0.862  0.938     a
    2  D#-nDCG@10     3   one-intent  0.704  0.628  0.773     b
    3  D#-nDCG@10     4       spammy  0.583  0.533  0.675     b
    """
    require_test(test)
    require_level(level)
    table = as_table(evaluation).only(measure)
    require_two_topics(table.values.shape[2])
    board = leaderboard(table, rng=rng, n_resamples=n_resamples, interval=interval, confidence_level=confidence_level)
    order = np.array([table.runs.index(run) for run in board["run"]])
    differ = np.zeros((len(order), len(order)), dtype=bool)
    if len(order) > 1:
        n_pairs = len(order) * (len(order) - 1) // 2
        tests = compare(
            table,
            test=test,
            correction=correction,
            rng=rng,
            # The intervals of means may draw samples where the test does not.
            n_resamples=None if test == "t" else resamples_for(test, n_resamples, correction, n_pairs, level),
            plus_one=plus_one,
            interval="t",
        )
        differ = _significant_pairs(table, tests["p_adjusted"].to_numpy() < level)[np.ix_(order, order)]
    return pd.DataFrame(
        {
            "measure": table.measures[0],
            "rank": _ranks(board["mean"].to_numpy()),
            "run": board["run"],
            "mean": board["mean"],
            "low": board["low"],
            "high": board["high"],
            "group": compact_letters(differ),
        }
    ).astype({"measure": str, "run": str, "group": str})


def group_letters(significance: Significance, measure: str, runs: Sequence[str]) -> list[str]:
    """Return the letters of runs from tests of all pairs: two share one if and only if they do not differ."""
    differ = [[(measure, run, other) in significance.different for other in runs] for run in runs]
    return compact_letters(np.array(differ, dtype=bool))


def _significant_pairs(table: Table, significant: Bools) -> Bools:
    """Return the significance of pairs, given in the order of `Table.pairs`, as a symmetric ``[run, run]``."""
    first, second = (list(side) for side in zip(*table.pairs(), strict=True))
    differ = np.zeros((len(table.runs), len(table.runs)), dtype=bool)
    differ[first, second] = differ[second, first] = significant
    return differ


def _ranks(means: Floats) -> Ints:
    """Return ranks of means in order; equal ones have the first rank of them."""
    is_new = np.abs(np.diff(means, prepend=np.inf)) > VALUE_TOLERANCE
    return np.maximum.accumulate(np.where(is_new, np.arange(1, len(means) + 1), 1))


def compact_letters(differ: Bools) -> list[str]:
    """Return the letters of each run such that two runs share one if and only if they do not differ.

    Parameters
    ----------
    differ
        Whether runs differ, a symmetric ``[run, run]`` with runs in order.

    Examples
    --------
    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    groups = sorted(_groups(~differ))
    if len(groups) <= len(ascii_letters):
        return ["".join(ascii_letters[i] for i in of_run) for of_run in _groups_of_runs(groups, len(differ))]
    return [",".join(str(i + 1) for i in of_run) for of_run in _groups_of_runs(groups, len(differ))]


def _groups_of_runs(groups: Sequence[tuple[int, ...]], n_runs: int) -> Iterator[list[int]]:
    for run in range(n_runs):
        yield [index for index, group in enumerate(groups) if run in group]


def _groups(alike: Bools) -> list[tuple[int, ...]]:
    """Return cliques of the graph of runs that do not differ, which together cover all its edges and runs.

    All maximal cliques would do too, but there may be exponentially many.
    """
    uncovered = np.triu(alike)  # with the diagonal: a run that differs from all others is a group of its own
    groups: list[Ints] = []
    for run in range(len(alike)):
        for other in range(len(alike) - 1, run - 1, -1):
            if uncovered[run, other]:
                group = _maximal_clique(alike, run, other)
                uncovered[np.ix_(group, group)] = False
                groups.append(group)
    return [tuple(group.tolist()) for group in _without_redundant(groups, len(alike))]


def _maximal_clique(alike: Bools, run: int, other: int) -> Ints:
    members = np.zeros(len(alike), dtype=bool)
    members[[run, other]] = True
    candidates = alike[run] & alike[other] & ~members
    # Runs between the two come first: groups are then stretches of the ranking where the test allows it.
    for candidate in (*range(run + 1, len(alike)), *range(run)):
        if candidates[candidate]:
            members[candidate] = True
            candidates &= alike[candidate]
    return np.flatnonzero(members)


def _without_redundant(groups: list[Ints], n_runs: int) -> list[Ints]:
    """Return groups without those whose pairs are all in others."""
    count = np.zeros((n_runs, n_runs), dtype=np.int64)
    for group in groups:
        count[np.ix_(group, group)] += 1
    kept = []
    for group in groups:
        pairs = np.ix_(group, group)
        if (count[pairs] > 1).all():
            count[pairs] -= 1
        else:
            kept.append(group)
    return kept
