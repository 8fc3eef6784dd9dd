"""Scores of answers: nuggetizer's and those of rubrics, and their measures in everything an evaluation does."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv.errors import IrdivError
from irdiv.measures.answers import ANSWER_MEASURES, AnswerMeasure

COLUMNS = ["run", "query_id", "intent_id", "importance", "assignment"]
SCORES = [
    "strict_vital_score",
    "vital_score",
    "strict_weighted_score",
    "weighted_score",
    "strict_all_score",
    "all_score",
]
SYSTEMS = ["command-r-plus", "l31_70b_instruct"]


def nuggets(*rows: str, run: str = "a", query_id: str = "1") -> pd.DataFrame:
    """Return assignments from rows such as "vital support"; the n-th is of the nugget n."""
    cells = [(run, query_id, str(n), *row.split()) for n, row in enumerate(rows)]
    return pd.DataFrame(cells, columns=COLUMNS)


def rubric(*rows: tuple[float, object], run: str = "a", query_id: str = "1") -> pd.DataFrame:
    cells = [(run, query_id, str(n), *row) for n, row in enumerate(rows)]
    return pd.DataFrame(cells, columns=["run", "query_id", "intent_id", "weight", "assignment"])


def scores(assignments: pd.DataFrame, **options) -> list[float]:
    return irdiv.rag.score_answers(assignments, **options).values[0, :, 0].tolist()


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


def records(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def nuggetizer_assignments(folder: Path) -> pd.DataFrame:
    rows = [
        (system, record["qid"], nugget["text"], nugget["importance"], nugget["assignment"])
        for system in SYSTEMS
        for record in records(folder / f"assignments.{system}.jsonl.gz")
        for nugget in record["nuggets"]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_scores_by_hand():
    # vital: 1 + ½ of 3; okay: 1 of 2; "failed" only in all
    assignments = nuggets(
        "vital support",
        "vital partial_support",
        "vital not_support",
        "okay support",
        "okay not_support",
        "failed support",
    )
    assert scores(assignments) == [
        1 / 3,
        1.5 / 3,
        (1 + 0.5 * 1) / (3 + 0.5 * 2),
        (1.5 + 0.5 * 1) / (3 + 0.5 * 2),
        3 / 6,
        3.5 / 6,
    ]


def test_unknown_labels_count_0_and_stay_in_the_denominator():
    assignments = nuggets("vital support", "vital supporter", "okay include", "questionable support")
    evaluation = irdiv.rag.score_answers(assignments)
    assert evaluation.values[0, :, 0].tolist() == [1 / 2, 1 / 2, 1 / 2.5, 1 / 2.5, 2 / 4, 2 / 4]
    labels, importance = evaluation.notes
    assert labels.startswith("2 of 4 assignments have labels that are not known ('supporter', 'include')")
    assert "'questionable' 1×" in importance
    assert "note: 2 of 4 assignments" in repr(evaluation)


def test_a_missing_label_is_an_unknown_one():
    assignments = nuggets("vital support", "vital support")
    assignments.loc[1, "assignment"] = None
    assert scores(assignments)[0] == 1 / 2


def test_labels_state_what_other_labels_mean():
    assignments = nuggets("vital supporter", "vital partly", "vital support")
    mapped = irdiv.rag.score_answers(assignments, labels={"supporter": "support", "partly": "partial_support"})
    assert mapped.values[0, :2, 0].tolist() == [2 / 3, 2.5 / 3]
    assert mapped.notes == ()


def test_topics_without_vital_nuggets_score_0_and_a_note_states_it():
    evaluation = irdiv.rag.score_answers(nuggets("okay support", "okay support"))
    assert evaluation.values[0, :, 0].tolist() == [0, 0, 1, 1, 1, 1]
    assert evaluation.notes == ("1 topic has no vital nuggets ('1'): vital_score is 0 there.",)


@pytest.mark.parametrize("system", SYSTEMS)
def test_nuggetizers_own_values(real_data, system):
    """Every value of nuggetizer's files for TREC RAG 2024, and the mean in their last line, to the last bit."""
    folder = real_data / "rag" / "nuggetizer"
    evaluation = irdiv.rag.score_answers(nuggetizer_assignments(folder))
    *topics, mean = records(folder / f"metrics.{system}.jsonl.gz")
    assert len(topics) == 301
    assert mean["qid"] == "all"
    ours = evaluation.pivot().loc[system]
    expected = pd.DataFrame(topics).set_index("qid").loc[ours.index, SCORES]
    assert evaluation.specs() == SCORES
    assert (ours.to_numpy() - expected.to_numpy() == 0).all()
    assert evaluation.summary().loc[system].to_dict() == {name: mean[name] for name in SCORES}


def test_notes_of_the_real_files(real_data):
    evaluation = irdiv.rag.score_answers(nuggetizer_assignments(real_data / "rag" / "nuggetizer"))
    labels, repeated, different, importance = evaluation.notes
    assert labels.startswith("44 of 12285 assignments")
    assert repeated.startswith("14 nuggets occur several times")
    assert "3 of 301 topics ('2024-19025', '2024-42556', '2024-67021')" in different
    assert "'failed' 20×" in importance


