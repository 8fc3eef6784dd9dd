"""Frames of any size dealt by topic into buckets, each small enough to be held at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irdiv.errors import IrdivError
from irdiv.frames import sources, trec
from irdiv.frames.columns import (
    INTENT_FACTS,
    as_frame,
    find_columns,
    grades,
    names_no_intent,
    numbers,
    refuse_empty,
    texts,
)
from irdiv.frames.fingerprints import fingerprints
from irdiv.frames.ids import Ids, as_ids, factorize_grouped
from irdiv.frames.sources import is_stream
from irdiv.threads import ahead

Ints = NDArray[np.int64]

_OPTIONAL = {"qrels": ("intent_id", *INTENT_FACTS, "max_grade"), "run": ()}
_PIECE = 1 << 20


class Source:
    """Qrels or a run of any kind, to be read piece by piece."""

    def __init__(self, data: Any, kind: str, value: str) -> None:
        self.kind = kind
        frame = data if is_stream(data) else as_frame(data, kind, _READ[kind], ("query_id", "doc_id", value))
        present = sources.columns(frame, kind) if is_stream(frame) else frame.columns
        self.columns = present
        self._names = find_columns(present, kind, ("query_id", "doc_id", value), _OPTIONAL[kind])
        self._frame = frame
        self.once = isinstance(frame, pa.RecordBatchReader)
        """Whether it can be read only once."""
        self.rows = sources.rows(frame, kind) if is_stream(frame) else len(frame)
        """How many rows there are, or None where that is not known."""

    def pieces(self) -> Iterator[tuple[int, nw.DataFrame[Any]]]:
        """Yield the rows some at a time, each time with the number of the first."""
        start = 0
        for piece in self._raw():
            yield start, piece
            start += len(piece)

    def _raw(self) -> Iterator[nw.DataFrame[Any]]:
        frames: Iterable[nw.DataFrame[Any]] = [self._frame]
        if is_stream(self._frame):
            batches = sources.batches(self._frame, self.kind, list(self._names.values()))
            frames = (nw.from_native(pa.Table.from_batches([batch]), eager_only=True) for batch in batches)
        for frame in frames:
            for start in range(0, len(frame), _PIECE):
                yield frame[start : start + _PIECE]

    def checked(self, start: int, piece: nw.DataFrame[Any]) -> pa.Table:
        """Return the rows of a piece under our names."""
        try:
            return pa.table({ours: self._column(ours, piece[theirs]) for ours, theirs in self._names.items()})
        except IrdivError as error:
            where = f" (rows counted from row {start} of the {self.kind})" if start else ""
            raise IrdivError(f"{error}{where}") from None

    def _column(self, name: str, column: nw.Series[Any]) -> Any:
        # A piece is small enough for short offsets and numbers, and most of the work is writing them.
        if name in ("query_id", "doc_id", "intent_id"):
            if column.dtype.is_float():
                self._refuse_fractions(column)
            return as_ids(column, self.kind).cast(pa.string())
        if name in ("relevance", "max_grade"):
            return grades(column).astype(np.int32)
        if name in ("score", "rank", "probability"):
            return pa.array(numbers(column, self.kind, nulls=name == "probability"), from_pandas=True)
        return pa.array(texts(column), pa.string())

    def _refuse_fractions(self, column: nw.Series[Any]) -> None:
        """Refuse ids that a whole column would spell otherwise than a piece of it: 1.0 beside 2.5 is not 1."""
        values = column.drop_nulls().to_numpy()
        fractions = values[values != np.rint(values)]
        if len(fractions):
            raise IrdivError(
                f"column {column.name!r} of the {self.kind} has numbers with fractions as ids, such as {fractions[0]}; "
                "make them strings."
            )

    def names_no_intent(self, piece: pa.Table) -> bool:
        """Tell whether what could be intents in a piece are iterations of ad hoc qrels."""
        return self._names.get("intent_id") == "iteration" and names_no_intent(piece["intent_id"].combine_chunks())


_READ = {"qrels": trec.qrels_frame, "run": trec.run_frame}


class Plan:
    """Which bucket each topic belongs to.

    Topics whose rows stand together fill one bucket after the other, so that their rows need no moving; others are
    spread over as many buckets as their rows will fill.
    """

    def __init__(self, rows: int, expected: int) -> None:
        self._rows, self._spread = rows, max(-(-expected // rows), 1)
        self._bucket: dict[str, int] = {}
        self._assigned = 0
        self.buckets: set[int] = set()
        """The numbers of those that topics belong to."""

    def assign(self, topics: Ids, sizes: Ints, together: bool) -> Ints:
        """Return the bucket of each topic of the qrels, after deciding on those that are new."""
        names = topics.to_pylist()
        new = np.flatnonzero([name not in self._bucket for name in names])
        if together:
            ends = self._assigned + np.cumsum(sizes[new])
            bucket = (ends - sizes[new]) // self._rows
            self._assigned = int(ends[-1]) if len(ends) else self._assigned
        else:
            bucket = (fingerprints(topics.take(new)) % np.uint64(self._spread)).astype(np.int64)
        self._bucket.update(zip(topics.take(new).to_pylist(), bucket.tolist(), strict=True))
        self.buckets.update(np.unique(bucket).tolist())
        return bucket if len(new) == len(names) else self.find(topics)

    def find(self, topics: Ids) -> Ints:
        """Return the bucket of each topic, -1 for one that the qrels do not have."""
        return np.array([self._bucket.get(topic, -1) for topic in topics.to_pylist()], dtype=np.int64)


class Buckets:
    """The rows of a source in a file from which those of a bucket are read at once."""

    def __init__(self, source: Source, plan: Plan, path: Path) -> None:
        self._path = str(path)
        self._places: dict[int, list[int]] = {}
        self._schema: pa.Schema | None = None
        self.rows = self.max_grade = 0
        self._no_intents = True
        self._written = 0
        writer: Any = None
        try:
            for piece in ahead(lambda piece: source.checked(*piece), source.pieces()):
                if writer is None:
                    self._schema = piece.schema
                    writer = pa.ipc.new_file(self._path, piece.schema)
                self._look_at(piece, source)
                self._deal(piece.cast(self._schema), source, plan, writer)
        finally:
            if writer is not None:
                writer.close()
        if self.rows == 0 and source.once:
            raise IrdivError(f"the {source.kind} came as an Arrow stream without rows; one can be read only once.")
        refuse_empty(self.rows, source.columns, source.kind)

    def _look_at(self, piece: pa.Table, source: Source) -> None:
        """Keep what depends on all rows."""
        if self.rows == 0:
            self.some_topics: list[str] = piece["query_id"][:1000].unique().to_pylist()
        self.rows += len(piece)
        self._no_intents &= source.names_no_intent(piece)
        for name in {"relevance", "max_grade"} & set(piece.column_names):
            self.max_grade = max(self.max_grade, int(piece[name].to_numpy().max(initial=0)))

    def _deal(self, piece: pa.Table, source: Source, plan: Plan, writer: Any) -> None:
        code, topics = factorize_grouped(as_ids(nw.from_native(piece["query_id"], series_only=True), source.kind))
        if source.kind == "qrels":
            together = bool(np.count_nonzero(np.diff(code)) < len(topics))
            of_topic = plan.assign(topics, np.bincount(code, minlength=len(topics)), together)
        else:
            of_topic = plan.find(topics)
        bucket = of_topic.take(code)
        if (np.diff(bucket) < 0).any():
            by_bucket = np.argsort(bucket, kind="stable")
            piece, bucket = piece.take(by_bucket), bucket.take(by_bucket)
        edges = [0, *(np.flatnonzero(np.diff(bucket)) + 1).tolist(), len(bucket)]
        for start, stop in pairwise(edges):
            if stop > start and bucket[start] >= 0:
                self._write(piece.slice(start, stop - start), int(bucket[start]), writer)

    def _write(self, part: pa.Table, bucket: int, writer: Any) -> None:
        for batch in part.to_batches():
            writer.write_batch(batch)
            self._places.setdefault(bucket, []).append(self._written)
            self._written += 1

    def load(self, bucket: int) -> pa.Table:
        """Return the rows of a bucket."""
        with pa.memory_map(self._path) as file:
            reader = pa.ipc.open_file(file)
            table = pa.Table.from_batches(map(reader.get_batch, self._places.get(bucket, [])), self._schema)
        return table.drop_columns(["intent_id"]) if self._no_intents and "intent_id" in table.column_names else table
