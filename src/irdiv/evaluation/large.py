"""Qrels and runs of any size: some topics are scored at a time, with the values of all at once.

Files whose rows are grouped by topic, all in the same order, are read twice: first the topics, then the rows in parts.
Any other rows are first written to temporary files, one folder for each part of the topics.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeAlias

import ir_measures
import narwhals as nw
import numpy as np
import pyarrow as pa
from pyarrow import dataset

from irdiv.core.collection import Collection
from irdiv.core.run_checks import RunFindings, warn_about_missing_topics, warn_about_runs
from irdiv.core.runs import Duplicates, Ties, no_common_topic_error
from irdiv.errors import IrdivError, prefix_errors_with_run
from irdiv.evaluation.notes import (
    NoteOptions,
    QrelsFacts,
    RunFacts,
    add_facts,
    qrels_facts,
    run_facts,
    warn_about_unjudged_intents,
    write_notes,
)
from irdiv.evaluation.scoring import RunTable, score
from irdiv.io.checked import RunColumns, qrels_columns, run_columns
from irdiv.io.hashes import hash_ids
from irdiv.io.ids import Ids, as_ids, factorize, factorize_grouped, find_positions, group_starts, natural_argsort
from irdiv.io.sources import Chunk, RowSource, Totals
from irdiv.io.tables import QrelsLike, RunLike
from irdiv.progress import progress_counter
from irdiv.types import Floats, Ints, Objects

PART_ROWS = 250_000
"""About how many rows of the qrels are scored at once."""
_ROWS_IF_UNKNOWN = 128 * PART_ROWS
_MOST_READ_IN_ORDER = 8
"""Each run that is read in order holds some of its rows in memory."""
_STRING = pa.large_string()
_WORKERS = min(os.cpu_count() or 1, 4)
Tables: TypeAlias = Iterator[tuple[pa.Table, ...]]
"""The qrels and the runs of each part of the topics."""


def score_in_parts(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Sequence[ir_measures.Measure],
    ties: Ties,
    duplicates: Duplicates,
    rows: int,
) -> tuple[Objects, Floats, tuple[str, ...]]:
    """Return topics in natural order, values as ``[run, measure, topic]``, and notes; a part has about so many rows."""
    judged, ranked = RowSource(qrels, "qrels"), []
    for name, run in runs.items():
        shown_name = name if len(runs) > 1 else None
        with prefix_errors_with_run(shown_name):
            ranked.append(RowSource(run, "run", ties, shown_name))
    # The index of all judged documents would take longer than everything else.
    options = NoteOptions(measures, ties, counts_unjudged=False)
    with tempfile.TemporaryDirectory(prefix="irdiv-") as folder:
        totals, tables, unjudged = _read_in_order(judged, ranked, rows) or _write_and_read(judged, ranked, rows, folder)
        score_part = partial(_score_part, list(runs), totals.max_grade, options, duplicates)
        # Programs behind ir_measures may keep values in global variables, so that they run in one thread.
        is_thread_safe = len(options.own) == len(measures)
        parts = []
        with progress_counter(None, "topic") as advance, ThreadPoolExecutor(_WORKERS if is_thread_safe else 1) as pool:
            waiting: deque[Future[_Part]] = deque()
            for of_part in tables:
                waiting.append(pool.submit(score_part, of_part))
                if len(waiting) > _WORKERS:
                    parts.append(waiting.popleft().result())
                    advance(len(parts[-1].topics))
            parts += [future.result() for future in waiting]
    for source in ranked:
        source.warn_if_several_runs()
    ids = pa.concat_arrays([part.topics for part in parts])
    natural = natural_argsort(ids)
    topics = np.asarray(ids.take(natural), dtype=object)
    unjudged.update(topic for part in parts for topic in part.unjudged_topics)
    findings = {name: [found for part in parts for found in part.findings[name]] for name in runs}
    for name in runs:
        if not findings[name]:
            with prefix_errors_with_run(name if len(runs) > 1 else None):
                raise no_common_topic_error(topics, sorted(unjudged))
    warn_about_runs(findings, parts[0].depth)
    missing = {name: np.concatenate([part.missing[name] for part in parts]) for name in runs}
    warn_about_missing_topics(missing, len(topics), lambda: unjudged)
    facts = add_facts([part.qrels_facts for part in parts])
    warn_about_unjudged_intents(facts, options)
    of_runs = {name: add_facts([part.run_facts[name] for part in parts]) for name in runs}
    values = np.concatenate([part.values for part in parts], axis=2)[:, :, natural]
    return topics, values, write_notes(facts, of_runs, unjudged, options)


class _Input(NamedTuple):
    """Qrels and runs that are read part by part."""

    totals: Totals
    """What depends on all rows of the qrels."""
    tables: Tables
    unjudged_topics: set[str]
    """Topics of runs in parts of which the qrels have no topic."""


class _Part(NamedTuple):
    """Values for some topics, and what is said about them."""

    topics: Ids
    values: Floats
    """As ``[run, measure, topic]``."""
    findings: dict[str, list[RunFindings]]
    depth: int | None
    missing: dict[str, Objects]
    """The topics that each run lacks."""
    unjudged_topics: set[str]
    """The topics of runs that are not in the qrels."""
    qrels_facts: QrelsFacts
    run_facts: dict[str, RunFacts]


def _score_part(
    names: Sequence[str], max_grade: int, options: NoteOptions, duplicates: Duplicates, tables: tuple[pa.Table, ...]
) -> _Part:
    judged, *ranked = tables
    collection = Collection.from_columns(qrels_columns(judged)._replace(max_grade=max_grade))

    def read(name: str, table: pa.Table) -> RunColumns:
        return run_columns(table, ties=options.ties, may_be_empty=True)._replace(names=(name,))

    run_tables = [
        RunTable(partial(read, name, table), name if len(names) > 1 else None, lambda: _RUN_COLUMN)
        for name, table in zip(names, ranked, strict=True)
    ]
    scored = score(collection, run_tables, options.measures, options.ties, duplicates, is_part=True)
    return _Part(
        collection.topic_ids,
        scored.values,
        scored.findings,
        scored.depth,
        scored.missing_topics(),
        scored.unjudged_topics,
        qrels_facts(collection, options),
        {name: run_facts(run, options) for name, run in scored.runs.items()},
    )


_RUN_COLUMN = " If these are several runs, irdiv.evaluate(…, run_column=…) takes the column that names them."


def _write_and_read(judged: RowSource, ranked: Sequence[RowSource], rows: int, folder: str) -> _Input:
    """Write all rows to files by a hash of their topics, and return what reads them part by part."""
    counts = [_ROWS_IF_UNKNOWN if source.row_count is None else source.row_count for source in (judged, *ranked)]
    part_count = max(-(-max(counts) // rows), 1)
    totals = []
    for index, source in enumerate((judged, *ranked)):
        totals.append(Totals())
        with prefix_errors_with_run(source.name):
            _write(source, totals[-1], f"{folder}/{index}", part_count)

    def read(index: int, part: str) -> pa.Table:
        path = f"{folder}/{index}/{part}"
        table = dataset.dataset(path, format="ipc").to_table() if os.path.isdir(path) else totals[index].empty
        return totals[index].without_known_columns(table)

    # Parts of which the qrels have no topic have no folder there; if rows could not be counted, most have none.
    in_qrels = sorted(os.listdir(f"{folder}/0"), key=int)
    tables = (tuple(read(index, part) for index in range(len(totals))) for part in in_qrels)
    unjudged = {
        topic
        for index in range(1, len(totals))
        for part in set(os.listdir(f"{folder}/{index}")) - set(in_qrels)
        for topic in dataset.dataset(f"{folder}/{index}/{part}", format="ipc")
        .to_table(["query_id"])[0]
        .unique()
        .to_pylist()
    }
    return _Input(totals[0], tables, unjudged)


def _write(source: RowSource, totals: Totals, folder: str, part_count: int) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        with progress_counter(source.row_count, "row", f"rows of the {source.role}") as advance:
            for chunk in source.chunks():
                table = source.to_table(chunk)
                totals.add(table, source)
                code, topics = factorize_grouped(
                    as_ids(nw.from_native(table["query_id"], series_only=True), source.role)
                )
                part = (hash_ids(topics) % np.uint64(part_count)).astype(np.int32).take(code)
                yield from table.append_column("_part", pa.array(part)).to_batches()
                advance(len(table))

    try:
        first = next(rows := batches(), None)
        if first is not None:
            # Arrow files hold one dictionary for each column, and batches have others.
            schema = pa.schema({f.name: _STRING if pa.types.is_dictionary(f.type) else f.type for f in first.schema})
            cast = (batch.cast(schema) for batch in chain([first], rows))
            reader = pa.RecordBatchReader.from_batches(schema, cast)
            dataset.write_dataset(
                reader,
                folder,
                format="ipc",
                partitioning=dataset.partitioning(pa.schema({"_part": pa.int32()})),
                max_partitions=part_count,
                max_open_files=500,
                use_threads=False,  # rows keep their order
            )
    except OSError as error:
        raise IrdivError(
            f"cannot write temporary files to {tempfile.gettempdir()!r} ({error}): free some space, or set the "
            "environment variable TMPDIR to another folder."
        ) from error
    source.raise_if_empty(totals.row_count)


class _TopicGroups(NamedTuple):
    """The topics of a source in the order of its rows, each with all its rows together."""

    topics: Ids
    start: Ints
    """The first row of each topic."""
    totals: Totals


def _read_in_order(judged: RowSource, ranked: Sequence[RowSource], rows: int) -> _Input | None:
    """Return what reads the rows part by part; None unless all are grouped by topic, in the order of the qrels."""
    groups = _find_groups(judged)
    if groups is None or len(ranked) > _MOST_READ_IN_ORDER:
        return None
    first_topic = np.flatnonzero(np.diff(groups.start // rows, prepend=-1))
    readers = [_in_order(judged, np.append(groups.start[first_topic], groups.totals.row_count), groups.totals)]
    for source in ranked:
        with prefix_errors_with_run(source.name):
            of_run = _find_groups(source)
        if of_run is None:
            return None
        # Topics that are not in the qrels may be anywhere.
        position = find_positions(of_run.topics, groups.topics)
        is_judged = np.flatnonzero(position >= 0)
        if (np.diff(position[is_judged]) < 0).any():
            return None
        first = np.searchsorted(position[is_judged], first_topic[1:])
        start = np.append(of_run.start[is_judged], of_run.totals.row_count)
        edges = np.concatenate([[0], start[first], [of_run.totals.row_count]])
        readers.append(_in_order(source, edges, of_run.totals))
    return _Input(groups.totals, zip(*readers, strict=True), set())


def _find_groups(source: RowSource) -> _TopicGroups | None:
    """Return the topics of a source; None if rows of a topic are apart, or if they are not in files.

    Only a few columns are read, and only until rows of a topic are seen to be apart.
    """
    if not source.is_in_files:
        return None
    totals, starts, topics = Totals(), [], []
    last_topic = None
    for chunk in source.chunks(for_totals=True):
        table = source.to_table(chunk)
        start, ids = group_starts(table["query_id"].combine_chunks())
        if len(ids.unique()) < len(ids):
            return None
        continues = ids[0].as_py() == last_topic
        starts.append(chunk.start + start[continues:])
        topics.append(ids[continues:])
        last_topic = ids[-1].as_py()
        totals.add(table, source)
    source.raise_if_empty(totals.row_count)
    every_topic = pa.concat_arrays(topics)
    if len(factorize(every_topic)[1]) < len(every_topic):
        return None
    return _TopicGroups(every_topic, np.concatenate(starts), totals)


def _in_order(source: RowSource, edges: Ints, totals: Totals) -> Iterator[pa.Table]:
    """Yield the rows between each two edges, one part after the other."""
    waiting: list[pa.Table] = []
    part, row = 0, 0
    for start, rows in source.chunks():
        table = rows.to_arrow()
        row = start + len(table)
        while part < len(edges) - 1 and edges[part + 1] <= row:
            head = table.slice(0, len(table) - (row - int(edges[part + 1])))
            chunk = Chunk(int(edges[part]), nw.from_native(pa.concat_tables([*waiting, head]), eager_only=True))
            yield totals.without_known_columns(source.to_table(chunk))
            waiting, table = [], table.slice(len(head))
            part += 1
        waiting.append(table)
    if row != totals.row_count:
        raise IrdivError(f"the {source.role} changed while it was read: evaluate it again.")
