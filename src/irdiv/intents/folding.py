"""Intent tables, folded into the qrels as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, overload

import narwhals as nw
import numpy as np
import pyarrow as pa
from narwhals import selectors

from irdiv.errors import IrdivError, examples, warn
from irdiv.intents.files import read_intents
from irdiv.io.checked import require_one_meaning_of_intents
from irdiv.io.columns import (
    IMPORTANCE_WEIGHTS,
    INTENT_COLUMNS,
    INTENT_TYPES,
    PLACEHOLDER_DOC_ID,
    QRELS_COLUMNS,
    ROOT_ID,
    find_columns,
    raise_if_empty,
    unknown_intent_table_columns,
)
from irdiv.io.guards import MANY, describe_difference
from irdiv.io.ids import Column, as_ids, as_strings, factorize_grouped
from irdiv.io.tables import Frame, FrameT, IntentsLike, QrelsHolder, QrelsLike, as_frame, qrels_frame, rename_columns
from irdiv.io.values import check_probabilities, ids_or_none, strings_or_none
from irdiv.io.values import is_given as values_are_given
from irdiv.types import Bools, Ints, PathLike

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.dtypes import DType
    from narwhals.typing import IntoDataFrame

NonFrame: TypeAlias = PathLike | Iterable[tuple[object, ...]] | QrelsHolder
"""Qrels that are not a frame: a path, namedtuples, or a `Dataset`."""

ID_COLUMNS = ["_irdiv_query", "_irdiv_intent"]
"""Columns with the ids of topic and intent as strings, by which intent tables and qrels are joined."""


@overload
def with_intents(qrels: FrameT, intent_table: IntentsLike, *, columns: Mapping[str, str] | None = ...) -> FrameT: ...
@overload
def with_intents(
    qrels: NonFrame, intent_table: IntentsLike, *, columns: Mapping[str, str] | None = ...
) -> pd.DataFrame: ...
@overload
def with_intents(
    qrels: QrelsLike, intent_table: IntentsLike, *, columns: Mapping[str, str] | None = ...
) -> IntoDataFrame: ...
def with_intents(
    qrels: QrelsLike, intent_table: IntentsLike, *, columns: Mapping[str, str] | None = None
) -> IntoDataFrame:
    """Fold probabilities, types, parents, descriptions or the importance of intents into the qrels.

    The result is an ordinary frame with the columns of ``intent_table`` beside those of ``qrels``, so it survives
    ``rename``, ``merge``, ``concat``, Parquet and PyTerrier. An intent without a judged document, or for which all
    columns are empty, is kept by a row with the document ``_no_document_`` and grade 0. Columns of the same name that
    were folded in before are replaced.

    Parameters
    ----------
    qrels
        Diversity qrels in any form that `irdiv.evaluate` takes.
    intent_table
        A frame with ``query_id``, an intent column and one or more of ``probability``, ``type`` (``inf`` or
        ``nav``), ``parent_id``, ``description`` and ``importance`` (``vital`` or ``okay``), or the path of such a CSV
        or TSV file. The probability may be called ``weight`` or ``weights``; any other column is left out with a
        warning. In topics without probabilities the importance is a weight: vital 1, okay ½. With ``parent_id``,
        inner nodes are rows too, and an intent without a parent is in the first layer of the hierarchy; its parent
        in the result is ``_root_``. Topics that the qrels do not have are left out; a table without any intent of the
        qrels, or of a topic that both have, is an error.
    columns
        Names of columns in the qrels and the table and what they are for irdiv, such as ``{"facet": "intent_id"}``;
        the result has irdiv's names.

    Returns
    -------
    A frame of the library of ``qrels``
        A pandas frame for files, namedtuples and a `Dataset`.

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
    qrels, intent_table = rename_columns(columns, (qrels, "qrels"), (intent_table, "intents"))
    return fold(qrels, normalize_intent_table(intent_table))


