"""The result of an evaluation: values of measures for runs and topics, as frames and tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.evaluation.sources import Sources
from irdiv.frames.backends import FrameT_co, to_backend
from irdiv.frames.ids import Ids, string_array
from irdiv.measures.spec import MeasuresLike
from irdiv.show import tables
from irdiv.stats.options import LEVEL, Rng, TestName
from irdiv.stats.scores import Scores
from irdiv.stats.significance import Correction
from irdiv.types import Floats


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

        Topics without relevant documents or without probabilities, declared intents that do not count, topics that runs
        lack, the share of unjudged documents, and equal scores.
        """
        return self.stream_notes if self.sources is None else self.sources.notes

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

    def to_latex(
        self,
        *,
        measures: MeasuresLike | None = None,
        baseline: str | None = None,
        pairs: Literal["all"] | None = None,
        test: TestName = "bootstrap",
        correction: Correction = "auto",
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int | None = None,
        digits: int = 4,
        caption: str | None = None,
        label: str | None = None,
        environment: bool = True,
    ) -> str:
        r"""Return the means as a LaTeX table with booktabs rules, the best in bold, significant differences marked.

        Parameters
        ----------
        measures
            Some of the measures; all by default.
        baseline
            The run that the others are compared with: those that differ from it significantly have a star.
        pairs
            ``"all"`` to compare all pairs of runs: each run has a letter, and a mean carries the letters of the runs
            that it is significantly better than.
        test, rng
            As in `irdiv.stats.compare`.
        correction
            As in `irdiv.stats.compare`, over the comparisons of each measure. ``"auto"``, the default, is Holm's if
            there are several; the randomized Tukey HSD test needs none.
        level
            The significance level, which the corrected p must be below.
        n_resamples
            By default that of the test, or as many as the correction needs.
        digits
            Decimal places.
        caption
            LaTeX in place of the default caption, which names the number of topics, the test, its samples, the
            correction and the level. That text is then kept as a comment.
        label
            The label that ``\ref`` takes.
        environment
            Whether the table is in a ``table`` environment; if not, it is a ``tabular`` with the caption as a comment.

        Examples
        --------
        >>> import irdiv
        >>> from irdiv.demo import demo_qrels_and_runs
        >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["alpha-nDCG@10", "D#-nDCG@10"])
        >>> print("\n".join(evaluation.to_latex(pairs="all", label="tab:demo").splitlines()[4:13]))
        \label{tab:demo}
        \begin{tabular}{lll}
        \toprule
        run & $\alpha$-nDCG@10 & D$\sharp$-nDCG@10 \\
        \midrule
        (a) relevance & 0.7612\textsuperscript{cd} & 0.9060\textsuperscript{cd} \\
        (b) diversified & \textbf{0.8515}\textsuperscript{acd} & \textbf{0.9146}\textsuperscript{cd} \\
        (c) one-intent & 0.6387\textsuperscript{d} & 0.7037 \\
        (d) spammy & 0.4085 & 0.5833 \\
        """
        marks = tables.Marks(baseline, pairs, test, correction, level, rng, n_resamples)
        return tables.to_latex(
            self, marks, measures=measures, digits=digits, caption=caption, label=label, environment=environment
        )

    def to_markdown(
        self,
        *,
        measures: MeasuresLike | None = None,
        baseline: str | None = None,
        pairs: Literal["all"] | None = None,
        test: TestName = "bootstrap",
        correction: Correction = "auto",
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int | None = None,
        digits: int = 4,
        caption: str | None = None,
    ) -> str:
        """Return the means as a Markdown table below a caption; options as in `to_latex`."""
        marks = tables.Marks(baseline, pairs, test, correction, level, rng, n_resamples)
        return tables.to_markdown(self, marks, measures=measures, digits=digits, caption=caption)

    def __repr__(self) -> str:
        means = self.to_pandas().summary().rename_axis(index=None, columns=None)
        return "\n".join([means.to_string(float_format="{:.4f}".format), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return tables.to_html(self) + (f"<ul>{notes}</ul>" if notes else "")
