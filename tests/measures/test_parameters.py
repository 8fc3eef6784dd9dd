"""What measures need and take: base measures of operators, flags, and parameters with their defaults and values."""

from __future__ import annotations

import pytest

from irdiv import IrdivError
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import Registry, declarations
from irdiv.measures.operators import adhoc_extensions


@pytest.fixture
def registry():
    return Registry(declarations(), adhoc_extensions())


WITHOUT_D = {"GAP", "nGAP"}
UNBOUNDED = {"CG", "DCG"}
OF_IR_MEASURES = {"nDCG", "AP", "P", "Recall", "RR", "Rprec"}


def test_which_base_measures_an_operator_takes(registry):
    bases = {base.name for base in BASES}
    assert len(bases) == len(BASES) == 20
    taken = {
        "{}": bases - OF_IR_MEASURES,
        "{}-IA": bases,
        **dict.fromkeys(["D-{}", "DIN-{}", "HD-{}"], bases - WITHOUT_D),
        **dict.fromkeys(["D#-{}", "DIN#-{}", "LD#-{}", "HD#-{}", "LAD#-{}"], bases - WITHOUT_D - UNBOUNDED),
    }
    for form, names in taken.items():
        assert {name for name in bases if form.format(name) in registry} == names, form
    assert registry.extensions.keys() == OF_IR_MEASURES


def names_with(registry: Registry, flag: str, value: object = True) -> set[str]:
    return {d.name for d in registry.values() if getattr(d, flag) == value and not d.name.endswith(("-LA", "-LA@min"))}


def test_what_a_measure_needs_and_where_its_values_lie(registry):
    forms = ("{}", "{}-IA", "D-{}", "DIN-{}", "HD-{}")
    r_prec = {form.format("Rprec") for form in (*forms[1:], "D#-{}", "DIN#-{}", "LD#-{}", "HD#-{}", "LAD#-{}")}
    textbook = {"F", "E", "AP-seen", "bpref-R", "bpref-10", "Judged"}
    ndeval = {"ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"}
    whole_list = {"S-recall@min", "NRBP", "nNRBP", "AP_IA", "bpref-R", "bpref-10"}
    assert names_with(registry, "takes_cutoff", False) == r_prec | whole_list
    assert names_with(registry, "needs_intents", False) == {base.name for base in BASES if base.standalone} | textbook
    assert names_with(registry, "bounded", False) == {form.format(name) for form in forms for name in UNBOUNDED} | {
        "alpha-DCG"
    }
    assert names_with(registry, "needs_importance") == {"Vital-coverage"}
    assert names_with(registry, "may_be_negative") == {"RBU"}
    assert names_with(registry, "less_is_better") == {"E"}
    assert names_with(registry, "judged_documents_only") == {"bpref-R", "bpref-10"}
    assert names_with(registry, "separates_unjudged") == {"Judged"}
    assert names_with(registry, "on_layers", False) == {
        *(name for name in registry if name.startswith("DIN")), "P+Q", "P+Q#", "Vital-coverage",
    }  # fmt: skip
    assert names_with(registry, "owner", "ir_measures") == ndeval
    assert {d.owner for d in registry.values() if d.name.endswith("-LA")} == {"irdiv"}
    assert {d.owner for d in registry.extensions.values()} == {"ir_measures"}
    by_intent = {d.name for d in registry.values() if d.score_by_intent is not None}
    assert by_intent == {f"{base.name}-IA" for base in BASES} | {"A-Recall"}


def test_what_a_measure_combines_and_which_parameters_it_takes(registry):
    on_gains = ["gain", "rel", "intents", "renormalize", "judged_only"]
    tree = ["hierarchy", "weights", "layer_weights"]
    nodes = ["gain", "rel", "intents", "judged_only"]
    expected = {
        "D-Recall": ([], on_gains),
        "D#-Recall": (["I-rec", "D-Recall"], ["gamma", *on_gains]),
        "DIN#-Recall": (["I-rec", "DIN-Recall"], ["gamma", *on_gains]),
        "P+Q#": (["I-rec", "P+Q"], ["gamma", "gain", "beta", "rel", "intents", "renormalize", "judged_only"]),
        "HD-Recall": ([], [*tree, *nodes]),
        "LD#-Recall": (["N-rec"], ["gamma", "hierarchy", "weights", *nodes]),
        "HD#-Recall": (["N-rec", "HD-Recall"], ["gamma", *tree, *nodes]),
        "LAD#-Recall": (["N-rec", "D-Recall-LA"], ["gamma", *tree, *nodes]),
        "D#-Recall-LA": ([], [*tree, "gamma", *nodes]),
        "I-rec-LA": ([], ["hierarchy", "layer_weights", "rel", "intents", "judged_only"]),
        "NRBP-LA": ([], [*tree, "rel", "alpha", "beta", "weighted", "judged_only"]),
        "nCT": ([], ["gamma", "height", "time", "weighted", "rel", "judged_only"]),
        "Hit": ([], ["rel", "judged_only"]),
        "Judged": ([], []),
    }
    found = {name: (list(registry[name].components), list(registry[name].by_name)) for name in expected}
    assert found == expected
    assert registry["LD#-Q"].by_name["gamma"].meaning == "weight of node recall"
    assert registry["D#-Q"].by_name["gamma"].meaning == "weight of intent recall"


