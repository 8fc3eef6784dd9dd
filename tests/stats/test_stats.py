"""Tests of systems and of measures, against scipy, enumeration, theory and by hand."""

from __future__ import annotations

import inspect
import itertools
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irdiv
from helpers import evaluation_of, random_collection, random_evaluation, random_run
from irdiv import IrdivError
from irdiv.demo import demo_qrels_and_runs
from irdiv.frames.backends import backend_of
from irdiv.stats import bootstrap, paired, resampling, tukey
from irdiv.stats.intervals import confidence_intervals
from irdiv.stats.tukey import tukey_p

X = np.array([0.5, 0.7, 0.6, 0.9, 0.2, 0.4])
Y = np.array([0.4, 0.5, 0.3, 0.95, 0.2, 0.1])
TESTS = [irdiv.stats.bootstrap_test, irdiv.stats.randomization_test, irdiv.stats.t_test]


class TestTwoSystems:
    def test_t_against_scipy(self):
        statistic, p = irdiv.stats.t_test(X, Y)
        expected = stats.ttest_rel(X, Y)
        assert (statistic, p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
        low, high = irdiv.stats.t_test(X, Y, confidence_level=0.9).interval
        ci = expected.confidence_interval(0.9)
        assert (low, high) == pytest.approx((ci.low, ci.high), abs=1e-12)

    def test_randomization_against_scipy(self):
        expected = stats.permutation_test((X - Y,), np.mean, permutation_type="samples", n_resamples=np.inf)
        assert irdiv.stats.randomization_test(X, Y).p == pytest.approx(expected.pvalue, abs=1e-12)

    def test_randomization_against_enumeration(self):
        z = X - Y
        count = sum(
            abs(np.dot(signs, z)) >= abs(z.sum()) - 1e-12 for signs in itertools.product((1, -1), repeat=len(z))
        )
        assert irdiv.stats.randomization_test(X, Y).p == count / 2 ** len(z)
        # the same at random, within four standard errors
        drawn = irdiv.stats.randomization_test(np.tile(X, 5), np.tile(Y, 5), n_resamples=20_000)
        exact = stats.permutation_test(
            (np.tile(X - Y, 5),), np.mean, permutation_type="samples", n_resamples=20_000, rng=1
        ).pvalue
        assert abs(drawn.p - exact) < 4 * math.sqrt(2 * 0.01 / 20_000)

    @pytest.mark.parametrize("z", [[0.1, 0.2, 0.3], [1, 2, 2, 3], [1, -1, 2, 0, 3], [0.3, 0.1, 0.1, 0.1, -0.2]])
    def test_bootstrap_against_enumeration(self, z):
        z, n = np.array(z, dtype=float), len(z)

        def t(sample):
            return np.mean(sample) / (np.std(sample, ddof=1) / math.sqrt(n))

        w, count = z - z.mean(), 0
        samples = list(itertools.product(range(n), repeat=n))
        for sample in samples:
            drawn = w[list(sample)]
            if np.ptp(drawn) < 1e-12:
                count += abs(drawn.mean()) >= abs(z.mean()) - 1e-12
            else:
                count += abs(t(drawn)) >= abs(t(z)) - 1e-9
        counts = np.array([np.bincount(sample, minlength=n) for sample in samples], dtype=np.uint16)
        assert bootstrap.bootstrap_p(z[None], counts, False)[0] == count / n**n
        # and drawn at random, within four standard errors
        asl = irdiv.stats.bootstrap_test(z, np.zeros(n), n_resamples=50_000).p
        assert abs(asl - count / n**n) < 4 * math.sqrt(0.25 / 50_000)

    @pytest.mark.parametrize("values", ["continuous", "few values", "mostly equal", "large", "tiny", "shifted"])
    @pytest.mark.parametrize("n_topics", [12, 40])
    def test_single_precision_finds_what_double_precision_does(self, values, n_topics, monkeypatch):
        v = random_evaluation(runs=12, topics=n_topics).values
        v[1], v[2] = v[0], v[0] + 0.125
        v = {
            "few values": np.round(v * 4) / 4,
            "mostly equal": np.where(np.random.default_rng(0).random(v.shape) < 0.9, 0.5, v),
            "large": v * 1e30,
            "tiny": v * 1e-30,
            "shifted": v * 1e-9 + np.arange(12)[:, None, None],
        }.get(values, v)
        evaluation = evaluation_of(v)
        single = irdiv.stats.discriminative_power(evaluation, n_resamples=2000)
        monkeypatch.setattr(bootstrap, "_MAX_ERROR", 0.0)
        double = irdiv.stats.discriminative_power(evaluation, n_resamples=2000)
        assert np.array_equal(single.p, double.p)
        assert np.array_equal(single.delta, double.delta)

    def test_single_precision_is_used_and_repeated(self, monkeypatch):
        """The test above compares nothing unless some samples are near the limit, and most are not."""
        repeated, are_extreme = [], bootstrap._are_extreme
        monkeypatch.setattr(bootstrap, "_are_extreme", lambda *a: repeated.append(len(a[3])) or are_extreme(*a))
        evaluation = evaluation_of(np.round(random_evaluation(runs=12, topics=40).values * 4) / 4)
        irdiv.stats.discriminative_power(evaluation, n_resamples=2000)
        assert 0 < sum(repeated) < 0.01 * 66 * 3 * 2000

    @pytest.mark.parametrize(("ours", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
    @pytest.mark.parametrize("level", [0.95, 0.8])
    def test_intervals_against_scipy(self, ours, theirs, level):
        rng = np.random.default_rng(3)
        x, y = rng.gamma(2, size=25), rng.gamma(1.5, size=25)
        expected = stats.bootstrap(
            (x - y,), np.mean, n_resamples=999, method=theirs, confidence_level=level, rng=np.random.default_rng(7)
        ).confidence_interval
        found = irdiv.stats.bootstrap_test(x, y, rng=7, n_resamples=999, interval=ours, confidence_level=level).interval
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)

    def test_bca_of_tied_differences_against_exact_arithmetic(self):
        # means of samples that equal the observed one must count half, whatever rounding does to them
        rng = np.random.default_rng(0)
        for seed in range(20):
            z = rng.integers(-3, 4, 12)
            counts = resampling.bootstrap_counts(12, 200, seed).astype(int)
            totals, total = counts @ z, z.sum()
            below = (np.count_nonzero(totals < total) + np.count_nonzero(totals <= total)) / 400
            u = z - z.mean()
            a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
            z0 = stats.norm.ppf(below)
            shifted = z0 + stats.norm.ppf([0.025, 0.975])
            at = stats.norm.cdf(z0 + shifted / (1 - a * shifted))
            expected = np.quantile(totals / 120, at)
            found = irdiv.stats.bootstrap_test(z / 10, np.zeros(12), rng=seed, n_resamples=200).interval
            assert found == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize("test", ["bootstrap", "randomization", "t"])
    def test_p_is_uniform_under_the_null_in_theory(self, test):
        z = np.random.default_rng(0).normal(size=(2000, 30))
        p = paired.paired_tests(z, test, 1, 2000, True, "t", 0.95).p
        assert stats.kstest(p, "uniform").statistic < 0.04
        assert 0.035 < (p < 0.05).mean() < 0.065

    @pytest.mark.parametrize("kind", ["bca", "percentile", "t"])
    def test_intervals_cover_the_mean_as_often_as_in_theory(self, kind):
        z = np.random.default_rng(1).normal(0.3, 1, size=(2000, 40))
        low, high = paired.paired_tests(z, "t", 2, 1000, False, kind, 0.9).interval.T
        assert 0.87 < ((low <= 0.3) & (high >= 0.3)).mean() < 0.92

    @pytest.mark.parametrize("test", TESTS)
    def test_identical_systems_do_not_differ(self, test):
        result = test(X, X)
        assert result.p == 1
        assert result.difference == result.effect_size == 0
        assert result.interval == (0, 0)
        assert not any(map(math.isnan, result))

    @pytest.mark.parametrize("test", TESTS)
    def test_constant_differences(self, test):
        result = test(X + 0.1, X)
        assert result.difference == pytest.approx(0.1)
        assert result.interval == pytest.approx((0.1, 0.1))
        assert result.p == {"bootstrap": 0, "randomization": 2 / 2**6, "t": 0}[result.test]
        assert test(X, X + 0.1).statistic == -result.statistic

    def test_effect_size_is_mean_over_standard_deviation(self):
        z = X - Y
        assert irdiv.stats.t_test(X, Y).effect_size == pytest.approx(z.mean() / z.std(ddof=1))

    def test_plus_one(self):
        plain, more = (irdiv.stats.bootstrap_test(X, Y, plus_one=one).p for one in (False, True))
        assert more == pytest.approx((1000 * plain + 1) / 1001)

    @pytest.mark.parametrize("test", TESTS)
    def test_bad_arguments(self, test):
        for x, y, message in [
            ([0.5], [0.4], "at least two topics, found 1"),
            ([0.5, 0.4], [0.4], "2 and 1 values"),
            ([0.5, math.nan], [0.4, 0.3], "finite numbers"),
            (["a", "b"], [0.4, 0.3], "must hold numbers"),
        ]:
            with pytest.raises(IrdivError, match=message):
                test(x, y)
        for arguments, message in [
            ({"n_resamples": 0}, "n_resamples=0 is not an integer from 1 to 10000000"),
            ({"n_resamples": 10.0}, "n_resamples=10.0 is not an integer"),
            ({"interval": "wald"}, "interval='wald' is not one of 'bca', 'percentile', 't'"),
            ({"confidence_level": 95}, "confidence_level=95 is not a number above 0 and below 1"),
            ({"confidence_level": 1}, "confidence_level=1 is not a number above 0 and below 1"),
        ]:
            with pytest.raises(IrdivError, match=message):
                test(X, Y, **arguments)

    def test_results_unpack_as_two_items(self):
        result = irdiv.stats.bootstrap_test(X, Y)
        assert (result[0], result[1], result[-1]) == (result.statistic, result.p, result.p)
        assert tuple(result) == (result.statistic, result.p)
        assert len(result) == 2
        with pytest.raises(IndexError):
            result[2]
        with pytest.raises(FrozenInstanceError):
            result.p = 0

    def test_results_pickle(self):
        result = irdiv.stats.bootstrap_test(X, Y)
        again = pickle.loads(pickle.dumps(result))
        assert again == result
        assert repr(again) == repr(result)
        assert again != irdiv.stats.bootstrap_test(X, Y, confidence_level=0.5)

    @pytest.mark.filterwarnings("ignore")  # PyTerrier and what it imports warn of their own affairs
    def test_in_a_pyterrier_experiment(self):
        pt = pytest.importorskip("pyterrier")
        qrels = irdiv.datasets.to_pyterrier(random_collection(0))
        topics = qrels[["qid"]].drop_duplicates().assign(query="a topic")
        runs = [pt.model.from_ir_measures(random_run(seed)) for seed in (0, 1)]
        table = pt.Experiment(runs, topics, qrels, ["D#-nDCG@10"], baseline=0, test=irdiv.stats.bootstrap_test)
        one, two = (irdiv.evaluate(random_collection(0), random_run(s), "D#-nDCG@10").values[0, 0] for s in (0, 1))
        assert table["D#-nDCG@10 p-value"][1] == irdiv.stats.bootstrap_test(two, one).p


@pytest.mark.parametrize("cells", [1, 50, 1000])
@pytest.mark.parametrize("kind", ["continuous", "tied"])
def test_batches_change_nothing(monkeypatch, cells, kind):
    evaluation = random_evaluation()
    if kind == "tied":
        evaluation = evaluation_of(np.round(evaluation.values, 1), [str(m) for m in evaluation.measures])
    calls = [
        lambda: irdiv.stats.compare(evaluation, n_resamples=200),
        lambda: irdiv.stats.compare(evaluation, test="randomization", n_resamples=200),
        lambda: irdiv.stats.compare(evaluation, test="tukey", n_resamples=200),
        lambda: irdiv.stats.discriminative_power(evaluation, n_resamples=200).asl(),
        lambda: irdiv.stats.discriminative_power(evaluation, n_resamples=200).summary(),
    ]
    whole = [call() for call in calls]
    monkeypatch.setattr("irdiv.stats.resampling.MAX_CELLS", cells)
    for before, call in zip(whole, calls, strict=True):
        pd.testing.assert_frame_equal(call(), before, rtol=1e-13)


class TestManySystems:
    def test_all_pairs_are_what_two_systems_are(self):
        evaluation = random_evaluation()
        tests = {
            "bootstrap": irdiv.stats.bootstrap_test,
            "t": irdiv.stats.t_test,
            "randomization": irdiv.stats.randomization_test,
        }
        for name, test in tests.items():
            frame = irdiv.stats.compare(evaluation, test=name, rng=5)
            assert len(frame) == 3 * 15
            for row in frame.sample(8, random_state=0).to_dict("records"):
                measure = [str(m) for m in evaluation.measures].index(row["measure"])
                x, y = (evaluation.values[evaluation.runs.index(row[run]), measure] for run in ("run", "other"))
                one = test(x, y, rng=5, interval="bca")
                assert row["p"] == one.p
                assert (row["low"], row["high"]) == pytest.approx(one.interval, abs=1e-12)
                assert row["difference"] == pytest.approx(x.mean() - y.mean(), abs=1e-12)

    def test_baselines(self):
        frame = irdiv.stats.compare(random_evaluation(), baseline=["r0", "r3"], measures="I-rec@10")
        assert frame[["run", "other"]].values.tolist() == [
            [run, base] for base in ("r0", "r3") for run in ("r1", "r2", "r4", "r5")
        ]

    @pytest.mark.parametrize("method", ["holm", "bonferroni", "fdr_bh"])
    def test_corrections_against_statsmodels(self, method):
        frame = irdiv.stats.compare(random_evaluation(), correction=method)
        for _, rows in frame.groupby("measure"):
            assert rows["p_adjusted"].tolist() == multipletests(rows["p"], method=method)[1].tolist()

    def test_tukey_against_a_loop(self):
        values = random_evaluation(runs=4, topics=7).values[:, 0]
        pairs = list(itertools.combinations(range(4), 2))
        rng, counts = np.random.default_rng(3), dict.fromkeys(pairs, 0)
        order = rng.random((300, 7, 4)).argsort(axis=2)
        ascending = np.sort(values, axis=0)
        for trial in order:
            dealt = np.array([ascending[trial[topic], topic] for topic in range(7)])
            spread = np.ptp(dealt.mean(axis=0))
            for one, two in pairs:
                counts[one, two] += spread >= abs(values[one].mean() - values[two].mean()) - 1e-12
        p = tukey_p(values[:, None], pairs, rng=3, n_resamples=300)
        assert p.tolist() == [[count / 300 for count in counts.values()]]

    @pytest.mark.parametrize("rng", [5, np.int64(5), None])
    def test_tukey_draws_once_for_all_measures_of_a_seed(self, rng, monkeypatch):
        values = random_evaluation(runs=5, topics=9).values
        pairs, drawn = [(0, 1), (2, 4)], []
        make = tukey.random_generator
        monkeypatch.setattr(tukey, "random_generator", lambda rng: drawn.append(rng) or make(rng))
        together = list(tukey.tukey_p_by_measure(values, pairs, rng=rng, n_resamples=200, plus_one=False))
        assert len(drawn) == 1
        if rng is not None:
            alone = [tukey_p(values[:, [index]], pairs, rng=rng, n_resamples=200)[0] for index in range(3)]
            assert np.array_equal(together, alone)

    def test_tukey_goes_on_with_a_generator(self):
        values = random_evaluation(runs=5, topics=9).values
        rngs, pairs = [np.random.default_rng(5) for _ in range(2)], [(0, 1), (2, 4)]
        together = list(tukey.tukey_p_by_measure(values, pairs, rng=rngs[0], n_resamples=200, plus_one=False))
        alone = [tukey_p(values[:, [index]], pairs, rng=rngs[1], n_resamples=200)[0] for index in range(3)]
        assert np.array_equal(together, alone)

    def test_tukey_orders_many_runs_as_few(self, monkeypatch):
        numbers = np.random.default_rng(1).random((3, 4, 1024))
        packed = tukey._argsort_random(numbers.copy())
        monkeypatch.setattr(tukey, "_MAX_PACKED", 512)
        assert np.array_equal(packed, tukey._argsort_random(numbers.copy()))

    def test_tukey_on_two_systems_is_the_randomization_test(self):
        p = tukey_p(np.stack([X, Y])[:, None], [(0, 1)], n_resamples=40_000)[0, 0]
        assert abs(p - irdiv.stats.randomization_test(X, Y).p) < 4 * math.sqrt(0.25 / 40_000)

    def test_identical_runs(self):
        values = np.tile(np.linspace(0, 1, 10), (3, 1, 1))
        for test in ("bootstrap", "randomization", "t", "tukey"):
            frame = irdiv.stats.compare(
                evaluation_of(values), test=test, correction=None if test == "tukey" else "holm"
            )
            assert (frame[["p", "p_adjusted"]] == 1).all(axis=None)
            assert not frame.isna().any(axis=None)
            assert irdiv.stats.discriminative_power(evaluation_of(values), test=test).summary()[
                "significant"
            ].tolist() == [0]

    def test_tidy_frames_of_any_kind_and_order(self):
        frame = random_evaluation().frame
        expected = irdiv.stats.compare(frame)
        others = [frame.sample(frac=1, random_state=1)]
        others.append(frame.assign(query_id=frame["query_id"].astype(int)))
        others.append(frame.rename(columns={"run": "name", "query_id": "qid"}))
        for given in others:
            pd.testing.assert_frame_equal(irdiv.stats.compare(given), expected)
        of_polars = irdiv.stats.compare(pl.from_pandas(frame)).to_pandas()
        pd.testing.assert_frame_equal(of_polars, expected, check_dtype=False)

    def test_ids_that_are_equal_as_strings(self):
        frame = random_evaluation(runs=2).frame
        with pytest.raises(IrdivError, match="two values of"):
            irdiv.stats.compare(pd.concat([frame, frame.assign(query_id=frame["query_id"].astype(int))]))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"test": "wilcoxon"}, "test='wilcoxon' is not one of 'bootstrap', 'randomization', 't', 'tukey'"),
            ({"baseline": "r9"}, "no run is called 'r9'; there are 'r0'"),
            ({"baseline": ["r0", "r1"]}, "all runs are baselines"),
            ({"measures": ["P@5"]}, "P@5 was not evaluated"),
            ({"correction": "sidak-ish"}, "correction='sidak-ish' is not known"),
            ({"correction": True}, "correction=True is not known"),
            ({"correction": "holm", "test": "tukey"}, "takes all pairs into account by itself"),
            ({"baseline": []}, "no baseline given"),
            ({"measures": []}, "no measures given"),
            ({"rng": -1}, "rng=-1 is neither a seed"),
            ({"rng": "x"}, "rng='x' is neither a seed"),
            ({"n_resamples": 0, "test": "tukey"}, "n_resamples=0 is not an integer from 1 to 10000000"),
        ],
    )
    def test_bad_arguments(self, arguments, message):
        with pytest.raises(IrdivError, match=message):
            irdiv.stats.compare(random_evaluation(runs=2), **arguments)

    def test_bad_evaluations(self):
        frame = random_evaluation(runs=2).frame
        for given, message in [
            (random_evaluation(runs=1), "at least two runs, found 'r0'"),
            (random_evaluation(topics=1), "at least two topics, found 1"),
            (frame.drop(columns="run"), "lacks a column"),
            (pd.concat([frame, frame]), "two values of I-rec@10"),
            (frame.assign(value=np.nan), "finite numbers"),
            (frame.assign(name="another"), "two columns for one thing: 'run', 'name'"),
            (frame.assign(qid="1"), "two columns for one thing: 'query_id', 'qid'"),
        ]:
            with pytest.raises(IrdivError, match=message):
                irdiv.stats.compare(given)

    def test_corrections_without_statsmodels(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "statsmodels.stats.multitest", None)
        with pytest.raises(IrdivError, match=r"pip install 'irdiv\[stats\]'"):
            irdiv.stats.compare(random_evaluation(), correction="fdr_bh")


