"""irdiv beside other code that uses ir_measures: import order, reload, pickles, processes, threads, other plugins."""

from __future__ import annotations

import contextvars
import importlib.util
import itertools
import json
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, ERR_IA, P, alpha_nDCG, nDCG, nERR_IA

import irdiv
from irdiv.plugins.ir_measures import install
from values_of_ir_measures import NAMES, diversity_means

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
NDEVAL = [ERR_IA @ 2, nERR_IA @ 2, alpha_nDCG @ 2]


def run_python(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures alone parses no cutoff on Python 3.14")
def test_importing_irdiv_changes_no_value_of_ir_measures():
    """On plain qrels all measures and providers have the same bits as without irdiv, whatever is imported when."""
    script = str(TESTS / "values_of_ir_measures.py")
    statements = [
        "import ir_measures",
        "from ir_measures import *; import irdiv",
        "import importlib; importlib.reload(ir_measures)",
        "importlib.reload(irdiv); importlib.reload(irdiv.plugins.ir_measures); importlib.reload(irdiv); "
        "from ir_measures import *; irdiv.set_ndeval_provider('irdiv'); irdiv.set_ndeval_provider('pyndeval')",
    ]
    expected, *found = json.loads(run_python(script, json.dumps(statements)))
    found += json.loads(run_python(script, json.dumps(["import irdiv; from ir_measures import *"])))
    for statement, values in zip([*statements[1:], "import irdiv"], found, strict=True):
        differing = {key: (expected.get(key), values.get(key)) for key in {*expected, *values}}
        assert {key: pair for key, pair in differing.items() if pair[0] != pair[1]} == {}, statement
    computed = {key.split(", ")[0]: key for key, values in expected.items() if isinstance(values, list) and values}
    assert {"pipeline", "pytrec_eval", "pyndeval", "judged", "msmarco", "accuracy", "compat"} <= set(computed)
    assert json.dumps(expected).count("0x1.") > 1500


def test_the_names_whose_values_are_compared_are_all_of_ir_measures():
    assert set(NAMES) == set(ir_measures.measures.registry)


class TestQrels:
    def test_a_document_graded_twice_for_one_intent_keeps_its_last_grade(self):
        rows = [ir_measures.Qrel("1", "d1", 1), ir_measures.Qrel("1", "d1", 0)]
        assert ir_measures.calc_aggregate([AP], rows, {"1": {"d1": 1.0}}) == {AP: 0.0}

    def test_a_measure_of_another_package_sees_the_intents(self, qrels, run):
        seen = []
        measure = ir_measures.define(lambda qrels, run: seen.append(set(qrels["iteration"])) or [], name="AP")
        ir_measures.calc_aggregate([measure, P @ 1], qrels, run)
        assert seen == [{"1", "2", "3"}]

    def test_categories_as_ids(self, qrels, run):
        categorical = qrels.astype(dict.fromkeys(["query_id", "doc_id", "iteration"], "category"))
        assert ir_measures.calc_aggregate([AP], categorical, run) == ir_measures.calc_aggregate([AP], qrels, run)


@pytest.mark.parametrize("name", ["ERR_IA", "Q", "ERR", "nDCG"])
def test_a_defined_measure_is_not_taken_for_one_of_its_name(name, qrels, run):
    """``ir_measures.define`` gives a measure any name; its values are those of the function that was given."""
    measure = ir_measures.define(lambda qrels, run: [("1", 0.125), ("2", 0.375)], name=name) @ 5
    assert irdiv.parse(measure) is measure
    with irdiv.ndeval_provider("irdiv"):
        assert ir_measures.calc_aggregate([measure], qrels, run) == {measure: 0.25}
    assert irdiv.evaluate(qrels, run, measure).values.tolist() == [[[0.125, 0.375]]]


class TestPickles:
    MEASURES = ("D#-nDCG(gamma=0.3)@10", "ERR@5", "nDCG(gain='exp')@5", "alpha_nDCG(alpha=0.2)@5", "ERR_IA@5", "AP")

    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_measures_in_a_process_that_has_not_imported_irdiv(self, protocol):
        measures = [irdiv.parse(spec) for spec in self.MEASURES]
        pickled = pickle.dumps(measures, protocol)
        assert pickle.loads(pickled) == measures
        code = (
            "import pickle, sys, values_of_ir_measures; assert 'irdiv' not in sys.modules;"
            f"measures = pickle.loads({pickled!r});"
            f"assert pickle.dumps(measures, {protocol}) == {pickled!r};"
            "print([str(measure) for measure in measures], values_of_ir_measures.diversity_means(measures[:1]))"
        )
        means = diversity_means(measures[:1])
        assert run_python("-W", "ignore", "-c", code) == f"{[str(m) for m in measures]} {means}\n"

    def test_measures_of_ir_measures_are_pickled_as_without_irdiv(self):
        code = (
            "import pickle, ir_measures; r = ir_measures.measures.registry;"
            "print([[pickle.dumps(r[name], p).hex() for p in range(6)] for name in sorted(r)])"
        )
        assert run_python("-c", code) == run_python("-c", f"import irdiv, {code.removeprefix('import ')}")

    def test_parsers(self):
        for parser in (ir_measures.parse_measure, ir_measures.parse_trec_measure):
            assert pickle.loads(pickle.dumps(parser)) is parser


PROCESSES = """
import sys, warnings
warnings.simplefilter("ignore")
import ir_measures, irdiv
from multiprocessing import get_context
from values_of_ir_measures import diversity_means
if __name__ == "__main__":
    measures = [ir_measures.ERR_IA @ 2, irdiv.parse("D#-nDCG@2"), ir_measures.AP]
    results = []
    for provider in ("pyndeval", "irdiv"):
        irdiv.set_ndeval_provider(provider)
        with get_context(sys.argv[1]).Pool(1) as pool:
            results.append(pool.map(diversity_means, [measures]))
    print(results)
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method, tmp_path):
    """A forked process has the provider of its parent, a spawned one that of a new process."""
    if method == "fork" and not hasattr(os, "fork"):
        pytest.skip("no fork on this system")
    script = tmp_path / "processes.py"
    script.write_text(PROCESSES)
    measures = [ERR_IA @ 2, irdiv.parse("D#-nDCG@2"), AP]
    by_pyndeval = diversity_means(measures)
    with irdiv.ndeval_provider("irdiv"):
        by_irdiv = diversity_means(measures)
    assert by_pyndeval != by_irdiv
    expected = [[by_pyndeval], [by_irdiv if method == "fork" else by_pyndeval]]
    found = eval(run_python(str(script), method))
    assert found == expected


@pytest.mark.skipif(importlib.util.find_spec("joblib") is None, reason="joblib is not installed")
def test_joblib():
    code = (
        "import warnings; warnings.simplefilter('ignore');"
        "import joblib, ir_measures, irdiv; from values_of_ir_measures import diversity_means;"
        "measures = [ir_measures.ERR_IA @ 2, irdiv.parse('D#-nDCG@2'), ir_measures.AP];"
        "print(joblib.Parallel(n_jobs=2)(joblib.delayed(diversity_means)([measure]) for measure in measures))"
    )
    expected = [diversity_means([measure]) for measure in (ERR_IA @ 2, irdiv.parse("D#-nDCG@2"), AP)]
    assert eval(run_python("-c", code)) == expected


@pytest.fixture
def by_provider() -> dict[str, dict[str, float]]:
    found = {}
    for provider in ("pyndeval", "irdiv"):
        with irdiv.ndeval_provider(provider):
            found[provider] = {name: diversity_means([m])[name] for m in NDEVAL for name in [str(m)]}
    assert all(found["irdiv"][str(measure)] != found["pyndeval"][str(measure)] for measure in NDEVAL)
    return found


class TestChoiceOfProvider:
    def test_it_holds_for_a_scope(self, by_provider):
        with irdiv.ndeval_provider("irdiv"):
            assert diversity_means(NDEVAL) == by_provider["irdiv"]
            with irdiv.ndeval_provider("pyndeval"):
                assert diversity_means(NDEVAL) == by_provider["pyndeval"]
            assert diversity_means(NDEVAL) == by_provider["irdiv"]
        assert diversity_means(NDEVAL) == by_provider["pyndeval"]

    def test_a_scope_ends_with_an_error(self, by_provider):
        with pytest.raises(KeyError), irdiv.ndeval_provider("irdiv"):
            raise KeyError
        assert diversity_means(NDEVAL) == by_provider["pyndeval"]

    def test_a_scope_is_a_decorator_too(self, by_provider):
        assert irdiv.ndeval_provider("irdiv")(diversity_means)(NDEVAL) == by_provider["irdiv"]

    def test_a_scope_comes_before_the_choice_of_the_process(self, by_provider):
        with irdiv.ndeval_provider("pyndeval"):
            irdiv.set_ndeval_provider("irdiv")
            assert diversity_means(NDEVAL) == by_provider["pyndeval"]
        assert diversity_means(NDEVAL) == by_provider["irdiv"]

    def test_an_unknown_provider_is_an_error(self):
        message = "provider='ndeval' is not one of 'irdiv', 'pyndeval'"
        with pytest.raises(irdiv.IrdivError, match=message):
            irdiv.set_ndeval_provider("ndeval")
        with pytest.raises(irdiv.IrdivError, match=message), irdiv.ndeval_provider("ndeval"):
            pass

    def test_a_scope_does_not_reach_other_threads(self, by_provider):
        with ThreadPoolExecutor(1) as pool, irdiv.ndeval_provider("irdiv"):
            assert pool.submit(diversity_means, NDEVAL).result() == by_provider["pyndeval"]
            within = contextvars.copy_context()
            assert pool.submit(within.run, diversity_means, NDEVAL).result() == by_provider["irdiv"]

    def test_an_evaluation_that_has_begun_keeps_its_provider(self, qrels, run):
        with irdiv.ndeval_provider("irdiv"):
            expected = ir_measures.calc_aggregate([ERR_IA @ 30], qrels, run)
            evaluator = ir_measures.evaluator([ERR_IA @ 30], qrels)
            metrics = ir_measures.iter_calc([ERR_IA @ 30], qrels, run)
        assert evaluator.calc_aggregate(run) == expected
        values = [metric.value for metric in metrics]
        assert sum(values) / 2 == pytest.approx(expected[ERR_IA @ 30])

    def test_the_measures_of_a_call_have_one_provider(self, by_provider, monkeypatch):
        """Even if the choice changes between the questions which provider supports which measure."""
        choices = itertools.cycle(["irdiv", "pyndeval"])

        class Switch(ir_measures.Provider):
            NAME = "switch"

            def supports(self, measure):
                irdiv.set_ndeval_provider(next(choices))
                return False

        pipeline = ir_measures.DefaultPipeline
        monkeypatch.setattr(pipeline, "providers", [Switch(), *pipeline.providers])
        for provider in ("irdiv", "pyndeval"):
            irdiv.set_ndeval_provider(provider)
            assert diversity_means(NDEVAL) == by_provider[provider]

    def test_a_choice_leaves_the_list_of_providers_alone(self):
        before = list(ir_measures.DefaultPipeline.providers)
        irdiv.set_ndeval_provider("irdiv")
        assert ir_measures.DefaultPipeline.providers == before

    def test_threads_that_evaluate_while_another_switches(self, by_provider):
        measures = [*NDEVAL, AP, nDCG @ 2, irdiv.parse("D#-nDCG@2")]
        others = {str(m): v for m in measures[3:] for v in diversity_means([m]).values()}
        done = threading.Event()

        def switch() -> None:
            while not done.is_set():
                irdiv.set_ndeval_provider("irdiv")
                irdiv.set_ndeval_provider("pyndeval")

        def evaluate(provider: str | None) -> list[dict[str, float]]:
            if provider is None:
                return [diversity_means(measures) for _ in range(30)]
            with irdiv.ndeval_provider(provider):
                return [diversity_means(measures) for _ in range(30)]

        thread = threading.Thread(target=switch)
        thread.start()
        try:
            with ThreadPoolExecutor(3) as pool:
                anyones, pyndevals, irdivs = pool.map(evaluate, [None, "pyndeval", "irdiv"])
        finally:
            done.set()
            thread.join()
        expected = {name: {**values, **others} for name, values in by_provider.items()}
        assert all(values in expected.values() for values in anyones)
        assert all(values == expected["pyndeval"] for values in pyndevals)
        assert all(values == expected["irdiv"] for values in irdivs)


def test_installing_twice_changes_nothing():
    def state():
        names = ("parse_measure", "parse_trec_measure")
        parsers = [getattr(module, name) for module in (ir_measures, ir_measures.util) for name in names]
        return [*parsers, type(ir_measures.DefaultPipeline), *ir_measures.DefaultPipeline.providers]

    before = state()
    install()
    assert state() == before


RELOADS = """
import importlib, warnings
warnings.simplefilter("ignore")
import ir_measures, irdiv
from values_of_ir_measures import diversity_means
specs = ["D#-nDCG@2", "AP", "ERR_IA@2"]
expected = diversity_means([ir_measures.parse_measure(spec) for spec in specs])
{statement}
assert diversity_means([ir_measures.parse_measure(spec) for spec in specs]) == expected
assert ir_measures.parse_trec_measure("D#-nDCG@2") == [irdiv.parse("D#-nDCG@2")]
assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count("irdiv") == 1
irdiv.set_ndeval_provider("irdiv")
assert diversity_means([ir_measures.ERR_IA @ 2])["ERR_IA@2"] != expected["ERR_IA@2"]
"""


@pytest.mark.parametrize(
    "statement",
    [
        "importlib.reload(ir_measures); importlib.reload(irdiv)",
        "importlib.reload(ir_measures); irdiv.set_ndeval_provider('pyndeval')",
        "importlib.reload(ir_measures.util); importlib.reload(irdiv)",
        "importlib.reload(irdiv.plugins.ir_measures_parsers); importlib.reload(irdiv.plugins.ir_measures); "
        "importlib.reload(irdiv)",
    ],
)
def test_irdiv_works_after_reloads(statement):
    run_python("-c", RELOADS.format(statement=statement))


PLUGIN = """
import ir_measures
from ir_measures import measures, providers

class Reciprocal(measures.Measure):
    NAME = __name__ = "Q"  # which is a name of irdiv's too
    SUPPORTED_PARAMS = {"cutoff": measures.ParamInfo(dtype=int)}

measures.register(Reciprocal())

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

calls = []
pipeline = ir_measures.DefaultPipeline
pipeline.providers.insert(0, Plugged())

theirs, theirs_trec = ir_measures.parse_measure, ir_measures.util.parse_trec_measure

def parse_measure(spec):
    calls.append("parse")
    return Reciprocal() if spec == "1/r" else theirs(spec)

def parse_trec_measure(spec):
    calls.append("parse_trec")
    return [Reciprocal()] if spec == "1/r" else theirs_trec(spec)

ir_measures.parse_measure = parse_measure
ir_measures.parse_trec_measure = ir_measures.util.parse_trec_measure = parse_trec_measure
"""
PATCHES = {
    "instance": """
original = pipeline._evaluator
def _evaluator(wanted, qrels):
    calls.append("evaluator")
    return original(wanted, qrels)
pipeline._evaluator = _evaluator
""",
    "class of the instance": """
class Counting(type(pipeline)):
    def _evaluator(self, wanted, qrels):
        calls.append("evaluator")
        return super()._evaluator(wanted, qrels)
pipeline.__class__ = Counting
""",
    "class": """
original = providers.FallbackProvider._evaluator
def _evaluator(self, wanted, qrels):
    calls.append("evaluator")
    return original(self, wanted, qrels)
providers.FallbackProvider._evaluator = _evaluator
""",
    "pipeline": """
class Counting(providers.FallbackProvider):
    def _evaluator(self, wanted, qrels):
        calls.append("evaluator")
        return super()._evaluator(wanted, qrels)
ir_measures.DefaultPipeline = Counting(pipeline.providers)
for name in ("evaluator", "iter_calc", "calc_aggregate", "calc"):
    setattr(ir_measures, name, getattr(ir_measures.DefaultPipeline, name))
""",
}
CHECKS = """
import importlib, warnings
warnings.simplefilter("ignore")
from values_of_ir_measures import diversity_means

def check(expected):
    assert ir_measures.parse_measure("1/r") == ir_measures.parse_trec_measure("1/r")[0] == Reciprocal()
    assert str(ir_measures.parse_measure("D#-nDCG@2")) == "D#-nDCG@2"
    assert ir_measures.parse_trec_measure("D#-nDCG@2") == [irdiv.parse("D#-nDCG@2")]
    assert ir_measures.parse_measure("nDCG@5") == ir_measures.nDCG @ 5
    assert ir_measures.parse_trec_measure("map") == [ir_measures.AP]
    assert {"parse", "parse_trec"} <= set(calls)
    calls.clear()
    assert isinstance(ir_measures.parse_measure("Q@5"), Reciprocal)
    assert diversity_means([Reciprocal()]) == {"Q": 0.75}
    found = diversity_means([irdiv.parse("D#-nDCG@2"), ir_measures.AP, ir_measures.P @ 1])
    assert found == expected, found
    assert "evaluator" in calls
    with irdiv.ndeval_provider("irdiv"):
        assert diversity_means([ir_measures.ERR_IA @ 2])["ERR_IA@2"] == err_ia

check(expected)
importlib.reload(irdiv)
check(after_reload)
"""


@pytest.mark.parametrize("patch", PATCHES)
@pytest.mark.parametrize("order", ["before", "after"])
def test_another_plugin_that_patches_the_same_functions(patch, order):
    """Both work, whichever comes first, and none undoes what the other did."""
    expected = after_reload = diversity_means([irdiv.parse("D#-nDCG@2"), AP, P @ 1])
    if (patch, order) == ("pipeline", "after"):
        # A pipeline that replaces the one that irdiv extended has the values of ad hoc measures without irdiv.
        expected = expected | json.loads(run_python("-c", WITHOUT_IRDIV))
    with irdiv.ndeval_provider("irdiv"):
        err_ia = diversity_means([ERR_IA @ 2])["ERR_IA@2"]
    plugin = PLUGIN + PATCHES[patch]
    imports = [plugin, "import irdiv"] if order == "before" else ["import irdiv", plugin]
    given = f"expected, after_reload, err_ia = {expected!r}, {after_reload!r}, {err_ia!r}"
    run_python("-c", "\n".join([*imports, given, CHECKS]))


WITHOUT_IRDIV = (
    "import json, ir_measures, values_of_ir_measures;"
    "print(json.dumps(values_of_ir_measures.diversity_means([ir_measures.AP, ir_measures.P @ 1])))"
)
