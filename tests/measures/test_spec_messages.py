"""What errors say about specs, names and operators that are none: key words, and the names that they must name."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, measures, parse
from irdiv.measures.answers import AnswerMeasure
from laws.catalogue import BASE_MEASURES, NAMES, TAKEN_BY

# what the error must say, as a regex, and the specs for which it does
MISTAKES = {
    r"a spec such as 'D#-nDCG@10' or a Measure, not 3\.": [3],
    r"is not a spec: expected NAME\(key=value, …\)@k.* one measure in each": [
        "", "foo bar", "D#-nDCG(gamma=0.3", "D#-nDCG@10@5", "D#-nDCG@10,I-rec@5", "I-rec" + " " * 996,
        "D#-nDCG" + " " * 20_000 + "x",
    ],
    r"^no measure is called 'qqqqqq'; 'irdiv measures' lists all": ["qqqqqq"],
    "^no measure is called 'D-nDC'; did you mean 'D-nDCG' or ": ["D-nDC"],
    "did you mean 'D#-nDCG'": ["D#-nDGC@10"],
    "did you mean 'D#-nDCG-LA'": ["D#-nDGC-LA@10"],
    "did you mean 'nDCG'": ["nDGC@10", "ndcg@10"],
    # half of the letters are enough
    "did you mean 'HD-n": ["HD-nonsense"],
    # names that begin with it come first, and three are enough
    r"'S-recall'; did you mean 'S-recall@min'( or '[^']+'){2}\?$": ["S-recall@10"],
    # of measures with these words in their descriptions, those with the words in this order come first
    "did you mean 'Coverage' or ": ["nugget_recall"],
    "did you mean 'Vital-coverage'": ["share_of_vital"],
    "strict_vital_score is a measure of answers, .*irdiv.rag.score_answers": [
        "strict-vital-score", AnswerMeasure("strict_vital_score"),
    ],
    r"^I-rec: rel=9223372036854775808 is too large.* below 2\^63": ["I-rec(rel=9223372036854775808)"],
    r"^I-rec: cutoff=9223372036854775808 is too large.* below 2\^63": ["I-rec@9223372036854775808"],
    r"cannot read the parameters .* of D#-nDCG: expected key=value pairs of gamma, ": [
        "D#-nDCG(0.3)@10", "D#-nDCG(gamma=)@10", "D#-nDCG(gamma=__import__('os'))", "D#-nDCG(**{})",
    ],
    r"cannot read the parameters \('b=1\).*'\) of F": ["F(b=1)+(1)", "F(b=1)(b=2)"],
    "no parameter 'gama'; did you mean 'gamma'. It takes gamma, gain, ": ["D#-nDCG(gama=0.3)@10"],
    "did you mean 'max_grade'": ["ERR(max_grad=4)"],
    "^nDCG has no parameter 'dcg'": ["nDCG(gain='exp',dcg='log2')"],
    "^I-rec is given '(rel|cutoff)' twice": ["I-rec(rel=1,rel=2)", "I-rec(cutoff=5)@10"],
    "gamma=1.5 is not a number from 0 to 1": ["D#-nDCG(gamma=1.5)"],
    "gamma='x' is not a number": ["D#-nDCG(gamma='x')"],
    "gamma=0 is not a number above 0": ["alpha-nDCG(model='exact',gamma=0)"],
    r"beta=1e\+308 is not a number from 0 to 1e\+06": ["Q-IA(beta=1e308)"],
    "'exp', 'linear' or a mapping": ["D#-nDCG(gain='log')", "nDCG(gain='log')"],
    "grades of 0 and below": ["D#-nDCG(gain={0: 1, 1: 2})"],
    "rel=0 is not an integer of 1 or more": ["D#-nDCG(rel=0)"],
    "not an integer from 1 to 1000": ["ERR-IA(max_grade=5000)"],
    "one of 'log2', 'jk'": ["nDCG-IA(discount='ln')"],
    "'uniform' or a sequence of numbers from 0": ["GAP(thresholds='even')"],
    "True or False": ["D-Q(renormalize=1)"],
    r"cutoff of D#-nDCG must be an integer of 1 or more, as in D#-nDCG@10; found (0|-1|'ten')\.": [
        "D#-nDCG@0", "D#-nDCG@-1", "D#-nDCG@ten",
    ],
    "the cutoff of (ERR|I-rec) must be an integer of 1 or more": ["ERR@0", "I-rec@0", "I-rec@min"],
    "^Rprec-IA takes no cutoff": ["Rprec-IA@10"],
    "^ERR-IA: gain counts only with stop='linear'": ["ERR-IA(gain='linear')@10"],
    "^nDCG-IA: b counts only with discount='jk'": ["nDCG-IA(b=10)"],
    "^RBP: rel counts only with graded=False": ["RBP(graded=True,rel=2)"],
    "gamma counts only with model='exact' and weighted=False": ["alpha-nDCG(weighted=True,model='exact',gamma=0.3)"],
    # each parameter once, ir_measures' and then irdiv's
    r"ir_measures: unsupported params found: \['(gamma|gian)'\]; nDCG takes cutoff, dcg, gains, judged_only, gain,": [
        "nDCG(gamma=0.3)@10", "nDCG(gian='exp')@10",
    ],
    "^'Success' is not a measure of ir_measures: .* cutoff is missing; Success takes cutoff, rel": ["Success"],
    "IPrec takes recall": ["IPrec"],
    "^'nDCG@x' is not a measure of ir_measures": ["nDCG@x"],
    "the base measure is called Recall": ["R-IA", "D-R"],
    "the base measure is called Hit": ["Success-IA@5"],
    r"called '(.+)-LA'; \1 is a measure of all layers already": ["D-nDCG-LA-LA", "HD-nDCG-LA", "N-rec-LA"],
    r"called '(.+)-LA'; \1 needs the types of intents, which the nodes of a layer": ["P+Q-LA", "DIN#-nDCG-LA@10"],
    r"P\+Q# needs the types of intents": ["P+Q♯_LA"],
    "Vital-coverage needs the importance of intents": ["Vital-coverage-LA"],
    r"called '(.+)-LA'; \1 does not use intents, .* as \1-IA does in \1-IA-LA\.": ["Q-LA@5", "nDCG-LA@5"],
    r"F does not use intents, and M in M-LA must\.$": ["F-LA"],
    "it needs grades, and under D there are only global gains": ["D-GAP-LA@10"],
    "IA needs .* nDCG-IA is a measure of all intents already": ["nDCG-IA-IA"],
    "D# needs .* alpha-nDCG is a measure of all intents already": ["D#-alpha-nDCG"],
    "LD# needs .* ERR-IA is a measure of all intents already": ["LD#-ERR_IA"],
    "and (Bpref|bpref-R) is not one": ["Bpref-IA", "DIN-Bpref", "bpref-R-IA"],
    "has no parameter 'weighted'": ["Vital-coverage(weighted=True)@5"],
    "did you mean 'Coverage'": ["coverage@5"],
    "weighted=2 is not": ["Coverage(weighted=2)@5"],
    "intents='some' is not": ["Coverage(intents='some')"],
}  # fmt: skip


@pytest.mark.parametrize(("says", "spec"), [(says, spec) for says, specs in MISTAKES.items() for spec in specs])
def test_a_bad_spec_says_what_is_wrong(says, spec):
    with pytest.raises(IrdivError, match=says):
        parse(spec)


@pytest.mark.parametrize("name", NAMES)
def test_errors_list_the_parameters_of_every_measure(name):
    stem, _, fixed_cutoff = name.partition("@")
    cutoff = f"@{fixed_cutoff}" if fixed_cutoff else ""
    takes = ", ".join(parse(name).declaration.by_name)
    with pytest.raises(IrdivError, match=f"expected key=value pairs of {takes or 'nothing'}.$"):
        parse(f"{stem}(x){cutoff}")
    with pytest.raises(IrdivError, match=f"has no parameter 'zzzz'; it takes {takes or 'no parameters'}.$"):
        parse(f"{stem}(zzzz=1){cutoff}")


def test_measures_of_an_evaluation():
    qrels = {"query_id": ["1"], "intent_id": ["a"], "doc_id": ["d"], "relevance": [1]}
    run = {"1": {"d": 1.0}}
    frame = pd.DataFrame(qrels)
    for measure in ("I-rec@5", parse("I-rec@5"), ["I-rec@5"]):
        assert irdiv.evaluate(frame, run, measure).specs() == ["I-rec@5"]
    with pytest.raises(IrdivError, match="no measures given.*'D#-nDCG@10'"):
        irdiv.evaluate(frame, run, [])
    evaluation = irdiv.evaluate(frame, run, "I-rec@5")
    # base measures of intents are known by both names
    by_intent = [evaluation.per_intent(base)["value"].tolist() for base in ("nDCG@10", "nDCG-IA@10", "A-Recall@3")]
    assert by_intent == [[1.0]] * 3
    message = "'nDGC' does not score intents one by one; did you mean 'nDCG'. There are 'nDCG', 'CG', "
    with pytest.raises(IrdivError, match=message):
        evaluation.per_intent("nDGC@10")


@pytest.mark.parametrize("form", TAKEN_BY)
def test_an_operator_says_why_it_is_not_defined_for_a_measure(form):
    operator = form.replace("{}", "").strip("-")
    needs = f"{operator} needs one of the base measures {re.escape(', '.join(TAKEN_BY[form]))}, and "
    reasons = {"F": f"{needs}F is not one", "ERR-IA": f"{needs}ERR-IA is a measure of all intents already"}
    for name, base in BASE_MEASURES.items():
        if name not in TAKEN_BY[form]:
            reasons[name] = (
                "it needs grades" if base.needs_grades else f"values of {re.escape(name)} exceed 1, and I-rec"
            )
    for name, reason in reasons.items():
        with pytest.raises(IrdivError, match=reason):
            parse(form.format(name))


OPERATORS = {
    "{}-IA": measures.IA, "D-{}": measures.D, "HD-{}": measures.HD, "D#-{}": measures.DSharp, "{}-LA": measures.LA,
    "LD#-{}": measures.LDSharp, "HD#-{}": measures.HDSharp, "LAD#-{}": measures.LADSharp,
}  # fmt: skip
ON_LAYERS = [name.removesuffix("-LA") for name in NAMES if name.endswith("-LA")]


@pytest.mark.parametrize("form", OPERATORS)
def test_an_operator_object_lists_what_it_takes(form):
    operator, takes = OPERATORS[form], TAKEN_BY.get(form, ON_LAYERS[:12])
    names = re.escape(", ".join(takes))
    with pytest.raises(IrdivError, match=f"^{form.format('M')} is not defined for nonsense; M is one of {names}.$"):
        operator("nonsense")
    assert str(operator(takes[0])) == form.format(takes[0])
    for base in (None, 3):
        with pytest.raises(IrdivError, match=f"a base measure is a name or a measure.* not {base}"):
            operator(base)


@pytest.mark.parametrize(
    ("operator", "base", "says"),
    [
        (measures.LA, "P+Q", r"M-LA is not defined for P\+Q; P\+Q needs the types of intents"),
        (measures.IA, measures.IA("nDCG"), "M-IA is not defined for nDCG-IA; .* measure of all intents already"),
        (measures.D, measures.GAP, "D-M is not defined for GAP; it needs grades"),
        (measures.DSharp, measures.nDCG(dcg="exp-log2"), "no parameter 'dcg'"),
    ],
)
def test_an_operator_object_says_why_it_is_not_defined(operator, base, says):
    with pytest.raises(IrdivError, match=says):
        operator(base)


def test_measures_that_have_names_in_python():
    names = {
        name: str(m) for name in measures.__all__ if isinstance(m := getattr(measures, name), irdiv.measures.Measure)
    }
    written = {m.replace("+", "Plus").replace("-", "").lower() for m in names.values()}
    assert {name.lower() for name in names} == written
