"""Grades from votes and agreement of assessors, against statsmodels, published figures and sums by hand."""

from __future__ import annotations

import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from statsmodels.stats import inter_rater

import irdiv
from irdiv import IrdivError
from irdiv.stats import assessor_agreement, fleiss_kappa, grades_from_votes


def votes_of(**grades: list[int | None]) -> pd.DataFrame:
    """Return the votes of each assessor for documents d0, d1, …; None for a vote that is missing."""
    rows = [
        ("1", "a", f"d{document}", assessor, grade)
        for assessor, of_documents in grades.items()
        for document, grade in enumerate(of_documents)
        if grade is not None
    ]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "assessor", "grade"])


def only_row(frame: pd.DataFrame) -> dict:
    (row,) = frame.to_dict("records")
    return row


WEIGHTINGS = [None, "linear", "quadratic"]

# Sakai and Song, SIGIR 2011: two assessors reassessed 6,499 pairs of intents and documents. How the 1,959
# disagreements are shared is not published, except by the κ that follows from it.
BOTH, ONE, NONE, ONLY_FIRST = 3367, 1959, 1173, 1252
SAKAI_SONG = {
    "A": [1] * BOTH + [1] * ONLY_FIRST + [0] * (ONE - ONLY_FIRST) + [0] * NONE,
    "B": [1] * BOTH + [0] * ONLY_FIRST + [1] * (ONE - ONLY_FIRST) + [0] * NONE,
}


def test_sakai_and_song():
    qrels = grades_from_votes(votes_of(TREC=[1] * 6499, **SAKAI_SONG))
    assert qrels["relevance"].value_counts().to_dict() == {3: BOTH, 2: ONE, 1: NONE}
    # published: 69.9%, κ .325
    row = only_row(assessor_agreement(votes_of(**SAKAI_SONG)))
    assert (row["assessor"], row["other"], row["documents"]) == ("A", "B", 6499)
    assert (round(row["agreement"], 3), round(row["kappa"], 3)) == (0.699, 0.325)


class TestGrades:
    def test_sums_by_hand(self):
        qrels = grades_from_votes(votes_of(A=[0, 1, 2], B=[2, 0, 2], C=[1, 0, 2]))
        assert qrels.values.tolist() == [["1", "a", "d0", 3], ["1", "a", "d1", 1], ["1", "a", "d2", 6]]
        run = {"1": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}
        assert irdiv.evaluate(qrels, run, "D-nDCG(gain='linear')@1").values.item() == pytest.approx(3 / 6)

    def test_documents_in_the_order_of_their_first_vote(self):
        rows = [("2", "d9", "10", 1), ("1", "d1", "9", 0), ("2", "d9", "9", 2), ("1", "d1", "10", 1)]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"], index=[5, 6, 7, 8])
        expected = pd.DataFrame({"query_id": ["2", "1"], "doc_id": ["d9", "d1"], "relevance": [3, 1]})
        pd.testing.assert_frame_equal(grades_from_votes(votes), expected, check_dtype=False)
        assert grades_from_votes(votes, levels={1: 0, 3: 1})["relevance"].tolist() == [1, 0]
        # assessors are in natural order
        agreement = assessor_agreement(votes)
        assert agreement[["assessor", "other", "documents", "agreement"]].values.tolist() == [["9", "10", 2, 0.0]]

    def test_levels(self):
        votes = votes_of(A=[0, 1, 1], B=[0, 0, 1], C=[0, 0, 1])
        majority = grades_from_votes(votes, levels={0: 0, 1: 0, 2: 1, 3: 1})
        assert majority["relevance"].tolist() == [0, 0, 1]
        with pytest.raises(IrdivError, match="levels= .*sum 3; it has 0, 1"):
            grades_from_votes(votes, levels={0: 0, 1: 1})
        with pytest.raises(IrdivError, match="levels=0.5"):
            grades_from_votes(votes, levels={0: 0, 1: 0.5, 3: 1})

    def test_missing_votes(self):
        # d1 lacks two votes, one of them by a row without a grade
        votes = votes_of(A=[1, 2], B=[1, None], C=[1, 0]).astype({"grade": float})
        votes.loc[votes.index[-1], "grade"] = np.nan
        with pytest.raises(IrdivError, match="1 of 2 documents .*fewer votes than the 3 .*intent 'a', document 'd1'"):
            grades_from_votes(votes)
        found = {vote: grades_from_votes(votes, missing_vote=vote)["relevance"].tolist() for vote in (-1, 0, 5)}
        assert found == {-1: [3, 0], 0: [3, 2], 5: [3, 12]}
        assert assessor_agreement(votes)["documents"].tolist() == [1, 1, 1]

    def test_assessors_may_differ_from_topic_to_topic(self):
        one, two = votes_of(A=[1], B=[1]), votes_of(C=[0], D=[1]).assign(query_id="2")
        assert grades_from_votes(pd.concat([one, two]))["relevance"].tolist() == [2, 1]


