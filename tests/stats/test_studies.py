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
from irdiv.frames.backends import backend_of
from irdiv.stats import (
    compare,
    concordance,
    correlate,
    discriminative_power,
    power_by_topics,
    swap_rates,
)

MEASURES = ["I-rec@10", "D-nDCG@10", "D#-nDCG@10"]
SHAPES = {"web": (6, 30), "chinese": (4, 17), "news": (5, 50)}
SIZES = [4, 8]


@pytest.fixture
def study():
    """Three collections that differ in runs and topics, and share names of both."""
    return {name: random_evaluation(seed, *shape) for seed, (name, shape) in enumerate(SHAPES.items())}


POOLED = {
    "summary": lambda study: discriminative_power(study, n_resamples=200).summary(),
    "agreement": lambda study: discriminative_power(study, n_resamples=200).agreement(),
    "randomization": lambda study: discriminative_power(study, test="randomization", n_resamples=200).summary(),
    "tukey": lambda study: discriminative_power(study, test="tukey", n_resamples=200).summary(),
    "t": lambda study: discriminative_power(study, test="t").summary(),
    "tau": correlate,
    "tau_ap": lambda study: correlate(study, "tau_ap"),
    "concordance": lambda study: concordance(study, "I-rec@10"),
    "power_by_topics": lambda study: power_by_topics(study, sizes=SIZES, trials=3, n_resamples=100),
    "swap_rates": lambda study: swap_rates(study, sizes=SIZES, trials=10, bin_width=0.05),
}
BY_COLLECTION = {
    "summary": lambda study: discriminative_power(study, n_resamples=200).summary(by_collection=True),
    "agreement": lambda study: discriminative_power(study, n_resamples=200).agreement(by_collection=True),
    "tau": lambda study: correlate(study, by_collection=True).reset_index(),
    "tau_ap": lambda study: correlate(study, "tau_ap", by_collection=True).reset_index(),
    "concordance": lambda study: concordance(study, "I-rec@10", by_collection=True),
    "power_by_topics": lambda study: power_by_topics(study, sizes=SIZES, trials=3, n_resamples=100, by_collection=True),
    "swap_rates": lambda study: swap_rates(study, sizes=SIZES, trials=10, bin_width=0.05, by_collection=True),
    "compare": lambda study: compare(study, n_resamples=200),
}


def asl(study, **options):
    return discriminative_power(study, n_resamples=200, **options).asl()


