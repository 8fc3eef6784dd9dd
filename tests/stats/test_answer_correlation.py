"""Correlations of contexts with answers: against scipy, on samples too, and what does not match."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats as scipy_stats

import irdiv
from irdiv.errors import IrdivError
from irdiv.measures.answers import ANSWER_MEASURES
from irdiv.stats import sample_correlation
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.sample_correlation import correlations_over_runs, correlations_over_topics

SCIPY = {
    "pearson": lambda x, y: scipy_stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: scipy_stats.spearmanr(x, y).statistic,
    "tau": lambda x, y: scipy_stats.kendalltau(x, y).statistic,
}


def draw(seed=0, runs=4, topics=15, measures=2, answer_measures=3):
    """Return values [run, measure, topic] of contexts and answers, with ties."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, (runs, measures, topics)) / 8
    noise = rng.integers(0, 8, (runs, answer_measures, topics)) / 8
    return x, (x[:, :1] + noise) / 2


def evaluation(values, measures, runs=None, first_topic=0):
    runs = runs or [f"r{run}" for run in range(len(values))]
    topics = np.array([str(topic + first_topic) for topic in range(values.shape[2])], dtype=object)
    parsed = tuple(ANSWER_MEASURES.get(name) or irdiv.parse(name) for name in measures)
    return irdiv.Evaluation(tuple(runs), topics, parsed, values)


def both(seed=0, **shape):
    x, y = draw(seed, **shape)
    contexts = ["I-rec@10", "D-nDCG@10", "alpha-nDCG@10"][: x.shape[1]]
    answers = ["vital_score", "all_score", "strict_all_score"][: y.shape[1]]
    return evaluation(x, contexts), evaluation(y, answers)


def rows_over(frame, over, run=None):
    rows = frame[(frame["over"] == over) & (frame["run"].isna() if run is None else frame["run"] == run)]
    return rows.set_index(["measure", "answer_measure"])


