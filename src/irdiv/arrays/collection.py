"""A test collection compiled once: topics, intents and the grades of relevant documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from irdiv.arrays.block import Block, Memo
from irdiv.errors import IrdivError, examples, warn
from irdiv.frames.columns import NO_DOCUMENT, QrelsColumns, QrelsLike, qrels_columns
from irdiv.frames.ids import Ids, factorize, factorize_grouped, find, natural_order, order
from irdiv.kernels.lists import Bools, Floats, Ints

BLOCK_CELLS = 4_000_000
"""How many (topic, document, intent) cells are scored at once; it bounds memory and changes no value."""


class Collection(Memo):
    """Judgments compiled for scoring any number of runs.

    Parameters
    ----------
    qrels
        Judgments of any kind that `irdiv.evaluate` takes, with what `irdiv.with_intents` folded into them.

    Examples
    --------
    >>> import irdiv
    >>> irdiv.Collection({"1": {"d1": 1, "d2": 0}})
    Collection(1 topic, no intents, 2 judged documents, highest grade 1)
    """

    def __init__(self, qrels: QrelsLike) -> None:
        super().__init__()
        self._compile(qrels_columns(qrels))

    @classmethod
    def from_columns(cls, columns: QrelsColumns) -> Collection:
        """Compile judgments whose columns have been checked."""
        self = cls.__new__(cls)
        Memo.__init__(self)
        self._compile(columns)
        return self

    def __repr__(self) -> str:
        topics = f"{len(self.topics)} topic{'s' if len(self.topics) != 1 else ''}"
        intents = int((self.intent_declared | (self.intent_best_grade > 0)).sum())
        described = f"{intents} intents" if self.has_intents else "no intents"
        judged = f"{len(self._judged)} judged documents"
        return f"Collection({topics}, {described}, {judged}, highest grade {self.max_grade})"

    def _compile(self, columns: QrelsColumns) -> None:
        topic, self.topics = _in_natural_order(*factorize_grouped(columns.query))
        doc, self.documents = factorize(columns.doc)
        real = doc != _position(self.documents, NO_DOCUMENT)
        intent = self._compile_intents(topic, columns)
        intent, topic, doc, grade = self._distinct(intent[real], topic[real], doc[real], columns.grade[real])
        self.levels: Ints = np.unique(grade[grade > 0])
        self.max_grade = max(int(self.levels.max(initial=0)), columns.max_grade)
        self._judgments = (topic * len(self.documents) + doc, grade)
        self._compile_relevant(intent, topic, doc, grade)
        self._warn_of_topics_without_relevant()

    def _compile_intents(self, topic: Ints, columns: QrelsColumns) -> Ints:
        """List the intents of each topic in natural order; return the place in that list of each judgment."""
        self.has_intents = columns.intent is not None
        if columns.intent is None:
            code, names = np.zeros(len(topic), dtype=np.int64), np.array([""], dtype=object)
        else:
            code, names = _in_natural_order(*factorize(columns.intent))
        pair, place = _distinct_numbers(topic * len(names) + code, len(self.topics) * len(names))
        self.intent_topic: Ints = pair // len(names)
        self.intents: NDArray[np.object_] = names[pair % len(names)]
        self.intent_start = np.searchsorted(self.intent_topic, np.arange(len(self.topics) + 1))
        self.intent_probability = self._agreed_probability(place, columns.probability)
        self.intent_parent = self._agreed(place, columns.parent, "parents")
        kinds = self._agreed(place, columns.type, "types")
        self.intent_navigational = self._navigational(kinds)
        self.intent_told = np.zeros(len(self.intents), dtype=bool)
        self.intent_told[place[columns.declared]] = True
        self.intent_declared = self._declared()
        return place

    def _navigational(self, kinds: NDArray[np.object_] | None) -> Bools:
        if kinds is None:
            return np.zeros(len(self.intents), dtype=bool)
        strange = next((place for place, kind in enumerate(kinds) if kind not in (None, "inf", "nav")), None)
        if strange is not None:
            raise IrdivError(f"{self.intent_name(strange)} has the type {kinds[strange]!r}; a type is 'inf' or 'nav'.")
        navigational: Bools = kinds == "nav"
        return navigational

    def _declared(self) -> Bools:
        """Tell which intents are declared: those of which something is told, or all of a topic without such."""
        topic_told = np.zeros(len(self.topics), dtype=bool)
        topic_told[self.intent_topic[self.intent_told]] = True
        # TREC files judged, irrelevant documents under a subtopic 0 that is no intent.
        declared = self.intent_told | (~topic_told[self.intent_topic] & (self.intents != "0"))
        if self.intent_parent is None:
            return declared
        known = self.intent_parent != None  # noqa: E711 (element by element)
        parents = set(zip(self.intent_topic[known].tolist(), self.intent_parent[known], strict=True))
        nodes = zip(self.intent_topic.tolist(), self.intents, strict=True)
        return declared & ~np.fromiter((node in parents for node in nodes), dtype=bool, count=len(declared))

    def _agreed(self, place: Ints, given: NDArray[np.object_] | None, what: str) -> NDArray[np.object_] | None:
        """Return what all rows of an intent that tell something tell; refuse two that differ."""
        if given is None:
            return None
        agreed = np.full(len(self.intents), None, dtype=object)
        told = given != None  # noqa: E711 (element by element)
        agreed[place[told]] = given[told]
        differ = np.flatnonzero(told & (agreed[place] != given))
        if len(differ):
            raise IrdivError(
                f"{self.intent_name(place[differ[0]])} has two {what}, {given[differ[0]]!r} and "
                f"{agreed[place[differ[0]]]!r}; give every row of an intent the same."
            )
        return agreed

    def _agreed_probability(self, place: Ints, given: Floats | None) -> Floats:
        agreed = np.full(len(self.intents), np.nan)
        if given is None:
            return agreed
        told = ~np.isnan(given)
        agreed[place[told]] = given[told]
        differ = np.flatnonzero(told & (agreed[place] != given))
        wrong = np.flatnonzero(agreed < 0)
        if len(differ):
            raise IrdivError(
                f"{self.intent_name(place[differ[0]])} has two probabilities, {given[differ[0]]} and "
                f"{agreed[place[differ[0]]]}; give every row of an intent the same."
            )
        if len(wrong):
            raise IrdivError(f"{self.intent_name(wrong[0])} has the probability {agreed[wrong[0]]}; give 0 or more.")
        return agreed

    def intent_name(self, place: int) -> str:
        """Return how an error names an intent."""
        return f"intent {self.intents[place]!r} of topic {self.topics[self.intent_topic[place]]!r}"

    def _distinct(self, intent: Ints, topic: Ints, doc: Ints, grade: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Keep one row for each judgment; refuse two that differ."""
        key = intent * len(self.documents) + doc
        # Sorting alone is many times quicker than finding the order, and most qrels need no more.
        in_order = np.sort(key)
        again = in_order[1:] == in_order[:-1]
        if not again.any():
            return intent, topic, doc, grade
        by_key = np.argsort(key, kind="stable")
        differ = again & (grade[by_key][1:] != grade[by_key][:-1])
        if differ.any():
            one = by_key[np.flatnonzero(differ)[0]]
            two = by_key[np.flatnonzero(differ)[0] + 1]
            about = f" for intent {self.intents[intent[one]]!r}" if self.has_intents else ""
            hint = _NO_INTENTS if not self.has_intents else " Keep one row for each topic, intent and document."
            raise IrdivError(
                f"the qrels contradict themselves: document {self.documents[doc[one]]!r} of topic "
                f"{self.topics[topic[one]]!r} has the grades {grade[one]} and {grade[two]}{about} "
                f"(contradictions in all: {int(differ.sum())}).{hint}"
            )
        keep = np.sort(by_key[np.concatenate([[True], ~again])])
        return intent[keep], topic[keep], doc[keep], grade[keep]

    def _compile_relevant(self, intent: Ints, topic: Ints, doc: Ints, grade: Ints) -> None:
        """List the relevant documents of each topic by doc id, and the grades above 0 of each."""
        relevant = grade > 0
        intent, topic, doc, grade = intent[relevant], topic[relevant], doc[relevant], grade[relevant]
        used, _ = _distinct_numbers(doc, len(self.documents))
        used = used[order(self.documents.take(used))]
        self._relevant_documents = self.documents.take(used)
        place_by_id = np.empty(len(self.documents), dtype=np.int64)
        place_by_id[used] = np.arange(len(used))
        self._rows: Ints
        self._rows, row = np.unique(topic * len(used) + place_by_id[doc], return_inverse=True)
        self.row_start = np.searchsorted(self._rows, np.arange(len(self.topics) + 1) * max(len(used), 1))
        by_row = np.argsort(row, kind="stable")
        self.grade_row: Ints = row[by_row]
        self.grade_place: Ints = (intent - self.intent_start[topic])[by_row]
        self.grade: Ints = grade[by_row]
        best = np.zeros(len(self.intents), dtype=np.int64)
        np.maximum.at(best, intent, grade)
        self.intent_best_grade: Ints = best

    def _warn_of_topics_without_relevant(self) -> None:
        bare = self.topics[np.diff(self.row_start) == 0]
        if len(bare):
            warn(
                f"{len(bare)} of {len(self.topics)} topics have no relevant document and score 0 in every "
                f"measure: {examples(bare, 10)}"
            )

    def require_intents(self, measure: object) -> None:
        """Refuse a diversity measure where the qrels know no intents."""
        if not self.has_intents:
            raise IrdivError(
                f"{measure} needs intents, but the qrels have no intent column, or it is 0 throughout as in ad hoc "
                f"qrels.{_NO_INTENTS}"
            )

    @cached_property
    def topic_number(self) -> dict[str, int]:
        """The place of each topic id."""
        return {topic: number for number, topic in enumerate(self.topics)}

    def rows(self, topic: Ints, docs: Ids) -> Ints:
        """Return the row of each (topic, document) among the relevant documents, or -1."""
        place = find(docs, self._relevant_documents)
        known = np.flatnonzero(place >= 0)
        out = np.full(len(place), -1)
        out[known] = _find_sorted(self._rows, topic[known] * len(self._relevant_documents) + place[known])
        return out

    def relevant_ids(self, rows: Ints) -> Ids:
        """Return the ids of relevant documents by row."""
        return self._relevant_documents.take(self._rows[rows] % max(len(self._relevant_documents), 1))

    def is_judged(self, topic: Ints, docs: Ids) -> Bools:
        """Tell for each (topic, document) whether the qrels have it, relevant or not."""
        place = find(docs, self.documents)
        return (place >= 0) & (_find_sorted(self._judged, topic * len(self.documents) + place) >= 0)

    @cached_property
    def _judged(self) -> Ints:
        return np.unique(self._judgments[0])

    def adhoc(self) -> tuple[Ints, Ints, Ints]:
        """Return topic, document and highest grade over intents of every judged document."""
        pair, grade = self._judgments
        by_pair = np.argsort(pair, kind="stable")
        pair, first = np.unique(pair[by_pair], return_index=True)
        highest = np.maximum.reduceat(grade[by_pair], first) if len(first) else grade
        return pair // max(len(self.documents), 1), pair % max(len(self.documents), 1), highest

    @cached_property
    def blocks(self) -> list[Block]:
        """The topics in slices small enough to be scored at once."""
        return [Block(self, start, stop) for start, stop in self._slices()]

    def _slices(self) -> Iterator[tuple[int, int]]:
        cells = np.maximum(np.diff(self.row_start), 1) * np.maximum(np.diff(self.intent_start), 1)
        start, widest = 0, 0
        for topic, cell in enumerate(cells.tolist()):
            if topic > start and max(widest, cell) * (topic + 1 - start) > BLOCK_CELLS:
                yield start, topic
                start, widest = topic, 0
            widest = max(widest, cell)
        if len(cells):
            yield start, len(cells)


