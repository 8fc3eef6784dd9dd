"""The randomized Tukey HSD test of all pairs of runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irdiv.stats.options import N_RESAMPLES, Rng, random_generator, require_two_topics
from irdiv.stats.resampling import TIE_TOLERANCE, chunks_of_samples, p_values
from irdiv.types import Floats, Ints

_MAX_PACKED = 1 << 10
"""Up to how many random numbers are sorted together with their indices."""


def tukey_p_by_measure(
    values: Floats, pairs: list[tuple[int, int]], *, rng: Rng, n_resamples: int, plus_one: bool
) -> Iterator[Floats]:
    """Yield the p of `tukey_p` of one measure after the other.

    With a seed, which has the same permutations for every measure, they are drawn once.
    """
    if rng is None or isinstance(rng, int | np.integer):
        yield from tukey_p(values, pairs, rng=rng, n_resamples=n_resamples, plus_one=plus_one)
        return
    for index in range(values.shape[1]):
        yield tukey_p(values[:, [index]], pairs, rng=rng, n_resamples=n_resamples, plus_one=plus_one)[0]


def tukey_p(
    values: Floats,
    pairs: list[tuple[int, int]],
    *,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
    plus_one: bool = False,
) -> Floats:
    """Return p of pairs of runs, ``[measure, pair]``, for values ``[run, measure, topic]`` (Carterette, TOIS 2012).

    Each trial permutes the values of every topic among the runs; p of a pair is the share of trials in which the
    largest difference of means between any two runs is at least that of the pair.
    """
    n_measures = values.shape[1]
    require_two_topics(values.shape[2])
    largest = np.sort(_largest_differences(values, rng, n_resamples), axis=1)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    n_smaller = np.empty((n_measures, len(pairs)), dtype=np.int64)
    for index in range(n_measures):
        of_measure = values[:, index]
        observed = np.abs((of_measure[first] - of_measure[second]).mean(axis=1))
        tolerance = TIE_TOLERANCE * np.abs(of_measure).max()
        n_smaller[index] = np.searchsorted(largest[index], observed - tolerance, side="left")
    return p_values(n_resamples - n_smaller, n_resamples, plus_one)


def _largest_differences(values: Floats, rng: Rng, n_resamples: int) -> Floats:
    """Return the largest difference of means between any two runs in each trial, ``[measure, sample]``."""
    n_runs, n_measures, n_topics = values.shape
    generator = random_generator(rng)
    largest = np.empty((n_measures, n_resamples))
    # Sorted, so that the samples do not depend on the order of runs.
    by_topic = [np.sort(values[:, index], axis=0).T.ravel() for index in range(n_measures)]
    start_of_topic = n_runs * np.arange(n_topics)[:, None]
    for samples in chunks_of_samples(n_resamples, n_runs * n_topics):
        order = _argsort_random(generator.random((samples.stop - samples.start, n_topics, n_runs)))
        order += start_of_topic
        for index, of_measure in enumerate(by_topic):
            means = of_measure.take(order).mean(axis=1)
            largest[index, samples] = means.max(axis=1) - means.min(axis=1)
    return largest


def _argsort_random(numbers: Floats) -> Ints:
    """Return the order of a generator's random numbers along the last axis; the numbers are overwritten."""
    n = numbers.shape[-1]
    if n > _MAX_PACKED:
        return numbers.argsort(axis=-1)
    # As multiples of 2⁻⁵³ they fit into integers with room for an index, and np.sort is faster than np.argsort.
    np.multiply(numbers, 2.0**63, out=numbers)
    keys = numbers.astype(np.int64)
    keys |= np.arange(n)
    keys.sort(axis=-1)
    keys &= _MAX_PACKED - 1
    return keys