class TestPooling:
    def test_pairs_and_significant_pairs_are_the_sums_and_delta_is_the_largest(self, study):
        pooled = discriminative_power(study, rng=3).summary().set_index("measure")
        alone = [discriminative_power(one, rng=3).summary().set_index("measure") for one in study.values()]
        assert (pooled["pairs"] == 15 + 6 + 10).all()
        assert pooled["significant"].tolist() == sum(one["significant"] for one in alone).tolist()
        assert pooled["power"].tolist() == (pooled["significant"] / 31).tolist()
        assert pooled["delta"].tolist() == np.max([one["delta"] for one in alone], axis=0).tolist()
        assert len({tuple(one["significant"] / one["pairs"]) for one in alone}) == 3

    def test_counts_of_agreement_are_the_sums(self, study):
        pooled = discriminative_power(study, test="t").agreement()
        counts = ["only_first", "both", "only_second", "conflicts"]
        alone = sum(discriminative_power(one, test="t").agreement()[counts] for one in study.values())
        pd.testing.assert_frame_equal(pooled[counts], alone)
        assert pooled["agreement"].tolist() == (alone["both"] / alone.sum(axis=1)).tolist()

    def test_conflicts_are_added_up(self):
        values = random_evaluation(runs=4, measures=["I-rec@10"]).values
        opposite = evaluation_of(np.concatenate([values, -values], axis=1), ["I-rec@10", "D-nDCG@10"])
        same = evaluation_of(np.concatenate([values, values], axis=1) + 0.1, ["I-rec@10", "D-nDCG@10"])
        n_significant = discriminative_power(opposite).summary()["significant"][0]
        assert n_significant > 0
        row = discriminative_power({"a": opposite, "b": same}).agreement().iloc[0]
        assert (row["conflicts"], row["both"], row["agreement"]) == (n_significant, n_significant, 0.5)

    def test_the_asl_curve_is_over_all_pairs(self, study):
        curve = asl(study)
        assert curve.columns.tolist() == ["measure", "rank", "collection", "run", "other", "difference", "p"]
        for measure, rows in curve.groupby("measure", sort=False):
            assert rows["rank"].tolist() == list(range(1, 32))
            assert rows["p"].is_monotonic_increasing
            for name, one in study.items():
                alone = asl(one, measures=[measure])
                found = rows[rows["collection"] == name].reset_index(drop=True)
                pd.testing.assert_frame_equal(found[["run", "other", "p", "difference"]],
                                              alone[["run", "other", "p", "difference"]])  # fmt: skip

    def test_tau_is_the_mean_over_collections(self, study):
        found = correlate(study)
        for (i, one), (j, two) in itertools.combinations(enumerate(MEASURES), 2):
            taus = [
                scipy_stats.kendalltau(*evaluation.values[:, [i, j]].mean(axis=2).T).statistic
                for evaluation in study.values()
            ]
            assert found.loc[one, two] == pytest.approx(np.mean(taus), abs=1e-12)
            assert len(set(taus)) > 1
        # the mean, not a correlation over the runs of all collections
        found = correlate(study, "tau_ap")
        alone = [correlate(one, "tau_ap") for one in study.values()]
        pd.testing.assert_frame_equal(found, sum(alone) / 3, rtol=1e-14)
        assert found.columns.name == "gold"

    def test_concordance_by_a_loop_over_all_topics_and_pairs(self, study):
        n_disagreements, n_first, n_second = 0, 0, 0
        for evaluation in study.values():
            for one, two in itertools.combinations(range(len(evaluation.runs)), 2):
                for gold, first, second in (evaluation.values[one] - evaluation.values[two]).T:
                    if first * second < 0:
                        n_disagreements += 1
                        n_first += first * gold >= 0
                        n_second += second * gold >= 0
        row = concordance(study, "I-rec@10").iloc[0]
        assert row["disagreements"] == n_disagreements
        assert row["concordance"] == n_first / n_disagreements
        assert row["other_concordance"] == n_second / n_disagreements

    def test_concordance_is_weighted_by_disagreements(self, study):
        alone = concordance(study, "I-rec@10", by_collection=True)
        pooled = concordance(study, "I-rec@10")
        for share in ("concordance", "other_concordance"):
            assert pooled[share][0] == pytest.approx(np.average(alone[share], weights=alone["disagreements"]))

    def test_comparisons_and_swaps_are_the_sums(self, study):
        options = {"sizes": SIZES, "trials": 10, "bin_width": 0.05, "rng": 2}
        keys = ["measure", "topics", "low", "high"]
        alone = pd.concat([swap_rates(one, **options) for one in study.values()])
        expected = alone.groupby(keys)[["comparisons", "swaps"]].sum()
        found = swap_rates(study, **options)
        pd.testing.assert_frame_equal(found.set_index(keys)[["comparisons", "swaps"]].sort_index(), expected)
        assert found["rate"].tolist() == (found["swaps"] / found["comparisons"]).tolist()
        assert len(found) < len(alone)

    def test_power_on_subsets_is_that_of_the_pooled_pairs(self, study):
        options = {"sizes": SIZES, "trials": 1, "n_resamples": 100, "rng": 2}
        alone = [power_by_topics(one, **options)["power"] for one in study.values()]
        n_pairs = np.array([15, 6, 10])
        found = power_by_topics(study, **options)["power"]
        assert found.tolist() == pytest.approx(np.average(alone, axis=0, weights=n_pairs), abs=1e-12)
        # the highest power is that of a trial in all collections at once
        options = {"sizes": [15], "trials": 10, "n_resamples": 100}
        highest = power_by_topics(study, **options, by_collection=True)["high"].to_numpy().reshape(3, -1)
        bound = np.average(highest, axis=0, weights=n_pairs)
        found = power_by_topics(study, **options)["high"]
        assert (found <= bound + 1e-12).all()
        assert (found < bound - 1e-12).any()

    def test_sizes_are_up_to_those_of_the_smallest_collection(self, study):
        assert power_by_topics(study, trials=1, n_resamples=10)["topics"].max() == 17
        assert swap_rates(study, trials=1)["topics"].max() == 8
        with pytest.raises(IrdivError, match="collection 'chinese': sizes=18 is not an integer from 2 to 17"):
            power_by_topics(study, sizes=[18])
        with pytest.raises(IrdivError, match="collection 'chinese': sizes=9 is not an integer from 1 to 8"):
            swap_rates(study, sizes=[9])


