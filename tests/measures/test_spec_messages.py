"""What is said about specs and operators that are none, in full; and whose measure a spec names."""

from __future__ import annotations

import copy

import ir_measures
import pytest

import irdiv
from irdiv import IrdivError, measures, parse
from irdiv.measures.measure import full_spec, less_is_better
from irdiv.measures.spec import is_irdiv_only, is_ndeval_measure, parse_base, parse_several, with_irdiv_parameters
from irdiv.measures.undefined import why_undefined

OF_D = "gamma, gain, discount, b, rel, intents, renormalize, judged_only"
MESSAGES = {
    3: "a measure is a spec such as 'D#-nDCG@10' or a Measure, not 3.",
    "foo bar": "'foo bar' is not a spec: expected NAME(key=value, …)@k, as in 'D#-nDCG(gamma=0.3)@10', one measure in "
    "each.",
    "qqqqqq": "no measure is called 'qqqqqq'; 'irdiv measures' lists all.",
    "D-nDC": "no measure is called 'D-nDC'; did you mean 'D-nDCG' or 'HD-nDCG' or 'D#-nDCG'?",
    # names that begin with it come first, and three are enough
    "S-recall@10": "no measure is called 'S-recall'; did you mean 'S-recall@min' or 'StRecall' or 'D-Recall'?",
    # those with these words come first, and those with the words in this order before the others
    "nugget_recall": "no measure is called 'nugget_recall'; did you mean 'Coverage' or 'Vital-coverage' or 'I-rec'?",
    "share_of_vital": "no measure is called 'share_of_vital'; did you mean 'Vital-coverage'?",
    # half of the letters are enough
    "HD-nonsense": "no measure is called 'HD-nonsense'; did you mean 'HD-nERR' or 'HD-nEBR' or 'HD#-nERR'?",
    "I-rec(rel=9223372036854775808)": "I-rec: rel=9223372036854775808 is too large; expected an integer below 2^63.",
    "I-rec@9223372036854775808": "I-rec: cutoff=9223372036854775808 is too large; expected an integer below 2^63.",
    "Judged(x)": "cannot read the parameters ('x') of Judged: expected key=value pairs of nothing.",
    "F(**{})": "cannot read the parameters ('**{}') of F: expected key=value pairs of b, rel, judged_only.",
    "F(b=1)+(1)": "cannot read the parameters ('b=1)+(1') of F: expected key=value pairs of b, rel, judged_only.",
    "F(b=1)(b=2)": "cannot read the parameters ('b=1)(b=2') of F: expected key=value pairs of b, rel, judged_only.",
    "D#-nDCG(gama=1)": f"D#-nDCG has no parameter 'gama'; did you mean 'gamma'? It takes {OF_D}.",
    "I-rec(zzzz=1)": "I-rec has no parameter 'zzzz'; it takes rel, intents, judged_only.",
    "Judged(rel=2)": "Judged has no parameter 'rel'; it takes no parameters.",
    "I-rec(rel=1,rel=2)": "I-rec is given 'rel' twice.",
    "I-rec(cutoff=5)@10": "I-rec is given 'cutoff' twice.",
    "ERR-IA(gain='linear')": "ERR-IA: gain counts only with stop='linear'.",
    "Rprec-IA@10": "Rprec-IA takes no cutoff: it is defined on the whole list.",
    "I-rec@0": "the cutoff of I-rec must be an integer of 1 or more, as in I-rec@10; found 0.",
    "nDCG(gamma=0.3)@10": "'nDCG(gamma=0.3)@10' is not a measure of ir_measures: unsupported params found: ['gamma']; "
    "nDCG takes cutoff, dcg, gains, judged_only, gain, discount, b.",
    "Success": "'Success' is not a measure of ir_measures: invalid param cutoff is missing; Success takes cutoff, rel, "
    "judged_only.",
    "strict-vital-score": "strict_vital_score is a measure of answers, and not of rankings of documents: "
    "irdiv.rag.score_answers(assignments) computes it from the nuggets or criteria that each answer supports.",
}


def message(function, *arguments) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments)
    return str(caught.value)


def test_messages_of_specs():
    assert {spec: message(parse, spec) for spec in MESSAGES} == MESSAGES


def test_messages_about_several_measures():
    assert message(parse_several, []) == "no measures given: expected specs such as 'D#-nDCG@10'."
    assert message(parse_several, {"a": "P@5"}) == (
        "expected specs such as 'D#-nDCG@10', found a mapping from names; irdiv.evaluate names measures, and here "
        "their specs are given: 'P@5'."
    )
    assert parse_several("I-rec@5") == parse_several(parse("I-rec@5")) == parse_several(["I-rec@5"])


