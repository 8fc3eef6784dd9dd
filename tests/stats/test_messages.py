"""What statistics say about input that they cannot use, whole messages: what was found, and what to do."""

from __future__ import annotations

import re
import sys

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import evaluation_of
from irdiv import IrdivError, stats
from irdiv.frames.values import MAX_GRADE
from irdiv.stats import options
from irdiv.stats.names import find_measure, find_run, find_topic
from irdiv.stats.significance import resamples_for, significant_differences

MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10")


def evaluation(runs: int = 3, topics: int = 4, measures=MEASURES):
    """Return values that differ in runs, measures and topics."""
    values = np.random.default_rng(1).random((runs, len(measures), topics))
    return evaluation_of(values, measures)


def message_of(call) -> str:
    with pytest.raises(IrdivError) as error:
        call()
    return str(error.value)


def votes(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"])


ONE, TWO = evaluation(), evaluation(runs=2)
OPEN_UNIT = "is not a number above 0 and below 1."
SAMPLES = "is not an integer from 1 to 10000000."
TESTS = "is not one of 'bootstrap', 'randomization', 't', 'tukey'."
INTERVALS = "is not one of 'bca', 'percentile', 't'."
METHODS = "is not one of 'tau', 'tau_ap', 'tau_ap_symmetric', 'tau_ap_b'."
CURVES = pd.DataFrame({"run": "a", "query_id": ["1", "2"], "rank": 1, "value": [0.5, 1.0]})
EACH_DOCUMENT_ONCE = votes(("1", "d0", "A", 1), ("1", "d0", "B", 0), ("1", "d1", "A", 1), ("1", "d1", "B", 1))

MESSAGES = {
    # agreement of measures
    "concordance without gold": (
        lambda: stats.concordance(ONE, []),
        "no gold measure given; name one or several that were evaluated.",
    ),
    "concordance of one measure": (
        lambda: stats.concordance(ONE, "I-rec@10", measures=["D-nDCG@10"]),
        "a concordance test compares at least two measures besides the gold ones.",
    ),
    "correlate by an unknown method": (lambda: stats.correlate(ONE, "rho"), f"method='rho' {METHODS}"),
    "correlate one run": (
        lambda: stats.correlate(evaluation(runs=1)),
        "a comparison needs at least two runs, found 'r0'.",
    ),
    "tau of lists of other lengths": (
        lambda: stats.tau([1, 2], [1]),
        "the rankings have 2 and 1 systems; give scores of the same systems.",
    ),
    "tau of one system": (lambda: stats.tau([1], [1]), "a correlation of rankings needs at least two systems."),
    "tau of words": (
        lambda: stats.tau(["a", "b"], [1, 2]),
        "a ranking is given by numbers, one for each system; found ['a', 'b'].",
    ),
    "tau of infinity": (
        lambda: stats.tau([1, 2], [1, np.inf]),
        "a ranking is given by finite numbers, one for each system; found [1, inf].",
    ),
    "tau of a table": (
        lambda: stats.tau([[1, 2]], [[1, 2]]),
        "a ranking is given by finite numbers, one for each system; found [[1, 2]].",
    ),
    "tau of too few best systems": (
        lambda: stats.tau([1, 2], [1, 2], top=1),
        "top=1 is not an integer of 2 or more.",
    ),
    "tau of more systems than there are": (
        lambda: stats.tau([1, 2], [1, 2], top=3),
        "top=3, but there are only 2 systems; leave it out to compare all.",
    ),
    "intervals on one topic": (
        lambda: stats.correlation_intervals(evaluation(topics=1)),
        "an interval needs at least two topics, found 1.",
    ),
    "intervals of one run": (
        lambda: stats.correlation_intervals(evaluation(runs=1)),
        "a comparison needs at least two runs, found 'r0'.",
    ),
    "leaderboards of other runs": (
        lambda: stats.compare_leaderboards(ONE, ONE.frame.replace({"run": {"r1": "bm25"}})),
        "the leaderboards have different runs: only the estimate has 'r1' and only gold has 'bm25'. "
        "Leave out the runs that only one has.",
    ),
    "leaderboards of fewer topics": (
        lambda: stats.compare_leaderboards(evaluation(topics=3), evaluation(topics=5)),
        "the leaderboards have different topics: only gold has '3', '4'. Leave out the topics that only one has.",
    ),
    "leaderboards of fewer measures": (
        lambda: stats.compare_leaderboards(ONE, evaluation(measures=MEASURES[1:])),
        "the leaderboards have different measures: only the estimate has 'I-rec@10'. "
        "Leave out the measures that only one has.",
    ),
    "a leaderboard of one run": (
        lambda: stats.compare_leaderboards(ONE, evaluation(runs=1)),
        "a comparison needs at least two runs, found 'r0'.",
    ),
    # assessors
    "two votes of an assessor": (
        lambda: stats.grades_from_votes(votes(("1", "d0", "A", 1), ("1", "d0", "A", 0)).assign(intent_id="i")),
        "assessor 'A' has two votes for topic '1', intent 'i', document 'd0'; leave one of them out.",
    ),
    "three documents with fewer votes": (
        lambda: stats.grades_from_votes(
            votes(("1", "d0", "A", 1), ("1", "d0", "B", 1), *(("1", f"d{i}", "A", 1) for i in (1, 2, 3)))
        ),
        "3 of 4 documents have fewer votes than the 2 of others: topic '1', document 'd1'; topic '1', document 'd2'; "
        "topic '1', document 'd3'. Add or leave out votes, or state by missing_vote= what a missing vote counts.",
    ),
    "four documents with fewer votes": (
        lambda: stats.grades_from_votes(
            votes(("1", "d0", "A", 1), ("1", "d0", "B", 1), *(("1", f"d{i}", "A", 1) for i in (1, 2, 3, 4)))
        ),
        "4 of 5 documents have fewer votes than the 2 of others: topic '1', document 'd1'; topic '1', document 'd2'; "
        "topic '1', document 'd3'; …. Add or leave out votes, or state by missing_vote= what a missing vote counts.",
    ),
    "a missing vote beyond grades": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, missing_vote=MAX_GRADE + 1),
        "missing_vote=100001 is not an integer from -100000 to 100000.",
    ),
    "a missing vote below grades": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, missing_vote=-MAX_GRADE - 1),
        "missing_vote=-100001 is not an integer from -100000 to 100000.",
    ),
    "sums without a level": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, levels=dict.fromkeys(range(3, 13), 1)),
        "levels= has no grade for the sum 1, 2; it has 3, 4, 5, 6, 7, 8, 9, 10, 11, ….",
    ),
    "a level beyond grades": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, levels={1: 1, 2: MAX_GRADE + 1}),
        "levels=100001 is not an integer from -100000 to 100000.",
    ),
    "a level below grades": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, levels={1: -MAX_GRADE - 1, 2: 2}),
        "levels=-100001 is not an integer from -100000 to 100000.",
    ),
    "a sum below all": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, levels={-MAX_GRADE - 1: 0, 1: 1, 2: 2}),
        "levels=-100001 is not an integer of -100000 or more.",
    ),
    "agreement of one assessor": (
        lambda: stats.assessor_agreement(votes(("1", "d0", "A", 1))),
        "agreement needs at least two assessors, found 'A'.",
    ),
    "an unknown weighting": (
        lambda: stats.assessor_agreement(EACH_DOCUMENT_ONCE, weighting="cubic"),
        "weighting='cubic' is not one of 'linear', 'quadratic'.",
    ),
    "confidence in agreement": (
        lambda: stats.assessor_agreement(EACH_DOCUMENT_ONCE, confidence_level=0),
        f"confidence_level=0 {OPEN_UNIT}",
    ),
    "numbers of votes that differ": (
        lambda: stats.fleiss_kappa(
            votes(("1", "d0", "A", 1), ("1", "d0", "B", 1), ("1", "d1", "A", 1), ("1", "d2", "B", 1))
        ),
        "documents differ in their numbers of votes: 2 with 1, 1 with 2. Choose a number by votes_per_document=.",
    ),
    "a number of votes that no document has": (
        lambda: stats.fleiss_kappa(EACH_DOCUMENT_ONCE, votes_per_document=3),
        "no document has 3 votes; there are documents with 2.",
    ),
    "one vote for a document": (
        lambda: stats.fleiss_kappa(EACH_DOCUMENT_ONCE, votes_per_document=1),
        "votes_per_document=1 is not an integer of 2 or more.",
    ),
    "one vote for each": (
        lambda: stats.fleiss_kappa(votes(("1", "d0", "A", 1), ("1", "d1", "A", 0))),
        "agreement needs at least two votes for a document, found one for each.",
    ),
    # cases
    "no worst topics": (lambda: stats.worst_topics(ONE, 0), "n=0 is not an integer of 1 or more."),
    "a run that is its baseline": (
        lambda: stats.worst_topics(ONE, run="r1", baseline="r1"),
        "'r1' is the run and its own baseline; name another run.",
    ),
    "only a baseline": (
        lambda: stats.worst_topics(evaluation(runs=1), baseline="r0"),
        "the only run is the baseline; evaluate another run to compare with it.",
    ),
    "several measures in one place": (
        lambda: stats.worst_topics(ONE, measure=["I-rec@10"]),
        "expected one measure, found ['I-rec@10'].",
    ),
    "no disagreements": (
        lambda: stats.disagreements(ONE, *MEASURES[:2], n=0),
        "n=0 is not an integer of 1 or more.",
    ),
    "significance by another": (
        lambda: stats.disagreements(ONE, *MEASURES[:2], significant="all"),
        "significant='all' is not one of 'measure', 'other', 'both'.",
    ),
    "disagreements by an unknown test": (
        lambda: stats.disagreements(ONE, *MEASURES[:2], significant="both", test="z"),
        f"test='z' {TESTS}",
    ),
    "disagreements without a test by an unknown one": (
        lambda: stats.disagreements(ONE, *MEASURES[:2], test="z"),
        f"test='z' {TESTS}",
    ),
    "disagreements at no level": (
        lambda: stats.disagreements(ONE, *MEASURES[:2], significant="both", level=1),
        f"level=1 {OPEN_UNIT}",
    ),
    **{
        f"disagreements without a test, {name}": (
            lambda name=name, value=value: stats.disagreements(ONE, *MEASURES[:2], **{name: value}),
            f"{name}={value!r} has no effect, as nothing is tested without significant=; give significant=, or leave "
            f"{name} out.",
        )
        for name, value in {"test": "t", "correction": "holm", "n_resamples": 9, "plus_one": False}.items()
    },
    "a measure against itself": (
        lambda: stats.disagreements(ONE, "I-rec@10", "I_rec@10"),
        "I-rec@10 does not disagree with itself; give two measures.",
    ),
    "a leaderboard without a test by an unknown one": (lambda: stats.leaderboard(ONE, test="z"), f"test='z' {TESTS}"),
    "a ranking of one run by an unknown test": (
        lambda: stats.rank_runs(evaluation_of(np.zeros((1, 1, 3))), test="z"),
        f"test='z' {TESTS}",
    ),
    "a ranking of one run by one topic": (
        lambda: stats.rank_runs(evaluation_of(np.zeros((1, 1, 1)))),
        "a test needs at least two topics, found 1.",
    ),
    # comparisons
    "an unknown test": (lambda: stats.compare(ONE, test="z"), f"test='z' {TESTS}"),
    "an unknown interval": (lambda: stats.compare(ONE, interval="z"), f"interval='z' {INTERVALS}"),
    "Tukey with a correction": (
        lambda: stats.compare(ONE, test="tukey", correction="holm"),
        "test='tukey' takes all pairs into account by itself; leave the correction out.",
    ),
    "no baseline": (
        lambda: stats.compare(ONE, baseline=[]),
        "no baseline given; name a run, or leave the argument out for all pairs.",
    ),
    "all baselines": (
        lambda: stats.compare(TWO, baseline=["r0", "r1"]),
        "all runs are baselines; leave one out to compare with them.",
    ),
    "an unknown correction": (
        lambda: stats.compare(ONE, test="t", correction="z"),
        "correction='z' is not known; statsmodels has 'bonferroni', 'holm', 'fdr_bh' and others.",
    ),
    "no samples": (lambda: stats.compare(ONE, n_resamples=0), f"n_resamples=0 {SAMPLES}"),
    "too many samples": (lambda: stats.compare(ONE, n_resamples=10_000_001), f"n_resamples=10000001 {SAMPLES}"),
    "samples that the t test does not draw": (
        lambda: stats.compare(ONE, test="t", interval="t", n_resamples=9),
        "n_resamples=9 has no effect, as no samples are drawn for test='t' and interval='t'; leave it out.",
    ),
    "p of t plus one": (
        lambda: stats.compare(ONE, test="t", plus_one=True),
        "plus_one=True has no effect on p of test='t'; leave it out.",
    ),
    "a seed below 0": (
        lambda: stats.compare(ONE, rng=-1),
        "rng=-1 is neither a seed (an integer of 0 or more) nor a numpy Generator.",
    ),
    "one topic": (lambda: stats.compare(evaluation(topics=1)), "a test needs at least two topics, found 1."),
    "a leaderboard with a test of nothing": (
        lambda: stats.leaderboard(ONE, test="t"),
        "test='t' has no effect, as nothing is tested without baseline=; give baseline=, or leave test out.",
    ),
    "a leaderboard at no level": (lambda: stats.leaderboard(ONE, level=0), f"level=0 {OPEN_UNIT}"),
    "a leaderboard with samples of nothing": (
        lambda: stats.leaderboard(ONE, interval="t", n_resamples=9),
        "n_resamples=9 has no effect, as no samples are drawn for interval='t'; leave it out.",
    ),
    "significance against two": (
        lambda: significant_differences(ONE, baseline=["r0"]),
        "baseline=['r0'] is not the name of one run.",
    ),
    "values of other lengths": (
        lambda: stats.t_test([1, 2], [1]),
        "the systems have 2 and 1 values; a paired test needs the same topics.",
    ),
    "values that are words": (
        lambda: stats.t_test(["a", "b"], [1, 2]),
        "x must hold numbers, one for each topic; found ['a', 'b'].",
    ),
    "values that are not finite": (
        lambda: stats.t_test([1, 2], [1, np.inf]),
        "y must hold finite numbers, one for each topic; found [1, inf].",
    ),
    "values in a table": (
        lambda: stats.t_test([[1, 2]], [1, 2]),
        "x must hold finite numbers, one for each topic; found [[1, 2]].",
    ),
    # curves
    "curves of another kind": (
        lambda: stats.mean_curves(CURVES.drop(columns="rank")),
        "curves are what values_by_rank, values_by_parameter and interpolated_precision of irdiv.analysis return, "
        "frames with columns such as run, query_id, rank and value; found 'run', 'query_id', 'value'.",
    ),
    "curves without rows": (lambda: stats.mean_curves(CURVES[:0]), "the curves have no rows."),
    "two values at a point": (
        lambda: stats.mean_curves(pd.concat([CURVES, CURVES[1:]])),
        "the curves have two values for run 'a', rank 1, query_id '2'.",
    ),
    "a value that is missing": (
        lambda: stats.mean_curves(pd.concat([CURVES, CURVES[:1].assign(rank=2)])),
        "the curves lack 1 of 4 values, such as that for run 'a', rank 2, query_id '2'. Every curve needs a value for "
        "every topic at each point.",
    ),
    "curves from no samples": (lambda: stats.mean_curves(CURVES, n_resamples=0), f"n_resamples=0 {SAMPLES}"),
    # names
    "an unknown run": (lambda: find_run(["a", "b"], "zzz"), "no run is called 'zzz'; there are 'a', 'b'."),
    "an unknown topic": (lambda: find_topic(["1", "2"], 77), "no topic is called '77'; there are '1', '2'."),
    "an unknown measure": (
        lambda: find_measure(["P@5", "AP"], "qqq"),
        "qqq was not evaluated; there are 'P@5', 'AP'.",
    ),
    # studies
    "results by collection without names": (
        lambda: stats.correlate(ONE, by_collection=True),
        "by_collection=True needs names of collections: give a mapping from name to evaluation, such as "
        "{'web09': evaluation}, instead of an evaluation.",
    ),
    "power by collection without names": (
        lambda: stats.discriminative_power(ONE, test="t").summary(by_collection=True),
        "by_collection=True needs names of collections: give a mapping from name to evaluation, such as "
        "{'web09': evaluation}, instead of an evaluation.",
    ),
    "no collections": (
        lambda: stats.correlate({}),
        "no collections given: expected a mapping from the name of a collection to its evaluation.",
    ),
    "ten collections of the same name": (
        lambda: stats.correlate({"1": ONE, 1: ONE, **{str(i): ONE for i in range(2, 10)}}),
        "two collections have the same name: '1', '1', '2', '3', '4', '5', '6', '7', '8', ….",
    ),
    "other measures": (
        lambda: stats.correlate({"a": ONE, "b": evaluation(measures=MEASURES[:1])}),
        "the collections have different measures: 'b' lacks D-nDCG@10, D#-nDCG@10. Evaluate all collections by the "
        "same measures, or choose common ones by measures=.",
    ),
    "an evaluation in place of a mapping": (
        lambda: stats.leaderboard({"a": ONE, "b": ONE}),
        "expected one evaluation, found a mapping with the keys 'a', 'b'; give the evaluation of one collection.",
    ),
    "a list of evaluations": (
        lambda: stats.correlate([ONE, ONE.frame]),
        "expected one evaluation, found a list of 2; give a mapping from the name of a collection to its evaluation, "
        "such as {'web09': evaluation}.",
    ),
    "a list of an evaluation and something else": (
        lambda: stats.correlate((None, ONE)),
        "expected one evaluation, found a tuple of 2; give a mapping from the name of a collection to its evaluation, "
        "such as {'web09': evaluation}.",
    ),
    "no measures": (
        lambda: stats.correlate(ONE, measures=[]),
        "no measures given; name some that were evaluated, or leave the argument out for all.",
    ),
    "values that are missing": (
        lambda: stats.correlate(ONE.frame[3:]),
        "the evaluation lacks 3 of 36 values: run 'r0', topic '0', I-rec@10; run 'r0', topic '1', I-rec@10; "
        "run 'r0', topic '2', I-rec@10. Every run needs a value of every measure for every topic: analyze collections "
        "separately, and leave out runs, topics or measures that are incomplete.",
    ),
    "an evaluation of infinity": (
        lambda: stats.correlate(evaluation_of(np.array([[[0.5, np.inf]], [[0.5, 0.5]]]))),
        "the evaluation has values that are not finite; drop or correct them.",
    ),
    "two values": (
        lambda: stats.correlate(pd.concat([ONE.frame, ONE.frame[:1]])),
        "the evaluation has two values of I-rec@10 for run 'r0' and topic '0'.",
    ),
    "a frame of two collections": (
        lambda: stats.correlate(pd.concat([ONE.frame.assign(collection=name) for name in ("web", "news")])),
        "the frame has rows of several collections, 'web', 'news', and runs are compared within a collection: give a "
        "mapping from the name of a collection to its rows.",
    ),
    "a frame of several measures": (
        lambda: stats.rank_runs(ONE.frame),
        "the frame has several measures; name one of 'D#-nDCG@10', 'D-nDCG@10', 'I-rec@10'.",
    ),
    # topics
    "no difference": (
        lambda: stats.topic_set_size(ONE, []),
        "no difference given; name one that matters, such as 0.1.",
    ),
    "ANOVA of one run": (
        lambda: stats.topic_set_size(evaluation(runs=1), 0.1),
        "ANOVA compares systems, but there is one run; give systems=, how many there will be.",
    ),
    "a measure without variance": (
        lambda: stats.topic_set_size(evaluation_of(np.full((2, 1, 4), 0.5)), 0.1),
        "D#-nDCG@10 has the same value for all topics; leave it out, or try it on more topics.",
    ),
    "too many topics": (
        lambda: stats.topics_for_t_test(1, 1e-9),
        "more than 10,000,000 topics are needed; look for a larger difference, or use a measure with a smaller "
        "variance.",
    ),
    "power at the level": (
        lambda: stats.topics_for_t_test(1, 1, level=0.1, power=0.1),
        "power=0.1 is not a number above 0.1 and below 1.",
    ),
    "power of 1": (lambda: stats.topics_for_t_test(1, 1, power=1), "power=1 is not a number above 0.05 and below 1."),
    "a difference of infinity": (
        lambda: stats.topics_for_anova(1, np.inf, 2),
        "difference=inf is not a number above 0.",
    ),
    "a width of 0": (lambda: stats.topics_for_interval(1, 0), "width=0 is not a number above 0."),
    "an unknown model": (
        lambda: stats.pilot_variance(ONE, model="z"),
        "model='z' is not one of 'one-way', 'two-way'.",
    ),
    "power on one topic": (
        lambda: stats.power_by_topics(evaluation(topics=1)),
        "at least 2 topics are needed for subsets of the topics, found 1.",
    ),
    "swaps on one topic": (
        lambda: stats.swap_rates(evaluation(topics=1)),
        "at least 2 topics are needed for two disjoint sets of topics, found 1.",
    ),
    "subsets of one topic": (
        lambda: stats.power_by_topics(ONE, sizes=[1]),
        "sizes=1 is not an integer from 2 to 4.",
    ),
    "sets of no topics": (lambda: stats.swap_rates(ONE, sizes=[0]), "sizes=0 is not an integer from 1 to 2."),
    "no subsets": (lambda: stats.power_by_topics(ONE, trials=0), "trials=0 is not an integer of 1 or more."),
    "no splits": (lambda: stats.swap_rates(ONE, trials=0), "trials=0 is not an integer of 1 or more."),
    "bins without width": (lambda: stats.swap_rates(ONE, bin_width=0), "bin_width=0 is not a number above 0."),
    "power from no samples": (lambda: stats.power_by_topics(ONE, n_resamples=0), f"n_resamples=0 {SAMPLES}"),
    "power at no level": (lambda: stats.power_by_topics(ONE, level=0), f"level=0 {OPEN_UNIT}"),
}


