"""Discriminative power: the share of pairs of runs that a measure tells apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Concatenate, ParamSpec, Protocol, cast, overload

import numpy as np
import pandas as pd

from irdiv.io.tables import Backend, FrameHolder, FrameT, FrameT_co, callers_backend, from_pandas
from irdiv.measures.spec import MeasuresLike
from irdiv.progress import shows_progress
from irdiv.stats.options import LEVEL, Rng, TestName, require_level, require_test, resampling_options
from irdiv.stats.pair_tests import p_of_pairs
from irdiv.stats.study import as_study, concat_collections, missing_names
from irdiv.stats.table import StudyLike, Table
from irdiv.types import Bools, Floats

P = ParamSpec("P")


@dataclass(frozen=True, repr=False, eq=False)
class DiscriminativePower(FrameHolder[FrameT_co]):
    """Significant pairs of runs by measure; it prints as its summary.

    Pairs are those within each of the collections, one collection after the other.
    """

    measures: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    p: Floats
    """As ``[measure, pair]``."""
    difference: Floats
    """Mean differences, first minus second, as ``[measure, pair]``."""
    delta: Floats
    """The difference required for significance, ``[measure]``, the largest over collections; NaN unless by the
    bootstrap test."""
    direction: Floats
    """−1 for each measure where smaller values are better, and 1 for others."""
    level: float = LEVEL
    """The significance level."""
    backend: Backend = "pandas"
    """The frame library of results."""
    collections: Mapping[str, DiscriminativePower[FrameT_co]] = field(default_factory=dict)
    """The results of each collection by name; empty if an evaluation without a name was analyzed."""

    @property
    def significant(self) -> Bools:
        """Whether p is below the level, ``[measure, pair]``."""
        return self.p < self.level

    def summary(self, *, by_collection: bool = False) -> FrameT_co:
        """Return ``measure, pairs, significant, power, delta``: power is the share of pairs with p below the level.

        Pairs of several collections are added up, and delta is the largest; with ``by_collection`` there are rows for
        each of the collections, named in the column ``collection``.
        """
        return from_pandas(self._frame(by_collection, lambda power: power._summary), self.backend)

    def asl(self) -> FrameT_co:
        """Return ``measure, rank, run, other, difference, p``, the pairs of each measure by p: its ASL curve.

        With a mapping of collections, the column ``collection`` after the rank names that of the pair.
        """
        by_p = np.argsort(self.p, axis=1, kind="stable")
        first, second = (np.array(side, dtype=object)[by_p].ravel() for side in zip(*self.pairs, strict=True))
        names = [name for name, power in self.collections.items() for _ in power.pairs]
        collection = {"collection": np.array(names, dtype=object)[by_p].ravel()} if self.collections else {}
        frame = pd.DataFrame(
            {
                "measure": np.repeat(np.array(self.measures, dtype=object), len(self.pairs)),
                "rank": np.tile(np.arange(1, len(self.pairs) + 1), len(self.measures)),
                **collection,
                "run": first,
                "other": second,
                "difference": np.take_along_axis(self.difference, by_p, axis=1).ravel(),
                "p": np.take_along_axis(self.p, by_p, axis=1).ravel(),
            }
        ).astype({"measure": str, **dict.fromkeys(collection, str), "run": str, "other": str})
        return from_pandas(frame, self.backend)

    def agreement(self, *, by_collection: bool = False) -> FrameT_co:
        """Return the overlap of the significant pairs A and B of each two measures.

        ``measure, other, only_first, both, only_second, conflicts, agreement``: both counts the pairs for which the
        same run is significantly better by both measures, conflicts those for which another one is, and agreement is
        both over the size of A∪B, missing where that is empty. Pairs of several collections are added up; with
        ``by_collection`` there are rows for each of the collections, named in the column ``collection``.
        """
        return from_pandas(self._frame(by_collection, DiscriminativePower._agreement), self.backend)

    def _agreement(self) -> pd.DataFrame:
        # 1 where the first run is significantly better, −1 where the second is.
        better = self.significant * np.sign(self.difference) * self.direction[:, None]
        rows = []
        for one, two in combinations(range(len(self.measures)), 2):
            both, conflicts, only_first, only_second = (
                int(np.count_nonzero(pairs))
                for pairs in (
                    better[one] * better[two] > 0,
                    better[one] * better[two] < 0,
                    (better[one] != 0) & (better[two] == 0),
                    (better[one] == 0) & (better[two] != 0),
                )
            )
            either = both + conflicts + only_first + only_second
            counts = (only_first, both, only_second, conflicts)
            rows.append((self.measures[one], self.measures[two], *counts, both / either if either else np.nan))
        columns = ["measure", "other", "only_first", "both", "only_second", "conflicts", "agreement"]
        return pd.DataFrame(rows, columns=columns)

    def _frame(
        self, by_collection: bool, make: Callable[[DiscriminativePower[FrameT_co]], pd.DataFrame]
    ) -> pd.DataFrame:
        if not by_collection:
            return make(self)
        if not self.collections:
            raise missing_names()
        return concat_collections({name: make(power) for name, power in self.collections.items()})

    def __repr__(self) -> str:
        shown = self._summary.assign(power=(100 * self._summary["power"]).map("{:.2f}%".format))
        return shown.to_string(index=False, float_format="{:.4f}".format, na_rep="")

    def _repr_html_(self) -> str:
        return self._summary.to_html(index=False, float_format="{:.4f}".format, na_rep="")

    @cached_property
    def _summary(self) -> pd.DataFrame:
        n_significant = np.count_nonzero(self.significant, axis=1)
        return pd.DataFrame(
            {
                "measure": list(self.measures),
                "pairs": len(self.pairs),
                "significant": n_significant,
                "power": n_significant / len(self.pairs),
                "delta": self.delta,
            }
        )


class _HoldsCallersFrames(Protocol[P]):
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, evaluation: FrameHolder[FrameT], /, *args: P.args, **options: P.kwargs
    ) -> DiscriminativePower[FrameT]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, evaluation: FrameT, /, *args: P.args, **options: P.kwargs
    ) -> DiscriminativePower[FrameT]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, evaluation: Mapping[str, FrameHolder[FrameT]], /, *args: P.args, **options: P.kwargs
    ) -> DiscriminativePower[FrameT]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, evaluation: Mapping[str, FrameT], /, *args: P.args, **options: P.kwargs
    ) -> DiscriminativePower[FrameT]: ...
    @overload
    def __call__(
        self, evaluation: object, /, *args: P.args, **options: P.kwargs
    ) -> DiscriminativePower[pd.DataFrame]: ...


def _holds_callers_frames(
    function: Callable[Concatenate[Any, P], DiscriminativePower[Any]],
) -> _HoldsCallersFrames[P]:
    """Declare to type checkers that frames of the result are of the library of the first argument."""
    return cast("_HoldsCallersFrames[P]", function)


@_holds_callers_frames
@shows_progress
def discriminative_power(
    evaluation: StudyLike,
    *,
    test: TestName = "bootstrap",
    measures: MeasuresLike | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
    plus_one: bool | None = None,
    delta: bool = True,
    progress: bool = False,
) -> DiscriminativePower[Any]:
    """Return the share of pairs of runs that each measure tells apart (Sakai, SIGIR 2006).

    The same samples of topics serve all pairs and measures. The difference required is, for each pair, the mean of the
    sample under the null hypothesis with the B·level-th largest abs(t), of n_resamples = B, and of these the largest
    over pairs.

    Several collections are pooled: pairs of runs are formed within each collection, and their counts are added up. Each
    collection has samples of its own, which are those that it has alone with the same rng.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, or its tidy frame, which must be complete: a value of each
        measure for each run and topic. For several collections, a mapping from their names to such evaluations, all by
        the same measures.
    test
        ``"bootstrap"``, ``"randomization"``, ``"t"`` or ``"tukey"``.
    measures
        Some of the measures; all by default.
    level
        The significance level.
    rng, n_resamples, plus_one
        As in `irdiv.stats.compare`.
    delta
        Whether to compute the difference required, which takes about as long as the test.
    progress
        Show a progress bar on standard error if that is a terminal, or in a notebook, unless all is done at once.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> qrels, runs = demo_qrels_and_runs()
    >>> irdiv.stats.discriminative_power(irdiv.evaluate(qrels, runs, ["I-rec@10", "D-nDCG@10"]))
      measure  pairs  significant  power  delta
     I-rec@10      6            3 50.00% 0.1375
    D-nDCG@10      6            5 83.33% 0.1037

    Two collections, here of the first and the last topics:

    >>> halves = {"early": qrels["query_id"].astype(int) <= 6, "late": qrels["query_id"].astype(int) > 6}
    >>> study = {name: irdiv.evaluate(qrels[half], runs, "D-nDCG@10") for name, half in halves.items()}
    >>> power = irdiv.stats.discriminative_power(study)
    >>> power
      measure  pairs  significant  power  delta
    D-nDCG@10     12            7 58.33% 0.1526
    >>> power.summary(by_collection=True).round(4)
      collection    measure  pairs  significant   power   delta
    0      early  D-nDCG@10      6            4  0.6667  0.1526
    1       late  D-nDCG@10      6            3  0.5000  0.1514
    """
    require_level(level)
    require_test(test)
    n_resamples, plus_one = resampling_options(test, n_resamples, plus_one)
    study = as_study(evaluation, measures)
    backend = callers_backend(evaluation)
    parts = study.analyze(
        lambda table, own_rng: replace(
            _power_on_one_collection(table, test, level, own_rng, n_resamples, plus_one, delta),
            backend=backend,
        ),
        rng,
    )
    return _pool(dict(zip(study.names, parts, strict=True))) if study.names else parts[0]


def _pool(collections: Mapping[str, DiscriminativePower[FrameT]]) -> DiscriminativePower[FrameT]:
    """Return the results of all collections as one."""
    parts = list(collections.values())
    return replace(
        parts[0],
        pairs=tuple(pair for part in parts for pair in part.pairs),
        p=np.concatenate([part.p for part in parts], axis=1),
        difference=np.concatenate([part.difference for part in parts], axis=1),
        delta=np.max([part.delta for part in parts], axis=0),
        collections=collections,
    )


def _power_on_one_collection(
    table: Table,
    test: TestName,
    level: float,
    rng: Rng,
    n_resamples: int,
    plus_one: bool,
    delta: bool,
) -> DiscriminativePower[pd.DataFrame]:
    pairs = table.pairs()
    tests = p_of_pairs(table, pairs, test, level, rng, n_resamples, plus_one, delta)
    return DiscriminativePower(
        measures=tuple(table.measures),
        pairs=tuple((table.runs[one], table.runs[two]) for one, two in pairs),
        p=tests.p,
        difference=np.stack([z.mean(axis=1) for _, z in table.differences(pairs)]),
        delta=tests.delta,
        direction=table.direction,
        level=level,
    )
