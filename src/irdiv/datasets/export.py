"""Qrels for other programs: ir_measures, PyTerrier, ndeval, NTCIREVAL, and ad hoc evaluation."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, examples
from irdiv.files import write_atomically
from irdiv.io.checked import require_one_meaning_of_intents
from irdiv.io.columns import INTENT_COLUMNS, PLACEHOLDER_DOC_ID, find_columns
from irdiv.io.ids import as_ids, natural_argsort
from irdiv.io.tables import QrelsLike, qrels_frame, returns_callers_frame
from irdiv.io.text import csv_writing_errors, require_separable_ids
from irdiv.io.values import integer_grades
from irdiv.types import PathLike

_REQUIRED = ("query_id", "intent_id", "doc_id", "relevance")


@returns_callers_frame
def to_ir_measures(qrels: QrelsLike) -> pd.DataFrame:
    """Return diversity qrels with ir_measures' column names, the intent as ``iteration``; other columns are kept.

    Intents without a judged document have a row with the document ``_no_document_``, which irdiv does not count as
    judged, also inside ir_measures. `to_adhoc` leaves these rows out.

    The result is a frame of the library of ``qrels``, and a pandas frame for files and other data. ir_measures itself
    takes only pandas frames.
    """
    return _normalize(qrels).rename(columns={"intent_id": "iteration"})


@returns_callers_frame
def to_pyterrier(qrels: QrelsLike) -> pd.DataFrame:
    """Return diversity qrels with PyTerrier's column names, the intent as ``subtopic_id``; other columns are kept.

    PyTerrier evaluates only the qrels of the topics that it gets. A column ``grades_below_max`` says how far each grade
    is below the highest of all, so that ERR is the same for some topics and for all. If labels are changed afterwards,
    the highest of those left counts, with a warning.

    Intents without a judged document have a row with the document ``_no_document_``, which irdiv does not count as
    judged, also inside PyTerrier and ir_measures.

    The result is a frame of the library of ``qrels``, and a pandas frame for files and other data. PyTerrier itself
    takes only pandas frames.
    """
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "intent_id": "subtopic_id"}
    frame = _normalize(qrels).rename(columns=names)
    return frame.assign(grades_below_max=max(frame["label"].max(), 0) - frame["label"].clip(lower=0))


@returns_callers_frame
def to_adhoc(qrels: QrelsLike, how: Literal["max", "count"] = "max") -> pd.DataFrame:
    """Return ad hoc qrels, with one grade for each document of a topic.

    Parameters
    ----------
    qrels
        Diversity qrels.
    how
        ``"max"`` for the highest grade over intents, ``"count"`` for the number of intents that the document is
        relevant to, as in Sakai and Song.

    Returns
    -------
    A frame of the library of ``qrels``
        ``query_id, doc_id, relevance``; a pandas frame for files and other data.

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
    require(choice("max", "count"), how=how)
    frame = _judged(_normalize(qrels))
    grade = frame["relevance"] if how == "max" else (frame["relevance"] > 0).astype(int)
    by_document = grade.groupby([frame["query_id"], frame["doc_id"]], sort=False)
    return (by_document.max() if how == "max" else by_document.sum()).rename("relevance").reset_index()


def write_ndeval(qrels: QrelsLike, path: PathLike) -> None:
    """Write a qrels file for ndeval, which needs integers as ids of topics and intents; grades below 0 become 0."""
    frame = _judged(_normalize(qrels))
    for name in ("query_id", "intent_id"):
        wrong = frame[name][~frame[name].str.fullmatch("[0-9]+")].drop_duplicates()
        if len(wrong):
            raise IrdivError(f"ndeval takes only integers as {name}, but the qrels have {examples(wrong)}.")
    require_separable_ids(frame, ("query_id", "intent_id", "doc_id"), " ")
    _write(frame.assign(relevance=frame["relevance"].clip(lower=0)), _REQUIRED, path)


