"""Curves and counts of the textbook, against its two example queries and trec_eval."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError

# Modern Information Retrieval, chapter 4
GRADES = {
    "q1": {"d3": 3, "d5": 3, "d9": 3, "d25": 2, "d39": 2, "d44": 2, "d56": 1, "d71": 1, "d89": 1, "d123": 1},
    "q2": {"d3": 3, "d56": 2, "d129": 1},
}
RANKED = {
    "q1": "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3",
    "q2": "d425 d87 d56 d32 d124 d615 d512 d129 d4 d130 d193 d715 d810 d5 d3",
}
RUN = {query: {doc: -float(rank) for rank, doc in enumerate(docs.split())} for query, docs in RANKED.items()}


def test_interpolated_precision_of_the_examples():
    frame = irdiv.analysis.interpolated_precision(GRADES, RUN)
    curves = {query: (100 * rows["precision"]).round(1).tolist() for query, rows in frame.groupby("query_id")}
    assert curves["q1"] == [100, 100, 66.7, 50, 40, 33.3, 0, 0, 0, 0, 0]
    assert curves["q2"] == [33.3, 33.3, 33.3, 33.3, 25, 25, 25, 20, 20, 20, 20]
    means = (100 * frame.groupby("recall")["precision"].mean()).round(1).tolist()
    # the book cuts digits off: 66.6, 66.6, 49.9, 41.6, 32.5, 29.1, 12.5, 10 …
    assert means == [66.7, 66.7, 50.0, 41.7, 32.5, 29.2, 12.5, 10, 10, 10, 10]


@pytest.mark.parametrize("levels", [11, 21])
@pytest.mark.parametrize("seed", range(3))
def test_interpolated_precision_is_trec_evals(seed, levels):
    qrels, run = random_collection(seed), random_run(seed)
    adhoc = irdiv.datasets.to_adhoc(qrels)
    measures = {level / (levels - 1): ir_measures.IPrec @ (level / (levels - 1)) for level in range(levels)}
    theirs = {(m.query_id, m.measure): m.value for m in ir_measures.iter_calc(measures.values(), adhoc, run)}
    ours = irdiv.analysis.interpolated_precision(qrels, run, levels=levels)
    assert len(ours) == levels * 6
    R = adhoc[adhoc["relevance"] > 0].groupby("query_id").size()
    compared = 0
    for row in ours.itertuples(index=False):
        needed = row.recall * R[row.query_id]
        # trec_eval lets 0.7 of 3, in floating point a little less than 2.1, pass as 2 documents
        if row.recall in measures and int(needed + 0.9) == np.ceil(needed - 1e-9):
            assert row.precision == pytest.approx(theirs[row.query_id, measures[row.recall]], abs=1e-9), row
            compared += 1
    assert compared > 0.7 * len(ours)


def test_gain_vectors_of_the_examples():
    vectors = irdiv.analysis.gain_vectors(GRADES, RUN, ideal="retrieved")
    G = {query: rows["gain"].astype(int).tolist() for query, rows in vectors.topics.groupby("query_id")}
    assert G["q1"] == [1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3]
    assert G["q2"] == [0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3]
    means = vectors.means
    assert means["cg"].tolist() == [0.5, 0.5, 2, 2, 2, 3.5, 3.5, 4, 4, 5, 5, 5, 5, 5, 8]
    # the book cuts digits off
    cut = (np.floor(10 * means["dcg"] + 1e-9) / 10).tolist()
    assert cut == [0.5, 0.5, 1.4, 1.4, 1.4, 2.0, 2.0, 2.1, 2.1, 2.4, 2.4, 2.4, 2.4, 2.4, 3.2]
    ndcg = [0.17, 0.09, 0.22, 0.22, 0.21, 0.29, 0.29, 0.32, 0.32, 0.36, 0.36, 0.36, 0.36, 0.36, 0.47]
    assert means["ndcg"].tolist() == pytest.approx(ndcg, abs=0.011)
    ncg = [0.17, 0.09, 0.29, 0.27, 0.25, 0.44, 0.44, 0.50, 0.50, 0.63, 0.63, 0.63, 0.63, 0.63, 1.00]
    assert means["ncg"].tolist() == pytest.approx(ncg, abs=0.011)


def test_the_ideal_of_all_judged_documents():
    topics = irdiv.analysis.gain_vectors(GRADES, RUN).topics
    first = topics[topics["query_id"] == "q1"]
    assert first["ideal_cg"].tolist() == [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19, 19, 19, 19, 19]
    means = irdiv.analysis.gain_vectors(GRADES, RUN).means
    # nDCG of Järvelin and Kekäläinen, topic by topic, then the mean
    expected = irdiv.evaluate(
        irdiv.datasets.to_pyterrier(one_intent()), RUN, "nDCG-IA(gain='linear',discount='jk')@15"
    ).values.mean()
    assert means["mean_ndcg"].iloc[-1] == pytest.approx(expected)


def one_intent() -> pd.DataFrame:
    rows = [(query, "1", doc, grade) for query, of in GRADES.items() for doc, grade in of.items()]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])


def test_what_the_user_knows_or_expects():
    known = {"q1": ["d123", "d56", "d5", "d84"], "q2": []}
    frame = irdiv.analysis.user_oriented_measures(GRADES, RUN, known).set_index("query_id")
    # q1: knows 3 relevant documents, of which d123 and d56 are found; 5 relevant ones are found, 3 of them new
    assert frame.loc["q1", "coverage"] == pytest.approx(2 / 3)
    assert frame.loc["q1", "novelty"] == pytest.approx(3 / 5)
    assert frame.loc["q1", "relative_recall"] == pytest.approx(5 / 3)
    # the third relevant document is at rank 6
    assert frame.loc["q1", "recall_effort"] == pytest.approx(3 / 6)
    assert frame.loc["q2"].tolist() == [0, 1, 0, 0]
    near = irdiv.analysis.user_oriented_measures(GRADES, RUN, known, expected={"q1": 7, "q2": 1}, cutoff=5).set_index(
        "query_id"
    )
    assert near.loc["q1", ["relative_recall", "recall_effort"]].tolist() == pytest.approx([2 / 7, 7 / 5])
    assert near.loc["q2", ["relative_recall", "recall_effort"]].tolist() == pytest.approx([1, 1 / 3])
    as_frame = pd.DataFrame({"qid": "q1", "docno": known["q1"]})
    assert irdiv.analysis.user_oriented_measures(GRADES, RUN, as_frame).equals(frame.reset_index())


def test_counts_over_all_topics():
    frame = irdiv.analysis.retrieval_counts(GRADES, {"A": RUN, "B": {"q1": {"d3": 1.0}}})
    assert frame.values.tolist() == [["A", 2, 30, 8, 13], ["B", 2, 1, 1, 13]]
    counts = {"retrieved": ir_measures.NumRet, "relevant": ir_measures.NumRel, "found": ir_measures.NumRet(rel=1)}
    theirs = ir_measures.calc_aggregate(list(counts.values()), GRADES, RUN)
    assert {name: theirs[measure] for name, measure in counts.items()} == {"retrieved": 30, "relevant": 13, "found": 8}


def test_frames_are_those_of_the_callers_library_and_qrels_may_be_compiled():
    pl = pytest.importorskip("polars")
    analysis = irdiv.analysis
    for name, function in [
        ("interpolated_precision", analysis.interpolated_precision),
        ("retrieval_counts", analysis.retrieval_counts),
        ("topics", lambda *data: analysis.gain_vectors(*data).topics),
        ("means", lambda *data: analysis.gain_vectors(*data).means),
    ]:
        expected = function(one_intent(), RUN)
        pd.testing.assert_frame_equal(function(irdiv.Collection(one_intent()), RUN), expected, obj=name)
        frame = function(pl.from_pandas(one_intent()), RUN)
        assert isinstance(frame, pl.DataFrame), name
        assert frame.to_dict(as_series=False) == expected.to_dict(orient="list"), name


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("user_oriented_measures", {"known": {}, "expected": {"q1": 1}}, "no count for topic 'q2'"),
        ("user_oriented_measures", {"known": {}, "expected": {"q1": 1, "q2": -1}}, "'q2'.*-1 is not an integer of 0"),
        ("user_oriented_measures", {"known": {"q1": "d1"}}, "list of ids; found 'd1'"),
        ("user_oriented_measures", {"known": {}, "cutoff": 0}, "cutoff=0 is not an integer of 1 or more"),
        ("gain_vectors", {"cutoff": 0}, "cutoff=0 is not an integer of 1 or more"),
        ("gain_vectors", {"ideal": "best"}, "ideal='best' is not one of 'judged', 'retrieved'"),
        ("gain_vectors", {"b": 1}, "b=1 is not a number above 1"),
    ],
)
def test_bad_arguments(function, arguments, message):
    with pytest.raises(IrdivError, match=message):
        getattr(irdiv.analysis, function)(GRADES, RUN, **arguments)
