"""What `irdiv coverage` evaluates: judgments of nuggets and runs in files of any format, and suitable measures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from irdiv.core.collection import Collection
from irdiv.errors import IrdivError, IrdivWarning, counted, examples, warn
from irdiv.intents.folding import with_intents
from irdiv.io.columns import IMPORTANCE_WEIGHTS
from irdiv.io.guards import MANY
from irdiv.io.runs import is_folder_of_runs, run_name
from irdiv.io.streams import is_parquet
from irdiv.io.tables import RunLike
from irdiv.io.text import read_bytes
from irdiv.io.trec import read_qrels
from irdiv.rag.assignments import read_assignments
from irdiv.rag.contexts import Source, read_contexts
from irdiv.rag.fields import rows_of_columns, unread_documents
from irdiv.rag.labels import LabelMapping
from irdiv.rag.nuggets import read_nuggets
from irdiv.rag.records import name_of_file, read_records
from irdiv.rag.tables import Duplicates
from irdiv.types import PathLike

_JSON_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


def read_judgments(
    nuggets: PathLike,
    judgments: PathLike | None = None,
    *,
    labels: LabelMapping | None = None,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Read judgments of documents by nuggets as qrels.

    Parameters
    ----------
    nuggets
        A file with nuggets and the documents that support them, in any format of `read_nuggets`, assignments of nuggets
        to documents, as `read_assignments` takes, or diversity qrels of TREC; or one with nuggets alone.
    judgments
        For nuggets alone: a file of the same formats with judgments of documents. The nuggets, their importance and
        their texts are those of ``nuggets``, also where no document was judged.
    labels
        As of `read_nuggets`. With ``judgments``, labels that are mapped to an importance are those of ``nuggets``, and
        the others those of ``judgments``.
    duplicates
        As of `read_nuggets`.
    """
    # A file that cannot be used needs no warnings about its contents.
    with catch_warnings(record=True) as caught:
        simplefilter("always", IrdivWarning)
        qrels = (
            _read_one(nuggets, labels, duplicates)
            if judgments is None
            else _read_both(nuggets, judgments, labels, duplicates)
        )
    for warning in caught:
        warn(str(warning.message))
    return qrels


def _read_one(path: PathLike, labels: LabelMapping | None, duplicates: Duplicates) -> pd.DataFrame:
    qrels = _read(path, labels, duplicates)
    if "doc_id" not in qrels:
        fields = [record.fields for record in read_records(path, "nuggets", "nuggets")]
        items = (item for one in fields for item in [one, *_nuggets(one)] if isinstance(item, Mapping))
        unread = unread_documents(items, ())
        hint = f" If these are in the field {examples(unread)}, call it 'supporting_docs'." if unread else ""
        raise IrdivError(
            f"{path}: the nuggets name no documents, so that coverage by documents is unknown. Give a file with the "
            f"documents that support each nugget, or add judgments of documents: --judgments FILE.{hint}"
        )
    return qrels


def _read_both(
    nuggets: PathLike, judgments: PathLike, labels: LabelMapping | None, duplicates: Duplicates
) -> pd.DataFrame:
    importance = {label: to for label, to in (labels or {}).items() if to in IMPORTANCE_WEIGHTS}
    support = {label: to for label, to in (labels or {}).items() if label not in importance}
    declared, judged = _read(nuggets, importance, duplicates), _read(judgments, support, duplicates)
    if "doc_id" in declared:
        raise IrdivError(f"{nuggets}: the nuggets name documents already; leave out the judgments {str(judgments)!r}.")
    if "doc_id" not in judged:
        raise IrdivError(f"{judgments}: the judgments name no documents; expected a field such as 'doc_id'.")
    _warn_about_differences(declared, judged)
    if "description" not in declared:
        declared = declared.assign(description=declared["intent_id"])
    return with_intents(judged, declared)


def _read(path: PathLike, labels: LabelMapping | None, duplicates: Duplicates) -> pd.DataFrame:
    """Return qrels or an intent table."""
    with _errors_of_file(path):
        return _read_any(path, labels, duplicates)


def _read_any(path: PathLike, labels: LabelMapping | None, duplicates: Duplicates) -> pd.DataFrame:
    if not _has_records(path):
        return read_qrels(path)
    fields = [record.fields for record in read_records(path, "nuggets", "nuggets")]
    items = (item for one in fields for item in [one, *_nuggets(one)])
    if not any(isinstance(item, Mapping) and "assignment" in item for item in items):
        return read_nuggets(path, labels=labels or None, duplicates=duplicates)
    assignments = read_assignments(path, labels=labels or None, duplicates=duplicates)
    if "doc_id" not in assignments:
        raise IrdivError(
            f"{path}: the nuggets are assigned to answers, and not to documents. In Python, "
            "irdiv.rag.score_answers(irdiv.rag.read_assignments(path)) scores answers."
        )
    return assignments


@contextmanager
def _errors_of_file(path: PathLike) -> Iterator[None]:
    """Name the file in errors that do not."""
    try:
        yield
    except IrdivError as error:
        raise error if str(path) in str(error) else IrdivError(f"{path}: {error}") from None


