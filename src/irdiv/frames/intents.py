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
    NO_PARENT,
    IntentsLike,
    QrelsLike,
    as_frame,
    check_probabilities,
    find_columns,
    optional_ids,
)
from irdiv.frames.ids import as_ids
from irdiv.frames.intent_files import read_intents

KEYS = ["_irdiv_query", "_irdiv_intent"]


def with_intents(qrels: QrelsLike, intents: IntentsLike) -> Any:
    """Fold what is known of intents into the qrels.

    The result is an ordinary frame of the kind of ``qrels`` with what ``intents`` tells in columns beside
    its own, so it survives ``rename``, ``merge``, ``concat``, Parquet and PyTerrier. An intent without
    a judged document is kept by a row with the document ``_no_document_`` and grade 0. Folding again replaces
    what was told before under the same name.

    Parameters
    ----------
    qrels
        Diversity qrels of any kind that `irdiv.evaluate` takes.
    intents
        A frame with ``query_id``, an intent column and one or more of ``probability``, ``type`` (``inf`` or
        ``nav``), ``parent_id`` and ``description``, or the path of such a CSV or TSV file. With ``parent_id``,
        inner nodes are rows too, and an intent without a parent is in the first layer of the hierarchy, which the
        result says as ``_root_``. Topics that the qrels do not have are left out.

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
    names = find_columns(frame.columns, "qrels", ("query_id", "doc_id", "relevance", "intent_id"), ())
    facts = intent_facts(intents)
    told = [fact for fact in INTENT_FACTS if fact in facts.columns]
    frame = _keyed(frame.drop([fact for fact in told if fact in frame.columns]), names, "qrels")
    # Arrow has two string types, and does not concatenate one with the other.
    frame = frame.with_columns(selectors.string().cast(nw.String))

    backend = nw.get_native_namespace(frame)
    if nw.get_native_namespace(facts) is not backend:
        facts = nw.from_arrow(facts.to_arrow(), backend=backend).with_columns(selectors.string().cast(nw.String))

    if "parent_id" in told:
        frame = _without_old_nodes(frame, facts, names)
    judged = frame.join(facts, on=KEYS, how="left")
    # A topic that only the intents know is none of these qrels, and would count as one that scores 0.
    topics = frame.select(KEYS[0]).unique()
    unjudged = facts.join(frame.select(KEYS), on=KEYS, how="anti").join(topics, on=KEYS[0], how="semi")
    if len(unjudged):
        judged = _with_rows(judged, unjudged, names)
    return nw.maybe_reset_index(judged.drop(KEYS)).to_native()


def _without_old_nodes(frame: nw.DataFrame[Any], facts: nw.DataFrame[Any], names: dict[str, str]) -> nw.DataFrame[Any]:
    """Leave out rows by which an older hierarchy kept nodes that the new one of the topic does not have."""
    bare = nw.col(names["doc_id"]).cast(nw.String) == NO_DOCUMENT
    retold = frame.filter(bare).join(facts.select(KEYS[0]).unique(), on=KEYS[0], how="semi")
    gone = retold.join(facts.select(KEYS), on=KEYS, how="anti").select(KEYS).unique()
    if len(gone) == 0:
        return frame
    old = frame.filter(bare).join(gone, on=KEYS, how="anti")
    return nw.concat([frame.filter(~bare), old])


def intent_facts(intents: IntentsLike) -> nw.DataFrame[Any]:
    """Return what is told of each intent, once, by `KEYS`, its topic and its own id."""
    frame = as_frame(intents, "intents", read_intents, ("query_id", "intent_id", "probability"))
    names = find_columns(frame.columns, "intents", ("query_id", "intent_id"), INTENT_FACTS)
    told = [fact for fact in INTENT_FACTS if fact in names]
    if not told:
        raise IrdivError(
            f"the intents tell nothing: expected one or more of the columns {examples(INTENT_FACTS, 4)}, "
            f"found {examples(frame.columns, 12)}."
        )
    if "probability" in told:
        check_probabilities(frame["probability"])
    if "parent_id" in told:
        parents = [NO_PARENT if parent in (None, "") else parent for parent in optional_ids(frame["parent_id"])]
        backend = nw.get_native_namespace(frame)
        frame = frame.with_columns(nw.new_series("parent_id", parents, nw.String, backend=backend))
    facts = _keyed(frame, names, "intents").select(*KEYS, *told).unique(maintain_order=True)
    if (facts[KEYS[1]] == NO_PARENT).any():
        raise IrdivError(f"an intent is called {NO_PARENT!r}, the name of the root above all intents; rename it.")
    twice = facts.filter(facts.select(KEYS).is_duplicated())
    if len(twice):
        query, intent = twice[KEYS[0]][0], twice[KEYS[1]][0]
        raise IrdivError(
            f"the intents contradict themselves: intent {intent!r} of topic {query!r} has two rows that differ. "
            "Keep one row for each intent."
        )
    return facts


def _keyed(frame: nw.DataFrame[Any], names: dict[str, str], kind: str) -> nw.DataFrame[Any]:
    """Return the frame with its query and intent ids as strings in two columns more."""
    ids = (names["query_id"], names["intent_id"])
    keys = [_strings(frame, name, kind).alias(key) for key, name in zip(KEYS, ids, strict=True)]
    return nw.maybe_reset_index(frame).with_columns(*keys)


def _strings(frame: nw.DataFrame[Any], column: str, kind: str) -> nw.Series[Any]:
    backend = nw.get_native_namespace(frame)
    return nw.new_series(column, as_ids(frame[column], kind).to_pylist(), nw.String, backend=backend)


def _with_rows(judged: nw.DataFrame[Any], unjudged: nw.DataFrame[Any], names: dict[str, str]) -> nw.DataFrame[Any]:
    """Append a row without a document for each intent that has no judged one."""
    backend = nw.get_native_namespace(judged)
    fill = {
        names["query_id"]: unjudged[KEYS[0]],
        names["intent_id"]: unjudged[KEYS[1]],
        names["doc_id"]: nw.new_series("doc", [NO_DOCUMENT] * len(unjudged), nw.String, backend=backend),
        names["relevance"]: nw.new_series("grade", [0] * len(unjudged), nw.Int64, backend=backend),
    }
    schema = judged.collect_schema()
    for name, values in fill.items():
        fitting = _cast(values, schema[name])
        if fitting is None:
            judged = judged.with_columns(_strings(judged, name, "qrels"))
            fitting = values
        unjudged = unjudged.with_columns(fitting.alias(name))
    return nw.concat([judged, unjudged], how="diagonal")


def _cast(values: nw.Series[Any], dtype: Any) -> nw.Series[Any] | None:
    """Return values in a dtype, or None where they do not fit it."""
    if dtype in (nw.Categorical, nw.Enum):
        return None
    try:
        return values.cast(dtype)
    except Exception:  # each frame library has an error of its own for an id that is no number
        return None