def _in_natural_order(code: Ints, found: Ids) -> tuple[Ints, NDArray[np.object_]]:
    """Return the codes of ids and the distinct ids renumbered in the order a person expects."""
    natural = natural_order(list(found))
    place = np.empty_like(natural)
    place[natural] = np.arange(len(natural))
    return place[code], np.asarray(found, dtype=object)[natural]


def _distinct_numbers(numbers: Ints, bound: int) -> tuple[Ints, Ints]:
    """Return the distinct numbers, all below a bound, in order, and the place of each number among them."""
    if bound > 16 * len(numbers):
        return np.unique(numbers, return_inverse=True)
    seen = np.zeros(bound, dtype=bool)
    seen[numbers] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[numbers]


def _position(ids: Ids, wanted: str) -> int:
    hit = np.flatnonzero(np.asarray(ids == wanted, dtype=bool))
    return int(hit[0]) if len(hit) else -1


def _find_sorted(known: Ints, wanted: Ints) -> Ints:
    """Return the place of each wanted number among sorted known ones, or -1."""
    if len(known) == 0:
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


_NO_INTENTS = (
    " If they are diversity qrels, they have lost their intents: in a frame the column is 'intent_id', 'subtopic_id' "
    "or 'iteration'; in a qrels file it is the second, which irdiv.read_qrels keeps and PyTerrier's pt.io.read_qrels "
    "drops; irdiv.to_pyterrier(path) reads the file for PyTerrier."
)
