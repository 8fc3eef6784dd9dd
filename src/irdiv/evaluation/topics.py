"""Single topics of an evaluation: values of runs, what each run shows for the intents, and where measures disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypedDict

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.analysis.coverage import uncovered_intents_of_ordered_runs
from irdiv.analysis.topics import IntentOptions, RankedDocuments, intents_of_topic, ranked_documents
from irdiv.checks import Integer, require
from irdiv.errors import IrdivError, printable
from irdiv.evaluation.scoring import Scored
from irdiv.io.ids import string_array
from irdiv.io.tables import Backend, FrameHolder, FrameT_co, from_pandas, to_backend
from irdiv.measures.measure import Measure
from irdiv.measures.spec import MeasuresLike
from irdiv.show.topics import LEGEND, describe_intents, table_of_grades
from irdiv.stats.cases import SignificantBy
from irdiv.stats.names import find_run
from irdiv.stats.options import Rng, TestName
from irdiv.types import Floats

DEFAULT_CUTOFF = 10
LARGEST_DEFAULT_CUTOFF = 20
_MOST_PRINTED = 8
"""How many runs are printed with the grades of their documents."""

_COLUMNS = ("run", "intent_id", "description", "probability", "rank", "doc_id", "grade")
_COLUMN_TYPES = {
    "run": "str",
    "intent_id": "str",
    "probability": "float",
    "rank": "int",
    "doc_id": "str",
    "grade": "int",
}


def documents_frame(rows: Sequence[tuple[object, ...]], sources: Scored) -> pd.DataFrame:
    """Return the frame of relevant documents by intent; it has descriptions if the qrels have them."""
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype(_COLUMN_TYPES)
    return frame if sources.collection.intent_description is not None else frame.drop(columns="description")


class TopicReport(FrameHolder[FrameT_co]):
    """A topic: the values of runs, and the grades of their documents for each intent, down to a cutoff.

    It prints as both. The intents are those that count for the first measure that has intents.

    Parameters
    ----------
    sources
        The qrels and runs.
    query_id
        The id of the topic, which must be one of the qrels.
    runs
        Names of runs.
    specs
        Specs of the measures.
    values
        Their values for the topic, ``[run, measure]``.
    cutoff
        The last rank; by default the largest cutoff of the measures up to 20.
    backend
        The frame library of results.
    """

    def __init__(
        self,
        sources: Scored,
        query_id: str,
        runs: Sequence[str],
        specs: Sequence[str],
        values: Floats,
        cutoff: int | None = None,
        backend: Backend = "pandas",
    ) -> None:
        self.cutoff = default_cutoff(sources) if cutoff is None else cutoff
        sources.require_documents(self.cutoff, f"cutoff={self.cutoff}")
        self.query_id, self.runs, self.backend = query_id, tuple(runs), backend
        self._sources, self._specs, self._values = sources, list(specs), values

    @property
    def scores(self) -> FrameT_co:
        """The values for this topic: a row for each run, a column for each measure.

        In pandas, runs are the index; in polars and Arrow, they are the first column.
        """
        return from_pandas(self._scores, self.backend)

    @property
    def _scores(self) -> pd.DataFrame:
        return pd.DataFrame(self._values, index=pd.Index(self.runs, name="run"), columns=self._specs)

    @property
    def intents(self) -> FrameT_co:
        """The relevant documents of each run, tidy: ``run, intent_id, description, probability, rank, doc_id, grade``.

        A row for each document and each intent that it is relevant to; ``description`` only if the qrels have them.
        """
        rows = [row for run in self.runs for row in self._relevant_documents(run)]
        return from_pandas(documents_frame(rows, self._sources), self.backend)

    def _relevant_documents(self, run: str) -> list[tuple[object, ...]]:
        documents = self._documents(run)
        return [
            (run, intent_id, description, probability, int(hit) + 1, documents.doc_ids[hit], int(grades[hit]))
            for (intent_id, probability, description), grades in zip(
                self._intents.itertuples(index=False), documents.grades[self._intents.index], strict=True
            )
            for hit in np.flatnonzero(grades)
        ]

    def grades(self, run: str) -> FrameT_co:
        """Return the grades of a run's documents: a row for each intent, a column for each rank.

        They are 0 for documents that are judged but not relevant to the intent, and missing for unjudged ones. In
        pandas, intents are the index; in polars and Arrow, they are the first column, and ranks are strings.
        """
        frame = self._grades(self.runs[find_run(self.runs, run)])
        if self.backend == "pandas":
            converted: Any = frame
            return converted
        columns = {
            str(rank): pa.array(frame[rank].to_numpy(float, na_value=np.nan), from_pandas=True) for rank in frame
        }
        integers = {name: column.cast(pa.int64()) for name, column in columns.items()}
        return to_backend(pa.table({"intent_id": string_array(list(frame.index)), **integers}), self.backend)

    def _grades(self, run: str) -> pd.DataFrame:
        documents = self._documents(run)
        ranks = pd.RangeIndex(1, len(documents.doc_ids) + 1, name="rank")
        intent_ids = pd.Index(self._intents["intent_id"], name="intent_id")
        frame = pd.DataFrame(documents.grades[self._intents.index], index=intent_ids, columns=ranks).astype("Int64")
        frame.loc[:, ~documents.is_judged] = pd.NA
        return frame

    def _documents(self, run: str) -> RankedDocuments:
        return ranked_documents(self._sources.runs[run], self._index, self.cutoff)

    @property
    def _index(self) -> int:
        return self._sources.collection.topic_index[self.query_id]

    @cached_property
    def _intents(self) -> pd.DataFrame:
        return intents_of_topic(self._sources.collection, self._index, self._options)

    @property
    def _options(self) -> IntentOptions:
        return intent_options(self._sources)

    @property
    def intent_count(self) -> int:
        """The count of intents that count."""
        return len(self._intents)

    def coverage(self) -> Iterator[tuple[str, pd.DataFrame, int]]:
        """Yield each run with its grades in pandas and how many intents it covers."""
        for run in self.runs:
            grades = self._grades(run)
            yield run, grades, int((grades.fillna(0) >= self._options.rel).any(axis=1).sum())

    def draw(self, limit: int | None = None, *, digits: int = 4) -> str:
        """Return what is printed, with the grades of all runs or of the first few, and values with some digits."""
        scores = self._scores.rename(index=printable, columns=printable).rename_axis(index=None)
        table = scores.to_string(float_format=f"{{:.{digits}f}}".format)
        shown = self.runs if limit is None else self.runs[:limit]
        lines = [f"topic {printable(self.query_id)}", *describe_intents(self._intents), "", table, "", LEGEND]
        lines += table_of_grades({run: self._grades(run) for run in shown}, self.cutoff)
        if len(shown) < len(self.runs):
            lines.append(f"… and {len(self.runs) - len(shown)} more runs, which .draw() shows too")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.draw(_MOST_PRINTED)


class CaseOptions(TypedDict, total=False):
    """How cases are chosen, beside the two measures: options of `irdiv.stats.disagreements`."""

    among: MeasuresLike | None
    significant: SignificantBy | None
    test: TestName | None
    correction: str | None
    level: float
    rng: Rng
    n_resamples: int | None
    plus_one: bool | None


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


def intent_options(sources: Scored) -> IntentOptions:
    """Return which intents count for the first measure that has such options; the defaults if none has."""
    own = [measure for measure in sources.measures if isinstance(measure, Measure)]
    first = next((measure for measure in own if "intents" in measure.declaration.by_name), None)
    return IntentOptions() if first is None else IntentOptions.of(first)


def default_cutoff(sources: Scored) -> int:
    """Return the largest cutoff of the measures up to 20; 10 if none has one."""
    return min(largest_cutoff(sources), LARGEST_DEFAULT_CUTOFF)


def largest_cutoff(sources: Scored) -> int:
    """Return the largest cutoff of the measures; 10 if none has one."""
    cutoffs = [cutoff for measure in sources.measures if (cutoff := measure.params.get("cutoff")) is not None]
    return max(cutoffs, default=DEFAULT_CUTOFF)


def missed_intents(sources: Scored, runs: Sequence[str], cutoff: int | None, rel: int | None) -> pd.DataFrame:
    """Return what `irdiv.analysis.uncovered_intents` does for some runs; for None, cutoff and rel are the measures'."""
    cutoff = largest_cutoff(sources) if cutoff is None else require(Integer(1), cutoff=cutoff)
    rel = intent_options(sources).rel if rel is None else require(Integer(1), rel=rel)
    sources.collection.require_intents("missed()")
    sources.require_documents(cutoff, f"cutoff={cutoff}")
    return uncovered_intents_of_ordered_runs({run: sources.runs[run] for run in runs}, cutoff, rel)