OF_FRAMES = {
    "curves from nothing": (lambda: stats.mean_curves(None), "cannot read the curves from 'NoneType'. Give a"),
    "curves from dicts": (
        lambda: stats.mean_curves({"a": {"1": 1}}),
        "curves are what .* found 'run', 'query_id', 'value'",
    ),
    "votes from a number": (lambda: stats.grades_from_votes(5), "cannot read the assessments from 'int'. Give a"),
    "votes from dicts": (
        lambda: stats.grades_from_votes({"1": {"d0": 1}}),
        "the assessments lack a column: expected 'assessor', found 'query_id', 'doc_id', 'relevance'.",
    ),
    "votes of nobody": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE.assign(assessor=None)),
        "column 'assessor' of the assessments has a missing id",
    ),
    "votes in words": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE.assign(grade="x")),
        "column 'grade' of the assessments must hold numbers, found 'x'.",
    ),
    "no votes": (
        lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE[:0]),
        "the assessments are empty: expected at least one row with 'query_id', 'doc_id', 'assessor', 'relevance'.",
    ),
    "an evaluation from a number": (lambda: stats.compare(5), "cannot read the evaluation from 'int'. Give a"),
    "an evaluation of no runs": (
        lambda: stats.compare(ONE.frame.assign(run=None)),
        "column 'run' of the evaluation has a missing id",
    ),
    "an evaluation in words": (
        lambda: stats.compare(ONE.frame.assign(value="x")),
        "column 'value' of the evaluation must hold numbers, found 'x'.",
    ),
    "an evaluation without values": (
        lambda: stats.compare(ONE.frame.drop(columns="value")),
        "the evaluation lacks a column: expected 'value', found 'run', 'query_id', 'measure'.",
    ),
}