class TestTwoAssessors:
    def test_weighted_kappa_by_hand(self):
        # grades 0, 1, 3; pairs (0,0) (1,1) (3,3) (0,1) (3,1): |difference| sums to 1 + 2 = 3, squares to 1 + 4 = 5
        A, B = [0, 1, 3, 0, 3], [0, 1, 3, 1, 1]
        apart = np.abs(np.subtract.outer(A, B))
        kappa = {w: only_row(assessor_agreement(votes_of(A=A, B=B), weighting=w))["kappa"] for w in WEIGHTINGS}
        # same grade: 3 of 5; by chance 2·1 + 1·3 + 2·1 of 25
        assert kappa[None] == pytest.approx((3 / 5 - 7 / 25) / (1 - 7 / 25))
        assert kappa["linear"] == pytest.approx(1 - (3 / 5) / (apart.sum() / 25))
        assert kappa["quadratic"] == pytest.approx(1 - (5 / 5) / ((apart**2).sum() / 25))

    @pytest.mark.parametrize("weighting", WEIGHTINGS)
    def test_against_statsmodels(self, weighting):
        rng = np.random.default_rng(0)
        A = rng.integers(0, 4, 80)
        B = np.clip(A + rng.integers(-1, 2, 80), 0, 3)
        votes = votes_of(A=A.tolist(), B=B.tolist())
        expected = inter_rater.cohens_kappa(pd.crosstab(A, B).to_numpy(), wt=weighting)
        row = only_row(assessor_agreement(votes, weighting=weighting))
        assert row["agreement"] == pytest.approx((A == B).mean())
        found = (row["kappa"], row["low"], row["high"])
        assert found == pytest.approx((expected.kappa, expected.kappa_low, expected.kappa_upp))
        # the quartiles of a normal distribution are .6745 standard errors from its mean
        narrow = only_row(assessor_agreement(votes, weighting=weighting, confidence_level=0.5))
        assert narrow["high"] - narrow["kappa"] == pytest.approx(0.67449 * expected.std_kappa, rel=1e-5)

    def test_pairs_are_compared_on_what_both_judged(self):
        votes = votes_of(A=[1, 0, 1, None, None], B=[1, 1, None, 0, None], C=[None, None, None, None, 1])
        # the same document for another topic or intent is another
        more = votes_of(A=[1], B=[1])
        found = assessor_agreement(pd.concat([votes, more.assign(query_id="2"), more.assign(intent_id="b")]))
        counts = found[["assessor", "other", "documents"]].values.tolist()
        assert counts == [["A", "B", 4], ["A", "C", 0], ["B", "C", 0]]
        assert found["agreement"][0] == 3 / 4
        assert found.iloc[1:][["agreement", "kappa", "low", "high"]].isna().all(axis=None)

    def test_perfect_agreement_and_one_grade(self):
        row = only_row(assessor_agreement(votes_of(A=[0, 1, 1], B=[0, 1, 1])))
        assert (row["agreement"], row["kappa"], row["low"], row["high"]) == pytest.approx((1, 1, 1, 1))
        # the grades of C do not matter for A and B, who have one grade
        found = assessor_agreement(votes_of(A=[1, 1], B=[1, 1], C=[0, 0]))
        np.testing.assert_equal(found[["agreement", "kappa"]].to_numpy(), [[1, np.nan], [0, 0], [0, 0]])


class TestManyAssessors:
    def test_against_the_published_example(self):
        # Fleiss' κ of Wikipedia's example: 14 raters, 10 subjects, 5 categories, κ = 0.210
        table = """
            0 0 0 0 14   0 2 6 4 2   0 0 3 5 6   0 3 9 2 0   2 2 8 1 1
            7 7 0 0 0   3 2 6 3 0   2 5 3 2 2   6 5 2 1 0   0 2 2 3 7
        """
        counts = np.array(table.split(), dtype=int).reshape(10, 5)
        rows = [np.repeat(np.arange(1, 6), of_subject).tolist() for of_subject in counts]
        votes = votes_of(**{f"rater{rater}": [row[rater] for row in rows] for rater in range(14)})
        row = only_row(fleiss_kappa(votes))
        assert (row["documents"], row["left_out"], row["votes_per_document"]) == (10, 0, 14)
        assert (round(row["agreement"], 3), round(row["kappa"], 3)) == (0.378, 0.210)

    def test_documents_with_other_numbers_of_votes(self):
        # three votes: 111, 110 and 000; two votes: 01; none: d4
        votes = votes_of(A=[1, 1, 0, 0, None], B=[1, 1, 0, 1, None], C=[1, 0, 0, None, None])
        votes = pd.concat([votes, pd.DataFrame([("1", "a", "d4", "A", None)], columns=votes.columns)])
        with pytest.raises(IrdivError, match="1 with 0, 1 with 2, 3 with 3.*votes_per_document="):
            fleiss_kappa(votes)
        with pytest.raises(IrdivError, match="no document has 4 votes; .* 0, 2, 3"):
            fleiss_kappa(votes, votes_per_document=4)
        # shares of equal pairs 1, 1/3, 1; five votes of 1 and four of 0
        p, e = 7 / 9, (25 + 16) / 81
        expected = {"documents": 3, "left_out": 2, "votes_per_document": 3, "agreement": p, "kappa": (p - e) / (1 - e)}
        assert only_row(fleiss_kappa(votes, votes_per_document=3)) == pytest.approx(expected)

    def test_one_grade_or_one_vote(self):
        row = only_row(fleiss_kappa(votes_of(A=[1, 1], B=[1, 1])))
        np.testing.assert_equal((row["agreement"], row["kappa"]), (1, np.nan))
        with pytest.raises(IrdivError, match="at least two votes for a document"):
            fleiss_kappa(votes_of(A=[1, 1]))


