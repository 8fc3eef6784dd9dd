"""Topic set size design, against statsmodels, simulation and the paper."""

from __future__ import annotations

import math
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.formula.api import ols
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.stats import pilot_variance, topic_set_size, topics_for_anova, topics_for_interval, topics_for_t_test


class TestPilotVariance:
    @pytest.mark.parametrize(
        ("model", "formula"), [("one-way", "value ~ C(run)"), ("two-way", "value ~ C(run) + C(query_id)")]
    )
    def test_against_statsmodels(self, model, formula):
        evaluation = random_evaluation(runs=4, topics=7)
        found = pilot_variance(evaluation, model=model).set_index("measure")
        for measure in map(str, evaluation.measures):
            fit = ols(formula, evaluation.frame[evaluation.frame["measure"] == measure]).fit()
            row = found.loc[measure]
            assert (row["variance"], row["degrees_of_freedom"]) == pytest.approx((fit.mse_resid, fit.df_resid)), measure

    def test_two_way_is_half_the_mean_variance_of_differences(self):
        values = random_evaluation().values
        differences = [values[i] - values[j] for i in range(6) for j in range(i)]
        found = pilot_variance(random_evaluation(), model="two-way")
        assert found["variance"].tolist() == pytest.approx(np.var(differences, axis=2, ddof=1).mean(axis=0) / 2)

    def test_pooled_over_collections(self):
        one, two = random_evaluation(0, runs=3, topics=10), random_evaluation(1, runs=5, topics=40)
        apart = [pilot_variance(evaluation)["variance"] for evaluation in (one, two)]
        found = pilot_variance({"one": one, "two": two.frame})
        assert found["variance"].tolist() == pytest.approx(np.average(apart, axis=0, weights=[27, 195]))
        assert found["degrees_of_freedom"].tolist() == [27 + 195] * 3


class TestTopicSetSize:
    def test_t_test_of_the_paper(self):
        # Sakai 2016: α = .05, β = .20 and an effect of half a standard deviation take 34 topics
        assert topics_for_t_test(1, 0.5) == 34

    @pytest.mark.parametrize("variance", [0.01, 0.25, 2])
    @pytest.mark.parametrize("difference", [0.05, 0.2])
    @pytest.mark.parametrize("options", [{}, {"level": 0.01, "power": 0.95}])
    def test_t_test_against_statsmodels(self, variance, difference, options):
        n = topics_for_t_test(variance, difference, **options)
        level, power = options.get("level", 0.05), options.get("power", 0.8)
        theirs = [TTestPower().power(difference / math.sqrt(variance), count, level) for count in (n - 1, n)]
        assert theirs[0] < power <= theirs[1]

    @pytest.mark.parametrize("systems", [2, 3, 50])
    @pytest.mark.parametrize("difference", [0.1, 0.5])
    @pytest.mark.parametrize("options", [{}, {"level": 0.01, "power": 0.9}])
    def test_anova_against_statsmodels(self, systems, difference, options):
        n = topics_for_anova(0.2, difference, systems, **options)
        level, power = options.get("level", 0.05), options.get("power", 0.8)
        # Cohen's f of means −d/2, 0, …, 0, d/2
        f = math.sqrt(2 * (difference / 2) ** 2 / systems / 0.2)
        theirs = [FTestAnovaPower().power(f, systems * count, level, k_groups=systems) for count in (n - 1, n)]
        assert theirs[0] < power <= theirs[1]

    def test_anova_by_simulation(self):
        n = topics_for_anova(0.25, 0.5, 3)
        means = np.array([-0.25, 0, 0.25])[:, None, None]
        groups = np.random.default_rng(0).normal(means, 0.5, (3, n, 4000))
        power = (scipy_stats.f_oneway(*groups).pvalue < 0.05).mean()
        assert abs(power - 0.8) < 4 * math.sqrt(0.16 / 4000) + 0.02

    @pytest.mark.parametrize("variance", [0.1, 0.5])
    @pytest.mark.parametrize("width", [0.1, 0.5])
    @pytest.mark.parametrize("options", [{}, {"confidence_level": 0.8}])
    def test_interval_against_the_distribution_of_s(self, variance, width, options):
        level = options.get("confidence_level", 0.95)

        def expected_width(n):
            sd = math.sqrt(variance / (n - 1)) * scipy_stats.chi(n - 1).mean()
            return 2 * scipy_stats.t.isf((1 - level) / 2, n - 1) * sd / math.sqrt(n)

        n = topics_for_interval(variance, width, **options)
        assert expected_width(n) <= width < expected_width(n - 1)

    def test_few_topics_suffice_for_large_differences(self):
        assert [topics_for_t_test(1e-6, 1), topics_for_anova(1e-6, 1, 5), topics_for_interval(1e-6, 1)] == [2, 2, 2]

    def test_of_an_evaluation(self):
        evaluation = random_evaluation()
        found = topic_set_size(evaluation, [0.05, 0.1], systems=10, power=0.9, level=0.01, confidence_level=0.9)
        expected = [
            {
                "measure": row["measure"],
                "variance": row["variance"],
                "difference": difference,
                "systems": 10,
                "t_test": topics_for_t_test(2 * row["variance"], difference, power=0.9, level=0.01),
                "anova": topics_for_anova(row["variance"], difference, 10, power=0.9, level=0.01),
                "interval": topics_for_interval(2 * row["variance"], difference, confidence_level=0.9),
            }
            for row in pilot_variance(evaluation).to_dict("records")
            for difference in (0.05, 0.1)
        ]
        assert found.to_dict("records") == expected
        by_default = topic_set_size(evaluation, 0.1)
        pd.testing.assert_frame_equal(by_default, topic_set_size(evaluation, [0.1], systems=6, power=0.8, level=0.05))


