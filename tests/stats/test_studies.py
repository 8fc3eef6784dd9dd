"""Studies of several collections: each is analyzed as it is alone, and the results are pooled."""

from __future__ import annotations

import itertools
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.errors import IrdivWarning
from irdiv.stats import compare, concordance, correlate, discriminative_power, power_by_topics, swap_rates

MEASURES = ["D#-nDCG@10", "D-nDCG@10", "I-rec@10"]  # in the order of a frame
SHAPES = {"web": (6, 30), "chinese": (4, 17), "news": (5, 50)}
PAIRS = np.array([15, 6, 10])
SIZES = [4, 8]


@pytest.fixture
def study():
    """Three collections that differ in runs and topics, and share names of both."""
    return {name: random_evaluation(seed, *shape, MEASURES) for seed, (name, shape) in enumerate(SHAPES.items())}


def power_of(study, **options):
    return discriminative_power(study, **{"n_resamples": 100, **options})


POOLED = {
    "summary": lambda study, **by: power_of(study).summary(**by),
    "agreement": lambda study, **by: power_of(study).agreement(**by),
    "randomization": lambda study, **by: power_of(study, test="randomization").summary(**by),
    "tukey": lambda study, **by: power_of(study, test="tukey").summary(**by),
    "t": lambda study, **by: discriminative_power(study, test="t").summary(**by),
    "tau": correlate,
    "tau_ap": lambda study, **by: correlate(study, "tau_ap", **by),
    "concordance": lambda study, **by: concordance(study, "I-rec@10", **by),
    "power_by_topics": lambda study, **by: power_by_topics(study, sizes=SIZES, trials=3, n_resamples=50, **by),
    "swap_rates": lambda study, **by: swap_rates(study, sizes=SIZES, trials=10, bin_width=0.05, **by),
}
ROWS_OF_EACH = {
    "asl": lambda study: power_of(study).asl(),
    "compare": lambda study: compare(study, baseline="r0", correction="holm", n_resamples=100, rng=1),
    "intervals": lambda study: irdiv.stats.correlation_intervals(study, n_resamples=50),
}


def by_collection(name, study):
    return ROWS_OF_EACH[name](study) if name in ROWS_OF_EACH else POOLED[name](study, by_collection=True)


def without_index(frame):
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