class TestDiscriminativePower:
    def test_it_is_the_share_of_significant_pairs(self):
        evaluation = random_evaluation()
        found = irdiv.stats.discriminative_power(evaluation, rng=3)
        for row in found.summary().to_dict("records"):
            p = irdiv.stats.compare(evaluation, measures=row["measure"], rng=3)["p"]
            assert row["significant"] == (p < 0.05).sum()
            assert row["power"] == (p < 0.05).mean()
            curve = found.asl()[found.asl()["measure"] == row["measure"]]
            assert curve["p"].tolist() == sorted(p)
            assert curve["rank"].tolist() == list(range(1, 16))

    def test_the_required_difference_against_a_loop(self):
        evaluation = random_evaluation(runs=3, topics=8)
        counts = resampling.bootstrap_counts(8, 200, 4)
        needed = []
        for one, two in itertools.combinations(range(3), 2):
            z = evaluation.values[one, 0] - evaluation.values[two, 0]
            w, trials = z - z.mean(), []
            for row in counts:
                sample = np.repeat(w, row)
                trials.append((abs(sample.mean() / (sample.std(ddof=1) / math.sqrt(8))), abs(sample.mean())))
            needed.append(sorted(trials, reverse=True)[200 * 5 // 100 - 1][1])
        found = irdiv.stats.discriminative_power(
            evaluation, measures=irdiv.parse("I-rec@10"), rng=4, n_resamples=200
        ).summary()
        assert found["delta"].tolist() == pytest.approx([max(needed)], abs=1e-12)

    def test_the_required_difference_where_samples_are_of_zeros_only(self):
        z = np.array([1, -1] + [0] * 8) / 2
        counts = resampling.bootstrap_counts(10, 1000, 0)
        trials = []
        for row in counts:
            sample = np.repeat(z, row)
            flat = np.ptp(sample) == 0
            t = (np.inf if sample[0] else 0) if flat else abs(sample.mean() / (sample.std(ddof=1) / math.sqrt(10)))
            trials.append((round(t, 9), abs(sample.mean())))
        expected = sorted(trials, reverse=True)[49]
        found = irdiv.stats.discriminative_power(evaluation_of(np.stack([z, 0 * z])[:, None]), rng=0).delta[0]
        assert found == pytest.approx(expected[1])

    def test_agreement_by_hand(self):
        p = np.array([(0.01, 0.2, 0.04), (0.01, 0.01, 0.9), (0.5, 0.5, 0.05)])
        pairs = (("r0", "r1"), ("r0", "r2"), ("r1", "r2"))
        found = irdiv.stats.DiscriminativePower(("A", "B", "C"), pairs, p, 0 * p + 0.1, p[:, 0], np.ones(3)).agreement()
        columns = ["measure", "other", "only_first", "both", "only_second", "conflicts", "agreement"]
        assert found.columns.tolist() == columns
        assert found.values.tolist() == [
            ["A", "B", 1, 1, 1, 0, 1 / 3],
            ["A", "C", 2, 0, 0, 0, 0],
            ["B", "C", 2, 0, 0, 0, 0],
        ]

    def test_significant_pairs_in_opposite_directions_are_conflicts(self):
        pairs = (("r0", "r1"), ("r0", "r2"), ("r1", "r2"))
        p = np.array([(0.01, 0.01, 0.01), (0.01, 0.01, 0.9)])
        difference = np.array([(0.1, 0.1, 0.1), (0.2, -0.2, -0.2)])
        # The measures agree on the first pair, contradict each other on the second, and only one decides the third.
        found = irdiv.stats.DiscriminativePower(("P@5", "AP"), pairs, p, difference, p[:, 0], np.ones(2)).agreement()
        assert found.values.tolist() == [["P@5", "AP", 1, 1, 0, 1, 1 / 3]]
        # Less is better for E, so that the first pair is the conflict.
        found = irdiv.stats.DiscriminativePower(
            ("P@5", "E"), pairs, p, difference, p[:, 0], np.array([1, -1.0])
        ).agreement()
        assert found.values.tolist() == [["P@5", "E", 1, 1, 0, 1, 1 / 3]]

    def test_opposite_measures_only_conflict(self):
        values = random_evaluation(runs=4, measures=["I-rec@10"]).values
        evaluation = evaluation_of(np.concatenate([values, -values], axis=1), ["I-rec@10", "D-nDCG@10"])
        power = irdiv.stats.discriminative_power(evaluation)
        row = power.agreement().iloc[0]
        assert row["conflicts"] == power.summary()["significant"].iloc[0] > 0
        assert row[["only_first", "both", "only_second", "agreement"]].tolist() == [0, 0, 0, 0]

    def test_other_tests(self):
        evaluation = random_evaluation()
        for test in ("randomization", "t", "tukey"):
            found = irdiv.stats.discriminative_power(evaluation, test=test).summary()
            p = irdiv.stats.compare(evaluation, test=test)
            assert found["significant"].tolist() == [
                (rows["p"] < 0.05).sum() for _, rows in p.groupby("measure", sort=False)
            ]
            assert found["delta"].isna().all()

    def test_power_grows_with_topics_and_ends_at_that_of_all(self):
        evaluation = random_evaluation(topics=40)
        curve = irdiv.stats.power_by_topics(evaluation, sizes=[5, 40], trials=3, measures="D-nDCG@10")
        few, all_ = curve["power"]
        assert few < all_
        assert all_ == pytest.approx(irdiv.stats.discriminative_power(evaluation).summary()["power"][1], abs=0.1)
        assert curve.columns.tolist() == ["measure", "topics", "power", "low", "high"]
        assert (curve["low"] <= curve["power"]).all()
        assert (curve["power"] <= curve["high"]).all()
        assert irdiv.stats.power_by_topics(evaluation, trials=1, n_resamples=10)["topics"].min() == 5
        for arguments, message in [
            ({"sizes": [41]}, "sizes=41 is not an integer from 2 to 40"),
            ({"sizes": [5.5]}, "sizes=5.5 is not an integer from 2 to 40"),
            ({"trials": 0}, "trials=0 is not an integer"),
            ({"n_resamples": 0}, "n_resamples=0 is not an integer"),
            ({"level": 5}, "level=5 is not a number above 0 and below 1"),
        ]:
            with pytest.raises(IrdivError, match=message):
                irdiv.stats.power_by_topics(evaluation, **arguments)

    def test_power_counts_pairs_of_which_no_sample_is_as_extreme(self):
        # p = 0/10, where (0 + 1)/(10 + 1) would not be below 0.05
        base = np.linspace(0.1, 0.5, 20)
        better = base + 0.3 + np.tile([-0.01, 0.01], 10)
        evaluation = evaluation_of(np.stack([better, base])[:, None])
        assert irdiv.stats.power_by_topics(evaluation, sizes=[20], trials=1, n_resamples=10)["power"].tolist() == [1]

    def test_swaps(self):
        # one run is better on every topic
        rng = np.random.default_rng(0)
        base = rng.random(40) * 0.5
        sure = irdiv.stats.swap_rates(evaluation_of(np.stack([base + 0.2, base])[:, None]), trials=20)
        assert sure["swaps"].sum() == 0
        # where all topics together make no difference, half of them contradict the other half
        even = rng.random(40)
        noise = irdiv.stats.swap_rates(
            evaluation_of(np.stack([even - even.mean(), np.zeros(40)])[:, None]), sizes=[20], trials=50
        )
        assert noise["comparisons"].sum() == noise["swaps"].sum() == 50
        assert ((noise["high"] - noise["low"]).round(9) == 0.01).all()
        with pytest.raises(IrdivError, match="sizes=21 is not an integer from 1 to 20"):
            irdiv.stats.swap_rates(random_evaluation(topics=40), sizes=[21])
        with pytest.raises(IrdivError, match=r"bin_width=0 is not a number above 0\."):
            irdiv.stats.swap_rates(random_evaluation(topics=40), bin_width=0)

    def test_swaps_against_a_loop(self):
        evaluation = random_evaluation(runs=3, topics=9)
        order = np.random.default_rng(7).random((30, 9)).argsort(axis=1)
        expected = {}
        for trial in order:
            for one, two in itertools.combinations(range(3), 2):
                z = evaluation.values[one, 0] - evaluation.values[two, 0]
                first, second = z[trial[:4]].mean(), z[trial[4:8]].mean()
                counts = expected.setdefault(int(abs(first) / 0.05), [0, 0])
                counts[0] += 1
                counts[1] += first * second < 0
        found = irdiv.stats.swap_rates(evaluation, sizes=[4], trials=30, bin_width=0.05, measures="I-rec@10", rng=7)
        assert found["low"].tolist() == pytest.approx([0.05 * step for step in sorted(expected)])
        assert found[["comparisons", "swaps"]].values.tolist() == [expected[step] for step in sorted(expected)]

    def test_bad_arguments(self):
        for arguments, message in [
            ({"level": 5}, "level=5 is not a number above 0 and below 1"),
            ({"n_resamples": -1}, "n_resamples=-1 is not an integer from 1 to 10000000"),
            ({"test": "wilcoxon"}, "test='wilcoxon' is not one of"),
        ]:
            with pytest.raises(IrdivError, match=message):
                irdiv.stats.discriminative_power(random_evaluation(), **arguments)


class TestLeaderboard:
    def test_means_and_intervals(self):
        evaluation = random_evaluation()
        frame = irdiv.stats.leaderboard(evaluation, rng=4)
        assert frame.columns.tolist() == [
            "measure", "run", "mean", "low", "high", "best", "difference", "p", "p_adjusted", "significant",
        ]  # fmt: skip
        assert len(frame) == 3 * 6
        counts = resampling.bootstrap_counts(30, 1000, 4)
        for row in frame.to_dict("records"):
            measure = evaluation.specs().index(row["measure"])
            values = evaluation.values[evaluation.runs.index(row["run"]), measure]
            assert row["mean"] == values.mean()
            ((low, high),) = confidence_intervals(values[None], counts, "bca", 0.95)
            assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
        assert frame[["difference", "p", "p_adjusted"]].isna().all(axis=None)
        assert not frame["significant"].any()

    def test_runs_are_ordered_by_the_first_measure(self):
        values = np.array([[0.1, 0.5], [0.3, 0.9], [0.2, 0.7]])[..., None] + np.array([0.0, 0.01])
        evaluation = evaluation_of(values, ["D#-nDCG@10", "E"])
        frame = irdiv.stats.leaderboard(evaluation)
        assert frame["run"].tolist() == ["r1", "r2", "r0"] * 2
        assert frame["measure"].tolist() == ["D#-nDCG@10"] * 3 + ["E"] * 3
        assert frame["best"].tolist() == [True, False, False, False, False, True]
        # less is better
        frame = irdiv.stats.leaderboard(evaluation, measures=["E", "D#-nDCG@10"])
        assert frame["run"].tolist() == ["r0", "r2", "r1"] * 2
        assert frame["best"].tolist() == [True, False, False, False, False, True]
        # from a tidy frame, where measures are known by name only
        pd.testing.assert_frame_equal(
            irdiv.stats.leaderboard(evaluation.frame, measures=["E", "D#-nDCG@10"]), frame, check_dtype=False
        )

    def test_best_runs_are_those_of_the_table_of_means(self):
        evaluation = evaluation_of(np.array([[[0.1, 0.2]], [[0.15, 0.15]], [[0.0, 0.1]]]))
        frame = irdiv.stats.leaderboard(evaluation).set_index("run")
        assert frame.loc[list(evaluation.runs), "best"].tolist() == evaluation.best()[:, 0].tolist()
        assert frame["best"].sum() == 2

    @pytest.mark.parametrize("test", ["bootstrap", "randomization", "t", "tukey"])
    def test_tests_are_those_of_compare(self, test):
        evaluation = random_evaluation()
        correction = None if test == "tukey" else "holm"
        options = {"baseline": "r2", "test": test, "correction": correction, "rng": 6, "n_resamples": 500}
        frame = irdiv.stats.leaderboard(evaluation, **options, level=0.2).set_index(["measure", "run"])
        tests = irdiv.stats.compare(evaluation, **options).set_index(["measure", "run"])
        assert frame.drop("r2", level="run").index.sort_values().equals(tests.index.sort_values())
        for name in ("mean", "difference", "p", "p_adjusted"):
            assert frame.loc[tests.index, name].tolist() == tests[name].tolist()
        assert frame.loc[tests.index, "significant"].tolist() == (tests["p_adjusted"] < 0.2).tolist()
        assert 0 < frame["significant"].sum() < len(tests)
        baseline = frame.xs("r2", level="run")
        assert baseline[["difference", "p", "p_adjusted"]].isna().all(axis=None)
        assert not baseline["significant"].any()

    def test_one_topic_has_no_interval_and_no_test(self):
        frame = irdiv.stats.leaderboard(random_evaluation(topics=1), baseline="r0")
        assert (frame["low"] == frame["mean"]).all()
        assert (frame["high"] == frame["mean"]).all()
        assert frame["p"].isna().all()

    def test_one_run_has_no_test(self):
        frame = irdiv.stats.leaderboard(random_evaluation(runs=1), baseline="r0")
        assert frame["best"].all()
        assert frame["p"].isna().all()
        assert (frame["low"] < frame["high"]).all()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"baseline": "r9"}, "no run is called 'r9'; there are 'r0'"),
            ({"measures": "P@5"}, "P@5 was not evaluated"),
            ({"test": "wilcoxon"}, "test='wilcoxon' is not one of"),
            ({"interval": "wald"}, "interval='wald' is not one of"),
            ({"level": 0}, "level=0 is not a number above 0 and below 1"),
            ({"confidence_level": 95}, "confidence_level=95 is not a number above 0 and below 1"),
            ({"n_resamples": 0}, "n_resamples=0 is not an integer from 1 to 10000000"),
            ({"test": "t"}, "test='t' has no effect, as nothing is tested without baseline="),
            ({"correction": "holm"}, "correction='holm' has no effect"),
        ],
    )
    @pytest.mark.parametrize("topics", [1, 30])
    def test_bad_arguments(self, arguments, message, topics):
        with pytest.raises(IrdivError, match=message):
            irdiv.stats.leaderboard(random_evaluation(topics=topics), **arguments)


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "make",
    [
        lambda evaluation: irdiv.stats.compare(evaluation, n_resamples=50),
        lambda evaluation: irdiv.stats.leaderboard(evaluation, baseline="r0", n_resamples=50),
        lambda evaluation: irdiv.stats.discriminative_power(evaluation, n_resamples=50).summary(),
        lambda evaluation: irdiv.stats.discriminative_power(evaluation, test="t").summary(),
        lambda evaluation: irdiv.stats.discriminative_power(evaluation, n_resamples=50).asl(),
        lambda evaluation: irdiv.stats.discriminative_power(evaluation, n_resamples=50).agreement(),
        lambda evaluation: irdiv.stats.power_by_topics(evaluation, trials=1, n_resamples=50),
        lambda evaluation: irdiv.stats.swap_rates(evaluation, trials=2),
        lambda evaluation: irdiv.stats.concordance(evaluation, "I-rec@10"),
    ],
)
def test_results_are_frames_of_the_callers_library(backend, make):
    evaluation = random_evaluation(topics=10)
    expected = make(evaluation)
    theirs = replace(evaluation, backend=backend)
    found = make(theirs)
    assert backend_of(found) == backend_of(make(theirs.frame)) == backend
    in_pandas = nw.from_native(found, eager_only=True).to_pandas()
    pd.testing.assert_frame_equal(in_pandas, expected, check_dtype=False)


