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
from irdiv.frames.values import MAX_GRADE
from irdiv.stats import options
from irdiv.stats.assessors import WeightingName
from irdiv.stats.cases import SignificantBy
from irdiv.stats.names import find_measure, find_run, find_topic
from irdiv.stats.rank_correlation import CorrelationName
from irdiv.stats.significance import resamples_for, significant_differences
from irdiv.stats.topic_set_sizes import ModelName

MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10")


def evaluation(runs: int = 3, topics: int = 4, measures=MEASURES):
    """Return values that differ in runs, measures and topics."""
    values = np.random.default_rng(1).random((runs, len(measures), topics))
    return evaluation_of(values, measures)


def rejects(message: str, function, *args, **kwargs) -> None:
    """Fail unless a call raises an error that contains a regular expression."""
    with pytest.raises(IrdivError, match=message):
        function(*args, **kwargs)


def votes(*rows: str) -> pd.DataFrame:
    """Return votes from rows such as "d0 A 1", all for topic 1."""
    documents, assessors, grades = zip(*map(str.split, rows), strict=True)
    columns = {"query_id": "1", "doc_id": documents, "assessor": assessors, "grade": list(map(int, grades))}
    return pd.DataFrame(columns)


def disagreements(**kwargs):
    return stats.disagreements(ONE, *MEASURES[:2], **kwargs)


ONE, TWO, ONE_RUN = evaluation(), evaluation(runs=2), evaluation(runs=1)
FRAME = ONE.frame
CURVES = pd.DataFrame({"run": "a", "query_id": ["1", "2"], "rank": 1, "value": [0.5, 1.0]})
TWO_VOTES_EACH = votes("d0 A 1", "d0 B 0", "d1 A 1", "d1 B 1")


def test_correlations_and_leaderboards():
    rejects("at least two measures besides the gold", stats.concordance, ONE, "I-rec@10", measures=["D-nDCG@10"])
    rejects("at least two systems", stats.tau, [1], [1])
    rejects("^top=3, but .* only 2 systems; leave it out", stats.tau, [1, 2], [1, 2], top=3)
    other_runs, fewer_measures = FRAME.replace({"run": {"r1": "bm25"}}), evaluation(measures=MEASURES[1:])
    for message, estimate, gold in (
        ("runs: only the estimate has 'r1' and only gold has 'bm25'. Leave out the runs", ONE, other_runs),
        ("topics: only gold has '3'. Leave out the topics", evaluation(topics=3), ONE),
        ("measures: only the estimate has 'I-rec@10'. Leave out the measures", ONE, fewer_measures),
    ):
        rejects(f"different {message}", stats.compare_leaderboards, estimate, gold)


def test_votes():
    grades, kappa = stats.grades_from_votes, stats.fleiss_kappa
    twice, levels = votes("d0 A 1", "d0 A 0").assign(intent_id="i"), dict.fromkeys(range(3, 13), 1)
    rejects("'A' has two votes for topic '1', intent 'i', document 'd0'; leave one", grades, twice)
    fewer = ["d0 A 1", "d0 B 1", "d1 A 1", "d2 A 1", "d3 A 1"]
    few = "documents .* fewer votes than the 2 .*topic '1', document 'd1'; .*'d2'; .*'d3'"
    rejects(f"^3 of 4 {few}. Add .*missing_vote=", grades, votes(*fewer))
    rejects(f"^4 of 5 {few}; …. Add .*missing_vote=", grades, votes(*fewer, "d4 A 1"))
    rejects("^levels= has no grade for the sum 1, 2; it has 3, .*, 11, …", grades, TWO_VOTES_EACH, levels=levels)
    rejects("at least two assessors, found 'A'", stats.assessor_agreement, votes("d0 A 1"))
    rejects("numbers of votes: 2 with 1, 1 with 2. Choose .*votes_per_document=", kappa, votes(*fewer[:4]))
    rejects("no document has 3 votes; there are .* with 2", kappa, TWO_VOTES_EACH, votes_per_document=3)
    rejects("at least two votes for a document, found one for each", kappa, votes("d0 A 1", "d1 A 0"))


