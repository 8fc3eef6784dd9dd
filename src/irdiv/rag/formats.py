"""The formats of nuggets: each turns records into nuggets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from irdiv.errors import IrdivError, examples
from irdiv.rag.fields import (
    DOC_FIELDS,
    Fields,
    as_list,
    doc_ids,
    id_text,
    is_missing,
    normalize_text,
    nugget_text,
    optional_text,
    optional_weight,
    warn_about_unread_documents,
)
from irdiv.rag.labels import WEIGHT_FIELDS, Labels, warn_about_unread_weights
from irdiv.rag.nugget_banks import BANKS, BankReader, Parents
from irdiv.rag.records import Record, field_names, find_fields, warn_about_empty
from irdiv.rag.tables import Nugget, id_of_text, require_all_ids

_LISTS = ("nuggets", "rubrics", "aspects")
_IDS = ("_id", "id", "nugget_id", "aspect_id", "rubric_id", "intent_id", "question_id")
_TOPICS_OF_ASPECTS = ("query_id", "qid", "question_id")
_PARENT = "mapped_sub_narrative"
_SUPPORTING = {"relevant_corpus_ids": 1, "supporting_docs": 1, "non_relevant_corpus_ids": 0}
"""Fields with lists of documents, and the grade of these."""
_REMEDY_FOR_RUN = " Retrieved documents are read by irdiv.rag.read_contexts (on the command line, give them as RUN)."


class NuggetReader:
    """Reads records of any format of nuggets, all of the same one."""

    def __init__(self, labels: Labels, *, split_answers: bool = False) -> None:
        self._labels, self._split_answers = labels, split_answers
        self.parents: Parents = {}
        self.has_documents = False
        """Whether the format judges documents."""

    def read(self, records: Sequence[Record]) -> Iterator[Nugget]:
        """Yield the nuggets of records."""
        formats = [_format_of(record) for record in records]
        other = next((index for index, format_ in enumerate(formats) if format_ != formats[0]), None)
        if other is not None:
            raise IrdivError(
                f"{records[other].where}: the fields {examples(records[other].fields, 9)} are those of another format "
                f"than {records[0].where}, with {examples(records[0].fields, 9)}."
            )
        if formats[0] == "bank":
            self.has_documents = True
            return BankReader(self._labels, self.parents, split_answers=self._split_answers).read(records)
        if formats[0] == "table":
            return self._of_table(records)
        if formats[0] == "aspect":
            self._warn_about_unread([record.fields for record in records])
            return (self._of_item(_without_topic(record), _topic_of_aspect(record), record.where) for record in records)
        warn_about_empty([record for record in records if not record.sequence(formats[0])], formats[0])
        items = [item for record in records for item in record.sequence(formats[0])]
        self._warn_about_unread([item for item in items if isinstance(item, Mapping)])
        return (nugget for record in records for nugget in self._of_list(record, formats[0]))

    def _warn_about_unread(self, items: Sequence[Fields]) -> None:
        warn_about_unread_weights(items, WEIGHT_FIELDS)
        if not any("assignment" in item for item in items):
            warn_about_unread_documents(items, _SUPPORTING, "Call it 'supporting_docs'.")

    def _of_list(self, record: Record, name: str) -> Iterator[Nugget]:
        for index, item in enumerate(record.sequence(name)):
            where = f"{record.where}, {name}[{index}]"
            yield self._of_item({"text": item} if isinstance(item, str) else item, record.topic, where)

    def _of_item(self, item: object, topic: str, where: str) -> Nugget:
        """Return a nugget of a list, a criterion of a rubric, or an aspect."""
        if not isinstance(item, Mapping):
            raise IrdivError(f"{where}: expected a text or an object with one, found {str(item)[:60]!r}.")
        if "assignment" in item:
            raise IrdivError(f"{where}: the nugget has an assignment; read such files by irdiv.rag.read_assignments.")
        text = nugget_text(item, where)
        given_id = next((item[name] for name in _IDS if not is_missing(item.get(name))), None)
        grades: dict[str, int] = {}
        for name, grade in reversed(_SUPPORTING.items()):
            if name in item:
                self.has_documents = True
                grades |= dict.fromkeys(doc_ids(as_list(item[name], f"{where}: {name}"), f"{where}: {name}"), grade)
        return Nugget(
            topic,
            id_of_text(text) if given_id is None else id_text(given_id, where),
            text,
            self._labels.importance(item.get("importance")),
            optional_weight(item.get("weight"), where),
            axis=item.get("axis"),
            parent_id=self._parent(topic, item.get(_PARENT)),
            grades=grades,
        )

    def _parent(self, topic: str, text: object) -> str | None:
        if is_missing(text):
            return None
        # Assessors of TREC RAG quote most sub-narratives.
        name = re.sub(r'^"(.*)"$', r"\1", normalize_text(str(text)))
        parent_id = id_of_text(name, "s")
        self.parents[topic, parent_id] = name
        return parent_id

    def _of_table(self, records: Sequence[Record]) -> Iterator[Nugget]:
        columns = field_names(records)
        optional = ("intent_id", "description", "importance", "probability", "parent_id", "doc_id", "relevance")
        names = find_fields(records, "nuggets", ("query_id",), optional)
        if "intent_id" not in names and "description" not in names:
            is_run = "doc_id" in names and "relevance" not in names
            remedy = _REMEDY_FOR_RUN if is_run else ""
            raise IrdivError(
                f"the nuggets have neither an id nor a text: expected a field such as 'nugget_id' or 'text', found "
                f"{examples(columns, 12)}.{remedy}"
            )
        if "relevance" in names and "doc_id" not in names:
            raise IrdivError(
                f"the nuggets have the field {names['relevance']!r} but no document: expected one of the fields "
                f"{examples(DOC_FIELDS, 9)}, found {examples(columns, 12)}. Judgments of answers are read by "
                "irdiv.rag.read_assignments."
            )
        if "doc_id" in names:
            names = find_fields(records, "nuggets", ("query_id", "doc_id", "relevance"), optional)
            self.has_documents = True
        weights = [names[name] for name in ("importance", "probability") if name in names]
        warn_about_unread_weights((record.fields for record in records), weights)
        nuggets = [self._of_row(record, names) for record in records]
        if "doc_id" not in names:
            warn_about_unread_documents((record.fields for record in records), (), "Call it 'supporting_docs'.")
        if "intent_id" in names:
            require_all_ids((record.where, record.fields.get(names["intent_id"])) for record in records)
        return iter(nuggets)

    def _of_row(self, record: Record, names: Mapping[str, str]) -> Nugget:
        row = {name: record.fields.get(column) for name, column in names.items()}
        text = optional_text(row.get("description"), f"{record.where}: {names.get('description')}")
        given_id = row.get("intent_id")
        if is_missing(given_id):
            if text is None:
                raise IrdivError(f"{record.where}: the nugget has neither an id nor a text.")
            given_id = id_of_text(text)
        parent = row.get("parent_id")
        return Nugget(
            id_text(row["query_id"], f"{record.where}: {names['query_id']}"),
            id_text(given_id, f"{record.where}: {names.get('intent_id')}"),
            text,
            self._labels.importance(row.get("importance")),
            optional_weight(row.get("probability"), record.where),
            parent_id=None if is_missing(parent) else id_text(parent, f"{record.where}: {names['parent_id']}"),
            grades=self._grades_of_row(record.where, row, names),
            occurrence=str(row.get("doc_id", "")),
        )

    def _grades_of_row(self, where: str, row: Fields, names: Mapping[str, str]) -> dict[str, int]:
        """Return the grade of the document of a row; a row without document and label declares a nugget."""
        if is_missing(row.get("doc_id")) and is_missing(row.get("relevance")):
            return {}
        doc_id = id_text(row["doc_id"], f"{where}: {names['doc_id']}")
        grade = self._labels.grade(row["relevance"], f"{where}: {names['relevance']}")
        return {} if grade is None else {doc_id: grade}


def with_topics(nuggets: Iterable[Nugget], examples_: Sequence[Record]) -> Iterator[Nugget]:
    """Yield nuggets of BRIGHT-Pro with the topic ids of its examples, which may lack the name of the task."""
    topics = {record.topic for record in examples_}
    for nugget in nuggets:
        short = nugget.query_id.rpartition("-")[2]
        topic = next((topic for topic in (nugget.query_id, short) if topic in topics), None)
        if topic is None:
            raise IrdivError(
                f"aspect {nugget.intent_id!r} belongs to no example: expected one with the id {nugget.query_id!r} or "
                f"{short!r}, found {examples(sorted(topics))}."
            )
        yield replace(nugget, query_id=topic)


def _format_of(record: Record) -> str:
    fields = record.fields
    if not set(BANKS).isdisjoint(fields):
        return "bank"
    for name in _LISTS:
        if name in fields:
            return name
    if "supporting_docs" in fields:
        return "aspect"
    if not {"references", "candidates"}.isdisjoint(fields):
        raise IrdivError(
            f"{record.where}: the fields {examples(fields, 9)} are those of an answer or of retrieved documents; read "
            "them by irdiv.rag.read_contexts (on the command line, give them as RUN)."
        )
    return "table"


def _without_topic(record: Record) -> Fields:
    """Return the fields of an aspect without those that name its topic, which may be an id of nuggets elsewhere."""
    return {name: value for name, value in record.fields.items() if name not in _TOPICS_OF_ASPECTS}


def _topic_of_aspect(record: Record) -> str:
    """Return the topic of an aspect: a field of its own, or its id without the number at the end."""
    for name in _TOPICS_OF_ASPECTS:
        if not is_missing(record.fields.get(name)):
            return id_text(record.fields[name], record.where)
    topic = re.fullmatch(r"(.+)-a\d+", str(record.fields.get("id")))
    if topic is None:
        raise IrdivError(
            f"{record.where}: the topic of aspect {record.fields.get('id')!r} is unknown; expected a field 'query_id', "
            "or an id that ends with '-a' and a number."
        )
    return topic[1]