def fold(qrels: QrelsLike, table: Frame) -> IntoDataFrame:
    """Fold what `normalize_intent_table` returned into the qrels."""
    frame = qrels_frame(qrels)
    names = find_columns(frame.columns, "qrels", (*QRELS_COLUMNS, "intent_id"))
    require_one_meaning_of_intents(frame, names)
    replaced = [name for name in INTENT_COLUMNS if name in table.columns and name in frame.columns]
    frame = _with_one_string_type(_with_id_columns(frame.drop(replaced), names, "qrels"))

    backend = nw.get_native_namespace(frame)
    if nw.get_native_namespace(table) is not backend:
        table = _with_one_string_type(nw.from_arrow(table.to_arrow(), backend=backend))

    judged, described = _intent_codes(frame, table)
    _require_common_intent(frame, table, judged, described)
    is_placeholder = (frame[names["doc_id"]].cast(nw.String) == PLACEHOLDER_DOC_ID).fill_null(False).to_numpy()
    _warn_about_undescribed_intents(frame, table, judged, described, is_placeholder)
    needs_row = _need_rows(table, judged, described, is_placeholder)
    folded = frame
    if "parent_id" in table.columns:
        folded = _drop_obsolete_nodes(frame, judged, described, is_placeholder)
    folded = folded.join(table, on=ID_COLUMNS, how="left")
    if needs_row.any():
        folded = _append_intents(folded, table.filter(needs_row.tolist()), names)
    return nw.maybe_reset_index(folded.drop(ID_COLUMNS)).to_native()


def _with_one_string_type(frame: Frame) -> Frame:
    """Return an Arrow table with one of Arrow's string types, as it does not concatenate two; others are returned."""
    # A cast of pandas 2 makes "None" of missing values.
    return frame.with_columns(selectors.string().cast(nw.String)) if frame.implementation.is_pyarrow() else frame


class _IntentCodes(NamedTuple):
    """The topic and the intent of each row of a frame as integers, which take less time to compare than ids."""

    topic: Ints
    intent: Ints
    """Intents of two topics differ, also those with the same id."""


def _intent_codes(qrels: Frame, table: Frame) -> tuple[_IntentCodes, _IntentCodes]:
    """Return the codes of the qrels and those of an intent table, equal where the ids are."""
    topic, intent = (
        factorize_grouped(pa.concat_arrays([as_strings(frame[name]) for frame in (qrels, table)]))[0]
        for name in ID_COLUMNS
    )
    intent = topic * (intent.max(initial=0) + 1) + intent
    start = len(qrels)
    return _IntentCodes(topic[:start], intent[:start]), _IntentCodes(topic[start:], intent[start:])


def _require_common_intent(qrels: Frame, table: Frame, judged: _IntentCodes, described: _IntentCodes) -> None:
    """Raise an error if no intent of the table is in the qrels, or none of a topic that both have."""
    in_table = np.isin(judged.intent, described.intent)
    if not in_table.any():
        ids_of_qrels, ids_of_table = (_example_intents(frame) for frame in (qrels, table))
        raise IrdivError(
            f"no intent in common (topic and intent): the qrels have {ids_of_qrels}, and the intent table has "
            f"{ids_of_table}. Check that both use the same ids."
        )
    # TREC's subtopic 0 is not an intent.
    is_intent = (qrels[ID_COLUMNS[1]] != "0").to_numpy()
    has_common = np.isin(judged.topic, judged.topic[in_table & is_intent])
    mismatched = np.flatnonzero(is_intent & np.isin(judged.topic, described.topic) & ~has_common)
    if len(mismatched):
        topic = qrels[ID_COLUMNS[0]][int(mismatched[0])]
        in_topic = nw.col(ID_COLUMNS[0]) == topic
        intents = qrels.filter(in_topic, nw.col(ID_COLUMNS[1]) != "0")[ID_COLUMNS[1]].unique(maintain_order=True)
        raise IrdivError(
            f"no intent in common in topic {topic!r}: the qrels have {examples(intents.to_list())}, and the intent "
            f"table has {examples(table.filter(in_topic)[ID_COLUMNS[1]].to_list())}. Check that both use the same ids."
        )


