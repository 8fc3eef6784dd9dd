"""Scores of answers: nuggetizer's and those of rubrics, and their measures in everything an evaluation does."""

from __future__ import annotations

import pickle

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.rag import score_answers

COLUMNS = ["run", "query_id", "intent_id", "importance", "assignment"]


def nuggets(*rows: str, run: str = "a", query_id: str = "1") -> pd.DataFrame:
    """Return assignments from rows such as "vital support"; the n-th is of the nugget n."""
    cells = [(run, query_id, str(n), *row.split()) for n, row in enumerate(rows)]
    return pd.DataFrame(cells, columns=COLUMNS)


def rubric(*rows: tuple[float, object]) -> pd.DataFrame:
    cells = [("a", "1", str(n), *row) for n, row in enumerate(rows)]
    return pd.DataFrame(cells, columns=["run", "query_id", "intent_id", "weight", "assignment"])


def scores(assignments: pd.DataFrame, **options) -> dict[str, float]:
    evaluation = score_answers(assignments, **options)
    return dict(zip(evaluation.specs(), evaluation.values[0, :, 0].tolist(), strict=True))


def systems(n_runs: int = 3, n_topics: int = 12) -> pd.DataFrame:
    """Return assignments of several runs and topics, better for later runs."""
    rng = np.random.default_rng(5)
    labels = ["not_support", "partial_support", "support"]
    frames = []
    for topic in range(n_topics):
        for run in range(n_runs):
            p = np.array([1.0, 1.0, 1.0 + 2 * run])
            rows = [f"{'vital' if n < 4 else 'okay'} {rng.choice(labels, p=p / p.sum())}" for n in range(7)]
            frames.append(nuggets(*rows, run=f"r{run}", query_id=str(topic)))
    return pd.concat(frames, ignore_index=True)


# Nuggets


def test_scores_by_hand():
    # vital: 1 + ½ of 3; okay: 1 of 2; "failed" only in all
    rows = ["vital support", "vital partial_support", "vital not_support", "okay support", "okay not_support"]
    assert scores(nuggets(*rows, "failed support")) == {
        "strict_vital_score": 1 / 3,
        "vital_score": 1.5 / 3,
        "strict_weighted_score": (1 + 0.5 * 1) / (3 + 0.5 * 2),
        "weighted_score": (1.5 + 0.5 * 1) / (3 + 0.5 * 2),
        "strict_all_score": 3 / 6,
        "all_score": 3.5 / 6,
    }


def test_unknown_and_missing_labels_count_0_and_stay_in_the_denominator():
    assignments = nuggets("vital support", "vital supporter", "okay include", "questionable support", "vital missing")
    assignments.loc[4, "assignment"] = None
    evaluation = score_answers(assignments)
    assert evaluation.values[0, :, 0].tolist() == [1 / 3, 1 / 3, 1 / 3.5, 1 / 3.5, 2 / 5, 2 / 5]
    labels, importance = evaluation.notes
    assert labels.startswith("3 of 5 assignments have labels that are not known ('supporter', 'include', '')")
    assert "'questionable' 1×" in importance
    assert "note: 3 of 5 assignments" in repr(evaluation)


def test_labels_state_what_other_labels_mean():
    assignments = nuggets("vital supporter", "vital partly", "vital support")
    mapped = score_answers(assignments, labels={"supporter": "support", "partly": "partial_support"})
    assert mapped.values[0, :2, 0].tolist() == [2 / 3, 2.5 / 3]
    assert mapped.notes == ()


def test_topics_without_vital_nuggets_score_0_and_a_note_states_it():
    evaluation = score_answers(nuggets("okay support", "okay support"))
    assert evaluation.values[0, :, 0].tolist() == [0, 0, 1, 1, 1, 1]
    assert evaluation.notes == ("1 topic has no vital nuggets ('1'): vital_score is 0 there.",)


# Rubrics


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        # (4·1 + 3·½ − 2·1) / (4 + 3 + 1)
        ([(4, "Satisfied"), (3, "Partially Satisfied"), (1, "Not Satisfied"), (-2, "Satisfied")], 3.5 / 8),
        ([(2, False), (-5, True)], -5 / 2),  # not clipped
        ([(3, 1), (2, 0), (1, 0.5)], 3.5 / 6),
        ([(3, "support"), (2, "not_support"), (1, "partial_support")], 3.5 / 6),
    ],
    ids=["labels", "booleans", "numbers", "labels of nuggetizer"],
)
def test_rubrics_by_hand(criteria, expected):
    assert scores(rubric(*criteria)) == {"rubric_score": expected}


