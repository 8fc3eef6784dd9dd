"""Collections that a user has on disk, as datasets of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.formats import BaseQrels, BaseQueries

from irdiv.datasets.imine import LANGUAGES, find_files, read_imine
from irdiv.datasets.irds import TestCollection
from irdiv.errors import IrdivError
from irdiv.frames.trec import PathLike


class ImineIntent(NamedTuple):
    """An intent, called by its label; a first-level one has no parent."""

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
        """Return the text that ir_datasets searches by."""
        return self.query


class ImineQrel(NamedTuple):
    """A judgment, with what is known of its intent."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str
    probability: float | None
    parent_id: str | None


class _Folder:
    """The files of one language, read when something is asked of them."""

    def __init__(self, folder: Path, language: str) -> None:
        self.folder, self.language = folder, language

    @cached_property
    def collection(self) -> TestCollection:
        return read_imine(self.folder, self.language)

    def move(self, folder: Path) -> None:
        self.folder = folder
        self.__dict__.pop("collection", None)


class _Queries(BaseQueries):
    def __init__(self, folder: _Folder) -> None:
        self._folder = folder

    def queries_iter(self) -> Iterator[ImineQuery]:
        collection = self._folder.collection
        by_topic = dict(list(collection.intents.groupby("query_id")))
        for query, text in collection.topics.itertuples(index=False, name=None):
            mine = by_topic.get(query, collection.intents[:0])
            rows = mine[["intent_id", "probability", "parent_id", "level"]].itertuples(index=False, name=None)
            intents = tuple(ImineIntent(label, label, p, _known(parent), level) for label, p, parent, level in rows)
            yield ImineQuery(query, text, intents)

    def queries_cls(self) -> type[ImineQuery]:
        return ImineQuery

    def queries_count(self) -> int:
        return len(self._folder.collection.topics)

    def queries_lang(self) -> str:
        return self._folder.language


class _Qrels(BaseQrels):
    def __init__(self, folder: _Folder) -> None:
        self._folder = folder

    def qrels_iter(self) -> Iterator[ImineQrel]:
        columns = ["query_id", "doc_id", "relevance", "intent_id", "probability", "parent_id"]
        # Rows without a document keep intents that have no judged one, first-level intents among them.
        rows = self._folder.collection.qrels[columns].itertuples(index=False, name=None)
        for query, doc, grade, intent, p, parent in rows:
            yield ImineQrel(query, doc, int(grade), intent, _known(p), _known(parent))

    def qrels_cls(self) -> type[ImineQrel]:
        return ImineQrel

    def qrels_count(self) -> int:
        return len(self._folder.collection.qrels)

    def qrels_defs(self) -> dict[int, str]:
        return {0: "irrelevant or inaccessible", 1: "relevant", 2: "highly relevant"}

    def notes(self) -> tuple[str, ...]:
        """Return what was noticed in the files, for `irdiv.load`."""
        return self._folder.collection.notes


_registered: dict[str, _Folder] = {}


def _known(value: Any) -> Any:
    return None if value is None or value != value else value


def register_imine(folder: PathLike) -> list[str]:
    """Make NTCIR-11 IMine, from a folder obtained from NII, a dataset of ir_datasets.

    Parameters
    ----------
    folder
        The folder with IMine's files; see `irdiv.read_imine` for which. Registering again changes the folder.

    Returns
    -------
    list of str
        The ids that ``ir_datasets.load``, `irdiv.load` and PyTerrier's ``irds:`` now know:
        ``irdiv/ntcir11-imine/en``, ``irdiv/ntcir11-imine/zh``, or both.
    """
    folder = Path(folder).resolve()
    ids, missing = [], []
    for language in LANGUAGES:
        try:
            find_files(folder, language)
        except IrdivError as error:
            missing.append(error)
            continue
        name = f"irdiv/ntcir11-imine/{language}"
        if name in _registered:
            _registered[name].move(folder)
        else:
            _registered[name] = _Folder(folder, language)
            dataset = ir_datasets.Dataset(_Queries(_registered[name]), _Qrels(_registered[name]))
            ir_datasets.registry.register(name, dataset)
        ids.append(name)
    if not ids:
        raise missing[0]
    return ids
