"""Properties of intents, which rows of qrels repeat: one value for each intent is made of those of its rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from irdiv.errors import IrdivError
from irdiv.frames.columns import IMPORTANCE_WEIGHTS, INTENT_TYPES
from irdiv.frames.values import MAX_PROBABILITY
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
        values = np.full(len(self.intents), None, dtype=object)
        is_given = given != None  # noqa: E711 (element by element)
        values[self.intent[is_given]] = given[is_given]
        differ = np.flatnonzero(is_given & (values[self.intent] != given))
        if len(differ):
            raise self._two_values_error(self.intent[differ[0]], name, repr(given[differ[0]]), values)
        return values

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
        found = np.zeros(len(self.intents), dtype=bool)
        found[self.intent[flags]] = True
        return found

    def probabilities(self, given: Floats | None, importance: Objects | None) -> Floats:
        """Return the probability of each intent, NaN for a missing one.

        In topics without any it is by the importance of intents, if that is given, and NaN where that is unknown.
        """
        values = self._given_probabilities(given)
        if importance is None:
            return values
        has_some = np.zeros(len(self.topics), dtype=bool)
        has_some[self.intent_topic[~np.isnan(values)]] = True
        weight = np.array([IMPORTANCE_WEIGHTS.get(label, np.nan) for label in importance])
        return np.where(has_some[self.intent_topic], values, weight)

    def _given_probabilities(self, given: Floats | None) -> Floats:
        values = np.full(len(self.intents), np.nan)
        if given is None:
            return values
        is_given = ~np.isnan(given)
        values[self.intent[is_given]] = given[is_given]
        differ = np.flatnonzero(is_given & (values[self.intent] != given))
        if len(differ):
            raise self._two_values_error(self.intent[differ[0]], "probabilities", str(given[differ[0]]), values)
        negative = np.flatnonzero(values < 0)
        if len(negative):
            first = negative[0]
            raise IrdivError(f"{self._describe(first)} has the probability {values[first]}; give 0 or more.")
        large = np.flatnonzero(values > MAX_PROBABILITY)
        if len(large):
            first = large[0]
            raise IrdivError(
                f"{self._describe(first)} has the probability {values[first]}; give probabilities or weights up to "
                f"{MAX_PROBABILITY:g}."
            )
        return values

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
        topic_has_info = np.zeros(len(self.topics), dtype=bool)
        topic_has_info[self.intent_topic[has_info]] = True
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

    def _two_values_error(self, intent: int, name: str, one: str, values: Objects | Floats) -> IrdivError:
        two = repr(values[intent : intent + 1].tolist()[0])
        return IrdivError(
            f"{self._describe(intent)} has two {name}, {one} and {two}; give every row of an intent the same."
        )

    def _describe(self, index: int) -> str:
        return describe_intent(self.topics[self.intent_topic[index]], self.intents[index])


def describe_intent(topic: str, intent: str) -> str:
    """Return the text by which errors name an intent."""
    return f"intent {intent!r} of topic {topic!r}"
