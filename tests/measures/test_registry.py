"""The catalogue, and measures that other packages contribute to it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv.arrays.memo import Memo
from irdiv.kernels.lists import safe_divide
from irdiv.measures import BaseMeasure, Declaration, Measure, Parameter, ParameterValues, declare_base, registry
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import Registry
from irdiv.measures.parameters import REL


def first_rank(ranked, values, cutoff):
    relevant = ranked.relevant(values["rel"])
    return safe_divide(
        (relevant / ranked.rank[:, None, :]).max(axis=2).sum(axis=1), ranked.block.eligible_intent_count(1, "relevant")
    )


FIRST = Declaration(
    "contributed", "First-IA", "Mean reciprocal first rank over intents.", "1/N Σ_i 1/r_i", ("us",), first_rank,
    parameters=(REL,), takes_cutoff=False,
)  # fmt: skip


def contribute():
    return [FIRST]


def contribute_a_base():
    return declare_base(replace(next(base for base in BASES if base.name == "Hit"), name="Found"))


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
        monkeypatch.setattr(registry, "_contributed", None)

    yield install
    registry._contributed = None


def test_an_installed_package_contributes_measures(contributed):
    contributed("contribute")
    qrels, run = random_collection(0), random_run(0)
    assert irdiv.parse("First-IA(rel=2)") == Measure(FIRST, rel=2)
    flat = random_collection(0, weighted=False)
    first, reciprocal_rank = irdiv.evaluate(flat, run, ["First-IA", "RR-IA"]).values[0]
    np.testing.assert_allclose(first, reciprocal_rank)
    assert irdiv.evaluate(qrels, run, "First-IA").values.max() > 0
    assert "First-IA" in registry
    assert "Mean reciprocal first rank" in irdiv.explain("First-IA")


def test_a_contributed_base_has_all_operators(contributed):
    contributed("contribute_a_base")
    qrels, run = random_collection(0), random_run(0)
    for form in ("{}-IA@3", "D-{}@3", "D#-{}@3"):
        ours, theirs = irdiv.evaluate(qrels, run, [form.format("Hit"), form.format("Found")]).values[0]
        np.testing.assert_array_equal(ours, theirs)


def test_a_name_that_exists_is_ignored_with_a_warning(contributed):
    contributed("taken_name", "contribute")
    before = irdiv.parse("D-nDCG@5").declaration
    with pytest.warns(irdiv.IrdivWarning, match="'taken_name' declares 'D-nDCG', which exists already.* ignored"):
        assert "First-IA" in list(registry)
    assert irdiv.parse("D-nDCG@5").declaration is before


def test_of_two_packages_with_one_name_the_first_is_taken(contributed):
    contributed("contribute", "contribute")
    with pytest.warns(irdiv.IrdivWarning, match="'contribute' declares 'First-IA', which exists already"):
        assert list(registry) == [*registry.own, "First-IA"]
    assert len(registry) == len(registry.own) + 1


def test_a_measure_outside_the_catalogue_can_be_copied():
    measure = Measure(FIRST, rel=2)
    assert copy.deepcopy(measure) == measure
    assert pickle.loads(pickle.dumps(measure)).parameter_values() == measure.parameter_values()


def test_a_broken_package_is_named_and_takes_nothing_away(contributed):
    contributed("broken", "contribute")
    with pytest.warns(irdiv.IrdivWarning, match="entry point 'broken' .*:broken.* cannot be loaded: no licence"):
        assert irdiv.parse("First-IA").NAME == "First-IA"
    assert irdiv.parse("D#-nDCG@10")


def test_names_of_irdiv_need_no_look_at_other_packages(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: 1 / 0)
    fresh = Registry([FIRST])
    assert fresh["First-IA"] is FIRST
    monkeypatch.setattr(registry, "_contributed", None)
    for spec in ("D#-nDCG@10", "nDCG@10", "ERR_IA@5", "α-nDCG@5", "Dsharp_Q@3"):
        irdiv.parse(spec)


def test_what_is_needed_to_declare_a_measure_is_in_one_place():
    needed = {BaseMeasure, Declaration, Measure, Parameter, ParameterValues, declare_base}
    assert {thing.__name__ for thing in needed} | {"Score", "registry"} <= set(irdiv.measures.__all__)
    assert Parameter("p", 1, "a parameter", int).samples == (1,)


def described(owner, value, *, unit=""):
    return f"{value!r}{unit}"


def test_equal_values_of_other_types_are_not_taken_for_each_other():
    memo = Memo()
    values = (1, True, 1.0, *(ParameterValues({"x": x}) for x in (1, True, 1.0)))
    assert [memo.cached(described, value) for value in values] == [repr(value) for value in values]
    assert [memo.cached(described, 1, unit=unit) for unit in (1, True)] == ["11", "1True"]
