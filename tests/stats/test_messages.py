"""What statistics say about input that they cannot use: what was found, and what is expected or to do."""

from __future__ import annotations

import re
import sys
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import evaluation_of
from irdiv import IrdivError, stats
from irdiv.stats import options
from irdiv.stats.cases import SignificantBy
from irdiv.stats.names import find_topic
from irdiv.stats.rank_correlation import CorrelationName
from irdiv.stats.significance import significant_differences

MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10")


def evaluation(runs: int = 3, topics: int = 4, measures=MEASURES):
    """Return values that differ in runs, measures and topics."""
    values = np.random.default_rng(1).random((runs, len(measures), topics))
    return evaluation_of(values, measures)


def rejects(message: str, function, *args, **kwargs) -> None:
    """Fail unless a call raises an error that contains a regular expression."""
    with pytest.raises(IrdivError, match=message):
        function(*args, **kwargs)


def disagreements(given, **kwargs):
    return stats.disagreements(given, *MEASURES[:2], **kwargs)


ONE, TWO, ONE_RUN, ONE_TOPIC = evaluation(), evaluation(runs=2), evaluation(runs=1), evaluation(topics=1)
FRAME = ONE.frame
CURVES = pd.DataFrame({"run": "a", "query_id": ["1", "2"], "rank": 1, "value": [0.5, 1.0]})
OF_ALL = {
    "power": stats.discriminative_power,
    "correlate": stats.correlate,
    "compare": stats.compare,
    "leaderboard": stats.leaderboard,
    "swap_rates": stats.swap_rates,
    "power_by_topics": stats.power_by_topics,
    "concordance": lambda given: stats.concordance(given, "I-rec@10"),
    "difference_bars": lambda given: irdiv.plots.difference_bars(given, "r0", "r1"),
}
"""Functions that read the values of an evaluation."""


@pytest.mark.parametrize("function", [stats.bootstrap_test, stats.randomization_test, stats.t_test])
@pytest.mark.parametrize(
    ("x", "kwargs", "message"),
    [
        ([0.5], {}, "at least two topics, found 1"),
        ([0.5, 0.4, 0.1], {}, "3 and 2 values"),
        ([0.5, 0.4], {"interval": "wald"}, "interval='wald'.*'bca', 'percentile', 't'"),
        ([0.5, 0.4], {"confidence_level": 1}, "confidence_level=1 .*below 1"),
        ([0.5, 0.4], {"confidence_level": 0}, "confidence_level=0 .*above 0"),
        ([0.5, 0.4], {"n_resamples": 0}, "n_resamples=0 .*integer from 1"),
        ([0.5, 0.4], {"n_resamples": 10.0}, "n_resamples=10.0 .*integer"),
        ([0.5, 0.4], {"rng": "x"}, "rng='x' is neither a seed .*Generator"),
    ],
)
def test_two_systems(function, x, kwargs, message):
    rejects(message, function, x, [0.4] if len(x) == 1 else [0.4, 0.3], **kwargs)


@pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b, stats.t_test])
@pytest.mark.parametrize(
    ("values", "kind"), [(["a", "b"], "numbers"), ([1, np.inf], "finite numbers"), ([[1, 2]], "finite numbers")]
)
def test_values_that_are_not_numbers(function, values, kind):
    holders = ("x must hold", "y must hold") if function is stats.t_test else ("a ranking is given by",) * 2
    found = f" {kind}, .*found {re.escape(repr(values))}"
    rejects(holders[0] + found, function, values, [1, 2])
    rejects(holders[1] + found, function, [1, 2], values)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.tau([1, 2], [1]), "2 and 1 .*the same systems"),
        (lambda: stats.tau([1], [1]), "at least two systems"),
        (lambda: stats.tau([1, 2], [1, 2], top=3), "top=3, .*only 2 systems"),
        (lambda: stats.correlate(ONE_RUN), "at least two runs, found 'r0'"),
        (lambda: stats.correlate(ONE, measures=[]), "no measures given; name some .*leave .*all"),
        (lambda: stats.correlate(ONE, by_collection=True), "by_collection=True needs names .*mapping"),
        (lambda: stats.correlation_intervals(ONE_RUN), "at least two runs, found 'r0'"),
        (lambda: stats.correlation_intervals(ONE_TOPIC), "interval needs at least two topics, found 1"),
        (lambda: stats.compare_leaderboards(ONE, ONE_RUN), "at least two runs, found 'r0'|different runs"),
        (lambda: stats.compare_leaderboards(evaluation(topics=3), ONE), "different topics: only gold has '3'"),
        (lambda: stats.concordance(ONE, []), "no gold measure given; name one"),
        (lambda: stats.concordance(ONE, "P@3"), "P@3 was not evaluated; .*'I-rec@10'"),
        (lambda: stats.concordance(ONE, MEASURES[0], measures=[MEASURES[1]]), "at least two measures besides the gold"),
    ],
)
def test_agreement(call, message):
    rejects(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.compare(ONE_RUN), "at least two runs, found 'r0'"),
        (lambda: stats.compare(ONE_TOPIC), "at least two topics, found 1"),
        (lambda: stats.compare(ONE, test="tukey", correction="holm"), "'tukey' .*all pairs.*leave the correction out"),
        (lambda: stats.compare(ONE, test="t", correction="z"), "correction='z' is not known; .*'bonferroni', 'holm'"),
        (lambda: stats.compare(ONE, test="t", correction=True), "correction=True is not known"),
        (lambda: stats.compare(ONE, baseline="zzz"), "no run .*'zzz'; there are 'r0'"),
        (lambda: stats.compare(TWO, baseline=["r0", "r1"]), "all runs are baselines; leave one out"),
        (lambda: stats.compare(TWO, baseline=[]), "no baseline given; name a run, or leave .*all pairs"),
        (lambda: stats.compare(TWO, rng=-1), "rng=-1 is neither a seed"),
        (lambda: stats.compare(TWO, rng="x", test="tukey", interval="t"), "rng='x' is neither a seed"),
        (lambda: significant_differences(ONE_RUN, baseline="r0"), "at least two runs, found 'r0'"),
        (lambda: significant_differences(ONE, baseline=["r0"]), r"baseline=\['r0'\] is not .* one run"),
        (lambda: stats.leaderboard(ONE_TOPIC, baseline="r9"), "no run .*'r9'; there are 'r0'"),
        (lambda: stats.leaderboard(ONE, measures="P@5"), "P@5 was not evaluated; .*'I-rec@10'"),
        (lambda: stats.rank_runs(ONE_TOPIC), "a test needs at least two topics, found 1"),
        (lambda: stats.rank_runs(FRAME), "several measures; name one of 'D#-nDCG@10', 'D-nDCG@10', 'I-rec@10'"),
        (lambda: find_topic(["1", "2"], 77), "no topic .*'77'; there are '1', '2'"),
    ],
)
def test_comparisons(call, message):
    rejects(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.worst_topics(ONE, run="r1", baseline="r1"), "'r1' is .* its own baseline; name another"),
        (lambda: stats.worst_topics(ONE_RUN, baseline="r0"), "only run is the baseline; evaluate another"),
        (lambda: stats.worst_topics(ONE, measure=["I-rec@10"]), r"expected one measure, found \['I-rec@10'\]"),
        (lambda: stats.disagreements(ONE, "I-rec@10", "I_rec@10"), "I-rec@10 .* itself; give two measures"),
        (lambda: stats.discriminative_power(ONE_TOPIC), "a test needs at least two topics, found 1"),
        (lambda: stats.discriminative_power(ONE).summary(by_collection=True), "by_collection=True needs names"),
        (lambda: stats.power_by_topics(ONE_TOPIC), "2 topics .*for subsets.*found 1"),
        (lambda: stats.swap_rates(ONE_TOPIC), "2 topics .*for two disjoint sets.*found 1"),
    ],
)
def test_cases_and_power(call, message):
    rejects(message, call)


def test_two_topics_are_enough():
    two = evaluation(topics=2)
    for call in (stats.compare, stats.correlation_intervals, stats.power_by_topics, stats.swap_rates):
        assert len(call(two)) > 0, call


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        (CURVES.drop(columns="run"), "frames with columns such as .*found 'query_id', 'rank', 'value'"),
        (CURVES.drop(columns="query_id"), "found 'run', 'rank', 'value'"),
        (CURVES.drop(columns="rank"), "found 'run', 'query_id', 'value'"),
        (CURVES.rename(columns={"value": "more"}), "found 'run', 'query_id', 'rank', 'more'"),
        (CURVES.assign(precision=1.0), "found .*'precision'"),
        ({"a": {"1": 1}}, "found 'run', 'query_id', 'value'"),
        (None, "cannot read the curves from 'NoneType'"),
        (CURVES[:0], "curves have no rows"),
        (pd.concat([CURVES, CURVES[1:]]), "two values for run 'a', rank 1, query_id '2'"),
        (pd.concat([CURVES, CURVES[:1].assign(rank=2)]), "lack 1 of 4 values, .*run 'a', rank 2, query_id '2'"),
    ],
)
def test_curves(curves, message):
    rejects(message, stats.mean_curves, curves)