@pytest.mark.parametrize("name", OF_FRAMES)
def test_messages_about_frames_name_what_they_are_for(name):
    call, message = OF_FRAMES[name]
    with pytest.raises(IrdivError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(name):
    call, message = MESSAGES[name]
    assert message_of(call) == message


@pytest.mark.parametrize("function", [stats.grades_from_votes, stats.fleiss_kappa])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x" * 99,
            f": found '{'x' * 80}'; expected a header that names query_id, doc_id, assessor and grade, separated by "
            "tabs, semicolons or commas.",
        ),
        (
            "query_id,doc_id,grade\n1,d0,1",
            ": found 'query_id,doc_id,grade'; expected a header that names query_id, doc_id, assessor and grade, "
            "separated by tabs, semicolons or commas.",
        ),
        (
            "query_id;doc_id;assessor;grade\n1;d0;A;1\n1,d0,B,1",
            ", line 3: found 1 column; expected 4, query_id, doc_id, assessor, grade.",
        ),
        (
            "query_id\tdoc_id\tassessor\tvote\n1\td0\tA",
            ", line 2: found 3 columns; expected 4, query_id, doc_id, assessor, vote.",
        ),
        ("query_id,doc_id,assessor,grade", "the assessments are empty"),
    ],
)
def test_files_of_votes(function, text, message, tmp_path):
    (tmp_path / "votes.csv").write_text(text)
    found = message_of(lambda: function(tmp_path / "votes.csv")).removeprefix(str(tmp_path / "votes.csv"))
    assert found.startswith(message)
    assert found == message or message == "the assessments are empty"


