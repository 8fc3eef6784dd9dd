"""Nugget banks: questions or claims with answers, and the documents that have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from irdiv.errors import IrdivError
from irdiv.rag.fields import (
    Fields,
    as_list,
    doc_ids,
    id_text,
    is_missing,
    normalize_text,
    nugget_text,
    optional_weight,
    warn_about_unread_documents,
)
from irdiv.rag.labels import WEIGHT_FIELDS, Labels, warn_about_unread_weights
from irdiv.rag.records import Record
from irdiv.rag.tables import Nugget, id_of_text

BANKS = ("nugget_bank", "claim_bank")
"""The fields of a record that hold a bank."""
ALL_ANSWERS, SOME_ANSWERS = 2, 1
"""The grades of a document of a nugget bank that has all that a nugget needs, and only a part of it."""

Parents = dict[tuple[str, str], str]
"""The texts of nodes above nuggets, by topic and id."""


class BankReader:
    """Reads records of nugget banks.

    Parameters
    ----------
    labels
        What labels mean.
    parents
        Where the texts of questions are put whose answers are nuggets.
    split_answers
        Whether each answer is a nugget, if all are needed.
    """

    def __init__(self, labels: Labels, parents: Parents, *, split_answers: bool) -> None:
        self._labels, self._parents, self._split_answers = labels, parents, split_answers

    def read(self, records: Sequence[Record]) -> Iterator[Nugget]:
        """Yield the nuggets of records."""
        warn_about_unread_weights(_bank_items(records), WEIGHT_FIELDS)
        parts = (part for item in _bank_items(records) for part in [item, *_objects(item.get("answers"))])
        warn_about_unread_documents(parts, ("references",), "List them in 'references' of each answer.")
        return (nugget for record in records for nugget in self._of_bank(record))

    def _of_bank(self, record: Record) -> Iterator[Nugget]:
        for name in BANKS:
            for index, item in enumerate(_bank(record, name)):
                yield from self._of_question(item, record.topic, f"{record.where}, {name}[{index}]")

    def _of_question(self, item: object, topic: str, where: str) -> Iterator[Nugget]:
        """Yield the nugget of a question, or one for each answer if all are needed and answers are split."""
        if not isinstance(item, Mapping):
            raise IrdivError(f"{where}: expected an object with a question and answers, found {str(item)[:60]!r}.")
        if item.get("sub_nuggets"):
            raise IrdivError(f"{where}: the nugget has sub_nuggets, which are not read; list them as nuggets.")
        answers = _answers(item, where)
        given = item.get("aggregator_type")
        aggregator = given.upper() if isinstance(given, str) else given
        if aggregator not in (None, "AND", "OR", "DEFAULT"):
            raise IrdivError(f"{where}: aggregator_type is {given!r}; expected 'AND' or 'OR'.")
        text, importance = nugget_text(item, where), item.get("importance")
        is_number = isinstance(importance, int | float)
        nugget = Nugget(
            topic,
            id_text(item.get("question_id") or item.get("claim_id") or id_of_text(text), where),
            text,
            None if is_number else self._labels.importance(importance),
            optional_weight(importance if is_number else item.get("weight"), where),
        )
        needs_all = aggregator == "AND" and len(answers) > 1
        if needs_all and self._split_answers:
            yield from self._of_answers(nugget, answers)
            return
        counts: dict[str, int] = {}
        for docs in answers.values():
            for doc in docs:
                counts[doc] = counts.get(doc, 0) + 1
        needed = len(answers) if needs_all else 1
        grades = {doc: ALL_ANSWERS if count >= needed else SOME_ANSWERS for doc, count in counts.items()}
        weight = 1.0 if self._split_answers and nugget.weight is None and nugget.importance is None else nugget.weight
        yield replace(nugget, weight=weight, grades=grades)

    def _of_answers(self, nugget: Nugget, answers: Mapping[str, set[str]]) -> Iterator[Nugget]:
        """Yield a nugget for each answer below the question, which share its weight."""
        self._parents[nugget.query_id, nugget.intent_id] = nugget.description or ""
        weight = self._labels.weight(nugget.importance) if nugget.weight is None else nugget.weight
        for answer, docs in answers.items():
            yield replace(
                nugget,
                intent_id=f"{nugget.intent_id}/{id_of_text(answer, 'a')}",
                description=answer,
                weight=(1.0 if weight is None else weight) / len(answers),
                parent_id=nugget.intent_id,
                grades=dict.fromkeys(sorted(docs), ALL_ANSWERS),
            )


def _bank(record: Record, name: str) -> list[object]:
    """Return the nuggets of a bank, which may be an object from question to nugget."""
    bank = record.fields.get(name)
    return list(bank.values()) if isinstance(bank, Mapping) else as_list(bank, f"{record.where}: {name}")


def _bank_items(records: Sequence[Record]) -> Iterator[Fields]:
    return (item for record in records for name in BANKS for item in _bank(record, name) if isinstance(item, Mapping))


def _objects(values: object) -> list[Fields]:
    """Return the objects among answers, which may be a list, or an object from answer to its fields."""
    found = values.values() if isinstance(values, Mapping) else values if isinstance(values, list | tuple) else ()
    return [value for value in found if isinstance(value, Mapping)]


def _answers(item: Fields, where: str) -> dict[str, set[str]]:
    """Return the answers of a nugget with the documents that have them; references without answers are one."""
    answers = item.get("answers")
    if not answers:
        references = as_list(item.get("references"), f"{where}: references")
        return {"": set(doc_ids(references, f"{where}: references"))}
    found: dict[str, set[str]] = {}
    for answer in answers.values() if isinstance(answers, Mapping) else as_list(answers, f"{where}: answers"):
        if not isinstance(answer, Mapping) or is_missing(answer.get("answer")):
            raise IrdivError(f"{where}: expected answers with a field 'answer', found {str(answer)[:60]!r}.")
        docs = doc_ids(as_list(answer.get("references"), f"{where}: references"), f"{where}: references")
        found.setdefault(normalize_text(str(answer["answer"])), set()).update(docs)
    return found
