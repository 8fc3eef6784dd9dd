"""Assessors: grades from the votes of several of them, and how well they agree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import ModuleType
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Optional, choice, require
from irdiv.errors import IrdivError, examples
from irdiv.io.tables import returns_callers_frame
from irdiv.io.values import MAX_GRADE
from irdiv.stats.assessments import AssessmentsLike, as_assessments
from irdiv.stats.options import CONFIDENCE_LEVEL, require_interval
from irdiv.types import Floats, Ints

WeightingName: TypeAlias = Literal["linear", "quadratic"]


@returns_callers_frame
def grades_from_votes(
    votes: AssessmentsLike, *, levels: Mapping[int, int] | None = None, missing_vote: int | None = None
) -> pd.DataFrame:
    """Return qrels in which the grade of a document is the sum of the votes of its assessors.

    Sakai and Song (SIGIR 2011) made the levels L1, L2 and L3 of TREC's diversity qrels so: a document that TREC judged
    relevant has a vote of 1, and each of two more assessors adds 1 if it is relevant and 0 if it is only partially so.

    Parameters
    ----------
    votes
        A row for each vote: ``query_id, intent_id, doc_id, assessor, grade``. The intent may be left out, the grade be
        called ``vote`` or ``relevance``. A missing grade is no vote.
    levels
        The grade for each sum of votes; by default the sum itself. ``{0: 0, 1: 0, 2: 1, 3: 1}`` is the majority of
        three votes of 0 or 1.
    missing_vote
        What a missing vote counts. By default it is an error if documents differ in their numbers of votes, since their
        sums would not be comparable. Assessors may differ from topic to topic.

    Returns
    -------
    DataFrame
        ``query_id, intent_id, doc_id, relevance``, in the order in which documents first occur.

    Examples
    --------
    >>> rows = [("d1", "TREC", 1), ("d1", "A", 1), ("d1", "B", 1), ("d2", "TREC", 1), ("d2", "A", 0), ("d2", "B", 1)]
    >>> votes = pd.DataFrame(rows, columns=["doc_id", "assessor", "grade"]).assign(query_id="1", intent_id="a")
    >>> grades_from_votes(votes)
      query_id intent_id doc_id  relevance
    0        1         a     d1          3
    1        1         a     d2          2
    """
    given = as_assessments(votes)
    missing_vote = require(Optional(Integer(-MAX_GRADE, MAX_GRADE)), missing_vote=missing_vote)
    counts = np.bincount(given.document, minlength=len(given.keys))
    lacking = np.flatnonzero(counts < counts.max())
    if len(lacking) and missing_vote is None:
        raise IrdivError(
            f"{len(lacking)} of {len(counts)} documents have fewer votes than the {counts.max()} of others: "
            f"{given.describe(lacking)}. Add or leave out votes, or state by missing_vote= what a missing vote counts."
        )
    total = np.zeros(len(given.keys), dtype=np.int64)
    np.add.at(total, given.document, given.grade)
    total += (counts.max() - counts) * (missing_vote or 0)
    return given.keys.assign(relevance=total if levels is None else _levels(total, levels))


def _levels(total: Ints, levels: Mapping[int, int]) -> Ints:
    grade_of = {
        require(Integer(-MAX_GRADE), levels=votes): require(Integer(-MAX_GRADE, MAX_GRADE), levels=level)
        for votes, level in levels.items()
    }
    unknown = sorted(set(total.tolist()) - set(grade_of))
    if unknown:
        raise IrdivError(f"levels= has no grade for the sum {examples(unknown)}; it has {examples(grade_of, 9)}.")
    return np.array([grade_of[sum_] for sum_ in total.tolist()], dtype=np.int64)


@returns_callers_frame
def assessor_agreement(
    votes: AssessmentsLike,
    *,
    weighting: WeightingName | None = None,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> pd.DataFrame:
    """Return raw agreement and Cohen's κ of each two assessors, on the documents that both have judged.

    κ = (p − e)/(1 − e) for the share p of documents with the same grade by both, and the share e that is expected
    from the grades of each. Weighted κ is 1 − Σ w·observed/Σ w·expected, where a disagreement weighs the difference of
    the two grades, or its square (Cohen, Psychological Bulletin 70, 1968). κ and its asymptotic interval are those of
    statsmodels; needs the extra ``stats``.

    Parameters
    ----------
    votes
        As in `irdiv.stats.grades_from_votes`; a document is one that is judged for a topic and intent.
    weighting
        ``"linear"`` or ``"quadratic"``; by default all disagreements count alike.
    confidence_level
        The confidence level of the interval.

    Returns
    -------
    DataFrame
        ``assessor, other, documents, agreement, kappa, low, high``: documents counts those that both have judged, and
        low and high are the interval of κ. Missing where there are no such documents, and κ is also missing where both
        give one grade to all, so that chance alone would make them agree.

    Examples
    --------
    >>> documents = pd.DataFrame({"query_id": "1", "doc_id": ["d1", "d2", "d3", "d4"]})
    >>> votes = pd.concat(
    ...     [documents.assign(assessor="A", grade=[1, 1, 1, 0]), documents.assign(assessor="B", grade=[1, 1, 0, 0])]
    ... )
    >>> assessor_agreement(votes)[["assessor", "other", "documents", "agreement", "kappa"]]
      assessor other  documents  agreement  kappa
    0        A     B          4       0.75    0.5
    """
    require(Optional(choice("linear", "quadratic")), weighting=weighting)
    require_interval("t", confidence_level)
    given = as_assessments(votes)
    if len(given.assessors) < 2:
        raise IrdivError(f"agreement needs at least two assessors, found {examples(given.assessors)}.")
    grades, code = np.unique(given.grade, return_inverse=True)
    # [document, assessor], −1 where there is no vote
    matrix = np.full((len(given.keys), len(given.assessors)), -1, dtype=np.int64)
    matrix[given.document, given.assessor] = code
    rows = []
    for one, other in combinations(range(len(given.assessors)), 2):
        both = matrix[(matrix[:, one] >= 0) & (matrix[:, other] >= 0)][:, [one, other]]
        table = np.zeros((len(grades), len(grades)))
        np.add.at(table, (both[:, 0], both[:, 1]), 1)
        agreement = float((both[:, 0] == both[:, 1]).mean()) if len(both) else np.nan
        kappa = _kappa_and_interval(table, grades, weighting, confidence_level)
        rows.append((given.assessors[one], given.assessors[other], len(both), agreement, *kappa))
    return pd.DataFrame(rows, columns=["assessor", "other", "documents", "agreement", "kappa", "low", "high"])


def _kappa_and_interval(
    table: Floats, grades: Ints, weighting: WeightingName | None, confidence_level: float
) -> tuple[float, float, float]:
    """Return κ of a table of counts ``[grade of one, grade of the other]``, and the ends of its interval."""
    from scipy import stats

    is_used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    if np.count_nonzero(is_used) < 2:
        return np.nan, np.nan, np.nan
    table, used = table[np.ix_(is_used, is_used)], grades[is_used]
    # The variance is 0 for perfect agreement, of which statsmodels takes the root and divides by it.
    with np.errstate(invalid="ignore", divide="ignore"):
        result = _inter_rater().cohens_kappa(table, weights=None if weighting is None else used, wt=weighting)
    margin = float(stats.norm.ppf((1 + confidence_level) / 2) * np.sqrt(max(result.var_kappa, 0.0)))
    kappa = float(result.kappa)
    return kappa, kappa - margin, kappa + margin


@returns_callers_frame
def fleiss_kappa(votes: AssessmentsLike, *, votes_per_document: int | None = None) -> pd.DataFrame:
    """Return Fleiss' κ of all assessors together, who may differ from document to document.

    κ = (p − e)/(1 − e) for the mean share p of pairs of votes for a document that are equal, and e = Σ_g p_g² for the
    share p_g of each grade among all votes (Fleiss, Psychological Bulletin 76, 1971), by statsmodels; needs the extra
    ``stats``.

    Parameters
    ----------
    votes
        As in `irdiv.stats.grades_from_votes`.
    votes_per_document
        Use only documents with this number of votes. By default it is an error if documents differ in it, as κ is
        defined for one number only.

    Returns
    -------
    DataFrame
        One row with ``documents, left_out, votes_per_document, agreement, kappa``: how many documents were used and how
        many have another number of votes; agreement is p. κ is missing if there is only one grade.
    """
    given = as_assessments(votes)
    counts = np.bincount(given.document, minlength=len(given.keys))
    n_votes = require(Optional(Integer(2)), votes_per_document=votes_per_document)
    if n_votes is None:
        n_votes = int(counts.max())
        differ = np.flatnonzero(counts != n_votes)
        if len(differ):
            found = ", ".join(f"{np.count_nonzero(counts == n)} with {n}" for n in np.unique(counts))
            raise IrdivError(
                f"documents differ in their numbers of votes: {found}. Choose a number by votes_per_document=."
            )
    if n_votes < 2:
        raise IrdivError("agreement needs at least two votes for a document, found one for each.")
    grades, code = np.unique(given.grade, return_inverse=True)
    table = np.zeros((len(given.keys), len(grades)))
    np.add.at(table, (given.document, code), 1)
    table = table[counts == n_votes]
    if not len(table):
        raise IrdivError(
            f"no document has {n_votes} votes; there are documents with {examples(np.unique(counts).tolist())}."
        )
    agreement = float(((table * (table - 1)).sum(axis=1) / (n_votes * (n_votes - 1))).mean())
    kappa = float(_inter_rater().fleiss_kappa(table)) if np.count_nonzero(table.sum(axis=0)) > 1 else np.nan
    row = (len(table), len(counts) - len(table), n_votes, agreement, kappa)
    return pd.DataFrame([row], columns=["documents", "left_out", "votes_per_document", "agreement", "kappa"])


def _inter_rater() -> ModuleType:
    try:
        from statsmodels.stats import inter_rater
    except ImportError:
        raise IrdivError("κ needs statsmodels: pip install 'irdiv[stats]'.") from None
    return inter_rater
