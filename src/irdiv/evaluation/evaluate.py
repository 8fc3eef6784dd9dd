"""From qrels, runs and measures to an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, overload

import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties, require_order_options
from irdiv.checks import Integer, require
from irdiv.errors import IrdivError
from irdiv.evaluation.batches import DEFAULT_BATCH_ROWS, evaluate_in_batches
from irdiv.evaluation.in_memory import score_frame_of_runs, score_named_runs
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.frames.backends import FrameT, QrelsHolder, common_backend
from irdiv.frames.inputs import QrelsLike, RunLike
from irdiv.frames.run_column import RunsFrame
from irdiv.frames.runs import named_runs
from irdiv.frames.streams import is_stream
from irdiv.frames.swapped import explain_swapped_arguments
from irdiv.measures.spec import NamedMeasures
from irdiv.progress import shows_progress
from irdiv.types import PathLike

_ScoresByTopic: TypeAlias = Mapping[str, Mapping[str, float]]
_ListsByTopic: TypeAlias = Mapping[str, list[str]]
_RunsWithoutFrames: TypeAlias = (
    PathLike
    | _ScoresByTopic
    | _ListsByTopic
    | Mapping[str, PathLike]
    | Mapping[str, _ScoresByTopic]
    | Mapping[str, _ListsByTopic]
)
"""Runs that are not frames: files, dicts of dicts and dicts of lists."""


@overload
def evaluate(
    qrels: QrelsLike | Collection,
    runs: FrameT | Mapping[str, FrameT],
    measures: NamedMeasures,
    *,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
    components: bool = ...,
    progress: bool = ...,
    batch_rows: int | None = ...,
    run_column: str | None = ...,
    **parameters: object,
) -> Evaluation[FrameT]: ...
@overload
def evaluate(
    qrels: FrameT,
    runs: _RunsWithoutFrames,
    measures: NamedMeasures,
    *,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
    components: bool = ...,
    progress: bool = ...,
    batch_rows: int | None = ...,
    run_column: str | None = ...,
    **parameters: object,
) -> Evaluation[FrameT]: ...
@overload
def evaluate(
    qrels: PathLike | Mapping[str, Mapping[str, int]] | QrelsHolder,
    runs: _RunsWithoutFrames,
    measures: NamedMeasures,
    *,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
    components: bool = ...,
    progress: bool = ...,
    batch_rows: int | None = ...,
    run_column: str | None = ...,
    **parameters: object,
) -> Evaluation[pd.DataFrame]: ...
@overload
def evaluate(
    qrels: QrelsLike | Collection,
    # Any for mappings of a frame and a path, whose common type is object to mypy.
    runs: RunLike | Mapping[str, Any],
    measures: NamedMeasures,
    *,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
    components: bool = ...,
    progress: bool = ...,
    batch_rows: int | None = ...,
    run_column: str | None = ...,
    **parameters: object,
) -> Evaluation[Any]: ...
@shows_progress
def evaluate(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    measures: NamedMeasures,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    components: bool = False,
    progress: bool = False,
    batch_rows: int | None = None,
    run_column: str | None = None,
    **parameters: object,
) -> Evaluation[Any]:
    """Score runs by diversity measures, and by any other measure of ir_measures.

    A topic of the qrels that is missing from a run scores 0. Measures of ir_measures get ad hoc qrels, in which a
    document has its highest grade over intents. The usual ones of trec_eval (nDCG, AP, P, R, RR, Rprec and Success)
    are computed by irdiv, with the values of trec_eval, and all others by ir_measures. ``ERR`` and ``RBP`` are irdiv's,
    and so is ``nDCG`` with ``gain``.

    Parameters
    ----------
    qrels
        A pandas, polars or pyarrow frame, a dict of dicts, an iterable of namedtuples, the path of a TREC file, a
        Parquet file or a folder of Parquet files, a DuckDB relation, an Arrow dataset or stream, what `irdiv.load`
        returns, or a `Collection`, whose qrels are compiled already. The intent column may be called ``intent_id``,
        ``intent``, ``subtopic_id``, ``subtopic``, ``nugget_id``, ``aspect_id``, ``rubric_id`` or ``iteration``.
        Probabilities and parents of intents that `with_intents` added are used.
    runs
        One run, in any of these forms, or a mapping from name to run, or the path of a folder of run files. A run
        without scores is ordered by its column ``rank``, or is a dict of lists, ``{query_id: [doc_id, …]}``.
    measures
        Specs such as ``"D#-nDCG@10"``, or measures of irdiv or ir_measures; or a mapping from names to them, such as
        ``{"strict": "Coverage(rel=2)@10"}``, whose keys are the names of columns instead of the specs.
    ties
        How equal scores are ordered: ``"docid_desc"`` as trec_eval, ``"docid_asc"`` as pyndeval, ``"input"``
        in the order of rows, or ``"rank"`` to order all documents by the rank column and ignore scores.
    duplicates
        ``"error"`` to raise an error where a run ranks a document twice for a topic, ``"first"`` to keep the higher
        rank.
    components
        Also compute the components of measures: I-rec and D-nDCG for D#-nDCG.
    progress
        Show a progress bar on standard error if that is a terminal, or in a notebook, unless all is done at once.
    batch_rows
        About how many rows of the qrels to hold in memory, as some topics are scored at a time: rows that are not in
        files sorted by topic are first partitioned into temporary files. By default a quarter of a million where data
        comes from Parquet, DuckDB or an Arrow stream, and all rows otherwise. The values are the same.
    run_column
        The column that names the run of each row, where ``runs`` is one frame that holds many of them, as leaderboards
        and grid searches have it; also of a file or stream, which is read into memory. Runs are in order of first
        occurrence, and have the same values as in a mapping, in less time where they are many.
    **parameters
        Values of parameters for all measures that have them and do not set their own: ``gain="linear"``,
        ``judged_only=True``, ``intents="all"``, ``renormalize=False``, ``rel=2``, ….

    Returns
    -------
    Evaluation
        Its frames are of the library of the runs, or of the qrels if no run is a frame, also of those that a
        `Collection` was made of: pandas, polars or Arrow.

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
    note: 33.3% of the first 3 documents are unjudged; the measure Judged@3 gives it for each topic.
    """
    requested = requested_measures(measures, parameters, components=components)
    names = requested_names(measures, parameters)
    require_order_options(ties, duplicates)
    rows = DEFAULT_BATCH_ROWS if batch_rows is None else require(Integer(1), batch_rows=batch_rows)
    if run_column is not None:
        if batch_rows is not None:
            raise IrdivError(
                "run_column and batch_rows cannot be combined, as a frame of many runs is held in memory: leave "
                "batch_rows out, or evaluate some of the runs at a time."
            )
        backend = common_backend(runs, qrels)
        with explain_swapped_arguments(qrels, [runs]):
            collection = Collection.of(qrels, warn=False)
        scored = score_frame_of_runs(collection, RunsFrame(runs, run_column, ties), requested, ties, duplicates)
    else:
        named = named_runs(runs)
        backend = common_backend(*named.values(), qrels)
        in_batches = batch_rows is not None or any(map(is_stream, (qrels, *named.values())))
        if in_batches and not isinstance(qrels, Collection):
            with explain_swapped_arguments(qrels, named.values()):
                topics, values, notes = evaluate_in_batches(qrels, named, requested, ties, duplicates, rows)
            return Evaluation(tuple(named), topics, tuple(requested), values, backend, stream_notes=notes, names=names)
        with explain_swapped_arguments(qrels, named.values()):
            collection = Collection.of(qrels, warn=False)
        scored = score_named_runs(collection, named, requested, ties, duplicates)
    return Evaluation(
        tuple(scored.sources.runs),
        collection.topics,
        tuple(requested),
        scored.values,
        backend,
        scored.sources,
        names=names,
    )
