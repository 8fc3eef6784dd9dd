"""What a task on Spark does: it scores all runs for some topics, given all rows of these topics in Arrow's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ties
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.scoring import Scorer
from irdiv.frames.checked import qrels_columns
from irdiv.frames.columns import EVALUATION_COLUMNS
from irdiv.measures.spec import parse
from irdiv.plugins.spark_inputs import RUN
from irdiv.plugins.spark_tables import TableColumns, split_by_topic, unpack

SCHEMA = ", ".join(f"{name} {'double' if name == 'value' else 'string'}" for name in EVALUATION_COLUMNS)
ARROW_SCHEMA = pa.schema({name: pa.float64() if name == "value" else pa.string() for name in EVALUATION_COLUMNS})
JUDGMENTS_PER_TASK = 200_000
"""About how many judgments are scored at once."""


class Task(NamedTuple):
    """Scores the runs for the topics that a task has."""

    names: Sequence[str | None]
    """The names of all runs; None is that of a run without one."""
    specs: Mapping[str, str]
    """Specs of measures, mapped to their names."""
    highest: int
    """The highest grade of all qrels."""
    judged: TableColumns
    ranked: TableColumns
    run_schema: pa.Schema
    ties: Ties
    duplicates: Duplicates

    def score_packed(self, packed_qrels: pa.Table, packed_runs: pa.Table) -> pa.Table:
        """Return the values of packed tables."""
        return self.score(unpack(packed_qrels), unpack(packed_runs))

    def score(self, qrels: pa.Table | None, runs: pa.Table | None) -> pa.Table:
        """Return the values of all topics of the qrels, scored some at a time; None is a table without rows."""
        if qrels is None:
            return ARROW_SCHEMA.empty_table()
        if runs is None:
            runs = self.run_schema.empty_table()
        count = -(-len(qrels) // (2 * JUDGMENTS_PER_TASK))
        if count == 1:
            return self._score_at_once(qrels, runs)
        runs_of_part = dict(split_by_topic(runs, self.ranked, count, salt=1))
        parts = split_by_topic(qrels, self.judged, count, salt=1)
        return pa.concat_tables(
            [self._score_at_once(rows, runs_of_part.get(part, runs.slice(0, 0))) for part, rows in parts]
        )

    def _score_at_once(self, qrels: pa.Table, runs: pa.Table) -> pa.Table:
        collection = Collection.from_columns(qrels_columns(qrels)._replace(max_grade=self.highest))
        measures = [parse(spec) for spec in self.specs]
        scorer = Scorer(collection, measures, self.ties, self.duplicates)
        of_run = [runs if name is None else runs.filter(pc.equal(runs[RUN], name)) for name in self.names]
        values = [scorer.score(scorer.order(rows, is_part=True)) for rows in of_run]
        evaluation: Evaluation[pa.Table] = Evaluation(
            tuple("run" if name is None else str(name) for name in self.names),
            collection.topics,
            tuple(measures),
            np.stack(values),
            "pyarrow",
            names=dict(zip(measures, self.specs.values(), strict=True)),
        )
        return evaluation.frame.cast(ARROW_SCHEMA)