@pytest.mark.parametrize(
    "analyze",
    [
        irdiv.stats.discriminative_power,
        irdiv.stats.correlate,
        irdiv.stats.compare,
        irdiv.stats.leaderboard,
        irdiv.stats.swap_rates,
        irdiv.stats.power_by_topics,
        lambda evaluation: irdiv.stats.concordance(evaluation, "I-rec@10"),
        lambda evaluation: irdiv.plots.difference_bars(evaluation, "r0", "r1"),
    ],
)
class TestIncompleteEvaluations:
    def test_a_topic_that_a_run_lacks(self, analyze):
        frame = random_evaluation(runs=2, topics=5).frame
        missing = (frame["run"] == "r1") & (frame["query_id"] == "3")
        message = (
            "lacks 3 of 30 values: run 'r1', topic '3', D#-nDCG@10; run 'r1', topic '3', D-nDCG@10; "
            "run 'r1', topic '3', I-rec@10. Every run needs"
        )
        with pytest.raises(IrdivError, match=message):
            analyze(frame[~missing])

    def test_two_collections(self, analyze):
        one, two = (random_evaluation(seed, runs=2, topics=5).frame for seed in (0, 1))
        two = two.assign(run="s" + two["run"], query_id="t" + two["query_id"])
        with pytest.raises(IrdivError, match="lacks 60 of 120 values: run 'r0', topic 't0', .*; …. Every run needs"):
            analyze(pd.concat([one, two]))

    def test_a_measure_that_a_run_lacks(self, analyze):
        frame = random_evaluation(runs=2, topics=5).frame
        missing = (frame["run"] == "r0") & (frame["measure"] == "I-rec@10")
        with pytest.raises(IrdivError, match="lacks 5 of 30 values: run 'r0', topic '0', I-rec@10; "):
            analyze(frame[~missing])


