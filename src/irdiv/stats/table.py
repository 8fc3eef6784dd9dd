"""Values of runs, measures and topics as an array, from an `Evaluation` or its tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.evaluation import Evaluation
from irdiv.frames.columns import as_frame, find_columns
from irdiv.kernels.lists import Floats
from irdiv.measures.spec import parse

EvaluationLike: TypeAlias = Any
"""An `Evaluation`, or a frame with ``run, query_id, measure, value``."""

_COLUMNS = ("run", "query_id", "measure", "value")


class Table(NamedTuple):
    """Values ``[run, measure, topic]``."""

    runs: list[str]
    measures: list[str]
    values: Floats

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of runs."""
        if len(self.runs) < 2:
            raise IrdivError(f"a comparison needs at least two runs, found {examples(self.runs)}.")
        return list(combinations(range(len(self.runs)), 2))

    def differences(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[str, Floats]]:
        """Yield each measure with the differences ``[pair, topic]`` of pairs of runs, first minus second."""
        first, second = (list(side) for side in zip(*pairs, strict=True))
        for number, measure in enumerate(self.measures):
            yield measure, self.values[first, number] - self.values[second, number]

    def run_number(self, name: str) -> int:
        """Return the place of a run."""
        if name not in self.runs:
            raise IrdivError(f"no run is called {name!r}; there are {examples(self.runs, 9)}.")
        return self.runs.index(name)

    def measure_number(self, spec: Any) -> int:
        """Return the place of a measure, given by any of its spellings."""
        name = str(spec)
        if name not in self.measures:
            try:
                name = str(parse(spec))
            except IrdivError:
                name = str(spec)
        if name not in self.measures:
            raise IrdivError(f"{spec} was not evaluated; there are {examples(self.measures, 9)}.")
        return self.measures.index(name)


def as_table(evaluation: EvaluationLike, measures: Any = None) -> Table:
    """Return the values of an evaluation, of some of its measures if they are given."""
    if isinstance(evaluation, Evaluation):
        table = Table(list(evaluation.runs), [str(m) for m in evaluation.measures], evaluation.values)
    else:
        table = _from_frame(evaluation)
    if measures is None:
        return table
    wanted = [table.measure_number(m) for m in ([measures] if isinstance(measures, str) else measures)]
    return Table(table.runs, [table.measures[m] for m in wanted], table.values[:, wanted])


def _from_frame(evaluation: Any) -> Table:
    frame = as_frame(evaluation, "evaluation", pd.read_csv, _COLUMNS[:3])
    missing = [name for name in _COLUMNS if name not in frame.columns]
    if missing:
        raise IrdivError(
            f"the evaluation lacks a column: expected {examples(_COLUMNS, 4)}, found {examples(frame.columns, 9)}."
        )
    find_columns(frame, "evaluation", ("query_id",), ())
    tidy = pd.DataFrame({name: frame[name].to_list() for name in _COLUMNS})
    twice = tidy[tidy.duplicated(list(_COLUMNS[:3]))]
    if len(twice):
        run, query, measure = twice[list(_COLUMNS[:3])].iloc[0]
        raise IrdivError(f"the evaluation has two values of {measure} for run {run!r} and topic {query!r}.")
    keys = [pd.factorize(tidy[name].astype(str)) for name in _COLUMNS[:3]]
    # A topic that a run misses scores 0, as everywhere.
    values = np.zeros([len(found) for _, found in keys])
    values[tuple(code for code, _ in keys)] = tidy["value"].astype(float)
    if not np.isfinite(values).all():
        raise IrdivError("the evaluation has values that are no finite numbers; drop or mend them.")
    runs, _, names = ([str(name) for name in found] for _, found in keys)
    return Table(runs, names, np.moveaxis(values, 1, 2))
