"""Errors for mistakes in qrels, runs and arguments."""

from __future__ import annotations

from decimal import Decimal

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning


def evaluate(qrels, run, measures="I-rec@3", **more):
    return irdiv.evaluate(qrels, run, measures, **more)


def test_duplicates_in_a_run_are_named(qrels, run):
    twice = pd.concat([run, run.iloc[[1, 2]].assign(score=0.0)])
    with pytest.raises(IrdivError, match="repeats documents, 2 in all .*'1 d1', '1 u1'.*duplicates='first'"):
        evaluate(qrels, twice)


def test_duplicates_first_keeps_the_best_ranked(qrels, run):
    better = pd.concat([run, pd.DataFrame([("1", "d3", 9.0)], columns=run.columns)])
    table = evaluate(qrels, better, "α-nDCG@1", duplicates="first")
    expected = evaluate(qrels, run.assign(score=run["score"].mask(run["doc_id"] == "d3", 9.0)), "α-nDCG@1")
    np.testing.assert_array_equal(table.values, expected.values)


@pytest.mark.parametrize("bad", [np.nan, np.inf, None])
def test_a_score_that_is_not_a_number(qrels, run, bad):
    with pytest.raises(IrdivError, match="column 'score' of the run must hold finite numbers, found .* in row 2"):
        evaluate(qrels, run.assign(score=run["score"].mask(run.index == 2, bad)))


@pytest.mark.parametrize(
    "form",
    ["frame", "batches", "run_column", "dict", "dict with floats", "namedtuples with floats", "Parquet", "ranks"],
)
def test_scores_of_more_digits_than_floats(qrels, run, tmp_path, form):
    large = run.assign(score=2**62 + np.arange(len(run)))
    more = {"batches": {"batch_rows": 1}, "run_column": {"run_column": "run"}}.get(form, {})
    if form == "run_column":
        large["run"] = "a"
    if form == "ranks":
        large = large.rename(columns={"score": "rank"})
    if form == "Parquet":
        large.to_parquet(tmp_path / "run.parquet")
        large = tmp_path / "run.parquet"
    if form.startswith("dict"):
        rows = large[large["query_id"] == "1"]
        large = {"1": dict(zip(rows["doc_id"], rows["score"].tolist(), strict=True))}
        large["1"] |= {"x": 0.5} if form == "dict with floats" else {}
    if form.startswith("namedtuples"):
        rows = zip(large["query_id"], large["doc_id"], large["score"].tolist(), strict=True)
        large = [*(ir_measures.ScoredDoc(*row) for row in rows), ir_measures.ScoredDoc("1", "x", 0.5)]
    with pytest.raises(IrdivError, match=r"'(score|rank)' of the run holds 4611686018427387\d+, which a 64-bit"):
        evaluate(qrels, large, **more)


def test_the_first_integer_that_is_rounded_among_floats(qrels):
    rows = [ir_measures.ScoredDoc("1", "d1", 2**53 + 1), ir_measures.ScoredDoc("1", "d2", 0.5)]
    with pytest.raises(IrdivError, match="'score' of the run holds 9007199254740993, which a 64-bit float cannot"):
        evaluate(qrels, rows)


@pytest.mark.parametrize("rows", [1, 9])
def test_decimals_in_batches(qrels, rows):
    scores = [Decimal("1.00000000000000001"), Decimal("1.00000000000000002")]
    table = pa.table({"query_id": ["1", "1"], "doc_id": ["d1", "d3"], "score": scores})
    with pytest.raises(IrdivError, match=r"'score' of the run holds Decimal\('1.0+1'\), which a 64-bit float cannot"):
        evaluate(qrels, table.to_reader(max_chunksize=rows))


def test_a_null_score_in_polars(qrels, run):
    frame = pl.from_pandas(run).with_columns(score=pl.when(pl.col("doc_id") == "u1").then(None).otherwise("score"))
    with pytest.raises(IrdivError, match="column 'score' of the run must hold"):
        evaluate(qrels, frame)


def test_scores_that_are_words(qrels, run):
    with pytest.raises(IrdivError, match="must hold numbers, found 'high'"):
        evaluate(qrels, run.assign(score="high"))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("query_id", "'query_id' or 'qid' or 'question_id'"),
        ("doc_id", "'doc_id' or 'docno' or 'passage_id'"),
        ("score", "'score' or 'rank'"),
    ],
)
def test_a_run_without_a_column(qrels, run, column, expected):
    with pytest.raises(IrdivError, match=f"the run lacks a column: expected {expected}, found"):
        evaluate(qrels, run.drop(columns=column))


@pytest.mark.parametrize("column", ["query_id", "doc_id", "relevance"])
def test_qrels_without_a_column(qrels, run, column):
    with pytest.raises(IrdivError, match=f"the qrels lack a column: expected '{column}'"):
        evaluate(qrels.drop(columns=column), run)