@pytest.mark.parametrize("method", SCIPY)
def test_samples_over_topics_are_scipys(method):
    """Counts of a sample mean the same as the topics repeated, ties and all."""
    x, y = (values[0] for values in draw())
    counts = bootstrap_counts(15, 40, 3)
    correlations = correlations_over_topics(x, y, counts, method)
    assert correlations.shape == (2, 3, 40)
    for sample, count in enumerate(counts):
        drawn = np.repeat(np.arange(15), count)
        expected = [[SCIPY[method](one[drawn], other[drawn]) for other in y] for one in x]
        assert np.allclose(correlations[..., sample], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", SCIPY)
def test_samples_over_runs_are_scipys(method):
    x, y = draw(runs=6)
    counts = bootstrap_counts(15, 30, 3)
    correlations = correlations_over_runs(x, y, counts, method)
    for sample, count in enumerate(counts):
        x_sums, y_sums = ((values * count).sum(axis=2).T for values in (x, y))
        expected = [[SCIPY[method](one, other) for other in y_sums] for one in x_sums]
        assert np.allclose(correlations[..., sample], expected, rtol=0, atol=1e-12)


def test_many_topics_and_many_samples_change_nothing(monkeypatch):
    x, y = (values[0] for values in draw(topics=9))
    counts = bootstrap_counts(9, 25, 1)
    expected = {method: correlations_over_topics(x, y, counts, method) for method in SCIPY}
    monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 200)
    monkeypatch.setattr(sample_correlation, "_MANY_TOPICS", 5)
    for method in SCIPY:
        again = correlations_over_topics(x, y, counts, method)
        assert np.allclose(again, expected[method], rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("method", SCIPY)
def test_constant_values_have_no_correlation(method):
    x, y = draw(runs=3)
    x[0] = 1 / 3
    y[:, 0] = 0.1 + 0.2
    ones = np.ones((1, 15), dtype=np.uint16)
    assert np.isnan(correlations_over_topics(x[0], y[0], ones, method)).all()
    over_runs = correlations_over_runs(x, y, ones, method)
    assert np.isnan(over_runs[:, 0]).all()
    assert not np.isnan(over_runs[:, 1:]).any()


@pytest.mark.parametrize("method", SCIPY)
def test_rows_are_what_scipy_computes(method):
    contexts, answers = both()
    frame = irdiv.rag.correlate_with_answers(contexts, answers, method=method, n_resamples=50)
    assert len(frame) == 2 * 3 * (4 + 1 + 1)
    for m, measure in enumerate(contexts.specs()):
        for a, answer_measure in enumerate(answers.specs()):
            key = (measure, answer_measure)
            x, y = contexts.values[:, m], answers.values[:, a]
            by_run = [SCIPY[method](one, other) for one, other in zip(x, y, strict=True)]
            for run, expected in enumerate(by_run):
                row = rows_over(frame, "topics", f"r{run}").loc[key]
                assert row["correlation"] == pytest.approx(expected, abs=1e-12)
                assert row["n"] == 15
            assert rows_over(frame, "topics").loc[key, "correlation"] == pytest.approx(np.mean(by_run), abs=1e-12)
            row = rows_over(frame, "runs").loc[key]
            assert row["correlation"] == pytest.approx(SCIPY[method](x.mean(axis=1), y.mean(axis=1)), abs=1e-12)
            assert row["n"] == 4


def test_intervals_are_quantiles_of_correlations_on_samples():
    contexts, answers = both(measures=1, answer_measures=1)
    frame = irdiv.rag.correlate_with_answers(
        contexts, answers, method="pearson", n_resamples=200, rng=4, confidence_level=0.8
    )
    counts = bootstrap_counts(15, 200, 4)
    x, y = contexts.values[:, 0], answers.values[:, 0]
    samples = [np.repeat(np.arange(15), count) for count in counts]
    by_run = np.array([[SCIPY["pearson"](x[r][s], y[r][s]) for s in samples] for r in range(4)])
    over_runs = [SCIPY["pearson"](x[:, s].mean(axis=1), y[:, s].mean(axis=1)) for s in samples]
    expected = [*by_run, by_run.mean(axis=0), over_runs]
    assert np.allclose(frame[["low", "high"]], [np.quantile(values, [0.1, 0.9]) for values in expected])


def test_the_interval_of_pearsons_r_is_near_scipys():
    """Our percentile interval and scipy's bootstrap of the same statistic, from samples of their own."""
    rng = np.random.default_rng(2)
    x = rng.random((1, 1, 80))
    contexts, answers = evaluation(x, ["I-rec@10"]), evaluation((x + rng.random(x.shape)) / 2, ["vital_score"])
    row = irdiv.rag.correlate_with_answers(contexts, answers, method="pearson", n_resamples=4000).iloc[0]
    theirs = scipy_stats.bootstrap(
        (contexts.values[0, 0], answers.values[0, 0]),
        SCIPY["pearson"],
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(7),
    ).confidence_interval
    assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high), abs=0.015)
    assert row["low"] < row["correlation"] < row["high"]


def test_runs_without_a_correlation_are_left_out_of_the_mean():
    contexts, answers = both(runs=3)
    answers.values[1] = 0.0
    frame = irdiv.rag.correlate_with_answers(contexts, answers, method="tau", n_resamples=20)
    by_run = [rows_over(frame, "topics", f"r{run}")["correlation"] for run in range(3)]
    assert rows_over(frame, "topics", "r1")[["correlation", "low", "high"]].isna().all(axis=None)
    assert np.allclose(rows_over(frame, "topics")["correlation"], (by_run[0] + by_run[2]) / 2)


def test_two_runs_have_no_correlation_over_runs():
    frame = irdiv.rag.correlate_with_answers(*both(runs=2), n_resamples=5)
    assert set(frame["over"]) == {"topics"}
    one = irdiv.rag.correlate_with_answers(*both(runs=1), n_resamples=5)
    assert one["run"].tolist() == ["r0"] * 2 * 6


