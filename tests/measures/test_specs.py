"""Specs as measures: their spellings, whose measures they name, and the same measures as Python objects."""

from __future__ import annotations

import copy
import pickle

import ir_measures
import pytest
from ir_measures import AP, ERR, ERR_IA, RBP, Bpref, P, R, Success, nDCG

import irdiv
from irdiv import parse
from irdiv.measures import IA, LA, D, DSharp, Measure
from irdiv.measures.measure import full_spec

# the one spelling in which a spec is printed, and others
SPELLINGS = {
    "D#-nDCG@10": ["D♯-nDCG@10", "Dsharp-nDCG@10", "D_sharp_nDCG@10", "D#_nDCG @ 10"],
    "D#-nDCG": ["D#-nDCG( gamma = 0.5 )"],
    "D#-nDCG(gamma=0.3)@10": ["  D#-nDCG  ( gamma=0.3 )   @  10 "],
    "D#-nDCG(gamma=1.0,rel=2)@5": ["D#-nDCG(rel=2, gamma=1)@5"],
    "alpha-nDCG(alpha=0.2)@20": ["α-nDCG(alpha=0.2)@20"],
    "alpha-nDCG-LA@5": ["α-nDCG-LA@5"],
    "alpha_nDCG@20": ["α_nDCG@20"],
    "alpha_DCG-LA@5": ["α_DCG-LA@5"],
    "I-rec@10": ["I_rec@10"],
    "I-rec": ["I-rec" + " " * 995],
    "nDCG-IA(discount='jk',b=10.0)": ["nDCG_IA(discount=jk, b=10)"],
    "nDCG-IA(gain={1:1.0,2:3.0})@5": ["nDCG-IA(gain={2: 3, 1: 1})@5"],
    "ERR-IA": ["ERR-IA(max_grade=None)"],
    "ERR-IA(stop='linear',gain='linear')@10": ["ERR-IA(gain='linear',stop='linear')@10"],
    "GAP(thresholds=(1.0,3.0))@5": ["GAP(thresholds=[1, 3])@5"],
    "nGAP-IA(thresholds='uniform')": ["nGAP-IA(thresholds=uniform)"],
    "S-recall@min": ["S_recall @ min"],
    "AP_IA": ["MAP_IA"],
    "AP_IA-LA": ["MAP_IA-LA"],
    "ERR_IA-LA@20": ["ERR_IA_LA@20"],
    "ERR-IA-LA@20": ["ERR-IA_LA@20"],
    "nDCG(gain='exp')": ["NDCG(gain=exp)"],
    "nDCG@10": ["nDCG(gain='linear')@10"],
}
PRINTED = [
    "I-rec(rel=9223372036854775807)", "P+-IA@3", "S-recall(rel=2)@min", "S-recall-LA(rel=2)@min", "ERR_IA@20",
    "ERR_IA(alpha=0.2)@20", "nERR_IA-LA(alpha=0.2)@20", "P_IA-LA@5", "alpha_nDCG-LA@5", "StRecall-LA@5",
    "nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10", "ERR@10", "ERR(max_grade=4)", "RBP(p=0.95)@100",
]  # fmt: skip


@pytest.mark.parametrize("printed", [*SPELLINGS, *PRINTED])
def test_a_spec_prints_in_its_one_spelling(printed):
    measures = {parse(spec) for spec in [printed, *SPELLINGS.get(printed, ())]}
    assert [str(measure) for measure in measures] == [printed]


def test_equal_measures_are_one_key():
    assert len(set(map(parse, ["D#-nDCG(gamma=0.5,rel=1)@9", "D#-nDCG(rel=1,gamma=0.5)@9", "D#-nDCG@9"]))) == 1
    assert len({parse("ERR_IA@5"), ERR_IA @ 5}) == 1
    assert len({parse("ERR_IA@5"), parse("ERR-IA@5")}) == 2
    ours, theirs = parse("ERR@5"), ERR @ 5
    assert repr(ours) == repr(theirs)
    assert ours != theirs
    assert hash(ours) != hash(theirs)
    assert ours == copy.copy(ours)
    assert ours not in (parse("ERR@6"), "ERR@5")


COMPOSED = {
    "D#-nDCG@10": DSharp(nDCG) @ 10, "ERR-IA@20": IA(ERR) @ 20, "D-Q(beta=2)@5": D(irdiv.measures.Q)(beta=2) @ 5,
    "D-P+": D("P+"), "D#-AP": DSharp(AP), "RBP-IA(p=0.95)@20": IA(RBP(p=0.95) @ 20),
    "Recall-IA@3": IA(irdiv.measures.Recall) @ 3, "Recall-IA@5": IA(R @ 5), "Hit-IA@3": IA(Success @ 3),
    "ERR-IA(max_grade=4)@20": IA(parse("ERR(max_grade=4)@20")),
    "D#-nDCG(gain='linear')@5": DSharp(parse("nDCG(gain='linear')@5")),
    "S-recall-LA(rel=2)@min": LA(parse("S-recall(rel=2)@min")),
    "ERR_IA-LA@20": LA(ERR_IA @ 20), "ERR_IA-LA(alpha=0.2)@20": LA(parse("ERR_IA(alpha=0.2)@20")),
    # measures of ir_measures that are irdiv's
    "ERR@10": parse(ERR @ 10), "RBP(p=0.9)": parse(RBP(p=0.9)), "nDCG(gain='exp')@10": parse(nDCG(gain="exp") @ 10),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "composed"), COMPOSED.items())
