"""Several collections as one study: each is analyzed by itself, and the results are pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import wraps
from itertools import combinations
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples, prefix_errors_with_collection, warn
from irdiv.measures.spec import MeasuresLike, as_measure_list
from irdiv.stats.options import Rng
from irdiv.stats.table import EvaluationLike, StudyLike, Table, as_table
from irdiv.types import Floats

Part = TypeVar("Part")
P = ParamSpec("P")


class Study(NamedTuple):
    """Values of the same measures on one or several collections."""

    names: tuple[str, ...] | None
    """The names of the collections, None for one evaluation without a name."""
    tables: tuple[Table, ...]

    @property
    def measures(self) -> list[str]:
        """The measures, which are those of every collection."""
        return self.tables[0].measures

    @property
    def direction(self) -> Floats:
        """−1 for each measure where smaller values are better, and 1 for others."""
        return self.tables[0].direction

    def analyze(self, function: Callable[[Table, Rng], Part], rng: Rng = 0) -> list[Part]:
        """Return what a function of a table and a seed or generator returns for each collection.

        Every collection gets the same seed, or a generator in the same state, so that its random samples do not depend
        on the other collections. Errors are prefixed with the name of the collection.
        """
        # The last collection uses the given generator itself, which is thus not the same in the next call.
        rngs = [*(deepcopy(rng) for _ in self.tables[1:]), rng]
        parts = []
        for name, table, own_rng in zip(self.names or (None,), self.tables, rngs, strict=True):
            with prefix_errors_with_collection(name):
                parts.append(function(table, own_rng))
        return parts

    def frame(
        self, parts: Sequence[Part], pool: Callable[[Sequence[Part]], pd.DataFrame], by_collection: bool
    ) -> pd.DataFrame:
        """Return the pooled frame of what `analyze` returned, or the frames of all collections one below the other.

        The latter have the name of the collection in the first column, or in the index if they have one.
        """
        if not by_collection:
            return pool(parts)
        return concat_collections(dict(zip(self.require_names(), (pool([part]) for part in parts), strict=True)))

    def require_names(self) -> tuple[str, ...]:
        """Return the names of the collections; it is an error if there are none."""
        if self.names is None:
            raise missing_names()
        return self.names


def missing_names() -> IrdivError:
    """Return the error for results by collection where collections have no names."""
    return IrdivError(
        "by_collection=True needs names of collections: give a mapping from name to evaluation, such as "
        "{'web09': evaluation}, instead of an evaluation."
    )


def concat_collections(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the frames of collections as one, with the column ``collection``, or in the index if they have one."""
    if all(isinstance(frame.index, pd.RangeIndex) for frame in frames.values()):
        columns = next(iter(frames.values())).columns
        named = [frame.assign(collection=name) for name, frame in frames.items()]
        # Frames without rows have other types of columns.
        filled = [frame for frame in named if len(frame)] or named
        return pd.concat(filled, ignore_index=True)[["collection", *columns]]
    return pd.concat(frames, names=["collection"])


def for_each_collection(
    function: Callable[Concatenate[EvaluationLike, P], pd.DataFrame],
) -> Callable[Concatenate[StudyLike, P], pd.DataFrame]:
    """Decorate a function of one evaluation, with options by keyword only, to take a mapping of collections too.

    The rows of the collections are one below the other, with the name in the first column, ``collection``.
    """
    of_one: Callable[..., pd.DataFrame] = function

    @wraps(function)
    def of_each(evaluation: StudyLike, *args: P.args, **options: P.kwargs) -> pd.DataFrame:
        if not isinstance(evaluation, Mapping):
            return function(evaluation, *args, **options)
        given: dict[str, Any] = dict(options)
        study, rng = as_study(evaluation, given.pop("measures", None)), given.pop("rng", 0)
        frames = study.analyze(lambda table, own_rng: of_one(table, *args, rng=own_rng, **given), rng)
        return concat_collections(dict(zip(study.require_names(), frames, strict=True)))

    return cast("Callable[Concatenate[StudyLike, P], pd.DataFrame]", of_each)


def as_study(evaluation: StudyLike, measures: MeasuresLike | None = None) -> Study:
    """Return the values of one evaluation, or of a mapping from collection to evaluation, by some or all measures."""
    if not isinstance(evaluation, Mapping):
        return Study(None, (as_table(evaluation, measures),))
    if not evaluation:
        raise IrdivError("no collections given: expected a mapping from the name of a collection to its evaluation.")
    names = tuple(map(str, evaluation))
    if len(set(names)) < len(names):
        raise IrdivError(f"two collections have the same name: {examples(names, 9)}.")
    chosen = None if measures is None else as_measure_list(measures)
    tables = []
    for name, one in zip(names, evaluation.values(), strict=True):
        with prefix_errors_with_collection(name):
            tables.append(as_table(one, chosen))
    study = Study(names, tuple(_in_common_order(names, tables)))
    _warn_about_copies(study)
    return study


def _in_common_order(names: Sequence[str], tables: Sequence[Table]) -> list[Table]:
    """Return the tables with their measures in the order of the first; it is an error if one lacks a measure."""
    all_measures = dict.fromkeys(measure for table in tables for measure in table.measures)
    lacking = [
        f"{name!r} lacks {', '.join(missing)}"
        for name, table in zip(names, tables, strict=True)
        if (missing := [measure for measure in all_measures if measure not in table.measures])
    ]
    if lacking:
        raise IrdivError(
            f"the collections have different measures: {'; '.join(lacking)}. Evaluate all collections by the same "
            "measures, or choose common ones by measures=."
        )
    ordered = [table.choose(tables[0].measures) for table in tables]
    for table in ordered:
        differs = table.direction != ordered[0].direction
        if differs.any():
            raise IrdivError(
                f"less is better by {examples(np.array(table.measures)[differs].tolist())} in some collections only: "
                "an evaluation knows it, but a frame does not, as irdiv has no measure of that name. Give evaluations."
            )
    return ordered


def _warn_about_copies(study: Study) -> None:
    """Warn about collections with the same values, which are likely the same one."""
    for (name, one), (other, two) in combinations(zip(study.names or (), study.tables, strict=True), 2):
        if one.runs == two.runs and one.topics == two.topics and np.array_equal(one.values, two.values):
            warn(
                f"the collections {name!r} and {other!r} have the same runs, topics and values; if they are the same "
                "one, its pairs of runs count twice."
            )
