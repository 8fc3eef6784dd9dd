"""The defaults of all options of statistics, and the modules that names come from."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

from irdiv import stats
from irdiv.stats import intervals, options, power, scores, study, table, tukey
from irdiv.stats.significance import significant_differences

FUNCTIONS = [
    *(getattr(stats, name) for name in stats.__all__ if name[0].islower()),
    *(tukey.tukey_p, intervals.intervals_of_means, significant_differences),
    *(options.require_two_topics, study.Study.analyze),
]
REQUIRED = inspect.Parameter.empty
DEFAULTS = {
    "analysis": "a test", "bin_width": 0.01, "by_collection": False, "confidence_level": 0.95, "correction": "auto",
    "delta": True, "interval": "bca", "level": 0.05, "method": "tau", "model": "one-way", "n_resamples": 1000,
    "plus_one": False, "power": 0.8, "progress": False, "rng": 0, "test": "bootstrap",
}  # fmt: skip
DEFAULTS_OF_FUNCTIONS = {
    "disagreements": {"n": 10},
    "intervals_of_means": {"counts": REQUIRED},
    "mean_curves": {"interval": "bca"},
    "power_by_topics": {"trials": 20},
    "randomization_test": {"n_resamples": 10_000, "plus_one": True},
    "rank_runs": {"test": "tukey"},
    "swap_rates": {"trials": 100},
    "t_test": {"interval": "t"},
    "worst_topics": {"n": 5},
}


def expected_default(function, parameter: inspect.Parameter) -> object:
    """Return the default of the function; otherwise None if the annotation allows it, or else that of the name."""
    of_all = None if parameter.annotation.endswith("| None") else DEFAULTS.get(parameter.name, REQUIRED)
    return DEFAULTS_OF_FUNCTIONS.get(function.__name__, {}).get(parameter.name, of_all)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_defaults(function):
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != "self":
            expected = expected_default(function, parameter)
            # 0 is not False here
            assert (parameter.default, type(parameter.default)) == (expected, type(expected)), parameter


def test_every_default_is_that_of_an_option():
    signatures = {function.__name__: set(inspect.signature(function).parameters) for function in FUNCTIONS}
    assert set(DEFAULTS) <= set.union(*signatures.values())
    assert all(set(own) <= signatures[name] for name, own in DEFAULTS_OF_FUNCTIONS.items())


def test_every_name_is_in_its_module():
    assert set(stats._MODULE_OF) == set(stats.__all__) <= set(dir(stats))
    for name, module in stats._MODULE_OF.items():
        member = getattr(stats, name)
        assert (member.__name__, member.__module__) == (name, module)


def test_defaults_of_fields():
    of_power, of_scores = ({f.name: f.default for f in fields(c)} for c in (power.DiscriminativePower, scores.Scores))
    assert of_power["level"] == 0.05
    assert of_power["backend"] == of_scores["backend"] == "pandas"
    assert table.Table._field_defaults["is_in_given_order"] is True
    assert scores.VALUE_TOLERANCE == 1e-12
