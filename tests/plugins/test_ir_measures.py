"""irdiv inside ir_measures."""

from __future__ import annotations

import shutil
import subprocess
import sys

import ir_measures
import pytest
from ir_measures import AP, AP_IA, ERR_IA, NRBP, P_IA, P, SetF, StRecall, alpha_DCG, alpha_nDCG, nDCG, nERR_IA, nNRBP

import irdiv

NINE = [ERR_IA @ 5, nERR_IA @ 5, alpha_DCG @ 5, alpha_nDCG @ 5, NRBP, nNRBP, AP_IA, P_IA @ 5, StRecall @ 5]
OURS = [ir_measures.parse_measure(s) for s in ("D#-nDCG@3", "ERR-IA@3", "Q@3", "I-rec")]


def test_parsers_know_our_specs_and_theirs():
    assert str(ir_measures.parse_measure("D#-nDCG(gamma=0.3)@10")) == "D#-nDCG(gamma=0.3)@10"
    assert ir_measures.util.parse_measure("alpha-nDCG@10") == irdiv.parse("α-nDCG@10")
    assert ir_measures.parse_trec_measure("D#-Q@10") == [irdiv.parse("D#-Q@10")]
    assert type(ir_measures.parse_measure("ERR_IA@10")) is type(ERR_IA)
    assert ir_measures.parse_measure("nDCG@10") == nDCG @ 10
    assert ir_measures.parse_trec_measure("map") == [AP]
    assert ir_measures.parse_trec_measure("ndcg_cut_10") == [nDCG @ 10]


def test_parsers_fail_as_before_on_what_is_nobodys():
    with pytest.raises(NameError, match="measure not found: nDGC"):
        ir_measures.parse_measure("nDGC@10")
    with pytest.raises(ValueError, match="known trec name G, but not yet supported"):
        ir_measures.parse_trec_measure("G")
    with pytest.raises(irdiv.IrdivError, match="did you mean 'D#-nDCG'"):
        ir_measures.parse_measure("D#-nDGC@10")


def test_every_call_of_ir_measures(qrels, run):
    expected = irdiv.evaluate(qrels, run, OURS)
    means = expected.summary().loc["run"]
    aggregate = ir_measures.calc_aggregate(OURS, qrels, run)
    assert {str(m): v for m, v in aggregate.items()} == means.to_dict()
    table = expected.pivot().loc["run"]
    for metric in ir_measures.iter_calc(OURS, qrels, run):
        assert metric.value == table.loc[metric.query_id, str(metric.measure)]
    evaluator = ir_measures.evaluator(OURS, qrels)
    assert evaluator.calc_aggregate(run) == aggregate
    assert evaluator.calc_aggregate(run.iloc[:4])[OURS[0]] < aggregate[OURS[0]]
    assert ir_measures.calc(OURS, qrels, run).aggregated == aggregate
    assert OURS[0].calc_aggregate(qrels, run) == aggregate[OURS[0]]
    assert {m.query_id: m.value for m in OURS[0].iter_calc(qrels, run)} == table[str(OURS[0])].to_dict()


def test_mixed_with_measures_of_ir_measures(qrels, run):
    mixed = ir_measures.calc_aggregate([*OURS, nDCG @ 3, ERR_IA @ 5, AP], qrels, run)
    for alone in (OURS, [nDCG @ 3, AP], [ERR_IA @ 5]):
        for measure, value in ir_measures.calc_aggregate(alone, qrels, run).items():
            assert mixed[measure] == value


def test_what_worked_before_keeps_its_provider():
    pipeline = ir_measures.DefaultPipeline.providers
    assert [p.NAME for p in pipeline].count("irdiv") == 1
    for measure in (*NINE, nDCG @ 10, AP):
        first = next(p for p in pipeline if p.supports(measure))
        assert not first.NAME.startswith("irdiv")


@pytest.mark.parametrize("kind", ["frame", "floats", "namedtuples", "dict"])
def test_query_ids_that_are_numbers_come_back_as_they_went_in(qrels, run, kind):
    number = float if kind == "floats" else int
    numbers = qrels.astype({"query_id": number}), run.astype({"query_id": number})
    measures = [*OURS, ERR_IA @ 5]
    if kind == "namedtuples":
        numbers = [ir_measures.Qrel(*row) for row in numbers[0].itertuples(index=False)], numbers[1]
    if kind == "dict":
        measures = [OURS[OURS.index(irdiv.parse("Q@3"))]]
        qrels = {"1": {"d1": 2, "d2": 1}, "2": {"e2": 2}}
        numbers = {int(query): docs for query, docs in qrels.items()}, numbers[1]
    metrics = list(ir_measures.iter_calc(measures, *numbers))
    assert {type(metric.query_id) for metric in metrics} == {number}
    assert len(metrics) == 2 * len(measures)
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert ir_measures.calc_aggregate(measures, *numbers) == pytest.approx(expected)


def test_an_empty_run_scores_0_as_ir_measures_has_it(qrels, run):
    assert set(ir_measures.calc_aggregate(OURS, qrels, run.iloc[:0]).values()) == {0.0}