def test_the_longest_spec():
    assert str(parse("I-rec" + " " * 995)) == "I-rec"
    assert "is not a spec" in message(parse, "I-rec" + " " * 996)
    assert str(parse("I-rec(rel=9223372036854775807)")) == "I-rec(rel=9223372036854775807)"
    assert str(parse("  D#-nDCG  ( gamma=0.3 )   @  10 ")) == "D#-nDCG(gamma=0.3)@10"
    assert [str(parse(f"{name}@20")) for name in ("ERR_IA_LA", "ERR_IA-LA", "ERR-IA_LA")] == [
        "ERR_IA-LA@20", "ERR_IA-LA@20", "ERR-IA-LA@20",
    ]  # fmt: skip


GIVEN = "nDCG, CG, DCG, Q, P+, GAP, nGAP, AP, P, Recall, RR, Hit, Rprec, ERR, nERR, RBP, EBR, nEBR, iRBU, niRBU"
ON_GAINS = GIVEN.replace("GAP, nGAP, ", "")
SHARPENED = ON_GAINS.replace(" CG, DCG,", "")
GRADES = "it needs grades, and under D there are only global gains."
EXCEED = "values of DCG exceed 1, and I-rec and N-rec sharpen only what lies between 0 and 1."


def test_operators_say_what_they_take():
    takes = {
        measures.IA: ("M-IA", GIVEN),
        measures.D: ("D-M", ON_GAINS),
        measures.HD: ("HD-M", ON_GAINS),
        measures.DSharp: ("D#-M", SHARPENED),
        measures.LDSharp: ("LD#-M", SHARPENED),
        measures.HDSharp: ("HD#-M", SHARPENED),
        measures.LADSharp: ("LAD#-M", SHARPENED),
        measures.LA: (
            "M-LA",
            "nDCG-IA, D-nDCG, D#-nDCG, CG-IA, D-CG, DCG-IA, D-DCG, Q-IA, D-Q, D#-Q, P+-IA, D-P+",
        ),
    }
    for operator, (form, bases) in takes.items():
        assert message(operator, "nonsense") == f"{form} is not defined for nonsense; M is one of {bases}."
        base = "Q-IA" if operator is measures.LA else "Q"
        assert str(operator(base)) == form.replace("M", base)
    assert message(measures.D, "GAP") == f"D-M is not defined for GAP; {GRADES}"
    assert message(measures.D, None) == "a base measure is a name or a measure, as in DSharp(nDCG), not None."
    renamed = [str(measures.IA(base)) for base in (ir_measures.R @ 3, ir_measures.Success @ 3)]
    assert renamed == ["Recall-IA@3", "Hit-IA@3"]


def test_why_a_name_is_not_defined():
    on_layers = "of intents, which the nodes of a layer do not have."
    needs = "needs one of the base measures"
    reasons = {
        **{f"{operator}-GAP": GRADES for operator in ("D", "DIN", "HD", "D#", "DIN#", "LD#", "HD#", "LAD#")},
        **{f"{operator}-DCG": EXCEED for operator in ("D#", "DIN#", "LD#", "HD#", "LAD#")},
        "R-IA": "the base measure is called Recall.",
        "Success-IA": "the base measure is called Hit.",
        "D-R": "the base measure is called Recall.",
        "D#-ERR_IA": f"D# {needs} {SHARPENED}, and ERR_IA is a measure of all intents already.",
        "DIN-Bpref": f"DIN {needs} {ON_GAINS}, and Bpref is not one.",
        "D-F": f"D {needs} {ON_GAINS}, and F is not one.",
        "nDCG-IA-IA": f"IA {needs} {GIVEN}, and nDCG-IA is a measure of all intents already.",
        "Q-LA": "Q does not use intents, and M in M-LA must, as Q-IA does in Q-IA-LA.",
        "nDCG-LA": "nDCG does not use intents, and M in M-LA must, as nDCG-IA does in nDCG-IA-LA.",
        "F-LA": "F does not use intents, and M in M-LA must.",
        "P+Q-LA": f"P+Q needs the types {on_layers}",
        "Vital-coverage-LA": f"Vital-coverage needs the importance {on_layers}",
        "N-rec-LA": "N-rec is a measure of all layers already.",
        "D-GAP-LA": GRADES,
        **dict.fromkeys(["x", "x-LA", "x-IA", "D-x", "D-x-IA", "I-rec-LA", "D-Q", "D#-Q", "DIN-DCG"]),
    }
    assert {name: why_undefined(name) for name in reasons} == reasons


def test_measures_that_have_names_in_python():
    names = {
        "Q": "Q", "PPlus": "P+", "nERR": "nERR", "GAP": "GAP", "nGAP": "nGAP", "Hit": "Hit", "EBR": "EBR",
        "nEBR": "nEBR", "iRBU": "iRBU", "niRBU": "niRBU", "IRec": "I-rec", "NRec": "N-rec", "AlphaDCG": "alpha-DCG",
        "AlphanDCG": "alpha-nDCG", "Coverage": "Coverage", "AllCovered": "All-covered",
        "VitalCoverage": "Vital-coverage", "ARecall": "A-Recall", "MRecall": "MRecall",
    }  # fmt: skip
    assert {name: str(getattr(measures, name)) for name in names} == names


