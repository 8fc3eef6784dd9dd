"""The catalogue: what measures state of themselves, how they are found, and measures that other packages contribute."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace
from importlib.metadata import EntryPoint
from math import isnan

import ir_measures
import numpy as np
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError
from irdiv.core.memo import Memo
from irdiv.measures import Declaration, Measure, Parameter, ParameterValues, registry, safe_divide
from irdiv.measures.answers import ANSWER_MEASURES, AnswerMeasure
from irdiv.measures.parameters import REL
from laws.catalogue import BASE_MEASURES, DECLARATIONS, NAMES, TAKEN_BY


@pytest.mark.parametrize("name", DECLARATIONS)
def test_a_declaration_is_complete(name):
    declaration = DECLARATIONS[name]
    texts = [declaration.summary, *filter(None, [declaration.other_programs, declaration.namesake])]
    assert [text for text in texts if not text.endswith((".", ".)")) or " " not in text] == []
    assert [text for text in texts if re.search(r"\.[A-Z]|  ", text)] == [], "sentences are joined by one space"
    assert re.search("[Σ/·]|1 if", declaration.formula)
    assert declaration.family
    assert declaration.references
    assert [r for r in declaration.references if not re.search(r"\b(19|20)\d\d\b", r)] == []
    spelled = {parameter.name: parameter.default for parameter in declaration.parameters}
    assert Measure(declaration, **spelled) == Measure(declaration)
    assert [*declaration.by_name, *(["cutoff"] if declaration.takes_cutoff else [])] == list(declaration.param_infos)
    for parameter in declaration.parameters:
        with pytest.raises(IrdivError, match=rf"^{re.escape(name)}: {parameter.name}='\?' is not "):
            parameter.accept("?", name)
    for component in declaration.components:
        assert set(DECLARATIONS[component].by_name) <= set(declaration.by_name), component


@pytest.mark.parametrize("name", BASE_MEASURES)
def test_operators_apply_to_every_base_measure_for_which_they_are_defined(name):
    expected = {form: name in taken for form, taken in TAKEN_BY.items()} | {"{}": BASE_MEASURES[name].standalone}
    assert {form: form.format(name) in NAMES for form in expected} == expected


# Measures by words


def listed(text: str) -> list[str]:
    """Return the names that a list of measures shows."""
    lines = irdiv.list_measures(text).splitlines()
    return [name.strip(",") for line in lines if line.startswith("  ") for name in line.split()[:1]]


def test_the_whole_list_has_every_measure():
    assert {*NAMES, *ANSWER_MEASURES} - set(listed("")) == set()


@pytest.mark.parametrize(("text", "name"), [("coverage", "Coverage"), (" S_precision ", "S-precision")])
def test_the_name_itself_comes_first_in_its_family_and_then_names_that_contain_it(text, name):
    found = listed(text)
    assert found[0] == name
    assert {other for other in NAMES if name.lower() in other.lower()} <= set(found)


def test_words_of_summaries_and_families_come_before_words_of_keywords():
    for text, in_order in {
        "nuggets rubrics": ["Coverage", "MRecall", "I-rec"],
        "cube filled": ["nCT", "RBU"],
        "utility effort": ["RBU"],
        # one word in the summary and one in keywords
        "share facts": ["Coverage"],
        "all-score": ["all_score", "strict_all_score"],
        "negative weight": ["rubric_score"],
        "nuggetizer": list(ANSWER_MEASURES),
        "scores of answers": list(ANSWER_MEASURES),
        # measures of ir_measures, by name and by description
        "bpref": ["bpref-R", "bpref-10", "Bpref"],
        "binary preference": ["bpref-R", "bpref-10", "Bpref"],
        "success": ["Success"],
    }.items():
        assert [name for name in listed(text) if name in in_order] == in_order, text
    # words begin words, and all must be there
    assert "RBU" not in listed("cover")
    for text in ("nothing like it", "qqqq", "coverage qqqq"):
        with pytest.raises(IrdivError, match=f"no measure is called '{text}'"):
            irdiv.list_measures(text)


# Measures of answers


def test_strict_measures_of_answers_differ_in_partial_support_only():
    strict = [measure for name, measure in ANSWER_MEASURES.items() if name.startswith("strict_")]
    assert strict
    for measure in strict:
        lenient = ANSWER_MEASURES[str(measure).removeprefix("strict_")]
        assert measure.formula == lenient.formula
        assert measure.summary.replace("partial support counts 0.", "partial support counts ½.") == lenient.summary
    with pytest.raises(IrdivError, match="^all_score has no parameters and no cutoff; found rel, cutoff"):
        AnswerMeasure("all_score")(rel=2, cutoff=3)


def test_the_mean_of_answers_is_rounded_once():
    mean = AnswerMeasure("all_score").aggregator()
    assert isnan(mean.result())
    for value in (0.1, 0.2, 0.3):
        mean.add(value)
    assert mean.result() == 0.2, "0.1 + 0.2 + 0.3 is more than 0.6"


# Measures of trec_eval


OF_IR_MEASURES = [
    "RR@3", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:5})@5", "nDCG(judged_only=True)@5", "AP(judged_only=True)", "SetP",
    "Bpref", "nDCG(dcg='log2')", "nDCG(judged_only=False)@5", "Rprec(rel=2)", "Success@5",
]  # fmt: skip


@pytest.mark.parametrize("spec", OF_IR_MEASURES)
def test_measures_of_ir_measures_have_its_values(spec):
    """Also those that differ from a measure of irdiv's in a parameter or a cutoff only."""
    qrels, run = random_collection(0, weighted=False), random_run(0)
    run = run.assign(score=-run.index.astype(float))  # programs settle ties in other ways
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    measure = ir_measures.parse_measure(spec)
    expected = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], highest, run)}
    found = irdiv.evaluate(qrels, run, spec)
    assert dict(zip(found.query_ids, found.values[0, 0].tolist(), strict=True)) == pytest.approx(expected, abs=1e-9)
    assert max(expected.values()) > 0


