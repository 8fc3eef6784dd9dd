"""Assignments of nuggets to answers, and to retrieved documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from irdiv.errors import IrdivError, counted, examples, warn
from irdiv.io.tables import returns_callers_frame
from irdiv.rag.fields import DOC_FIELDS, Fields, id_text, is_missing, optional_text, optional_weight
from irdiv.rag.labels import WEIGHT_FIELDS, LabelMapping, Labels, warn_about_unread_weights
from irdiv.rag.records import Record, RecordsLike, find_fields, read_records, require_one_record, warn_about_empty
from irdiv.rag.tables import (
    Duplicates,
    Nugget,
    id_of_text,
    merge_nuggets,
    qrels_table,
    require_all_ids,
    without_empty_columns,
)

_COLUMNS = ["run", "query_id", "intent_id", "description", "importance", "weight", "assignment"]


class _Assignment(NamedTuple):
    """A nugget assigned to an answer, or to a document."""

    run: str
    query_id: str
    doc_id: str | None
    given_id: str | None
    text: str | None
    importance: object
    weight: float | None
    label: object
    where: str

    @property
    def intent_id(self) -> str:
        """The id that was given, or else that of the text."""
        if self.given_id is not None:
            return self.given_id
        if self.text is None:
            raise IrdivError(f"{self.where}: the nugget has neither an id nor a text.")
        return id_of_text(self.text)


@returns_callers_frame
def read_assignments(
    paths: RecordsLike,
    *,
    labels: LabelMapping | None = None,
    importance_weights: Mapping[str, float] | None = None,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Read nuggets assigned to answers, as nuggetizer does; those assigned to retrieved documents are qrels.

    An answer is a record ``{qid, run_id, nuggets: [{text, importance, assignment}]}``. A record with ``docid`` judges a
    document: ``support`` is grade 2, ``partial_support`` 1 and ``not_support`` 0. Rows of a table with one assignment
    each, ``run, query_id, nugget_id or text, importance or weight, assignment`` and perhaps ``doc_id``, are also
    accepted.

    Parameters
    ----------
    paths
        The path of a JSON Lines file, compressed by gzip or not, several paths, a mapping from name of run to path, an
        iterable of dicts, or a frame. A run without ``run_id`` is named after its file.
    labels
        A mapping of labels outside the vocabulary to one inside it, ``{"supporter": "support"}``. Unknown labels are
        never guessed but named and counted in a warning. In answers they are kept and score 0; a judgment of a document
        is left out, and its nugget stays declared.
    importance_weights
        The weights of importance labels in qrels, by default ``{"vital": 1, "okay": 0.5}``; unknown ones have weight 0.
    duplicates
        For documents, ``"error"`` to raise an error where a nugget is repeated with another importance or assignment,
        ``"first"`` to keep the first. Repeated nuggets of answers are all kept, since nuggetizer's scores count each:
        the second has the id of the first with ``-2`` at the end.

    Returns
    -------
    DataFrame
        For answers ``run, query_id, intent_id, description, importance, weight, assignment``; for documents the qrels
        ``query_id, intent_id, doc_id, relevance, description, importance, probability``. Columns without values are
        left out.

    Examples
    --------
    >>> from irdiv.rag import read_assignments
    >>> nuggets = [{"text": "has spots", "importance": "okay", "assignment": "partial_support"}]
    >>> read_assignments([{"qid": "jaguar", "run_id": "a", "nuggets": nuggets}])
      run query_id   intent_id description importance       assignment
    0   a   jaguar  n-93b77310   has spots       okay  partial_support
    >>> read_assignments([{"qid": "jaguar", "docid": "d1", "nuggets": nuggets}])
      query_id   intent_id doc_id  relevance description importance  probability
    0   jaguar  n-93b77310     d1          1   has spots       okay          0.5
    """
    known = Labels(labels, importance_weights)
    found = list(_assignments(read_records(paths, "assignments", "nuggets")))
    require_all_ids((one.where, one.given_id) for one in found)
    judged = [one for one in found if one.doc_id is not None]
    if len(judged) not in (0, len(found)):
        other = next(one for one in found if one.doc_id is None)
        raise IrdivError(
            f"{other.where}: no document, but {judged[0].where} has one; read assignments to answers and to documents "
            "separately."
        )
    return _qrels(judged, known, duplicates) if judged else _answers(found, known)