def test_objects_compose_as_specs_do(spec, composed):
    assert composed == parse(spec)
    assert isinstance(composed, Measure)


def test_parameters_that_change_nothing_are_not_part_of_the_name():
    assert parse("ERR-IA@10")(gain="linear") == parse("ERR-IA@10")
    assert str(parse("nDCG-IA")(b=10)) == "nDCG-IA"
    assert str(parse("RBP-IA(p=0.9)")(gain="linear")) == "RBP-IA(p=0.9)"


def test_components_carry_what_they_take():
    components = parse("D#-Q(gamma=0.2,beta=3,rel=2)@7").components()
    assert list(map(str, components)) == ["I-rec(rel=2)@7", "D-Q(beta=3.0,rel=2)@7"]


@pytest.mark.parametrize(
    "spec", ["D#-nDCG(gain={1: 1, 2: 5}, gamma=0.3)@10", "ERR@10", "RBP", "RBP(p=0.9)@5", "nDCG(gain='exp')@10"]
)
def test_measures_of_irdiv_survive_pickling_and_parsing(spec):
    measure = parse(spec)
    for again in (pickle.loads(pickle.dumps(measure)), parse(measure)):
        assert again == measure
        assert again.declaration is measure.declaration
        assert again.parameter_values() == measure.parameter_values()


# whether ir_measures' parser, and whether irdiv's makes a measure of irdiv of a spec
OWNERS = {
    (True, True): [
        "ERR-IA@5", "D#-nDCG@5", "ERR(max_grade=4)@5", "nDCG(gain='exp',judged_only=True)@5",
        "AP(rel=2,norm='cutoff')@5", "ERR_IA(alpha=0.3)@5", "NRBP(alpha=0.3,weighted=True)",
    ],
    (False, True): ["ERR_IA@5", "MAP_IA", "alpha_DCG(alpha=0.3)@5", "ERR@5"],
    (False, False): [
        "nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@5", "nDCG(judged_only=True)@5", "P(rel=2)@5", "AP", "RR", "Rprec",
        "Success@5",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("owner", "spec"), [(owner, spec) for owner, specs in OWNERS.items() for spec in specs])
def test_whose_measure_a_spec_names(owner, spec):
    assert (isinstance(ir_measures.parse_measure(spec), Measure), isinstance(parse(spec), Measure)) == owner


def test_what_ir_measures_does_not_compute_has_another_name_for_its_providers():
    names = {
        "ERR@5": "irdiv:ERR", "ERR_IA(alpha=0.3)": "irdiv:ERR_IA", "alpha_DCG(alpha=0.3)": "alpha_DCG",
        "AP_IA(rel=2,judged_only=True)": "AP_IA", "NRBP(weighted=True)": "irdiv:NRBP", "NRBP(weighted=False)": "NRBP",
        "D-Q": "D-Q",
    }  # fmt: skip
    assert {spec: parse(spec).NAME for spec in names} == names


def test_a_parameter_that_a_measure_of_ir_measures_lacks():
    """It makes the measure irdiv's, unless no measure of irdiv has the same values."""

    def specs(measure, **parameters):
        return irdiv.evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, [measure, "Q@5"], **parameters).specs()

    assert specs(nDCG @ 5, gain="exp")[0] == "nDCG(gain='exp')@5"
    assert specs(nDCG @ 5)[0] == "nDCG@5"
    for measure in (nDCG(gains={1: 5}) @ 5, Bpref, P @ 5):
        assert specs(measure, gain="exp")[0] == str(measure)


def test_specs_with_all_parameters():
    specs = {
        **{spec: spec for spec in ("Judged@5", "Judged", "NumRet")},
        "F@5": "F(b=1.0,rel=1,judged_only=False)@5",
        "S-recall@min": "S-recall(rel=1,judged_only=False)@min",
        # those that change nothing are left out
        "RBP(graded=True)": "RBP(p=0.8,graded=True,gain='exp',judged_only=False)",
        "AP": "AP(rel=1,judged_only=False)",
        "P@5": "P(rel=1,judged_only=False)@5",
        "nDCG(dcg='exp-log2')@3": "nDCG(dcg='exp-log2',judged_only=False)@3",
    }
    assert {spec: full_spec(parse(spec)) for spec in specs} == specs