VOTES = votes_of(A=[1, 0, 1], B=[1, 1, 2])


@pytest.mark.parametrize("function", [grades_from_votes, assessor_agreement, fleiss_kappa])
@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_the_result_is_a_frame_of_the_callers_library(function, convert):
    given = convert(VOTES)
    found = function(given)
    assert type(found) is type(given)
    in_pandas = nw.from_native(found, eager_only=True).to_pandas()
    pd.testing.assert_frame_equal(in_pandas, function(VOTES), check_dtype=False)


@pytest.mark.parametrize("function", [assessor_agreement, fleiss_kappa])
def test_the_order_of_rows_does_not_matter(function):
    pd.testing.assert_frame_equal(function(VOTES.iloc[::-1]), function(VOTES))


@pytest.mark.parametrize(("separator", "name"), [(",", "grade"), ("\t", "vote"), (";", "relevance")])
def test_files(separator, name, tmp_path):
    lines = [f"intent,{name},query_id,doc_id,assessor", "i,1,1,d0,A", "i,0,1,d0,B", "i,,1,d1,A", "i,1,1,d1,B"]
    (tmp_path / "votes").write_text("\n".join(lines).replace(",", separator))
    found = grades_from_votes(tmp_path / "votes", missing_vote=3)
    assert list(found) == ["query_id", "intent_id", "doc_id", "relevance"]
    assert found.values.tolist() == [["1", "i", "d0", 1], ["1", "i", "d1", 4]]


def test_a_semicolon_in_a_file_with_commas(tmp_path):
    (tmp_path / "votes").write_text("query_id,doc_id,assessor,grade,note;\n1,d;0,A,1,x\n1,d;0,B,1,y\n")
    assert grades_from_votes(tmp_path / "votes").values.tolist() == [["1", "d;0", 2]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.drop(columns="assessor"), "lack a column: expected 'assessor'"),
        (lambda v: v.drop(columns="grade"), "expected 'relevance' .*'vote'"),
        (lambda v: v.assign(vote=1), "two columns for one thing: 'grade', 'vote'"),
        (lambda v: pd.concat([v, v.iloc[:1]]), "'A' has two votes for topic '1', intent 'a', document 'd0'"),
        (lambda v: v.assign(grade="good"), "'grade' .*must hold numbers, found 'good'"),
        (lambda v: v.assign(grade=0.5), "whole numbers, but column 'grade' holds 0.5"),
        (lambda v: v.iloc[:0], "empty"),
        (lambda v: v.assign(grade=np.nan), "empty"),
        (lambda v: {"1": {"d0": 1}}, "lack a column: expected 'assessor'"),
    ],
)
def test_bad_votes(change, message):
    with pytest.raises(IrdivError, match=message):
        fleiss_kappa(change(VOTES))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a d0 A 1\n", "votes.csv: found '1 a d0 A 1'; expected a header .*assessor"),
        ("", "votes.csv: found ''; expected a header"),
        ("query_id,doc_id,assessor,grade\n1,d0,A,1\n1,d1,A\n", "votes.csv, line 3: found 3 columns; expected 4"),
    ],
)
def test_bad_files(text, message, tmp_path):
    (tmp_path / "votes.csv").write_text(text)
    with pytest.raises(IrdivError, match=message):
        grades_from_votes(tmp_path / "votes.csv")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assessor_agreement(VOTES, weighting="cubic"), "weighting='cubic' is not one of 'linear'"),
        (lambda: assessor_agreement(VOTES, confidence_level=95), "confidence_level=95"),
        (lambda: assessor_agreement(votes_of(A=[1, 0])), "at least two assessors, found 'A'"),
        (lambda: fleiss_kappa(VOTES, votes_per_document=1), "votes_per_document=1"),
        (lambda: grades_from_votes(VOTES, missing_vote="none"), "missing_vote='none'"),
    ],
)
def test_bad_options(call, message):
    with pytest.raises(IrdivError, match=message):
        call()


def test_without_statsmodels(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats", None)
    for function in (assessor_agreement, fleiss_kappa):
        with pytest.raises(IrdivError, match="needs statsmodels: pip install 'irdiv"):
            function(VOTES)
    assert grades_from_votes(VOTES)["relevance"].tolist() == [2, 1, 3]
