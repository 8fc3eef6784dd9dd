"""Votes of assessors, from a frame or a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError
from irdiv.io.columns import ASSESSMENT_COLUMNS, find_columns, has_columns, raise_if_empty
from irdiv.io.ids import as_ids, natural_argsort
from irdiv.io.tables import as_frame
from irdiv.io.text import csv_rows, text_lines
from irdiv.io.values import float_values, integer_grades, is_given
from irdiv.types import Ints, PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

AssessmentsLike: TypeAlias = "IntoFrame | PathLike"
"""A frame with the columns ``query_id, doc_id, assessor, grade`` and perhaps ``intent_id``, or a CSV file with them."""

_ROLE = "assessments"


class Assessments(NamedTuple):
    """Votes as codes of documents and of assessors; a document here is judged for one topic and intent."""

    keys: pd.DataFrame
    """The topic, the intent if there are any, and the id of each document."""
    document: Ints
    assessor: Ints
    grade: Ints
    assessors: list[str]

    def describe(self, documents: Ints) -> str:
        """Return the ids of the first few of some documents, for errors."""
        shown = [_description(self.keys.columns, self.keys.iloc[row]) for row in documents[:3]]
        return "; ".join(shown) + ("; …" if len(documents) > 3 else "")


def as_assessments(votes: AssessmentsLike) -> Assessments:
    """Return votes in any form, checked; a row without a grade is a document without this assessor's vote."""
    frame = as_frame(votes, _ROLE, ("query_id", "doc_id", "relevance"), _read_text)
    names = find_columns(frame.columns, _ROLE, ASSESSMENT_COLUMNS, ("intent_id",))
    float_values(frame[names["relevance"]], _ROLE, allow_missing=True)
    is_vote = is_given(frame[names["relevance"]])
    raise_if_empty(int(np.count_nonzero(is_vote)), ASSESSMENT_COLUMNS, _ROLE)
    keys = [name for name in ("query_id", "intent_id", "doc_id") if name in names]
    ids = pd.DataFrame({key: np.asarray(as_ids(frame[names[key]], _ROLE), dtype=object) for key in (*keys, "assessor")})
    repeated = ids[ids.duplicated()]
    if len(repeated):
        *document, assessor = repeated.iloc[0]
        raise IrdivError(
            f"assessor {assessor!r} has two votes for {_description(keys, document)}; leave one of them out."
        )
    distinct = ids["assessor"].unique().tolist()
    assessors = [distinct[index] for index in natural_argsort(distinct)]
    return Assessments(
        keys=ids[keys].drop_duplicates(ignore_index=True),
        document=ids.groupby(keys, sort=False).ngroup().to_numpy().astype(np.int64)[is_vote],
        assessor=pd.Index(assessors).get_indexer(pd.Index(ids["assessor"]))[is_vote],
        grade=integer_grades(frame.filter(is_vote.tolist())[names["relevance"]]),
        assessors=assessors,
    )


def _read_text(path: PathLike) -> pd.DataFrame:
    """Read a file with a header, separated by tabs, semicolons or commas."""
    path = Path(path)
    lines = text_lines(path, _ROLE)
    for separator in "\t;,":
        rows = list(csv_rows(path, lines, separator, _ROLE)) if separator in lines[0] else []
        if rows and has_columns(rows[0][1], _ROLE, ASSESSMENT_COLUMNS):
            break
    else:
        raise IrdivError(
            f"{path}: found {lines[0][:80]!r}; expected a header that names query_id, doc_id, assessor and grade, "
            "separated by tabs, semicolons or commas."
        )
    columns = rows.pop(0)[1]
    for line, cells in rows:
        if len(cells) != len(columns):
            found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
            raise IrdivError(f"{path}, line {line}: found {found}; expected {len(columns)}, {', '.join(columns)}.")
    frame = pd.DataFrame([cells for _, cells in rows], columns=columns, dtype=str)
    return frame.where(frame != "", None)


def _description(keys: Iterable[str], ids: Iterable[str]) -> str:
    words = {"query_id": "topic", "intent_id": "intent", "doc_id": "document"}
    return ", ".join(f"{words[key]} {id_!r}" for key, id_ in zip(keys, ids, strict=True))