def test_rank_order_without_a_rank_column(qrels, run):
    with pytest.raises(IrdivError, match="lacks a column: expected 'rank'"):
        evaluate(qrels, run, ties="rank")


def test_two_columns_for_one_thing(qrels, run):
    with pytest.raises(IrdivError, match="two columns for one thing: 'query_id', 'qid'"):
        evaluate(qrels, run.assign(qid="1"))


@pytest.mark.parametrize(
    ("empty", "message"),
    [
        ({}, "no runs given"),
        ([], "the run is empty"),
        (pd.DataFrame(columns=["query_id", "doc_id", "score"]), "the run is empty"),
    ],
    ids=["dict", "list", "frame"],
)
def test_an_empty_run(qrels, empty, message):
    with pytest.raises(IrdivError, match=message):
        evaluate(qrels, empty)


def test_empty_qrels(qrels, run):
    with pytest.raises(IrdivError, match="the qrels are empty"):
        evaluate(qrels.iloc[:0], run)


def test_a_missing_id(qrels, run):
    with pytest.raises(IrdivError, match="column 'doc_id' of the run has a missing id: it is null in row 1"):
        evaluate(qrels, run.assign(doc_id=run["doc_id"].mask(run.index == 1)))


def test_grades_that_are_not_integers(qrels, run):
    with pytest.raises(IrdivError, match="grades are whole numbers, but column 'relevance' holds 0.5"):
        evaluate(qrels.assign(relevance=0.5), run)


def test_no_topic_in_common(qrels, run):
    with pytest.raises(IrdivError, match="no topic in common: the qrels have '1', '2' and the run has 't1', 't2'"):
        evaluate(qrels, run.assign(query_id="t" + run["query_id"]))


def test_a_topic_without_relevant_documents_scores_0_with_a_note(qrels, run):
    more = pd.concat([qrels, pd.DataFrame([("3", "x", 0, "1")], columns=qrels.columns)])
    table = irdiv.evaluate(more.assign(importance="vital"), run, list(irdiv.measures.registry))
    assert "1 of 3 topics have no relevant document and score 0 in measures of relevance: '3'." in table.notes
    with pytest.warns(IrdivWarning, match="1 of 3 topics have no relevant document .*: '3'"):
        irdiv.Collection(more)
    assert (table.values[0, :, 2] == 0).all()
    assert np.isfinite(table.values).all()


@pytest.mark.parametrize("spec", ["D#-nDCG@10", "ERR-IA", "α-nDCG@5", "ERR_IA@5"])
@pytest.mark.parametrize("flat", ["none", "zero"])
def test_a_diversity_measure_without_intents(qrels, run, spec, flat):
    one = qrels[qrels["iteration"] == "1"]
    plain = one.drop(columns="iteration") if flat == "none" else one.assign(iteration="0")
    with pytest.raises(IrdivError, match="needs intents, but the qrels have no intent column"):
        evaluate(plain, run, spec)


def test_an_ad_hoc_measure_without_intents(qrels, run):
    plain = qrels[qrels["iteration"] == "1"].drop(columns="iteration")
    assert evaluate(plain, run, "Q@3").values.max() > 0


def test_qrels_that_contradict_themselves(qrels, run):
    with pytest.raises(IrdivError, match="document 'd1' of topic '1' has the grades 2 and 3 for intent '1'"):
        evaluate(pd.concat([qrels, qrels.iloc[[0]].assign(relevance=3)]), run)


def test_qrels_that_repeat_themselves(qrels, run):
    twice = evaluate(pd.concat([qrels, qrels]), run, ["D#-nDCG@3", "nDCG-IA"])
    np.testing.assert_array_equal(twice.values, evaluate(qrels, run, ["D#-nDCG@3", "nDCG-IA"]).values)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "cannot read the run from 'int'"),
        ([("1", "d", 1.0)], "iterable of 'tuple': expected namedtuples"),
        ([pd.DataFrame()], "Several runs go in a mapping from name to run"),
        ({"1": [("d", 1.0)]}, "cannot read the run from an iterable of 'tuple'"),
        (
            {"a": {"1": ["d"], "2": {"d": 1.0}}, "b": {}},
            r"expected {query_id: {doc_id: score}} or {query_id: \[doc_id, …\]}",
        ),
        ({"1": ["d"], "2": [True]}, "cannot read the run from an iterable of 'str'"),
        ({"a": {}, "b": {"1": {"d": 1.0}}}, "run 'a': the run is empty"),
        ({"a": {"1": {"d": 1.0}}, 1: pd.DataFrame(), "1": pd.DataFrame()}, "two runs have the same name"),
    ],
)
def test_data_that_is_not_a_run(qrels, given, message):
    with pytest.raises(IrdivError, match=message):
        evaluate(qrels, given)


