"""What statistics do at the edges: values that differ by rounding, batches, orders, and parts of a study."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of
from irdiv import stats
from irdiv.stats import bootstrap, rank_correlation, resampling, sample_correlation, tukey
from irdiv.stats.scores import Scores, best_runs
from irdiv.stats.study import as_study, concat_collections
from irdiv.stats.table import as_table


def random_values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


class TestRounding:
    """Scores are compared to 12 decimals, values to 10⁻¹²."""

    @pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b])
    def test_rankings(self, function):
        tied, close, apart = [0.5, 0.5, 0.1], [0.5 + 2e-13, 0.5, 0.1], [0.5 + 2e-12, 0.5, 0.1]
        for other in ([3, 2, 1], [3, 1, 2]):
            assert function(close, other) == function(tied, other) != function(apart, other)
            assert function(other, close) == function(other, tied) != function(other, apart)

    @pytest.mark.parametrize("function", [stats.tau, stats.tau_ap, stats.tau_ap_b])
    def test_two_systems(self, function):
        assert function([True, False], [0.2, 0.1]) == function([1, 2], [1, 2], top=2) == 1
        assert function([1, 2], [2, 1]) == -1

    def test_best_runs(self):
        means = np.array([[0.5, 0.2], [0.5 - 5e-13, 0.2 + 5e-13], [0.5 - 2e-12, 0.2 + 2e-12]])
        assert best_runs(means, [False, True]).T.tolist() == [[True, True, False]] * 2
        assert best_runs(np.array([[1e-12], [0.0]]), [False]).tolist() == [[True], [True]]

    def test_concordance_and_disagreements(self):
        # on the first topic the first measure differs by 10⁻¹² exactly, which is no preference
        values = np.zeros((2, 3, 2))
        values[0] = [[1e-12, 0.3], [-0.3, -0.3], [0.5, 0.5]]
        evaluation = evaluation_of(values, ["P@5", "AP", "RR"])
        assert stats.concordance(evaluation, "RR")["disagreements"].tolist() == [1]
        assert stats.disagreements(evaluation, "P@5", "AP")["query_id"].tolist() == ["1"]

    def test_swaps(self):
        values = np.zeros((2, 1, 4))
        values[0, 0] = [1e-12, -1e-12, 1e-12, -1e-12]
        assert stats.swap_rates(evaluation_of(values), sizes=[1], trials=20).empty

    def test_losses(self):
        values = np.array([[[0.0, 0.0, 0.0]], [[1e-12, 2e-12, 0.0]]])
        found = stats.worst_topics(evaluation_of(values), run="r0", baseline="r1")
        assert found["query_id"].tolist() == ["1"]

    def test_topics_that_differ_by_rounding_keep_their_order(self):
        values = np.array([[[0.5 + 2e-13, 0.5, 0.5 - 2e-12]]])
        assert stats.worst_topics(evaluation_of(values))["query_id"].tolist() == ["2", "0", "1"]
        values = np.zeros((2, 2, 3))
        values[0, 0] = [0.5 - 2e-13, 0.5, 0.5 + 2e-12]
        values[0, 1] = -1
        found = stats.disagreements(evaluation_of(values, ["P@5", "AP"]), "P@5", "AP")
        assert found["query_id"].tolist() == ["2", "0", "1"]

    def test_ranks(self):
        values = np.array([1e-12, 0.0, -2e-12])[:, None, None] + np.zeros(2)
        assert stats.rank_runs(evaluation_of(values), test="t", interval="t")["rank"].tolist() == [1, 1, 3]

    def test_a_variance_by_rounding_is_none(self):
        values = np.array([[[0.5, 0.5 + 1e-13]], [[0.5, 0.5]]])
        with pytest.raises(irdiv.IrdivError, match="has the same value for all topics"):
            stats.topic_set_size(evaluation_of(values), 0.1)
        values[0, 0, 1] = 0.5 + 1e-10
        assert stats.topic_set_size(evaluation_of(values), 0.1)["t_test"].tolist() == [2]

    def test_bins_of_swaps(self):
        # .1 + .2 is a little more than .3, and .3/.1 a little less than 3: both are in the bin from .3
        values = np.zeros((2, 1, 4))
        values[0, 0] = [0.3, 0.3, -0.1 - 0.2, -0.3]
        found = stats.swap_rates(evaluation_of(values), sizes=[1], trials=30, bin_width=0.1)
        assert found[["low", "high"]].values.tolist() == [pytest.approx([0.3, 0.4])]


class TestBatches:
    """What is held at once is bounded, and batches change no value."""

    def test_rankings(self, monkeypatch):
        sizes, tau = [], rank_correlation._tau
        monkeypatch.setitem(rank_correlation._FUNCTIONS, "tau", lambda x, y: sizes.append(len(x)) or tau(x, y))
        x, y = random_values(2, 4500, 10)
        found = rank_correlation.correlation_function("tau")(x, y)
        # 200,000 cells of 10 · 10 pairs
        assert sizes == [2000, 2000, 500]
        assert found[[0, 2000, 4499]].tolist() == pytest.approx(
            [scipy_stats.kendalltau(x[i], y[i]).statistic for i in (0, 2000, 4499)]
        )
        sizes.clear()
        monkeypatch.setattr(rank_correlation, "_MAX_CELLS", 50)
        rank_correlation.correlation_function("tau")(x[:3], y[:3])
        assert sizes == [1, 1, 1]

    def test_correlations_over_topics(self, monkeypatch):
        sizes, function = [], sample_correlation._pearson_over_topics
        monkeypatch.setitem(
            sample_correlation._OVER_TOPICS, "pearson", lambda x, y, w: sizes.append(len(w)) or function(x, y, w)
        )
        monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 200)
        x, y = random_values(2, 8), random_values(3, 8, seed=1)
        counts = resampling.bootstrap_counts(8, 12, 0)
        found = sample_correlation.correlations_over_topics(x, y, counts, "pearson")
        # 200 cells of 5 measures and 8 topics
        assert sizes == [5, 5, 2]
        assert found.shape == (2, 3, 12)
        sizes.clear()
        monkeypatch.setattr(sample_correlation, "_MAX_CELLS", 10)
        sample_correlation.correlations_over_topics(x, y, counts[:2], "pearson")
        assert sizes == [1, 1]

    @pytest.mark.parametrize("cells", [1_000_000, 50, 1])
    def test_tukey(self, cells, monkeypatch):
        values = random_values(4, 2, 5)
        monkeypatch.setattr(resampling, "_SAMPLE_CELLS", cells)
        found = tukey._largest_differences(values, 3, 20)
        rng = np.random.default_rng(3)
        order = rng.random((20, 5, 4)).argsort(axis=2)
        for measure in range(2):
            ascending = np.sort(values[:, measure], axis=0)
            for sample, trial in enumerate(order):
                dealt = np.array([ascending[trial[topic], topic] for topic in range(5)])
                assert found[measure, sample] == pytest.approx(np.ptp(dealt.mean(axis=0)))

    @pytest.mark.parametrize("cells", [1_000_000, 30, 1])
    def test_samples_that_are_computed_again(self, cells, monkeypatch):
        monkeypatch.setattr(bootstrap, "_REPEATED_CELLS", cells)
        w = random_values(3, 9) - 0.5
        counts = resampling.bootstrap_counts(9, 20, 1)
        row, sample = np.array([0, 2, 1, 2, 0, 1, 1]), np.array([3, 19, 0, 7, 7, 11, 12])
        squared_mean, ratio = bootstrap._samples_of_rows(w, counts, row, sample)
        drawn = [np.repeat(w[r], counts[s]) for r, s in zip(row, sample, strict=True)]
        assert squared_mean.tolist() == pytest.approx([one.mean() ** 2 for one in drawn])
        assert ratio.tolist() == pytest.approx([one.mean() ** 2 / (one**2).mean() for one in drawn])

    def test_the_error_of_single_precision(self):
        assert bootstrap._error(12, np.float32) == 20 * 2.0**-23
        assert bootstrap._error(12, np.float64) == 20 * 2.0**-52


class TestTukey:
    def test_ties_count(self):
        # Whole numbers have exact means, of which many are equal; scaled, they differ by rounding to either side.
        values, pairs = np.array([[[3, 1, 2]], [[2, 0, 1]], [[0, 1, 1]]], dtype=float), [(0, 1), (0, 2), (1, 2)]
        exact = tukey.tukey_p(values, pairs, n_resamples=60)
        for scale in np.random.default_rng(0).random(60) * 10:
            assert tukey.tukey_p(values * scale, pairs, n_resamples=60).tolist() == exact.tolist()
        # two runs that differ by 1 on two topics: in half of the permutations their means differ by 1 again
        p = tukey.tukey_p(np.array([[[3.0, 2.0]], [[2.0, 1.0]]]), [(0, 1)], n_resamples=2000)[0, 0]
        assert abs(p - 0.5) < 4 * math.sqrt(0.25 / 2000)

    def test_measures_do_not_matter_to_each_other(self):
        values = random_values(3, 2, 6)
        values[:, 1] *= 1e9
        together = tukey.tukey_p(values, [(0, 1), (1, 2)], n_resamples=200)
        alone = [tukey.tukey_p(values[:, [m]], [(0, 1), (1, 2)], n_resamples=200)[0] for m in range(2)]
        assert together.tolist() == [one.tolist() for one in alone]

    @pytest.mark.parametrize("rng", [3, np.int64(3), np.random.default_rng(3)])
    def test_options_reach_every_measure(self, rng):
        values = random_values(3, 2, 6)
        found = list(tukey.tukey_p_by_measure(values, [(0, 1)], rng=rng, n_resamples=9, plus_one=True))
        assert len(found) == 2
        # (c + 1)/10
        assert all(one.shape == (1,) and (one * 10) % 1 == pytest.approx(0) and one >= 0.1 for one in found)
        first = tukey.tukey_p(values[:, :1], [(0, 1)], rng=3, n_resamples=9, plus_one=True)
        assert found[0].tolist() == first[0].tolist()

    def test_comparisons_with_options(self):
        evaluation = evaluation_of(random_values(3, 1, 6))
        options = {"test": "tukey", "rng": 3, "n_resamples": 9}
        found = stats.compare(evaluation, **options, plus_one=True)["p"].tolist()
        table = as_table(evaluation)
        expected = tukey.tukey_p(table.values, table.pairs(), rng=3, n_resamples=9, plus_one=True)[0].tolist()
        assert found == expected
        assert stats.discriminative_power(evaluation, **options, plus_one=True).p.tolist() == [expected]
        assert stats.discriminative_power(evaluation, **options).p.tolist() != [expected]

    @pytest.mark.parametrize("n", [2, 1024, 1025, 2000])
    def test_order_of_random_numbers(self, n):
        numbers = random_values(2, 3, n)
        assert tukey._argsort_random(numbers.copy()).tolist() == numbers.argsort(axis=-1).tolist()


class TestBootstrap:
    @pytest.mark.parametrize(
        ("n_resamples", "level", "place"),
        [(90, 0.05, 4), (100, 0.29, 29), (100, 0.05, 5), (50, 0.001, 1), (40, 0.04, 1), (1, 0.5, 1)],
    )
    @pytest.mark.parametrize("n_topics", [6, 15])
    def test_the_required_difference(self, n_resamples, level, place, n_topics):
        """It is the mean of the sample with the (B·level)-th largest t, of at least the largest."""
        values = random_values(3, 2, n_topics) * np.array([1, 100])[:, None]
        evaluation = evaluation_of(values, ["P@5", "AP"])
        drawn = np.random.default_rng(2).integers(0, n_topics, (n_resamples, n_topics))
        expected = []
        for measure in range(2):
            needed = []
            for one, two in ((0, 1), (0, 2), (1, 2)):
                z = values[one, measure] - values[two, measure]
                samples = (z - z.mean())[drawn]
                means = np.abs(samples.mean(axis=1))
                with np.errstate(divide="ignore"):
                    t = means / samples.std(axis=1)
                needed.append(means[np.argsort(-t)[place - 1]])
            expected.append(max(needed))
        found = stats.discriminative_power(evaluation, level=level, n_resamples=n_resamples, rng=2)
        assert found.delta.tolist() == pytest.approx(expected)

    @pytest.mark.parametrize("n_topics", [3, 11, 12, 13, 30])
    @pytest.mark.parametrize("scale", [1, 1e-5, 1e200, 1.7e308])
    def test_p(self, n_topics, scale):
        z = (random_values(5, n_topics) - 0.4) * scale
        drawn = np.random.default_rng(2).integers(0, n_topics, (300, n_topics))
        counts = resampling.bootstrap_counts(n_topics, 300, 2)
        expected = []
        for row in z / scale:
            samples = (row - row.mean())[drawn]
            t = np.abs(samples.mean(axis=1)) / np.maximum(samples.std(axis=1, ddof=1), 1e-300)
            by_t = t >= abs(row.mean() / row.std(ddof=1)) - 1e-12
            by_mean = np.abs(samples.mean(axis=1)) >= abs(row.mean()) - 1e-12
            is_constant = np.ptp(samples, axis=1) == 0
            expected.append(np.where(is_constant, by_mean, by_t).mean())
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == pytest.approx(expected)

    @pytest.mark.parametrize("n_topics", [5, 11, 12, 20])
    def test_few_values(self, n_topics):
        """Samples of equal differences have no t and are compared by their means, among pairs that have none."""
        rng = np.random.default_rng(1)
        rest = np.ones(n_topics - 1)
        z = np.stack([rng.integers(0, 2, n_topics), rng.normal(size=n_topics), np.r_[1, 0 * rest], np.r_[5, rest]])
        z = np.concatenate([z, np.full((1, n_topics), 0.25), np.zeros((1, n_topics))]).astype(float)
        counts = resampling.bootstrap_counts(n_topics, 500, 2)
        expected = []
        for row in z:
            w, c = row - row.mean(), 0
            for count in counts:
                sample = np.repeat(w, count)
                if np.ptp(sample) < 1e-12 or np.ptp(row) < 1e-12:
                    c += abs(sample.mean()) >= abs(row.mean()) - 1e-12
                else:
                    c += abs(sample.mean() / sample.std(ddof=1)) >= abs(row.mean() / row.std(ddof=1)) - 1e-9
            expected.append(c / 500)
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == expected
        # differences that are equal but for rounding are equal
        close = np.r_[5, rest + 3e-13 * (np.arange(n_topics - 1) % 2)]
        assert bootstrap.bootstrap_p(close[None], counts, False)[0] == expected[3]
        together = bootstrap.bootstrap_p(z, counts, True)
        assert together.tolist() == [(500 * p + 1) / 501 for p in expected]

    @pytest.mark.parametrize("n_topics", [4, 12, 20])
    def test_means_of_0(self, n_topics):
        """All samples are at least as far from 0 as a mean of 0, also those whose mean is 0."""
        z = np.array([np.tile([1.0, -1.0], n_topics // 2), np.tile([0.25, 0.75, -0.75, -0.25], n_topics // 4)])
        counts = resampling.bootstrap_counts(n_topics, 400, 2)
        assert ((z @ counts.T) == 0).any()
        assert bootstrap.bootstrap_p(z, counts, False).tolist() == [1, 1]


class TestSampleCorrelations:
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
        counts = resampling.bootstrap_counts(5, 30, 0)
        found = sample_correlation.correlations_over_topics(x, np.concatenate([x, -x]), counts, "pearson")
        assert np.nanmax(found) == 1
        assert np.nanmin(found) == -1

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


class TestTables:
    EVALUATION = evaluation_of(random_values(3, 2, 4), ["P@5", "E@5"])

    def test_of_an_evaluation(self):
        table = as_table(self.EVALUATION)
        assert (table.runs, table.measures, table.topics) == (["r0", "r1", "r2"], ["P@5", "E@5"], ["0", "1", "2", "3"])
        assert table.direction.tolist() == [1, -1]
        assert table.is_in_given_order
        assert as_table(table) is table
        assert table.choose(["P@5", "E@5"]) is table
        turned = table.choose(["E@5", "P@5"])
        assert (turned.measures, turned.direction.tolist()) == (["E@5", "P@5"], [-1, 1])
        assert turned.values.tolist() == table.values[:, ::-1].tolist()
        assert table.only(None).measures == ["P@5"]
        assert table.only(irdiv.parse("E@5")).measures == ["E@5"]
        larger = table.larger_is_better()
        assert larger.direction.tolist() == [1, 1]
        assert larger.values.tolist() == np.stack([table.values[:, 0], -table.values[:, 1]], axis=1).tolist()

    def test_of_a_frame_in_natural_order(self):
        rows = [(run, topic, "E@5", 1.0) for run in ("10", "9") for topic in ("10", "9", "b")]
        frame = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])
        table = as_table(frame)
        assert (table.runs, table.topics, table.direction.tolist()) == (["9", "10"], ["9", "10", "b"], [-1])
        assert not table.is_in_given_order
        assert table.only(None).measures == ["E@5"]
        assert as_table(frame.assign(measure="unknown")).direction.tolist() == [1]

    def test_four_missing_values(self):
        frame = self.EVALUATION.frame
        with pytest.raises(irdiv.IrdivError, match=r"topic '2', P@5; …\. Every run"):
            as_table(frame[(frame["run"] != "r0") | (frame["measure"] != "P@5")])

    def test_differences(self):
        table = as_table(self.EVALUATION)
        differences = table.all_differences([(0, 1), (2, 0)])
        assert (differences.n_measures, differences.n_pairs) == (2, 2)
        expected = [table.values[a, m] - table.values[b, m] for m in range(2) for a, b in ((0, 1), (2, 0))]
        assert differences.rows(slice(0, 9)).tolist() == np.array(expected).tolist()
        assert differences.rows(slice(1, 3)).tolist() == np.array(expected[1:3]).tolist()
        assert differences.of_measure(1).tolist() == np.array(expected[2:]).tolist()
        assert [measure for measure, _ in table.differences([(0, 1)])] == ["P@5", "E@5"]
        assert table.pairs() == [(0, 1), (0, 2), (1, 2)]

    def test_scores_of_one_and_of_several_runs(self):
        scores = Scores(("a",), np.array(["1", "2"]), (irdiv.parse("P@5"),), np.array([[[0.5, 1.0]]]))
        assert scores.means().tolist() == [[0.75]]
        assert scores.best().tolist() == [[False]]
        assert scores.best().dtype == bool
        assert scores.sums() == []
        assert scores.specs() == ["P@5"]
        two = Scores(
            ("a", "b"), np.array(["1", "2"]), (irdiv.parse("P@5"), irdiv.parse("NumRet")), random_values(2, 2, 2)
        )
        assert two.sums() == ["NumRet"]
        assert two.means()[:, 0].tolist() == pytest.approx(two.values[:, 0].mean(axis=1).tolist())
        assert two.means()[:, 1].tolist() == pytest.approx(two.values[:, 1].sum(axis=1).tolist())
        assert two.best().sum(axis=0).tolist() == [1, 1]


class TestStudies:
    ONE, TWO = (
        evaluation_of(random_values(3, 2, 5), ["P@5", "AP"]),
        evaluation_of(random_values(2, 2, 4), ["AP", "P@5"]),
    )
    STUDY: ClassVar = {"one": ONE, 2: TWO}

    def test_measures_are_in_the_order_of_the_first(self):
        study = as_study(self.STUDY)
        assert study.names == ("one", "2")
        assert study.measures == ["P@5", "AP"]
        assert study.direction.tolist() == [1, 1]
        assert study.tables[1].values.tolist() == self.TWO.values[:, ::-1].tolist()
        assert as_study(self.ONE).names is None
        assert as_study(self.ONE).tables[0].values is self.ONE.values

    def test_every_collection_has_the_same_seed(self):
        study = as_study(self.STUDY)
        assert study.analyze(lambda table, rng: (len(table.runs), rng)) == [(3, 0), (2, 0)]
        assert study.analyze(lambda table, rng: rng, 5) == [5, 5]
        generator = np.random.default_rng(1)
        drawn = study.analyze(lambda table, rng: rng.random(), generator)
        assert drawn[0] == drawn[1] != generator.random()

    @pytest.mark.parametrize("function", [stats.compare, stats.correlation_intervals])
    def test_options_reach_every_collection(self, function):
        options = {"rng": 7, "n_resamples": 20, "measures": ["AP", "P@5"]}
        found = function(self.STUDY, **options)
        assert found.columns[0] == "collection"
        assert found.index.tolist() == list(range(len(found)))
        for name, one in (("one", self.ONE), ("2", self.TWO)):
            rows = found[found["collection"] == name].drop(columns="collection").reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, function(one, **options))
        # without a seed it is 0, as of one evaluation
        by_default = function(self.STUDY, n_resamples=20)
        alone = function(self.ONE, n_resamples=20)
        pd.testing.assert_frame_equal(by_default.head(len(alone)).drop(columns="collection"), alone)

    def test_arguments_by_position(self):
        found = stats.correlation_intervals(self.STUDY, "tau_ap", n_resamples=5)
        assert found[["collection", "measure", "other"]].values.tolist() == [
            [name, *pair] for name in ("one", "2") for pair in (["P@5", "AP"], ["AP", "P@5"])
        ]

    def test_frames_one_below_the_other(self):
        full, empty = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": []})
        found = concat_collections({"x": empty, "y": full, "z": full})
        assert found.columns.tolist() == ["collection", "a"]
        assert found.values.tolist() == [["y", 1], ["y", 2], ["z", 1], ["z", 2]]
        assert found["a"].dtype == np.int64
        assert found.index.tolist() == [0, 1, 2, 3]
        assert concat_collections({"x": empty}).columns.tolist() == ["collection", "a"]
        named = concat_collections({"x": pd.DataFrame({"b": 1}, index=pd.Index(["p", "q"], name="a"))})
        assert named.index.names == ["collection", "a"]

    def test_power_is_pooled(self):
        found = stats.discriminative_power(self.STUDY, test="t", level=0.9)
        one, two = (
            stats.discriminative_power(e, test="t", level=0.9, measures=["P@5", "AP"]) for e in (self.ONE, self.TWO)
        )
        assert found.pairs == (*one.pairs, *two.pairs)
        assert found.p.tolist() == np.concatenate([one.p, two.p], axis=1).tolist()
        assert found.difference.tolist() == np.concatenate([one.difference, two.difference], axis=1).tolist()
        assert list(found.collections) == ["one", "2"]
        by_collection = found.summary(by_collection=True)
        assert by_collection[["collection", "measure", "pairs"]].values.tolist() == [
            ["one", "P@5", 3], ["one", "AP", 3], ["2", "P@5", 1], ["2", "AP", 1],
        ]  # fmt: skip
        assert found.asl()["collection"].value_counts().to_dict() == {"one": 6, "2": 2}
        assert found.asl().columns.tolist() == ["measure", "rank", "collection", "run", "other", "difference", "p"]
        with_delta = stats.discriminative_power(self.STUDY, n_resamples=50)
        deltas = [part.delta for part in with_delta.collections.values()]
        assert with_delta.delta.tolist() == np.max(deltas, axis=0).tolist()
        assert stats.discriminative_power({"one": self.ONE}, test="t").collections["one"].pairs == one.pairs

    def test_swaps_of_collections_with_other_bins(self):
        values = np.zeros((2, 1, 2))
        values[0, 0] = [0.35, 0.35]
        large, small = evaluation_of(values), evaluation_of(values / 3)
        for study in ({"a": large, "b": small}, {"b": small, "a": large}):
            found = stats.swap_rates(study, sizes=[1], trials=4, bin_width=0.1)
            assert found.drop(columns="measure").values.tolist() == [
                [1, 0.1, 0.2, 4, 0, 0], [1, pytest.approx(0.3), 0.4, 4, 0, 0],
            ]  # fmt: skip
            assert found["comparisons"].dtype == np.int64


class TestAssessments:
    def test_documents_in_the_order_of_their_first_vote(self):
        rows = [("2", "d9", "10", 1), ("1", "d1", "9", 0), ("2", "d9", "9", 2), ("1", "d1", "10", 1)]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"], index=[5, 6, 7, 8])
        found = stats.grades_from_votes(votes)
        assert found.to_dict("list") == {"query_id": ["2", "1"], "doc_id": ["d9", "d1"], "relevance": [3, 1]}
        assert found.index.tolist() == [0, 1]
        assert found["relevance"].dtype == np.int64
        assert stats.grades_from_votes(votes, levels={1: 0, 3: 1})["relevance"].tolist() == [1, 0]
        # assessors are in natural order
        agreement = stats.assessor_agreement(votes)
        assert agreement[["assessor", "other", "documents", "agreement"]].values.tolist() == [["9", "10", 2, 0.0]]
        assert agreement.columns.tolist() == ["assessor", "other", "documents", "agreement", "kappa", "low", "high"]

    def test_missing_votes_count_for_each(self):
        rows = [("1", "d0", a, 1) for a in "ABC"] + [("1", "d1", "A", 2)]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"])
        assert stats.grades_from_votes(votes, missing_vote=5)["relevance"].tolist() == [3, 12]
        assert stats.grades_from_votes(votes, missing_vote=-1)["relevance"].tolist() == [3, 0]
        assert stats.grades_from_votes(votes, missing_vote=0)["relevance"].tolist() == [3, 2]

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_files_with_votes_that_are_missing(self, separator, tmp_path):
        lines = ["intent,grade,query_id,doc_id,assessor", "i,1,1,d0,A", "i,0,1,d0,B", "i,,1,d1,A", "i,1,1,d1,B"]
        (tmp_path / "votes").write_text("\n".join(lines).replace(",", separator))
        found = stats.grades_from_votes(tmp_path / "votes", missing_vote=3)
        assert found.to_dict("list") == {
            "query_id": ["1", "1"], "intent_id": ["i", "i"], "doc_id": ["d0", "d1"], "relevance": [1, 4],
        }  # fmt: skip

    def test_a_semicolon_in_a_file_with_commas(self, tmp_path):
        (tmp_path / "votes").write_text("query_id,doc_id,assessor,grade,note;\n1,d;0,A,1,x\n1,d;0,B,1,y\n")
        assert stats.grades_from_votes(tmp_path / "votes").values.tolist() == [["1", "d;0", 2]]

    def test_kappa_of_all(self):
        rows = [
            ("1", f"d{d}", a, g)
            for d, grades in enumerate(["111", "110", "000", "01"])
            for a, g in zip("ABC", grades, strict=False)
        ]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"]).astype({"grade": int})
        found = stats.fleiss_kappa(votes, votes_per_document=3)
        # shares of equal pairs 1, 1/3, 1; five votes of 1 and four of 0
        p, e = 7 / 9, (25 + 16) / 81
        assert found.columns.tolist() == ["documents", "left_out", "votes_per_document", "agreement", "kappa"]
        assert found.values.tolist() == [[3, 1, 3, pytest.approx(p), pytest.approx((p - e) / (1 - e))]]

    def test_a_document_without_votes_is_left_out(self):
        rows = [
            ("1", "d0", "A", 1.0),
            ("1", "d0", "B", 1.0),
            ("1", "d1", "A", 0),
            ("1", "d1", "B", 1),
            ("1", "d2", "A", None),
        ]
        votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "grade"])
        found = stats.fleiss_kappa(votes, votes_per_document=2)
        assert found[["documents", "left_out"]].values.tolist() == [[2, 1]]


class TestValueFiles:
    def read(self, tmp_path, text: str, name: str = "values.txt"):
        (tmp_path / name).write_text(text)
        return stats.read_values(tmp_path / name).values.tolist()

    def test_topics_before_or_after_measures(self, tmp_path):
        expected = [["values.txt", "1", "map", 0.5], ["values.txt", "2", "map", 0.25]]
        for text in ("map 1 0.5\nmap 2 0.25\nmap all 0.375\n", "1 map 0.5\n2 map 0.25\nall map 0.375\n"):
            found = self.read(tmp_path, text)
            assert [row[1:] for row in found] == [row[1:] for row in expected]
            assert {row[0] for row in found} == {"values"}

    def test_names_of_runs(self, tmp_path):
        text = "map 1 0.5\nmap all 0.5\n"
        assert self.read(tmp_path, text, "bm25.eval")[0][0] == "bm25"
        assert self.read(tmp_path, "map 1 0.5\nrunid all ql\nmap 1 0.25\nmap all 0.2\n", "rest.eval") == [
            ["ql", "1", "map", 0.5],
            ["rest", "1", "map", 0.25],
        ]
        with pytest.raises(irdiv.IrdivError, match="only values of all topics together"):
            self.read(tmp_path, "runid all ql\nmap all 0.5\n")

    @pytest.mark.parametrize("mean", ["all", "amean"])
    def test_values_of_all_topics_are_left_out(self, mean, tmp_path):
        assert self.read(tmp_path, f"a 1 P@5 0.5\na {mean} P@5 0.5\n") == [["a", "1", "P@5", 0.5]]
        assert self.read(tmp_path, f"a P@5 1 0.5\na P@5 {mean} 0.5\n") == [["a", "1", "P@5", 0.5]]
        header = f"run,topic,measure,value\na,1,P@5,0.5\na,{mean},P@5,0.5\n"
        assert self.read(tmp_path, header) == [["a", "1", "P@5", 0.5]]

    def test_commas_in_names_of_measures(self, tmp_path):
        text = "a\t1\tnDCG(gain='exp',x=1)@5\t0.5\n"
        assert self.read(tmp_path, text)[0][2] == "nDCG(gain='exp',x=1)@5"
        assert self.read(tmp_path, text.replace("\t", " "))[0][2] == "nDCG(gain='exp',x=1)@5"

    @pytest.mark.parametrize("separator", [",", ";", "\t", " "])
    def test_a_column_for_each_measure(self, separator, tmp_path):
        text = "topic,P@5,run,AP\n1,0.5,a,0.25\n".replace(",", separator)
        assert self.read(tmp_path, text) == [["a", "1", "P@5", 0.5], ["a", "1", "AP", 0.25]]

    def test_types(self, tmp_path):
        (tmp_path / "values").write_text("007 01 5 1\n")
        found = stats.read_values(str(tmp_path / "values"))
        assert found.values.tolist() == [["007", "01", "5", 1.0]]
        assert found["value"].dtype == np.float64
        named = stats.read_values({7: tmp_path / "values"})
        assert named["run"].tolist() == ["7"]


class TestNames:
    def test_measures_by_any_spelling(self):
        from irdiv.stats.names import find_measure, find_run, find_topic, parsed_or_none

        assert find_measure(["P@5", "I-rec@10"], "I_rec@10") == 1
        assert find_measure(["P@5", "I-rec@10"], irdiv.parse("P@5")) == 0
        assert find_measure(["mine", "P@5"], "P@5", {irdiv.parse("P@5"): "mine"}) == 1
        assert find_measure(["mine"], "P@5", {irdiv.parse("P@5"): "mine"}) == 0
        assert find_measure(["AP", "unknown"], "unknown") == 1
        assert find_run(["a", "b"], "b") == 1
        assert find_topic(["151", "152"], 152) == 1
        assert parsed_or_none("no such measure") is None