def test_context_of_names_the_contexts_of_each_run():
    x, y = draw(runs=3)
    contexts = evaluation(x, ["I-rec@10", "D-nDCG@10"], runs=["bm25", "dense", "unused"])
    answers = evaluation(
        y, ["vital_score", "all_score", "strict_all_score"], runs=["dense-gpt", "bm25-gpt", "bm25-llama"]
    )
    context_of = {"bm25-gpt": "bm25", "bm25-llama": "bm25", "dense-gpt": "dense"}
    frame = irdiv.rag.correlate_with_answers(contexts, answers, context_of=context_of, method="pearson", n_resamples=5)
    key = ("D-nDCG@10", "all_score")
    for run, context, answer in (("dense-gpt", 1, 0), ("bm25-gpt", 0, 1), ("bm25-llama", 0, 2)):
        expected = SCIPY["pearson"](x[context, 1], y[answer, 1])
        assert rows_over(frame, "topics", run).loc[key, "correlation"] == pytest.approx(expected, abs=1e-12)


def test_runs_and_topics_are_matched_by_name_and_not_by_order():
    contexts, answers = both()
    shuffled = answers.frame.sample(frac=1, random_state=2)
    expected = irdiv.rag.correlate_with_answers(contexts, answers, n_resamples=20)
    key = ["measure", "answer_measure", "method", "over", "run"]
    again = irdiv.rag.correlate_with_answers(contexts.frame.iloc[::-1], shuffled, n_resamples=20)
    both_frames = expected.merge(again, on=key, suffixes=("", "_again"))
    assert len(both_frames) == len(expected)
    assert np.allclose(both_frames["correlation"], both_frames["correlation_again"])


def test_measures_where_less_is_better_are_turned_around():
    x, y = draw(runs=1, measures=1, answer_measures=1)
    more, less = (evaluation(x, [name]) for name in ("I-rec@10", "E"))
    answers = evaluation(y, ["vital_score"])
    values = [irdiv.rag.correlate_with_answers(one, answers, n_resamples=3)["correlation"] for one in (more, less)]
    assert np.allclose(values[0], -values[1])


