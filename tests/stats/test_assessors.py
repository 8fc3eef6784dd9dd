"""Grades from votes, and agreement of assessors, against the paper, statsmodels' and published figures and by hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from statsmodels.stats import inter_rater

import irdiv
from irdiv import IrdivError
from irdiv.frames.backends import backend_of
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


@dataclass
class SakaiSong:
    """Sakai and Song, SIGIR 2011: 6,499 pairs of intents and documents, reassessed by two assessors."""

    L1: int = 1173
    L2: int = 1959
    L3: int = 3367
    # How the 1,959 disagreements are shared is not published, except by the κ that follows from it.
    only_first: int = 1252

    def votes(self, *assessors: str) -> pd.DataFrame:
        only_second = self.L2 - self.only_first
        first = [1] * self.L3 + [1] * self.only_first + [0] * only_second + [0] * self.L1
        second = [1] * self.L3 + [0] * self.only_first + [1] * only_second + [0] * self.L1
        given = {"TREC": [1] * len(first), "A": first, "B": second}
        return votes_of(**{name: given[name] for name in assessors})


class TestGrades:
    def test_levels_of_sakai_and_song(self):
        qrels = grades_from_votes(SakaiSong().votes("TREC", "A", "B"))
        assert qrels["relevance"].value_counts().to_dict() == {3: 3367, 2: 1959, 1: 1173}

    def test_sums_by_hand(self):
        qrels = grades_from_votes(votes_of(A=[0, 1, 2], B=[2, 0, 2], C=[1, 0, 2]))
        assert qrels.values.tolist() == [["1", "a", "d0", 3], ["1", "a", "d1", 1], ["1", "a", "d2", 6]]

    def test_levels(self):
        votes = votes_of(A=[0, 1, 1], B=[0, 0, 1], C=[0, 0, 1])
        majority = grades_from_votes(votes, levels={0: 0, 1: 0, 2: 1, 3: 1})
        assert majority["relevance"].tolist() == [0, 0, 1]
        with pytest.raises(IrdivError, match="levels= has no grade for the sum 3; it has 0, 1."):
            grades_from_votes(votes, levels={0: 0, 1: 1})
        with pytest.raises(IrdivError, match=r"levels=0.5 is not an integer"):
            grades_from_votes(votes, levels={0: 0, 1: 0.5, 3: 1})

    def test_missing_votes(self):
        votes = votes_of(A=[1, 1, 1], B=[1, None, 0])
        message = "1 of 3 documents have fewer votes than the 2 of others: topic '1', intent 'a', document 'd1'. Add"
        with pytest.raises(IrdivError, match=message):
            grades_from_votes(votes)
        assert grades_from_votes(votes, missing_vote=0)["relevance"].tolist() == [2, 1, 1]
        assert grades_from_votes(votes, missing_vote=1)["relevance"].tolist() == [2, 2, 1]

    def test_a_row_without_a_grade_is_a_missing_vote(self):
        votes = pd.concat([votes_of(A=[1, 1], B=[1, 0]), votes_of(A=[1, 1, 2], B=[1, 0, 2]).iloc[[2, 5]]])
        votes["grade"] = votes["grade"].astype(float).where(votes["doc_id"] != "d2")
        with pytest.raises(IrdivError, match="1 of 3 documents have fewer votes than the 2 of others: .*'d2'"):
            grades_from_votes(votes)
        assert grades_from_votes(votes, missing_vote=2)["relevance"].tolist() == [2, 1, 4]
        assert assessor_agreement(votes)["documents"].tolist() == [2]

    def test_assessors_may_differ_from_topic_to_topic(self):
        one, two = votes_of(A=[1], B=[1]), votes_of(C=[0], D=[1]).assign(query_id="2")
        assert grades_from_votes(pd.concat([one, two]))["relevance"].tolist() == [2, 1]

    def test_they_are_qrels(self):
        qrels = grades_from_votes(votes_of(A=[0, 1, 2], B=[2, 0, 2]))
        run = {"1": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}
        assert irdiv.evaluate(qrels, run, "D-nDCG(gain='linear')@1").values.item() == pytest.approx(2 / 4)
        without_intents = grades_from_votes(votes_of(A=[0, 1, 2]).drop(columns="intent_id"))
        assert without_intents.columns.tolist() == ["query_id", "doc_id", "relevance"]


class TestTwoAssessors:
    def test_agreement_of_sakai_and_song(self):
        # published: 69.9%, κ .325; (3367 + 1173)/6499 of the documents have the same vote
        (row,) = assessor_agreement(SakaiSong().votes("A", "B")).to_dict("records")
        assert (row["assessor"], row["other"], row["documents"]) == ("A", "B", 6499)
        assert round(row["agreement"], 3) == 0.699
        assert round(row["kappa"], 3) == 0.325

    def test_kappa_by_hand(self):
        # both relevant 20, only A 5, only B 10, neither 15: p = 35/50, e = (25/50)(30/50) + (25/50)(20/50) = .5
        votes = votes_of(A=[1] * 25 + [0] * 25, B=[1] * 20 + [0] * 5 + [1] * 10 + [0] * 15)
        (row,) = assessor_agreement(votes).to_dict("records")
        assert row["agreement"] == pytest.approx(0.7)
        assert row["kappa"] == pytest.approx((0.7 - 0.5) / (1 - 0.5))

    def test_weighted_kappa_by_hand(self):
        # grades 0, 1, 3; pairs (0,0) (1,1) (3,3) (0,1) (3,1): |difference| sums to 1 + 2 = 3, squares to 1 + 4 = 5
        A, B = [0, 1, 3, 0, 3], [0, 1, 3, 1, 1]
        apart = np.abs(np.subtract.outer(A, B))
        votes = votes_of(A=A, B=B)
        linear = assessor_agreement(votes, weighting="linear")["kappa"][0]
        assert linear == pytest.approx(1 - (3 / 5) / (apart.sum() / 25))
        quadratic = assessor_agreement(votes, weighting="quadratic")["kappa"][0]
        assert quadratic == pytest.approx(1 - (5 / 5) / ((apart**2).sum() / 25))

    @pytest.mark.parametrize("weighting", [None, "linear", "quadratic"])
    def test_against_statsmodels(self, weighting):
        rng = np.random.default_rng(0)
        A = rng.integers(0, 4, 80)
        B = np.clip(A + rng.integers(-1, 2, 80), 0, 3)
        table = pd.crosstab(A, B).reindex(index=range(4), columns=range(4), fill_value=0)
        expected = inter_rater.cohens_kappa(table.to_numpy(), wt=weighting)
        (row,) = assessor_agreement(votes_of(A=A.tolist(), B=B.tolist()), weighting=weighting).to_dict("records")
        found = (row["kappa"], row["low"], row["high"])
        assert found == pytest.approx((expected.kappa, expected.kappa_low, expected.kappa_upp))
        narrow = assessor_agreement(votes_of(A=A.tolist(), B=B.tolist()), weighting=weighting, confidence_level=0.5)
        assert row["low"] < narrow["low"][0] < narrow["high"][0] < row["high"]

    def test_pairs_are_compared_on_what_both_judged(self):
        votes = votes_of(A=[1, 0, 1, None, None], B=[1, 1, None, 0, None], C=[None, None, None, None, 1])
        found = assessor_agreement(votes)
        assert found[["assessor", "other", "documents"]].values.tolist() == [
            ["A", "B", 2],
            ["A", "C", 0],
            ["B", "C", 0],
        ]
        assert found["agreement"][0] == 0.5
        assert found.iloc[1:][["agreement", "kappa", "low", "high"]].isna().all(axis=None)

    def test_the_same_document_of_another_topic_or_intent_is_another(self):
        one = votes_of(A=[1], B=[1])
        two, three = one.assign(query_id="2"), one.assign(intent_id="b")
        found = assessor_agreement(pd.concat([one, two, three]))
        assert found["documents"].tolist() == [3]

    def test_perfect_agreement_and_one_grade(self):
        (row,) = assessor_agreement(votes_of(A=[0, 1, 1], B=[0, 1, 1])).to_dict("records")
        assert (row["agreement"], row["kappa"], row["low"], row["high"]) == pytest.approx((1, 1, 1, 1))
        (row,) = assessor_agreement(votes_of(A=[1, 1], B=[1, 1])).to_dict("records")
        assert row["agreement"] == 1
        assert np.isnan(row["kappa"])
        # a third assessor's grades do not matter
        with_another = assessor_agreement(votes_of(A=[1, 1], B=[1, 1], C=[0, 0]))
        assert np.isnan(with_another["kappa"][0])
        assert with_another["kappa"][1] == 0


class TestManyAssessors:
    def test_against_the_published_example(self):
        # Fleiss' κ of Wikipedia's example: 14 raters, 10 subjects, 5 categories, κ = 0.210
        table = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
        rows = [np.repeat(np.arange(1, 6), counts) for counts in table]
        votes = votes_of(**{f"rater{rater}": [int(row[rater]) for row in rows] for rater in range(14)})
        (row,) = fleiss_kappa(votes).to_dict("records")
        assert (row["documents"], row["left_out"], row["votes_per_document"]) == (10, 0, 14)
        assert round(row["agreement"], 3) == 0.378
        assert round(row["kappa"], 3) == 0.210

    def test_by_hand(self):
        # shares of equal pairs 1 and 1/3, p = 2/3; five votes of 1 and one of 0: e = (5/6)² + (1/6)² = 26/36
        (row,) = fleiss_kappa(votes_of(A=[1, 1], B=[1, 1], C=[1, 0])).to_dict("records")
        assert row["agreement"] == pytest.approx(2 / 3)
        assert row["kappa"] == pytest.approx((2 / 3 - 26 / 36) / (1 - 26 / 36))

    def test_documents_with_other_numbers_of_votes(self):
        votes = votes_of(A=[1, 0, 1], B=[1, 1, None], C=[None, None, 1], D=[None, None, 0])
        with pytest.raises(
            IrdivError, match="differ in their numbers of votes: 2 with 2, 1 with 3. Choose a number by"
        ):
            fleiss_kappa(votes)
        (row,) = fleiss_kappa(votes, votes_per_document=2).to_dict("records")
        assert (row["documents"], row["left_out"], row["agreement"]) == (2, 1, 0.5)
        with pytest.raises(IrdivError, match="no document has 4 votes; there are documents with 2, 3"):
            fleiss_kappa(votes, votes_per_document=4)

    def test_one_grade_or_one_vote(self):
        (row,) = fleiss_kappa(votes_of(A=[1, 1], B=[1, 1])).to_dict("records")
        assert row["agreement"] == 1
        assert np.isnan(row["kappa"])
        with pytest.raises(IrdivError, match="at least two votes for a document"):
            fleiss_kappa(votes_of(A=[1, 1]))


@pytest.mark.parametrize("function", [grades_from_votes, assessor_agreement, fleiss_kappa])
class TestInput:
    votes = votes_of(A=[1, 0, 1], B=[1, 1, 2])

    @pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
    def test_frames_of_any_library(self, function, convert):
        given = convert(self.votes)
        found = function(given)
        assert backend_of(found) == backend_of(given)
        in_pandas = nw.from_native(found, eager_only=True).to_pandas()
        pd.testing.assert_frame_equal(in_pandas, function(self.votes), check_dtype=False)

    @pytest.mark.parametrize(("separator", "name"), [(",", "grade"), ("\t", "vote"), (";", "relevance")])
    def test_files(self, function, separator, name, tmp_path):
        path = tmp_path / "votes.csv"
        self.votes.rename(columns={"grade": name}).to_csv(path, sep=separator, index=False)
        pd.testing.assert_frame_equal(function(path), function(self.votes), check_dtype=False)

    def test_order_of_rows_does_not_matter(self, function):
        keys = [name for name in ("query_id", "doc_id", "assessor") if name in function(self.votes)]
        found = function(self.votes.sample(frac=1, random_state=1))
        expected = function(self.votes)
        if keys:
            found, expected = (frame.sort_values(keys, ignore_index=True) for frame in (found, expected))
        pd.testing.assert_frame_equal(found, expected)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda v: v.drop(columns="assessor"), "the assessments lack a column: expected 'assessor', found"),
            (lambda v: v.drop(columns="grade"), "expected 'relevance' or 'label' or 'grade' or 'vote'"),
            (lambda v: v.assign(vote=1), "two columns for one thing: 'grade', 'vote'"),
            (
                lambda v: pd.concat([v, v.iloc[:1]]),
                "assessor 'A' has two votes for topic '1', intent 'a', document 'd0'",
            ),
            (lambda v: v.assign(grade="good"), "column 'grade' of the assessments must hold numbers, found 'good'"),
            (lambda v: v.assign(grade=0.5), "grades are whole numbers, but column 'grade' holds 0.5"),
            (lambda v: v.iloc[:0], "the assessments are empty"),
            (lambda v: v.assign(grade=np.nan), "the assessments are empty"),
        ],
    )
    def test_bad_votes(self, function, change, message):
        with pytest.raises(IrdivError, match=message):
            function(change(self.votes))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1 a d0 A 1\n", "votes.csv: found '1 a d0 A 1'; expected a header that names query_id, doc_id, assessor"),
            ("", "votes.csv: found ''; expected a header"),
            (
                "query_id,doc_id,assessor,grade\n1,d0,A,1\n1,d1,A\n",
                "votes.csv, line 3: found 3 columns; expected 4, query",
            ),
        ],
    )
    def test_bad_files(self, function, text, message, tmp_path):
        (tmp_path / "votes.csv").write_text(text)
        with pytest.raises(IrdivError) as error:
            function(tmp_path / "votes.csv")
        assert message in str(error.value)


def test_bad_arguments():
    votes = votes_of(A=[1, 0], B=[1, 1])
    for call, message in [
        (lambda: assessor_agreement({"1": {"d0": 1}}), "the assessments lack a column: expected 'assessor'"),
        (lambda: assessor_agreement(votes, weighting="cubic"), "weighting='cubic' is not one of 'linear', 'quadratic'"),
        (lambda: assessor_agreement(votes, confidence_level=95), "confidence_level=95 is not"),
        (lambda: assessor_agreement(votes_of(A=[1, 0])), "at least two assessors, found 'A'"),
        (lambda: fleiss_kappa(votes, votes_per_document=1), "votes_per_document=1 is not an integer of 2 or more"),
        (lambda: grades_from_votes(votes, missing_vote="none"), "missing_vote='none' is not an integer"),
    ]:
        with pytest.raises(IrdivError, match=message):
            call()


def test_without_statsmodels(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats", None)
    votes = votes_of(A=[1, 0], B=[1, 1])
    for function in (assessor_agreement, fleiss_kappa):
        with pytest.raises(IrdivError, match="κ needs statsmodels: pip install 'irdiv"):
            function(votes)
    assert grades_from_votes(votes)["relevance"].tolist() == [2, 1]


class TestOrdersAndFiles:
    def test_documents_in_the_order_of_their_first_vote(self):
        rows = [("2", "d9", "10", 1), ("1", "d1", "9", 0), ("2", "d9", "9", 2), ("1", "d1", "10", 1)]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"], index=[5, 6, 7, 8])
        found = grades_from_votes(votes)
        assert found.to_dict("list") == {"query_id": ["2", "1"], "doc_id": ["d9", "d1"], "relevance": [3, 1]}
        assert found.index.tolist() == [0, 1]
        assert found["relevance"].dtype == np.int64
        assert grades_from_votes(votes, levels={1: 0, 3: 1})["relevance"].tolist() == [1, 0]
        # assessors are in natural order
        agreement = assessor_agreement(votes)
        assert agreement[["assessor", "other", "documents", "agreement"]].values.tolist() == [["9", "10", 2, 0.0]]
        assert agreement.columns.tolist() == ["assessor", "other", "documents", "agreement", "kappa", "low", "high"]

    def test_missing_votes_count_for_each(self):
        rows = [("1", "d0", a, 1) for a in "ABC"] + [("1", "d1", "A", 2)]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"])
        assert grades_from_votes(votes, missing_vote=5)["relevance"].tolist() == [3, 12]
        assert grades_from_votes(votes, missing_vote=-1)["relevance"].tolist() == [3, 0]
        assert grades_from_votes(votes, missing_vote=0)["relevance"].tolist() == [3, 2]

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_files_with_votes_that_are_missing(self, separator, tmp_path):
        lines = ["intent,grade,query_id,doc_id,assessor", "i,1,1,d0,A", "i,0,1,d0,B", "i,,1,d1,A", "i,1,1,d1,B"]
        (tmp_path / "votes").write_text("\n".join(lines).replace(",", separator))
        found = grades_from_votes(tmp_path / "votes", missing_vote=3)
        assert found.to_dict("list") == {
            "query_id": ["1", "1"], "intent_id": ["i", "i"], "doc_id": ["d0", "d1"], "relevance": [1, 4],
        }  # fmt: skip

    def test_a_semicolon_in_a_file_with_commas(self, tmp_path):
        (tmp_path / "votes").write_text("query_id,doc_id,assessor,grade,note;\n1,d;0,A,1,x\n1,d;0,B,1,y\n")
        assert grades_from_votes(tmp_path / "votes").values.tolist() == [["1", "d;0", 2]]

    def test_kappa_of_all(self):
        rows = [
            ("1", f"d{d}", a, g)
            for d, grades in enumerate(["111", "110", "000", "01"])
            for a, g in zip("ABC", grades, strict=False)
        ]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"]).astype({"grade": int})
        found = fleiss_kappa(votes, votes_per_document=3)
        # shares of equal pairs 1, 1/3, 1; five votes of 1 and four of 0
        p, e = 7 / 9, (25 + 16) / 81
        assert found.columns.tolist() == ["documents", "left_out", "votes_per_document", "agreement", "kappa"]
        assert found.values.tolist() == [[3, 1, 3, pytest.approx(p), pytest.approx((p - e) / (1 - e))]]

    def test_a_document_without_votes_is_left_out(self):
        rows = [
            ("1", "d0", "A", 1.0),
            ("1", "d0", "B", 1.0),
            ("1", "d1", "A", 0),
            ("1", "d1", "B", 1),
            ("1", "d2", "A", None),
        ]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"])
        found = fleiss_kappa(votes, votes_per_document=2)
        assert found[["documents", "left_out"]].values.tolist() == [[2, 1]]
