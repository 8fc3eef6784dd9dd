"""The arrays that compiled qrels consist of, to be stored and restored."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irdiv.arrays.compiled import CompiledQrels
from irdiv.arrays.memo import Memo
from irdiv.arrays.pairs import PairIndex
from irdiv.types import Ints

_FLOATS_AND_FLAGS = ("intent_probability", "intent_navigational", "intent_has_info", "intent_judged", "intent_declared")
_INTEGERS = (
    "positive_grades",
    "intent_topic",
    "intent_start",
    "intent_best_grade",
    "row_start",
    "grade",
    "grade_row",
    "grade_intent",
    "grade_start",
    "_judged_topic",
    "_judged_grade",
)
_STRINGS = ("intents", "intent_parent", "intent_description", "intent_importance")
"""Arrays of strings and None; all but the first may be missing."""
_IDS = ("topic_ids", "_judged_doc")
_FACTS = ("has_intents", "max_grade")
_RELEVANT = "relevant_doc"


def to_arrays(qrels: CompiledQrels) -> tuple[dict[str, pa.Array | None], dict[str, object]]:
    """Return all that compiled qrels hold, as arrays of Arrow and as single values."""
    strings = {name: getattr(qrels, name) for name in _STRINGS}
    arrays = {
        **{name: pa.array(getattr(qrels, name)) for name in _FLOATS_AND_FLAGS},
        **{name: pa.array(_narrowed(getattr(qrels, name))) for name in _INTEGERS},
        **{name: None if values is None else pa.array(values, pa.large_string()) for name, values in strings.items()},
        **{name: getattr(qrels, name) for name in _IDS},
        _RELEVANT: qrels.relevant_doc_ids(np.arange(qrels.row_start[-1])),
    }
    return arrays, {name: getattr(qrels, name) for name in _FACTS}


def set_arrays(qrels: CompiledQrels, arrays: Mapping[str, pa.Array | None], facts: Mapping[str, object]) -> None:
    """Give new compiled qrels what `to_arrays` returned."""
    Memo.__init__(qrels)
    for name in _FLOATS_AND_FLAGS:
        setattr(qrels, name, _required(arrays, name).to_numpy(zero_copy_only=False))
    for name in _INTEGERS:
        setattr(qrels, name, _required(arrays, name).to_numpy().astype(np.int64))
    for name in _STRINGS:
        values = arrays[name]
        setattr(qrels, name, None if values is None else np.asarray(values, dtype=object))
    for name in _IDS:
        setattr(qrels, name, _required(arrays, name))
    for name in _FACTS:
        setattr(qrels, name, facts[name])
    qrels.topics = np.asarray(qrels.topic_ids, dtype=object)
    topic = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.row_start))
    qrels._relevant = PairIndex(topic, _required(arrays, _RELEVANT))


def _narrowed(integers: Ints) -> NDArray[np.integer]:
    """Return integers in the smallest type that holds them, as most of the time is that for writing and hashing."""
    lowest = np.min_scalar_type(min(int(integers.min(initial=0)), -1))
    return integers.astype(np.promote_types(lowest, np.min_scalar_type(-int(integers.max(initial=0)) - 1)))


def _required(arrays: Mapping[str, pa.Array | None], name: str) -> pa.Array:
    array = arrays[name]
    assert array is not None
    return array