def test_an_incomplete_measure_that_is_not_used_is_no_error():
    frame = random_evaluation(runs=2, topics=5).frame
    missing = (frame["run"] == "r0") & (frame["measure"] == "I-rec@10")
    found = irdiv.stats.compare(frame[~missing], measures=["D-nDCG@10"])
    pd.testing.assert_frame_equal(found, irdiv.stats.compare(frame, measures=["D-nDCG@10"]))


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_correlations_in_libraries_without_an_index(backend):
    evaluation = random_evaluation(topics=10)
    expected = irdiv.stats.correlate(evaluation)
    found = irdiv.stats.correlate(replace(evaluation, backend=backend))
    assert backend_of(found) == backend
    in_pandas = nw.from_native(found, eager_only=True).to_pandas().set_index("measure")
    pd.testing.assert_frame_equal(in_pandas, expected, check_names=False)


def test_power_prints_alike_in_every_library():
    evaluation = random_evaluation()
    power = irdiv.stats.discriminative_power(evaluation)
    others = irdiv.stats.discriminative_power(replace(evaluation, backend="polars"))
    assert repr(others) == repr(power)
    assert others._repr_html_() == power._repr_html_()
    assert others.significant.tolist() == (power.p < power.level).tolist()


def test_defaults_are_the_same_everywhere():
    defaults = {"level": 0.05, "confidence_level": 0.95, "rng": 0}
    functions = [getattr(irdiv.stats, name) for name in irdiv.stats.__all__ if name[0].islower()]
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            assert name not in ("B", "alpha")
            if name in defaults:
                assert parameter.default == defaults[name]
    assert inspect.signature(irdiv.stats.bootstrap_test).parameters["n_resamples"].default == 1000
    assert inspect.signature(irdiv.stats.randomization_test).parameters["n_resamples"].default == 10_000