@pytest.mark.parametrize("name", OF_ALL)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            FRAME.query("run != 'r1' or query_id != '3'"),
            "lacks 3 of 36 values: run 'r1', topic '3', D#-nDCG@10; .*D-nDCG@10; .*I-rec@10. Every run needs",
        ),
        (FRAME.query("run != 'r0' or measure != 'I-rec@10'"), "lacks 4 of 36 values: run 'r0', topic '0', I-rec@10; "),
        (
            pd.concat([FRAME, FRAME.assign(run="s" + FRAME["run"], query_id="t" + FRAME["query_id"])]),
            "lacks 72 of 144 values: run 'r0', topic 't0', .*; …",
        ),
        (
            pd.concat([FRAME.assign(collection="a"), FRAME.assign(collection="b", query_id="b" + FRAME["query_id"])]),
            "several collections, 'a', 'b'.*mapping",
        ),
        (pd.concat([FRAME, FRAME[:1]]), "two values of I-rec@10 for run 'r0' and topic '0'"),
    ],
    ids=["topic", "measure", "both", "collections", "repeated"],
)
def test_values_that_are_missing_or_repeated(name, given, message):
    rejects(message, OF_ALL[name], given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "cannot read the evaluation from 'int'. Give a"),
        ([ONE, FRAME], "expected one evaluation, found a list of 2; give a mapping"),
        ((None, ONE), "found a tuple of 2; give a mapping"),
        ({}, "no collections given: expected a mapping"),
        (FRAME.drop(columns="value"), "lacks .*expected 'value', found 'run', 'query_id', 'measure'"),
        (FRAME.assign(run=None), "'run' of the evaluation has a missing id"),
        (FRAME.assign(value="x"), "'value' of the evaluation must hold numbers, found 'x'"),
        (FRAME.assign(value=np.nan), "finite numbers"),
        (evaluation_of(np.array([[[0.5, np.inf]], [[0.5, 0.5]]])), "not finite; drop or correct"),
        (FRAME.assign(name="another"), "two columns for one thing: 'run', 'name'"),
        (FRAME.assign(qid="1"), "two columns for one thing: 'query_id', 'qid'"),
        (pd.concat([FRAME, FRAME.assign(query_id=FRAME["query_id"].astype(int))]), "two values of I-rec@10"),
    ],
)
def test_evaluations(given, message):
    rejects(message, stats.compare, given)
    rejects(message, stats.correlate, given)


def test_a_collection_that_differs_in_names_or_values_is_another():
    """No warning says that they are the same."""
    other_values = evaluation_of(ONE.values + 0.1, MEASURES)
    other_runs, other_topics = (FRAME.assign(**{name: "x" + FRAME[name]}) for name in ("run", "query_id"))
    found = stats.correlate({"a": ONE, "b": other_values, "c": other_runs, "d": other_topics})
    pd.testing.assert_frame_equal(found, stats.correlate(ONE))


@pytest.mark.parametrize(
    ("name", "choices", "function"),
    [
        ("method", CorrelationName, stats.correlate),
        ("significant", SignificantBy, disagreements),
        ("test", options.TestName, disagreements),
        ("test", options.TestName, stats.leaderboard),
        ("test", options.TestName, lambda _, **kwargs: stats.rank_runs(ONE_RUN, **kwargs)),
        ("test", options.TestName, stats.compare),
        ("test", options.TestName, stats.discriminative_power),
        ("test", options.TestName, significant_differences),
        ("interval", options.IntervalName, stats.compare),
        ("interval", options.IntervalName, stats.leaderboard),
    ],
)
def test_unknown_choices(name, choices, function):
    known = ", ".join(map(repr, get_args(choices)))
    rejects(f"^{name}='z' is not one of {known}", function, ONE, **{name: "z"})


