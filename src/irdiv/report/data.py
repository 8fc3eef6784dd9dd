"""The data of a page: values, intents, judgments and rankings, as compressed JSON."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from irdiv.analysis.first_documents import CountedIntents, counted_intents, first_documents
from irdiv.core.collection import Collection
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.scoring import Scored
from irdiv.evaluation.topics import intent_options
from irdiv.measures.measure import less_is_better
from irdiv.show.hierarchy import Hierarchy
from irdiv.types import Floats, Ints, Objects

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

T = TypeVar("T")


def page_data(
    evaluation: Evaluation[IntoDataFrame],
    order: Sequence[int],
    *,
    baseline: str | None,
    cutoff: int,
    topic_texts: Mapping[str, str],
    intent_descriptions: Mapping[tuple[str, str], str],
) -> dict[str, object]:
    """Return what the script of the page shows, with runs in the given order, as JSON can hold it.

    =============== ==================================================================================================
    ``cutoff``      the last rank of ``rankings``
    ``measures``    ``name``, ``less_is_better``, and ``low`` and ``high``, the range of colors
    ``runs``        names, in the order of the leaderboard
    ``baseline``    the index of a run, or None
    ``topics``      ``id`` and ``text``
    ``values``      ``[measure][run][topic]``, None where undefined
    ``has_intents`` whether the qrels have intents; if not, each topic has one with the id ``""``, for the grades
    ``intents``     ``[topic]``: ``id``, ``text``, ``probability`` (or None), ``importance`` where there is one
    ``documents``   ``[topic]``: the ids of documents that some run has down to the cutoff
    ``judged``      ``[topic]``: ``[document, [[intent, grade], …]]`` of judged documents, by index
    ``rankings``    ``[run][topic]``: indices of documents by rank
    ``trees``       ``[topic]``: drawings of hierarchies of more than one layer; absent if there are none
    =============== ==================================================================================================

    From ``has_intents`` on, all is absent for an evaluation that does not keep qrels and runs.
    """
    values = np.moveaxis(evaluation.values, 1, 0)[:, list(order)]
    runs = [evaluation.runs[run] for run in order]
    topics = list(map(str, evaluation.query_ids))
    data: dict[str, object] = {
        "cutoff": cutoff,
        "measures": [
            {"name": name, "less_is_better": less_is_better(measure), **_color_range(own)}
            for name, measure, own in zip(evaluation.specs(), evaluation.measures, values, strict=True)
        ],
        "runs": runs,
        "baseline": None if baseline is None else runs.index(baseline),
        "topics": [{"id": topic, "text": topic_texts.get(topic, "")} for topic in topics],
        "values": _without_nan(values),
    }
    if evaluation.sources is not None:
        data |= _documents(evaluation.sources, runs, cutoff, intent_descriptions)
    return data


def compress(data: Mapping[str, object]) -> str:
    """Return data as JSON, compressed by gzip, in base64."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def _color_range(values: Floats) -> dict[str, float]:
    """Return 0 and 1 where all values are between them, so that measures can be compared, else their range."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))
    return {"low": 0.0, "high": 1.0} if low >= 0 and high <= 1 else {"low": low, "high": high}


def _without_nan(values: Floats) -> list[object]:
    if np.isfinite(values).all():
        return values.tolist()
    nullable: Objects = values.astype(object)
    nullable[~np.isfinite(values)] = None
    return nullable.tolist()


def _documents(
    sources: Scored, runs: Sequence[str], cutoff: int, descriptions: Mapping[tuple[str, str], str]
) -> dict[str, object]:
    collection = sources.collection
    sources.require_documents(cutoff, f"cutoff={cutoff}")
    intents = counted_intents(collection, intent_options(sources))
    found = first_documents(collection, [sources.runs[run] for run in runs], intents, cutoff)
    grades = _split(list(zip(found.intent.tolist(), found.grade.tolist(), strict=True)), found.grade_start)
    position = np.arange(len(found.doc_ids)) - np.repeat(found.start[:-1], np.diff(found.start))
    judged = np.flatnonzero(found.is_judged)
    judgments = [[document, grades[index]] for document, index in zip(position[judged].tolist(), judged, strict=True)]
    data: dict[str, object] = {
        "has_intents": collection.has_intents,
        "intents": _intents(collection, intents, descriptions),
        "documents": _split(found.doc_ids.to_pylist(), found.start),
        "judged": _split(judgments, np.searchsorted(judged, found.start)),
        "rankings": [
            _split(ranked.tolist(), start) for ranked, start in zip(found.ranked, found.ranked_start, strict=True)
        ],
    }
    trees = _trees(collection)
    return {**data, "trees": trees} if any(trees) else data


def _intents(
    collection: Collection, counted: CountedIntents, descriptions: Mapping[tuple[str, str], str]
) -> list[list[dict[str, object]]]:
    """Return the intents of each topic."""
    known, importance = collection.intent_description, collection.intent_importance
    entries = []
    for number, index in enumerate(counted.intent.tolist()):
        topic, intent = str(collection.topics[collection.intent_topic[index]]), str(collection.intents[index])
        text = descriptions.get((topic, intent)) or (None if known is None else known[index]) or ""
        probability = None if counted.probability is None else float(counted.probability[number])
        entry: dict[str, object] = {"id": intent, "text": text, "probability": probability}
        if importance is not None and importance[index] is not None:
            entry["importance"] = importance[index]
        entries.append(entry)
    return _split(entries, counted.start)


def _trees(collection: Collection) -> list[str]:
    """Return drawings of hierarchies of more than one layer, empty for other topics."""
    if collection.intent_parent is None:
        return []
    hierarchy = Hierarchy(collection)
    height = hierarchy.frame.groupby("query_id")["layer"].max()
    deep = set(height[height > 1].index)
    return [hierarchy.draw(topic) if topic in deep else "" for topic in map(str, collection.topics)]


def _split(values: list[T], start: Ints) -> list[list[T]]:
    """Return the values between each two of some positions."""
    return [values[begin:end] for begin, end in pairwise(start.tolist())]