def test_empty_qrels_yield_nothing(qrels, run):
    assert list(ir_measures.iter_calc(OURS, qrels.iloc[:0], run)) == []


def test_an_alpha_of_err_ia_is_ours_alone(qrels, run):
    measure = ir_measures.parse_measure("ERR_IA(alpha=0.2)@5")
    assert (
        ir_measures.calc_aggregate([measure], qrels, run)[measure]
        == irdiv.evaluate(qrels, run, measure).summary().iloc[0, 0]
    )


def test_the_irdiv_provider_equals_pyndeval_where_pyndeval_has_no_fault(real_data):
    qrels = irdiv.read_qrels(real_data / "trec-web" / "2012" / "qrels-for-ndeval.txt")
    run = irdiv.read_run(real_data / "trec-web" / "runs-2012" / "ql-catb.txt.gz")
    # Without ties of scores, whose order the two settle differently.
    run["score"] = -run["rank"].astype(float)
    theirs = ir_measures.calc_aggregate(NINE, qrels, run)
    irdiv.set_ndeval_provider("irdiv")
    ours = ir_measures.calc_aggregate(NINE, qrels, run)
    irdiv.set_ndeval_provider("pyndeval")
    assert {m: pytest.approx(v, abs=1e-12) for m, v in theirs.items()} == ours
    assert ir_measures.calc_aggregate(NINE, qrels, run) == theirs


@pytest.fixture
def taken_over():
    irdiv.set_ndeval_provider("irdiv")
    irdiv.set_ndeval_provider("irdiv")
    yield
    irdiv.set_ndeval_provider("pyndeval")
    irdiv.set_ndeval_provider("pyndeval")


@pytest.mark.usefixtures("taken_over")
class TestFaultsOfTodaysPathAreGone:
    def test_two_alphas_in_one_call(self, qrels, run):
        one, two = alpha_nDCG(alpha=0.2) @ 5, alpha_nDCG(alpha=0.8) @ 5
        both = ir_measures.calc_aggregate([one, two], qrels, run)
        assert both[one] == ir_measures.calc_aggregate([one], qrels, run)[one] > 0
        assert both[two] == ir_measures.calc_aggregate([two], qrels, run)[two] > 0

    def test_judged_only(self, qrels, run):
        judged = run[~run["doc_id"].str.startswith("u")]
        measure = ERR_IA(judged_only=True) @ 3
        condensed = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        assert condensed == ir_measures.calc_aggregate([ERR_IA @ 3], qrels, judged)[ERR_IA @ 3]

    def test_cutoffs_past_20(self, qrels, run):
        # every list is shorter than 20, so that nothing is added past it
        at_20, at_100 = (ir_measures.calc_aggregate([nERR_IA @ k], qrels, run)[nERR_IA @ k] for k in (20, 100))
        assert at_100 == at_20 > 0

    def test_a_run_not_grouped_by_query(self, qrels, run):
        mixed = run.sample(frac=1, random_state=3)
        assert ir_measures.calc_aggregate(NINE, qrels, mixed) == ir_measures.calc_aggregate(NINE, qrels, run)

    def test_intents_by_the_name_of_ir_datasets(self, qrels, run):
        renamed = qrels.rename(columns={"iteration": "subtopic_id"})
        assert ir_measures.calc_aggregate(NINE, renamed, run) == ir_measures.calc_aggregate(NINE, qrels, run)

    def test_no_intents_is_an_error(self, qrels, run):
        with pytest.raises(irdiv.IrdivError, match="needs intents"):
            ir_measures.calc_aggregate(NINE, qrels[qrels["iteration"] == "1"].drop(columns="iteration"), run)

    def test_namedtuples_in_one_call_with_other_measures(self, qrels, run):
        rows = [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)]
        docs = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
        measures = [ERR_IA @ 3, nDCG @ 3, OURS[0]]
        values = ir_measures.calc_aggregate(measures, iter(rows), iter(docs))
        frame = ir_measures.calc_aggregate(measures, qrels, run)
        assert values == pytest.approx(frame)


def test_values_of_ir_measures_do_not_move(qrels, run):
    theirs = {m.query_id: m.value for m in ir_measures.pyndeval.iter_calc([ERR_IA @ 5], qrels, run)}
    through = {m.query_id: m.value for m in ir_measures.iter_calc([ERR_IA @ 5], qrels, run)}
    assert through == theirs


@pytest.mark.parametrize("spec", ["ERR_IA(rel=0)@5", "alpha_nDCG(alpha=2)@5"])
def test_what_parsed_before_still_parses(spec):
    assert type(ir_measures.parse_measure(spec)) is type(ir_measures.measures.registry[spec.split("(")[0]])


@pytest.mark.parametrize(
    ("spec", "measure"),
    [
        ("P(rel=2, judged_only=True)@5", P(rel=2, judged_only=True) @ 5),
        ("SetF(beta=0.5)", SetF(beta=0.5)),
        ("nDCG(dcg='exp-log2', gains={0: 1, 1: 2})@3", nDCG(dcg="exp-log2", gains={0: 1, 1: 2}) @ 3),
    ],
)
def test_ir_measures_reads_every_kind_of_value_on_every_python(spec, measure):
    assert ir_measures.parse_measure(spec) == measure
    assert irdiv.parse(spec) == measure