# Rubrics


def test_rubric_by_hand():
    # (4·1 + 3·½ − 2·1) / (4 + 3 + 1)
    assert scores(rubric((4, "Satisfied"), (3, "Partially Satisfied"), (1, "Not Satisfied"), (-2, "Satisfied"))) == [
        3.5 / 8
    ]


def test_a_rubric_score_is_not_clipped():
    assert scores(rubric((2, False), (-5, True))) == [-5 / 2]


@pytest.mark.parametrize("labels", [(1, 0, 0.5), (1.0, 0.0, 0.5), ("support", "not_support", "partial_support")])
def test_satisfaction_may_be_a_number_or_a_label(labels):
    assert scores(rubric(*zip((3, 2, 1), labels, strict=True))) == [3.5 / 6]


def test_a_rubric_of_penalties_only_scores_0_and_a_note_states_it():
    evaluation = irdiv.rag.score_answers(rubric((-1, True)))
    assert evaluation.values.tolist() == [[[0.0]]]
    assert evaluation.specs() == ["rubric_score"]
    assert "no criteria with a weight above 0 ('1'): rubric_score is 0" in evaluation.notes[0]


def test_real_rubrics_have_penalties(real_data):
    """An answer that satisfies all but the penalties scores 1, one that satisfies everything less."""
    rows = [
        (record["qid"], str(n), criterion["weight"])
        for record in records(real_data / "rag" / "research-rubrics.jsonl.gz")
        for n, criterion in enumerate(record["rubrics"])
    ]
    criteria = pd.DataFrame(rows, columns=["query_id", "intent_id", "weight"])
    answers = pd.concat(
        [
            criteria.assign(run="best", assignment=criteria["weight"] > 0),
            criteria.assign(run="everything", assignment=True),
            criteria.assign(run="nothing", assignment=False),
        ]
    )
    best, everything, nothing = irdiv.rag.score_answers(answers).values[:, 0]
    positive = criteria["weight"].clip(lower=0).groupby(criteria["query_id"]).sum()
    expected = (criteria.groupby("query_id")["weight"].sum() / positive).sort_index()
    assert (best == 1).all()
    assert (nothing == 0).all()
    assert np.allclose(everything, expected, rtol=0, atol=1e-15)
    assert (everything < 1).sum() > 3


def test_importance_and_weight_are_never_guessed_between():
    assignments = nuggets("vital support", "okay not_support").assign(weight=[1, 3])
    with pytest.raises(IrdivError, match="both of 'importance' and 'weight': give by='importance'"):
        irdiv.rag.score_answers(assignments)
    assert scores(assignments, by="weight") == [1 / 4]
    assert scores(assignments, by="importance")[3] == 1 / 1.5


# Incomplete and inconsistent assignments


def test_a_missing_topic_is_an_error_or_0():
    assignments = pd.concat(
        [
            nuggets("vital support", query_id="1"),
            nuggets("vital support", query_id="2"),
            nuggets("vital support", run="b"),
        ]
    )
    with pytest.raises(IrdivError, match=r"run 'b' lacks 1 of 2 topics \('2'\). missing='zero' scores it 0 there"):
        irdiv.rag.score_answers(assignments)
    evaluation = irdiv.rag.score_answers(assignments, missing="zero")
    assert evaluation["vital_score"].to_dict() == {"a": {"1": 1, "2": 1}, "b": {"1": 1, "2": 0}}
    assert evaluation.notes == ("run 'b' lacks 1 of 2 topics ('2') and scores 0 there.",)


def test_two_answers_under_one_name_are_an_error():
    two = pd.concat([nuggets("vital support", "okay support"), nuggets("vital not_support", "okay support")])
    with pytest.raises(IrdivError, match=r"run 'a' has 2 answers to topic '1': each nugget occurs 2 times"):
        irdiv.rag.score_answers(two)


def test_a_nugget_that_occurs_twice_counts_twice():
    assignments = nuggets("vital support", "vital not_support", "vital not_support")
    assignments.loc[2, "intent_id"] = "1"
    evaluation = irdiv.rag.score_answers(assignments)
    assert evaluation.values[0, 1, 0] == 1 / 3
    assert evaluation.notes == ("1 nugget occurs several times in an answer; each of the rows counts.",)


@pytest.mark.parametrize("second", [["vital support"], ["vital support", "okay support"], ["vital support"] * 3])
def test_a_note_names_topics_where_runs_have_other_nuggets(second):
    both = pd.concat([nuggets("vital support", "vital support"), nuggets(*second, run="b")])
    assert "in 1 of 1 topics ('1')" in irdiv.rag.score_answers(both).notes[0]