def _nuggets(fields: Mapping[str, object]) -> Sequence[object]:
    nuggets = rows_of_columns(fields.get("nuggets"))
    return nuggets if isinstance(nuggets, list | tuple) else ()


def _has_records(path: PathLike) -> bool:
    """Return whether a path is of JSON, JSON Lines or Parquet, or of a folder, and not of lines as TREC has them."""
    if str(path).endswith(_JSON_SUFFIXES) or is_folder_of_runs(path) or (os.path.exists(path) and is_parquet(path)):
        return True
    return read_bytes(path, "input", 1024).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def _warn_about_differences(declared: pd.DataFrame, judged: pd.DataFrame) -> None:
    unjudged = [topic for topic in declared["query_id"].unique() if topic not in set(judged["query_id"])]
    if unjudged:
        what = "nuggets but no judgments, and"
        count = counted(len(unjudged), f"question has {what} is", f"questions have {what} are")
        warn(f"{count} left out: {examples(unjudged)}.")
    known = set(declared[["query_id", "intent_id"]].itertuples(index=False, name=None))
    columns = ["query_id", "intent_id" if "intent_id" in judged else "iteration"]
    found = dict.fromkeys(judged[columns].itertuples(index=False, name=None))
    undeclared = [f"{topic} {nugget}" for topic, nugget in found if (topic, nugget) not in known]
    if undeclared and len(undeclared) < MANY * len(found):  # with_intents warns about more
        warn(
            f"{counted(len(undeclared), 'judged nugget is', 'judged nuggets are')} not among the given ones, and only "
            f"counted if a document gives support: {examples(undeclared)}."
        )


def read_runs(
    paths: Mapping[str, PathLike], *, source: Source | None = None, duplicates: Duplicates = "error"
) -> dict[str, RunLike]:
    """Read runs from files, each of any format of `read_contexts` or of TREC.

    A run of JSON or Parquet is named by its ``run_id``, and else after the file, as are those of TREC. Where runs of
    several files would have the same name, each is named after its file.

    Parameters
    ----------
    paths
        From what the user calls a file to its path.
    source, duplicates
        As of `read_contexts`; TREC files have no ``source``.
    """
    found: list[tuple[str, Mapping[str, RunLike]]] = []
    for shown, path in paths.items():
        if _has_records(path):
            data = path if shown == str(path) else {shown: path}
            with _errors_of_file(shown):
                found.append((shown, read_contexts(data, source=source, duplicates=duplicates)))
        elif source is not None:
            raise IrdivError(
                f"source={source!r} (on the command line, --source) is for answers in JSON; {shown} is a file in "
                "TREC's format."
            )
        else:
            found.append((shown, {run_name(shown): path}))
    names = [name for _, runs in found for name in runs]
    named: dict[str, RunLike] = {}
    for shown, runs in found:
        for name, run in runs.items():
            unique = name if names.count(name) == 1 else _unique_name(shown, name, runs, [file for file, _ in found])
            named[unique] = run
    return named


def _unique_name(shown: str, name: str, runs: Mapping[str, object], files: Sequence[str]) -> str:
    if len(runs) > 1:
        raise IrdivError(f"{shown}: the run {name!r} is also in another file; give each run a run_id of its own.")
    stems = [name_of_file(file) for file in files]
    return shown if stems.count(name_of_file(shown)) > 1 else name_of_file(shown)


def coverage_measures(collection: Collection, cutoff: int) -> list[str]:
    """Return the specs of the measures that show how runs cover nuggets.

    Vital-coverage is one of them if all nuggets have an importance, and A-Recall if they have other weights.
    """
    weighted = ["Vital-coverage"] if _has_importance(collection) else ["A-Recall"] if _has_weights(collection) else []
    return [f"{name}@{cutoff}" for name in ("Coverage", *weighted, "All-covered", "alpha-nDCG")]


def _has_importance(collection: Collection) -> bool:
    """Return whether Vital-coverage is defined: each nugget has an importance, and each topic a known one."""
    if collection.intent_importance is None:
        return False
    counted = np.flatnonzero(collection.intent_declared | (collection.intent_best_grade > 0))
    importance, topic = collection.intent_importance[counted], collection.intent_topic[counted]
    missing = np.flatnonzero(importance == None)  # noqa: E711 (element by element)
    known = set(topic[np.isin(importance, list(IMPORTANCE_WEIGHTS))].tolist())
    unknown = np.flatnonzero([index not in known for index in topic])
    if len(missing) == len(counted):
        return False
    if len(missing) or len(unknown):
        which, has = (missing, "no importance") if len(missing) else (unknown, "an unknown importance")
        first = collection.describe_intent(counted[which[0]])
        warn(f"{len(which)} of {len(counted)} nuggets have {has}, the first is {first}: Vital-coverage is left out.")
        return False
    return True


def _has_weights(collection: Collection) -> bool:
    counted = collection.intent_declared | (collection.intent_best_grade > 0)
    probability = collection.intent_probability[counted]
    return not np.isnan(probability).any() and len(np.unique(probability)) > 1
