"""A test collection, compiled once to score any number of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irdiv.arrays.blocks import MOST_CELLS, JudgedBlock
from irdiv.arrays.compiled import CompiledQrels
from irdiv.arrays.compiled_arrays import set_arrays, to_arrays
from irdiv.arrays.storage import read_arrays, write_arrays
from irdiv.errors import examples, warn
from irdiv.frames.backends import Backend, FrameHolder, QrelsObject, common_backend
from irdiv.frames.checked import QrelsColumns, qrels_columns
from irdiv.frames.inputs import QrelsLike
from irdiv.types import Objects, PathLike

if TYPE_CHECKING:
    from typing_extensions import Self

BLOCK_CELLS = 4_000_000
"""How many (topic, document, intent) cells are scored at once; it bounds memory and changes no value."""


class Collection(CompiledQrels, FrameHolder[Any], QrelsObject):
    """Qrels compiled to score any number of runs: `irdiv.Collection` without `score`, which needs measures."""

    backend: Backend = "pandas"
    """The frame library of the qrels; pandas if they are no frame, such as a file."""

    def __init__(self, qrels: QrelsLike) -> None:
        super().__init__(qrels_columns(qrels))
        self.backend = common_backend(qrels)
        warn_topics_without_relevant(self.topics_without_relevant, len(self.topics))

    @classmethod
    def of(cls, qrels: QrelsLike | Collection, *, warn: bool = True) -> Collection:
        """Compile qrels in any form; a `Collection` is returned unchanged.

        With ``warn=False``, the caller says which topics have no relevant document.
        """
        if isinstance(qrels, Collection):
            return qrels
        if warn:
            return cls(qrels)
        self = cls.from_columns(qrels_columns(qrels))
        self.backend = common_backend(qrels)
        return self

    @classmethod
    def from_columns(cls, columns: QrelsColumns) -> Self:
        """Compile checked columns, without a warning about topics without relevant documents."""
        self = cls.__new__(cls)
        CompiledQrels.__init__(self, columns)
        return self

    def save(self, path: PathLike) -> None:
        """Write the compiled qrels to an Arrow file, from which `load` restores them at once.

        The file states the version of its format and a hash of its content. It replaces an older one only when it is
        complete.

        Examples
        --------
        >>> import tempfile
        >>> import irdiv
        >>> path = f"{tempfile.mkdtemp()}/collection.arrow"
        >>> irdiv.Collection({"1": {"d1": 1, "d2": 0}}).save(path)
        >>> irdiv.Collection.load(path)
        Collection(1 topic, no intents, 2 judged documents, highest grade 1)
        """
        arrays, facts = to_arrays(self)
        write_arrays(path, arrays, {**facts, "backend": self.backend})

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Return the collection that `save` wrote, with all that is known of intents; it scores as the one saved.

        A file that was cut off or changed, is of another format or no saved collection is an error.
        """
        arrays, facts = read_arrays(path)
        self = cls.__new__(cls)
        set_arrays(self, arrays, facts)
        self.backend = facts["backend"]
        return self

    def to_pandas(self) -> Self:
        """Return the same collection, for which functions return pandas frames."""
        if self.backend == "pandas":
            return self
        other = copy(self)
        other.backend = "pandas"
        return other

    def __repr__(self) -> str:
        topics = f"{len(self.topics)} topic{'s' if len(self.topics) != 1 else ''}"
        intent_count = int((self.intent_declared | (self.intent_best_grade > 0)).sum())
        intents = f"{intent_count} intents" if self.has_intents else "no intents"
        judged = f"{self.judged_count} judged documents"
        return f"Collection({topics}, {intents}, {judged}, highest grade {self.max_grade})"

    @cached_property
    def blocks(self) -> list[JudgedBlock]:
        """Consecutive topics in blocks that are small enough to be scored at once."""
        return [JudgedBlock(self, start, stop) for start, stop in self._block_edges()]

    @cached_property
    def topic_blocks(self) -> list[JudgedBlock]:
        """A block for each topic, by which the rankings of many runs for it are scored at once."""
        return [JudgedBlock(self, topic, topic + 1) for topic in range(len(self.topics))]

    def _block_edges(self) -> Iterator[tuple[int, int]]:
        documents, intents = (np.maximum(np.diff(edges), 1) for edges in (self.row_start, self.intent_start))
        start = 0
        while start < len(documents):
            rest = slice(start, start + max(BLOCK_CELLS // int(documents[start] * intents[start]), 1))
            most_documents, most_intents = (np.maximum.accumulate(counts[rest]) for counts in (documents, intents))
            cells = most_documents * most_intents * np.arange(1, len(most_intents) + 1)
            # A tree has no more layers than nodes, and the grades of all layers have to fit into memory.
            layers = 1 if self.intent_parent is None else most_intents
            is_full = cells > np.minimum(BLOCK_CELLS, MOST_CELLS // layers)
            stop = start + max(int(np.argmax(is_full)) if is_full.any() else len(cells), 1)
            yield start, stop
            start = stop


def warn_topics_without_relevant(topics: Sequence[str] | Objects, topic_count: int) -> None:
    """Warn about topics without a relevant document, out of ``topic_count``, if there are any."""
    if len(topics):
        warn(describe_topics_without_relevant(topics, topic_count))


def describe_topics_without_relevant(topics: Sequence[str] | Objects, topic_count: int) -> str:
    """Return what is said of topics without a relevant document, out of ``topic_count``."""
    shown = examples(topics, 10)
    return (
        f"{len(topics)} of {topic_count} topics have no relevant document and score 0 in measures of relevance: {shown}"
    )
