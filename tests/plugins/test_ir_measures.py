"""irdiv inside ir_measures: its parsers, its calls, its other providers, and other packages that extend it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, AP_IA, ERR_IA, NRBP, P_IA, P, SetF, StRecall, alpha_DCG, alpha_nDCG, nDCG, nERR_IA, nNRBP

import irdiv
from values_of_ir_measures import diversity_means

NINE = [ERR_IA @ 5, nERR_IA @ 5, alpha_DCG @ 5, alpha_nDCG @ 5, NRBP, nNRBP, AP_IA, P_IA @ 5, StRecall @ 5]
OURS = [ir_measures.parse_measure(s) for s in ("D#-nDCG@3", "ERR-IA@3", "Q@3", "I-rec")]
TESTS = Path(__file__).parents[1]


def means(measures, qrels, run) -> dict[str, float]:
    return {str(m): value for m, value in ir_measures.calc_aggregate(measures, qrels, run).items()}


def highest_grades(qrels):
    return qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()


# Parsers


def test_parsers_know_our_specs_and_theirs():
    ours = ["D#-nDCG(gamma=0.3)@10", "α-nDCG@10", "ERR(max_grade=4)@5", "nDCG(gain='exp')@5", "NRBP(weighted=True)"]
    theirs = {
        "nDCG@10": nDCG @ 10,
        "P(rel=2, judged_only=True)@5": P(rel=2, judged_only=True) @ 5,
        "SetF(beta=0.5)": SetF(beta=0.5),
        "nDCG(dcg='exp-log2', gains={0: 1, 1: 2})@3": nDCG(dcg="exp-log2", gains={0: 1, 1: 2}) @ 3,
    }
    for parse in (ir_measures.parse_measure, ir_measures.util.parse_measure):
        assert {spec: parse(spec) for spec in ours} == {spec: irdiv.parse(spec) for spec in ours}
        assert {spec: parse(spec) for spec in theirs} == theirs
    assert {spec: irdiv.parse(spec) for spec in theirs} == theirs
    by_trec_names = {"D#-Q@10": irdiv.parse("D#-Q@10"), "map": AP, "ndcg_cut_10": nDCG @ 10}
    assert {name: ir_measures.parse_trec_measure(name) for name in by_trec_names} == {
        name: [measure] for name, measure in by_trec_names.items()
    }


@pytest.mark.parametrize("spec", ["ERR@5", "RBP@5", "RBP(p=0.9,rel=1)@5", "ERR_IA(rel=0)@5", "alpha_nDCG(alpha=2)@5"])
def test_names_that_ir_measures_has_name_its_own_measures(spec):
    measures = [ir_measures.parse_measure(spec)]
    if "_" not in spec:
        measures += ir_measures.parse_trec_measure(spec)
    theirs = type(ir_measures.measures.registry[spec.split("(")[0].split("@")[0]])
    assert {type(measure) for measure in measures} == {theirs}


@pytest.mark.parametrize(
    ("parse", "spec", "error", "message"),
    [
        ("measure", "nDGC@10", NameError, "measure not found: nDGC"),
        ("trec_measure", "G", ValueError, "known trec name G, but not yet supported"),
        ("measure", "D#-nDGC@10", irdiv.IrdivError, "did you mean 'D#-nDCG'"),
        ("trec_measure", "D#-nDGC@10", irdiv.IrdivError, "did you mean 'D#-nDCG'"),
        ("measure", "nDCG@-5", ValueError, "values must be"),
        ("measure", "P(rel=[1])@5", ValueError, "values must be"),
        ("measure", "nDCG(gains={**x})@5", ValueError, "values must be"),
    ],
)
def test_parsers_fail_as_before_on_what_is_nobodys(parse, spec, error, message):
    with pytest.raises(error, match=message):
        getattr(ir_measures, f"parse_{parse}")(spec)


# Calls


def test_every_call_of_ir_measures(qrels, run):
    expected = irdiv.evaluate(qrels, run, OURS)
    aggregate = ir_measures.calc_aggregate(OURS, qrels, run)
    assert {str(m): v for m, v in aggregate.items()} == expected.summary().loc["run"].to_dict()
    by_topic = {(row.query_id, row.measure): row.value for row in expected.frame.itertuples()}
    assert {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(OURS, qrels, run)} == by_topic
    evaluator = ir_measures.evaluator(OURS, qrels)
    assert evaluator.calc_aggregate(run) == aggregate
    assert evaluator.calc_aggregate(run.iloc[:4])[OURS[0]] < aggregate[OURS[0]]
    assert ir_measures.calc(OURS, qrels, run).aggregated == aggregate
    assert OURS[0].calc_aggregate(qrels, run) == aggregate[OURS[0]]
    assert {(m.query_id, str(OURS[0])): m.value for m in OURS[0].iter_calc(qrels, run)}.items() <= by_topic.items()


def test_mixed_with_measures_of_ir_measures(qrels, run):
    groups = [OURS, [nDCG @ 3, AP], [ERR_IA @ 5]]
    alone = {name: value for group in groups for name, value in means(group, qrels, run).items()}
    assert means([*OURS, nDCG @ 3, ERR_IA @ 5, AP], qrels, run) == alone


@pytest.mark.parametrize("kind", ["frame", "floats", "namedtuples", "dict"])
def test_query_ids_that_are_numbers_come_back_as_they_went_in(qrels, run, kind):
    number = float if kind == "floats" else int
    numbers = qrels.astype({"query_id": number}), run.astype({"query_id": number})
    measures = [*OURS, ERR_IA @ 5]
    if kind == "namedtuples":
        numbers = [ir_measures.Qrel(*row) for row in numbers[0].itertuples(index=False)], numbers[1]
    if kind == "dict":
        measures = [irdiv.parse("Q@3")]
        qrels = {"1": {"d1": 2, "d2": 1}, "2": {"e2": 2}}
        numbers = {int(query): docs for query, docs in qrels.items()}, numbers[1]
    metrics = list(ir_measures.iter_calc(measures, *numbers))
    assert {type(metric.query_id) for metric in metrics} == {number}
    assert len(metrics) == 2 * len(measures)
    assert means(measures, *numbers) == pytest.approx(means(measures, qrels, run))


def test_runs_and_qrels_that_are_empty(qrels, run):
    assert set(means(OURS, qrels, run.iloc[:0]).values()) == {0.0}
    assert list(ir_measures.iter_calc(OURS, qrels.iloc[:0], run)) == []


def test_qrels_that_other_measures_see():
    """Measures of ir_measures see the last of two grades of one intent, and measures of others see the intents."""
    graded_twice = [ir_measures.Qrel("1", "d1", 1), ir_measures.Qrel("1", "d1", 0)]
    assert ir_measures.calc_aggregate([AP], graded_twice, {"1": {"d1": 1.0}}) == {AP: 0.0}
    seen = []
    measure = ir_measures.define(lambda qrels, run: seen.append(set(qrels["iteration"])) or [], name="AP")
    qrels = [ir_measures.Qrel("1", "d1", 1, "a"), ir_measures.Qrel("1", "d2", 1, "b")]
    ir_measures.calc_aggregate([measure, P @ 1], qrels, {"1": {"d1": 1.0}})
    assert seen == [{"a", "b"}]


def test_categories_as_ids(qrels, run):
    categorical = qrels.astype(dict.fromkeys(["query_id", "doc_id", "iteration"], "category"))
    assert means([AP], categorical, run) == means([AP], qrels, run)


# Whose measure is computed


@pytest.mark.parametrize("name", ["ERR_IA", "Q", "ERR", "nDCG"])
def test_a_defined_measure_is_not_taken_for_one_of_its_name(name, qrels, run):
    """``ir_measures.define`` gives a measure any name; its values are those of the function that was given."""
    measure = ir_measures.define(lambda qrels, run: [("1", 0.125), ("2", 0.375)], name=name) @ 5
    assert irdiv.parse(measure) is measure
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    assert ir_measures.calc_aggregate([measure], qrels, run) == {measure: 0.25}
    assert irdiv.evaluate(qrels, run, measure).values.tolist() == [[[0.125, 0.375]]]


def test_irdivs_measures_are_irdivs_inside_ir_measures_too(qrels, run):
    specs = ["ERR@5", "RBP@5", "nDCG(gain='exp')@5", "ERR_IA(alpha=0.2)@5", "NRBP(weighted=True)"]
    measures = [irdiv.parse(spec) for spec in specs]
    expected = irdiv.evaluate(qrels, run, measures).summary().iloc[0].to_dict()
    assert means(measures, qrels, run) == pytest.approx(expected, abs=1e-12)
    adhoc = {str(measure): expected[str(measure)] for measure in measures[:3]}
    assert means(measures[:3], highest_grades(qrels), run) == pytest.approx(adhoc, abs=1e-12)


def test_measures_of_one_name_and_two_values_are_two_keys(qrels, run):
    assert irdiv.parse("RR(rel=1)@5") == ir_measures.RR @ 5
    assert irdiv.parse("ERR_IA@5") == ERR_IA @ 5
    ours, theirs = irdiv.parse("Judged@5"), ir_measures.Judged @ 5
    assert ours != theirs
    assert len(ir_measures.calc_aggregate([ours, theirs], highest_grades(qrels), run)) == 2


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl")
def test_err_and_ndcg_are_gdevals_to_five_digits(qrels, run):
    theirs = [ir_measures.ERR @ 5, nDCG(dcg="exp-log2") @ 5]
    metrics = ir_measures.gdeval.iter_calc(theirs, highest_grades(qrels), run)
    expected = {(str(m.measure), m.query_id): m.value for m in metrics}
    ours = irdiv.evaluate(qrels, run, ["ERR(max_grade=4)@5", "nDCG(gain='exp')@5"])
    found = {
        (str(measure), topic): value
        for measure, row in zip(theirs, ours.values[0].tolist(), strict=True)
        for topic, value in zip(ours.query_ids, row, strict=True)
    }
    assert found == pytest.approx(dict.fromkeys(found, 0.0) | expected, abs=5.1e-6)
    assert ours.values.min(axis=2).max() > 0


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl")
def test_a_program_of_ir_measures_that_fails_is_an_error_of_irdiv(capfd):
    qrels, run = {"a": {"d1": 1}}, {"a": {"d1": 1.0}}
    with pytest.raises(irdiv.IrdivError, match="cannot compute one of .*exp-log2.*: perl failed with exit status"):
        irdiv.evaluate(qrels, run, "nDCG(dcg='exp-log2')@10")
    assert irdiv.evaluate(qrels, run, "nDCG(gain='exp')@10").values.item() == 1


# The provider of ndeval's nine measures


def test_the_choice_of_the_provider_holds_until_it_is_changed(qrels, run):
    by_pyndeval = [(m.query_id, m.value) for m in ir_measures.pyndeval.iter_calc([ERR_IA @ 5], qrels, run)]
    assert [(m.query_id, m.value) for m in ir_measures.iter_calc([ERR_IA @ 5], qrels, run)] == by_pyndeval
    measures = [ERR_IA @ 2, nERR_IA @ 2, alpha_nDCG @ 2]
    theirs = diversity_means(measures)
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    ours = diversity_means(measures)
    assert [name for name in theirs if theirs[name] == ours[name]] == []
    with pytest.raises(irdiv.IrdivError, match="provider='ndeval' is not one of 'irdiv', 'pyndeval'"):
        irdiv.plugins.ir_measures.set_ndeval_provider("ndeval")
    assert diversity_means(measures) == ours
    irdiv.plugins.ir_measures.set_ndeval_provider("pyndeval")
    assert diversity_means(measures) == theirs


def test_the_irdiv_provider_equals_pyndeval_where_pyndeval_has_no_fault(real_data):
    qrels = irdiv.read_qrels(real_data / "trec-web" / "2012" / "qrels-for-ndeval.txt")
    run = irdiv.read_run(real_data / "trec-web" / "runs-2012" / "ql-catb.txt.gz")
    # Without ties of scores, whose order the two settle differently.
    run["score"] = -run["rank"].astype(float)
    theirs = means(NINE, qrels, run)
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    assert means(NINE, qrels, run) == pytest.approx(theirs, abs=1e-12)


class TestFaultsOfPyndevalAreGone:
    @pytest.fixture(autouse=True)
    def _taken_over(self):
        irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")

    def test_two_alphas_in_one_call(self, qrels, run):
        one, two = alpha_nDCG(alpha=0.2) @ 5, alpha_nDCG(alpha=0.8) @ 5
        found = means([one, two], qrels, run)
        assert found == means([one], qrels, run) | means([two], qrels, run)
        assert min(found.values()) > 0

    def test_judged_only(self, qrels, run):
        judged = run[~run["doc_id"].str.startswith("u")]
        condensed = means([ERR_IA(judged_only=True) @ 3], qrels, run)
        assert list(condensed.values()) == list(means([ERR_IA @ 3], qrels, judged).values())

    def test_cutoffs_past_20(self, qrels, run):
        # every list is shorter than 20, so that nothing is added past it
        at_20, at_100 = means([nERR_IA @ 20, nERR_IA @ 100], qrels, run).values()
        assert at_100 == at_20 > 0

    def test_rows_in_any_order_and_intents_in_any_column(self, qrels, run):
        expected = means(NINE, qrels, run)
        assert means(NINE, qrels, run.sample(frac=1, random_state=3)) == expected
        assert means(NINE, qrels.rename(columns={"iteration": "subtopic_id"}), run) == expected

    def test_no_intents_is_an_error(self, qrels, run):
        with pytest.raises(irdiv.IrdivError, match="needs intents"):
            means(NINE, qrels[qrels["iteration"] == "1"].drop(columns="iteration"), run)

    def test_namedtuples_in_one_call_with_other_measures(self, qrels, run):
        rows = [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)]
        docs = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
        measures = [ERR_IA @ 3, nDCG @ 3, OURS[0]]
        assert means(measures, iter(rows), iter(docs)) == pytest.approx(means(measures, qrels, run))


# Other processes and other packages


def run_python(*arguments: str) -> str:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures alone parses no cutoff on Python 3.14")
def test_importing_irdiv_changes_no_value_of_ir_measures():
    """On plain qrels all measures and providers have the same bits as without irdiv, whichever is imported first."""
    script = str(TESTS / "values_of_ir_measures.py")
    after = [
        "from ir_measures import *; import irdiv",
        "from irdiv.plugins.ir_measures import set_ndeval_provider as choose; choose('irdiv'); choose('pyndeval')",
    ]
    expected, *found = json.loads(run_python(script, json.dumps(["import ir_measures", *after])))
    found += json.loads(run_python(script, json.dumps(["import irdiv; from ir_measures import *"])))
    for statement, values in zip([*after, "import irdiv"], found, strict=True):
        differing = {key: (expected.get(key), values.get(key)) for key in {*expected, *values}}
        assert {key: pair for key, pair in differing.items() if pair[0] != pair[1]} == {}, statement
    computed = {key.split(", ")[0]: key for key, values in expected.items() if isinstance(values, list) and values}
    assert {"pipeline", "pytrec_eval", "pyndeval", "judged", "msmarco", "accuracy", "compat"} <= set(computed)
    assert json.dumps(expected).count("0x1.") > 1500


@pytest.mark.slow
def test_a_pickled_measure_in_a_process_that_has_not_imported_irdiv():
    specs = ["D#-nDCG(gamma=0.3)@10", "ERR@5", "nDCG(gain='exp')@5", "alpha_nDCG(alpha=0.2)@5", "ERR_IA@5", "AP"]
    measures = [irdiv.parse(spec) for spec in specs]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(measures, protocol)) == measures
    code = (
        "import pickle, sys, values_of_ir_measures; assert 'irdiv' not in sys.modules;"
        f"measures = pickle.loads({pickle.dumps(measures)!r});"
        "print([str(measure) for measure in measures], values_of_ir_measures.diversity_means(measures[:1]))"
    )
    assert run_python("-W", "ignore", "-c", code) == f"{specs} {diversity_means(measures[:1])}\n"


PLUGIN = """
import ir_measures
from ir_measures import measures, providers