PILOT = random_evaluation()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pilot_variance(PILOT, model="three-way"), "model='three-way' is not one of"),
        (lambda: pilot_variance({}), "no collections given"),
        (lambda: pilot_variance({"a": PILOT, "b": random_evaluation(measures=["I-rec@10"])}), "different measures"),
        (lambda: pilot_variance(random_evaluation(topics=1)), "at least two topics, found 1"),
        (lambda: pilot_variance(random_evaluation(runs=1), model="two-way"), "at least two runs"),
        (lambda: topics_for_t_test(0, 0.1), "variance=0 is not a number above 0"),
        (lambda: topics_for_t_test(math.inf, 0.1), "variance=inf is not"),
        (lambda: topics_for_t_test(0.1, -0.1), "difference=-0.1 is not a number above 0"),
        (lambda: topics_for_t_test(0.1, 0.1, power=80), "power=80 is not a number above 0.05 and below 1"),
        (lambda: topics_for_t_test(0.1, 0.1, level=5), "level=5 is not"),
        (lambda: topics_for_t_test(1, 1e-9), "more than 10,000,000 topics are needed"),
        (lambda: topics_for_anova(0.1, 0.1, 3, power=0.05), "power=0.05 is not a number above 0.05"),
        (lambda: topics_for_anova(0.1, 0, 3), "difference=0 is not"),
        (lambda: topics_for_anova(0, 0.1, 3), "variance=0 is not"),
        (lambda: topics_for_anova(0.1, 0.1, 1), "systems=1 is not an integer of 2 or more"),
        (lambda: topics_for_interval(0.1, 0), "width=0 is not"),
        (lambda: topics_for_interval(0, 0.1), "variance=0 is not"),
        (lambda: topics_for_interval(0.1, 0.1, confidence_level=95), "confidence_level=95 is not"),
        (lambda: topic_set_size(PILOT, []), "no difference given"),
        (lambda: topic_set_size(PILOT, "0.1"), "difference='0.1' is not a number"),
        (lambda: topic_set_size(random_evaluation(runs=1), 0.1), "there is one run; give systems="),
        (lambda: topic_set_size(evaluation_of(np.full((2, 1, 5), 0.1)), 0.1), "D#-nDCG@10 has the same value"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(IrdivError, match=message):
        call()


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
@pytest.mark.parametrize("make", [pilot_variance, lambda data: topic_set_size(data, [0.1, 0.2])])
def test_the_result_is_a_frame_of_the_callers_library(backend, make):
    theirs = replace(PILOT, backend=backend)
    for given in (theirs, theirs.frame):
        found = nw.from_native(make(given), eager_only=True)
        assert found.implementation.name.lower() == backend
        by_measure = found.to_pandas().sort_values(["measure"], kind="stable", ignore_index=True)
        expected = make(PILOT).sort_values(["measure"], kind="stable", ignore_index=True)
        pd.testing.assert_frame_equal(by_measure, expected, check_dtype=False)
