"""From qrels, runs and measures to an evaluation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import ir_measures
import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ties
from irdiv.batches import ROWS_AT_ONCE, evaluate_in_batches
from irdiv.errors import IrdivError, about_run, examples
from irdiv.frames.columns import QrelsLike, RunLike
from irdiv.frames.sources import Kind, is_parquet, is_stream, kind_of
from irdiv.frames.trec import plain_run_frame
from irdiv.measures.declaration import Measure, whole
from irdiv.measures.spec import parse
from irdiv.results import Evaluation
from irdiv.scoring import Scorer
from irdiv.threads import ahead

MeasureLike: TypeAlias = str | ir_measures.Measure


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
