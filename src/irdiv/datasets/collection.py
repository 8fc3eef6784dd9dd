"""Test collections: qrels, intents and topics as frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from irdiv.datasets.pool import restrict_to_pool
from irdiv.errors import IrdivError, examples
from irdiv.io.columns import PLACEHOLDER_DOC_ID
from irdiv.io.tables import QrelsHolder, RunLike

_SHOWN_NOTES = 5


@dataclass(frozen=True, repr=False, eq=False)
class Dataset(QrelsHolder):
    """A diversity collection: its frames, and notes on what was repaired or left out when it was read."""

    __test__ = False  # not a test case of pytest

    name: str
    qrels: pd.DataFrame
    """``query_id, intent_id, doc_id, relevance``, with the intents folded in."""
    intents: pd.DataFrame
    """``query_id, intent_id, type, description``, and ``probability`` and ``parent_id`` where they are known."""
    topics: pd.DataFrame
    """``query_id, query, type, description``."""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        relevant = self.qrels[self.qrels["relevance"] > 0]
        intents_with_relevant = len(relevant[["query_id", "intent_id"]].drop_duplicates())
        judgments = int((self.qrels["doc_id"] != PLACEHOLDER_DOC_ID).sum())
        judged = set(self.qrels["query_id"])
        n_unknown = len(judged.difference(self.topics["query_id"]))
        of_topics = f", {n_unknown:,} of them without a text" if n_unknown else f" of {len(self.topics):,}"
        hidden_notes = len(self.notes) - _SHOWN_NOTES
        lines = [
            self.name,
            f"  {len(judged):,} judged topics{of_topics}",
            f"  {len(self.intents):,} intents, {intents_with_relevant:,} with a relevant document",
            f"  {judgments:,} judgments, {len(relevant):,} of them relevant",
            *(f"  note: {note}" for note in self.notes[:_SHOWN_NOTES]),
            *([f"  and {hidden_notes} more in .notes"] if hidden_notes > 0 else []),
        ]
        return "\n".join(lines)

    def subset(
        self,
        query_ids: Iterable[object] | None = None,
        *,
        runs: RunLike | Mapping[str, RunLike] | None = None,
        depth: int | None = None,
    ) -> Dataset:
        """Return a copy with some of the topics, or with only the judgments of documents in a pool of runs.

        Parameters
        ----------
        query_ids
            The topics to keep; all by default.
        runs
            One run, or a mapping from name to run. Judgments of documents that none of them ranks among its first
            ``depth`` are left out, so that those documents are unjudged.
        depth
            How many documents of each topic each run contributes to the pool; all by default.
        """
        frames = [self.qrels, self.intents, self.topics]
        if query_ids is not None:
            kept = _check_topics(query_ids, self.topics["query_id"])
            frames = [frame[frame["query_id"].isin(kept)] for frame in frames]
        if runs is not None:
            frames[0] = restrict_to_pool(frames[0], runs, depth)
        elif depth is not None:
            raise IrdivError("depth is the depth of a pool; give also the runs of the pool.")
        qrels, intents, topics = (frame.reset_index(drop=True) for frame in frames)
        return replace(self, qrels=qrels, intents=intents, topics=topics)


def _check_topics(query_ids: Iterable[object], known: pd.Series[str]) -> set[str]:
    """Return one or several topic ids as strings; raise an error for one that is not known."""
    is_one = isinstance(query_ids, str) or not isinstance(query_ids, Iterable)
    ids = {str(query) for query in ([query_ids] if is_one else query_ids)}
    unknown = sorted(ids - set(known))
    if unknown:
        raise IrdivError(f"the collection has no topic {examples(unknown)}; its topics are {examples(known)}.")
    return ids
