"""Qrels in the form other programs take: ir_measures, PyTerrier, ndeval, NTCIREVAL, and ad hoc evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.frames.columns import INTENT_FACTS, NO_DOCUMENT, QrelsLike, as_frame, find_columns, grades
from irdiv.frames.ids import as_ids, natural_order
from irdiv.frames.trec import PathLike, read_qrels

_NEEDED = ("query_id", "intent_id", "doc_id", "relevance")


def to_ir_measures(qrels: QrelsLike) -> pd.DataFrame:
    """Return diversity qrels with ir_measures' names, the intent as ``iteration``; other facts stay."""
    return _canonical(qrels).rename(columns={"intent_id": "iteration"})


def to_pyterrier(qrels: QrelsLike) -> pd.DataFrame:
    """Return diversity qrels with PyTerrier's names, the intent as ``subtopic_id``; other facts stay.

    A column ``max_grade`` tells the highest grade of all, so that ERR is the same in every batch of topics.
    """
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "intent_id": "subtopic_id"}
    frame = _canonical(qrels).rename(columns=names)
    return frame.assign(max_grade=frame["label"].max())


def to_adhoc(qrels: QrelsLike, how: Literal["max", "count"] = "max") -> pd.DataFrame:
    """Return ad hoc qrels, one grade for each document of a topic.

    Parameters
    ----------
    qrels
        Diversity qrels.
    how
        ``"max"`` for the highest grade over intents, ``"count"`` for the number of intents that the document is
        relevant to, as in Sakai and Song.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("1", "a", "d", 1), ("1", "b", "d", 3), ("1", "a", "e", 0)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> to_adhoc(qrels, how="count")
      query_id doc_id  relevance
    0        1      d          2
    1        1      e          0
    """
    frame = _judged(_canonical(qrels))
    if how not in ("max", "count"):
        raise IrdivError(f"how={how!r} is not known; choose 'max' or 'count'.")
    grade = frame["relevance"] if how == "max" else (frame["relevance"] > 0).astype(int)
    by_document = grade.groupby([frame["query_id"], frame["doc_id"]], sort=False)
    return (by_document.max() if how == "max" else by_document.sum()).rename("relevance").reset_index()


def to_ndeval(qrels: QrelsLike, path: PathLike) -> None:
    """Write qrels that ndeval accepts: numbers for topics and intents, and no grade below 0."""
    frame = _judged(_canonical(qrels))
    for name in ("query_id", "intent_id"):
        wrong = frame[name][~frame[name].str.fullmatch("[0-9]+")].drop_duplicates()
        if len(wrong):
            raise IrdivError(f"ndeval takes only numbers for the {name}, but the qrels have {examples(wrong)}.")
    _refuse_separator(frame, ("doc_id",), " ")
    _write(frame.assign(relevance=frame["relevance"].clip(lower=0)), _NEEDED, path)


def to_ntcir(
    qrels: QrelsLike, path: PathLike, intents: PathLike | None = None, *, sep: Literal[" ", ";"] = " "
) -> None:
    """Write NTCIREVAL's Dqrels and, where probabilities are known, its Iprob or, with types, DINprob file.

    Parameters
    ----------
    qrels
        Diversity qrels, with what `irdiv.with_intents` folded in.
    path
        The Dqrels file to write. Levels start at L0, so a grade below 0 becomes L0.
    intents
        The Iprob or DINprob file to write. Intents with neither a probability nor a relevant document are left out,
        and so are inner nodes of a hierarchy.
    sep
        ``";"`` where ids hold spaces, as in subtopic mining of INTENT and for the labels of IMine.
    """
    frame = _canonical(qrels)
    if sep not in (" ", ";"):
        raise IrdivError(f"sep={sep!r} is not known; choose ' ' or ';'.")
    _refuse_separator(frame, ("query_id", "intent_id", "doc_id"), sep)
    judged = _judged(frame)
    _write(judged.assign(relevance="L" + judged["relevance"].clip(lower=0).astype(str)), _NEEDED, path, sep)
    if intents is None:
        return
    if "probability" not in frame.columns:
        raise IrdivError("the qrels know no probabilities to write; fold them in with irdiv.with_intents.")
    told = frame[frame["probability"].notna() & ~_is_inner(frame)].drop_duplicates(["query_id", "intent_id"])
    _refuse_weightless(frame)
    columns = ("query_id", "intent_id", "probability", *(["type"] if "type" in told.columns else []))
    if "type" in columns and told["type"].isna().any():
        raise IrdivError("some intents have a type and some none; DINprob needs the type of each.")
    _write(told, columns, intents, sep)