def test_topics_and_cases():
    rejects("^'r1' is .* its own baseline; name another", stats.worst_topics, ONE, run="r1", baseline="r1")
    rejects("only run is the baseline; evaluate another", stats.worst_topics, ONE_RUN, baseline="r0")
    rejects(r"expected one measure, found \['I-rec@10'\]", stats.worst_topics, ONE, measure=["I-rec@10"])
    rejects("^I-rec@10 .* itself; give two measures", stats.disagreements, ONE, "I-rec@10", "I_rec@10")


def test_comparisons():
    rejects("^test='tukey' .*all pairs.*leave the correction out", stats.compare, ONE, test="tukey", correction="holm")
    rejects("all runs are baselines; leave one out", stats.compare, TWO, baseline=["r0", "r1"])
    rejects("^correction='z' is not known; .*'bonferroni', 'holm'", stats.compare, ONE, test="t", correction="z")
    rejects("^rng=-1 is neither a seed .*0 or more.* nor .*Generator", stats.compare, ONE, rng=-1)
    rejects(r"^baseline=\['r0'\] is not .* one run", significant_differences, ONE, baseline=["r0"])


def test_curves():
    of_another_kind = "values_by_rank, .*run, query_id, rank and value; found 'run', 'query_id', 'value'"
    rejects(of_another_kind, stats.mean_curves, CURVES.drop(columns="rank"))
    rejects(of_another_kind, stats.mean_curves, {"a": {"1": 1}})
    rejects("curves have no rows", stats.mean_curves, CURVES[:0])
    rejects("two values for run 'a', rank 1, query_id '2'", stats.mean_curves, pd.concat([CURVES, CURVES[1:]]))
    missing = "lack 1 of 4 values, .*run 'a', rank 2, query_id '2'. Every curve needs"
    rejects(missing, stats.mean_curves, pd.concat([CURVES, CURVES[:1].assign(rank=2)]))


def test_unknown_names():
    rejects("no run .*'zzz'; there are 'a', 'b'", find_run, ["a", "b"], "zzz")
    rejects("no topic .*'77'; there are '1', '2'", find_topic, ["1", "2"], 77)
    rejects("^qqq was not evaluated; there are 'P@5', 'AP'", find_measure, ["P@5", "AP"], "qqq")


def test_collections():
    correlate, one_evaluation = stats.correlate, "expected one evaluation, found a"
    ten = {"1": ONE, 1: ONE, **{str(i): ONE for i in range(2, 10)}}
    rejects("two collections have the same name: '1', '1', '2', .*'8', …", correlate, ten)
    fewer_measures, two = evaluation(measures=MEASURES[:1]), [FRAME.assign(collection=name) for name in ("web", "news")]
    lacks = "different measures: 'b' lacks D-nDCG@10, D#-nDCG@10. .*measures="
    rejects(lacks, correlate, {"a": ONE, "b": fewer_measures})
    rejects("several collections, 'web', 'news', .*give a mapping", correlate, pd.concat(two))
    rejects(f"{one_evaluation} mapping .*'a', 'b'; give the evaluation", stats.leaderboard, {"a": ONE, "b": ONE})
    rejects(f"{one_evaluation} list of 2; give a mapping", correlate, [ONE, FRAME])
    rejects(f"{one_evaluation} tuple of 2; give a mapping", correlate, (None, ONE))


def test_values_of_evaluations():
    first = ", ".join(f"run 'r0', topic '{topic}', I-rec@10" for topic in range(3)).replace("10, ", "10; ")
    rejects(f"lacks 3 of 36 values: {first}. .*leave out runs", stats.correlate, FRAME[3:])
    rejects("not finite; drop or correct", stats.correlate, evaluation_of(np.array([[[0.5, np.inf]], [[0.5, 0.5]]])))
    rejects("two values of I-rec@10 for run 'r0' and topic '0'", stats.correlate, pd.concat([FRAME, FRAME[:1]]))
    rejects("several measures; name one of 'D#-nDCG@10', 'D-nDCG@10', 'I-rec@10'", stats.rank_runs, FRAME)


def test_sizes_of_topic_sets():
    rejects("there is one run; give systems=", stats.topic_set_size, ONE_RUN, 0.1)
    constant = evaluation_of(np.full((2, 1, 4), 0.5))
    rejects("^D#-nDCG@10 has the same value for all topics; leave it out", stats.topic_set_size, constant, 0.1)
    rejects("more than 10,000,000 topics .*larger difference, .*smaller variance", stats.topics_for_t_test, 1, 1e-9)


@pytest.mark.parametrize(
    ("function", "role", "frame", "ids", "numbers"),
    [
        (stats.grades_from_votes, "assessments", TWO_VOTES_EACH, "assessor", "grade"),
        (stats.compare, "evaluation", FRAME, "run", "value"),
    ],
)
def test_frames_that_cannot_be_read(function, role, frame, ids, numbers):
    rejects(f"cannot read the {role} from 'int'. Give a", function, 5)
    rejects(f"'{ids}' of the {role} has a missing id", function, frame.assign(**{ids: None}))
    rejects(f"'{numbers}' of the {role} must hold numbers, found 'x'", function, frame.assign(**{numbers: "x"}))


def test_frames_that_lack_something():
    grades, columns = stats.grades_from_votes, "'query_id', 'doc_id', 'assessor', 'relevance'"
    rejects("cannot read the curves from 'NoneType'. Give a", stats.mean_curves, None)
    rejects(f"assessments are empty: expected .*{columns}", grades, TWO_VOTES_EACH[:0])
    found = "found 'query_id', 'doc_id', 'relevance'"
    rejects(f"assessments lack .*expected 'assessor', {found}", grades, {"1": {"d0": 1}})
    found = "found 'run', 'query_id', 'measure'"
    rejects(f"evaluation lacks .*expected 'value', {found}", stats.compare, FRAME.drop(columns="value"))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: stats.concordance(ONE, []), "no gold measure given; name one"),
        (lambda: stats.compare(ONE, baseline=[]), "no baseline given; name a run, or leave .*all pairs"),
        (lambda: stats.correlate({}), "no collections given: expected a mapping"),
        (lambda: stats.correlate(ONE, measures=[]), "no measures given; name some .*, or leave .*all"),
        (lambda: stats.topic_set_size(ONE, []), "no difference given; name one .*0.1"),
        (lambda: stats.read_values([]), "no file given; expected lines"),
    ],
)
def test_nothing_given(function, message):
    rejects(f"^{message}", function)


@pytest.mark.parametrize(
    "function", [stats.correlate, stats.correlation_intervals, lambda one: stats.compare_leaderboards(ONE, one)]
)
def test_one_run(function):
    rejects("at least two runs, found 'r0'", function, ONE_RUN)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda given: stats.compare(given, n_resamples=2), "a test needs"),
        (lambda given: stats.rank_runs(given.frame.query("run == 'r0' and measure == 'I-rec@10'")), "a test needs"),
        (lambda given: stats.correlation_intervals(given, n_resamples=1), "an interval needs"),
        (lambda given: stats.power_by_topics(given, trials=1, n_resamples=1), "for subsets"),
        (lambda given: stats.swap_rates(given, trials=1), "for two disjoint sets"),
    ],
)
def test_one_topic(function, message):
    for expected in (message, "at least (two|2) topics.*found 1"):
        rejects(expected, function, evaluation(topics=1))
    assert len(function(evaluation(topics=2))) > 0


@pytest.mark.parametrize("summary", [stats.correlate, stats.discriminative_power(ONE, test="t").summary])
def test_results_by_collection_without_names(summary):
    given = [ONE] if summary is stats.correlate else []
    rejects("^by_collection=True needs names .*give a mapping .*'web09'", summary, *given, by_collection=True)


