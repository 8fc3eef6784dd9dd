"""The result of an evaluation: values of measures for runs and topics, as frames and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.checks import Integer, Optional, require
from irdiv.errors import IrdivError
from irdiv.evaluation.selection import requested_measures
from irdiv.evaluation.sources import Sources
from irdiv.files import write_atomically
from irdiv.frames.backends import FrameT_co, from_pandas, to_backend
from irdiv.frames.ids import Ids, string_array
from irdiv.frames.text import csv_writing_errors
from irdiv.measures.measure import Measure
from irdiv.measures.spec import MeasureLike, MeasuresLike, parse_base
from irdiv.stats.names import find_measure, find_run, find_topic
from irdiv.stats.options import CONFIDENCE_LEVEL, LEVEL, IntervalName, Rng, TestName
from irdiv.stats.scores import Scores
from irdiv.types import Floats, PathLike

if TYPE_CHECKING:
    from irdiv.evaluation.cases import Cases
    from irdiv.evaluation.plotting import EvaluationPlots
    from irdiv.evaluation.topics import TopicReport
    from irdiv.stats.cases import SignificantBy
    from irdiv.stats.significance import Correction


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

    sources: Sources | None = None
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

    def rank(
        self,
        measure: MeasureLike | None = None,
        *,
        test: TestName = "tukey",
        correction: str | None = None,
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int | None = None,
        plus_one: bool | None = None,
        interval: IntervalName = "bca",
        confidence_level: float = CONFIDENCE_LEVEL,
    ) -> FrameT_co:
        """Return runs from the best to the worst: ``measure, rank, run, mean, low, high, group``.

        Runs that share a letter of ``group`` do not differ significantly. Parameters are those of
        `irdiv.stats.rank_runs`.
        """
        from irdiv.stats.ranking import rank_runs

        return rank_runs(
            self,
            measure,
            test=test,
            correction=correction,
            level=level,
            rng=rng,
            n_resamples=n_resamples,
            plus_one=plus_one,
            interval=interval,
            confidence_level=confidence_level,
        )

    def compare(
        self,
        *,
        test: TestName = "bootstrap",
        baseline: str | Iterable[str] | None = None,
        measures: MeasuresLike | None = None,
        correction: str | None = None,
        rng: Rng = 0,
        n_resamples: int | None = None,
        plus_one: bool | None = None,
        interval: IntervalName = "bca",
        confidence_level: float = CONFIDENCE_LEVEL,
        progress: bool = False,
    ) -> FrameT_co:
        """Return tests of pairs of runs, all of them or each with baselines: what `irdiv.stats.compare` returns."""
        from irdiv.stats.comparison import compare

        return compare(
            self,
            test=test,
            baseline=baseline,
            measures=measures,
            correction=correction,
            rng=rng,
            n_resamples=n_resamples,
            plus_one=plus_one,
            interval=interval,
            confidence_level=confidence_level,
            progress=progress,
        )

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
        from irdiv.evaluation.topics import TopicReport

        return TopicReport(
            sources,
            self.query_ids[index],
            [self.runs[run] for run in chosen],
            self.specs(),
            self.values[chosen, :, index],
            require(Optional(Integer(1)), cutoff=cutoff),
            self.backend,
        )

    def worst(
        self,
        n: int = 5,
        *,
        measure: MeasureLike | None = None,
        run: str | None = None,
        baseline: str | None = None,
    ) -> FrameT_co:
        """Return the topics on which a run is worst, or loses most against a baseline; `topic` explains each.

        ``query_id, run, measure, value``, and with a baseline ``baseline_value, difference``. Parameters are those of
        `irdiv.stats.worst_topics`.
        """
        from irdiv.stats.cases import worst_topics

        return worst_topics(self, n, measure=measure, run=run, baseline=baseline)

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
        from irdiv.evaluation.topics import missed_intents

        return from_pandas(missed_intents(self._require_sources("missed()"), runs, cutoff, rel), self.backend)

    def cases(
        self,
        measure: MeasureLike,
        other: MeasureLike,
        *,
        n: int | None = 5,
        among: MeasuresLike | None = None,
        significant: SignificantBy | None = None,
        test: TestName | None = None,
        correction: str | None = None,
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int | None = None,
        plus_one: bool | None = None,
        cutoff: int | None = None,
    ) -> Cases[FrameT_co]:
        """Return topics and pairs of runs on which two measures disagree, with what both runs show.

        ``cases.frame`` is what `irdiv.stats.disagreements` returns for the same parameters, ``cases.intents`` has the
        relevant documents of both runs, and ``cases.topic(1)`` is the `topic` of the first case with its two runs.

        Parameters
        ----------
        measure, other, n, among, significant, test, correction, level, rng, n_resamples, plus_one
            As of `irdiv.stats.disagreements`.
        cutoff
            As of `topic`.
        """
        sources = self._require_sources("cases()")
        from irdiv.evaluation.cases import Cases
        from irdiv.evaluation.topics import documents_frame
        from irdiv.stats.cases import disagreements

        differences = disagreements(
            self.to_pandas(),
            measure,
            other,
            n=n,
            among=among,
            significant=significant,
            test=test,
            correction=correction,
            level=level,
            rng=rng,
            n_resamples=n_resamples,
            plus_one=plus_one,
        )
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
        from irdiv.analysis.topics import scores_by_intent

        return from_pandas(scores_by_intent(sources.runs, measure), self.backend)

    def _require_sources(self, purpose: str) -> Sources:
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
        from irdiv.show import tables

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
        from irdiv.show import tables

        marks = tables.Marks(baseline, pairs, test, correction, level, rng, n_resamples)
        return tables.to_markdown(self, marks, measures=measures, digits=digits, caption=caption)

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
        from html import escape

        from irdiv.show import tables

        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return tables.to_html(self) + (f"<ul>{notes}</ul>" if notes else "")