class TestEachCollection:
    @pytest.mark.parametrize("name", BY_COLLECTION)
    @pytest.mark.parametrize("chosen", [["web", "chinese", "news"], ["news", "web", "chinese"], ["news", "web"]])
    def test_it_is_as_it_is_alone(self, study, name, chosen):
        found = BY_COLLECTION[name]({key: study[key] for key in chosen})
        assert found.columns[0] == "collection"
        assert found["collection"].unique().tolist() == chosen
        for key in chosen:
            alone = {**POOLED, "compare": lambda one: compare(one, n_resamples=200)}[name](study[key])
            alone = alone if isinstance(alone.index, pd.RangeIndex) else alone.reset_index()
            rows = found[found["collection"] == key].drop(columns="collection").reset_index(drop=True)
            pd.testing.assert_frame_equal(rows, alone, check_exact=True, check_names=False)

    def test_a_generator_is_in_the_same_state_for_each(self, study):
        alone = {name: discriminative_power(one, rng=np.random.default_rng(5)).p for name, one in study.items()}
        generator = np.random.default_rng(5)
        power = discriminative_power(study, rng=generator)
        for name, p in alone.items():
            assert np.array_equal(power.collections[name].p, p)
        # and goes on, so that a second study has other samples
        assert not np.array_equal(discriminative_power(study, rng=generator).p, power.p)

    def test_results_of_a_collection_are_results(self, study):
        power = discriminative_power(study, test="t")
        assert list(power.collections) == list(study)
        one = power.collections["news"]
        alone = discriminative_power(study["news"], test="t")
        pd.testing.assert_frame_equal(one.asl(), alone.asl())
        pd.testing.assert_frame_equal(one.agreement(), alone.agreement())
        assert repr(one) == repr(alone)
        assert alone.collections == {}

    def test_a_collection_without_comparisons_has_no_rows(self):
        constant = evaluation_of(np.ones((2, 1, 10)))
        other = evaluation_of(random_evaluation(topics=10).values[:2, :1])
        found = swap_rates({"constant": constant, "other": other}, by_collection=True)
        assert found["collection"].unique().tolist() == ["other"]
        assert pd.api.types.is_integer_dtype(found["comparisons"])
        assert swap_rates({"constant": constant}, by_collection=True).empty


class TestOneCollection:
    @pytest.mark.parametrize("name", POOLED)
    def test_an_evaluation_is_a_study_of_one(self, name):
        evaluation = random_evaluation(3)
        found, expected = POOLED[name]({"web": evaluation}), POOLED[name](evaluation)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)

    @pytest.mark.parametrize(
        "analyze",
        [
            asl,
            compare,
            irdiv.stats.correlation_intervals,
            lambda study: irdiv.stats.disagreements(study, "I-rec@10", "D-nDCG@10"),
        ],
    )
    def test_a_mapping_of_one_has_a_column_of_collections(self, analyze):
        evaluation = random_evaluation(3)
        found, expected = analyze({"web": evaluation}), analyze(evaluation)
        assert (found["collection"] == "web").all()
        pd.testing.assert_frame_equal(found.drop(columns="collection"), expected, check_exact=True)
        assert "collection" not in expected

    @pytest.mark.parametrize("name", [name for name in BY_COLLECTION if name != "compare"])
    def test_without_a_name_there_are_no_results_by_collection(self, name):
        with pytest.raises(IrdivError, match="by_collection=True needs names of collections: give a mapping"):
            BY_COLLECTION[name](random_evaluation(3))


