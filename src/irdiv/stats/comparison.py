"""Comparisons of many systems: all pairs, or each system with baselines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.progress import progress_bar, shows_progress
from irdiv.stats.options import (
    CONFIDENCE_LEVEL,
    IntervalName,
    Rng,
    TestName,
    require_test,
    resampling_options,
)
from irdiv.stats.paired import PairedTestResults, paired_tests
from irdiv.stats.study import for_each_collection
from irdiv.stats.table import EvaluationLike, Table, as_table
from irdiv.stats.tukey import tukey_p_by_measure
from irdiv.types import Floats


@returns_callers_frame
@shows_progress
@for_each_collection
def compare(
    evaluation: EvaluationLike,
    *,
    test: TestName = "bootstrap",
    baseline: str | Iterable[str] | None = None,
    measures: MeasuresLike | None = None,
    correction: str | None = None,
    rng: Rng = 0,
    n_resamples: int | None = None,
    plus_one: bool | None = None,
    interval: IntervalName = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare runs in pairs, all of them or each with baselines.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame; or a mapping from the names of several
        collections to such evaluations, each of which is then tested by itself, as it is alone with the same rng.
    test
        ``"bootstrap"``, ``"randomization"``, ``"t"``, or ``"tukey"`` for the randomized Tukey HSD test, whose p takes
        all pairs of runs into account.
    baseline
        One or several runs that the others are compared with; all pairs by default.
    measures
        Some of the measures; all by default.
    correction
        A method of ``statsmodels.stats.multitest.multipletests``, such as ``"holm"``, ``"bonferroni"`` or ``"fdr_bh"``,
        over the pairs of each measure; all but ``"holm"`` need the extra ``stats``.
    rng, n_resamples, plus_one, interval, confidence_level
        As in `irdiv.stats.bootstrap_test`; by default n_resamples and plus_one are those of the test, 10,000 and True
        for randomization. It is an error to give n_resamples where no samples are drawn, for the t test with
        ``interval="t"``, and plus_one for the t test.
    progress
        Show a progress bar on standard error if that is a terminal, or in a notebook, unless all is done at once.

    Returns
    -------
    DataFrame
        A row for each measure and pair: ``measure, run, other, mean, other_mean, difference, low, high, statistic, p,
        p_adjusted, effect_size, effect_low, effect_high``. Without a correction ``p_adjusted`` is p. The effect size is
        the standardized mean difference of paired values, mean over standard deviation of the differences; its
        interval inverts the noncentral t distribution, which is exact for normal differences. With a mapping of
        collections, also of one, the first column is ``collection``.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    >>> frame = irdiv.stats.compare(evaluation, baseline="relevance", measures="I-rec@10")
    >>> frame[["measure", "run", "other", "difference"]].round(4)
        measure          run      other  difference
    0  I-rec@10  diversified  relevance      0.0681
    1  I-rec@10   one-intent  relevance     -0.1361
    2  I-rec@10       spammy  relevance     -0.2319
    """
    table = as_table(evaluation, measures)
    table = table.choose(dict.fromkeys(table.measures))
    pairs = _pairs(table, baseline)
    _require_test(test, correction)
    n_resamples, plus_one = resampling_options(test, n_resamples, plus_one, interval)
    tukey = tukey_p_by_measure(table.values, pairs, rng=rng, n_resamples=n_resamples, plus_one=plus_one)
    differences = table.differences(pairs)
    frames = []
    for index in progress_bar(range(len(table.measures)), "measure"):
        measure, z = next(differences)
        if test == "tukey":
            tests = paired_tests(z, "t", rng, n_resamples, False, interval, confidence_level)
            tests = tests._replace(p=next(tukey))
        else:
            tests = paired_tests(z, test, rng, n_resamples, plus_one, interval, confidence_level)
        frames.append(_frame(table, index, measure, pairs, tests, correction))
    return pd.concat(frames, ignore_index=True)


