"""What an evaluation gives: values of measures for runs and topics, as frames and tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
from ir_measures.measures.base import MeanAgg
from numpy.typing import NDArray

from irdiv.frames.ids import strings
from irdiv.frames.sources import Framed, Kind, in_kind
from irdiv.kernels.lists import ordered_sum


class Summary(pd.DataFrame):
    """Means as a frame, which writes itself as a table for papers."""

    _evaluation: Evaluation | None = None

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def to_latex(self, *args: Any, baseline: str | None = None, test: Any = "bootstrap", **options: Any) -> Any:
        """Return a LaTeX table, the best of each measure in bold, runs that differ from a baseline starred.

        Parameters
        ----------
        *args, **options
            Those of ``pandas.DataFrame.to_latex``; with any of them pandas writes the table, without marks.
        baseline
            The run to test the others against.
        test
            As of `irdiv.compare`.
        """
        return self._for_papers("latex", args, baseline, test, options)

    def to_markdown(self, *args: Any, baseline: str | None = None, test: Any = "bootstrap", **options: Any) -> Any:
        """Return a Markdown table, the best of each measure in bold, runs that differ from a baseline starred.

        Parameters as of `to_latex`.
        """
        return self._for_papers("markdown", args, baseline, test, options)

    def _for_papers(self, form: str, args: Any, baseline: str | None, test: Any, options: dict[str, Any]) -> Any:
        evaluation = self._evaluation
        if args or options or evaluation is None:
            return getattr(pd.DataFrame(self), f"to_{form}")(*args, **options)
        from irdiv.views import papers

        return getattr(papers, f"as_{form}")(evaluation, baseline, test)


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Framed):
    """Values of measures for runs and topics.

    It prints as the table of means; `frame` has every value.
    """

    runs: tuple[str, ...]
    query_ids: NDArray[np.object_]
    measures: tuple[ir_measures.Measure, ...]
    values: NDArray[np.float64]
    """As ``[run, measure, topic]``."""

    kind: Kind = "pandas"
    """The kind of frame that `frame`, `summary` and `pivot` return."""

    @cached_property
    def frame(self) -> Any:
        """All values, tidy: a row for each run, measure and topic with ``run, query_id, measure, value``."""
        runs, measures, topics = self.values.shape
        made = {
            "run": strings(self.runs).take(np.repeat(np.arange(runs), measures * topics)),
            "query_id": strings(self.query_ids).take(np.tile(np.arange(topics), runs * measures)),
            "measure": strings(self._titles()).take(np.tile(np.repeat(np.arange(measures), topics), runs)),
            "value": self.values.ravel(),
        }
        return in_kind(pa.table(made), self.kind)

    def to_pandas(self) -> Evaluation:
        """Return the same with pandas frames."""
        return replace(self, kind="pandas")

    def _titles(self) -> list[str]:
        return [str(measure) for measure in self.measures]

    def summary(self) -> Any:
        """Return the mean over topics (for counts, the sum): a row for each run, a column for each measure.

        In pandas runs are the index, and the frame also prints itself for papers, see `Summary`; in polars and Arrow
        they are the first column.
        """
        table = np.array(
            [[_aggregate(m, values) for m, values in zip(self.measures, run, strict=True)] for run in self.values]
        )
        if self.kind != "pandas":
            return self._wide({"run": strings(self.runs)}, table)
        index = pd.Index(self.runs, name="run")
        made = Summary(table, index=index, columns=pd.Index(self._titles(), name="measure"))
        object.__setattr__(made, "_evaluation", self)
        return made

    def pivot(self) -> Any:
        """Return a row for each run and topic, a column for each measure."""
        runs, measures, topics = self.values.shape
        table = np.moveaxis(self.values, 1, 2).reshape(-1, measures)
        if self.kind != "pandas":
            run = strings(self.runs).take(np.repeat(np.arange(runs), topics))
            return self._wide({"run": run, "query_id": strings(np.tile(self.query_ids, runs))}, table)
        index = pd.MultiIndex.from_product([self.runs, self.query_ids], names=["run", "query_id"])
        return pd.DataFrame(table, index=index, columns=pd.Index(self._titles(), name="measure"))

    def _wide(self, keys: dict[str, Any], table: NDArray[np.float64]) -> Any:
        return in_kind(pa.table({**keys, **dict(zip(self._titles(), table.T, strict=True))}), self.kind)

    def to_latex(self, *, baseline: str | None = None, test: Any = "bootstrap", digits: int = 4) -> str:
        """Return the means as a LaTeX table, the best in bold, runs that differ from a baseline starred."""
        from irdiv.views.papers import as_latex

        return as_latex(self, baseline, test, digits)

    def to_markdown(self, *, baseline: str | None = None, test: Any = "bootstrap", digits: int = 4) -> str:
        """Return the means as a Markdown table, the best in bold, runs that differ from a baseline starred."""
        from irdiv.views.papers import as_markdown

        return as_markdown(self, baseline, test, digits)

    def __repr__(self) -> str:
        return self._shown().to_string(float_format="{:.4f}".format)

    def _repr_html_(self) -> str:
        from irdiv.views.papers import as_html

        return as_html(self)

    def _shown(self) -> pd.DataFrame:
        return self.to_pandas().summary().rename_axis(index=None, columns=None)


def _aggregate(measure: ir_measures.Measure, values: NDArray[np.float64]) -> float:
    aggregator = measure.aggregator()
    if isinstance(aggregator, MeanAgg):
        return float(ordered_sum(values) / len(values))
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())
