"""Values of runs, measures and topics as an array, from an `Evaluation` or its tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import ir_measures
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.io.columns import find_columns
from irdiv.io.ids import as_ids, natural_argsort
from irdiv.io.tables import as_frame, backend_of
from irdiv.io.values import float_values
from irdiv.measures.measure import less_is_better
from irdiv.measures.spec import MeasureLike, MeasuresLike, as_measure_list
from irdiv.stats.names import find_measure, find_run, parsed_or_none
from irdiv.stats.scores import Scores
from irdiv.stats.value_files import read_values
from irdiv.types import Floats, Ints, PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoFrame

EvaluationLike: TypeAlias = "Scores[IntoDataFrame] | Table | IntoFrame | PathLike"
"""An `Evaluation`, a frame with the columns ``run, query_id, measure, value``, or the path of a file that
`irdiv.stats.read_values` reads."""
StudyLike: TypeAlias = "EvaluationLike | Mapping[str, EvaluationLike]"
"""One evaluation, or a mapping from the name of a collection to its evaluation."""

_KEYS = ("run", "measure", "query_id")


class Table(NamedTuple):
    """Values ``[run, measure, topic]``."""

    runs: list[str]
    measures: list[str]
    topics: list[str]
    values: Floats
    direction: Floats
    """−1 for each measure where smaller values are better, and 1 for others."""
    is_in_given_order: bool = True
    """Whether the measures are in the order in which they were given; those of a frame are in natural order."""
    names: Mapping[ir_measures.Measure, str] = MappingProxyType({})
    """Names of measures, for those that are not named by their specs."""

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of runs, by index."""
        self.require_two_runs()
        return list(combinations(range(len(self.runs)), 2))

    def require_two_runs(self) -> None:
        """Raise an error if there is only one run."""
        if len(self.runs) < 2:
            raise IrdivError(f"a comparison needs at least two runs, found {examples(self.runs)}.")

    def differences(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[str, Floats]]:
        """Yield each measure with the differences ``[pair, topic]`` of pairs of runs, first minus second."""
        differences = self.all_differences(pairs)
        for index, measure in enumerate(self.measures):
            yield measure, differences.of_measure(index)

    def all_differences(self, pairs: Iterable[tuple[int, int]]) -> Differences:
        """Return the differences of pairs of runs by all measures, first minus second."""
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        return Differences(self.values, first, second)

    def run_index(self, name: str) -> int:
        """Return the index of a run."""
        return find_run(self.runs, name)

    def only(self, measure: MeasureLike | None) -> Table:
        """Return the table of one measure, by default the first; it must be named if there is no first one."""
        if measure is None:
            if not self.is_in_given_order and len(self.measures) > 1:
                raise IrdivError(f"the frame has several measures; name one of {examples(self.measures, 9)}.")
            measure = self.measures[0]
        elif not isinstance(measure, str | ir_measures.Measure):
            raise IrdivError(f"expected one measure, found {measure!r}.")
        return _choose(self, measure)

    def measure_index(self, spec: MeasureLike) -> int:
        """Return the index of a measure, given by its name or any spelling of its spec."""
        return find_measure(self.measures, spec, self.names)

    def choose(self, measures: Iterable[MeasureLike]) -> Table:
        """Return the table of some measures."""
        chosen = [self.measure_index(measure) for measure in measures]
        if not chosen:
            raise IrdivError("no measures given; name some that were evaluated, or leave the argument out for all.")
        if chosen == list(range(len(self.measures))):
            return self
        return self._replace(
            measures=[self.measures[m] for m in chosen],
            values=self.values[:, chosen],
            direction=self.direction[chosen],
        )

    def larger_is_better(self) -> Table:
        """Return the same table with the values negated of measures where smaller values are better."""
        return self._replace(values=self.values * self.direction[:, None], direction=np.ones(len(self.measures)))


class Differences(NamedTuple):
    """Differences of pairs of runs, computed when they are needed: all together may not fit into memory."""

    values: Floats
    """As ``[run, measure, topic]``."""
    first: Ints
    """The index of the first run of each pair."""
    second: Ints

    @property
    def n_measures(self) -> int:
        """The number of measures."""
        return self.values.shape[1]

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.first)

    def of_measure(self, index: int) -> Floats:
        """Return the differences ``[pair, topic]`` by one measure."""
        return self.values[self.first, index] - self.values[self.second, index]

    def rows(self, rows: slice) -> Floats:
        """Return some rows of the differences ``[row, topic]`` of all pairs by one measure after the other."""
        measure, pair = np.divmod(np.arange(self.n_measures * self.n_pairs)[rows], self.n_pairs)
        return self.values[self.first[pair], measure] - self.values[self.second[pair], measure]


