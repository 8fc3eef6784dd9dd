"""One topic of an evaluation: the values of runs, and what each run shows for the intents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from irdiv.analysis.coverage import uncovered_intents_of_ordered_runs
from irdiv.analysis.topics import IntentOptions, RankedDocuments, intents_of_topic, ranked_documents
from irdiv.checks import Integer, require
from irdiv.errors import printable
from irdiv.evaluation.sources import Sources
from irdiv.frames.backends import Backend, FrameHolder, FrameT_co, from_pandas, to_backend
from irdiv.frames.ids import string_array
from irdiv.measures.measure import Measure
from irdiv.show.topics import LEGEND, describe_intents, table_of_grades
from irdiv.stats.names import find_run
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


def documents_frame(rows: Sequence[tuple[object, ...]], sources: Sources) -> pd.DataFrame:
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
        sources: Sources,
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


def intent_options(sources: Sources) -> IntentOptions:
    """Return which intents count for the first measure that has such options; the defaults if none has."""
    own = [measure for measure in sources.measures if isinstance(measure, Measure)]
    first = next((measure for measure in own if "intents" in measure.declaration.by_name), None)
    return IntentOptions() if first is None else IntentOptions.of(first)


def default_cutoff(sources: Sources) -> int:
    """Return the largest cutoff of the measures up to 20; 10 if none has one."""
    return min(largest_cutoff(sources), LARGEST_DEFAULT_CUTOFF)


def largest_cutoff(sources: Sources) -> int:
    """Return the largest cutoff of the measures; 10 if none has one."""
    cutoffs = [cutoff for measure in sources.measures if (cutoff := measure.params.get("cutoff")) is not None]
    return max(cutoffs, default=DEFAULT_CUTOFF)


def missed_intents(sources: Sources, runs: Sequence[str], cutoff: int | None, rel: int | None) -> pd.DataFrame:
    """Return what `irdiv.analysis.uncovered_intents` does for some runs; for None, cutoff and rel are the measures'."""
    cutoff = largest_cutoff(sources) if cutoff is None else require(Integer(1), cutoff=cutoff)
    rel = intent_options(sources).rel if rel is None else require(Integer(1), rel=rel)
    sources.collection.require_intents("missed()")
    sources.require_documents(cutoff, f"cutoff={cutoff}")
    return uncovered_intents_of_ordered_runs({run: sources.runs[run] for run in runs}, cutoff, rel)