class TestPooling:
    def test_pairs_and_significant_pairs_are_the_sums_and_delta_is_the_largest(self, study):
        pooled = power_of(study, rng=3).summary()
        alone = [power_of(one, rng=3).summary() for one in study.values()]
        assert pooled["pairs"].tolist() == [PAIRS.sum()] * 3
        assert pooled["significant"].tolist() == sum(one["significant"] for one in alone).tolist()
        assert pooled["power"].tolist() == (pooled["significant"] / PAIRS.sum()).tolist()
        assert pooled["delta"].tolist() == np.max([one["delta"] for one in alone], axis=0).tolist()
        assert len({tuple(one["significant"] / one["pairs"]) for one in alone}) == 3

    def test_counts_of_agreement_are_the_sums(self, study):
        # one more collection, in which two measures conflict
        values = random_evaluation(runs=4, measures=["I-rec@10"]).values
        study["opposite"] = evaluation_of(np.concatenate([values, -values, values], axis=1), MEASURES)
        pooled = discriminative_power(study, test="t").agreement()
        counts = ["only_first", "both", "only_second", "conflicts"]
        alone = sum(discriminative_power(one, test="t").agreement()[counts] for one in study.values())
        assert alone["conflicts"].max() > 0
        pd.testing.assert_frame_equal(pooled[counts], alone)
        assert pooled["agreement"].tolist() == (alone["both"] / alone.sum(axis=1)).tolist()

    def test_the_asl_curve_is_over_all_pairs(self, study):
        power = power_of(study)
        curve = power.asl()
        assert curve.columns.tolist() == ["measure", "rank", "collection", "run", "other", "difference", "p"]
        for measure, rows in curve.groupby("measure", sort=False):
            assert rows["rank"].tolist() == list(range(1, PAIRS.sum() + 1)), measure
            assert rows["p"].is_monotonic_increasing, measure
        lines = irdiv.plots.asl_curves(power).get_lines()
        for line, (measure, rows) in zip(lines, curve.groupby("measure", sort=False), strict=False):
            assert line.get_ydata().tolist() == rows["p"].tolist()[::-1], measure

    def test_tau_is_the_mean_over_collections(self, study):
        # the mean, not a correlation over the runs of all collections
        found = correlate(study)
        for (i, one), (j, two) in itertools.combinations(enumerate(MEASURES), 2):
            means = [evaluation.values[:, [i, j]].mean(axis=2).T for evaluation in study.values()]
            taus = [scipy_stats.kendalltau(*of_collection).statistic for of_collection in means]
            assert found.loc[one, two] == pytest.approx(np.mean(taus), abs=1e-12), (one, two)
        alone = [correlate(one, "tau_ap") for one in study.values()]
        pd.testing.assert_frame_equal(correlate(study, "tau_ap"), sum(alone) / 3, rtol=1e-14)

    def test_concordance_by_a_loop_over_all_topics_and_pairs(self, study):
        n_disagreements, n_first, n_second = 0, 0, 0
        for evaluation in study.values():
            for one, two in itertools.combinations(range(len(evaluation.runs)), 2):
                for first, second, gold in (evaluation.values[one] - evaluation.values[two]).T:
                    if first * second < 0:
                        n_disagreements += 1
                        n_first += first * gold >= 0
                        n_second += second * gold >= 0
        (row,) = concordance(study, "I-rec@10").to_dict("records")
        found = (row["disagreements"], row["concordance"], row["other_concordance"])
        assert found == (n_disagreements, n_first / n_disagreements, n_second / n_disagreements)

    def test_comparisons_and_swaps_are_the_sums(self, study):
        options = {"sizes": SIZES, "trials": 10, "bin_width": 0.05, "rng": 2}
        keys = ["measure", "topics", "low", "high"]
        alone = pd.concat([swap_rates(one, **options) for one in study.values()])
        found = swap_rates(study, **options)
        expected = alone.groupby(keys)[["comparisons", "swaps"]].sum()
        pd.testing.assert_frame_equal(found.set_index(keys)[["comparisons", "swaps"]].sort_index(), expected)
        assert found["rate"].tolist() == (found["swaps"] / found["comparisons"]).tolist()
        assert len(found) < len(alone)

    def test_power_on_subsets_is_over_the_pairs_of_all_collections(self, study):
        options = {"sizes": SIZES, "trials": 1, "n_resamples": 100, "rng": 2}
        alone = [power_by_topics(one, **options)["power"] for one in study.values()]
        found = power_by_topics(study, **options)["power"]
        assert found.tolist() == pytest.approx(np.average(alone, axis=0, weights=PAIRS), abs=1e-12)
        # the highest power is that of a trial in all collections at once
        options = {"sizes": [15], "trials": 10, "n_resamples": 100}
        highest = power_by_topics(study, **options, by_collection=True)["high"].to_numpy().reshape(3, -1)
        bound = np.average(highest, axis=0, weights=PAIRS)
        found = power_by_topics(study, **options)["high"]
        assert (found <= bound + 1e-12).all()
        assert (found < bound - 1e-12).any()

    def test_sizes_are_up_to_those_of_the_smallest_collection(self, study):
        assert power_by_topics(study, trials=1, n_resamples=10)["topics"].max() == 17
        assert swap_rates(study, trials=1)["topics"].max() == 8
        with pytest.raises(IrdivError, match="'chinese': sizes=18 .* from 2 to 17"):
            power_by_topics(study, sizes=[18])
        with pytest.raises(IrdivError, match="'chinese': sizes=9 .* from 1 to 8"):
            swap_rates(study, sizes=[9])


