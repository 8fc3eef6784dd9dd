"""Records of JSON files, frames and iterables: a dict for each line, row or item."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, counted, examples, warn
from irdiv.io.columns import find_columns, has_columns
from irdiv.io.runs import is_folder_of_runs, run_files, run_name
from irdiv.io.streams import is_parquet
from irdiv.io.tables import as_frame, backend_of
from irdiv.rag.fields import OTHER_TEXT_FIELDS, Fields, as_list, id_text, is_missing, rows_of_columns
from irdiv.rag.json_files import read_json
from irdiv.types import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

RecordsLike: TypeAlias = "PathLike | Iterable[PathLike] | Iterable[Fields] | Mapping[str, object] | IntoFrame"
"""The path of a JSON, JSON Lines or Parquet file, compressed by gzip or not, several paths, records, or a frame."""

TOPIC_FIELDS = ("query_id", "qid", "topic_id", "question_id", "narrative_id", "sample_id", "example_id", "id")
"""The fields that name the topic of a record, the first of which is used."""

RUN_FIELDS = ("run_id", "run", "runid", "system", "retriever")
"""The fields that name the run of a record, the first of which is used."""


_FALLBACKS = {"query_id": TOPIC_FIELDS, "description": OTHER_TEXT_FIELDS}
"""The fields that are used if a table has no other for a thing, the first of which is used."""


class Record(NamedTuple):
    """One record, and where it was found."""

    fields: Fields
    where: str
    """How errors name the record."""
    name: str | None = None
    """The name that the caller gave to the data."""
    path: PathLike | None = None
    """The path of its file."""

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
        return "run" if self.path is None else name_of_file(self.path)

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

    def sequence(self, name: str) -> list[object]:
        """Return the list in a field; a missing one is empty."""
        return as_list(rows_of_columns(self.fields.get(name)), f"{self.where}: the field {name!r}")


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
        for path in _files_of_folder(data, role) if is_folder_of_runs(data) else [data]:
            yield from _of_file(path, role, content)
    elif backend_of(data) is not None:
        for row, fields in enumerate(_rows_of_frame(data, role)):
            yield Record(fields, f"row {row} of the {role}")
    elif isinstance(data, Mapping) and data and all(map(_is_path_or_frame, data.values())):
        for name, source in data.items():
            for record in _records(source, f"{role} {name!r}", content):
                yield record._replace(name=str(name))
    elif isinstance(data, Mapping):
        yield from _of_json(data, content, f"the {role}")
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        for index, item in enumerate(data):
            if isinstance(item, str | os.PathLike):
                yield from _of_file(item, role, content)
            else:
                yield _record(item, f"record {index} of the {role}")
    else:
        raise IrdivError(
            f"cannot read the {role} from {type(data).__name__!r}. Give the path of a JSON Lines file, several paths, "
            "an iterable of dicts or a frame."
        )


def _files_of_folder(folder: PathLike, role: str) -> list[Path]:
    if all(path.name.startswith(".") for path in Path(folder).iterdir()):
        raise IrdivError(
            f"the folder {str(folder)!r} has no files; expected JSON, JSON Lines or Parquet files of {role}."
        )
    return run_files(folder)


def _is_path_or_frame(data: object) -> bool:
    return isinstance(data, str | os.PathLike) or backend_of(data) is not None


def _record(item: object, where: str) -> Record:
    if not isinstance(item, Mapping):
        raise IrdivError(f"{where}: expected an object with named fields, found {str(item)[:60]!r}.")
    return Record(item, where)


def _of_file(path: PathLike, role: str, content: str) -> Iterator[Record]:
    if os.path.exists(path) and is_parquet(path):
        records = [Record(fields, f"{path}, row {row}") for row, fields in enumerate(_rows_of_frame(path, role))]
    else:
        values = read_json(path, role)
        is_json_lines = len(values) > 1
        records = [
            record
            for where, value in values
            for record in ([_record(value, where)] if is_json_lines else _of_json(value, content, where))
        ]
    if not records:
        raise IrdivError(f"{path}: the {role} file has no records; expected at least one.")
    yield from (record._replace(path=path) for record in records)


def _of_json(value: object, content: str, where: str) -> Iterator[Record]:
    """Yield the records of a JSON value: a list of them, one, or an object with a list for each topic."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield _record(item, f"{where}, item {index}")
    elif isinstance(value, Mapping) and not {*TOPIC_FIELDS, "metadata", "query"}.isdisjoint(value):
        yield Record(value, where)
    elif isinstance(value, Mapping):
        for topic, items in value.items():
            if not isinstance(items, list | tuple | Mapping):
                raise IrdivError(
                    f"{where}: no topic id; expected records with one of the fields {examples(TOPIC_FIELDS, 9)}, or "
                    f"{{topic: list}}, found the field {topic!r} with {str(items)[:60]!r}."
                )
            _raise_if_table(topic, items, where)
            yield Record({"query_id": topic, content: items}, f"{where}, topic {topic!r}")
    else:
        raise IrdivError(f"{where}: expected JSON objects, found {str(value)[:60]!r}.")