class ComparedPairs(NamedTuple):
    """Differences of pairs of runs and their p, of one measure after the other."""

    pairs: list[tuple[int, int]]
    """Pairs of runs, by index."""
    difference: Floats
    """Mean differences, first minus second, as ``[measure, pair]``."""
    p: Floats
    """p, corrected over the pairs of each measure, as ``[measure, pair]``."""


def compare_pairs(
    table: Table,
    *,
    test: TestName,
    baseline: str | None,
    correction: str | None,
    rng: Rng,
    n_resamples: int | None,
    interval: IntervalName,
) -> ComparedPairs:
    """Return the p of `compare` alone, in less time than with effect sizes and intervals."""
    pairs = _pairs(table, baseline)
    _require_test(test, correction)
    n_resamples, plus_one = resampling_options(test, n_resamples, None, interval)
    tukey = tukey_p_by_measure(table.values, pairs, rng=rng, n_resamples=n_resamples, plus_one=plus_one)
    differences, p = [], []
    for _, z in table.differences(pairs):
        if test == "tukey":
            p_of_pair = next(tukey)
        else:
            p_of_pair = paired_tests(z, test, rng, n_resamples, plus_one, interval, CONFIDENCE_LEVEL).p
        differences.append(z.mean(axis=1))
        p.append(_adjusted(p_of_pair, correction))
    return ComparedPairs(pairs, np.stack(differences), np.stack(p))


def _require_test(test: TestName, correction: str | None) -> None:
    require_test(test)
    if test == "tukey" and correction is not None:
        raise IrdivError("test='tukey' takes all pairs into account by itself; leave the correction out.")


def _pairs(table: Table, baseline: str | Iterable[str] | None) -> list[tuple[int, int]]:
    if baseline is None:
        return table.pairs()
    names = list(baseline) if isinstance(baseline, Iterable) and not isinstance(baseline, str) else [baseline]
    if not names:
        raise IrdivError("no baseline given; name a run, or leave the argument out for all pairs.")
    baselines = list(dict.fromkeys(table.run_index(str(name)) for name in names))
    pairs = [(run, base) for base in baselines for run in range(len(table.runs)) if run not in baselines]
    if not pairs:
        raise IrdivError("all runs are baselines; leave one out to compare with them.")
    return pairs


def _frame(
    table: Table,
    index: int,
    measure: str,
    pairs: list[tuple[int, int]],
    tests: PairedTestResults,
    correction: str | None,
) -> pd.DataFrame:
    first, second = (list(side) for side in zip(*pairs, strict=True))
    means = table.values[:, index].mean(axis=1)
    return pd.DataFrame(
        {
            "measure": measure,
            "run": [table.runs[run] for run in first],
            "other": [table.runs[run] for run in second],
            "mean": means[first],
            "other_mean": means[second],
            "difference": tests.difference,
            "low": tests.interval[:, 0],
            "high": tests.interval[:, 1],
            "statistic": tests.statistic,
            "p": tests.p,
            "p_adjusted": _adjusted(tests.p, correction),
            "effect_size": tests.effect_size,
            "effect_low": tests.effect_interval[:, 0],
            "effect_high": tests.effect_interval[:, 1],
        }
    )


def _adjusted(p: Floats, correction: str | None) -> Floats:
    if correction is None:
        return p
    if correction == "holm":
        return _holm(p)
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError:
        raise IrdivError("corrections need statsmodels: pip install 'irdiv[stats]'.") from None
    try:
        return np.asarray(multipletests(p, method=correction)[1], dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        raise IrdivError(
            f"correction={correction!r} is not known; statsmodels has 'bonferroni', 'holm', 'fdr_bh' and others."
        ) from None


def _holm(p: Floats) -> Floats:
    """Return p̃ of the j-th smallest of m, max_{i≤j} (m−i+1)·p_i, at most 1 (Holm, 1979)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted
