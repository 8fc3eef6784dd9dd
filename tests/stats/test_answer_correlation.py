"""Correlations of contexts with answers: against scipy on every sample, ties and rounding, and what does not match."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats as scipy_stats

import irdiv
from irdiv.errors import IrdivError
from irdiv.measures.answers import ANSWER_MEASURES
from irdiv.rag import correlate_with_answers
from irdiv.stats import sample_correlation
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.sample_correlation import correlations_over_runs, correlations_over_topics

SCIPY = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr, "tau": scipy_stats.kendalltau}
CONTEXTS = ["I-rec@10", "D-nDCG@10"]
ANSWERS = ["vital_score", "all_score", "strict_all_score"]


def draw(seed=0, runs=4, topics=15):
    """Return values [run, measure, topic] of contexts and answers, with ties."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, (runs, len(CONTEXTS), topics)) / 8
    noise = rng.integers(0, 8, (runs, len(ANSWERS), topics)) / 8
    return x, (x[:, :1] + noise) / 2


def evaluation(values, measures, runs=None, first_topic=0):
    runs = runs or [f"r{run}" for run in range(len(values))]
    topics = np.array([str(topic + first_topic) for topic in range(values.shape[2])], dtype=object)
    parsed = tuple(ANSWER_MEASURES.get(name) or irdiv.parse(name) for name in measures)
    return irdiv.Evaluation(tuple(runs), topics, parsed, values)


def both(**shape):
    x, y = draw(**shape)
    return evaluation(x, CONTEXTS), evaluation(y, ANSWERS)


def by_scipy(x, y, method):
    """Return scipy's correlation; NaN where one side is constant."""
    return np.nan if np.ptp(x) == 0 or np.ptp(y) == 0 else SCIPY[method](x, y).statistic


def correlation(frame, run, measure="I-rec@10", answer_measure="vital_score", column="correlation"):
    rows = frame.set_index(["over", "run", "measure", "answer_measure"])
    return rows.loc[("topics", run, measure, answer_measure), column]


