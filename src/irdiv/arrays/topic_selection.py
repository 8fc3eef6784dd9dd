"""Some topics of a collection as a collection of their own, to score only these."""

from __future__ import annotations

import numpy as np

from irdiv.arrays.collection import Collection
from irdiv.arrays.memo import Memo
from irdiv.frames.ids import Ids
from irdiv.types import Bools, Hashes, Ints, Objects


class SelectedTopics(Collection):
    """Topics of a collection by index, in any order and also several times; documents are found in the whole."""

    def __init__(self, whole: Collection, topics: Ints) -> None:
        Memo.__init__(self)
        self._whole, self._topic_of = whole, topics
        self.backend, self.has_intents = whole.backend, whole.has_intents
        self.max_grade, self.positive_grades = whole.max_grade, whole.positive_grades
        self.topic_ids, self.topics = whole.topic_ids.take(topics), whole.topics[topics]
        self._select_intents(whole)
        self._select_relevant(whole)

    def _select_intents(self, whole: Collection) -> None:
        intent, self.intent_start = _ranges(whole.intent_start, self._topic_of)
        self.intent_topic = np.repeat(np.arange(len(self.topics)), np.diff(self.intent_start))
        self.intents = whole.intents[intent]
        self.intent_probability = whole.intent_probability[intent]
        self.intent_navigational = whole.intent_navigational[intent]
        self.intent_best_grade = whole.intent_best_grade[intent]
        self.intent_has_info = whole.intent_has_info[intent]
        self.intent_judged = whole.intent_judged[intent]
        self.intent_declared = whole.intent_declared[intent]
        self.intent_parent = _take(whole.intent_parent, intent)
        self.intent_description = _take(whole.intent_description, intent)
        self.intent_importance = _take(whole.intent_importance, intent)

    def _select_relevant(self, whole: Collection) -> None:
        self._row_of, self.row_start = _ranges(whole.row_start, self._topic_of)
        grade, self.grade_start = _ranges(whole.grade_start, self._topic_of)
        self.grade, self.grade_intent = whole.grade[grade], whole.grade_intent[grade]
        topic = np.repeat(np.arange(len(self.topics)), np.diff(self.grade_start))
        self.grade_row = self._own_rows(topic, whole.grade_row[grade])

    def _own_rows(self, topic: Ints, row: Ints) -> Ints:
        """Return the rows that relevant documents of the whole have here."""
        return row - self._whole.row_start[self._topic_of[topic]] + self.row_start[topic]

    def find_relevant(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Ints:
        """Return the row of each (topic, document) among the relevant documents, or -1."""
        row = self._whole.find_relevant(self._topic_of[topic], docs, hashes)
        return np.where(row >= 0, self._own_rows(topic, row), -1)

    def relevant_doc_ids(self, rows: Ints) -> Ids:
        """Return the ids of relevant documents by row."""
        return self._whole.relevant_doc_ids(self._row_of[rows])

    def is_judged(self, topic: Ints, docs: Ids, hashes: Hashes | None = None) -> Bools:
        """Return for each (topic, document) whether it is in the qrels, relevant or not."""
        return self._whole.is_judged(self._topic_of[topic], docs, hashes)


def _ranges(start: Ints, topics: Ints) -> tuple[Ints, Ints]:
    """Return the indices from ``start[t]`` to ``start[t + 1]`` for each topic t, and where those of each begin."""
    sizes = np.diff(start)[topics]
    new_start = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(new_start[-1]) + np.repeat(start[topics] - new_start[:-1], sizes), new_start


def _take(values: Objects | None, rows: Ints) -> Objects | None:
    return None if values is None else values[rows]
