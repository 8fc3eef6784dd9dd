"""Tests of two systems on the same topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from irdiv.errors import IrdivError, examples
from irdiv.kernels.lists import Floats
from irdiv.stats.intervals import Interval, intervals
from irdiv.stats.resampling import (
    CELLS,
    TIE,
    Counts,
    Rng,
    bootstrap_counts,
    far_from_null,
    mean_and_spread,
    null_samples,
    observe,
    random_generator,
    require_topics,
    share,
    signs,
    t_statistic,
)

Test: TypeAlias = Literal["bootstrap", "randomisation", "t"]


class PairedTest(tuple[float, float]):
    """The result of a test of two systems, which unpacks as ``(statistic, p)``."""

    statistic: float
    """t = mean / (sd/√n) of the differences; for the randomisation test their mean."""
    p: float
    difference: float
    """The mean difference, first minus second."""
    interval: tuple[float, float]
    """A confidence interval of the mean difference."""
    effect_size: float
    """Mean over standard deviation of the differences, 0 where they are all 0 and ±∞ where they are all one."""
    n: int
    method: str

    def __new__(cls, statistic: float, p: float, **more: Any) -> PairedTest:
        """Return a pair with names."""
        self = super().__new__(cls, (statistic, p))
        self.statistic, self.p = statistic, p
        for name, value in more.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"PairedTest({self.method}, n={self.n}, difference={self.difference:.4f} [{low:.4f}, {high:.4f}], "
            f"statistic={self.statistic:.4f}, p={self.p:.4g}, effect_size={self.effect_size:.4f})"
        )

    def __reduce__(self) -> Any:
        names = ("difference", "interval", "effect_size", "n", "method")
        return _restore, (self.statistic, self.p, {name: getattr(self, name) for name in names})


def _restore(statistic: float, p: float, more: dict[str, Any]) -> PairedTest:
    return PairedTest(statistic, p, **more)


class Tested(NamedTuple):
    """A test of many pairs at once; each field ``[pair]``, the interval ``[pair, 2]``."""

    statistic: Floats
    p: Floats
    difference: Floats
    interval: Floats
    effect_size: Floats


def bootstrap_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    B: int = 1000,
    plus_one: bool = False,
    interval: Interval = "bca",
    level: float = 0.95,
) -> PairedTest:
    """Test two systems by the paired bootstrap (Sakai, SIGIR 2006).

    With the differences z and w = z − mean(z), the achieved significance level is the share of B samples w* of w with
    abs(t(w*)) ≥ abs(t(z)), t = mean/(sd/√n). A sample of one value only has no t, and counts by its mean.

    Parameters
    ----------
    x, y
        Values of the two systems, topic by topic.
    rng
        A seed or a `numpy.random.Generator`; None for another result each time.
    B
        How many samples.
    plus_one
        Report (c+1)/(B+1) instead of c/B, which is never 0.
    interval
        ``"bca"``, ``"percentile"`` or ``"t"``, of the mean difference.
    level
        The confidence level of the interval.

    Examples
    --------
    >>> bootstrap_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5])
    PairedTest(bootstrap, n=4, difference=0.2500 [0.1500, 0.3500], statistic=3.8730, p=0.035, effect_size=1.9365)
    >>> statistic, p = bootstrap_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5])
    """
    return _two(x, y, "bootstrap", rng, B, plus_one, interval, level)


def randomisation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    B: int = 10_000,
    plus_one: bool = True,
    interval: Interval = "bca",
    level: float = 0.95,
) -> PairedTest:
    """Test two systems by paired randomisation: the signs of the differences are drawn at random.

    p is the share of B draws whose mean difference is at least as far from 0 as the observed one, (c+1)/(B+1); where
    there are at most B ways to choose signs, all are tried and p is exact. Parameters as of `bootstrap_test`.

    Examples
    --------
    >>> randomisation_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]).p
    0.125
    """
    return _two(x, y, "randomisation", rng, B, plus_one, interval, level)


def t_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: Rng = 0,
    B: int = 1000,
    interval: Interval = "t",
    level: float = 0.95,
) -> PairedTest:
    """Test two systems by the paired t test; ``rng`` and ``B`` are for a bootstrap interval.

    Examples
    --------
    >>> round(t_test([0.5, 0.7, 0.6, 0.9], [0.4, 0.5, 0.3, 0.5]).p, 4)
    0.0305
    """
    return _two(x, y, "t", rng, B, False, interval, level)


def _two(
    x: ArrayLike, y: ArrayLike, test: Test, rng: Rng, B: int, plus_one: bool, interval: Interval, level: float
) -> PairedTest:
    one, two = _values(x, "x"), _values(y, "y")
    if len(one) != len(two):
        raise IrdivError(f"the systems have {len(one)} and {len(two)} values; a paired test needs the same topics.")
    found = paired_tests((one - two)[None], test, rng, B, plus_one, interval, level)
    return PairedTest(
        float(found.statistic[0]),
        float(found.p[0]),
        difference=float(found.difference[0]),
        interval=(float(found.interval[0, 0]), float(found.interval[0, 1])),
        effect_size=float(found.effect_size[0]),
        n=len(one),
        method=test,
    )


def _values(values: ArrayLike, name: str) -> Floats:
    try:
        out = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise IrdivError(f"{name} must hold numbers, one for each topic; found {values!r}.") from None
    if out.ndim != 1 or not np.isfinite(out).all():
        raise IrdivError(f"{name} must hold finite numbers, one for each topic; found {values!r}.")
    return out


def paired_tests(z: Floats, test: Test, rng: Rng, B: int, plus_one: bool, interval: Interval, level: float) -> Tested:
    """Test many rows of differences at once, on the same samples of topics."""
    n = z.shape[1]
    require_topics(n)
    require_samples(B)
    if test not in get_args(Test):
        raise IrdivError(f"test={test!r} is not known; choose one of {examples(get_args(Test))}.")
    mean, spread = mean_and_spread(z)
    generator = random_generator(rng)
    needs_counts = test == "bootstrap" or interval != "t"
    counts = bootstrap_counts(n, B, generator) if needs_counts else None
    statistic = mean if test == "randomisation" else t_statistic(mean, spread, n)
    if test == "bootstrap":
        assert counts is not None
        p = bootstrap_p(z, counts, plus_one)
    elif test == "randomisation":
        p = _randomisation_p(z, signs(n, B, generator), B, plus_one)
    else:
        p = _t_p(statistic, n)
    return Tested(statistic, p, mean, intervals(z, counts, interval, level), t_statistic(mean, spread, 1))


def require_samples(B: int, name: str = "B") -> None:
    """Refuse a number of samples that is none."""
    if not isinstance(B, int | np.integer) or isinstance(B, bool) or B < 1:
        raise IrdivError(f"{name}={B!r} is not a number of samples; give a whole number from 1.")


def bootstrap_p(z: Floats, counts: Counts, plus_one: bool) -> Floats:
    """Return the achieved significance level of each row of differences."""
    observed = observe(z)
    far = np.concatenate([far_from_null(observed, null) for null in null_samples(z, counts)])
    return share(far, len(counts), plus_one)


def _randomisation_p(z: Floats, drawn: Any, B: int, plus_one: bool) -> Floats:
    observed = np.abs(z.sum(axis=1))
    scale = np.abs(z).sum(axis=1)
    count = np.zeros(len(z), dtype=np.int64)
    step = max(1, CELLS // max(z.shape))
    for start in range(0, len(drawn), step):
        total = np.abs(drawn[start : start + step].astype(np.float64) @ z.T)
        count += np.count_nonzero(total >= observed - TIE * scale, axis=0)
    exact = len(drawn) == 2 ** z.shape[1] if z.shape[1] < 31 else False
    return share(count, len(drawn), plus_one and not exact)


def _t_p(statistic: Floats, n: int) -> Floats:
    from scipy import stats

    return np.asarray(2 * stats.t.sf(np.abs(statistic), n - 1), dtype=np.float64)


def names_of_tests() -> Sequence[str]:
    """Return the tests of two systems."""
    return get_args(Test)