@pytest.mark.parametrize("method", SCIPY)
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("topics", [4, 12])
def test_correlations_and_intervals_are_scipys(method, in_parts, topics, monkeypatch):
    """Four topics have samples on which a measure is constant; these samples are left out of the interval."""
    if in_parts:
        monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 200)
        monkeypatch.setattr(sample_correlation, "_MANY_TOPICS", 3)
    contexts, answers = both(topics=topics)
    found = correlate_with_answers(contexts, answers, method=method, n_resamples=30, rng=4, confidence_level=0.8)
    samples = [np.arange(topics)]
    samples += [np.repeat(np.arange(topics), count) for count in bootstrap_counts(topics, 30, 4)]
    expected = []
    for m, measure in enumerate(CONTEXTS):
        for a, answer_measure in enumerate(ANSWERS):
            x, y = contexts.values[:, m], answers.values[:, a]
            by_run = np.array([[by_scipy(x[r][s], y[r][s], method) for s in samples] for r in range(4)])
            over_runs = [by_scipy(x[:, s].sum(axis=1), y[:, s].sum(axis=1), method) for s in samples]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # no run has a correlation on a sample
                mean = np.nanmean(by_run, axis=0)
            parts = [("topics", f"r{run}", topics, of_run) for run, of_run in enumerate(by_run)]
            for over, run, n, values in [*parts, ("topics", None, topics, mean), ("runs", None, 4, over_runs)]:
                ends = np.nanquantile(values[1:], [0.1, 0.9])
                expected.append((measure, answer_measure, method, over, run, n, values[0], *ends))
    expected = pd.DataFrame(expected, columns=found.columns).astype({"run": object})
    pd.testing.assert_frame_equal(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", SCIPY)
def test_constant_values_have_no_correlation(method):
    contexts, answers = both(runs=3)
    answers.values[1] = 0.1 + 0.2
    answers.values[:, 2] = 1 / 3
    found = correlate_with_answers(contexts, answers, method=method, n_resamples=20)
    undefined = found[(found["run"] == "r1") | (found["answer_measure"] == "strict_all_score")]
    assert undefined[["correlation", "low", "high"]].isna().all(axis=None), undefined
    assert found["correlation"].isna().sum() == len(undefined)
    # r1 is left out of the mean
    mean = found.query("over == 'topics' and run.isna() and measure == 'I-rec@10'").set_index("answer_measure")
    expected = (correlation(found, "r0") + correlation(found, "r2")) / 2
    assert mean.loc["vital_score", "correlation"] == pytest.approx(expected)


@pytest.mark.parametrize(("runs", "parts"), [(1, ["r0"]), (2, ["r0", "r1", "mean"])])
def test_two_runs_have_no_correlation_over_runs(runs, parts):
    found = correlate_with_answers(*both(runs=runs), n_resamples=5, method="tau")
    assert set(found["over"]) == {"topics"}
    assert found["run"].fillna("mean").tolist() == parts * 6


def test_context_of_names_the_contexts_of_each_run():
    x, y = draw(runs=3)
    contexts = evaluation(x, CONTEXTS, runs=["bm25", "dense", "unused"])
    answers = evaluation(y, ANSWERS, runs=["dense-gpt", "bm25-gpt", "bm25-llama"])
    context_of = {"bm25-gpt": "bm25", "bm25-llama": "bm25", "dense-gpt": "dense"}
    found = correlate_with_answers(contexts, answers, context_of=context_of, method="pearson", n_resamples=5)
    for run, context, answer in (("dense-gpt", 1, 0), ("bm25-gpt", 0, 1), ("bm25-llama", 0, 2)):
        expected = by_scipy(x[context, 1], y[answer, 1], "pearson")
        assert correlation(found, run, "D-nDCG@10", "all_score") == pytest.approx(expected, abs=1e-12), run


def test_runs_and_topics_are_matched_by_name_and_not_by_order():
    contexts, answers = both()
    expected = correlate_with_answers(contexts, answers, n_resamples=5)
    shuffled = answers.frame.sample(frac=1, random_state=2)
    found = correlate_with_answers(contexts.frame.iloc[::-1], shuffled, n_resamples=5)
    key = ["measure", "answer_measure", "method", "over", "run"]
    found, expected = (frame.sort_values(key).set_index(key)["correlation"] for frame in (found, expected))
    pd.testing.assert_series_equal(found, expected)


def test_measures_where_less_is_better_are_turned_around():
    x, y = draw(runs=1)
    found = correlate_with_answers(evaluation(x, ["E", "D-nDCG@10"]), evaluation(y, ANSWERS), n_resamples=3)
    expected = correlate_with_answers(evaluation(x, CONTEXTS), evaluation(y, ANSWERS), n_resamples=3)
    sign = np.where(found["measure"] == "E", -1, 1)
    np.testing.assert_allclose(sign * found["correlation"], expected["correlation"])


def test_topics_that_only_one_has():
    x, y = draw()
    contexts, answers = evaluation(x, CONTEXTS), evaluation(y, ANSWERS, first_topic=2)
    with pytest.raises(IrdivError, match="13 topics .*contexts have '0', '1' .*answers have '15', '16'.*'drop'"):
        correlate_with_answers(contexts, answers)
    found = correlate_with_answers(contexts, answers, missing="drop", method="pearson", n_resamples=3)
    assert correlation(found, "r1", column="n") == 13
    assert correlation(found, "r1") == pytest.approx(by_scipy(x[1, 0, 2:], y[1, 0, :-2], "pearson"), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "kendall"}, "method='kendall' is not one of .*'tau'"),
        ({"method": []}, "no method given"),
        ({"missing": "zero"}, "missing='zero' is not one of .*'drop'"),
        ({"confidence_level": 95}, "confidence_level=95"),
        ({"n_resamples": 0}, "n_resamples=0"),
        ({"measures": "ERR-IA@10"}, "ERR-IA@10 was not evaluated"),
        ({"answer_measures": "rubric_score"}, "rubric_score was not evaluated"),
        ({"context_of": {"r0": "r0"}}, "context_of has no .*'r1', 'r2', 'r3'"),
        ({"context_of": {"r9": "r0"}}, "no run is called 'r9'"),
        ({"context_of": {"r0": "bm25"}}, "no run is called 'bm25'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(IrdivError, match=message):
        correlate_with_answers(*both(), **options)


def test_runs_and_topics_without_a_match_are_named():
    x, y = draw(runs=2)
    contexts = evaluation(x, CONTEXTS, runs=["bm25", "dense"])
    with pytest.raises(IrdivError, match="contexts have 'dense' .*answers have 'gpt'.*context_of="):
        correlate_with_answers(contexts, evaluation(y, ANSWERS, runs=["bm25", "gpt"]))
    other_topics = evaluation(y, ANSWERS, runs=["bm25", "dense"], first_topic=100)
    with pytest.raises(IrdivError, match="0 topics in common.*Are the ids the same"):
        correlate_with_answers(contexts, other_topics, missing="drop")
    with pytest.raises(IrdivError, match="at least 3, found '0', '1'"):
        correlate_with_answers(*both(topics=2))


@pytest.mark.parametrize(("backend", "frame"), [("polars", pl.DataFrame), ("pyarrow", pa.Table)])
def test_the_result_is_a_frame_of_the_callers_library(backend, frame):
    contexts, answers = both()
    expected = correlate_with_answers(contexts, answers, n_resamples=5)
    theirs = irdiv.Evaluation(contexts.runs, contexts.query_ids, contexts.measures, contexts.values, backend)
    found = correlate_with_answers(theirs, answers, n_resamples=5)
    assert type(found) is frame
    in_pandas, expected = (table.fillna({"run": ""}) for table in (found.to_pandas(), expected))
    pd.testing.assert_frame_equal(in_pandas, expected, check_dtype=False)


class TestRounding:
    ONES = np.ones((1, 5), dtype=np.uint16)
    Y = np.array([[0.1, 0.4, 0.2, 0.9, 0.3]])

    def over_topics(self, x, method="pearson"):
        return correlations_over_topics(np.atleast_2d(x), self.Y, self.ONES, method)[:, 0, 0]

    @pytest.mark.parametrize("level", [0.5, 1e6, 1e-3, 0])
    def test_values_that_vary_by_rounding_have_none(self, level):
        steps = np.array([1, -1, 1, 0, -1])
        np.testing.assert_equal(self.over_topics(level * (1 + 5e-13 * steps)), [np.nan])
        if level:
            expected = [scipy_stats.pearsonr(steps, self.Y[0]).statistic]
            assert self.over_topics(level * (1 + 1e-7 * steps)) == pytest.approx(expected, abs=1e-5)
            assert self.over_topics(level * (1 + 1e-10 * steps)) == pytest.approx(expected, abs=1e-2)

    def test_each_measure_has_its_own_rounding(self):
        x = np.array([[1e-8, 3e-8, 2e-8, 1e-8, 0], [1e6, 2e6, 1e6, 0, 5e6]])
        assert self.over_topics(x) == pytest.approx([scipy_stats.pearsonr(row, self.Y[0]).statistic for row in x])

    def test_perfect_correlations_are_1(self):
        x = np.random.default_rng(0).random((40, 5))
        found = correlations_over_topics(x, np.concatenate([x, -x]), bootstrap_counts(5, 30, 0), "pearson")
        assert (np.nanmin(found), np.nanmax(found)) == (-1, 1)

    @pytest.mark.parametrize("method", SCIPY)
    def test_samples_on_which_all_runs_are_equal(self, method):
        by_topic = [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
        x, y = (np.array(values).T[:, None] for values in by_topic)
        counts = np.array([[2, 0], [0, 2]], dtype=np.uint16)
        for pair in ((x, y), (y, x)):
            np.testing.assert_allclose(correlations_over_runs(*pair, counts, method)[0, 0], [np.nan, 1])

    @pytest.mark.parametrize("method", ["spearman", "tau"])
    def test_ranks_of_values_that_differ_by_rounding(self, method):
        tied, close = [0.1, 0.1, 0.3, 0.5, 0.5], [0.1, 0.1 + 2e-13, 0.3, 0.5 + 2e-13, 0.5]
        apart = [0.1, 0.1 + 2e-12, 0.3, 0.5, 0.5]
        found = [self.over_topics(x, method).item() for x in (close, tied, apart)]
        assert found[0] == found[1] != found[2]
        x, y = (np.array(values)[:, None, None] * np.ones(4) for values in (close, self.Y[0]))
        over_runs = correlations_over_runs(x, y, np.ones((1, 4), dtype=np.uint16), method)
        assert over_runs.item() == pytest.approx(by_scipy(tied, self.Y[0], method))
