from __future__ import annotations

import pickle

import ir_measures
import pytest
from ir_measures import AP, ERR, RBP, nDCG

import irdiv
from irdiv import IA, LA, D, DSharp, IrdivError, parse


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("D#-nDCG@10", "D#-nDCG@10"),
        ("D♯-nDCG@10", "D#-nDCG@10"),
        ("Dsharp-nDCG@10", "D#-nDCG@10"),
        ("D_sharp_nDCG@10", "D#-nDCG@10"),
        ("D#_nDCG @ 10", "D#-nDCG@10"),
        ("D#-nDCG(gamma=0.3)@20", "D#-nDCG(gamma=0.3)@20"),
        ("D#-nDCG( gamma = 0.5 )", "D#-nDCG"),
        ("D#-nDCG(rel=2, gamma=1)@5", "D#-nDCG(gamma=1.0,rel=2)@5"),
        ("α-nDCG(alpha=0.2)@20", "alpha-nDCG(alpha=0.2)@20"),
        ("I_rec@10", "I-rec@10"),
        ("nDCG_IA(discount=jk, b=10)", "nDCG-IA(discount='jk',b=10.0)"),
        ("nDCG-IA(gain={2: 3, 1: 1})@5", "nDCG-IA(gain={1:1.0,2:3.0})@5"),
        ("ERR-IA(max_grade=None)", "ERR-IA"),
        ("P+-IA@3", "P+-IA@3"),
        ("GAP(thresholds=[1, 3])@5", "GAP(thresholds=(1.0,3.0))@5"),
        ("nGAP-IA(thresholds=uniform)", "nGAP-IA(thresholds='uniform')"),
        ("ERR_IA@20", "ERR_IA@20"),
        ("ERR_IA(alpha=0.2)@20", "ERR_IA(alpha=0.2)@20"),
        ("MAP_IA", "AP_IA"),
        ("S_recall @ min", "S-recall@min"),
        ("S-recall(rel=2)@min", "S-recall(rel=2)@min"),
        ("S-recall-LA(rel=2)@min", "S-recall-LA(rel=2)@min"),
        ("ERR_IA-LA@20", "ERR_IA-LA@20"),
        ("ERR_IA_LA@20", "ERR_IA-LA@20"),
        ("ERR-IA_LA@20", "ERR-IA-LA@20"),
        ("nERR_IA-LA(alpha=0.2)@20", "nERR_IA-LA(alpha=0.2)@20"),
        ("MAP_IA-LA", "AP_IA-LA"),
        ("P_IA-LA@5", "P_IA-LA@5"),
        ("α_DCG-LA@5", "alpha_DCG-LA@5"),
        ("alpha_nDCG-LA@5", "alpha_nDCG-LA@5"),
        ("α-nDCG-LA@5", "alpha-nDCG-LA@5"),
        ("StRecall-LA@5", "StRecall-LA@5"),
        ("α_nDCG@20", "alpha_nDCG@20"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
        ("NDCG(gain=exp)", "nDCG(gain='exp')"),
        ("nDCG(gain='linear')@10", "nDCG@10"),
        ("ERR@10", "ERR@10"),
        ("ERR(max_grade=4)", "ERR(max_grade=4)"),
        ("RBP(p=0.95)@100", "RBP(p=0.95)@100"),
    ],
)
def test_a_spec_prints_in_its_one_spelling(spec, printed):
    assert str(parse(spec)) == printed
    assert parse(printed) == parse(spec)