class Reciprocal(measures.Measure):
    NAME = __name__ = "Q"  # which is a name of irdiv's too
    SUPPORTED_PARAMS = {"cutoff": measures.ParamInfo(dtype=int)}

class Plugged(providers.Provider):
    NAME = "plugged"
    def supports(self, measure):
        return isinstance(measure, Reciprocal)
    def _evaluator(self, wanted, qrels):
        return PluggedEvaluator(wanted, {"1"})

class PluggedEvaluator(providers.Evaluator):
    def _iter_calc(self, run):
        for measure in self.measures:
            yield ir_measures.Metric("1", measure, 0.75)

measures.register(Reciprocal())
ir_measures.DefaultPipeline.providers.insert(0, Plugged())
theirs = ir_measures.parse_measure
ir_measures.parse_measure = lambda spec: Reciprocal() if spec == "1/r" else theirs(spec)
"""
CHECK = """
from values_of_ir_measures import diversity_means
specs = ["1/r", "D#-nDCG@2", "AP", "P@1", "Q"]
parsed = [ir_measures.parse_measure(spec) for spec in specs]
print([[*map(str, parsed)], isinstance(parsed[-1], Reciprocal), diversity_means(parsed[1:])])
"""


@pytest.mark.slow
@pytest.mark.parametrize("order", ["before", "after"])
def test_another_plugin(order):
    """Both work, whichever comes first, and none undoes what the other did; a name that both have is the plugin's."""
    # the plugin knows one of the two topics
    expected = diversity_means([irdiv.parse("D#-nDCG@2"), AP, P @ 1]) | {"Q": 0.75 / 2}
    imports = [PLUGIN, "import irdiv"] if order == "before" else ["import irdiv", PLUGIN]
    printed = run_python("-W", "ignore", "-c", "\n".join([*imports, CHECK]))
    names, is_theirs, values = eval(printed)
    assert (names, is_theirs) == (["Q", "D#-nDCG@2", "AP", "P@1", "Q"], True)
    assert values == expected