def test_base_measures_of_intents():
    assert [str(parse_base(spec)) for spec in ("nDCG@10", "nDCG-IA@10", "A-Recall@3")] == [
        "nDCG-IA@10", "nDCG-IA@10", "A-Recall@3",
    ]  # fmt: skip
    assert message(parse_base, "nDGC@10") == (
        "'nDGC' does not score intents one by one; did you mean 'nDCG'? There are 'nDCG', 'CG', 'DCG', 'Q', 'P+', "
        "'GAP', 'nGAP', 'AP', 'P', …."
    )


# a spec, whether it is one of ndeval's nine, and whether ir_measures has none like it
OWNERS = [
    ("ERR_IA@5", True, False),
    ("MAP_IA", True, False),
    ("alpha_DCG(alpha=0.3)@5", True, False),
    ("ERR_IA(alpha=0.3)@5", True, True),
    ("NRBP(alpha=0.3,weighted=True)", True, True),
    ("ERR-IA@5", False, True),
    ("D#-nDCG@5", False, True),
    ("ERR@5", False, False),
    ("ERR(max_grade=4)@5", False, True),
    ("nDCG@5", False, False),
    ("nDCG(dcg='exp-log2')@5", False, False),
    ("nDCG(gain='exp',judged_only=True)@5", False, True),
    ("P(rel=2)@5", False, False),
    ("AP(rel=2,norm='cutoff')@5", False, True),
    ("nDCG(gain=)", False, False),
    ("nonsense", False, False),
    ("no spec (", False, False),
]


def test_whose_measure_a_spec_names():
    assert [(spec, is_ndeval_measure(spec), is_irdiv_only(spec)) for spec, *_ in OWNERS] == OWNERS
    ours = [spec for spec, of_ndeval, only_irdiv in OWNERS[:14] if isinstance(parse(spec), irdiv.Measure)]
    assert ours == [spec for spec, of_ndeval, only_irdiv in OWNERS if of_ndeval or only_irdiv or spec == "ERR@5"]
    # to providers of ir_measures, what they do not compute has another name
    names = {
        "ERR@5": "irdiv:ERR", "ERR_IA(alpha=0.3)": "irdiv:ERR_IA", "alpha_DCG(alpha=0.3)": "alpha_DCG",
        "AP_IA(rel=2,judged_only=True)": "AP_IA", "NRBP(weighted=True)": "irdiv:NRBP", "NRBP(weighted=False)": "NRBP",
        "D-Q": "D-Q",
    }  # fmt: skip
    assert {spec: parse(spec).NAME for spec in names} == names


def test_measures_of_ir_measures_that_lack_a_parameter():
    ndcg = ir_measures.nDCG @ 5
    assert isinstance(with_irdiv_parameters(ndcg, ["gain"]), irdiv.Measure)
    assert str(with_irdiv_parameters(ndcg, ["gain"])) == "nDCG@5"
    for measure, names in [
        (ndcg, ["judged_only"]),
        (ndcg, []),
        (ir_measures.nDCG(dcg="exp-log2"), ["gain"]),
        (ir_measures.Bpref, ["gain"]),
        (parse("D-Q"), ["gain"]),
        (ir_measures.define(lambda qrels, run: (), name="nDCG"), ["gain"]),
    ]:
        assert with_irdiv_parameters(measure, names) is measure


def test_equal_measures():
    ours, theirs = parse("ERR@5"), ir_measures.ERR @ 5
    assert repr(ours) == repr(theirs)
    assert ours != theirs
    assert hash(ours) != hash(theirs)
    assert ours == copy.copy(ours) == parse("ERR@5")
    assert ours != parse("ERR@6")
    assert ours != "ERR@5"
    assert parse("ERR_IA@5") == ir_measures.ERR_IA @ 5
    assert hash(parse("ERR_IA@5")) == hash(ir_measures.ERR_IA @ 5)
    assert ours.__doc__ == f"{ours.declaration.summary}\n\n{ours.declaration.formula}"
    assert less_is_better(parse("E@5"))
    assert not less_is_better(parse("F@5"))
    assert not less_is_better(ir_measures.AP)


def test_specs_with_all_parameters():
    specs = {
        "Judged@5": "Judged@5",
        "Judged": "Judged",
        "F@5": "F(b=1.0,rel=1,judged_only=False)@5",
        "S-recall@min": "S-recall(rel=1,judged_only=False)@min",
        # those that change nothing are left out
        "RBP(graded=True)": "RBP(p=0.8,graded=True,gain='exp',judged_only=False)",
        "AP": "AP(rel=1,judged_only=False)",
        "P@5": "P(rel=1,judged_only=False)@5",
        "nDCG(dcg='exp-log2')@3": "nDCG(dcg='exp-log2',judged_only=False)@3",
        "NumRet": "NumRet",
    }
    assert {spec: full_spec(parse(spec)) for spec in specs} == specs