class TestNamesOrderAndForms:
    @pytest.mark.parametrize("name", POOLED)
    def test_neither_names_nor_order_matter(self, study, name):
        expected = POOLED[name](study)
        for order in itertools.permutations(study):
            renamed = {f"collection {index}": study[key] for index, key in enumerate(order)}
            pd.testing.assert_frame_equal(POOLED[name](renamed), expected, check_exact=True)

    def test_the_curve_differs_only_in_the_order_of_equal_p(self, study):
        def by_pair(curve):
            keys = ["measure", "collection", "run", "other"]
            return curve.drop(columns="rank").sort_values(keys, ignore_index=True)

        turned = asl(dict(reversed(study.items())))
        assert turned["p"].tolist() == asl(study)["p"].tolist()
        pd.testing.assert_frame_equal(by_pair(turned), by_pair(asl(study)))

    @pytest.mark.parametrize("name", POOLED)
    def test_frames_and_files(self, study, name, tmp_path):
        measures = sorted(MEASURES)  # the order of a frame
        study = {
            key: evaluation_of(one.values[:, [MEASURES.index(m) for m in measures]], measures)
            for key, one in study.items()
        }
        study["news"].frame.to_csv(tmp_path / "news.csv", index=False, float_format="%.17g")
        mixed = {**study, "web": study["web"].frame, "news": tmp_path / "news.csv"}
        pd.testing.assert_frame_equal(POOLED[name](mixed), POOLED[name](study), check_exact=True)

    def test_the_order_of_measures_is_that_of_the_first(self, study):
        order = [2, 0, 1]
        turned = {
            **study,
            "news": evaluation_of(study["news"].values[:, order], [MEASURES[m] for m in order]),
        }
        pd.testing.assert_frame_equal(
            discriminative_power(turned, test="t").summary(), discriminative_power(study, test="t").summary()
        )

    @pytest.mark.parametrize("backend", ["polars", "pyarrow"])
    @pytest.mark.parametrize("table", [POOLED, BY_COLLECTION])
    def test_results_are_frames_of_the_callers_library(self, study, backend, table):
        for name in ("summary", "agreement", "concordance", "power_by_topics", "swap_rates"):
            theirs = {key: replace(one, backend=backend) for key, one in study.items()}
            found = table[name](theirs)
            assert backend_of(found) == backend
            in_pandas = nw.from_native(found, eager_only=True).to_pandas()
            pd.testing.assert_frame_equal(in_pandas, table[name](study), check_dtype=False)
        frames = {key: replace(one, backend=backend).frame for key, one in study.items()}
        assert backend_of(compare(frames, n_resamples=50)) == backend
        assert backend_of(asl(frames)) == backend
        matrices = nw.from_native(correlate(frames, by_collection=True), eager_only=True)
        assert matrices.columns[:2] == ["collection", "measure"]

    def test_less_is_better_in_all_collections(self):
        study = {str(seed): random_evaluation(seed, measures=["F@10", "P@10", "AP"]) for seed in range(2)}
        turned = {}
        for name, one in study.items():
            values = one.values.copy()
            values[:, 0] = 1 - values[:, 0]
            turned[name] = evaluation_of(values, ["E@10", "P@10", "AP"])
        np.testing.assert_allclose(correlate(turned), correlate(study), atol=1e-12)
        pd.testing.assert_frame_equal(concordance(turned, "AP").replace("E@10", "F@10"), concordance(study, "AP"))


def test_compare_tests_each_collection_by_itself(study):
    found = compare(study, baseline="r0", correction="holm", rng=np.random.default_rng(1), n_resamples=100)
    assert found.columns[0] == "collection"
    for name, one in study.items():
        alone = compare(one, baseline="r0", correction="holm", rng=np.random.default_rng(1), n_resamples=100)
        rows = found[found["collection"] == name].drop(columns="collection").reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone, check_exact=True)
    with pytest.raises(IrdivError, match="collection 'chinese': no run is called 'r4'"):
        compare(study, baseline=["r4"])


