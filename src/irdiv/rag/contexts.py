"""The documents that answers were generated from, or that were retrieved for them, as runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import factorial, prod
from typing import Literal, TypeAlias, get_args, overload

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, examples, warn
from irdiv.io.ids import natural_argsort
from irdiv.io.tables import FrameT, callers_backend, from_pandas
from irdiv.io.values import order_values
from irdiv.rag.fields import as_list, as_number, doc_ids, id_text, is_missing
from irdiv.rag.records import Record, RecordsLike, read_records, require_one_record
from irdiv.rag.rows import run_of_rows
from irdiv.rag.tables import Duplicates

Source: TypeAlias = Literal["references", "citations"]
"""What the documents of an answer are."""

_SENTENCES = ("answer", "responses", "sentences")
_ID_LISTS = ("doc_ids", "docids", "passage_ids", "chunk_ids", "retrieved_doc_ids", "retrieved_ids")
_DOCUMENT_LISTS = (
    "documents",
    "docs",
    "contexts",
    "passages",
    "chunks",
    "candidates",
    "results",
    "hits",
    "retrieved",
    "retrieved_documents",
    "retrieved_docs",
    "retrieved_contexts",
    "retrieved_passages",
)
_SMALLEST_CHANCE = 1e-6
"""How likely it must be at least that rankings are in the order of ids by chance; else they are no rankings."""
_NEARLY_ALL = 0.9
_DOCUMENTS = (*_ID_LISTS, *_DOCUMENT_LISTS)
"""The fields with lists of documents; where there are ids, other lists are not needed."""


@overload
def read_contexts(  # type: ignore[overload-overlap]
    path: FrameT | Mapping[str, FrameT], *, source: Source | None = ..., duplicates: Duplicates = ...
) -> dict[str, FrameT]: ...
@overload
def read_contexts(
    path: RecordsLike, *, source: Source | None = ..., duplicates: Duplicates = ...
) -> dict[str, pd.DataFrame]: ...
def read_contexts(path: RecordsLike, *, source: Source | None = None, duplicates: Duplicates = "error") -> object:
    """Read the documents of answers, or retrieved ones, as runs for `irdiv.evaluate`.

    Each record is of one topic of one run:

    - an answer of TREC RAG or RAGTIME: ``references`` in their order, or the ``citations`` of its sentences (``answer``
      or ``responses``) in the order of their first use: ids, positions among the references, or objects from id to
      score. References in the order of their ids are no ranking: then the citations are read, with a warning;
    - retrieved documents: a list of ids or of ``{docid, score}``, the best first, in ``documents``, ``contexts``,
      ``retrieved_docs``, ``candidates``, …;
    - a row ``{query_id, doc_id, rank or score}`` with one document. Higher scores are better, so that distances become
      ranks first.

    JSON ``{topic: [document, …]}`` and ``{topic: {document: score}}`` is also accepted.

    Parameters
    ----------
    path
        The path of a JSON Lines, JSON or Parquet file, compressed by gzip or not, or of a folder of such files, several
        paths, a mapping from name of run to path or frame, an iterable of dicts, or a frame. Runs are named by
        ``run_id``, ``run``, ``system`` or ``retriever``, or else after their file.
    source
        What an answer's documents are: ``"references"``, in whatever order, or ``"citations"``; by default references
        if there are any and they are not in the order of their ids.
    duplicates
        ``"error"`` to raise an error where a list has a document twice, as where passages have the ids of their
        documents, ``"first"`` to keep the first. For rows it is a parameter of `irdiv.evaluate`.

    Returns
    -------
    dict from name to DataFrame
        A run each, ``query_id, doc_id, rank``, and ``score`` if all documents have one. An answer without documents has
        no rows, and its topic scores 0.

    Examples
    --------
    >>> from irdiv.rag import read_contexts
    >>> answer = {"topic_id": "1", "run_id": "a", "references": ["d3", "d1"]}
    >>> answer["answer"] = [{"text": "…", "citations": [1]}]
    >>> read_contexts([answer])["a"]
      query_id doc_id  rank
    0        1     d3     1
    1        1     d1     2
    >>> read_contexts([answer], source="citations")["a"]
      query_id doc_id  rank
    0        1     d1     1
    """
    if source is not None:
        require(choice(*get_args(Source)), source=source)
    require(choice("error", "first"), duplicates=duplicates)
    # The files of several runs may have different forms and columns, so that each run is looked at alone.
    by_run: dict[str, list[Record]] = {}
    for record in read_records(path, "contexts", "documents"):
        by_run.setdefault(record.run, []).append(record)
    backend = callers_backend(path)
    return {name: from_pandas(_run(name, records, source, duplicates), backend) for name, records in by_run.items()}


def _run(name: str, records: Sequence[Record], source: str | None, duplicates: Duplicates) -> pd.DataFrame:
    fields = dict.fromkeys(name for record in records for name in record.fields)
    if not {"references", *_SENTENCES, *_DOCUMENTS}.isdisjoint(fields):
        return _run_of_lists(name, records, source, duplicates)
    if source is not None:
        raise IrdivError(
            f"source={source!r} (on the command line, --source) is for answers; the records of run {name!r} "
            f"have only {examples(fields, 9)}."
        )
    return run_of_rows(name, records)


def _run_of_lists(name: str, records: Sequence[Record], source: str | None, duplicates: Duplicates) -> pd.DataFrame:
    if source is None and _are_in_order_of_ids(records):
        found = f"the references of run {name!r} are in the order of their ids, which is no ranking"
        take = "source='references' (on the command line, --source references) takes them as they are"
        silent = [record.topic for record in records if not _has_citations(record)]
        if len(silent) == len(records):
            raise IrdivError(f"{found}, and its answers cite no documents; list the best reference first, or {take}.")
        without = f" {len(silent)} answers cite none and have no documents: {examples(silent)}." if silent else ""
        warn(f"{found}: the documents are read from the citations, in the order of their first use; {take}.{without}")
        source = "citations"
    rows: list[tuple[str, str, int, float | None]] = []
    first_of: dict[tuple[str, str], str] = {}
    for record in records:
        require_one_record(record, first_of)
        scored = _documents(record, source, duplicates)
        rows.extend((record.topic, doc, rank, score) for rank, (doc, score) in enumerate(scored.items(), 1))
    if not rows:
        raise IrdivError(f"run {name!r} has no documents in any of its topics.")
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"], dtype=object).astype({"rank": int})
    if frame["score"].isna().any():
        return frame.drop(columns="score")
    return frame.assign(score=order_values(nw.from_native(frame["score"], series_only=True), "run"))


def _are_in_order_of_ids(records: Sequence[Record]) -> bool:
    """Return whether nearly all lists of references are sorted by id, and so many that it is no chance."""
    lists = [record.sequence("references") for record in records]
    if any(isinstance(item, Mapping) and {"score", "rank"} & item.keys() for items in lists for item in items):
        return False  # they state their order
    several = [doc_ids(items, "references") for items in lists if len(items) > 1]
    in_order = [docs for docs in several if docs == sorted(docs) or (np.diff(natural_argsort(docs)) == 1).all()]
    chance = prod(1 / factorial(min(len(docs), 20)) for docs in in_order)
    return chance < _SMALLEST_CHANCE and len(in_order) >= _NEARLY_ALL * len(several)


def _has_citations(record: Record) -> bool:
    has_sentences = any(isinstance(record.fields.get(name), list | tuple) for name in _SENTENCES)
    return (has_sentences or "citations" in record.fields) and bool(_cited(record))


def _documents(record: Record, source: str | None, duplicates: Duplicates) -> dict[str, float | None]:
    """Return the documents of a record in order, with their scores, or None."""
    fields = record.fields
    if source is None and "references" not in fields:
        retrieved = _list_of_documents(record)
        if retrieved is not None:
            return _retrieved(fields[retrieved], f"{record.where}: {retrieved}", duplicates)
    if source == "references" or (source is None and "references" in fields):
        if "references" not in fields:
            raise IrdivError(f"{record.where}: no references, found the fields {examples(fields, 9)}.")
        return _retrieved(record.sequence("references"), f"{record.where}: references", duplicates)
    return dict.fromkeys(_cited(record))


def _list_of_documents(record: Record) -> str | None:
    """Return the field with the documents of a record, None if there is none."""
    for names in (_ID_LISTS, _DOCUMENT_LISTS):
        found = [name for name in names if name in record.fields]
        if len(found) > 1:
            raise IrdivError(f"{record.where}: two lists of documents, {examples(found)}; drop or rename one of them.")
        if found:
            return found[0]
    return None


def _retrieved(documents: object, where: str, duplicates: Duplicates) -> dict[str, float | None]:
    if isinstance(documents, Mapping):
        scores = {id_text(doc, where): _score(score, where) for doc, score in documents.items()}
        return {doc: scores[doc] for doc in sorted(scores, key=scores.__getitem__, reverse=True)}
    items = as_list(documents, where)
    found: dict[str, float | None] = {}
    for doc, item in zip(doc_ids(items, where), items, strict=True):
        if doc in found:
            if duplicates == "error":
                raise IrdivError(
                    f"{where}: document {doc!r} is listed twice; remove one, or keep the first with duplicates='first' "
                    "(on the command line, --duplicates first)."
                )
            continue
        score = item.get("score") if isinstance(item, Mapping) else None
        found[doc] = None if is_missing(score) else as_number(score, f"{where}: the score of document {doc!r}")
    ranks = [item["rank"] for item in items if isinstance(item, Mapping) and not is_missing(item.get("rank"))]
    numbers = [as_number(rank, f"{where}: a rank") for rank in ranks]
    if any(later < earlier for earlier, later in pairwise(numbers)):
        raise IrdivError(f"{where}: the ranks {examples(ranks)} contradict the order of the list; sort it by rank.")
    return found


def _score(score: object, where: str) -> float:
    if isinstance(score, list | tuple | Mapping):
        raise IrdivError(
            f"{where}: expected {{document: score}}, found {str(score)[:60]!r} in place of a score. Several runs as "
            "{run: {topic: [document, …]}} go to irdiv.evaluate as they are."
        )
    return as_number(score, f"{where}: a score")


def _cited(record: Record) -> list[str]:
    """Return the cited documents of an answer in the order of their first citation."""
    sentences = next((name for name in _SENTENCES if isinstance(record.fields.get(name), list | tuple)), None)
    if sentences is None and "citations" not in record.fields:
        raise IrdivError(
            f"{record.where}: no references and no citations; expected a list of sentences in one of the fields "
            f"{examples(_SENTENCES)}, found {examples(record.fields, 9)}."
        )
    references = doc_ids(record.sequence("references"), f"{record.where}: references")
    given = [record.fields] if sentences is None else record.sequence(sentences)
    cited: dict[str, None] = {}
    for sentence in given:
        citations = sentence.get("citations") if isinstance(sentence, Mapping) else None
        if isinstance(citations, Mapping):
            citations = list(_retrieved(citations, f"{record.where}: citations", "error"))
        for citation in as_list(citations, f"{record.where}: citations"):
            cited[_cited_document(citation, references, record)] = None
    return list(cited)


def _cited_document(citation: object, references: Sequence[str], record: Record) -> str:
    if isinstance(citation, int) and "references" in record.fields:
        if not 0 <= citation < len(references):
            raise IrdivError(
                f"{record.where}: citation {citation} is not a position among the {len(references)} references, which "
                "are counted from 0."
            )
        return references[citation]
    return doc_ids([citation], f"{record.where}: citations")[0]
