"""The documents that answers were generated from, or that were retrieved for them, as runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pandas as pd

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, examples
from irdiv.frames.backends import callers_backend, from_pandas
from irdiv.frames.columns import find_columns, order_column
from irdiv.rag.records import Record, RecordsLike, as_list, doc_ids, id_text, read_records
from irdiv.rag.tables import Duplicates

Source: TypeAlias = Literal["references", "citations"]
"""What the documents of an answer are."""

_SENTENCES = ("answer", "responses", "sentences")
_DOCUMENTS = ("documents", "docs", "doc_ids", "docids", "contexts", "passages", "candidates", "results")


def read_contexts(
    path: RecordsLike, *, source: Source | None = None, duplicates: Duplicates = "error"
) -> dict[str, Any]:
    """Read the documents of answers, or retrieved ones, as runs for `irdiv.evaluate`.

    Each record is of one topic of one run:

    - an answer of TREC RAG or RAGTIME: ``references`` in their order, or the ``citations`` of its sentences (``answer``
      or ``responses``) in the order of their first use: ids, positions among the references, or objects from id to
      score;
    - retrieved documents: a list of ids or of ``{docid, score}`` in ``candidates``, ``documents``, ``contexts``, …;
    - a row ``{query_id, doc_id, rank or score}`` with one document.

    JSON ``{topic: [document, …]}`` and ``{topic: {document: score}}`` is also accepted.

    Parameters
    ----------
    path
        The path of a JSON Lines, JSON or Parquet file, compressed by gzip or not, several paths, a mapping from name of
        run to path, an iterable of dicts, or a frame. Runs are named by ``run_id``, or else after their file.
    source
        What an answer's documents are: ``"references"`` or ``"citations"``; by default references if there are any.
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
        require(choice("references", "citations"), source=source)
    require(choice("error", "first"), duplicates=duplicates)
    records = read_records(path, "contexts", "documents")
    fields = dict.fromkeys(name for record in records for name in record.fields)
    is_table = not _has_lists(fields)
    runs = _runs_of_rows(records, list(fields)) if is_table else _runs_of_lists(records, source, duplicates)
    if is_table and source is not None:
        raise IrdivError(f"source={source!r} is for answers; these records have only {examples(fields, 9)}.")
    backend = callers_backend(path)
    return {name: from_pandas(run, backend) for name, run in runs.items()}


def _has_lists(fields: Iterable[str]) -> bool:
    return not {"references", *_SENTENCES, *_DOCUMENTS}.isdisjoint(fields)


def _runs_of_rows(records: Sequence[Record], fields: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return runs of records with one document each."""
    required = ("query_id", "doc_id", order_column(fields, "input"))
    names = find_columns(fields, "contexts", required, ("run", "rank"))
    rows = [
        (
            record.run,
            *(record.fields.get(column) for name, column in names.items() if name != "run"),
        )
        for record in records
    ]
    table = pd.DataFrame(rows, columns=["run", *(name for name in names if name != "run")])
    for name in ("query_id", "doc_id"):
        table[name] = [
            id_text(value, f"{record.where}: {names[name]}") for value, record in zip(table[name], records, strict=True)
        ]
    return {
        str(name): rows.drop(columns="run").reset_index(drop=True) for name, rows in table.groupby("run", sort=False)
    }


def _runs_of_lists(records: Sequence[Record], source: str | None, duplicates: Duplicates) -> dict[str, pd.DataFrame]:
    rows: dict[str, list[tuple[str, str, int, object]]] = {}
    topics: dict[tuple[str, str], str] = {}
    for record in records:
        name, topic = record.run, record.topic
        if (name, topic) in topics:
            raise IrdivError(
                f"{record.where}: run {name!r} has topic {topic!r} already in {topics[name, topic]}. Give each run its "
                "own run_id, or name the files: {'name': path}."
            )
        topics[name, topic] = record.where
        scored = _documents(record, source, duplicates)
        rows.setdefault(name, []).extend(
            (topic, doc, rank, score) for rank, (doc, score) in enumerate(scored.items(), 1)
        )
    runs = {}
    for name, documents in rows.items():
        if not documents:
            raise IrdivError(f"run {name!r} has no documents in any of its topics.")
        frame = pd.DataFrame(documents, columns=["query_id", "doc_id", "rank", "score"])
        runs[name] = frame.drop(columns="score") if frame["score"].isna().any() else frame.astype({"score": float})
    return runs


def _documents(record: Record, source: str | None, duplicates: Duplicates) -> dict[str, object]:
    """Return the documents of a record in order, with their scores, or None."""
    fields = record.fields
    retrieved = next((name for name in _DOCUMENTS if name in fields), None)
    if source is None and retrieved is not None and "references" not in fields:
        return _retrieved(fields[retrieved], f"{record.where}: {retrieved}", duplicates)
    if source == "references" or (source is None and "references" in fields):
        if "references" not in fields:
            raise IrdivError(f"{record.where}: no references, found the fields {examples(fields, 9)}.")
        where = f"{record.where}: references"
        return _retrieved(doc_ids(record.sequence("references"), where), where, duplicates)
    return dict.fromkeys(_cited(record))


def _retrieved(documents: object, where: str, duplicates: Duplicates) -> dict[str, object]:
    if isinstance(documents, Mapping):
        return {id_text(doc, where): score for doc, score in sorted(documents.items(), key=lambda item: -item[1])}
    found: dict[str, object] = {}
    for item in as_list(documents, where):
        (doc,) = doc_ids([item], where)
        if doc in found and duplicates == "error":
            raise IrdivError(
                f"{where}: document {doc!r} is listed twice; remove one, or keep the first with duplicates='first'."
            )
        found.setdefault(doc, item.get("score") if isinstance(item, Mapping) else None)
    return found


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
            citations = [doc for doc, _ in sorted(citations.items(), key=lambda item: -item[1])]
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
