"""Values of runs, measures and topics as an array, from an `Evaluation` or its tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import ir_measures
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import as_frame, numbers
from irdiv.frames.ids import as_ids, natural_order
from irdiv.kernels.lists import Floats
from irdiv.measures.spec import parse
from irdiv.results import Evaluation

EvaluationLike: TypeAlias = Any
"""An `Evaluation`, or a frame with ``run, query_id, measure, value``."""

NO_DIFFERENCE = 1e-12
"""Values that differ by no more than this are equal but for rounding."""
_COLUMNS = ("run", "query_id", "measure", "value")
# As `pt.Experiment(perquery=True)` has them.
_ALIASES = {"name": "run", "qid": "query_id"}


class Table(NamedTuple):
    """Values ``[run, measure, topic]``."""

    runs: list[str]
    measures: list[str]
    topics: list[str]
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
        names = [str(measure) for measure in evaluation.measures]
        table = Table(list(evaluation.runs), names, list(evaluation.query_ids), evaluation.values)
    else:
        table = _from_frame(evaluation)
    if not np.isfinite(table.values).all():
        raise IrdivError("the evaluation has values that are no finite numbers; drop or mend them.")
    if measures is None:
        return table
    wanted = [table.measure_number(measure) for measure in as_list(measures)]
    if not wanted:
        raise IrdivError("no measures given; name some that were evaluated, or none for all.")
    return Table(table.runs, [table.measures[m] for m in wanted], table.topics, table.values[:, wanted])


def as_list(measures: Any) -> list[Any]:
    """Return one or several measures as a list."""
    several = isinstance(measures, Iterable) and not isinstance(measures, str | ir_measures.Measure)
    return list(measures) if several else [measures]


def _from_frame(evaluation: Any) -> Table:
    frame = as_frame(evaluation, "evaluation", pd.read_csv, _COLUMNS[:3])
    present = frame.columns
    frame = frame.rename({old: new for old, new in _ALIASES.items() if old in present and new not in present})
    if any(name not in frame.columns for name in _COLUMNS):
        raise IrdivError(
            f"the evaluation lacks a column: expected {examples(_COLUMNS, 4)}, found {examples(frame.columns, 9)}."
        )
    keys = {name: np.asarray(as_ids(frame[name], "evaluation"), dtype=object) for name in _COLUMNS[:3]}
    tidy = pd.DataFrame({**keys, "value": numbers(frame["value"], "evaluation")})
    twice = tidy[tidy.duplicated(list(_COLUMNS[:3]))]
    if len(twice):
        run, query, measure = twice[list(_COLUMNS[:3])].iloc[0]
        raise IrdivError(f"the evaluation has two values of {measure} for run {run!r} and topic {query!r}.")
    # The order of rows must not matter, as samples are drawn by the number of a topic.
    names = {name: sorted(set(of)) for name, of in keys.items()}
    names = {name: [of[place] for place in natural_order(of)] for name, of in names.items()}
    places = [pd.Index(names[name]).get_indexer(pd.Index(keys[name])) for name in ("run", "measure", "query_id")]
    # A topic that a run misses scores 0, as everywhere.
    values = np.zeros([len(names[name]) for name in ("run", "measure", "query_id")])
    values[tuple(places)] = tidy["value"]
    return Table(names["run"], names["measure"], names["query_id"], values)