@pytest.mark.parametrize(
    ("function", "unit", "holders"),
    [
        (stats.tau, "system", ["a ranking is given by"] * 2),
        (stats.t_test, "topic", ["x must hold", "y must hold"]),
    ],
)
def test_values_that_are_not_numbers(function, unit, holders):
    rejects(f"have 2 and 1 .*the same {unit}s", function, [1, 2], [1])
    for values, kind in ((["a", "b"], "numbers"), ([1, np.inf], "finite numbers"), ([[1, 2]], "finite numbers")):
        for given, holder in zip(([values, [1, 2]], [[1, 2], values]), holders, strict=True):
            found = re.escape(repr(values))
            rejects(f"^{holder} {kind}, one for each {unit}; found {found}", function, *given)


@pytest.mark.parametrize(
    ("name", "choices", "function"),
    [
        ("method", CorrelationName, lambda **kwargs: stats.correlate(ONE, **kwargs)),
        ("weighting", WeightingName, lambda **kwargs: stats.assessor_agreement(TWO_VOTES_EACH, **kwargs)),
        ("significant", SignificantBy, disagreements),
        ("test", options.TestName, disagreements),
        ("test", options.TestName, lambda **kwargs: disagreements(significant="both", **kwargs)),
        ("test", options.TestName, lambda **kwargs: stats.leaderboard(ONE, **kwargs)),
        ("test", options.TestName, lambda **kwargs: stats.rank_runs(evaluation_of(np.zeros((1, 1, 3))), **kwargs)),
        ("test", options.TestName, lambda **kwargs: stats.compare(ONE, **kwargs)),
        ("interval", options.IntervalName, lambda **kwargs: stats.compare(ONE, **kwargs)),
        ("model", ModelName, lambda **kwargs: stats.pilot_variance(ONE, **kwargs)),
    ],
)
def test_unknown_choices(name, choices, function):
    known = ", ".join(map(repr, get_args(choices)))
    rejects(f"^{name}='z' is not one of {known}.$", function, **{name: "z"})


@pytest.mark.parametrize(
    ("function", "kwargs", "reason"),
    [
        *(
            (disagreements, {name: value}, f"without significant=; give significant=, or leave {name} out")
            for name, value in {"test": "t", "correction": "holm", "n_resamples": 9, "plus_one": False}.items()
        ),
        (stats.leaderboard, {"test": "t"}, "without baseline=; give baseline=, or leave test out"),
        (stats.leaderboard, {"n_resamples": 9, "interval": "t"}, "for interval='t'; leave it out"),
        (stats.compare, {"n_resamples": 9, "test": "t", "interval": "t"}, "for test='t' and interval='t'; leave it"),
        (stats.compare, {"plus_one": True, "test": "t"}, "on p of test='t'; leave it out"),
    ],
)
def test_options_without_effect(function, kwargs, reason):
    name, value = next(iter(kwargs.items()))
    given = [] if function is disagreements else [ONE]
    rejects(f"^{name}={value!r} has no effect.* {reason}", function, *given, **kwargs)


GRADES = f"an integer from -{MAX_GRADE} to {MAX_GRADE}"
SAMPLES = "an integer from 1 to 10000000"
POSITIVE = "a number above 0"
OPEN_UNIT = "a number above 0 and below 1"


@pytest.mark.parametrize(
    ("name", "bounds", "refused", "accepted", "call"),
    [
        ("top", "an integer of 2 or more", [1], [2], lambda x: stats.tau([1, 2], [1, 2], top=x)),
        (
            *("missing_vote", GRADES, [-MAX_GRADE - 1, MAX_GRADE + 1], [-MAX_GRADE, MAX_GRADE]),
            lambda x: stats.grades_from_votes(TWO_VOTES_EACH, missing_vote=x),
        ),
        (
            *("levels", GRADES, [-MAX_GRADE - 1, MAX_GRADE + 1], [-MAX_GRADE, MAX_GRADE]),
            lambda x: stats.grades_from_votes(TWO_VOTES_EACH, levels={1: x, 2: x}),
        ),
        (
            *("levels", f"an integer of -{MAX_GRADE} or more", [-MAX_GRADE - 1], [-MAX_GRADE]),
            lambda x: stats.grades_from_votes(TWO_VOTES_EACH, levels={x: 0, 1: 1, 2: 2}),
        ),
        (
            *("votes_per_document", "an integer of 2 or more", [1], [2]),
            lambda x: stats.fleiss_kappa(TWO_VOTES_EACH, votes_per_document=x),
        ),
        ("n", "an integer of 1 or more", [0], [1], lambda x: stats.worst_topics(ONE, x)),
        ("n", "an integer of 1 or more", [0], [1], lambda x: disagreements(n=x)),
        ("n_resamples", SAMPLES, [0, 10_000_001], [1], lambda x: stats.compare(TWO, n_resamples=x)),
        ("n_resamples", SAMPLES, [0], [1], lambda x: stats.mean_curves(CURVES, n_resamples=x)),
        ("n_resamples", SAMPLES, [0], [1], lambda x: stats.correlation_intervals(TWO, n_resamples=x)),
        ("n_resamples", SAMPLES, [0], [1], lambda x: stats.compare_leaderboards(TWO, TWO, n_resamples=x)),
        ("n_resamples", SAMPLES, [0], [1], lambda x: stats.power_by_topics(ONE, trials=1, n_resamples=x)),
        ("trials", "an integer of 1 or more", [0], [1], lambda x: stats.power_by_topics(ONE, trials=x, n_resamples=1)),
        ("trials", "an integer of 1 or more", [0], [1], lambda x: stats.swap_rates(ONE, trials=x)),
        (
            *("sizes", "an integer from 2 to 4", [1, 5], [2, 4]),
            lambda x: stats.power_by_topics(ONE, sizes=[x], trials=1, n_resamples=1),
        ),
        ("sizes", "an integer from 1 to 2", [0, 3], [1, 2], lambda x: stats.swap_rates(ONE, sizes=[x], trials=1)),
        ("systems", "an integer of 2 or more", [1], [2], lambda x: stats.topic_set_size(ONE_RUN, 0.5, systems=x)),
        ("systems", "an integer of 2 or more", [1], [2], lambda x: stats.topics_for_anova(1, 1, x)),
        ("bin_width", POSITIVE, [0], [0.5], lambda x: stats.swap_rates(ONE, bin_width=x)),
        ("difference", POSITIVE, [0, np.inf], [1], lambda x: stats.topics_for_anova(1, x, 2)),
        ("width", POSITIVE, [0], [1], lambda x: stats.topics_for_interval(1, x)),
        (
            *("power", "a number above 0.1 and below 1", [0.1, 1], [0.8]),
            lambda x: stats.topics_for_t_test(1, 1, level=0.1, power=x),
        ),
        ("level", OPEN_UNIT, [0, 1], [], lambda x: disagreements(significant="both", level=x)),
        ("level", OPEN_UNIT, [0, 1], [0.5], lambda x: stats.leaderboard(ONE, level=x)),
        ("level", OPEN_UNIT, [0, 1], [0.5], lambda x: stats.power_by_topics(ONE, trials=1, level=x)),
        (
            *("confidence_level", OPEN_UNIT, [0, 1], [0.5]),
            lambda x: stats.assessor_agreement(TWO_VOTES_EACH, confidence_level=x),
        ),
    ],
)
def test_bounds(name, bounds, refused, accepted, call):
    for value in refused:
        rejects(f"^{name}={value!r} is not {bounds}.$", call, value)
    for value in accepted:
        assert len(np.atleast_1d(call(value))) > 0