SHARE = "a number from 0 to 1"
SIZE = "a number from 0 to 1e+06"
SIZE_ABOVE_0 = "a number above 0 to 1e+06"
GRADE = "an integer of 1 or more"
MAX_GRADE = "an integer from 1 to 1000"
SWITCH = "True or False"
SEQUENCE = "a sequence of numbers from 0, such as (0.3, 0.7), with one above 0"
GAINS = "'exp', 'linear' or a mapping from grade to gain such as {1: 1, 2: 3}"
# name, default, what a value is, and with which values of other parameters it counts
PARAMETERS = {
    "nDCG-IA": [
        ("gain", "exp", GAINS, ""),
        ("discount", "log2", "one of 'log2', 'jk'", ""),
        ("b", 2.0, "a number above 1 to 1e+06", "discount='jk'"),
        ("rel", 1, GRADE, ""),
        ("intents", "relevant", "one of 'relevant', 'all'", ""),
        ("renormalize", True, SWITCH, ""),
        ("judged_only", False, SWITCH, ""),
    ],
    "D#-Q": [("gamma", 0.5, SHARE, ""), ("beta", 1.0, SIZE, "")],
    "GAP": [("thresholds", None, f"'uniform' or {SEQUENCE}", "")],
    "AP-IA": [("norm", "relevant", "one of 'relevant', 'cutoff'", "")],
    "ERR-IA": [
        ("stop", "exp", "one of 'exp', 'linear'", ""),
        ("gain", "exp", GAINS, "stop='linear'"),
        ("max_grade", None, MAX_GRADE, "stop='exp'"),
    ],
    "RBP": [
        ("p", 0.8, SHARE, ""),
        ("graded", False, SWITCH, ""),
        ("gain", "exp", GAINS, "graded=True"),
        ("rel", 1, GRADE, "graded=False"),
    ],
    "iRBU": [("p", 0.99, SHARE, "")],
    "alpha-nDCG": [
        ("alpha", 0.5, SHARE, ""),
        ("weighted", False, SWITCH, ""),
        ("model", "sum", "one of 'sum', 'exact'", ""),
        ("gamma", 1.0, "a number above 0 to 1", "model='exact' and weighted=False"),
        ("ideal", "greedy", "one of 'greedy', 'exact'", ""),
        ("time_limit", None, SIZE_ABOVE_0, "ideal='exact'"),
        ("cap", False, SWITCH, ""),
    ],
    "Coverage": [
        ("weighted", False, SWITCH, ""),
        ("rel", 1, GRADE, ""),
        ("intents", "all", "one of 'relevant', 'all'", ""),
    ],
    "WS-precision": [
        ("recall", 1.0, "a number above 0 to 1", ""),
        ("a", 1.0, SIZE, ""),
        ("b", 1.0, SIZE, ""),
    ],
    "CT": [
        ("gamma", 0.5, SHARE, ""),
        ("height", 5.0, SIZE_ABOVE_0, ""),
        ("time", "iteration", "one of 'iteration', 'rank'", ""),
        ("form", "track", "one of 'track', 'paper'", ""),
        ("weighted", False, SWITCH, ""),
    ],
    "RBU": [("p", 0.8, SHARE, ""), ("e", 0.03, SIZE, ""), ("max_grade", None, MAX_GRADE, "")],
    "NRBP": [("beta", 0.5, SHARE, ""), ("weighted", False, SWITCH, "")],
    "F": [("b", 1.0, SIZE, "")],
    "LAD#-Q": [
        ("gamma", 0.5, SHARE, ""),
        ("hierarchy", "EIH", "one of 'EIH', 'OIH'", ""),
        ("weights", None, "one of 'UT', 'UB', 'NT', 'NB'", ""),
        ("layer_weights", None, SEQUENCE, ""),
    ],
    "alpha-DCG-LA": [("weights", None, "one of 'UT', 'UB', 'NT', 'NB'", "weighted=True")],
}


def test_parameters_have_defaults_values_and_conditions(registry):
    for measure, rows in PARAMETERS.items():
        for name, default, is_value, condition in rows:
            parameter = registry[measure].by_name[name]
            assert (parameter.default, parameter.condition) == (default, condition), (measure, name)
            assert type(parameter.default) is type(default)
            with pytest.raises(IrdivError) as caught:
                parameter.accept("?", measure)
            assert str(caught.value) == f"{measure}: {name}='?' is not {is_value}."
    assert registry.extensions["nDCG"].by_name["gain"].default == "linear"
    infos = registry["Hit"].param_infos
    assert list(infos) == ["rel", "judged_only", "cutoff"]
    assert (infos["rel"].default, infos["rel"].desc) == (1, registry["Hit"].by_name["rel"].meaning)
    assert (infos["cutoff"].dtype, infos["cutoff"].desc) == (int, "ranking cutoff threshold")