class TestEachCollection:
    @pytest.mark.parametrize("name", [*POOLED, *ROWS_OF_EACH])
    def test_it_is_as_it_is_alone(self, study, name):
        for chosen in (["web", "chinese", "news"], ["news", "web"]):
            found = without_index(by_collection(name, {key: study[key] for key in chosen}))
            assert sorted(found["collection"].unique()) == sorted(chosen)
            for key in chosen:
                alone = without_index({**POOLED, **ROWS_OF_EACH}[name](study[key]))
                rows = found[found["collection"] == key].drop(columns="collection").reset_index(drop=True)
                if name == "asl":  # ranks are over the pairs of all collections
                    rows, alone = rows.drop(columns="rank"), alone.drop(columns="rank")
                pd.testing.assert_frame_equal(rows, alone, check_exact=True, check_names=False)

    @pytest.mark.parametrize("name", POOLED)
    def test_one_evaluation_has_no_column_of_collections(self, study, name):
        found = POOLED[name]({"web": study["web"]})
        pd.testing.assert_frame_equal(found, POOLED[name](study["web"]), check_exact=True)
        with pytest.raises(IrdivError, match="by_collection=True needs names"):
            by_collection(name, study["web"])

    def test_cases_have_the_name_of_their_collection(self, study):
        found = irdiv.stats.disagreements({"web": study["web"]}, "I-rec@10", "D-nDCG@10")
        expected = irdiv.stats.disagreements(study["web"], "I-rec@10", "D-nDCG@10")
        assert found.pop("collection").tolist() == ["web"] * len(expected)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)

    def test_a_generator_is_in_the_same_state_for_each(self, study):
        alone = {name: power_of(one, rng=np.random.default_rng(5)).p for name, one in study.items()}
        generator = np.random.default_rng(5)
        power = power_of(study, rng=generator)
        for name, p in alone.items():
            np.testing.assert_array_equal(power.collections[name].p, p, err_msg=name)
        # and goes on, so that a second study has other samples
        assert not np.array_equal(power_of(study, rng=generator).p, power.p)

    def test_the_result_of_a_collection_is_as_alone(self, study):
        power = discriminative_power(study, test="t")
        assert list(power.collections) == list(study)
        alone = discriminative_power(study["news"], test="t")
        pd.testing.assert_frame_equal(power.collections["news"].agreement(), alone.agreement())
        assert repr(power.collections["news"]) == repr(alone)
        assert alone.collections == {}

    def test_a_collection_without_comparisons_has_no_rows(self):
        constant = evaluation_of(np.ones((2, 1, 10)))
        other = evaluation_of(random_evaluation(topics=10).values[:2, :1])
        found = swap_rates({"constant": constant, "other": other}, by_collection=True)
        assert found["collection"].unique().tolist() == ["other"]
        assert pd.api.types.is_integer_dtype(found["comparisons"])
        assert swap_rates({"constant": constant}, by_collection=True).empty


class TestNamesOrderAndForms:
    @pytest.mark.parametrize("name", POOLED)
    def test_names_order_and_forms_do_not_matter(self, study, name, tmp_path):
        expected = POOLED[name](study)
        renamed = {f"collection {index}": study[key] for index, key in enumerate(["news", "chinese", "web"])}
        pd.testing.assert_frame_equal(POOLED[name](renamed), expected, check_exact=True)
        study["news"].frame.to_csv(tmp_path / "news.csv", index=False, float_format="%.17g")
        mixed = {**study, "web": study["web"].frame, "news": tmp_path / "news.csv"}
        pd.testing.assert_frame_equal(POOLED[name](mixed), expected, check_exact=True)

    def test_measures_are_in_the_order_of_the_first_collection(self, study):
        expected = discriminative_power(study, test="t").summary()
        order = [2, 0, 1]
        study["news"] = evaluation_of(study["news"].values[:, order], [MEASURES[m] for m in order])
        pd.testing.assert_frame_equal(discriminative_power(study, test="t").summary(), expected)

    @pytest.mark.parametrize("backend", ["polars", "pyarrow"])
    @pytest.mark.parametrize(
        "name", ["summary", "agreement", "concordance", "power_by_topics", "swap_rates", "compare"]
    )
    def test_the_result_is_a_frame_of_the_callers_library(self, study, backend, name):
        theirs = {key: replace(one, backend=backend) for key, one in study.items()}
        for make in (by_collection, lambda name, study: {**POOLED, **ROWS_OF_EACH}[name](study)):
            found = nw.from_native(make(name, theirs), eager_only=True)
            assert found.implementation.name.lower() == backend
            pd.testing.assert_frame_equal(found.to_pandas(), make(name, study), check_dtype=False)
        frames = {key: one.frame for key, one in theirs.items()}
        matrices = nw.from_native(correlate(frames, by_collection=True), eager_only=True)
        assert (matrices.implementation.name.lower(), matrices.columns[:2]) == (backend, ["collection", "measure"])

    def test_less_is_better_in_all_collections(self):
        study = {str(seed): random_evaluation(seed, measures=["F@10", "P@10", "AP"]) for seed in range(2)}
        turned = {}
        for name, one in study.items():
            values = one.values.copy()
            values[:, 0] = 1 - values[:, 0]
            turned[name] = evaluation_of(values, ["E@10", "P@10", "AP"])
        np.testing.assert_allclose(correlate(turned), correlate(study), atol=1e-12)
        pd.testing.assert_frame_equal(concordance(turned, "AP").replace("E@10", "F@10"), concordance(study, "AP"))

    @pytest.mark.parametrize(
        ("plot", "name"), [("power_curves", "power_by_topics"), ("heat_map", "tau_ap"), ("heat_map", "concordance")]
    )
    def test_collections_are_not_drawn_over_each_other(self, study, plot, name):
        for backend in ("pandas", "polars"):
            theirs = {key: replace(one, backend=backend) for key, one in study.items()}
            with pytest.raises(IrdivError, match="rows for each of several collections"):
                getattr(irdiv.plots, plot)(by_collection(name, theirs))
            getattr(irdiv.plots, plot)(POOLED[name](theirs))