@pytest.mark.parametrize("function", [stats.grades_from_votes, stats.fleiss_kappa])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 99, f": found '{'x' * 80}'; expected a header .*query_id, doc_id, assessor and grade, .*commas"),
        ("query_id,doc_id,grade\n1,d0,1", ": found 'query_id,doc_id,grade'; expected a header .*assessor"),
        (
            "query_id;doc_id;assessor;grade\n1;d0;A;1\n1,d0,B,1",
            ", line 3: found 1 column; expected 4, query_id, doc_id, assessor, grade",
        ),
        (
            "query_id\tdoc_id\tassessor\tvote\n1\td0\tA",
            ", line 2: found 3 columns; expected 4, query_id, doc_id, assessor, vote",
        ),
        ("query_id,doc_id,assessor,grade", None),
    ],
)
def test_files_of_votes(function, text, message, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    rejects(f"^{re.escape(str(path))}{message}" if message else "^the assessments are empty", function, path)


EXPECTED_LINES = "expected lines 'run topic measure value', .*header.* trec_eval -q, ir_measures -q, ndeval or gdeval"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", f": the evaluation file is empty; {EXPECTED_LINES}"),
        ("run topic P@5\n\n", f": .* no rows below its header; {EXPECTED_LINES}"),
        ("\n " + "x" * 99, f", line 2: found '{'x' * 80}'; {EXPECTED_LINES}, with numbers"),
        *(
            (line, f", line 1: found '{line}'; {EXPECTED_LINES}, with numbers")
            for line in ("a 1 P@5 good", "a P@5 1 good", "P@5 1", "a b 1 P@5 1")
        ),
        ("a 1 P@5 1\na\n", ", line 2: found 1 column; expected 4, as in the first"),
        ("a 1 P@5 1\na 2\n", ", line 2: found 2 columns; expected 4, as in the first"),
        ("a,1,P@5,1\na,2,P@5,\n", f", line 2: the value is empty; {EXPECTED_LINES}"),
        ("a,1,P@5,1\n,2,P@5,1\n", f", line 2: the run is empty; {EXPECTED_LINES}"),
        ("a,1,P@5,1\na,,P@5,1\n", f", line 2: the query_id is empty; {EXPECTED_LINES}"),
        ("a 1 P@5 1\na 2 P@5 inf\n", ", line 2: .*P@5 for run 'a' and topic '2' is 'inf', not a finite number"),
        (
            "a 1 P@5 1\nb 1 P@5 1\na 1 P@5 0.5\n",
            ", line 3: a second .*P@5 for run 'a' and topic '1'; the first is in line 1. .*give a mapping",
        ),
        ("map 1 0.5\n", ": with three columns, .*the word 'all', which none has. Add a header"),
        ("a amean P@5 1\n", ": .*only values of all topics together; expected a value for each"),
        ("run,topic,value\na,1,1\n", ": .*lacks a column: expected 'measure', found 'run', 'topic', 'value'"),
        ("run,topic\na,1\n", f": the header run, topic names no measure; {EXPECTED_LINES}"),
    ],
)
def test_files_of_values(text, message, tmp_path):
    path = tmp_path / "values.txt"
    path.write_text(text)
    rejects(f"^{re.escape(str(path))}{message}", stats.read_values, path)


@pytest.mark.parametrize(
    ("read", "role", "header"),
    [
        (stats.read_values, "evaluation", "run,topic,measure,value"),
        (stats.grades_from_votes, "assessments", "query_id,doc_id,assessor,grade"),
    ],
)
def test_files_that_cannot_be_read(read, role, header, tmp_path):
    rejects(f"^no such {role} file: '.*none'", read, tmp_path / "none")
    path = tmp_path / "quoted"
    path.write_text(f'{header}\na,1,"x,1\n')
    rejects(f"quoted, line 2: not an {role} file .*unexpected end", read, path)