def test_topics_that_only_one_has():
    x, y = draw()
    contexts = evaluation(x, ["I-rec@10", "D-nDCG@10"])
    answers = evaluation(y, ["vital_score", "all_score", "strict_all_score"], first_topic=2)
    message = (
        "13 topics in common: only the contexts have '0', '1' and only the answers have '15', '16'. missing='drop'"
    )
    with pytest.raises(IrdivError, match=message):
        irdiv.rag.correlate_with_answers(contexts, answers)
    frame = irdiv.rag.correlate_with_answers(contexts, answers, missing="drop", method="pearson", n_resamples=3)
    expected = SCIPY["pearson"](x[1, 0, 2:], y[1, 0, :-2])
    row = rows_over(frame, "topics", "r1").loc[("I-rec@10", "vital_score")]
    assert (row["n"], row["correlation"]) == (13, pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "kendall"}, "method='kendall' is not one of 'pearson', 'spearman', 'tau'"),
        ({"method": []}, "no method given"),
        ({"missing": "zero"}, "missing='zero' is not one of 'error', 'drop'"),
        ({"confidence_level": 95}, "confidence_level=95 is not a number"),
        ({"n_resamples": 0}, "n_resamples=0 is not an integer from 1 to 10000000"),
        ({"measures": "ERR-IA@10"}, "ERR-IA@10 was not evaluated"),
        ({"answer_measures": "rubric_score"}, "rubric_score was not evaluated"),
        ({"context_of": {"r0": "r0"}}, "context_of has no contexts for the runs 'r1', 'r2', 'r3' of the answers"),
        ({"context_of": {"r9": "r0"}}, "no run is called 'r9'"),
        ({"context_of": {"r0": "bm25"}}, "no run is called 'bm25'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.rag.correlate_with_answers(*both(), **options)


def test_what_does_not_match_is_named():
    x, y = draw(runs=2, measures=1, answer_measures=1)
    contexts = evaluation(x, ["I-rec@10"], runs=["bm25", "dense"])
    with pytest.raises(IrdivError, match="only the contexts have 'dense' and only the answers have 'gpt'.*context_of="):
        irdiv.rag.correlate_with_answers(contexts, evaluation(y, ["vital_score"], runs=["bm25", "gpt"]))
    other_topics = evaluation(y, ["vital_score"], runs=["bm25", "dense"], first_topic=100)
    with pytest.raises(IrdivError, match="0 topics in common.*Are the ids the same"):
        irdiv.rag.correlate_with_answers(contexts, other_topics, missing="drop")
    with pytest.raises(IrdivError, match="needs at least 3, found '0', '1'"):
        irdiv.rag.correlate_with_answers(*both(topics=2))


@pytest.mark.parametrize(("backend", "frame"), [("polars", pl.DataFrame), ("pyarrow", pa.Table)])
def test_frames_of_the_callers_library(backend, frame):
    contexts, answers = both()
    expected = irdiv.rag.correlate_with_answers(contexts, answers, n_resamples=10)
    in_library = irdiv.Evaluation(contexts.runs, contexts.query_ids, contexts.measures, contexts.values, backend)
    found = irdiv.rag.correlate_with_answers(in_library, answers, n_resamples=10)
    assert type(found) is frame
    pd.testing.assert_frame_equal(
        found.to_pandas().fillna({"run": ""}), expected.fillna({"run": ""}), check_dtype=False
    )


class TestRounding:
    ONES = np.ones((1, 5), dtype=np.uint16)
    Y = np.array([[0.1, 0.4, 0.2, 0.9, 0.3]])

    def over_topics(self, x, method="pearson"):
        return sample_correlation.correlations_over_topics(np.array([x]), self.Y, self.ONES, method).item()

    @pytest.mark.parametrize("level", [0.5, 1e6, 1e-3])
    def test_values_that_vary_by_rounding_have_none(self, level):
        steps = np.array([1, -1, 1, 0, -1])
        assert math.isnan(self.over_topics(level * (1 + 5e-13 * steps)))
        expected = scipy_stats.pearsonr(steps, self.Y[0]).statistic
        assert self.over_topics(level * (1 + 1e-7 * steps)) == pytest.approx(expected, abs=1e-5)
        assert self.over_topics(level * (1 + 1e-10 * steps)) == pytest.approx(expected, abs=1e-2)

    def test_zeros_have_none(self):
        for method in ("pearson", "spearman", "tau"):
            assert math.isnan(self.over_topics(np.zeros(5), method))

    def test_rounding_is_that_of_each_measure(self):
        x = np.array([[1e-8, 3e-8, 2e-8, 1e-8, 0], [1e6, 2e6, 1e6, 0, 5e6]])
        found = sample_correlation.correlations_over_topics(x, self.Y, self.ONES, "pearson")[:, 0, 0]
        assert found.tolist() == pytest.approx([scipy_stats.pearsonr(row, self.Y[0]).statistic for row in x])

    def test_perfect_correlations_are_1(self):
        rng = np.random.default_rng(0)
        x = rng.random((40, 5))
        counts = bootstrap_counts(5, 30, 0)
        found = sample_correlation.correlations_over_topics(x, np.concatenate([x, -x]), counts, "pearson")
        assert np.nanmax(found) == 1
        assert np.nanmin(found) == -1

    @pytest.mark.parametrize("method", ["pearson", "spearman", "tau"])
    def test_samples_on_which_all_runs_are_equal(self, method):
        by_topic = [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
        x, y = (np.array(values).T[:, None] for values in by_topic)
        counts = np.array([[2, 0], [0, 2]], dtype=np.uint16)
        for pair in ((x, y), (y, x)):
            constant, other = sample_correlation.correlations_over_runs(*pair, counts, method)[0, 0]
            assert np.isnan(constant)
            assert other == pytest.approx(1)

    @pytest.mark.parametrize("method", ["spearman", "tau"])
    def test_ranks_of_values_that_differ_by_rounding(self, method):
        tied, close = [0.1, 0.1, 0.3, 0.5, 0.5], [0.1, 0.1 + 2e-13, 0.3, 0.5 + 2e-13, 0.5]
        apart = [0.1, 0.1 + 2e-12, 0.3, 0.5, 0.5]
        assert self.over_topics(close, method) == self.over_topics(tied, method) != self.over_topics(apart, method)
        x, y = (np.array(values)[:, None, None] * np.ones(4) for values in (close, self.Y[0]))
        ones = np.ones((1, 4), dtype=np.uint16)
        scipys = {"spearman": scipy_stats.spearmanr, "tau": scipy_stats.kendalltau}[method]
        found = sample_correlation.correlations_over_runs(x, y, ones, method).item()
        assert found == pytest.approx(scipys(tied, self.Y[0]).statistic)