def test_options_without_effect_are_refused():
    evaluation = random_evaluation(runs=2, topics=5)
    no_test = {"baseline": None, "interval": "t"}
    no_samples = {"baseline": "r0", "test": "t", "interval": "t"}
    for function, options, where in [
        (irdiv.stats.discriminative_power, {"test": "t"}, "test='t';"),
        (irdiv.stats.compare, {"test": "t", "interval": "t"}, "test='t' and interval='t';"),
        (irdiv.stats.leaderboard, no_samples, "test='t' and interval='t';"),
        (irdiv.stats.leaderboard, no_test, "interval='t';"),
    ]:
        function(evaluation, **options)
        with pytest.raises(IrdivError, match=f"n_resamples=50 has no effect, as no samples are drawn for {where}"):
            function(evaluation, n_resamples=50, **options)
    with pytest.raises(IrdivError, match="n_resamples=50 has no effect"):
        irdiv.stats.t_test(X, Y, n_resamples=50)
    for function in (irdiv.stats.discriminative_power, irdiv.stats.compare):
        with pytest.raises(IrdivError, match="plus_one=False has no effect on p of test='t'"):
            function(evaluation, test="t", plus_one=False)


def test_the_t_test_takes_samples_for_a_bootstrap_interval():
    few, default, as_default = (
        irdiv.stats.t_test(X, Y, interval="percentile", **given).interval
        for given in ({"n_resamples": 20}, {}, {"n_resamples": 1000})
    )
    assert few != default
    assert as_default == default
    irdiv.stats.compare(random_evaluation(runs=2), test="t", n_resamples=50)


