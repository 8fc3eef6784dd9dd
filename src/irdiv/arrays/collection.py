"""A test collection compiled once: topics, intents and the grades of relevant documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from irdiv.arrays.block import Block, Memo, by_topic
from irdiv.arrays.pairs import Numbers, Pairs, repeats
from irdiv.errors import IrdivError, examples, warn
from irdiv.frames.columns import NO_DOCUMENT, QrelsColumns, QrelsLike, qrels_columns
from irdiv.frames.fingerprints import fingerprints
from irdiv.frames.ids import Ids, factorize_grouped, natural_order
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
        warn_of_bare_topics(self.bare, len(self.topics))

    @classmethod
    def from_columns(cls, columns: QrelsColumns) -> Collection:
        """Compile judgments whose columns have been checked, without a word on topics without relevant documents."""
        self = cls.__new__(cls)
        Memo.__init__(self)
        self._compile(columns)
        return self

    def __repr__(self) -> str:
        topics = f"{len(self.topics)} topic{'s' if len(self.topics) != 1 else ''}"
        intents = int((self.intent_declared | (self.intent_best_grade > 0)).sum())
        described = f"{intents} intents" if self.has_intents else "no intents"
        judged = f"{len(self._judged.first)} judged documents"
        return f"Collection({topics}, {described}, {judged}, highest grade {self.max_grade})"

    def _compile(self, columns: QrelsColumns) -> None:
        topic, self.topic_ids = _in_natural_order(*factorize_grouped(columns.query))
        self.topics: NDArray[np.object_] = np.asarray(self.topic_ids, dtype=object)
        intent = self._compile_intents(topic, columns)
        rows, numbers = self._judgments_of(intent, topic, columns)
        docs, grade = columns.doc, columns.grade
        if rows is not None:
            docs, intent, topic, grade = docs.take(rows), intent.take(rows), topic.take(rows), grade.take(rows)
        self._judged_topic, self._judged_doc, self._judged_grade = topic, docs, grade
        self.levels: Ints = np.flatnonzero(np.bincount(np.maximum(grade, 0), minlength=1)[1:]) + 1
        self.max_grade = max(int(self.levels.max(initial=0)), columns.max_grade)
        self._compile_relevant(intent, topic, docs, grade, numbers)

    def _compile_intents(self, topic: Ints, columns: QrelsColumns) -> Ints:
        """List the intents of each topic in natural order; return the place in that list of each judgment."""
        self.has_intents = columns.intent is not None
        if columns.intent is None:
            code, names = np.zeros(len(topic), dtype=np.int64), np.array([""], dtype=object)
        else:
            code, ids = _in_natural_order(*factorize_grouped(columns.intent))
            names = np.asarray(ids, dtype=object)
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

    def _judgments_of(self, intent: Ints, topic: Ints, columns: QrelsColumns) -> tuple[Ints | None, Numbers]:
        """Return the rows that are judgments, one for each, and numbers of their documents; refuse two that differ.

        None stands for all rows.
        """
        docs, numbers = columns.doc, fingerprints(columns.doc)
        again = repeats(docs, intent, numbers)
        if len(again):
            self._refuse_contradictions(again, intent, topic, docs, columns.grade)
        bare = np.flatnonzero(pc.equal(docs, NO_DOCUMENT).to_numpy(zero_copy_only=False))
        if len(again) + len(bare) == 0:
            return None, numbers
        rows = np.delete(np.arange(len(docs)), np.concatenate([again, bare]))
        return rows, numbers.take(rows)

    def _refuse_contradictions(self, again: Ints, intent: Ints, topic: Ints, docs: Ids, grade: Ints) -> None:
        pairs = Pairs(intent, docs)
        first = pairs.first[pairs.of[again]]
        differ = np.flatnonzero(grade[again] != grade[first])
        if len(differ):
            one, two = first[differ[0]], again[differ[0]]
            about = f" for intent {self.intents[intent[one]]!r}" if self.has_intents else ""
            hint = _NO_INTENTS if not self.has_intents else " Keep one row for each topic, intent and document."
            raise IrdivError(
                f"the qrels contradict themselves: document {docs[one].as_py()!r} of topic "
                f"{self.topics[topic[one]]!r} has the grades {grade[one]} and {grade[two]}{about} "
                f"(contradictions in all: {len(differ)}).{hint}"
            )

    def _compile_relevant(self, intent: Ints, topic: Ints, docs: Ids, grade: Ints, numbers: Numbers) -> None:
        """List the relevant documents of each topic, and the grades above 0 of each."""
        relevant = np.flatnonzero(grade > 0)
        relevant = relevant.take(by_topic(topic.take(relevant)))
        intent, topic, grade = intent.take(relevant), topic.take(relevant), grade.take(relevant)
        everyone = np.arange(len(self.topics) + 1)
        self._relevant = Pairs(topic, docs.take(relevant), numbers.take(relevant))
        self.row_start = np.searchsorted(topic.take(self._relevant.first), everyone)
        self.grade_start = np.searchsorted(topic, everyone)
        self.grade_row: Ints = self._relevant.of
        self.grade_place: Ints = intent - self.intent_start.take(topic)
        self.grade: Ints = grade
        best = np.zeros(len(self.intents), dtype=np.int64)
        np.maximum.at(best, intent, grade)
        self.intent_best_grade: Ints = best

    @property
    def bare(self) -> NDArray[np.object_]:
        """The topics without a relevant document."""
        return self.topics[np.diff(self.row_start) == 0]

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

    def rows(self, topic: Ints, docs: Ids, numbers: Numbers | None = None) -> Ints:
        """Return the row of each (topic, document) among the relevant documents, or -1.

        ``numbers`` are `fingerprints` of the documents, where they are at hand.
        """
        return self._relevant.find(topic, docs, numbers)

    def relevant_ids(self, rows: Ints) -> Ids:
        """Return the ids of relevant documents by row."""
        return self._relevant.docs(rows)

    def is_judged(self, topic: Ints, docs: Ids, numbers: Numbers | None = None) -> Bools:
        """Tell for each (topic, document) whether the qrels have it, relevant or not."""
        return self._judged.find(topic, docs, numbers) >= 0

    @cached_property
    def _judged(self) -> Pairs:
        return Pairs(self._judged_topic, self._judged_doc)

    def adhoc(self) -> tuple[Ints, Ids, Ints]:
        """Return topic, document and highest grade over intents of every judged document."""
        first, of = self._judged.first, self._judged.of
        highest = self._judged_grade[first]
        np.maximum.at(highest, of, self._judged_grade)
        return self._judged_topic[first], self._judged.docs(np.arange(len(first))), highest

    @cached_property
    def blocks(self) -> list[Block]:
        """The topics in slices small enough to be scored at once."""
        return [Block(self, start, stop) for start, stop in self._slices()]

    def _slices(self) -> Iterator[tuple[int, int]]:
        cells = np.maximum(np.diff(self.row_start), 1) * np.maximum(np.diff(self.intent_start), 1)
        start = 0
        while start < len(cells):
            ahead = cells[start : start + BLOCK_CELLS]
            full = np.maximum.accumulate(ahead) * np.arange(1, len(ahead) + 1) > BLOCK_CELLS
            stop = start + max(int(np.argmax(full)) if full.any() else len(ahead), 1)
            yield start, stop
            start = stop


def warn_of_bare_topics(bare: Sequence[str] | NDArray[np.object_], topics: int) -> None:
    """Warn of topics without a relevant document, if there are any."""
    if len(bare):
        shown = examples(bare, 10)
        warn(f"{len(bare)} of {topics} topics have no relevant document and score 0 in every measure: {shown}")


def _in_natural_order(code: Ints, found: Ids) -> tuple[Ints, Ids]:
    """Return the codes of ids and the distinct ids renumbered in the order a person expects."""
    natural = natural_order(found)
    place = np.empty_like(natural)
    place[natural] = np.arange(len(natural))
    return place.take(code), found.take(natural)


def _distinct_numbers(numbers: Ints, bound: int) -> tuple[Ints, Ints]:
    """Return the distinct numbers, all below a bound, in order, and the place of each number among them."""
    if bound > 16 * len(numbers):
        return np.unique(numbers, return_inverse=True)
    seen = np.zeros(bound, dtype=bool)
    seen[numbers] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[numbers]


_NO_INTENTS = (
    " If they are diversity qrels, they have lost their intents: in a frame the column is 'intent_id', 'subtopic_id' "
    "or 'iteration'; in a qrels file it is the second, which irdiv.read_qrels keeps and PyTerrier's pt.io.read_qrels "
    "drops; irdiv.to_pyterrier(path) reads the file for PyTerrier."
)