def test_a_rubric_of_penalties_only_scores_0_and_a_note_states_it():
    evaluation = score_answers(rubric((-1, True)))
    assert evaluation.values.tolist() == [[[0.0]]]
    assert "no criteria with a weight above 0 ('1'): rubric_score is 0" in evaluation.notes[0]


def test_importance_and_weight_are_never_guessed_between():
    assignments = nuggets("vital support", "okay not_support").assign(weight=[1, 3])
    with pytest.raises(IrdivError, match="both of 'importance' and 'weight': give by='importance'"):
        score_answers(assignments)
    assert scores(assignments, by="weight") == {"rubric_score": 1 / 4}
    assert scores(assignments, by="importance")["weighted_score"] == 1 / 1.5


# Incomplete and inconsistent assignments


def test_a_missing_topic_is_an_error_or_0():
    answers = [("a", "1"), ("a", "2"), ("b", "1")]
    assignments = pd.concat([nuggets("vital support", run=run, query_id=topic) for run, topic in answers])
    with pytest.raises(IrdivError, match=r"run 'b' lacks 1 of 2 topics \('2'\). missing='zero'"):
        score_answers(assignments)
    evaluation = score_answers(assignments, missing="zero")
    assert evaluation["vital_score"].to_dict() == {"a": {"1": 1, "2": 1}, "b": {"1": 1, "2": 0}}
    assert evaluation.notes == ("run 'b' lacks 1 of 2 topics ('2') and scores 0 there.",)


def test_two_answers_under_one_name_are_an_error():
    two = pd.concat([nuggets("vital support", "okay support"), nuggets("vital not_support", "okay support")])
    with pytest.raises(IrdivError, match=r"run 'a' has 2 answers to topic '1'"):
        score_answers(two)


def test_a_nugget_that_occurs_twice_counts_twice():
    assignments = nuggets("vital support", "vital not_support", "vital not_support")
    assignments.loc[2, "intent_id"] = "1"
    assert scores(assignments)["vital_score"] == 1 / 3
    assert score_answers(assignments).notes == ("1 nugget occurs several times in an answer; each of the rows counts.",)


@pytest.mark.parametrize("second", [["vital support"], ["vital support", "okay support"], ["vital support"] * 3])
def test_a_note_names_topics_where_runs_have_other_nuggets(second):
    both = pd.concat([nuggets("vital support", "vital support"), nuggets(*second, run="b")])
    assert "in 1 of 1 topics ('1')" in score_answers(both).notes[0]


ONE = nuggets("vital support")


@pytest.mark.parametrize(
    ("assignments", "options", "message"),
    [
        (ONE.drop(columns="assignment"), {}, "lack a column: expected 'assignment'"),
        (ONE.drop(columns="run"), {}, "lack a column: expected 'run'"),
        (ONE.drop(columns="importance"), {}, "neither of 'importance' and 'weight'"),
        (ONE, {"by": "weight"}, "by='weight', but .*no such column"),
        (ONE, {"by": "nuggets"}, "by='nuggets' .*'importance', 'weight'"),
        (ONE, {"missing": "drop"}, "missing='drop' .*'error', 'zero'"),
        (ONE, {"labels": {"yes": "supports"}}, "'yes': 'supports'} .*unknown label.*'support'"),
        (ONE, {"labels": {"yes": 1}}, "'yes': 1} .*unknown label"),
        (nuggets("vital yes", "okay no"), {}, "no known label: found 'yes', 'no', expected 'support'"),
        (nuggets("1 support", "0.5 support"), {}, "no nugget is 'vital' or 'okay'.*column 'weight'"),
        (ONE.iloc[:0], {}, "empty"),
        (ONE.assign(docid="d"), {}, "documents: these are qrels"),
        (rubric((1, 2)), {}, "holds 2.0; .*from 0 to 1"),
        (rubric((1, -0.5)), {}, "holds -0.5; .*from 0 to 1"),
        (rubric((1, 1)), {"labels": {"yes": "support"}}, "'assignment' of the assignments holds numbers"),
        (rubric((np.nan, True)), {}, "'weight' of the assignments must hold finite numbers"),
        ({"a": ONE}, {}, "a mapping with the keys 'a'"),
        ("assignments.jsonl", {}, "irdiv.rag.read_assignments"),
    ],
)
def test_bad_input(assignments, options, message):
    with pytest.raises(IrdivError, match=message):
        score_answers(assignments, **options)


