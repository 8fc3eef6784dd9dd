"""Load diversity collections of ir_datasets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple, Protocol
from xml.etree.ElementTree import ParseError

import pandas as pd

from irdiv.checks import Integer, require
from irdiv.datasets.assembly import (
    OPTIONAL_INTENT_COLUMNS,
    TOPIC_COLUMNS,
    Probabilities,
    Topics,
    assemble,
    topics_from_rows,
)
from irdiv.datasets.collection import Dataset
from irdiv.datasets.trec_web import read_trec_topics
from irdiv.errors import IrdivError
from irdiv.io.trec import read_qrels

_IMINE = "irdiv/ntcir11-imine"
_DIVERSITY = "/diversity"
_READING_ERRORS = (ParseError, RuntimeError, ValueError, LookupError, AttributeError, OSError, EOFError)


class _Dataset(Protocol):
    """A dataset of ir_datasets with judgments by subtopic; ``queries_iter`` and ``notes`` are optional."""

    def dataset_id(self) -> str: ...
    def qrels_cls(self) -> type[NamedTuple]: ...
    def qrels_iter(self) -> Iterable[tuple[object, ...]]: ...


class _Subtopic(Protocol):
    """An intent of a query of ir_datasets; it may have ``type``, ``probability``, ``parent_id`` and ``level``."""

    number: str
    text: str


def load(
    dataset: object,
    *,
    probabilities: Probabilities = None,
    drop_spam: bool = False,
    min_grade: int = 1,
) -> Dataset:
    """Load a diversity collection of ir_datasets, which downloads it if needed.

    Parameters
    ----------
    dataset
        An id such as ``"clueweb09/catb/trec-web-2012/diversity"``, or a dataset of ir_datasets or PyTerrier whose qrels
        have subtopics.
    probabilities
        Probabilities of intents: ``"uniform"``; ``"descending"``, by which the j-th of the n intents with a
        relevant document has 2^(n−j+1) / Σ_k 2^k, see `irdiv.intents.descending_weights`; or an intent table for
        `irdiv.with_intents`. By default those of the dataset if it has any, as IMine, else uniform ones.
    drop_spam
        Leave out judgments of grade −2, so that such documents are unjudged.
    min_grade
        Positive grades below this one become 0.

    Returns
    -------
    Dataset

    See Also
    --------
    irdiv.datasets.read_trec_web : The same from the official files, without a download.
    """
    require(Integer(0), min_grade=min_grade)
    source = _find_dataset(dataset)
    return assemble(
        source.dataset_id(),
        _read_qrels(source),
        _read_topics(source),
        probabilities=probabilities,
        drop_spam=drop_spam,
        min_grade=min_grade,
    )


def is_dataset_id(text: str) -> bool:
    """Return whether ir_datasets knows a dataset by this id."""
    import ir_datasets

    return text in ir_datasets.registry


def similar_dataset_ids(text: str) -> Sequence[str]:
    """Return the ids of diversity collections that may be meant by another id, the most similar first."""
    import ir_datasets

    known = [name for name in ir_datasets.registry if name.endswith(_DIVERSITY)]
    year = re.search("(?<![0-9])20[0-9]{2}(?![0-9])", text)
    of_year = [name for name in known if year is not None and f"-{year.group()}/" in name]
    return get_close_matches(text, of_year or known, n=2, cutoff=0.4)


def _find_dataset(dataset: object) -> _Dataset:
    if isinstance(dataset, str):
        dataset = _find_by_id(dataset)
    if hasattr(dataset, "irds_ref"):
        dataset = dataset.irds_ref()  # a dataset of PyTerrier
    fields = getattr(dataset.qrels_cls(), "_fields", ()) if hasattr(dataset, "qrels_cls") else ()
    if "subtopic_id" not in fields:
        name = str(dataset.dataset_id()) if hasattr(dataset, "dataset_id") else ""
        similar = similar_dataset_ids(name) if name.startswith("clueweb") else ()
        hint = (
            f"; did you mean {' or '.join(map(repr, similar))}?" if similar else "; expected qrels with a subtopic_id."
        )
        found = f"the dataset {name!r}" if name else f"an object of type {type(dataset).__name__!r}"
        raise IrdivError(f"{found} has no judgments by subtopic{hint}")
    return dataset  # type: ignore[return-value] # ir_datasets has no types


def _find_by_id(name: str) -> object:
    import ir_datasets

    try:
        return ir_datasets.load(name)
    except KeyError:
        if name.startswith(_IMINE):
            raise IrdivError(
                f"{name!r} is not registered; call irdiv.plugins.ir_datasets.register_imine(folder) first, with "
                "the folder of NTCIR-11 IMine's files, and use one of the ids that it returns."
            ) from None
        similar = similar_dataset_ids(name)
        hint = (
            f"did you mean {' or '.join(map(repr, similar))}?"
            if similar
            else "the id of a diversity collection is, for example, 'clueweb09/catb/trec-web-2012/diversity'."
        )
        raise IrdivError(f"ir_datasets has no dataset {name!r}; {hint}") from None


def _read_qrels(dataset: _Dataset) -> pd.DataFrame:
    try:
        frame = pd.DataFrame(dataset.qrels_iter(), columns=list(dataset.qrels_cls()._fields))
    except _READING_ERRORS as error:
        raise _reading_error(dataset, "qrels", error) from error
    return frame.rename(columns={"subtopic_id": "intent_id"})[["query_id", "intent_id", "doc_id", "relevance"]]


def _read_topics(dataset: _Dataset) -> Topics:
    try:
        queries = list(dataset.queries_iter()) if hasattr(dataset, "queries_iter") else []
    except _READING_ERRORS as error:
        raise _reading_error(dataset, "topics", error) from error
    topics = [tuple(getattr(query, name, None) for name in TOPIC_COLUMNS) for query in queries]
    intents = [(query.query_id, *_subtopic_row(s)) for query in queries for s in getattr(query, "subtopics", ())]
    return topics_from_rows(topics, intents, dataset.notes() if hasattr(dataset, "notes") else ())


def _subtopic_row(subtopic: _Subtopic) -> tuple[object, ...]:
    intent_type, *optional = (getattr(subtopic, name, None) for name in ("type", *OPTIONAL_INTENT_COLUMNS))
    return str(subtopic.number), intent_type, subtopic.text, *optional


def _reading_error(dataset: _Dataset, role: str, error: Exception) -> IrdivError:
    """Return the error about the qrels or topics of a dataset, with the file and the line if they can be found."""
    if isinstance(error, IrdivError):
        return error
    message = str(error.args[0]) if error.args else repr(error)
    if "download" in message.lower() or isinstance(error, ConnectionError):
        return IrdivError(
            f"ir_datasets cannot download the {role} of {dataset.dataset_id()} ({message}); check the network, or "
            "read the official files with irdiv.datasets.read_trec_web."
        )
    try:
        path = getattr(dataset, "qrels_path" if role == "qrels" else "queries_path")()
        read_qrels(path) if role == "qrels" else read_trec_topics(path)
    except IrdivError as located:
        return located
    except AttributeError:
        return IrdivError(f"ir_datasets cannot read the {role} of {dataset.dataset_id()}: {error!r}")
    return IrdivError(f"ir_datasets cannot read the {role} of {dataset.dataset_id()} in {path}: {error!r}")