class TestMistakes:
    @pytest.mark.parametrize("name", [*POOLED, "compare"])
    def test_different_measures(self, name):
        study = {
            "a": random_evaluation(0, measures=["I-rec@10", "D-nDCG@10", "P-IA@5"]),
            "b": random_evaluation(1, measures=["D-nDCG@10", "I-rec@10"]),
            "c": random_evaluation(2, measures=["D-nDCG@10", "P-IA@5", "I-rec@10", "ERR-IA@5"]),
        }
        message = (
            "the collections have different measures: 'a' lacks ERR-IA@5; 'b' lacks P-IA@5, ERR-IA@5. Evaluate all "
            "collections by the same measures, or choose common ones by measures=."
        )
        with pytest.raises(IrdivError, match=message):
            {**POOLED, "compare": compare}[name](study)
        assert discriminative_power(study, test="t", measures=iter(["I-rec@10"])).summary()["pairs"][0] == 45
        assert concordance(study, "I-rec@10", measures=["D-nDCG@10", "I-rec@10"])["disagreements"][0] > 0
        with pytest.raises(IrdivError, match="collection 'b': P-IA@5 was not evaluated"):
            discriminative_power(study, measures="P-IA@5")

    @pytest.mark.parametrize("name", [*POOLED, "compare"])
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (random_evaluation(runs=1), "collection 'b': a comparison needs at least two runs, found 'r0'"),
            (random_evaluation().frame.iloc[1:], "collection 'b': the evaluation lacks 1 of 540 values"),
            ({"c": random_evaluation()}, "collection 'b': expected one evaluation, found a mapping with the keys 'c'"),
            (None, "collection 'b': cannot read the evaluation from 'NoneType'"),
        ],
    )
    def test_one_bad_collection_is_named(self, name, wrong, message):
        with pytest.raises(IrdivError, match=message):
            {**POOLED, "compare": compare}[name]({"a": random_evaluation(), "b": wrong})

    def test_one_topic(self):
        with pytest.raises(IrdivError, match="collection 'b': a test needs at least two topics"):
            discriminative_power({"a": random_evaluation(), "b": random_evaluation(topics=1)})
        study = {"a": random_evaluation(), "b": random_evaluation(topics=1)}
        with pytest.raises(IrdivError, match="'b': at least 2 topics are needed for subsets of the topics, found 1"):
            power_by_topics(study)
        with pytest.raises(IrdivError, match="'b': at least 2 topics are needed for two disjoint sets .*, found 1"):
            swap_rates(study)
        with pytest.raises(IrdivError, match="collection 'b': an interval needs at least two topics, found 1"):
            irdiv.stats.correlation_intervals(study)

    @pytest.mark.parametrize("analyze", [discriminative_power, correlate, compare])
    def test_a_list_of_evaluations(self, analyze):
        for study in ([random_evaluation(), random_evaluation(1)], (random_evaluation().frame,)):
            with pytest.raises(
                IrdivError, match="found a (list of 2|tuple of 1); give a mapping from the name of a coll"
            ):
                analyze(study)

    def test_no_collections(self):
        with pytest.raises(IrdivError, match="no collections given: expected a mapping from the name of a collection"):
            discriminative_power({})

    def test_names_that_are_the_same_text(self):
        with pytest.raises(IrdivError, match="two collections have the same name: '1', '1'"):
            correlate({1: random_evaluation(), "1": random_evaluation(1)})

    def test_the_same_collection_twice(self):
        evaluation = random_evaluation()
        with pytest.warns(IrdivWarning, match="'a' and 'c' have the same runs, topics and values"):
            correlate({"a": evaluation, "b": random_evaluation(1), "c": evaluation.frame}, measures=MEASURES)

    def test_functions_of_one_collection(self):
        study = {"a": random_evaluation(), "b": random_evaluation(1)}
        with pytest.raises(IrdivError, match="expected one evaluation, found a mapping with the keys 'a', 'b'"):
            irdiv.stats.leaderboard(study)

    def test_a_direction_that_only_an_evaluation_knows(self, monkeypatch):
        evaluation = random_evaluation(measures=["E@10", "P@10"])
        frame = random_evaluation(1, measures=["E@10", "P@10"]).frame.replace("E@10", "mine")
        monkeypatch.setattr(type(evaluation), "specs", lambda self: ["mine", "P@10"])
        with pytest.raises(IrdivError, match="less is better by 'mine' in some collections only"):
            correlate({"a": evaluation, "b": frame})


class TestPlots:
    def test_asl_curves_are_over_the_pairs_of_all_collections(self, study):
        power = discriminative_power(study, n_resamples=100)
        lines = irdiv.plots.asl_curves(power).get_lines()
        for line, p in zip(lines, power.p, strict=False):
            assert line.get_ydata().tolist() == sorted(p, reverse=True)
            assert line.get_xdata().tolist() == list(range(1, 32))

    @pytest.mark.parametrize("backend", ["pandas", "polars"])
    @pytest.mark.parametrize(
        ("plot", "name"), [("power_curves", "power_by_topics"), ("heat_map", "tau_ap"), ("heat_map", "concordance")]
    )
    def test_collections_are_not_drawn_over_each_other(self, study, plot, name, backend):
        makes = {**BY_COLLECTION, "tau_ap": lambda study: correlate(study, "tau_ap", by_collection=True)}
        theirs = {key: replace(one, backend=backend) for key, one in study.items()}
        with pytest.raises(IrdivError, match="the frame has rows for each of several collections"):
            getattr(irdiv.plots, plot)(makes[name](theirs))
        getattr(irdiv.plots, plot)(POOLED[name](theirs))