def test_a_dict_of_columns(run):
    with pytest.raises(IrdivError, match="expected {query_id: {doc_id: relevance}}, found values of type 'list'"):
        evaluate({"query_id": ["1"]}, run)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ties": "random"}, "ties='random' is not one of 'docid_desc', 'docid_asc', 'input', 'rank'"),
        ({"duplicates": "last"}, "duplicates='last' is not one of 'error', 'first'"),
        ({"gamma": 0.3}, "none of these measures has a parameter 'gamma'; they take intents, judged_only, rel"),
        ({"cutoff": 10}, "has a parameter 'cutoff'"),
        ({"rel": 0}, "rel=0 is not an integer"),
    ],
)
def test_bad_arguments(qrels, run, parameters, message):
    with pytest.raises(IrdivError, match=message):
        evaluate(qrels, run, "I-rec@3", **parameters)


@pytest.mark.parametrize("batch_rows", [None, 2])
@pytest.mark.parametrize(
    ("options", "message"),
    [({"ties": "x"}, "ties='x' is not one of"), ({"duplicates": "x"}, "duplicates='x' is not one of")],
)
def test_a_wrong_option_is_not_the_fault_of_a_run(qrels, run, options, message, batch_rows):
    runs = {"a": run, "b": run}
    for function, more in (
        (irdiv.evaluate, {"measures": "I-rec@3", "batch_rows": batch_rows}),
        (irdiv.analysis.relevant_documents_by_intent, {}),
    ):
        with pytest.raises(IrdivError, match=f"^{message}"):
            function(qrels, runs, **more, **options)


@pytest.mark.parametrize("batch_rows", [None, 2])
def test_qrels_without_intents_are_not_the_fault_of_a_run(run, batch_rows):
    with pytest.raises(IrdivError, match="^I-rec@3 needs intents"):
        irdiv.evaluate({"1": {"d1": 1}}, {"a": run, "b": run}, "I-rec@3", batch_rows=batch_rows)


@pytest.mark.parametrize(("measures", "message"), [([], "no measures given"), (3, "not 3"), ([3], "not 3")])
def test_no_measures(qrels, run, measures, message):
    with pytest.raises(IrdivError, match=message):
        evaluate(qrels, run, measures)


def test_intents_as_an_argument_of_evaluate(qrels, run):
    with pytest.raises(IrdivError, match=r"evaluate\(with_intents\(qrels, intent_table\), …\)"):
        evaluate(qrels, run, "D-nDCG", intents=pd.DataFrame())


@pytest.mark.parametrize("grade", [10**6, 10**19, -(10**6)])
def test_grades_that_are_too_large(run, grade):
    with pytest.raises(IrdivError, match="grades are levels of a scale"):
        evaluate({"1": {"d1": grade}}, run, "Hit")


def test_two_columns_of_one_name(qrels, run):
    with pytest.raises(IrdivError, match="two columns of the run have the same name"):
        evaluate(qrels, pd.concat([run, run[["score"]]], axis=1))


def test_only_measures_with_probabilities_check_them(qrels, run):
    nothing = qrels.assign(probability=0.0)
    assert evaluate(nothing, run, ["I-rec@3", "ERR_IA@3"]).values.max() > 0
    with pytest.raises(IrdivError, match="have the probability 0"):
        evaluate(nothing, run, "D-nDCG")


def test_a_warning_points_at_the_users_line(run):
    qrels = pd.DataFrame({"query_id": ["1", "3"], "intent_id": "1", "doc_id": "d1", "relevance": [1, 0]})
    for call in (
        irdiv.Collection,
        lambda q: irdiv.analysis.intent_probabilities(q),
        lambda q: ir_measures.evaluator([irdiv.measures.IRec], q),
    ):
        with pytest.warns(IrdivWarning) as caught:
            call(qrels)
        assert "irdiv/arrays" not in caught[0].filename


def test_max_grade_below_a_grade(qrels, run):
    with pytest.raises(IrdivError, match="max_grade=2, but the qrels have grades up to 3"):
        evaluate(qrels, run, "ERR-IA(max_grade=2)")


def test_gains_for_some_grades_only(qrels, run):
    with pytest.raises(IrdivError, match="has no gain for the grades 2, 3"):
        evaluate(qrels, run, "D-nDCG(gain={1: 1})")


def test_grades_too_high_for_exponential_gains(qrels, run):
    high = qrels.assign(relevance=5000)
    with pytest.raises(IrdivError, match="grades up to 5000 overflow; use gain='linear'"):
        evaluate(high, run, "D-nDCG")
    assert evaluate(high, run, "D-nDCG(gain=linear)").values.max() > 0
    # these use grades, not gains
    assert evaluate(high, run, ["GAP-IA", "ERR-IA"]).values.min(axis=2).max() > 0


def test_errors_name_the_run(qrels, run):
    with pytest.raises(IrdivError, match="run 'b': the run lacks a column"):
        evaluate(qrels, {"a": run, "b": run.drop(columns="score")})