def _warn_about_undescribed_intents(
    qrels: Frame, table: Frame, judged: _IntentCodes, described: _IntentCodes, is_placeholder: Bools
) -> None:
    """Warn if a tenth or more of the judged intents is not in a table that has their topics."""
    is_intent = (qrels[ID_COLUMNS[1]] != "0").to_numpy() & np.isin(judged.topic, described.topic) & ~is_placeholder
    rows = np.flatnonzero(is_intent)
    rows = rows[np.sort(np.unique(judged.intent[rows], return_index=True)[1])]
    unknown = rows[~np.isin(judged.intent[rows], described.intent)]
    if len(unknown) and len(unknown) >= MANY * len(rows):
        found = qrels[unknown.tolist()]
        undescribed, others = (frame[ID_COLUMNS[1]].unique(maintain_order=True).to_list() for frame in (found, table))
        warn(
            f"{len(unknown)} of {len(rows)} judged intents (topic and intent) are not in the intent table: "
            f"{_example_intents(found)}. They count only if a document is relevant to them; check that both use the "
            f"same ids.{describe_difference(undescribed, others)}"
        )


def _example_intents(frame: Frame) -> str:
    intents = frame.select(ID_COLUMNS).unique(maintain_order=True).head(4)
    return examples(f"{query} {intent}" for query, intent in intents.iter_rows())


def _need_rows(table: Frame, judged: _IntentCodes, described: _IntentCodes, is_placeholder: Bools) -> Bools:
    """Return for which intents of the table no row of the qrels would say that they are declared.

    They have no judged document, or nothing is given for them where the topic has intents of which something is.
    """
    is_given = np.logical_or.reduce([values_are_given(table[name]) for name in INTENT_COLUMNS if name in table.columns])
    unmarked = ~is_given & np.isin(described.topic, described.topic[is_given])
    unmarked &= ~np.isin(described.intent, judged.intent[is_placeholder])
    # A topic of the intent table only is not in these qrels, and would count as one that scores 0.
    return np.isin(described.topic, judged.topic) & (unmarked | ~np.isin(described.intent, judged.intent))


def _drop_obsolete_nodes(qrels: Frame, judged: _IntentCodes, described: _IntentCodes, is_placeholder: Bools) -> Frame:
    """Drop the rows without a document of nodes that only an earlier hierarchy of their topic had."""
    obsolete = is_placeholder & np.isin(judged.topic, described.topic) & ~np.isin(judged.intent, described.intent)
    return qrels.filter((~obsolete).tolist()) if obsolete.any() else qrels


def normalize_intent_table(intent_table: IntentsLike) -> Frame:
    """Return an intent table in any form as a checked frame: `ID_COLUMNS` and what is given, one row an intent."""
    frame = as_frame(intent_table, "intents", ("query_id", "intent_id", "probability"), read_intents)
    names = find_columns(frame.columns, "intents", ("query_id", "intent_id"), INTENT_COLUMNS)
    given = [name for name in INTENT_COLUMNS if name in names]
    if not given:
        raise IrdivError(
            f"the intent table has only ids: expected one or more of the columns {examples(INTENT_COLUMNS, 9)}, "
            f"found {examples(frame.columns, 12)}."
        )
    raise_if_empty(len(frame), frame.columns, "intents")
    unknown = unknown_intent_table_columns(frame.columns)
    if unknown:
        warn(
            f"the intent table has columns that are not used: {examples(unknown, 9)}. Rename those that are meant as "
            f"one of {examples(INTENT_COLUMNS, 9)}, and drop the others."
        )
    if "probability" in given:
        check_probabilities(frame[names["probability"]])
        frame = frame.rename({names["probability"]: "probability"})
    if "parent_id" in given:
        parents = [ROOT_ID if parent in (None, "") else parent for parent in ids_or_none(frame["parent_id"])]
        backend = nw.get_native_namespace(frame)
        frame = frame.with_columns(nw.new_series("parent_id", parents, nw.String, backend=backend))
    table = _with_id_columns(frame, names, "intents").select(*ID_COLUMNS, *given).unique(maintain_order=True)
    if (table[ID_COLUMNS[1]] == ROOT_ID).any():
        raise IrdivError(f"an intent has the id {ROOT_ID!r}, which is that of the root above all intents; rename it.")
    if "type" in given:
        _check_types(table)
    if "importance" in given:
        _check_importance(table)
    repeated = table.filter(table.select(ID_COLUMNS).is_duplicated())
    if len(repeated):
        query, intent = repeated[ID_COLUMNS[0]][0], repeated[ID_COLUMNS[1]][0]
        raise IrdivError(
            f"the intent table contradicts itself: intent {intent!r} of topic {query!r} has two rows that differ. "
            "Keep one row for each intent."
        )
    return table


