"""What an evaluation answers about topics, intents and cases."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from helpers import evaluation_of, random_collection, random_evaluation, random_run
from irdiv.demo import demo_qrels_and_runs
from irdiv.errors import IrdivError
from irdiv.measures.catalogue import registry
from irdiv.stats import compare, disagreements, worst_topics

# Topic 1: documents a (intent 1, grade 2), b (intents 1 and 2, grade 1), c judged without relevance. Topic 2: d.
ROWS = [
    ("1", "1", "a", 2),
    ("1", "1", "b", 1),
    ("1", "2", "b", 1),
    ("1", "2", "c", 0),
    ("2", "1", "d", 1),
]
QRELS = pd.DataFrame(ROWS, columns=["query_id", "intent_id", "doc_id", "relevance"])
RUNS = {
    "first": {"1": {"c": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 1.0}},
    "second": {"1": {"a": 3.0, "c": 2.0}, "2": {"x": 2.0, "d": 1.0}},
}
MEASURES = ["P-IA@2", "I-rec@2"]
INTENT_AWARE = [name for name, declaration in registry.items() if declaration.score_by_intent is not None]


def small() -> irdiv.Evaluation[pd.DataFrame]:
    return irdiv.evaluate(QRELS, RUNS, MEASURES)


def test_scores_of_a_topic():
    # first: b at rank 2 for both intents: P = 1/2 each; second: a at rank 1 for intent 1 only.
    scores = small().topic("1").scores
    assert scores.to_dict("index") == {
        "first": {"P-IA@2": 0.5, "I-rec@2": 1.0},
        "second": {"P-IA@2": 0.25, "I-rec@2": 0.5},
    }
    assert scores.index.name == "run"


def test_intents_of_a_topic_by_rank():
    topic = small().topic(1, cutoff=3)
    assert list(topic.intents.itertuples(index=False, name=None)) == [
        ("first", "1", 0.5, 2, "b", 1),
        ("first", "2", 0.5, 2, "b", 1),
        ("second", "1", 0.5, 1, "a", 2),
    ]
    assert list(topic.intents.columns) == ["run", "intent_id", "probability", "rank", "doc_id", "grade"]
    first = topic.grades("first")
    assert first.astype(object).where(first.notna(), None).to_numpy().tolist() == [[0, 1, None], [0, 1, None]]
    assert topic.grades("second").to_numpy().tolist() == [[2, 0], [0, 0]]
    assert first.index.tolist() == ["1", "2"]
    assert first.columns.tolist() == [1, 2, 3]


def test_a_topic_prints_scores_and_grades():
    assert repr(small().topic("1", cutoff=3)).splitlines() == [
        "topic 1",
        "  1  0.500",
        "  2  0.500",
        "",
        "        P-IA@2  I-rec@2",
        "first   0.5000   1.0000",
        "second  0.2500   0.5000",
        "",
        "grades by intent and rank: · not relevant to the intent, ? unjudged",
        "run        1 2 3",
        "first   1  · 1 ?",
        "        2  · 1 ?",
        "second  1  2 ·",
        "        2  · ·",
    ]


def test_intents_agree_with_the_analysis_of_all_topics():
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, ["D#-nDCG@10"])
    expected = irdiv.analysis.relevant_documents_by_intent(qrels, runs, cutoff=10)
    probabilities = irdiv.analysis.intent_probabilities(qrels).set_index(["query_id", "intent_id"])["probability"]
    for query_id in evaluation.query_ids:
        found = evaluation.topic(query_id).intents
        rows = expected[expected["query_id"] == query_id].drop(columns="query_id").reset_index(drop=True)
        pd.testing.assert_frame_equal(found[rows.columns], rows, check_dtype=False)
        assert found["probability"].tolist() == [probabilities[query_id, i] for i in found["intent_id"]]


def test_intents_are_those_that_count_for_the_measures():
    table = pd.DataFrame({"query_id": "1", "intent_id": ["1", "2", "3"], "probability": [0.5, 0.3, 0.2]})
    table["description"] = ["one", None, "three"]
    qrels = irdiv.with_intents(QRELS[QRELS["query_id"] == "1"], table)
    runs = {name: {"1": run["1"]} for name, run in RUNS.items()}
    relevant = irdiv.evaluate(qrels, runs, "D-nDCG@2").topic("1")
    assert relevant.grades("first").index.tolist() == ["1", "2"]
    assert relevant.intents["probability"].tolist() == pytest.approx([0.625, 0.375, 0.625])
    assert relevant.intents["description"].fillna("").tolist() == ["one", "", "one"]
    everything = irdiv.evaluate(qrels, runs, "D-nDCG(intents='all')@2").topic("1")
    assert everything.grades("first").index.tolist() == ["1", "2", "3"]
    assert "  3  0.200  three" in repr(everything).splitlines()
    graded = irdiv.evaluate(qrels, runs, "I-rec(rel=2)@2").topic("1")
    assert graded.grades("first").index.tolist() == ["1"]


def test_the_cutoff_is_that_of_the_measures():
    run = {"1": {f"x{i}": -float(i) for i in range(150)}, "2": {"d": 1.0}}
    cutoffs = {"P-IA@3": 3, "P-IA@50": 20, "D-nDCG": 10}
    for spec, cutoff in cutoffs.items():
        assert irdiv.evaluate(QRELS, run, spec).topic("1").cutoff == cutoff
    assert irdiv.evaluate(QRELS, run, "P-IA@3").topic("1", cutoff=100).grades("run").shape == (2, 100)
    with pytest.raises(IrdivError, match="needs the first 101 documents of a topic, but the evaluation kept 100"):
        irdiv.evaluate(QRELS, run, "P-IA@3").topic("1", cutoff=101)
    assert irdiv.evaluate(QRELS, run, "P-IA").topic("1", cutoff=149).grades("run").shape == (2, 149)


def test_qrels_without_intents_have_one():
    topic = irdiv.evaluate({"1": {"a": 2, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}, "nDCG@10").topic("1")
    assert topic.grades("run").to_numpy().tolist() == [[0, 2]]
    assert topic.intents[["rank", "doc_id", "grade"]].to_numpy().tolist() == [[2, "a", 2]]
    assert "run    · 2" in repr(topic)


def test_a_topic_without_relevant_documents_and_without_a_run():
    qrels = pd.concat([QRELS, pd.DataFrame([("3", "1", "e", 0)], columns=QRELS.columns)])
    topic = irdiv.evaluate(qrels, RUNS, MEASURES).topic("3")
    assert topic.intents.empty
    assert list(topic.intents.columns) == ["run", "intent_id", "probability", "rank", "doc_id", "grade"]
    assert "first" in repr(topic)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.topic("11"), "no topic is called '11'; did you mean '1'"),
        (lambda e: e.topic("1", runs=["frist"]), "no run is called 'frist'; did you mean 'first'"),
        (lambda e: e.topic("1", runs=[]), "no runs given"),
        (lambda e: e.topic("1", cutoff=0), "cutoff=0"),
        (lambda e: e.topic("1").grades("third"), "no run is called 'third'; there are 'first', 'second'"),
        (lambda e: e.topic("1", runs="first").grades("second"), "no run is called 'second'"),
        (lambda e: e.worst(measure="P-IA@3"), "P-IA@3 was not evaluated; did you mean 'P-IA@2'"),
        (lambda e: e.worst(run="frist"), "no run is called 'frist'; did you mean 'first'"),
        (lambda e: e.worst(baseline="frist"), "no run is called 'frist'"),
        (lambda e: e.worst(run="first", baseline="first"), "its own baseline"),
        (lambda e: e.worst(0), "n=0"),
        (lambda e: e.per_intent("nDGC@10"), "'nDGC' does not score intents one by one; did you mean .*'nDCG'"),
        (lambda e: e.per_intent("nDCG-IA-LA@10"), "'nDCG-IA-LA' does not score intents one by one"),
        (lambda e: e.per_intent("D#-nDCG@10"), "'D#-nDCG' does not score intents one by one"),
        (lambda e: e.per_intent("nDCG@10", gamma=1), "none of these measures has a parameter 'gamma'"),
        (lambda e: e.per_intent("nDCG(gain='log')@10"), "gain='log'"),
        (lambda e: e.cases("P-IA@2", "P-IA@2"), "does not disagree with itself"),
        (lambda e: e.cases("P-IA@2", "I-rec@3"), "did you mean 'I-rec@2'"),
        (lambda e: e.cases("P-IA@2", "I-rec@2", significant="first"), "significant='first'"),
        (lambda e: e.cases("P-IA@2", "I-rec@2", n=0), "n=0"),
        (lambda e: e.cases("P-IA@2", "I-rec@2").topic(1), "there is no case 1, as there are no cases"),
        (lambda e: disagreements({}, "P-IA@2", "I-rec@2"), "no collections given"),
        (
            lambda e: e.cases("P-IA@2", "I-rec@2", test="t"),
            "test='t' has no effect, as nothing is tested",
        ),
        (lambda e: disagreements(e, "P-IA@2", "I-rec@2", correction="holm"), "correction='holm' has no effect"),
        (lambda e: disagreements(e, "P-IA@2", "I-rec@2", n_resamples=9), "n_resamples=9 has no effect"),
        (lambda e: disagreements(e, "P-IA@2", "I-rec@2", plus_one=False), "plus_one=False has no effect"),
        (lambda e: disagreements({1: e, "1": e}, "P-IA@2", "I-rec@2"), "two collections have the same name: '1', '1'"),
        (lambda e: disagreements({"web": e}, "P-IA@2", "I-rec@3"), "collection 'web': I-rec@3 was not evaluated"),
        (lambda e: disagreements({"web": e}, "P-IA@2", "P-IA@2"), "collection 'web': P-IA@2 does not disagree"),
    ],
)
def test_bad_requests(call, message):
    with pytest.raises(IrdivError, match=message):
        call(small())


@pytest.mark.parametrize(
    "call",
    [lambda e: e.topic("1"), lambda e: e.per_intent("nDCG@10"), lambda e: e.cases("P-IA@2", "I-rec@2")],
)
def test_streams_keep_no_documents(call):
    evaluation = irdiv.evaluate(QRELS, RUNS, MEASURES, batch_rows=2)
    with pytest.raises(IrdivError, match="does not keep"):
        call(evaluation)
    assert evaluation.worst(1)["query_id"].tolist() == small().worst(1)["query_id"].tolist()


@pytest.mark.parametrize("options", [{}, {"intents": "all"}, {"renormalize": False}, {"judged_only": True}, {"rel": 2}])
def test_values_of_intents_add_up_to_the_intent_aware_measure(options):
    cutoffs = {name: ("", "@3", "@10") if registry[name].takes_cutoff else ("",) for name in INTENT_AWARE}
    specs = [name + cutoff for name in INTENT_AWARE for cutoff in cutoffs[name]]
    runs = {f"r{seed}": random_run(seed) for seed in range(2)}
    evaluation = irdiv.evaluate(random_collection(1), runs, specs, **options)
    for spec, measure in zip(specs, evaluation.specs(), strict=True):
        frame = evaluation.per_intent(spec.replace("-IA", ""), **options)
        assert list(frame.columns) == ["run", "query_id", "intent_id", "probability", "value"]
        total = (frame["probability"] * frame["value"]).groupby([frame["run"], frame["query_id"]]).sum()
        expected = evaluation.pivot()[measure]
        np.testing.assert_allclose(total.reindex(expected.index, fill_value=0), expected, atol=1e-12, err_msg=spec)


@pytest.mark.parametrize("gain", ["linear", "exp", {1: 1, 2: 5, 3: 6}])
def test_gains_of_values_of_intents(gain):
    qrels, runs = random_collection(2), random_run(0)
    evaluation = irdiv.evaluate(qrels, runs, "nDCG-IA@5", gain=gain)
    frame = evaluation.per_intent("nDCG@5", gain=gain)
    total = (frame["probability"] * frame["value"]).groupby(frame["query_id"]).sum()
    np.testing.assert_allclose(total[evaluation.query_ids], evaluation.values[0, 0])
    pd.testing.assert_frame_equal(evaluation.per_intent(f"nDCG-IA(gain={gain!r})@5"), frame)


def test_a_value_of_an_intent_is_that_of_the_intent_alone():
    qrels, run = random_collection(3, weighted=False), random_run(1)
    frame = irdiv.evaluate(qrels, run, "ERR-IA@10").per_intent("nDCG@10").set_index(["query_id", "intent_id"])
    assert len(frame) > 6
    for (query_id, intent_id), row in frame.iterrows():
        alone = qrels[(qrels["query_id"] == query_id) & (qrels["intent_id"] == intent_id)]
        value = irdiv.evaluate(alone, run, "nDCG-IA@10").values[0, 0, 0]
        assert row["value"] == pytest.approx(value)


def test_values_of_intents_by_hand():
    # first: b, grade 1 of 1, at rank 2 for intent 2: 1/log2(3); second has nothing for it.
    frame = small().per_intent("nDCG@2").set_index(["run", "query_id", "intent_id"])
    assert frame.loc[("first", "1", "2"), "value"] == pytest.approx(1 / np.log2(3))
    assert frame.loc[("second", "1", "2"), "value"] == 0
    assert frame["probability"].tolist() == [0.5, 0.5, 1.0] * 2


def test_values_of_intents_need_the_documents_that_they_see():
    run = {"1": {f"x{i}": -float(i) for i in range(150)}, "2": {"d": 1.0}}
    evaluation = irdiv.evaluate(QRELS, run, "P-IA@3")
    with pytest.raises(IrdivError, match="nDCG-IA needs all documents of a topic, but the evaluation kept 100"):
        evaluation.per_intent("nDCG")
    with pytest.raises(IrdivError, match="needs all documents"):
        evaluation.per_intent("nDCG@5", judged_only=True)
    assert len(evaluation.per_intent("nDCG@100")) == 3
    assert len(irdiv.evaluate(QRELS, run, "P-IA").per_intent("nDCG")) == 3


def test_worst_topics_of_a_run_by_hand():
    values = np.array([[[0.5, 0.1, 0.9, 0.3]], [[0.4, 0.6, 0.2, 0.3]], [[0.7, 0.2, 0.8, 0.3]]])
    evaluation = evaluation_of(values)
    worst = evaluation.worst(2, run="r0")
    assert list(worst.columns) == ["query_id", "run", "measure", "value"]
    assert worst.to_numpy().tolist() == [["1", "r0", "D#-nDCG@10", 0.1], ["3", "r0", "D#-nDCG@10", 0.3]]
    # r0 loses .5 against r1 on topic 1 only, as it is equal on topic 3
    worst = evaluation.worst(run="r0", baseline="r1")
    assert list(worst.columns) == ["query_id", "run", "measure", "value", "baseline_value", "difference"]
    assert worst.to_numpy().tolist() == [["1", "r0", "D#-nDCG@10", 0.1, 0.6, -0.5]]
    # against r0, r1 loses .7 on topic 2 and r2 loses .1 there
    assert evaluation.worst(1, baseline="r0")[["query_id", "run"]].to_numpy().tolist() == [["2", "r1"]]
    less_is_better = evaluation_of(values, ["E@10"])
    assert less_is_better.worst(1, run="r0")["query_id"].tolist() == ["2"]
    assert less_is_better.worst(1, run="r0", baseline="r1")["query_id"].tolist() == ["2"]
    with pytest.raises(IrdivError, match="the only run is the baseline"):
        evaluation_of(values[:1]).worst(baseline="r0")


def test_worst_topics_of_a_named_measure():
    evaluation = random_evaluation()
    expected = evaluation["D-nDCG@10"]["r2"].sort_values(kind="stable").index[:4].tolist()
    found = worst_topics(evaluation.frame, 4, measure="D_nDCG@10", run="r2")
    assert found["query_id"].tolist() == expected


def brute_force(evaluation, measure, other):
    """Return all topics and pairs on which two measures disagree, as {(topic, preferred, other): size}."""
    one, two = evaluation[measure], evaluation[other]
    found = {}
    for query_id in one.index:
        for a, b in combinations(evaluation.runs, 2):
            x, y = one.loc[query_id, a] - one.loc[query_id, b], two.loc[query_id, a] - two.loc[query_id, b]
            if x * y < 0:
                found[(query_id, a, b) if x > 0 else (query_id, b, a)] = min(abs(x), abs(y))
    return found


def test_disagreements_are_those_of_brute_force():
    evaluation = random_evaluation(seed=5, runs=5, topics=12)
    expected = brute_force(evaluation, "I-rec@10", "D-nDCG@10")
    frame = disagreements(evaluation, "I-rec@10", "D-nDCG@10", n=None)
    assert list(frame.columns) == ["query_id", "run", "other", "I-rec@10", "D-nDCG@10"]
    keys = list(frame[["query_id", "run", "other"]].itertuples(index=False, name=None))
    assert set(keys) == set(expected)
    assert len(keys) == len(expected)
    sizes = [expected[key] for key in keys]
    assert sizes == sorted(sizes, reverse=True)
    np.testing.assert_allclose(np.minimum(frame["I-rec@10"], -frame["D-nDCG@10"]), sizes)
    pd.testing.assert_frame_equal(disagreements(evaluation.frame, "I-rec@10", "D-nDCG@10"), frame.head(10))


@pytest.mark.parametrize("significant", ["measure", "other", "both"])
def test_disagreements_of_significant_pairs(significant):
    rng = np.random.default_rng(0)
    values = rng.normal(0.5, 0.1, (8, 2, 40))
    # the measures order the runs in opposite directions, so that some pairs conflict
    values += np.linspace(-0.08, 0.08, 8)[:, None, None] * np.array([1, -1])[None, :, None]
    evaluation = evaluation_of(values, ["I-rec@10", "D-nDCG@10"])
    frame = disagreements(evaluation, "I-rec@10", "D-nDCG@10", n=None, significant=significant, test="t")
    tests = compare(evaluation, test="t").set_index(["measure", "run", "other"])
    pairs = set()
    for a, b in combinations(evaluation.runs, 2):
        one, two = tests.loc[("I-rec@10", a, b)], tests.loc[("D-nDCG@10", a, b)]
        chosen = {
            "measure": one["p"] < 0.05 <= two["p"],
            "other": two["p"] < 0.05 <= one["p"],
            "both": one["p"] < 0.05 and two["p"] < 0.05 and one["difference"] * two["difference"] < 0,
        }
        if chosen[significant]:
            pairs.add(frozenset((a, b)))
    expected = {
        key: size
        for key, size in brute_force(evaluation, "I-rec@10", "D-nDCG@10").items()
        if frozenset(key[1:]) in pairs
    }
    assert len(expected) > 10
    assert set(frame[["query_id", "run", "other"]].itertuples(index=False, name=None)) == set(expected)
    by = {"measure": frame["I-rec@10"].abs(), "other": frame["D-nDCG@10"].abs()}.get(significant)
    sizes = np.minimum(frame["I-rec@10"], -frame["D-nDCG@10"]) if by is None else by
    assert sizes.is_monotonic_decreasing
    assert ((frame["p"] < 0.05) == (significant != "other")).all()
    assert ((frame["other_p"] < 0.05) == (significant != "measure")).all()


def test_cases_may_disagree_among_more_measures():
    # I-rec and D-nDCG prefer r0 on topic 0, D#-nDCG prefers r1; on topic 1 all prefer r1.
    values = np.array([[[0.5, 0.1], [0.6, 0.1], [0.2, 0.1]], [[0.4, 0.2], [0.3, 0.2], [0.4, 0.2]]])
    evaluation = evaluation_of(values, ["I-rec@10", "D-nDCG@10", "D#-nDCG@10"])
    assert disagreements(evaluation, "I-rec@10", "D-nDCG@10").empty
    frame = disagreements(evaluation, "I-rec@10", "D-nDCG@10", among=["I-rec@10", "D#-nDCG@10"])
    assert frame.to_numpy().tolist() == [["0", "r0", "r1", *map(pytest.approx, [0.1, 0.3, -0.2])]]


def test_disagreements_with_a_measure_where_less_is_better():
    # r0 has the larger P and the larger E, which is worse: the measures disagree.
    values = np.array([[[0.5], [0.9]], [[0.4], [0.1]]])
    frame = disagreements(evaluation_of(values, ["P-IA@10", "E@10"]), "P-IA@10", "E@10")
    assert frame.to_numpy().tolist() == [["0", "r0", "r1", pytest.approx(0.1), pytest.approx(0.8)]]
    # the run is the one with less E, and the differences are as they are
    frame = disagreements(evaluation_of(values, ["P-IA@10", "E@10"]), "E@10", "P-IA@10")
    assert frame.to_numpy().tolist() == [["0", "r1", "r0", pytest.approx(-0.8), pytest.approx(-0.1)]]


@pytest.mark.parametrize("options", [{}, {"significant": "measure", "level": 0.3}])
def test_disagreements_of_several_collections(options):
    studies = {name: random_evaluation(seed=seed, runs=4, topics=8) for seed, name in enumerate(("web", "news"))}
    frame = disagreements(studies, "I-rec@10", "D-nDCG@10", n=None, rng=np.random.default_rng(5), **options)
    assert frame.columns[0] == "collection"
    for name, evaluation in studies.items():
        alone = disagreements(evaluation, "I-rec@10", "D-nDCG@10", n=None, rng=np.random.default_rng(5), **options)
        part = frame[frame["collection"] == name].drop(columns="collection").reset_index(drop=True)
        assert len(part) > 0
        pd.testing.assert_frame_equal(part, alone)
    if not options:
        assert np.minimum(frame["I-rec@10"], -frame["D-nDCG@10"]).is_monotonic_decreasing


def test_no_cases_have_a_frame_without_documents():
    found = small().cases("P-IA@2", "I-rec@2").intents
    expected = irdiv.evaluate(QRELS, RUNS, ["I-rec@2", "D-nDCG@2"]).cases("I-rec@2", "D-nDCG@2").intents
    assert len(found) == 0 < len(expected)
    pd.testing.assert_frame_equal(found, expected.head(0), check_index_type=False)


def test_cases_have_the_documents_of_both_runs():
    # first covers both intents with one document of grade 1 at rank 2, second one of them with grade 2 at rank 1
    evaluation = irdiv.evaluate(QRELS, RUNS, ["I-rec@2", "D-nDCG@2"])
    cases = evaluation.cases("I-rec@2", "D-nDCG@2")
    assert len(cases) == 1
    assert cases.frame[["case", "query_id", "run", "other", "I-rec@2"]].to_numpy().tolist() == [
        [1, "1", "first", "second", 0.5]
    ]
    # exponential gains: GG(a) = 1.5, GG(b) = 1; ideal 1.5 + 1/log2(3)
    assert cases.frame["D-nDCG@2"].tolist() == [pytest.approx((1 / np.log2(3) - 1.5) / (1.5 + 1 / np.log2(3)))]
    assert cases.intents[["case", "query_id", "run", "intent_id", "rank", "doc_id", "grade"]].to_numpy().tolist() == [
        [1, "1", "first", "1", 2, "b", 1],
        [1, "1", "first", "2", 2, "b", 1],
        [1, "1", "second", "1", 1, "a", 2],
    ]
    assert repr(cases).splitlines() == [
        "case 1: topic 1, 2 intents; I-rec@2 +0.5000, D-nDCG@2 -0.4078",
        "run            1 2",
        "first (2)   1  · 1",
        "            2  · 1",
        "second (1)  1  2 ·",
        "            2  · ·",
        "",
        "grades by intent and rank: · not relevant to the intent, ? unjudged",
    ]
    assert cases.topic(1).runs == ("first", "second")
    with pytest.raises(IrdivError, match="case=2"):
        cases.topic(2)


def test_everything_answers_in_polars():
    qrels, runs = demo_qrels_and_runs()
    measures = ["D#-nDCG@10", "I-rec@10", "nDCG-IA@10"]
    in_pandas = irdiv.evaluate(qrels, runs, measures)
    in_polars = irdiv.evaluate(pl.from_pandas(qrels), {n: pl.from_pandas(r) for n, r in runs.items()}, measures)
    pairs = [
        (e.worst(3, baseline="relevance"), e.per_intent("nDCG@10"), e.topic("3").intents,
         e.topic("3").scores, e.cases(*measures[:2]).frame, e.cases(*measures[:2]).intents)
        for e in (in_polars, in_pandas)
    ]  # fmt: skip
    for polars, pandas in zip(*pairs, strict=True):
        expected = pandas.reset_index() if pandas.index.name else pandas
        assert isinstance(polars, pl.DataFrame)
        assert polars.columns == list(expected.columns)
        assert polars.rows() == list(expected.itertuples(index=False, name=None))
    grades = in_polars.topic("3").grades("spammy")
    assert grades.columns == ["intent_id", *map(str, range(1, 11))]
    expected = in_pandas.topic("3").grades("spammy")
    assert grades["3"].to_list() == expected[3].tolist()
    assert grades["1"].null_count() == len(grades) == expected[1].isna().sum()
    assert repr(in_polars.topic("3")) == repr(in_pandas.topic("3"))


def test_forty_runs_fit_a_terminal():
    qrels = random_collection(1)
    runs = {f"system-{seed:02}": random_run(seed) for seed in range(40)}
    evaluation = irdiv.evaluate(qrels, runs, ["D#-nDCG@10", "I-rec@10", "alpha-nDCG@10"])
    lines = repr(evaluation.topic("1")).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "… and 32 more runs, which .draw() shows too"
    assert len(evaluation.topic("1").draw().splitlines()) > len(lines)
    assert max(len(line) for line in evaluation.rank().to_string().splitlines()) <= 100
