"""From qrels, runs and measures to an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

from irdiv.checks import Integer, require
from irdiv.core.collection import Collection
from irdiv.core.run_checks import warn_about_missing_topics, warn_about_runs
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties, require_order_options
from irdiv.errors import IrdivError
from irdiv.evaluation.large import PART_ROWS, score_in_parts
from irdiv.evaluation.notes import NoteOptions, qrels_facts, warn_about_unjudged_intents
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.scoring import RunTable, score
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.io.checked import RunColumns, columns_of_runs, run_columns
from irdiv.io.guards import explain_swapped_arguments, run_column_remedy
from irdiv.io.runs import named_runs
from irdiv.io.streams import is_stream
from irdiv.io.tables import FrameT, QrelsHolder, QrelsLike, RunLike, common_backend, rename_columns
from irdiv.measures.spec import NamedMeasures
from irdiv.progress import progress_bar, progress_counter, shows_progress
from irdiv.types import PathLike

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame
    from typing_extensions import TypeVar

    FrameOrPandas = TypeVar("FrameOrPandas", bound=IntoDataFrame, default=pd.DataFrame)

GROUP_ROWS = 1_000_000
"""How many rows of a frame of many runs are scored at once; it bounds memory and changes no value."""

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
    columns: Mapping[str, str] | None = ...,
    **parameters: object,
) -> Evaluation[FrameT]: ...
@overload
def evaluate(
    qrels: FrameOrPandas | PathLike | Mapping[str, Mapping[str, int]] | QrelsHolder,
    runs: _RunsWithoutFrames,
    measures: NamedMeasures,
    *,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
    components: bool = ...,
    progress: bool = ...,
    batch_rows: int | None = ...,
    run_column: str | None = ...,
    columns: Mapping[str, str] | None = ...,
    **parameters: object,
) -> Evaluation[FrameOrPandas]: ...
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
    columns: Mapping[str, str] | None = ...,
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
    columns: Mapping[str, str] | None = None,
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
    columns
        Names of columns in the qrels and runs and what they are for irdiv, such as
        ``{"facet": "intent_id", "question": "query_id"}``; they are renamed before anything else.
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
    rows = PART_ROWS if batch_rows is None else require(Integer(1), batch_rows=batch_rows)
    if run_column is not None and batch_rows is not None:
        raise IrdivError(
            "run_column and batch_rows cannot be combined, as a frame of many runs is held in memory: leave batch_rows "
            "out, or evaluate some of the runs at a time."
        )
    named = named_runs(runs) if run_column is None else {"runs": cast("RunLike", runs)}
    backend = common_backend(*named.values(), qrels)
    if columns:
        pairs = ((qrels, "qrels"), *((run, "run") for run in named.values()))
        qrels, *renamed = rename_columns(columns, *pairs)
        named = dict(zip(named, renamed, strict=True))
    is_large = run_column is None and (batch_rows is not None or any(map(is_stream, (qrels, *named.values()))))
    if is_large and not isinstance(qrels, Collection):
        with explain_swapped_arguments(qrels, named.values()):
            topics, values, notes = score_in_parts(qrels, named, requested, ties, duplicates, rows)
        return Evaluation(tuple(named), topics, tuple(requested), values, backend, stream_notes=notes, names=names)
    with explain_swapped_arguments(qrels, named.values()):
        collection = Collection.of(qrels, warn=False)
    tables = tables_of_runs(named, ties) if run_column is None else groups_of_runs(named["runs"], run_column, ties)
    scored = score(collection, tables, requested, ties, duplicates)
    warn_about_runs(scored.findings, scored.depth)
    warn_about_missing_topics(scored.missing_topics(), len(collection.topics), lambda: scored.unjudged_topics)
    options = NoteOptions(requested, ties)
    if options.counts_all:
        warn_about_unjudged_intents(qrels_facts(collection, options), options)
    return Evaluation(
        tuple(scored.runs), collection.topics, tuple(requested), scored.values, backend, scored, names=names
    )


def tables_of_runs(named: Mapping[str, RunLike], ties: Ties) -> Iterator[RunTable]:
    """Yield a table for each of some named runs; errors name a run unless it is the only one."""
    for name, run in progress_bar(list(named.items()), "run"):
        read = partial(_read_run, run, name, ties)
        yield RunTable(read, name if len(named) > 1 else None, partial(run_column_remedy, run))


def _read_run(run: RunLike, name: str, ties: Ties) -> RunColumns:
    return run_columns(run, ties=ties)._replace(names=(name,))


def groups_of_runs(runs: RunLike | Mapping[str, RunLike], run_column: object, ties: Ties) -> Iterator[RunTable]:
    """Yield tables of some runs at a time of a frame that has many."""
    columns = columns_of_runs(runs, run_column, ties)
    with progress_counter(len(columns.names), "run") as advance:
        for group in columns.groups(GROUP_ROWS):
            # One run among several has its name in errors, also if it is a group of its own.
            is_one_of_several = len(group.names) == 1 < len(columns.names)
            yield RunTable(partial(RunColumns._replace, group), group.names[0] if is_one_of_several else None)
            advance(len(group.names))
