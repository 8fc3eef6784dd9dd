"""The collection that users have: compiled qrels that also score rankings."""

from __future__ import annotations

from collections.abc import Iterable

import ir_measures

from irdiv.arrays.collection import Collection as CompiledCollection
from irdiv.arrays.ranking import DEFAULT_DUPLICATES, Duplicates
from irdiv.evaluation.rankings import RankingScorer, RankingsLike
from irdiv.measures.spec import MeasuresLike
from irdiv.types import Floats


class Collection(CompiledCollection):
    """Qrels compiled to score any number of runs.

    Functions that take a collection in place of qrels return frames of the library of those qrels.

    Parameters
    ----------
    qrels
        Qrels in any form that `irdiv.evaluate` takes, with the columns that `irdiv.with_intents` added.

    Examples
    --------
    >>> import irdiv
    >>> irdiv.Collection({"1": {"d1": 1, "d2": 0}})
    Collection(1 topic, no intents, 2 judged documents, highest grade 1)
    """

    def score(
        self,
        rankings: RankingsLike,
        measures: MeasuresLike,
        *,
        topics: Iterable[object] | None = None,
        duplicates: Duplicates = DEFAULT_DUPLICATES,
    ) -> Floats:
        """Score rankings that are lists of document ids, as in a training loop: a value for each ranking.

        The values are those of `irdiv.evaluate`, which has tables, tests and notes. Here, only topics with a ranking
        have values, and there are no warnings. What depends on topics and measures alone, such as ideal lists, is
        computed in the first call and kept for the last 16 selections of topics.

        Parameters
        ----------
        rankings
            A mapping from topic to the ids of documents, the best first, or a list of such lists. An empty list scores
            as a topic that a run lacks.
        measures
            One or several measures, as `irdiv.evaluate` takes them.
        topics
            The topic of each ranking in a list, by default all topics of the collection in the order of
            ``collection.topics``. A topic may occur several times, as where rankings are sampled.
        duplicates
            ``"error"`` to raise an error where a ranking has a document twice, ``"first"`` to keep the higher rank.

        Returns
        -------
        numpy.ndarray
            The values in the order of the rankings: ``[ranking]`` for one measure, ``[measure, ranking]`` for a list
            of them.

        Examples
        --------
        >>> import irdiv
        >>> collection = irdiv.Collection({"1": {"d1": 1, "d2": 0}, "2": {"d1": 1, "d3": 1}})
        >>> collection.score({"1": ["d2", "d1"], "2": ["d1"]}, "RR")
        array([0.5, 1. ])
        >>> recall, rr = collection.score([["d1"], ["x", "d3"]], ["R@2", "RR"], topics=["2", "2"])
        >>> print(recall.mean(), rr.mean())
        0.5 0.75
        """
        values = self.cached(RankingScorer).score(rankings, measures, topics, duplicates)
        return values[0] if isinstance(measures, str | ir_measures.Measure) else values
