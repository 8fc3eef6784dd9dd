"""The result of an evaluation: values of measures for runs and topics, as frames and tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.evaluation.sources import Sources
from irdiv.frames.backends import FrameT_co, to_backend
from irdiv.frames.ids import Ids, string_array
from irdiv.show import tables
from irdiv.stats.options import TestName
from irdiv.stats.scores import Scores
from irdiv.types import Floats

if TYPE_CHECKING:
    from irdiv.evaluation.plotting import EvaluationPlots


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Scores[FrameT_co]):
    """Values of measures for runs and topics.

    It prints as the table of means, with `notes` below; `frame` has every value.
    """

    sources: Sources | None = None
    """The qrels and runs; None where they came in streams."""
    stream_notes: tuple[str, ...] = ()
    """The `notes` of qrels and runs that came in streams."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is normal in the qrels and runs but matters for their values.

        Topics without relevant documents, declared intents that do not count, topics that runs lack, the share of
        unjudged documents, and equal scores.
        """
        return self.stream_notes if self.sources is None else self.sources.notes

    @property
    def plot(self) -> EvaluationPlots:
        """Plots of the evaluation, as ``evaluation.plot.ranking("D#-nDCG@10")``: those of `irdiv.plots`.

        `rank_curves`, `parameter_curves` and `precision_recall` are computed from the qrels and runs.
        """
        from irdiv.evaluation.plotting import EvaluationPlots

        return EvaluationPlots(self, self.sources)

    @cached_property
    def frame(self) -> FrameT_co:
        """All values, tidy: a row for each run, measure and topic with ``run, query_id, measure, value``."""
        runs, measures, topics = self.values.shape
        columns = {
            "run": string_array(self.runs).take(np.repeat(np.arange(runs), measures * topics)),
            "query_id": string_array(self.query_ids).take(np.tile(np.arange(topics), runs * measures)),
            "measure": string_array(self.specs()).take(np.tile(np.repeat(np.arange(measures), topics), runs)),
            "value": self.values.ravel(),
        }
        return to_backend(pa.table(columns), self.backend)

    def to_pandas(self) -> Evaluation[pd.DataFrame]:
        """Return the same evaluation with pandas frames."""
        evaluation: Evaluation[Any] = replace(self, backend="pandas")
        return evaluation

    def summary(self) -> FrameT_co:
        """Return the mean over topics (for counts, the sum): a row for each run, a column for each measure.

        In pandas, runs are the index; in polars and Arrow, they are the first column.
        """
        if self.backend != "pandas":
            return self._wide_frame({"run": string_array(self.runs)}, self.means())
        return self._wide_pandas(pd.Index(self.runs, name="run"), self.means())

    def pivot(self) -> FrameT_co:
        """Return all values: a row for each run and topic, a column for each measure.

        In pandas, runs and topics are the index; in polars and Arrow, they are the first columns.
        """
        runs, measures, topics = self.values.shape
        values = np.moveaxis(self.values, 1, 2).reshape(-1, measures)
        if self.backend != "pandas":
            run = string_array(self.runs).take(np.repeat(np.arange(runs), topics))
            return self._wide_frame({"run": run, "query_id": string_array(np.tile(self.query_ids, runs))}, values)
        return self._wide_pandas(
            pd.MultiIndex.from_product([self.runs, self.query_ids], names=["run", "query_id"]), values
        )

    def _wide_frame(self, keys: dict[str, Ids], values: Floats) -> FrameT_co:
        return to_backend(pa.table({**keys, **dict(zip(self.specs(), values.T, strict=True))}), self.backend)

    def _wide_pandas(self, index: pd.Index, values: Floats) -> Any:
        return pd.DataFrame(values, index=index, columns=pd.Index(self.specs(), name="measure"))

    def to_latex(self, *, baseline: str | None = None, test: TestName = "bootstrap", digits: int = 4) -> str:
        """Return the means as a LaTeX table, the best in bold, runs that differ from a baseline starred."""
        return tables.to_latex(self, baseline, test, digits)

    def to_markdown(self, *, baseline: str | None = None, test: TestName = "bootstrap", digits: int = 4) -> str:
        """Return the means as a Markdown table, the best in bold, runs that differ from a baseline starred."""
        return tables.to_markdown(self, baseline, test, digits)

    def __repr__(self) -> str:
        means = self.to_pandas().summary().rename_axis(index=None, columns=None)
        return "\n".join([means.to_string(float_format="{:.4f}".format), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return tables.to_html(self) + (f"<ul>{notes}</ul>" if notes else "")