@pytest.mark.parametrize(
    ("assignments", "options", "message"),
    [
        (nuggets("vital support").drop(columns="assignment"), {}, "lack a column: expected 'assignment'"),
        (nuggets("vital support").drop(columns="run"), {}, "lack a column: expected 'run' or 'name' or 'run_id'"),
        (nuggets("vital support").drop(columns="importance"), {}, "neither of 'importance' and 'weight'"),
        (nuggets("vital support"), {"by": "weight"}, "by='weight', but the assignments have no such column"),
        (nuggets("vital support"), {"by": "nuggets"}, "by='nuggets' is not one of 'importance', 'weight'"),
        (nuggets("vital support"), {"missing": "drop"}, "missing='drop' is not one of 'error', 'zero'"),
        (
            nuggets("vital support"),
            {"labels": {"yes": "supports"}},
            "'yes': 'supports'} maps to an unknown label; expected one of 'support'",
        ),
        (nuggets("vital support"), {"labels": {"yes": 1}}, "'yes': 1} maps to an unknown label"),
        (nuggets("vital yes", "okay no"), {}, "no known label: found 'yes', 'no', expected 'support'"),
        (
            nuggets("1 support", "0.5 support"),
            {},
            "no nugget is 'vital' or 'okay'.*Numbers belong in a column 'weight'",
        ),
        (nuggets("vital support").iloc[:0], {}, "the assignments are empty"),
        (nuggets("vital support").assign(docid="d"), {}, "a column of documents: these are qrels"),
        (rubric((1, 2)), {}, "holds 2.0; numbers there are shares of support from 0 to 1"),
        (rubric((1, 1)), {"labels": {"yes": "support"}}, "but column 'assignment' of the assignments holds"),
        (rubric((np.nan, True)), {}, "column 'weight' of the assignments must hold finite numbers"),
        ({"a": nuggets("vital support")}, {}, "found a mapping with the keys 'a'; put them into one frame"),
        ("assignments.jsonl", {}, "read the file first, with irdiv.rag.read_assignments"),
    ],
)
def test_bad_input(assignments, options, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.rag.score_answers(assignments, **options)


# Measures of answers


@pytest.mark.parametrize("name", ANSWER_MEASURES)
def test_a_measure_of_answers_is_its_name(name):
    measure = ANSWER_MEASURES[name]
    assert isinstance(measure, ir_measures.Measure)
    assert str(measure) == repr(measure) == name
    copy = pickle.loads(pickle.dumps(measure))
    assert (copy, hash(copy), copy.formula) == (measure, hash(measure), measure.formula)
    assert measure != AnswerMeasure("all_score" if name != "all_score" else "vital_score")
    assert measure.formula in irdiv.explain(name)
    with pytest.raises(IrdivError, match=f"{name} has no parameters and no cutoff; found cutoff"):
        _ = measure @ 10


@pytest.mark.parametrize("spec", ["vital_score", "vital-score", "rubric_score@10", AnswerMeasure("strict_all_score")])
def test_rankings_have_no_measures_of_answers(qrels, run, spec):
    with pytest.raises(IrdivError, match="is a measure of answers, and not of rankings.*score_answers"):
        irdiv.evaluate(qrels, run, ["I-rec@10", spec])


def test_ir_measures_refuses_measures_of_answers(qrels, run):
    with pytest.raises(ValueError, match="(?i)unsupported"):
        ir_measures.calc_aggregate([AnswerMeasure("vital_score")], qrels, run)


def test_an_evaluation_of_answers_does_what_others_do(tmp_path):
    evaluation = irdiv.rag.score_answers(systems())
    assert evaluation.frame["measure"].unique().tolist() == SCORES
    assert evaluation["vital_score"].equals(evaluation[ANSWER_MEASURES["vital_score"]])
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
    assert pickle.loads(pickle.dumps(evaluation)).specs() == SCORES


@pytest.mark.parametrize(
    "call",
    [
        lambda evaluation: evaluation.topic("1"),
        lambda evaluation: evaluation.cases("vital_score", "all_score"),
        lambda evaluation: evaluation.per_intent("nDCG@10"),
        lambda evaluation: evaluation.plot.rank_curves("nDCG@10"),
    ],
)
def test_what_needs_rankings_is_refused(call):
    with pytest.raises(IrdivError, match=r"needs the qrels and runs, which .* not keep"):
        call(irdiv.rag.score_answers(systems()))


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_frames_of_other_libraries(convert):
    assignments = systems()
    expected = irdiv.rag.score_answers(assignments)
    evaluation = irdiv.rag.score_answers(convert(assignments))
    assert type(evaluation.frame) is type(convert(assignments))
    assert np.array_equal(evaluation.values, expected.values)
    assert np.array_equal(irdiv.rag.score_answers(convert(rubric((2, True), (1, False)))).values.ravel(), [2 / 3])


def test_order_of_rows_and_numeric_ids_do_not_matter():
    assignments = systems(n_topics=11)
    expected = irdiv.rag.score_answers(assignments)
    shuffled = assignments.sample(frac=1, random_state=1).assign(query_id=lambda f: f["query_id"].astype(int))
    evaluation = irdiv.rag.score_answers(shuffled)
    assert evaluation.query_ids.tolist() == expected.query_ids.tolist() == [str(topic) for topic in range(11)]
    order = [evaluation.runs.index(run) for run in expected.runs]
    assert np.array_equal(evaluation.values[order], expected.values)
