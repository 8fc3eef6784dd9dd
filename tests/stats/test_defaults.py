"""The defaults of all options of statistics, and the modules that names come from."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

from irdiv import stats
from irdiv.stats import intervals, options, power, scores, study, table, tukey
from irdiv.stats.significance import significant_differences

DEFAULTS = {
    "assessor_agreement": {"weighting": None, "confidence_level": 0.95},
    "bootstrap_test": {
        "rng": 0, "n_resamples": 1000, "plus_one": False, "interval": "bca", "confidence_level": 0.95,
    },
    "compare": {
        "test": "bootstrap", "baseline": None, "measures": None, "correction": None, "rng": 0, "n_resamples": None,
        "plus_one": None, "interval": "bca", "confidence_level": 0.95, "progress": False,
    },
    "compare_leaderboards": {
        "method": "tau", "top": None, "measures": None, "confidence_level": 0.95, "rng": 0, "n_resamples": 1000,
    },
    "concordance": {"measures": None, "by_collection": False},
    "correlate": {"method": "tau", "top": None, "measures": None, "by_collection": False},
    "correlation_intervals": {
        "method": "tau", "top": None, "measures": None, "confidence_level": 0.95, "rng": 0, "n_resamples": 1000,
    },
    "disagreements": {
        "n": 10, "among": None, "significant": None, "test": None, "correction": None, "level": 0.05, "rng": 0,
        "n_resamples": None, "plus_one": None,
    },
    "discriminative_power": {
        "test": "bootstrap", "measures": None, "level": 0.05, "rng": 0, "n_resamples": None, "plus_one": None,
        "delta": True, "progress": False,
    },
    "fleiss_kappa": {"votes_per_document": None},
    "grades_from_votes": {"levels": None, "missing_vote": None},
    "leaderboard": {
        "baseline": None, "measures": None, "test": None, "correction": None, "level": 0.05, "rng": 0,
        "n_resamples": None, "interval": "bca", "confidence_level": 0.95,
    },
    "mean_curves": {"interval": "bca", "confidence_level": 0.95, "rng": 0, "n_resamples": 1000},
    "pilot_variance": {"model": "one-way", "measures": None},
    "power_by_topics": {
        "sizes": None, "trials": 20, "measures": None, "level": 0.05, "rng": 0, "n_resamples": 1000,
        "by_collection": False, "progress": False,
    },
    "randomization_test": {
        "rng": 0, "n_resamples": 10_000, "plus_one": True, "interval": "bca", "confidence_level": 0.95,
    },
    "rank_runs": {
        "measure": None, "test": "tukey", "correction": None, "level": 0.05, "rng": 0, "n_resamples": None,
        "plus_one": None, "interval": "bca", "confidence_level": 0.95,
    },
    "read_values": {},
    "swap_rates": {
        "sizes": None, "trials": 100, "bin_width": 0.01, "measures": None, "rng": 0, "by_collection": False,
    },
    "t_test": {"rng": 0, "n_resamples": None, "interval": "t", "confidence_level": 0.95},
    "tau": {"top": None},
    "tau_ap": {"top": None},
    "tau_ap_b": {"top": None},
    "topic_set_size": {
        "systems": None, "model": "one-way", "measures": None, "level": 0.05, "power": 0.8, "confidence_level": 0.95,
    },
    "topics_for_anova": {"level": 0.05, "power": 0.8},
    "topics_for_interval": {"confidence_level": 0.95},
    "topics_for_t_test": {"level": 0.05, "power": 0.8},
    "worst_topics": {"n": 5, "measure": None, "run": None, "baseline": None},
}  # fmt: skip


def defaults_of(function) -> dict[str, object]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def same(found: dict, expected: dict) -> bool:
    """Return whether values are equal and of equal types: 0 is not False here."""
    return {k: (v, type(v)) for k, v in found.items()} == {k: (v, type(v)) for k, v in expected.items()}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name):
    assert same(defaults_of(getattr(stats, name)), DEFAULTS[name])


def test_every_function_is_in_the_table_and_in_its_module():
    assert {name for name in stats.__all__ if name[0].islower()} == set(DEFAULTS)
    for name in stats.__all__:
        member = getattr(stats, name)
        assert member.__name__ == name
        assert member.__module__ == stats._MODULE_OF[name]
        assert name in dir(stats)
    assert set(stats._MODULE_OF) == set(stats.__all__)


def test_defaults_within_the_package():
    assert same(defaults_of(tukey.tukey_p), {"rng": 0, "n_resamples": 1000, "plus_one": False})
    assert same(defaults_of(intervals.intervals_of_means), {"interval": "bca", "confidence_level": 0.95})
    assert same(
        defaults_of(significant_differences),
        {"baseline": None, "test": "bootstrap", "correction": "auto", "level": 0.05, "rng": 0, "n_resamples": None},
    )
    assert same(defaults_of(options.require_two_topics), {"analysis": "a test"})
    assert same(defaults_of(study.Study.analyze), {"rng": 0})
    assert scores.VALUE_TOLERANCE == 1e-12
    assert table.Table._field_defaults["is_in_given_order"] is True
    defaults = {field.name: field.default for field in fields(power.DiscriminativePower)}
    assert (defaults["level"], defaults["backend"]) == (0.05, "pandas")
    assert {field.name: field.default for field in fields(scores.Scores)}["backend"] == "pandas"