def _raise_if_table(topic: str, items: Iterable[object], where: str) -> None:
    """Raise an error if what is given for a topic are rows of a table, of topics of their own."""
    for item in items:
        if isinstance(item, Mapping) and has_columns(item, "contexts", ("query_id", "doc_id")):
            found = find_columns(list(item), "contexts", ("query_id",))
            if str(item[found["query_id"]]) != str(topic):
                raise IrdivError(
                    f"{where}: the list in the field {topic!r} has records of other topics, with {examples(item, 9)}; "
                    "expected {topic: list}, or the list of records alone."
                )


def _rows_of_frame(data: object, role: str) -> list[dict[str, object]]:
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


def name_of_file(path: PathLike) -> str:
    """Return the name of a run after its file.

    >>> name_of_file("runs/bm25.jsonl.gz")
    'bm25'
    """
    return run_name(path).removesuffix(".jsonl").removesuffix(".json")


def find_fields(
    records: Sequence[Record], role: str, required: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, str]:
    """Return a mapping from irdiv's names to the fields of a table, as `find_columns` does, by more names."""
    fields = field_names(records)
    found = {}
    for name in {*required, *optional} & _FALLBACKS.keys():
        if not has_columns(fields, role, [name]):
            other = next((other for other in _FALLBACKS[name] if _is_usable(other, name, records)), None)
            found.update({} if other is None else {name: other})
    others = find_columns(
        fields,
        role,
        [name for name in required if name not in found],
        [name for name in optional if name not in found],
    )
    return {**found, **others}


def field_names(records: Sequence[Record]) -> list[str]:
    """Return the names of the fields of records."""
    return list(dict.fromkeys(name for record in records for name in record.fields))


def _is_usable(field: str, name: str, records: Sequence[Record]) -> bool:
    """Return whether a field holds texts, or ids of topics: an id that differs in all records is that of a row."""
    values = [record.fields[field] for record in records if not is_missing(record.fields.get(field))]
    if name == "description":
        return bool(values) and all(isinstance(value, str) for value in values)
    return bool(values) and (field != "id" or len(set(map(str, values))) < len(values))


def warn_about_empty(records: Sequence[Record], name: str) -> None:
    """Warn about records whose list is empty, so that their topics are left out."""
    if records:
        topics = examples(dict.fromkeys(record.topic for record in records))
        count = counted(len(records), f"topic has no {name} and is", f"topics have no {name} and are")
        warn(f"{count} left out: {topics}.")


def require_one_record(record: Record, first_of: dict[tuple[str, str], str]) -> None:
    """Raise an error if another record is of the same run and topic; ``first_of`` names those so far."""
    key = record.run, record.topic
    if key in first_of:
        raise IrdivError(
            f"{record.where}: run {key[0]!r} has topic {key[1]!r} already in {first_of[key]}. Give each run its own "
            "run_id, or name the files: {'name': path}."
        )
    first_of[key] = record.where
