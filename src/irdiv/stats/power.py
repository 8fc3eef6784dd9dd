"""How often a measure tells systems apart, and how its verdicts hold on other topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.sources import answers_in_kind
from irdiv.kernels.lists import Floats, Ints
from irdiv.stats.compare import ALL_TESTS, AnyTest, settings, tukey_p
from irdiv.stats.paired import bootstrap_p, paired_tests, require_samples
from irdiv.stats.resampling import (
    Counts,
    Rng,
    bootstrap_counts,
    far_from_null,
    null_samples,
    observe,
    random_generator,
    require_topics,
    share,
)
from irdiv.stats.table import NO_DIFFERENCE, EvaluationLike, as_table


@dataclass(frozen=True, repr=False, eq=False)
class DiscriminativePower:
    """Significant pairs of runs by measure; it prints as its summary."""

    measures: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    p: Floats
    """As ``[measure, pair]``."""
    difference: Floats
    """Mean differences, first minus second, as ``[measure, pair]``."""
    delta: Floats
    """The difference required, ``[measure]``; known for the bootstrap test only."""
    alpha: float = 0.05

    @cached_property
    def summary(self) -> pd.DataFrame:
        """``measure, pairs, significant, power, delta``: power is the share of pairs with p below alpha."""
        significant = np.count_nonzero(self.p < self.alpha, axis=1)
        return pd.DataFrame(
            {
                "measure": list(self.measures),
                "pairs": len(self.pairs),
                "significant": significant,
                "power": significant / len(self.pairs),
                "delta": self.delta,
            }
        )

    @cached_property
    def asl(self) -> pd.DataFrame:
        """``measure, rank, run, other, difference, p``, pairs of each measure by p: its ASL curve."""
        by_p = np.argsort(self.p, axis=1, kind="stable")
        first, second = (np.array(side, dtype=object)[by_p].ravel() for side in zip(*self.pairs, strict=True))
        return pd.DataFrame(
            {
                "measure": np.repeat(np.array(self.measures, dtype=object), len(self.pairs)),
                "rank": np.tile(np.arange(1, len(self.pairs) + 1), len(self.measures)),
                "run": first,
                "other": second,
                "difference": np.take_along_axis(self.difference, by_p, axis=1).ravel(),
                "p": np.take_along_axis(self.p, by_p, axis=1).ravel(),
            }
        ).astype({"measure": str, "run": str, "other": str})

    def __repr__(self) -> str:
        shown = self.summary.assign(power=(100 * self.summary["power"]).map("{:.2f}%".format))
        return shown.to_string(index=False, float_format="{:.4f}".format, na_rep="")

    def _repr_html_(self) -> str:
        html: str = self.summary.to_html(index=False, float_format="{:.4f}".format, na_rep="")
        return html

    def agreement(self) -> pd.DataFrame:
        """Return how far the significant pairs A and B of two measures agree.

        ``measure, other, only_first, both, only_second, agreement``, the last the size of A∩B over that of A∪B, missing
        where neither has any.
        """
        significant = self.p < self.alpha
        rows = []
        for one, two in combinations(range(len(self.measures)), 2):
            both = int(np.count_nonzero(significant[one] & significant[two]))
            alone = [int(np.count_nonzero(significant[measure])) - both for measure in (one, two)]
            either = both + sum(alone)
            names = (self.measures[one], self.measures[two])
            rows.append((*names, alone[0], both, alone[1], both / either if either else np.nan))
        return pd.DataFrame(rows, columns=["measure", "other", "only_first", "both", "only_second", "agreement"])


def discriminative_power(
    evaluation: EvaluationLike,
    *,
    test: AnyTest = "bootstrap",
    measures: Any = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    B: int | None = None,
    plus_one: bool | None = None,
    delta: bool = True,
    progress: bool = False,
) -> DiscriminativePower:
    """Return the share of run pairs that each measure tells apart (Sakai, SIGIR 2006).

    The same samples of topics serve all pairs and measures. The difference required is, for each pair, that of the
    sample under the null with the B·alpha-th largest t, signs aside, and of these the largest over pairs.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame.
    test
        ``"bootstrap"``, ``"randomisation"``, ``"t"`` or ``"tukey"``.
    measures
        Some of the measures; all by default.
    alpha
        The significance level.
    rng, B, plus_one
        As of `irdiv.bootstrap_test`.
    delta
        Whether to look for the difference required, which takes about as long as the test.
    progress
        Show a progress bar on standard error, where that is a terminal.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_collection
    >>> qrels, runs = demo_collection()
    >>> irdiv.discriminative_power(irdiv.evaluate(qrels, runs, ["I-rec@10", "D-nDCG@10"]))
      measure  pairs  significant  power  delta
     I-rec@10      6            3 50.00% 0.1375
    D-nDCG@10      6            5 83.33% 0.1037
    """
    _require_level(alpha)
    if test not in ALL_TESTS:
        raise IrdivError(f"test={test!r} is not known; choose one of {examples(ALL_TESTS, 4)}.")
    B, plus_one = settings(test, B, plus_one)
    table = as_table(evaluation, measures)
    pairs = table.pairs()
    n = table.values.shape[2]
    require_topics(n)
    require_samples(B)
    z = np.stack([z for _, z in table.differences(pairs)])
    required = np.full(z.shape[:2], np.nan)
    if test == "bootstrap":
        rows, counts = z.reshape(-1, n), bootstrap_counts(n, B, rng)
        if delta:
            p, needed = bootstrap_power(rows, counts, alpha, plus_one, progress)
            required = needed.reshape(z.shape[:2])
        else:
            p = bootstrap_p(rows, counts, plus_one)
        p = p.reshape(z.shape[:2])
    elif test == "tukey":
        values = np.moveaxis(table.values, 1, 0)
        p = np.stack([tukey_p(of, pairs, rng=rng, B=B, plus_one=plus_one) for of in values])
    else:
        p = np.stack([paired_tests(of, test, rng, B, plus_one, "t", 0.95).p for of in z])
    names = tuple((table.runs[one], table.runs[two]) for one, two in pairs)
    return DiscriminativePower(tuple(table.measures), names, p, z.mean(axis=2), required.max(axis=1), alpha)


def _require_level(alpha: float) -> None:
    if not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise IrdivError(f"alpha={alpha!r} is not a significance level; give a number between 0 and 1, as 0.05.")


def bootstrap_power(
    z: Floats, counts: Counts, alpha: float, plus_one: bool, progress: bool = False
) -> tuple[Floats, Floats]:
    """Return p and the difference required of each row of differences, in one pass over the samples."""
    B = len(counts)
    p, delta = np.empty(len(z)), np.empty(len(z))
    # The B·alpha-th largest of B is that many places from the end.
    place = B - min(max(int(np.floor(B * alpha + 1e-9)), 1), B)
    observed = observe(z)
    for null in null_samples(z, counts, progress):
        p[null.pairs] = share(far_from_null(observed, null), B, plus_one)
        # A sample of zeros only has no t, and no difference.
        ratio = np.nan_to_num(null.ratio, copy=False, nan=0.0)
        at = np.partition(ratio, place, axis=1)[:, place : place + 1]
        trial = (ratio == at).argmax(axis=1)
        delta[null.pairs] = np.sqrt(null.mean_square[np.arange(len(trial)), trial])
    return p, delta


@answers_in_kind
def power_by_topics(
    evaluation: EvaluationLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 20,
    measures: Any = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    B: int = 1000,
) -> pd.DataFrame:
    """Return discriminative power on subsets of the topics, a curve over their number.

    Parameters
    ----------
    evaluation, measures, alpha, B
        As of `discriminative_power`, by the bootstrap test.
    sizes
        Numbers of topics; by default about ten steps from five up to all. With very few topics the test finds too much.
    trials
        How many subsets of each size.
    rng
        A seed or a generator.

    Returns
    -------
    pandas.DataFrame
        ``measure, topics, power, low, high``: mean, lowest and highest power over the subsets.
    """
    _require_level(alpha)
    require_samples(B)
    require_samples(trials, "trials")
    table = as_table(evaluation, measures)
    pairs = table.pairs()
    generator = random_generator(rng)
    sizes = _sizes(sizes, 2, table.values.shape[2])
    z = np.concatenate([z for _, z in table.differences(pairs)])
    rows = []
    for size in sizes:
        power = np.empty((trials, len(table.measures)))
        for trial in range(trials):
            chosen = generator.choice(z.shape[1], size, replace=False)
            p = bootstrap_p(z[:, chosen], bootstrap_counts(size, B, generator), False)
            power[trial] = (p < alpha).reshape(len(table.measures), -1).mean(axis=1)
        for number, measure in enumerate(table.measures):
            mine = power[:, number]
            rows.append((measure, size, mine.mean(), mine.min(), mine.max()))
    return pd.DataFrame(rows, columns=["measure", "topics", "power", "low", "high"])


def _sizes(sizes: Sequence[int] | None, least: int, most: int) -> list[int]:
    """Return the sizes of subsets that were asked for, or about ten."""
    if most < least:
        raise IrdivError(f"subsets need at least {least} topics each, but there are only {most}.")
    if sizes is None:
        return list(dict.fromkeys(np.linspace(min(max(least, 5), most), most, 10).round().astype(int).tolist()))
    wrong = [size for size in sizes if not isinstance(size, int | np.integer) or not least <= size <= most]
    if wrong:
        raise IrdivError(f"subsets have {least} to {most} topics here; found {wrong[0]}.")
    return [int(size) for size in sizes]


@answers_in_kind
def swap_rates(
    evaluation: EvaluationLike,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 100,
    bin_width: float = 0.01,
    measures: Any = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return how often two sets of topics disagree on which of two runs is better (Voorhees and Buckley, SIGIR 2002).

    Parameters
    ----------
    evaluation, measures
        As of `discriminative_power`.
    sizes
        Numbers of topics in each of the two sets, at most half of all; by default some up to half.
    trials
        How many splits of each size.
    bin_width
        Comparisons are grouped by the difference on the first set, in steps of this width.
    rng
        A seed or a generator.

    Returns
    -------
    pandas.DataFrame
        ``measure, topics, low, high, comparisons, swaps, rate``, for differences from low up to high; comparisons
        without a difference on either set are left out. The two sets of topics are disjoint.
    """
    if not isinstance(bin_width, int | float) or not bin_width > 0:
        raise IrdivError(f"bin_width={bin_width!r} is not a width; give a number above 0.")
    require_samples(trials, "trials")
    table = as_table(evaluation, measures)
    pairs = table.pairs()
    generator = random_generator(rng)
    sizes = _sizes(sizes, 1, table.values.shape[2] // 2)
    z = np.stack([z for _, z in table.differences(pairs)])
    rows = []
    for size in sizes:
        one, two = _split_means(z, size, trials, generator)
        swapped = np.sign(one) * np.sign(two) < 0
        counted = (one != 0) & (two != 0)
        bins = np.floor(np.abs(one) / bin_width + 1e-9).astype(np.int64)
        for number, measure in enumerate(table.measures):
            mine = counted[number]
            total = np.bincount(bins[number][mine])
            swaps = np.bincount(bins[number][mine], weights=swapped[number][mine], minlength=len(total))
            for step in np.flatnonzero(total):
                ends = (step * bin_width, (step + 1) * bin_width)
                rows.append((measure, size, *ends, int(total[step]), int(swaps[step]), swaps[step] / total[step]))
    return pd.DataFrame(rows, columns=["measure", "topics", "low", "high", "comparisons", "swaps", "rate"])


def _split_means(z: Floats, size: int, trials: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return mean differences on two disjoint sets of topics, ``[measure, pair, trial]``."""
    order: Ints = generator.random((trials, z.shape[2])).argsort(axis=1)
    member = np.zeros((2, trials, z.shape[2]))
    np.put_along_axis(member[0], order[:, :size], 1.0, axis=1)
    np.put_along_axis(member[1], order[:, size : 2 * size], 1.0, axis=1)
    one, two = (z @ side.T / size for side in member)
    return np.where(np.abs(one) <= NO_DIFFERENCE, 0.0, one), np.where(np.abs(two) <= NO_DIFFERENCE, 0.0, two)