def _is_inner(frame: pd.DataFrame) -> pd.Series[bool]:
    """Tell which rows are of inner nodes of a hierarchy."""
    if "parent_id" not in frame.columns:
        return pd.Series(False, index=frame.index)
    inner = set(zip(frame["query_id"], frame["parent_id"], strict=True))
    nodes = zip(frame["query_id"], frame["intent_id"], strict=True)
    return pd.Series([node in inner for node in nodes], index=frame.index)


def _refuse_weightless(frame: pd.DataFrame) -> None:
    relevant = frame[frame["relevance"] > 0]
    known = set(frame.loc[frame["probability"].notna(), ["query_id", "intent_id"]].itertuples(index=False, name=None))
    for query, intent in relevant[["query_id", "intent_id"]].drop_duplicates().itertuples(index=False, name=None):
        if (query, intent) not in known:
            raise IrdivError(f"intent {intent!r} of topic {query!r} has relevant documents but no probability.")


def _canonical(qrels: QrelsLike) -> pd.DataFrame:
    """Return qrels of any kind as a pandas frame with our names, ids as strings, in natural order of topics."""
    frame = as_frame(qrels, "qrels", read_qrels, ("query_id", "doc_id", "relevance"))
    names = find_columns(frame.columns, "qrels", _NEEDED, INTENT_FACTS)
    columns = {
        name: np.asarray(as_ids(frame[column], "qrels"), dtype=object)
        if name in ("query_id", "intent_id", "doc_id")
        else frame[column].to_list()
        for name, column in names.items()
    }
    columns["relevance"] = grades(frame[names["relevance"]])
    out = pd.DataFrame(columns).astype({"query_id": str, "intent_id": str, "doc_id": str}).drop_duplicates()
    twice = out[out.duplicated(list(_NEEDED[:3]), keep=False) & (out["doc_id"] != NO_DOCUMENT)]
    if len(twice):
        query, intent, doc = twice[list(_NEEDED[:3])].iloc[0]
        raise IrdivError(
            f"the qrels contradict themselves: document {doc!r} of topic {query!r} has two rows that differ for intent "
            f"{intent!r}."
        )
    topics = out["query_id"].unique()
    place = dict(zip(topics[natural_order(list(topics))], range(len(topics)), strict=True))
    return out.sort_values("query_id", key=lambda ids: ids.map(place), kind="stable", ignore_index=True)


def _judged(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["doc_id"] != NO_DOCUMENT]


def _refuse_separator(frame: pd.DataFrame, names: tuple[str, ...], sep: str) -> None:
    pattern = r"\s" if sep == " " else r"[;\r\n]|^\s|\s$"
    called = "spaces" if sep == " " else "semicolons"
    for name in names:
        wrong = frame[name][frame[name].str.contains(pattern) | (frame[name] == "")].drop_duplicates()
        if len(wrong):
            raise IrdivError(f"the file separates columns by {called}, but a {name} is {examples(wrong)}.")


def _write(frame: pd.DataFrame, columns: tuple[str, ...], path: PathLike, sep: str = " ") -> None:
    text = frame[list(columns)].to_csv(sep=sep, header=False, index=False, quoting=3, escapechar=None)
    Path(path).write_text(text, encoding="utf-8")