FUNCTIONS = [discriminative_power, correlate, compare, POOLED["concordance"], power_by_topics, swap_rates]


class TestMistakes:
    def test_different_measures(self):
        study = {
            "a": random_evaluation(0, measures=["I-rec@10", "D-nDCG@10", "P-IA@5"]),
            "b": random_evaluation(1, measures=["D-nDCG@10", "I-rec@10"]),
            "c": random_evaluation(2, measures=["D-nDCG@10", "P-IA@5", "I-rec@10", "ERR-IA@5"]),
        }
        for function in FUNCTIONS:
            with pytest.raises(IrdivError, match="'a' lacks ERR-IA@5; 'b' lacks P-IA@5, ERR-IA@5.*measures="):
                function(study)
        summary = discriminative_power(study, test="t", measures=iter(["I-rec@10"])).summary()
        assert summary["pairs"].tolist() == [45]
        assert len(concordance(study, "I-rec@10", measures=["D-nDCG@10", "I-rec@10"])) == 1
        with pytest.raises(IrdivError, match="'b': P-IA@5 was not evaluated"):
            discriminative_power(study, measures="P-IA@5")

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (random_evaluation(runs=1), "at least two runs, found 'r0'"),
            (random_evaluation().frame.iloc[1:], "lacks 1 of 540 values"),
            ({"c": random_evaluation()}, "expected one evaluation, found a mapping with the keys 'c'"),
            (None, "cannot read the evaluation from 'NoneType'"),
        ],
        ids=["one run", "incomplete", "mapping", "None"],
    )
    def test_a_bad_collection_is_named(self, wrong, message):
        for function in FUNCTIONS:
            with pytest.raises(IrdivError, match=f"collection 'b': .*{message}"):
                function({"a": random_evaluation(), "b": wrong})

    def test_a_run_that_one_collection_lacks(self, study):
        with pytest.raises(IrdivError, match="collection 'chinese': no run is called 'r4'"):
            compare(study, baseline=["r4"])

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (discriminative_power, "test needs at least two topics"),
            (power_by_topics, "at least 2 topics .*subsets.*, found 1"),
            (swap_rates, "at least 2 topics .*disjoint sets .*, found 1"),
            (irdiv.stats.correlation_intervals, "interval needs at least two topics, found 1"),
        ],
    )
    def test_one_topic(self, function, message):
        with pytest.raises(IrdivError, match=f"collection 'b': .*{message}"):
            function({"a": random_evaluation(), "b": random_evaluation(topics=1)})

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([random_evaluation(), random_evaluation(1)], "found a list of 2; give a mapping"),
            ((random_evaluation().frame,), "found a tuple of 1; give a mapping"),
            ({}, "no collections given"),
            ({1: random_evaluation(), "1": random_evaluation(1)}, "two collections have the same name: '1', '1'"),
        ],
        ids=["list", "tuple", "none", "same name"],
    )
    def test_no_study(self, given, message):
        for function in (discriminative_power, correlate, compare):
            with pytest.raises(IrdivError, match=message):
                function(given)

    def test_functions_of_one_collection(self):
        with pytest.raises(IrdivError, match="expected one evaluation, found a mapping with the keys 'a', 'b'"):
            irdiv.stats.leaderboard({"a": random_evaluation(), "b": random_evaluation(1)})

    def test_the_same_collection_twice(self, study):
        with pytest.warns(IrdivWarning, match="'a' and 'c' have the same runs, topics and values"):
            correlate({"a": study["web"], "b": study["news"], "c": study["web"].frame})
        # others with the same values, or with the same runs and topics, are not the same
        renamed = replace(study["web"], runs=tuple("uvwxyz"))
        correlate({"a": study["web"], "b": renamed, "c": random_evaluation(9, *SHAPES["web"], MEASURES)})

    def test_a_direction_that_only_an_evaluation_knows(self, monkeypatch):
        evaluation = random_evaluation(measures=["E@10", "P@10"])
        frame = random_evaluation(1, measures=["E@10", "P@10"]).frame.replace("E@10", "mine")
        monkeypatch.setattr(type(evaluation), "specs", lambda self: ["mine", "P@10"])
        with pytest.raises(IrdivError, match="less is better by 'mine' in some collections only"):
            correlate({"a": evaluation, "b": frame})