def _directions(measures: Iterable[ir_measures.Measure | None]) -> Floats:
    """Return −1 for measures where smaller values are better, and 1 for others and for unknown ones."""
    return np.array([-1.0 if measure is not None and less_is_better(measure) else 1.0 for measure in measures])


def as_table(evaluation: EvaluationLike, measures: MeasuresLike | None = None) -> Table:
    """Return the values of an evaluation, for some of its measures if they are given.

    A frame without a value of some measure for some run and topic is an error: there is no right value to fill in.
    """
    if isinstance(evaluation, Scores):
        table = Table(
            list(evaluation.runs),
            evaluation.specs(),
            list(evaluation.query_ids),
            evaluation.values,
            _directions(evaluation.measures),
            names=evaluation.names,
        )
    elif isinstance(evaluation, Table):
        table = evaluation
    elif isinstance(evaluation, Mapping):
        raise IrdivError(
            f"expected one evaluation, found a mapping with the keys {examples(evaluation)}; give the evaluation of "
            "one collection."
        )
    elif isinstance(evaluation, list | tuple) and any(isinstance(one, Scores) or backend_of(one) for one in evaluation):
        raise IrdivError(
            f"expected one evaluation, found a {type(evaluation).__name__} of {len(evaluation)}; give a mapping from "
            "the name of a collection to its evaluation, such as {'web09': evaluation}."
        )
    else:
        table = _choose(_from_frame(evaluation), measures)
        _require_complete(table)
        return table
    if not np.isfinite(table.values).all():
        raise IrdivError("the evaluation has values that are not finite; drop or correct them.")
    return _choose(table, measures)


def _choose(table: Table, measures: MeasuresLike | None) -> Table:
    """Return the table of some measures, of all for None."""
    return table if measures is None else table.choose(as_measure_list(measures))


def _require_complete(table: Table) -> None:
    """Raise an error that names the first missing values."""
    missing = np.argwhere(np.isnan(table.values))
    if len(missing):
        cells = [
            f"run {table.runs[run]!r}, topic {table.topics[topic]!r}, {table.measures[measure]}"
            for run, measure, topic in missing[:3]
        ]
        raise IrdivError(
            f"the evaluation lacks {len(missing)} of {table.values.size} values: {'; '.join(cells)}"
            f"{'; …' if len(missing) > 3 else ''}. Every run needs a value of every measure for every topic: analyze "
            "collections separately, and leave out runs, topics or measures that are incomplete."
        )


def _from_frame(evaluation: IntoFrame | PathLike) -> Table:
    """Return the values of a tidy frame, NaN where it has none."""
    frame = as_frame(evaluation, "evaluation", _KEYS, read_values)
    names = find_columns(frame.columns, "evaluation", (*_KEYS, "value"))
    if "collection" in frame.columns and frame["collection"].n_unique() > 1:
        raise IrdivError(
            f"the frame has rows of several collections, {examples(frame['collection'].unique().to_list())}, and runs "
            "are compared within a collection: give a mapping from the name of a collection to its rows."
        )
    keys = {key: np.asarray(as_ids(frame[names[key]], "evaluation"), dtype=object) for key in _KEYS}
    tidy = pd.DataFrame({**keys, "value": float_values(frame[names["value"]], "evaluation")})
    repeated = tidy[tidy.duplicated(list(_KEYS))]
    if len(repeated):
        run, measure, query = repeated[list(_KEYS)].iloc[0]
        raise IrdivError(f"the evaluation has two values of {measure} for run {run!r} and topic {query!r}.")
    # In natural order, since samples are drawn by the index of a topic and the order of rows must not matter.
    labels = {key: _in_natural_order(set(ids)) for key, ids in keys.items()}
    indices: list[Ints] = [pd.Index(labels[key]).get_indexer(pd.Index(keys[key])) for key in _KEYS]
    values = np.full([len(labels[key]) for key in _KEYS], np.nan)
    values[tuple(indices)] = tidy["value"]
    directions = _directions(map(parsed_or_none, labels["measure"]))
    return Table(labels["run"], labels["measure"], labels["query_id"], values, directions, is_in_given_order=False)


def _in_natural_order(ids: set[str]) -> list[str]:
    ascending = sorted(ids)
    return [ascending[index] for index in natural_argsort(ascending)]
