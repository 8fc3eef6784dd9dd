"""Cases of an evaluation on which measures disagree, with what both runs show."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import pandas as pd

from irdiv.checks import Integer, require
from irdiv.errors import IrdivError
from irdiv.evaluation.topics import TopicReport
from irdiv.frames.backends import Backend, FrameHolder, FrameT_co, from_pandas
from irdiv.show.topics import LEGEND, table_of_grades


class Cases(FrameHolder[FrameT_co]):
    """Topics and pairs of runs on which measures disagree, with the grades of both runs by intent and rank.

    It prints as table 6 of Sakai and Song (SIGIR 2011): the differences of each case, how many intents each run covers,
    and what it shows at each rank.

    Parameters
    ----------
    differences
        What `irdiv.stats.disagreements` returns, in pandas.
    topics
        A report for each case on its topic, of the two runs.
    specs
        Specs of the measures that have a column of differences.
    no_documents
        The documents of a topic's intents as a frame without rows, for when there are no cases.
    backend
        The frame library of results.
    """

    def __init__(
        self,
        differences: pd.DataFrame,
        topics: Sequence[TopicReport[FrameT_co]],
        specs: Sequence[str],
        no_documents: pd.DataFrame,
        backend: Backend = "pandas",
    ) -> None:
        self.topics, self.backend = tuple(topics), backend
        self._specs, self._no_documents = list(specs), no_documents
        self._frame = differences.copy()
        self._frame.insert(0, "case", range(1, len(differences) + 1))

    @property
    def frame(self) -> FrameT_co:
        """The cases: ``case``, counted from 1, and the columns of `irdiv.stats.disagreements`."""
        return from_pandas(self._frame, self.backend)

    @property
    def intents(self) -> FrameT_co:
        """The relevant documents of both runs of each case: ``case, query_id`` and the columns of a topic's intents."""
        frames = [nw.from_native(topic.intents, eager_only=True).to_pandas() for topic in self.topics]
        parts = [
            frame.assign(case=case, query_id=topic.query_id)
            for case, (frame, topic) in enumerate(zip(frames, self.topics, strict=True), 1)
        ]
        no_case = pd.DataFrame({"case": pd.Series(dtype=int), "query_id": pd.Series(dtype=str)})
        together = pd.concat(parts, ignore_index=True) if parts else no_case.join(self._no_documents)
        first = ["case", "query_id"]
        return from_pandas(together[[*first, *(c for c in together if c not in first)]], self.backend)

    def topic(self, case: int) -> TopicReport[FrameT_co]:
        """Return the report on the topic of a case, counted from 1, with the two runs."""
        if not self.topics:
            raise IrdivError(f"there is no case {case}, as there are no cases: the measures do not disagree.")
        return self.topics[require(Integer(1, len(self.topics)), case=case) - 1]

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        if not self.topics:
            return "no cases"
        return "\n\n".join([*(self._draw(case) for case in range(1, len(self) + 1)), LEGEND])

    def _draw(self, case: int) -> str:
        topic, row = self.topics[case - 1], self._frame.iloc[case - 1]
        differences = ", ".join(f"{spec} {row[spec]:+.4f}" for spec in self._specs)
        grades = {f"{run} ({covered})": g for run, g, covered in topic.coverage()}
        intents = f"{topic.intent_count} intent{'s' if topic.intent_count != 1 else ''}"
        head = f"case {case}: topic {topic.query_id}, {intents}; {differences}"
        return "\n".join([head, *table_of_grades(grades, topic.cutoff)])
