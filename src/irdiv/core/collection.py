"""A test collection: qrels compiled to arrays once, to score any number of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from irdiv.core.index import DocumentGroups, PairIndex, argsort_by_topic
from irdiv.core.intent_rows import IntentRows, describe_intent
from irdiv.core.memo import Memo
from irdiv.errors import IrdivError, examples, warn
from irdiv.io.checked import QrelsColumns, qrels_columns
from irdiv.io.columns import PLACEHOLDER_DOC_ID
from irdiv.io.ids import EncodedIds, Ids, natural_argsort
from irdiv.io.tables import Backend, FrameHolder, QrelsLike, QrelsObject, common_backend, rename_columns
from irdiv.types import Bools, Hashes, Ints, Objects

if TYPE_CHECKING:
    from typing_extensions import Self


class Collection(Memo, FrameHolder[Any], QrelsObject):
    """Qrels compiled to arrays, in which topics and intents are indices, to score any number of runs.

    Functions that take a collection in place of qrels return frames of the library of those qrels.

    Parameters
    ----------
    qrels
        Qrels in any form that `irdiv.evaluate` takes, with the columns that `irdiv.with_intents` added.
    columns
        Names of columns in the qrels and what they are for irdiv, such as ``{"facet": "intent_id"}``.

    Attributes
    ----------
    topics, topic_ids
        The ids of topics in natural order, as an array of objects and as one of Arrow.
    has_intents
        Whether the qrels have intents; without, each topic has one intent with the id ``""``.
    max_grade
        The highest grade of the scale.
    positive_grades
        The grades above 0 that occur, ascending.
    intents, intent_topic, intent_start
        The id and the topic of each intent, ordered by topic and then naturally; the intents of topic t are those from
        ``intent_start[t]`` to ``intent_start[t + 1]``.
    intent_probability, intent_parent, intent_navigational, intent_best_grade
        What the qrels state about each intent: NaN for a missing probability, None for a missing parent;
        probabilities are by importance in topics that have an importance but no probability;
        ``intent_parent`` is None if there is no such column.
    intent_description
        The first description of each intent, None for a missing one; None if there is no such column.
    intent_importance
        The importance of each intent, such as ``"vital"``, None for a missing one; None if there is no such column.
    intent_has_info
        Whether some row has a probability, type, parent, description or importance of the intent.
    intent_judged
        Whether some document was judged for the intent.
    intent_declared
        Whether the intent counts with ``intents="all"``.
    row_start
        Relevant documents are rows, ordered by topic; those of topic t are from ``row_start[t]`` to
        ``row_start[t + 1]``.
    grade, grade_row, grade_intent, grade_start
        Each grade above 0 with its row and its intent, counted from 0 within the topic; ordered by topic as above.

    Examples
    --------
    >>> import irdiv
    >>> irdiv.Collection({"1": {"d1": 1, "d2": 0}})
    Collection(1 topic, no intents, 2 judged documents, highest grade 1)
    """

    backend: Backend = "pandas"
    """The frame library of the qrels; pandas if they are no frame, such as a file."""

    def __init__(self, qrels: QrelsLike, *, columns: Mapping[str, str] | None = None) -> None:
        self._compile(qrels_columns(rename_columns(columns, (qrels, "qrels"))[0]))
        self.backend = common_backend(qrels)
        warn_topics_without_relevant(self.topics_without_relevant, len(self.topics))

    @classmethod
    def of(cls, qrels: QrelsLike | Collection, *, warn: bool = True) -> Collection:
        """Compile qrels in any form; a `Collection` is returned unchanged.

        With ``warn=False``, the caller says which topics have no relevant document.
        """
        if isinstance(qrels, Collection):
            return qrels
        return cls(qrels) if warn else cls.from_columns(qrels_columns(qrels), common_backend(qrels))

    @classmethod
    def from_columns(cls, columns: QrelsColumns, backend: Backend = "pandas") -> Self:
        """Compile checked columns, without a warning about topics without relevant documents."""
        self = cls.__new__(cls)
        self._compile(columns)
        self.backend = backend
        return self

    def _compile(self, columns: QrelsColumns) -> None:
        Memo.__init__(self)
        self._intent_guess = columns.intent_guess
        topic, self.topic_ids = _sort_naturally(columns.query)
        self.topics: Objects = np.asarray(self.topic_ids, dtype=object)
        if "#" in self.topics:
            raise IrdivError(
                "the qrels have a topic '#', which is a comment line of a file that was read as a row; drop its rows, "
                "or read the file by irdiv.read_qrels, which skips lines that start with '#'."
            )
        groups = DocumentGroups.find(topic, columns.doc)
        placeholders = groups.rows_of(PLACEHOLDER_DOC_ID)
        intent = self._compile_intents(topic, columns, placeholders)
        docs, grade, group = columns.doc, columns.grade, groups.group
        repeated = groups.repeated_rows(topic, intent, docs)
        if len(repeated):
            self._raise_if_contradicting(repeated, intent, topic, docs, grade)
        dropped = np.concatenate([repeated, placeholders])
        if len(dropped):
            rows = np.delete(np.arange(len(topic)), dropped)
            intent, topic, grade, group = (values.take(rows) for values in (intent, topic, grade, group))
            docs = docs.take(rows)
        self.intent_judged = np.bincount(intent, minlength=len(self.intents)) > 0
        self._judged_topic, self._judged_doc, self._judged_grade = topic, docs, grade
        self._compile_relevant(intent, topic, grade, group, groups)
        self.positive_grades: Ints = np.flatnonzero(np.bincount(self.grade))
        self.max_grade = max(int(self.positive_grades.max(initial=0)), columns.max_grade)

    def _compile_intents(self, topic: Ints, columns: QrelsColumns, placeholders: Ints) -> Ints:
        """Set the attributes of intents; return the index of each row's intent."""
        self.has_intents = columns.intent is not None
        if columns.intent is None:
            code, names = np.zeros(len(topic), dtype=np.int64), np.array([""], dtype=object)
        else:
            code, ids = _sort_naturally(columns.intent)
            names = np.asarray(ids, dtype=object)
        pair, intent = _unique_inverse(topic * len(names) + code, len(self.topics) * len(names))
        self.intent_topic: Ints = pair // len(names)
        self.intents: Objects = names[pair % len(names)]
        self.intent_start = np.searchsorted(self.intent_topic, np.arange(len(self.topics) + 1))
        rows = IntentRows(self.topics, self.intent_topic, self.intents, intent)
        self.intent_importance = rows.only_values(columns.importance, "importances")
        self.intent_probability = rows.probabilities(columns.probability, self.intent_importance)
        self.intent_parent = rows.only_values(columns.parent, "parents")
        self.intent_navigational = rows.are_navigational(rows.only_values(columns.type, "types"))
        self.intent_description = rows.first_values(columns.description)
        self.intent_has_info = rows.have_some(columns.has_intent_info)
        self.intent_declared = rows.are_declared(self.intent_has_info, placeholders, self.intent_parent)
        return intent

    def describe_intent(self, index: int) -> str:
        """Return the text by which errors name an intent."""
        return describe_intent(self.topics[self.intent_topic[index]], self.intents[index])

    def _raise_if_contradicting(self, repeated: Ints, intent: Ints, topic: Ints, docs: Ids, grade: Ints) -> None:
        """Raise an error if a row that repeats an intent and a document has another grade."""
        pairs = PairIndex(intent, docs)
        first = pairs.first_rows[pairs.inverse[repeated]]
        differ = np.flatnonzero(grade[repeated] != grade[first])
        if len(differ):
            one, two = first[differ[0]], repeated[differ[0]]
            which = f" for intent {self.intents[intent[one]]!r}" if self.has_intents else ""
            hint = " Keep one row for each topic, intent and document." if self.has_intents else _LOST_INTENTS
            raise IrdivError(
                f"the qrels contradict themselves: document {docs[one].as_py()!r} of topic "
                f"{self.topics[topic[one]]!r} has the grades {grade[one]} and {grade[two]}{which} "
                f"(contradictions in all: {len(differ)}).{hint}"
            )

    def _compile_relevant(self, intent: Ints, topic: Ints, grade: Ints, group: Ints, groups: DocumentGroups) -> None:
        """Set the rows of relevant documents, and the grades above 0."""
        relevant = np.flatnonzero(grade > 0)
        relevant = relevant.take(argsort_by_topic(topic.take(relevant)))
        intent, topic, grade, group = (values.take(relevant) for values in (intent, topic, grade, group))
        topic_edges = np.arange(len(self.topics) + 1)
        # Rows of a group have the same document, so that the first of them stands for all.
        is_first = np.diff(group, prepend=-1) != 0
        topic_of_group, group = topic[is_first], group[is_first]
        self._relevant = PairIndex(topic_of_group, groups.docs.take(group), groups.hashes.take(group))
        self.row_start = np.searchsorted(topic_of_group.take(self._relevant.first_rows), topic_edges)
        self.grade_start = np.searchsorted(topic, topic_edges)
        self.grade_row: Ints = self._relevant.inverse.take(np.cumsum(is_first) - 1)
        self.grade_intent: Ints = intent - self.intent_start.take(topic)
        self.grade: Ints = grade
        best = np.zeros(len(self.intents), dtype=np.int64)
        np.maximum.at(best, intent, grade)
        self.intent_best_grade: Ints = best

    @property
    def topics_without_relevant(self) -> Objects:
        """The ids of topics without a relevant document."""
        return self.topics[np.diff(self.row_start) == 0]

    def require_intents(self, purpose: object) -> None:
        """Raise an error if the qrels have no intents; ``purpose``, such as a measure, needs them."""
        if not self.has_intents:
            raise IrdivError(
                f"{purpose} needs intents, but the qrels have no intent column, or it is 0 throughout as in ad hoc "
                f"qrels.{self._intent_guess or _LOST_INTENTS}"
            )

    def require_importance(self, purpose: object) -> None:
        """Raise an error if the qrels have no importance of intents; ``purpose``, such as a measure, needs it."""
        if self.intent_importance is None:
            raise IrdivError(
                f"{purpose} needs the importance of intents, but the qrels have no column 'importance' with labels: "
                "give 'vital' or 'okay' for each intent, in the qrels or by irdiv.with_intents(qrels, intent_table)."
            )

    @cached_property
    def topic_index(self) -> dict[str, int]:
        """A mapping from topic id to index."""
        return {topic: index for index, topic in enumerate(self.topics)}

    def find_relevant(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Ints:
        """Return the row of each (topic, document) among the relevant documents, or -1.

        ``hashes`` are the ``hash_ids`` of the documents, if they have been computed.
        """
        return self._relevant.find(topic, docs, hashes)

    def relevant_doc_ids(self, rows: Ints) -> Ids:
        """Return the ids of relevant documents by row."""
        return self._relevant.doc_ids(rows)

    def is_judged(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Bools:
        """Return for each (topic, document) whether it is in the qrels, relevant or not."""
        return self._judged.find(topic, docs, hashes) >= 0

    def any_is_judged(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> bool:
        """Return whether any (topic, document) is in the qrels, relevant or not."""
        # Ids of another kind are found out without an index.
        occurs = pc.any(pc.is_in(self._judged_doc, value_set=docs)).as_py()
        return bool(occurs) and bool(self.is_judged(topic, docs, hashes).any())

    @cached_property
    def _judged(self) -> PairIndex:
        return PairIndex(self._judged_topic, self._judged_doc)

    def judged_doc_ids(self, count: int) -> list[str]:
        """Return the ids of the first few judged documents."""
        ids: list[str] = self._judged_doc[: 10 * count].unique()[:count].to_pylist()
        return ids

    @property
    def judged_count(self) -> int:
        """The count of judged documents over all topics."""
        return len(self._judged.first_rows)

    def adhoc_judgments(self) -> tuple[Ints, Ids, Ints]:
        """Return topic, document and highest grade over intents of every judged document."""
        first = self._judged.first_rows
        highest = self._judged_grade[first]
        np.maximum.at(highest, self._judged.inverse, self._judged_grade)
        return self._judged_topic[first], self._judged.doc_ids(np.arange(len(first))), highest

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


def _sort_naturally(encoded: EncodedIds) -> tuple[Ints, Ids]:
    """Return codes and distinct ids, which are in natural order."""
    order = natural_argsort(encoded.ids)
    if (order == np.arange(len(order))).all():
        return encoded.code, encoded.ids
    new_code = np.empty_like(order)
    new_code[order] = np.arange(len(order))
    return new_code.take(encoded.code), encoded.ids.take(order)


def _unique_inverse(codes: Ints, bound: int) -> tuple[NDArray[np.int64], Ints]:
    """Return the same as ``np.unique(codes, return_inverse=True)``, in less time; codes are below a bound."""
    if bound > 16 * len(codes):
        return np.unique(codes, return_inverse=True)
    seen = np.zeros(bound, dtype=bool)
    seen[codes] = True
    distinct = np.flatnonzero(seen)
    position = np.empty(bound, dtype=np.int64)
    position[distinct] = np.arange(len(distinct))
    return distinct, position.take(codes)


_LOST_INTENTS = (
    " If they are diversity qrels, they have lost their intents: in a frame the column is 'intent_id', 'subtopic_id', "
    "'nugget_id' or 'iteration'; in a qrels file it is the second, which irdiv.read_qrels keeps and PyTerrier's "
    "pt.io.read_qrels drops; irdiv.datasets.to_pyterrier(path) reads the file for PyTerrier."
)
