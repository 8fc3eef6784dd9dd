"""Records of JSON files, frames and iterables: a dict for each line, row or item."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples, warn
from irdiv.frames.backends import backend_of
from irdiv.frames.inputs import as_frame
from irdiv.frames.readers import PARQUET, reader_of
from irdiv.frames.runs import run_name
from irdiv.frames.text import text_lines
from irdiv.types import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Fields: TypeAlias = Mapping[str, Any]
"""The fields of a record, which may hold anything that JSON may hold."""

RecordsLike: TypeAlias = "PathLike | Iterable[PathLike] | Iterable[Fields] | Mapping[str, object] | IntoFrame"
"""The path of a JSON, JSON Lines or Parquet file, compressed by gzip or not, several paths, records, or a frame."""

TOPIC_FIELDS = ("query_id", "qid", "topic_id", "question_id", "narrative_id", "sample_id", "example_id", "id")
"""The fields that name the topic of a record, the first of which is used."""


RUN_FIELDS = ("run_id", "run", "runid", "system")
"""The fields that name the run of a record, the first of which is used."""

_DOC_FIELDS = ("doc_id", "docid", "docno", "passage_id", "pid", "id")


class Record(NamedTuple):
    """One record, and where it was found."""

    fields: Fields
    where: str
    """How errors name the record."""
    name: str | None = None
    """The name that the caller gave to the data."""
    file: str | None = None
    """The name of the file without endings."""

    @property
    def run(self) -> str:
        """The name of the run: that which the caller gave, else that in the record, else that of the file."""
        if self.name is not None:
            return self.name
        for fields in (self.fields, self.fields.get("metadata")):
            if isinstance(fields, Mapping):
                for name in RUN_FIELDS:
                    if not is_missing(fields.get(name)):
                        return str(fields[name])
        return self.file or "run"

    @property
    def topic(self) -> str:
        """The id of the topic."""
        for fields in (self.fields, self.fields.get("metadata"), self.fields.get("query")):
            if isinstance(fields, Mapping):
                for name in TOPIC_FIELDS:
                    if not is_missing(fields.get(name)):
                        return id_text(fields[name], f"{self.where}: the field {name!r}")
        raise IrdivError(
            f"{self.where}: no topic id; expected one of the fields {examples(TOPIC_FIELDS, 9)}, found "
            f"{examples(self.fields, 9)}."
        )

    def sequence(self, name: str) -> list[Any]:
        """Return the list in a field; a missing one is empty."""
        return as_list(self.fields.get(name), f"{self.where}: the field {name!r}")


def read_records(data: object, role: str, content: str) -> list[Record]:
    """Return the records of data in any form; ``role`` names it in errors.

    A JSON object ``{topic: list}`` is a record for each topic, whose list is in the field ``content``.
    """
    records = list(_records(data, role, content))
    if not records:
        raise IrdivError(f"the {role} are empty: expected at least one record.")
    return records


def _records(data: object, role: str, content: str) -> Iterator[Record]:
    if isinstance(data, str | os.PathLike):
        yield from _of_file(data, role, content)
    elif backend_of(data) is not None:
        for row, fields in enumerate(_rows_of_frame(data, role)):
            yield Record(fields, f"row {row} of the {role}")
    elif isinstance(data, Mapping) and data and all(isinstance(value, str | os.PathLike) for value in data.values()):
        for name, path in data.items():
            for record in _of_file(path, role, content):
                yield record._replace(name=str(name))
    elif isinstance(data, Mapping):
        yield from _of_json(data, content, f"the {role}", None)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        for index, item in enumerate(data):
            if isinstance(item, str | os.PathLike):
                yield from _of_file(item, role, content)
            else:
                yield _record(item, f"record {index} of the {role}", None)
    else:
        raise IrdivError(
            f"cannot read the {role} from {type(data).__name__!r}. Give the path of a JSON Lines file, several paths, "
            "an iterable of dicts or a frame."
        )


def _record(item: object, where: str, file: str | None) -> Record:
    if not isinstance(item, Mapping):
        raise IrdivError(f"{where}: expected an object with named fields, found {str(item)[:60]!r}.")
    return Record(item, where, file=file)


def _of_file(path: PathLike, role: str, content: str) -> Iterator[Record]:
    file = run_name(path).removesuffix(".jsonl").removesuffix(".json")
    if os.path.exists(path) and reader_of(path) is PARQUET:
        for row, fields in enumerate(_rows_of_frame(path, role)):
            yield Record(fields, f"{path}, row {row}", file=file)
        return
    lines = [(number, line) for number, line in enumerate(text_lines(path, role), 1) if line.strip()]
    if not lines:
        raise IrdivError(f"{path}: the {role} file is empty; expected a JSON object in each line.")
    try:
        values = [(number, json.loads(line)) for number, line in lines]
    except json.JSONDecodeError:
        yield from _of_json(_whole_file(path, role, lines), content, str(path), file)
        return
    if len(values) == 1:
        yield from _of_json(values[0][1], content, str(path), file)
        return
    for number, value in values:
        yield _record(value, f"{path}, line {number}", file)


def _whole_file(path: PathLike, role: str, lines: list[tuple[int, str]]) -> object:
    """Return a JSON value that takes several lines; an error names the first line that is not JSON."""
    try:
        return json.loads("\n".join(line for _, line in lines))
    except json.JSONDecodeError:
        number, line, message = next((number, line, message) for number, line in lines if (message := _problem(line)))
        raise IrdivError(
            f"{path}, line {number}: not JSON ({message}); expected a {role} file with a JSON object in each line, "
            f"found {line.strip()[:60]!r}."
        ) from None


def _problem(line: str) -> str | None:
    """Return what is wrong with a line of JSON."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.msg
    return None