# Measures of answers


@pytest.mark.parametrize("assignments", [ONE, rubric((1, 1))], ids=["nuggets", "rubrics"])
def test_a_measure_of_answers_is_its_name(assignments, qrels, run):
    measures = score_answers(assignments).measures
    assert len(set(measures)) == len(measures)
    for measure in measures:
        name = str(measure)
        assert isinstance(measure, ir_measures.Measure)
        assert repr(measure) == name
        copy = pickle.loads(pickle.dumps(measure))
        assert (copy, hash(copy), copy.formula) == (measure, hash(measure), measure.formula)
        assert measure.formula in irdiv.explain(name)
        with pytest.raises(IrdivError, match=f"{name} has no parameters and no cutoff"):
            _ = measure @ 10
        for spec in (measure, name, name.replace("_", "-"), f"{name}@10"):
            with pytest.raises(IrdivError, match="is a measure of answers, .*score_answers"):
                irdiv.evaluate(qrels, run, ["I-rec@10", spec])
        with pytest.raises(ValueError, match="(?i)unsupported"):
            ir_measures.calc_aggregate([measure], qrels, run)


def test_an_evaluation_of_answers_does_what_others_do(tmp_path):
    evaluation = score_answers(systems())
    assert evaluation.frame["measure"].unique().tolist() == evaluation.specs()
    assert evaluation["vital_score"].equals(evaluation[evaluation.measures[evaluation.specs().index("vital_score")]])
    assert evaluation.rank("all_score")["run"].tolist() == ["r2", "r1", "r0"]
    assert len(evaluation.compare(measures=["vital_score"], baseline="r0")) == 2
    assert evaluation.worst(1, measure="vital_score", run="r0").shape == (1, 4)
    assert r"strict\_vital\_score" in evaluation.to_latex(baseline="r0")
    assert r"all\_score" in evaluation.to_markdown(measures="all_score", pairs="all")
    assert "vital_score" in evaluation._repr_html_()
    assert evaluation.sums() == []
    evaluation.to_csv(tmp_path / "values.csv")
    again = irdiv.stats.rank_runs(tmp_path / "values.csv", "all_score")
    pd.testing.assert_frame_equal(again, evaluation.rank("all_score"))
    assert irdiv.stats.leaderboard(evaluation) is not None
    assert irdiv.stats.correlate(evaluation).loc["vital_score", "vital_score"] == 1
    evaluation.plot.ranking("vital_score")
    assert pickle.loads(pickle.dumps(evaluation)).specs() == evaluation.specs()
    for call in (
        lambda: evaluation.topic("1"),
        lambda: evaluation.cases("vital_score", "all_score"),
        lambda: evaluation.per_intent("nDCG@10"),
        lambda: evaluation.plot.rank_curves("nDCG@10"),
    ):
        with pytest.raises(IrdivError, match="needs the qrels and runs"):
            call()


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_frames_of_other_libraries(convert):
    assignments = systems()
    evaluation = score_answers(convert(assignments))
    assert type(evaluation.frame) is type(convert(assignments))
    np.testing.assert_array_equal(evaluation.values, score_answers(assignments).values)
    assert scores(convert(rubric((2, True), (1, False)))) == {"rubric_score": 2 / 3}


def test_order_of_rows_and_numeric_ids_do_not_matter():
    assignments = systems(n_topics=11)
    expected = score_answers(assignments)
    shuffled = assignments.sample(frac=1, random_state=1).assign(query_id=lambda f: f["query_id"].astype(int))
    evaluation = score_answers(shuffled)
    assert evaluation.query_ids.tolist() == expected.query_ids.tolist() == [str(topic) for topic in range(11)]
    order = [evaluation.runs.index(run) for run in expected.runs]
    np.testing.assert_array_equal(evaluation.values[order], expected.values)
