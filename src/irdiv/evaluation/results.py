"""The result of an evaluation: values of measures for runs and topics, as frames and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.analysis.topics import scores_by_intent
from irdiv.checks import Integer, Optional, require
from irdiv.errors import IrdivError
from irdiv.evaluation.scoring import Scored
from irdiv.evaluation.selection import requested_measures
from irdiv.evaluation.topics import CaseOptions, Cases, TopicReport, documents_frame, missed_intents
from irdiv.files import write_atomically
from irdiv.io.ids import Ids, string_array
from irdiv.io.tables import FrameT, FrameT_co, ReturnsCallersFrame, from_pandas, to_backend
from irdiv.io.text import csv_writing_errors
from irdiv.measures.measure import Measure
from irdiv.measures.spec import MeasureLike, parse_base
from irdiv.show import tables
from irdiv.stats.cases import disagreements, worst_topics
from irdiv.stats.comparison import compare
from irdiv.stats.names import find_measure, find_run, find_topic
from irdiv.stats.ranking import rank_runs
from irdiv.stats.scores import Scores
from irdiv.types import Floats, PathLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from irdiv.evaluation.plotting import EvaluationPlots

P = ParamSpec("P")


def _as_method(function: ReturnsCallersFrame[P]) -> Callable[Concatenate[Evaluation[FrameT], P], FrameT]:
    """Return a function of `irdiv.stats` as a method of evaluations."""
    return function


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Scores[FrameT_co]):
    """Values of measures for runs and topics.

    It prints as the table of means, with `notes` below; `frame` has every value, and ``evaluation["D#-nDCG@10"]`` those
    of one measure. All frames are of the library of the runs.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    >>> evaluation["I-rec@10"].round(2).head(2)
    run       relevance  diversified  one-intent  spammy
    query_id
    1              0.83          1.0         0.5    0.67
    2              1.00          1.0         1.0    0.60
    """

    sources: Scored | None = None
    """The qrels and runs; None where they came in streams, and for answers."""
    stream_notes: tuple[str, ...] = ()
    """The `notes` where there are no `sources`."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is normal in the qrels and runs but matters for their values.

        Topics without relevant documents or without probabilities, declared intents that do not count, topics that runs
        lack, topics of runs that are not in the qrels, the share of unjudged documents, and equal scores. For answers,
        unknown labels and nuggets that differ.
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
        return to_backend(self._table(), self.backend)

    def _table(self) -> pa.Table:
        runs, measures, topics = self.values.shape
        columns = {
            "run": string_array(self.runs).take(np.repeat(np.arange(runs), measures * topics)),
            "query_id": string_array(self.query_ids).take(np.tile(np.arange(topics), runs * measures)),
            "measure": string_array(self.specs()).take(np.tile(np.repeat(np.arange(measures), topics), runs)),
            "value": self.values.ravel(),
        }
        return pa.table(columns)

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

    def __getitem__(self, measure: MeasureLike) -> FrameT_co:
        """Return the values of a measure: a row for each topic, a column for each run.

        In pandas, topics are the index; in polars and Arrow, they are the first column.
        """
        values = self.values[:, self._measure_index(measure)]
        if self.backend != "pandas":
            columns = dict(zip(self.runs, values, strict=True))
            if "query_id" in columns:
                raise IrdivError("a run is called 'query_id', which is the name of the column of topics; rename it.")
            return to_backend(pa.table({"query_id": string_array(self.query_ids), **columns}), self.backend)
        index = pd.Index(self.query_ids, name="query_id", dtype=str)
        frame: Any = pd.DataFrame(values.T, index=index, columns=pd.Index(self.runs, name="run"))
        return frame

    def _measure_index(self, measure: MeasureLike | None) -> int:
        """Return the index of a measure, given by its name or any spelling of its spec; the first for None."""
        return 0 if measure is None else find_measure(self.specs(), measure, self.names)

    rank = _as_method(rank_runs)
    compare = _as_method(compare)
    worst = _as_method(worst_topics)
    to_latex = tables.to_latex
    to_markdown = tables.to_markdown

    def topic(
        self, query_id: object, *, runs: str | Iterable[str] | None = None, cutoff: int | None = None
    ) -> TopicReport[FrameT_co]:
        """Return the values of runs for a topic, and what each run shows for its intents.

        Parameters
        ----------
        query_id
            The id of the topic.
        runs
            Names of some runs; all by default.
        cutoff
            The last rank that is shown; by default the largest cutoff of the measures up to 20, or 10 if none has one.
        """
        sources = self._require_sources("topic()")
        index = find_topic(self.query_ids.tolist(), query_id)
        names = self.runs if runs is None else [runs] if isinstance(runs, str) else list(runs)
        chosen = [find_run(self.runs, name) for name in names]
        if not chosen:
            raise IrdivError("no runs given; name some, or leave the argument out for all.")
        return TopicReport(
            sources,
            self.query_ids[index],
            [self.runs[run] for run in chosen],
            self.specs(),
            self.values[chosen, :, index],
            require(Optional(Integer(1)), cutoff=cutoff),
            self.backend,
        )

    def missed(self, *, run: str | None = None, cutoff: int | None = None, rel: int | None = None) -> FrameT_co:
        """Return the declared intents that runs do not cover: what `irdiv.analysis.uncovered_intents` returns.

        ``run, query_id, intent_id, description, importance, probability, n_relevant``; with ``n_relevant`` 0, no
        document supports the intent.

        Parameters
        ----------
        run
            The name of a run; all by default.
        cutoff
            The last rank that is searched; by default the largest cutoff of the measures, or 10 if none has one.
        rel
            The smallest grade that covers an intent; by default that of the first measure with intents, or 1.
        """
        runs = self.runs if run is None else [self.runs[find_run(self.runs, run)]]
        return from_pandas(missed_intents(self._require_sources("missed()"), runs, cutoff, rel), self.backend)

    def cases(
        self,
        measure: MeasureLike,
        other: MeasureLike,
        *,
        n: int | None = 5,
        cutoff: int | None = None,
        **options: Unpack[CaseOptions],
    ) -> Cases[FrameT_co]:
        """Return topics and pairs of runs on which two measures disagree, with what both runs show.

        ``cases.frame`` is what `irdiv.stats.disagreements` returns for the same parameters, ``cases.intents`` has the
        relevant documents of both runs, and ``cases.topic(1)`` is the `topic` of the first case with its two runs.

        Parameters
        ----------
        measure, other, n, **options
            As of `irdiv.stats.disagreements`.
        cutoff
            As of `topic`.
        """
        sources = self._require_sources("cases()")
        differences = disagreements(self.to_pandas(), measure, other, n=n, **options)
        specs = [column for column in differences if column in self.specs()]
        rows = zip(differences["query_id"], differences["run"], differences["other"], strict=True)
        topics = [self.topic(query_id, runs=runs, cutoff=cutoff) for query_id, *runs in rows]
        return Cases(differences, topics, specs, documents_frame([], sources), self.backend)

    def per_intent(self, base: MeasureLike, **parameters: object) -> FrameT_co:
        """Return the values of a base measure for each intent alone: ``run, query_id, intent_id, probability, value``.

        Their sum, weighted by probability, is the value of the base measure under IA: ``per_intent("nDCG@10")`` has
        what nDCG-IA@10 averages.

        Parameters
        ----------
        base
            A base measure, such as ``"nDCG@10"`` or ``"ERR(max_grade=4)@20"``, with the defaults that it has under IA.
        **parameters
            Values of its parameters, as in `irdiv.evaluate`.
        """
        (measure,) = requested_measures(parse_base(base), parameters)
        assert isinstance(measure, Measure)
        sources = self._require_sources(f"per_intent({base!s})")
        judged_only = measure.parameter_values().get("judged_only", False)
        sources.require_documents(None if judged_only else measure.cutoff, measure)
        return from_pandas(scores_by_intent(sources.runs, measure), self.backend)

    def _require_sources(self, purpose: str) -> Scored:
        if self.sources is None:
            raise IrdivError(
                f"{purpose} needs the qrels and runs, which an evaluation of streams, in batches or of answers does "
                "not keep: evaluate frames or TREC files, of some topics if there are too many."
            )
        return self.sources

    def _wide_frame(self, keys: dict[str, Ids], values: Floats) -> FrameT_co:
        return to_backend(pa.table({**keys, **dict(zip(self.specs(), values.T, strict=True))}), self.backend)

    def _wide_pandas(self, index: pd.Index, values: Floats) -> Any:
        return pd.DataFrame(values, index=index, columns=pd.Index(self.specs(), name="measure"))

    def to_csv(self, path: PathLike) -> None:
        """Write all values to a CSV file, as `frame` has them; functions of `irdiv.stats` take its path."""
        with write_atomically(path) as file, csv_writing_errors():
            self.to_pandas().frame.to_csv(file, index=False)

    def to_parquet(self, path: PathLike) -> None:
        """Write all values to a Parquet file, as `frame` has them; functions of `irdiv.stats` take its path."""
        from pyarrow import parquet

        with write_atomically(path) as file:
            parquet.write_table(self._table(), file)

    def __repr__(self) -> str:
        means = self.to_pandas().summary().rename_axis(index=None, columns=None)
        return "\n".join([means.to_string(float_format="{:.4f}".format), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return tables.to_html(self) + (f"<ul>{notes}</ul>" if notes else "")