def write_ntcir(
    qrels: QrelsLike, path: PathLike, intent_table: PathLike | None = None, *, sep: Literal[" ", ";"] = " "
) -> None:
    """Write NTCIREVAL's Dqrels file and, if requested, its file of probabilities, Iprob or, with types, DINprob.

    Parameters
    ----------
    qrels
        Diversity qrels, with probabilities folded in by `irdiv.with_intents` if they are to be written.
    path
        The Dqrels file to write. Levels start at L0, so a grade below 0 becomes L0.
    intent_table
        The Iprob or DINprob file to write. Intents with neither a probability nor a relevant document are left out,
        and so are inner nodes of a hierarchy.
    sep
        ``";"`` where ids contain spaces, as in the subtopic mining task of INTENT and the labels of IMine.
    """
    require(choice(" ", ";"), sep=sep)
    frame = _normalize(qrels)
    require_separable_ids(frame, ("query_id", "intent_id", "doc_id"), sep)
    judged = _judged(frame)
    _write(judged.assign(relevance="L" + judged["relevance"].clip(lower=0).astype(str)), _REQUIRED, path, sep)
    if intent_table is not None:
        _write_probabilities(frame, intent_table, sep)


def _write_probabilities(frame: pd.DataFrame, path: PathLike, sep: str) -> None:
    if "probability" not in frame.columns:
        raise IrdivError("the qrels have no probabilities to write; fold them in with irdiv.with_intents.")
    _check_relevant_intents_have_probabilities(frame)
    intents = frame[frame["probability"].notna() & ~_is_inner(frame)].drop_duplicates(["query_id", "intent_id"])
    columns = ("query_id", "intent_id", "probability", *(["type"] if "type" in intents.columns else []))
    if "type" in columns and intents["type"].isna().any():
        raise IrdivError("some intents have a type and some have none; DINprob needs the type of each.")
    _write(intents, columns, path, sep)


def _is_inner(frame: pd.DataFrame) -> pd.Series[bool]:
    """Return which rows belong to inner nodes of a hierarchy."""
    if "parent_id" not in frame.columns:
        return pd.Series(False, index=frame.index)
    inner = set(zip(frame["query_id"], frame["parent_id"], strict=True))
    nodes = zip(frame["query_id"], frame["intent_id"], strict=True)
    return pd.Series([node in inner for node in nodes], index=frame.index)


def _check_relevant_intents_have_probabilities(frame: pd.DataFrame) -> None:
    relevant = frame[frame["relevance"] > 0]
    known = set(frame.loc[frame["probability"].notna(), ["query_id", "intent_id"]].itertuples(index=False, name=None))
    for query, intent in relevant[["query_id", "intent_id"]].drop_duplicates().itertuples(index=False, name=None):
        if (query, intent) not in known:
            raise IrdivError(f"intent {intent!r} of topic {query!r} has relevant documents but no probability.")


def _normalize(qrels: QrelsLike) -> pd.DataFrame:
    """Return qrels in any form as a checked pandas frame: irdiv's names, ids as strings, topics in natural order."""
    frame = qrels_frame(qrels)
    names = find_columns(frame.columns, "qrels", _REQUIRED, INTENT_COLUMNS)
    require_one_meaning_of_intents(frame, names)
    columns = {
        name: np.asarray(as_ids(frame[column], "qrels"), dtype=object)
        if name in ("query_id", "intent_id", "doc_id")
        else frame[column].to_list()
        for name, column in names.items()
    }
    columns["relevance"] = integer_grades(frame[names["relevance"]])
    out = pd.DataFrame(columns).astype({"query_id": str, "intent_id": str, "doc_id": str}).drop_duplicates()
    repeated = out[out.duplicated(list(_REQUIRED[:3]), keep=False) & (out["doc_id"] != PLACEHOLDER_DOC_ID)]
    if len(repeated):
        query, intent, doc = repeated[list(_REQUIRED[:3])].iloc[0]
        raise IrdivError(
            f"the qrels contradict themselves: document {doc!r} of topic {query!r} has two rows that differ for intent "
            f"{intent!r}."
        )
    topics = out["query_id"].unique()
    position = dict(zip(topics[natural_argsort(list(topics))], range(len(topics)), strict=True))
    return out.sort_values("query_id", key=lambda ids: ids.map(position), kind="stable", ignore_index=True)


def _judged(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["doc_id"] != PLACEHOLDER_DOC_ID]


def _write(frame: pd.DataFrame, columns: tuple[str, ...], path: PathLike, sep: str = " ") -> None:
    with csv_writing_errors():
        text = frame[list(columns)].to_csv(sep=sep, header=False, index=False, quoting=3, escapechar=None)
    with write_atomically(path) as file:
        file.write_text(text, encoding="utf-8")
