"""Values of measures for runs and topics, and which runs are best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import ir_measures
import numpy as np
from ir_measures.measures.base import MeanAgg

from irdiv.io.tables import Backend, FrameHolder, FrameT_co
from irdiv.kernels.lists import ordered_sum
from irdiv.measures.measure import less_is_better
from irdiv.types import Bools, Floats, Objects

VALUE_TOLERANCE = 1e-12
"""Values that differ by no more than this differ only by rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Scores(FrameHolder[FrameT_co]):
    """Values of measures for runs and topics."""

    runs: tuple[str, ...]
    query_ids: Objects
    measures: tuple[ir_measures.Measure, ...]
    values: Floats
    """As ``[run, measure, topic]``."""
    backend: Backend = "pandas"
    """The frame library of results."""
    names: Mapping[ir_measures.Measure, str] = field(default_factory=dict, kw_only=True)
    """Names of measures in tables, for those that are not named by their specs."""

    def means(self) -> Floats:
        """Return the mean over topics (for counts, the sum) as ``[run, measure]``."""
        return np.array([[_aggregate(m, v) for m, v in zip(self.measures, run, strict=True)] for run in self.values])

    def best(self) -> Bools:
        """Return whether each run is best of several by each measure, ``[run, measure]``; equal means are all best."""
        if len(self.runs) == 1:
            return np.zeros((1, len(self.measures)), dtype=bool)
        return best_runs(self.means(), [less_is_better(measure) for measure in self.measures])

    def sums(self) -> list[str]:
        """Return the names of the measures that are counts, of which `means` has the sum."""
        return [self.name(measure) for measure in self.measures if not isinstance(measure.aggregator(), MeanAgg)]

    def specs(self) -> list[str]:
        """Return what names the columns of tables: the names given to measures, and the specs of the others."""
        return [self.name(measure) for measure in self.measures]

    def name(self, measure: ir_measures.Measure) -> str:
        """Return what names a measure in tables."""
        return self.names.get(measure, str(measure))


def best_runs(means: Floats, less_is_better: Sequence[bool]) -> Bools:
    """Return whether each run is best by each measure, from their means, both ``[run, measure]``."""
    signed = np.where(less_is_better, -1.0, 1.0) * means
    return signed >= signed.max(axis=0) - VALUE_TOLERANCE


def _aggregate(measure: ir_measures.Measure, values: Floats) -> float:
    aggregator = measure.aggregator()
    if type(aggregator) is MeanAgg:
        return float(ordered_sum(values) / len(values))
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())