@pytest.mark.parametrize(
    ("function", "kwargs", "reason"),
    [
        *((disagreements, {name: value}, "without significant=") for name, value in
          {"test": "t", "correction": "holm", "n_resamples": 9, "plus_one": False}.items()),
        (stats.leaderboard, {"test": "t"}, "without baseline="),
        (stats.leaderboard, {"correction": "holm"}, "without baseline="),
        (stats.leaderboard, {"n_resamples": 9, "interval": "t"}, "for interval='t'"),
        (stats.leaderboard, {"n_resamples": 9, "baseline": "r0", "test": "t", "interval": "t"}, "for test='t' and"),
        (stats.discriminative_power, {"n_resamples": 9, "test": "t"}, "for test='t';"),
        (stats.discriminative_power, {"plus_one": False, "test": "t"}, "on p of test='t'"),
        (stats.compare, {"n_resamples": 9, "test": "t", "interval": "t"}, "for test='t' and interval='t'"),
        (stats.compare, {"plus_one": True, "test": "t"}, "on p of test='t'"),
        (lambda _, **kwargs: stats.t_test([1, 2], [2, 4], **kwargs), {"n_resamples": 9}, "for test='t' and interval"),
    ],
)  # fmt: skip
def test_options_without_effect(function, kwargs, reason):
    name, value = next(iter(kwargs.items()))
    rejects(f"^{name}={value!r} has no effect.* {reason}.*leave", function, ONE, **kwargs)
    if name == "n_resamples" and function is not disagreements:
        function(ONE, **{**kwargs, "n_resamples": None})


@pytest.mark.parametrize(
    ("name", "refused", "accepted", "call"),
    [
        ("top", [1], [2], lambda x: stats.tau([1, 2], [1, 2], top=x)),
        ("n", [0], [1], lambda x: stats.worst_topics(ONE, x)),
        ("n", [0], [1], lambda x: disagreements(ONE, n=x)),
        ("n_resamples", [0, 10_000_001], [1], lambda x: stats.compare(TWO, n_resamples=x)),
        ("n_resamples", [0], [1], lambda x: stats.compare(TWO, n_resamples=x, test="tukey")),
        ("n_resamples", [0], [1], lambda x: stats.leaderboard(TWO, n_resamples=x)),
        ("n_resamples", [-1], [], lambda x: stats.discriminative_power(TWO, n_resamples=x)),
        ("n_resamples", [0], [1], lambda x: stats.mean_curves(CURVES, n_resamples=x)),
        ("n_resamples", [0], [1], lambda x: stats.correlation_intervals(TWO, n_resamples=x)),
        ("n_resamples", [0], [1], lambda x: stats.compare_leaderboards(TWO, TWO, n_resamples=x)),
        ("n_resamples", [0], [1], lambda x: stats.power_by_topics(ONE, trials=1, n_resamples=x)),
        ("trials", [0], [1], lambda x: stats.power_by_topics(ONE, trials=x, n_resamples=1)),
        ("trials", [0], [1], lambda x: stats.swap_rates(ONE, trials=x)),
        ("sizes", [1, 5, 2.5], [2, 4], lambda x: stats.power_by_topics(ONE, sizes=[x], trials=1, n_resamples=1)),
        ("sizes", [0, 3], [1, 2], lambda x: stats.swap_rates(ONE, sizes=[x], trials=1)),
        ("systems", [1], [2], lambda x: stats.topic_set_size(ONE_RUN, 0.5, systems=x)),
        ("bin_width", [0], [0.5], lambda x: stats.swap_rates(ONE, bin_width=x)),
        ("level", [0, 1], [], lambda x: disagreements(ONE, significant="both", level=x)),
        ("level", [0, 1], [0.5, 1e-9, 1 - 1e-9], lambda x: stats.leaderboard(ONE, level=x)),
        ("level", [0, 1], [0.5], lambda x: stats.power_by_topics(ONE, trials=1, level=x)),
        ("level", [0, 1], [], lambda x: stats.discriminative_power(ONE, level=x)),
        ("level", [0, 1], [], lambda x: significant_differences(ONE, level=x)),
        ("level", [0, 1], [0.5], lambda x: stats.rank_runs(ONE, level=x)),
        ("confidence_level", [0, 1], [0.5], lambda x: stats.leaderboard(ONE, confidence_level=x)),
    ],
)
def test_bounds(name, refused, accepted, call):
    for value in refused:
        rejects(f"^{name}={value!r} is not (an integer|a number) ", call, value)
    for value in accepted:
        assert len(np.atleast_1d(call(value))) > 0, value


def test_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats", None)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    rejects(r"corrections need statsmodels: pip install 'irdiv\[stats\]'", stats.compare, ONE, correction="fdr_bh")
    # Holm's is irdiv's own
    assert len(stats.compare(ONE, test="t", correction="holm")) == 9
