"""Scores of answers, from the nuggets or rubric criteria that each answer supports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args, overload

import ir_measures
import numpy as np
import pandas as pd

from irdiv.checks import Optional, choice, require
from irdiv.errors import IrdivError, examples
from irdiv.evaluation.results import Evaluation
from irdiv.io.columns import ASSIGNMENT_COLUMNS, find_columns, has_columns, raise_if_empty
from irdiv.io.ids import as_ids, as_strings, factorize, find_positions, natural_argsort
from irdiv.io.tables import Frame, FrameT, as_frame, common_backend
from irdiv.io.values import float_values
from irdiv.measures.answers import NUGGET_MEASURES, RUBRIC_MEASURES
from irdiv.rag.credits import credits_of
from irdiv.rag.judged_answers import JudgedAnswers, require_complete, require_one_answer, shared_notes
from irdiv.types import Floats, Objects, PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

By: TypeAlias = Literal["importance", "weight"]
Missing: TypeAlias = Literal["error", "zero"]


@overload
def score_answers(
    assignments: FrameT,
    *,
    by: By | None = ...,
    labels: Mapping[str, str] | None = ...,
    missing: Missing = ...,
) -> Evaluation[FrameT]: ...
@overload
def score_answers(
    assignments: IntoFrame | PathLike,
    *,
    by: By | None = ...,
    labels: Mapping[str, str] | None = ...,
    missing: Missing = ...,
) -> Evaluation[Any]: ...
def score_answers(
    assignments: IntoFrame | PathLike,
    *,
    by: By | None = None,
    labels: Mapping[str, str] | None = None,
    missing: Missing = "error",
) -> Evaluation[Any]:
    """Score answers by the nuggets, or the criteria of a rubric, that they support.

    The credit c of a nugget is 1 for ``support``, ½ for ``partial_support``, in strict scores 0, and 0 for
    ``not_support`` and for labels that are not known. With ``importance``, these are the scores of nuggetizer
    (Pradeep et al., 2024), each with a strict form:

    - ``vital_score`` = Σ_vital c_i / n_vital
    - ``weighted_score`` = (Σ_vital c_i + ½ Σ_okay c_i) / (n_vital + ½ n_okay)
    - ``all_score`` = Σ c_i / n; nuggets of any other importance, such as "failed", count only here

    With ``weight``, it is the score of ResearchRubrics (Sharma et al., 2025):

    - ``rubric_score`` = Σ w_i c_i / Σ max(w_i, 0); a satisfied criterion with a negative weight is a penalty. The score
      is not clipped, so that an answer with more penalties than merits is below 0.

    A score without anything to divide by, such as ``vital_score`` without vital nuggets, is 0. Each row counts, also
    where two nuggets of a topic have the same id.

    Parameters
    ----------
    assignments
        A frame with ``run, query_id, intent_id, assignment``, and ``importance`` ("vital" or "okay") or ``weight`` (a
        number); other columns are ignored. The assignment is a label of nuggetizer or of ResearchRubrics
        (``Satisfied``, ``Partially Satisfied``, ``Not Satisfied``), True or False, or a number from 0 to 1.
    by
        The column by which nuggets are weighted; needed only if the frame has both.
    labels
        What other labels mean, as in ``{"supporter": "support", "partly": "partial_support"}``.
    missing
        ``"error"`` to raise an error if a run has no answer to a topic of another run, ``"zero"`` to score it 0.

    Returns
    -------
    Evaluation
        Its `notes` state which labels count 0, and where runs were judged by different nuggets. It has no qrels and no
        rankings, so that `Evaluation.topic` and the like are not defined.

    Examples
    --------
    >>> import irdiv
    >>> import pandas as pd
    >>> rows = [
    ...     ("a", "1", "n1", "vital", "support"),
    ...     ("a", "1", "n2", "vital", "partial_support"),
    ...     ("a", "1", "n3", "okay", "not_support"),
    ... ]
    >>> columns = ["run", "query_id", "intent_id", "importance", "assignment"]
    >>> irdiv.rag.score_answers(pd.DataFrame(rows, columns=columns)).summary().round(4).T
    run                         a
    measure
    strict_vital_score     0.5000
    vital_score            0.7500
    strict_weighted_score  0.4000
    weighted_score         0.6000
    strict_all_score       0.3333
    all_score              0.5000
    """
    require(Optional(choice(*get_args(By))), by=by)
    require(choice(*get_args(Missing)), missing=missing)
    if isinstance(assignments, Mapping):
        raise IrdivError(
            f"expected one frame of assignments, found a mapping with the keys {examples(assignments)}; put them into "
            "one frame with the column 'run'."
        )
    frame = as_frame(assignments, "assignments", ASSIGNMENT_COLUMNS, _refuse_text)
    if has_columns(frame.columns, "assignments", ["doc_id"]):
        raise IrdivError(
            "the assignments have a column of documents: these are qrels, which irdiv.evaluate takes, and not "
            "assignments to answers."
        )
    names = find_columns(frame.columns, "assignments", ASSIGNMENT_COLUMNS, get_args(By))
    raise_if_empty(len(frame), frame.columns, "assignments")
    column = names[_weighted_by(names, by)]
    answers = _judged_answers(frame, names, column, labels)
    require_one_answer(answers)
    lacking = require_complete(answers, missing)
    measures: tuple[ir_measures.Measure, ...]
    if column == names.get("weight"):
        measures = RUBRIC_MEASURES
        values, notes = _rubric_values(answers, float_values(frame[column], "assignments"))
    else:
        measures = NUGGET_MEASURES
        importance = np.asarray(as_strings(frame[column]).fill_null(""), dtype=object)
        values, notes = _nugget_values(answers, importance)
    return Evaluation(
        tuple(answers.runs),
        answers.topics,
        measures,
        values,
        common_backend(assignments),
        stream_notes=(*lacking, *shared_notes(answers), *notes),
    )


def _refuse_text(path: PathLike) -> NoReturn:
    raise IrdivError(
        f"score_answers takes a frame of assignments, found the path {os.fspath(path)!r}: read the file first, with "
        "irdiv.rag.read_assignments."
    )


def _weighted_by(names: Mapping[str, str], by: By | None) -> By:
    present = [name for name in get_args(By) if name in names]
    if by is not None and by not in present:
        raise IrdivError(
            f"by={by!r}, but the assignments have no such column; they have {examples(names.values(), 9)}."
        )
    if by is None and len(present) != 1:
        found = "both" if present else "neither"
        raise IrdivError(
            f"the assignments have {found} of 'importance' and 'weight': "
            + (
                "give by='importance' for the scores of nuggets, or by='weight' for that of a rubric."
                if present
                else "add the importance of each nugget, 'vital' or 'okay', or the weight of each criterion, a number."
            )
        )
    return by or present[0]


def _judged_answers(
    frame: Frame, names: Mapping[str, str], weighted_by: str, labels: Mapping[str, str] | None
) -> JudgedAnswers:
    run, runs = factorize(as_ids(frame[names["run"]], "assignments"))
    queries = as_ids(frame[names["query_id"]], "assignments")
    distinct = queries.unique()
    topics = distinct.take(natural_argsort(distinct))
    credit, unknown = credits_of(frame[names["assignment"]], labels)
    rows = pd.DataFrame(
        {
            "run": run,
            "topic": find_positions(queries, topics),
            "intent": factorize(as_ids(frame[names["intent_id"]], "assignments"))[0],
            "weight": factorize(as_strings(frame[weighted_by]).fill_null(""))[0],
        }
    )
    return JudgedAnswers(runs.to_pylist(), np.asarray(topics, dtype=object), rows, credit, unknown)


def _nugget_values(answers: JudgedAnswers, importance: Objects) -> tuple[Floats, list[str]]:
    """Return the values of `NUGGET_MEASURES`, ``[run, measure, topic]``, and notes."""
    is_vital, is_okay = importance == "vital", importance == "okay"
    is_unknown = ~(is_vital | is_okay)
    if is_unknown.all():
        raise IrdivError(
            f"no nugget is 'vital' or 'okay': column 'importance' of the assignments holds {_counts(importance)}. "
            "Numbers belong in a column 'weight'."
        )
    n_vital, n_okay, n = answers.sums(is_vital), answers.sums(is_okay), answers.sums(np.ones(len(importance)))
    values = []
    for credit in (np.where(answers.credit == 1, 1.0, 0.0), answers.credit):
        vital, okay = answers.sums(credit * is_vital), answers.sums(credit * is_okay)
        values.append(
            [_ratio(vital, n_vital), _ratio(vital + okay / 2, n_vital + n_okay / 2), _ratio(answers.sums(credit), n)]
        )
    notes = []
    if is_unknown.any():
        notes.append(
            f"{np.count_nonzero(is_unknown)} of {len(importance)} nuggets are neither vital nor okay "
            f"({_counts(importance[is_unknown])}): they count only in all_score."
        )
    notes += _undefined_note(answers, n_vital, "vital nuggets", "vital_score")
    strict_and_lenient = np.stack([np.stack(scores) for scores in values])
    # [strict or not, score, run, topic] to [run, measure, topic]
    return strict_and_lenient.transpose(2, 1, 0, 3).reshape(len(answers.runs), 6, -1), notes


def _rubric_values(answers: JudgedAnswers, weight: Floats) -> tuple[Floats, list[str]]:
    """Return the values of `RUBRIC_MEASURES`, ``[run, measure, topic]``, and notes."""
    best = answers.sums(np.maximum(weight, 0))
    note = _undefined_note(answers, best, "criteria with a weight above 0", "rubric_score")
    return _ratio(answers.sums(weight * answers.credit), best)[:, None], note


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0)


def _undefined_note(answers: JudgedAnswers, denominator: Floats, what: str, measure: str) -> list[str]:
    """Return a note about topics where a run has an answer, but nothing that the measure counts."""
    undefined = ((denominator == 0) & answers.has_answer()).any(axis=0)
    count = np.count_nonzero(undefined)
    if not count:
        return []
    topics = f"{count} topic{'s have' if count > 1 else ' has'} no {what} ({examples(answers.topics[undefined])})"
    return [f"{topics}: {measure} is 0 there."]


def _counts(labels: Objects) -> str:
    counts = pd.Series(labels).value_counts()
    shown = ", ".join(f"{label!r} {count}×" for label, count in counts.head(3).items())
    return shown + (", …" if len(counts) > 3 else "")
