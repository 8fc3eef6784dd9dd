"""Topic set size design: how many topics an experiment needs (Sakai, Information Retrieval Journal 19(3), 2016)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Number, choice, require
from irdiv.errors import IrdivError
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasuresLike
from irdiv.stats.options import CONFIDENCE_LEVEL, LEVEL, require_interval, require_level, require_two_topics
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.study import as_study
from irdiv.stats.table import StudyLike, Table
from irdiv.types import Floats

ModelName: TypeAlias = Literal["one-way", "two-way"]
POWER = 0.8
"""The usual power of a design, 1 − β."""
_MAX_TOPICS = 10_000_000
_POSITIVE = Number(0, math.inf, open_low=True, open_high=True)


@returns_callers_frame
def pilot_variance(
    evaluation: StudyLike,
    *,
    model: ModelName = "one-way",
    measures: MeasuresLike | None = None,
) -> pd.DataFrame:
    """Return the variance σ² of the values of a system over topics, estimated from an evaluation of several runs.

    For m runs on n topics, ``"one-way"`` is the residual variance of one-way ANOVA, Σ_ij (x_ij − x̄_i·)² / (m(n−1)): the
    mean of the variances of the runs. ``"two-way"`` is that of two-way ANOVA without replication,
    Σ_ij (x_ij − x̄_i· − x̄_·j + x̄)² / ((m−1)(n−1)), which leaves out that some topics are harder than others for all
    runs; twice this is the mean variance of the differences of two runs, over all pairs. Estimates from several
    collections are pooled: their mean weighted by degrees of freedom.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame; or a mapping from the names of collections to
        these.
    model
        ``"one-way"``, which Sakai uses, or ``"two-way"``.
    measures
        Some of the measures; all by default.

    Returns
    -------
    DataFrame
        ``measure, variance, degrees_of_freedom``.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D#-nDCG@10"])
    >>> irdiv.stats.pilot_variance(evaluation).round(4)
          measure  variance  degrees_of_freedom
    0    I-rec@10    0.0201                  44
    1  D#-nDCG@10    0.0101                  44
    """
    tables = as_study(evaluation, measures).tables
    variance, degrees = _pooled_variance(tables, model)
    return pd.DataFrame({"measure": tables[0].measures, "variance": variance, "degrees_of_freedom": degrees})


@returns_callers_frame
def topic_set_size(
    evaluation: StudyLike,
    difference: float | Iterable[float],
    *,
    systems: int | None = None,
    model: ModelName = "one-way",
    measures: MeasuresLike | None = None,
    level: float = LEVEL,
    power: float = POWER,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> pd.DataFrame:
    """Return how many topics a new collection needs by each measure, from the variance of a pilot evaluation.

    Three requirements are tried, with the variance σ² that `irdiv.stats.pilot_variance` estimates. The variance of the
    difference of two systems is taken as 2σ².

    Parameters
    ----------
    evaluation, model, measures
        As in `irdiv.stats.pilot_variance`.
    difference
        One or several differences of means that matter: between two systems for the t test, between the best and the
        worst for ANOVA, and the width of the confidence interval of the difference of two systems.
    systems
        How many systems ANOVA will compare; by default as many as the evaluation has runs.
    level, power
        Significance level of the tests, and the power that they must have for such a difference.
    confidence_level
        The confidence level of the interval.

    Returns
    -------
    DataFrame
        ``measure, variance, difference, systems, t_test, anova, interval``: the last three are numbers of topics, by
        `irdiv.stats.topics_for_t_test`, `irdiv.stats.topics_for_anova` and `irdiv.stats.topics_for_interval`.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D#-nDCG@10"])
    >>> irdiv.stats.topic_set_size(evaluation, [0.1, 0.2]).round(4)
          measure  variance  difference  systems  t_test  anova  interval
    0    I-rec@10    0.0201         0.1        4      34     45        64
    1    I-rec@10    0.0201         0.2        4      10     12        18
    2  D#-nDCG@10    0.0101         0.1        4      18     24        34
    3  D#-nDCG@10    0.0101         0.2        4       7      7        10
    """
    given: object = difference
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    differences = [require(_POSITIVE, difference=one) for one in several]
    if not differences:
        raise IrdivError("no difference given; name one that matters, such as 0.1.")
    tables = as_study(evaluation, measures).tables
    variances, _ = _pooled_variance(tables, model)
    m = max(len(table.runs) for table in tables) if systems is None else systems
    if m == 1 and systems is None:
        raise IrdivError("ANOVA compares systems, but there is one run; give systems=, how many there will be.")
    for measure, variance in zip(tables[0].measures, variances, strict=True):
        if variance <= VALUE_TOLERANCE**2:
            raise IrdivError(f"{measure} has the same value for all topics; leave it out, or try it on more topics.")
    rows = [
        (
            measure,
            variance,
            value,
            m,
            topics_for_t_test(2 * variance, value, level=level, power=power),
            topics_for_anova(variance, value, m, level=level, power=power),
            topics_for_interval(2 * variance, value, confidence_level=confidence_level),
        )
        for measure, variance in zip(tables[0].measures, variances.tolist(), strict=True)
        for value in differences
    ]
    return pd.DataFrame(rows, columns=["measure", "variance", "difference", "systems", "t_test", "anova", "interval"])


def topics_for_t_test(variance: float, difference: float, *, level: float = LEVEL, power: float = POWER) -> int:
    """Return the smallest number of topics for which a paired t test finds a difference with a given power.

    The test is two-sided, and t has a noncentral t distribution with the noncentrality √n · difference/σ_t.

    Parameters
    ----------
    variance
        The variance σ_t² of the differences between two systems over topics. If only the variance σ² of the values of
        systems is known, 2σ² is large enough unless their values are negatively correlated.
    difference
        The smallest difference of means that must be found, minD_t.
    level
        The significance level, α.
    power
        The probability of finding such a difference, 1 − β.

    Examples
    --------
    >>> topics_for_t_test(1, 0.5)
    34
    """
    _require_power(level, power)
    effect = require(_POSITIVE, difference=difference) ** 2 / require(_POSITIVE, variance=variance)
    return _smallest(lambda n: _power_of_f_test(1, n - 1, n * effect, level) >= power)


def topics_for_anova(
    variance: float, difference: float, systems: int, *, level: float = LEVEL, power: float = POWER
) -> int:
    """Return the smallest number of topics for which one-way ANOVA finds that systems differ, with a given power.

    Of all means of systems with a given difference between the best and the worst, minD, the hardest to find are those
    where all other systems are in the middle. F then has a noncentral F distribution with m−1 and m(n−1) degrees of
    freedom and the noncentrality n·minD²/(2σ²).

    Parameters
    ----------
    variance
        The variance σ² of the values of a system over topics, the same for all systems.
    difference
        The smallest difference between the best and the worst system that must be found, minD.
    systems
        How many systems are compared, m.
    level, power
        As in `irdiv.stats.topics_for_t_test`.

    Examples
    --------
    >>> topics_for_anova(0.25, 0.5, systems=3)
    21
    """
    _require_power(level, power)
    m = require(Integer(2), systems=systems)
    effect = require(_POSITIVE, difference=difference) ** 2 / (2 * require(_POSITIVE, variance=variance))
    return _smallest(lambda n: _power_of_f_test(m - 1, m * (n - 1), n * effect, level) >= power)


def topics_for_interval(variance: float, width: float, *, confidence_level: float = CONFIDENCE_LEVEL) -> int:
    """Return the smallest number of topics for which the t interval of a mean difference has an expected width.

    The width is 2 · t_{n−1} · s/√n, where the standard deviation s of n normal differences has the expectation
    σ_t · √(2/(n−1)) · Γ(n/2)/Γ((n−1)/2).

    Parameters
    ----------
    variance
        The variance σ_t² of the differences between two systems, as in `irdiv.stats.topics_for_t_test`.
    width
        The largest expected width of the interval, δ.
    confidence_level
        The confidence level of the interval.

    Examples
    --------
    >>> topics_for_interval(0.5, 0.5)
    33
    """
    from scipy import special, stats

    require_interval("t", confidence_level)
    width = require(_POSITIVE, width=width)
    sigma = math.sqrt(require(_POSITIVE, variance=variance))

    def is_narrow(n: int) -> bool:
        expected_sd = sigma * math.sqrt(2 / (n - 1)) * math.exp(special.gammaln(n / 2) - special.gammaln((n - 1) / 2))
        return bool(2 * stats.t.ppf((1 + confidence_level) / 2, n - 1) * expected_sd / math.sqrt(n) <= width)

    return _smallest(is_narrow)


def _power_of_f_test(df1: int, df2: int, noncentrality: float, level: float) -> float:
    """Return the power of an F test; with one degree of freedom it is a two-sided t test."""
    from scipy import special

    critical = special.fdtri(df1, df2, 1 - level)
    return float(1 - special.ncfdtr(df1, df2, noncentrality, critical))


def _require_power(level: float, power: float) -> None:
    """Raise an error unless the power is above the significance level, that of a test without any difference."""
    require_level(level)
    require(Number(level, 1, open_low=True, open_high=True), power=power)


def _smallest(suffices: Callable[[int], bool]) -> int:
    """Return the smallest number of topics, at least 2, that suffices, given that all larger ones do."""
    high = 2
    while not suffices(high):
        if high == _MAX_TOPICS:
            raise IrdivError(
                f"more than {_MAX_TOPICS:,} topics are needed; look for a larger difference, or use a measure with a "
                "smaller variance."
            )
        high = min(2 * high, _MAX_TOPICS)
    low = high // 2  # too few, unless it is 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _pooled_variance(tables: Sequence[Table], model: ModelName) -> tuple[Floats, int]:
    """Return the variance of each measure, and its degrees of freedom."""
    require(choice(*get_args(ModelName)), model=model)
    parts = [_sum_of_squares(table, model) for table in tables]
    degrees = sum(degrees for _, degrees in parts)
    return np.sum([squares for squares, _ in parts], axis=0) / degrees, degrees


def _sum_of_squares(table: Table, model: ModelName) -> tuple[Floats, int]:
    """Return the sum of squared residuals of each measure, and their degrees of freedom."""
    m, _, n = table.values.shape
    require_two_topics(n)
    residuals = table.values - table.values.mean(axis=2, keepdims=True)
    degrees = m * (n - 1)
    if model == "two-way":
        table.require_two_runs()
        residuals = residuals - residuals.mean(axis=0)
        degrees = (m - 1) * (n - 1)
    return (residuals**2).sum(axis=(0, 2)), degrees
