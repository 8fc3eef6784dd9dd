"""Many systems: all pairs, or each against baselines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.evaluation import shown_progress
from irdiv.frames.sources import answers_in_kind
from irdiv.kernels.lists import Floats
from irdiv.stats.intervals import Interval
from irdiv.stats.paired import Test, Tested, names_of_tests, paired_tests, require_samples
from irdiv.stats.resampling import CELLS, TIE, Rng, random_generator, require_topics, share
from irdiv.stats.table import EvaluationLike, Table, as_table

AnyTest: TypeAlias = Test | Literal["tukey"]
ALL_TESTS = (*names_of_tests(), "tukey")


@answers_in_kind
def compare(
    evaluation: EvaluationLike,
    *,
    test: AnyTest = "bootstrap",
    baseline: str | Iterable[str] | None = None,
    measures: Any = None,
    correction: str | None = None,
    rng: Rng = 0,
    B: int | None = None,
    plus_one: bool | None = None,
    interval: Interval = "bca",
    level: float = 0.95,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare runs in pairs, all of them or each with baselines.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame.
    test
        ``"bootstrap"``, ``"randomisation"``, ``"t"``, or ``"tukey"`` for the randomised Tukey HSD test, whose p takes
        account of all pairs of runs at once.
    baseline
        One or several runs that the others are compared with; all pairs by default.
    measures
        Some of the measures; all by default.
    correction
        A method of ``statsmodels.stats.multitest.multipletests``, as ``"holm"``, ``"bonferroni"`` or ``"fdr_bh"``,
        over the pairs of each measure; needs the extra ``stats``.
    rng, B, plus_one, interval, level
        As of `irdiv.bootstrap_test`; by default B and plus_one are those of the test, 10,000 and True for
        randomisation.
    progress
        Show a progress bar over measures on standard error, where that is a terminal.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and pair: ``measure, run, other, mean, other_mean, difference, low, high, statistic, p,
        p_adjusted, effect_size``. Without a correction ``p_adjusted`` is p.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_collection
    >>> evaluation = irdiv.evaluate(*demo_collection(), ["D#-nDCG@10", "I-rec@10"])
    >>> frame = irdiv.compare(evaluation, baseline="relevance", measures="I-rec@10")
    >>> frame[["measure", "run", "other", "difference"]].round(4)
        measure          run      other  difference
    0  I-rec@10  diversified  relevance      0.0681
    1  I-rec@10   one-intent  relevance     -0.1361
    2  I-rec@10       spammy  relevance     -0.2319
    """
    table = as_table(evaluation, measures)
    pairs = _pairs(table, baseline)
    if test not in ALL_TESTS:
        raise IrdivError(f"test={test!r} is not known; choose one of {examples(ALL_TESTS, 4)}.")
    if test == "tukey" and correction is not None:
        raise IrdivError("test='tukey' takes account of all pairs by itself; leave the correction out.")
    B, plus_one = settings(test, B, plus_one)
    rows = []
    for number, (measure, z) in enumerate(shown_progress(list(table.differences(pairs)), "measures", progress)):
        if test == "tukey":
            tested = _with_tukey(table.values[:, number], pairs, z, rng, B, plus_one, interval, level)
        else:
            tested = paired_tests(z, test, rng, B, plus_one, interval, level)
        rows.append(_frame(table, number, measure, pairs, tested, correction))
    return pd.concat(rows, ignore_index=True)


def settings(test: AnyTest, B: int | None, plus_one: bool | None) -> tuple[int, bool]:
    """Return the number of samples and whether to count one more, by default those of the test."""
    drawn = test == "randomisation"
    return (10_000 if drawn else 1000) if B is None else B, drawn if plus_one is None else plus_one


def _pairs(table: Table, baseline: str | Iterable[str] | None) -> list[tuple[int, int]]:
    if baseline is None:
        return table.pairs()
    names = list(baseline) if isinstance(baseline, Iterable) and not isinstance(baseline, str) else [baseline]
    if not names:
        raise IrdivError("no baseline given; name a run, or leave it out for all pairs.")
    chosen = [table.run_number(str(name)) for name in names]
    pairs = [(run, base) for base in chosen for run in range(len(table.runs)) if run not in chosen]
    if not pairs:
        raise IrdivError("all runs are baselines; leave one out to compare with them.")
    return pairs


def _frame(
    table: Table, number: int, measure: str, pairs: list[tuple[int, int]], tested: Tested, correction: str | None
) -> pd.DataFrame:
    first, second = (list(side) for side in zip(*pairs, strict=True))
    means = table.values[:, number].mean(axis=1)
    return pd.DataFrame(
        {
            "measure": measure,
            "run": [table.runs[run] for run in first],
            "other": [table.runs[run] for run in second],
            "mean": means[first],
            "other_mean": means[second],
            "difference": tested.difference,
            "low": tested.interval[:, 0],
            "high": tested.interval[:, 1],
            "statistic": tested.statistic,
            "p": tested.p,
            "p_adjusted": _adjusted(tested.p, correction),
            "effect_size": tested.effect_size,
        }
    )


def _adjusted(p: Floats, correction: str | None) -> Floats:
    if correction is None:
        return p
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


def tukey_p(
    values: Floats, pairs: list[tuple[int, int]], *, rng: Rng = 0, B: int = 1000, plus_one: bool = False
) -> Floats:
    """Return p of each pair of runs by the randomised Tukey HSD test on ``[run, topic]`` (Carterette, TOIS 2012).

    In each of B trials the values of every topic are dealt to the runs at random; p of a pair is the share of trials
    whose largest difference of means between any two runs is at least that of the pair.
    """
    runs, n = values.shape
    require_topics(n)
    require_samples(B)
    generator = random_generator(rng)
    largest = np.empty(B)
    step = max(1, CELLS // values.size)
    for start in range(0, B, step):
        order = generator.random((min(step, B - start), n, runs)).argsort(axis=2)
        means = np.take_along_axis(values.T[None], order, axis=2).mean(axis=1)
        largest[start : start + step] = means.max(axis=1) - means.min(axis=1)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    observed = np.abs((values[first] - values[second]).mean(axis=1))
    largest.sort()
    count = B - np.searchsorted(largest, observed - TIE * np.abs(values).max(initial=0.0), side="left")
    return share(count, B, plus_one)


def _with_tukey(
    values: Floats,
    pairs: list[tuple[int, int]],
    z: Floats,
    rng: Rng,
    B: int,
    plus_one: bool,
    interval: Interval,
    level: float,
) -> Tested:
    tested = paired_tests(z, "t", rng, B, False, interval, level)
    return tested._replace(p=tukey_p(values, pairs, rng=rng, B=B, plus_one=plus_one))