def _of_json(value: object, content: str, where: str, file: str | None) -> Iterator[Record]:
    """Yield the records of a JSON value: a list of them, one, or an object with a list for each topic."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield _record(item, f"{where}, item {index}", file)
    elif isinstance(value, Mapping) and not {*TOPIC_FIELDS, "metadata", "query"}.isdisjoint(value):
        yield Record(value, where, file=file)
    elif isinstance(value, Mapping):
        for topic, items in value.items():
            if not isinstance(items, list | tuple | Mapping):
                raise IrdivError(
                    f"{where}: no topic id; expected records with one of the fields {examples(TOPIC_FIELDS, 9)}, or "
                    f"{{topic: list}}, found the field {topic!r} with {str(items)[:60]!r}."
                )
            yield Record({"query_id": topic, content: items}, f"{where}, topic {topic!r}", file=file)
    else:
        raise IrdivError(f"{where}: expected JSON objects, found {str(value)[:60]!r}.")


def _rows_of_frame(data: object, role: str) -> list[dict[str, Any]]:
    native = nw.to_native(as_frame(data, role, ()))
    if not isinstance(native, pd.DataFrame):
        return list(nw.from_native(native, eager_only=True).to_arrow().to_pylist())
    return [{str(name): _plain(value) for name, value in row.items()} for row in native.to_dict("records")]


def _plain(value: object) -> object:
    """Return a value of numpy or pandas as JSON has it; lists of Parquet files come as arrays."""
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if is_missing(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def warn_about_empty(records: Sequence[Record], name: str) -> None:
    """Warn about records whose list is empty, so that their topics are left out."""
    if records:
        topics = examples(dict.fromkeys(record.topic for record in records))
        warn(f"{len(records)} topics have no {name} and are left out: {topics}.")


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN or an empty string."""
    return value is None or value is pd.NA or value == "" or (isinstance(value, float) and value != value)


def as_list(value: object, where: str) -> list[Any]:
    """Return a value that must be a list; a missing one is empty."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(value)
    raise IrdivError(f"{where} must be a list, found {str(value)[:60]!r}.")


def id_text(value: object, where: str) -> str:
    """Return an id as a string; 51.0 is 51."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if is_missing(value) or not isinstance(value, str | int | float):
        raise IrdivError(f"{where} must be an id, found {str(value)[:60]!r}.")
    return str(value)


def doc_ids(values: Iterable[object], where: str) -> list[str]:
    """Return ids of documents, which may be in objects with a field such as ``doc_id`` or ``passage_id``."""
    ids = []
    for value in values:
        if isinstance(value, Mapping):
            value = next(
                (value[name] for name in ("doc_id", "docid", "docno", "passage_id", "pid", "id") if name in value), None
            )
        ids.append(id_text(value, where))
    return ids
