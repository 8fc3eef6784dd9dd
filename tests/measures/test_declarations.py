"""What measures state of themselves: texts, parameters with the defaults of the papers, and operators."""

from __future__ import annotations

import re

import pytest

import irdiv
from irdiv import IrdivError
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry

ALL = [*registry.values(), *registry.extensions.values()]


@pytest.mark.parametrize("declaration", ALL, ids=lambda d: d.name)
def test_texts_are_sentences_formulas_and_references(declaration):
    texts = [declaration.summary, *filter(None, [declaration.other_programs, declaration.namesake])]
    assert all(text.endswith((".", ".)")) and " " in text for text in texts)
    assert not any(re.search(r"\.[A-Z]|  ", text) for text in texts), "sentences are joined by one space"
    assert re.search("[Σ/·]|1 if", declaration.formula)
    assert all(re.search(r"\b(19|20)\d\d\b", reference) for reference in declaration.references)


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.name)
def test_operators_apply_to_every_base_measure_for_which_they_are_defined(base):
    expected = {
        "{}-IA": True,
        "{}": base.standalone,
        **dict.fromkeys(["D-{}", "DIN-{}", "HD-{}"], not base.needs_grades),
        **dict.fromkeys(["D#-{}", "DIN#-{}", "LD#-{}", "HD#-{}", "LAD#-{}"], not base.needs_grades and base.bounded),
    }
    assert {form: form.format(base.name) in registry for form in expected} == expected


@pytest.mark.parametrize("declaration", ALL, ids=lambda d: d.name)
def test_components_are_measures_with_the_parameters_of_the_whole(declaration):
    for name in declaration.components:
        assert set(registry[name].by_name) <= set(declaration.by_name), name


DEFAULTS = {
    "nDCG-IA": {"gain": "exp", "discount": "log2", "b": 2.0, "rel": 1, "intents": "relevant", "renormalize": True},
    "D#-Q": {"gamma": 0.5, "beta": 1.0},
    "AP-IA": {"norm": "relevant"},
    "ERR-IA": {"stop": "exp", "max_grade": None},
    "RBP": {"p": 0.8, "graded": False},
    "iRBU": {"p": 0.99},
    "GAP": {"thresholds": None},
    "alpha-nDCG": {"alpha": 0.5, "weighted": False, "model": "sum", "gamma": 1.0, "ideal": "greedy", "cap": False},
    "NRBP": {"alpha": 0.5, "beta": 0.5},
    "CT": {"gamma": 0.5, "height": 5.0, "time": "iteration", "form": "track", "weighted": False},
    "RBU": {"p": 0.8, "e": 0.03},
    "Coverage": {"intents": "all", "weighted": False},
    "LAD#-Q": {"hierarchy": "EIH", "weights": None, "layer_weights": None},
}
"""Defaults of the papers and of the official programs."""


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_of_the_papers(name):
    found = irdiv.parse(name).parameter_values()
    assert {parameter: found[parameter] for parameter in DEFAULTS[name]} == DEFAULTS[name]


@pytest.mark.parametrize("declaration", ALL, ids=lambda d: d.name)
def test_other_values_are_refused_with_what_was_expected(declaration):
    for parameter in declaration.parameters:
        with pytest.raises(IrdivError, match=rf"^{re.escape(declaration.name)}: {parameter.name}='\?' is not "):
            parameter.accept("?", declaration.name)
    infos = declaration.param_infos
    assert [*declaration.by_name, *(["cutoff"] if declaration.takes_cutoff else [])] == list(infos)