# Measures of other packages


def first_rank(ranked, values, cutoff):
    relevant = ranked.relevant(values["rel"])
    return safe_divide(
        (relevant / ranked.rank[:, None, :]).max(axis=2).sum(axis=1), ranked.topics.eligible_intent_count(1, "relevant")
    )


FIRST = Declaration(
    "contributed", "First-IA", "Mean reciprocal first rank over intents.", "1/N Σ_i 1/r_i", ("us",), first_rank,
    parameters=(REL,), takes_cutoff=False,
)  # fmt: skip


def contribute():
    return [FIRST]


def contribute_a_base():
    return [replace(BASE_MEASURES["Hit"], name="Found")]


def taken_name():
    return [replace(FIRST, name="D-nDCG")]


def broken():
    raise RuntimeError("no licence")


@pytest.fixture
def contributed(monkeypatch):
    """Let the registry find entry points, and forget them afterwards."""

    def install(*functions: str) -> None:
        found = [EntryPoint(name, f"{__name__}:{name}", "irdiv.measures") for name in functions]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found if group == "irdiv.measures" else [])
        for name in ("bases", "declared", "_found"):
            monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
        monkeypatch.setattr(registry, "_has_contributions", False)

    return install


def test_an_installed_package_contributes_measures(contributed):
    contributed("contribute")
    assert irdiv.parse("First-IA(rel=2)") == Measure(FIRST, rel=2)
    first, reciprocal_rank = irdiv.evaluate(
        random_collection(0, weighted=False), random_run(0), ["First-IA", "RR-IA"]
    ).values[0]
    np.testing.assert_allclose(first, reciprocal_rank)
    assert "First-IA" in listed("")
    assert "Mean reciprocal first rank" in irdiv.explain("First-IA")


def test_a_contributed_base_has_all_operators(contributed):
    contributed("contribute_a_base")
    for form in ("{}-IA@3", "D-{}@3", "D#-{}@3", "HD#-{}@3", "D#-{}-LA@3"):
        specs = [form.format("Hit"), form.format("Found")]
        ours, theirs = irdiv.evaluate(random_collection(0), random_run(0), specs).values[0]
        np.testing.assert_array_equal(ours, theirs, err_msg=form)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        (["taken_name", "contribute"], "'taken_name' declares 'D-nDCG', which exists already.* ignored"),
        (["contribute", "contribute"], "'contribute' declares 'First-IA', which exists already"),
        (["broken", "contribute"], "entry point 'broken' .*:broken.* cannot be loaded: no licence"),
    ],
)
def test_a_contribution_that_cannot_be_used_is_named_and_takes_nothing_away(contributed, functions, message):
    before = irdiv.parse("D-nDCG@5").declaration
    contributed(*functions)
    with pytest.warns(irdiv.IrdivWarning, match=message):
        assert irdiv.parse("First-IA").NAME == "First-IA"
    assert irdiv.parse("D-nDCG@5").declaration is before


def test_names_of_irdiv_need_no_look_at_other_packages(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: 1 / 0)
    monkeypatch.setattr(registry, "_has_contributions", False)
    for spec in ("D#-nDCG@10", "nDCG@10", "ERR_IA@5", "α-nDCG@5", "Dsharp_Q@3"):
        irdiv.parse(spec)


def test_a_measure_outside_the_catalogue_can_be_copied():
    measure = Measure(FIRST, rel=2)
    assert copy.deepcopy(measure) == measure
    assert pickle.loads(pickle.dumps(measure)).parameter_values() == measure.parameter_values()
    assert Parameter("p", 1, "a parameter", int).samples == (1,)


def described(owner, value, *, unit=""):
    return f"{value!r}{unit}"


def test_equal_values_of_other_types_are_not_taken_for_each_other():
    """What is kept for the value 1 of a parameter does not serve True or 1.0."""
    memo, values = Memo(), (1, True, 1.0, *(ParameterValues({"x": x}) for x in (1, True, 1.0)))
    assert [memo.cached(described, value) for value in values] == [repr(value) for value in values]
    assert [memo.cached(described, 1, unit=unit) for unit in (1, True)] == ["11", "1True"]
    assert ParameterValues({"rel": 1, "gain": "exp"}) == ParameterValues({"gain": "exp", "rel": 1})
    assert ParameterValues({"rel": 1}) not in (ParameterValues({"rel": True}), {"rel": 1})
    assert dict(ParameterValues({"rel": 1, "gain": "exp"}).only("rel").replace(H=3)) == {"rel": 1, "H": 3}