def _assignments(records: Sequence[Record]) -> Iterator[_Assignment]:
    if any("nuggets" in record.fields for record in records):
        first_of: dict[tuple[str, str], str] = {}
        for record in records:
            assignments = list(_of_record(record))
            if assignments and assignments[0].doc_id is None:
                require_one_record(record, first_of)
            yield from assignments
        warn_about_empty([record for record in records if not record.sequence("nuggets")], "nuggets")
        items = (item for record in records for item in record.sequence("nuggets"))
        warn_about_unread_weights((item for item in items if isinstance(item, Mapping)), WEIGHT_FIELDS)
        return
    optional = ("run", "intent_id", "description", "importance", "weight", "doc_id")
    names = find_fields(records, "assignments", ("query_id", "relevance"), optional)
    weights = [names[name] for name in WEIGHT_FIELDS if name in names]
    warn_about_unread_weights((record.fields for record in records), weights)
    for record in records:
        row = {name: record.fields.get(column) for name, column in names.items()}
        yield _Assignment(
            record.run,
            id_text(row["query_id"], record.where),
            None if is_missing(row.get("doc_id")) else id_text(row["doc_id"], record.where),
            None if is_missing(row.get("intent_id")) else id_text(row["intent_id"], record.where),
            optional_text(row.get("description"), f"{record.where}: {names.get('description')}"),
            row.get("importance"),
            optional_weight(row.get("weight"), record.where),
            row["relevance"],
            record.where,
        )


def _of_record(record: Record) -> Iterator[_Assignment]:
    doc = next((record.fields[name] for name in DOC_FIELDS if not is_missing(record.fields.get(name))), None)
    for index, item in enumerate(record.sequence("nuggets")):
        where = f"{record.where}, nuggets[{index}]"
        if not isinstance(item, Mapping) or "assignment" not in item:
            raise IrdivError(
                f"{where}: no assignment, found {_shown(item)}. Nuggets alone are read by irdiv.rag.read_nuggets."
            )
        given_id = next((item[name] for name in ("_id", "id", "nugget_id") if not is_missing(item.get(name))), None)
        yield _Assignment(
            record.run,
            record.topic,
            None if doc is None else id_text(doc, record.where),
            None if given_id is None else id_text(given_id, where),
            optional_text(item.get("text"), f"{where}: text"),
            item.get("importance"),
            optional_weight(item.get("weight"), where),
            item["assignment"],
            where,
        )


def _shown(item: object) -> str:
    fields: Fields | None = item if isinstance(item, Mapping) else None
    return repr(str(item)[:60]) if fields is None else f"the fields {examples(fields, 9)}"


def _qrels(found: Sequence[_Assignment], labels: Labels, duplicates: Duplicates) -> pd.DataFrame:
    nuggets = []
    for one in found:
        assert one.doc_id is not None
        grade = labels.grade(one.label, f"{one.where}: the assignment")
        nuggets.append(
            Nugget(
                one.query_id,
                one.intent_id,
                one.text,
                labels.importance(one.importance),
                one.weight,
                grades={} if grade is None else {one.doc_id: grade},
                occurrence=f"{one.doc_id}",
            )
        )
    merged = merge_nuggets(nuggets, duplicates)
    labels.report_unknown("left out", needs_support=True)
    return qrels_table(merged, {}, labels)


def _answers(found: Sequence[_Assignment], labels: Labels) -> pd.DataFrame:
    occurrences: Counter[tuple[str, str, str]] = Counter()
    rows, repeated = [], []
    for one in found:
        key = one.run, one.query_id, one.intent_id
        occurrences[key] += 1
        suffix = "" if occurrences[key] == 1 else f"-{occurrences[key]}"
        if suffix:
            repeated.append(one)
        label = labels.support(one.label)
        importance = labels.importance(one.importance)
        rows.append((*key[:2], one.intent_id + suffix, one.text, importance, one.weight, label))
    labels.report_unknown("scored 0")
    if repeated:
        warn(
            f"{counted(len(repeated), 'nugget repeats', 'nuggets repeat')} one of the same topic and run; all are "
            "kept, with ids of their own: "
            f"{examples(f'{one.query_id} {(one.text or one.intent_id)[:60]}' for one in repeated)}."
        )
    frame = pd.DataFrame(rows, columns=_COLUMNS, dtype=object).astype({"weight": float})
    return without_empty_columns(frame)
