"""Values in fields of records: ids, numbers, texts and lists, checked."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import pandas as pd

from irdiv.errors import IrdivError, examples, warn
from irdiv.io.columns import column_names

Fields: TypeAlias = Mapping[str, Any]
"""The fields of a record, which may hold anything that JSON may hold."""

DOC_FIELDS = column_names("doc_id", "contexts")
"""The fields that name a document, the first of which is used."""


OTHER_TEXT_FIELDS = ("fact", "claim", "aspect", "rubric")
"""Fields with the text of a nugget, if it is in no other."""

TEXT_FIELDS = (*column_names("description", "nuggets"), "question", *OTHER_TEXT_FIELDS)
"""The fields with the text of a nugget in a list, the first of which is used."""

_LIKE_DOCUMENTS = re.compile(
    "doc|passage|chunk|segment|context|corpus|support|evidence|reference|citation", re.IGNORECASE
)
"""A part of the names of fields that are likely to list documents."""


def normalize_text(text: str) -> str:
    """Return a text with single spaces between words.

    >>> normalize_text(" A  nugget ")
    'A nugget'
    """
    return " ".join(text.split())


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN or an empty string."""
    return value is None or value is pd.NA or value == "" or (isinstance(value, float) and value != value)


def as_list(value: object, where: str) -> list[object]:
    """Return a value that must be a list; a missing one is empty."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(value)
    raise IrdivError(f"{where} must be a list, found {str(value)[:60]!r}.")


def rows_of_columns(value: object) -> object:
    """Return a list of objects for an object of lists with texts, as older versions of Hugging Face store it.

    >>> rows_of_columns({"_id": ["1", "2"], "text": ["a", "b"]})
    [{'_id': '1', 'text': 'a'}, {'_id': '2', 'text': 'b'}]
    """
    if not isinstance(value, Mapping) or set(TEXT_FIELDS).isdisjoint(value):
        return value
    columns = list(value.values())
    if not all(isinstance(column, list | tuple) and len(column) == len(columns[0]) for column in columns):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def id_text(value: object, where: str) -> str:
    """Return an id as a string; 51.0 is 51."""
    if is_missing(value):
        raise IrdivError(f"{where} is missing; expected an id.")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise IrdivError(f"{where} must be an id, found {str(value)[:60]!r}.")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_number(value: object, where: str) -> float:
    """Return a number, which may be written as a string."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
            if math.isfinite(number):
                return value if isinstance(value, int) else number
    found = "nothing" if is_missing(value) else repr(str(value)[:60])
    raise IrdivError(f"{where} must be a finite number, found {found}.")


def optional_weight(value: object, where: str) -> float | None:
    """Return the weight of a nugget, None for a missing one."""
    return None if is_missing(value) else float(as_number(value, f"{where}: the weight"))


def optional_text(value: object, where: str) -> str | None:
    """Return a text with single spaces between words, None for a missing one."""
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise IrdivError(f"{where} must be a text, found {str(value)[:60]!r}.")
    return normalize_text(value)


def nugget_text(item: Fields, where: str) -> str:
    """Return the text of a nugget in a list, with single spaces between words; it is an error if there is none."""
    text = next((item[name] for name in TEXT_FIELDS if not is_missing(item.get(name))), None)
    if not isinstance(text, str) or not text.strip():
        raise IrdivError(
            f"{where}: no text; expected one of the fields {examples(TEXT_FIELDS, 9)}, found {str(dict(item))[:80]}."
        )
    return normalize_text(text)


def doc_ids(values: Iterable[object], where: str) -> list[str]:
    """Return ids of documents, which may be in objects with a field ``doc_id``, ``docid``, …."""
    ids = []
    for value in values:
        if isinstance(value, Mapping):
            name = next((name for name in (*DOC_FIELDS, "id") if name in value), None)
            if name is None:
                raise IrdivError(
                    f"{where}: a document without an id; expected one of the fields "
                    f"{examples([*DOC_FIELDS, 'id'], 12)}, found {examples(value, 9)}."
                )
            value = value[name]
        ids.append(id_text(value, f"{where}: the id of a document"))
    return ids


def unread_documents(nuggets: Iterable[Fields], read: Collection[str]) -> list[str]:
    """Return the fields of nuggets that seem to name documents, if no field that is read does.

    Parameters
    ----------
    nuggets
        The fields of each nugget.
    read
        The fields of documents that are read.
    """
    unread: dict[str, None] = {}
    for fields in nuggets:
        for name, value in fields.items():
            is_list = isinstance(value, list | tuple | Mapping)
            if is_missing(value) or (is_list and not value):
                continue
            if name in read:
                return []
            if name in DOC_FIELDS or (is_list and _LIKE_DOCUMENTS.search(name)):
                unread[name] = None
    return list(unread)


def warn_about_unread_documents(nuggets: Iterable[Fields], read: Collection[str], remedy: str) -> None:
    """Warn about fields of nuggets that seem to name documents, if no field that is read does."""
    unread = unread_documents(nuggets, read)
    if unread:
        warn(
            f"no documents of nuggets are read; is it the field {examples(unread)} that names those that support them? "
            f"{remedy}"
        )
