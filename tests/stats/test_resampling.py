"""Samples of many pairs at once: single precision, batches and the randomized Tukey HSD test, against loops."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from helpers import evaluation_of, random_evaluation
from irdiv import stats
from irdiv.stats import bootstrap, resampling, tukey


def random_values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


@pytest.mark.parametrize("values", ["continuous", "few values", "mostly equal", "large", "tiny", "shifted"])
@pytest.mark.parametrize("n_topics", [12, 40])
def test_single_precision_finds_what_double_precision_does(values, n_topics, monkeypatch):
    v = random_evaluation(runs=12, topics=n_topics).values
    v[1], v[2] = v[0], v[0] + 0.125
    v = {
        "few values": np.round(v * 4) / 4,
        "mostly equal": np.where(np.random.default_rng(0).random(v.shape) < 0.9, 0.5, v),
        "large": v * 1e30,
        "tiny": v * 1e-30,
        "shifted": v * 1e-9 + np.arange(12)[:, None, None],
    }.get(values, v)
    single = stats.discriminative_power(evaluation_of(v), n_resamples=1000)
    monkeypatch.setattr(bootstrap, "_MAX_ERROR", 0.0)
    double = stats.discriminative_power(evaluation_of(v), n_resamples=1000)
    np.testing.assert_array_equal(single.p, double.p)
    np.testing.assert_array_equal(single.delta, double.delta)


def test_only_samples_near_the_limit_are_computed_again(monkeypatch):
    """Otherwise the test above compares nothing, or single precision saves no time."""
    repeated, are_extreme = [], bootstrap._are_extreme
    monkeypatch.setattr(bootstrap, "_are_extreme", lambda *a: repeated.append(len(a[3])) or are_extreme(*a))
    evaluation = evaluation_of(np.round(random_evaluation(runs=12, topics=40).values * 4) / 4)
    stats.discriminative_power(evaluation, n_resamples=1000)
    assert 0 < sum(repeated) < 0.01 * 66 * 3 * 1000


def test_the_error_of_single_precision():
    # too small a bound would change p only in rare cases
    assert bootstrap._error(12, np.float32) == 20 * 2.0**-23
    assert bootstrap._error(12, np.float64) == 20 * 2.0**-52


@pytest.mark.parametrize("scale", [1.0, 1.7e308])
def test_the_largest_differences_do_not_overflow(scale):
    z, counts = random_values(5, 20) - 0.4, resampling.bootstrap_counts(20, 300, 2)
    expected = [stats.bootstrap_test(row, 0 * row, rng=2, n_resamples=300).p for row in z]
    assert bootstrap.bootstrap_p(z * scale, counts, False).tolist() == expected


def test_pairs_with_nearly_equal_differences_may_have_samples_without_t():
    apart = np.arange(13.0)
    close = np.where(apart == 5, 4 * (1 + 1e-15), apart)
    observed = resampling.observed_statistics(np.stack([apart, close, 1e-20 * apart]))
    assert observed.samples_may_lack_t.tolist() == [False, True, False]


class TestBatches:
    """What is held at once is bounded, and batches change no value."""

    @pytest.mark.parametrize(
        ("limit", "values"),
        [
            ("resampling.MAX_CELLS", (1, 50, 1000)),
            ("resampling._SAMPLE_CELLS", (1, 40, 1000)),
            ("resampling._MAX_CHUNK", (1, 2)),
            ("bootstrap._REPEATED_CELLS", (1, 30)),
            ("tukey._MAX_PACKED", (2,)),
        ],
    )
    @pytest.mark.parametrize("kind", ["continuous", "tied"])
    def test_they_change_nothing(self, monkeypatch, limit, values, kind):
        given = random_evaluation(runs=4, measures=["P@5", "AP"])
        if kind == "tied":
            given = evaluation_of(np.round(given.values, 1), ["P@5", "AP"])
        calls = {
            **{test: (stats.compare, {"test": test}) for test in ("bootstrap", "randomization", "tukey")},
            "leaderboard": (stats.leaderboard, {"interval": "percentile"}),
            "power": (lambda e, **o: stats.discriminative_power(e, **o).asl(), {}),
            "delta": (lambda e, **o: stats.discriminative_power(e, **o).summary(), {}),
        }
        whole = {name: call(given, n_resamples=200, **options) for name, (call, options) in calls.items()}
        for value in values:
            monkeypatch.setattr(f"irdiv.stats.{limit}", value)
            for name, (call, options) in calls.items():
                found = call(given, n_resamples=200, **options)
                pd.testing.assert_frame_equal(found, whole[name], rtol=1e-13, obj=f"{name} with {limit}={value}")

    def test_sizes(self):
        sizes = {n: resampling.chunk_size(n) for n in (1, 160_000, 166_667, 8_000_000, 8_000_001, 10**9)}
        assert sizes == {1: 96, 160_000: 96, 166_667: 95, 8_000_000: 2, 8_000_001: 1, 10**9: 1}
        assert list(resampling.chunks(5, 8_000_000, "row")) == [slice(0, 2), slice(2, 4), slice(4, 5)]
        assert list(resampling.chunks_of_samples(5, 500_000)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
        assert list(resampling.chunks_of_samples(2, 10**9)) == [slice(0, 1), slice(1, 2)]


class TestTukey:
    def p(self, values, **options):
        """Return p as [measure][pair]."""
        measures = ["P@5", "AP", "RR"][: values.shape[1]]
        return stats.discriminative_power(evaluation_of(values, measures), test="tukey", **options).p.tolist()

    @pytest.mark.parametrize("plus_one", [False, True])
    def test_against_a_loop(self, plus_one):
        values = random_evaluation(runs=4, topics=7).values
        order = np.random.default_rng(3).random((300, 7, 4)).argsort(axis=2)
        expected = []
        for measure in range(3):
            counts = dict.fromkeys(itertools.combinations(range(4), 2), 0)
            ascending = np.sort(values[:, measure], axis=0)
            for trial in order:
                dealt = np.array([ascending[trial[topic], topic] for topic in range(7)])
                for one, two in counts:
                    difference = abs(values[one, measure].mean() - values[two, measure].mean())
                    counts[one, two] += np.ptp(dealt.mean(axis=0)) >= difference - 1e-12
            expected.append([(c + 1) / 301 if plus_one else c / 300 for c in counts.values()])
        for rng in (3, np.int64(3)):
            assert self.p(values, rng=rng, n_resamples=300, plus_one=plus_one) == expected
        compared = stats.compare(
            evaluation_of(values, ["P@5", "AP", "RR"]), test="tukey", rng=3, n_resamples=300, plus_one=plus_one
        )
        assert compared["p"].to_numpy().reshape(3, 6).tolist() == expected

    def test_ties_count(self):
        # Whole numbers have exact means, of which many are equal; scaled, they differ by rounding to either side.
        values = np.array([[[3, 1, 2]], [[2, 0, 1]], [[0, 1, 1]]], dtype=float)
        exact = self.p(values, n_resamples=60)
        for scale in random_values(60) * 10:
            assert self.p(values * scale, n_resamples=60) == exact, scale

    def test_measures_do_not_matter_to_each_other(self):
        values = random_values(5, 3, 9) * np.array([1, 1e9, 1e-9])[:, None]
        assert self.p(values, rng=5) == [self.p(values[:, [m]], rng=5)[0] for m in range(3)]
        # a generator goes on from one measure to the next
        together, alone = np.random.default_rng(5), np.random.default_rng(5)
        assert self.p(values, rng=together) == [self.p(values[:, [m]], rng=alone)[0] for m in range(3)]
        assert np.shape(self.p(values, rng=None)) == (3, 10)

    def test_the_order_of_runs_does_not_matter(self):
        values = random_values(4, 2, 8)
        (there, back) = (stats.compare(evaluation_of(v, ["P@5", "AP"]), test="tukey") for v in (values, values[::-1]))
        new_name = {f"r{i}": f"r{3 - i}" for i in range(4)}
        expected = there.set_index(["measure", "run", "other"])["p"].to_dict()
        back = back.replace({"run": new_name, "other": new_name})
        assert back.set_index(["measure", "other", "run"])["p"].to_dict() == expected
        assert len(set(expected.values())) > 2

    @pytest.mark.parametrize("n", [2, 1024, 1025])
    def test_order_of_random_numbers(self, n):
        numbers = random_values(2, 3, n)
        np.testing.assert_array_equal(tukey._argsort_random(numbers.copy()), numbers.argsort(axis=-1))
