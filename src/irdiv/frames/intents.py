"""What is known of intents, folded into the qrels as plain columns."""

from __future__ import annotations

from typing import Any

import narwhals as nw
from narwhals import selectors

from irdiv.errors import IrdivError, examples
from irdiv.frames import trec
from irdiv.frames.columns import (
    INTENT_FACTS,
    NO_DOCUMENT,
    IntentsLike,
    QrelsLike,
    as_frame,
    find_columns,
)
from irdiv.frames.ids import as_ids

_KEYS = ["_irdiv_query", "_irdiv_intent"]


def with_intents(qrels: QrelsLike, intents: IntentsLike) -> Any:
    """Fold what is known of intents into the qrels.

    The result is an ordinary frame of the kind of ``qrels`` with the columns of ``intents`` beside
    its own, so it survives ``rename``, ``merge``, ``concat``, Parquet and PyTerrier. An intent without
    a judged document is kept by a row with the document ``_no_document_`` and grade 0.

    Parameters
    ----------
    qrels
        Diversity qrels of any kind that `irdiv.evaluate` takes.
    intents
        A frame with ``query_id``, an intent column and one or more of ``probability``, ``type`` (``inf`` or
        ``nav``), ``parent_id`` and ``description``. With ``parent_id``, inner nodes are rows too.

    Examples
    --------
    >>> import pandas as pd
    >>> qrels = pd.DataFrame({"qid": [1], "docno": ["d1"], "subtopic": ["a"], "label": [2]})
    >>> intents = pd.DataFrame({"query_id": ["1", "1"], "intent_id": ["a", "b"], "probability": [0.7, 0.3]})
    >>> with_intents(qrels, intents)
       qid          docno subtopic  label  probability
    0    1             d1        a      2          0.7
    1    1  _no_document_        b      0          0.3
    """
    frame = as_frame(qrels, "qrels", trec.read_qrels, ("query_id", "doc_id", "relevance"))
    names = find_columns(frame, "qrels", ("query_id", "doc_id", "relevance", "intent_id"), ())
    facts = as_frame(intents, "intents", None, ("query_id", "intent_id", "probability"))
    known = find_columns(facts, "intents", ("query_id", "intent_id"), INTENT_FACTS)
    told = [fact for fact in INTENT_FACTS if fact in known]
    if not told:
        raise IrdivError(f"the intents tell nothing: expected one or more of the columns {examples(INTENT_FACTS, 4)}.")

    facts = _keyed(facts, known, "intents").select(*_KEYS, *told)
    _refuse_contradictions(facts)
    facts = facts.unique(_KEYS, keep="first", maintain_order=True)
    # Columns of an earlier fold give way to the new one; so do the rows it added.
    frame = frame.drop([fact for fact in told if fact in frame.columns])
    frame = _keyed(frame.filter(nw.col(names["doc_id"]).cast(nw.String) != NO_DOCUMENT), names, "qrels")
    # Arrow has two string types, and does not concatenate one with the other.
    frame = frame.with_columns(selectors.string().cast(nw.String))

    backend = nw.get_native_namespace(frame)
    if nw.get_native_namespace(facts) is not backend:
        columns = {name: facts[name].to_list() for name in facts.columns}
        facts = nw.from_dict(columns, backend=backend)

    judged = frame.join(facts, on=_KEYS, how="left")
    unjudged = facts.join(frame.select(_KEYS), on=_KEYS, how="anti")
    if len(unjudged):
        schema = frame.collect_schema()
        fill = {
            names["query_id"]: nw.col(_KEYS[0]),
            names["intent_id"]: nw.col(_KEYS[1]),
            names["doc_id"]: nw.lit(NO_DOCUMENT),
            names["relevance"]: nw.lit(0),
        }
        unjudged = unjudged.with_columns(**{name: value.cast(schema[name]) for name, value in fill.items()})
        judged = nw.concat([judged, unjudged], how="diagonal")
    return nw.maybe_reset_index(judged.drop(_KEYS)).to_native()


def _keyed(frame: nw.DataFrame[Any], names: dict[str, str], kind: str) -> nw.DataFrame[Any]:
    """Return the frame with its query and intent ids as strings in two columns more."""
    backend = nw.get_native_namespace(frame)
    keys = [
        nw.new_series(key, list(as_ids(frame[names[name]], kind)), nw.String, backend=backend)
        for key, name in zip(_KEYS, ("query_id", "intent_id"), strict=True)
    ]
    return nw.maybe_reset_index(frame).with_columns(*keys)


def _refuse_contradictions(facts: nw.DataFrame[Any]) -> None:
    distinct = facts.unique(maintain_order=True)
    twice = distinct.filter(distinct.select(_KEYS).is_duplicated())
    if len(twice):
        query, intent = twice[_KEYS[0]][0], twice[_KEYS[1]][0]
        raise IrdivError(
            f"the intents contradict themselves: intent {intent!r} of topic {query!r} has two rows that differ. "
            "Keep one row for each intent."
        )
