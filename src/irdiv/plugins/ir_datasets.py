"""Collections in files on disk, as datasets of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

import ir_datasets
from ir_datasets.formats import BaseQrels, BaseQueries

from irdiv.datasets.collection import Dataset
from irdiv.datasets.imine import LANGUAGES, find_files, has_files, read_imine
from irdiv.errors import IrdivError, warn
from irdiv.types import PathLike


class ImineIntent(NamedTuple):
    """An intent, with its label as id; a first-level one has no parent."""

    number: str
    text: str
    probability: float
    parent_id: str | None
    level: int


class ImineQuery(NamedTuple):
    """A topic with its intents of both levels."""

    query_id: str
    query: str
    subtopics: tuple[ImineIntent, ...]

    def default_text(self) -> str:
        """Return the text that ir_datasets takes as the query."""
        return self.query


class ImineQrel(NamedTuple):
    """A judgment, with the probability and the parent of its intent."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str
    probability: float | None
    parent_id: str | None


class _LazyCollection:
    """The collection of one language, read when it is first used."""

    def __init__(self, folder: Path, language: str) -> None:
        self.folder, self.language = folder, language

    @cached_property
    def collection(self) -> Dataset:
        return read_imine(self.folder, self.language)

    def change_folder(self, folder: Path) -> None:
        self.folder = folder
        self.__dict__.pop("collection", None)


class _Queries(BaseQueries):
    def __init__(self, source: _LazyCollection) -> None:
        self._source = source

    def queries_iter(self) -> Iterator[ImineQuery]:
        collection = self._source.collection
        by_topic = dict(list(collection.intents.groupby("query_id")))
        for query, text in collection.topics.itertuples(index=False, name=None):
            of_topic = by_topic.get(query, collection.intents[:0])
            rows = of_topic[["intent_id", "probability", "parent_id", "level"]].itertuples(index=False, name=None)
            intents = tuple(ImineIntent(label, label, p, _or_none(parent), level) for label, p, parent, level in rows)
            yield ImineQuery(query, text, intents)

    def queries_cls(self) -> type[ImineQuery]:
        return ImineQuery

    def queries_count(self) -> int:
        return len(self._source.collection.topics)

    def queries_lang(self) -> str:
        return self._source.language


class _Qrels(BaseQrels):
    def __init__(self, source: _LazyCollection) -> None:
        self._source = source

    def qrels_iter(self) -> Iterator[ImineQrel]:
        columns = ["query_id", "doc_id", "relevance", "intent_id", "probability", "parent_id"]
        # Intents without a judged document, as all of the first level, have rows with the placeholder document.
        rows = self._source.collection.qrels[columns].itertuples(index=False, name=None)
        for query, doc, grade, intent, p, parent in rows:
            yield ImineQrel(query, doc, int(grade), intent, _or_none(p), _or_none(parent))

    def qrels_cls(self) -> type[ImineQrel]:
        return ImineQrel

    def qrels_count(self) -> int:
        return len(self._source.collection.qrels)

    def qrels_defs(self) -> dict[int, str]:
        return {0: "irrelevant or inaccessible", 1: "relevant", 2: "highly relevant"}

    def notes(self) -> tuple[str, ...]:
        """Return the notes on the files, for `irdiv.load`."""
        return self._source.collection.notes


_registered: dict[str, _LazyCollection] = {}
T = TypeVar("T")


def _or_none(value: T) -> T | None:
    """Return a value, or None for NaN."""
    return None if value != value else value


def register_imine(folder: PathLike) -> list[str]:
    """Register NTCIR-11 IMine, in a folder obtained from NII, as a dataset of ir_datasets.

    Parameters
    ----------
    folder
        The folder with IMine's files; see `irdiv.datasets.read_imine`. Registering again changes the folder.

    Returns
    -------
    list of str
        The ids that ``ir_datasets.load``, `irdiv.load` and PyTerrier's ``irds:`` accept from now on:
        ``irdiv/ntcir11-imine/en``, ``irdiv/ntcir11-imine/zh``, or both. It is an error if no language has all its
        files, and a warning if only one of two has.
    """
    folder = Path(folder).resolve()
    ids, errors = [], []
    for language in [language for language in LANGUAGES if has_files(folder, language)] or LANGUAGES:
        try:
            find_files(folder, language)
        except IrdivError as error:
            errors.append(str(error))
            continue
        name = f"irdiv/ntcir11-imine/{language}"
        if name in _registered:
            _registered[name].change_folder(folder)
        else:
            _registered[name] = _LazyCollection(folder, language)
            dataset = ir_datasets.Dataset(_Queries(_registered[name]), _Qrels(_registered[name]))
            ir_datasets.registry.register(name, dataset)
        ids.append(name)
    if not ids:
        raise IrdivError(" ".join(errors))
    for message in errors:
        warn(message)
    return ids