def test_equal_measures_are_one_key():
    assert len({parse("D#-nDCG(gamma=0.5,rel=1)@10"), parse("D#-nDCG(rel=1,gamma=0.5)@10"), parse("D#-nDCG@10")}) == 1
    assert parse("ERR_IA@10") == ir_measures.ERR_IA @ 10
    assert parse("ERR_IA@10") != parse("ERR-IA@10")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("D#-nDGC@10", "did you mean 'D#-nDCG'"),
        ("nDGC@10", "did you mean 'nDCG'"),
        ("D#-nDCG(gama=0.3)@10", "no parameter 'gama'; did you mean 'gamma'"),
        ("D#-nDCG(gamma=1.5)", "gamma=1.5 is not a number from 0 to 1"),
        ("D#-nDCG(gamma='x')", "gamma='x' is not a number"),
        ("D#-nDCG(gain='log')", "'exp', 'linear' or a mapping"),
        ("D#-nDCG(gain={0: 1, 1: 2})", "grades of 0 and below"),
        ("D#-nDCG(rel=0)", "rel=0 is not an integer of 1 or more"),
        ("nDCG-IA(discount='ln')", "one of 'log2', 'jk'"),
        ("GAP(thresholds='even')", "'uniform' or a sequence of numbers from 0"),
        ("D-Q(renormalize=1)", "True or False"),
        ("D#-nDCG@0", "integer of 1 or more"),
        ("D#-nDCG@-1", "integer of 1 or more"),
        ("D#-nDCG@ten", "integer of 1 or more"),
        ("Rprec-IA@10", "takes no cutoff"),
        ("D#-nDCG(0.3)@10", "expected key=value pairs"),
        ("D#-nDCG(gamma=)@10", "expected key=value pairs"),
        ("D#-nDCG(gamma=0.3", "is not a spec"),
        ("", "is not a spec"),
        ("nDCG(gamma=0.3)@10", "nDCG takes cutoff, dcg"),
        ("Success", "invalid param cutoff is missing; Success takes cutoff"),
        ("nDCG@x", "is not a measure of ir_measures"),
        ("D-GAP@10", "it needs grades, and under D there are only global gains"),
        ("DIN#-nDCG-LA@10", "DIN#-nDCG needs the types of intents, which the nodes of a layer do not have"),
        ("P+Q-LA", "P+Q needs the types of intents, which the nodes of a layer do not have"),
        ("P+Q♯_LA", "P+Q# needs the types of intents"),
        ("HD-nDCG-LA", "HD-nDCG is a measure of all layers already"),
        ("D-nDCG-LA-LA", "D-nDCG-LA is a measure of all layers already"),
        ("N-rec-LA", "N-rec is a measure of all layers already"),
        ("Q-LA@5", "Q does not use intents, and M in M-LA must, as Q-IA does in Q-IA-LA"),
        ("nDCG-LA@5", "nDCG does not use intents"),
        ("F-LA", "F does not use intents, and M in M-LA must."),
        ("HD#-GAP@10", "it needs grades, and under D there are only global gains"),
        ("D-GAP-LA@10", "it needs grades, and under D there are only global gains"),
        ("D#-DCG@10", "values of DCG exceed 1, and I-rec and N-rec sharpen only what lies between 0 and 1"),
        ("nDCG-IA-IA", "IA needs one of the base measures nDCG, "),
        ("nDCG-IA-IA", "and nDCG-IA is a measure of all intents already"),
        ("D-ERR_IA", "D needs one of the base measures nDCG, CG, DCG, Q, P+, AP, "),
        ("LD#-ERR_IA", "niRBU, and ERR-IA is a measure of all intents already"),
        ("Bpref-IA", "and Bpref is not one"),
        ("Success-IA@5", "the base measure is called Hit"),
        ("ERR-IA(gain='linear')@10", "ERR-IA: gain counts only with stop='linear'"),
        ("nDCG-IA(b=10)", "nDCG-IA: b counts only with discount='jk'"),
        (
            "alpha-nDCG(weighted=True,model='exact',gamma=0.3)",
            "gamma counts only with model='exact' and weighted=False",
        ),
        ("alpha-nDCG(model='exact',gamma=0)", "gamma=0 is not a number above 0"),
        ("RBP(graded=True,rel=2)", "RBP: rel counts only with graded=False"),
        ("D#-alpha-nDCG", "and alpha-nDCG is a measure of all intents already"),
        ("bpref-R-IA", "and bpref-R is not one"),
        ("D#-nDGC-LA@10", "did you mean 'D#-nDCG-LA'"),
        ("S-recall@10", "did you mean 'S-recall@min' or 'StRecall'"),
        ("I-rec@min", "the cutoff of I-rec must be an integer of 1 or more"),
        ("ndcg@10", "did you mean 'nDCG'"),
        ("D#-nDCG(gamma=0.3,gamma=0.4)", "is given 'gamma' twice"),
        ("I-rec(cutoff=5)@10", "is given 'cutoff' twice"),
        ("Q-IA(beta=1e308)", "beta=1e+308 is not a number from 0 to 1e+06"),
        ("ERR-IA(max_grade=5000)", "not an integer from 1 to 1000"),
        ("D#-nDCG(gamma=__import__('os'))", "expected key=value pairs"),
        ("D#-nDCG(**{})", "expected key=value pairs"),
        ("D#-nDCG" + " " * 20_000 + "x", "is not a spec"),
        ("D#-nDCG@10@5", "is not a spec"),
        ("D#-nDCG@10,I-rec@5", "one measure in each"),
        ("IPrec", "IPrec takes recall"),
    ],
)
def test_a_bad_spec_says_what_is_wrong(spec, message):
    with pytest.raises(IrdivError) as caught:
        parse(spec)
    assert message in str(caught.value)


def test_a_measure_that_is_no_spec_at_all():
    with pytest.raises(IrdivError, match="not 3"):
        parse(3)  # type: ignore[arg-type]