def test_several_files_of_values(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a 1 P@5 1\n")
    two.write_text("b 1 P@5 1\na 1 P@5 1\n")
    second = "two, line 2: a second .*P@5 for run 'a' and topic '1'; the first is in line 1 of .*one. .*give a mapping"
    rejects(second, stats.read_values, [one, two])
    rejects("two: expected one run, .*'y'; found 'b', 'a'. Read", stats.read_values, {"x": one, "y": two})


def test_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats", None)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    need = r"statsmodels: pip install 'irdiv\[stats\]'"
    rejects(f"^corrections need {need}", stats.compare, ONE, test="t", correction="fdr_bh")
    for function in (stats.assessor_agreement, stats.fleiss_kappa):
        rejects(f"^κ needs {need}", function, TWO_VOTES_EACH)
    # Holm's is irdiv's own
    assert len(stats.compare(ONE, test="t", correction="holm")) == 9


def test_less_is_better_in_some_collections_only(monkeypatch):
    one = evaluation(measures=["E@10", "P@10"])
    frame = evaluation(runs=2, measures=["E@10", "P@10"]).frame.replace("E@10", "mine")
    monkeypatch.setattr(type(one), "specs", lambda self: ["mine", "P@10"])
    message = "less is better by 'mine' in some collections only: .*Give evaluations"
    rejects(message, stats.correlate, {"a": one, "b": frame})


def test_the_same_collection_twice():
    others = {"b": evaluation(runs=2), "d": evaluation(topics=3)}
    with pytest.warns(irdiv.IrdivWarning, match="'a' and 'c' have the same runs, topics and values; .*twice") as warned:
        stats.correlate({"a": ONE, **others, "c": evaluation()})
    assert len(warned) == 1


def test_a_collection_that_differs_in_names_or_values_is_another():
    other_values = evaluation_of(ONE.values + 0.1, MEASURES)
    other_runs, other_topics = (FRAME.assign(**{name: "x" + FRAME[name]}) for name in ("run", "query_id"))
    stats.correlate({"a": ONE, "b": other_values, "c": other_runs, "d": other_topics})


def test_samples_that_are_too_few_for_a_correction():
    # 1/B · 6 comparisons < 0.05 for B > 120
    assert resamples_for("bootstrap", 121, "holm", 6, 0.05) == 121
    message = "^n_resamples=120 is too few .*6 comparisons at level 0.05: .*Give 1000 or more, .*'t' or test='tukey'"
    with pytest.warns(irdiv.IrdivWarning, match=message):
        assert resamples_for("bootstrap", 120, "holm", 6, 0.05) == 120


@pytest.mark.parametrize(
    ("test", "correction", "expected"),
    [
        # the next thousand above (n + 1)/level: 49 comparisons need 1000, 50 need 1020
        ("bootstrap", "holm", {49: 1000, 50: 2000, 99: 2000, 100: 3000, 5000: 101_000}),
        ("randomization", "holm", {499: 10_000, 500: 11_000}),
        # no correction, or a test without samples of each pair
        ("bootstrap", None, {5000: 1000}),
        ("tukey", "holm", {5000: 1000}),
        ("t", "holm", {5000: 1000}),
    ],
)
def test_samples_by_number_of_comparisons(test, correction, expected):
    assert {n: resamples_for(test, None, correction, n, 0.05) for n in expected} == expected


def test_options_within_bounds():
    for level in (1e-9, 1 - 1e-9):
        options.require_level(level)
        options.require_interval("t", level)
    options.require_two_topics(2)
    for n_resamples, test, interval in ((10_000_000, "bootstrap", None), (5, "t", "bca"), (5, None, "percentile")):
        options.require_samples(n_resamples, test, interval)


@pytest.mark.parametrize(
    ("test", "given", "expected"),
    [
        *((test, (None, None), (1000, False)) for test in ("bootstrap", "tukey", "t")),
        ("randomization", (None, None), (10_000, True)),
        ("randomization", (7, False), (7, False)),
        ("bootstrap", (7, True), (7, True)),
    ],
)
def test_resampling_options(test, given, expected):
    assert options.resampling_options(test, *given) == expected


def test_the_search_for_topics_ends_at_ten_million():
    # the width is 2 · 1.96 · sd/√n: 0.00125 takes 9.8 million topics, 0.0012 would take 10.7
    assert stats.topics_for_interval(1, 0.00125) == pytest.approx((2 * 1.959964 / 0.00125) ** 2, rel=1e-6)
    rejects("^more than 10,000,000 topics", stats.topics_for_interval, 1, 0.0012)
