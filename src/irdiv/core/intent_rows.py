"""Properties of intents, which rows of qrels repeat: one value for each intent is made of those of its rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irdiv.errors import IrdivError
from irdiv.io.columns import IMPORTANCE_WEIGHTS, INTENT_TYPES
from irdiv.io.values import MAX_PROBABILITY
from irdiv.types import Bools, Floats, Ints, Objects


class IntentRows(NamedTuple):
    """The rows of qrels by intent."""

    topics: Objects
    intent_topic: Ints
    """The index of each intent's topic."""
    intents: Objects
    """The id of each intent."""
    intent: Ints
    """The index of each row's intent."""

    def only_values(self, given: Objects | None, name: str) -> Objects | None:
        """Return the one value that the rows of each intent have, None if all are missing; two values are an error."""
        if given is None:
            return None
        values: Objects = np.full(len(self.intents), None, dtype=object)
        is_given = given != None  # noqa: E711 (element by element)
        self._fill(values, given, is_given, name)
        return values

    def _fill(self, values: NDArray[Any], given: NDArray[Any], is_given: Bools, name: str) -> None:
        """Set the values of intents to those that are given for their rows; two values for an intent are an error."""
        values[self.intent[is_given]] = given[is_given]
        differ = np.flatnonzero(is_given & (values[self.intent] != given))
        if len(differ):
            intent = self.intent[differ[0]]
            one, two = repr(given[differ].tolist()[0]), repr(values[[intent]].tolist()[0])
            raise IrdivError(
                f"{self._describe(intent)} has two {name}, {one} and {two}; give every row of an intent the same."
            )

    def first_values(self, given: pa.LargeStringArray | None) -> Objects | None:
        """Return the first value that the rows of each intent have, None if all are missing."""
        if given is None:
            return None
        rows = np.flatnonzero(given.is_valid().to_numpy(zero_copy_only=False))[::-1]
        first_row = np.full(len(self.intents), -1)
        first_row[self.intent[rows]] = rows  # of several values for one index the last is kept
        described = np.flatnonzero(first_row >= 0)
        values = np.full(len(self.intents), None, dtype=object)
        values[described] = np.asarray(given.take(first_row[described]), dtype=object)
        return values

    def have_some(self, flags: Bools) -> Bools:
        """Return for which intents a flag of some row is set."""
        return np.bincount(self.intent[flags], minlength=len(self.intents)) > 0

    def probabilities(self, given: Floats | None, importance: Objects | None) -> Floats:
        """Return the probability of each intent, NaN for a missing one.

        In topics without any it is by the importance of intents, if that is given, and NaN where that is unknown.
        """
        values = np.full(len(self.intents), np.nan)
        if given is not None:
            self._fill(values, given, ~np.isnan(given), "probabilities")
        for wrong in np.flatnonzero((values < 0) | (values > MAX_PROBABILITY))[:1]:
            remedy = "0 or more" if values[wrong] < 0 else f"probabilities or weights up to {MAX_PROBABILITY:g}"
            raise IrdivError(f"{self._describe(wrong)} has the probability {values[wrong]}; give {remedy}.")
        if importance is None:
            return values
        has_some = np.bincount(self.intent_topic[~np.isnan(values)], minlength=len(self.topics)) > 0
        weight = np.array([IMPORTANCE_WEIGHTS.get(label, np.nan) for label in importance])
        return np.where(has_some[self.intent_topic], values, weight)

    def are_navigational(self, types: Objects | None) -> Bools:
        """Return which intents have the type ``nav``; any other than ``inf`` or none is an error."""
        if types is None:
            return np.zeros(len(self.intents), dtype=bool)
        unknown = next((i for i, type_ in enumerate(types) if type_ not in (None, *INTENT_TYPES)), None)
        if unknown is not None:
            raise IrdivError(f"{self._describe(unknown)} has the type {types[unknown]!r}; a type is 'inf' or 'nav'.")
        navigational: Bools = types == "nav"
        return navigational

    def are_declared(self, has_info: Bools, placeholders: Ints, parent: Objects | None) -> Bools:
        """Return which intents are declared: those with info, or all of a topic that has no intent with info.

        So are those of ``placeholders``, rows without a document. Inner nodes of a hierarchy are not intents of their
        own.
        """
        topic_has_info = np.bincount(self.intent_topic[has_info], minlength=len(self.topics)) > 0
        is_named = ~topic_has_info[self.intent_topic]
        is_named[self.intent[placeholders]] = True
        # TREC's qrels have judged documents that are relevant to no intent under a subtopic 0, which is not an intent.
        declared = has_info | (is_named & (self.intents != "0"))
        if parent is None:
            return declared
        has_parent = parent != None  # noqa: E711 (element by element)
        parents = set(zip(self.intent_topic[has_parent].tolist(), parent[has_parent], strict=True))
        nodes = zip(self.intent_topic.tolist(), self.intents, strict=True)
        return declared & ~np.fromiter((node in parents for node in nodes), dtype=bool, count=len(declared))

    def _describe(self, index: int) -> str:
        return describe_intent(self.topics[self.intent_topic[index]], self.intents[index])


def describe_intent(topic: str, intent: str) -> str:
    """Return the text by which errors name an intent."""
    return f"intent {intent!r} of topic {topic!r}"