class TestAgreementOfMeasures:
    def test_tau_against_scipy(self):
        evaluation = random_evaluation(runs=9)
        means = evaluation.values.mean(axis=2)
        matrix = irdiv.stats.correlate(evaluation)
        for (i, one), (j, two) in itertools.product(enumerate(matrix.index), repeat=2):
            assert matrix.loc[one, two] == pytest.approx(stats.kendalltau(means[:, i], means[:, j]).statistic)

    def test_tau_ap_by_hand(self):
        # gold a b c d, estimate b a c d: above a at rank 2 is b, which gold has below: 0 of 1; then 2 of 2 and 3 of 3
        assert irdiv.stats.tau_ap([3, 4, 2, 1], [4, 3, 2, 1]) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
        # a swap at the end costs less: 1, 1, 2/3
        assert irdiv.stats.tau_ap([4, 3, 1, 2], [4, 3, 2, 1]) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)

    def test_tau_ap_of_ties_by_hand(self):
        # gold has b and c tied: below a, b is right, and c is right of a and half right of b
        assert irdiv.stats.tau_ap([3, 2, 1], [2, 1, 1]) == pytest.approx(2 / 2 * (1 + 1.5 / 2) - 1)
        # the estimate has b and c tied: as gold has them 1 + 1, the other way 1 + ½
        assert irdiv.stats.tau_ap([2, 1, 1], [3, 2, 1]) == pytest.approx((1 + 1 + 1 + 0.5) / 2 - 1)
        # both have the same tie
        assert irdiv.stats.tau_ap([2, 1, 1], [5, 4, 4]) == 1

    def test_constant_rankings(self):
        values = np.stack([np.full((3, 4), 0.5), np.full((3, 4), 0.5)])
        values[0, 2] = 1
        matrix = irdiv.stats.correlate(evaluation_of(values, ["I-rec@10", "D-nDCG@10", "ERR-IA@10"]))
        assert matrix.to_numpy().tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]

    def test_tau_ap_does_not_depend_on_the_order_of_systems(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            one, two = rng.integers(0, 4, 8), rng.integers(0, 4, 8)
            order = rng.permutation(8)
            assert irdiv.stats.tau_ap(one[order], two[order]) == pytest.approx(irdiv.stats.tau_ap(one, two), abs=1e-12)
            assert -1 <= irdiv.stats.tau_ap(one, two) <= 1

    def test_symmetric_tau_ap_is_the_mean_of_both(self):
        evaluation = random_evaluation(runs=7)
        plain, symmetric = (irdiv.stats.correlate(evaluation, method) for method in ("tau_ap", "tau_ap_symmetric"))
        np.testing.assert_allclose(symmetric, (plain + plain.T) / 2, atol=1e-12)
        assert (np.diag(plain) == 1).all()

    def test_concordance_by_hand(self):
        # one pair of runs, five topics; differences of M1, M2 and two gold measures
        M1, M2, G1, G2 = [1, 1, -1, 1, 0], [-1, -1, 1, 1, 1], [1, 0, 1, -1, 1], [1, 1, 1, 1, 1]
        values = np.zeros((2, 4, 5))
        values[0] = [M1, M2, G1, G2]
        evaluation = evaluation_of(values, ["D-nDCG@10", "ERR-IA@10", "I-rec@10", "P-IA@10"])
        # they disagree on the first three topics; gold agrees with M1, is undecided, and agrees with M2
        found = irdiv.stats.concordance(evaluation, "I-rec@10", measures=["D-nDCG@10", "ERR-IA@10"])
        assert found.values.tolist() == [["D-nDCG@10", "ERR-IA@10", 3, 2 / 3, 2 / 3]]
        # differences by rounding alone are none
        values[0, 2, 1] = 1e-15
        assert irdiv.stats.concordance(evaluation, {"I-rec@10"}, measures=["D-nDCG@10", "ERR-IA@10"]).equals(found)
        # both gold measures must agree: topics 1 and 2 for M1, 3 for M2
        both = irdiv.stats.concordance(evaluation, ["I-rec@10", "P-IA@10"])
        assert both.values.tolist() == [["D-nDCG@10", "ERR-IA@10", 3, 2 / 3, 1 / 3]]

    @pytest.mark.parametrize("form", [lambda evaluation: evaluation, lambda evaluation: evaluation.frame])
    def test_less_is_better_for_some_measures(self, form):
        values = random_evaluation(runs=6, measures=["F@10", "P@10", "AP"]).values
        f_measure, (precision, ap) = values[:, :1], np.moveaxis(values[:, 1:], 1, 0)
        rest = [precision[:, None], ap[:, None]]
        plain = evaluation_of(np.concatenate([f_measure, *rest], axis=1), ["F@10", "P@10", "AP"])
        turned = evaluation_of(np.concatenate([1 - f_measure, *rest], axis=1), ["E@10", "P@10", "AP"])
        for method in ("tau", "tau_ap", "tau_ap_symmetric"):
            expected = (
                irdiv.stats.correlate(form(plain), method).rename({"F@10": "E@10"}).rename(columns={"F@10": "E@10"})
            )
            found = irdiv.stats.correlate(form(turned), method).loc[expected.index, expected.columns]
            pd.testing.assert_frame_equal(found, expected, check_names=False)
        for gold, other in (("AP", "AP"), ("F@10", "E@10")):
            expected = irdiv.stats.concordance(form(plain), gold).replace("F@10", "E@10")
            found = irdiv.stats.concordance(form(turned), other)
            pd.testing.assert_frame_equal(found, expected)

    def test_measures_that_never_disagree(self):
        values = random_evaluation().values[:, [0, 0, 1]]
        found = irdiv.stats.concordance(evaluation_of(values, ["Q-IA", "AP-IA", "I-rec"]), "I-rec")
        assert found["disagreements"].tolist() == [0]
        assert found[["concordance", "other_concordance"]].isna().all(axis=None)

    def test_bad_arguments(self):
        for call, message in [
            (
                lambda: irdiv.stats.correlate(random_evaluation(), "pearson"),
                "method='pearson' is not one of 'tau', 'tau_ap', 'tau_ap_symmetric'",
            ),
            (lambda: irdiv.stats.concordance(random_evaluation(), []), "no gold measure"),
            (lambda: irdiv.stats.concordance(random_evaluation(), "P@3"), "P@3 was not evaluated"),
            (lambda: irdiv.stats.concordance(random_evaluation(), "I-rec@10", measures=["D-nDCG@10"]), "at least two"),
            (lambda: irdiv.stats.tau_ap([1, 2], [1]), "2 and 1 systems"),
            (lambda: irdiv.stats.tau([1, 2], [1]), "2 and 1 systems"),
            (lambda: irdiv.stats.correlate(random_evaluation(runs=1)), "at least two runs, found 'r0'"),
            (lambda: irdiv.stats.tau_ap([1], [1]), "at least two systems"),
            (lambda: irdiv.stats.tau_ap(["a", "b"], [1, 2]), "given by numbers"),
        ]:
            with pytest.raises(IrdivError, match=message):
                call()


def test_the_order_of_runs_changes_no_p_of_tukey():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    in_order = irdiv.stats.compare(evaluation, test="tukey").set_index(["measure", "run", "other"])["p"]
    qrels, runs = demo_qrels_and_runs()
    backwards = irdiv.evaluate(qrels, dict(reversed(runs.items())), ["D#-nDCG@10", "I-rec@10"])
    reverse = irdiv.stats.compare(backwards, test="tukey").set_index(["measure", "other", "run"])["p"]
    assert in_order.to_dict() == reverse.to_dict()
    assert in_order.max() > in_order.min()


def test_a_repeated_baseline_or_measure_counts_once():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    options = {"test": "t", "correction": "holm"}
    once = irdiv.stats.compare(evaluation, baseline="relevance", measures="I-rec@10", **options)
    twice = irdiv.stats.compare(evaluation, baseline=["relevance"] * 2, measures=["I-rec@10"] * 2, **options)
    pd.testing.assert_frame_equal(once, twice)


def test_a_frame_of_several_collections_is_not_one_evaluation():
    frame = irdiv.evaluate(*demo_qrels_and_runs(), "I-rec@10").frame
    both = pd.concat([frame.assign(collection="a"), frame.assign(collection="b", query_id="b" + frame["query_id"])])
    with pytest.raises(IrdivError, match="rows of several collections, 'a', 'b'.*give a mapping"):
        irdiv.stats.discriminative_power(both)
    assert len(irdiv.stats.discriminative_power(frame.assign(collection="a")).pairs) == 6
