"""Nuggets, rubrics and aspects as intent tables or qrels."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from irdiv.io.tables import returns_callers_frame
from irdiv.rag.formats import NuggetReader, with_topics
from irdiv.rag.labels import LabelMapping, Labels
from irdiv.rag.records import RecordsLike, read_records
from irdiv.rag.tables import Duplicates, intent_table, merge_nuggets, qrels_table


@returns_callers_frame
def read_nuggets(
    path: RecordsLike,
    *,
    labels: LabelMapping | None = None,
    importance_weights: Mapping[str, float] | None = None,
    examples: RecordsLike | None = None,
    split_answers: bool = False,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Read nuggets, rubrics or aspects: an intent table, or qrels if they name the documents that support them.

    The format is recognized by the fields of the records:

    ===================  ===============================================================================================
    nuggetizer           ``{qid, nuggets: [{text, importance}]}``; a nugget may be a text alone
    TREC RAG 2025        the same with ``mapped_sub_narrative``, which becomes the parent of the nugget: two layers
    ResearchRubrics      ``{qid or sample_id, rubrics: [{criterion, weight, axis}]}``
    FreshStack           ``{query_id, nuggets: [{_id, text, relevant_corpus_ids, non_relevant_corpus_ids}]}``: grades
                         1 and 0
    BRIGHT-Pro           its ``aspects``, ``{id, content, weight, supporting_docs}``: grade 1
    RAGTIME              ``{query_id or metadata: {topic_id}, nugget_bank: [{question, aggregator_type, answers:
                         [{answer, references}]}]}``, with lists as in 2026 or objects as in 2025
    a table              one row for each nugget, or for each nugget and document: ``query_id``, ``nugget_id`` or
                         ``text``, and ``importance``, ``weight``, ``parent_id``, ``doc_id`` and ``relevance``, a
                         grade or a label; without ``doc_id`` and ``relevance`` a row declares a nugget
    JSON                 ``{topic: [text, …]}``
    ===================  ===============================================================================================

    Nuggets without ids get one that depends on their text only, ``n-`` and eight hexadecimal digits; white space does
    not matter, case does. A nugget that is repeated in its topic counts once, with a warning.

    A document of a nugget bank has the grade 2 if it has an answer, and if all answers are needed (``AND``) only if
    it has all of them, else 1: ``rel=2`` counts the nugget as covered by one document with all answers, ``rel=1`` by
    any answer. Answers without ``AND`` or ``OR`` are alternatives. With ``split_answers``, each answer of an ``AND``
    nugget is an intent of its own below the question, with an equal part of its weight, so that several documents can
    cover the nugget together.

    Parameters
    ----------
    path
        The path of a JSON Lines, JSON or Parquet file, compressed by gzip or not, or of a folder of such files, several
        paths, an iterable of dicts, or a frame.
    labels
        A mapping of labels outside the vocabulary to one inside it, ``{"must": "vital", "supporter": "support"}``, or
        to a grade, ``{"relevant": 1, "0.5": 1}``; ``""`` is a missing label. Unknown labels are never guessed but named
        and counted in a warning: an unknown importance is kept and has the weight 0 beside known ones, a judgment with
        an unknown label or a negative grade is left out. It is an error if no label is known.
    importance_weights
        The weights of importance labels, by default ``{"vital": 1, "okay": 0.5}``.
    examples
        The ``examples`` of BRIGHT-Pro, whose ids become the topics. Without them an aspect ``biology-0-a1`` belongs to
        topic ``biology-0``.
    split_answers
        Make an intent of each answer of a RAGTIME nugget that needs all its answers.
    duplicates
        ``"error"`` to raise an error where a repeated nugget has two importances, weights, parents or grades,
        ``"first"`` to keep the first.

    Returns
    -------
    DataFrame
        ``query_id, intent_id, description, importance, probability, parent_id``, an intent table for
        `irdiv.with_intents`, or qrels for `irdiv.evaluate` with ``doc_id, relevance`` too; columns without values are
        left out. In an intent table, weights of the file are in the column ``weight`` as they are; negative ones are
        penalties for answers, and `irdiv.with_intents` refuses them.

    Notes
    -----
    FreshStack is read after the fields of its dataset card, BRIGHT-Pro after those its dataset shows, and RAGTIME after
    the bank formats of its evaluation software; other fields are ignored.

    Examples
    --------
    >>> from irdiv.rag import read_nuggets
    >>> nuggets = [{"text": "lives in America", "importance": "vital"}, {"text": "has spots", "importance": "okay"}]
    >>> read_nuggets([{"qid": "jaguar", "nuggets": nuggets}])
      query_id   intent_id       description importance  probability
    0   jaguar  n-c4a9d582  lives in America      vital          1.0
    1   jaguar  n-93b77310         has spots       okay          0.5
    """
    known = Labels(labels, importance_weights)
    reader = NuggetReader(known, split_answers=split_answers)
    found = reader.read(read_records(path, "nuggets", "nuggets"))
    if examples is not None:
        found = with_topics(found, read_records(examples, "examples", "examples"))
    nuggets = merge_nuggets(found, duplicates)
    known.report_unknown("left out", needs_support=True)
    make = qrels_table if reader.has_documents else intent_table
    return make(nuggets, reader.parents, known)