def _check_types(table: Frame) -> None:
    """Raise an error if some type is not one of `INTENT_TYPES`; missing ones are allowed."""
    types = ids_or_none(table["type"])
    unknown = next((row for row, type_ in enumerate(types) if type_ not in (None, *INTENT_TYPES)), None)
    if unknown is not None:
        query, intent = (table[column][unknown] for column in ID_COLUMNS)
        raise IrdivError(
            f"intent {intent!r} of topic {query!r} has the type {types[unknown]!r}; a type is 'inf' or 'nav'."
        )


def _check_importance(table: Frame) -> None:
    """Raise an error if there are labels and none is one of `IMPORTANCE_WEIGHTS`; missing ones are allowed."""
    labels = dict.fromkeys(label for label in strings_or_none(table["importance"]) if label is not None)
    if labels and not labels.keys() & IMPORTANCE_WEIGHTS.keys():
        raise IrdivError(
            f"the importance of an intent is 'vital' or 'okay', but the intent table has {examples(labels)}; map these "
            "labels, or rename the column 'probability' if it has weights."
        )


def _with_id_columns(frame: Frame, names: dict[str, str], role: str) -> Frame:
    """Return a frame with `ID_COLUMNS` added."""
    ids = (names["query_id"], names["intent_id"])
    added = [_as_strings(frame, name, role).alias(column) for column, name in zip(ID_COLUMNS, ids, strict=True)]
    return nw.maybe_reset_index(frame).with_columns(*added)


def _as_strings(frame: Frame, column: str, role: str) -> Column:
    backend = nw.get_native_namespace(frame)
    return nw.new_series(column, as_ids(frame[column], role).to_pylist(), nw.String, backend=backend)


def _append_intents(judged: Frame, intents: Frame, names: dict[str, str]) -> Frame:
    """Append a row without a document for each of some intents."""
    backend = nw.get_native_namespace(judged)
    filled = {
        names["query_id"]: intents[ID_COLUMNS[0]],
        names["intent_id"]: intents[ID_COLUMNS[1]],
        names["doc_id"]: nw.new_series("doc", [PLACEHOLDER_DOC_ID] * len(intents), nw.String, backend=backend),
        names["relevance"]: nw.new_series("grade", [0] * len(intents), nw.Int64, backend=backend),
    }
    schema = judged.collect_schema()
    converted = {name: _cast(values, schema[name]) for name, values in filled.items()}
    as_text = [_as_strings(judged, name, "qrels") for name, values in converted.items() if values is None]
    added = [(filled[name] if values is None else values).alias(name) for name, values in converted.items()]
    return nw.concat([judged.with_columns(*as_text), intents.with_columns(*added)], how="diagonal")


def _cast(values: Column, dtype: DType) -> Column | None:
    """Return values in a dtype, or None if they cannot be converted to it."""
    if dtype in (nw.Categorical, nw.Enum):
        return None
    try:
        return values.cast(dtype)
    except Exception:  # each frame library has an error of its own for an id that is not a number
        return None