def test_objects_compose_as_specs_do():
    assert DSharp(nDCG) @ 10 == parse("D#-nDCG@10")
    assert IA(ERR) @ 20 == parse("ERR-IA@20")
    assert D(irdiv.measures.Q)(beta=2) @ 5 == parse("D-Q(beta=2)@5")
    assert D("P+") == parse("D-P+")
    assert IA(RBP(p=0.95) @ 20) == parse("RBP-IA(p=0.95)@20")
    assert IA(irdiv.measures.Recall) @ 3 == parse("Recall-IA@3")
    assert isinstance(DSharp(AP), ir_measures.Measure)
    assert LA(parse("S-recall(rel=2)@min")) == parse("S-recall-LA(rel=2)@min")
    assert LA(ir_measures.ERR_IA @ 20) == parse("ERR_IA-LA@20")
    assert LA(parse("ERR_IA(alpha=0.2)@20")) == parse("ERR_IA-LA(alpha=0.2)@20")
    with pytest.raises(IrdivError, match="M-LA is not defined for P\\+Q; P\\+Q needs the types of intents"):
        LA("P+Q")
    with pytest.raises(IrdivError, match="M-IA is not defined for nDCG-IA; .* is a measure of all intents already"):
        IA(IA(nDCG))
    with pytest.raises(IrdivError, match="D-M is not defined for GAP; it needs grades"):
        D(irdiv.measures.GAP)
    with pytest.raises(IrdivError, match="no parameter 'dcg'"):
        DSharp(nDCG(dcg="exp-log2"))


def test_parameters_that_change_nothing_are_not_part_of_the_name():
    assert str(parse("ERR-IA@10")(gain="linear")) == "ERR-IA@10"
    assert parse("ERR-IA@10")(gain="linear") == parse("ERR-IA@10")
    assert str(parse("ERR-IA(gain='linear',stop='linear')@10")) == "ERR-IA(stop='linear',gain='linear')@10"
    assert str(parse("nDCG-IA")(b=10)) == "nDCG-IA"
    assert str(parse("RBP-IA(p=0.9)")(gain="linear")) == "RBP-IA(p=0.9)"


@pytest.mark.parametrize("base", [None, 3])
def test_a_base_that_is_none(base):
    with pytest.raises(IrdivError, match="a base measure is a name or a measure"):
        DSharp(base)


def test_measures_survive_pickling():
    measure = parse("D#-nDCG(gain={1: 1, 2: 5}, gamma=0.3)@10")
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert again.parameter_values() == measure.parameter_values()


def test_components_carry_what_they_take():
    assert [str(m) for m in parse("D#-Q(gamma=0.2,beta=3,rel=2)@7").components()] == [
        "I-rec(rel=2)@7",
        "D-Q(beta=3.0,rel=2)@7",
    ]


@pytest.mark.parametrize("spec", ["ERR@10", "RBP", "RBP(p=0.9)@5", "nDCG(gain='exp')@10"])
def test_ad_hoc_measures_of_irdiv_under_names_of_ir_measures(spec):
    measure = parse(spec)
    assert isinstance(measure, irdiv.Measure)
    restored = pickle.loads(pickle.dumps(measure))
    assert restored == measure
    assert restored.declaration is measure.declaration
    assert isinstance(parse(measure), irdiv.Measure)


def test_measures_of_ir_measures_as_irdivs():
    assert isinstance(parse(ERR @ 10), irdiv.Measure)
    assert parse(RBP(p=0.9)) == parse("RBP(p=0.9)")
    assert parse(nDCG(gain="exp") @ 10) == parse("nDCG(gain='exp')@10")
    assert IA(parse("ERR(max_grade=4)@20")) == parse("ERR-IA(max_grade=4)@20")
    assert DSharp(parse("nDCG(gain='linear')@5")) == parse("D#-nDCG(gain='linear')@5")


@pytest.mark.parametrize(
    "spec", ["nDCG@10", "nDCG", "nDCG(judged_only=True)@5", "AP", "P@5", "RR", "Rprec", "Success@5"]
)
def test_other_names_stay_ir_measures(spec):
    assert not isinstance(parse(spec), irdiv.Measure)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nDCG(gian='exp')@10", "nDCG takes cutoff, dcg, gains, judged_only, gain, discount, b"),
        ("nDCG(gain='exp',dcg='log2')", "nDCG has no parameter 'dcg'"),
        ("nDCG(gain='log')", "'exp', 'linear' or a mapping"),
        ("ERR(max_grad=4)", "did you mean 'max_grade'"),
        ("ERR@0", "the cutoff of ERR must be an integer of 1 or more"),
    ],
)
def test_mistakes_in_ad_hoc_measures(spec, message):
    with pytest.raises(IrdivError, match=message):
        parse(spec)
