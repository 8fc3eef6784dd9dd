"""A slice of a collection's topics as padded arrays, the form in which kernels take them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from irdiv.errors import IrdivError
from irdiv.frames.ids import order
from irdiv.kernels.lists import Bools, Floats, Ints, ordered_sum, ratio

if TYPE_CHECKING:
    from irdiv.arrays.collection import Collection

T = TypeVar("T")


class Memo:
    """Values kept under the key they were computed for."""

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def keep(self, key: Any, compute: Callable[[], T]) -> T:
        """Return what was computed under this key, computing it the first time."""
        if key not in self._kept:
            self._kept[key] = compute()
        found: T = self._kept[key]
        return found


class Block(Memo):
    """A slice of a collection's topics as padded arrays, with what is computed of them kept for the next run."""

    def __init__(self, collection: Collection, start: int, stop: int) -> None:
        super().__init__()
        self.collection = collection
        self.start, self.stop = start, stop
        self.row_base = int(collection.row_start[start])

    def __len__(self) -> int:
        return self.stop - self.start

    @cached_property
    def grades(self) -> Ints:
        """Grades as ``[row, intent]``, with one row of zeros more, the one that padding points at."""
        c, mine = self.collection, self.judgments
        intents = int(self._sizes.max())
        out = np.zeros((int(c.row_start[self.stop]) - self.row_base + 1, intents), dtype=np.int64)
        out[c.grade_row[mine] - self.row_base, c.grade_place[mine]] = c.grade[mine]
        return out

    @property
    def judgments(self) -> slice:
        """Where the collection has the block's grades above 0."""
        return slice(*self.collection.grade_start[[self.start, self.stop]])

    @cached_property
    def pool(self) -> Ints:
        """Relevant documents as ``[topic, document]``, rows of `grades`, in no order that a value may depend on."""
        return pad(np.arange(len(self.grades) - 1), self._relevant, fill=len(self.grades) - 1)

    @cached_property
    def pool_by_id(self) -> Ints:
        """Relevant documents as ``[topic, document]``, rows of `grades`, in order of doc id."""
        rows = np.arange(len(self.grades) - 1)
        by_id = order(self.collection.relevant_ids(self.row_base + rows))
        topic = np.repeat(np.arange(len(self)), self._relevant)
        return pad(by_id[by_topic(topic[by_id])], self._relevant, fill=len(rows))

    @property
    def _relevant(self) -> Ints:
        return np.diff(self.collection.row_start[self.start : self.stop + 1])

    def kept(self, rel: int, intents: str) -> Bools:
        """Return which intents count, ``[topic, intent]``.

        Those with a document of grade ``rel`` or more, and with ``intents="all"`` every declared one too.
        """

        def compute() -> Bools:
            covered = self.collection.intent_best_grade[self._intents] >= rel
            declared = self.collection.intent_declared[self._intents]
            return self._by_topic(covered if intents == "relevant" else covered | declared, fill=False)

        return self.keep(("kept", rel, intents), compute)

    def number(self, rel: int, intents: str) -> Ints:
        """Return how many intents count in each topic."""
        return np.count_nonzero(self.kept(rel, intents), axis=1)

    @cached_property
    def navigational(self) -> Bools:
        """Which intents are navigational, ``[topic, intent]``."""
        return self._by_topic(self.collection.intent_navigational[self._intents], fill=False)

    @cached_property
    def best_grade(self) -> Ints:
        """The highest grade of each intent, ``[topic, intent]``."""
        return self.grades[self.pool].max(axis=1)

    def weight(self, rel: int, intents: str, renormalise: bool) -> Floats:
        """Return Pr(i|q) of the intents that count, ``[topic, intent]``; 0 for the others."""
        key = ("weight", rel, intents, renormalise)
        return self.keep(key, lambda: self._weight(self.kept(rel, intents), renormalise))

    def _weight(self, kept: Bools, renormalise: bool) -> Floats:
        probability = self._by_topic(self.collection.intent_probability[self._intents], fill=np.nan)
        untold = kept & np.isnan(probability)
        uniform = untold.sum(axis=1) == kept.sum(axis=1)
        self.refuse_untold(untold[self._inside] & ~np.repeat(uniform, self._sizes))
        weight = np.where(kept & ~np.isnan(probability), probability, 0.0)
        weight[uniform] = kept[uniform]
        total = ordered_sum(weight)
        self.refuse_weightless(kept.any(axis=1) & (total == 0))
        return ratio(weight, np.where(uniform | renormalise, total, 1.0)[:, None])

    @property
    def _intents(self) -> slice:
        start = self.collection.intent_start
        return slice(start[self.start], start[self.stop])

    @property
    def _sizes(self) -> Ints:
        return np.diff(self.collection.intent_start[self.start : self.stop + 1])

    @property
    def _inside(self) -> Bools:
        return np.arange(self._sizes.max(initial=1)) < self._sizes[:, None]

    def _by_topic(self, flat: NDArray[Any], fill: Any) -> NDArray[Any]:
        return pad(flat, self._sizes, fill)

    def refuse_untold(self, untold: Bools) -> None:
        """Refuse intents without a probability; one flag for each intent of the block."""
        if untold.any():
            c = self.collection
            raise IrdivError(
                f"{c.intent_name(c.intent_start[self.start] + np.argmax(untold))} counts but has no probability, "
                "while other intents of the topic have one; give all of them, spelt as in the qrels, or none for "
                "uniform ones."
            )

    def refuse_weightless(self, weightless: Bools) -> None:
        """Refuse topics whose intents all have the probability 0."""
        if weightless.any():
            topic = self.collection.topics[self.start + np.flatnonzero(weightless)[0]]
            raise IrdivError(
                f"all intents that count in topic {topic!r} have the probability 0; give one of them more, or "
                "leave the probabilities out for uniform ones."
            )


def by_topic(topic: Ints) -> Ints:
    """Return the stable order by topic."""
    if (topic[1:] >= topic[:-1]).all():
        return np.arange(len(topic))
    return np.argsort(topic.astype(np.uint16) if topic.max() < 2**16 else topic, kind="stable")


def pad(flat: NDArray[Any], sizes: Ints, fill: Any) -> NDArray[Any]:
    """Return consecutive groups of the given sizes as rows, at least one column wide."""
    width = int(max(sizes.max(initial=0), 1))
    inside = np.arange(width) < sizes[:, None]
    out = np.full((len(sizes), width), fill, dtype=flat.dtype)
    out[inside] = flat
    return out
