"""A run of records with one document each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from irdiv.errors import IrdivError, counted, examples, warn
from irdiv.io.columns import has_columns, order_column
from irdiv.rag.fields import as_number, id_text, is_missing
from irdiv.rag.records import Record, field_names, find_fields


def run_of_rows(name: str, records: Sequence[Record]) -> pd.DataFrame:
    """Return a run of records with one document each: ``query_id, doc_id`` and ``score`` or ``rank``, or both."""
    _raise_if_lists(records)
    by = order_column(field_names(records), "input")
    names = find_fields(records, "contexts", ("query_id", "doc_id", by), ("rank",))
    columns: dict[str, list[object]] = {
        column: [_cell(record, field, column, by) for record in records] for column, field in names.items()
    }
    _raise_if_repeated(name, records, columns)
    if by == "rank":
        _warn_about_equal_ranks(name, columns)
    return pd.DataFrame(columns)


def _raise_if_lists(records: Sequence[Record]) -> None:
    """Raise an error if records have no document but a list, which may be that of their documents."""
    for record in records:
        has_list = any(isinstance(value, list | tuple) for value in record.fields.values())
        if has_list and not has_columns(record.fields, "contexts", ["doc_id"]):
            raise IrdivError(
                f"{record.where}: no documents; expected a list in the field 'documents', 'contexts' or 'references', "
                f"or a field 'doc_id', found {examples(record.fields, 9)}."
            )


def _cell(record: Record, field: str, column: str, by: str) -> object:
    value, where = record.fields.get(field), f"{record.where}: {field}"
    if column in ("query_id", "doc_id"):
        return id_text(value, where)
    return None if column != by and is_missing(value) else as_number(value, where)


def _raise_if_repeated(name: str, records: Sequence[Record], columns: Mapping[str, Sequence[object]]) -> None:
    """Raise an error if a topic is in two files, or a document occurs twice for a topic: these may be two runs."""
    first_of_topic: dict[object, Record] = {}
    first_of: dict[tuple[object, object], Record] = {}
    for record, topic, doc in zip(records, columns["query_id"], columns["doc_id"], strict=True):
        first = first_of_topic.setdefault(topic, record)
        if first.path != record.path:
            raise _repeated_error(record, name, f"topic {topic!r}", first)
        first = first_of.setdefault((topic, doc), record)
        if first is not record:
            raise _repeated_error(record, name, f"document {doc!r} of topic {topic!r}", first)


def _repeated_error(record: Record, name: str, what: str, first: Record) -> IrdivError:
    return IrdivError(
        f"{record.where}: run {name!r} has {what} already in {first.where}. Remove one; if these are two runs, name "
        "them by 'run_id' in each record, or name the files: {'name': path}."
    )


def _warn_about_equal_ranks(name: str, columns: Mapping[str, Sequence[object]]) -> None:
    times = Counter(zip(columns["query_id"], columns["rank"], strict=True))
    topics = dict.fromkeys(topic for (topic, _), count in times.items() if count > 1)
    if topics:
        count = counted(len(topics), "topic", "topics")
        warn(
            f"run {name!r} has equal ranks in {count} ({examples(topics)}), where documents are ordered "
            "by id. If these are two runs, name them by 'run_id' in each record."
        )
