"""Topic set size design, against statsmodels, simulation and the paper."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.frames.backends import backend_of
from irdiv.stats.topic_set_sizes import POWER


class TestPilotVariance:
    def test_one_way_is_the_mean_variance_of_runs(self):
        evaluation = random_evaluation()
        found = irdiv.stats.pilot_variance(evaluation)
        assert found["variance"].tolist() == pytest.approx(evaluation.values.var(axis=2, ddof=1).mean(axis=0))
        assert found["degrees_of_freedom"].tolist() == [6 * 29] * 3

    def test_two_way_is_half_the_mean_variance_of_differences(self):
        evaluation = random_evaluation()
        found = irdiv.stats.pilot_variance(evaluation, model="two-way")
        for m, row in enumerate(found.to_dict("records")):
            differences = [
                evaluation.values[i, m] - evaluation.values[j, m] for i in range(6) for j in range(6) if i < j
            ]
            assert row["variance"] == pytest.approx(np.var(differences, axis=1, ddof=1).mean() / 2)
            assert row["degrees_of_freedom"] == 5 * 29

    def test_two_way_against_statsmodels(self):
        from statsmodels.formula.api import ols

        evaluation = random_evaluation(runs=4, topics=7)
        frame = evaluation.frame[evaluation.frame["measure"] == "I-rec@10"]
        for model, formula in (("one-way", "value ~ C(run)"), ("two-way", "value ~ C(run) + C(query_id)")):
            fit = ols(formula, frame).fit()
            found = irdiv.stats.pilot_variance(evaluation, model=model, measures="I-rec@10")
            assert found["variance"].tolist() == pytest.approx([fit.mse_resid])
            assert found["degrees_of_freedom"].tolist() == [fit.df_resid]

    def test_pooled_over_collections(self):
        one, two = random_evaluation(0, runs=3, topics=10), random_evaluation(1, runs=5, topics=40)
        apart = [irdiv.stats.pilot_variance(evaluation) for evaluation in (one, two)]
        found = irdiv.stats.pilot_variance({"one": one, "two": two.frame})
        expected = (27 * apart[0]["variance"] + 195 * apart[1]["variance"]) / (27 + 195)
        assert found["variance"].tolist() == pytest.approx(expected.tolist())

    def test_bad_arguments(self):
        evaluation = random_evaluation()
        other = random_evaluation(measures=["I-rec@10"])
        for call, message in [
            (lambda: irdiv.stats.pilot_variance(evaluation, model="three-way"), "model='three-way' is not one of"),
            (lambda: irdiv.stats.pilot_variance({}), "no collections given"),
            (lambda: irdiv.stats.pilot_variance({"a": evaluation, "b": other}), "different measures: "),
            (lambda: irdiv.stats.pilot_variance(random_evaluation(topics=1)), "at least two topics, found 1"),
            (lambda: irdiv.stats.pilot_variance(random_evaluation(runs=1), model="two-way"), "at least two runs"),
        ]:
            with pytest.raises(IrdivError, match=message):
                call()


class TestTopicSetSize:
    def test_t_test_of_the_paper(self):
        # Sakai 2016: α = .05, β = .20 and an effect of half a standard deviation take 34 topics
        assert irdiv.stats.topics_for_t_test(1, 0.5) == 34

    @pytest.mark.parametrize("variance", [0.01, 0.25, 2])
    @pytest.mark.parametrize("difference", [0.05, 0.1, 0.2])
    @pytest.mark.parametrize(("level", "power"), [(0.05, 0.8), (0.01, 0.95)])
    def test_t_test_against_statsmodels(self, variance, difference, level, power):
        n = irdiv.stats.topics_for_t_test(variance, difference, level=level, power=power)
        theirs = [TTestPower().power(difference / math.sqrt(variance), count, level) for count in (n - 1, n)]
        assert theirs[0] < power <= theirs[1]

    @pytest.mark.parametrize("systems", [2, 3, 10, 50])
    @pytest.mark.parametrize("difference", [0.1, 0.5])
    @pytest.mark.parametrize(("level", "power"), [(0.05, 0.8), (0.01, 0.9)])
    def test_anova_against_statsmodels(self, systems, difference, level, power):
        n = irdiv.stats.topics_for_anova(0.2, difference, systems, level=level, power=power)
        # Cohen's f of means −d/2, 0, …, 0, d/2
        f = math.sqrt(2 * (difference / 2) ** 2 / systems / 0.2)
        theirs = [FTestAnovaPower().power(f, systems * count, level, k_groups=systems) for count in (n - 1, n)]
        assert theirs[0] < power <= theirs[1]

    def test_anova_by_simulation(self):
        n = irdiv.stats.topics_for_anova(0.25, 0.5, 3)
        rng = np.random.default_rng(0)
        groups = rng.normal(np.array([-0.25, 0, 0.25])[:, None, None], 0.5, (3, n, 4000))
        power = (stats.f_oneway(*groups).pvalue < 0.05).mean()
        assert abs(power - 0.8) < 4 * math.sqrt(0.16 / 4000) + 0.02

    @pytest.mark.parametrize("variance", [0.02, 0.5])
    @pytest.mark.parametrize("width", [0.1, 0.5])
    @pytest.mark.parametrize("level", [0.95, 0.8])
    def test_interval_against_the_distribution_of_s(self, variance, width, level):
        def expected_width(n):
            sd = math.sqrt(variance / (n - 1)) * stats.chi(n - 1).mean()
            return 2 * stats.t.isf((1 - level) / 2, n - 1) * sd / math.sqrt(n)

        n = irdiv.stats.topics_for_interval(variance, width, confidence_level=level)
        assert expected_width(n) <= width
        assert n == 2 or expected_width(n - 1) > width

    def test_interval_by_simulation(self):
        n = irdiv.stats.topics_for_interval(0.5, 0.5)
        z = np.random.default_rng(0).normal(0, math.sqrt(0.5), (20_000, n))
        widths = 2 * stats.t.isf(0.025, n - 1) * z.std(axis=1, ddof=1) / math.sqrt(n)
        assert 0.485 < widths.mean() <= 0.5

    def test_few_topics_suffice_for_large_differences(self):
        assert irdiv.stats.topics_for_t_test(1e-6, 1) == 2
        assert irdiv.stats.topics_for_anova(1e-6, 1, 5) == 2
        assert irdiv.stats.topics_for_interval(1e-6, 1) == 2

    def test_of_an_evaluation(self):
        evaluation = random_evaluation()
        found = irdiv.stats.topic_set_size(evaluation, [0.05, 0.1], systems=10, power=0.9)
        variance = irdiv.stats.pilot_variance(evaluation)["variance"]
        assert found["measure"].tolist() == [str(m) for m in evaluation.measures for _ in range(2)]
        assert found["difference"].tolist() == [0.05, 0.1] * 3
        assert found["variance"].tolist() == variance.repeat(2).tolist()
        row = found.iloc[3]
        assert row["t_test"] == irdiv.stats.topics_for_t_test(2 * variance[1], 0.1, power=0.9)
        assert row["anova"] == irdiv.stats.topics_for_anova(variance[1], 0.1, 10, power=0.9)
        assert row["interval"] == irdiv.stats.topics_for_interval(2 * variance[1], 0.1)
        by_default = irdiv.stats.topic_set_size(evaluation, 0.1, power=0.9)
        assert by_default["systems"].tolist() == [6] * 3
        expected = irdiv.stats.topic_set_size(evaluation, [0.1], systems=6, power=0.9)
        pd.testing.assert_frame_equal(by_default, expected)

    def test_defaults(self):
        for function in (irdiv.stats.topic_set_size, irdiv.stats.topics_for_t_test, irdiv.stats.topics_for_anova):
            assert inspect.signature(function).parameters["power"].default == POWER == 0.8

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda s: s.topics_for_t_test(0, 0.1), "variance=0 is not a number above 0"),
            (lambda s: s.topics_for_t_test(math.inf, 0.1), "variance=inf is not a number above 0"),
            (lambda s: s.topics_for_t_test(0.1, -0.1), "difference=-0.1 is not a number above 0"),
            (lambda s: s.topics_for_t_test(0.1, 0.1, power=80), "power=80 is not a number above 0.05 and below 1"),
            (lambda s: s.topics_for_t_test(0.1, 0.1, level=5), "level=5 is not a number above 0 and below 1"),
            (lambda s: s.topics_for_anova(0.1, 0.1, 3, power=0.05), "power=0.05 is not a number above 0.05"),
            (lambda s: s.topics_for_anova(0.1, 0.1, 1), "systems=1 is not an integer of 2 or more"),
            (lambda s: s.topics_for_interval(0.1, 0), "width=0 is not a number above 0"),
            (lambda s: s.topics_for_interval(0.1, 0.1, confidence_level=95), "confidence_level=95 is not"),
            (lambda s: s.topics_for_t_test(1, 1e-9), "more than 10,000,000 topics are needed"),
            (lambda s: s.topic_set_size(random_evaluation(), []), "no difference given"),
            (lambda s: s.topic_set_size(random_evaluation(), "0.1"), "difference='0.1' is not a number"),
            (lambda s: s.topic_set_size(random_evaluation(runs=1), 0.1), "there is one run; give systems="),
            (lambda s: s.topic_set_size(evaluation_of(np.full((2, 1, 5), 0.1)), 0.1), "D#-nDCG@10 has the same value"),
        ],
    )
    def test_bad_arguments(self, call, message):
        with pytest.raises(IrdivError, match=message):
            call(irdiv.stats)


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "make", [irdiv.stats.pilot_variance, lambda data: irdiv.stats.topic_set_size(data, [0.1, 0.2])]
)
def test_results_are_frames_of_the_callers_library(backend, make):
    evaluation = random_evaluation(topics=10)
    theirs = replace(evaluation, backend=backend)
    found = make(theirs)
    assert backend_of(found) == backend_of(make(theirs.frame)) == backend
    in_pandas = nw.from_native(found, eager_only=True).to_pandas()
    pd.testing.assert_frame_equal(in_pandas, make(evaluation), check_dtype=False)