@pytest.mark.parametrize("spec", ["nDCG@-5", "P(rel=-1)@5", "P(rel=[1])@5", "P(rel=b'1')@5", "nDCG(gains={**x})@5"])
def test_a_mistake_in_a_name_that_exists_fails_as_before(spec):
    with pytest.raises(ValueError, match="values must be"):
        ir_measures.parse_measure(spec)


def test_a_parser_imported_before_irdiv_is_ir_measures_own():
    code = (
        "from ir_measures import parse_measure; before = parse_measure; import irdiv, ir_measures;"
        "print(before('nDCG@10'), ir_measures.parse_measure('D#-nDCG@10'), ir_measures.parse_trec_measure('D#-Q@5'));"
        "before('D#-nDCG@10')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "nDCG@10 D#-nDCG@10 [D#-Q@5]\n"
    assert done.returncode == 1


def test_a_trec_name_that_is_nearly_ours():
    with pytest.raises(irdiv.IrdivError, match="did you mean 'D#-nDCG'"):
        ir_measures.parse_trec_measure("D#-nDGC@10")


@pytest.mark.parametrize("name", ["NRBP", "nNRBP"])
def test_weighted_measures_of_ndevals_names_are_irdivs_alone(name):
    measure = ir_measures.parse_measure(f"{name}(weighted=True)")
    assert str(measure) == f"{name}(weighted=True)"
    assert f"irdiv:{name}" == measure.NAME
    assert ir_measures.parse_measure(name) is not measure
    assert name == ir_measures.parse_measure(f"{name}(alpha=0.3)").NAME


@pytest.mark.parametrize("spec", ["ERR@5", "RBP@5", "RBP(p=0.9,rel=1)@5"])
@pytest.mark.parametrize("parse", [ir_measures.parse_measure, lambda spec: ir_measures.parse_trec_measure(spec)[0]])
def test_err_and_rbp_inside_ir_measures_are_its_own(spec, parse):
    measure = parse(spec)
    assert not isinstance(measure, irdiv.Measure)
    supporting = [p.NAME for p in ir_measures.DefaultPipeline.providers if p.supports(measure)]
    assert not any(name.startswith("irdiv") for name in supporting)


def test_irdivs_err_is_irdivs_inside_ir_measures_too(qrels, run):
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    measures = [irdiv.parse(spec) for spec in ("ERR@5", "RBP@5", "nDCG(gain='exp')@5")]
    expected = irdiv.evaluate(qrels, run, measures).summary().iloc[0].tolist()
    for judged in (qrels, highest):
        found = ir_measures.calc_aggregate(measures, judged, run)
        assert [found[measure] for measure in measures] == pytest.approx(expected, abs=1e-12)
    assert ir_measures.parse_measure("ERR(max_grade=4)@5") == irdiv.parse("ERR(max_grade=4)@5")
    assert isinstance(ir_measures.parse_measure("nDCG(gain='exp')@5"), irdiv.Measure)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl")
def test_err_and_ndcg_are_gdevals_to_five_digits(qrels, run):
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    theirs = [ir_measures.ERR @ 5, nDCG(dcg="exp-log2") @ 5]
    expected = {(str(m.measure), m.query_id): m.value for m in ir_measures.gdeval.iter_calc(theirs, highest, run)}
    ours = irdiv.evaluate(qrels, run, ["ERR(max_grade=4)@5", "nDCG(gain='exp')@5"])
    for row, measure in zip(ours.values[0], theirs, strict=True):
        for query, found in zip(ours.query_ids, row, strict=True):
            assert found == pytest.approx(expected.get((str(measure), query), 0.0), abs=5.1e-6)
    assert ours.values.min(axis=2).max() > 0


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl")
def test_a_program_of_ir_measures_that_fails_is_an_error_of_irdiv(capfd):
    qrels, run = {"a": {"d1": 1}}, {"a": {"d1": 1.0}}
    with pytest.raises(irdiv.IrdivError, match="cannot compute one of .*exp-log2.*: perl failed with exit status"):
        irdiv.evaluate(qrels, run, "nDCG(dcg='exp-log2')@10")
    assert irdiv.evaluate(qrels, run, "nDCG(gain='exp')@10").values.item() == 1


def test_measures_of_one_name_and_two_values_are_two_keys(qrels, run):
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    ours, theirs = irdiv.parse("RR(rel=1)@5"), ir_measures.RR @ 5
    assert ours == theirs
    ours, theirs = irdiv.parse("Judged@5"), ir_measures.Judged @ 5
    assert ours != theirs
    assert len({ours, theirs}) == 2
    assert len(ir_measures.calc_aggregate([ours, theirs], highest, run)) == 2
    assert irdiv.parse("ERR_IA@5") == ir_measures.ERR_IA @ 5
