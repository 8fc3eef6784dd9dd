"""From qrels, runs and measures to a tidy frame."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
from ir_measures.measures.base import MeanAgg
from numpy.typing import NDArray

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ties
from irdiv.batches import ROWS_AT_ONCE, evaluate_in_batches
from irdiv.errors import IrdivError, about_run, examples
from irdiv.frames.columns import QrelsLike, RunLike
from irdiv.frames.ids import strings
from irdiv.frames.sources import Framed, Kind, in_kind, is_parquet, is_stream, kind_of
from irdiv.frames.trec import plain_run_frame
from irdiv.kernels.lists import ordered_sum
from irdiv.measures.declaration import Measure, whole
from irdiv.measures.spec import parse
from irdiv.scoring import Scorer
from irdiv.threads import ahead

MeasureLike: TypeAlias = str | ir_measures.Measure


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


def evaluate(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    ties: Ties = "docid_desc",
    duplicates: Duplicates = "error",
    components: bool = False,
    progress: bool = False,
    batch_rows: int | None = None,
    **parameters: Any,
) -> Evaluation:
    """Score runs by diversity measures, and by any other measure of ir_measures.

    A topic of the qrels that is missing from a run scores 0. Measures that ir_measures names see ad hoc qrels, in which
    a document has its highest grade over intents: the common ones of trec_eval, nDCG, AP, P, R, RR, Rprec and Success,
    are computed here with its values, others by ir_measures.

    Parameters
    ----------
    qrels
        A pandas, polars or pyarrow frame, a dict of dicts, an iterable of namedtuples, the path of a TREC file, of a
        Parquet file or of a folder of such, a DuckDB relation, an Arrow dataset or stream, or a `Collection`, which
        saves compiling the qrels again. The intent column may be
        ``intent_id``, ``intent``, ``subtopic_id``, ``subtopic`` or ``iteration``; what `with_intents` folds in,
        probabilities of intents above all, is used.
    runs
        One run, of the same kinds, or a mapping from name to run.
    measures
        Specs such as ``"D#-nDCG@10"``, or measures of irdiv or ir_measures.
    ties
        How equal scores are ordered: ``"docid_desc"`` as trec_eval, ``"docid_asc"`` as pyndeval, ``"input"``
        as the rows stand, or ``"rank"``: by the rank column, whatever the scores.
    duplicates
        ``"error"`` to refuse a document that a topic of a run has twice, ``"first"`` to keep the best-ranked.
    components
        Also report what a measure is made of: I-rec and D-nDCG beside D#-nDCG.
    progress
        Show a progress bar over runs on standard error, where that is a terminal.
    batch_rows
        How many rows of the qrels to hold at once, about: all are dealt by topic into temporary files, and scored
        some topics at a time. By default half a million where something comes from Parquet, DuckDB or an Arrow stream,
        and all rows at once elsewhere. No value depends on it.
    **parameters
        Values of parameters for all measures that take them and do not give their own: ``gain="linear"``,
        ``judged_only=True``, ``intents="all"``, ``renormalise=False``, ``rel=2``, ….

    Returns
    -------
    Evaluation
        Its frames are of the kind of the runs', or else of the qrels': pandas, polars or Arrow.

    Examples
    --------
    >>> import pandas as pd
    >>> import irdiv
    >>> qrels = pd.DataFrame(
    ...     [("85", "2", "a", 1), ("85", "4", "a", 1), ("85", "2", "b", 1), ("85", "1", "e", 1)],
    ...     columns=["query_id", "subtopic_id", "doc_id", "relevance"],
    ... )
    >>> run = {"85": {"b": 3.0, "a": 2.0, "x": 1.0}}
    >>> irdiv.evaluate(qrels, run, ["I-rec@3", "D#-nDCG@3", "α-nDCG@3"])
         I-rec@3  D#-nDCG@3  alpha-nDCG@3
    run   0.6667     0.6945        0.6756
    """
    wanted = resolve(measures, components, parameters)
    named = named_runs(runs)
    kind: Kind = next((k for k in map(kind_of, (*named.values(), qrels)) if k is not None), "pandas")
    rows = ROWS_AT_ONCE if batch_rows is None else _at_least_one(batch_rows)
    streamed = batch_rows is not None or any(map(is_stream, (qrels, *named.values())))
    if streamed and not isinstance(qrels, Collection):
        topics, values = evaluate_in_batches(qrels, named, wanted, ties, duplicates, rows)
        return Evaluation(tuple(named), topics, tuple(wanted), values, kind)
    collection = qrels if isinstance(qrels, Collection) else Collection(qrels)
    values = np.zeros((len(named), len(wanted), len(collection.topics)))
    scorer = Scorer(collection, wanted, ties, duplicates)
    ready = ahead(_read, named.values(), workers=1) if len(named) > 1 else map(_read, named.values())
    for number, name in enumerate(shown_progress(named, "runs", progress)):
        with about_run(name if len(named) > 1 else None):
            values[number] = scorer.score(scorer.order(next(ready)))
    return Evaluation(tuple(named), collection.topics, tuple(wanted), values, kind)


def _at_least_one(rows: int) -> int:
    try:
        return whole(1)(rows)
    except (TypeError, ValueError) as error:
        raise IrdivError(f"batch_rows={rows!r} is not {error}.") from None


def _read(run: RunLike) -> RunLike:
    """Return the frame of a plain TREC file; any other run as it is."""
    if not isinstance(run, str | os.PathLike) or is_parquet(run):
        return run
    frame = plain_run_frame(run)
    return run if frame is None else frame


def shown_progress(items: Any, unit: str, progress: bool) -> Any:
    """Return items whose turns a bar on standard error shows, if that is asked for and it is a terminal."""
    if not progress or len(items) < 2:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=unit, disable=None, leave=False)


def resolve(
    measures: MeasureLike | Iterable[MeasureLike], components: bool, parameters: Mapping[str, Any]
) -> list[Any]:
    """Return the measures asked for, each once, with the parameters given for all."""
    if isinstance(measures, str | ir_measures.Measure):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise IrdivError(f"measures are specs such as 'D#-nDCG@10', one or several; found {measures!r}.")
    asked = [parse(spec) for spec in measures]
    if not asked:
        raise IrdivError("no measures given: expected specs such as 'D#-nDCG@10'.")
    _refuse_stray(asked, parameters)
    wanted: dict[Any, None] = {}
    for measure in asked:
        known = set(measure.SUPPORTED_PARAMS) - set(measure.params)
        wished = {k: v for k, v in parameters.items() if k in known}
        measure = measure(**wished) if wished else measure
        if components and isinstance(measure, Measure):
            wanted.update(dict.fromkeys(measure.components()))
        wanted[measure] = None
    return list(wanted)


def _refuse_stray(measures: Sequence[ir_measures.Measure], parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that no measure takes, and judged_only where one does not take it."""
    if not isinstance(parameters.get("intents", ""), str):
        raise IrdivError("what is known of intents goes into the qrels: evaluate(with_intents(qrels, intents), …).")
    known = {name for measure in measures for name in measure.SUPPORTED_PARAMS} - {"cutoff"}
    stray = sorted(set(parameters) - known)
    if stray:
        raise IrdivError(f"none of these measures has a parameter {stray[0]!r}; they take {', '.join(sorted(known))}.")
    for measure in measures:
        condensed = isinstance(measure, Measure) and measure.declaration.condensed
        if parameters.get("judged_only") and "judged_only" not in measure.SUPPORTED_PARAMS and not condensed:
            raise IrdivError(f"{measure} of ir_measures has no judged_only; leave it out or score it apart.")


def named_runs(runs: RunLike | Mapping[str, RunLike]) -> dict[str, RunLike]:
    """Return runs by name; a dict of dicts of numbers is one run."""
    if isinstance(runs, str | os.PathLike):
        return {run_name(runs): runs}
    if not isinstance(runs, Mapping) or (runs and all(map(_is_scores, runs.values()))):
        return {"run": runs}
    if not runs:
        raise IrdivError("no runs given: expected a run or a mapping from name to run.")
    named = {str(name): run for name, run in runs.items()}
    if len(named) < len(runs):
        raise IrdivError(f"two runs have the same name: {examples(map(str, runs), 9)}.")
    return named


def _is_scores(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(issubclass(kind, Mapping) for kind in set(map(type, value.values())))


def run_name(path: str | os.PathLike[str]) -> str:
    """Return a file's name without folders and the endings of text, gzip and Parquet files.

    >>> run_name("runs/bm25.v2.txt.gz")
    'bm25.v2'
    """
    name = Path(path).name
    for ending in (".gz", ".txt", ".run", ".res", ".trec", ".parquet", ".pq"):
        name = name.removesuffix(ending)
    return name or Path(path).name