EXPECTED_LINES = (
    "expected lines 'run topic measure value', a header with these columns, or the output of trec_eval -q, "
    "ir_measures -q, ndeval or gdeval"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", f": the evaluation file is empty; {EXPECTED_LINES}."),
        ("run topic P@5\n\n", f": the evaluation file has no rows below its header; {EXPECTED_LINES}."),
        ("\n " + "x" * 99, f", line 2: found '{'x' * 80}'; {EXPECTED_LINES}, with numbers as values."),
        ("a 1 P@5 good", f", line 1: found 'a 1 P@5 good'; {EXPECTED_LINES}, with numbers as values."),
        ("a P@5 1 good", f", line 1: found 'a P@5 1 good'; {EXPECTED_LINES}, with numbers as values."),
        ("P@5 1", f", line 1: found 'P@5 1'; {EXPECTED_LINES}, with numbers as values."),
        ("a b 1 P@5 1", f", line 1: found 'a b 1 P@5 1'; {EXPECTED_LINES}, with numbers as values."),
        ("a 1 P@5 1\na\n", ", line 2: found 1 column; expected 4, as in the first line."),
        ("a 1 P@5 1\na 2\n", ", line 2: found 2 columns; expected 4, as in the first line."),
        ("a,1,P@5,1\na,2,P@5,\n", f", line 2: the value is empty; {EXPECTED_LINES}."),
        ("a,1,P@5,1\n,2,P@5,1\n", f", line 2: the run is empty; {EXPECTED_LINES}."),
        ("a,1,P@5,1\na,,P@5,1\n", f", line 2: the query_id is empty; {EXPECTED_LINES}."),
        (
            "a 1 P@5 1\na 2 P@5 inf\n",
            ", line 2: the value of P@5 for run 'a' and topic '2' is 'inf', not a finite number.",
        ),
        (
            "a 1 P@5 1\nb 1 P@5 1\na 1 P@5 0.5\n",
            ", line 3: a second value of P@5 for run 'a' and topic '1'; the first is in line 1. If these are different "
            "runs, give a mapping from names to files.",
        ),
        (
            "map 1 0.5\n",
            ": with three columns, the one of topics is that with the word 'all', which none has. Add a header, or a "
            "line with the value of all topics.",
        ),
        (
            "a amean P@5 1\n",
            ": there are only values of all topics together; expected a value for each topic.",
        ),
        (
            "run,topic,value\na,1,1\n",
            ": the evaluation lacks a column: expected 'measure', found 'run', 'topic', 'value'.",
        ),
        ("run,topic\na,1\n", f": the header run, topic names no measure; {EXPECTED_LINES}."),
    ],
)
def test_files_of_values(text, message, tmp_path):
    path = tmp_path / "values.txt"
    path.write_text(text)
    assert message_of(lambda: stats.read_values(path)) == f"{path}{message}"


@pytest.mark.parametrize(
    ("read", "role", "header"),
    [
        (stats.read_values, "evaluation", "run,topic,measure,value"),
        (stats.grades_from_votes, "assessments", "query_id,doc_id,assessor,grade"),
    ],
)
def test_files_that_cannot_be_read(read, role, header, tmp_path):
    assert message_of(lambda: read(tmp_path / "none")) == f"no such {role} file: {str(tmp_path / 'none')!r}"
    path = tmp_path / "quoted"
    path.write_text(f'{header}\na,1,"x,1\n')
    assert message_of(lambda: read(path)) == f"{path}, line 2: not an {role} file (unexpected end of data)."


def test_several_files_of_values(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a 1 P@5 1\n")
    two.write_text("b 1 P@5 1\na 1 P@5 1\n")
    assert message_of(lambda: stats.read_values([])) == f"no file given; {EXPECTED_LINES}."
    assert message_of(lambda: stats.read_values([one, two])) == (
        f"{two}, line 2: a second value of P@5 for run 'a' and topic '1'; the first is in line 1 of {one}. If these "
        "are different runs, give a mapping from names to files."
    )
    assert message_of(lambda: stats.read_values({"x": one, "y": two})) == (
        f"{two}: expected one run, to be named 'y'; found 'b', 'a'. Read the file by its path."
    )


def test_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats", None)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    need = "statsmodels: pip install 'irdiv[stats]'."
    assert message_of(lambda: stats.compare(ONE, test="t", correction="fdr_bh")) == f"corrections need {need}"
    for function in (stats.assessor_agreement, stats.fleiss_kappa):
        assert message_of(lambda function=function: function(EACH_DOCUMENT_ONCE)) == f"κ needs {need}"
    # Holm's is irdiv's own
    assert len(stats.compare(ONE, test="t", correction="holm")) == 9


def test_less_is_better_in_some_collections_only(monkeypatch):
    one = evaluation(measures=["E@10", "P@10"])
    frame = evaluation(runs=2, measures=["E@10", "P@10"]).frame.replace("E@10", "mine")
    monkeypatch.setattr(type(one), "specs", lambda self: ["mine", "P@10"])
    assert message_of(lambda: stats.correlate({"a": one, "b": frame})) == (
        "less is better by 'mine' in some collections only: an evaluation knows it, but a frame does not, as irdiv has "
        "no measure of that name. Give evaluations."
    )


def test_the_same_collection_twice():
    message = (
        "the collections 'a' and 'c' have the same runs, topics and values; if they are the same one, its pairs of "
        "runs count twice."
    )
    others = {"b": evaluation(runs=2), "d": evaluation(topics=3)}
    with pytest.warns(irdiv.IrdivWarning, match=f"^{re.escape(message)}$") as warned:
        stats.correlate({"a": ONE, **others, "c": evaluation()})
    assert len(warned) == 1


def test_a_collection_that_differs_in_names_or_values_is_another():
    values = ONE.values
    other_values = evaluation_of(values + 0.1, MEASURES)
    other_runs = ONE.frame.assign(run="x" + ONE.frame["run"])
    other_topics = ONE.frame.assign(query_id="x" + ONE.frame["query_id"])
    stats.correlate({"a": ONE, "b": other_values, "c": other_runs, "d": other_topics})


def test_samples_that_are_too_few_for_a_correction():
    # 1/B · 6 comparisons < 0.05 for B > 120
    assert resamples_for("bootstrap", 121, "holm", 6, 0.05) == 121
    message = (
        "n_resamples=120 is too few for a correction over 6 comparisons at level 0.05: only p = 0 can be significant. "
        "Give 1000 or more, or use test='t' or test='tukey'."
    )
    with pytest.warns(irdiv.IrdivWarning, match=f"^{re.escape(message)}$"):
        assert resamples_for("bootstrap", 120, "holm", 6, 0.05) == 120
    # by default the next thousand above (n + 1)/level: 49 comparisons need 1000, 50 need 1020
    for n_comparisons, expected in ((49, 1000), (50, 2000), (99, 2000), (100, 3000), (5000, 101_000)):
        assert resamples_for("bootstrap", None, "holm", n_comparisons, 0.05) == expected
    assert resamples_for("randomization", None, "holm", 499, 0.05) == 10_000
    assert resamples_for("randomization", None, "holm", 500, 0.05) == 11_000
    # no correction, or a test without samples of each pair
    assert resamples_for("bootstrap", None, None, 5000, 0.05) == 1000
    assert resamples_for("tukey", None, "holm", 5000, 0.05) == 1000
    assert resamples_for("t", None, "holm", 5000, 0.05) == 1000


class TestBounds:
    """What is just within the bounds is accepted."""

    @pytest.mark.parametrize(
        "call",
        [
            lambda: stats.tau([1, 2], [1, 2], top=2),
            lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, missing_vote=MAX_GRADE),
            lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, missing_vote=-MAX_GRADE),
            lambda: stats.grades_from_votes(EACH_DOCUMENT_ONCE, levels={-MAX_GRADE: 0, 1: -MAX_GRADE, 2: MAX_GRADE}),
            lambda: stats.fleiss_kappa(EACH_DOCUMENT_ONCE, votes_per_document=2),
            lambda: stats.worst_topics(ONE, 1),
            lambda: stats.disagreements(ONE, *MEASURES[:2], n=1),
            lambda: stats.compare(TWO, n_resamples=1),
            lambda: stats.compare(evaluation(topics=2), n_resamples=2),
            lambda: stats.topic_set_size(evaluation(runs=1), 0.5, systems=2),
            lambda: stats.topics_for_anova(1, 1, 2),
            lambda: stats.power_by_topics(evaluation(topics=2), sizes=[2], trials=1, n_resamples=1),
            lambda: stats.swap_rates(evaluation(topics=2), sizes=[1], trials=1),
            lambda: stats.mean_curves(CURVES, n_resamples=1),
            lambda: stats.correlation_intervals(evaluation(runs=2, topics=2), n_resamples=1),
            lambda: stats.compare_leaderboards(TWO, TWO, n_resamples=1),
        ],
    )
    def test_accepted(self, call):
        assert len(np.atleast_1d(call())) > 0

    def test_samples(self):
        assert (options.SAMPLE_COUNT.low, options.SAMPLE_COUNT.high) == (1, 10_000_000)
        for level in (1e-9, 1 - 1e-9):
            options.require_level(level)
            options.require_interval("t", level)
        options.require_two_topics(2)
        options.require_samples(10_000_000, "bootstrap", None)
        options.require_samples(5, "t", "bca")
        options.require_samples(5, None, "percentile")
        assert options.resampling_options("bootstrap", None, None) == (1000, False)
        assert options.resampling_options("tukey", None, None) == (1000, False)
        assert options.resampling_options("randomization", None, None) == (10_000, True)
        assert options.resampling_options("randomization", 7, False) == (7, False)
        assert options.resampling_options("bootstrap", 7, True) == (7, True)
        assert options.resampling_options("t", None, None) == (1000, False)

    def test_the_search_for_topics_ends_at_ten_million(self):
        # the width is 2 · 1.96 · sd/√n: 0.00125 takes 9.8 million topics, 0.0012 would take 10.7
        assert stats.topics_for_interval(1, 0.00125) == pytest.approx((2 * 1.959964 / 0.00125) ** 2, rel=1e-6)
        assert message_of(lambda: stats.topics_for_interval(1, 0.0012)).startswith("more than 10,000,000 topics")
